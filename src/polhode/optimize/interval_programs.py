"""What is linear in the functions of points, as native programs over the intervals and over their ends.

    defects       of states and rates at the points of an interval
    slopes        the entries of the Jacobian that are rates' derivatives times a factor of the scheme and a step
    multipliers   what the rates of a point are weighed with, by the multipliers of the defects that they enter

Their derivations know no mechanism: a scheme, the numbers of variables and states, and which entries there are.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..codegen.ir.program import Program
from ..codegen.plan import plan
from ..expr import Expr, as_expr, symbol
from .schemes import Defect, Scheme

_SIDES = ("left", "middle", "right")


def _symbols(name: str, count: int) -> list[Expr]:
    return [symbol(f"{name} {k}", "collocation") for k in range(count)]


def defects_program(scheme: Scheme, variables: int, states: int) -> Program:
    """The defects of an interval, group by group, of its points' variables, their rates, and its length."""
    sides = [k for k in range(3) if k != 1 or scheme.has_middle]
    y = {k: _symbols(f"variable at {_SIDES[k]}", variables) for k in sides}
    f = {k: _symbols(f"rate at {_SIDES[k]}", states) for k in sides}
    (h,) = _symbols("step", 1)
    entries = []
    for defect in scheme.defects:
        for i in range(states):
            at_points = sum((as_expr(defect.states[k]) * y[k][i] for k in sides), start=as_expr(0))
            grown = sum((as_expr(defect.rates[k]) * f[k][i] for k in sides), start=as_expr(0))
            entries.append(at_points + h * grown)
    arrays = [(f"y_{_SIDES[k]}", y[k]) for k in sides] + [(f"f_{_SIDES[k]}", f[k]) for k in sides]
    return plan("collocation_defects", [*arrays, ("step", [h])], [("defects", (len(entries),), entries)])


def slopes_program(scheme: Scheme, count: int) -> Program:
    """Each of `count` derivatives of rates as an entry of every defect that it enters, an output for each."""
    sides = [k for k in range(3) if k != 1 or scheme.has_middle]
    slopes = {k: _symbols(f"slope at {_SIDES[k]}", count) for k in sides}
    (h,) = _symbols("step", 1)
    outputs = [
        (f"defect_{g}_{_SIDES[k]}", (count,), [as_expr(defect.rates[k]) * h * slope for slope in slopes[k]])
        for g, k, defect in entered(scheme)
    ]
    return plan("collocation_slopes", [*((_SIDES[k], slopes[k]) for k in sides), ("step", [h])], outputs)


def entered(scheme: Scheme) -> list[tuple[int, int, Defect]]:
    """Which defect, by its number, the rates at which side of an interval enter."""
    return [(g, k, defect) for g, defect in enumerate(scheme.defects) for k in range(3) if defect.rates[k]]


def end_multipliers_program(scheme: Scheme, states: int, chosen: Sequence[int]) -> Program:
    """What the chosen rates at the end of two intervals are weighed with, by the multipliers of both."""
    groups = len(scheme.defects)
    before, after = (_symbols(f"multiplier {name}", groups * states) for name in ("before", "after"))
    (step_before,), (step_after,) = _symbols("step before", 1), _symbols("step after", 1)
    entries = [
        sum(
            (
                as_expr(defect.rates[2]) * step_before * before[g * states + i]
                + as_expr(defect.rates[0]) * step_after * after[g * states + i]
                for g, defect in enumerate(scheme.defects)
            ),
            start=as_expr(0),
        )
        for i in chosen
    ]
    arrays = [("before", before), ("after", after), ("step_before", [step_before]), ("step_after", [step_after])]
    return plan("collocation_end_multipliers", arrays, [("multipliers", (len(entries),), entries)])


def middle_multipliers_program(scheme: Scheme, states: int, chosen: Sequence[int]) -> Program:
    """What the chosen rates in the middle of an interval are weighed with."""
    multipliers = _symbols("multiplier", len(scheme.defects) * states)
    (step,) = _symbols("step", 1)
    entries = [
        sum(
            (as_expr(d.rates[1]) * step * multipliers[g * states + i] for g, d in enumerate(scheme.defects)),
            start=as_expr(0),
        )
        for i in chosen
    ]
    arrays = [("multipliers", multipliers), ("step", [step])]
    return plan("collocation_middle_multipliers", arrays, [("multipliers", (len(entries),), entries)])
