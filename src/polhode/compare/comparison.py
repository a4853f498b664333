"""Deriving by every formalism: whether the results are the same functions, and what each costs.

The reference derivation is compared item by item, by fingerprint:

    of the mechanism       coordinate rates q̇, kinetic and potential energy, applied efforts, the constraints' rows
    of each formalism      M, τ, and u̇ and λ by the residuals  M u̇ + b - Aᵀλ - τ = 0,  A u̇ + γ = 0

M, b, A and γ of the residuals are the reference's. Where speeds depend on others, elimination in the field of the
reference's rows gives them, and u = E u_i + e brings everything to the independent ones. Of the equations only the
order of rows and speeds is used, and which speeds they chose: some of them, or pseudo-velocities π̇ = P u + p, whose
rows stand beside those of the constraints.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any, TypeAlias, TypedDict

import numpy as np

from ..codegen.ir.count import Operations, count
from ..compiled.catalogue import catalogued
from ..compiled.functions import Functions
from ..constraints import Constraints, PseudoSpeeds
from ..dynamics.equations import EquationsOfMotion
from ..dynamics.loads import loads_of
from ..errors import PolhodeError, check_kind, listed, understood
from ..expr import Expr, as_expr, symbol, topological
from ..expr.field import P
from ..expr.spelling import acceleration_of
from ..formalisms.derivation import Derivation
from ..formalisms.deriving import derive
from ..formalisms.registry import FORMALISMS, check_speeds, formalism_of, names
from ..kinematics.motion import link_jacobian
from ..model.model import Model
from ..model.reading import checked_name, list_of
from ..model.system import System
from ..notebook import Cell, Shown, Table, Told
from .contact import ContactAgreement, contact_agreement
from .reference import Choice, ConstraintRow, ReferenceDerivation
from .reference.prime_field import NotCovered, applied, independent_rows, product, solved, transposed

#: Key of a reduction of a mechanism; equations with the same key share one.
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
        chosen = independent_rows([[self.free.rows[k].A.get(i, 0) for i in size] for k in order])
        return [order[k] for k in chosen]

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
            columns = solved(
                [[row.A.get(k, 0) for k in outside] for row in rows],
                [[-row.A.get(k, 0) for k in inside] + [-right(row) % P] for row in rows],
            )
            if columns is None:
                raise PolhodeError("the dependent speeds do not follow from its rows.", code="E-REFERENCE-SINGULAR")
            return columns

        first = solution(self.free, self.free.drift)
        values: dict[Expr, int] = {}
        for k, (*row, rest) in zip(outside, first, strict=True):
            values[u[k]] = (sum(e * u[i].fp for e, i in zip(row, inside, strict=True)) + rest) % P
        moving = replace(self.free, given=values)
        second = solution(moving, moving.without_accelerations)
        for k, (*row, rest) in zip(outside, second, strict=True):
            rates = [acceleration_of(u[i]).fp for i in inside]
            values[acceleration_of(u[k])] = (sum(e * rate for e, rate in zip(row, rates, strict=True)) + rest) % P
        E = [[0] * len(inside) for _ in u]
        for j, i in enumerate(inside):
            E[i][j] = 1
        for k, row in zip(outside, first, strict=True):
            E[k] = row[:-1]
        return replace(self.free, given=values), E

    def _in_pseudo_velocities(self, pseudo: PseudoSpeeds) -> tuple[ReferenceDerivation, list[list[int]]]:
        """u = E π̇ + e from [P; A] u = (π̇ - p, -a), and the same for the rates."""
        u, (P_rows, p) = self.free.speeds, pseudo.forms
        column_of = {k: column for column, k in enumerate(self.order)}
        above = [[as_expr(row[column_of[k]]).fp for k in range(len(u))] for row in P_rows]
        size = len(above)

        def solution(
            reference: ReferenceDerivation, rest: Sequence[Expr], right: Callable[[ConstraintRow], int]
        ) -> Rows:
            rows = self._rows(reference)
            below = [[row.A.get(k, 0) for k in range(len(u))] for row in rows]
            units = [[*(int(i == j) for j in range(size)), -entry.fp % P] for i, entry in enumerate(rest)]
            columns = solved([*above, *below], [*units, *([0] * size + [-right(row) % P] for row in rows)])
            if columns is None:
                raise PolhodeError("the pseudo-velocities do not determine the speeds.", code="E-REFERENCE-SINGULAR")
            return columns

        first = solution(self.free, [as_expr(entry) for entry in p], self.free.drift)
        values = {x: _along(row, [chosen.fp for chosen in pseudo.u]) for x, row in zip(u, first, strict=True)}
        moving = replace(self.free, given=values)
        second = solution(moving, pseudo.bends, moving.without_accelerations)
        rates = [acceleration_of(chosen).fp for chosen in pseudo.u]
        values = values | {acceleration_of(x): _along(row, rates) for x, row in zip(u, second, strict=True)}
        return replace(self.free, given=values), [row[:-1] for row in first]


def _along(row: Sequence[int], values: Sequence[int]) -> int:
    """The coefficients of a row times values, and its last entry."""
    *coefficients, rest = row
    return (sum(e * value for e, value in zip(coefficients, values, strict=True)) + rest) % P


def reduced(equations: EquationsOfMotion, cached: dict[Key, Reduced]) -> Reduced:
    """The reference beside these equations, from `cached` if it is there."""
    choices = _choices(equations)
    constraints, dependent_speeds, tree = equations.constraints, equations.dependent_speeds, equations.tree
    rows = () if constraints is None else tuple(row.name for row in constraints.rows)
    chosen = None if dependent_speeds is None else tuple(dependent_speeds.independent)
    pseudo = dependent_speeds if isinstance(dependent_speeds, PseudoSpeeds) else None
    message = tuple((of, *result.definitions.items(), *result.conditions.items()) for of, result in choices.items())
    key = message, rows, tuple(tree.u), chosen, () if pseudo is None else (*pseudo.u, *pseudo.values)
    if key not in cached:
        free = ReferenceDerivation(equations.system, choices)
        index = {u: k for k, u in enumerate(free.speeds)}
        order = tuple(index[u] for u in tree.u)
        cached[key] = Reduced(free, order, rows, None if chosen is None else tuple(order[k] for k in chosen), pseudo)
    return cached[key]


def _choices(equations: EquationsOfMotion) -> dict[str, Choice]:
    """Conditions by which the equations define the coordinates of constraints."""
    result = {}
    for entry in equations.tree.auxiliary:
        rows = [] if equations.constraints is None else equations.constraints.rows
        values = {row.part: row.value.fp for row in rows if row.of == entry.of and row.value is not None}
        result[entry.of] = Choice({name: value.fp for name, value in entry.definitions}, values)
    return result


#: Surfaces whose normal velocity is the rate of the gap where that is zero alone; functions that are not smooth.
_CURVED, _PIECEWISE = {"curve", "heights"}, {"abs", "sign", "min", "max"}
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
    """The comparison with the reference derivation: what was checked, what differs, and what it does not cover."""

    checked: tuple[str, ...]
    findings: tuple[Finding, ...]
    not_covered: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return not self.findings

    def __str__(self) -> str:
        left = f"; not covered: {', '.join(self.not_covered)}" if self.not_covered else ""
        if self.findings:
            return f"the reference derivation DISAGREES on {'; '.join(self._disagreements())}{left}"
        return f"the reference derivation agrees on {', '.join(self.checked)}{left}"

    def _disagreements(self) -> list[str]:
        """The findings in words, those of one item together."""
        message = []
        for item in dict.fromkeys(finding.item for finding in self.findings):
            shown = [finding for finding in self.findings if finding.item == item]
            of = [finding.of for finding in shown[:_LISTED]]
            more = f" and {len(shown) - _LISTED} more" if len(shown) > _LISTED else ""
            by = dict.fromkeys(name for finding in shown for name in finding.formalisms)
            message.append(f"{item} of {', '.join(of)}{more}" + (f" (by {', '.join(by)})" if by else ""))
        return message


def agreement(derived: Mapping[str, EquationsOfMotion]) -> Agreement:
    """Compare equations of one mechanism, by the names of their formalisms, with the reference derivation."""
    cure = "Give a mapping from formalisms to what derive returned, for example {'kane': system.derive('kane').record}."
    with understood("a mapping from names to equations", derived, place="agreement", cure=cure):
        if (
            not isinstance(derived, Mapping)
            or not derived
            or not all(isinstance(e, EquationsOfMotion) for e in derived.values())
        ):
            raise TypeError
    checked: dict[str, None] = {}
    missing: dict[str, None] = {}
    refused: dict[tuple[str, str], list[str]] = {}
    try:
        reductions: dict[Key, Reduced] = {}
        judges = {name: _Judge(equations, reduced(equations, reductions)) for name, equations in derived.items()}
        shared = [(next(iter(judges.values())).of_the_mechanism(), "")]
        shared += [(judge.of_the_rows(), "") for judge in judges.values() if judge.brings_rows]
        for items, name in [*shared, *((judge.of_the_formalism(), name) for name, judge in judges.items())]:
            for item, of, agrees in items:
                checked[item] = None
                if not agrees:
                    refused.setdefault((item, of), []).append(name)
        missing = {what: None for j in judges.values() for what in (*j.reference.not_covered, *j.not_covered)}
    except PolhodeError as error:
        if not error.problems[0].code.startswith("E-REFERENCE"):
            raise
        refused["derivation", str(error)] = []
    findings = [Finding(*key, tuple(name for name in names if name)) for key, names in refused.items()]
    return Agreement(tuple(checked), tuple(findings), tuple(missing))


#: An item, what it is of, and whether both sides have it alike.
_Items = Iterator[tuple[str, str, bool]]


@dataclass(frozen=True, eq=False)
class _Judge:
    """One set of equations beside the reference."""

    equations: EquationsOfMotion
    side: Reduced
    not_covered: list[str] = field(default_factory=list)  # contacts

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

    def of_the_mechanism(self) -> _Items:
        reference, equations = self.reference, self.equations
        rates = {q: rate.fp for q, rate in zip(equations.q, equations.coordinate_rates, strict=True)}
        for q, rate in rates.items():
            yield "coordinate rate", f"'{q.name}'", reference.coordinate_rates.get(q) == rate
        yield "kinetic energy", "the mechanism", reference.power.kinetic_energy == equations.kinetic_energy.fp
        if not reference.power.not_covered:
            yield "potential energy", "the mechanism", reference.power.potential_energy == equations.potential_energy.fp
            expected = _applied(equations)
            message = [reference.power.applied[k] for k in self.side.order]
            for name, ours, theirs in zip(equations.tree.speeds, message, expected, strict=True):
                yield "applied effort", f"speed '{name}'", ours == theirs
        yield from self.of_the_rows()
        yield from self._of_the_contacts()

    def _of_the_contacts(self) -> _Items:
        """Rows of contacts, stops and dry friction; the normal ones beside derivatives of their gaps."""
        from ..constraints.unilateral import unilateral_rows

        equations, free = self.equations, self.side.free
        if not equations.system.contacts:
            return
        rows_of, k = unilateral_rows(equations.system, equations.tree), 0
        for name, (element, group) in zip(rows_of.names, rows_of.groups, strict=True):
            shapes = {getattr(getattr(equations.system.contacts[element], side, None), "kind", "") for side in "ab"}
            gap = group.gap
            if gap is not None and (shapes & _CURVED or any(node.op in _PIECEWISE for node in topological([gap]))):
                self.not_covered.append(
                    f"gaps of contact '{element}' (their rates are normal velocities in parts alone)"
                )
                gap = None
            try:
                rows = free.conditions.unilateral(name, gap, group.rates)
            except NotCovered as reason:
                self.not_covered.append(f"contact '{name}' ({reason})")
                rows = []
            for i, row in enumerate(rows, start=k):
                A = [row.A.get(j, 0) % P for j in self.side.order]
                of = f"'{name}' {'normal' if i == k and group.gap is not None else 'tangent'}"
                yield "contact row A", of, _prints(rows_of.A[i]) == A and row.rate == as_expr(rows_of.velocities[i]).fp
                yield "contact term γ", of, free.without_accelerations(row) == as_expr(rows_of.gamma[i]).fp
            k += len(group.rates)

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
            other = ours.pop(row.name, None)
            if other is None:
                if row.of not in free.conditions.missing:
                    yield "constraint", f"'{row.name}'", False
                continue
            yield "constraint", f"'{row.name}'", other.value == (None if row.value is None else row.value.fp)
            A, a, gamma = constraints.A[k], constraints.a[k], constraints.gamma[k]
            same = [other.A.get(i, 0) % P for i in self.side.order] == _prints(A) and free.drift(other) == as_expr(a).fp
            yield "constraint row A", f"'{row.name}'", same
            yield "constraint term γ", f"'{row.name}'", free.without_accelerations(other) == as_expr(gamma).fp
        for other in ours.values():
            yield "constraint", f"'{other.name}'", other.is_trivial

    def of_the_formalism(self) -> _Items:
        equations, reference = self.equations, self.reference
        M = reference.mass_matrix
        if equations.dependent_speeds is None:
            ours = [[M[i][j] for j in self.side.order] for i in self.side.order]
        else:
            ours = product(transposed(self.side.E), product(M, self.side.E))
        for name, row, theirs in zip(self.names, ours, equations.mass_matrix, strict=True):
            yield "mass matrix", name, row == _prints(theirs)
        if reference.not_covered:
            return
        efforts = list(reference.efforts)
        if equations.dependent_speeds is None:  # λ is given there: by symbols, named after the rows
            multipliers = {row.name: symbol(row.name, "multiplier").fp for row in self.side.rows}
            efforts = self._less_constraint_forces(efforts, multipliers)
        for name, effort, theirs in zip(self.names, self._brought(efforts), equations.inverse_dynamics, strict=True):
            yield "inverse dynamics", name, effort == as_expr(theirs).fp
        yield from self._motion()

    def _less_constraint_forces(self, efforts: Sequence[int], multipliers: Mapping[str, int]) -> list[int]:
        """Efforts less Aᵀλ; a multiplier that is not there is zero."""
        pairs = [(row.A, multipliers.get(row.name, 0)) for row in self.side.rows]
        return [(effort - sum(A.get(k, 0) * m for A, m in pairs)) % P for k, effort in enumerate(efforts)]

    def _multipliers(self) -> dict[str, int]:
        """λ of the equations, by row names."""
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
        of, equations, rows = self.reference, self.equations, self.side.rows
        inverse = {k: i for i, k in enumerate(self.side.order)}
        tree_order = [inverse[k] for k in range(len(of.speeds))]
        udot, tau = ([_prints(part)[k] for k in tree_order] for part in (equations.accelerations, equations.tau))
        multipliers = self._multipliers()
        for name in multipliers.keys() - {row.name for row in rows}:
            yield "multiplier", f"'{name}'", False
        needed = [(a + b - c) % P for a, b, c in zip(applied(of.mass_matrix, udot), of.bias, tau, strict=True)]
        left = self._less_constraint_forces(needed, multipliers)
        gaps = [
            (sum(row.A.get(k, 0) * rate for k, rate in enumerate(udot)) + of.without_accelerations(row)) % P
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
        reference, rows = self.reference, self.side.rows
        size = len(reference.speeds)
        left = [[*M, *(-row.A.get(k, 0) for row in rows)] for k, M in enumerate(reference.mass_matrix)]
        left += [[*(row.A.get(k, 0) for k in range(size)), *([0] * len(rows))] for row in rows]
        right = [[a - b] for a, b in zip(tau, reference.bias, strict=True)]
        right += [[-reference.without_accelerations(row)] for row in rows]
        solution = solved(left, right)
        if solution is None:
            yield "acceleration", "the mechanism", False
            return
        for u, entry, theirs in zip(reference.speeds, solution[:size], udot, strict=True):
            yield "acceleration", f"speed '{u.name}'", entry[0] == theirs
        for row, entry in zip(rows, solution[size:], strict=True):
            yield "multiplier", f"'{row.name}'", entry[0] == multipliers.get(row.name)


def _prints(entries: Sequence[Any]) -> list[int]:
    return [as_expr(entry).fp for entry in entries]


def _applied(equations: EquationsOfMotion) -> list[int]:
    """Generalised forces of the loads on the tree's speeds, without weight."""
    tree, loads = equations.tree, loads_of(equations.system, equations.tree)
    efforts = [as_expr(entry) for entry in loads.speed_forces()]
    for i, (n, f) in enumerate(loads.wrenches()):
        for speed, w, v in link_jacobian(tree, i):
            efforts[speed] = efforts[speed] + w.dot(n) + v.dot(f)
    if equations.dependent_speeds is not None:
        efforts = equations.dependent_speeds.in_independent_speeds(efforts)
    return _prints(efforts)


#: The functions that are compared.
FUNCTIONS = ("mass_matrix", "inverse_dynamics", "forward_dynamics")
_STATES = 256
#: What one graph costs, by its nodes (which are kept, so that their ids last), and who derived it: methods often write
#: the same one.
_Known: TypeAlias = "dict[tuple[object, ...], tuple[list[Expr], Operations, float | None, list[str]]]"
#: So many rows of contacts are compiled to compare accelerations, but of two formalisms at least.
_MOST_ROWS = 250
_TIMING_SECONDS = 0.01  # some hundred rounds over the states, of which the best counts
#: What a verdict calls the functions that are compared.
_LETTERS = {"mass_matrix": "M", "inverse_dynamics": "τ", "forward_dynamics": "u̇"}


@dataclass(frozen=True)
class Row:
    """Operation counts of one function by one formalism; `nanoseconds` is None if it was not run."""

    formalism: str
    function: str
    multiplications: int
    additions: int
    divisions: int
    sine_cosine_pairs: int
    derivation_ms: float
    nanoseconds: float | None = None


@dataclass(frozen=True)
class Comparison(Shown):
    """Rows for each formalism and function, and their agreement.

    `alike`: the formalisms give the same functions; `derivations`: which of them share one graph and count once;
    `reference`: the agreement with the reference derivation; `states`: first-order states, whose rates are given;
    `speeds`: formalisms in other speeds, which are compared by the accelerations of all joints.
    """

    system: str
    formalisms: tuple[str, ...]
    alike: bool
    derivations: Mapping[str, tuple[tuple[str, ...], ...]]
    reference: Agreement
    rows: tuple[Row, ...]
    refused: tuple[tuple[str, str], ...] = ()
    states: tuple[str, ...] = ()
    speeds: Mapping[str, str] = field(default_factory=dict)
    contacts: ContactAgreement | None = None

    @property
    def agree(self) -> bool:
        """Whether all formalisms, and the reference derivation, give the same functions."""
        return self.alike and bool(self.reference) and (self.contacts is None or bool(self.contacts))

    @property
    def verdict(self) -> str:
        """One sentence: the number of distinct derivations that agree, and the result of the reference."""
        which = listed([repr(name) for name in self.states])
        stated = f"; the rates of {which} are the model's own, the same in all" if self.states else ""
        others = [f"{name} is in the speeds {chosen!r} and compared by u̇" for name, chosen in self.speeds.items()]
        touching = [] if self.contacts is None else [str(self.contacts)]
        return "; ".join([self._derived, *others, *touching]) + stated

    @property
    def _derived(self) -> str:
        number = len(self.formalisms)
        text = "one formalism" if number == 1 else f"{number} formalisms agree exactly"
        if not self.alike:
            text = "the formalisms DISAGREE"
        elif number > 1 and self.derivations:
            counts = [(len(by), _LETTERS.get(function, function)) for function, by in self.derivations.items()]
            number_of, letter = counts[0]
            parts = [f"{number_of} distinct derivation{'s' * (number_of != 1)} of {letter}"]
            parts += [f"{number_of} of {letter}" for number_of, letter in counts[1:]]
            text += f", by {listed(parts)}"
        if not self.reference or self.reference.not_covered:
            return f"{text}; {self.reference}"
        agrees = (
            "and so does the reference derivation" if self.alike and number > 1 else "the reference derivation agrees"
        )
        return f"{text}; {agrees}"

    def cheapest(self, function: str) -> Row:
        """The row with the fewest multiplications and additions."""
        return min(
            (row for row in self.rows if row.function == function), key=lambda row: row.multiplications + row.additions
        )

    def as_json(self) -> dict[str, Any]:
        """Plain data, for `--json`."""
        return asdict(self) | {"agree": self.agree, "verdict": self.verdict}

    def table(self) -> list[tuple[str, ...]]:
        """Header and rows as text."""
        head = ("formalism", "function", "mul", "add", "div", "sincos", "derive ms", "ns/call")
        body = [
            (
                row.formalism,
                row.function,
                str(row.multiplications),
                str(row.additions),
                str(row.divisions),
                str(row.sine_cosine_pairs),
                f"{row.derivation_ms:.1f}",
                "–" if row.nanoseconds is None else f"{row.nanoseconds:.0f}",
            )
            for row in self.rows
        ]
        return [head, *body]

    def _cell(self) -> Cell:
        head, *rows = self.table()
        refused = [f"{name}: {reason}" for name, reason in self.refused]
        return Cell(self.system, [Table(head, rows, numbers_from=2), *refused, self.verdict])

    def __str__(self) -> str:
        return self._cell().text()

    __repr__ = __str__


class CompareOptions(TypedDict, total=False):
    """Options of `System.compare` besides formalisms."""

    run: bool
    functions: Sequence[str] | str
    speeds: str | None


def compare(
    model: Model,
    /,
    formalisms: Sequence[str] | str | None = None,
    *,
    run: bool = True,
    functions: Sequence[str] | str = FUNCTIONS,
    speeds: str | None = None,
) -> Comparison:
    """Derive a model by every formalism, prove that they agree, and count operations; with `run`, time native code.

    The reference derivation, which starts anew at the model (`reference`), judges them all. What `auto` picks
    for each function comes last. A single name stands for a list of one. `speeds="sayers"` takes Kane's method in the
    speeds of Sayers, the others in the system's own, and compares the accelerations after the change of speeds.

    >>> import polhode as ph
    >>> s = ph.System("pendulum")
    >>> _ = s.joint("hinge", s.ground, s.body("bob", 1, (0, 0, -1)), ph.Revolute("y"))
    >>> compare(s.model(), run=False).agree
    True
    """
    check_kind(Model, "a model", model, "compare", "Give system.model(), or call system.compare().")
    functions = _names(functions, "function")
    for function in functions:
        catalogued(function)
    requested = names() if formalisms is None else _names(formalisms, "formalism")
    if not requested:
        cure = f"Name some of {', '.join(names())}, or leave them out to have all."
        raise PolhodeError("no formalism is named.", place="compare", cure=cure, code="E-PAPER-MISSING")
    chosen = _speeds_of(model, requested, speeds)
    result: dict[str, EquationsOfMotion] = {}
    rows: list[Row] = []
    refused: list[tuple[str, str]] = []
    counted: _Known = {}
    size = len(derive(model).u)
    for formalism in requested:
        few = FORMALISMS[formalism].few_speeds if formalisms is None else None
        if few is not None and size > few:
            refused.append((formalism, f"left out, since it takes long on {size} speeds; name it to have it"))
            continue
        _warm_up(formalism, functions)
        try:
            result[formalism], more = _rows(model, formalism, functions, run, counted, chosen.get(formalism))
            rows += more
        except PolhodeError as error:
            refused.append((formalism, str(error)))
    if not result:
        message = "no formalism accepts this system."
        raise PolhodeError(message, f"system '{model.name}'", refused[0][1], "E-PAPER-UNSUPPORTED")
    first, *others = result.values()
    if formalisms is None:
        picked, more = _rows(model, "auto", functions, run, counted)
        rows += more
        others.append(picked)
    alike = all(first.agrees_with(other) for other in others)
    derivations = {
        function: tuple(
            tuple(name for name in by if name in result) for (of, *_), (*_, by) in counted.items() if of == function
        )
        for function in functions
    }
    derivations = {function: tuple(filter(None, groups)) for function, groups in derivations.items()}
    judged = agreement(result)
    states = tuple(model.states)
    groups = derivations.get("forward_dynamics")
    touching = _touching(model, result, groups) if model.contacts and groups is not None else None
    return Comparison(
        model.name, tuple(result), alike, derivations, judged, tuple(rows), tuple(refused), states, chosen, touching
    )


def _touching(
    model: Model, derived: Mapping[str, EquationsOfMotion], groups: Sequence[Sequence[str]]
) -> ContactAgreement:
    """Accelerations with contact forces by one formalism of each group that shares its graph."""
    speeds = next(iter(derived.values())).speeds
    names = [group[0] for group in groups]
    alike = [name for name in names if derived[name].speeds == speeds and derived[name].constraints is None]
    functions = {name: Functions(Derivation(model, name)) for name in alike}
    rows = sum(gap + tangents for f in functions.values() for _, _, gap, tangents in f.derivation.synopsis.contacts)
    few = max(2, len(functions) * _MOST_ROWS // max(1, rows))
    if any(parameter.value is None for parameter in model.parameters.values()):
        few = 0
    return contact_agreement(dict(list(functions.items())[:few]))


def _names(named: Sequence[str] | str, kind: str) -> list[str]:
    """Names that a user gave, each once; a text is one name."""
    entries = [named] if isinstance(named, str) else list_of(named, f"a list of {kind}s", f"compare {kind}s")
    return list(dict.fromkeys(checked_name(entry, kind) for entry in entries))


def _speeds_of(model: Model, formalisms: Sequence[str], speeds: str | None) -> dict[str, str]:
    """The formalisms that are to be derived in speeds of their own, with these."""
    if speeds is None:
        return {}
    bring = [name for name in formalisms if speeds in formalism_of(name).speeds]
    for name in bring or formalisms[:1]:
        check_speeds(model, name, speeds)
    return dict.fromkeys(bring, speeds)


def _warm_up(formalism: str, functions: Sequence[str]) -> None:
    """Load what a formalism needs, so that the first function is not charged for it."""
    slider = System("slider")
    slider.joint("slide", slider.ground, slider.body("block", 1), "prismatic")
    equations = derive(slider.model(), formalism)
    for function in functions:
        with suppress(PolhodeError):  # a slider has no constraints
            catalogued(function)[1](equations)


def _rows(
    model: Model, formalism: str, functions: Sequence[str], run: bool, counted: _Known, speeds: str | None = None
) -> tuple[EquationsOfMotion, list[Row]]:
    """Costs of each function, each of a fresh derivation; and the equations of the last one."""
    equations, rows = derive(model, formalism, speeds=speeds), []
    for function in functions:
        began = time.perf_counter()
        derivation = Derivation(model, formalism, speeds=speeds)
        equations = derivation.equations
        roots = [root for _, _, entries in catalogued(function)[1](equations) for root in entries]
        took = time.perf_counter() - began
        key = (function, *map(id, roots))
        if key not in counted:
            compiled = Functions(derivation)
            ns = nanoseconds_per_call(compiled, function) if run else None
            counted[key] = roots, count(compiled.program(function)), ns, []
        _, cost, ns, by = counted[key]
        by.append(formalism)
        operations = cost.multiplications, cost.additions, cost.divisions, cost.sincos
        rows.append(Row(formalism, function, *operations, took * 1e3, ns))
    return equations, rows


def nanoseconds_per_call(functions: Functions, function: str, seconds: float = _TIMING_SECONDS) -> float | None:
    """Time of one evaluation in a native loop over random states; None where a parameter has no value."""
    try:
        parameters = functions.parameter_values(function)
    except PolhodeError:
        return None
    native = functions.native(function)
    random = np.random.default_rng(1)
    arrays = {array.name: random.uniform(-1.0, 1.0, (_STATES, array.size)) for array in native.program.arrays}
    for name in arrays.keys() & {"q", "x"}:
        for start in functions.equations.tree.quaternions:
            part = arrays[name][:, start : start + 4]
            part /= np.linalg.norm(part, axis=1, keepdims=True)
    return float(native.time_per_call(parameters=parameters, seconds=seconds, **arrays))
