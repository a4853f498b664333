"""The shapes of a uniform beam: normal modes with the interfaces held, and static attachment shapes.

All are piecewise polynomials of ξ = x/L with rational coefficients that satisfy the end conditions exactly. Bending has
two fields, the displacement w and the slope of the section ψ (in units of dw/dξ):

    stiffness  ∫ ψ'² + (w' - ψ)²/s dξ,   s = EI/(GA L²)        mass  ∫ w² + r² ψ² dξ,   r = gyration/L

With s = 0 (Euler and Bernoulli) ψ is w'. A rod, axial or torsional, has one field u: stiffness ∫ u'², mass ∫ u².

Normal modes are found by Galerkin's method in Legendre polynomials combined so that each satisfies the end conditions
(J. Shen, 1994), by numbers; they are rounded to rationals and made orthogonal to each other in the mass exactly. An
interface (Craig and Bampton, 1968) is held in the normal modes, and so parts the beam into spans; each of its
displacements and rotations has a static shape, which is 1 there and 0 at the other interfaces. Static shapes under the
distributed loads 1, ξ, ξ², … hold the interfaces; of them only what normal modes lack is kept.

Piecewise polynomials of ξ in [0, 1] with rational coefficients, and exact integrals of their products.

A polynomial is its coefficients of 1, ξ, ξ², …; a `Field` has one polynomial for each piece between breaks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import frexp, lcm

Polynomial = tuple[Fraction, ...]
Field = tuple[Polynomial, ...]


def plus(a: Polynomial, b: Polynomial, factor: Fraction | int = 1) -> Polynomial:
    """a + factor b."""
    size, zero = max(len(a), len(b)), Fraction(0)
    return tuple((a[k] if k < len(a) else zero) + (factor * b[k] if k < len(b) else zero) for k in range(size))


def times(a: Polynomial, b: Polynomial) -> Polynomial:
    """The product."""
    result = [Fraction(0)] * max(len(a) + len(b) - 1, 0)
    for i, left in enumerate(a):
        for j, right in enumerate(b):
            result[i + j] += left * right
    return tuple(result)


def slope(a: Polynomial) -> Polynomial:
    """The derivative."""
    return tuple(k * c for k, c in enumerate(a))[1:]


def primitive(a: Polynomial) -> Polynomial:
    """The integral from 0."""
    return (Fraction(0), *(c / (k + 1) for k, c in enumerate(a))) if a else ()


def value(a: Polynomial, at: Fraction | int) -> Fraction:
    """The value at a point."""
    result = Fraction(0)
    for c in reversed(a):
        result = result * at + c
    return result


def composed(a: Polynomial, shift: Fraction, factor: Fraction) -> Polynomial:
    """a(factor (ξ - shift)) as a polynomial of ξ."""
    inner = (-factor * shift, factor)
    result: Polynomial = ()
    for c in reversed(a):
        result = plus(times(result, inner), (c,))
    return result


def value_in_field(field: Field, breaks: Sequence[Fraction], at: Fraction) -> Fraction:
    """The value of a piecewise polynomial at a point; where pieces meet, of the piece before."""
    piece = next(k for k, end in enumerate(breaks[1:]) if at <= end)
    return value(field[piece], at)


def gram(fields: Sequence[Field], breaks: Sequence[Fraction]) -> list[list[Fraction]]:
    """∫ f_i f_j dξ for each two fields, in whole numbers over one denominator a piece."""
    n = len(fields)
    result = [[Fraction(0)] * n for _ in range(n)]
    for piece, (start, end) in enumerate(pairwise(breaks)):
        rows = [_over_common_denominator(field[piece]) for field in fields]
        length = 2 * max((len(row) for row, _ in rows), default=0)
        powers, scale = _over_common_denominator([(end ** (k + 1) - start ** (k + 1)) / (k + 1) for k in range(length)])
        for j, (right, below) in enumerate(rows):
            moments = [sum(c * powers[i + k] for k, c in enumerate(right) if c) for i in range(length // 2)]
            for i, (left, under) in enumerate(rows[: j + 1]):
                total = sum(c * moments[k] for k, c in enumerate(left) if c)
                if total:
                    result[i][j] += Fraction(total, under * below * scale)
    for j in range(n):
        for i in range(j):
            result[j][i] = result[i][j]
    return result


def _over_common_denominator(coefficients: Sequence[Fraction]) -> tuple[list[int], int]:
    """Numerators over a common denominator, and that denominator."""
    below = lcm(*(c.denominator for c in coefficients)) if coefficients else 1
    return [c.numerator * (below // c.denominator) for c in coefficients], below


def legendre(count: int) -> list[Polynomial]:
    """The first Legendre polynomials on [0, 1], each 1 at 1."""
    result: list[Polynomial] = [(Fraction(1),), (Fraction(-1), Fraction(2))]
    for k in range(1, count - 1):  # (k + 1) P_(k+1) = (2 k + 1) (2 ξ - 1) P_k - k P_(k-1)
        grown = tuple(Fraction(2 * k + 1, k + 1) * c for c in times(result[1], result[k]))
        result.append(plus(grown, result[k - 1], Fraction(-k, k + 1)))
    return result[:count]


def solved(matrix: Sequence[Sequence[Fraction]], right: Sequence[Fraction]) -> list[Fraction]:
    """The solution of a small regular system, exactly."""
    rows = [[*row, last] for row, last in zip(matrix, right, strict=True)]
    for k in range(len(rows)):
        pivot = next(i for i in range(k, len(rows)) if rows[i][k])
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [entry / rows[k][k] for entry in rows[k]]
        for i in range(len(rows)):
            if i != k and rows[i][k]:
                rows[i] = [a - rows[i][k] * b for a, b in zip(rows[i], rows[k], strict=True)]
    return [row[-1] for row in rows]


UNIT = (Fraction(0), Fraction(1))
#: What an end holds of a bending beam: its displacement w, its slope ψ.
HELD = {"clamped": "wψ", "pinned": "w", "sliding": "ψ", "free": ""}
_ONE: Polynomial = (Fraction(1),)
_XI: Polynomial = (Fraction(0), Fraction(1))
#: Coefficients of modes are rounded to this many binary digits, in a basis of unit energy.
_DIGITS = 24

Pair = tuple[Polynomial, Polynomial]  # w and ψ of bending; u and nothing of a rod


@dataclass(frozen=True)
class Shape:
    """Displacement and slope of ξ, piecewise; a static shape has its interface and the `quantity` that is 1 there."""

    displacement: Field
    slope: Field
    station: Fraction | None = None
    quantity: str = ""

    @property
    def is_normal(self) -> bool:
        """Whether it is a normal mode."""
        return not self.quantity

    def plus(self, other: Shape, factor: Fraction) -> Shape:
        """The shape with so much of another added."""
        moved, turned = (
            tuple(plus(a, b, factor) for a, b in zip(mine, theirs, strict=True))
            for mine, theirs in ((self.displacement, other.displacement), (self.slope, other.slope))
        )
        return replace(self, displacement=moved, slope=turned)

    @property
    def shear_angle(self) -> Field:
        """w' - ψ."""
        return tuple(plus(slope(w), psi, -1) for w, psi in zip(self.displacement, self.slope, strict=True))


@dataclass(frozen=True)
class Line:
    """A beam in one deformation: a rod, or bending with s = EI/(GA L²) and r² = (gyration/L)²; its two ends."""

    ends: tuple[str, str]
    is_rod: bool = False
    shear: Fraction = Fraction(0)
    rotary: Fraction = Fraction(0)

    def held(self, end: int) -> str:
        """Quantities that the end 0 or 1 holds: "w" and "ψ", of a rod "u"."""
        if self.is_rod:
            return "u" if self.ends[end] == "clamped" or (end == 0 and self.ends[0] != "free") else ""
        return HELD[self.ends[end]]

    @property
    def rigid(self) -> list[Pair]:
        """The rigid displacements that the ends allow."""
        first, last = self.held(0), self.held(1)
        if self.is_rod:
            return [] if first or last else [(_ONE, ())]
        if "w" in first and "w" in last:
            return []
        turn = "ψ" not in first + last
        if "w" in first or "w" in last:
            return [(plus(_XI, _ONE, 0 if "w" in first else -1), _ONE)] if turn else []
        return [(_ONE, ()), (_XI, _ONE)] if turn else [(_ONE, ())]

    # ---- normal modes --------------------------------------------------------------------------------------------

    def normal_modes(self, count: int, stations: tuple[Fraction, ...]) -> tuple[Shape, ...]:
        """The `count` lowest modes with the stations held."""
        return _normal_modes(self, count, stations)

    def _normal_modes(self, count: int, stations: tuple[Fraction, ...]) -> tuple[Shape, ...]:
        breaks = [Fraction(0), *sorted(x for x in stations if 0 < x < 1), Fraction(1)]
        ends = [self.ends[0], *["clamped"] * (len(breaks) - 2), "clamped" if 1 in stations else self.ends[1]]
        candidates: list[tuple[float, int, Pair]] = []
        for piece, (start, end) in enumerate(pairwise(breaks)):
            h = end - start
            ratios = self.shear / h**2, self.rotary / h**2
            span = Line((ends[piece], ends[piece + 1]), self.is_rod, *ratios)
            for load, (w, psi) in span._modes_of_span(count):
                moved = composed(w, start, 1 / h), composed(psi, start, 1 / h)
                turned = slope(moved[0]) if not self.shear else tuple(c / h for c in moved[1])
                candidates.append((load / float(h) ** (2 if self.is_rod else 4), piece, (moved[0], turned)))
        candidates.sort(key=lambda candidate: candidate[:2])
        result = []
        for _, piece, pair in candidates[:count]:
            fields = [tuple(p if k == piece else () for k in range(len(ends) - 1)) for p in pair]
            result.append(Shape(fields[0], () if self.is_rod else fields[1]))
        return tuple(result)

    def _modes_of_span(self, count: int) -> list[tuple[float, Pair]]:
        """The lowest modes of one span with their eigenvalues, the span being [0, 1]."""
        import numpy as np
        from scipy.linalg import eigh

        basis = self._basis(2 * count + 10)
        mass = self._mass(basis)
        for rigid in self.rigid:
            basis, mass = self._without(rigid, basis)
        energy = self._energy(basis)
        units = [Fraction(2) ** -(frexp(float(energy[k][k]))[1] // 2) for k in range(len(basis))]
        scale = np.array(units, dtype=float)
        M, K = (np.array(matrix, dtype=float) * np.outer(scale, scale) for matrix in (mass, energy))
        compliances, vectors = eigh(M, K)  # of the lowest modes the largest, and so the most exact
        sampled = np.array([[value(w, Fraction(k, 64)) for w, _ in basis] for k in range(65)], dtype=float) * scale
        orthogonal: list[tuple[list[Fraction], Fraction]] = []
        result: list[tuple[float, Pair]] = []
        for number in range(1, count + 1):
            heights = sampled @ vectors[:, -number]
            peak = heights[-1] if abs(heights[-1]) > 0.2 * abs(heights).max() else heights[abs(heights).argmax()]
            numbers = vectors[:, -number] / peak
            step = Fraction(2) ** (frexp(abs(numbers).max())[1] - _DIGITS)
            exact = [round(Fraction(c) / step) * step * unit for c, unit in zip(numbers, units, strict=True)]
            for before, square in orthogonal:
                share = _product(mass, before, exact) / square
                exact = [a - share * b for a, b in zip(exact, before, strict=True)]
            orthogonal.append((exact, _product(mass, exact, exact)))
            result.append((1 / float(compliances[-number]), _combined(exact, basis)))
        return result

    def _basis(self, count: int) -> list[Pair]:
        """Independent fields that satisfy the end conditions."""
        first, last = self.held(0), self.held(1)
        if self.is_rod:
            return [(u, ()) for u in _satisfying([(end, 0) for end in (0, 1) if (first, last)[end]], count)]
        at = [(end, name) for end, names in enumerate((first, last)) for name in names]
        if not self.shear:
            return [(w, slope(w)) for w in _satisfying([(end, int(name == "ψ")) for end, name in at], count)]
        deflected = _satisfying([(end, 0) for end, name in at if name == "w"], count)
        turned = _satisfying([(end, 0) for end, name in at if name == "ψ"], count)
        return [*((w, ()) for w in deflected), *(((), psi) for psi in turned)]

    def _without(self, rigid: Pair, basis: list[Pair]) -> tuple[list[Pair], list[list[Fraction]]]:
        """The basis, orthogonal in the mass to a rigid displacement, without one dependent member."""
        mass = self._mass([rigid, *basis])
        shares = [-entry / mass[0][0] for entry in mass[0][1:]]
        kept = [_combined([Fraction(1), share], [pair, rigid]) for share, pair in zip(shares, basis, strict=True)]
        del kept[next(k for k, share in enumerate(shares) if share)]
        return kept, self._mass(kept)

    def _mass(self, basis: Sequence[Pair]) -> list[list[Fraction]]:
        return _sum(gram([(w,) for w, _ in basis], UNIT), gram([(psi,) for _, psi in basis], UNIT), self.rotary)

    def _energy(self, basis: Sequence[Pair]) -> list[list[Fraction]]:
        if self.is_rod:
            return gram([(slope(u),) for u, _ in basis], UNIT)
        bent = gram([(slope(psi),) for _, psi in basis], UNIT)
        if not self.shear:
            return bent
        return _sum(bent, gram([(plus(slope(w), psi, -1),) for w, psi in basis], UNIT), 1 / self.shear)

    # ---- static shapes -------------------------------------------------------------------------------------------

    def static_shapes(self, station: Fraction, stations: Sequence[Fraction]) -> list[Shape]:
        """A shape for each displacement and rotation of a station that the ends leave free; the other stations held."""
        free = [name for name in ("u" if self.is_rod else "wψ") if not (station == 1 and name in self.held(1))]
        return [self._static(station, name, stations) for name in free]

    def load_shapes(self, count: int, normal: Sequence[Shape], stations: Sequence[Fraction]) -> list[Shape]:
        """Static shapes under the loads 1, ξ, … with the stations held, nearly orthogonal in the mass to the others."""
        breaks, before = [Fraction(0), *sorted(x for x in stations if 0 < x < 1), Fraction(1)], list(normal)
        for power in range(count):
            shape = self._static(None, "p", stations, (Fraction(0),) * power + _ONE)
            for _ in range(2):  # Gram and Schmidt, twice
                for other in before:
                    share = self._inner(shape, other, breaks) / self._inner(other, other, breaks)
                    shape = shape.plus(other, -Fraction(round(share * 2**48), 2**48))
                size = frexp(float(self._inner(shape, shape, breaks)))[1] // 2
                shape = shape.plus(shape, Fraction(2) ** -size - 1)
            before.append(shape)
        return before[len(normal) :]

    def _inner(self, a: Shape, b: Shape, breaks: Sequence[Fraction]) -> Fraction:
        moved = gram([a.displacement, b.displacement], breaks)[0][1]
        return moved + self.rotary * gram([a.slope, b.slope], breaks)[0][1] if self.rotary else moved

    def _static(
        self, station: Fraction | None, quantity: str, stations: Sequence[Fraction], load: Polynomial = ()
    ) -> Shape:
        """The shape with the quantity 1 at a station, or under a load, w'''' = p, of a rod u'' = -p; all else held."""
        breaks = [Fraction(0), *sorted(x for x in stations if 0 < x < 1), Fraction(1)]
        pieces: list[Pair] = []
        bent_by = primitive(primitive(primitive(load)))
        loaded = (primitive(plus(bent_by, slope(slope(bent_by)), -self.shear)), bent_by)
        if self.is_rod:
            loaded = (plus((), primitive(primitive(load)), -1), ())
        for start, end in pairwise(breaks):
            basis: list[Pair] = [(_ONE, ()), (_XI, ())]
            if not self.is_rod:  # ψ = 1, ξ, ξ² and w' = ψ - s ψ''
                bent = [tuple([Fraction(0)] * k + [Fraction(1)]) for k in range(3)]
                basis = [(_ONE, ()), *((primitive(plus(p, slope(slope(p)), -self.shear)), p) for p in bent)]
            rows, right = [], []
            for at, side in ((start, 0), (end, 1)):
                prescribed = self.held(side) if at in UNIT and at not in stations else "wψu"
                for name in "u" if self.is_rod else "wψ":
                    rows.append([_condition(pair, name, at, name in prescribed, self.is_rod) for pair in basis])
                    unit = Fraction(int(at == station and name == quantity))
                    right.append(unit - _condition(loaded, name, at, name in prescribed, self.is_rod))
            pieces.append(_combined([*solved(rows, right), Fraction(1)], [*basis, loaded]))
        w, psi = zip(*pieces, strict=True)
        return Shape(w, () if self.is_rod else psi, station, quantity)

    # ---- the frame -----------------------------------------------------------------------------------------------

    def in_frame(self, shape: Shape, frame: str, breaks: Sequence[Fraction]) -> Shape:
        """The shape less the rigid displacement of the chord, or of the linearised mean axes (Buckens)."""
        if frame == "tangent":
            return shape
        w0, w1 = (value_in_field(shape.displacement, breaks, x) for x in UNIT)
        offset, turn = w0, Fraction(0) if self.is_rod else w1 - w0
        if frame == "mean":
            pieces = len(breaks) - 1
            moments = gram([(_ONE,) * pieces, (_XI,) * pieces, shape.displacement], breaks)[2]
            turn = Fraction(0) if self.is_rod else 12 * moments[1] - 6 * moments[0]
            offset = moments[0] - turn / 2
        line = (-offset, -turn)
        tilted = tuple(plus(psi, (-turn,)) for psi in shape.slope)
        return Shape(tuple(plus(w, line) for w in shape.displacement), tilted, shape.station, shape.quantity)


@cache
def _normal_modes(line: Line, count: int, stations: tuple[Fraction, ...]) -> tuple[Shape, ...]:
    return line._normal_modes(count, stations)


def _combined(factors: Sequence[Fraction], basis: Sequence[Pair]) -> Pair:
    w: Polynomial = ()
    psi: Polynomial = ()
    for factor, pair in zip(factors, basis, strict=True):
        w, psi = plus(w, pair[0], factor), plus(psi, pair[1], factor)
    return w, psi


def _satisfying(conditions: Sequence[tuple[int, int]], count: int) -> list[Polynomial]:
    """Legendre polynomials P_k + Σ c_j P_(k+j) whose derivatives of an order vanish at an end, for each condition."""
    size = len(conditions)
    P = legendre(count + size)
    row = [[value(slope(p) if order else p, end) for end, order in conditions] for p in P]
    result: list[Polynomial] = []
    for k in range(count):
        matrix = [[row[k + j][c] for j in range(1, size + 1)] for c in range(size)]
        factors = [Fraction(1), *solved(matrix, [-entry for entry in row[k]])]
        result.append(_combined(factors, [(p, ()) for p in P[k : k + size + 1]])[0])
    return result


def _condition(pair: Pair, name: str, at: Fraction, prescribed: bool, is_rod: bool) -> Fraction:
    """The quantity at a point, or where it is free the force or moment that then vanishes there."""
    w, psi = pair
    if name == "ψ":
        return value(psi if prescribed else slope(psi), at)
    if prescribed:
        return value(w, at)
    return value(slope(w) if is_rod else slope(slope(psi)), at)


def _product(matrix: Sequence[Sequence[Fraction]], a: Sequence[Fraction], b: Sequence[Fraction]) -> Fraction:
    """aᵀ M b."""
    rows = (sum((entry * y for entry, y in zip(row, b, strict=True)), Fraction(0)) for row in matrix)
    return sum((x * row for x, row in zip(a, rows, strict=True)), Fraction(0))


def _sum(a: list[list[Fraction]], b: list[list[Fraction]], factor: Fraction) -> list[list[Fraction]]:
    if not factor:
        return a
    return [[x + factor * y for x, y in zip(row, other, strict=True)] for row, other in zip(a, b, strict=True)]
