"""C. Mladenova's Table 3: the operations of inverse dynamics for an arm of n joints, as printed.

For n = 6 the table prints 37823 and 39462 for row A and 3256 for row B, less than its own leading terms come to; those
numbers are left out (see docs/errata.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from ...errors import unknown

_FRACTIONS = {Fraction(0): "", Fraction(1, 2): "½", Fraction(1, 3): "⅓", Fraction(2, 3): "⅔", Fraction(1, 4): "¼"}
_FRACTIONS |= {Fraction(3, 4): "¾", Fraction(1, 6): "⅙", Fraction(5, 6): "⅚"}
_POWERS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Formula:
    """A count as a polynomial in the number n of joints; not `whole` where only the leading term is known."""

    coefficients: tuple[Fraction, ...]  # highest power first
    whole: bool = True

    @staticmethod
    def of(*coefficients: Any) -> Formula:
        return Formula(tuple(map(Fraction, coefficients)))

    @staticmethod
    def leading_term(leading: Any, degree: int) -> Formula:
        return Formula((Fraction(leading), *[Fraction(0)] * degree), whole=False)

    @property
    def degree(self) -> int:
        return len(self.coefficients) - 1

    @property
    def leading(self) -> Fraction:
        return self.coefficients[0]

    def at(self, n: int) -> int | None:
        """Its value, where all of it is known."""
        total = Fraction(0)
        for coefficient in self.coefficients:
            total = total * n + coefficient
        return int(total) if self.whole else None

    def __str__(self) -> str:
        text = ""
        for power, coefficient in zip(range(self.degree, -1, -1), self.coefficients, strict=True):
            if coefficient:
                sign = " - " if coefficient < 0 else " + "
                text += f"{sign}{_mixed(abs(coefficient))}{_power(power)}"
        return text.removeprefix(" + ") + ("" if self.whole else " + …")


def _mixed(number: Fraction) -> str:
    """A number as tables print it: 32½, 86⅔."""
    whole, rest = divmod(number, 1)
    return f"{whole or ''}{_FRACTIONS[rest]}" if rest in _FRACTIONS else f"({number})"


def _power(exponent: int) -> str:
    return "" if exponent == 0 else "n" if exponent == 1 else f"n{str(exponent).translate(_POWERS)}"


def fitted(counts: Sequence[int]) -> Formula | None:
    """The polynomial of lowest degree through the last of the counts for n = 1, 2, …, and one more to prove it."""
    differences = list(counts)
    for degree in range(len(counts) - 1):
        if differences[-1] == differences[-2]:
            return _through(range(len(counts) - degree, len(counts) + 1), counts[len(counts) - degree - 1 :])
        differences = [after - before for before, after in pairwise(differences)]
    return None


def _through(nodes: Sequence[int], values: Sequence[int]) -> Formula:
    """Lagrange's polynomial through some points."""
    total = [Fraction(0)] * len(nodes)
    for node, value in zip(nodes, values, strict=True):
        basis = [Fraction(value)]
        for other in nodes:
            if other != node:  # times (n - other)/(node - other)
                shifted = [*basis, Fraction(0)]
                basis = [(x - other * y) / (node - other) for x, y in zip(shifted, [Fraction(0), *basis], strict=True)]
        total = [x + y for x, y in zip(total, basis, strict=True)]
    return Formula(tuple(total))


@dataclass(frozen=True)
class Method:
    """A row of Table 3, and the formalism that computes it, if there is one here."""

    letter: str
    authors: str
    formalism: str | None
    multiplications: Formula | None
    additions: Formula | None


#: Mladenova's Table 3. The multiplications of rows D and E, printed in each other's place, are put right.
TABLE_3 = (
    Method("A", "Uicker, Kahn", "uicker_kahn", Formula.leading_term("65/2", 4), Formula.leading_term(25, 4)),
    Method("B", "Waters", None, Formula.leading_term("213/2", 2), Formula.leading_term(82, 2)),
    Method("C", "Hollerbach, 4×4", "hollerbach_4x4", Formula.of(830, -592), Formula.of(675, -464)),
    Method("C", "Hollerbach, 3×3", "hollerbach_3x3", Formula.of(412, -277), Formula.of(320, -201)),
    Method("D", "Luh, Armstrong; Silver", "silver", Formula.of(150, -48), Formula.of(131, -48)),
    Method("E", "Orin, McGhee, Vukobratović", None, Formula.of(137, -22), Formula.of(101, -11)),
    Method("F", "Nakamura", None, Formula.of(133, -17), Formula.of(106, -19)),
    Method("G", "Mladenova", None, Formula.of(138, -53), Formula.of(143, -66)),
)

#: What polhode derives with: row D with second moments of mass in place of inertias about mass centres.
OURS = Method("", "Newton-Euler, second moments", "newton_euler", None, None)

#: The formalisms of the ladder, from the oldest.
FORMALISMS = tuple(method.formalism for method in (*TABLE_3, OURS) if method.formalism is not None)


def known(formalism: str) -> str:
    """The name of a formalism of the ladder, or an error."""
    if formalism not in FORMALISMS:
        raise unknown("formalism", formalism, FORMALISMS, place="ladder", code="E-PAPER-NAME")
    return formalism
