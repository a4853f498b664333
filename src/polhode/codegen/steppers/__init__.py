"""Integrators as native code: compiled once for a machine, for right-hand sides of any size behind a pointer."""
