"""Sayers' equations as printed: body by body, with his speeds, (20) to (29) and (40) to (46).

The paper's speeds u* are the system's own, but for nonrecursive bodies: there they are components, along the body's
axes, of the absolute angular velocity and of the absolute velocity of the composite's mass centre. The system's own
are then linear in them, so that M* = Dᵀ M D. Unless speeds are to be `absolute`, such bodies are taken as any other,
each stage of a joint as a body of its own, and u* = u. For `derive("kane", speeds="sayers")` both

    u = D(q) u* + e(q, t)                  (22), (27): what the system's own speeds are, without a division
    u* = P(q) u + p(q, t)                  what the paper takes for speeds: ω^B and v^B* along the body's axes

are written down directly (`SayersSpeeds`), so that each judges the other: D is the inverse of P.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from ...constraints import Constraints, PseudoSpeeds
from ...dynamics.equations import EquationsOfMotion, Recipe
from ...dynamics.loads import loads_of
from ...expr import Expr, Matrix, Vector, as_expr, directional, is_zero, same, substitute, symbol
from ...expr.spelling import OWN, acceleration_of, distinct_spellings
from ...geometry.deformable import Deformable
from ...geometry.elimination import factor_by_sparsity
from ...geometry.lie import left_inverse
from ...geometry.twist import ZERO
from ...kinematics.motion import velocities
from ...kinematics.tree import BASE, Tree
from ...model.building import spellings_of
from ...model.model import Model
from .bodies import NONRECURSIVE, Part, parts_of
from .terms import Rotational, Translational, in_own_basis, rotational_terms, translational_terms


@dataclass(frozen=True)
class Literal:
    """The method applied to a system; the tree is that of the mechanism as it was written."""

    system: Model
    tree: Tree
    name: Callable[[Expr], Expr] = lambda entry: entry
    absolute: bool = True

    @cached_property
    def parts(self) -> list[Part]:
        """Step 1: the bodies with their categories and composite properties."""
        return parts_of(self.system, self.tree, self.name, self.absolute)

    @cached_property
    def speeds(self) -> Vector:
        """u*: the paper's speeds; one that is a speed u of the system keeps its symbol, others are `u_star`."""
        known_u = self.tree.u
        new = {i for i, value in self.absolute_speeds.items() if not same([value], [known_u[i]])}
        return Vector([symbol(f"{u.name}_star", "speed", OWN) if i in new else u for i, u in enumerate(self.tree.u)])

    @cached_property
    def absolute_speeds(self) -> dict[int, Expr]:
        """Speeds of nonrecursive bodies in those of the system: ω^B and v^B* along the body's axes."""
        moving = velocities(self.tree)
        speeds: dict[int, Expr] = {}
        for part in self.parts:
            w, v = moving[part.block.place]
            for i, direction in part.absolute.items():
                along = w if i in part.turning else v + w.cross(part.centre)
                speeds[i] = as_expr(direction.dot(along))
        return speeds

    @cached_property
    def rotational(self) -> list[Rotational]:
        """Table 7."""
        return rotational_terms(self.parts, self.speeds)

    @cached_property
    def translational(self) -> list[Translational]:
        """Table 9."""
        return translational_terms(self.tree, self.parts, self.rotational, self.speeds)

    # ---- step 2: kinematics ----------------------------------------------------------------------------------

    @cached_property
    def own_speeds(self) -> Vector:
        """The system's own speeds u as functions of the paper's, from (22) and (27)."""
        speeds, kept = list(self.speeds), {*self.speeds}
        for part in self.parts:
            w, v = self.relative_velocity(
                part, [turn.w for turn in self.rotational], [move.v for move in self.translational]
            )
            for i, value in self._along_joint(part, w, v).items():
                speeds[i] = value
        return Vector([as_expr(u if u in kept else entry) for u, entry in zip(self.tree.u, speeds, strict=True)])

    @property
    def changed_speeds(self) -> dict[Expr, Expr]:
        """The system's own speeds that are none of the paper's, as functions of these."""
        return {u: value for u, value in zip(self.tree.u, self.own_speeds, strict=True) if u is not value}

    @cached_property
    def slopes(self) -> Matrix:
        """D = ∂u/∂u*, by partial velocities."""
        size = len(self.speeds)
        columns = [[as_expr(int(i == j)) for i in range(size)] for j in range(size)]
        for j, column in enumerate(columns):
            turns = [turn.partials.get(j, ZERO) for turn in self.rotational]
            moves = [move.partials.get(j, ZERO) for move in self.translational]
            for part in self.parts:
                w, v = self.relative_velocity(part, turns, moves)
                for i, value in self._along_joint(part, w, v).items():
                    column[i] = as_expr(value)
        return Matrix.columns_of(columns, size)

    def relative_velocity(self, part: Part, turns: Sequence[Vector], moves: Sequence[Vector]) -> tuple[Vector, Vector]:
        """Relative angular velocity and relative velocity of the origin: (27), and (22) with -ω^A × r^A0B0."""
        link, index, up = part.link, part.index, part.link.parent
        w = in_own_basis(self.parts, index, turns[index])
        v = moves[index] - w.cross(part.centre)
        if up == BASE:
            return w, v
        w_up = in_own_basis(self.parts, up, turns[up])
        v_up = moves[up] + w_up.cross(link.X.p - self.parts[up].centre)
        return w - link.outward(w_up), v - link.outward(v_up)

    @staticmethod
    def _along_joint(part: Part, w: Vector, v: Vector) -> dict[int, Any]:
        """The system's own speeds of a nonrecursive joint that give a relative velocity."""
        speeds: dict[int, Any] = {}
        if part.rotation == NONRECURSIVE:
            speeds |= _components(part.turning, w)
        if part.translation == NONRECURSIVE:
            in_parent = dict(part.block.translations)
            speeds |= _components(in_parent, part.link.inward(v)) if in_parent else _components(part.sliding, v)
        return speeds

    @cached_property
    def coordinate_rates(self) -> Vector:
        """q̇ as functions of the paper's speeds, (20) to (29)."""
        rates, u = list(self.tree.coordinate_rates(self.own_speeds)), self.own_speeds
        for link, (_, back) in zip(self.tree.links, self.tree.stage_kinematics, strict=True):
            if link.stage.storage in ("quaternion", "vector") or len(link.coordinates) < 3:
                continue
            axes = (Matrix.columns_of(link.stage.algebra, 6) @ back)[:3, :]
            turns = [k for k in range(len(link.coordinates)) if any(axes[:, k])]
            if len(turns) == 3:
                w = sum((w * u[i] for (w, _), i in zip(link.H, link.speeds, strict=True)), start=ZERO)
                turn_rates = _angle_rates(w, *(Vector(axes[:, k]) for k in turns))
                for k, rate in zip(turns, turn_rates, strict=False):
                    rates[link.coordinates[k]] = rate
        return Vector(rates)

    # ---- step 3: dynamics ------------------------------------------------------------------------------------

    def mass_matrix(self) -> Matrix:
        """M by (43) and (44)."""
        size = len(self.speeds)
        M: list[list[Any]] = [[as_expr(0)] * size for _ in range(size)]
        for part, turn, move in zip(self.parts, self.rotational, self.translational, strict=True):
            spins = {i: part.composite.inertia @ w for i, w in turn.partials.items()}  # « I · ω_i »
            pushes = {i: v * part.mass for i, v in move.partials.items()}  # « v_i m »
            for i in range(size):
                for j in range(i + 1):
                    if i in spins and j in turn.partials:
                        M[i][j] = M[i][j] + turn.partials[j].dot(spins[i])
                    if part.mass and i in pushes and j in pushes:
                        M[i][j] = M[i][j] + self._pushed(part, move, pushes, i, j)
            for material in self.tree.links[part.block.place].deforming:
                self._add_bending_masses(M, material, self._partials(part, turn, move))
        return Matrix([[as_expr(M[max(i, j)][min(i, j)]) for j in range(size)] for i in range(size)])

    def _partials(self, part: Part, turn: Rotational, move: Translational) -> dict[int, tuple[Vector, Vector]]:
        """ω_i and v_i of a body's origin, in its own components; that of a flexible body is its B*."""
        turns = {i: in_own_basis(self.parts, part.index, w) for i, w in turn.partials.items()}
        return {i: (turns.get(i, ZERO), move.partials.get(i, ZERO)) for i in sorted({*turns, *move.partials})}

    @staticmethod
    def _add_bending_masses(
        M: list[list[Any]], material: Deformable, partials: Mapping[int, tuple[Vector, Vector]]
    ) -> None:
        """∫ v_i · v_j dm of a flexible body, on and below the diagonal."""
        for i, (w, v) in partials.items():
            n, f = material.inertia.momentum(w, v)
            for j, (w_j, v_j) in partials.items():
                if j <= i:
                    M[i][j] = M[i][j] + w_j.dot(n) + v_j.dot(f)
            for e, (n_e, f_e) in zip(material.speeds, material.columns, strict=True):
                M[max(i, e)][min(i, e)] = M[max(i, e)][min(i, e)] + (w.dot(n_e) + v.dot(f_e)) * (2 if i == e else 1)
        for i, row in zip(material.speeds, material.masses, strict=True):
            for j, mass in zip(material.speeds, row, strict=True):
                if j <= i:
                    M[i][j] = M[i][j] + mass

    def _pushed(self, part: Part, move: Translational, pushes: dict[int, Vector], i: int, j: int) -> Any:
        """m v_j·v_i: (43) where one of them is native to the body, (44) with both as they were introduced."""
        if part.index in (move.native[i], move.native[j]):
            return move.partials[j].dot(pushes[i])  # (43)
        home = self.translational[max(move.native[i], move.native[j])].partials
        return home[j].dot(home[i]) * part.mass  # (44)

    def forcing(self) -> Vector:
        """f by (46), without the efforts on the speeds."""
        loads = loads_of(self.system, self.tree)
        total: list[Any] = [as_expr(0)] * len(self.speeds)
        wrenches = loads.wrenches()
        for part, turn, move in zip(self.parts, self.rotational, self.translational, strict=True):
            torque, force = wrenches[part.block.place]
            torque = torque - part.centre.cross(force)  # about B*, (13)
            if part.basis != part.index:
                torque = part.link.inward(torque)
            spin = part.composite.inertia @ turn.w
            rest = part.composite.inertia @ turn.alpha_rem + turn.w.cross(spin)
            for i, w in turn.partials.items():
                total[i] = total[i] + torque.dot(w) - rest.dot(w)
            for i, v in move.partials.items():
                total[i] = total[i] + force.dot(v) - move.a_rem.dot(v * part.mass)
            for material in self.tree.links[part.block.place].deforming:
                nothing = [as_expr(0)] * len(self.speeds)
                n, f = material.inertia.wrench(move.R, move.a_rem)
                bending_n, bending_f = material.wrench(move.w, self.speeds, nothing)
                for i, (w, v) in self._partials(part, turn, move).items():
                    total[i] = total[i] - w.dot(n + bending_n) - v.dot(f + bending_f)
                bent = material.efforts(move.w, move.R, move.a_rem, self.speeds, nothing)
                for i, effort in zip(material.speeds, bent, strict=True):
                    total[i] = total[i] - effort
        applied = self.slopes.T @ Vector(loads.speed_forces())
        return Vector(substitute([as_expr(a + b) for a, b in zip(total, applied, strict=True)], self.changed_speeds))

    @property
    def efforts(self) -> Vector:
        """The efforts τ on the paper's speeds."""
        return self.slopes.T @ self.tree.tau if self.absolute else self.tree.tau

    def recipe(self) -> Recipe:
        """M and f, and the accelerations uncoupled along the zeros of M, (2)."""
        M, f = cache(self.mass_matrix), cache(self.forcing)

        def forward() -> Vector:
            return factor_by_sparsity(M(), self.tree.speed_order, self.tree.speeds).solve(self.efforts + f())

        return Recipe(inverse=lambda ud: M() @ Vector(ud) - f(), mass_matrix=M, bias=lambda: -f(), forward=forward)

    def equations(self) -> EquationsOfMotion:
        """The same sums in the system's own speeds, as `derive("kane")` takes them: q̇ = Γ u holds for no others."""
        in_u = Literal(self.system, self.tree, absolute=False)
        return EquationsOfMotion(self.system, self.tree, "kane", (), in_u.recipe)


def _angle_rates(w: Vector, first: Vector, second: Vector, third: Vector) -> list[Expr]:
    """The rates of three successive angles from (28), the last by the first as in (29); [] unless d_1, d_3 ⊥ d_2."""
    if not all(is_zero(entry) for entry in (first.dot(second), second.dot(third), second.dot(second) - 1)):
        return []
    across = second.cross(third)
    one = as_expr(w.dot(across) / first.dot(across))
    return [one, as_expr(w.dot(second)), as_expr(w.dot(third) - one * first.dot(third))]


def _components(directions: Mapping[int, Vector], vector: Vector) -> dict[int, Any]:
    """A vector's components along directions that span it, by their speeds."""
    return dict(zip(directions, left_inverse(Matrix.columns_of([*directions.values()], 3)) @ vector, strict=True))


# ---- his speeds in place of the system's own -------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class SayersSpeeds(PseudoSpeeds):
    """Pseudo-velocities that determine the speeds everywhere, as the paper has them."""

    keeps_units = True

    literal: Literal

    @cached_property
    def E(self) -> Matrix:
        """D of u = D u* + e."""
        return self.literal.slopes

    @cached_property
    def e(self) -> Vector:
        """The part of the speeds that time alone gives."""
        return Vector(substitute(self.literal.own_speeds, dict.fromkeys(self.u, as_expr(0))))

    @cached_property
    def followed(self) -> dict[Expr, Expr]:
        """Substitutions for the system's speeds, (22) and (27)."""
        return {self.literal.tree.u[k]: self.literal.own_speeds[k] for k in self.replaced}

    @property
    def coordinate_rates(self) -> Vector:
        """q̇ of the tree's coordinates, (20) to (29)."""
        return self.literal.coordinate_rates

    @cached_property
    def gamma(self) -> Vector:
        """The rates of the system's own speeds at u̇* = 0."""
        literal = self.literal
        flow: dict[Expr, Any] = dict(zip(literal.tree.q, literal.coordinate_rates, strict=True))
        return Vector(directional(list(literal.own_speeds), flow | {self.constraints.time: as_expr(1)}))

    @cached_property
    def moving_pivots(self) -> list[Expr]:
        """None: a frame's axes and the directions of a joint never become dependent."""
        return []

    @cached_property
    def pivots(self) -> Vector:
        return Vector([])


def speeds_of(model: Model, rows: Constraints) -> SayersSpeeds:
    """Sayers' speeds for a tree; `rows` are its constraints, which are none."""
    literal, tree = Literal(model, rows.tree), rows.tree
    chosen = literal.speeds
    values = [literal.absolute_speeds.get(i, u) for i, u in enumerate(tree.u)]
    new = [u for u in chosen if u not in tree.u]
    distinct_spellings([*new, *map(acceleration_of, new)], spellings_of(model), "speeds of Sayers")
    kept = [u if u is old else value for u, old, value in zip(chosen, tree.u, values, strict=True)]
    return SayersSpeeds(rows, tuple(range(len(tree.u))), (), chosen, Vector(kept), literal)
