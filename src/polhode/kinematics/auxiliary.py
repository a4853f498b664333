"""Auxiliary coordinates: unknowns that follow from the poses of bodies, without mass.

The angles of a joint that closes a loop, the place where a disc touches a curve: such coordinates σ have no speeds, no
efforts and no rows in M. They are held in their place by definitions, as many as σ has ways to move,

    ψ(q, σ, t) = 0,    σ̇ = G(σ) ν,    (∂ψ/∂σ) G ν + (∂ψ/∂q) Γ u + ∂ψ/∂t = 0

The last line gives ν, linear in the speeds, so that ψ̇ vanishes for every motion, on the constraints or off them: as the
length of a quaternion, ψ stays what it was. Rows of constraints may depend on σ; their rates follow from q̇ and σ̇ as
from those of any coordinates.

`constraints.auxiliary.auxiliary_of` makes them of ψ by name and of symbols of kind "coordinate"; what is left of the
constraint's conditions are rows. `with_auxiliary` collects those of all constraints of a system in the
tree. Assembly, runs and their drift, diagnostics and linearizing then know them.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..expr import Expr, Matrix


@dataclass(frozen=True, eq=False)
class AuxiliaryCoordinates:
    """The coordinates that a constraint brings with it, how they move, and what they are."""

    of: str  # the constraint
    symbols: tuple[Expr, ...]  # σ, of kind "coordinate"
    ways: Matrix  # G: a column for each way in which σ moves
    speeds: tuple[Expr, ...]  # ν(q, σ, u, t)
    rates: tuple[Expr, ...]  # σ̇ = G ν
    definitions: tuple[tuple[str, Expr], ...]  # ψ by name
    back: tuple[Expr, ...]  # Newton's step: σ + back answers ψ
    units: tuple[int, ...] = ()  # where unit quaternions begin among the symbols
    guess: tuple[Expr, ...] = ()  # where to seek σ first, if the other coordinates tell
