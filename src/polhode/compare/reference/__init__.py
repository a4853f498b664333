"""A second derivation of everything, to judge the first: virtual power by differentiating positions.

It starts at the model (bodies, joints, loads, constraints as a user wrote them), and takes no tree, no loads
and no rows from the formalisms. What it shares with them, and so cannot judge:

    expressions           their fingerprints, `derivative` (of curves, known motions and functions), zero tests, rank
    records of the model  the symbols of coordinates and speeds; of a joint's stages the columns H, the algebra that
                          they generate, whether it is holonomic, and how an orientation is stored
    Choice                which conditions the equations take to define a constraint's own coordinates

Nothing is built as a graph. All is computed at the one point of the prime field at which expressions have their
fingerprints (`expr.field`), with numbers that carry their rates along (`Jet`), so that each result is compared with a
fingerprint directly.

    prime_field           numbers that move, 4×4 matrices, elimination, values of users' expressions
    positions             X, Ẋ, Ẍ of every body, q̇ and q̈ by X⁻¹Ẋ = Σ ĥ u
    derivation            M, efforts, energies by d'Alembert's principle
    auxiliary             loops, and coordinates that constraints bring with them
    conditions            contacts, and the rows A, a, γ of all constraints
"""

from .auxiliary import Choice
from .derivation import ConstraintRow, ReferenceDerivation

__all__ = ["Choice", "ConstraintRow", "ReferenceDerivation"]
