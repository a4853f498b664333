"""The problem of optimal control of a mechanism, transcribed by direct collocation.

minimise  ∫₀ᵀ L(x, c, t) dt + V(x(T), T)      such that   M u̇ + bias = τ,  q̇ = Γ u,  ż = rate,
          x(0), x(T) in their ranges,  x, c and expressions of them within limits,  T given or within a range

The search begins at a curve between the ends, values by name, a trajectory, or another solution.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypedDict

import numpy as np

from ..compiled.functions import Functions
from ..control.model_based import warn_of_base
from ..control.weights import control_limits, controls_by_name
from ..dynamics.equations import EquationsOfMotion
from ..dynamics.joint_limits import joint_limits, seen_limits
from ..dynamics.whole import refuse_contacts
from ..errors import (
    PolhodeError,
    by_name,
    check_kind,
    check_known,
    fault_at,
    number,
    numbers,
    shown,
    understood,
    unknown,
    warn,
    whole_number,
)
from ..expr import Expr, as_expr, free_symbols, substitute
from ..expr.spelling import spelled
from ..formalisms.derivation import Derivation
from ..laws.named_symbols import controls_of
from ..notebook import Cell, Shown, Table
from ..simulate.run import first_state
from ..simulate.trajectory.trajectory import Trajectory
from ..simulate.trajectory.values import acting_columns, columns_of, substitutions_of
from .mesh import SCHEMES, Floats, Mesh
from .point_model import PointModel
from .solution import CONVERGED, Solution, check, check_ipyopt, refined_ends, search
from .transcription import Transcription


class CollocationOptions(TypedDict, total=False):
    """Options of `collocation` besides the duration; see `polhode.optimize.problem.collocation`."""

    start: Any
    end: Any
    cost: Any
    terminal_cost: Any
    limits: Any
    inputs: Sequence[str] | None
    nodes: int | Sequence[float]
    scheme: str
    dynamics: str
    parameters: Mapping[str, Any] | None
    functions: Functions | None


_PAIR = "Give (lower, upper), with None where there is no end."


@dataclass(frozen=True)
class Range:
    """An interval of numbers; either end may be infinite."""

    lower: float
    upper: float

    def __str__(self) -> str:
        if self.is_fixed:
            return f"{self.lower:.6g}"
        ends = f"at least {self.lower:.6g}", f"at most {self.upper:.6g}"
        finite = np.isfinite([self.lower, self.upper])
        return " and ".join(message for message, is_there in zip(ends, finite, strict=True) if is_there) or "any"

    def within(self, other: Range) -> Range:
        """The intersection with another range."""
        return Range(max(self.lower, other.lower), min(self.upper, other.upper))

    @property
    def is_fixed(self) -> bool:
        return self.lower == self.upper

    @property
    def nearest_to_zero(self) -> float:
        """The value of least size in it."""
        return float(min(max(0.0, self.lower), self.upper))


ANY = Range(-np.inf, np.inf)


def range_of(bounds: Any, place: str, *, is_symmetric: bool) -> Range:
    """A range from a pair with None for an open end, or from one number: ±b where symmetric, else that value alone."""
    if bounds is None:
        return ANY
    with understood("a number or a pair of them", bounds, place=place, cure=_PAIR):
        if isinstance(bounds, str):
            raise TypeError
        if np.ndim(bounds) == 0:
            value = float(bounds)
            result = Range(-value, value) if is_symmetric else Range(value, value)
        else:
            low, high = bounds
            result = Range(-np.inf if low is None else float(low), np.inf if high is None else float(high))
    if np.isnan(result.lower) or np.isnan(result.upper) or result.lower == np.inf or result.upper == -np.inf:
        raise PolhodeError(f"{shown(bounds)} is no range.", place=place, cure=_PAIR, code="E-OPTIMAL-NUMBER")
    if result.lower > result.upper:
        message = f"the lower end {result.lower:g} is above the upper one {result.upper:g}."
        raise PolhodeError(message, place, "Give the lower end first.", "E-OPTIMAL-NUMBER")
    return result


@dataclass(frozen=True)
class Names:
    """The state and the controls by the names that a user writes."""

    state: tuple[str, ...]
    controls: tuple[str, ...]
    also: Mapping[str, int]  # other words for entries of the state: the plain names of speeds

    @classmethod
    def of(cls, equations: EquationsOfMotion, controls: Sequence[str]) -> Names:
        state = tuple(spelled(x) for x in (*equations.q, *equations.u, *equations.z))
        taken = {*state, *controls}
        first = len(equations.q)
        return cls(
            state, tuple(controls), {u.name: first + k for k, u in enumerate(equations.u) if u.name not in taken}
        )

    def state_place(self, name: Any, place: str) -> int:
        """Index of a coordinate, speed or state in the state."""
        if isinstance(name, str) and name in self.state:
            return self.state.index(name)
        if isinstance(name, str) and name in self.also:
            return self.also[name]
        raise unknown("coordinate, speed or state", name, [*self.state, *self.also], place=place, code="E-OPTIMAL-NAME")


@dataclass(frozen=True)
class Limits:
    """Ranges along the motion: of the state, of the controls, and of expressions."""

    state: tuple[Range, ...]
    controls: tuple[Range, ...]
    expressions: tuple[tuple[Expr, Range], ...]


def read_limits(
    equations: EquationsOfMotion, names: Names, controls: Sequence[Expr], limits: Any, parameters: Mapping[str, Any]
) -> Limits:
    """Limits of the model's joints, and those given by name or expression; a number, pair or "model": all controls."""
    state, acting, expressions = [ANY] * len(names.state), [ANY] * len(names.controls), []
    for limit in seen_limits(equations, parameters):
        if limit.factor:
            value = (limit.limit - limit.offset) / limit.factor
            is_lower = (limit.side == "lower") == (limit.factor > 0)
            side = Range(value, np.inf) if is_lower else Range(-np.inf, value)
            state[limit.place] = state[limit.place].within(side)
    for ends in joint_limits(equations, parameters, "effort"):
        if ends.quantity in controls and ends.are_ordered:
            pair = ends.known.get("lower", -np.inf), ends.known.get("upper", np.inf)
            acting[list(controls).index(ends.quantity)] = Range(*pair)
    symbols = dict(zip((*equations.q, *equations.u, *equations.z), range(len(state)), strict=True))
    named, of_controls = controls_by_name(controls, equations), {}
    for key, value in limits.items() if isinstance(limits, Mapping) else ():
        place = f"limits of {key if isinstance(key, Expr) else repr(key)}"
        if isinstance(key, str) and key not in names.controls and (key in names.state or key in names.also):
            state[names.state_place(key, place)] = range_of(value, place, is_symmetric=True)
        elif isinstance(key, Expr) and key in symbols:
            state[symbols[key]] = range_of(value, place, is_symmetric=True)
        elif isinstance(key, Expr) and key not in controls:
            result = range_of(value, place, is_symmetric=True)
            expressions += [(key, result)] if result != ANY else []
        elif key in controls or (isinstance(key, str) and key in named.by_name):
            acting[list(controls).index(named.find(key, place))] = ANY  # in place of the model's
            of_controls[key] = value
        else:
            offered = [*names.state, *names.also, *named.by_name]
            raise unknown("coordinate, speed, state or control", key, offered, place="limits", code="E-OPTIMAL-NAME")
    chosen = of_controls if isinstance(limits, Mapping) else limits
    for x, (low, high) in control_limits(chosen, controls, equations, parameters, "collocation").items():
        acting[list(controls).index(x)] = Range(low, high)
    return Limits(tuple(state), tuple(acting), tuple(expressions))


def read_end(names: Names, values: Any, place: str, otherwise: Sequence[Range]) -> tuple[Range, ...]:
    """The ranges of the state at an end, by name: a value, a pair, or None where it is free."""
    ranges = list(otherwise)
    for key, value in by_name(values, place, "values or ranges by name").items():
        ranges[names.state_place(key, place)] = range_of(value, f"{place} {key!r}", is_symmetric=False)
    return tuple(ranges)


def ranges_at_end(end: Any) -> tuple[dict[Any, Any], tuple[tuple[Expr, Range], ...]]:
    """Conditions at the end: by name, and ranges of expressions."""
    listed = by_name(end, "end", "values or ranges by names or expressions").items()
    named = {key: value for key, value in listed if not isinstance(key, Expr)}
    others = [(key, value) for key, value in listed if isinstance(key, Expr)]
    result = [(key, range_of(value, f"end of {key}", is_symmetric=False)) for key, value in others]
    return named, tuple(entry for entry in result if entry[1] != ANY)


def check_inside(names: Names, ends: Sequence[Range], limits: Sequence[Range], place: str) -> tuple[Range, ...]:
    """The ranges at an end within the limits; refused where nothing is left."""
    sides = []
    for name, end, limit in zip(names.state, ends, limits, strict=True):
        both = end.within(limit)
        if both.lower > both.upper:
            words = f"{end.lower:g}" if end.is_fixed else f"between {end.lower:g} and {end.upper:g}"
            message = f"'{name}' is to be {words}, and its limits are {limit.lower:g} and {limit.upper:g}."
            cure = "Change one of them; limits of the model's joints hold unless `limits` gives others."
            raise PolhodeError(message, place, cure, "E-OPTIMAL-NUMBER")
        sides.append(both)
    return tuple(sides)


def arrays_of(ranges: Sequence[Range]) -> tuple[Floats, Floats]:
    """Lower and upper ends."""
    return np.array([bound.lower for bound in ranges]), np.array([bound.upper for bound in ranges])


guess_fault = fault_at("guess")


def first_variables(problem: Collocation, guess: Any) -> Floats:
    """The variables of all points, and the duration where it is free."""
    width = len(problem.point.variables)
    y = np.zeros((problem.mesh.points, width))
    first, last = _guessed_ends(problem)
    shares = problem.mesh.shares[:, None]
    y[:, : len(first)] = (1 - shares) * first + shares * last
    if guess is None or isinstance(guess, Mapping) or (isinstance(guess, str) and guess == "cubic"):
        _put_cubics(problem, first, last, y)
    for k, control in enumerate(problem.limits.controls, start=width - len(problem.names.controls)):
        y[:, k] = control.nearest_to_zero
    duration = problem.first_duration
    quaternions = [y[:, k : k + 4] for k in problem.point.equations.quaternions]
    if isinstance(guess, Solution):
        duration = _from_solution(problem, guess, y)
    elif isinstance(guess, Trajectory):
        duration = _from_trajectory(problem, guess, y)
    elif isinstance(guess, Mapping):
        _from_values(problem, guess, y)
    elif guess is not None and not (isinstance(guess, str) and guess in ("cubic", "linear")):
        cure = 'Give "cubic", "linear", a trajectory, a solution, or values by name.'
        raise guess_fault(f"{shown(guess)} is not a first guess.", cure, "E-CALL-TYPE")
    for e in quaternions:
        lengths = np.linalg.norm(e, axis=1, keepdims=True)
        e[:] = np.where(lengths > 0.0, e / np.where(lengths > 0.0, lengths, 1.0), [1.0, 0.0, 0.0, 0.0])
    free = [duration] if problem.point.is_free else []
    return np.concatenate([y.reshape(-1), free])


def _guessed_ends(problem: Collocation) -> tuple[Floats, Floats]:
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
    for k in problem.point.equations.quaternions:
        for e, ranges in ((first, problem.start), (last, problem.end)):
            free = [i for i in range(k, k + 4) if not ranges[i].is_fixed]
            left = 1.0 - sum(e[i] ** 2 for i in range(k, k + 4) if i not in free)
            size = sum(e[i] ** 2 for i in free)
            for i in free:  # what is left of the unit length, in the direction known, or in any
                e[i] = e[i] * np.sqrt(left / size) if size else np.sqrt(left / len(free))
    return np.array(first), np.array(last)


def _put_cubics(problem: Collocation, first: Floats, last: Floats, y: Floats) -> None:
    """Cubics for the coordinates whose rates are speeds, and what follows for these speeds and accelerations."""
    equations, s, T = problem.point.equations, problem.mesh.shares, problem.first_duration
    columns = {u: k for k, u in enumerate(equations.u, start=len(equations.q))}
    acceleration = len(problem.point.state)
    for k, rate in enumerate(equations.coordinate_rates):
        if rate not in columns:
            continue
        j = columns[rate]
        p, q, v, w = first[k], last[k], first[j] * T, last[j] * T
        cubic = np.polynomial.Polynomial([p, v, 3 * (q - p) - 2 * v - w, 2 * (p - q) + v + w])
        y[:, k], y[:, j] = cubic(s), cubic.deriv()(s) / T
        if problem.point.is_implicit:
            y[:, acceleration + j - len(equations.q)] = cubic.deriv(2)(s) / T**2


def _from_solution(problem: Collocation, guess: Solution, y: Floats) -> float:
    theirs = guess.problem.point
    if theirs.variables != problem.point.variables:
        names = [variable.name for variable in theirs.variables]
        message = f"the solution to begin with has the variables {', '.join(names)}, which are not those sought here."
        raise guess_fault(message, "Give its trajectory: guess=solution.trajectory.", "E-OPTIMAL-SHAPE")
    y[:] = guess.problem.mesh.values_at(guess.points, problem.mesh.shares)
    return guess.duration


def _from_trajectory(problem: Collocation, guess: Trajectory, y: Floats) -> float:
    equations = problem.point.equations
    if len(guess.t) < 2:
        message = "the trajectory to begin with has less than two samples."
        raise guess_fault(message, "Give one with more.", "E-OPTIMAL-SHAPE")
    q, u, z = columns_of(guess, equations)
    shares = (guess.t - guess.t[0]) / (guess.t[-1] - guess.t[0])
    columns = [*q.T, *u.T, *z.T]
    if problem.point.is_implicit:
        columns += [*np.gradient(u, guess.t, axis=0).T]
    point = problem.point
    columns += [np.zeros(len(shares)) for _ in (*point.multipliers, *point.stretches)]
    system = equations.system
    tau = acting_columns(guess.tau, guess.efforts, equations.tree.speeds, "efforts")
    inputs = acting_columns(guess.inputs, guess.input_names, list(system.inputs), "inputs")
    values = {} if tau is None else dict(zip(equations.tau, tau.T, strict=True))
    if inputs is not None:
        values |= dict(zip((signal.symbol for signal in system.inputs.values()), inputs.T, strict=True))
    columns += [values.get(control, np.zeros(len(shares))) for control in problem.point.controls.values()]
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
        array = np.atleast_1d(numbers(value if np.size(value) else None, what, dims=[0, 1], place=place))
        ends = np.repeat(array, 2)[:2] if len(array) == 1 else array
        _interpolate(problem, np.linspace(0, 1, len(ends)), ends[:, None], y, [column])


def _interpolate(problem: Collocation, shares: Floats, rows: Floats, y: Floats, columns: Any) -> None:
    for column, values in zip(columns, rows.T, strict=True):
        y[:, column] = np.interp(problem.mesh.shares, shares, values)


_CURE = 'Give "effort" for Σ c², "time", an expression, or {"effort": 1, expression: 0.1}.'


def integrand_of(cost: Any, controls: Mapping[str, Expr]) -> Expr:
    """The running cost."""
    if isinstance(cost, Mapping):
        if not cost:
            raise PolhodeError("there is nothing to make least.", place="cost", cure=_CURE, code="E-OPTIMAL-MISSING")
        total = as_expr(0)
        for key, weight in cost.items():
            with understood("a weight", weight, place=f"cost {shown(key)}"):
                total = total + as_expr(weight) * integrand_of(key, controls)
        return total
    if isinstance(cost, str) and cost == "effort":
        return sum((c * c for c in controls.values()), start=as_expr(0))
    if isinstance(cost, str) and cost == "time":
        return as_expr(1)
    if isinstance(cost, str):
        raise PolhodeError(f"there is no cost {shown(cost)}.", place="cost", cure=_CURE, code="E-OPTIMAL-NAME")
    with understood("a cost", cost, place="cost", cure=_CURE):
        return as_expr(cost)


def known_expressions(
    equations: EquationsOfMotion, expressions: list[Expr], place: str, *, at_end: bool = False
) -> list[Expr]:
    """Expressions in the variables of a point; refused where something else is in them."""
    result = substitute(expressions, substitutions_of(equations))
    system = equations.system
    acting = [*equations.tau, *(signal.symbol for signal in system.inputs.values())]
    allowed = {*equations.q, *equations.u, *equations.z, system.time}
    allowed |= {parameter.symbol for parameter in system.parameters.values()}
    if not at_end:
        allowed |= {*acting, *equations.udot}
    for symbol in (symbol for symbol in free_symbols(result) if symbol not in allowed):
        message = f"the {symbol.data[0]} '{symbol.name}' is not known {'at the end' if at_end else 'along the motion'}."
        more = "." if at_end else ", accelerations, efforts and inputs of this system."
        raise PolhodeError(message, place, f"Use coordinates, speeds, states, parameters, time{more}", "E-OPTIMAL-NAME")
    return result


fault = fault_at("collocation")

_DYNAMICS = ("auto", "implicit", "explicit")
#: Up to so many speeds explicit dynamics are solved faster, there being fewer variables; beyond, to compile the second
#: derivatives of M⁻¹ costs more than that saves (measured on arms and swing-ups of 1 to 7 speeds).
_FEW_SPEEDS = 4
_MOST_NODES = 100_000
#: Options of IPOPT on a refined mesh, where the search begins near the optimum, and how many more iterations than on
#: the first mesh it may take: where a node meets a kink it may cycle, and does so no more on another mesh.
_NEARBY: Mapping[str, Any] = {"mu_init": 1e-4}
_REFINED_ITERATIONS = 200
#: How many nodes a refined mesh may have, where ten times those of the first are fewer.
_REFINED_NODES = 400
_COARSE = (
    "Give more refinements or nodes, forces without kinks, or where controls oscillate a small weight on the effort; "
    "see `verdict`."
)


@dataclass(frozen=True, eq=False, repr=False)
class Collocation(Shown):
    """An optimal control problem on a mesh: `solve` finds the motion, `with_nodes` puts it on another mesh.

    >>> import polhode as ph
    >>> s = ph.System("slider")
    >>> _ = s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"))
    >>> problem = s.derive().collocation((1, 3), end={"x": 1}, cost="time", limits={"tau_x": 2}, inputs=["tau_x"])
    >>> round(problem.with_nodes(5).solve().duration, 6)
    1.0
    """

    point: PointModel = field(repr=False)
    mesh: Mesh = field(repr=False)
    names: Names
    start: tuple[Range, ...]
    end: tuple[Range, ...]
    limits: Limits = field(repr=False)
    end_ranges: tuple[tuple[Expr, Range], ...] = field(repr=False)
    durations: Range
    parameters: Mapping[str, Any]
    functions: Functions = field(repr=False)

    @property
    def first_duration(self) -> float:
        """The duration, or one to begin with."""
        low, high = self.durations.lower, self.durations.upper
        return low if self.durations.is_fixed else (low + high) / 2 if np.isfinite(high) else max(2 * low, 1.0)

    def with_nodes(self, nodes: int | Sequence[float]) -> Collocation:
        """The same problem with so many nodes, or with nodes at given shares of the duration, from 0 to 1."""
        return replace(self, mesh=Mesh(self.mesh.scheme, _ends(nodes)))

    @cached_property
    def transcription(self) -> Transcription:
        """The sparse problem, with its exact derivatives in native code."""
        duration = None if self.point.is_free else self.first_duration
        return Transcription(self.point, self.mesh, self.functions, duration, self.parameters or None)

    @cached_property
    def bounds(self) -> tuple[Floats, Floats]:
        """The lower and upper bounds of all variables."""
        point, mesh = self.point, self.mesh
        every = [*self.limits.state, *[ANY] * len(point.algebraic), *self.limits.controls]
        sides = []
        for side, (start, end, all_points) in enumerate(
            zip(arrays_of(self.start), arrays_of(self.end), arrays_of(every), strict=True)
        ):
            y = np.tile(all_points, (mesh.points, 1))
            y[0, : len(start)] = start
            y[mesh.intervals, : len(end)] = end
            first = len(point.state) + len(point.algebraic) - len(point.stretches)
            y[0, first : first + len(point.stretches)] = 0.0
            duration = [(self.durations.lower, self.durations.upper)[side]] if point.is_free else []
            sides.append(np.concatenate([y.reshape(-1), duration]))
        return sides[0], sides[1]

    @cached_property
    def row_bounds(self) -> tuple[Floats, Floats]:
        """The lower and upper bounds of all constraints."""
        point, mesh = self.point, self.mesh
        kept = [Range(0.0, 0.0)] * (len(point.dynamics) + len(point.lengths))
        of_rows = arrays_of([*kept, *(limit for _, limit in self.limits.expressions)])
        at_end = arrays_of([limit for _, limit in self.end_ranges])
        sides = []
        for sign, of_row, last in zip((-1, 1), of_rows, at_end, strict=True):
            rows = np.tile(of_row, (mesh.points, 1))
            for k, first in enumerate(point.equations.quaternions, start=len(point.dynamics)):
                for node, state in ((0, self.start), (mesh.intervals, self.end)):
                    if all(x.is_fixed for x in state[first : first + 4]):  # then nothing is left to vary its length
                        rows[node, k] = sign * np.inf
            sides.append(np.concatenate([np.zeros(self.transcription.defects), rows.reshape(-1), last]))
        return sides[0], sides[1]

    def solve(
        self,
        guess: Any = None,
        *,
        tolerance: float = 1e-8,
        accuracy: float | None = 1e-4,
        refinements: int = 3,
        iterations: int = 1000,
        progress: bool | Callable[[float], object] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> Solution:
        """The motion of least cost near the `guess`; if there is none, raises with the last motion in the error.

        guess        "cubic" between the ends (by default), "linear", a trajectory, values by name, or another solution:
                     on the same mesh the search then goes on where that ended
        tolerance    to which the conditions of an optimum are met
        accuracy     the error between nodes, relative to the size of the states, above which the mesh is refined; None
                     for no estimate
        refinements  how many finer meshes there may be, with 400 or ten times as many nodes at most; where the error is
                     still larger then, the status is "coarse"
        iterations   how many there may be on a mesh
        progress     as in `simulate`, for each mesh
        options      more options of IPOPT, by name
        """
        tolerance = number(tolerance, "a number from 0 to 1", above=0.0, below=1.0, place="solve tolerance")
        iterations = whole_number(iterations, "a whole number, 1 or more", least=1, place="solve iterations")
        refinements = whole_number(refinements, "a whole number, 0 or more", least=0, place="solve refinements")
        if accuracy is not None:
            accuracy = number(accuracy, "a number from 0 to 1, or None", above=0.0, below=1.0, place="solve accuracy")
        check_ipyopt()

        def solved(problem: Collocation, first: Any, most: int, chosen: Mapping[str, Any]) -> Solution:
            first_y, warm = first_variables(problem, first), None
            if isinstance(first, Solution) and len(first.multipliers.constraints) == problem.transcription.constraints:
                warm = first.multipliers
            words = f"optimising {self.functions.derivation.synopsis.system} on {len(problem.mesh.ends)} nodes"
            solution = search(
                problem.transcription, first_y, problem.bounds, problem.row_bounds, tolerance=tolerance,
                iterations=most, progress=progress, words=words, warm=warm, options=chosen,
            )  # fmt: skip
            return Solution(**vars(solution), problem=problem)

        result = solved(self, guess, iterations, options or {})
        check(self, result)
        if accuracy is None:
            return result
        most, nearby = min(iterations, result.iterations + _REFINED_ITERATIONS), {**_NEARBY, **(options or {})}
        return self._refined(result, accuracy, refinements, lambda p, start: solved(p, start, most, nearby))

    def _refined(
        self, first: Solution, accuracy: float, refinements: int, solved: Callable[[Collocation, Solution], Solution]
    ) -> Solution:
        """The solution of least error on meshes that are refined until it is below the accuracy, or the budget ends."""
        best, last, meshes, before, failure, more = first, first, [first.record], np.inf, "", 0
        for _ in range(refinements):
            largest = last.error.largest
            everywhere = largest > before / 2 and not more
            ends = refined_ends(last.problem.mesh, last.error, accuracy, everywhere=everywhere, more=more)
            if largest <= accuracy or len(ends) > min(max(10 * len(self.mesh.ends), _REFINED_NODES), _MOST_NODES):
                break
            finer = solved(replace(self, mesh=Mesh(self.mesh.scheme, ends)), last)
            if finer.status in CONVERGED:
                last, before, failure, more = finer, largest, "", 0
                meshes.append(last.record)
                best = min(best, last, key=lambda solution: solution.error.largest)
                continue
            if finer.status == "interrupted":
                check(finer.problem, finer)
            failure, more = f" On {len(ends)} nodes no optimum was found: {finer.message}", more + 1
        if best is not first:
            check(best.problem, best)
        best = replace(best, meshes=tuple(meshes))
        if best.error.largest <= accuracy:
            return best
        message = f"the search converged, but between nodes the motion is off by {best.error.worst}.{failure}"
        warn(message, place="collocation", cure=_COARSE, code="W-OPTIMAL-FAILED")
        return replace(best, status="coarse", message=message)

    def __repr__(self) -> str:
        result = self.transcription
        return (
            f"Collocation('{self.functions.derivation.synopsis.system}', {len(self.mesh.ends)} nodes: {result.size} "
            f"variables, {result.constraints} constraints; controls: {', '.join(self.names.controls)})"
        )

    def _cell(self) -> Cell:
        ends = [*zip(self.names.state, self.start, self.end, strict=True)]
        limits = zip(
            (*self.names.state, *self.names.controls), (*self.limits.state, *self.limits.controls), strict=True
        )
        between = [(name, limit) for name, limit in limits if limit != ANY]
        duration = f"duration: {self.durations} s"
        tables = [Table(["state", "start", "end"], ends), Table(["limited", "to"], between)]
        return Cell(repr(self), [duration, *tables])


def collocation(
    derivation: Derivation,
    duration: Any,
    *,
    start: Any = None,
    end: Any = None,
    cost: Any = "effort",
    terminal_cost: Any = None,
    limits: Any = None,
    inputs: Sequence[str] | None = None,
    nodes: int | Sequence[float] = 100,
    scheme: str = "hermite_simpson",
    dynamics: str = "auto",
    parameters: Mapping[str, Any] | None = None,
    functions: Functions | None = None,
) -> Collocation:
    """The problem of moving a mechanism from one state to another at least cost; see `Equations.collocation`.

    Speeds are named as they are spelled: `theta'` for the rate of `theta`, or by names of their own.

    >>> import polhode as ph
    >>> s = ph.System("slider")
    >>> _ = s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"))
    >>> ends = {"start": {"x": 0}, "end": {"x": 1, "x'": 0}}
    >>> best = s.derive().collocation(1, **ends, inputs=["tau_x"], nodes=11).solve()
    >>> best.status, round(best.cost, 6), best["tau_x"].round(6).tolist()[::5]  # ∫(6 - 12 t)² dt
    ('optimal', 12.0, [6.0, 3.0, 0.0, -3.0, -6.0])
    """
    refuse_contacts(derivation.model.contacts, "optimal control")
    equations = derivation.equations
    for word, name, table in ((scheme, "scheme", SCHEMES), (dynamics, "dynamics", _DYNAMICS)):
        check_known(name, [word], table, place="collocation", code="E-OPTIMAL-NAME")
    values = by_name(parameters, "parameters")
    for name, value in values.items():
        check_kind(float if np.ndim(value) else object, "one number", value, f"parameters '{name}'")
    functions = functions or Functions(derivation)
    functions.values_of((), values)  # raises if values are wrong
    times = _durations(duration)
    controls = controls_of(equations, inputs, "collocation")
    if inputs is None:
        warn_of_base(equations, controls, "collocation")
    if not controls:
        message = "there is nothing to choose: no input is a control."
        raise PolhodeError(message, "collocation inputs", 'Name some: inputs=["tau_x"].', "E-OPTIMAL-MISSING")
    names = Names.of(equations, list(controls))
    read = read_limits(equations, names, list(controls.values()), limits, values)
    expressions = [key for key, _ in read.expressions]
    result = known_expressions(equations, [integrand_of(cost, controls), *expressions], "collocation")
    terminal = None
    if terminal_cost is not None:
        with understood("an expression of the last state", terminal_cost, place="terminal_cost"):
            (terminal,) = known_expressions(equations, [as_expr(terminal_cost)], "terminal_cost", at_end=True)
    named, end_ranges = ranges_at_end(end)
    ended = known_expressions(equations, [key for key, _ in end_ranges], "end", at_end=True)
    held = _held(derivation, functions, controls)
    is_large = len(equations.u) > _FEW_SPEEDS or equations.constraints is not None or equations.small is not None
    is_implicit = is_large if dynamics == "auto" else dynamics == "implicit"
    point = PointModel(
        equations, controls, held, result[0], tuple(result[1:]), is_implicit, not times.is_fixed, terminal, tuple(ended)
    )
    first = _start(derivation, functions, names, start, values)
    last = _unit(derivation, read_end(names, named, "end", [ANY] * len(names.state)))
    return Collocation(
        point,
        Mesh(SCHEMES[scheme], _ends(nodes)),
        names,
        check_inside(names, first, read.state, "start"),
        check_inside(names, last, read.state, "end"),
        read,
        end_ranges,
        times,
        values,
        functions,
    )


def _unit(derivation: Derivation, ends: Sequence[Range]) -> tuple[Range, ...]:
    """The ranges at the end, with quaternions of unit length where all four components are given."""
    ranges = list(ends)
    for joint, first in derivation.synopsis.orientations:
        middle = np.array([end.nearest_to_zero for end in ends[first : first + 4]])
        length, is_whole = float(np.linalg.norm(middle)), all(end.is_fixed for end in ends[first : first + 4])
        if (is_whole and length == 0.0) or (length > 1.0 + 1e-9 and not is_whole):
            raise PolhodeError(
                "no quaternion of unit length has these components at the end.",
                place=f"end of joint '{joint}'",
                cure="Give all four, or fewer whose squares add up to less than 1; no turn is (1, 0, 0, 0).",
                code="E-OPTIMAL-NUMBER",
            )
        if is_whole and abs(length - 1.0) > 1e-9:
            warn(f"the quaternion of joint '{joint}' at the end had length {length:.6g} and was scaled to 1.")
        if is_whole:
            ranges[first : first + 4] = [Range(x, x) for x in map(float, middle / length)]
    return tuple(ranges)


def _durations(duration: Any) -> Range:
    result = range_of(duration, "duration", is_symmetric=False)
    if duration is None or not result.lower > 0.0 or (result.is_fixed and not np.isfinite(result.lower)):
        message = f"the duration {shown(duration)} is not positive, or not known."
        raise fault(message, "Give seconds, or (shortest, longest) with a shortest above 0.", "E-OPTIMAL-NUMBER")
    return result


def _ends(nodes: Any) -> Floats:
    """The ends of the intervals as shares of the duration."""
    with understood("a number of nodes, or their places from 0 to 1", nodes, place="nodes"):
        if isinstance(nodes, bool | str) or np.iscomplexobj(nodes):
            raise TypeError
        array = np.asarray(nodes, dtype=np.float64)
        if array.ndim == 0 and float(array) == int(array) and 2 <= int(array) <= _MOST_NODES:
            return np.linspace(0.0, 1.0, int(array))
    is_mesh = array.ndim == 1 and 2 <= len(array) <= _MOST_NODES and array[0] == 0.0 and array[-1] == 1.0
    if not is_mesh or not (np.diff(array) > 0.0).all():
        cure = f"Give a number from 2 to {_MOST_NODES}, or numbers that grow from 0 to 1."
        raise PolhodeError(f"{shown(nodes)} is no mesh.", "nodes", cure, "E-OPTIMAL-NUMBER")
    return array


def _held(derivation: Derivation, functions: Functions, controls: Mapping[str, Expr]) -> dict[Expr, float]:
    """Efforts and inputs that are no controls: no effort, and the model's values of inputs."""
    equations, chosen = derivation.equations, {*controls.values()}
    held = {tau: 0.0 for tau in equations.tau if tau not in chosen}
    values = functions.input_values()
    inputs = [entry.symbol for entry in equations.system.inputs.values()]
    return held | {symbol: float(value) for symbol, value in zip(inputs, values, strict=True) if symbol not in chosen}


def _start(
    derivation: Derivation, functions: Functions, names: Names, start: Any, parameters: Mapping[str, Any]
) -> tuple[Range, ...]:
    """Ranges of the state at the start; what is not named is at zero, or as constraints determine it."""
    coordinates, turning = len(derivation.synopsis.coordinates), list[int]()
    if not isinstance(start, Mapping):
        begin = first_state(derivation, functions, start, None, (), parameters or None)[0]
        return tuple(Range(float(x), float(x)) for x in (*begin.q, *begin.u, *begin.z))
    ranges = [*read_end(names, start, "start", [Range(0.0, 0.0)] * len(names.state))]
    places = [names.state_place(key, "start") for key in start]
    for first in derivation.synopsis.quaternions:
        if not all(ranges[k].is_fixed for k in range(first, first + 4)):  # what its length leaves it
            ranges[first] = ranges[first] if first in places else ANY
            places += [k for k in range(first, first + 4) if k not in places]
            turning += range(first, first + 4)
    fixed = {k: ranges[k].lower for k in places if ranges[k].is_fixed and k not in turning}
    speeds = derivation.synopsis.speeds
    is_speed = range(coordinates, coordinates + len(speeds))
    at = {names.state[k]: value for k, value in fixed.items() if k not in is_speed}
    moving = {speeds[k - coordinates]: value for k, value in fixed.items() if k in is_speed}
    loose = [k for k in places if k not in fixed]
    if loose and derivation.synopsis.is_constrained:
        raise PolhodeError(
            f"'{names.state[loose[0]]}' is not fixed at the start, and the constraints of the mechanism need it to be.",
            place="start",
            cure="Give it a value.",
            code="E-OPTIMAL-UNSUPPORTED",
        )
    begin = first_state(derivation, functions, at or None, moving or None, (), parameters or None)[0]
    pinned = [Range(float(x), float(x)) for x in (*begin.q, *begin.u, *begin.z)]
    for k in loose:
        pinned[k] = ranges[k]
    return tuple(pinned)
