"""Hamel's equations in pseudo-velocities, with constraints among them.

C. Mladenova, "Group Theory in the Problems of Modeling and Control of Multi-Body Systems", section 6,
equations (218) to (236), with the corrections listed in docs/errata.md:

    π̇ = A q̇, the last n - m of them zero                                                              (218)
    d/dt ∂T*/∂π̇_k - ∂T*/∂π_k + Σ γ_kij ∂T*/∂π̇_i π̇_j = P_k,             k = 1 … m                     (235)
    R_k = d/dt ∂T*/∂π̇_k - ∂T*/∂π_k + Σ γ_kij ∂T*/∂π̇_i π̇_j - P_k,       k = m + 1 … n       (236, corrected)
    γ_kij = Σ b_sk b_lj (∂a_is/∂q_l - ∂a_il/∂q_s)                                                      (231)

    paper       here
    a, b        forms, fields: π̇ = a q̇ + a_0, q̇ = b π̇ + b_0 (a_0, b_0: explicit time, the coordinate number 0)
    π̇_1 … m    the independent speeds, or what a user chose;  π̇_m+1 … n  the rates of the constraints, which vanish
    T*, P, R    kinetic energy, generalized forces, reactions: the multipliers of the constraints

Time enters as one more coordinate whose velocity is one, which the paper leaves out. The sum over j is taken at once,
along the motion itself. Needs a tree; any joint. Cost: grows fast with size, as all methods that differentiate T.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from ..constraints import DependentSpeeds
from ..dynamics.envelope import Envelope, envelope, generalized_forces
from ..dynamics.equations import Recipe
from ..expr import Expr, Matrix, Vector, as_expr, directional, gradient, jacobian, substitute
from ..geometry.elimination import solve_columns, solve_symmetric
from ..kinematics.motion import kinetic_energy
from ..kinematics.tree import Tree
from ..model.model import Model


@dataclass(frozen=True)
class Hamel:
    """The terms of Hamel's equations, as graphs, for every pseudo-velocity."""

    system: Model
    large: Envelope
    dependent_speeds: DependentSpeeds | None

    @property
    def tree(self) -> Tree:
        return self.large.tree

    @cached_property
    def u(self) -> Vector:
        """The pseudo-velocities 1 … m."""
        if self.dependent_speeds is not None:
            return self.dependent_speeds.u
        return Vector([self.tree.u[k] for k in self.large.real])

    @property
    def m(self) -> int:
        return len(self.u)

    @cached_property
    def _chosen(self) -> tuple[Matrix, Vector]:
        """The pseudo-velocities 1 … m in all speeds."""
        size = len(self.tree.u)
        if self.dependent_speeds is None:
            rows = [[as_expr(int(k == i)) for k in range(size)] for i in self.large.real]
            return Matrix(rows), Vector([as_expr(0)] * len(rows))
        P, p = self.dependent_speeds.forms
        return Matrix([[*row, *(as_expr(0) for _ in self.large.extra)] for row in P]), p

    @cached_property
    def constrained(self) -> tuple[Matrix, Vector]:
        """The pseudo-velocities m + 1 … n in all speeds: constraints, and excluded motions of nonholonomic joints."""
        size = len(self.tree.u)
        rows = [[as_expr(int(k == i)) for k in range(size)] for i in self.large.extra]
        drift = [as_expr(0)] * len(rows)
        if self.dependent_speeds is not None:
            constraints = self.dependent_speeds.constraints
            rows = [[*row, *(as_expr(0) for _ in self.large.extra)] for row in constraints.A] + rows
            drift = [*constraints.a, *drift]
        return Matrix(rows), Vector(drift)

    @cached_property
    def _local(self) -> tuple[Matrix, Vector]:
        """π̇ = Λ u + λ_0 of all speeds."""
        (chosen, moved), (rows, drift) = self._chosen, self.constrained
        return Matrix([*chosen, *rows]), Vector([*moved, *drift])

    @cached_property
    def _speeds(self) -> tuple[Matrix, Vector]:
        """u = Λ⁻¹ (π̇ - λ_0): the columns of all pseudo-velocities, and the term of explicit time."""
        Lambda, drift = self._local
        size = len(Lambda)
        inverse = solve_columns(Lambda, [[*(int(i == j) for j in range(size)), -drift[i]] for i in range(size)])
        return Matrix([list(row[:size]) for row in inverse]), Vector([row[size] for row in inverse])

    @cached_property
    def forms(self) -> tuple[Matrix, Vector]:
        """a and a_0: π̇ = a q̇ + a_0 (218)."""
        Lambda, drift = self._local
        return (Lambda @ self.large.back).map(as_expr), drift

    @cached_property
    def fields(self) -> tuple[Matrix, Vector]:
        """b and b_0: q̇ = b π̇ + b_0 (227)."""
        columns, drift = self._speeds
        return (self.large.gamma @ columns).map(as_expr), self.large.gamma @ drift

    @cached_property
    def dependent(self) -> dict[Expr, Expr]:
        """All speeds in terms of the independent ones: π̇_m+1 … n = 0."""
        columns, drift = self._speeds
        speeds = Matrix([list(row[: self.m]) for row in columns]) @ self.u + drift
        return {name: as_expr(value) for name, value in zip(self.tree.u, speeds, strict=True) if name not in self.u}

    def _in_independent_speeds(self, entries: Sequence[Any]) -> list[Expr]:
        return substitute([as_expr(entry) for entry in entries], self.dependent)

    @cached_property
    def flow(self) -> dict[Expr, Expr]:
        """The motion itself in coordinates and time, Σ π̇_j ∂/∂π_j with ṫ = 1."""
        rates = self._in_independent_speeds(self.tree.coordinate_rates())
        return {**dict(zip(self.tree.q, rates, strict=True)), self.system.time: as_expr(1)}

    @cached_property
    def momenta(self) -> list[Expr]:
        """∂T*/∂π̇_k of all pseudo-velocities, on the constraints."""
        by_speed = self._in_independent_speeds(gradient(as_expr(kinetic_energy(self.tree)), list(self.tree.u)))
        return [as_expr(entry) for entry in self._speeds[0].T @ Vector(by_speed)]

    @cached_property
    def _bends(self) -> list[Vector]:
        """The rates of the forms' rows along the motion: Σ_l (∂a_i/∂q_l) q̇_l + ∂a_i/∂t, with a_0 last."""
        a, a_0 = self.forms
        width = len(self.tree.q)
        flat = directional([*a.entries(), *a_0], self.flow)
        rows = [flat[i * width : (i + 1) * width] for i in range(len(a))]
        return [Vector([*row, flat[len(a) * width + i]]) for i, row in enumerate(rows)]

    def terms(self, k: int) -> Expr:
        """(235) without accelerations: -∂T*/∂π_k + (V[a_i])·X_k - (X_k[a_i])·V - P_k, X_k = Σ b_sk ∂/∂q_s, (231)."""
        b, _ = self.fields
        X_k = {q: b[s, k] for s, q in enumerate(self.tree.q)}
        a, a_0 = self.forms
        width = len(self.tree.q)
        changed = directional([*a.entries(), *a_0], X_k)
        motion = [self.flow[q] for q in self.tree.q]
        total = -directional([self.energy], X_k)[0]
        for i, momentum in enumerate(self.momenta):
            there = self._bends[i][:width].dot([b[s, k] for s in range(width)])
            here = Vector(changed[i * width : (i + 1) * width]).dot(motion) + changed[len(a) * width + i]
            total = total + (there - here) * momentum  # (231)
        return as_expr(total - self.forces[k])

    @cached_property
    def energy(self) -> Expr:
        """T* on the constraints."""
        return self._in_independent_speeds([kinetic_energy(self.tree)])[0]

    @cached_property
    def forces(self) -> list[Expr]:
        """P_k = Σ Q_s b_sk (230), efforts apart."""
        Q = self._in_independent_speeds(generalized_forces(self.system, self.tree, self.large.gamma))
        return [as_expr(entry) for entry in self._speeds[0].T @ Vector(Q)]

    @cached_property
    def efforts(self) -> list[Expr]:
        """The efforts τ on the pseudo-velocities."""
        return [as_expr(entry) for entry in self._speeds[0].T @ self.tree.tau]

    def equation(self, k: int, ud: Sequence[Any]) -> Expr:
        """The left side of (235) less P_k: the effort on pseudo-velocity k that the motion requires."""
        along = {**self.flow, **{name: as_expr(rate) for name, rate in zip(self.u, ud, strict=True)}}
        if k not in self._terms:
            self._terms[k] = self.terms(k)
        return directional([self.momenta[k]], along)[0] + self._terms[k]

    @cached_property
    def _terms(self) -> dict[int, Expr]:
        return {}

    def mass_matrix(self) -> Matrix:
        """∂²T*/∂π̇² of the independent pseudo-velocities."""
        return jacobian(self.momenta[: self.m], list(self.u))


def recipe(model: Model, tree: Tree, dependent_speeds: DependentSpeeds | None = None) -> Recipe:
    """Hamel's equations on the tree's speeds, or with constraints on the independent ones."""
    hamel = Hamel(model, envelope(tree), dependent_speeds)
    m = hamel.m
    mass_matrix = cache(hamel.mass_matrix)

    def inverse(ud: Sequence[Any]) -> Vector:
        return Vector([hamel.equation(k, ud) for k in range(m)])

    def forward() -> Vector:
        bias = inverse([0] * m)
        return Vector(solve_symmetric(mass_matrix(), [hamel.efforts[k] - bias[k] for k in range(m)]))

    def multipliers() -> Vector:
        udot = forward()
        count = 0 if dependent_speeds is None else len(dependent_speeds.constraints.rows)
        return Vector([hamel.equation(k, udot) - hamel.efforts[k] for k in range(m, m + count)])  # (236)

    if dependent_speeds is None:
        return Recipe(inverse=inverse, mass_matrix=mass_matrix)
    return Recipe(inverse=inverse, mass_matrix=mass_matrix, forward=forward, multipliers=multipliers)
