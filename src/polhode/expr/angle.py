"""Angles as elements of the circle: what gives sines and cosines exact fingerprints.

An angle is read as a rational combination Σ rᵢ·θᵢ + r·π of atoms θᵢ (symbols, products, the radian 1). Each atom
has a fixed pseudo-random element wᵢ of the field for θᵢ/N, with N = `ANGLE_DENOMINATOR`; the angle's turn is

    z = e^{iθ} = Π wᵢ^(rᵢ N) · e^{iπr},    cos θ = (z + 1/z)/2,    sin θ = (z - 1/z)/2i,

so addition theorems, multiple and half angles and cos² + sin² = 1 hold in the field.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from .field import IMAGINARY, P, hash_to_field, inverse, power_of_turn, turn_of_pi
from .node import ADD, MUL, NEG, NUMBER, ONE, SUB, ZERO, Expr, add, mul, number

_HALF = inverse(2)
_HALF_OVER_I = inverse(2 * IMAGINARY % P)


@dataclass(frozen=True)
class Angle:
    """A rational combination of atoms, in order of appearance, and a multiple of π."""

    terms: tuple[tuple[Expr, Fraction], ...]
    pi_part: Fraction

    @staticmethod
    def of(x: Expr) -> Angle:
        """Read an expression as an angle."""
        terms: dict[Expr, Fraction] = {}
        pi_part = Fraction(0)
        stack = [(x, Fraction(1))]
        while stack:
            node, factor = stack.pop()
            op = node.op
            if op == ADD:
                stack += [(node.args[1], factor), (node.args[0], factor)]
            elif op == SUB:
                stack += [(node.args[1], -factor), (node.args[0], factor)]
            elif op == NEG:
                stack.append((node.args[0], -factor))
            elif op == MUL and node.args[0].op == NUMBER:
                stack.append((node.args[1], factor * node.args[0].data))
            elif op == "pi":
                pi_part += factor
            elif op == NUMBER:
                terms[ONE] = terms.get(ONE, Fraction(0)) + factor * node.data
            else:
                scale = _numeric_factor(node)
                atom = node if scale == 1 else mul(number(1 / scale), node)
                terms[atom] = terms.get(atom, Fraction(0)) + factor * scale
        return Angle(tuple((atom, factor) for atom, factor in terms.items() if factor), pi_part)

    @property
    def is_pi_multiple(self) -> bool:
        return not self.terms

    def __neg__(self) -> Angle:
        return Angle(tuple((atom, -factor) for atom, factor in self.terms), -self.pi_part)

    def without_pi(self) -> tuple[Expr, Angle]:
        """The same angle less its multiple of π, as an expression and as an angle."""
        total = ZERO
        for atom, factor in self.terms:
            total = add(total, mul(number(factor), atom))
        return total, Angle(self.terms, Fraction(0))

    def fingerprints(self) -> tuple[int, int]:
        """The fingerprints of cosine and sine."""
        key = tuple(sorted((atom.fp, factor) for atom, factor in self.terms))
        return _fingerprints(key, self.pi_part)


def _numeric_factor(node: Expr) -> Fraction:
    """The number that a product has as a factor somewhere inside, as (2 x) y has 2."""
    scale = Fraction(1)
    stack = [node]
    while stack:
        part = stack.pop()
        if part.op == MUL:
            stack += part.args
        elif part.op == NUMBER:
            scale *= part.data
    return scale


@lru_cache(maxsize=65536)
def _fingerprints(terms: tuple[tuple[int, Fraction], ...], pi_part: Fraction) -> tuple[int, int]:
    z = _turn("pi", pi_part, turn_of_pi(pi_part)) if pi_part else 1
    for fp, factor in terms:
        base = hash_to_field("angle", fp)
        z = z * _turn(fp, factor, power_of_turn(base, factor)) % P
    back = inverse(z)
    return (z + back) * _HALF % P, (z - back) * _HALF_OVER_I % P


def _turn(atom: object, factor: Fraction, exact: int | None) -> int:
    """The exact turn, or for a factor that is too exotic a fixed pseudo-random one."""
    if exact is not None:
        return exact
    odd = hash_to_field("exotic angle", atom, abs(factor))
    return odd if factor > 0 else inverse(odd)
