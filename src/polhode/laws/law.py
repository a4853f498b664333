"""The record that every controller comes to: controls as expressions of what is measured and wanted.

    c = κ(y, r, ξ, t),        ξ̇ = φ(y, r, ξ, t)   or, from sample to sample,   ξ⁺ = ψ(y, r, ξ, t)

c are efforts and inputs of a mechanism, y what is measured, r the reference, with as many of its derivatives as the law
needs, and ξ the controller's own states. All are graphs: a law is put into the equations of motion and runs as native
code with them, or is sampled, or is written as source, without a second form of it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from ..errors import PolhodeError, fault_at, listed, number, unknown
from ..expr import Expr, as_expr, free_symbols, substitute, symbol, topological
from ..expr.node import SYMBOL
from ..expr.spelling import is_reference, latex_escape, latex_name, reference_symbol, spelled, spelled_latex
from ..expr.typeset import Typeset
from ..model.records import Parameter

#: A law with more nodes is described, not written.
READABLE = 300
#: A number with a larger denominator is not to be read.
_LONGEST = 10**9
#: Gains and states beyond these are counted.
_MOST = 12


def changed_latex(state: ControllerState, name: str | None = None) -> str:
    """The rate of a controller's state, or its value at the next sample, in LaTeX."""
    label = name or spelled_latex(state.symbol)
    return rf"\frac{{\mathrm{{d}}}}{{\mathrm{{d}}t}} {label}" if state.update is None else f"{{{label}}}^{{+}}"


def gain_latex(name: str) -> str:
    r"""A gain by what it is of: kp_q1 is k with two indices, K_F_x' an entry of K; other names as they are written."""
    word, *whose = name.split("_", 2) if name.startswith("K_") else name.split("_", 1)
    if len(word) == 2 and word[0] == "k":
        return rf"k_{{{','.join([word[1], *map(_index_latex, whose)])}}}"
    if word == "K" and whose:
        return rf"K_{{{','.join(map(_index_latex, whose))}}}"
    return latex_name(name)


def _index_latex(name: str) -> str:
    plain = name.rstrip("'")
    dots = len(name) - len(plain)
    if not plain.replace("_", "").isalnum():
        return rf"\text{{{latex_escape(name)}}}"
    return rf"\{'d' * dots}ot{{{latex_name(plain)}}}" if dots else latex_name(plain)


def valued(parameters: Mapping[str, Parameter]) -> Iterator[str]:
    """Each parameter with its value, as text."""
    for name, parameter in parameters.items():
        yield f"{name} = {'?' if parameter.value is None else f'{float(parameter.value):.6g}'}"


fault = fault_at("law")

#: Kinds of symbols that can be measured on a mechanism.
MEASURABLE = ("coordinate", "speed", "state")


@dataclass(frozen=True)
class ControllerState:
    """A state of the controller: its symbol, where it starts, and its `rate`, or its `update` at each sample.

    >>> import polhode as ph
    >>> total, error = ph.symbol("total error", "state"), ph.symbol("x", "coordinate")
    >>> ControllerState(total, rate=error).start
    Fraction(0, 1)
    """

    symbol: Expr
    start: Fraction = Fraction(0)
    rate: Expr | None = None
    update: Expr | None = None
    unit: str = ""


@dataclass(frozen=True)
class Reference:
    """A quantity with a reference curve, and the highest derivative of it in the law.

    `quantity` is what is to follow, where that is an expression of the mechanism. Where no curve is given, it is wanted
    to stay at `default`; without one, a curve must be given. Four references with the same `orientation`, a frame or
    joint, are the components of its unit quaternion; `position` names one too, and the axis along which it is.

    >>> Reference("x", order=1).symbols
    (ref_x, ref_x')
    """

    name: str
    order: int = 0
    default: Fraction | None = None
    quantity: Expr | None = None
    unit: str = ""
    orientation: str = ""
    position: tuple[str, int] | None = None

    @property
    def symbols(self) -> tuple[Expr, ...]:
        """The symbols of the reference and of its derivatives: `Reference("x", 1).symbols` are r and ṙ."""
        return tuple(reference_symbol(self.name, order) for order in range(self.order + 1))


class Curve(ABC):
    """A planned motion of a frame: called with the time, it has the `quaternion`, and the position `p` of a pose."""

    @abstractmethod
    def __call__(self, t: Any) -> Any:
        """The motion at a time."""


@dataclass(frozen=True, eq=False, repr=False)
class Law(Typeset):
    """Controls by the symbols of efforts and inputs, and all that they depend on.

    controls      what each effort or input is
    states        the controller's own states
    reference     what is wanted
    measured      what is measured, by symbols of its own, as expressions of the mechanism's state; coordinates, speeds
                  and states that occur in the law are measured as they are
    parameters    gains, and the controller's nominal values of the mechanism's parameters
    sample_time   seconds, where the law was made for a sample time
    conditions    where the law does not hold, in words that follow "the law does not hold where …"
    singular      some of these words, each with an expression that vanishes there, which a run looks at
    errors        errors that are no difference of a reference and its quantity, such as those of orientations, by name

    >>> import polhode as ph
    >>> x, v = ph.symbol("x", "coordinate"), ph.symbol("x", "speed")
    >>> kp, tau = ph.symbol("kp", "parameter"), ph.symbol("x", "effort")
    >>> wanted = Reference("x", 1)
    >>> r, rdot = wanted.symbols
    >>> Law({tau: kp * (r - x) + rdot - v}, reference=(wanted,), parameters={"kp": Parameter(kp, Fraction(4))})
    Law(tau_x; of x, x', ref_x and ref_x')
    """

    controls: Mapping[Expr, Expr]
    states: tuple[ControllerState, ...] = ()
    reference: tuple[Reference, ...] = ()
    measured: Mapping[Expr, Expr] = field(default_factory=dict)
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    sample_time: float | None = None
    conditions: tuple[str, ...] = ()
    singular: tuple[tuple[str, Expr], ...] = ()
    errors: Mapping[str, Expr] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.controls:
            raise PolhodeError("a law without controls.", "law", "Give controls={…}.", "E-CONTROL-MISSING")
        wrong = [control for control in self.controls if not _is(control, "effort", "input")]
        if wrong:
            message = f"{spelled(wrong[0]) if _is_symbol(wrong[0]) else wrong[0]} is no effort or input."
            cure = "Give controls by the symbols in equations.tau, or of the system's inputs."
            raise fault(message, cure, "E-CONTROL-NAME")
        both = [state.symbol for state in self.states if (state.rate is None) == (state.update is None)]
        if both:
            message = f"how {spelled(both[0])} changes is said twice, or not at all."
            raise fault(message, "Give a rate, or an update from sample to sample.", "E-CONTROL-TWICE")
        allowed = {*self.measured, *(state.symbol for state in self.states)}
        allowed |= {parameter.symbol for parameter in self.parameters.values()}
        allowed |= {s for wanted in self.reference for s in wanted.symbols}
        for x in free_symbols(self.expressions):
            if x not in allowed and (is_reference(x) or not _is(x, *MEASURABLE, "parameter", "time")):
                message = f"the law depends on the {x.data[0]} '{x.name}', which its arguments lack."
                cure = "Use time, measured quantities, references, the controller's states, and the law's parameters."
                raise fault(message, cure, "E-CONTROL-DEPENDENCE")

    @property
    def expressions(self) -> list[Expr]:
        """Every expression of the law: controls, changes of states, measurements, and divisors that may vanish."""
        return [*self._laws, *map(as_expr, self.measured.values()), *(denominator for _, denominator in self.singular)]

    @property
    def _laws(self) -> list[Expr]:
        kept = [as_expr(part) for state in self.states for part in (state.rate, state.update) if part is not None]
        return [*map(as_expr, self.controls.values()), *kept]

    @property
    def is_static(self) -> bool:
        """Whether the controller has no states."""
        return not self.states

    @property
    def is_sampled(self) -> bool:
        """Whether the law is defined at samples only, without a continuous form."""
        return any(state.update is not None for state in self.states)

    @cached_property
    def measurements(self) -> dict[Expr, Expr]:
        """Every measurement by its symbol: coordinates, speeds and states as they are, then those named in the law."""
        states = {state.symbol for state in self.states}
        plain = [x for x in free_symbols(self._laws) if _is(x, *MEASURABLE) and x not in {*states, *self.measured}]
        order = {kind: k for k, kind in enumerate(MEASURABLE)}
        plain.sort(key=lambda x: (order[str(x.data[0])], x.name))
        return {**{x: x for x in plain}, **self.measured}

    @property
    def arguments(self) -> list[Expr]:
        """What the law is a function of, but for parameters: measurements, references, the controller's states."""
        met = {*free_symbols(self._laws)}
        wanted = [x for reference in self.reference for x in reference.symbols if x in met]
        return [*self.measurements, *wanted, *(state.symbol for state in self.states)]

    @property
    def orientations(self) -> dict[str, tuple[Reference, ...]]:
        """The references that are unit quaternions: the four components of each, by the name of the orientation."""
        names = dict.fromkeys(r.orientation for r in self.reference if r.orientation)
        return {name: tuple(r for r in self.reference if r.orientation == name) for name in names}

    def sample_time_as(self, given: Any) -> float | None:
        """The sample time `given`, in seconds: that of the law, where it was made for one."""
        if given is None:
            return self.sample_time
        seconds = sample_time_of(given, "law")
        if self.sample_time is not None and abs(seconds - self.sample_time) > 1e-9 * self.sample_time:
            message = f"the law was made for samples every {self.sample_time:g} s, not {seconds:g} s."
            cure = "Leave it out, or design the controller for the other."
            raise PolhodeError(message, "sample_time", cure, "E-CONTROL-TWICE")
        return seconds

    def with_values(self, values: Mapping[Expr, Any]) -> Law:
        """The law with expressions in place of some symbols, in everything except measurements."""
        roots = [*self._laws, *(denominator for _, denominator in self.singular)]
        replaced = iter(substitute(roots, {x: as_expr(value) for x, value in values.items()}))
        controls = {control: next(replaced) for control in self.controls}
        states = tuple(
            replace(state, rate=next(replaced)) if state.update is None else replace(state, update=next(replaced))
            for state in self.states
        )
        singular = tuple((words, next(replaced)) for words, _ in self.singular)
        return replace(self, controls=controls, states=states, singular=singular)

    def with_nominal(self, table: Mapping[str, Parameter], values: Mapping[str, Fraction]) -> Law:
        """The law with nominal parameters for those of a mechanism, with given `values` or those of the `table`.

        So `simulate(parameters=…)` changes the mechanism and not its controller. Measurements keep the mechanism's.
        """
        met = {*free_symbols([*self._laws, *(denominator for _, denominator in self.singular)])}
        mechanism_parameters = {name: p for name, p in table.items() if p.symbol in met and name not in self.parameters}
        nominal = {name: symbol(nominal_name(name), "parameter") for name in mechanism_parameters}
        changed = self.with_values({p.symbol: nominal[name] for name, p in mechanism_parameters.items()})
        parameters = {
            nominal_name(name): Parameter(nominal[name], values.get(name, p.value), p.unit)
            for name, p in mechanism_parameters.items()
        }
        return replace(changed, parameters={**self.parameters, **parameters})

    @property
    def _readable(self) -> int:
        return READABLE

    def _formulas(self) -> list[tuple[str, Expr]]:
        """Controls, then how the controller's states change; none where numbers with all their digits are in them."""
        changes = [(changed_latex(s), s.rate if s.update is None else s.update) for s in self.states]
        controls = [(spelled_latex(control), value) for control, value in self.controls.items()]
        formulas = [(head, as_expr(value)) for head, value in (*controls, *changes)]
        nodes = topological([value for _, value in formulas])
        return [] if any(node.is_number and node.data.denominator > _LONGEST for node in nodes) else formulas

    def _names(self) -> dict[Expr, str]:
        return {parameter.symbol: gain_latex(name) for name, parameter in self.parameters.items()}

    def _sentences(self) -> list[str]:
        """Gains, references, states and sample time, and where the law does not hold."""
        sentences = [f"Gains: {listed(valued(self.parameters), most=_MOST)}."] if self.parameters else []
        if self.reference:
            sentences.append(f"References: {listed((reference.name for reference in self.reference), most=_MOST)}.")
        if self.states:
            starts = (f"{spelled(state.symbol)} from {float(state.start):.6g}" for state in self.states)
            sentences.append(f"States of the controller: {listed(starts, most=_MOST)}.")
        if self.sample_time is not None:
            sentences.append(f"It is made for samples every {self.sample_time:g} s.")
        return [*sentences, *(f"The law does not hold where {condition}." for condition in self.conditions)]

    def __repr__(self) -> str:
        return f"Law({listed(map(spelled, self.controls))}; of {listed(map(spelled, self.arguments))})"


def nominal_name(name: str) -> str:
    """What a controller calls its own value of a mechanism's parameter."""
    return f"nominal {name}"


def integral_name(name: str) -> str:
    """What a controller calls the integral of an error or a deviation."""
    return f"integral of {name}"


def _is(x: Any, *kinds: str) -> bool:
    return _is_symbol(x) and str(x.data[0]) in kinds


def _is_symbol(x: Any) -> bool:
    return isinstance(x, Expr) and x.op == SYMBOL


def sample_time_of(given: Any, place: str) -> float:
    """A sample time in seconds."""
    cure = "Give the seconds between samples, for example sample_time=0.01."
    if given is None:
        raise PolhodeError("it goes from sample to sample, and has no sample time.", place, cure, "E-CONTROL-MISSING")
    return number(given, "a time > 0", above=0.0, place=f"{place} sample_time", cure=cure)


#: By how much the length of a quaternion may differ from one, its components being rounded.
ROUNDED = 1e-3


def check_unit_length(length: float, orientation: str) -> None:
    """Refuse numbers for an orientation that are no unit quaternion, not even a rounded one."""
    if not abs(length - 1.0) <= ROUNDED:
        message = f"its quaternion has length {length:.6g}, not 1."
        cure = "Divide its four components by their length; (1, 0, 0, 0) is not turned."
        raise PolhodeError(message, f"reference of the orientation of '{orientation}'", cure, "E-CONTROL-NUMBER")


# ---- from continuous time to samples ---------------------------------------------------------------------------------
# States with a rate get an update, in which the measurement is held.

#: The rules by which states go from sample to sample: stages (c, a), each with a times the stage before, and weights.
RULES: dict[str, tuple[tuple[Any, ...], tuple[Any, ...]]] = {
    "euler": ((0,), (1,)),
    "rk4": ((0, "1/2", "1/2", 1), ("1/6", "1/3", "1/3", "1/6")),
}


def rule_of(given: Any) -> str:
    """A discretisation rule by its name."""
    if not isinstance(given, str) or given not in RULES:
        raise unknown("discretisation", given, RULES, place="discretisation", code="E-CONTROL-NAME")
    return given


def discretised(law: Law, sample_time: Any, rule: str = "euler") -> Law:
    """The law with updates ξ⁺ = ξ + T Σ b k in place of the rates of its states; T is a number or a symbol."""
    stages, weights = RULES[rule_of(rule)]
    continuous = [state for state in law.states if state.rate is not None]
    if not continuous:
        return law
    T, time = as_expr(sample_time), symbol("t", "time")
    rates, symbols = [as_expr(state.rate) for state in continuous], [state.symbol for state in continuous]
    slopes: list[list[Expr]] = []
    for share in map(as_expr, stages):
        moved = {x: x + T * share * k for x, k in zip(symbols, slopes[-1], strict=True)} if slopes else {}
        slopes.append(substitute(rates, {**moved, time: time + share * T} if slopes else {}))
    updates = {
        x: x + T * sum((as_expr(b) * k[j] for b, k in zip(weights, slopes, strict=True)), as_expr(0))
        for j, x in enumerate(symbols)
    }
    states = tuple(
        replace(state, rate=None, update=as_expr(updates[state.symbol])) if state.rate is not None else state
        for state in law.states
    )
    return replace(law, states=states)
