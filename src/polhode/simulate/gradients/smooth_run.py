"""The run behind a derivative: as any run, of expressions and constants alone, smooth between its events.

What is followed may be more than the state: variations of it, or an integral, come after it in one array, under the
same control of errors. Efforts and inputs may follow laws. Where one jumps at a given time, as held samples do, rates
jump and what is followed does not: steps end there, and a segment begins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import repeat
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ...codegen.passes.switches import jumping_tables, switched
from ...compiled.functions import Functions
from ...compiled.quantities import FunctionKey
from ...constraints.factorisation import Factorisation
from ...dynamics.equations import EquationsOfMotion
from ...errors import PolhodeError, understood, unknown, warn
from ...expr import Expr, Vector, as_expr, evaluate, free_symbols, jacobian, substitute, symbol
from ...expr.spelling import described, spelled
from ...ode.native_code import method_code
from ...ode.native_run import NativeRun
from ...ode.record import CONSTRAINED_GROWTH, GOES_ON
from ..constraints.assembly import weights_of
from ..control.actuation import Actuation
from ..events import Crossing, Events, StateChange, place_of
from ..guard import Guard, Stop
from ..initial_state import Floats
from ..integrators.native import Integration
from ..rates import Rates
from ..run import Problem, problem_of, stopped
from ..settings import SmoothOptions
from ..trajectory.record import Record, Report
from ..trajectory.trajectory import Trajectory

if TYPE_CHECKING:
    from ...formalisms.derivation import Derivation


@dataclass(frozen=True, eq=False)
class Occurrence:
    """An event that happened: which, when, and all that was followed before and, where it changed, after it."""

    jump: Jump
    number: int
    t: float
    before: Floats
    after: Floats | None = None


#: The state and what is followed beside it on the constraints, at a time; and behind an event that changed the state.
Projection: TypeAlias = Callable[[float, Floats], Floats]
Change: TypeAlias = Callable[[Occurrence, Floats], Floats]


class FollowedRates(Rates):
    """The rates of the state and of what is followed beside it; `project` brings both back to the constraints."""

    def __init__(self, run: SmoothRun, of: FunctionKey, project: Projection | None = None) -> None:
        problem = run.problem
        super().__init__(run.functions, problem.parameters, problem.tau, problem.inputs, of)
        self.groups, self._project, self.size = [], project, len(run.x)

    def _signs(self, values: Floats) -> None:
        """A derivative may have signs in it; where the rates have none it does not jump in what follows from it."""

    @property
    def is_constrained(self) -> bool:
        return self._project is not None

    def projected(self, t: float, x: Floats) -> Floats:
        return x if self._project is None else self._project(t, x)

    def within(self, t: float) -> float:
        """Any time: derivatives are evaluated after the run too, and those of adjoints are functions of -t."""
        return t

    def _arguments(self, t: float, x: Floats, ask: bool = True) -> list[Floats]:
        arguments = {"x": x, "t": np.array([t]), **self._held}
        return [arguments[name] for name in self.native.arrays]

    def outputs(self, t: float, x: Floats) -> dict[str, Floats]:
        """All that the function puts out, by name."""
        return dict(zip(self._compiled.outputs, self._compiled(*self._arguments(t, x)), strict=True))

    def pass_to(self, number: int, states: Floats) -> None:
        super().pass_to(number, states[:, : self.size])

    def steps_natively(self, run: NativeRun, holds_signs: bool = True) -> None:
        if self.can_run_natively:
            super().steps_natively(run)
        else:
            run.use(run.python(self))
        if self._project is not None:
            run.project_by(self._project)
        run.record.growth = CONSTRAINED_GROWTH


@dataclass(frozen=True, eq=False)
class Followed:
    """The motion, all that was followed at the samples, the events in their order, and the steps kept."""

    trajectory: Trajectory
    states: Floats
    events: tuple[Occurrence, ...] = ()
    steps: Floats | None = None

    def segments(self) -> list[tuple[Floats, Floats, Occurrence | None]]:
        """Times and states at the ends of the steps between jumps of the state or its rates; the event before them."""
        acted, steps = self.trajectory.acted, self.steps
        if acted is None or steps is None:
            return []
        size = acted.states.shape[1]
        jumps: list[tuple[float, float, Floats, Occurrence | None]]  # where the next segment begins, and this one ends
        jumps = [*zip(acted.times[1:], acted.before[1:], acted.states[1:], repeat(None), strict=False)]
        jumps += [(event.t, event.t, event.before, event) for event in self.events if event.after is not None]
        jumps.sort(key=lambda jump: jump[0])
        jumps.append((np.inf, min(self.trajectory.t[-1], acted.last), self.states[-1], None))
        segments: list[tuple[Floats, Floats, Occurrence | None]] = []
        first, event = 0, None
        for next_begin, end, x, next_event in jumps:
            last = int(np.searchsorted(steps[:, 0], next_begin))
            states = np.vstack([steps[first:last, 2 : 2 + size], x[:size]])
            segments.append((np.append(steps[first:last, 0], end), states, event))
            first, event = last, next_event
        return segments


@dataclass(frozen=True, eq=False)
class SmoothRun:
    """A run that can be differentiated: where it begins, what acts, how it is stepped, where it jumps."""

    problem: Problem  # with functions of independent constraints
    symbols: list[Expr]  # what it is differentiated by
    jumps: tuple[Jump, ...]  # its events

    @classmethod
    def of(cls, derivation: Derivation, duration: float, by: Sequence[Any], options: SmoothOptions) -> SmoothRun:
        """The run of these options (see `polhode.simulate.simulate`), to be differentiated `by` these."""
        problem = problem_of(derivation, duration, method="DOP853", **options)
        if problem.loop is not None and problem.loop.sampling is not None:
            message = "a run with a sampled law has no derivatives here."
            raise PolhodeError(message, "controller", "Give a law in continuous time.", "E-SENSITIVITY-UNSUPPORTED")
        symbols = read_by(problem.derivation.equations, by)
        for signal in (problem.tau, problem.inputs):
            if signal.functions:
                message = f"{signal.functions[0].words} is a Python function, which has no derivative."
                cure = "Write it as an expression of coordinates, speeds, time and parameters, or as samples."
                raise PolhodeError(message, signal.what, cure, "E-SENSITIVITY-UNSUPPORTED")
        functions, manifold = problem.functions, problem.manifold
        if manifold is not None and problem.assembly is not None:
            rows = problem.assembly.freedom.rows
            if problem.derivation.equations.dependent_speeds is None and len(rows) < len(manifold.names):
                functions = functions.keeping(rows)
        driven = Actuation(functions, problem.parameters, problem.tau, problem.inputs).driving(functions)
        _check(driven, symbols, problem.control.method)
        problem = replace(problem, functions=functions, loop=None)
        return cls(problem, symbols, tuple(read_jumps(problem, symbols)))

    @property
    def functions(self) -> Functions:
        """The functions of the mechanism, without laws."""
        return self.problem.functions

    @cached_property
    def x(self) -> Floats:
        """The first state."""
        start = self.problem.start
        return np.concatenate([start.q, start.u, start.z])

    @cached_property
    def rates(self) -> Rates:
        """The rates of the state alone, and its projection."""
        return self.problem.rates(self.problem.control.method)

    @property
    def laws(self) -> Mapping[Expr, Expr]:
        """The laws of efforts and inputs."""
        laws = self.rates.functions.laws
        return {} if laws is None else laws.given

    def expressed(self, expression: Any, place: str) -> Expr:
        """An expression in the symbols of the run, laws put in."""
        return substitute([expressed(self.functions.equations, expression, place)], self.laws)[0]

    def projected(self, t: float, x: Floats) -> Floats:
        """All that is followed, with the state on its constraints and quaternions of unit length."""
        new, size = x.copy(), len(self.x)
        new[:size] = self.rates.unit(self.rates.projected(t, x[:size]))[0]
        return new

    def known(self, t: float, x: Floats) -> dict[Expr, float]:
        """The values of all symbols at a state."""
        equations = self.functions.equations
        symbols = [equations.system.time, *equations.q, *equations.u, *equations.z, *equations.tau]
        numbers = [t, *x.tolist(), *self.problem.tau.constant.tolist()]
        values = self.problem.values() | dict(zip(symbols, numbers, strict=True))
        return {**values, **dict(zip(self.laws, evaluate(self.laws.values(), values), strict=True))}

    def follow(
        self, rates: Rates, beside: Floats, changed: Change | None = None, *, keeps_steps: bool = False
    ) -> Followed:
        """Run to the end with what is followed beside the state, and `changed` behind an event that changes that."""
        size, full_record = len(self.x), Record(len(self.x) + len(beside))
        full_record.add(np.zeros(1), np.concatenate([self.x, beside])[None, :])
        followed: list[Integration] = []

        def go(state: Rates, guard: Guard, record: Record, report: Report) -> str:
            full_record.restart(np.concatenate([record.last[1], beside]))
            rates.drive, rates.breaks = state.drive, state.breaks
            try:
                events = self.problem.events if changed is None else self._with_changes(changed)
                integration = Integration(rates, guard, full_record, self.problem.times, self.problem.control, events)
                followed.append(integration)
                integration.run.most_kept = np.inf if keeps_steps else 0.0
                return integration.go(report)
            finally:
                record.pieces[:] = [(t, x[:, :size].copy()) for t, x in full_record.pieces]
                record.info |= full_record.info
                record.notices += full_record.notices
                record.steps, state.evaluations = full_record.steps, rates.evaluations

        trajectory = self.problem.execute(go, self.rates)
        if not followed:
            return Followed(trajectory, full_record.states)
        run = followed[0].run
        log = run.events.entries(0) if self.problem.events else ()
        events = tuple(
            Occurrence(self.jumps[number], number, t, rates.projected(t, x) if kind == GOES_ON else x, after)
            for t, number, kind, _, x, after in log
            if number < len(self.jumps)  # not a guard of contacts
        )
        return Followed(trajectory, full_record.states, events, run.kept_steps)

    def _with_changes(self, changed: Change) -> Events:
        """The events; those that change the state change what is followed beside it too."""

        def extended(number: int, change: StateChange) -> StateChange:
            def values(t: float, q: Floats, rest: Floats) -> Mapping[int, float]:
                before = np.concatenate([q, rest])
                after, size = before.copy(), len(self.x)
                after[:size] = self.rates.projected(t, change.applied(t, before[:size]))
                return dict(enumerate(changed(Occurrence(self.jumps[number], number, t, before), after).tolist()))

            return StateChange(int, values, change.coordinates)

        events = self.problem.events
        watched = (
            event if event.change is None else replace(event, change=extended(number, event.change))
            for number, event in enumerate(events.watched)
        )
        return replace(events, watched=tuple(watched))

    @contextmanager
    def ending(self, trajectory: Trajectory) -> Iterator[None]:
        """Raise a Stop as the error of a run with this trajectory."""
        try:
            yield
        except Stop as stop:
            raise stopped(stop, replace(trajectory, status=stop.status, message=stop.message)) from None


def read_by(equations: EquationsOfMotion, by: Any) -> list[Expr]:
    """The symbols to differentiate by."""
    system = equations.system
    symbols = [entry.symbol for table in (system.parameters, system.inputs) for entry in table.values()]
    symbols += [*equations.q, *equations.u, *equations.z, *equations.tau]
    spellings = {spelled(entry): entry for entry in symbols}
    chosen = []
    with understood("a list of names", by, place="by", cure='Give by=["l", "m"].'):
        for name in [by] if isinstance(by, str) else list(by):
            parameter = spellings.get(name) if isinstance(name, str) else next((x for x in symbols if x is name), None)
            if parameter is None and isinstance(name, str):
                parameter = next((u for u in equations.u if u.name == name), None)
            if parameter is None:
                raise unknown(
                    "parameter, input, coordinate or speed", name, spellings, place="by", code="E-SENSITIVITY-NAME"
                )
            chosen.append(parameter)
    twice = [spelled(parameter) for k, parameter in enumerate(chosen) if parameter in chosen[:k]]
    if twice or not chosen:
        message = f"'{twice[0]}' is named twice." if twice else "nothing is named."
        raise PolhodeError(message, "by", 'Give by=["l", "m"].', "E-SENSITIVITY-NAME")
    return chosen


def _check(functions: Functions, by: Sequence[Expr], method: str) -> None:
    """Refuse derivatives by what follows a law, rates that jump by themselves, and runs without native code."""
    code, place = "E-SENSITIVITY-UNSUPPORTED", f"system '{functions.equations.system.name}'"
    driven = [spelled(p) for p in by if functions.laws is not None and p in functions.laws.given]
    if driven:
        message = f"'{driven[0]}' follows a law, and so is nothing to differentiate by."
        raise PolhodeError(message, "by", "Name a parameter that is in the law.", code)
    program = functions.program("state_rates")
    tables = jumping_tables(program)
    if tables is not None:
        message = f"{tables[1][0][0]} jumps at values of something other than the time, which is not differentiated."
        raise PolhodeError(message, place, 'Take a table of the kind "linear", "cubic" or "pchip".', code)
    if switched(program) is not None or any(step.op == "floor" for step in program.run):
        message = "a force jumps with the sign of something, or with its whole part, which is not differentiated."
        raise PolhodeError(message, place, "Make it smooth, as tanh(v/0.001) instead of sign(v).", code)
    try:
        method_code(method)
    except OSError as problem:
        message = f"derivatives of a run need native code, which does not work here ({problem})."
        raise PolhodeError(message, cure="Take differences of runs, which SciPy can make.", code=code) from None


# ---- jumps ---------------------------------------------------------------------------------------------------
# Jumps of a motion at zeros of expressions, and what they do to its variations.
#
# Where h(x, t; p) passes through zero the state becomes g(x, t; p). The time of that depends on all that varies, so
# that
#
#     t′ = -(h_x S + h_p) / ḣ,    S⁺ = g_x S + g_p + (g_x f⁻ + g_t - f⁺) t′
#
# f⁻ and f⁺ being the rates before and after, ḣ = h_x f⁻ + h_t, and S and p′ the variation and how parameters move along
# it. At an event that ends the run, the last state varies by S + f t′. An event that changes nothing has a time and t′.


@dataclass(frozen=True, eq=False)
class Jump:
    """An event of a run: where it happens, what it does, and the derivatives of both by state, time and `by`."""

    equations: EquationsOfMotion
    condition: Expr
    by: tuple[Expr, ...]  # what varies beside the state
    changes: Mapping[int, Expr] | None  # new entries of the state, by index; None where nothing changes

    @property
    def state(self) -> list[Expr]:
        """The symbols of the state."""
        return [*self.equations.q, *self.equations.u, *self.equations.z]

    @cached_property
    def _slopes(self) -> tuple[list[Expr], list[Expr]]:
        """The derivatives of the condition, and those of the new entries, row by row."""
        variables, entries = [*self.state, self.equations.system.time, *self.by], [*(self.changes or {}).values()]
        changes = list(jacobian(entries, variables).entries()) if entries else []
        return list(jacobian([self.condition], variables).entries()), changes

    def time_slopes(self, values: Mapping[Expr, float], rates: Floats) -> tuple[Floats, Floats]:
        """∂t/∂x and ∂t/∂p of the time at which it happens."""
        slopes = np.array(evaluate(self._slopes[0], values))
        size = len(self.state)
        by_x, by_t, by_p = slopes[:size], slopes[size], slopes[size + 1 :]
        rate = float(by_x @ rates + by_t)
        if not abs(rate) > 0.0:
            t, cure = values[self.equations.system.time], "Choose an event that passes through zero at some rate."
            message = f"at t = {t:.6g} s an event is zero and does not change there: its time has no derivative."
            raise Stop("grazing", message, cure)
        return -by_x / rate, -by_p / rate

    def after_slopes(self, values: Mapping[Expr, float]) -> tuple[Floats, Floats, Floats]:
        """∂g/∂x, ∂g/∂t and ∂g/∂p."""
        size = len(self.state)
        matrix = np.eye(size, size + 1 + len(self.by))
        if self.changes:
            matrix[list(self.changes)] = np.array(evaluate(self._slopes[1], values)).reshape(-1, matrix.shape[1])
        return matrix[:, :size], matrix[:, size], matrix[:, size + 1 :]


def read_jumps(problem: Problem, by: Sequence[Expr]) -> Iterator[Jump]:
    """The events of a run as jumps, in the order in which it watches them; they must be expressions."""
    equations, (events, until, on) = problem.functions.equations, problem.given_events
    _ = problem.events  # raises what is wrong in any run
    entries = [*((event, None) for event in events), *(on or {}).items(), *([] if until is None else [(until, None)])]
    for event, changes in entries:
        condition = event.expression if isinstance(event, Crossing) else event
        if not isinstance(condition, Expr):
            raise _no_expression(event, "events")
        condition = expressed(equations, condition, "events")
        yield Jump(equations, condition, tuple(by), None if changes is None else _changes(equations, changes))


def _no_expression(value: Any, place: str) -> PolhodeError:
    message = f"{value!r} is no expression, and only expressions can be differentiated."
    cure = "Write it as an expression of coordinates, speeds, time and parameters."
    return PolhodeError(message, place, cure, "E-SENSITIVITY-UNSUPPORTED")


def _changes(equations: EquationsOfMotion, changes: Any) -> dict[int, Expr]:
    """New entries of the state by index, in symbols of the run; with multipliers, speeds that keep the constraints."""
    if not isinstance(changes, Mapping):
        raise _no_expression(changes, "on")
    new_values = {place_of(equations, key): expressed(equations, value, "on") for key, value in changes.items()}
    constraints, size = equations.constraints, len(equations.q)
    if constraints is None or not constraints.rows:
        return new_values
    moved = [equations.coordinates[k] for k in new_values if k < size]
    if moved:
        message = f"an event that moves '{moved[0]}' of a mechanism with constraints is not differentiated."
        raise PolhodeError(message, "on", "Change speeds alone.", "E-SENSITIVITY-UNSUPPORTED")
    if equations.dependent_speeds is not None:
        return new_values
    constraints.check_linear("an event that changes speeds is not differentiated then", "Take differences of runs.")
    speeds = {u: new_values.get(size + k, u) for k, u in enumerate(equations.u)}
    change = substitute(list(equations.projection_step[1]), speeds)
    return {**new_values, **{size + k: speeds[u] + change[k] for k, u in enumerate(equations.u)}}


def expressed(equations: EquationsOfMotion, expression: Any, place: str) -> Expr:
    """An expression in the symbols of a run; what coupled, driven and dependent joints follow is put in."""
    (value,) = substitute([as_expr(expression)], equations.tree.followed)
    (value,) = equations.in_independent_speeds([value])
    system = equations.system
    symbols = [entry.symbol for table in (system.parameters, system.inputs) for entry in table.values()]
    available = {*equations.q, *equations.u, *equations.z, *equations.tau, system.time, *symbols}
    others = [symbol for symbol in free_symbols([value]) if symbol not in available]
    if others:
        message = f"it depends on the {described(others[0])}, which this run does not have."
        cure = "Use coordinates, speeds, efforts, inputs, time and parameters of this system."
        raise PolhodeError(message, place, cure, "E-RUN-DEPENDENCE")
    return as_expr(value)


# ---- start variations ----------------------------------------------------------------------------------------
# Assembly moves what was not given until the constraints hold. Where that is determined, the same coordinates and
# speeds follow a change of parameters or of a given value:
#
#     A δ + φ′ = 0,    δ on what may move;      M (u - r)′ + (Aᵀν)′ = 0,   (A u + a)′ = 0   on the speeds not given,
#
# δ being least in assembly's weights, ν the multipliers of the least change of speeds from r. What assembly left open,
# more than the constraints ask for, is taken as where it came to rest.

#: Coordinates that move by less along a free motion of unit length are held by the constraints.
_FREE = 1e-9


def start_variations(run: SmoothRun) -> Floats:
    """∂x/∂s at the start, a column for each symbol: a start value, a parameter, an input or an effort."""
    equations, by, problem = run.functions.equations, run.symbols, run.problem
    state = [*equations.q, *equations.u, *equations.z]
    varied = np.array([[float(parameter is x) for parameter in by] for x in state]).reshape(len(state), len(by))
    for first, count in run.rates.groups:  # a start quaternion is scaled to unit length
        quaternion, rows = problem.given.q[first : first + count], varied[first : first + count]
        rows -= np.outer(quaternion, quaternion @ rows)
    rotors = problem.given.rotors
    if problem.manifold is not None:
        size, last = len(equations.q), len(equations.q) + len(equations.u)
        start = _AssembledStart(run)
        q, u = start.coordinates(varied[:size]), varied[size:last]
        if equations.dependent_speeds is None:
            u = start.speeds(q, u)
        varied = np.vstack([q, u, varied[last:]])
        rotors = rotors.beside(problem.manifold.matrix(0.0, problem.start.q, problem.start.u), equations.tree.speeds)
    for part, first in ((rotors.coordinates, 0), (rotors.speeds, len(equations.q))):
        for rotor in part:  # one that starts where its link is, unless its own start is varied
            link = first + rotor.link
            if state[first + rotor.rotor] not in by:
                slopes = evaluate(list(jacobian([rotor.ratio], by).entries()), run.known(0.0, run.x))
                varied[first + rotor.rotor] = rotor.number * varied[link] + np.array(slopes) * run.x[link]
    return varied


class _AssembledStart:
    """Variations of the start of a run with constraints."""

    def __init__(self, run: SmoothRun) -> None:
        self.problem, self.by, self.equations = run.problem, run.symbols, run.functions.equations
        self.known = run.known(0.0, run.x)

    def _values(self, entries: Iterable[Any], rows: int) -> Floats:
        return np.array(evaluate([as_expr(entry) for entry in entries], self.known)).reshape(rows, -1)

    def _along(self, entries: Sequence[Expr], q: Floats) -> Floats:
        """The derivatives of expressions of q and parameters along every column."""
        slopes = self._values(jacobian(list(entries), [*self.equations.q, *self.by]).entries(), len(entries))
        explicit = slopes[:, len(q) :].copy()
        explicit[:, [p in (*self.equations.q, *self.equations.u) for p in self.by]] = 0.0  # start values
        return slopes[:, : len(q)] @ q + explicit

    def coordinates(self, q_given: Floats) -> Floats:
        """Variations of the coordinates that assembly gives for those of the given values."""
        equations, manifold, assembly = self.equations, self.problem.manifold, self.problem.assembly
        if manifold is None or assembly is None:
            raise TypeError("a run without constraints")
        constraints, tree, size = manifold.constraints, equations.tree, len(equations.q)
        moved = equations.kept(tree.kinematic_matrix())
        gamma = self._values((entry for row in moved for entry in row), size)
        auxiliary, q, names = equations.auxiliary_coordinates, q_given.copy(), self.problem.given.given
        placed = [auxiliary.start + k for k, x in enumerate(equations.coordinates[auxiliary]) if x in names]
        wanted = q[placed]
        if constraints.definitions:
            back = (entry for row in tree.kinematic_left_inverse() for entry in equations.kept(row))
            q[auxiliary] = gamma[auxiliary] @ (self._values(back, len(tree.u)) @ q)
            q[auxiliary] += self._along(list(constraints.definition_steps), q)
        off = np.zeros((len(constraints.rows), len(self.by)))
        if constraints.positions:
            off[constraints.positions] = self._along(list(constraints.values), q)
        rows = manifold.matrix(0.0, self.problem.start.q, self.problem.start.u)
        if placed:  # joints are moved to where given auxiliary coordinates put them, without rolling there
            rows = np.vstack([rows[constraints.positions], gamma[placed]])
            off = np.vstack([off[constraints.positions], q[placed] - wanted])
        gave_way = any(name in names for name in assembly.moved)
        weights = weights_of(manifold, self.problem.given, self.problem.hold, gave_way)
        free = np.flatnonzero(np.isfinite(weights))
        answer = Factorisation.of(rows[:, free], np.diag(weights[free] ** 2))
        is_open = np.abs(gamma[:, free] @ answer.free).max(axis=1, initial=0.0) > _FREE
        if off.any() and any(name in assembly.moved for name in np.array(equations.coordinates)[is_open].tolist()):
            warn(
                "assembly could have moved the start onto its constraints in several ways: derivatives are those of a "
                "start that is given as it was assembled."
            )
        for column in range(len(self.by)):
            step = np.zeros(len(tree.u))
            step[free] = answer.least(-off[:, column])
            q[:, column] += gamma @ step
        return q

    def speeds(self, q: Floats, u: Floats) -> Floats:
        """Variations of the speeds for those of the coordinates and of the given speeds."""
        equations, problem = self.equations, self.problem
        names, rows, mass = equations.speeds, equations.stabilisation.rows, equations.mass_matrix
        kept = [k for k, name in enumerate(names) if name in problem.given.given_speeds]
        at, wanted = problem.start.u, problem.given.u
        if not np.allclose(at, wanted, rtol=1e-9, atol=1e-9):
            cure = "Give all speeds at the start, so that they keep the constraints."
            rows.check_linear("speeds that the start had to change are not differentiated then", cure)
        if len(kept) == len(names) or not np.allclose(at[kept], wanted[kept], rtol=1e-9, atol=1e-9):
            kept = []
        free = [k for k in range(len(names)) if k not in kept]
        A_all, M = self._values(rows.A.entries(), len(rows.rows)), self._values(mass.entries(), len(names))
        A = A_all[:, free]
        gap = np.zeros(len(names))
        gap[free] = at[free] - (wanted[free] if not kept else 0.0)
        nu = np.asarray(-np.linalg.lstsq(A.T, (M @ gap)[free], rcond=None)[0], dtype=np.float64)
        g, n = (
            [symbol(f"{name} {k}", "variation") for k in range(len(x))]
            for name, x in (("gap", gap), ("multiplier", nu))
        )
        self.known |= dict(zip((*g, *n), (*gap.tolist(), *nu.tolist()), strict=True))
        balance = [as_expr(a + b) for a, b in zip(mass @ Vector(g), rows.A.T @ Vector(n), strict=True)]
        forces = self._along(balance, q)[free]  # (M g + Aᵀ ν)′ at constant g and ν
        rates = self._along([row.rate for row in rows.rows], q) + A_all[:, kept] @ u[kept]
        reference = np.zeros_like(u) if kept else u
        right = np.vstack([M[np.ix_(free, free)] @ reference[free] - forces, -rates])
        K = np.block([[M[np.ix_(free, free)], A.T], [A, np.zeros((len(A), len(A)))]])
        speeds = u.copy()
        speeds[free] = np.linalg.lstsq(K, right, rcond=None)[0][: len(free)]
        return speeds
