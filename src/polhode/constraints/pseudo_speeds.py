"""Pseudo-velocities of a user's choice: combinations of the speeds that replace them, constraints put in.

    π̇ = P(q, t) u + p(q, t)                     m of them, as many as there are degrees of freedom
    Λ = [P; A],   u = E π̇ + e = Λ⁻¹ (π̇ - p, -a)                       all speeds follow
    u̇ = E π̈ + γ_E,   γ_E = Λ⁻¹ (-Ṗ u - ṗ, -γ)

C. Mladenova, "Group Theory in the Problems of Modeling and Control of Multi-Body Systems", (218), (227), (244) to
(246): her A_1 is P, her B_1 is E. A choice in which Λ is regular everywhere, such as the velocity along and the turn of
a skate, has no dead points, where speeds that are independent by name must have some.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from typing import Any, ClassVar

from ..errors import PolhodeError, fault_at, shown, understood
from ..expr import (
    Expr,
    Matrix,
    Vector,
    as_expr,
    directional,
    evaluate,
    free_symbols,
    jacobian,
    rank,
    substitute,
    symbol,
)
from ..expr.spelling import OWN, acceleration_of, distinct_spellings
from ..geometry.elimination import eliminate
from ..kinematics.motion import flow
from ..kinematics.tree import Tree
from ..model.building import spellings_of
from ..model.model import Model
from ..model.reading import checked_name
from .dependent_speeds import DependentSpeeds, dependent_speeds_of
from .rows import Constraints

_PLACE = "pseudo-velocities"
fault = fault_at(_PLACE)


@dataclass(frozen=True, eq=False)
class PseudoSpeeds(DependentSpeeds):
    """All speeds from pseudo-velocities; positions are corrected by dependent speeds of the tree."""

    #: Whether each is measured in what the speed of the tree at its place is.
    keeps_units: ClassVar[bool] = False

    chosen: Vector  # the symbols of the pseudo-velocities
    values: Vector  # what they are, in all speeds of the tree

    @cached_property
    def u(self) -> Vector:
        """The pseudo-velocities."""
        return self.chosen

    @cached_property
    def forms(self) -> tuple[Matrix, Vector]:
        """P and p."""
        u = self.constraints.tree.u
        return jacobian(list(self.values), list(u)), Vector(substitute(self.values, dict.fromkeys(u, as_expr(0))))

    @cached_property
    def _inverse(self) -> tuple[Matrix, list[Expr]]:
        """Λ⁻¹ with Λ⁻¹ (-p, -a) beside it, and the divisors."""
        (P, p), A = self.forms, self.constraints.A
        rows, drift = [*P, *A], [*p, *self.constraints.a]
        size = len(rows)
        right = [[*(int(i == j) for j in range(size)), -drift[i]] for i in range(size)]
        return eliminate(rows, right, self._at_reference)

    @cached_property
    def _at_reference(self) -> list[list[float]] | None:
        """Λ in numbers, where it has some."""
        below = self.constraints.at_reference if self.constraints.rows else []
        try:
            above = [evaluate([as_expr(x) for x in row], self.constraints.reference) for row in self.forms[0]]
        except (ArithmeticError, ValueError, PolhodeError):
            return None
        if below is None or not all(isfinite(entry) for row in above for entry in row):
            return None
        return [*above, *below]

    @cached_property
    def E(self) -> Matrix:
        """u = E π̇ + e."""
        return Matrix([list(row[: len(self.chosen)]) for row in self._inverse[0]])

    @cached_property
    def e(self) -> Vector:
        """The part of the speeds that time alone gives."""
        return Vector([row[-1] for row in self._inverse[0]])

    @cached_property
    def followed(self) -> dict[Expr, Expr]:
        """Substitutions for the speeds of the tree that are not pseudo-velocities themselves."""
        speeds, tree = self.E @ self.u + self.e, self.constraints.tree
        return {tree.u[k]: as_expr(speeds[k]) for k in self.replaced}

    def in_all_speeds(self, entries: Sequence[Expr]) -> list[Expr]:
        """Expressions of pseudo-velocities in the speeds of the tree, π̇ = P u + p."""
        return substitute([as_expr(entry) for entry in entries], dict(zip(self.chosen, self.values, strict=True)))

    @cached_property
    def bends(self) -> Vector:
        """Ṗ u + ṗ, in the pseudo-velocities."""
        constraints = self.constraints
        rates = directional(list(self.values), flow(constraints.tree, constraints.time))
        return Vector(self.in_independent_speeds(rates))

    @cached_property
    def replaced(self) -> tuple[int, ...]:
        """The speeds of the tree that are no unknowns."""
        return tuple(k for k, u in enumerate(self.constraints.tree.u) if u not in self.chosen)

    @cached_property
    def gamma(self) -> Vector:
        """γ_E: accelerations of all speeds when those of the pseudo-velocities vanish."""
        held = self.in_independent_speeds(list(self.constraints.gamma))
        right = Vector([-entry for entry in (*self.bends, *held)])
        columns = Matrix([list(row[:-1]) for row in self._inverse[0]])
        return Vector([as_expr(entry) for entry in columns @ right])

    @cached_property
    def moving_pivots(self) -> list[Expr]:
        """Divisors of the speeds that may vanish in motion."""
        return [d for d in self._inverse[1] if any(x.data[0] != "parameter" for x in free_symbols([d]))]

    @cached_property
    def pivots(self) -> Vector:
        """Divisors of the speeds, and of corrections of positions."""
        corrected = self._eliminated([[] for _ in self.constraints.rows])[1] if self.constraints.positions else []
        return Vector([*self._inverse[1], *corrected])


def pseudo_speeds_of(model: Model, constraints: Constraints, given: Mapping[str, Any]) -> PseudoSpeeds:
    """The speeds of a tree from pseudo-velocities by name: expressions that are linear in the speeds."""
    constraints.check_linear("pseudo-velocities determine speeds by linear conditions alone")
    usable = constraints.only(constraints.generic_rows)
    tree = constraints.tree
    count, needed = len(given), len(tree.u) - len(usable.rows)
    if count != needed:
        kept = f" less {len(usable.rows)} independent constraints" if usable.rows else ""
        message = f"{count} pseudo-velocities are given, and {needed} are needed: {len(tree.u)} speeds{kept}."
        raise fault(message, f"Give {needed}, of which some may be speeds: {', '.join(tree.speeds)}.", "E-DERIVE-SHAPE")
    values = [_value(name, value, tree, constraints.time) for name, value in given.items()]
    P = jacobian(values, list(tree.u))
    for name, value, row in zip(given, values, P, strict=True):
        _check_moves(name, value, row, tree)
        _check_linear(name, row, tree)
    size = rank([*P, *usable.A])
    if size < len(tree.u):
        beside = " and the constraints" if usable.rows else ""
        message = f"{', '.join(given)} do not determine the speeds: they{beside} make {size} of {len(tree.u)} known."
        cure = "Choose pseudo-velocities that do not follow from each other, nor from the constraints."
        raise fault(message, cure, "E-DERIVE-SINGULAR")
    chosen = _symbols(model, tree, dict(zip(given, values, strict=True)))
    spare = dependent_speeds_of(usable) if usable.rows else DependentSpeeds(usable, tuple(range(len(tree.u))), ())
    return PseudoSpeeds(usable, spare.independent, spare.dependent, chosen, Vector(values))


def _value(name: str, value: Any, tree: Tree, time: Expr) -> Expr:
    with understood("an expression of the speeds", value, place=f"pseudo-velocity {shown(name)}"):
        (expression,) = substitute([as_expr(value)], tree.followed)
    allowed = {*tree.q, *tree.u, time}
    strange = [x for x in free_symbols([expression]) if x not in allowed and x.data[0] != "parameter"]
    if strange:
        message = f"it depends on {strange[0]}, which is no coordinate, speed or parameter."
        cure = "Give an expression that is linear in the speeds, with coefficients of coordinates, parameters, time."
        raise PolhodeError(message, f"pseudo-velocity '{name}'", cure, "E-DERIVE-DEPENDENCE")
    return expression


def _check_moves(name: str, value: Expr, row: Sequence[Any], tree: Tree) -> None:
    if any(row):
        return
    alike = [x.name for x in free_symbols([value]) if x in tree.q and x.name in tree.speeds]
    cure = f"Give a sum of speeds times coefficients; the speeds are {', '.join(tree.speeds)}."
    cure = f"'{alike[0]}' is the coordinate here: write u({alike[0]}) for its speed." if alike else cure
    raise PolhodeError("there is no speed in it.", f"pseudo-velocity '{name}'", cure, "E-DERIVE-MISSING")


def _check_linear(name: str, row: Sequence[Any], tree: Tree) -> None:
    if {*tree.u}.intersection(free_symbols([as_expr(entry) for entry in row])):
        cure = "Give a sum of speeds times coefficients of coordinates, parameters and time."
        raise PolhodeError("it is not linear in the speeds.", f"pseudo-velocity '{name}'", cure, "E-DERIVE-DEPENDENCE")


def _symbols(model: Model, tree: Tree, values: Mapping[str, Expr]) -> Vector:
    """The symbols of pseudo-velocities: a speed of the tree that is one keeps its own."""
    spellings, symbols = spellings_of(model), []
    by_name = dict(zip(tree.speeds, tree.u, strict=True))
    for name, value in values.items():
        if name in by_name:
            if value != by_name[name]:
                message = f"there is a speed '{name}' already, which it is not."
                raise PolhodeError(message, f"pseudo-velocity '{name}'", "Give it a name of its own.", "E-DERIVE-TWICE")
            symbols.append(by_name[name])
            continue
        x = symbol(checked_name(name, "pseudo-velocity"), "speed", OWN)
        spellings |= distinct_spellings([x, acceleration_of(x)], spellings, f"pseudo-velocity '{name}'")
        symbols.append(x)
    return Vector(symbols)
