"""Equations of motion beside the reference derivation, item by item, by fingerprint.

    of the mechanism       coordinate rates q̇, kinetic and potential energy, applied efforts, the constraints' rows
    of each formalism      M, τ, and u̇ and λ by the residuals  M u̇ + b - Aᵀλ - τ = 0,  A u̇ + γ = 0

M, b, A and γ of the residuals are the reference's. Where speeds depend on others, those are found in the field from the
reference's rows, and u = E u_i + e brings everything to the independent ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..constraints import Constraints
from ..dynamics.equations import EquationsOfMotion
from ..dynamics.loads import loads_of
from ..errors import PolhodeError, understood
from ..expr import as_expr, symbol
from ..expr.field import P
from ..kinematics.motion import link_jacobian
from ..notebook import Told
from .reduced import Key, Reduced, reduced
from .reference import ReferenceDerivation
from .reference.matrices import applied, product, solved, transposed

#: How many of a kind a sentence lists.
_LISTED = 3


@dataclass(frozen=True)
class Finding:
    """Something on which the reference derivation disagrees: an item, what it is of, and by which formalisms."""

    item: str
    of: str
    formalisms: tuple[str, ...] = ()


@dataclass(frozen=True, repr=False)
class Agreement(Told):
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


def agreement(derived: Mapping[str, EquationsOfMotion]) -> Agreement:
    """Compare equations of one mechanism, by the names of their formalisms, with the reference derivation.

    >>> import polhode as ph
    >>> s = ph.System("pendulum")
    >>> _ = s.joint("hinge", s.ground, s.body("bob", 1, (0, 0, -1)), ph.Revolute("y"))
    >>> print(agreement({"poincare": s.derive("poincare").record}))
    the reference derivation agrees on coordinate rate, kinetic energy, potential energy, applied effort, mass matrix,\
 inverse dynamics, acceleration
    """
    cure = "Give a mapping from formalisms to what derive returned, for example {'kane': system.derive('kane').record}."
    with understood("a mapping from names to equations", derived, place="agreement", cure=cure):
        if (
            not isinstance(derived, Mapping)
            or not derived
            or not all(isinstance(each, EquationsOfMotion) for each in derived.values())
        ):
            raise TypeError
    checked: dict[str, None] = {}
    missing: dict[str, None] = {}
    found: dict[tuple[str, str], list[str]] = {}
    try:
        known: dict[Key, Reduced] = {}
        judges = {name: _Judge(equations, reduced(equations, known)) for name, equations in derived.items()}
        shared = [(next(iter(judges.values())).of_the_mechanism(), "")]
        shared += [(own.of_the_rows(), "") for own in judges.values() if own.brings_rows]
        for items, name in [*shared, *((own.of_the_formalism(), name) for name, own in judges.items())]:
            for item, of, agrees in items:
                checked[item] = None
                if not agrees:
                    found.setdefault((item, of), []).append(name)
        missing = {what: None for judge in judges.values() for what in judge.reference.not_covered}
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

    equations: EquationsOfMotion
    side: Reduced

    @property
    def constraints(self) -> Constraints | None:
        return self.equations.constraints

    @property
    def reference(self) -> ReferenceDerivation:
        return self.side.derivation

    @property
    def names(self) -> list[str]:
        return [f"speed '{name}'" for name in self.equations.speeds]

    def _brought(self, efforts: Sequence[int]) -> list[int]:
        """Efforts on all speeds, in the reference's order, on those of the equations."""
        if self.equations.dependent_speeds is None:
            return [efforts[k] for k in self.side.order]
        return applied(transposed(self.side.E), efforts)

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
            told = [own.power.applied[k] for k in self.side.order]
            for name, ours, theirs in zip(equations.tree.speeds, told, taken, strict=True):
                yield "applied effort", f"speed '{name}'", ours == theirs
        yield from self.of_the_rows()

    @property
    def brings_rows(self) -> bool:
        """Whether the formalism has its own way to the constraints' rows."""
        return self.constraints is not None and self.constraints.source is not None

    def of_the_rows(self) -> _Items:
        if self.constraints is None:
            return
        constraints, free = self.constraints, self.side.free
        ours = {row.name: row for row in free.rows}
        for k, row in enumerate(constraints.rows):
            own = ours.pop(row.name, None)
            if own is None:
                if row.of not in free.conditions.missing:
                    yield "constraint", f"'{row.name}'", False
                continue
            yield "constraint", f"'{row.name}'", own.value == (None if row.value is None else row.value.fp)
            A, a, gamma = constraints.A[k], constraints.a[k], constraints.gamma[k]
            same = [own.A.get(i, 0) % P for i in self.side.order] == _prints(A) and free.drift(own) == as_expr(a).fp
            yield "constraint row A", f"'{row.name}'", same
            yield "constraint term γ", f"'{row.name}'", free.without_accelerations(own) == as_expr(gamma).fp
        for own in ours.values():
            yield "constraint", f"'{own.name}'", own.is_trivial

    # ---- the formalism ---------------------------------------------------------------------------------------

    def of_the_formalism(self) -> _Items:
        equations, own = self.equations, self.reference
        M = own.mass_matrix
        if equations.dependent_speeds is None:
            ours = [[M[i][j] for j in self.side.order] for i in self.side.order]
        else:
            ours = product(transposed(self.side.E), product(M, self.side.E))
        for name, row, theirs in zip(self.names, ours, equations.mass_matrix, strict=True):
            yield "mass matrix", name, row == _prints(theirs)
        if own.not_covered:
            return
        efforts = list(own.efforts)
        if equations.dependent_speeds is None:  # λ is given there: by symbols, named after the rows
            given = {row.name: symbol(row.name, "multiplier").fp for row in self.side.rows}
            efforts = self._less_constraint_forces(efforts, given)
        for name, effort, theirs in zip(self.names, self._brought(efforts), equations.inverse_dynamics, strict=True):
            yield "inverse dynamics", name, effort == as_expr(theirs).fp
        yield from self._motion()

    def _less_constraint_forces(self, efforts: Sequence[int], multipliers: Mapping[str, int]) -> list[int]:
        """Efforts less Aᵀλ; a multiplier that is not there is zero."""
        pairs = [(row.A, multipliers.get(row.name, 0)) for row in self.side.rows]
        return [(effort - sum(A.get(k, 0) * m for A, m in pairs)) % P for k, effort in enumerate(efforts)]

    def _multipliers(self) -> dict[str, int]:
        """λ of the equations, by the rows that they belong to."""
        equations = self.equations
        constraints = (
            equations.constraints if equations.dependent_speeds is None else equations.dependent_speeds.constraints
        )
        if constraints is None or not constraints.rows:
            return {}
        rows = [constraints.rows[k].name for k in constraints.generic_rows]
        return dict(zip(rows, _prints(equations.multipliers), strict=True))

    def _motion(self) -> _Items:
        """u̇ and λ by the residuals, in all independent rows; where these do not vanish, by what they should be."""
        own, equations, rows = self.reference, self.equations, self.side.rows
        inverse = {k: i for i, k in enumerate(self.side.order)}
        tree_order = [inverse[k] for k in range(len(own.speeds))]
        udot, tau = ([_prints(part)[k] for k in tree_order] for part in (equations.accelerations, equations.tau))
        multipliers = self._multipliers()
        for name in multipliers.keys() - {row.name for row in rows}:
            yield "multiplier", f"'{name}'", False
        needed = [(a + b - c) % P for a, b, c in zip(applied(own.mass_matrix, udot), own.bias, tau, strict=True)]
        left = self._less_constraint_forces(needed, multipliers)
        gaps = [
            (sum(row.A.get(k, 0) * rate for k, rate in enumerate(udot)) + own.without_accelerations(row)) % P
            for row in rows
        ]
        if any(left) or any(gaps):
            yield from self._solved(udot, multipliers, tau)
            return
        for name in self.names:
            yield "acceleration", name, True
        for row in rows:
            yield "multiplier", f"'{row.name}'", row.name in multipliers

    def _solved(self, udot: Sequence[int], multipliers: Mapping[str, int], tau: Sequence[int]) -> _Items:
        """M u̇ - Aᵀλ = τ - b, A u̇ = -γ by elimination, entry by entry beside what the equations have."""
        own, rows = self.reference, self.side.rows
        size = len(own.speeds)
        left = [[*M, *(-row.A.get(k, 0) for row in rows)] for k, M in enumerate(own.mass_matrix)]
        left += [[*(row.A.get(k, 0) for k in range(size)), *([0] * len(rows))] for row in rows]
        right = [[a - b] for a, b in zip(tau, own.bias, strict=True)]
        right += [[-own.without_accelerations(row)] for row in rows]
        found = solved(left, right)
        if found is None:
            yield "acceleration", "the mechanism", False
            return
        for u, entry, theirs in zip(own.speeds, found[:size], udot, strict=True):
            yield "acceleration", f"speed '{u.name}'", entry[0] == theirs
        for row, entry in zip(rows, found[size:], strict=True):
            yield "multiplier", f"'{row.name}'", entry[0] == multipliers.get(row.name)


def _prints(entries: Sequence[Any]) -> list[int]:
    return [as_expr(entry).fp for entry in entries]


def _applied(equations: EquationsOfMotion) -> list[int]:
    """What the loads come to on the speeds of the tree, weight apart: wrenches by the links' Jacobians, and forces."""
    tree, loads = equations.tree, loads_of(equations.system, equations.tree)
    efforts = [as_expr(entry) for entry in loads.speed_forces()]
    for i, (n, f) in enumerate(loads.wrenches()):
        for speed, w, v in link_jacobian(tree, i):
            efforts[speed] = efforts[speed] + w.dot(n) + v.dot(f)
    if equations.dependent_speeds is not None:
        efforts = equations.dependent_speeds.in_independent_speeds(efforts)
    return _prints(efforts)
