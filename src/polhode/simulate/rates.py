"""The right-hand side of a run: x = (q, u, z) to its rate, through native code.

A quaternion is used at unit length inside the equations, and its rate is multiplied by its length: Γ is linear in the
quaternion, so that ė = Γ(e) ω turns e whatever its length, and a length that has drifted by rounding changes nothing in
the motion. This holds for every integrator, whether it can be corrected between steps or not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..codegen.fixed_steps import METHODS
from ..compiled.functions import Functions
from ..compiled.quantities import FunctionKey, label_of
from ..errors import ModelError
from ..native.arrays import scale_quaternions
from ..native.compiled import Compiled
from ..ode.native_code import inlined_code, taylor_code, traits_of
from ..ode.native_run import NativeRun
from ..ode.record import FAR
from .control.actuation import Actuation, Breaks, Signal
from .initial_state import Floats

if TYPE_CHECKING:
    from ..ode.native_code import MethodCode
    from ..ode.native_events import EventMemory
    from ..ode.native_lanes import LaneCode, LaneRuns
    from ..ode.native_members import MemberRows
    from .discontinuities import FixedSigns, Located


#: Accelerations that unit efforts add may be so many times smaller than those that are there: two digits are lost.
_SMALL_BESIDE = 100.0


#: The arrays of signs and of bounds of tables that are held (`codegen.passes.switches`).
_MODES, _BOUNDS = "modes", "bounds"


#: Rates of mechanisms with contacts, by those without.
_WITH_CONTACTS = {"state_rates": "contact_motion", "kept_rates": "kept_contact_motion"}


class NonFinite(Exception):
    """The right-hand side gave something that is not a number."""

    def __init__(self, t: float, x: Floats, rate: Floats) -> None:
        super().__init__()
        self.t, self.x, self.rate = t, x, rate


class Rates:
    """A function of time and state that counts its calls and stops at the first value that is not finite."""

    def __init__(
        self,
        functions: Functions,
        parameters: Mapping[str, Any] | None,
        tau: Signal,
        inputs: Signal,
        of: FunctionKey = "state_rates",
    ) -> None:
        self.impacts = "moreau"  # the law of impacts
        self.has_contacts = bool(functions.derivation.synopsis.contacts)
        self.of = _WITH_CONTACTS.get(label_of(of), of) if self.has_contacts else of
        self.drive = Actuation(functions, parameters, tau, inputs)
        self.breaks = Breaks()
        self._piece, self._next = (-np.inf, np.inf), 0  # times of the piece between breaks, and the break that ends it
        self.groups = functions.derivation.synopsis.quaternion_groups
        self.coordinates = len(functions.derivation.synopsis.coordinates)
        self.evaluations = 0
        self.alpha = np.zeros(1)
        self._time = np.zeros(1)
        self.use(functions, parameters)

    def use(self, functions: Functions, parameters: Mapping[str, Any] | None) -> None:
        """Use these functions from now on, with the laws of the run in them."""
        functions = self.drive.driving(functions)
        self.functions, self.given = functions, parameters
        compiled: Compiled = functions.native(self.of)  # first: where it is stored, so are the values of its parameters
        values = functions.parameter_values(self.of, parameters)
        self.signs = self._signs(values)
        self._compiled = compiled.with_parameters(values)
        self.native = self.signs or self._compiled
        self._values: Floats = values
        self._located: Located | None = None
        self.locates_corners = False  # of tables, in the run
        self._more = self.native.arrays[2:]

    @property
    def is_surely_smooth(self) -> bool:
        """Whether there is nothing in mechanism and laws that might jump: no sign, no table, no user's function."""
        return self.functions.derivation.synopsis.is_smooth and self.functions.laws is None

    @property
    def is_smooth(self) -> bool:
        """Whether the rates have no jump and no kink, in laws either, and no function of a user's own."""
        return self.can_step_natively and (self.is_surely_smooth or traits_of(self._compiled).has_series)

    @property
    def may_hide(self) -> bool:
        """True if the rates may have something in them that is short in time or space, which a step can miss."""
        return self._compiled.backend == "numpy" or traits_of(self._compiled).may_hide

    def _signs(self, values: Floats) -> FixedSigns | None:
        """The rates with their signs fixed, where there are any."""
        if self.is_surely_smooth:
            return None
        from .discontinuities import with_fixed_signs

        return with_fixed_signs(self.functions, self.of, values)

    @property
    def is_autonomous(self) -> bool:
        """True if evaluations call no Python controller, so that steps can stay in native code."""
        return not self.drive.calls_python

    @property
    def can_step_natively(self) -> bool:
        """Whether native integrators can call the rates without Python."""
        return not (self.drive.calls_python or self.signs is not None or self._compiled.backend == "numpy")

    @property
    def can_run_natively(self) -> bool:
        """Whether native integrators can step the rates, with Python functions of efforts and inputs too."""
        return self._compiled.backend != "numpy" or (self.signs is None and not self.is_constrained)

    def steps_natively(self, run: NativeRun, holds_signs: bool = True) -> None:
        """Let a native run step these rates; functions of efforts and inputs are called before each evaluation."""
        if self._compiled.backend == "numpy":
            run.use(run.python(self))
            return
        signs = self.signs if holds_signs else None
        held = self._held if signs is None else {**self._held, _MODES: signs.modes}
        function = self._compiled if signs is None else signs.smooth
        if run.bounds is not None and self.located is not None and self.located.smooth is not None:
            function, held = self.located.smooth, {**held, _BOUNDS: run.bounds}
        side = run.compiled(function, held)
        if self.drive.calls_python:  # efforts and inputs at a state, in the arrays that native code reads
            side = run.prompted(side, lambda t, x: self.drive.plain(self.within(t), x))
        run.use(side)

    @property
    def located(self) -> Located | None:
        """The zeros at which steps are divided, of jumps and kinks of the rates; None if there are none."""
        if self.is_surely_smooth or self._compiled.backend == "numpy":
            return None
        if self._located is None:
            from .discontinuities import Located

            self._located = Located(self.functions, self.of, self._values, self.signs)
        return self._located if self._located.count else None

    def divide_steps(self, run: NativeRun, events: EventMemory) -> None:
        """Let a native run take the last of its events from the rates."""
        if self.located is not None and self.located.values is not None:
            modes = np.zeros(1) if self.signs is None else self.signs.modes
            bounds = np.tile([-FAR, FAR, -FAR, FAR], len(self.located.corners))
            side = run.compiled(self.located.values, {**self._held, _MODES: modes, _BOUNDS: bounds})
            events.switch_by(side, modes, bounds)
            if len(bounds):
                run.bounds, run.record.has_corners, self.locates_corners = bounds, 1, True

    def stepper_in_lanes(self, method: str) -> LaneCode | None:
        """The native code of a method for several runs side by side; None where they would not have the same bits."""
        from ..ode.native_lanes import lane_code

        return lane_code(method, self._compiled, tuple(self.groups))

    def steps_in_lanes(self, code: LaneCode, like: NativeRun, members: MemberRows) -> LaneRuns:
        """Members in lanes that step these rates, with all that is set of a run."""
        from ..ode.native_lanes import LaneRuns

        return LaneRuns(code, like, self._compiled, self._held, members)

    def rows_of_members(self, parameters: Mapping[str, Any], implicit: bool) -> dict[str, Floats]:
        """Set-up values of parameters, computed before stepping, by reader: one row a member, or one for all."""
        read = {"work": (self.functions, self.of)}
        if implicit and self._derivatives() is not None:
            read["jacobian.work"] = self.functions, f"{self.rates_alone}_jacobian"
        return set_up(read, parameters)

    def rows_of_switches(self, parameters: Mapping[str, Any]) -> dict[str, Floats]:
        """The same for what divides steps, and for rates with tables between bounds."""
        if self.located is None:
            return {}
        values = np.ascontiguousarray(np.atleast_2d(self.functions.parameter_values(self.of, parameters)))
        read = {"switches.work": self.located.values, "work": self.located.smooth}
        return {name: function.native.setup(values) for name, function in read.items() if function is not None}

    @property
    def rates_alone(self) -> str:
        """Name of the function of the rates without terms that depend on constraints."""
        return "state_rates"

    @property
    def length(self) -> int:
        """Number of instructions of the rates."""
        return self._compiled.outline.length

    @property
    def has_series(self) -> bool:
        """Whether the rates have Taylor series: all in the equations, and smooth."""
        is_free = self.can_step_natively and not self.is_constrained and not self.has_contacts
        return is_free and traits_of(self._compiled).has_series

    def stepper(self, method: str) -> str | MethodCode:
        """The native code of a method: its name, or for Taylor series, code of these rates alone."""
        return taylor_code(self._compiled) if method == "taylor" else method

    def fixed_stepper(self, method: str) -> str | MethodCode:
        """The native code of a method with fixed steps; around the kernel of the rates where nothing else acts."""
        is_plain = method in METHODS and self.can_step_natively and not self.is_constrained and not self.has_contacts
        return inlined_code(self._compiled, method, tuple(self.groups)) if is_plain else method

    def differentiates_natively(self, run: NativeRun) -> bool:
        """Give an implicit native run the compiled derivatives of the rates; whether there are any."""
        derivatives = None if run.implicit is None else self._derivatives()
        if derivatives is None or run.implicit is None:
            return False
        run.implicit.compiled(run.compiled(derivatives, self._held))
        return True

    @property
    def jacobian(self) -> Callable[[float, Floats], Floats] | None:
        """∂ẋ/∂x as a compiled function of time and state; None where there is none, or quaternions are stored."""
        slopes = None if self.groups else self._derivatives()
        if slopes is None:
            return None
        return lambda t, x: slopes(x, *({**self._held, "t": np.array([t])}[name] for name in slopes.arrays[1:]))[0]

    @property
    def _held(self) -> dict[str, Floats]:
        return {"tau": self.drive.tau, "inputs": self.drive.inputs, "alpha": self.alpha}

    def _derivatives(self) -> Compiled | None:
        """The compiled derivatives of the rates."""
        if not self.can_step_natively or self.has_contacts:
            return None
        name = f"{self.rates_alone}_jacobian"
        try:
            native: Compiled = self.functions.native(name)
        except ModelError as problem:
            if problem.problems[0].code != "E-FUNCTION-DERIVATIVE":
                raise
            return None
        return native.with_parameters(self.functions.parameter_values(name, self.given))

    def actuation(self, t: float, x: Floats) -> Floats:
        """Plain efforts and inputs at a state in one array; a second call at the same state is free."""
        if self.groups:
            x, _ = self.unit(x)
        return np.concatenate(self.drive.plain(t, x))

    # ---- pieces between breaks -------------------------------------------------------------------------------

    def start(self, x: Floats, end: float) -> None:
        """Find the breaks of a run that ends at a time, and begin its first piece."""
        self.breaks = self.drive.breaks(end)
        self._next = 0
        self._begin(-1, 0.0, self.breaks.start, -np.inf, x, 0.0)

    @property
    def next_break(self) -> float:
        """End time of the current segment; infinity for the last."""
        return float(self.breaks.times[self._next]) if self._next < len(self.breaks) else np.inf

    @property
    def before_break(self) -> float:
        """The latest time of the piece; infinity for the last."""
        return self._piece[1]

    def begin(self, t: float, x: Floats, slack: float = 0.0) -> bool:
        """Begin the next piece if a time is at a break, or past it by a rounding error; whether it was."""
        if t < self.next_break - slack:
            return False
        at, before = self.next_break, float(self.breaks.before[self._next])
        self._next += 1
        self._begin(self._next - 1, at, at, before, x, slack + 1e-12 * at)
        return True

    @property
    def passed(self) -> int:
        """Number of breaks that the run has passed."""
        return self._next

    def pass_to(self, number: int, states: Floats) -> None:
        """Continue in the segment after so many breaks, which native code has passed with these states."""
        if number > self._next:
            rows = slice(self._next, number)
            x = states[rows].copy()
            scale_quaternions(x, self.groups)
            self.drive.passed(self._next, self.breaks.times[rows], self.breaks.before[rows], x)
            self._next = number
            self._piece = float(self.breaks.times[number - 1]), self._last

    @property
    def _last(self) -> float:
        """The latest time of the piece at which the run is."""
        return float(self.breaks.before[self._next]) if self._next < len(self.breaks) else np.inf

    def _begin(self, number: int, t: float, first: float, before: float, x: Floats, slack: float) -> None:
        self._piece = first, self._last
        self.drive.begin(number, t, before, self.unit(x)[0] if self.groups else x, slack)

    def within(self, t: float) -> float:
        """The time, kept inside the piece: at its end what holds before the break is meant."""
        first, last = self._piece
        return min(max(t, first), last)

    def __call__(self, t: float, x: Floats) -> Floats:
        self.evaluations += 1
        t = self.within(t)
        lengths: list[float] = []
        if self.groups:
            x, lengths = self.unit(x)
        rate = self.native(*self._arguments(t, x))
        return self._stretched(t, x, rate[0] if self.has_contacts else rate, lengths)

    def _arguments(self, t: float, x: Floats, ask: bool = True) -> list[Floats]:
        """Arguments of the native function; with `ask` False, efforts and inputs are those that acted last."""
        tau, inputs = self.drive.plain(t, x) if ask else (self.drive.tau, self.drive.inputs)
        arguments = [x, tau]
        for name in self._more:
            if name == "t":
                self._time[0] = t
                arguments.append(self._time)
            else:
                arguments.append(self.alpha if name == "alpha" else inputs)
        return arguments

    def operating_point(self, t: float, x: Floats) -> bytes:
        """All numbers on which the rates at a state depend, beside the functions."""
        return np.concatenate([[t], x, self.drive.values, self._compiled.work()]).tobytes()

    def responses(self, t: float, x: Floats) -> Floats | None:
        """M⁻¹ at a state, a column for the accelerations that a unit of each effort adds; None if unknown."""
        synopsis = self.functions.derivation.synopsis
        speeds = len(synopsis.speeds)
        if not speeds or self.of != "state_rates" or self.signs is not None or synopsis.efforts != synopsis.speeds:
            return None
        x = self.unit(x)[0] if self.groups else x
        _, tau, *more = self._arguments(t, x, ask=False)  # what acts makes no difference to M⁻¹
        size = np.ones(speeds)
        for _ in range(2):  # the second time with efforts beside which what acts anyway is not large
            rates = np.asarray(self.native(x, np.vstack([tau, tau + np.diag(size)]), *more))
            accelerations = rates[:, self.coordinates : self.coordinates + speeds]
            if not np.isfinite(accelerations).all():
                return None
            response = (accelerations[1:] - accelerations[0]) / size[:, None]
            largest = np.abs(response).max(axis=1)
            if not largest.all():
                return None
            size = np.maximum(1.0, np.abs(accelerations[0]).max() / largest)
            if size.max() <= _SMALL_BESIDE:
                break
        return np.asarray(response.T)

    def switches(self, t: float, x: Floats) -> Floats:
        """The values that the signs in the rates are of."""
        return np.asarray(self.switches_along(np.array([t]), x[None, :])[0])

    def switches_along(self, times: Floats, states: Floats) -> Floats:
        """The same at several times (k,) and states (k, n); a controller is called only if it can change the values."""
        if self.signs is None:
            return np.zeros((len(times), 0))
        if self.groups:
            states = np.array([self.unit(x)[0] for x in states])
        times = np.clip(times, *self._piece)
        values: dict[str, Any] = {"t": times[:, None], "alpha": self.alpha, "modes": self.signs.modes}
        values |= {"tau": self.drive.tau, "inputs": self.drive.inputs}
        if not self.is_autonomous and {"tau", "inputs"} & self.signs.depends_on:
            acting = [self.actuation(t, x) for t, x in zip(times.tolist(), states, strict=True)]
            values["tau"], values["inputs"] = np.split(np.array(acting), [self.drive.efforts], axis=1)
        return np.asarray(self.signs.values(states, *(values[name] for name in self.signs.values.arrays[1:])))

    def _stretched(self, t: float, x: Floats, rate: Floats, lengths: list[float]) -> Floats:
        """Finite rates, those of quaternions by the lengths that they had."""
        if not np.logical_and.reduce(np.isfinite(rate)):
            raise NonFinite(t, x, rate)
        for (first, count), length in zip(self.groups, lengths, strict=True):
            rate[first : first + count] *= length
        return rate

    def measure(self, t: float, x: Floats) -> None:
        """Look around before the first step; there is nothing to learn where there are no constraints."""

    def pivot_signs(self, t: float, x: Floats) -> Floats:
        """The signs of the pivots of the constraints at a state from which a run starts."""
        return np.zeros(0)

    def on_a_branch(self, t: float, x: Floats) -> Floats:
        """The state from which a run can go on; at a singular pose it may differ from the given one."""
        return x

    @property
    def is_constrained(self) -> bool:
        """Whether there are constraints, which `projected` brings back."""
        return False

    def constraint_failure(self, t: float, x: Floats) -> str:
        """Why constraints may prevent the run from going on here; empty if they do not."""
        return ""

    def projected(self, t: float, x: Floats) -> Floats:
        """The state projected to the constraints after a step; the same state without constraints."""
        return x

    def projected_natively(self, t: float, x: Floats) -> Floats | None:
        """The same by native code, or by its functions in Python; None where they fail."""
        return x

    def projected_otherwise(self, t: float, x: Floats) -> Floats:
        """The same by slower means, where native code fails."""
        return x

    def unit(self, x: Floats) -> tuple[Floats, list[float]]:
        """The state with quaternions of unit length, and the lengths that they had."""
        x = np.array(x)
        lengths = []
        for first, count in self.groups:
            part = x[first : first + count]
            length = float(np.sqrt(part.dot(part)))
            part /= length
            lengths.append(length)
        return x, lengths


def set_up(read: Mapping[str, tuple[Functions, FunctionKey]], parameters: Mapping[str, Any]) -> dict[str, Floats]:
    """The work arrays of some functions, a row for each set of parameters or one for all."""
    setups = {}
    for name, (functions, of) in read.items():
        values = np.atleast_2d(functions.parameter_values(of, parameters))
        setups[name] = functions.native(of).native.setup(np.ascontiguousarray(values))
    return setups
