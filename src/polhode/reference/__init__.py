"""A second derivation of everything, to judge the first: virtual power by differentiating positions.

It starts at the System record (bodies, joints, loads, constraints as a user wrote them) and shares nothing with the
formalisms but expressions: no tree, no loads, no rows. Nothing is built as a graph. All is computed at the one point of
the prime field at which expressions have their fingerprints (`expr.field`), with numbers that carry their rates along
(`jet`), so that each result is compared with a fingerprint directly.

    jet, matrices         numbers that move; 4×4 matrices and elimination
    evaluate              what users' expressions are at the point, and how they move
    stage, positions      X, Ẋ, Ẍ of every body, q̇ and q̈ by X⁻¹Ẋ = Σ ĥ u
    power                 M, efforts, energies by d'Alembert's principle
    closures, contacts    what joints that close loops and rolling contacts ask
    auxiliary             coordinates that constraints bring with them
    conditions            the rows A, a, γ of all constraints
"""

from .auxiliary import Choice
from .conditions import ConstraintRow
from .derivation import Derivation

__all__ = ["Choice", "ConstraintRow", "Derivation"]
