"""Runs on constraints: assembly, projection, singular poses, and steps that keep to the constraints."""
