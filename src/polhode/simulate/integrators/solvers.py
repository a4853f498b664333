"""Solvers of SciPy, and of SUNDIALS by scikit-sundae: they choose and take the steps of a run.

All else, projection, events, time events, samples and limits, is by the functions of `ode.loop`, in plain Python
(`SolverRun`), and what they return for is handled as in native runs. States inside a step are by the solver's own
interpolant. Under a controller steps end at the samples, so that what is recorded there did act; multistep methods
choose their own, and what acted is interpolated between their steps.

IDA is implicit, and constraints enter it as a differential-algebraic system of index one in (q, u, λ):

    q̇ - Γ u = 0,    M u̇ + bias - τ - Aᵀ λ = 0,    A u̇ + γ + 2α (A u + a) + α² φ = 0

CVODE steps ẋ = f(t, x), by backward differences with the compiled Jacobian of the rates where there is one, or by the
methods of Adams.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ...errors import installed
from ...native.compiled import Compiled
from ...ode import event_handling, loop
from ...ode.native_events import Effect, EventMemory
from ...ode.native_run import NativeRun
from ...ode.record import (
    CONSTRAINED_GROWTH,
    CORNERS,
    FAR,
    HEAD,
    PROJECTION,
    SEARCH_ROOM,
    SWALLOWED,
    Events,
    Reason,
    Run,
    padded,
)  # fmt: skip
from ..guard import Stop
from ..initial_state import Floats
from ..rates import Rates
from ..settings import ADAPTIVE, Control
from .native import Integration

if TYPE_CHECKING:
    from ..constraints.projection import ProjectedRates
    from ..discontinuities import Located

_Result = TypeVar("_Result")
#: How much less exactly forces are wanted than positions and speeds, which they do not harm when they are noisy.
_FORCES = 1e3
#: Steps that a solver takes in one call.
_MANY = 10_000
#: So many steps in a row that rounding swallows end a run.
_MOST_SWALLOWED = 50


class SolverIntegration(Integration):
    """One run by a solver."""

    run: SolverRun
    tables: HeldTables | None = None  # that jump

    def _schedule(self, size: int) -> None:
        """Time events are passed one by one."""

    def _of_method(self, method: str, t: float, x: Floats) -> SolverRun:
        self.jumps = self.guard.discontinuities
        run = SolverRun(self.rates, self.control, t, x)
        run.record.times, run.record.samples = self.times, self.states.reshape(-1)
        run.record.sample_count = len(self.times)
        self.tables = self.tables or _held_tables(self.rates)
        count = 0 if self.rates.signs is None else len(self.rates.signs.modes)
        effects = [*self.events.effects, *[Effect(is_switch=True)] * count]
        effects += [] if self.tables is None else [effect for effect in self.tables.located.effects if effect.corners]
        if effects:
            run.watch(PlainEvents(effects, len(x), self._event_values))
        if self.limits is not None:
            run.watch_limits(self.limits.watched)
        self._natively(run)
        return run

    def _natively(self, run: SolverRun) -> None:  # type: ignore[override]  # as `run`
        """Hold the signs of the rates, taken again if the rates have new ones."""
        if self.jumps is not None and self.jumps.is_old:
            self.jumps.start(float(run.record.t), run.x.copy())
        if self.tables is not None:
            run.record.has_corners = 1
        if self.rates.signs is not None or self.tables is not None:
            events: Any = run.events
            events.switch_by(self.rates, self.tables)

    def _event_values(self, t: float, x: Floats) -> list[float]:
        return self.run.in_user_code(lambda: [self._event_value(k, t, x) for k in range(len(self.events.watched))])

    @property
    def _goal(self) -> float:
        if ADAPTIVE[self.control.method].is_multistep:
            return min(self.rates.before_break, self.end)
        return super()._goal


class HeldTables:
    """Rates in which tables are read between bounds, as in native runs; called as compiled rates are."""

    def __init__(self, rates: Rates, located: Located, smooth: Compiled, values: Compiled) -> None:
        self.located, self._rates, self.smooth, self.values = located, rates, smooth, values
        self.bounds = np.tile([-FAR, FAR, -FAR, FAR], len(located.corners))
        self.held = [self.bounds] if rates.signs is None else [rates.signs.modes, self.bounds]
        self.arrays = self.smooth.arrays[: -len(self.held)]

    def __call__(self, *arrays: Floats) -> Any:
        return self.smooth(*arrays, *self.held)

    def switches(self, t: float, x: Floats) -> Floats:
        """Values that vanish where steps end, and the arguments of the tables."""
        drive, signs = self._rates.drive, self._rates.signs
        arguments = {"t": np.array([self._rates.within(t)]), "alpha": self._rates.alpha, "bounds": self.bounds}
        arguments |= {"x": x, "tau": drive.tau, "inputs": drive.inputs}
        arguments |= {} if signs is None else {"modes": signs.modes}
        return np.asarray(self.values(*(arguments[name] for name in self.values.arrays)))


def _held_tables(rates: Rates) -> HeldTables | None:
    """The tables of a run whose values jump, where rates are compiled and no other table is read."""
    located = None if rates.is_constrained or rates.groups or not rates.is_autonomous else rates.located
    if located is None or not all(corner.jumping for corner in located.corners):
        return None
    if located.smooth is None or located.values is None:
        return None
    held = HeldTables(rates, located, located.smooth, located.values)
    rates.native, rates.locates_corners = held, True  # type: ignore[assignment]  # it is called alike
    return held


class SolverRun(NativeRun):
    """A run whose steps a solver takes; what native code does in other runs is done by the same functions in Python."""

    implicit = kept_steps = None
    steps_before = 0
    calls_python = is_in_user_code = False
    loop: Any = event_handling
    address: Any  # the record itself

    def __init__(self, rates: Rates, control: Control, t: float, x: Floats) -> None:
        self.rates, self.size, width = rates, len(x), padded(len(x))
        self._kept = {}
        self.method = ADAPTIVE[control.method]
        self._make = partial(
            solver_named(control.method), rates, max_step=control.largest_step, rtol=control.rtol, atol=control.atol
        )
        self._solver: Any = None
        self._interpolant: Callable[[float], Floats] | None = None
        self.message, self._swallowed = "", 0
        arrays = {name: np.zeros(width) for name in ("x", "x_old", "f", "f_old", "y", "unit")}
        self.record: Any = Run(
            t=t, size=self.size, blocks=width // 4, bound=np.inf, each_step=1, is_constrained=int(rates.is_constrained),
            begin_method=self._begin, rates=self._rates, project=self._project, state_at=self._state_at, **arrays,
        )  # fmt: skip
        self.address = self.record
        self.x, self.f, self.x_old = (arrays[name][: self.size] for name in ("x", "f", "x_old"))
        self.x[:] = x

    # ---- what the loop calls -----------------------------------------------------------------------------------

    def _begin(self, run: Run) -> int:
        self._solver = None
        return self._rates(run, run.t, self.x, self.f)

    def _rates(self, run: Run, t: float, x: Floats, out: Floats) -> int:
        out[: self.size] = self.in_user_code(lambda: self.rates(t, x[: self.size].copy()))
        return 0

    def _project(self, run: Run, t: float, x: Floats) -> int:
        projected = self.rates.projected_natively(t, x[: self.size])
        if projected is None:
            return int(Reason.PROJECT)
        x[: self.size] = projected
        return 0

    def _state_at(self, run: Run, t: float, x: Floats) -> int:
        if self._interpolant is None:
            self._interpolant = self._solver.dense_output()
        x[: self.size] = self._interpolant(t)
        return 0

    # ---- the calls of a native run -----------------------------------------------------------------------------

    def keep_steps(self, count: int) -> None:
        """No steps are kept."""

    def restart(self, rate: Floats) -> None:
        """Restart from the current state with other rates."""
        self.f[:] = rate
        if self.method.is_multistep:
            self._solver = None

    def advance(self, t_end: float, budget: int) -> Reason:
        """Steps to t_end, or as many as the budget allows, or until there is another reason to return."""
        self.record.t_end = t_end
        try:
            while True:
                # without a budget the loop finishes the last step, and returns before the next
                reason = Reason(loop.advance(self.record))
                if reason != Reason.BUDGET or not budget:
                    return reason
                if not self._step():
                    return Reason.UNDERFLOW
                budget -= 1
        finally:
            self.record.interrupted = 0

    def _step(self) -> bool:
        """One step of the solver; False where it finds none."""
        run, solver = self.record, self._solver
        if solver is None:
            solver = self._solver = self._make(run.t, self.x.copy(), run.t_end)
        elif not self.method.is_multistep:
            solver.t, solver.y, solver.f = run.t, self.x.copy(), self.f.copy()
        solver.t_bound, solver.status = run.t_end, "running"
        wanted = getattr(solver, "h_abs", 0.0)
        message = self.in_user_code(solver.step)
        self._swallowed = self._swallowed + 1 if solver.t - run.t <= SWALLOWED * abs(solver.t) else 0
        if solver.status == "failed":
            self.message = message or "the solver gave up"
            return False
        if self._swallowed > _MOST_SWALLOWED:
            self.message = "its steps are swallowed by rounding"
            return False
        if not np.isfinite(solver.y).all():
            raise Stop(
                "nonfinite",
                f"after t = {solver.t_old:.6g} s the solver returned a state that is not finite.",
                "Use DOP853 or Radau, or tighter tolerances.",
            )
        run.t_old, run.t, run.taken = run.t, float(solver.t), float(solver.t) - run.t
        run.h = getattr(solver, "h_abs", run.taken)
        if not self.method.is_implicit:
            solver.h_abs = min(solver.h_abs, CONSTRAINED_GROWTH * run.taken)
            if run.t == run.t_end:  # a step that was cut short is no reason to go on with short ones
                solver.h_abs = max(solver.h_abs, wanted)
        run.x_old[:], run.f_old[:], self.x[:] = run.x, run.f, solver.y
        rate = getattr(solver, "f", None)
        self.f[:] = rate if isinstance(rate, np.ndarray) else self.rates(run.t, self.x.copy())
        run.steps += 1
        run.pending, self._interpolant = PROJECTION, None
        return True

    def in_user_code(self, call: Callable[[], _Result]) -> _Result:
        """The result of a call in which an interrupt is raised at once."""
        self.is_in_user_code = True
        try:
            return call()
        finally:
            self.is_in_user_code = False

    def state_at(self, t: float) -> Floats:
        """The state at a time within the last step."""
        x = np.zeros(self.size)
        self._state_at(self.record, t, x)
        return x

    def watch(self, events: Any) -> None:
        """Locate these events, and do what happens at them."""
        events.run, self._kept["events"] = self.record, events
        self.record.events, self.record.event_count = events.record, len(events.effects)

    def watch_limits(self, limits: Any) -> None:
        """Note from now on which of these limits are passed."""
        run = self.record
        run.limit_count, run.limit_places = len(limits.places), limits.places
        run.limits, run.limits_noted = limits.rows.reshape(-1), limits.noted.reshape(-1)
        run.limits_before = np.zeros(2 * len(limits.places))


class PlainEvents(EventMemory):
    """The events of a run in plain Python; `values` is a function of t and x."""

    def __init__(self, effects: Sequence[Effect], size: int, values: Callable[[float, Floats], list[float]]) -> None:
        count = len(effects)
        self.effects, self.size = effects, size
        self._numbers = {name: np.zeros(count) for name in ("values", "directions", "before", "sides", "near", "times")}
        self._numbers["directions"][:] = [effect.direction for effect in effects]
        room = count + sum(effect.kind == CORNERS for effect in effects)  # the values, and arguments of tables
        self.values = self._numbers["values"] = np.zeros(room)
        self._log = np.empty((64, HEAD + 2 * size))
        self.record: Any = Events(
            count=count, changed_at=-1e300, work=np.zeros(SEARCH_ROOM * count), nodes=np.zeros(64), at=self._evaluate,
            arguments=[None], kinds=[e.kind for e in effects], smooth=[int(e.is_smooth) for e in effects],
            change_at=[self._changes(k) for k in range(count)], change_arguments=[[None]] * count,
            change_counts=[len(e.places) for e in effects], change_places=[e.places for e in effects],
            change_values=[np.zeros(len(effect.places)) for effect in effects],
            log=self._log.reshape(-1), log_room=len(self._log), **self._numbers,
        )  # fmt: skip
        self._values = values
        self.run: Run

    def _evaluate(self, arguments: Any) -> None:
        values = self._values(self.run.clock, arguments[0][: self.size].copy())
        self._numbers["values"][: len(values)] = values

    def _changes(self, k: int) -> Callable[[Any], None]:
        """The callback that writes the new values of entries of the state at event k."""

        def fill(arguments: Any) -> None:
            function = self.effects[k].change
            if function is not None:
                x = arguments[0][: self.size].copy()
                self.record.change_values[k][:] = function(x, np.array([self.run.clock]))

        return fill

    # native events take code
    def switch_by(self, rates: Rates, tables: HeldTables | None) -> None:  # type: ignore[override]
        """Take the last events, which are switches and corners, from the rates, whose signs and tables are held."""
        record, modes = self.record, rates.signs.modes if rates.signs is not None else np.zeros(0)
        record.corner_count = 0 if tables is None else len(tables.located.corners)
        count = record.switch_count = len(modes) + record.corner_count
        record.signs, record.switch_arguments = modes, [None]
        for name, array in ({} if tables is None else self.corner_arrays(tables.bounds)).items():
            setattr(record, name, array)

        def evaluate(arguments: Any) -> None:
            t, x = self.run.clock, arguments[0][: self.size].copy()
            first = len(self.effects) - count
            if tables is None:
                self.values[first:] = rates.switches(t, x)
            else:
                values = tables.switches(t, x)
                self.values[first : first + count] = values[:count]
                self.values[len(self.effects) :] = values[len(values) - record.corner_count :]

        record.switch_at = evaluate

    def grow(self) -> None:
        """Have room for more."""
        self._log = np.concatenate([self._log, np.empty_like(self._log)])
        self.record.log, self.record.log_room = self._log.reshape(-1), len(self._log)


def solver_named(name: str) -> Callable[..., Any]:
    """SciPy's solver behind "scipy.", IDA, or CVODE; or a sentence that says how to get the last two."""
    if name.startswith("scipy."):
        from scipy import integrate

        solver: Callable[..., Any] = getattr(integrate, name.removeprefix("scipy."))
        return solver
    what = f"SUNDIALS, which the method '{'ida' if name == 'ida' else 'cvode'}' needs,"
    installed("sksundae", "sundials", what, or_else=', or use method="Radau"', code="E-RUN-UNSUPPORTED")
    return IdaSolver if name == "ida" else partial(CvodeSolver, method="BDF" if name == "cvode" else "Adams")


class _SundialsSolver:
    """A solver with the face of SciPy's: `step`, `t`, `t_old`, `y`, `status`, `dense_output`."""

    solver: Any

    def __init__(self, rates: Rates, t: float, x: Floats, t_bound: float, max_step: float, **tolerances: float) -> None:
        self.rates, self.t, self.t_old, self.y, self.t_bound = rates, t, t, np.array(x), t_bound
        self.control: dict[str, Any] = {"max_step": 0.0 if np.isinf(max_step) else max_step, "max_num_steps": _MANY}
        self.control |= tolerances
        self.size, self.status = len(x), "running"
        self.failed: BaseException | None = None

    def _fill(self, out: Floats, evaluate: Callable[[], Floats]) -> None:
        """Fill the solver's array; what is raised is kept, since it must not pass through the solver's own code."""
        if self.failed is None:
            try:
                out[:] = evaluate()
                return
            except BaseException as failed:
                self.failed = failed
        out[:] = np.nan

    def step(self) -> str | None:
        """One internal step."""
        self.t_old = self.t
        step = self._onestep()
        if step.success and float(np.ravel(step.t)[-1]) <= self.t:  # after a look back, it first returns to its place
            step = self._onestep()
        if self.failed is not None:
            raise self.failed
        if not step.success:
            self.status = "failed"
            return str(step.message)
        self.t, self.y = float(np.ravel(step.t)[-1]), np.array(np.atleast_2d(step.y)[-1][: self.size])
        if self.t >= self.t_bound:
            self.status = "finished"
        return None

    def _onestep(self) -> Any:
        return self.solver.step(self.t_bound, method="onestep", tstop=self.t_bound)

    def dense_output(self) -> Callable[[Any], Floats]:
        """States inside the last step, from the solver's own polynomial."""

        def interpolant(times: Any) -> Floats:
            instants = np.atleast_1d(np.asarray(times, dtype=np.float64))
            states = [self._at(float(t)) for t in instants]
            return np.array(states[0] if np.ndim(times) == 0 else np.transpose(states))

        return interpolant

    def _at(self, t: float) -> Floats:
        if t == self.t:
            return self.y
        result = self.solver.step(t, method="normal", tstop=self.t_bound)
        return np.array(np.atleast_2d(result.y)[-1][: self.size])


class IdaSolver(_SundialsSolver):
    """IDA."""

    def __init__(self, rates: Rates, t: float, x: Floats, t_bound: float, **control: float) -> None:
        from sksundae.ida import IDA

        super().__init__(rates, t, x, t_bound, **control)
        first = rates(t, x)
        residual: Callable[..., Floats] = self._plain
        multipliers = np.zeros(0)
        from ..constraints.projection import ProjectedRates

        if isinstance(rates, ProjectedRates):
            residual, multipliers = partial(self._constrained, rates), rates.multipliers(t, x)
        y = np.concatenate([x, multipliers])
        absolute = np.full(len(y), control["atol"])
        absolute[self.size :] *= _FORCES

        def resfn(t: float, y: Floats, yp: Floats, res: Floats) -> None:
            self._fill(res, lambda: residual(t, y, yp))

        algebraic = list(range(self.size, len(y))) or None
        self.solver = IDA(resfn, **{**self.control, "atol": absolute}, algebraic_idx=algebraic)
        self.solver.init_step(t, y, np.concatenate([first, np.zeros_like(multipliers)]))

    def _plain(self, t: float, y: Floats, yp: Floats) -> Floats:
        return np.asarray(yp - self.rates(t, np.array(y)))

    def _constrained(self, rates: ProjectedRates, t: float, y: Floats, yp: Floats) -> Floats:
        rates.evaluations += 1
        n = self.size
        return rates.residual(t, np.array(y[:n]), yp[:n], y[n:])


class CvodeSolver(_SundialsSolver):
    """CVODE."""

    def __init__(self, rates: Rates, t: float, x: Floats, t_bound: float, *, method: str, **control: float) -> None:
        from sksundae.cvode import CVODE

        super().__init__(rates, t, x, t_bound, **control)
        jacobian = rates.jacobian if method == "BDF" else None

        def rhsfn(t: float, y: Floats, yp: Floats) -> None:
            self._fill(yp, lambda: rates(t, np.array(y)))

        def jacfn(t: float, y: Floats, yp: Floats, JJ: Floats) -> None:
            if jacobian is not None:
                self._fill(JJ, lambda: jacobian(t, np.array(y)))

        self.solver = CVODE(rhsfn, method=method, jacfn=None if jacobian is None else jacfn, **self.control)
        self.solver.init_step(t, self.y)
