"""Tables 1 and 2: what vector-parameters cost beside matrices, as printed and as counted; Table 3 is `silver.ladder`.

C. Mladenova, "Group Theory in the Problems of Modeling and Control of Multi-Body Systems", section 1. The formulas of
Table 1 are run on scalars that only count, in the shortest form that we know; B is counted as printed. The Jacobians of
Table 2 are those of an arm whose offsets and twists are all symbols, planned. Totals, printed and counted, turn one
vector after composing all vector-parameters: n (c + ⟨c, c⟩) + O(c) p - ⟨c, c⟩, beside n (B + B p) by matrices.

>>> print(*table_2(6)["C, 0J_E, by vector-parameters"], sep="; ")
138 m, 129 a, 6 f; 191 m, 131 a, 6 d
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import astuple, dataclass
from typing import Any

from ...compiled.quantities import JacobianOf
from ...errors import unknown, whole_number
from ...expr import Matrix
from ...formalisms.vector_newton_euler import scaled, turned
from ...geometry.rotations.vector_parameter import VECTOR_PARAMETER, composed
from ...model.joints import Revolute
from ...model.system import System
from ..silver.counts import Tally
from ..silver.rungs import aligned


@dataclass(frozen=True)
class Cost:
    """Multiplications, additions, divisions and transcendental functions."""

    m: int
    a: int
    d: int = 0
    f: int = 0

    def plus(self, other: Cost, times: int = 1) -> Cost:
        """With so many times another one added."""
        return Cost(*(x + times * y for x, y in zip(astuple(self), astuple(other), strict=True)))

    def __str__(self) -> str:
        return ", ".join(f"{count} {letter}" for letter, count in vars(self).items() if count or letter in "ma")


class CostTable(dict[str, tuple[Cost, Cost | None]]):
    """Costs of entries, as printed and as counted; the second is None where it is not counted."""

    def __missing__(self, name: str) -> tuple[Cost, Cost | None]:
        raise unknown("entry", name, self, place="table", code="E-PAPER-NAME")

    def __str__(self) -> str:
        rows = [(name, *("–" if cost is None else str(cost) for cost in costs)) for name, costs in self.items()]
        return aligned([("", "printed", "counted"), *rows])


def counted(formula: Callable[[Tally], object]) -> Cost:
    """Operations of a formula, evaluated with scalars that only count."""
    tally = Tally()
    formula(tally)
    return Cost(tally.multiplications, tally.additions, tally.divisions, tally.functions)


def _of_euler_angles(t: Tally) -> list[Any]:
    """(71): three products with 1/cos((ψ + φ)/2)."""
    both, apart = t.scalar() + t.scalar(), t.scalar() - t.scalar()
    scale = t.scalar().function() / both.function()
    return [scale * apart.function(), scale * apart.function(), both.function()]


def _of_bryant_angles(t: Tally) -> list[Any]:
    """(74)."""
    t1, t2, t3 = (t.scalar().function() for _ in range(3))
    t12 = t1 * t2
    bottom = 1 + t12 * t3
    return [(t1 - t2 * t3) / bottom, (t2 + t1 * t3) / bottom, (t3 - t12) / bottom]


#: ⟨c, c⟩ and O(c) p; then by parameters B and B p, and c: as printed and as a formula.
_COMPOSED = Cost(10, 12), lambda t: composed(t.vector(3), t.vector(3))
_TURNED = Cost(14, 15), lambda t: turned(c := t.vector(3), scaled(c), t.vector(3))
_BP = Cost(8, 6), lambda t: t.matrix(3) @ t.vector(3)
_BP_WITH_A_ZERO = Cost(8, 8), lambda t: Matrix([*t.matrix(3)[:2], [0, *t.vector(2)]]) @ t.vector(3) + t.vector(3)
_TABLE_1: dict[str, tuple[Cost, tuple[Any, Any], tuple[Any, Any]]] = {
    "Eulerian angles": (Cost(12, 4, f=6), _BP, (Cost(3, 2, f=5), _of_euler_angles)),
    "Bryant angles": (Cost(14, 4, f=6), _BP, (Cost(5, 0, f=3), _of_bryant_angles)),
    "Eulerian parameters": (Cost(11, 10), _BP, (Cost(3, 4), lambda t: VECTOR_PARAMETER.coordinates(t.vector(4)))),
    "Denavit-Hartenberg": (
        Cost(6, 0, f=4), _BP_WITH_A_ZERO, (Cost(1, 0, f=2), lambda t: t.scalar().function() * t.scalar().function())
    ),
}  # fmt: skip


def table_1(n: int = 6) -> CostTable:
    """Table 1: an end-effector's vector in the base frame, entry by entry and in total for n joints."""
    n = whole_number(n, "one joint or more", least=1, place="table_1 n")

    def both(entry: tuple[Cost, Callable[[Tally], object]]) -> tuple[Cost, Cost]:
        return entry[0], counted(entry[1])

    pair, turn = both(_COMPOSED), both(_TURNED)
    table = CostTable({"<c, c>": pair, "O(c) p": turn})
    for name, (B, Bp, c) in _TABLE_1.items():
        table[f"{name}, B p"], table[f"{name}, c"] = product, vector = both(Bp), both(c)
        matrices = [Cost(0, 0).plus(B, n).plus(cost, n) for cost in product]
        vectors = [turn[k].plus(pair[k], n - 1).plus(vector[k], n) for k in (0, 1)]
        table[f"{name}, by matrices"] = matrices[0], matrices[1]
        table[f"{name}, by vector-parameters"] = vectors[0], vectors[1]
    return table


#: Table 2 as printed: multiplications, additions and functions by matrices and by vector-parameters, (a, b) of a n + b.
_TABLE_2 = {
    "B, 0J_0": (((30, -55), (15, -38), (2, -2)), ((24, -42), (22, -41), (1, 0))),
    "C, 0J_E": (((30, -11), (18, -20), (2, 0)), ((24, -6), (22, -3), (1, 0))),
    "D, kJ_k": (((30, -87), (15, -66), (2, -2)), ((24, -52), (22, -60), (1, 0))),
    "E, EJ_E": (((30, -25), (15, -22), (2, 0)), ((24, -26), (22, -26), (1, 0))),
    "F, EJ_E": (((30, -18), (14, -15), (2, 0)), ((24, -10), (22, -12), (1, 0))),
}


def table_2(n: int = 6) -> CostTable:
    """Table 2: Jacobians of n joints; row C is counted, with angles and with vector-parameters as coordinates."""
    n = whole_number(n, "three joints or more", least=3, place="table_2 n")
    table = CostTable()
    for row, sides in _TABLE_2.items():
        for side, storage, formulas in zip(("matrices", "vector-parameters"), ("angles", "vector"), sides, strict=True):
            m, a, f = (slope * n + offset for slope, offset in formulas)
            table[f"{row}, by {side}"] = Cost(m, a, f=f), _jacobian(n, storage) if row[0] == "C" else None
    return table


def _jacobian(n: int, storage: str) -> Cost:
    """The plan of the Jacobian of n hinges with offsets and twists of which nothing is known."""
    s = System("arm")
    body = s.ground
    for k in range(n):
        a, d, alpha = (s.parameter(f"{name}{k}") for name in ("a", "d", "alpha"))
        link = s.body(f"link {k}", 1)
        s.joint(f"q{k}", body, link, Revolute("z", storage), at=(a, 0, d), rotation=("x", alpha))
        body = link
    s.frame("tip", body, (s.parameter("a"), 0, s.parameter("d")))
    plan = s.derive("newton_euler").operations(of=JacobianOf("tip"))
    return Cost(plan.multiplications, plan.additions, plan.divisions, plan.sincos)
