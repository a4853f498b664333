"""Inverse kinematics in closed form: all branches as expressions of the pose, proved by substitution."""

from .inverse import ClosedForm, closed_form

__all__ = ["ClosedForm", "closed_form"]
