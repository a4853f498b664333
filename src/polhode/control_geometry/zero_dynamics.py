"""Zero dynamics: what still moves when the outputs are held at zero, or where they are.

A. Isidori, *Nonlinear Control Systems* (1995), sections 4.3 and 6.1. Outputs of vector relative degree r stay at zero
where y, ẏ, … y^(r-1) vanish and the inputs are c = -A⁻¹ b. What is left are n - Σ r equations. They are written on some
of the states where y = 0, ẏ = 0, … can be solved for the others one by one, each being affine in one of them;
elsewhere the manifold stays as it is, and the field on it is `drift`. Near an equilibrium, eigenvalues decide: of the
Jacobian of that field, on the directions in which no y, ẏ, … changes.

Vector relative degree and decoupling matrix: which derivatives of outputs the inputs reach.

A. Isidori, *Nonlinear Control Systems* (1995), sections 4.1 and 5.1. The degree rᵢ of an output hᵢ is the first
derivative in which an input appears:

    yᵢ^(rᵢ) = bᵢ(x) + Σ Aᵢⱼ(x) cⱼ,     bᵢ = L_f^rᵢ hᵢ,     Aᵢⱼ = L_gⱼ L_f^(rᵢ-1) hᵢ

The vector of degrees exists where the decoupling matrix A has full rank: at almost every state or nowhere, and at a
state only if A has full rank there. Degrees do not change under regular feedback, so they are found in the form that
leaves most of M out (`affine.Regular`), and A and b are brought back to the inputs when they are query for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import PolhodeError, fault_at
from ..expr import (
    Expr,
    Matrix,
    Vector,
    as_expr,
    derivative,
    free_symbols,
    is_zero,
    normal,
    quiet_collector,
    rank,
    substitute,
    topological,
)
from ..expr.ranges import cannot_vanish
from ..expr.spelling import acceleration_of, spelled, spelled_latex
from ..expr.text_printer import counted
from ..expr.typeset import Typeset
from ..geometry.elimination import solve_columns
from ..geometry.vector_fields import Field, lie_derivative
from ..linear.eigensystem import Spectrum, spectrum_of
from .affine import Plant, outputs_of
from .at_state import AtState, Query
from .determinant import determinant, vanishing_factors

_PLACE = "zero_dynamics"
fault = fault_at(_PLACE)
#: Rates with more nodes than this are not written in full.
_READABLE = 200


@dataclass(frozen=True, eq=False, repr=False)
class ZeroDynamics(Typeset):
    """The equations that are left when outputs are held.

    `states` and `rates` are the reduced equations, `solved` what the other states are on the manifold; both are empty
    where the manifold could not be solved. `manifold` are y, ẏ, …, which vanish on it, and `drift` is the field with
    c = -A⁻¹ b, in the order of the state's variables. `eigenvalues` are those about the equilibrium that was query for,
    or none: `notices` say why.
    """

    degree: RelativeDegree
    manifold: tuple[Expr, ...]
    drift: Field
    rates: dict[str, Expr]
    solved: dict[str, Expr]
    conditions: tuple[Expr, ...]  # the reduced equations hold where these do not vanish
    spectrum: Spectrum | None
    notices: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """How many equations are left."""
        return self.degree.size - self.degree.total

    @property
    def states(self) -> list[str]:
        """The states that the reduced equations are written on."""
        return [*self.rates]

    @property
    def eigenvalues(self) -> NDArray[np.complex128] | None:
        """Those about the equilibrium, fastest growing first; None where they were not taken."""
        return None if self.spectrum is None else self.spectrum.values

    @property
    def is_stable(self) -> bool | None:
        """Whether the zero dynamics are exponentially stable (minimum phase); None where eigenvalues do not decide."""
        if not self.size:
            return True
        word = "unknown" if self.spectrum is None else self.spectrum.stability()
        return {"stable": True, "unstable": False}.get(word)

    def __str__(self) -> str:
        if not self.size:
            return self._sentences()[0]
        rates = {f"{name}'": _text(rate) for name, rate in self.rates.items()}
        return "\n".join([*(f"{name} = {rate}" for name, rate in rates.items() if name != rate), *self._sentences()])

    def __repr__(self) -> str:
        return f"ZeroDynamics({', '.join(self.states) or self.size})"

    def _formulas(self) -> list[tuple[str, Expr]]:
        form = self.degree.plant.variables
        heads = {spelled(x): _rate_latex(x) for x in form}
        plain = {f"{name}'": rate for name, rate in self.rates.items()}
        return [(heads[name[:-1]], rate) for name, rate in plain.items() if str(rate) != name]

    def _sentences(self) -> list[str]:
        if not self.size:
            return ["no zero dynamics: the outputs and their derivatives determine the state."]
        words = [] if self.rates else [f"{self.size} equations on the manifold where the outputs vanish"]
        verdict = {True: "stable", False: "unstable", None: "not decided by eigenvalues"}[self.is_stable]
        if self.eigenvalues is not None:
            words.append(f"{verdict}: eigenvalues {', '.join(f'{eigenvalue:.4g}' for eigenvalue in self.eigenvalues)}")
        return [*words, *self.notices]


def _rate_latex(x: Expr) -> str:
    """The rate of a state in LaTeX."""
    if x.data[0] == "speed":
        return spelled_latex(acceleration_of(x))
    return rf"\dot{{{spelled_latex(x)}}}"


def _text(rate: Expr) -> str:
    return str(normal(rate)) if len(topological([rate])) < _READABLE else counted(rate)


def zero_dynamics(query: Query, outputs: Any) -> ZeroDynamics:
    """The zero dynamics of outputs, as many as inputs; with `at`, of outputs that are held where they are there."""
    with quiet_collector():
        plant, state = query.plant(_PLACE)
        targets = outputs_of(plant, outputs)
        if state is not None:
            offsets = state.exact([*targets.values()])
            targets = {name: as_expr(y - y0) for (name, y), y0 in zip(targets.items(), offsets, strict=True)}
        degree = degrees_of(plant, targets, state)
        check_square(degree)
        return zero_dynamics_of(degree, state or query.state(_PLACE))


def zero_dynamics_of(degree: RelativeDegree, here: AtState) -> ZeroDynamics:
    """The zero dynamics of outputs whose relative degree exists, with eigenvalues about a state."""
    plant = degree.plant
    manifold = [entry for chain in degree.chain for entry in chain]
    drift = _held_field(degree)
    rates, solved, conditions = _reduced(plant, manifold, drift)
    spectrum, notices = _spectrum(plant, here, manifold, drift, degree)
    if not rates and plant.size > degree.total:
        notices = ("The outputs could not be solved for states one by one: see manifold and drift.", *notices)
    return ZeroDynamics(degree, tuple(manifold), drift, rates, solved, conditions, spectrum, notices)


def check_square(degree: RelativeDegree) -> None:
    """Raise where there are not as many outputs as inputs, or the degree does not exist."""
    if len(degree.outputs) != len(degree.inputs):
        cure = "Give as many outputs as inputs."
        raise fault(f"{len(degree.inputs)} inputs are to hold {len(degree.outputs)} outputs.", cure, "E-GEOMETRY-SHAPE")
    if not degree.exists:
        message = f"there are no zero dynamics without a relative degree: {str(degree).rstrip('.')}."
        cure = "Take other outputs, or put integrators before some inputs (first-order states)."
        raise fault(message, cure, "E-GEOMETRY-SINGULAR")


def _held_field(degree: RelativeDegree) -> Field:
    """f + g v with y^(r) = 0."""
    form = degree.plant.regular
    v = solve_columns(degree.driven, [[-entry] for entry in degree.driven_drift])
    total: list[Any] = list(form.drift)
    for (entry,), g in zip(v, form.fields, strict=True):
        total = [a + entry * b if b else a for a, b in zip(total, g, strict=True)]
    return [as_expr(entry) for entry in total]


# ---- the reduced equations -----------------------------------------------------------------------------------------


def _reduced(
    plant: Plant, manifold: Sequence[Expr], drift: Field
) -> tuple[dict[str, Expr], dict[str, Expr], tuple[Expr, ...]]:
    """Rates of the states that are left, what the others are, and what was divided by."""
    if plant.equations.tree.quaternions or len(manifold) == plant.size:
        return {}, {}, ()
    equations, solved, conditions = list(manifold), dict[Expr, Expr](), list[Expr]()
    while equations:
        unsolved = [x for x in plant.variables if x not in solved]
        best = min(_solvable(equations, unsolved), default=None)
        if best is None:
            return {}, {}, ()
        risk, index, k = best
        x, entry = unsolved[k], equations.pop(index)
        (slope,) = derivative([entry], x)
        (rest,) = substitute([entry], {x: as_expr(0)})
        value = as_expr(-rest / slope)
        if risk == 2:
            conditions.append(slope)
        equations = substitute(equations, {x: value})
        solved = dict(zip(solved, substitute(list(solved.values()), {x: value}), strict=True)) | {x: value}
    left = [x for x in plant.variables if x not in solved]
    rates = [drift[plant.variables.index(x)] for x in left]
    there = dict(zip(map(spelled, left), substitute(rates, solved), strict=True))
    met = tuple(condition for condition in substitute(conditions, solved) if not cannot_vanish(condition, plant.masses))
    return there, {spelled(x): value for x, value in solved.items()}, met


def _solvable(equations: Sequence[Expr], variables: Sequence[Expr]) -> list[tuple[int, int, int]]:
    """Equations that are affine in a variable: risk that its factor vanishes (0, 1, 2), equation, variable."""
    solvable = []
    for index, entry in enumerate(equations):
        present = {*free_symbols([entry])}
        for k, x in enumerate(variables):
            if x not in present:
                continue
            (slope,) = derivative([entry], x)
            if is_zero(slope) or not is_zero(derivative([slope], x)[0]):
                continue
            moving = [s for s in free_symbols([slope]) if s.data[0] != "parameter"]
            solvable.append((0 if slope.is_number else 1 if not moving else 2, index, k))
    return solvable


# ---- about an equilibrium ------------------------------------------------------------------------------------------


def _spectrum(
    plant: Plant, here: AtState, manifold: Sequence[Expr], drift: Field, degree: RelativeDegree
) -> tuple[Spectrum | None, tuple[str, ...]]:
    if plant.size == degree.total:
        return spectrum_of(np.zeros((0, 0))), ()
    if here.rank(list(degree.driven)) < len(degree.outputs):
        return None, ("At this state the decoupling matrix is singular: there are no zero dynamics about it.",)
    if not all(map(here.is_zero, manifold)):
        return None, ("This state is not on the manifold of outputs at zero: no eigenvalues are taken.",)
    if not all(map(here.is_zero, drift)):
        return None, ("This state is no equilibrium of the zero dynamics: no eigenvalues are taken.",)
    size = len(plant.equations.q)
    slopes = plant.differentials(drift)
    displaced = plant.moved.back @ Matrix(list(slopes)[:size])
    rows = [*displaced, *list(slopes)[size:]]
    jacobian_at = here.numbers([entry for row in rows for entry in row])
    tangent = here.numbers(list(plant.differentials(manifold).entries()))
    if jacobian_at is None or tangent is None:
        return None, ("A parameter has no value: no eigenvalues are taken.",)
    J, O = (np.array(entries).reshape(-1, plant.size) for entries in (jacobian_at, tangent))
    N = np.linalg.svd(O)[2][len(manifold) :].T
    A = N.T @ J @ N
    return spectrum_of(A, np.full(A.shape, 1e-13 * np.abs(J).max(initial=0.0))), ()


_DEGREE = "relative_degree"
#: Chains no longer than this are differentiated on: to look whether they end costs more.
_SHORT_CHAIN = 4


@dataclass(frozen=True, eq=False, repr=False)
class RelativeDegree(Typeset):
    """The degrees of outputs, at almost every state and, if one was given, there.

    `degrees` are None for an output that no input reaches. `chain` has for each output h, L_f h, … before an input
    appears. `exists` says whether the vector of degrees exists at almost every state, `exists_at` at the given one.
    """

    outputs: dict[str, Expr]
    inputs: list[str]
    degrees: tuple[int | None, ...]
    chain: tuple[tuple[Expr, ...], ...]
    rank: int  # of the decoupling matrix, at almost every state
    plant: Plant
    driven_drift: Vector  # y^(r) = driven_drift + driven v, in the form after feedback
    driven: Matrix
    state: AtState | None

    @property
    def total(self) -> int:
        """The sum of the degrees."""
        return sum(degree or 0 for degree in self.degrees)

    @property
    def size(self) -> int:
        """The dimension of the state: where it equals `total`, there are no zero dynamics."""
        return self.plant.size

    @property
    def exists(self) -> bool:
        """Whether there is a vector relative degree at almost every state."""
        return None not in self.degrees and self.rank == len(self.outputs)

    @cached_property
    def exists_at(self) -> bool | None:
        """Whether there is one at the given state; None without one."""
        if self.state is None:
            return None
        if not self.exists or self.state.is_zero(self.plant.regular.condition):
            return False
        return self.state.rank(list(self.driven)) == len(self.outputs)

    @cached_property
    def decoupling(self) -> Matrix:
        """A: the outputs' derivatives of these degrees by the inputs."""
        return (self.driven @ self.plant.feedback[1]).map(as_expr)

    @cached_property
    def drift(self) -> Vector:
        """b: those derivatives without inputs."""
        added = self.driven @ self.plant.feedback[0]
        return Vector([as_expr(a + b) for a, b in zip(self.driven_drift, added, strict=True)])

    @cached_property
    def determinant(self) -> Expr:
        """det A without factors that never vanish, for as many outputs as inputs."""
        if len(self.outputs) != len(self.inputs):
            message = f"{len(self.outputs)} outputs and {len(self.inputs)} inputs have no determinant."
            raise PolhodeError(message, _DEGREE, "Give as many outputs as inputs.", "E-GEOMETRY-SHAPE")
        return as_expr(determinant(self.driven) * self.plant.regular.condition)

    @cached_property
    def singular(self) -> tuple[Expr, ...]:
        """The degree is lost where one of these vanishes; none, where it is not lost anywhere."""
        positive = self.plant.regular.positive, self.plant.masses
        return tuple(vanishing_factors(self.determinant, *positive)) if self.exists else ()

    def __str__(self) -> str:
        lost = [name for name, degree in zip(self.outputs, self.degrees, strict=True) if degree is None]
        if lost:
            return f"no relative degree: no input ever reaches {', '.join(lost)}."
        orders = ", ".join(map(str, self.degrees))
        orders = orders if len(self.degrees) == 1 else f"{{{orders}}}"
        if not self.exists:
            return (
                f"no vector relative degree: inputs appear in the derivatives {orders}, but the decoupling matrix has "
                f"rank {self.rank} of {len(self.outputs)} at every state."
            )
        words = f"relative degree {orders} of {self.size} states"
        if len(self.outputs) == len(self.inputs) and self.singular:
            words += f", lost where {' or '.join(f'{_short(factor)} = 0' for factor in self.singular)}"
        if self.exists_at is not None:
            words += "; at the given state too" if self.exists_at else f"; none at the given state{self._why()}"
        return f"{words}."

    def _why(self) -> str:
        if self.state is None or len(self.outputs) != len(self.inputs):
            return ""
        factors = [_short(factor) for factor in self.singular if self.state.is_zero(factor)]
        return f", where {' and '.join(factors)} {'vanishes' if len(factors) == 1 else 'vanish'}" if factors else ""

    def __repr__(self) -> str:
        return f"RelativeDegree({self})"

    def _formulas(self) -> list[tuple[str, Any]]:
        return [("A", self.decoupling), ("b", self.drift)] if self.exists else []

    def _sentences(self) -> list[str]:
        rates = [f"{name}{chr(39) * degree}" for name, degree in zip(self.outputs, self.degrees, strict=True) if degree]
        meaning = f"A and b are those of ({', '.join(rates)}) = b + A ({', '.join(self.inputs)})."
        words = f"{self}"
        return [words[0].upper() + words[1:], *([meaning] if self.exists else [])]


def _short(entry: Expr) -> str:
    text = str(entry)
    return text if len(text) < 80 and "…" not in text else "its determinant"


def relative_degree(query: Query, outputs: Any) -> RelativeDegree:
    """The vector relative degree of outputs, at almost every state and, if one is given (`{}` is home), there."""
    with quiet_collector():
        plant, state = query.plant(_DEGREE)
        return degrees_of(plant, outputs_of(plant, outputs), state)


def _is_closed(plant: Plant, chain: Sequence[Expr]) -> bool:
    """Whether the last derivative is a function of those before."""
    if len(chain) <= _SHORT_CHAIN:
        return is_zero(chain[-1])
    return rank(plant.differentials(chain)) < len(chain)


def degrees_of(plant: Plant, outputs: dict[str, Expr], state: AtState | None) -> RelativeDegree:
    """The degrees of outputs of a mechanism with its controls."""
    form = plant.regular
    if not form.fields:
        message = "no input is named, so that none reaches an output."
        raise PolhodeError(message, "relative_degree", "Name the controls: inputs=[…].", "E-CONTROL-MISSING")
    chains: list[list[Expr]] = [[entry] for entry in outputs.values()]
    rows: list[list[Expr] | None] = [None] * len(chains)
    open_rows = list(range(len(chains)))
    while open_rows:
        last = [chains[i][-1] for i in open_rows]
        reached = [lie_derivative(last, g, form.variables) for g in form.fields]
        for i, row in zip(open_rows, zip(*reached, strict=True), strict=True):
            if not all(map(is_zero, row)):
                rows[i] = list(row)
        open_rows = [i for i in open_rows if rows[i] is None]
        rates = lie_derivative([chains[i][-1] for i in open_rows], form.drift, form.variables)
        for i, rate in zip(open_rows, rates, strict=True):
            chains[i].append(rate)
        # where the differential of a derivative is spanned by those before, all later ones are, and no input appears
        open_rows = [i for i in open_rows if not _is_closed(plant, chains[i])]
    degrees = tuple(None if row is None else len(chain) for row, chain in zip(rows, chains, strict=True))
    width = len(form.fields)
    driven = Matrix([row or [as_expr(0)] * width for row in rows])
    drift = Vector(lie_derivative([chain[-1] for chain in chains], form.drift, form.variables))
    chain = tuple(tuple(row) for row in chains)
    return RelativeDegree(outputs, [*plant.inputs], degrees, chain, rank(driven), plant, drift, driven, state)
