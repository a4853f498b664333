"""Diagnostics of constraints: what they leave free in a mechanism, in words, before anything is simulated."""

from .examine import diagnose
from .records import Dependence, Diagnosis, Here, Integrability

__all__ = ["Dependence", "Diagnosis", "Here", "Integrability", "diagnose"]
