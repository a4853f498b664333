"""C. Mladenova's Table 3: the operations of inverse dynamics for an arm of n joints, as printed.

For n = 6 the table prints 37823 and 39462 for row A and 3256 for row B, less than its own leading terms come to; those
numbers are left out (see docs/errata.md).
"""

from __future__ import annotations

from dataclasses import dataclass

from ...errors import PolhodeError
from .formula import Formula


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
        raise PolhodeError(
            f"the ladder has no formalism {formalism!r}.",
            cure=f"Choose one of {', '.join(FORMALISMS)}.",
            code="E-LADDER-001",
        )
    return formalism
