"""The motion that costs least, the controls that make it, and how far a simulation of the plant deviates from it.

The error of a solution between the nodes of its mesh, and the mesh on which it is less.

From every node the plant is run to the next one under the controls of the solution, all intervals at once. By how much
it misses the solution's state in the middle of the interval and at its end is the error of the interval. That of a
scheme of order p goes with h^p at least: an interval whose error is ρ times what is allowed is cut into (2ρ)^(1/p)
pieces. Where that has not halved the largest error, as when the optimum moves to what is still coarse, every interval
is cut.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import PolhodeError, installed, listed, shown, unknown, warn
from ..expr import Expr, Function, sampled
from ..native.call_sequence import BoundLoop, sequence_of
from ..notebook import Cell, Shown, Table, course_table
from ..simulate.progress import reporting
from ..simulate.run import simulate
from ..simulate.trajectory.trajectory import Trajectory
from .mesh import Floats, Mesh
from .point_model import PointFunction
from .transcription import Transcription

if TYPE_CHECKING:
    from .problem import Collocation

#: Into how many pieces an interval is cut at once, at most.
_PIECES = 4
#: The tolerances of the runs between nodes.
_RUN = 1e-9


class MeshRecord(NamedTuple):
    """A mesh that was solved: its nodes, the cost, the relative error between nodes, iterations and seconds."""

    nodes: int
    cost: float
    error: float
    iterations: int
    seconds: float


@dataclass(frozen=True, eq=False, repr=False)
class MeshError(Shown):
    """The error of each interval (intervals, states); the relative one is by the largest size of a state, or by 1."""

    t: Floats  # ends of the intervals
    difference: Floats
    sizes: Floats
    states: tuple[str, ...]

    @property
    def intervals(self) -> Floats:
        """The largest relative error of each interval."""
        return np.asarray((self.difference / self.sizes).max(axis=1))

    @property
    def largest(self) -> float:
        """The largest relative error of all."""
        return float(self.intervals.max())

    @property
    def worst(self) -> str:
        """The largest error in words: how much, of which state, and when."""
        k, i = np.unravel_index(np.argmax(self.difference / self.sizes), self.difference.shape)
        return (
            f"{self.difference[k, i]:.3g} in '{self.states[i]}' between t = {self.t[k]:.4g} s and {self.t[k + 1]:.4g} s"
        )

    def __repr__(self) -> str:
        return f"MeshError({self.largest:.3g} at most, in {len(self.t) - 1} intervals)"

    def _cell(self) -> Cell:
        rows = [(name, f"{x:.3g}") for name, x in zip(self.states, self.difference.max(axis=0), strict=True)]
        return Cell(repr(self), [Table(["state", "largest error"], rows, numbers_from=1), f"Most: {self.worst}."])


def mesh_error(problem: Collocation, points: Floats, duration: float) -> MeshError:
    """Differences between runs of the plant from each node and the states in the middle and at the next node."""
    from scipy.integrate import solve_ivp

    mesh, point, functions = problem.mesh, problem.point, problem.functions
    states, controls, count = len(point.state), len(point.controls), mesh.intervals
    x, c = points[:, :states], points[:, -controls:]
    y, shares, rates = np.zeros((count, len(point.plant.variables))), np.zeros((count, 1)), np.zeros((count, states))
    function = PointFunction(point.plant, "values")
    values = functions.parameter_values(function, problem.parameters or None)
    arrays, outputs = [y, shares, np.array([duration])], [rates, np.zeros((count, len(point.plant.rows)))]
    run = sequence_of([BoundLoop(functions.native(function), arrays, outputs, count, values)])
    lengths = (mesh.steps * duration)[:, None]

    def slopes(s: float, state: Floats) -> Floats:
        shares[:, 0] = mesh.ends[:-1] + s * mesh.steps
        y[:, :states], y[:, -controls:] = state.reshape(count, states), mesh.values_at(c, shares[:, 0])
        run()
        return np.asarray(lengths * rates).reshape(-1)

    left, middle, right = mesh.sides
    sizes = np.maximum(1.0, np.abs(x).max(axis=0))
    with np.errstate(all="ignore"):
        result = solve_ivp(
            slopes, (0.0, 1.0), x[left].reshape(-1), method="LSODA", t_eval=[0.5, 1.0], rtol=_RUN, atol=_RUN,
            lband=states - 1, uband=states - 1,
        )  # fmt: skip
    error = np.full((count, states), np.inf)
    if result.success:
        half, end = result.y.T.reshape(2, count, states)
        error = np.abs(end - x[right])
        error = np.maximum(error, np.abs(half - x[middle])) if mesh.scheme.has_middle else error
    return MeshError(mesh.ends * duration, np.where(np.isnan(error), np.inf, error), sizes, problem.names.state)


def refined_ends(mesh: Mesh, error: MeshError, accuracy: float, *, everywhere: bool, more: int = 0) -> Floats:
    """Ends of the intervals of a mesh whose error ought to be half of the accuracy, with `more` pieces where cut."""
    excess = np.minimum(error.intervals / accuracy, 1e12)
    pieces = np.ceil((2 * excess) ** (1 / mesh.scheme.order))
    pieces = np.where(excess > 1.0, np.clip(pieces, 2, _PIECES) + more, 2 if everywhere else 1).astype(int)
    parts = zip(mesh.ends[:-1], mesh.steps, pieces, strict=True)
    return np.concatenate([*(left + step * np.arange(n) / n for left, step, n in parts), [1.0]])


#: What IPOPT's return codes mean: a word and a sentence.
_CODES: Mapping[int, tuple[str, str]] = {
    0: ("optimal", "the optimum was found."),
    1: ("acceptable", "a point was found that is optimal to a looser tolerance."),
    2: ("infeasible", "the search came to a point from which no step lessens what is violated."),
    3: ("stuck", "the steps of the search became too small."),
    4: ("diverging", "the variables grow without end."),
    5: ("interrupted", "the search was interrupted."),
    6: ("feasible", "a motion was found that keeps everything, and the cost has no part in it."),
    -1: ("iterations", "the search took as many iterations as it may."),
    -2: ("failed", "the search found no way back to what is to be kept."),
    -3: ("failed", "a step could not be computed."),
    -4: ("time", "the search took as long as it may."),
    -10: ("overdetermined", "there are more equations than variables that are free."),
    -11: ("failed", "the problem is not one that IPOPT can solve."),
    -12: ("option", "IPOPT has no option of a given name."),
    -13: ("invalid", "at the first guess a function or a derivative has no finite value."),
}
#: What a search has found where it ends with one of these.
CONVERGED = ("optimal", "acceptable", "feasible")
_INFINITE = 2e19


@dataclass(frozen=True, eq=False)
class Multipliers:
    """Multipliers of the constraints and of the bounds, for a warm start."""

    constraints: Floats
    lower: Floats
    upper: Floats


@dataclass(frozen=True, eq=False)
class SearchResult:
    """Result of the search."""

    variables: Floats
    multipliers: Multipliers
    cost: float
    status: str
    message: str
    iterations: int
    seconds: float


def check_ipyopt() -> Any:
    """The package, or what to do where it is not installed."""
    return installed("ipyopt", "optimize", "ipyopt, which brings IPOPT,", place="collocation", code="E-OPTIMAL-MISSING")


def search(
    nlp: Transcription,
    first: Floats,
    bounds: tuple[Floats, Floats],
    row_bounds: tuple[Floats, Floats],
    *,
    tolerance: float,
    iterations: int,
    progress: bool | Callable[[float], object] | None,
    words: str,
    warm: Multipliers | None = None,
    options: Mapping[str, Any] | None = None,
) -> SearchResult:
    """The search from the first variables; `warm` are multipliers to go on from."""
    ipyopt = check_ipyopt()
    nlp.prepare()
    chosen: dict[str, Any] = {"print_level": 0, "sb": "yes", "tol": tolerance, "max_iter": iterations}
    if warm is not None:
        chosen |= {
            "warm_start_init_point": "yes", "mu_init": 1e-6, "warm_start_bound_push": 1e-9,
            "warm_start_bound_frac": 1e-9, "warm_start_slack_bound_push": 1e-9, "warm_start_slack_bound_frac": 1e-9,
            "warm_start_mult_bound_push": 1e-9,
        }  # fmt: skip
    chosen |= options or {}
    multipliers = warm or Multipliers(np.zeros(nlp.constraints), np.zeros(nlp.size), np.zeros(nlp.size))
    multipliers = Multipliers(*(array.copy() for array in astuple(multipliers)))
    lower, upper = (np.clip(bound, -_INFINITE, _INFINITE) for bound in bounds)
    row_lower, row_upper = (np.clip(row_bound, -_INFINITE, _INFINITE) for row_bound in row_bounds)
    count = 0
    with _listening() as is_interrupted, reporting(progress, words, float(iterations), "iterations") as report:

        def step(mode: int, iteration: int, *rest: float) -> bool:
            nonlocal count
            count = iteration
            report(float(iteration))
            return not is_interrupted()

        try:
            problem = ipyopt.Problem(
                nlp.size, lower, upper, nlp.constraints, row_lower, row_upper, nlp.jacobian_places,
                nlp.curvature_places, nlp.cost, nlp.gradient, nlp.values, nlp.jacobian, nlp.curvature, step,
                ipopt_options=chosen,
            )  # fmt: skip
        except (TypeError, ValueError, RuntimeError) as problem_found:
            message = f"IPOPT does not take these options: {shown(options)} ({problem_found})."
            cure = "See the list of options in IPOPT's documentation."
            raise PolhodeError(message, "solve options", cure, "E-OPTIMAL-UNSUPPORTED") from None
        began = time.perf_counter()
        x, cost, code = problem.solve(
            np.clip(first, lower, upper),
            mult_g=multipliers.constraints,
            mult_x_L=multipliers.lower,
            mult_x_U=multipliers.upper,
        )
    status, message = _CODES.get(int(code), ("failed", f"IPOPT ended with the code {code}."))
    return SearchResult(np.array(x), multipliers, float(cost), status, message, count, time.perf_counter() - began)


@contextmanager
def _listening() -> Iterator[Callable[[], bool]]:
    """Whether Ctrl-C was pressed, checked between iterations: an exception would be lost in native code."""
    pressed = False
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return

    def note(number: int, frame: object) -> None:
        nonlocal pressed
        pressed = True

    before = signal.signal(signal.SIGINT, note)
    try:
        yield lambda: pressed
    finally:
        signal.signal(signal.SIGINT, before)


_CURES = {
    "infeasible": "Give more time, wider limits or other ends; or another guess, from which more may be found.",
    "diverging": "Give limits to what grows; leave out constraints that are redundant, as some of closed linkages are.",
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


def check(problem: Collocation, solution: Solution) -> None:
    """Raise where a search found no optimum; warn if the tolerance is not met."""
    if solution.status == "acceptable":
        warn("the conditions of an optimum are met to a looser tolerance than `tolerance`.", code="W-OPTIMAL-FAILED")
    if solution.status in CONVERGED:
        return
    if solution.status in ("overdetermined", "invalid", "interrupted", "option"):
        words = ""
    else:
        words = f" {largest_violation(problem, solution)}"
    message = f"no optimum was found after {solution.iterations} iterations: {solution.message}{words}"
    cure = _CURES.get(solution.status, _OTHERWISE)
    raise OptimizationError(message, solution=solution, cure=cure, code="E-OPTIMAL-FAILED")


def largest_violation(problem: Collocation, solution: Solution) -> str:
    """The constraint that is violated most, in words."""
    result, mesh = problem.transcription, problem.mesh
    values = result.values(solution.variables, np.zeros(result.constraints))
    lower, upper = problem.row_bounds
    beyond = np.maximum(np.maximum(lower - values, values - upper), 0.0)
    beyond[np.isnan(values)] = np.inf
    worst = int(np.argmax(beyond))
    if not beyond[worst] > 1e-6:
        return "Everything is kept to 1e-6."
    amount = f"{beyond[worst]:.3g}"
    if worst < result.defects:
        interval, entry = divmod(worst, result.defects // mesh.intervals)
        a, b = mesh.ends[interval : interval + 2] * solution.duration
        name = problem.names.state[entry % result.states]
        return f"Most is missed by the motion of '{name}' between t = {a:.4g} s and {b:.4g} s, by {amount}."
    if worst >= result.at_end:
        return f"Most is missed by the range of {problem.end_ranges[worst - result.at_end][0]} at the end, by {amount}."
    point, row = divmod(worst - result.defects, len(problem.point.rows))
    t, dynamics = mesh.shares[point] * solution.duration, len(problem.point.dynamics)
    if row < dynamics:
        speeds = problem.point.equations.speeds
        name = f"the dynamics of '{speeds[row]}'" if row < len(speeds) else "a constraint of the mechanism"
    elif row < dynamics + len(problem.point.lengths):
        name = "the unit length of a quaternion"
    else:
        name = f"the limit of {problem.limits.expressions[row - dynamics - len(problem.point.lengths)][0]}"
    return f"Most is missed by {name} at t = {t:.4g} s, by {amount}."


@dataclass(frozen=True, eq=False, repr=False)
class Deviation(Shown):
    """Differences between a run under the optimal controls and the optimal motion, at the nodes (nodes, states)."""

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
    def worst(self) -> str:
        """The largest difference in words: how much, of which state, and when."""
        k, i = np.unravel_index(np.argmax(np.abs(self.difference)), self.difference.shape)
        return f"{abs(self.difference[k, i]):.3g} in '{self.states[i]}' at t = {self.t[k]:.4g} s"

    @property
    def end(self) -> dict[str, float]:
        """The differences at the end, by name."""
        return dict(zip(self.states, map(float, self.difference[-1]), strict=True))


@dataclass(frozen=True, eq=False, repr=False)
class Solution(SearchResult, Shown):
    """The result of a search: states and controls at the points of the mesh in the order of time, and the cost.

    `status` is "optimal", "acceptable" (to a looser tolerance), "coarse" (the optimum of a mesh between whose nodes the
    motion is off by more than the `accuracy`), or why the search ended before; `verdict` says so in words. `meshes` are
    those that were solved, from the first to the finest. States and controls are got by name: `solution["theta"]`.
    Pictures go to a `path`, with options as of a trajectory: `notes`, `screw_axes`, `reactions`, and runs `beside`.

    >>> import polhode as ph
    >>> s = ph.System("slider")
    >>> _ = s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"))
    >>> e = s.derive()
    >>> best = e.collocation(1, end={"x": 1, "x'": 0}, inputs=["tau_x"], nodes=3).solve()
    >>> best.duration, best.deviation.largest < 1e-8, [*best.reference]
    (1.0, True, ['x', "x'", 'tau_x'])
    """

    problem: Collocation
    meshes: tuple[MeshRecord, ...] = ()

    def __post_init__(self) -> None:
        self.variables.setflags(write=False)

    @property
    def points(self) -> Floats:
        """All variables (points, variables) in the order of the mesh: the nodes, then the middles."""
        points, width = self.problem.mesh.points, len(self.problem.point.variables)
        return self.variables[: points * width].reshape(points, width)

    @cached_property
    def _y(self) -> Floats:
        """The variables of the points in the order of time."""
        return self.points[self.problem.mesh.in_time]

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
        """First-order states (points, states)."""
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
        raise unknown("value", name, [*names.state, *names.also, *names.controls], code="E-OPTIMAL-NAME")

    @cached_property
    def trajectory(self) -> Trajectory:
        """The motion as a trajectory: to plot, animate, store, or evaluate energies and reactions."""
        problem = self.problem
        equations, synopsis = problem.point.equations, problem.functions.derivation.synopsis
        acting = {symbol: np.full(len(self.t), float(value)) for symbol, value in problem.point.held.items()}
        acting |= dict(zip(problem.point.controls.values(), self.controls.T, strict=True))
        tau = np.array([acting[symbol] for symbol in equations.tau]).T.reshape(len(self.t), -1)
        inputs = np.array([acting[x.symbol] for x in equations.system.inputs.values()]).T.reshape(len(self.t), -1)
        return Trajectory(
            self.t, self.q, self.u, synopsis.coordinates, synopsis.speeds, "done", "",
            {"method": "collocation", "cost": self.cost, "status": self.status},
            inputs=inputs, tau=tau, functions=problem.functions, parameters=problem.parameters, z=self.z,
            states=tuple(synopsis.states), efforts=synopsis.efforts, input_names=tuple(synopsis.inputs),
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
        result = {name: sampled(times, self._y[:, k], "cubic", name=name) for k, name in enumerate(names.state)}
        return result | {name: sampled(times, self[name], "linear", name=name) for name in names.controls}

    @cached_property
    def control_laws(self) -> dict[str, Expr]:
        """The controls as expressions of time, exactly as the scheme has them: parabolas or lines between nodes."""
        mesh, time = self.problem.mesh, self.problem.point.equations.system.time
        ends = mesh.ends * self.duration
        all_points, first = self.points, len(self.problem.point.variables) - len(self.control_names)
        laws = {}
        for k, name in enumerate(self.control_names, start=first):
            at_ends = all_points[: len(ends), k]
            law = sampled(ends, at_ends, "linear")(time)
            if mesh.scheme.has_middle:
                bulge = all_points[len(ends) :, k] - (at_ends[:-1] + at_ends[1:]) / 2
                held = [
                    sampled(ends, [*rows, rows[-1]], "held")(time) for rows in (4 * bulge, ends[:-1], np.diff(ends))
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
        options: dict[str, Any] = {"tau": {}, "inputs": {}}
        for name, law in laws.items():
            if symbols[name] in by_speed:
                options["tau"][by_speed[symbols[name]]] = law
            else:
                options["inputs"][name] = law
        return simulate(
            problem.functions.derivation, self.duration, start=(self.q[0], self.u[0], self.z[0]),
            samples=problem.mesh.ends * self.duration, parameters=problem.parameters or None,
            functions=problem.functions, watch_energy=False, progress=False, **options,
        )  # fmt: skip

    @cached_property
    def deviation(self) -> Deviation:
        """Differences between `replay` and this motion at the nodes: the error of the mesh, amplified by the plant."""
        run, states = self.replay, self.problem.names.state
        return Deviation(run.t, run.x - self.points[: len(run.t), : len(states)], states)

    @cached_property
    def error(self) -> MeshError:
        """Differences between runs of the plant from each node and this motion."""
        return mesh_error(self.problem, self.points, self.duration)

    @property
    def record(self) -> MeshRecord:
        """This mesh in the history of meshes."""
        nodes = len(self.problem.mesh.ends)
        return MeshRecord(nodes, self.cost, self.error.largest, self.iterations, self.seconds)

    @cached_property
    def verdict(self) -> str:
        """The result, its error between nodes, and the deviation of a run under the controls alone, in words."""
        between = "" if self.status == "coarse" else f" Between nodes the motion is off by at most {self.error.worst}."
        try:
            run = f"deviates by at most {self.deviation.worst}."
        except PolhodeError as failure:
            run = f"fails: {failure.problems[0].message}"
        past = listed(f"'{name}' by {x:.3g}" for name, x in self._beyond.items())
        beyond = f" Between nodes limits are exceeded: {past}." if past else ""
        return f"{self.message[:1].upper()}{self.message[1:]}{between}{beyond} A run under the controls alone {run}"

    @property
    def _beyond(self) -> dict[str, float]:
        """By how much parabolas of controls exceed limits that hold at their points."""
        mesh = self.problem.mesh
        controls = self.points[:, -len(self.control_names) :]
        shares = (mesh.ends[:-1, None] + mesh.steps[:, None] * np.linspace(0.0, 1.0, 17)).reshape(-1)
        between = mesh.values_at(controls, shares)
        exceeded = {}
        for name, limit, values in zip(self.control_names, self.problem.limits.controls, between.T, strict=True):
            most = max(float(values.max()) - limit.upper, limit.lower - float(values.min()))
            if most > 1e-3 * max(1.0, float(np.abs(values).max())):
                exceeded[name] = most
        return exceeded

    def __repr__(self) -> str:
        return (
            f"Solution({self.status}: cost {self.cost:.9g} in {self.duration:g} s, {self.iterations} iterations, "
            f"{len(self.problem.mesh.ends)} nodes)"
        )

    def _cell(self) -> Cell:
        names = (*self.problem.names.state, *self.control_names)
        course = course_table("", ((name, self[name]) for name in names))
        columns = ["nodes", "cost", "error between nodes", "iterations", "s"]
        rows = [(x.nodes, f"{x.cost:.6g}", f"{x.error:.2g}", x.iterations, f"{x.seconds:.2g}") for x in self.meshes]
        return Cell(repr(self), [course, Table(columns, rows), self.message if self.status != "optimal" else ""])
