"""The constraint doctor: what the constraints of a mechanism leave free, in words, before anything is simulated."""

from .examine import diagnose
from .records import Dependence, Diagnosis, Here, Integrability

__all__ = ["Dependence", "Diagnosis", "Here", "Integrability", "diagnose"]
