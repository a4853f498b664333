"""The material of a flexible body: where its points are, and the moments of its mass.

The points of the body are at

    r = Σ_a s_a(η) B_a,    s_0 = 1

in the body's frame: B_0 is where a point is while the body is not bent, the other B_a are fields of displacement over
the body, and s_a their amplitudes, functions of the elastic coordinates η: each η_i itself, and where the displacement
is quadratic (foreshortening) their products. Kinetic energy, momentum and weight hold the fields through

    m,    b_a = ∫ B_a dm,    G_ab = ∫ B_a B_bᵀ dm

alone. η are the coordinates of a joint of the type `Elastic` that carries the body.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ...expr import Expr, Matrix, Vector

#: A vector of polynomials: for each of the axes x, y, z the coefficients of 1, ξ, ξ², …
Polynomials = tuple[tuple[Expr, ...], tuple[Expr, ...], tuple[Expr, ...]]


@dataclass(frozen=True)
class Segment:
    """Material with points C_a(ξ) + y Y_a(ξ) + z Z_a(ξ), uniform in ξ; `spread` has the means of y², z², y z in m²."""

    start: Fraction
    end: Fraction
    mass: Expr
    centre: tuple[Polynomials, ...]
    y: tuple[Polynomials, ...] = ()
    z: tuple[Polynomials, ...] = ()
    spread: tuple[Expr, Expr, Expr] | None = None


@dataclass(frozen=True)
class Flexibility:
    """Amplitudes s_a(η), moments b_a (kg m) and G_ab = G_baᵀ (kg m²) in the body's frame, and the fields, if known."""

    joint: str  # the joint whose coordinates are η
    amplitudes: tuple[Expr, ...]
    first: tuple[Vector, ...]
    second: tuple[tuple[Matrix, ...], ...]
    segments: tuple[Segment, ...] = ()
