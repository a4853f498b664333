"""Selection of forms: of the ways to compute a value, the one that makes the whole cheapest."""

from __future__ import annotations

import math
from collections.abc import Sequence

from .value_numbering import Form, Values

_LOG_COST = {"add": 0.0, "sub": 0.0, "mul": 0.0, "div": 2.0, "sqrt": 2.5}  # base 2
_LOG_FUNCTION_COST = 4.5


def select_forms(values: Values) -> list[Form | None]:
    """For each value the form whose whole expression, shared parts written out, is lightest.

    Weights are logarithms, for such expressions outgrow every number. They strictly fall from a value to its operands,
    so that the choice cannot be circular.
    """
    weight = [math.inf] * len(values.forms)
    for value in (*values.constants, *values.leaves):
        weight[value] = 0.0
    chosen: list[Form | None] = [None] * len(values.forms)
    changed = True
    while changed:
        changed = False
        for value, forms in enumerate(values.forms):
            if value in values.constants or value in values.leaves:
                continue
            for form in forms:
                total = _log_sum(form, weight)
                if total < weight[value]:
                    weight[value], chosen[value], changed = total, form, True
    return chosen


def _log_sum(form: Form, weight: Sequence[float]) -> float:
    """The logarithm of the form's cost and its operands' weights together, a trifle more than the heaviest."""
    parts = [_LOG_COST.get(form.op, _LOG_FUNCTION_COST), *(weight[arg] for arg, _ in form.args)]
    top = max(parts)
    if top == math.inf:
        return math.inf
    return top + math.log2(sum(2.0 ** (part - top) for part in parts)) + 1e-9
