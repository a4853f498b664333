"""Integrators before inputs: the dynamic extension algorithm.

J. Descusse and C. H. Moog, *Decoupling with dynamic compensation for strong invertible affine nonlinear systems*
(1985); A. Isidori, *Nonlinear Control Systems* (1995), section 5.4. Where the decoupling matrix is singular, some of
its rows depend on each other: the inputs that act in these appear too early. An integrator is put before each of them
(before combinations of them, where more act than the rows have rank), so that others catch up; and so on, until the
matrix is regular. That ends after at most n steps, or the inputs do not move the outputs independently.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from ...control_geometry.affine import Plant, Regular
from ...control_geometry.at_state import AtState
from ...control_geometry.relative_degree import RelativeDegree, degrees_of
from ...errors import PolhodeError
from ...expr import Expr, Matrix, as_expr, independent_columns, is_zero, normal, substitute, symbol, topological
from ...expr.decide import combinations
from ...geometry.elimination import factor_symmetric, solve_columns
from ...geometry.vector_fields import NODE_LIMIT

_PLACE = "feedback_linearize"
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
        return [each.symbol for each in self.integrators]

    @property
    def variables(self) -> list[Expr]:
        """q, u, z and the integrators."""
        return [*self.equations.q, *self.equations.u, *self.equations.z, *self._added]

    @cached_property
    def regular(self) -> Regular:
        """The form that the extension made."""
        if self.form is not None:
            return self.form
        plain = Plant(self.equations, self.inputs, self.held, self.place, is_plain=True).regular
        return replace(plain, positive=_product(factor_symmetric(self.mass_matrix).pivots))

    def state(self, here: AtState) -> AtState:
        """A state of the mechanism, with the integrators where they start."""
        return ExtendedState(here.linear, here.known, here.place, {x.symbol: x.start for x in self.integrators})


def _product(entries: Iterable[Any]) -> Expr:
    made = as_expr(1)
    for entry in entries:
        made = made * entry
    return made


def extended(plant: Plant, outputs: dict[str, Expr], here: AtState | None) -> RelativeDegree:
    """The degrees of outputs after as many integrators as they need."""
    values = {} if here is None else here.values
    home = {entry.symbol: as_expr(entry.value or 0) for entry in plant.equations.system.inputs.values()}
    starts = {x: values.get(x, home.get(x, as_expr(0))) for x in plant.inputs.values()}
    symbols = [*plant.inputs.values()]
    made = ExtendedPlant(
        plant.equations, plant.inputs, plant.held, plant.place, is_plain=True,
        controls={x: x for x in symbols}, channels=tuple(symbols), starts=starts,
    )  # fmt: skip
    degree = degrees_of(made, outputs, None)
    for _ in range(plant.size):
        if degree.exists or None in degree.degrees:
            break
        made = _delayed(degree, made, here)
        size = len(topological([*made.regular.drift, *(entry for g in made.regular.fields for entry in g)]))
        if size > NODE_LIMIT:
            break
        degree = degrees_of(made, outputs, None)
    if not degree.exists:
        raise PolhodeError(
            f"integrators do not help: after {len(made.integrators)} of them there is {str(degree).rstrip('.')}.",
            place=_PLACE,
            cure="Take other outputs, such as flat ones: see equations.is_flat_output.",
            code="E-FEEDBACK-020",
        )
    return degree if here is None else replace(degree, state=made.state(here))


def _too_early(degree: RelativeDegree) -> tuple[list[int], list[int]]:
    """Rows of the decoupling matrix that others depend on, and the inputs that act in them."""
    A = degree.driven
    dependent = combinations(Matrix(list(A)).T)
    rows = next(found for _, found in sorted(dependent.items(), key=lambda item: len(item[1])) if found)
    acting = [j for j in range(len(degree.inputs)) if not all(is_zero(A[i][j]) for i in rows)]
    return rows, acting


def _delayed(degree: RelativeDegree, made: ExtendedPlant, here: AtState | None) -> ExtendedPlant:
    """An integrator more before each of the inputs that appear too early."""
    rows, acting = _too_early(degree)
    if len(acting) > len(rows):
        made, acting = _combined(degree, made, rows, acting, here)
    form = made.regular
    names = [*made.inputs]
    added = [symbol(f"{names[j]} integrator {_count(made, j) + 1}", "state") for j in acting]
    drift = list(form.drift)
    for x, j in zip(added, acting, strict=True):
        drift = [as_expr(a + x * b) if b else a for a, b in zip(drift, form.fields[j], strict=True)]
    still = [as_expr(0)] * len(added)
    fields = [[*g, *still] for g in form.fields]
    for k, j in enumerate(acting):
        fields[j] = [as_expr(int(i == len(drift) + k)) for i in range(len(drift) + len(added))]
    delayed = {made.channels[j]: x for x, j in zip(added, acting, strict=True)}
    integrators = [Integrator(j, delayed[w], w, made.starts[w]) for j, w in zip(acting, delayed, strict=True)]
    made = _substituted(made, delayed)
    return replace(
        made,
        integrators=(*made.integrators, *integrators),
        starts={**made.starts, **dict.fromkeys(delayed, as_expr(0))},  # what is left before an integrator is a rate
        form=Regular([*form.variables, *added], [*drift, *still], fields, [], as_expr(1), form.positive),
    )


def _count(made: ExtendedPlant, j: int) -> int:
    """How many integrators stand before an input."""
    return sum(each.input == j for each in made.integrators)


def _substituted(made: ExtendedPlant, values: dict[Expr, Expr]) -> ExtendedPlant:
    """Other expressions for inputs of the extended system, where its integrators and the mechanism take them."""
    rates = substitute([each.rate for each in made.integrators], values)
    controls = substitute(list(made.controls.values()), values)
    return replace(
        made,
        integrators=tuple(replace(each, rate=rate) for each, rate in zip(made.integrators, rates, strict=True)),
        controls=dict(zip(made.controls, controls, strict=True)),
    )


def _combined(
    degree: RelativeDegree,
    made: ExtendedPlant,
    rows: Sequence[int],
    acting: Sequence[int],
    here: AtState | None,
) -> tuple[ExtendedPlant, list[int]]:
    """What acts in the rows as inputs of its own, ν = c₁ + A₁⁻¹ A₂ c₂, in place of as many others, c₁."""
    form, A, channels = made.regular, degree.driven, list(made.channels)
    chosen = [acting[k] for k in independent_columns([[A[i][j] for j in acting] for i in rows])]
    rest = [j for j in acting if j not in chosen]
    left, right = ([[A[i][j] for j in those] for i in rows] for those in (chosen, rest))
    ratio = solve_columns(left, right).map(_short)  # A₁⁻¹ A₂
    values, fields, starts = dict[Expr, Expr](), list(form.fields), dict(made.starts)
    for k, row in zip(chosen, ratio, strict=True):
        old, new = channels[k], symbol(f"{channels[k].name} combined", "input")
        total = starts[old]
        values[old] = new
        for j, factor in zip(rest, row, strict=True):
            values[old] = as_expr(values[old] - factor * channels[j])
            total = total + factor * starts[channels[j]]
            fields[j] = [as_expr(a - factor * b) if b else a for a, b in zip(fields[j], form.fields[k], strict=True)]
        starts[new] = starts[old] if here is None else made.state(here).exact([total])[0]
        channels[k] = new
    plain = replace(form, fields=fields)
    return replace(_substituted(made, values), form=plain, channels=tuple(channels), starts=starts), chosen


def _short(value: Any) -> Expr:
    """A quotient with what cancels left out, so that nothing is divided by where it vanishes on both sides."""
    return normal(as_expr(value)) if len(topological([value])) < _READABLE else as_expr(value)
