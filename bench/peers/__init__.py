"""Engines and libraries beside which polhode is measured, a file each."""
