"""Flexible bodies: beams, and bodies by their mode shapes; what they add to a model, and what formalisms take."""
