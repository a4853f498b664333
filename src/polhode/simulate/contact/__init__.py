"""Runs with contacts, stops and dry friction: their modes along a run, and the forces that followed."""
