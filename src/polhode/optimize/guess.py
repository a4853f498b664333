"""Where the search begins: a curve between the ends, values by name, a trajectory, or another solution.

A cubic has the place and the speed of both ends, and its speeds are its slopes; a line has speeds of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import fault_at, numbers, shown
from ..simulate.trajectory.trajectory import Trajectory
from ..simulate.trajectory.values import acting_columns, columns_of
from .mesh import Floats
from .solution import Solution

if TYPE_CHECKING:
    from .problem import Collocation

fault = fault_at("guess")


def first_variables(problem: Collocation, guess: Any) -> Floats:
    """The variables of all points, and the duration where it is free."""
    width = len(problem.point.variables)
    y = np.zeros((problem.mesh.points, width))
    first, last = _ends(problem)
    shares = problem.mesh.shares[:, None]
    y[:, : len(first)] = (1 - shares) * first + shares * last
    if guess is None or isinstance(guess, Mapping) or (isinstance(guess, str) and guess == "cubic"):
        _put_cubics(problem, first, last, y)
    for k, each in enumerate(problem.limits.controls, start=width - len(problem.names.controls)):
        y[:, k] = each.nearest_to_zero
    duration = problem.first_duration
    if isinstance(guess, Solution):
        duration = _from_solution(problem, guess, y)
    elif isinstance(guess, Trajectory):
        duration = _from_trajectory(problem, guess, y)
    elif isinstance(guess, Mapping):
        _from_values(problem, guess, y)
    elif guess is not None and not (isinstance(guess, str) and guess in ("cubic", "linear")):
        raise fault(
            f"{shown(guess)} is nothing to begin with.",
            'Give "cubic", "linear", a trajectory, a solution, or values by name.',
            "E-OPTIM-008",
        )
    free = [duration] if problem.point.is_free else []
    return np.concatenate([y.reshape(-1), free])


def _ends(problem: Collocation) -> tuple[Floats, Floats]:
    """A state at either end: where one is known on one side alone, the same on the other."""
    first, last = [], []
    for start, end in zip(problem.start, problem.end, strict=True):
        a, b = start.nearest_to_zero, end.nearest_to_zero
        if start.is_fixed and np.isinf(end.lower) and np.isinf(end.upper):
            b = a
        if end.is_fixed and np.isinf(start.lower) and np.isinf(start.upper):
            a = b
        first.append(a)
        last.append(b)
    return np.array(first), np.array(last)


def _put_cubics(problem: Collocation, first: Floats, last: Floats, y: Floats) -> None:
    """Cubics for the coordinates whose rates are speeds, and what follows for these speeds and accelerations."""
    equations, s, T = problem.point.equations, problem.mesh.shares, problem.first_duration
    place = {u: k for k, u in enumerate(equations.u, start=len(equations.q))}
    acceleration = len(problem.point.state)
    for k, rate in enumerate(equations.coordinate_rates):
        if rate not in place:
            continue
        j = place[rate]
        p, q, v, w = first[k], last[k], first[j] * T, last[j] * T
        cubic = np.polynomial.Polynomial([p, v, 3 * (q - p) - 2 * v - w, 2 * (p - q) + v + w])
        y[:, k], y[:, j] = cubic(s), cubic.deriv()(s) / T
        if problem.point.is_implicit:
            y[:, acceleration + j - len(equations.q)] = cubic.deriv(2)(s) / T**2


def _from_solution(problem: Collocation, guess: Solution, y: Floats) -> float:
    theirs = guess.problem.point
    if theirs.variables != problem.point.variables:
        names = [each.name for each in theirs.variables]
        raise fault(
            f"the solution to begin with has the variables {', '.join(names)}, which are not those sought here.",
            "Give its trajectory: guess=solution.trajectory.",
            "E-OPTIM-009",
        )
    order = guess.problem.mesh.in_time
    known = guess.variables[: len(order) * y.shape[1]].reshape(len(order), -1)[order]
    _interpolate(problem, guess.problem.mesh.shares[order], known, y, range(y.shape[1]))
    return guess.duration


def _from_trajectory(problem: Collocation, guess: Trajectory, y: Floats) -> float:
    equations = problem.point.equations
    if len(guess.t) < 2:
        raise fault("the trajectory to begin with has less than two samples.", "Give one with more.", "E-OPTIM-010")
    q, u, z = columns_of(guess, equations)
    shares = (guess.t - guess.t[0]) / (guess.t[-1] - guess.t[0])
    columns = [*q.T, *u.T, *z.T]
    if problem.point.is_implicit:
        columns += [*np.gradient(u, guess.t, axis=0).T, *(np.zeros(len(shares)) for _ in problem.point.multipliers)]
    system = equations.system
    tau = acting_columns(guess.tau, guess.efforts, equations.tree.speeds, "efforts")
    inputs = acting_columns(guess.inputs, guess.input_names, list(system.inputs), "inputs")
    known = {} if tau is None else dict(zip(equations.tau, tau.T, strict=True))
    if inputs is not None:
        known |= dict(zip((each.symbol for each in system.inputs.values()), inputs.T, strict=True))
    columns += [known.get(each, np.zeros(len(shares))) for each in problem.point.controls.values()]
    _interpolate(problem, shares, np.array(columns).T, y, range(y.shape[1]))
    return float(guess.t[-1] - guess.t[0])


def _from_values(problem: Collocation, guess: Mapping[Any, Any], y: Floats) -> None:
    names = problem.names
    for key, value in guess.items():
        place = f"guess {key!r}"
        if isinstance(key, str) and key in names.controls:
            column = y.shape[1] - len(names.controls) + names.controls.index(key)
        else:
            column = names.state_place(key, "guess")
        what = "a finite number, or several at equal distances in time"
        given = np.atleast_1d(numbers(value if np.size(value) else None, what, dims=[0, 1], place=place))
        known = np.repeat(given, 2)[:2] if len(given) == 1 else given
        _interpolate(problem, np.linspace(0, 1, len(known)), known[:, None], y, [column])


def _interpolate(problem: Collocation, shares: Floats, known: Floats, y: Floats, columns: Any) -> None:
    for column, values in zip(columns, known.T, strict=True):
        y[:, column] = np.interp(problem.mesh.shares, shares, values)
