"""The reference derivation on the speeds of given equations: all of them, or the independent ones of u = E u_i + e.

Which rows are independent, and what the dependent speeds are, is found here by elimination in the field, from the
reference's own rows. Of the equations it takes how they order rows and speeds, and which speeds they chose: some of
them, or pseudo-velocities π̇ = P u + p, whose rows stand beside those of the constraints.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ..constraints import PseudoSpeeds
from ..dynamics.equations import EquationsOfMotion
from ..errors import PolhodeError
from ..expr import Expr, as_expr
from ..expr.field import P
from ..expr.spelling import acceleration_of
from .reference import Choice, ConstraintRow, ReferenceDerivation
from .reference.matrices import independent_rows, solved

#: What tells one reduction of a mechanism from another; equations that have it alike share one.
Key = tuple[object, ...]
Rows = list[list[int]]


@dataclass(frozen=True, eq=False)
class Reduced:
    """The reference beside equations with these choices, order of rows and speeds, and independent speeds."""

    free: ReferenceDerivation  # all speeds free
    order: tuple[int, ...]  # for each speed of the equations' tree its index in the reference
    row_order: tuple[str, ...]  # the equations' rows by name
    independent: tuple[int, ...] | None  # indices in the reference; None where no speed depends on others
    pseudo: PseudoSpeeds | None = None

    @cached_property
    def _independent_rows(self) -> list[int]:
        """Places of the independent rows, the first of each dependent set as the equations order them."""
        index = {name: k for k, name in enumerate(self.row_order)}
        order = sorted(range(len(self.free.rows)), key=lambda k: index.get(self.free.rows[k].name, len(index)))
        size = range(len(self.free.speeds))
        found = independent_rows([[self.free.rows[k].A.get(i, 0) for i in size] for k in order])
        return [order[k] for k in found]

    @property
    def rows(self) -> list[ConstraintRow]:
        """The independent rows."""
        return self._rows(self.derivation)

    def _rows(self, reference: ReferenceDerivation) -> list[ConstraintRow]:
        return [reference.rows[k] for k in self._independent_rows]

    @property
    def derivation(self) -> ReferenceDerivation:
        """The reference where the constraints hold, if speeds depend on others."""
        return self._embedded[0]

    @property
    def E(self) -> list[list[int]]:
        """A row for each speed, a column for each independent one."""
        return self._embedded[1]

    @cached_property
    def _embedded(self) -> tuple[ReferenceDerivation, list[list[int]]]:
        u = self.free.speeds
        if self.independent is None:
            return self.free, [[int(i == j) for j in range(len(u))] for i in range(len(u))]
        if self.pseudo is not None:
            return self._in_pseudo_velocities(self.pseudo)
        inside = self.independent
        outside = [k for k in range(len(u)) if k not in inside]

        def solution(reference: ReferenceDerivation, right: Callable[[ConstraintRow], int]) -> list[list[int]]:
            rows = self._rows(reference)
            found = solved(
                [[row.A.get(k, 0) for k in outside] for row in rows],
                [[-row.A.get(k, 0) for k in inside] + [-right(row) % P] for row in rows],
            )
            if found is None:
                raise PolhodeError("the dependent speeds do not follow from its rows.", code="E-REFERENCE-003")
            return found

        first = solution(self.free, self.free.drift)
        given: dict[Expr, int] = {}
        for k, (*row, rest) in zip(outside, first, strict=True):
            given[u[k]] = (sum(e * u[i].fp for e, i in zip(row, inside, strict=True)) + rest) % P
        moving = replace(self.free, given=given)
        second = solution(moving, moving.without_accelerations)
        for k, (*row, rest) in zip(outside, second, strict=True):
            rates = [acceleration_of(u[i]).fp for i in inside]
            given[acceleration_of(u[k])] = (sum(e * rate for e, rate in zip(row, rates, strict=True)) + rest) % P
        E = [[0] * len(inside) for _ in u]
        for j, i in enumerate(inside):
            E[i][j] = 1
        for k, row in zip(outside, first, strict=True):
            E[k] = row[:-1]
        return replace(self.free, given=given), E

    def _in_pseudo_velocities(self, pseudo: PseudoSpeeds) -> tuple[ReferenceDerivation, list[list[int]]]:
        """u = E π̇ + e from [P; A] u = (π̇ - p, -a), and the same for the rates."""
        u, (P_rows, p) = self.free.speeds, pseudo.forms
        place = {k: column for column, k in enumerate(self.order)}
        above = [[as_expr(row[place[k]]).fp for k in range(len(u))] for row in P_rows]
        size = len(above)

        def solution(
            reference: ReferenceDerivation, rest: Sequence[Expr], right: Callable[[ConstraintRow], int]
        ) -> Rows:
            rows = self._rows(reference)
            below = [[row.A.get(k, 0) for k in range(len(u))] for row in rows]
            units = [[*(int(i == j) for j in range(size)), -entry.fp % P] for i, entry in enumerate(rest)]
            found = solved([*above, *below], [*units, *([0] * size + [-right(row) % P] for row in rows)])
            if found is None:
                raise PolhodeError("the pseudo-velocities do not determine the speeds.", code="E-REFERENCE-004")
            return found

        first = solution(self.free, [as_expr(entry) for entry in p], self.free.drift)
        given = {x: _along(row, [chosen.fp for chosen in pseudo.u]) for x, row in zip(u, first, strict=True)}
        moving = replace(self.free, given=given)
        second = solution(moving, pseudo.bends, moving.without_accelerations)
        rates = [acceleration_of(chosen).fp for chosen in pseudo.u]
        given = given | {acceleration_of(x): _along(row, rates) for x, row in zip(u, second, strict=True)}
        return replace(self.free, given=given), [row[:-1] for row in first]


def _along(row: Sequence[int], values: Sequence[int]) -> int:
    """The coefficients of a row times values, and its last entry."""
    *coefficients, rest = row
    return (sum(e * value for e, value in zip(coefficients, values, strict=True)) + rest) % P


def reduced(equations: EquationsOfMotion, known: dict[Key, Reduced]) -> Reduced:
    """The reference beside these equations; of those that are `known`, if it is there."""
    choices = _choices(equations)
    constraints, dependent_speeds, tree = equations.constraints, equations.dependent_speeds, equations.tree
    rows = () if constraints is None else tuple(row.name for row in constraints.rows)
    chosen = None if dependent_speeds is None else tuple(dependent_speeds.independent)
    pseudo = dependent_speeds if isinstance(dependent_speeds, PseudoSpeeds) else None
    told = tuple((of, *made.definitions.items(), *made.conditions.items()) for of, made in choices.items())
    key = told, rows, tuple(tree.u), chosen, () if pseudo is None else (*pseudo.u, *pseudo.values)
    if key not in known:
        free = ReferenceDerivation(equations.system, choices)
        index = {u: k for k, u in enumerate(free.speeds)}
        order = tuple(index[u] for u in tree.u)
        known[key] = Reduced(free, order, rows, None if chosen is None else tuple(order[k] for k in chosen), pseudo)
    return known[key]


def _choices(equations: EquationsOfMotion) -> dict[str, Choice]:
    """By what the equations define the coordinates that constraints bring with them."""
    made = {}
    for each in equations.tree.auxiliary:
        rows = [] if equations.constraints is None else equations.constraints.rows
        values = {row.part: row.value.fp for row in rows if row.of == each.of and row.value is not None}
        made[each.of] = Choice({name: value.fp for name, value in each.definitions}, values)
    return made
