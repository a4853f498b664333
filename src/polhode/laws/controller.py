"""What every controller is: a mechanism, the law that was designed for it, and what can be done with that.

A controller of one's own is a subclass with one method, `design`, which returns a `Law`. Whatever is done with laws
(runs in continuous time or sampled, source code, proofs) is then done with it too.

An observer comes to an `Estimator`: estimates of coordinates, speeds and states as expressions of what is measured and
of states of its own. `Observed` puts these into a law in place of what the law measures, and the law's controls into
the observer in place of the inputs that it has to know: one law again, which runs and is written as source as one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..dynamics.equations import EquationsOfMotion
from ..dynamics.synopsis import joints_of_one_speed
from ..errors import PolhodeError, by_name, check_kind, check_pickles, listed, shown, unknown, warn
from ..expr import Expr, as_expr, free_symbols, substitute, symbol
from ..expr.spelling import spelled
from ..expr.typeset import Typeset
from ..formalisms.derivation import Derived, record_of
from ..model.reading import number_of
from ..model.records import Parameter
from ..model.unit import si_values
from ..notebook import Cell, Shown, Table
from ..registry import registered
from .law import MEASURABLE, ControllerState, Law
from .named_symbols import Named, Range, limits_of, rated_efforts, saturated, unlimited_notice

if TYPE_CHECKING:
    from ..compiled.law_function import LawFunction


class Designed(ABC):
    """A design for a mechanism: its `equations`, and nominal values of `parameters` that are not the model's."""

    def __init__(self, equations: Derived | EquationsOfMotion, *, parameters: Mapping[str, Any] | None = None) -> None:
        self.equations = record_of(equations, self.name)
        table = self.equations.system.parameters
        place = f"{self.name} parameters"
        self.nominal = named_numbers(si_values(table, parameters), "parameter", table, place)

    @property
    def name(self) -> str:
        """The name of the class, for sentences."""
        return type(self).__name__

    @abstractmethod
    def design(self) -> Any:
        """The law or the estimator."""


class Controller(Typeset, Designed):
    """A controller of a mechanism: its `equations`, and nominal values of `parameters` that are not the model's.

    It is continuous in time, or evaluated every `sample_time` seconds; the `discretisation`, "euler" or "rk4", steps
    its states. Source is written into the folder `path`, names with a `prefix`.

    >>> import polhode as ph
    >>> s = ph.System("slider")
    >>> _ = s.joint("x", s.ground, s.body("block", 2), ph.Prismatic("x"), speeds=["v"])
    >>> class Brake(Controller):
    ...     def design(self):
    ...         return Law({tau: -3 * u for tau, u in zip(self.equations.tau, self.equations.u)})
    >>> Brake(s.derive()).law.controls
    {tau_v: -3*v}
    """

    @abstractmethod
    def design(self) -> Law:
        """The law, with the mechanism's own symbols and parameters."""

    @cached_property
    def law(self) -> Law:
        """The law as it was designed, with the mechanism's own parameters: to be read, and to prove things of."""
        law = self.design()
        check_kind(Law, "a law", law, f"{self.name}.design")
        system = self.equations.system
        both = [name for name in law.parameters if name in system.parameters]
        if both:  # a value given by name could be for either
            message = f"the gain '{both[0]}' has the name of a parameter of '{system.name}'."
            raise PolhodeError(message, self.name, "Give that parameter another name.", "E-CONTROL-TWICE")
        return law

    @cached_property
    def nominal_law(self) -> Law:
        """The law with nominal parameters of its own for those of the mechanism, for runs and source code."""
        return self.law.with_nominal(self.equations.system.parameters, self.nominal)

    def law_within(self, limits: Mapping[Expr, Range]) -> Law:
        """The nominal law for controls that are kept within limits, by others than the law."""
        return self.nominal_law

    def compile(
        self,
        *,
        sample_time: float | None = None,
        discretisation: str = "euler",
        limits: Any = None,
        parameters: Mapping[str, Any] | None = None,
    ) -> LawFunction:
        """The law as a native function of measurements and references, for other loops; one state or a batch.

        Where the controller has states, it gives them at the next sample too. `limits` are those of controls, as in
        `simulate`: numbers, or "model".
        """
        law, _ = limited_law(self, limits)
        function = registered("Controller.compile")
        compiled: LawFunction = function(law, self.equations, sample_time, discretisation, parameters)
        return compiled

    def export(
        self,
        target: str,
        path: str | Path,
        *,
        prefix: str | None = None,
        sample_time: float | None = None,
        discretisation: str = "euler",
        limits: Any = None,
    ) -> list[Path]:
        """Write the law as source code for a target such as `c`, without dependencies; see docs/closed-loops.md.

        The sample time is a parameter of the set-up where states of the controller have rates. `limits` are those of
        controls, as in `simulate`: numbers, or "model".
        """
        how: dict[str, Any] = {"prefix": prefix, "sample_time": sample_time, "discretisation": discretisation}
        law, kept = limited_law(self, limits)
        export = registered("Controller.export")
        written: list[Path] = export(law, self.name, self.equations, target, path, limits=kept, **how)
        return written

    def __getstate__(self) -> dict[str, Any]:
        check_pickles(vars(self), self.name)
        return vars(self)

    @property
    def _readable(self) -> int:
        return self.law._readable

    def _formulas(self) -> list[tuple[str, Expr]]:
        return self.law._formulas()

    def _names(self) -> dict[Expr, str]:
        return self.law._names()

    def _sentences(self) -> list[str]:
        return self.law._sentences()

    def __repr__(self) -> str:
        controls = ", ".join(map(spelled, self.law.controls))
        return f"{self.name}({controls} of '{self.equations.system.name}')"


def named_numbers(given: Any, kind: str, known: Collection[str], place: str) -> dict[str, Fraction]:
    """Exact numbers by names that are known; none where nothing is given."""
    numbers: dict[str, Fraction] = {}
    for name, value in by_name(given, place, f"a dictionary of numbers by the names of {kind}s").items():
        if name not in known:
            raise unknown(kind, name, known, place=place, code="E-CONTROL-NAME")
        number = number_of(value, f"{place} '{name}'")
        if not number.is_number:
            cure = "Give a number."
            raise PolhodeError(f"{shown(value)} for '{name}' is not a number.", place, cure, "E-CONTROL-NUMBER")
        numbers[name] = Fraction(number.data)
    return numbers


def limited_law(controller: Controller, given: Any) -> tuple[Law, dict[Expr, Range]]:
    """The nominal law with its controls within limits, given as in `simulate`, and these limits.

    Parameters of the mechanism in limits of the model are nominal ones too.
    """
    equations, law = controller.equations, controller.nominal_law
    if given is None:
        return law, {}
    named = Named.controls(law, joints_of_one_speed(equations))
    limits = limits_of(given, named, rated_efforts(equations.system))
    unlimited = unlimited_notice(given, named, limits)
    if unlimited:
        warn(f"{controller.name}: {unlimited}", code="W-CONTROL-UNSUPPORTED")
    law = controller.law_within(limits)
    kept = replace(law, controls={x: saturated(value, limits.get(x)) for x, value in law.controls.items()})
    return kept.with_nominal(equations.system.parameters, controller.nominal), limits


@dataclass(frozen=True, eq=False, repr=False)
class Estimator(Shown):
    """Estimates by the symbols of the mechanism, and all that they depend on.

    estimates     what each coordinate, speed and state is taken to be
    states        the observer's own states; their rates or updates may depend on `inputs`
    measured      what is measured, by symbols of its own, as expressions of the mechanism's state
    inputs        efforts and inputs that the observer has to know
    sample_time   seconds, where it goes from sample to sample

    >>> from polhode.model.samples.underactuated import cart_pole
    >>> from polhode.control import HighGain
    >>> made = HighGain(cart_pole().derive(), epsilon=0.01).estimator
    >>> [*made.estimates], made.inputs
    ([x, theta, x', theta'], (F,))
    """

    estimates: Mapping[Expr, Expr]
    states: tuple[ControllerState, ...]
    measured: Mapping[Expr, Expr]
    inputs: tuple[Expr, ...]
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    sample_time: float | None = None

    def __repr__(self) -> str:
        measured = listed(record.name for record in self.measured)
        return f"Estimator(of {listed(map(spelled, self.estimates))} by {measured})"

    def _cell(self) -> Cell:
        measured = Table(["measured", "is"], [(x.name, str(value)) for x, value in self.measured.items()])
        rows = [(state.symbol.name, f"{float(state.start):.6g}") for state in self.states]
        states = Table(["state of the observer", "starts at"], rows, numbers_from=1)
        inputs = f"takes the controls {listed(map(spelled, self.inputs))}" if self.inputs else ""
        often = "" if self.sample_time is None else f"every {self.sample_time:g} s"
        return Cell(repr(self), [measured, states, inputs, often])


class Observer(Shown, Designed):
    """An observer of a mechanism, with nominal values of `parameters` that are not the model's.

    >>> from polhode.control import HighGain
    >>> issubclass(HighGain, Observer)
    True
    """

    @abstractmethod
    def design(self) -> Estimator:
        """The estimator, with the mechanism's own symbols and parameters."""

    @cached_property
    def estimator(self) -> Estimator:
        """The estimator as it was designed."""
        estimator = self.design()
        check_kind(Estimator, "an estimator", estimator, f"{self.name}.design")
        return estimator

    def __repr__(self) -> str:
        measured = listed(record.name for record in self.estimator.measured)
        return f"{self.name}(of '{self.equations.system.name}' by {measured})"

    def _cell(self) -> Cell:
        return Cell(repr(self), self.estimator._cell().parts)


class Observed(Controller):
    """A controller with an observer: it uses the estimates and measures nothing else.

    >>> import polhode as ph
    >>> from polhode.model.samples.underactuated import cart_pole
    >>> linear = cart_pole().derive().linearize()
    >>> filter = ph.control.KalmanFilter(linear, ["x", "theta"], process_noise=1, measurement_noise=0.01)
    >>> ph.control.Observed(ph.control.LQR(linear), filter).law.measured
    {y_x: x, y_theta: theta}
    """

    def __init__(self, controller: Controller, observer: Observer) -> None:
        self.controller, self.observer = controller, observer
        super().__init__(controller.equations)
        self.nominal = {**observer.nominal, **controller.nominal}
        self._within: dict[tuple[Any, ...], Law] = {}

    def design(self) -> Law:
        """The law with estimates for its measurements."""
        return self._design({})

    def law_within(self, limits: Mapping[Expr, Range]) -> Law:
        """The law for a run, with an observer that applies the `limits` of controls, as the mechanism does."""
        key = tuple(limits.items())
        if key not in self._within:
            law = self._design(limits)
            self._within[key] = law.with_nominal(self.equations.system.parameters, self.nominal)
        return self._within[key]

    def _design(self, limits: Mapping[Expr, Range]) -> Law:
        law, seen = self.controller.law, self.observer.estimator
        sample_time = _common_sample_time(law, seen)
        needed = [x for x in law.measurements.values() if x not in law.measured.values()]
        moving = (x for x in free_symbols([*needed, *law.measured.values()]) if str(x.data[0]) in MEASURABLE)
        missing = [x for x in moving if x not in seen.estimates]
        if missing:
            message = f"the law measures {spelled(missing[0])}, which the observer does not estimate."
            raise PolhodeError(message, self.name, "Design both for one mechanism.", "E-OBSERVER-UNSUPPORTED")
        estimates = dict(seen.estimates)
        estimates |= dict(zip(law.measured, substitute([*law.measured.values()], estimates), strict=True))
        flat = substitute([*law.controls.values(), *_changes(law.states)], estimates)
        controls = dict(zip(law.controls, flat, strict=False))
        vanishing = substitute([denominator for _, denominator in law.singular], estimates)
        singular = tuple((words, denominator) for (words, _), denominator in zip(law.singular, vanishing, strict=True))
        values = {x: saturated(value, limits.get(x)) for x, value in controls.items()}
        for x in seen.inputs:  # one that the law does not give has the model's value; an effort is zero
            entry = self.equations.system.inputs.get(x.name) if str(x.data[0]) == "input" else None
            values.setdefault(x, as_expr(0 if entry is None else entry.value or 0))
        observer = _changed(seen.states, substitute(_changes(seen.states), values))
        states = (*observer, *_changed(law.states, flat[len(controls) :]))
        parameters = {**seen.parameters, **law.parameters}
        return Law(
            controls, states, law.reference, seen.measured, parameters, sample_time, law.conditions, singular
        )  # fmt: skip


def _changed(states: Sequence[ControllerState], changes: Sequence[Expr]) -> Iterator[ControllerState]:
    for state, change in zip(states, changes, strict=True):
        yield replace(state, rate=change) if state.update is None else replace(state, update=change)


def _changes(states: Sequence[ControllerState]) -> list[Expr]:
    return [as_expr(state.update if state.rate is None else state.rate) for state in states]


def _common_sample_time(law: Law, seen: Estimator) -> float | None:
    times, states = (law.sample_time, seen.sample_time), (*law.states, *seen.states)
    sample_time = law.sample_time or seen.sample_time
    if None not in times and law.sample_time != seen.sample_time:
        message = f"the controller is sampled every {times[0]:g} s and the observer every {times[1]:g} s."
    elif sample_time is not None and any(state.rate is not None for state in states):
        smooth = "the controller" if law.sample_time is None else "the observer"
        message = f"{smooth} changes in continuous time and the other from sample to sample."
    else:
        return sample_time
    raise PolhodeError(message, "Observed", "Give both the same sample_time.", "E-OBSERVER-UNSUPPORTED")


def estimate_symbol(name: str) -> Expr:
    """The symbol of an observer's state that estimates something."""
    return symbol(f"estimate of {name}", "state")


def measured_symbols(names: Any) -> list[Expr]:
    """The symbols of measured quantities, by the names of outputs."""
    return [symbol(f"y_{name}", "measurement") for name in names]


def check_measurable(outputs: Mapping[str, Expr], place: str) -> None:
    """Refuse small turns as outputs: nothing measures them."""
    kinds = {name: {str(x.data[0]) for x in free_symbols([output])} for name, output in outputs.items()}
    turns = [name for name, kind in kinds.items() if "displacement" in kind]
    if turns:
        message = f"'{turns[0]}' is a small turn, which cannot be measured."
        cure = "Give expressions by name, for example entries of equations.pose(…).R."
        raise PolhodeError(message, f"{place} outputs", cure, "E-OBSERVER-UNSUPPORTED")


def starts_of(equations: EquationsOfMotion, given: Any, place: str) -> dict[Expr, Fraction]:
    """Start values of estimates: those given by name, others at the zero configuration and at rest."""
    zeros = dict.fromkeys([*equations.q, *equations.u], Fraction(0))
    zeros |= {equations.q[k]: Fraction(1) for k in equations.quaternions}
    zeros |= {
        state.symbol: Fraction(float(state.start)) if isinstance(state.start, Expr) else state.start
        for state in equations.system.states.values()
    }
    coordinates = {spelled(x): x for x in zeros}
    starts = named_numbers(given, "coordinate, speed or state", coordinates, f"{place} start")
    return zeros | {coordinates[name]: value for name, value in starts.items()}
