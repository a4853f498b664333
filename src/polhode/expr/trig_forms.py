"""The forms of a trigonometric polynomial: combined angles, products, and what lies between.

Each form is a list of products. Which is the shortest depends on the polynomial: cos(q1 + q2) is better combined,
cos(t3) sin(t1) sin(t2) better as a product, sin(q1) cos(q2 + q3) in part.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from math import gcd, lcm

from .polynomial import COS, SIN, Harmonic, Multiples, canonical_harmonic, combine, multiples_of
from .structure import Base, Product, Trig, total_length

TrigPolynomial = tuple[tuple[Harmonic, Fraction], ...]
Form = list[Product]
_Part = tuple[int, dict[Base, int], int]  # a coefficient, factors taken out, and the phase of the harmonic that is left

#: What may be done with one angle: left in sums, taken out as cos nθ and sin nθ, or as powers of sin θ or of cos θ.
_COMBINED, _APART, _SINES, _COSINES = range(4)
#: Above so many harmonics, angles or multiples the search for a shorter form is not worth its time.
_HARMONICS, _ANGLES, _HIGHEST = 24, 6, 6


@lru_cache(maxsize=1024)
def forms(poly: TrigPolynomial) -> dict[str, Form]:
    """The polynomial in several forms, by name; "best" is the shortest."""
    combined = [Product.of(c, _factor(harmonic)) for harmonic, c in poly]
    forms_by_name = {"combined": combined}
    angles = sorted({angle for (_, multiples), _ in poly for angle, _ in multiples})
    if 1 < len(poly) <= _HARMONICS and angles:
        forms_by_name["paired"] = _paired(combined)
        if len(angles) <= _ANGLES:
            forms_by_name["sines"] = _split(poly, dict.fromkeys(angles, _SINES))
            forms_by_name["cosines"] = _split(poly, dict.fromkeys(angles, _COSINES))
            starts = (_COMBINED, _SINES) if len(poly) <= _HARMONICS // 2 else (_SINES,)
            forms_by_name["mixed"] = min((_descend(poly, angles, start) for start in starts), key=total_length)
    forms_by_name["best"] = min(forms_by_name.values(), key=total_length)
    return forms_by_name


def _factor(harmonic: Harmonic) -> dict[Base, int]:
    return {Trig(harmonic[1], harmonic[0]): 1} if harmonic[1] else {}


def _descend(poly: TrigPolynomial, angles: list[int], start: int) -> Form:
    """Change the form of one angle at a time as long as the result gets shorter."""
    modes = dict.fromkeys(angles, start)
    best = _split(poly, modes)
    shortest = total_length(best)
    seen = {tuple(modes.values())}  # what was tried before was no shorter than what is the best by now
    improved = True
    while improved:
        improved = False
        for angle in angles:
            for mode in (_COMBINED, _APART, _SINES, _COSINES):
                tried = {**modes, angle: mode}
                key = tuple(tried.values())
                if key in seen:
                    continue
                seen.add(key)
                form = _split(poly, tried)
                if total_length(form) < shortest:
                    modes, best, shortest, improved = tried, form, total_length(form), True
    return best


def _split(poly: TrigPolynomial, modes: Mapping[int, int]) -> Form:
    """The polynomial with chosen angles taken out of the sums by the addition theorems."""
    units = {angle: _unit(poly, angle) for angle, mode in modes.items() if mode != _COMBINED}
    below = lcm(*(coefficient.denominator for _, coefficient in poly))  # integers on the way are quicker than fractions
    total: dict[frozenset[tuple[Base, int]], int] = {}
    for (phase, multiples), coefficient in poly:
        parts: list[_Part] = [(int(coefficient * below), {}, phase)]
        rest = list(multiples)
        for angle, k in multiples:
            if angle in units and (len(rest) > 1 or modes[angle] != _APART):
                rest.remove((angle, k))
                parts = _take_out(parts, angle, k, units[angle], modes[angle])
        for c, factors, left in parts:
            harmonic, sign = canonical_harmonic(left, tuple(rest))
            if sign:
                key = frozenset({**factors, **_factor(harmonic)}.items())
                total[key] = total.get(key, 0) + c * sign
    return [Product.of(Fraction(c, below), dict(factors)) for factors, c in total.items() if c]


def _take_out(parts: list[_Part], angle: int, k: Fraction | int, unit: Fraction | int, mode: int) -> list[_Part]:
    """cos(kθ + r) = cos kθ cos r - sin kθ sin r, sin(kθ + r) = sin kθ cos r + cos kθ sin r."""
    result = []
    size, turn = (k, 1) if k > 0 else (-k, -1)
    for c, factors, phase in parts:
        for kept_phase, other in ((COS, phase), (SIN, 1 - phase)):
            sign = (turn if kept_phase else 1) * (-1 if kept_phase and not phase else 1)
            for weight, powers in _own_harmonic(kept_phase, angle, size, unit, mode):
                result.append((c * (sign * weight), {**factors, **powers}, other))
    return result


@lru_cache(maxsize=4096)
def _own_harmonic(
    phase: int, angle: int, size: Fraction | int, unit: Fraction | int, mode: int
) -> tuple[tuple[int, dict[Base, int]], ...]:
    count = Fraction(size, unit)
    if mode == _APART or count.denominator != 1 or count > _HIGHEST:
        return ((1, {Trig(((angle, size),), phase): 1}),)
    cosine, sine = (Trig(multiples_of({angle: unit}), p) for p in (COS, SIN))
    powers = _multiple_angle(phase, int(count), mode == _SINES)
    return tuple((w, {base: e for base, e in ((cosine, a), (sine, b)) if e}) for (a, b), w in powers)


@lru_cache(maxsize=64)
def _multiple_angle(phase: int, count: int, sines: bool) -> tuple[tuple[tuple[int, int], int], ...]:
    """cos nθ or sin nθ in powers (a, b) of cos θ and sin θ, the even powers of one of them replaced."""
    harmonics: list[dict[tuple[int, int], int]] = [{(0, 0): 1}, {}]  # cos 0, sin 0
    for _ in range(count):
        next_harmonics: list[dict[tuple[int, int], int]] = [{}, {}]
        for source, target, a, b, sign in (
            (COS, COS, 1, 0, 1),
            (SIN, COS, 0, 1, -1),
            (COS, SIN, 0, 1, 1),
            (SIN, SIN, 1, 0, 1),
        ):
            for (i, j), c in harmonics[source].items():
                for power, weight in _reduced(i + a, j + b, sines):
                    before = next_harmonics[target].get(power, 0)
                    next_harmonics[target][power] = before + sign * weight * c
        harmonics = next_harmonics
    return tuple((power, c) for power, c in sorted(harmonics[phase].items()) if c)


def _reduced(a: int, b: int, sines: bool) -> list[tuple[tuple[int, int], int]]:
    """cos^a sin^b with cos² = 1 - sin², or with sin² = 1 - cos²."""
    if sines and a >= 2:
        return [((a - 2, b), 1), ((a - 2, b + 2), -1)]
    if not sines and b >= 2:
        return [((a, b - 2), 1), ((a + 2, b - 2), -1)]
    return [((a, b), 1)]


def _unit(poly: TrigPolynomial, angle: int) -> Fraction | int:
    """The largest angle of which all multiples of this one are whole multiples."""
    sizes = [k for (_, multiples), _ in poly for other, k in multiples if other == angle]
    above, below = gcd(*(k.numerator for k in sizes)), lcm(*(k.denominator for k in sizes))
    return above if below == 1 else Fraction(above, below)


def _paired(form: Form) -> Form:
    """Join two terms that differ in one harmonic, cos a + cos b = 2 cos((a+b)/2) cos((a-b)/2), while this shortens."""
    terms = list(form)
    while True:
        best: tuple[int, int, int, Product] | None = None
        for i, j, joined in _joinable(terms):
            gain = terms[i].length + terms[j].length + 3 - joined.length
            if gain > 0 and (best is None or gain > best[0]):
                best = gain, i, j, joined
        if best is None:
            return terms
        _, i, j, joined = best
        terms = [term for k, term in enumerate(terms) if k not in (i, j)]
        terms.append(joined)


def _joinable(terms: list[Product]) -> list[tuple[int, int, Product]]:
    shelves: dict[tuple[object, Fraction, int], list[tuple[int, Multiples, Product]]] = {}
    for k, term in enumerate(terms):
        harmonics = [base for base, e in term.factors if isinstance(base, Trig) and e > 0]
        for harmonic in (Trig((), COS), *harmonics):
            rest = term.times(Product(Fraction(1), ((harmonic, 1),)), -1) if harmonic.multiples else term
            shelf = (rest.factors, abs(rest.coefficient), harmonic.phase)
            shelves.setdefault(shelf, []).append((k, harmonic.multiples, rest))
    joinable = []
    for (_, _, phase), entries in shelves.items():
        for second, (j, b, right) in enumerate(entries):
            for i, a, left in entries[:second]:
                if i != j:
                    equal = left.coefficient == right.coefficient
                    joinable.append((i, j, _join(phase, a, b, equal, left)))
    return joinable


def _join(phase: int, a: Multiples, b: Multiples, equal: bool, rest: Product) -> Product:
    """rest · (harmonic(a) ± harmonic(b)) as a product."""
    middle, apart = _halves(a, b)
    first, second = (phase, COS) if equal else (1 - phase, SIN)
    scale = Fraction(-2 if not equal and phase == COS else 2)
    result = rest
    for kind, multiples in ((first, middle), (second, apart)):
        harmonic, sign = canonical_harmonic(kind, multiples)
        scale *= sign
        if harmonic[1]:
            result = result.times(Product(Fraction(1), ((Trig(harmonic[1], harmonic[0]), 1),)))
    return Product(result.coefficient * scale, result.factors)


@lru_cache(maxsize=4096)
def _halves(a: Multiples, b: Multiples) -> tuple[Multiples, Multiples]:
    """(a + b)/2 and (a - b)/2."""
    half = Fraction(1, 2)
    return combine(combine((), a, half), b, half), combine(combine((), a, half), b, -half)
