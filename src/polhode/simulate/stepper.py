"""A stepper: the mechanism a step at a time, in a loop of one's own, for one state or a batch of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias, Unpack

import numpy as np

from ..calls import public
from ..codegen.fixed_steps import METHODS as TABLEAUX
from ..errors import (
    LimitError,
    PolhodeError,
    ShapeError,
    SimulationError,
    check_pickles,
    fault_at,
    listed,
    number,
    numbers,
    understood,
    unknown,
    whole_number,
)
from ..ode.methods.tableaux import PAIRS
from ..ode.native_events import EventLogs, EventMemory
from ..ode.native_members import MemberRows
from ..ode.native_run import NativeRun
from ..ode.record import CONSTRAINED_GROWTH, Reason
from ..ode.stepping import MemberSteps, RowSteps, Stepping
from .batch.native_batch import event_rows
from .constraints.projection import ConstrainedMembers
from .control.sampled_law import SteppedLaw
from .events import event_failed
from .guard import Stop, moving_pivots
from .initial_state import Floats, InitialState, initial_state
from .limits import limits_of_members, note_facts, noted_limits, watched_by_all
from .rates import NonFinite, Rates
from .run import on_constraints, problem_of
from .settings import (
    ADAPTIVE,
    EXPLICIT,
    FIXED,
    MOST_BYTES,
    StepperOptions,
    check_contacts,
    refuse_others,
    unknown_method,
    working,
)
from .settings import METHODS as ALL_METHODS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..formalisms.derivation import Derivation
    from .integrators.native import Integration
    from .run import Problem
    from .trajectory.record import Record

fault = fault_at("stepper")

State: TypeAlias = tuple[Floats, Floats]

#: Methods that go a step at a time.
METHODS = ("auto", *PAIRS, "taylor", "Rodas5P", "Radau", *EXPLICIT, "lie4")
#: Steps that a call takes at most.
_MOST_STEPS = 100_000


def stepper(derivation: Derivation, **options: Unpack[StepperOptions]) -> Stepper:
    """A mechanism to be taken forward by `step`, a time dt each call; the options are those of `Equations.stepper`."""
    refuse_others(options, StepperOptions, "stepper")
    return Stepper(derivation, **options)


class Stepper:
    """One state, or a batch of them, taken forward by `step`.

    `q`, `u`, `z`, `tau` and `inputs` are views of the numbers that are stepped: (n,), with a batch (N, n). They stay
    the same arrays for good: a step changes them, and what is written into them counts from the next step on.
    Copy what is to be kept.

    >>> import polhode as ph
    >>> s = ph.System("pendulum")
    >>> _ = s.joint("hinge", s.ground, s.body("bob", 1, (0, 0, -1)), ph.Revolute("y"))
    >>> st = s.derive().stepper(start={"hinge": 0.5}, dt=0.01, method="rk4")
    >>> for _ in range(100):
    ...     q, u = st.step(tau=-2 * st.u)
    >>> bool(abs(st.t - 1) < 1e-12 and abs(q[0]) < 0.3)
    True
    """

    def __init__(
        self,
        derivation: Derivation,
        *,
        dt: float | None = None,
        substeps: int = 1,
        batch: int | None = None,
        threads: int | None = None,
        **options: Any,
    ) -> None:
        self._given = {"dt": dt, "substeps": substeps, "batch": batch, "threads": threads, **options}
        self._derivation, self._is_batch = derivation, batch is not None
        self._dt = None if dt is None else number(dt, "seconds > 0", above=0.0, place="dt")
        self._members = members = SteppedMembers(derivation, substeps, batch, threads, options)
        problem, loop = members.problem, members.problem.loop
        self._known = synopsis = problem.derivation.synopsis
        n, m = len(synopsis.coordinates), len(synopsis.coordinates) + len(synopsis.speeds)
        self._start: Floats = np.zeros((members.count, m + len(synopsis.states)))
        self._start[:] = self._states(problem.first if problem.first is not None else {}, problem.speeds, slice(None))
        members.begin(self._start.copy())
        self._engine = members.engine
        row: Any = slice(None) if self._is_batch else 0
        x = self._engine.x[row]
        self._q: Floats = x[..., :n]
        self._u: Floats = x[..., n:m]
        self._z: Floats = x[..., m:]
        self._tau: Floats = members.arrays["tau"][row]
        self._inputs: Floats = members.arrays["inputs"][row]
        self._state = self._q, self._u
        self._go = members.step
        self._driven: dict[str, set[str]] = {}  # efforts and inputs that follow a law or the controller
        self._shapes: dict[str, Any] = {}  # of arrays that may be given as they are
        for kind, signal, array in (("effort", problem.tau, self._tau), ("input", problem.inputs, self._inputs)):
            controls = () if loop is None else (x.name for x in loop.law.controls if x.data[0] == kind)
            self._driven[signal.what] = driven = {*(signal.names[column] for column in signal.laws), *controls}
            self._shapes[signal.what] = None if driven else array.shape

    def __reduce__(self) -> tuple[Any, ...]:
        for name, value in self._given.items():
            check_pickles(value, name)
        memory = [self._start, *(array.copy() for array in self._members.memory)]
        return _again, (self._derivation, self._given, memory)

    def step(self, dt: float | None = None, *, tau: Any = None, inputs: Any = None) -> State:
        """Go a time dt further and return the state (q, u), the arrays that `q` and `u` are.

        Efforts and inputs are constant over the step, and stay until others are given. A state that cannot go on raises
        SimulationError; with a batch it is marked in `failed`, stays where it was, and the others go on. One that an
        event has ended stays there, too, until it is reset.
        """
        if dt is None:
            dt = self._dt
            if dt is None:
                cure = "Give step(dt), or stepper(dt=…)."
                raise PolhodeError("how far to go is not said.", "step", cure, "E-RUN-MISSING")
        elif type(dt) is not float or not 0.0 < dt < _INFINITE:
            dt = number(dt, "seconds > 0", above=0.0, place="dt")
        if tau is not None:
            if type(tau) is np.ndarray and tau.shape == self._shapes["tau"]:
                self._tau[...] = tau
            else:
                self.tau = tau
        if inputs is not None:
            if type(inputs) is np.ndarray and inputs.shape == self._shapes["inputs"]:
                self._inputs[...] = inputs
            else:
                self.inputs = inputs
        try:
            if self._go(dt):
                self._members.finish(dt)
                if not self._is_batch and self.failed:
                    synopsis = self._known
                    names = [*synopsis.coordinates, *(f"{name}'" for name in synopsis.speeds), *synopsis.states]
                    at = ", ".join(f"{name} = {x:.4g}" for name, x in zip(names, self._engine.x[0], strict=True))
                    message, cause = f"after t = {self.t:.6g} s the state cannot go on; it is {at}.", _GO_ON
                    met = self._members.problem_met
                    if isinstance(met, Stop) and synopsis.contacts:
                        message, cause = met.message, met.cure
                    raise SimulationError(message, cure=cause, code="E-RUN-FAILED") from met
        except (PolhodeError, KeyboardInterrupt):
            raise
        except Exception as error:
            failed = event_failed(f"an event function raised {type(error).__name__}: {error}")
            stop = error if isinstance(error, Stop) else failed
            raise SimulationError(stop.message, cure=stop.cure, code="E-RUN-EVENT_FAILED") from error
        return self._state

    @public
    def reset(self, start: Any = None, speeds: Any = None, *, members: Any = None) -> State:
        """Go back to the first state, or to another, at t = 0; of a batch, the members of a mask or list of indices.

        `start` and `speeds` are as of a run, or arrays with a row for each member that is reset.
        """
        chosen = self._chosen(members)
        is_given = start is not None or speeds is not None
        if self._engine.shares_time and members is not None:
            message = "forces depend on time, which the members share with fixed steps."
            raise PolhodeError(message, "reset", "Reset all members, or take an adaptive method.", "E-RUN-DEPENDENCE")
        self._engine.x[chosen] = self._states(start, speeds, chosen) if is_given else self._start[chosen]
        self._engine.t[chosen] = 0.0
        self._members.revive(chosen)
        self._go = self._members.step
        return self._state

    @public
    def begin(self, start: Any, speeds: Any) -> None:
        """Set the state, by `start` and `speeds`, to which `reset` returns."""
        self.reset(start if start is not None else {}, speeds)
        self._start = self._engine.x.copy()

    @property
    def q(self) -> Floats:
        """The coordinates; to set them, write into the array or assign. Quaternions that are assigned become unit."""
        return self._q

    @q.setter
    def q(self, given: Any) -> None:
        self._assign(self._q, given, "q")
        for first, count in self._known.quaternion_groups:
            part = self._q[..., first : first + count]
            part /= np.linalg.norm(part, axis=-1, keepdims=True)

    @property
    def u(self) -> Floats:
        """The speeds."""
        return self._u

    @u.setter
    def u(self, given: Any) -> None:
        self._assign(self._u, given, "u")

    @property
    def z(self) -> Floats:
        """The first-order states."""
        return self._z

    @z.setter
    def z(self, given: Any) -> None:
        self._assign(self._z, given, "z")

    @property
    def state(self) -> State:
        """Coordinates and speeds; to be set together, too."""
        return self._state

    @state.setter
    def state(self, given: Any) -> None:
        with understood("a pair (q, u)", given, place="state"):
            q, u = given
        self.q, self.u = q, u

    @property
    def t(self) -> Any:
        """The time, of each member of a batch."""
        return self._engine.t if self._is_batch else float(self._engine.t[0])

    @t.setter
    def t(self, given: Any) -> None:
        if self._engine.shares_time and np.ndim(given):
            raise PolhodeError("the members share one time.", "t", "Give one number.", "E-RUN-DEPENDENCE")
        times = numbers(given, "seconds", dims=(0, 1), place="t")
        if times.shape not in ((), self._engine.t.shape):
            raise _shape_error(self._engine.t.shape, times.shape, "t")
        self._engine.t[...] = times

    @property
    def modes(self) -> Any:
        """The mode of each contact, stop and dry friction: "open", "stick" or "slip"; of each member of a batch.

        They are carried from step to step, and decided anew where a state or a time was set by hand. Those of a member
        that has failed are none.
        """
        from .contact.contact_run import group_names
        from .contact.results import MODES

        members, names = self._members, group_names(self._known)
        if not names:
            return self._of_members([{} for _ in self._start])
        words: list[dict[str, str]] = []
        for i, reason in enumerate(self._engine.reasons):
            has_failed = reason != 0 and reason != Reason.ENDED
            run = None if has_failed else members.integration(i, self._dt or 1.0).contacts
            modes = [] if run is None else MODES[run.memory.modes[: len(names)]].tolist()
            words.append(dict(zip(names, modes, strict=False)))
        return self._of_members(words)

    @property
    def tau(self) -> Floats:
        """The efforts that act."""
        return self._tau

    @tau.setter
    def tau(self, given: Any) -> None:
        self._tau[...] = self._read(given, "tau", self._known.efforts)

    @property
    def inputs(self) -> Floats:
        """The inputs that act."""
        return self._inputs

    @inputs.setter
    def inputs(self, given: Any) -> None:
        self._inputs[...] = self._read(given, "inputs", tuple(self._known.inputs))

    @property
    def failed(self) -> Any:
        """True if the last step failed, for each member of a batch; `reset` clears it."""
        reasons = self._engine.reasons
        return self._of_members((reasons != 0) & (reasons != Reason.ENDED))

    @property
    def ended(self) -> Any:
        """Whether an event ended the motion; of each member of a batch. It stays there until `reset`."""
        return self._of_members(self._engine.reasons == Reason.ENDED)

    @property
    def events(self) -> Any:
        """The times of each event in the last step, those of `events`, `on` and `until`; for each member of a batch."""
        times: list[list[list[float]]] = [[[] for _ in self._members.events.watched] for _ in range(len(self._start))]
        for member, event, t in self._members.happened:
            times[member][event].append(t)
        return self._of_members(times)

    @property
    def passed_limits(self) -> Any:
        """The limits of coordinates and speeds that were passed since the last reset; for each member of a batch.

        Explicit fixed steps are tested at the end of each call, others between their ends, too.
        """
        members = self._members
        return self._of_members([noted_limits(*pair) for pair in zip(members.seen, members.limits.noted, strict=True)])

    def _of_members(self, values: Any) -> Any:
        """Values of all members of a batch, or of the one state."""
        if self._is_batch:
            return values
        return bool(values[0]) if isinstance(values, np.ndarray) else values[0]

    def __repr__(self) -> str:
        many = f", batch of {len(self._engine.x)}" if self._is_batch else ""
        return f"Stepper('{self._known.system}'{many})"

    def _assign(self, array: Floats, value: Any, name: str) -> None:
        values = _numbers(value, name)
        if values.shape not in (array.shape, array.shape[-1:]):
            raise _shape_error(array.shape, values.shape, name)
        array[...] = values

    def _read(self, acting: Any, what: str, names: Sequence[str]) -> Floats:
        """Efforts or inputs: a mapping by name, what is not named being zero, or numbers for one or all members."""
        shape, driven = (self._tau if what == "tau" else self._inputs).shape, self._driven[what]
        if driven and not (isinstance(acting, Mapping) and not driven & acting.keys()):
            message = f"{listed(sorted(driven))} of {what} follows the controller, or a law."
            raise PolhodeError(message, "step", "Give the others by name.", "E-RUN-UNSUPPORTED")
        if isinstance(acting, Mapping):
            array = np.zeros(shape)
            for name, value in acting.items():
                if name not in names:
                    kind = "effort" if what == "tau" else "input"
                    raise unknown(kind, name, names, place=f"step {what}", code="E-RUN-NAME")
                values = _numbers(value, f"step {what}")
                if values.shape not in ((), shape[:-1]):
                    message, cure = f"it has the shape {values.shape}.", "Give a number, or one for each member."
                    raise ShapeError(message, f"step {what} '{name}'", cure, "E-RUN-SHAPE")
                array[..., names.index(name)] = values
            return array
        values = _numbers(acting, what)
        if values.ndim == 0 and shape[-1:] == (1,):
            values = values[None]
        if values.shape not in (shape, shape[-1:]):
            raise _shape_error(shape, values.shape, what)
        return values

    def _chosen(self, members: Any) -> Any:
        if members is None:
            return slice(None)
        if not self._is_batch:
            message, cure = "there is one state, no members.", "Leave `members` out, or make the stepper with batch=N."
            raise PolhodeError(message, "reset", cure, "E-RUN-UNSUPPORTED")
        chosen, count = np.asarray(members), len(self._engine.x)
        if chosen.dtype == np.bool_ and chosen.shape == (count,):
            return np.flatnonzero(chosen)
        chosen = np.atleast_1d(chosen)
        if not chosen.size:
            return np.zeros(0, dtype=np.int64)
        if chosen.ndim != 1 or chosen.dtype.kind not in "iu" or chosen.min() < -count or chosen.max() >= count:
            message = f"members is no mask of {count} truth values, nor a list of indices."
            raise ShapeError(message, "reset", f"Give {count} truth values, or indices below {count}.", "E-RUN-SHAPE")
        return chosen

    def _states(self, start: Any, speeds: Any, chosen: Any) -> Floats:
        """States from what a run takes, or from arrays with a row for each member chosen."""
        members = np.arange(len(self._start))[chosen].tolist()
        if isinstance(start, tuple) and len(start) == 2 and speeds is None and np.ndim(start[0]) == 2:
            start, speeds = start
        rows = [_rows(start), _rows(speeds)]
        lengths = [len(row) for row in rows if row is not None]
        are_own = any(map(np.ndim, self._members.problem.parameters.values()))
        are_own = are_own and (self._known.has_elastic_gears or self._known.is_constrained)
        if not (self._is_batch and (lengths or are_own)):
            return self._begun(start, speeds, members)
        if any(length != len(members) for length in lengths):
            message = f"expected a row for each of {len(members)} members, got {listed(map(str, lengths))}."
            cure = "Give one state, or a row for each member that is reset."
            raise ShapeError(message, "start", cure, "E-RUN-SHAPE")
        states = []
        for k, i in enumerate(members):
            pairs = zip((start, speeds), rows, strict=True)
            at, moving = (common if by_member is None else by_member[k] for common, by_member in pairs)
            states.append(self._begun(at, moving, [i]))
        return np.array(states).reshape(len(members), -1)

    def _begun(self, start: Any, speeds: Any, members: Sequence[int]) -> Floats:
        """The state that members begin with, as the first of them does."""
        if not members:
            return self._start[:0]
        parameters = self._members.own(members[0])
        return self._members.begun(members, initial_state(self._members.problem.derivation, start, speeds, parameters))


_INFINITE = float("inf")
_GO_ON = "Take shorter steps, look at the efforts, or see the error of equations.simulate; reset continues it."


def _again(derivation: Derivation, options: Mapping[str, Any], memory: Sequence[Floats]) -> Stepper:
    """The stepper that was pickled."""
    copy = Stepper(derivation, **options)
    for array, kept in zip((copy._start, *copy._members.memory), memory, strict=True):
        array[...] = kept
    return copy


def _shape_error(expected: tuple[int, ...], actual: tuple[int, ...], place: str) -> ShapeError:
    cure = f"Give {expected[-1]} numbers" + (f", or {expected[0]} rows of them." if len(expected) > 1 else ".")
    return ShapeError(f"expected the shape {expected}, got {actual}.", place, cure, "E-RUN-SHAPE")


def _numbers(values: Any, place: str) -> Floats:
    with understood("real numbers", values, place=place):
        array = np.asarray(values)
        if array.dtype.kind not in "fiub":
            raise TypeError
        return array.astype(np.float64)


def _rows(table: Any) -> Any:
    """Start values of each member, from a mapping or rows of numbers; None if all begin alike."""
    if isinstance(table, Mapping):
        arrays = {name: value for name, value in table.items() if np.ndim(value)}
        return [{**table, **dict(zip(arrays, row, strict=True))} for row in zip(*arrays.values(), strict=False)] or None
    return table if not isinstance(table, str) and np.ndim(table) == 2 else None


# ---- members -------------------------------------------------------------------------------------------------
# Steps are left to Python where constraints are ill conditioned, where a Python function changes the state at an event,
# and where there is no native code: they are taken once more, as those of a run are.

#: What an adaptive step of a member costs beside evaluations, in instructions.
_STEP_COST = 500
#: Why a step is left to Python.
_LEFT = [int(reason) for reason in (Reason.EVENT, Reason.ILL_CONDITIONED, Reason.PROJECT, Reason.SAMPLE)]


class _InPython:
    """Members all of whose steps are left to Python."""

    shares_time = False

    def __init__(self, x: Floats) -> None:
        self.x, self.t, self.bounds = x, np.zeros(len(x)), np.full(len(x), np.inf)
        self.reasons: NDArray[np.int64] = np.zeros(len(x), dtype=np.int64)
        self.memory = [self.x, self.t, self.reasons]

    def step(self, dt: float) -> int:
        self.reasons[(self.reasons == 0) & (self.t < self.bounds)] = Reason.PROJECT
        return int((self.reasons > 0).sum())

    def revive(self, members: Any) -> None:
        self.reasons[members] = 0


class SteppedMembers:
    """The members of a stepper, by its options; `begin` with their first states, each put on its constraints."""

    def __init__(
        self, derivation: Derivation, substeps: Any, batch: Any, threads: int | None, options: dict[str, Any]
    ) -> None:
        method, synopsis = options.get("method", "auto"), derivation.synopsis
        if not isinstance(method, str) or method not in ALL_METHODS:
            raise unknown_method(method, METHODS)
        if method not in METHODS:
            cure = f"Choose one of {', '.join(METHODS)}."
            raise fault(f"the method {method} does not go a step at a time.", cure, "E-RUN-UNSUPPORTED")
        if synopsis.contacts:
            check_contacts(method)
        self.count = count = 1 if batch is None else whole_number(batch, "a whole number > 0", least=1, place="batch")
        if count * len(synopsis.coordinates) * 800.0 > MOST_BYTES:
            message = f"a batch of {count:,} would take more than {MOST_BYTES * 1e-9:g} GB."
            raise LimitError(message, "batch", "Take fewer members.", "E-RUN-SIZE")
        if synopsis.in_pseudo_velocities and moving_pivots(derivation.equations):
            message = "a stepper does not see where pseudo-velocities no longer determine the speeds."
            raise fault(message, "Use equations.simulate, or derive without them.", "E-RUN-UNSUPPORTED")
        self._substeps = whole_number(substeps, "a whole number > 0", least=1, place="substeps")
        most_steps = None if method in FIXED else _MOST_STEPS
        adapted = {"method": "DOP853" if method == "auto" else method, "max_steps": most_steps}
        self.problem = problem = problem_of(derivation, 0.0, **{**options, **adapted})
        for signal in (problem.tau, problem.inputs):
            if signal.functions:
                message = f"{signal.what} varies in time; in a loop of your own you are the controller."
                cure = f"Give st.step({signal.what}=…) at every step, or an expression."
                raise fault(message, cure, "E-RUN-UNSUPPORTED")
        for value in problem.parameters.values():
            if np.ndim(value) and len(value) != count:
                message = f"parameters have {len(value)} values for a batch of {count}."
                raise ShapeError(message, "parameters", f"Give one value, or {count}.", "E-RUN-SHAPE")
        self.control, self.events, self._threads = problem.control, problem.events, threads
        self._is_fixed = problem.control.method in FIXED
        self.arrays = {signal.what: np.tile(signal.constant, (count, 1)) for signal in (problem.tau, problem.inputs)}
        self._constrained: ConstrainedMembers | None = ConstrainedMembers.of(
            problem, lambda i: (self.own(i), self.arrays["tau"][i], self.arrays["inputs"][i])
        )
        self._by_python = np.zeros(count, dtype=np.bool_)  # members all of whose steps are left to Python
        self.happened: list[tuple[int, int, float]] = []  # member, event and time, in the last call
        self.law: SteppedLaw | None = None
        self.seen = limits_of_members(problem.functions, count, problem.parameters)
        self.limits = watched_by_all(self.seen)
        self.problem_met: Exception | None = None  # by a step in Python
        self._kept: dict[int, tuple[float, Floats, float, Integration]] = {}  # of contacts: time, state and length

    def own(self, i: int) -> dict[str, Any]:
        """The parameters of a member."""
        return {name: value[i] if np.ndim(value) else value for name, value in self.problem.parameters.items()}

    def begun(self, members: Sequence[int], first: InitialState) -> Floats:
        """A state near the one given that keeps the constraints, for members that are alike."""
        if self._constrained is None:
            return np.concatenate([first.q, first.u, first.z])
        i = members[0]
        x = self._constrained.begun(i, first, at_singular_pose=True)
        self._by_python[members] = x is None
        if x is None:
            p = self.problem
            on, _, _ = on_constraints(p.derivation, p.functions, first, (), self.own(i))
            return np.concatenate([on.q, on.u, on.z])
        for k in members:
            self._constrained.signs[k] = self._constrained.signs[i]
            if "engine" in vars(self) and isinstance(self.engine, MemberSteps):
                self.engine.members.signs[k] = self._constrained.signs[i]
        return x

    def begin(self, x: Floats) -> None:
        """Make what steps members from these states (N, n)."""
        self._first = x
        _ = self.engine
        loop, synopsis = self.problem.loop, self.problem.derivation.synopsis
        if loop is not None and loop.sampling is not None:
            arrays, p = self.arrays, self.problem
            rows = [("effort", synopsis.efforts, arrays["tau"]), ("input", tuple(synopsis.inputs), arrays["inputs"])]
            self.law = SteppedLaw(loop, p.functions, p.parameters, rows, synopsis.quaternion_groups)

    @cached_property
    def _rates(self) -> Rates:
        if self._constrained is not None and self._constrained.rates is not None:
            return self._constrained.rates
        return Rates(self.problem.functions, self.own(0), self.problem.tau, self.problem.inputs)

    @cached_property
    def engine(self) -> Stepping:
        """The object that takes the steps."""
        x, p, rates, method = self._first, self.problem, self._rates, self.control.method
        is_native = (
            not rates.has_contacts
            and rates.can_run_natively
            and (self._is_fixed or ADAPTIVE[working(method, rates)].is_native)
        )
        if not is_native or self._by_python.all():
            return _InPython(x)
        is_implicit = not self._is_fixed and ADAPTIVE[method].is_implicit
        work = rates.rows_of_members(p.parameters, is_implicit)
        is_sampled = p.loop is not None and p.loop.sampling is not None
        if method in TABLEAUX and self._constrained is None and not self.events and not is_sampled:
            function, memory = rates.functions.native(rates.of), work["work"]
            steps = RowSteps(
                function, method, tuple(rates.groups), self.count, memory if len(memory) > 1 else memory[0],
                self._substeps, self._threads, self.limits,
            )  # fmt: skip
            steps.x[:] = x
            for name in self.arrays.keys() & steps.arrays.keys():
                steps.arrays[name][:] = self.arrays[name]
                self.arrays[name] = steps.arrays[name]
            return steps
        rows = {name: array for name, array in work.items() if len(array) > 1} | self.arrays
        rows |= {f"jacobian.{name}": array for name, array in self.arrays.items()} if is_implicit else {}
        if self.count > 1 and any(map(np.ndim, p.parameters.values())):
            rows |= event_rows(p.functions, self.events, self.count, p.parameters)
        logs = EventLogs.of(self.events.effects, *x.shape) if self.events else None
        signs = self._constrained.rows_of_signs(self.count) if self._constrained is not None else None
        members = MemberRows.of(x, rows, 0, self.limits, signs, logs)
        # Python functions are called by one thread
        threads = 1 if self.events and self.events.compiled is None else self._threads
        cost = self.count * (10.0 * rates.length + _STEP_COST)
        return MemberSteps(lambda: self._run(x, logs), members, self._substeps, self.control.most_steps, threads, cost)

    def _run(self, x: Floats, logs: EventLogs | None) -> NativeRun:
        """The memory of one thread."""
        rates, control, n = self._rates, self.control, x.shape[1]
        code = rates.fixed_stepper(control.method) if self._is_fixed else rates.stepper(control.method)
        run = NativeRun(code, x[0], rtol=control.rtol, atol=control.atol, groups=rates.groups)
        run.record.bound, run.record.position_count = np.inf, rates.coordinates
        if self._constrained is not None:
            run.record.growth = CONSTRAINED_GROWTH
            if self._is_fixed:
                run.sample(np.zeros(1), np.empty((1, n)))
        if logs is not None:
            values = self.events.compiled or self._event_values
            run.watch(EventMemory(values, self.events.effects, n, run.clock, callback=run.callback, logs=logs))
        if len(self.limits.places):
            run.watch_limits(self.limits)
        rates.steps_natively(run, holds_signs=False)
        rates.differentiates_natively(run)
        return run

    def _event_values(self, t: float, x: Floats) -> list[float]:
        n = self._rates.coordinates
        return [float(event.value(t, x[:n].copy(), x[n:].copy())) for event in self.events.watched]

    @property
    def step(self) -> Callable[[float], int]:
        """The function that advances every member by a time; it returns how many have stopped, for `finish`."""
        if self.law is not None:
            return self._sampled_step
        is_python = self._by_python.any() or self._rates.has_contacts
        return self._advance if self.events or is_python else self.engine.step

    def _sampled_step(self, dt: float) -> int:
        """Step from one sample of the law to the next."""
        engine, law = self.engine, self.law
        if not isinstance(engine, MemberSteps | _InPython) or law is None:
            return 0
        happened, end = [], engine.t + dt
        while (goes_on := (engine.reasons == 0) & (engine.t < end)).any():
            law.pass_to(engine.t, engine.x, goes_on)
            engine.bounds[:] = np.minimum(law.next_times, end)
            self._advance(dt)
            happened += self.happened
        self.happened[:] = happened
        engine.bounds[:] = np.inf
        return int((engine.reasons > 0).sum())

    def _advance(self, dt: float) -> int:
        self.happened.clear()
        engine: Any = self.engine
        logs = engine.members.logs if self.events and isinstance(engine, MemberSteps) else None
        if logs is not None:
            logs.counts[:] = 0
        if not isinstance(engine, RowSteps):
            engine.reasons[self._by_python & (engine.reasons == 0) & (engine.t < engine.bounds)] = Reason.PROJECT
        stopped = int(engine.step(dt))
        if stopped:
            self.finish(dt)
        if logs is not None:
            for i in np.flatnonzero(logs.counts).tolist():
                self.happened += [(i, int(row[1]), float(row[0])) for row in logs.of_member(i)]
        return stopped

    def finish(self, dt: float) -> None:
        """Take by Python what steps are left to it; raise what a function has raised."""
        engine: Any = self.engine
        if isinstance(engine, RowSteps):
            return
        if isinstance(engine, MemberSteps) and (engine.reasons == Reason.FAILED).any():
            engine.reasons[engine.reasons == Reason.FAILED] = Reason.NAN_EVENT
            for run in engine.runs:
                run.raise_problem()
        for i in np.flatnonzero(np.isin(engine.reasons, _LEFT)).tolist():
            if isinstance(engine, MemberSteps) and engine.members.logs is not None:
                engine.members.logs.counts[i] = 0
            self._step_in_python(engine, i, dt)

    def _alone(self, i: int, x: Floats, dt: float) -> Problem:
        """A member as a run of its own."""
        p, n = self.problem, self._rates.coordinates
        tau, inputs = (replace(signal, constant=self.arrays[signal.what][i].copy()) for signal in (p.tau, p.inputs))
        control = replace(self.control, fixed_step=dt / self._substeps) if self._is_fixed else self.control
        m = n + len(p.derivation.synopsis.speeds)
        first = InitialState(x[:n], x[n:m], (), z=x[m:])
        return replace(p, parameters=self.own(i), tau=tau, inputs=inputs, first=first, control=control, loop=None)

    def integration(self, i: int, dt: float) -> Integration:
        """The run of a member with contacts: the previous one if its state is unchanged, else a new one."""
        t, x = float(self.engine.t[i]), self.engine.x[i]
        at, there, length, kept = self._kept.get(i, (np.nan, x, dt, None))
        if kept is None or at != t or (self._is_fixed and length != dt) or not np.array_equal(there, x):
            kept = self._alone(i, x.copy(), dt).integration(t, t + dt, self.events)
            self._kept[i] = t, x.copy(), dt, kept
        return kept

    def _with_contacts(self, i: int, end: float, dt: float) -> Record:
        """A step of a member with contacts."""
        run = self.integration(i, dt)
        del self._kept[i]  # for good, if it fails
        record = run.go_on(end, self.arrays["tau"][i], self.arrays["inputs"][i])
        t, x = record.last
        self._kept[i] = t, x.copy(), dt, run
        return record

    def _step_in_python(self, engine: Any, i: int, dt: float) -> None:
        t = float(engine.t[i])
        end = min(t + dt, float(engine.bounds[i]))
        try:
            if self._rates.has_contacts:
                record = self._with_contacts(i, end, dt)
            else:
                record = self._alone(i, engine.x[i].copy(), dt).go_on(t, end, self.events)
        except (NonFinite, Stop, PolhodeError) as problem:
            engine.reasons[i], self.problem_met = Reason.NONFINITE, problem
            return
        engine.t[i], engine.x[i] = record.last
        engine.reasons[i] = Reason.ENDED if record.info["status"] == "event" else 0
        note_facts(self.seen[i], self.limits.noted[i], record.info)
        for event, times in enumerate(record.info.get("events", ())):
            self.happened += [(i, event, time) for time in times]

    @property
    def memory(self) -> list[Any]:
        """Arrays from which a stepper continues."""
        law = [] if self.law is None else self.law.memory
        return [*self.engine.memory, *self.arrays.values(), self.limits.noted, *law]

    def revive(self, members: Any) -> None:
        """Let members go on from states that were written into their rows."""
        self.engine.revive(members)
        self.happened.clear()
        for i in np.arange(self.count)[members].tolist():
            self._kept.pop(i, None)
        self.limits.noted[members] = np.nan, -np.inf
        if self.law is not None:
            self.law.reset(members)
