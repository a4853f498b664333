"""The methods of Equations that run a mechanism: alone, in batches and sweeps, a step at a time, with derivatives."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack, cast

from ..formalisms.derivation import Derived

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from ..compiled.functions import Functions
    from ..expr import Expr
    from . import Assembly, AssemblyOptions, RunOptions, Trajectory
    from .contact.standing import Standing
    from .gradients.sensitivities import Gradient, Sensitivities
    from .settings import SmoothOptions, StepperOptions
    from .stepper import Stepper
    from .sweep import Sweep


class SteadyStart(Mapping[str, float]):
    """A state with what acts in it, each by name, and parameters that are not the model's: `simulate(start=…)`."""

    @property
    @abstractmethod
    def coordinates(self) -> dict[str, float]: ...
    @property
    @abstractmethod
    def speeds(self) -> dict[str, float]: ...
    @property
    @abstractmethod
    def states(self) -> dict[str, float]: ...
    @property
    @abstractmethod
    def efforts(self) -> dict[str, float]: ...
    @property
    @abstractmethod
    def inputs(self) -> dict[str, float]: ...
    @property
    @abstractmethod
    def parameters(self) -> dict[str, float]: ...

    def _run_options(self, given: Mapping[str, Any], speeds: Sequence[str]) -> dict[str, Any]:
        """Options of a run from this start; other options are unchanged."""
        options = {**given, "start": {**self.coordinates, **self.states}}
        defaults = {
            "speeds": {name: value for name, value in self.speeds.items() if name in speeds},
            "tau": {name: value for name, value in self.efforts.items() if value},
            "inputs": self.inputs,
            "parameters": self.parameters,
        }
        for name, values in defaults.items():
            held = options.get(name)
            if isinstance(held, dict):
                options[name] = {**values, **held}
            elif held is None and (values or name == "speeds"):
                options[name] = values
        return options


class RunMethods(Derived):
    """Runs, the states that they start from, and the functions that they share."""

    @cached_property
    def _functions(self) -> Functions:
        """The functions that runs share, compiled or loaded once."""
        from ..compiled.functions import Functions

        return Functions(self.derivation)

    def native_function(
        self, variables: Sequence[Expr], roots: Sequence[Expr], known: Mapping[Expr, float]
    ) -> Callable[..., Any]:
        """Expressions, the `roots`, as one native function of an array (…, variables); all other symbols are `known`.

        >>> import polhode as ph
        >>> s = ph.System("slider")
        >>> x = s.joint("x", s.ground, s.body("block", s.parameter("m", 2)), ph.Prismatic("x"), speeds=["v"])
        >>> e, v = s.derive(), x.u[0]
        >>> energy = e.native_function([v], [e.kinetic_energy, v], {e.system.parameters["m"].symbol: 2.0})
        >>> energy([[1.0], [3.0]]).tolist()
        [[1.0, 1.0], [9.0, 3.0]]
        """
        from ..compiled.functions import native_function

        return native_function(variables, roots, known)

    def assemble(self, start: Any = None, speeds: Any = None, **options: Unpack[AssemblyOptions]) -> Assembly:
        """A state near the given one that keeps all constraints at a `time`; coordinates to `hold` stay as given."""
        from . import assemble

        return assemble(self.derivation, start, speeds, **options)

    def simulate(self, duration: float, **options: Unpack[RunOptions]) -> Trajectory | Any:
        """Run the mechanism for `duration` seconds from a state or a named pose.

        start, speeds   the name of a pose, coordinates, speeds (x' the rate of x) and states, also of a controller, by
                        name, or arrays (q, u) or (q, u, z); the rest is at home and at rest
        tau, inputs     numbers, or by name numbers, expressions (also as text), samples (`sampled`), functions of t, of
                        (t, q, u) or (t, q, u, z), held (`held`) or not; or one controller of all. Under a function that
                        is not held, steps end at the samples (but for scipy.LSODA, scipy.BDF and ida), so that more of
                        these cost more steps
        method          adaptive: TP86 and taylor (of which "auto" takes the faster), DOP853, RK45, RK23, and for stiff
                        mechanisms Radau (to which "auto" turns) and Rodas5P, in native code; scipy.DOP853, scipy.LSODA
                        …, ida; with `rtol`, `atol` (1e-9) and steps up to `max_step` (or `step`); or of fixed `step`:
                        rk4, heun, midpoint, euler, semi_implicit_euler, for long runs gauss4, gauss6, lie4, for stiff
                        structures
                        generalised_alpha, whose steps multiply oscillations that are too fast for them by
                        `spectral_radius` (0 to 1)
        samples, rate   how many states to keep, in all or a second; or times, to which start and end are added
        events, until   functions `g(t, q, u)` or expressions whose zeros are found; at one of `until` the run ends, and
                        at an event with `terminal = True` (see `crossing`)
        on              events at which the state changes and the run goes on: {event: {name: expression}}, as in
                        `on={crossing(z, -1): {"v": -0.8 * v}}`, in their order where several are due at one time; with
                        constraints the new speeds are brought to them
        impacts         the law of impacts of contacts and stops: "moreau", of (v⁺ + e v⁻)/(1 + e), "newton", of normal
                        velocities, or "poisson", of normal impulses
        parameters      values by name that are not the model's; `functions` that were compiled before, to use again
        rtol, atol      relative and absolute tolerance of an adaptive step; `max_steps` ends a run that takes more
        hold            coordinates that stay as given when a mechanism with constraints is assembled
        controller      a controller of `polhode.control`, or its law, which gives some of the efforts and inputs; it is
                        part of the mechanism, or is evaluated every `sample_time` seconds and held
        reference       what it is to follow: by name a number, an expression of time (also as text), samples, another
                        run
        limits          of what it gives: (low, high) or one number for both, for all or by name; "model" for those of
                        the joints' efforts
        delay           seconds until what a sampled law gave acts; `quantisation`: the steps in which measurements and
                        controls are known, `noise`: standard deviations of measurements, both by name, with a `seed`;
                        `discretisation`: how its states are stepped, "euler" or "rk4"
        progress        True or False for a bar or none, a function of the fraction done, or None to decide by itself

        With `audit`, or a tolerance for it, the power through every port is compared with the rate of energy when the
        run is done (`trajectory.power_audit`), and SimulationError raised where they differ. Where nothing feeds or
        drains energy, a drift by more than 100 times the tolerance (0.001 with fixed steps) gives a notice, unless
        `watch_energy=False`. A mechanism with constraints is assembled first (`polhode.simulate.assemble`), and after
        every step projected onto its constraints, in position and velocity; `trajectory.drift` tells what is left.

        A run that cannot go on raises SimulationError, with all that was computed in its `trajectory`.
        Where a parameter, a start value, a speed, a constant input or an effort is an array with a value for each of N
        runs, all N are made, and the result is a `Batch`.
        """
        from .run import run_or_batch

        start = options.get("start")
        if isinstance(start, SteadyStart):
            options = cast("RunOptions", start._run_options(options, self.derivation.synopsis.speeds))
        options.setdefault("functions", self._functions)
        return run_or_batch(self.derivation, duration, options)

    def standing(
        self, start: Any = None, *, tau: Any = None, inputs: Any = None, parameters: Mapping[str, Any] | None = None
    ) -> Standing:
        """Whether contacts, stops and stuck joints hold the mechanism at rest in a state; print it.

        The forces, their uniqueness, how far it is from slipping or tipping: `polhode.simulate.contact.standing`.

        >>> import polhode as ph
        >>> s = ph.System("block", gravity=(0, 0, -10))
        >>> block = s.body("block", 2, inertia=(1, 1, 1))
        >>> _ = s.joint("slide", s.ground, block, ph.Compound(ph.Prismatic("x"), ph.Prismatic("z")))
        >>> _ = s.contact("sole", block, s.surface("floor", s.ground, ph.Shape.plane("z")), friction=0.5)
        >>> print(s.derive().standing(tau={"slide_1": 4}))
        block stands, with 'sole' closed.
        • margin: 0.3 of the largest force.
        • load factor: 2.5 times the given efforts and inputs can be held.
        • friction: 0.4 of the static friction is needed.
        """
        from .contact.standing import standing

        return standing(
            self.derivation, start=start, tau=tau, inputs=inputs, parameters=parameters, functions=self._functions
        )

    def sweep(
        self,
        vary: Mapping[str, Any],
        duration: float,
        *,
        measure: Any = "final",
        zip: bool = False,
        workers: int | None = None,
        executor: Executor | None = None,
        client: Any = None,
        store: str | Path | None = None,
        chunk: int | None = None,
        **options: Unpack[RunOptions],
    ) -> Sweep:
        """Run the mechanism for `duration` seconds over a grid or samples of values, on all cores.

        vary            values by name: parameters, coordinates (where they start), speeds and inputs; or, to say which
                        is meant, "parameter:l", "start:hinge", "speed:hinge", "input:F", "tau:hinge"
        zip             the values are samples, the first of each together and so on, rather than axes of a grid
        measure         what to keep: a name ("final", "energy_drift", "max:hinge", "mean:d(hinge)", …), an expression
                        (its value at the end) or ("max", expression), a function of the trajectory that returns a
                        number, an array or several by name; a list or mapping of these; None for whole trajectories
        workers         processes, as many as there are cores by default; 1 for none but this one
        executor        an executor of `concurrent.futures` instead
        client          a client of dask.distributed instead
        store           a folder where each chunk's result is kept when it arrives: called again, a sweep goes on there
        chunk           members run as one task; by default as many as take half a second

        The other options are those of `simulate`, and go to every run.
        """
        from .sweep import sweep

        how = {"measure": measure, "zip": zip, "store": store, "chunk": chunk}
        how |= {"workers": workers, "executor": executor, "client": client}
        return sweep(self.derivation, vary, duration, how, dict(options))

    def stepper(self, **options: Unpack[StepperOptions]) -> Stepper:
        """The mechanism a step at a time, in a loop of your own.

        start, speeds   as of a run; with `batch`, one state for all members or arrays with a row for each
        tau, inputs     what acts at first: constants, expressions, or mappings by name
        dt              how far a call goes, unless it says otherwise
        method          to the tolerance rtol, atol: DOP853 (which "auto" takes), TP86, RK45, RK23, taylor, Rodas5P,
                        Radau; or in `substeps` fixed steps a call: rk4, heun, midpoint, euler, lie4,
                        semi_implicit_euler
        events, until, on    as of a run; what happened in the last step is in `st.events`, what ended in `st.ended`
        controller      closes the loop, as in a run, with its options: reference, sample_time, delay, limits,
                        quantisation, noise, seed, discretisation
        batch           so many members, each with its own state, efforts and inputs, shared by `threads`
        impacts         the law of impacts of contacts and stops, as of a run; their modes are in `st.modes`
        parameters      values by name that are not the model's; `functions` that were compiled before, to use again
        """
        from .stepper import stepper

        options.setdefault("functions", self._functions)
        return stepper(self.derivation, **options)

    def sensitivities(self, duration: float, by: Sequence[Any], **options: Unpack[SmoothOptions]) -> Sensitivities:
        """A run and its derivatives `by` parameters and start values; other options are those of `simulate`."""
        from .gradients.sensitivities import sensitivities

        options.setdefault("functions", self._functions)
        return sensitivities(self.derivation, duration, by, options)

    def gradient(
        self,
        duration: float,
        by: Sequence[Any],
        *,
        of: Any = None,
        integrand: Any = None,
        **options: Unpack[SmoothOptions],
    ) -> Gradient:
        """The gradient `by` parameters and start values of `of` at the last state plus an `integrand` over time.

        Other options are those of `simulate`.
        """
        from .gradients.sensitivities import gradient

        options.setdefault("functions", self._functions)
        return gradient(self.derivation, duration, by, of, integrand, options)
