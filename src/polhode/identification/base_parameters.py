"""Base parameters: the combinations of standard parameters that efforts can tell, exactly.

    τ = Y π + known = Y_B β + known,    β = K π

Columns of Y that are combinations of others for every motion (over the field of the lengths and angles of the
mechanism) are taken out, and their parameters counted to the others. Relations come from mass that joints do not move
(`inertia_relations`) and from columns that vanish; each is proved by fingerprint. That none is lacking is a rank over
the field: columns at random motions. What is left over then, such as a slider along the axis of a hinge, is solved for.

Rotations that differ from multiples of π/2, and offsets that differ from zero, by less than `snap` are taken as exact
first: an axis that is not quite vertical would otherwise let gravity tell what no measurement can.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..dynamics.equations import EquationsOfMotion
from ..dynamics.regressor import MOMENTS, Regressor, regressor
from ..errors import PolhodeError, ValueMissing, fault_at, number
from ..expr import (
    Expr,
    Matrix,
    Vector,
    as_expr,
    constant_ratio,
    evaluate,
    free_symbols,
    independent_columns,
    is_zero,
    normal,
    operation_counts,
    pi,
    quiet_collector,
    rational_value,
    same,
    substitute,
    symbol,
    unit_symbols,
)
from ..expr.decide import combinations
from ..geometry.elimination import solve_columns
from ..notebook import Cell, Shown, Table
from .inertia_relations import Relation, relations
from .snapped_tree import snapped_tree, weak_combinations

_PLACE = "base_parameters"
fault = fault_at(_PLACE)
#: Which moment of a body goes to others, if it can: Khalil's choice for joints about z.
_GOES_FIRST = ("m", "mcz", "mcy", "mcx", "Iyy", "Ixx", "Izz", "Ixy", "Ixz", "Iyz")
#: Shares with up to so many operations are brought to normal form.
_SHORT = 60


@dataclass(frozen=True, eq=False, repr=False)
class BaseParameters(Shown):
    """The identifiable combinations β = K π: `names` of their leading parameters, `combinations` by these names.

    `without_effect` names the standard parameters that no effort tells of; `notices` say what was snapped, and which
    combinations hardly show.
    """

    standard: tuple[str, ...]
    columns: tuple[int, ...]  # those of Y that stay
    K: Matrix  # a row for each base parameter, a column for each standard one
    defaults: Mapping[str, float]  # the model's parameters that have a value
    notices: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.columns)

    @property
    def names(self) -> list[str]:
        """The names of the leading standard parameters."""
        return [self.standard[k] for k in self.columns]

    @property
    def combinations(self) -> dict[str, Expr]:
        """Each base parameter in the standard ones, by the name of the leading one."""
        symbols = Vector([symbol(name, "standard") for name in self.standard])
        return {name: as_expr(row.dot(symbols)) for name, row in zip(self.names, self.K, strict=True)}

    @property
    def without_effect(self) -> list[str]:
        """Standard parameters that are in no combination."""
        return [name for k, name in enumerate(self.standard) if all(is_zero(row[k]) for row in self.K)]

    def matrix(self, parameters: Mapping[str, Any] | None = None) -> NDArray[np.float64]:
        """K in numbers, at the model's parameters, or at others by name."""
        given = {**self.defaults, **(parameters or {})}
        entries = [as_expr(entry) for entry in self.K.entries()]
        met = free_symbols(entries)
        lacking = [str(x.name) for x in met if x.name not in given]
        if lacking:
            raise ValueMissing(
                f"base parameters depend on {', '.join(lacking)}, which {'have' if lacking[1:] else 'has'} no value.",
                place=_PLACE,
                cure=f"Give parameters={{{lacking[0]!r}: …}}.",
                code="E-IDENT-003",
            )
        numbers = evaluate(entries, {x: float(given[str(x.name)]) for x in met})
        return np.array(numbers).reshape(len(self.columns), len(self.standard))

    def __str__(self) -> str:
        return "\n".join(map(str, self.combinations.values()))

    def __repr__(self) -> str:
        return f"BaseParameters({len(self)} of {len(self.standard)} standard parameters)"

    def _cell(self) -> Cell:
        table = Table(["base parameter", "combination"], list(self.combinations.items()))
        without = f"without effect: {', '.join(self.without_effect)}" if self.without_effect else ""
        title = f"{len(self)} base parameters of {len(self.standard)} standard ones"
        return Cell(title, [table, without, *self.notices])


def base_parameters(equations: EquationsOfMotion, snap: float = 1e-6) -> BaseParameters:
    """The combinations of standard parameters that the efforts of a mechanism depend on.

    >>> import polhode as ph
    >>> s = ph.System("double pendulum", gravity=(0, "-9.81", 0))
    >>> _ = s.joint("a", s.ground, s.body("upper", 1), ph.Revolute("z"))
    >>> _ = s.joint("b", "upper", s.body("fore", 1), ph.Revolute("z"), at=(s.parameter("l"), 0, 0))
    >>> print(base_parameters(s.derive().record))
    l*m_fore + mcx_upper
    mcy_upper
    Izz_upper + l**2*m_fore
    mcx_fore
    mcy_fore
    Izz_fore
    """
    _check_open(equations)
    snap = number(snap, "a tolerance", place=f"{_PLACE} snap", cure="Give a small number, such as 1e-6.")
    with quiet_collector():
        tree, notices = snapped_tree(equations.tree, snap)
        made = regressor(equations, tree)
        search = _Search(made)
        bodies = list(dict.fromkeys(each.owner for each in made.parameters if each.kind in MOMENTS))
        for relation in relations(tree, bodies):
            search.take(relation)
        _solve_the_rest(search, made)
        kept = tuple(k for k in range(len(made.names)) if k not in search.gone)
        K = search.matrix(kept)
        notices += weak_combinations(equations, made, kept, snap)
        table = equations.system.parameters.items()
        defaults = {name: float(entry.value) for name, entry in table if entry.value is not None}
        return BaseParameters(tuple(made.names), kept, K, defaults, tuple(notices))


def _check_open(equations: EquationsOfMotion) -> None:
    """Refuse loops and multipliers: efforts there are not what inverse dynamics says."""
    constraints = equations.constraints
    if constraints is None:
        return
    if equations.dependent_speeds is None:
        raise fault(
            f"the efforts of '{equations.system.name}' share their work with multipliers.",
            "Derive on independent speeds: derive(independent=[…]).",
            "E-IDENT-001",
        )
    if any(row.value is not None for row in constraints.rows):
        raise fault(
            f"'{equations.system.name}' has closed loops, whose base parameters are not found here.",
            "Open the loops: identify the tree, with efforts on the joints of each branch.",
            "E-IDENT-002",
        )


class _Search:
    """Columns that went, each as a combination of those that stay."""

    def __init__(self, made: Regressor) -> None:
        self.columns = [list(column) for column in made.Y.columns]
        self.index = {(each.owner, each.kind): k for k, each in enumerate(made.parameters)}
        self.order = {k: _GOES_FIRST.index(kind) for (_, kind), k in self.index.items() if kind in _GOES_FIRST}
        self.gone: dict[int, dict[int, Expr]] = {
            k: {} for k, column in enumerate(self.columns) if all(is_zero(entry) for entry in column)
        }

    def take(self, relation: Relation) -> None:
        """Use a relation Σ c Y_k = 0, if it is one between these columns: solve it for one of them."""
        if any(key not in self.index for key in relation):
            return
        whole: dict[int, Expr] = {}
        for key, factor in relation.items():
            k = self.index[key]
            for j, share in self.gone.get(k, {k: as_expr(1)}).items():
                whole[j] = as_expr(whole.get(j, as_expr(0)) + factor * share)
        whole = {k: factor for k, factor in whole.items() if not is_zero(factor)}
        if whole and self._holds(whole):
            self._solve_for(self._pivot(relation, whole), whole)

    def _holds(self, relation: Mapping[int, Expr]) -> bool:
        rows = range(len(self.columns[0]) if self.columns else 0)
        return all(is_zero(sum(factor * self.columns[k][r] for k, factor in relation.items())) for r in rows)

    def _pivot(self, relation: Relation, whole: Mapping[int, Expr]) -> int:
        """A column of the body that the relation is of, with a coefficient that is a number if there is one."""
        own = next(iter(relation))[0]
        mine = [k for (owner, _), k in self.index.items() if owner == own and k in whole]
        return min(mine or whole, key=lambda k: (bool(free_symbols([whole[k]])), self.order.get(k, 0)))

    def _solve_for(self, k: int, relation: Mapping[int, Expr]) -> None:
        lead = relation[k]
        self.leave(k, {j: as_expr(-factor / lead) for j, factor in relation.items() if j != k})

    def leave(self, k: int, shares: Mapping[int, Expr]) -> None:
        """Y_k = Σ share · Y_j: put it into what was found before."""
        for before in self.gone.values():
            if k in before:
                own = before.pop(k)
                for j, share in shares.items():
                    before[j] = as_expr(before.get(j, as_expr(0)) + own * share)
        self.gone[k] = dict(shares)

    def matrix(self, kept: Sequence[int]) -> Matrix:
        """K: unit columns for what stays, shares for what went."""
        width = len(self.columns)
        rows = []
        for b in kept:
            row = [as_expr(int(k == b)) for k in range(width)]
            for k, shares in self.gone.items():
                row[k] = _tidy(shares[b]) if b in shares else as_expr(0)
            rows.append(row)
        return Matrix(rows)


def _tidy(value: Expr) -> Expr:
    """A share as one would write it: a number where it is one, short polynomials in normal form."""
    ratio = None if free_symbols([value]) else rational_value(value)
    if ratio is not None:
        return as_expr(ratio)
    return normal(value) if sum(operation_counts([value]).values()) <= _SHORT else value


def _solve_the_rest(search: _Search, made: Regressor) -> None:
    """Find what relations are lacking by the rank over the field, and solve for their coefficients."""
    left = [k for k in range(len(search.columns)) if k not in search.gone]
    left.sort(key=lambda k: _late(made, k))
    if not left:
        return
    rows: list[list[Expr]] = []
    while len(rows) < len(left):
        rows += _at_random(search, left, len(rows))
    before, found = None, combinations(rows)
    while found and found != before:  # a motion more that tells nothing new says that none will
        rows += _at_random(search, left, len(rows))
        before, found = found, combinations(rows)
    for place, on in found.items():
        chosen = _independent_rows(rows, [*on])
        A, b = [[row[j] for j in on] for row in chosen], [[row[place]] for row in chosen]
        shares = [_constant(entry[0]) for entry in solve_columns(A, b)] if on else []
        search.leave(left[place], {left[j]: share for j, share in zip(on, shares, strict=True)})


def _late(made: Regressor, k: int) -> tuple[bool, int, int]:
    """Bodies from the ground outward, then friction; in each body, inertia before first moments before mass."""
    owners = [each.owner for each in made.parameters]
    kind = made.parameters[k].kind
    is_moment = kind in _GOES_FIRST
    return not is_moment, owners.index(owners[k]), -_GOES_FIRST.index(kind) if is_moment else k


def _at_random(search: _Search, left: Sequence[int], number: int) -> list[list[Expr]]:
    """The columns at another motion: what moves has other names, and so stands at another point of the field."""
    entries = [as_expr(entry) for k in left for entry in search.columns[k]]
    fresh: dict[Expr, Expr] = {}
    for x in free_symbols(entries):
        if x.data[0] == "parameter" or x in fresh:
            continue
        group = x.data[2] if len(x.data) == 3 and isinstance(x.data[2], tuple) else None
        if group is None:
            fresh[x] = symbol(f"{x.name} at {number}", x.data[0])
        else:
            others = unit_symbols(group, x.data[0])
            fresh |= dict(zip(others, unit_symbols([f"{name} at {number}" for name in group], x.data[0]), strict=True))
    flat = substitute(entries, fresh)
    size = len(search.columns[0])
    return [[flat[c * size + r] for c in range(len(left))] for r in range(size)]


def _independent_rows(rows: Sequence[Sequence[Expr]], on: Sequence[int]) -> list[Sequence[Expr]]:
    """As many rows as there are columns `on`, independent there."""
    transposed = [[row[j] for row in rows] for j in on]
    return [rows[k] for k in independent_columns(transposed)[: len(on)]] if on else []


def _constant(value: Expr) -> Expr:
    """What an expression of the motion is at every motion: a ratio, or an expression of parameters."""
    ratio = constant_ratio(value)
    if ratio is not None:
        return as_expr(ratio)
    for attempt in range(1, 8):
        moving = [x for x in free_symbols([value]) if x.data[0] != "parameter"]
        at = {x: pi * (k + attempt) / 12 if x.data[0] == "coordinate" else as_expr(k * attempt + 1)
              for k, x in enumerate(moving)}  # fmt: skip
        try:
            (found,) = substitute([value], at)
        except (PolhodeError, ZeroDivisionError):
            continue
        if same([found], [value]):
            return found
    raise fault(
        "a combination was found, but its coefficients were not found without the motion.",
        "Give lengths and angles as numbers.",
        "E-IDENT-004",
    )
