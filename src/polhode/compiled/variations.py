"""Functions that are asked for by the symbols that something varies with: derivatives, and rates of variations.

    DerivativesOf("forward_dynamics", by=("l", "push"))   ∂u̇/∂l, ∂u̇/∂push     of q, u, τ
    VariationalRates(by=("l",), columns=3)                 (ẋ, Ṡ)              of (x, S), Ṡ = ∂f/∂x S, + ∂f/∂l first
    TangentVariations(by=("l",), columns=3)                (x, S)              of (x, S), S that keeps constraints
    ContactVariations(by=("l",), columns=3)                ẋ′, rows′, gaps′    of (x, S, λ), at constant forces λ
    IntegratedRates(integrand)                             (ẋ, ẏ)              of (x, y), ẏ the integrand
    AdjointRates(by=("l",), integrand)                     -(ẋ, λ̇, μ̇)          of (x, λ, μ), λ̇ = -∂H/∂x, μ̇ = -∂H/∂l

with H = λ·f + integrand; adjoints go backwards, so that their time is -t. Symbols are named as they are spelled in
text: a coordinate `theta`, its rate `theta'`, an effort `tau_theta`, the time `t`. What varies is one array, `x`, and
so are its rates: an integrator steps them as it steps a state.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, ClassVar

from ..codegen.ir.program import identifier
from ..errors import PolhodeError, unknown
from .quantities import Outputs, Quantity

if TYPE_CHECKING:
    from ..dynamics.equations import EquationsOfMotion
    from ..expr import Expr

#: What `DerivativesOf` differentiates, and the arrays that it takes.
ARRAYS_OF = {
    "forward_dynamics": ("q", "u", "tau"),
    "inverse_dynamics": ("q", "u", "udot"),
    "bias": ("q", "u"),
    "state_rates": ("x", "tau"),
}


@dataclass(frozen=True)
class DerivativesOf(Quantity):
    """The derivatives of a result by parameters, inputs, efforts or time, a column each."""

    of: str
    by: tuple[str, ...]

    kind = "derivatives"

    def __post_init__(self) -> None:
        if not isinstance(self.of, str) or self.of not in ARRAYS_OF:
            raise unknown("result to differentiate", self.of, ARRAYS_OF, code="E-CODE-NAME")
        check_names(self.by, self.kind)

    @property
    def arrays(self) -> tuple[str, ...]:  # type: ignore[override] # those of what is differentiated
        return ARRAYS_OF[self.of]

    @property
    def label(self) -> str:
        return identifier(self.kind, self.of, *self.by)

    def outputs(self, equations: EquationsOfMotion) -> Outputs:
        from ..dynamics.variations import derivatives_by

        matrix = derivatives_by(equations, self.of, self.by)
        return [("derivatives", matrix.shape, list(matrix.entries()))]


@dataclass(frozen=True)
class VariationalRates(Quantity):
    """(ẋ, Ṡ) of a state and some variations of it, S column after column; the first columns vary with `by`."""

    by: tuple[str, ...]
    columns: int

    kind = "variational_rates"
    arrays: ClassVar[tuple[str, ...]] = ("x", "tau")

    def __post_init__(self) -> None:
        check_names(self.by, self.kind)

    @property
    def label(self) -> str:
        return identifier(self.kind, *self.by, str(self.columns))

    def own_arrays(self, equations: EquationsOfMotion) -> dict[str, list[Expr]]:
        return {"x": [*_state(equations), *(s for column in self._variations(equations) for s in column)]}

    def _variations(self, equations: EquationsOfMotion) -> list[list[Expr]]:
        return [_symbols(equations, f"variation {k}") for k in range(self.columns)]

    def outputs(self, equations: EquationsOfMotion) -> Outputs:
        from ..dynamics.variations import Variations, varying
        from ..expr import as_expr

        variations = Variations(equations)
        directions = [dict(zip(variations.x, column, strict=True)) for column in self._variations(equations)]
        for direction, name in zip(directions, self.by, strict=False):
            direction[varying(equations, name)] = as_expr(1)
        entries = [*variations.rates, *(rate for column in variations.along(directions) for rate in column)]
        return [("xdot", (len(entries),), entries)]


@dataclass(frozen=True)
class TangentVariations(VariationalRates):
    """(x, S) with the variations brought to those that keep constraints and the lengths of quaternions."""

    kind = "tangent_variations"
    arrays = ("x",)

    def outputs(self, equations: EquationsOfMotion) -> Outputs:
        from ..dynamics.variations import tangent_variations, varying
        from ..expr import as_expr

        columns = self._variations(equations)
        others = [{varying(equations, name): as_expr(1)} for name in self.by]
        tangents = tangent_variations(equations, columns, [*others, *([{}] * (self.columns - len(others)))])
        entries = [*_state(equations), *(entry for column in tangents for entry in column)]
        return [("x", (len(entries),), entries)]


@dataclass(frozen=True, repr=False)
class ContactVariations(VariationalRates):
    """The variations of ẋ, rows, gaps and laws along variations S of a state, at constant contact forces λ.

    Of the rows these are the accelerations and the velocities. The last column varies with time too. With an
    integrand, this and its variations are one output more.
    """

    integrand: Expr | None = None

    kind = "contact_variations"

    def __repr__(self) -> str:
        integrand = "" if self.integrand is None else digest_of([self.integrand])
        return f"{type(self).__name__}({self.by!r}, {self.columns!r}, {integrand!r})"

    def own_arrays(self, equations: EquationsOfMotion) -> dict[str, list[Expr]]:
        from ..constraints.unilateral import unilateral_rows

        forces = unilateral_rows(equations.system, equations.tree).forces
        return {"x": [*super().own_arrays(equations)["x"], *forces]}

    def outputs(self, equations: EquationsOfMotion) -> Outputs:
        from ..constraints.unilateral import LAWS, unilateral_rows
        from ..dynamics.variations import Variations, through_laws, varying
        from ..expr import as_expr, directional, substitute

        tree, time = equations.tree, equations.system.time
        rows = unilateral_rows(equations.system, tree)
        efforts = dict(zip(tree.tau, rows.A.T @ rows.forces, strict=True))
        pushed = {tau: as_expr(equations.laws.get(tau, tau) + effort) for tau, effort in efforts.items()}
        variations = Variations(equations.driven({**equations.laws, **pushed}))
        directions = [dict(zip(variations.x, column, strict=True)) for column in self._variations(equations)]
        for direction, name in zip(directions, self.by, strict=False):
            direction[varying(equations, name)] = as_expr(1)
        directions[-1][time] = as_expr(1)
        velocities = list(equations.in_independent_speeds(list(rows.velocities)))
        flow = dict(zip((*equations.q, *equations.u), (*equations.coordinate_rates, *equations.udot), strict=True))
        accelerations = directional(velocities, {**flow, time: as_expr(1)})
        laws = [as_expr(getattr(group, law)) for _, group in rows.groups for law in LAWS]
        table: dict[str, list[Expr]] = {
            name: [] for name in ("rates", "accelerations", "velocities", "gaps", "margins", "laws")
        }
        integrand = [] if self.integrand is None else [self.integrand]
        for direction, rates in zip(directions, variations.along(directions), strict=True):
            moved = through_laws(variations.equations, direction)
            turned = {**moved, **dict(zip(equations.udot, rates[variations.accelerations], strict=True))}
            table["rates"] += rates
            for name, entries in (("accelerations", accelerations), ("velocities", velocities), ("gaps", rows.gaps),
                                  ("margins", rows.margins), ("laws", laws)):  # fmt: skip
                table[name] += directional(entries, turned)
            integrand += directional(integrand[:1], moved)
        if self.integrand is not None:
            table["integrand"] = integrand
        rates_now = dict(zip(equations.udot, variations.rates[variations.accelerations], strict=True))
        outputs = {name: substitute(substitute(entries, rates_now), pushed) for name, entries in table.items()}
        return [(name, (len(entries),), entries) for name, entries in outputs.items()]


@dataclass(frozen=True, repr=False)
class IntegratedRates(Quantity):
    """(ẋ, ẏ) of a state and of the integral of an expression along the motion."""

    integrand: Expr

    kind = "integrated_rates"
    arrays = ("x", "tau")

    def __post_init__(self) -> None:
        """An expression is what it is."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({digest_of([self.integrand])!r})"

    @property
    def label(self) -> str:
        return self.kind

    def own_arrays(self, equations: EquationsOfMotion) -> dict[str, list[Expr]]:
        return {"x": [*_state(equations), _integral()]}

    def outputs(self, equations: EquationsOfMotion) -> Outputs:
        entries = [*equations.state_rates, self.integrand]
        return [("xdot", (len(entries),), entries)]


@dataclass(frozen=True, repr=False)
class AdjointRates(Quantity):
    """-(ẋ, λ̇, μ̇) of a state, the adjoint of a functional, and its gradient by `by` so far, as functions of -t."""

    by: tuple[str, ...]
    integrand: Expr | None = None

    kind = "adjoint_rates"
    arrays = ("x", "tau")

    def __post_init__(self) -> None:
        check_names(self.by, self.kind)

    def __repr__(self) -> str:
        integrand = "" if self.integrand is None else digest_of([self.integrand])
        return f"{type(self).__name__}({self.by!r}, {integrand!r})"

    @property
    def label(self) -> str:
        return identifier(self.kind, *self.by)

    def own_arrays(self, equations: EquationsOfMotion) -> dict[str, list[Expr]]:
        from ..expr import symbol

        gradient = [symbol(f"gradient {k}", "variation") for k in range(len(self.by))]
        return {"x": [*_state(equations), *_symbols(equations, "adjoint"), *gradient]}

    def outputs(self, equations: EquationsOfMotion) -> Outputs:
        from ..dynamics.variations import Variations, varying
        from ..expr import gradient, substitute

        variations = Variations(equations)
        by = [*variations.x, *(varying(equations, name) for name in self.by)]
        slopes = variations.pulled_back(_symbols(equations, "adjoint"), by)
        if self.integrand is not None:
            slopes = [a + b for a, b in zip(slopes, gradient(self.integrand, by), strict=True)]
        time = equations.system.time
        entries = substitute([*(-rate for rate in variations.rates), *slopes], equations.laws)
        entries = substitute(entries, {time: -time})
        return [("xdot", (len(entries),), entries)]


def check_names(names: object, place: str) -> None:
    """Raise unless the value is a tuple of names."""
    if not isinstance(names, tuple) or not all(isinstance(name, str) for name in names):
        raise PolhodeError(f"by is {names!r}, not names.", place=place, cure='Give ("l", "m").', code="E-CODE-NAME")


def _state(equations: EquationsOfMotion) -> list[Expr]:
    return [*equations.q, *equations.u, *equations.z]


def _symbols(equations: EquationsOfMotion, word: str) -> list[Expr]:
    """Symbols beside those of the state, one for each."""
    from ..expr import symbol

    return [symbol(f"{word} of {k}", "variation") for k in range(len(_state(equations)))]


def _integral() -> Expr:
    from ..expr import symbol

    return symbol("integral", "variation")


def digest_of(entries: Sequence[Expr]) -> str:
    """The digest of expressions, by which functions of them are known."""
    from ..expr.archive import dump

    return sha256(dump(list(entries)).encode()).hexdigest()
