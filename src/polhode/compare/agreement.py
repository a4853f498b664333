"""Equations of motion beside the reference derivation, item by item, by fingerprint.

    of the mechanism       coordinate rates q̇, kinetic and potential energy, applied efforts, the constraints' rows
    of each formalism      M, τ, and u̇ and λ by the residuals  M u̇ + b - Aᵀλ - τ = 0,  A u̇ + γ = 0

M, b, A and γ of the residuals are the reference's. Where speeds depend on others, those are found in the field from the
reference's rows, and u = E u_i + e brings everything to the independent ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from ..constraints import Constraints
from ..equations import Equations
from ..errors import PolhodeError
from ..expr import Expr, Vector, as_expr
from ..expr.field import P
from ..expr.spelling import acceleration_of
from ..formalisms import newton_euler
from ..geometry import Inertia
from ..reference import Choice, Derivation
from ..reference import Row as Own
from ..reference.matrices import applied, product, solved, transposed

#: How many of a kind a sentence lists.
_LISTED = 3


@dataclass(frozen=True)
class Finding:
    """Something on which the reference derivation disagrees: an item, what it is of, and by which formalisms."""

    item: str
    of: str
    formalisms: tuple[str, ...] = ()


@dataclass(frozen=True)
class Agreement:
    """What was compared with the reference derivation, where it disagrees, and what it does not cover."""

    checked: tuple[str, ...]
    findings: tuple[Finding, ...]
    not_covered: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return not self.findings

    def __str__(self) -> str:
        left = f"; not covered: {', '.join(self.not_covered)}" if self.not_covered else ""
        if self.findings:
            return f"the reference derivation DISAGREES on {'; '.join(self._told())}{left}"
        return f"the reference derivation agrees on {', '.join(self.checked)}{left}"

    def _told(self) -> list[str]:
        """The findings in words, those of one item together."""
        told = []
        for item in dict.fromkeys(finding.item for finding in self.findings):
            own = [finding for finding in self.findings if finding.item == item]
            of = [finding.of for finding in own[:_LISTED]]
            more = f" and {len(own) - _LISTED} more" if len(own) > _LISTED else ""
            by = dict.fromkeys(name for finding in own for name in finding.formalisms)
            told.append(f"{item} of {', '.join(of)}{more}" + (f" (by {', '.join(by)})" if by else ""))
        return told


def agreement(derived: Mapping[str, Equations]) -> Agreement:
    """Compare equations of one mechanism, by the names of their formalisms, with the reference derivation.

    >>> import polhode as ph
    >>> s = ph.System("pendulum")
    >>> _ = s.joint("hinge", s.ground, s.body("bob", 1, (0, 0, -1)), ph.Revolute("y"))
    >>> print(agreement({"poincare": s.derive("poincare")}))
    the reference derivation agrees on coordinate rate, kinetic energy, potential energy, applied effort, mass matrix,\
 inverse dynamics, acceleration
    """
    first = next(iter(derived.values()))
    checked: dict[str, None] = {}
    missing: dict[str, None] = {}
    found: dict[tuple[str, str], list[str]] = {}
    try:
        judges = {name: _Judge(equations) for name, equations in derived.items()}
        judge = _Judge(first)
        shared = [(judge.of_the_mechanism(), "")]
        shared += [(own.of_the_rows(), "") for own in judges.values() if own.brings_rows]
        for items, name in [*shared, *((own.of_the_formalism(), name) for name, own in judges.items())]:
            for item, of, agrees in items:
                checked[item] = None
                if not agrees:
                    found.setdefault((item, of), []).append(name)
        missing = dict.fromkeys(judge.reference.not_covered)
    except PolhodeError as error:
        if not error.problems[0].code.startswith("E-REFERENCE"):
            raise
        found["derivation", str(error)] = []
    findings = [Finding(*key, tuple(name for name in names if name)) for key, names in found.items()]
    return Agreement(tuple(checked), tuple(findings), tuple(missing))


#: An item, what it is of, and whether both sides have it alike.
_Items = Iterator[tuple[str, str, bool]]


@dataclass(frozen=True, eq=False)
class _Judge:
    """One set of equations beside the reference."""

    equations: Equations

    @property
    def ties(self) -> Constraints | None:
        return self.equations.constraints

    @cached_property
    def choices(self) -> dict[str, Choice]:
        """By what the equations define the coordinates that constraints bring with them."""
        made = {}
        for each in self.equations.tree.carried:
            rows = [] if self.ties is None else self.ties.rows
            values = {row.part: row.value.fp for row in rows if row.of == each.of and row.value is not None}
            made[each.of] = Choice({name: value.fp for name, value in each.definitions}, values)
        return made

    @cached_property
    def free(self) -> Derivation:
        """The reference with all speeds free."""
        return Derivation(self.equations.system, self.choices)

    @cached_property
    def order(self) -> list[int]:
        """For each speed of the tree its place in the reference."""
        places = {u: k for k, u in enumerate(self.free.speeds)}
        return [places[u] for u in self.equations.tree.u]

    def row_of(self, reference: Derivation, of: str, part: str) -> Own | None:
        return next((row for row in reference.rows if (row.of, row.part) == (of, part)), None)

    # ---- dependent speeds ------------------------------------------------------------------------------------

    @cached_property
    def bound(self) -> tuple[Derivation, list[list[int]]]:
        """The reference where the constraints hold, and E: a row for each speed, a column for each independent one."""
        binding, u = self.equations.binding, self.free.speeds
        if binding is None:
            return self.free, [[int(i == j) for j in range(len(u))] for i in range(len(u))]
        inside, outside = ([self.order[k] for k in part] for part in (binding.independent, binding.dependent))
        names = [(row.of, row.part) for row in binding.constraints.rows]

        def solution(reference: Derivation, right: Any) -> list[list[int]]:
            rows = [row for name in names if (row := self.row_of(reference, *name)) is not None]
            found = solved(
                [[row.A.get(k, 0) for k in outside] for row in rows],
                [[-row.A.get(k, 0) for k in inside] + [-right(row) % P] for row in rows],
            )
            if found is None:
                raise PolhodeError("the dependent speeds do not follow from its rows.", code="E-REFERENCE-003")
            return found

        def drift(row: Own) -> int:
            return row.rate - sum(row.A.get(k, 0) * speed.fp for k, speed in enumerate(u))

        first = solution(self.free, drift)
        given: dict[Expr, int] = {}
        for k, row in zip(outside, first, strict=True):
            given[u[k]] = (sum(e * u[i].fp for e, i in zip(row, inside, strict=False)) + row[-1]) % P
        moving = replace(self.free, given=given)
        second = solution(moving, moving.without_accelerations)
        for k, row in zip(outside, second, strict=True):
            rates = [acceleration_of(u[i]).fp for i in inside]
            own = sum(e * rate for e, rate in zip(row, rates, strict=False)) + row[-1]
            given[acceleration_of(u[k])] = own % P
        E = [[0] * len(inside) for _ in u]
        for j, i in enumerate(inside):
            E[i][j] = 1
        for k, row in zip(outside, first, strict=True):
            E[k] = row[:-1]
        return replace(self.free, given=given), E

    @property
    def reference(self) -> Derivation:
        return self.bound[0]

    @property
    def E(self) -> list[list[int]]:
        return self.bound[1]

    @property
    def names(self) -> list[str]:
        return [f"speed '{name}'" for name in self.equations.speeds]

    def _brought(self, efforts: Sequence[int]) -> list[int]:
        """Efforts on all speeds, in the reference's order, on those of the equations."""
        if self.equations.binding is None:
            return [efforts[k] for k in self.order]
        return applied(transposed(self.E), efforts)

    # ---- the mechanism ---------------------------------------------------------------------------------------

    def of_the_mechanism(self) -> _Items:
        own, equations = self.reference, self.equations
        rates = {q: rate.fp for q, rate in zip(equations.q, equations.coordinate_rates, strict=True)}
        for q, rate in rates.items():
            yield "coordinate rate", f"'{q.name}'", own.coordinate_rates.get(q) == rate
        yield "kinetic energy", "the mechanism", own.power.kinetic_energy == equations.kinetic_energy.fp
        if not own.power.not_covered:
            yield "potential energy", "the mechanism", own.power.potential_energy == equations.potential_energy.fp
            taken = _applied(equations)
            told = [own.power.applied[k] for k in self.order]
            for name, ours, theirs in zip(equations.tree.speeds, told, taken, strict=True):
                yield "applied effort", f"speed '{name}'", ours == theirs
        yield from self.of_the_rows()

    @property
    def brings_rows(self) -> bool:
        """Whether the formalism has its own way to the constraints' rows."""
        return self.ties is not None and self.ties.source is not None

    def of_the_rows(self) -> _Items:
        if self.ties is None:
            return
        ties, told = self.ties, set()
        missing = {name for name in self.equations.system.constraints if name not in {row.of for row in self.free.rows}}
        covered = not self.free.conditions.not_covered
        for k, row in enumerate(ties.rows):
            own = self.row_of(self.free, row.of, row.part)
            told.add((row.of, row.part))
            if own is None:
                if covered or row.of not in missing:
                    yield "constraint", f"'{row.name}'", False
                continue
            yield "constraint", f"'{row.name}'", own.value == (None if row.value is None else row.value.fp)
            A, a, gamma = ties.A[k], ties.a[k], ties.gamma[k]
            drift = own.rate - sum(own.A.get(i, 0) * u.fp for i, u in enumerate(self.free.speeds))
            same = [own.A.get(i, 0) % P for i in self.order] == _prints(A) and drift % P == as_expr(a).fp
            yield "constraint row A", f"'{row.name}'", same
            yield "constraint term γ", f"'{row.name}'", self.free.without_accelerations(own) == as_expr(gamma).fp
        for own in self.free.rows:
            if (own.of, own.part) not in told:
                yield "constraint", f"'{own.of} {own.part}'", own.is_idle

    # ---- the formalism ---------------------------------------------------------------------------------------

    def of_the_formalism(self) -> _Items:
        equations, own = self.equations, self.reference
        M = own.mass_matrix
        if equations.binding is None:
            ours = [[M[i][j] for j in self.order] for i in self.order]
        else:
            ours = product(transposed(self.E), product(M, self.E))
        for name, row, theirs in zip(self.names, ours, equations.mass_matrix, strict=True):
            yield "mass matrix", name, row == _prints(theirs)
        if own.power.not_covered:
            return
        held = self._held(equations)
        efforts = list(own.efforts)
        if held and equations.binding is None:
            given = equations.constraints.only(equations.constraints.generic_rows).multipliers  # type: ignore[union-attr]
            efforts = self._less_constraint_forces(efforts, held, _prints(given))
        for name, effort, theirs in zip(self.names, self._brought(efforts), equations.inverse_dynamics, strict=True):
            yield "inverse dynamics", name, effort == as_expr(theirs).fp
        yield from self._motion(held)

    def _held(self, equations: Equations) -> list[Own]:
        """The rows that the multipliers belong to."""
        ties = equations.constraints if equations.binding is None else equations.binding.constraints
        if ties is None or not ties.rows:
            return []
        usable = ties.only(ties.generic_rows)
        found = [self.row_of(self.reference, row.of, row.part) for row in usable.rows]
        return [row for row in found if row is not None]

    def _less_constraint_forces(
        self, efforts: Sequence[int], rows: Sequence[Own], multipliers: Sequence[int]
    ) -> list[int]:
        """Efforts less Aᵀλ."""
        pairs = list(zip(rows, multipliers, strict=False))
        return [(effort - sum(row.A.get(k, 0) * m for row, m in pairs)) % P for k, effort in enumerate(efforts)]

    def _motion(self, rows: Sequence[Own]) -> _Items:
        """u̇ and λ by the residuals; where these do not vanish, by what they should be."""
        own, equations = self.reference, self.equations
        places = {k: place for place, k in enumerate(self.order)}
        tree_order = [places[k] for k in range(len(own.speeds))]
        udot, tau = ([_prints(part)[k] for k in tree_order] for part in (equations.accelerations, equations.tau))
        multipliers = _prints(equations.multipliers) if rows else []
        needed = [(a + b - c) % P for a, b, c in zip(applied(own.mass_matrix, udot), own.bias, tau, strict=True)]
        left = self._less_constraint_forces(needed, rows, multipliers)
        gaps = [
            (sum(row.A.get(k, 0) * rate for k, rate in enumerate(udot)) + own.without_accelerations(row)) % P
            for row in rows
        ]
        if any(left) or any(gaps):
            yield from self._solved(rows, udot, multipliers, tau)
            return
        for name in self.names:
            yield "acceleration", name, True
        for row in rows:
            yield "multiplier", f"'{row.of} {row.part}'".replace(" '", "'"), True

    def _solved(
        self, rows: Sequence[Own], udot: Sequence[int], multipliers: Sequence[int], tau: Sequence[int]
    ) -> _Items:
        """M u̇ - Aᵀλ = τ - b, A u̇ = -γ by elimination, entry by entry beside what the equations have."""
        own = self.reference
        size = len(own.speeds)
        left = [[*M, *(-row.A.get(k, 0) for row in rows)] for k, M in enumerate(own.mass_matrix)]
        left += [[*(row.A.get(k, 0) for k in range(size)), *([0] * len(rows))] for row in rows]
        right = [[a - b] for a, b in zip(tau, own.bias, strict=True)]
        right += [[-own.without_accelerations(row)] for row in rows]
        found = solved(left, right)
        if found is None:
            yield "acceleration", "the mechanism", False
            return
        for u, entry, theirs in zip(own.speeds, found, udot, strict=False):
            yield "acceleration", f"speed '{u.name}'", entry[0] == theirs
        for row, entry, theirs in zip(rows, found[size:], multipliers, strict=False):
            yield "multiplier", f"'{row.of} {row.part}'".replace(" '", "'"), entry[0] == theirs


def _prints(entries: Sequence[Any]) -> list[int]:
    return [as_expr(entry).fp for entry in entries]


def _applied(equations: Equations) -> list[int]:
    """What the loads come to on the speeds of the tree, weight apart: the efforts of the tree without its masses."""
    tree = equations.tree
    bare = replace(
        tree,
        links=tuple(replace(link, inertia=Inertia.zero()) for link in tree.links),
        gravity=Vector([as_expr(0)] * 3),
    )
    efforts = [as_expr(entry) for entry in newton_euler.recipe(equations.system, bare).inverse([0] * len(tree.u))]
    if equations.binding is not None:
        efforts = equations.binding.bound(efforts)
    return [-entry.fp % P for entry in efforts]
