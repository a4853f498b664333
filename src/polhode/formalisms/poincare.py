"""Poincaré's equations from joint maps.

H. G. Kwatny and G. L. Blankenship, "Symbolic Construction of Models for Multibody Dynamics", IEEE Trans. Robotics and
Automation 11 (1995), section III, equations (38) to (53), with the corrections listed in docs/errata.md:

    M(q) ṗ + C(q, p) p + F(q) = Q_p                                                             (53a)
    M = Hᵀ Φᵀ diag(M_o(k)) Φ H                                                                  (52b)
    C = [∂(Mp)/∂q V] - ½ [∂(Mp)/∂q V]ᵀ - [Σ p_j X_jᵀ] V⁻ᵀ M                              (53b, corrected)
    F = Vᵀ ∂𝒱/∂qᵀ,   Q_p = Vᵀ Q                                                          (53c, corrected)

    paper       here
    p, V        u, Gamma: q̇ = V(q) p, block-diagonal, a block for each simple joint
    H(k)        the joint map of joint k, configuration-dependent for a compound joint
    φ(k, k-1)   carries a spatial velocity across body k-1 and joint k                          (46)
    X_j         the brackets [v_j, v_1] … [v_j, v_m]
    𝒱           potential energy

A nonholonomic simple joint is treated in the algebra that its columns generate: the equations are set up with the
speeds of that whole algebra and then restricted to the speeds that the joint has, the others being zero.
Where joints or frames are placed as functions of time, time is one more coordinate, whose speed is one.

Needs a tree; any joint. Cost: grows fast with size; it is the readable one, and the judge of the others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from ..dynamics.envelope import applied_forces, projected, slope_of_auxiliary
from ..dynamics.equations import Recipe
from ..dynamics.loads import loads_of
from ..expr import Expr, Matrix, Vector, as_expr, directional, directionals, gradient
from ..geometry import Pose
from ..geometry.deformable import Deformable
from ..geometry.twist import Twist, Wrench
from ..kinematics.joint import compound_map
from ..kinematics.tree import BASE, Link, Tree, build_tree
from ..model.model import Model


@dataclass(frozen=True)
class _JointBody:
    """Joint k and the body beyond it."""

    parent: int
    X: Pose  # pose of body k in body k-1
    H: Matrix  # joint map with the columns of the generated algebra
    speeds: tuple[int, ...]  # indices of those columns among all
    link: Link


@dataclass(frozen=True)
class Poincare:
    """The matrices of Poincaré's equations, as graphs."""

    system: Model
    tree: Tree

    @cached_property
    def _stages(self) -> list[tuple[int, int]]:
        """For each link, where its columns begin in the enlarged list of speeds, and how many there are."""
        table, start = [], 0
        for link in self.tree.links:
            count = len(link.stage.algebra) if link.coordinates else 0
            table.append((start, count))
            start += count
        return table

    @property
    def _width(self) -> int:
        return sum(count for _, count in self._stages) + self.tree.is_driven

    @cached_property
    def real(self) -> list[int]:
        """For each speed of the system its index in the enlarged list."""
        indices = [0] * len(self.tree.u)
        for link, (start, _) in zip(self.tree.links, self._stages, strict=True):
            for k, speed in enumerate(link.speeds if link.coordinates else ()):
                indices[speed] = start + k
        return indices

    @cached_property
    def p(self) -> Vector:
        """The enlarged speeds: u, zero for excluded motions of nonholonomic joints, and one for time, if it occurs."""
        enlarged: list[Any] = [as_expr(0)] * (self._width - self.tree.is_driven) + [as_expr(1)] * self.tree.is_driven
        for speed, index in enumerate(self.real):
            enlarged[index] = self.tree.u[speed]
        return Vector(enlarged)

    @cached_property
    def _joints(self) -> list[_JointBody]:
        """Links gathered into joints as the paper has them: one body, one (simple or compound) joint map."""
        tree = self.tree
        joints: list[_JointBody] = []
        body_of_link: dict[int, int] = {BASE: BASE}
        first = 0
        while first < len(tree.links):
            last = first
            while last + 1 < len(tree.links) and self._continues(last):
                last += 1
            chain = tree.links[first : last + 1]
            X = Pose.identity()
            for link in chain:
                X = X @ link.X
            stages = [link.stage for link in reversed(chain)]
            eps = [[tree.q[k] for k in link.coordinates] for link in reversed(chain)]
            columns = [start + k for start, count in reversed(self._stages[first : last + 1]) for k in range(count)]
            last_link = chain[-1]
            if last_link.drive:
                H, columns = Matrix.columns_of([Twist(last_link.drive.w, last_link.drive.v).six], 6), [self._width - 1]
            elif columns:
                H = compound_map(stages, eps, envelope=True)
            else:  # it follows the elastic coordinates of a flexible body
                H = Matrix.columns_of([column.six for column in last_link.H], 6)
                columns = [self.real[speed] for speed in last_link.speeds]
            joints.append(_JointBody(body_of_link[chain[0].parent], X, H, tuple(columns), last_link))
            body_of_link[last] = len(joints) - 1
            first = last + 1
        return joints

    def _continues(self, i: int) -> bool:
        """Whether the next link is the next stage of the same joint."""
        this, following = self.tree.links[i], self.tree.links[i + 1]
        return (
            following.joint == this.joint and following.parent == i and bool(this.coordinates and following.coordinates)
        )

    @cached_property
    def spatial_velocity_map(self) -> list[dict[int, Vector]]:
        """Φ H, (50), (51): for each body the column of every speed that moves it, in body components."""
        table: list[dict[int, Vector]] = []
        for joint in self._joints:
            columns: dict[int, Vector] = {}
            if joint.parent != BASE:
                for speed, column in table[joint.parent].items():
                    w, v = Vector(column[:3]), Vector(column[3:])
                    R_T = joint.X.R.T
                    columns[speed] = Vector([*(R_T @ w), *(R_T @ (v + w.cross(joint.X.p)))])  # (46), (47)
            for speed, column in zip(joint.speeds, joint.H.columns, strict=True):
                columns[speed] = columns[speed] + column if speed in columns else column
            table.append(columns)
        return table

    @cached_property
    def enlarged_mass_matrix(self) -> Matrix:
        """M = Hᵀ Φᵀ diag(M_o) Φ H (52b), with the columns of the generated algebras."""
        M: list[list[Any]] = [[as_expr(0)] * self._width for _ in range(self._width)]
        for joint, columns in zip(self._joints, self.spatial_velocity_map, strict=True):
            M_o = joint.link.inertia.matrix()  # (48)
            speeds = sorted(columns)
            for at, j in enumerate(speeds):
                momentum = M_o @ columns[j]
                for i in speeds[: at + 1]:
                    M[i][j] = M[i][j] + columns[i].dot(momentum)
                    M[j][i] = M[i][j]
            for material in joint.link.deforming:
                self._add_bending(M, material, columns)
        return Matrix(M).map(as_expr)

    def _add_bending(self, M: list[list[Any]], material: Deformable, columns: Mapping[int, Vector]) -> None:
        """M_o of a flexible body beyond (48): rows and columns of its elastic speeds."""
        indices = [self.real[speed] for speed in material.speeds]
        for e, momentum, masses in zip(
            indices, (Wrench(*pair).six for pair in material.columns), material.masses, strict=True
        ):
            for i, column in columns.items():
                M[i][e] = M[i][e] + column.dot(momentum)
                M[e][i] = M[e][i] + column.dot(momentum)
            for other, mass in zip(indices, masses, strict=True):
                M[e][other] = M[e][other] + mass

    @cached_property
    def fields(self) -> list[dict[Expr, Any]]:
        """The vector fields v_j = columns of V (39): rates of the coordinates for unit speed j."""
        table: list[dict[Expr, Any]] = []
        for link, (gamma, _) in zip(self.tree.links, self.tree.stage_kinematics, strict=True):
            for column in gamma.columns:
                table.append({self.tree.q[c]: rate for c, rate in zip(link.coordinates, column, strict=True)})
        return table + [{self.system.time: as_expr(1)}] * self.tree.is_driven

    @cached_property
    def structure(self) -> list[list[tuple[int, int, Any]]]:
        """V⁻¹ X_j (38), stage by stage: for each j the triples (i, k, c) with [v_j, v_k] = Σ_i c v_i."""
        table: list[list[tuple[int, int, Any]]] = []
        for link, (_, back), (start, count) in zip(
            self.tree.links, self.tree.stage_kinematics, self._stages, strict=True
        ):
            q_stage = [self.tree.q[c] for c in link.coordinates]
            v = [[as_expr(self.fields[start + k][q]) for q in q_stage] for k in range(count)]
            for j in range(count):
                entries: list[tuple[int, int, Any]] = []
                for k in range(count):
                    forth = directional(v[k], dict(zip(q_stage, v[j], strict=True)))
                    back_again = directional(v[j], dict(zip(q_stage, v[k], strict=True)))
                    components = back @ Vector([a - b for a, b in zip(forth, back_again, strict=True)])
                    entries += [(start + i, start + k, c) for i, c in enumerate(components) if c]
                table.append(entries)
        return table

    @cached_property
    def enlarged_velocity_matrix(self) -> Matrix:
        """C(q, p), (53b) corrected, with rows and columns of the generated algebras."""
        M, p = self.enlarged_mass_matrix, self.p
        Mp = [as_expr(entry) for entry in M @ p]
        slopes = directionals(Mp, self.fields)
        S = Matrix.columns_of(slopes, self._width)  # ∂(Mp)/∂q V
        C = [[S[i, j] - S[j, i] / 2 for j in range(self._width)] for i in range(self._width)]
        for j, entries in enumerate(self.structure):
            for i, k, c in entries:  # row k: Σ_j p_j c_jk^i M_i
                for column in range(self._width):
                    C[k][column] = C[k][column] - p[j] * c * M[i, column]
        return Matrix(C)

    def mass_matrix(self) -> Matrix:
        """M(q) on the system's speeds."""
        return self._restricted(self.enlarged_mass_matrix)

    def velocity_matrix(self) -> Matrix:
        """C(q, p) on the system's speeds."""
        return self._restricted(self.enlarged_velocity_matrix)

    def _restricted(self, big: Matrix) -> Matrix:
        return Matrix([[as_expr(big[i, j]) for j in self.real] for i in self.real])

    def potential_force(self) -> Vector:
        """F(q) = Vᵀ ∂𝒱/∂q, (53c) corrected."""
        slope = gradient(as_expr(loads_of(self.system, self.tree).potential_energy), list(self.tree.q))
        by_coordinate = dict(zip(self.tree.q, slope, strict=True))
        return Vector([self._along(self.fields[index], by_coordinate) for index in self.real])

    @staticmethod
    def _along(field: dict[Expr, Any], slope: dict[Expr, Any]) -> Any:
        return as_expr(Vector(field.values()).dot([slope[q] for q in field]))

    def applied_force(self) -> Vector:
        """Q_p: given generalised forces, and wrenches by the links' Jacobians."""
        return Vector(applied_forces(loads_of(self.system, self.tree)))

    def bias(self) -> Vector:
        """C p + F - Q_p."""
        C, moving = self.enlarged_velocity_matrix, [*self.real, *[self._width - 1] * self.tree.is_driven]
        C_p = Matrix([[as_expr(C[i, j]) for j in moving] for i in self.real]) @ Vector([self.p[j] for j in moving])
        return C_p + self.potential_force() - self.applied_force()


def recipe(model: Model, tree: Tree) -> Recipe:
    """Mass matrix and bias from Poincaré's equations; joints that follow others are first treated as free."""
    if tree.followed:
        free = build_tree(model, prescribed=False)
        return projected(model, tree, free, recipe(model, free))
    poincare = Poincare(model, tree)
    M, b = cache(poincare.mass_matrix), cache(lambda: poincare.bias() + slope_of_auxiliary(model, tree))
    return Recipe(inverse=lambda ud: M() @ Vector(ud) + b(), mass_matrix=M, bias=b)
