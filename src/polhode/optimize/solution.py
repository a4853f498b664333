"""The motion that costs least, the controls that make it, and how far a simulation of the plant deviates from it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import PolhodeError, unknown, warn
from ..expr import Expr, Function, sampled
from ..notebook import Cell, Shown, Table, course_table
from ..simulate.run import simulate
from ..simulate.trajectory.trajectory import Trajectory
from .ipopt import Multipliers
from .mesh import Floats

if TYPE_CHECKING:
    from .problem import Collocation

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


@dataclass(frozen=True, eq=False, repr=False)
class Deviation(Shown):
    """How far a run under the optimal controls is from the optimal motion: at the nodes (nodes, states)."""

    t: Floats
    difference: Floats
    states: tuple[str, ...]

    def __repr__(self) -> str:
        return f"Deviation({self.largest:.3g} at most, at {len(self.t)} nodes)"

    def _cell(self) -> Cell:
        most = np.abs(self.difference).max(axis=0, initial=0.0)
        rows = [(name, f"{value:.3g}", f"{self.end[name]:.3g}") for name, value in zip(self.states, most, strict=True)]
        return Cell(repr(self), [Table(["state", "largest difference", "at the end"], rows, numbers_from=1)])

    @property
    def largest(self) -> float:
        """The largest of all."""
        return float(np.abs(self.difference).max(initial=0.0))

    @property
    def end(self) -> dict[str, float]:
        """The differences at the end, by name."""
        return dict(zip(self.states, map(float, self.difference[-1]), strict=True))


@dataclass(frozen=True, eq=False, repr=False)
class Solution(Shown):
    """What a search found: states and controls at the points of the mesh in the order of time, and the cost.

    `status` is "optimal", "acceptable" (to a looser tolerance), or why the search ended before. States and controls are
    got by name: `solution["theta"]`. Pictures go to a `path`, with options as of a trajectory: `notes`, `screw_axes`,
    `reactions`, and runs `beside`.

    >>> import polhode as ph
    >>> s = ph.System("slider")
    >>> _ = s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"))
    >>> e = s.derive()
    >>> best = e.collocation(1, end={"x": 1, "x'": 0}, inputs=["tau_x"], nodes=3).solve()
    >>> best.duration, best.deviation.largest < 1e-8, [*best.reference]
    (1.0, True, ['x', "x'", 'tau_x'])
    """

    problem: Collocation = field(repr=False)
    variables: Floats = field(repr=False)
    multipliers: Multipliers = field(repr=False)
    cost: float
    status: str
    message: str
    iterations: int
    seconds: float

    def __post_init__(self) -> None:
        self.variables.setflags(write=False)

    @cached_property
    def _y(self) -> Floats:
        """The variables of the points in the order of time."""
        points, width = self.problem.mesh.points, len(self.problem.point.variables)
        return self.variables[: points * width].reshape(points, width)[self.problem.mesh.in_time]

    @property
    def duration(self) -> float:
        """The duration in seconds."""
        return float(self.variables[-1]) if self.problem.point.is_free else self.problem.first_duration

    @property
    def t(self) -> Floats:
        """The times of the points."""
        return self.problem.mesh.shares[self.problem.mesh.in_time] * self.duration

    @cached_property
    def _parts(self) -> list[Floats]:
        equations, point = self.problem.point.equations, self.problem.point
        sizes = [len(equations.q), len(equations.u), len(equations.z), len(point.algebraic)]
        return np.split(self._y, np.cumsum(sizes), axis=1)

    @property
    def q(self) -> Floats:
        """Coordinates (points, coordinates)."""
        return self._parts[0]

    @property
    def u(self) -> Floats:
        """Speeds (points, speeds)."""
        return self._parts[1]

    @property
    def z(self) -> Floats:
        """States without mass (points, states)."""
        return self._parts[2]

    @property
    def controls(self) -> Floats:
        """Controls (points, controls), in the order of `control_names`."""
        return self._parts[4]

    @property
    def control_names(self) -> tuple[str, ...]:
        """The names of the controls, the columns of `controls`."""
        return self.problem.names.controls

    def __getitem__(self, name: str) -> Floats:
        """A coordinate, speed, state or control over time."""
        names = self.problem.names
        if isinstance(name, str) and name in names.controls:
            return self.controls[:, names.controls.index(name)]
        if isinstance(name, str) and (name in names.state or name in names.also):
            return self._y[:, names.state_place(name, "solution")]
        raise unknown("value", name, [*names.state, *names.also, *names.controls], code="E-OPTIM-012")

    @cached_property
    def trajectory(self) -> Trajectory:
        """The motion as any run: to plot, animate, store, or ask for energies and reactions."""
        problem = self.problem
        equations, known = problem.point.equations, problem.functions.derivation.synopsis
        acting = {each: np.full(len(self.t), float(value)) for each, value in problem.point.held.items()}
        acting |= dict(zip(problem.point.controls.values(), self.controls.T, strict=True))
        tau = np.array([acting[each] for each in equations.tau]).T.reshape(len(self.t), -1)
        inputs = np.array([acting[each.symbol] for each in equations.system.inputs.values()]).T.reshape(len(self.t), -1)
        return Trajectory(
            self.t, self.q, self.u, known.coordinates, known.speeds, "done", "",
            {"method": "collocation", "cost": self.cost, "status": self.status},
            inputs=inputs, tau=tau, functions=problem.functions, parameters=problem.parameters, z=self.z,
            states=tuple(known.states), efforts=known.efforts, input_names=tuple(known.inputs),
        )  # fmt: skip

    def animate(
        self, path: str | os.PathLike[str] | None = None, notes: str = "", screw_axes: bool | Sequence[str] = False
    ) -> Any:
        """The motion as a page; see `Trajectory.animate`."""
        return self.trajectory.animate(path, notes, screw_axes)

    def plot(
        self,
        path: str | os.PathLike[str] | None = None,
        reactions: Sequence[str] = (),
        beside: Sequence[Trajectory] = (),
    ) -> Any:
        """The motion as curves; see `Trajectory.plot`."""
        return self.trajectory.plot(path, reactions, beside)

    @cached_property
    def reference(self) -> Mapping[str, Function]:
        """States and controls as functions of time, for a controller that tracks them: cubic, and linear."""
        names, times = self.problem.names, self.t
        made = {name: sampled(times, self._y[:, k], "cubic", name=name) for k, name in enumerate(names.state)}
        return made | {name: sampled(times, self[name], "linear", name=name) for name in names.controls}

    @cached_property
    def control_laws(self) -> dict[str, Expr]:
        """The controls as expressions of time, exactly as the scheme has them: parabolas or lines between nodes."""
        mesh, time = self.problem.mesh, self.problem.point.equations.system.time
        ends = mesh.ends * self.duration
        first = len(self.problem.point.variables) - len(self.control_names)
        all_points = self.variables[: mesh.points * (first + len(self.control_names))].reshape(mesh.points, -1)
        laws = {}
        for k, name in enumerate(self.control_names, start=first):
            at_ends = all_points[: len(ends), k]
            law = sampled(ends, at_ends, "linear")(time)
            if mesh.scheme.has_middle:
                bulge = all_points[len(ends) :, k] - (at_ends[:-1] + at_ends[1:]) / 2
                held = [
                    sampled(ends, [*each, each[-1]], "held")(time) for each in (4 * bulge, ends[:-1], np.diff(ends))
                ]
                s = (time - held[1]) / held[2]
                law = law + held[0] * s * (1 - s)
            laws[name] = law
        return laws

    @cached_property
    def replay(self) -> Trajectory:
        """A run of the plant from the same start under the same controls, at the nodes."""
        problem, laws = self.problem, self.control_laws
        equations = problem.point.equations
        by_speed = dict(zip(equations.tau, equations.tree.speeds, strict=True))
        symbols = problem.point.controls
        known: dict[str, Any] = {"tau": {}, "inputs": {}}
        for name, law in laws.items():
            if symbols[name] in by_speed:
                known["tau"][by_speed[symbols[name]]] = law
            else:
                known["inputs"][name] = law
        return simulate(
            problem.functions.derivation, self.duration, start=(self.q[0], self.u[0], self.z[0]),
            samples=problem.mesh.ends * self.duration, parameters=problem.parameters or None,
            functions=problem.functions, watch_energy=False, progress=False, **known,
        )  # fmt: skip

    @cached_property
    def deviation(self) -> Deviation:
        """How far `replay` is from this motion at the nodes: the error of the mesh, as the plant makes it grow."""
        run, mesh = self.replay, self.problem.mesh
        width = len(self.problem.point.variables)
        nodes = self.variables[: mesh.points * width].reshape(mesh.points, width)[: len(mesh.ends)]
        states = self.problem.names.state
        return Deviation(run.t, run.x - nodes[: len(run.t), : len(states)], states)

    def __repr__(self) -> str:
        return (
            f"Solution({self.status}: cost {self.cost:.9g} in {self.duration:g} s, {self.iterations} iterations, "
            f"{len(self.problem.mesh.ends)} nodes)"
        )

    def _cell(self) -> Cell:
        names = (*self.problem.names.state, *self.control_names)
        course = course_table("", ((name, self[name]) for name in names))
        return Cell(repr(self), [course, self.message if self.status != "optimal" else ""])
