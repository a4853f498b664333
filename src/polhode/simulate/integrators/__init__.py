"""Integrators, by their names: with step-size control (`adaptive`, `ida`) and with fixed steps (`fixed`)."""

from . import adaptive, fixed

METHODS = ("auto", *adaptive.METHODS, *fixed.METHODS)
