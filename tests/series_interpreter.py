"""The slow reference interpreter of series: one order after the other, one slot after the other, on plain floats."""

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from polhode.codegen.ir.calls import on_floats
from polhode.codegen.ir.ops import MEANING
from polhode.codegen.taylor.recurrences import SeriesProgram


def coefficients(
    series: SeriesProgram, inputs: Mapping[str, Sequence[float]], order: int, parameters: Sequence[float] = ()
) -> npt.NDArray[np.float64]:
    """The Taylor coefficients (order + 1, n) of the state along the motion x' = f(t, x) through a point.

    >>> from polhode.codegen.plan import plan
    >>> from polhode.codegen.taylor.recurrences import series_program
    >>> from polhode.expr import symbols
    >>> (x,) = symbols("x")
    >>> grows = series_program(plan("state_rates", [("x", [x])], [("xdot", (1,), [x * x])]))
    >>> coefficients(grows, {"x": [2.0]}, 3).ravel().tolist()  # 2/(1 - 2t)
    [2.0, 4.0, 8.0, 16.0]
    """
    program = series.program
    meaning = {**MEANING, **on_floats(program)}
    first = [*program.constants, *(value for array in program.arrays for value in inputs[array.name]), *parameters]
    for step in program.setup + program.run:
        first.append(meaning[step.op](*(first[arg] for arg in step.args)))
    orders = [[float(value)] for value in first]
    for k in range(1, order + 1):
        for state, rate in zip(series.states, series.rates, strict=True):
            orders[state].append(orders[rate][k - 1] / k)
        for slot in range(len(orders)):
            if slot not in series.states:
                orders[slot].append(_next(series, orders, slot, k))
    return np.array([[orders[state][k] for state in series.states] for k in range(order + 1)])


def _next(series: SeriesProgram, orders: list[list[float]], slot: int, k: int) -> float:
    """Order k of a slot."""
    rule = series.rule(slot)
    y = orders[slot]
    args = [orders[arg] for arg in rule.args]

    def inner(a: Sequence[float], b: Sequence[float]) -> float:
        return sum(a[j] * b[k - j] for j in range(1, k))

    match rule.name, args:
        case "same", [a]:
            return a[k]
        case "negation", [a]:
            return -a[k]
        case "sum", [a, b]:
            return a[k] + b[k]
        case "difference", [a, b]:
            return a[k] - b[k]
        case "scaled", [c, a]:
            return c[0] * a[k]
        case "product", [a, b]:
            return inner(a, b) + a[0] * b[k] + a[k] * b[0]
        case "square", [a]:
            return inner(a, a) + 2.0 * a[0] * a[k]
        case "quotient", [a, b]:
            return (a[k] - inner(b, y) - b[k] * y[0]) / b[0]
        case "inverse", [b]:
            return -(inner(b, y) + b[k] * y[0]) / b[0]
        case "root", [a]:
            return (a[k] - inner(y, y)) / (2.0 * y[0])
        case "integral", [a, w]:
            return rule.sign * (inner([j * value for j, value in enumerate(a)], w) / k + a[k] * w[0])
        case "time", _:
            return 1.0 if k == 1 else 0.0
    return 0.0
