"""The descriptor form: all equations of a constrained mechanism in one system E ẋ = f, with multipliers in the state.

C. Mladenova, "Group Theory in the Problems of Modeling and Control of Multi-Body Systems", (255), in generalized
variables and with the corrections listed in docs/errata.md:

    ⎡ 1  0  0 ⎤ ⎡ q̇ ⎤   ⎡ Γ u              ⎤
    ⎢ 0  M  0 ⎥ ⎢ u̇ ⎥ = ⎢ τ - bias + Aᵀ λ  ⎥
    ⎣ 0  0  0 ⎦ ⎣ λ̇ ⎦   ⎣ A u + a          ⎦

E is singular: a differential-algebraic system of index two, as solvers of such systems and theories of control take it.
First-order states z, where there are some, stand between u and λ, each with its rate.

Of equations in pseudo-velocities π̇, or independent speeds, it is the form that (255) has for them, multiplied by
B = [A_1; A_2]⁻¹, so that the constraints are put in and its index is one:

    ⎡ 1      0      0 ⎤ ⎡ q̇ ⎤   ⎡ B_1 π̇ + b_0            ⎤      m rows of motion (235), and
    ⎣ 0   BᵀH B_1   0 ⎦ ⎢ π̈ ⎥ = ⎣ P - h* + (0, λ)         ⎦      n - m rows of reactions (236)
                        ⎣ λ̇ ⎦

The structure coefficients of pseudo-velocities: how far they are from being rates of coordinates.

C. Mladenova, "Group Theory in the Problems of Modeling and Control of Multi-Body Systems", (231):

    γ_kij = Σ b_sk b_lj (∂a_is/∂q_l - ∂a_il/∂q_s),     [Π_k, Π_j] = Σ γ_kij Π_i,     Π_k = Σ b_sk ∂/∂q_s

With X_j[a_i] the derivative of row i of a along Π_j this is γ_kij = X_j[a_i]·b_k - X_k[a_i]·b_j. Time is one more
coordinate, whose velocity is one: γ_ki0 is what a_i and its drift have by it.

Programmes: the efforts that make a mechanism keep conditions that nothing but control enforces.

C. Mladenova, "Group Theory in the Problems of Modeling and Control of Multi-Body Systems", Theorem 5, (251) to
(254) with the corrections listed in docs/errata.md. A motion keeps the programme A₂ u + a₂ = 0 if and only if it does
so at the start and the control U satisfies

    G U + g = 0,     G = ∂(A₂ u̇)/∂U,     g = A₂ u̇|_{U=0} + Ȧ₂ u + ȧ₂                          (252), (253, corrected)

The paper has a control on every coordinate of a free system, G = A₂ H⁻¹; here U are the efforts of some joints, and the
system may have passive constraints, such as rolling. A pull-back k makes the programme attractive, as ṙ = -k r for a
condition r on the speeds and φ̈ = -2k φ̇ - k² φ for one on the position. With more actuators than conditions the least
of the many controls is taken:

    min ½ Uᵀ W U  with  G U + g = 0:     U = -W⁻¹ Gᵀ (G W⁻¹ Gᵀ)⁻¹ g

W, symmetric and positive, weighs the efforts; it is the unit matrix where none is given. G W⁻¹ Gᵀ is positive wherever
G has full rank, so that it is eliminated on the graph without a choice of pivots.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...constraints import DependentSpeeds
from ...constraints.rows import reference_of
from ...dynamics.envelope import envelope
from ...dynamics.equations import EquationsOfMotion
from ...dynamics.whole import check_whole
from ...errors import PolhodeError, check_known, fault_at, number, shown, understood, unknown
from ...expr import (
    Expr,
    Matrix,
    Vector,
    as_expr,
    directional,
    evaluate,
    free_symbols,
    jacobian,
    quiet_collector,
    rank,
    substitute,
)
from ...expr.normal_form import normal
from ...expr.spelling import latex_name, spelled
from ...expr.typeset import Typeset
from ...formalisms.hamel import Hamel
from ...geometry.elimination import solve_columns, solve_symmetric
from ...kinematics.motion import flow
from ...model.reading import list_of


@dataclass(frozen=True, eq=False, repr=False)
class Descriptor(Typeset):
    """E(x) ẋ = f(x, t, τ) with the state x = (q, u, z, λ)."""

    x: Vector
    E: Matrix
    f: Vector

    @property
    def states(self) -> list[str]:
        """The entries of x as text: a coordinate x, its speed x', a speed v with a name of its own, lambda_slot."""
        return [*map(spelled, self.x)]

    def __repr__(self) -> str:
        return f"Descriptor(E x' = f, x = {', '.join(self.states)})"

    def _formulas(self) -> list[tuple[str, Matrix | Vector]]:
        return [("x", self.x), ("E", self.E), ("f", self.f)]


def descriptor(equations: EquationsOfMotion) -> Descriptor:
    """The descriptor form of equations, with multipliers where there are constraints."""
    with quiet_collector():
        if equations.dependent_speeds is not None:
            check_whole(equations, "the descriptor form in independent speeds")
            return _in_pseudo_velocities(equations, equations.dependent_speeds)
        return _descriptor(equations)


def _descriptor(equations: EquationsOfMotion) -> Descriptor:
    constraints = equations.constraints
    multipliers: list[Expr] = []
    rates: list[Expr] = []
    force = list(equations.forcing)
    if constraints is not None and constraints.rows:
        held = constraints.only(constraints.generic_rows)
        multipliers, rates = list(held.multipliers), list(held.rates)
        force = [as_expr(f + kept) for f, kept in zip(force, held.A.T @ held.multipliers, strict=True)]
    return _assembled(equations, equations.mass_matrix, force, rates, multipliers)


def _in_pseudo_velocities(equations: EquationsOfMotion, dependent: DependentSpeeds) -> Descriptor:
    """Rows of motion and of reactions, from Hamel's equations of all pseudo-velocities."""
    result, held = Hamel(equations.system, envelope(equations.tree), dependent), dependent.constraints
    count = result.m + len(held.rows)
    mass = jacobian(result.momenta[:count], list(result.u))
    still = [as_expr(0)] * result.m
    force = [as_expr(result.efforts[k] - result.equation(k, still)) for k in range(count)]
    reacted = [as_expr(f + kept) for f, kept in zip(force[result.m :], held.multipliers, strict=True)]
    return _assembled(equations, mass, [*force[: result.m], *reacted], [], list(held.multipliers))


def _assembled(
    equations: EquationsOfMotion,
    mass: Matrix,
    force: Sequence[Expr],
    algebraic: Sequence[Expr],
    multipliers: Sequence[Expr],
) -> Descriptor:
    """Rates of coordinates, rows of motion, rates of states, algebraic rows."""
    before, after = len(equations.q), len(equations.z) + len(multipliers)
    first = before + len(equations.u)
    size = first + after
    rows = [
        *([as_expr(int(i == j)) for j in range(size)] for i in range(before)),
        *([*_zeros(before), *row, *_zeros(after)] for row in mass),
        *([as_expr(int(first + i == j)) for j in range(size)] for i in range(len(equations.z))),
        *(_zeros(size) for _ in algebraic),
    ]
    return Descriptor(
        Vector([*equations.q, *equations.u, *equations.z, *multipliers]),
        Matrix(rows),
        Vector([*equations.coordinate_rates, *force, *equations.z_rates, *algebraic]),
    )


def _zeros(count: int) -> list[Expr]:
    return [as_expr(0)] * count


@dataclass(frozen=True, eq=False, repr=False)
class StructureCoefficients(Typeset):
    """γ_kij of all pseudo-velocities: those that are unknowns, then those that constraints and joints hold at zero.

    `coefficients["v", "w", "side"]`, or by numbers from 0; `by_time[k][i]` is γ_ki0, nil where nothing depends on time.
    """

    names: tuple[str, ...]
    values: tuple[Matrix, ...]  # values[k][i][j]
    by_time: Matrix

    def __repr__(self) -> str:
        return f"StructureCoefficients({', '.join(self.names)}: {len(self.nonzero)} that do not vanish)"

    def _formulas(self) -> list[tuple[str, Expr]]:
        return [(rf"\gamma_{{{', '.join(map(latex_name, which))}}}", value) for which, value in self.nonzero.items()]

    def __getitem__(self, which: tuple[str | int, str | int, str | int]) -> Expr:
        if not isinstance(which, tuple) or len(which) != 3:
            raise fault_at("structure coefficients")(
                "it has three indices, k, i and j.", "Name three pseudo-velocities, or count from 0.", "E-DERIVE-SHAPE"
            )
        k, i, j = (self._index(key) for key in which)
        return as_expr(self.values[k][i][j])

    def _index(self, name: str | int) -> int:
        allowed = range(len(self.names)) if isinstance(name, int) else self.names
        if name not in allowed:
            message = "pseudo-velocity"
            raise unknown(message, str(name), self.names, place="structure coefficients", code="E-DERIVE-NAME")
        return name if isinstance(name, int) else self.names.index(name)

    @property
    def nonzero(self) -> dict[tuple[str, str, str], Expr]:
        """Coefficients that do not vanish, by names."""
        size = range(len(self.names))
        every = ((k, i, j) for k in size for i in size for j in size)
        return {(self.names[k], self.names[i], self.names[j]): self[k, i, j] for k, i, j in every if self[k, i, j]}

    @property
    def are_constant(self) -> bool:
        """Whether they are constant functions, by fingerprint: then the pseudo-velocities are those of a Lie group."""
        entries = [as_expr(entry) for matrix in (*self.values, self.by_time) for entry in matrix.entries()]
        return not any(any(directional(entries, {x: as_expr(1)})) for x in _moving(entries))


def _moving(entries: Sequence[Expr]) -> list[Expr]:
    """The symbols of expressions that are no parameters."""
    return [x for x in free_symbols(entries) if x.data[0] != "parameter"]


def _plain(entry: Expr) -> Expr:
    """An expression; in normal form where it is a constant function, written in symbols that move."""
    moving = _moving([entry])
    return entry if not moving or any(any(directional([entry], {x: as_expr(1)})) for x in moving) else normal(entry)


def structure_coefficients(equations: EquationsOfMotion) -> StructureCoefficients:
    """Structure coefficients of the speeds, independent speeds or pseudo-velocities of the equations."""
    with quiet_collector():
        result = Hamel(equations.system, envelope(equations.tree), equations.dependent_speeds)
        return _coefficients(result, _names(equations, result))


def _names(equations: EquationsOfMotion, hamel: Hamel) -> tuple[str, ...]:
    rows = () if equations.dependent_speeds is None else equations.dependent_speeds.constraints.names
    return (*(u.name for u in hamel.u), *rows, *(hamel.tree.u[k].name for k in hamel.large.extra))


def _coefficients(hamel: Hamel, names: Sequence[str]) -> StructureCoefficients:
    (a, a_0), (b, b_0) = hamel.forms, hamel.fields
    q, time, size = list(hamel.tree.q), hamel.system.time, len(a)
    flat = [*(as_expr(entry) for entry in a.entries()), *a_0]

    def along(direction: Sequence[Expr], now: int) -> tuple[list[Vector], list[Expr]]:
        """The derivatives of the rows of a, and of a_0."""
        moving = {**dict(zip(q, direction, strict=True)), **({time: as_expr(1)} if now else {})}
        slopes, width = directional(flat, moving), len(q)
        return [Vector(slopes[i * width : (i + 1) * width]) for i in range(size)], slopes[size * width :]

    columns = [[as_expr(entry) for entry in column] for column in b.columns]
    slopes = [along(column, now=0) for column in columns]
    drifted, _ = along([as_expr(entry) for entry in b_0], now=1)

    def bracket(k: int, i: int, j: int) -> Expr:
        return _plain(as_expr(slopes[j][0][i].dot(columns[k]) - slopes[k][0][i].dot(columns[j])))

    def drift(k: int, i: int) -> Expr:
        return as_expr(drifted[i].dot(columns[k]) - slopes[k][0][i].dot(list(b_0)) - slopes[k][1][i])

    rows = range(size)
    values = tuple(Matrix([[bracket(k, i, j) for j in rows] for i in rows]) for k in rows)
    by_time = Matrix([[drift(k, i) for i in rows] for k in rows])
    return StructureCoefficients(tuple(names), values, by_time)


_PLACE, _WEIGHTS = "programme", "programme weights"
fault, weights_fault = fault_at(_PLACE), fault_at(_WEIGHTS)
#: Below this, beside the largest, a singular value is none.
_NOTHING = 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class Programme(Typeset):
    """Theorem 5 for one mechanism: G U + g = 0, and the control U(q, u, z, t) that solves it, by names of actuators."""

    actuators: list[str]
    G: Matrix
    g: Vector
    control: dict[str, Expr]
    notices: tuple[str, ...] = ()  # where the control has no value: at home, if that is a singular pose

    def __repr__(self) -> str:
        return f"Programme({', '.join(self.actuators)})"

    def _formulas(self) -> list[tuple[str, Any]]:
        return [("G", self.G), ("g", self.g), *((latex_name(name), law) for name, law in self.control.items())]

    def _sentences(self) -> tuple[str, ...]:
        return self.notices


def programme_control(
    equations: EquationsOfMotion, programme: Any, actuators: Any, pull: Any, least: str | None, weights: Any
) -> Programme:
    """Efforts that keep expressions of coordinates, or linear ones of speeds, at zero; other efforts are zero.

    With `least="effort"` there may be more actuators than conditions, and Uᵀ W U is least, W being `weights`.
    """
    conditions = list_of(programme, "a list of conditions", _PLACE)
    named = list_of(actuators, "a list of speeds", _PLACE)
    _check_actuators(equations.tree.speeds, named, len(conditions), least, weights)
    W = None if weights is None else weights_of(weights, named)
    rate = as_expr(pull)
    if rate.is_number:
        number(rate, "a rate of 0 or more", least=0.0, place=f"{_PLACE} pull", cure="Deviations decay as exp(-pull t).")
    with quiet_collector():
        return _programme(equations, conditions, named, rate, W)


def _check_actuators(
    speeds: Sequence[str], actuators: Sequence[str], conditions: int, least: str | None, weights: Any
) -> None:
    unexpected = [name for name in actuators if name not in speeds]
    if unexpected:
        raise unknown("speed", unexpected[0], speeds, place=_PLACE, code="E-PAPER-NAME")
    twice = [name for name in actuators if actuators.count(name) > 1]
    if twice:
        raise PolhodeError(f"the actuator '{twice[0]}' is named twice.", _PLACE, "Name it once.", "E-PAPER-TWICE")
    if least not in (None, "effort"):
        message = f"{shown(least)} is nothing that a programme makes least."
        raise fault(message, 'Give least="effort", or leave it out.', "E-PAPER-NAME")
    if weights is not None and least is None:
        message = "weights say what is least, and nothing is to be."
        raise fault(message, 'Give least="effort" beside them.', "E-PAPER-MISSING")
    if len(actuators) < conditions:
        message = f"{len(actuators)} actuators are to keep {conditions} conditions, which are too many for them."
        raise fault(message, "Name as many speeds as there are conditions, or fewer conditions.", "E-PAPER-SHAPE")
    if len(actuators) > conditions and least is None:
        message = f"{len(actuators)} actuators are to keep {conditions} conditions, which they can in many ways."
        cure = 'Give least="effort" for the smallest efforts, or name as many speeds as there are conditions.'
        raise fault(message, cure, "E-PAPER-SHAPE")


def _programme(
    equations: EquationsOfMotion, programme: Sequence[Any], actuators: list[str], pull: Expr, weights: Matrix | None
) -> Programme:
    tree, time = equations.tree, equations.system.time
    conditions = [as_expr(entry) for entry in programme]
    if equations.dependent_speeds is not None:
        conditions = equations.dependent_speeds.in_all_speeds(conditions)
    conditions = substitute(conditions, tree.followed)
    moving = {*tree.q, *tree.u, time}
    for x in free_symbols(conditions):
        if x not in moving and x.data[0] != "parameter":
            message = f"a condition depends on the {x.data[0]} '{x.name}', which efforts do not reach directly."
            cure = "Give expressions of coordinates, or linear ones of the speeds of these equations, and of time."
            raise fault(message, cure, "E-PAPER-DEPENDENCE")
    along = flow(tree, time)
    rates, lacks = _levels(conditions, along, pull)
    A = jacobian(rates, list(tree.u))
    _check_linear(A, tree.u)
    gamma = directional(rates, along)
    unactuated = {
        effort: as_expr(0) for name, effort in zip(tree.speeds, tree.tau, strict=True) if name not in actuators
    }
    efforts = [tree.tau[tree.speeds.index(name)] for name in actuators]
    udot = Vector(substitute(list(equations.accelerations), unactuated))
    needed = [as_expr(a + b + c) for a, b, c in zip(A @ udot, gamma, lacks, strict=True)]
    if equations.dependent_speeds is not None:
        needed = equations.dependent_speeds.in_independent_speeds(needed)
    G = jacobian(needed, efforts)
    g = substitute(needed, dict.fromkeys(efforts, as_expr(0)))
    if rank(G) < len(G):
        message = f"efforts on {', '.join(actuators)} cannot keep the {len(G)} conditions: only {rank(G)} can be met."
        cure = "Choose actuators that move what the conditions name, or conditions that do not repeat each other."
        raise fault(message, cure, "E-PAPER-SINGULAR")
    numbers = _numbers(equations, G)
    lost = _singular(numbers)
    if len(actuators) > len(G):
        efforts_found = least_efforts(G, g, weights)
    else:
        pivots = numbers.tolist() if np.isfinite(numbers).all() else None
        efforts_found = Vector([row[0] for row in solve_columns(G, [[-entry] for entry in g], pivots)])
    control = {name: as_expr(entry) for name, entry in zip(actuators, efforts_found, strict=True)}
    return Programme(actuators, G, Vector(g), control, (_singular_notice(lost),) if lost else ())


def _levels(conditions: Sequence[Expr], along: dict[Expr, Any], pull: Expr) -> tuple[list[Expr], list[Expr]]:
    """Each condition as one on the speeds, and what pulls back to it."""
    rates: list[Expr] = []
    lacks: list[Expr] = []
    for value, rate in zip(conditions, directional(conditions, along), strict=True):
        on_speeds = any(x.data[0] == "speed" for x in free_symbols([value]))
        rates.append(value if on_speeds else rate)
        lacks.append(as_expr(pull * value if on_speeds else 2 * pull * rate + pull * pull * value))
    return rates, lacks


def _check_linear(A: Matrix, u: Vector) -> None:
    speeds = set(u)
    for k, row in enumerate(A, start=1):
        if speeds.intersection(free_symbols([as_expr(entry) for entry in row])):
            message = f"condition number {k} is not linear in the speeds."
            raise fault(message, "Give expressions of coordinates, or linear ones of speeds.", "E-PAPER-DEPENDENCE")


def _numbers(equations: EquationsOfMotion, G: Matrix) -> NDArray[np.float64]:
    """G in numbers at zero coordinates, nan where an entry has none: its largest entries are the best pivots."""
    point = reference_of(equations.system, equations.tree)

    def value(entry: Any) -> float:
        try:
            return evaluate([as_expr(entry)], point)[0]
        except (ArithmeticError, ValueError, PolhodeError):
            return math.nan

    return np.array([[value(entry) for entry in row] for row in G])


def _singular(G: NDArray[np.float64]) -> list[int]:
    """The conditions, counted from 1, that have no value or are dependent at zero coordinates."""
    lost = [not np.isfinite(row).all() for row in G]
    if lost and not any(lost):
        left, sizes, _ = np.linalg.svd(G)
        lost = (np.abs(left[:, sizes <= _NOTHING * sizes[0]]) > _NOTHING).any(axis=1).tolist()
    return [k for k, is_lost in enumerate(lost, start=1) if is_lost]


def _singular_notice(lost: Sequence[int]) -> str:
    which = f"condition number {lost[0]}" if len(lost) == 1 else f"conditions number {', '.join(map(str, lost))}"
    return f"The home pose is singular for {which}: the control has no value there. Start at another pose."


# ---- least efforts --------------------------------------------------------------------------------------------


def least_efforts(G: Matrix, g: Sequence[Any], weights: Matrix | None = None) -> Vector:
    """The U of least ½ Uᵀ W U with G U + g = 0."""
    reached = G.T if weights is None else solve_columns(weights, G.T)  # W⁻¹ Gᵀ
    multipliers = Vector(solve_symmetric(G @ reached, [-as_expr(entry) for entry in g]))
    return Vector([as_expr(entry) for entry in reached @ multipliers])


def weights_of(weights: Any, actuators: Sequence[str]) -> Matrix:
    """W from a weight for each actuator, by name (1 where none is given) or in order, or from a whole matrix."""
    count = len(actuators)
    if isinstance(weights, Mapping):
        check_known("actuator", weights, actuators, place=_WEIGHTS, code="E-PAPER-NAME")
        weights = [weights.get(name, 1) for name in actuators]
    with understood("weights", weights, place=_WEIGHTS, cure="Give a number for each actuator, or a square matrix."):
        rows = [list(entry) if isinstance(entry, Vector | list | tuple | np.ndarray) else entry for entry in weights]
        if not any(isinstance(row, list) for row in rows):
            rows = [[entry if i == j else 0 for j in range(len(rows))] for i, entry in enumerate(rows)]
        W = [[as_expr(entry) for entry in row] for row in rows]
    if [len(row) for row in W] != [count] * count:
        message = f"the weights do not fit {count} actuators."
        raise weights_fault(message, f"Give {count} numbers, or a matrix of {count} × {count}.", "E-PAPER-SHAPE")
    if any(W[i][j] != W[j][i] for i in range(count) for j in range(i)) or not _is_positive(W):
        message = "the weights are not a symmetric positive matrix: some effort would cost nothing, or less."
        cure = "Give positive numbers, or the matrix of a positive quadratic form."
        raise weights_fault(message, cure, "E-PAPER-SINGULAR")
    return Matrix(W)


def _is_positive(W: Sequence[Sequence[Expr]]) -> bool:
    """Whether all principal minors are; weights that are expressions of parameters are taken at their word."""
    entries = [entry for row in W for entry in row]
    if free_symbols(entries):
        return True
    numbers = np.array(evaluate(entries, {})).reshape(len(W), len(W))
    return bool(np.linalg.eigvalsh(numbers).min() > 0)
