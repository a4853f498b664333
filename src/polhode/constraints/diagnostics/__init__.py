"""Diagnostics of constraints: what they leave free in a mechanism, in words, before anything is simulated."""

from .examine import diagnose
from .records import Dependence, Diagnosis, Integrability, PoseReport

__all__ = ["Dependence", "Diagnosis", "Integrability", "PoseReport", "diagnose"]
