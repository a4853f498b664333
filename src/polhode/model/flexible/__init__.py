"""Flexible bodies: beams, and bodies by their mode shapes; what is added to a model, and what formalisms take from it."""
