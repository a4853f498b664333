"""Whether constraints can hold where a mechanism is: a disc fits its curve, a wheel stands as it was said to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..dynamics.equations import EquationsOfMotion
from ..expr import Expr, as_expr, evaluate, substitute
from ..model.constraints.protocol import Constraint, Fault


def fault_of(
    equations: EquationsOfMotion, constraints: Iterable[Constraint], known: Mapping[Expr, float]
) -> Fault | None:
    """What is wrong with the first of these constraints that cannot hold where it is; `known` has all values."""

    def number(value: Any) -> float:
        return evaluate(substitute([as_expr(value)], equations.tree.followed), known)[0]

    for constraint in constraints:
        if all(q in known for q in constraint.coordinates):
            found = constraint.fault(number)
            if found is not None:
                return found
    return None
