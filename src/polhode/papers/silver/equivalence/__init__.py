"""That Lagrange's equations with ω and those of Newton and Euler are one computation, shown on a mechanism.

W. M. Silver's argument, MIT A.I. Memo 622 (1981), from the kinetic energy (3.1) to the recursion of Luh, Walker and
Paul: each of its equations is computed on a mechanism as the paper writes it, and both sides have one fingerprint.
"""

from .proving import equivalence
from .record import Case, Proof, Step

__all__ = ["Case", "Proof", "Step", "equivalence"]
__dir__ = __all__.copy
