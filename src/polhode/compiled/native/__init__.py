"""Integration by native code: records of a run, loaded integrators, fixed steps."""
