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
    """A piece of material whose points are polynomials of ξ: B_a = C_a(ξ) + y Y_a(ξ) + z Z_a(ξ), for each amplitude.

    ξ runs from `start` to `end`. The mass of the piece is spread evenly over ξ; the coordinates y and z in a section
    have mean zero, and `spread` has their second moments by mass: the means of y², z² and y z, in m².
    """

    start: Fraction
    end: Fraction
    mass: Expr
    centre: tuple[Polynomials, ...]
    y: tuple[Polynomials, ...] = ()
    z: tuple[Polynomials, ...] = ()
    spread: tuple[Expr, Expr, Expr] | None = None


@dataclass(frozen=True)
class Flexibility:
    """How a body deforms: amplitudes s_a(η), the moments of its mass, and the fields as they were written.

    `first` holds b_a in kg m, `second` G_ab in kg m², both in the body's frame; `second[a][b]` is the transpose of
    `second[b][a]`. `segments` is the material that the moments are integrals over; none where a file gives the moments.
    """

    joint: str  # the joint whose coordinates are η
    amplitudes: tuple[Expr, ...]
    first: tuple[Vector, ...]
    second: tuple[tuple[Matrix, ...], ...]
    segments: tuple[Segment, ...] = ()
