"""Feedback linearisation: of outputs, of the whole state, with integrators before inputs, and in part."""
