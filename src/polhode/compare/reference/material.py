"""The mass of a flexible body as particles: sums over them are its integrals, exactly.

    ∫ F(r) dm = Σ m_k F(r_k),    r_k = Σ_a s_a(η) B_a(k)    for every F of degree two

Where the fields B_a are polynomials, the particles are the nodes of a Newton–Cotes rule of sufficient degree, with its
weights, over each segment; across a section they are seven points with the section's second moments. Where the moments
of the fields themselves were given, b_a and G_ab, the particles stand at their mean and, in pairs, beside it along the
columns of a triangular factor L of the covariance G - b bᵀ/m = L D Lᵀ. In the prime field a mass may be any element.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

from ...expr.field import P, inverse, rational
from ...model.body import Body
from ...model.flexible.record import Flexibility, Segment
from .matrices import solved

#: A particle: its mass, and for each amplitude the components of its field there.
Particle = tuple[int, list[list[int]]]
Numbers = Callable[[Sequence[Any]], list[int]]

_HALF = inverse(2)


def particles(body: Body, numbers: Numbers) -> list[Particle]:
    """Particles that have the moments of a flexible body; `numbers` evaluates what a user gave."""
    made = body.flexibility
    if made is None:
        return []
    if not made.segments:
        return list(_of_moments(made, numbers([body.mass])[0], numbers))
    return [particle for segment in made.segments for particle in _of_segment(segment, numbers)]


def _of_segment(segment: Segment, numbers: Numbers) -> Iterator[Particle]:
    fields = [segment.centre, segment.y, segment.z]
    degree = max(len(row) for part in fields for field in part for row in field) - 1
    (mass,) = numbers([segment.mass])
    spread = numbers(segment.spread) if segment.spread else [0, 0, 0]
    centre, along_y, along_z = ([[numbers(row) for row in field] for field in part] for part in fields)
    for share, weight in _rule(2 * degree):
        xi = rational(segment.start + (segment.end - segment.start) * share)
        C = [[_at(row, xi) for row in field] for field in centre]
        if segment.spread is None:
            yield mass * weight % P, C
            continue
        Y, Z = ([[_at(row, xi) for row in field] for field in part] for part in (along_y, along_z))
        for y, z, part in _section(*spread):
            moved = [
                [(c + y * a + z * b) % P for c, a, b in zip(*rows, strict=True)] for rows in zip(C, Y, Z, strict=True)
            ]
            yield mass * weight % P * part % P, moved


def _at(coefficients: Sequence[int], xi: int) -> int:
    """A polynomial by Horner's rule."""
    value = 0
    for coefficient in reversed(coefficients):
        value = (value * xi + coefficient) % P
    return value


@cache
def _rule(degree: int) -> list[tuple[Fraction, int]]:
    """Equidistant nodes in [0, 1], and weights by which polynomials up to this degree are integrated exactly."""
    nodes = [Fraction(k, degree) for k in range(degree + 1)] if degree else [Fraction(1, 2)]
    powers = [[rational(node**j) for node in nodes] for j in range(len(nodes))]
    weights = solved(powers, [[rational(Fraction(1, j + 1))] for j in range(len(nodes))])
    return list(zip(nodes, (row[0] for row in weights or []), strict=True))


def _section(yy: int, zz: int, yz: int) -> list[tuple[int, int, int]]:
    """Points of a section with their shares of its mass: mean zero, and these second moments."""
    c = yz * _HALF % P
    a, b = (yy * _HALF - c) % P, (zz * _HALF - c) % P
    rest = (1 - 2 * (a + b + c)) % P
    return [(0, 0, rest), (1, 0, a), (-1, 0, a), (0, 1, b), (0, -1, b), (1, 1, c), (-1, -1, c)]


def _of_moments(made: Flexibility, m: int, numbers: Numbers) -> Iterator[Particle]:
    size, part = 3 * len(made.first), inverse(m)
    b = [entry for first in made.first for entry in numbers(first)]
    G = [[0] * size for _ in range(size)]
    for i, row in enumerate(made.second):
        for j, block in enumerate(row):
            for k in range(3):
                G[3 * i + k][3 * j : 3 * j + 3] = numbers(block[k])
    left = [[(G[i][j] - b[i] * b[j] % P * part) % P for j in range(size)] for i in range(size)]
    mean, rest = [entry * part % P for entry in b], m
    for k in range(size):
        pivot = left[k][k]
        if not pivot:
            continue
        scale = inverse(pivot)
        column = [row[k] * scale % P for row in left]
        left = [[(x - column[i] * pivot % P * column[j]) % P for j, x in enumerate(row)] for i, row in enumerate(left)]
        for sign in (1, -1):
            yield pivot * _HALF % P, _cut([(x + sign * y) % P for x, y in zip(mean, column, strict=True)])
        rest = (rest - pivot) % P
    yield rest, _cut(mean)


def _cut(entries: Sequence[int]) -> list[list[int]]:
    return [list(entries[k : k + 3]) for k in range(0, len(entries), 3)]
