"""Feedback linearisation: outputs, or the whole state, follow linear equations that are chosen.

A. Isidori, *Nonlinear Control Systems* (1995), sections 4.2, 5.2 and 5.3; C. Mladenova, "Group Theory in the Problems
of Modeling and Control of Multi-Body Systems", (290)-(308). Outputs of vector relative degree r have

    yᵢ^(rᵢ) = bᵢ(x) + Σ Aᵢⱼ(x) cⱼ,     c = A⁻¹ (v - b),     vᵢ = refᵢ^(rᵢ) + Σ kᵢⱼ (refᵢ^(j) - yᵢ^(j))

so that the error e = ref - y of each obeys  e^(r) + k_(r-1) e^(r-1) + … + k₁ ė + k₀ e = 0, with coefficients that are
parameters of the law. Where Σ r is the dimension of the state, nothing else moves; otherwise the rest are the zero
dynamics, which are checked when the law is designed.

The dynamic extension algorithm puts integrators before inputs. J. Descusse and C. H. Moog, *Decoupling with dynamic
compensation for strong invertible affine nonlinear systems* (1985); A. Isidori, *Nonlinear Control Systems* (1995),
section 5.4. Where the decoupling matrix is singular, some of its rows depend on each other: the inputs that act in
these appear too early. An integrator is put before each of them (before combinations of them, where more act than the
rows have rank), so that others catch up; and so on, until the matrix is regular. That ends after at most n steps, or
the inputs do not move the outputs independently.

Partial feedback linearisation of underactuated mechanisms: the coordinates that inputs drive, or the others.

M. W. Spong, *Partial feedback linearization of underactuated mechanical systems* (1994). Collocated: the driven
coordinates follow, q̈_a = v, everywhere. Non-collocated: the others do, q̈_p = v, where M_pa is regular (strong inertial
coupling). What is left are zero dynamics, whose stability is looked at when the law is made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from math import comb, prod
from typing import Any

import numpy as np

from ...control_geometry.affine import Plant, Regular, outputs_of
from ...control_geometry.at_state import AtState, Query
from ...control_geometry.flatness import Linearizability, linearizability
from ...control_geometry.zero_dynamics import RelativeDegree, ZeroDynamics, degrees_of, zero_dynamics_of
from ...dynamics.equations import EquationsOfMotion
from ...errors import PolhodeError, check_known, fault_at, listed, shown, understood, warn
from ...expr import (
    Expr,
    Matrix,
    Vector,
    as_expr,
    directional,
    evaluate,
    free_symbols,
    independent_columns,
    is_zero,
    latex,
    normal,
    quiet_collector,
    rank,
    substitute,
    symbol,
    topological,
)
from ...expr.decide import combinations
from ...expr.spelling import latex_name, spelled
from ...formalisms.derivation import Derived
from ...geometry.elimination import factor_symmetric, solve_columns
from ...geometry.vector_fields import NODE_LIMIT
from ...laws.controller import Controller
from ...laws.law import ControllerState, Law, Reference
from ...linear.operating_point import Values, parameter_values
from ...model.reading import number_of
from ...model.records import Parameter
from ..lyapunov import ErrorDynamics, closed_loop_flow
from .prolongation import Decoupled, by_decoupling_matrix, by_prolongation, further_singular, inputs_of

_PLACE = "feedback_linearize"
fault = fault_at(_PLACE)
#: Quotients with more nodes than this are left as they are.
_READABLE = 60


@dataclass(frozen=True, eq=False)
class Integrator:
    """A state of the controller before an input, by its place: its symbol, what is before it, and where it starts."""

    input: int
    symbol: Expr
    rate: Expr  # another integrator's symbol, or the channel's
    start: Expr


@dataclass(frozen=True, eq=False)
class ExtendedState(AtState):
    """A state of a mechanism, with values for the integrators."""

    added: Mapping[Expr, Expr] = field(default_factory=dict)

    @property
    def values(self) -> dict[Expr, Expr]:
        """The values by their symbols."""
        return {**self.linear.point.values, **self.added}


@dataclass(frozen=True, eq=False)
class ExtendedPlant(Plant):
    """A mechanism behind integrators: the inputs are `channels`, and what the mechanism's own are is in `controls`.

    `starts` are values of the channels at the state at which the integrators start.
    """

    integrators: tuple[Integrator, ...] = ()
    controls: Mapping[Expr, Expr] = field(default_factory=dict)
    channels: tuple[Expr, ...] = ()
    starts: Mapping[Expr, Expr] = field(default_factory=dict)
    form: Regular | None = None

    @cached_property
    def names(self) -> list[str]:
        """The state's entries, then the integrators."""
        return [*Plant(self.equations, self.inputs, self.held, self.place).names, *(x.name for x in self._added)]

    @property
    def _added(self) -> list[Expr]:
        return [integrator.symbol for integrator in self.integrators]

    @property
    def variables(self) -> list[Expr]:
        """q, u, z and the integrators."""
        return [*self.equations.q, *self.equations.u, *self.equations.z, *self._added]

    @cached_property
    def regular(self) -> Regular:
        """The regular form of the extended plant."""
        if self.form is not None:
            return self.form
        plain = Plant(self.equations, self.inputs, self.held, self.place, is_plain=True).regular
        return replace(plain, positive=prod(factor_symmetric(self.mass_matrix).pivots, start=as_expr(1)))

    def state(self, here: AtState) -> AtState:
        """A state of the mechanism, with the integrators where they start."""
        return ExtendedState(here.linear, here.known, here.place, {x.symbol: x.start for x in self.integrators})


def extended(plant: Plant, outputs: dict[str, Expr], here: AtState | None) -> RelativeDegree:
    """The degrees of outputs after as many integrators as they need."""
    values = {} if here is None else here.values
    home = {entry.symbol: as_expr(entry.value or 0) for entry in plant.equations.system.inputs.values()}
    starts = {x: values.get(x, home.get(x, as_expr(0))) for x in plant.inputs.values()}
    symbols = [*plant.inputs.values()]
    wider = ExtendedPlant(
        plant.equations, plant.inputs, plant.held, plant.place, is_plain=True,
        controls={x: x for x in symbols}, channels=tuple(symbols), starts=starts,
    )  # fmt: skip
    degree = degrees_of(wider, outputs, None)
    for _ in range(plant.size):
        if degree.exists or None in degree.degrees:
            break
        wider = _delayed(degree, wider, here)
        size = len(topological([*wider.regular.drift, *(entry for g in wider.regular.fields for entry in g)]))
        if size > NODE_LIMIT:
            break
        degree = degrees_of(wider, outputs, None)
    if not degree.exists:
        message = f"integrators do not help: after {len(wider.integrators)} of them there is {str(degree).rstrip('.')}."
        cure = "Take other outputs, such as flat ones: see equations.is_flat_output."
        raise PolhodeError(message, _PLACE, cure, "E-CONTROL-UNSUPPORTED")
    return degree if here is None else replace(degree, state=wider.state(here))


def _delayed(degree: RelativeDegree, plant: ExtendedPlant, here: AtState | None) -> ExtendedPlant:
    """An integrator more before each of the inputs that appear too early."""
    # rows of the decoupling matrix that others depend on, and the inputs that act in them
    dependent = combinations(Matrix(list(degree.driven)).T)
    rows = next(rows for _, rows in sorted(dependent.items(), key=lambda item: len(item[1])) if rows)
    acting = [j for j in range(len(degree.inputs)) if not all(is_zero(degree.driven[i][j]) for i in rows)]
    if len(acting) > len(rows):
        plant, acting = _combined(degree, plant, rows, acting, here)
    form = plant.regular
    names = [*plant.inputs]
    counts = [1 + sum(integrator.input == j for integrator in plant.integrators) for j in acting]
    added = [symbol(f"{names[j]} integrator {count}", "state") for j, count in zip(acting, counts, strict=True)]
    drift = list(form.drift)
    for x, j in zip(added, acting, strict=True):
        drift = [as_expr(a + x * b) if b else a for a, b in zip(drift, form.fields[j], strict=True)]
    still = [as_expr(0)] * len(added)
    fields = [[*g, *still] for g in form.fields]
    for k, j in enumerate(acting):
        fields[j] = [as_expr(int(i == len(drift) + k)) for i in range(len(drift) + len(added))]
    delayed = {plant.channels[j]: x for x, j in zip(added, acting, strict=True)}
    integrators = [Integrator(j, delayed[w], w, plant.starts[w]) for j, w in zip(acting, delayed, strict=True)]
    plant = _substituted(plant, delayed)
    return replace(
        plant,
        integrators=(*plant.integrators, *integrators),
        starts={**plant.starts, **dict.fromkeys(delayed, as_expr(0))},  # what is left before an integrator is a rate
        form=Regular([*form.variables, *added], [*drift, *still], fields, [], as_expr(1), form.positive),
    )


def _substituted(plant: ExtendedPlant, values: dict[Expr, Expr]) -> ExtendedPlant:
    """Other expressions for inputs of the extended system, where its integrators and the mechanism take them."""
    rates = substitute([integrator.rate for integrator in plant.integrators], values)
    controls = substitute(list(plant.controls.values()), values)
    return replace(
        plant,
        integrators=tuple(replace(x, rate=rate) for x, rate in zip(plant.integrators, rates, strict=True)),
        controls=dict(zip(plant.controls, controls, strict=True)),
    )


def _combined(
    degree: RelativeDegree, plant: ExtendedPlant, rows: Sequence[int], acting: Sequence[int], here: AtState | None
) -> tuple[ExtendedPlant, list[int]]:
    """Inputs ν = c₁ + A₁⁻¹ A₂ c₂ that act in the rows, in place of as many others, c₁."""
    form, A, channels = plant.regular, degree.driven, list(plant.channels)
    chosen = [acting[k] for k in independent_columns([[A[i][j] for j in acting] for i in rows])]
    rest = [j for j in acting if j not in chosen]
    left, right = ([[A[i][j] for j in those] for i in rows] for those in (chosen, rest))
    ratio = solve_columns(left, right).map(_short)  # A₁⁻¹ A₂
    values, fields, starts = dict[Expr, Expr](), list(form.fields), dict(plant.starts)
    for k, row in zip(chosen, ratio, strict=True):
        old, new = channels[k], symbol(f"{channels[k].name} combined", "input")
        total = starts[old]
        values[old] = new
        for j, factor in zip(rest, row, strict=True):
            values[old] = as_expr(values[old] - factor * channels[j])
            total = total + factor * starts[channels[j]]
            fields[j] = [as_expr(a - factor * b) if b else a for a, b in zip(fields[j], form.fields[k], strict=True)]
        starts[new] = starts[old] if here is None else plant.state(here).exact([total])[0]
        channels[k] = new
    plain = replace(form, fields=fields)
    return replace(_substituted(plant, values), form=plain, channels=tuple(channels), starts=starts), chosen


def _short(value: Any) -> Expr:
    """A quotient with what cancels left out, so that nothing is divided by where it vanishes on both sides."""
    return normal(as_expr(value)) if len(topological([value])) < _READABLE else as_expr(value)


#: Where the poles are if neither they nor gains are given, in 1/s.
USUAL_POLES = -5


def error_coefficients(
    names: Sequence[str], degrees: Sequence[int], poles: Any = None, gains: Any = None
) -> tuple[list[tuple[Expr, ...]], dict[str, Parameter]]:
    """k₀ … k_(r-1) of each output, by poles or as given, for all outputs or by their names; and their parameters."""
    place = _PLACE
    if poles is not None and gains is not None:
        raise PolhodeError("poles and gains are both given.", place, "Give one of them.", "E-CONTROL-TWICE")
    chosen, read = (gains, _from_gains) if gains is not None else (USUAL_POLES if poles is None else poles, _from_poles)
    shared = not isinstance(chosen, Mapping)
    chosen = chosen if isinstance(chosen, Mapping) else dict.fromkeys(names, chosen)
    check_known("output", chosen, names, place=place, code="E-CONTROL-NAME")
    rows: list[tuple[Expr, ...]] = []
    table: dict[str, Parameter] = {}
    for name, degree in zip(names, degrees, strict=True):
        if name not in chosen:
            message = f"nothing is said of '{name}'."
            raise PolhodeError(message, place, "Give an entry for each output.", "E-CONTROL-MISSING")
        row, parameters = read(chosen[name], degree, "" if shared else f"_{name}", f"{place} of '{name}'")
        rows.append(row)
        table |= parameters
    return rows, table


def error_equation(coefficients: Sequence[Expr], name: str = "") -> tuple[str, str]:
    r"""The linear equation with these coefficients, k₀ first, in text and in LaTeX."""
    error, index = (f"e_{name}", f"_{{{latex_name(name)}}}") if name else ("e", "")
    degree = len(coefficients)
    text, typeset = [error + "'" * degree], [_rate_latex(degree) + index]
    for order, k in reversed([*enumerate(coefficients)]):
        text.append(f"{_factor(str(k))} {error}" + "'" * order)
        typeset.append(rf"{_factor(latex(k))} \, {_rate_latex(order)}{index}")
    return f"{' + '.join(text)} = 0", f"{' + '.join(typeset)} = 0"


def _factor(text: str) -> str:
    return f"({text})" if " + " in text or " - " in text or text.startswith("-") else text


def _rate_latex(order: int) -> str:
    return "e" if not order else rf"\{'d' * order}ot{{e}}" if order <= 4 else f"e^{{({order})}}"


def _from_poles(entries: Any, degree: int, mark: str, place: str) -> tuple[tuple[Expr, ...], dict[str, Parameter]]:
    if np.ndim(entries) == 0:
        value = -_exact(entries, place)
        _check_stable([complex(-value)], place)
        rate = Parameter(symbol(f"lambda{mark}", "parameter"), value, "1/s")
        row = tuple(as_expr(comb(degree, j) * rate.symbol ** (degree - j)) for j in range(degree))
        return row, {rate.symbol.name: rate}
    with understood("a list of poles", entries, place=place, cure="Give a number, or one for each order."):
        poles = [complex(pole) for pole in entries]
    _check_count(len(poles), degree, "poles", place)
    _check_stable(poles, place)
    return _gain_parameters(_polynomial(list(entries), poles, place), mark)


def _from_gains(gains: Any, degree: int, mark: str, place: str) -> tuple[tuple[Expr, ...], dict[str, Parameter]]:
    with understood("a list of gains", gains, place=place, cure="Give k0, k1, …: one for each order below the degree."):
        values = [_exact(value, place) for value in gains]
    _check_count(len(values), degree, "gains", place)
    _check_stable([complex(x) for x in np.roots([1.0, *(float(x) for x in reversed(values))])], place)
    return _gain_parameters(values, mark)


def _gain_parameters(values: Sequence[Fraction], mark: str) -> tuple[tuple[Expr, ...], dict[str, Parameter]]:
    table = [Parameter(symbol(f"k{j}{mark}", "parameter"), value) for j, value in enumerate(values)]
    return tuple(parameter.symbol for parameter in table), {parameter.symbol.name: parameter for parameter in table}


def _polynomial(entries: Sequence[Any], poles: Sequence[complex], place: str) -> list[Fraction]:
    """The coefficients below the leading one, exactly: real poles by themselves, others with their conjugates."""
    polynomial = [Fraction(1)]
    waiting = list(range(len(poles)))
    while waiting:
        k = waiting.pop(0)
        if poles[k].imag == 0:
            real = entries[k].real if isinstance(entries[k], complex) else entries[k]
            factor = [-_exact(real, place), Fraction(1)]
        else:
            partner = next((j for j in waiting if poles[j] == poles[k].conjugate()), None)
            if partner is None:
                cure = "Give complex poles in conjugate pairs."
                raise PolhodeError(f"the pole {poles[k]} comes without its conjugate.", place, cure, "E-CONTROL-NUMBER")
            waiting.remove(partner)
            a, b = Fraction(poles[k].real), Fraction(poles[k].imag)
            factor = [a * a + b * b, -2 * a, Fraction(1)]
        product = [Fraction(0)] * (len(polynomial) + len(factor) - 1)
        for i, x in enumerate(polynomial):
            for j, y in enumerate(factor):
                product[i + j] += x * y
        polynomial = product
    return polynomial[:-1]


def _exact(value: Any, place: str) -> Fraction:
    node = number_of(value, place)
    if not node.is_number or not np.isfinite(float(node.data)):
        raise PolhodeError(f"{shown(value)} is not a number.", place=place, cure="Give one.", code="E-CONTROL-NUMBER")
    return Fraction(node.data)


def _check_count(count: int, degree: int, what: str, place: str) -> None:
    if count != degree:
        message = f"{count} {what} are given, and the output has relative degree {degree}."
        raise PolhodeError(message, place, f"Give {degree} of them.", "E-CONTROL-SHAPE")


def _check_stable(poles: Sequence[complex], place: str) -> None:
    unstable = [pole for pole in poles if not pole.real < 0]
    if unstable:
        pole = f"{unstable[0].real:g}" if not unstable[0].imag else f"{unstable[0]:g}"
        cure = "Give poles with negative real parts, or gains with such poles."
        raise PolhodeError(f"errors would not decay: a pole is at {pole}.", place, cure, "E-CONTROL-NUMBER")


def linearizing_outputs(plant: Plant, conditions: Linearizability) -> RelativeDegree:
    """The degrees of as many coordinates and states as inputs, which sum up to the dimension of the state."""
    if not conditions.is_linearizable:
        message = f"the state cannot be made linear by static feedback: {conditions.sentences[-1].rstrip('.')}."
        cure = "Give outputs=[…] for a law that makes some of it linear, or flat ones and extend=True."
        raise fault(message, cure, "E-CONTROL-UNSUPPORTED")
    symbols = [*plant.equations.q, *plant.equations.z]
    relative = degrees_of(plant, {spelled(x): x for x in symbols}, None)
    order = sorted(range(len(symbols)), key=lambda k: -(relative.degrees[k] or 0))
    chosen: list[int] = []
    for k in order:
        if relative.degrees[k] and rank([relative.driven[i] for i in (*chosen, k)]) == len(chosen) + 1:
            chosen.append(k)
    total = sum(relative.degrees[k] or 0 for k in chosen)
    if len(chosen) < len(plant.inputs) or total < plant.size:
        degrees = ", ".join(map(str, conditions.indices))
        none = f"outputs of relative degrees {{{degrees}}} exist, but coordinates are none"
        message = f"{none}: theirs sum up to {total} of {plant.size}."
        raise fault(message, "Give outputs=[…] as expressions of the state.", "E-CONTROL-UNSUPPORTED")
    chosen.sort()
    return replace(
        relative,
        outputs={spelled(symbols[k]): symbols[k] for k in chosen},
        degrees=tuple(relative.degrees[k] for k in chosen),
        chain=tuple(relative.chain[k] for k in chosen),
        rank=len(chosen),
        driven_drift=Vector([relative.driven_drift[k] for k in chosen]),
        driven=Matrix([relative.driven[k] for k in chosen]),
    )


#: Expressions with longer texts are not written out in sentences.
_SHORT = 80


class FeedbackLinearization(Controller):
    """A law under which outputs follow linear equations, in symbols; the whole state does where no output is named.

    `outputs` are names or expressions of the state, as many as `inputs`; without any, coordinates are looked for that
    make the whole state linear. Errors decay with `poles` or with `gains` k₀, k₁, …, of which one set serves all
    outputs, or each has its own by name. With `extend`, integrators are put before inputs where that is needed; they
    start where the state `at` has the inputs. At a state that is given the law must exist too.

    >>> import polhode as ph
    >>> s = ph.System("arm", gravity=(0, 0, 0))
    >>> k = s.parameter("k")
    >>> _ = s.joint("j", s.ground, s.body("link", inertia=(1, 1, 2)), ph.Revolute("z"))
    >>> _ = s.motor("j", inertia=3, stiffness=k)
    >>> law = FeedbackLinearization(s.derive())
    >>> law.degrees, law.outputs, law.zero_dynamics.size
    ((4,), {'j': j}, 0)
    >>> law.error_dynamics.proved, law.error_dynamics.formula[0]
    (True, "e'''' + 4*lambda e''' + 6*lambda**2 e'' + 4*lambda**3 e' + lambda**4 e = 0")
    """

    def __init__(
        self,
        equations: Derived | EquationsOfMotion,
        outputs: Any = None,
        inputs: Sequence[str] | None = None,
        at: Values = None,
        *,
        extend: bool = False,
        poles: Any = None,
        gains: Any = None,
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(equations, parameters=parameters)
        self._query = Query(self.equations, inputs, at)
        with quiet_collector():
            self._plant, self._state = self._query.plant(_PLACE)
            #: The conditions for making the whole state linear, where no output is named.
            self.linearizability: Linearizability | None = None
            self.degree = self._whole_state() if outputs is None else self._degree(self._read_outputs(outputs), extend)
            _check(self.degree)
            degrees = [degree or 0 for degree in self.degree.degrees]
            self._coefficients, self._gains = error_coefficients([*self.outputs], degrees, poles, gains)
        #: Warnings: zero dynamics that are unstable or that eigenvalues do not decide.
        self.notices = self._notices()

    def _read_outputs(self, outputs: Any) -> dict[str, Expr]:
        return outputs_of(self._plant, outputs)

    def _whole_state(self) -> RelativeDegree:
        self.linearizability = linearizability(self._plant, self._state)
        return replace(linearizing_outputs(self._plant, self.linearizability), state=self._state)

    def _degree(self, outputs: dict[str, Expr], extend: bool) -> RelativeDegree:
        count = len(self._plant.inputs)
        if len(outputs) != count:
            message = f"{count} inputs are to make {len(outputs)} outputs linear."
            raise fault(message, "Give as many outputs as inputs, and name the inputs: inputs=[…].", "E-CONTROL-SHAPE")
        degree = degrees_of(self._plant, outputs, self._state)
        return extended(self._plant, outputs, self._state) if extend and not degree.exists else degree

    def _notices(self) -> tuple[str, ...]:
        plant, starts = self.degree.plant, dict[Expr, Expr]()
        if isinstance(plant, ExtendedPlant):
            starts = {integrator.symbol: integrator.start for integrator in plant.integrators}
        if starts and any(map(is_zero, substitute(self.degree.singular, starts))):
            notice = "the integrators start where the law does not hold; say where inputs are: at={…}."
            warn(f"{self.name}: {notice}", code="W-CONTROL-UNSUPPORTED")
            return (notice,)
        if self.degree.total == self.degree.size:
            return ()
        left = self.zero_dynamics
        if left.is_stable is None:
            states = "one state is" if left.size == 1 else f"{left.size} states are"
            undecided = "eigenvalues do not decide whether the rest stays bounded"
            return (f"{states} not made linear, and {undecided}.", *left.notices)
        if left.is_stable:
            return ()
        worst = max(left.eigenvalues if left.eigenvalues is not None else [0j], key=lambda x: x.real)
        leaves = f"while the outputs follow, what else moves leaves its rest as exp({worst.real:.4g} t)."
        warn(f"{self.name}: the zero dynamics are unstable: {leaves}", code="W-CONTROL-UNSUPPORTED")
        return (f"the zero dynamics are unstable: {leaves}",)

    @property
    def outputs(self) -> dict[str, Expr]:
        """The outputs by name."""
        return self.degree.outputs

    @property
    def degrees(self) -> tuple[int, ...]:
        """The relative degree of each output, after integrators if there are any."""
        return tuple(degree or 0 for degree in self.degree.degrees)

    @property
    def singular(self) -> tuple[Expr, ...]:
        """The law does not exist where one of these vanishes."""
        return (*self.degree.singular, *self._further_singular)

    @property
    def conditions(self) -> tuple[str, ...]:
        """Sentences on where the law does not hold, and on the conditions for linearising the whole state."""
        where = tuple(f"The law does not hold where {words}." for words, _ in self._vanishing)
        return (*where, *(self.linearizability.sentences if self.linearizability is not None else ()))

    @property
    def _vanishing(self) -> tuple[tuple[str, Expr], ...]:
        """Conditions, in words, under which the law does not hold, each with the expression that vanishes."""
        where = [(f"{_text(x)}, as the decoupling matrix is singular there", x) for x in self.degree.singular]
        further = [(f"{_text(x)}, as the law divides by that pivot", x) for x in self._further_singular]
        return (*where, *further)

    @cached_property
    def zero_dynamics(self) -> ZeroDynamics:
        """The dynamics that remain while the outputs are held at zero."""
        with quiet_collector():
            degree, plant = self.degree, self.degree.plant
            here = self._state or self._query.state(_PLACE)
            here = plant.state(here) if isinstance(plant, ExtendedPlant) else here
            if degree.total < degree.size:
                offsets = here.exact([*degree.outputs.values()])
                held = {name: as_expr(y - y0) for (name, y), y0 in zip(degree.outputs.items(), offsets, strict=True)}
                degree = degrees_of(plant, held, degree.state)
            return zero_dynamics_of(degree, here)

    @property
    def coordinates(self) -> dict[str, Expr]:
        """The coordinates that follow linear equations: each output and its derivatives below its degree."""
        chains = zip(self.outputs, self._decoupled.chain, strict=True)
        return {name + "'" * order: entry for name, chain in chains for order, entry in enumerate(chain)}

    @property
    def control(self) -> dict[str, Expr]:
        """The controls by the names of the inputs."""
        return {name: self.law.controls[x] for name, x in self._plant.inputs.items()}

    @cached_property
    def error_dynamics(self) -> ErrorDynamics:
        """e^(r) + … + k₁ ė + k₀ e of each output along the closed loop, which is to be zero."""
        errors = {wanted.name: as_expr(wanted.symbols[0] - self.outputs[wanted.name]) for wanted in self.references}
        residuals, equations = [], []
        with quiet_collector():
            flow = closed_loop_flow(self.equations, self.law)
            for (name, error), row in zip(errors.items(), self._coefficients, strict=True):
                chain = [error]
                for _ in row:
                    chain += directional(chain[-1:], flow)
                residuals.append(as_expr(sum((k * e for k, e in zip(row, chain, strict=False)), start=chain[-1])))
                equations.append(error_equation(row, name if len(errors) > 1 else ""))
        text, typeset = zip(*equations, strict=True)
        formula = ", ".join(text), r", \quad ".join(typeset)
        return ErrorDynamics(errors, tuple(residuals), formula, self.law.conditions)

    def _sentences(self) -> list[str]:
        return [*super()._sentences(), *self.notices]

    @cached_property
    def references(self) -> tuple[Reference, ...]:
        """The wanted curves, each with as many derivatives as its output's degree."""
        return tuple(
            Reference(name, degree, quantity=y)
            for (name, y), degree in zip(self.outputs.items(), self.degrees, strict=True)
        )

    @cached_property
    def _new_inputs(self) -> list[Expr]:
        """Symbols for v, the wanted highest derivatives."""
        return [symbol(f"v {name}", "wanted") for name in self.outputs]

    @cached_property
    def _decoupled(self) -> Decoupled:
        with quiet_collector():
            return by_prolongation(self.degree, self._new_inputs) or by_decoupling_matrix(self.degree, self._new_inputs)

    @cached_property
    def _further_singular(self) -> list[Expr]:
        return further_singular(self.degree, self._decoupled)

    def _highest(self) -> list[Expr]:
        """v: the reference's highest derivative, and errors times their coefficients."""
        highest = []
        for wanted, chain, row in zip(self.references, self._decoupled.chain, self._coefficients, strict=True):
            total = wanted.symbols[-1]
            for k, r, y in zip(row, wanted.symbols, chain, strict=False):
                total = total + k * (r - y)
            highest.append(as_expr(total))
        return highest

    def design(self) -> Law:
        """c = A⁻¹ (v - b), and the integrators."""
        with quiet_collector():
            plant, decoupled = self.degree.plant, self._decoupled
            values = dict(zip(self._new_inputs, self._highest(), strict=True))
            if isinstance(plant, ExtendedPlant):
                values_of = dict(zip(plant.channels, substitute(decoupled.channels, values), strict=True))
                controls = dict(zip(plant.controls, substitute([*plant.controls.values()], values_of), strict=True))
                numbers = parameter_values(self.equations, None)
                rates = substitute([integrator.rate for integrator in plant.integrators], values_of)
                states = tuple(
                    ControllerState(integrator.symbol, _number(integrator.start, numbers), rate)
                    for integrator, rate in zip(plant.integrators, rates, strict=True)
                )
            else:
                efforts = substitute(inputs_of(plant, decoupled), values)
                controls, states = dict(zip(plant.inputs.values(), efforts, strict=True)), ()
            vanishing = self._vanishing
            where = tuple(words for words, _ in vanishing)
            return Law(
                controls, states, self.references, parameters=self._gains, conditions=where, singular=vanishing
            )  # fmt: skip


def _check(degree: RelativeDegree) -> None:
    if not degree.exists:
        cure = "Put integrators before inputs that appear too early, extend=True, or take other outputs."
        cure = "Take other outputs." if None in degree.degrees else cure
        raise fault(f"there is {str(degree).rstrip('.')}.", cure, "E-CONTROL-UNSUPPORTED")
    if degree.exists_at is False:
        message = f"the law does not exist at the given state: {str(degree).rstrip('.')}."
        raise fault(message, "Take other outputs, or a state away from there.", "E-CONTROL-SINGULAR")


def _text(value: Expr) -> str:
    text = str(value)
    return f"{text} = 0" if len(text) < _SHORT and "…" not in text else "its determinant vanishes"


def _number(value: Expr, values: Mapping[Expr, float]) -> Fraction:
    """An integrator's start: a number, or an expression of parameters that have values."""
    if value.is_number:
        return Fraction(value.data)
    return Fraction(evaluate([value], dict(values))[0]) if values.keys() >= {*free_symbols([value])} else Fraction(0)


in_part = fault_at("PartialLinearization")
_KINDS = ("collocated", "non-collocated")


class PartialLinearization(FeedbackLinearization):
    """A law under which as many coordinates as inputs follow linear equations.

    `outputs` are "collocated", the driven coordinates, "non-collocated", the others, or a list.
    """

    def __init__(
        self,
        equations: Derived | EquationsOfMotion,
        outputs: Any = "collocated",
        inputs: Sequence[str] | None = None,
        at: Values = None,
        *,
        poles: Any = None,
        gains: Any = None,
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(equations, outputs, inputs, at, poles=poles, gains=gains, parameters=parameters)

    def _read_outputs(self, outputs: Any) -> dict[str, Expr]:
        if not isinstance(outputs, str) or outputs in map(spelled, self._plant.variables):
            return super()._read_outputs(outputs)
        if outputs not in _KINDS:
            message = f"{shown(outputs)} is neither {' nor '.join(_KINDS)}, nor the name of a state."
            raise in_part(
                message, 'Write "collocated" or "non-collocated", or give a list of outputs.', "E-CONTROL-NAME"
            )
        return _coordinates(self._plant, outputs == "collocated")


def _coordinates(plant: Plant, collocated: bool) -> dict[str, Expr]:
    """The coordinates of the speeds that inputs drive; or of the others, and driven ones as far as inputs are left."""
    driven = [k for k in plant.regular.driven if k >= 0]
    if len(driven) < len(plant.inputs):
        message = "the inputs do not drive as many speeds as there are inputs: the coordinates are not determined."
        raise in_part(message, "Give a list of outputs.", "E-CONTROL-SHAPE")
    of_speed = {rate: q for q, rate in zip(plant.equations.q, plant.coordinate_rates, strict=True)}
    speeds = list(plant.equations.u)
    others = [u for u in speeds if u not in of_speed]
    if others:
        message = f"the speed {spelled(others[0])} is not the rate of a coordinate."
        raise in_part(message, "Give a list of outputs.", "E-CONTROL-UNSUPPORTED")
    active = [of_speed[speeds[k]] for k in driven]
    if collocated:
        return {spelled(q): q for q in active}
    passive = [of_speed[u] for k, u in enumerate(speeds) if k not in driven]
    if len(passive) > len(active):
        raise in_part(
            f"{len(active)} inputs cannot make {len(passive)} coordinates linear, {listed(map(spelled, passive))}.",
            f"Give a list of {len(active)} of them.",
            "E-CONTROL-SHAPE",
        )
    degrees = degrees_of(plant, {spelled(q): q for q in (*passive, *active)}, None)
    chosen = list(range(len(passive)))
    for k in range(len(passive), len(degrees.outputs)):
        if len(chosen) < len(active) and rank([degrees.driven[i] for i in (*chosen, k)]) == len(chosen) + 1:
            chosen.append(k)
    every = [*passive, *active]
    return {spelled(every[k]): every[k] for k in chosen}
