"""Polynomials whose coefficients are trigonometric: Σ c · x₁^e₁ x₂^e₂ … · cos(Σ kθ), or sin.

A term is a monomial in atoms (symbols and whatever is not looked into, exponents of either sign) times a harmonic, the
sine or cosine of a rational combination of angles. Products of harmonics become sums by the addition theorems, so that
every polynomial has one expanded form; exact division works on the same terms as Laurent monomials e^{iΣkθ}.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import lru_cache
from math import lcm

#: Exponents by atom, ascending; and the multiples of the angles in a harmonic, ascending.
Monomial = tuple[tuple[int, int], ...]
Multiples = tuple[tuple[int, Fraction | int], ...]
#: (0, k) is cos(Σ kθ), (1, k) is sin(Σ kθ); the first multiple is positive.
Harmonic = tuple[int, Multiples]
Key = tuple[Monomial, Harmonic]
Polynomial = dict[Key, Fraction]

COS, SIN = 0, 1
CONSTANT: Harmonic = (COS, ())


def monomial(exponents: Iterable[tuple[int, int]], coefficient: Fraction = Fraction(1)) -> Polynomial:
    """A polynomial of one term without angles."""
    return {(tuple(sorted(exponents)), CONSTANT): coefficient} if coefficient else {}


def canonical_harmonic(phase: int, multiples: Multiples) -> tuple[Harmonic, int]:
    """The harmonic with its first multiple positive, and the sign that this costs; sin 0 has the sign 0."""
    if not multiples:
        return CONSTANT, 1 - phase
    if multiples[0][1] > 0:
        return (phase, multiples), 1
    return (phase, tuple((angle, -k) for angle, k in multiples)), 1 - 2 * phase


def combine(a: Multiples, b: Multiples, scale: Fraction | int = 1) -> Multiples:
    """a + scale·b."""
    total = dict(a)
    for angle, k in b:
        total[angle] = total.get(angle, 0) + scale * k
    return multiples_of(total)


def multiples_of(factors: Mapping[int, Fraction | int]) -> Multiples:
    """Angles and their factors in order; whole factors become plain integers, which are quicker to compare."""
    return tuple((angle, k.numerator if k.denominator == 1 else k) for angle, k in sorted(factors.items()) if k)


@lru_cache(maxsize=16384)
def _harmonic_product(left: Harmonic, right: Harmonic) -> tuple[tuple[Harmonic, int], ...]:
    """Twice the product of two harmonics as a sum: 2 cos a cos b = cos(a+b) + cos(a-b), and so on."""
    if left == CONSTANT:
        return ((right, 2),)
    if right == CONSTANT:
        return ((left, 2),)
    (p, a), (r, b) = left, right
    phase = (p + r) % 2
    plus = -1 if p and r else 1
    minus = -1 if r and not p else 1
    result = []
    for multiples, weight in ((combine(a, b), plus), (combine(a, b, -1), minus)):
        harmonic, sign = canonical_harmonic(phase, multiples)
        if sign:
            result.append((harmonic, weight * sign))
    return tuple(result)


@lru_cache(maxsize=16384)
def _monomial_product(left: Monomial, right: Monomial) -> Monomial:
    total = dict(left)
    for atom, exponent in right:
        total[atom] = total.get(atom, 0) + exponent
    return tuple(sorted((atom, exponent) for atom, exponent in total.items() if exponent))


def plus(left: Polynomial, right: Polynomial, scale: Fraction | int = 1) -> Polynomial:
    """left + scale·right."""
    total = dict(left)
    for key, value in right.items():
        part = value if scale == 1 else scale * value
        old = total.get(key)
        if old is None:
            total[key] = part
        elif new := old + part:
            total[key] = new
        else:
            del total[key]
    return total


def times(left: Polynomial, right: Polynomial) -> Polynomial:
    """left · right."""
    ours, below = _over_common_denominator(left)
    theirs, under = _over_common_denominator(right)
    total: dict[Key, int] = {}  # twice the product, in whole numbers, which are quicker than fractions
    for (m, w), c in ours:
        for (n, v), d in theirs:
            exponents = _monomial_product(m, n) if m and n else m or n
            for harmonic, weight in _harmonic_product(w, v):
                key = (exponents, harmonic)
                total[key] = total.get(key, 0) + c * d * weight
    below *= 2 * under
    return {key: Fraction(value, below) for key, value in total.items() if value}


def _over_common_denominator(poly: Polynomial) -> tuple[list[tuple[Key, int]], int]:
    """The terms times their common denominator, and that."""
    below = lcm(*(c.denominator for c in poly.values()))
    return [(key, c.numerator * (below // c.denominator)) for key, c in poly.items()], below


# Exact division, on Laurent monomials in the atoms and in e^{iθ} with Gaussian rational coefficients.

_Gauss = tuple[Fraction, Fraction]
_Laurent = dict[tuple[Fraction | int, ...], _Gauss]


def divide(top: Polynomial, bottom: Polynomial) -> Polynomial | None:
    """The quotient if the division is exact, else None."""
    atoms = sorted({atom for poly in (top, bottom) for m, _ in poly for atom, _ in m})
    angles = sorted({angle for poly in (top, bottom) for _, (_, k) in poly for angle, _ in k})
    rest, divisor = _laurent(top, atoms, angles), _laurent(bottom, atoms, angles)
    if not divisor:
        return None
    # Each exponent of the quotient lies in a known range; a step outside it shows that something would be left.
    low = [min(a) - min(b) for a, b in zip(zip(*rest, strict=True), zip(*divisor, strict=True), strict=True)]
    high = [max(a) - max(b) for a, b in zip(zip(*rest, strict=True), zip(*divisor, strict=True), strict=True)]
    lead = max(divisor)
    x, y = divisor[lead]
    norm = x * x + y * y
    quotient: _Laurent = {}
    while rest:
        head = max(rest)
        step = tuple(a - b for a, b in zip(head, lead, strict=True))
        if any(not lo <= s <= hi for lo, s, hi in zip(low, step, high, strict=True)):
            return None
        re, im = rest[head]
        factor = ((re * x + im * y) / norm, (im * x - re * y) / norm)
        quotient[step] = factor
        for exponents, (u, v) in divisor.items():
            key = tuple(a + b for a, b in zip(exponents, step, strict=True))
            old = rest.get(key, (Fraction(0), Fraction(0)))
            new = (old[0] - factor[0] * u + factor[1] * v, old[1] - factor[0] * v - factor[1] * u)
            if any(new):
                rest[key] = new
            else:
                rest.pop(key, None)
    return _from_laurent(quotient, atoms, angles)


def _laurent(poly: Polynomial, atoms: list[int], angles: list[int]) -> _Laurent:
    total: _Laurent = {}
    for (exponents, (phase, multiples)), c in poly.items():
        powers, turns = dict(exponents), dict(multiples)
        head = tuple(powers.get(atom, 0) for atom in atoms)
        for sign in (1, -1) if multiples else (1,):
            tail = tuple(sign * turns.get(angle, 0) for angle in angles)
            half = c / 2 if multiples else c
            part = (Fraction(0), -sign * half) if phase else (half, Fraction(0))
            old = total.get(head + tail, (Fraction(0), Fraction(0)))
            total[head + tail] = (old[0] + part[0], old[1] + part[1])
    return {key: value for key, value in total.items() if any(value)}


def _from_laurent(laurent: _Laurent, atoms: list[int], angles: list[int]) -> Polynomial:
    poly: Polynomial = {}
    for key, (re, im) in laurent.items():
        exponents = tuple((atom, int(e)) for atom, e in zip(atoms, key, strict=False) if e)
        multiples = multiples_of(dict(zip(angles, key[len(atoms) :], strict=True)))
        if not multiples:
            poly[exponents, CONSTANT] = re
        elif multiples[0][1] > 0:  # its mirror image at -k is the complex conjugate
            for phase, value in ((COS, 2 * re), (SIN, -2 * im)):
                if value:
                    poly[exponents, (phase, multiples)] = value
    return poly
