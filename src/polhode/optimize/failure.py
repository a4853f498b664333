"""Why a search ended without an optimum: what is violated most, where and by how much."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..errors import PolhodeError, warn

if TYPE_CHECKING:
    from .problem import Collocation
    from .solution import Solution

_CURES = {
    "infeasible": "Give more time, wider limits or other ends; or another guess, from which more may be found.",
    "overdetermined": "Free an end, add a control, or take more nodes; with constraints, name independent coordinates.",
    "iterations": "Give a better guess, or iterations=… for more of them.",
    "interrupted": "The last motion is in the error's `solution`, from which a search goes on: solve(guess=…).",
    "invalid": "Give a guess where everything has a value.",
}
_OTHERWISE = "Give another guess, more nodes, or limits that keep the motion in bounds."


class OptimizationError(PolhodeError):
    """A search ended without an optimum; the last motion is kept in `solution`."""

    def __init__(self, message: str, *, solution: object = None, cure: str = "", code: str = "") -> None:
        super().__init__(message, place="collocation", cure=cure, code=code)
        self.solution = solution


def check(problem: Collocation, found: Solution) -> None:
    """Raise where a search found no optimum; warn where it is not as exact as was asked for."""
    if found.status == "acceptable":
        warn("the conditions of an optimum are met to a looser tolerance than was asked for.", code="W-OPTIM-023")
    if found.status in ("optimal", "acceptable", "feasible"):
        return
    if found.status in ("overdetermined", "invalid", "interrupted", "option"):
        told = ""
    else:
        told = f" {largest_violation(problem, found)}"
    raise OptimizationError(
        f"no optimum was found after {found.iterations} iterations: {found.message}{told}",
        solution=found,
        cure=_CURES.get(found.status, _OTHERWISE),
        code="E-OPTIM-022",
    )


def largest_violation(problem: Collocation, found: Solution) -> str:
    """The constraint that is violated most, in words."""
    made, mesh = problem.transcription, problem.mesh
    values = made.values(found.variables, np.zeros(made.constraints))
    lower, upper = problem.row_bounds
    beyond = np.maximum(np.maximum(lower - values, values - upper), 0.0)
    beyond[np.isnan(values)] = np.inf
    worst = int(np.argmax(beyond))
    if not beyond[worst] > 1e-6:
        return "Everything is kept to 1e-6."
    amount = f"{beyond[worst]:.3g}"
    if worst < made.defects:
        interval, entry = divmod(worst, made.defects // mesh.intervals)
        a, b = mesh.ends[interval : interval + 2] * found.duration
        name = problem.names.state[entry % made.states]
        return f"Most is missed by the motion of '{name}' between t = {a:.4g} s and {b:.4g} s, by {amount}."
    if worst >= made.at_end:
        return f"Most is missed by the range of {problem.end_ranges[worst - made.at_end][0]} at the end, by {amount}."
    point, row = divmod(worst - made.defects, len(problem.point.rows))
    t, dynamics = mesh.shares[point] * found.duration, len(problem.point.dynamics)
    if row < dynamics:
        speeds = problem.point.equations.speeds
        name = f"the dynamics of '{speeds[row]}'" if row < len(speeds) else "a constraint of the mechanism"
    else:
        name = f"the limit of {problem.limits.expressions[row - dynamics][0]}"
    return f"Most is missed by {name} at t = {t:.4g} s, by {amount}."
