"""The factors of an expression of sines, cosines and symbols, for display: sin(2 q) - sin(q) is -sin(q) (1 - 2 cos(q)).

With x = tan(θ/2), cos θ = (1 - x²)/(1 + x²) and sin θ = 2 x/(1 + x²), such an expression is a quotient of polynomials,
which SymPy factors over the rationals. A polynomial of degree d in x is one of half angles: sinᵐ(θ/2) cosᵈ⁻ᵐ(θ/2) for
each xᵐ. Factors of odd degree are put together until every degree is even, and half angles are gone: x and the missing
one of degree 0 make sin θ, 1 - x and 1 + x make cos θ.

What SymPy finds is kept only if the product has the fingerprint of the original.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import gcd, lcm
from typing import Any

from .angle import Angle
from .functions import cos, sin
from .graph import free_symbols, topological
from .node import ADD, DIV, MUL, NEG, NUMBER, ONE, SUB, SYMBOL, Expr, as_expr, number
from .normal_form import normal
from .reading import readings

#: Polynomials of more terms than this are not factored: it would take too long.
TERM_LIMIT = 3000
#: Nor is one brought back to angles that leaves a factor of more terms than this.
FACTOR_LIMIT = 400


@dataclass(frozen=True)
class Factors:
    """A number times powers of expressions."""

    constant: Expr
    powers: tuple[tuple[Expr, int], ...]

    @property
    def product(self) -> Expr:
        product = self.constant
        for base, exponent in self.powers:
            product = product * base**exponent
        return product

    def __str__(self) -> str:
        sign = "-" if self.constant == -1 and self.powers else ""
        parts = [] if self.constant in (1, -1) and self.powers else [f"{self.constant}"]
        for base, exponent in self.powers:
            text = f"{base}" if base.op in (SYMBOL, "sin", "cos") else f"({base})"
            parts.append(text if exponent == 1 else f"{text}**{exponent}")
        return sign + "*".join(parts)


def factors(value: Any) -> Factors:
    """The factors of an expression; itself alone if none are found or it is too long."""
    root = as_expr(value)
    if not root:
        return Factors(root, ())
    try:
        result = _Reader(root).factors()
    except _TooLarge:
        return Factors(ONE, ((root, 1),))
    return result if result.product == root else Factors(ONE, ((root, 1),))


class _TooLarge(Exception):
    """The polynomial has too many terms."""


@dataclass(frozen=True)
class _Quotient:
    top: Any
    bottom: Any


@dataclass(frozen=True)
class _Part:
    """A polynomial in all x = tan(θ/2), and of which degree in each it counts."""

    poly: Any
    degree: tuple[int, ...]

    @property
    def odd(self) -> frozenset[int]:
        """The angles in which it is of odd degree."""
        return frozenset(i for i, d in enumerate(self.degree) if d % 2)

    def __mul__(self, other: _Part) -> _Part:
        return _Part(self.poly * other.poly, tuple(a + b for a, b in zip(self.degree, other.degree, strict=True)))


@dataclass
class _Reader:
    """Reads one expression as a quotient of polynomials in C, S of each angle and in all else."""

    root: Expr
    order: list[Expr] = field(init=False)

    def __post_init__(self) -> None:
        self.order = topological([self.root])
        shares: dict[Expr, int] = {}
        for node in self.order:
            if node.op in ("sin", "cos"):
                for atom, k in Angle.of(node.args[0]).terms:
                    shares[atom] = lcm(shares.get(atom, 1), k.denominator)
        #: The angles, each divided so that all multiples of it are whole.
        self.angles = list(shares.items())
        inside = {id(part) for atom in shares for part in free_symbols([atom])}
        self.atoms: dict[int, Expr] = {}
        for node in self.order:
            opaque = node.op not in (ADD, SUB, MUL, DIV, NEG, NUMBER, "sin", "cos")
            if opaque and not (node.op == SYMBOL and id(node) in inside and not self._stands_alone(node)):
                self.atoms.setdefault(node.fp, node)

    def _stands_alone(self, symbol: Expr) -> bool:
        """Whether a symbol is used outside of sines and cosines."""
        return any(symbol in node.args for node in self.order if node.op in (ADD, SUB, MUL, DIV, NEG)) or (
            symbol is self.root
        )

    @cached_property
    def ring(self) -> tuple[Any, list[Any], list[Any], dict[int, Any]]:
        """The polynomial ring, C and S of each angle, and the generator of each atom."""
        from sympy import QQ, ring

        count = len(self.angles)
        names = [f"C{i}" for i in range(count)] + [f"S{i}" for i in range(count)]
        names += [f"a{k}" for k in range(len(self.atoms))]
        polys, *symbols = ring(names, QQ) if names else ring("unit", QQ)
        return (
            polys,
            symbols[:count],
            symbols[count : 2 * count],
            dict(zip(self.atoms, symbols[2 * count :], strict=False)),
        )

    def factors(self) -> Factors:
        read: dict[int, _Quotient] = {}
        for node in self.order:
            read[id(node)] = self._read(node, [read.get(id(arg)) for arg in node.args])
        quotient = read[id(self.root)]
        constant, powers = self._factored(quotient.top)
        below, under = self._factored(quotient.bottom)
        return Factors(as_expr(constant / below), _cancelled(powers, under))

    # ---- reading ---------------------------------------------------------------------------------------------

    def _read(self, node: Expr, args: Sequence[Any]) -> _Quotient:
        polys, _, _, atoms = self.ring
        one = polys(1)
        if node.op == NUMBER:
            return _Quotient(polys(node.data.numerator) / node.data.denominator, one)
        if node.op in ("sin", "cos"):
            return _Quotient(self._harmonic(node), one)
        if node.fp in atoms and node.op not in (ADD, SUB, MUL, DIV, NEG):
            return _Quotient(atoms[node.fp], one)
        if not node.args:
            return _Quotient(one, one)  # a symbol that is met inside of sines and cosines alone
        if node.op == NEG:
            return _Quotient(-args[0].top, args[0].bottom)
        a, b = args
        if node.op in (ADD, SUB):
            sign = 1 if node.op == ADD else -1
            if a.bottom == b.bottom:
                return _Quotient(self._reduced(a.top + sign * b.top), a.bottom)
            common = a.bottom.lcm(b.bottom)
            top = a.top * (common.exquo(a.bottom)) + sign * b.top * (common.exquo(b.bottom))
            return _Quotient(self._reduced(top), common)
        if node.op == DIV:
            b = _Quotient(b.bottom, b.top)
        return _Quotient(self._reduced(a.top * b.top), self._reduced(a.bottom * b.bottom))

    def _harmonic(self, node: Expr) -> Any:
        """The sine or cosine of Σ kθ + rπ by the addition theorems."""
        polys, C, S, _ = self.ring
        angle = Angle.of(node.args[0])
        quarters = angle.pi_part * 2
        if quarters.denominator != 1:
            raise _TooLarge
        c, s = [(1, 0), (0, 1), (-1, 0), (0, -1)][int(quarters) % 4]
        c, s = polys(c), polys(s)
        places = {atom: (i, share) for i, (atom, share) in enumerate(self.angles)}
        for atom, k in angle.terms:
            i, share = places[atom]
            turns = int(k * share)
            for _ in range(abs(turns)):
                step = S[i] if turns > 0 else -S[i]
                c, s = c * C[i] - s * step, s * C[i] + c * step
        return self._reduced(s if node.op == "sin" else c)

    def _reduced(self, poly: Any) -> Any:
        """With S² = 1 - C² put in."""
        polys, C, _, _ = self.ring
        if len(poly) > TERM_LIMIT:
            raise _TooLarge
        count = len(C)
        for i in range(count):
            if any(powers[count + i] > 1 for powers in poly):
                square = 1 - C[i] ** 2
                total = polys(0)
                for powers, value in poly.items():
                    twice, once = divmod(powers[count + i], 2)
                    kept = tuple(once if k == count + i else e for k, e in enumerate(powers))
                    total += polys({kept: value}) * square**twice
                poly = total
        return poly

    # ---- factoring -------------------------------------------------------------------------------------------

    def _factored(self, poly: Any) -> tuple[Fraction, list[tuple[Expr, int]]]:
        """A number, and expressions with their exponents."""
        from sympy import QQ, ring

        count = len(self.angles)
        if not count and not self.atoms:
            return _fraction(poly.LC), []
        names = [f"x{i}" for i in range(count)] + [f"a{k}" for k in range(len(self.atoms))]
        polys, *symbols = ring(names, QQ)
        x = symbols[:count]
        degrees = [max((p[i] + p[count + i] for p in poly), default=0) for i in range(count)]
        total = polys(0)
        for powers, value in poly.items():
            term = polys({(0,) * count + tuple(powers[2 * count :]): value})
            for i in range(count):
                a, b = powers[i], powers[count + i]
                term *= (1 - x[i] ** 2) ** a * (2 * x[i]) ** b * (1 + x[i] ** 2) ** (degrees[i] - a - b)
            total += term
            if len(total) > TERM_LIMIT:
                raise _TooLarge
        constant, parts = total.factor_list()
        if any(len(part) > FACTOR_LIMIT for part, _ in parts):
            raise _TooLarge
        missing = [2 * degrees[i] - sum(e * p.degree(x[i]) for p, e in parts) for i in range(count)]
        return self._without_half_angles(polys, x, _fraction(constant), parts, missing)

    def _without_half_angles(
        self, polys: Any, x: Sequence[Any], constant: Fraction, factors: Iterable[tuple[Any, int]], missing: list[int]
    ) -> tuple[Fraction, list[tuple[Expr, int]]]:
        """Factors put together until all their degrees are even; a missing degree is a factor cos(θ/2)."""
        parts = [_Part(poly, tuple(poly.degree(symbol) for symbol in x)) for poly, e in factors for _ in range(e)]
        for i, count in enumerate(missing):
            parts += [_Part(polys(1), tuple(int(k == i) for k in range(len(x))))] * count
        while any(part.odd for part in parts):
            pairs = [
                (one, two)
                for two in range(len(parts))
                for one in range(two)
                if parts[one].odd & parts[two].odd  # angles that need each other
            ]
            one, two = min(pairs, key=lambda pair: self._length(parts[pair[0]] * parts[pair[1]]))
            parts[one] = parts[one] * parts.pop(two)
        powers: dict[Expr, int] = {}
        for part in parts:
            scale, base = _without_scale(self._expression(part))
            constant *= scale
            if base.op != NUMBER:
                powers[base] = powers.get(base, 0) + 1
        return constant, list(powers.items())

    def _length(self, part: _Part) -> tuple[bool, int]:
        """The printed length of a product of two factors; half angles that remain sort last."""
        return bool(part.odd), len(part.poly) if part.odd else len(str(_without_scale(self._expression(part))[1]))

    def _expression(self, part: _Part) -> Expr:
        """Σ of products of sinᵐ(θ/2) cosᵈ⁻ᵐ(θ/2) and atoms, d even, in whole angles."""
        total: Expr = number(0)
        atoms = list(self.atoms.values())
        for powers, value in part.poly.items():
            term: Expr = number(_fraction(value))
            for atom, e in zip(atoms, powers[len(self.angles) :], strict=True):
                term = term * atom**e if e else term
            for (base, share), m, d in zip(self.angles, powers, part.degree, strict=False):
                term = term * _half_angles(base / share, m, d)
            total = total + term
        return normal(total)


def _half_angles(angle: Expr, m: int, d: int) -> Expr:
    """sinᵐ(θ/2) cosᵈ⁻ᵐ(θ/2) for even d."""
    odd, half = m % 2, m // 2
    power = (sin(angle) / 2) ** odd * ((1 - cos(angle)) / 2) ** half * ((1 + cos(angle)) / 2) ** (d // 2 - half - odd)
    return as_expr(power)


def _without_scale(value: Expr) -> tuple[Fraction, Expr]:
    """A number, and an expression without numeric factor and with as few signs as it can have."""
    scale = Fraction(1)
    while True:
        if value.op == NUMBER:
            return scale * value.data, ONE
        if value.op == NEG:
            scale, value = -scale, value.args[0]
        elif value.op == DIV and value.args[1].op == NUMBER:
            scale, value = scale / value.args[1].data, value.args[0]
        elif value.op == MUL and value.args[0].op == NUMBER:
            scale, value = scale * value.args[0].data, value.args[1]
        else:
            break
    if value.op in (ADD, SUB):
        sizes = [term.coefficient for term in readings(topological([value]))[id(value)]]
        content = Fraction(gcd(*(c.numerator for c in sizes)), lcm(*(c.denominator for c in sizes)))
        if content != 1:
            scale, value = scale * content, normal(value / content)
    turned = normal(-value)
    return (-scale, turned) if len(str(turned)) < len(str(value)) else (scale, value)


def _fraction(value: Any) -> Fraction:
    return Fraction(int(value.numerator), int(value.denominator))


def _cancelled(top: Iterable[tuple[Expr, int]], bottom: Iterable[tuple[Expr, int]]) -> tuple[tuple[Expr, int], ...]:
    powers: dict[Expr, int] = dict(top)
    for base, e in bottom:
        powers[base] = powers.get(base, 0) - e
    return _ordered({base: e for base, e in powers.items() if e})


def _ordered(powers: Mapping[Expr, int]) -> tuple[tuple[Expr, int], ...]:
    """Symbols first, then short factors."""
    return tuple(sorted(powers.items(), key=lambda entry: (entry[0].op != SYMBOL, len(str(entry[0])), str(entry[0]))))
