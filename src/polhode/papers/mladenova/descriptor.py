"""The descriptor form: all equations of a constrained mechanism in one system E ẋ = f, with multipliers in the state.

C. Mladenova, "Group Theory in the Problems of Modeling and Control of Multi-Body Systems", (255), in generalized
variables and with the corrections listed in docs/errata.md:

    ⎡ 1  0  0 ⎤ ⎡ q̇ ⎤   ⎡ Γ u              ⎤
    ⎢ 0  M  0 ⎥ ⎢ u̇ ⎥ = ⎢ τ - bias + Aᵀ λ  ⎥
    ⎣ 0  0  0 ⎦ ⎣ λ̇ ⎦   ⎣ A u + a          ⎦

E is singular: a differential-algebraic system of index two, as solvers of such systems and theories of control take it.
States without mass z, where there are some, stand between u and λ, each with its rate.

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
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...constraints import DependentSpeeds
from ...dynamics.envelope import envelope
from ...dynamics.equations import EquationsOfMotion
from ...dynamics.whole import check_whole
from ...errors import PolhodeError, unknown
from ...expr import Expr, Matrix, Vector, as_expr, directional, free_symbols, is_zero, jacobian, quiet_collector
from ...expr.spelling import latex_name
from ...expr.typeset import Typeset
from ...formalisms.hamel import Hamel


@dataclass(frozen=True, eq=False, repr=False)
class Descriptor(Typeset):
    """E(x) ẋ = f(x, t, τ) with the state x = (q, u, z, λ)."""

    states: list[str]
    x: Vector
    E: Matrix
    f: Vector

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
    names: list[str] = []
    multipliers: list[Expr] = []
    rates: list[Expr] = []
    force = list(equations.forcing)
    if constraints is not None and constraints.rows:
        held = constraints.only(constraints.generic_rows)
        names, multipliers, rates = held.names, list(held.multipliers), list(held.rates)
        force = [as_expr(f + kept) for f, kept in zip(force, held.A.T @ held.multipliers, strict=True)]
    return _assembled(equations, equations.mass_matrix, force, rates, names, multipliers)


def _in_pseudo_velocities(equations: EquationsOfMotion, known: DependentSpeeds) -> Descriptor:
    """Rows of motion and of reactions, from Hamel's equations of all pseudo-velocities."""
    made, held = Hamel(equations.system, envelope(equations.tree), known), known.constraints
    count = made.m + len(held.rows)
    mass = jacobian(made.momenta[:count], list(made.u))
    still = [as_expr(0)] * made.m
    force = [as_expr(made.efforts[k] - made.equation(k, still)) for k in range(count)]
    reacted = [as_expr(f + kept) for f, kept in zip(force[made.m :], held.multipliers, strict=True)]
    return _assembled(equations, mass, [*force[: made.m], *reacted], [], held.names, list(held.multipliers))


def _assembled(
    equations: EquationsOfMotion,
    mass: Matrix,
    force: Sequence[Expr],
    algebraic: Sequence[Expr],
    names: Sequence[str],
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
        [*equations.coordinates, *(f"d({u})" for u in equations.speeds), *equations.states,
         *(f"lambda({name})" for name in names)],
        Vector([*equations.q, *equations.u, *equations.z, *multipliers]),
        Matrix(rows),
        Vector([*equations.coordinate_rates, *force, *equations.z_rates, *algebraic]),
    )  # fmt: skip


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
            raise PolhodeError(
                "a structure coefficient has three indices, k, i and j.",
                place="structure coefficients",
                cure="Name three pseudo-velocities, or count them from 0.",
                code="E-DERIVE-SHAPE",
            )
        k, i, j = (self._place(each) for each in which)
        return as_expr(self.values[k][i][j])

    def _place(self, name: str | int) -> int:
        known = range(len(self.names)) if isinstance(name, int) else self.names
        if name not in known:
            raise unknown(
                "pseudo-velocity", str(name), self.names, place="structure coefficients", code="E-DERIVE-NAME"
            )
        return name if isinstance(name, int) else self.names.index(name)

    @property
    def nonzero(self) -> dict[tuple[str, str, str], Expr]:
        """Those that do not vanish, by names."""
        size = range(len(self.names))
        every = ((k, i, j) for k in size for i in size for j in size)
        return {(self.names[k], self.names[i], self.names[j]): self[k, i, j] for k, i, j in every if self[k, i, j]}

    @property
    def are_constant(self) -> bool:
        """Whether they are numbers, or of parameters alone: then the pseudo-velocities are those of a Lie group."""
        entries = [as_expr(entry) for matrix in (*self.values, self.by_time) for entry in matrix.entries()]
        return all(x.data[0] == "parameter" for x in free_symbols([entry for entry in entries if not is_zero(entry)]))


def structure_coefficients(equations: EquationsOfMotion) -> StructureCoefficients:
    """Those of the speeds, independent speeds or pseudo-velocities that equations are written in."""
    with quiet_collector():
        made = Hamel(equations.system, envelope(equations.tree), equations.dependent_speeds)
        return _coefficients(made, _names(equations, made))


def _names(equations: EquationsOfMotion, made: Hamel) -> tuple[str, ...]:
    rows = () if equations.dependent_speeds is None else equations.dependent_speeds.constraints.names
    return (*(u.name for u in made.u), *rows, *(made.tree.u[k].name for k in made.large.extra))


def _coefficients(made: Hamel, names: Sequence[str]) -> StructureCoefficients:
    (a, a_0), (b, b_0) = made.forms, made.fields
    q, time, size = list(made.tree.q), made.system.time, len(a)
    flat = [*(as_expr(entry) for entry in a.entries()), *a_0]

    def along(direction: Sequence[Expr], now: int) -> tuple[list[Vector], list[Expr]]:
        """The derivatives of the rows of a, and of a_0."""
        moving = {**dict(zip(q, direction, strict=True)), **({time: as_expr(1)} if now else {})}
        found, width = directional(flat, moving), len(q)
        return [Vector(found[i * width : (i + 1) * width]) for i in range(size)], found[size * width :]

    columns = [[as_expr(entry) for entry in column] for column in b.columns]
    slopes = [along(column, now=0) for column in columns]
    drifted, _ = along([as_expr(entry) for entry in b_0], now=1)

    def bracket(k: int, i: int, j: int) -> Expr:
        return as_expr(slopes[j][0][i].dot(columns[k]) - slopes[k][0][i].dot(columns[j]))

    def drift(k: int, i: int) -> Expr:
        return as_expr(drifted[i].dot(columns[k]) - slopes[k][0][i].dot(list(b_0)) - slopes[k][1][i])

    rows = range(size)
    values = tuple(Matrix([[bracket(k, i, j) for j in rows] for i in rows]) for k in rows)
    by_time = Matrix([[drift(k, i) for i in rows] for k in rows])
    return StructureCoefficients(tuple(names), values, by_time)
