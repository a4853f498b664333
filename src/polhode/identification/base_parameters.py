"""Base parameters: the combinations of standard parameters that efforts can tell, exactly.

    τ = Y π + known = Y_B β + known,    β = K π

Columns of Y that are combinations of others for every motion (over the field of the lengths and angles of the
mechanism) are taken out, and their parameters counted to the others. Relations come from mass that joints do not move
(`relations`) and from columns that vanish; each is proved by fingerprint. That none is lacking is a rank over
the field: columns at random motions. What is left over then, such as a slider along the axis of a hinge, is solved for.

Rotations that differ from multiples of π/2, and offsets that differ from zero, by less than `snap` are taken as exact
first: an axis that is not quite vertical would otherwise let gravity tell what no measurement can.
A robot file writes π/2 as 1.5708, and an axis that should be vertical leans by 4·10⁻⁶. Taken exactly, gravity then
tells the mass centre of a link that turns about it; no measurement will.

Mass that a joint does not move may be counted to the body on either side of it.
M. Gautier, "Numerical calculation of the base inertial parameters of robots" (1991), has this for revolute and
prismatic joints; W. Khalil and E. Dombre, *Modeling, Identification and Control of Robots* (2002), chapter 9. For any
joint: the moments of a body are the symmetric 4×4 matrix

    J = ∫ (r, 1)(r, 1)ᵀ dm = [[Σ, h], [hᵀ, m]],    Σ = ½ tr(I) 1 - I

and a twist (ω, v) of the joint moves none of it if [[ω̂, v], [0, 0]] J = 0. Such a J is mass on the axis of a revolute
joint (3 of 10 dimensions), pure inertia for a prismatic one (6), a point mass in the centre of a ball joint (1),
anything for a weld (10). Carried by the child it takes the efforts that it takes when carried by the parent: a relation
between the columns of the regressor.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
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
    constant_value,
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
from ..expr.evaluation import Evaluator
from ..formalisms.uicker_kahn import operator
from ..geometry import Pose
from ..geometry.elimination import kernel, solve_columns
from ..kinematics.tree import BASE, Tree
from ..notebook import Cell, Shown, Table

_PLACE = "base_parameters"
fault = fault_at(_PLACE)
#: Which moment of a body goes to others, if it can: Khalil's choice for joints about z.
_GOES_FIRST = ("m", "mcz", "mcy", "mcx", "Iyy", "Ixx", "Izz", "Ixy", "Ixz", "Iyz")
#: Shares with up to so many operations are brought to normal form.
_SHORT = 60


@dataclass(frozen=True, eq=False, repr=False)
class BaseParameters(Shown):
    """The identifiable combinations β = K π: `names` of their leading parameters, `combinations` by these names.

    `without_effect` names the standard parameters without effect on efforts; `notices` say what was snapped, and which
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
        values = {**self.defaults, **(parameters or {})}
        entries = [as_expr(entry) for entry in self.K.entries()]
        met = free_symbols(entries)
        lacking = [str(x.name) for x in met if x.name not in values]
        if lacking:
            text = f"base parameters depend on {', '.join(lacking)}, which {'have' if lacking[1:] else 'has'} no value."
            cure = f"Give parameters={{{lacking[0]!r}: …}}."
            raise ValueMissing(text, place=_PLACE, cure=cure, code="E-IDENTIFICATION-MISSING")
        numbers = evaluate(entries, {x: float(values[str(x.name)]) for x in met})
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
    """The combinations of standard parameters that the efforts of a mechanism depend on."""
    _check_open(equations)
    snap = number(snap, "a tolerance", place=f"{_PLACE} snap", cure="Give a small number, such as 1e-6.")
    with quiet_collector():
        tree, notices = snapped_tree(equations.tree, snap)
        result = regressor(equations, tree)
        search = _Search(result)
        bodies = list(dict.fromkeys(parameter.owner for parameter in result.parameters if parameter.kind in MOMENTS))
        for relation in relations(tree, bodies):
            search.take(relation)
        _solve_the_rest(search, result)
        kept = tuple(k for k in range(len(result.names)) if k not in search.gone)
        K = search.matrix(kept)
        notices += weak_combinations(equations, result, kept, snap)
        table = equations.system.parameters.items()
        defaults = {name: float(entry.value) for name, entry in table if entry.value is not None}
        return BaseParameters(tuple(result.names), kept, K, defaults, tuple(notices))


def _check_open(equations: EquationsOfMotion) -> None:
    """Refuse loops and multipliers, whose efforts do not follow from inverse dynamics."""
    constraints = equations.constraints
    if constraints is None:
        return
    if equations.dependent_speeds is None:
        message = f"the efforts of '{equations.system.name}' share their work with multipliers."
        raise fault(message, "Derive on independent speeds: derive(independent=[…]).", "E-IDENTIFICATION-UNSUPPORTED")
    if any(row.value is not None for row in constraints.rows):
        message = f"'{equations.system.name}' has closed loops, whose base parameters are not found here."
        cure = "Open the loops: identify the tree, with efforts on the joints of each branch."
        raise fault(message, cure, "E-IDENTIFICATION-UNSUPPORTED")


class _Search:
    """Columns that went, each as a combination of those that stay."""

    def __init__(self, regression: Regressor) -> None:
        self.columns = [list(column) for column in regression.Y.columns]
        self.index = {(parameter.owner, parameter.kind): k for k, parameter in enumerate(regression.parameters)}
        self.order = {k: _GOES_FIRST.index(kind) for (_, kind), k in self.index.items() if kind in _GOES_FIRST}
        self.gone: dict[int, dict[int, Expr]] = {
            k: {} for k, column in enumerate(self.columns) if all(is_zero(entry) for entry in column)
        }

    def take(self, relation: Relation) -> None:
        """Use a relation Σ c Y_k = 0, if it is one between these columns: solve it for one of them."""
        if any(key not in self.index for key in relation):
            return
        combined: dict[int, Expr] = {}
        for key, factor in relation.items():
            k = self.index[key]
            for j, share in self.gone.get(k, {k: as_expr(1)}).items():
                combined[j] = as_expr(combined.get(j, as_expr(0)) + factor * share)
        combined = {k: factor for k, factor in combined.items() if not is_zero(factor)}
        if combined and self._holds(combined):
            self._solve_for(self._pivot(relation, combined), combined)

    def _holds(self, relation: Mapping[int, Expr]) -> bool:
        rows = range(len(self.columns[0]) if self.columns else 0)
        return all(is_zero(sum(factor * self.columns[k][r] for k, factor in relation.items())) for r in rows)

    def _pivot(self, relation: Relation, combined: Mapping[int, Expr]) -> int:
        """A column of the body that the relation is of, with a coefficient that is a number if there is one."""
        body = next(iter(relation))[0]
        of_owner = [k for (owner, _), k in self.index.items() if owner == body and k in combined]
        return min(of_owner or combined, key=lambda k: (bool(free_symbols([combined[k]])), self.order.get(k, 0)))

    def _solve_for(self, k: int, relation: Mapping[int, Expr]) -> None:
        lead = relation[k]
        self.leave(k, {j: as_expr(-factor / lead) for j, factor in relation.items() if j != k})

    def leave(self, k: int, shares: Mapping[int, Expr]) -> None:
        """Insert Y_k = Σ share · Y_j into the combinations so far."""
        for before in self.gone.values():
            if k in before:
                factor = before.pop(k)
                for j, share in shares.items():
                    before[j] = as_expr(before.get(j, as_expr(0)) + factor * share)
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


def _solve_the_rest(search: _Search, regression: Regressor) -> None:
    """Find what relations are lacking by the rank over the field, and solve for their coefficients."""
    left = [k for k in range(len(search.columns)) if k not in search.gone]
    left.sort(key=lambda k: _late(regression, k))
    if not left:
        return
    rows: list[list[Expr]] = []
    while len(rows) < len(left):
        rows += _at_random(search, left, len(rows))
    before, combined = None, combinations(rows)
    while combined and combined != before:  # one more motion without a new row means that none will add one
        rows += _at_random(search, left, len(rows))
        before, combined = combined, combinations(rows)
    for column, on in combined.items():
        chosen = _independent_rows(rows, [*on])
        A, b = [[row[j] for j in on] for row in chosen], [[row[column]] for row in chosen]
        shares = [_constant(entry[0]) for entry in solve_columns(A, b)] if on else []
        search.leave(left[column], {left[j]: share for j, share in zip(on, shares, strict=True)})


def _late(regression: Regressor, k: int) -> tuple[bool, int, int]:
    """Bodies from the ground outward, then friction; in each body, inertia before first moments before mass."""
    owners = [parameter.owner for parameter in regression.parameters]
    kind = regression.parameters[k].kind
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
    """As many independent rows as there are columns `on`."""
    transposed = [[row[j] for row in rows] for j in on]
    return [rows[k] for k in independent_columns(transposed)[: len(on)]] if on else []


def _constant(value: Expr) -> Expr:
    """The constant value of an expression over all motions: a ratio, or an expression of parameters."""
    ratio = constant_ratio(value)
    if ratio is not None:
        return as_expr(ratio)
    for attempt in range(1, 8):
        moving = [x for x in free_symbols([value]) if x.data[0] != "parameter"]
        at = {x: pi * (k + attempt) / 12 if x.data[0] == "coordinate" else as_expr(k * attempt + 1)
              for k, x in enumerate(moving)}  # fmt: skip
        try:
            (constant,) = substitute([value], at)
        except (PolhodeError, ZeroDivisionError):
            continue
        if same([constant], [value]):
            return constant
    message = "a combination was found, but its coefficients were not found without the motion."
    raise fault(message, "Give lengths and angles as numbers.", "E-IDENTIFICATION-FAILED")


#: Singular values below so many times `snap`, beside the largest, are reported.
_WEAK = 100.0


def snapped_tree(tree: Tree, snap: float) -> tuple[Tree, list[str]]:
    """The tree with almost plain rotations and offsets replaced by plain ones, and messages of what changed."""
    links, message = [], []
    for link in tree.links:
        fixed = _plain(link.fixed, snap)
        if fixed is not link.fixed:
            message.append(f"Joint '{link.joint}' sits within {snap:g} of plain axes and was put on them.")
        links.append(link if fixed is link.fixed else replace(link, fixed=fixed))
    return (replace(tree, links=tuple(links)), message) if message else (tree, [])


def _plain(X: Pose, snap: float) -> Pose:
    entries = [as_expr(entry) for entry in (*X.R.entries(), *X.p)]
    numbers = [None if free_symbols([entry]) else float(constant_value(entry)) for entry in entries]
    R, p = X.R, X.p
    if all(x is not None and abs(x - round(x)) <= snap for x in numbers[:9]):
        R = Matrix([[as_expr(round(numbers[3 * i + j] or 0)) for j in range(3)] for i in range(3)])
    p = Vector(
        [as_expr(0) if x is not None and abs(x) <= snap else entry for x, entry in zip(numbers[9:], p, strict=True)]
    )
    return X if same(R.entries(), X.R.entries()) and same(p, X.p) else Pose(R, p)


def weak_combinations(equations: EquationsOfMotion, standard: Regressor, kept: Sequence[int], snap: float) -> list[str]:
    """Tell of combinations that show only by angles and lengths that are almost nothing."""
    table = equations.system.parameters
    entries = [as_expr(standard.Y[r, k]) for r in range(len(equations.u)) for k in kept]
    rng = np.random.default_rng(3)
    symbols = [*free_symbols(entries)]
    numbers = {x: table[str(x.name)].value for x in symbols if x.data[0] == "parameter" and str(x.name) in table}
    if not kept or any(value is None for value in numbers.values()):
        return []
    rows, values_of = [], Evaluator(entries)
    for _ in range(2 + 3 * len(kept) // max(1, len(equations.u))):
        values = dict(zip(symbols, rng.uniform(-2, 2, len(symbols)).tolist(), strict=True))
        values |= {x: float(value) for x, value in numbers.items() if value is not None}
        _make_unit(equations.tree, values)
        row = np.array(values_of(values)).reshape(-1, len(kept))
        if np.isfinite(row).all():
            rows.append(row)
    if not rows:
        return []
    _, sizes, right = np.linalg.svd(np.vstack(rows), full_matrices=False)
    weak = sizes < _WEAK * snap * sizes[0]
    if not weak.any():
        return []
    most = np.argsort(-(right[weak] ** 2).sum(axis=0))[: int(weak.sum())]
    names = [standard.names[kept[k]] for k in sorted(most)]
    several = len(names) > 1
    return [
        f"{', '.join(names)} {'show' if several else 'shows'} only by angles or lengths that are almost nothing: "
        "with axes that are exactly parallel or right-angled the number of base parameters would be "
        f"{len(kept) - len(names)}; read the file with a larger snap=, or give a larger one here."
    ]


def _make_unit(tree: Tree, values: dict[Expr, float]) -> None:
    for i in tree.quaternions:
        quaternion = [q for q in tree.q[i : i + 4] if q in values]
        size = float(np.sqrt(sum(values[q] ** 2 for q in quaternion)))
        values.update({q: values[q] / size for q in quaternion})


#: A relation Σ coefficient · column = 0 by the body and the moment of each column.
Relation = dict[tuple[str, str], Expr]

#: The entries of J that the ten unknowns are.
_ENTRIES = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (2, 3), (3, 3))


def relations(tree: Tree, bodies: Sequence[str]) -> Iterator[Relation]:
    """The relations that joints and welds give, from the ground outward, between bodies with mass."""
    carried: dict[int, list[str]] = {i: [] for i in range(-1, len(tree.links))}
    for name in bodies:
        carried[tree.bodies[name][0]].append(name)
    for i in range(len(tree.links)):
        if not carried[i]:
            continue
        first, *others = carried[i]
        for J in _unmoved(_conditions(tree, carried, i)):
            parent, X = _inward(tree, carried, i)
            here = _columns(first, tree.bodies[first][1].inverse(), J)
            there = {} if parent == BASE else _on_first(tree, carried, parent, X, J)
            yield _difference(here, there)
        for name in others:
            X = tree.bodies[first][1].inverse() @ tree.bodies[name][1]
            for k, kind in enumerate(MOMENTS):
                yield _difference({(name, kind): as_expr(1)}, _columns(first, X, _of_moment(k)))


def _inward(tree: Tree, carried: dict[int, list[str]], i: int) -> tuple[int, Pose]:
    """The next link with mass on the way to the ground (or that), and the pose of link i in it where no joint moved."""
    X = tree.links[i].fixed
    i = tree.links[i].parent
    while i != BASE and not carried[i]:
        X = tree.links[i].fixed @ X
        i = tree.links[i].parent
    return i, X


def _conditions(tree: Tree, carried: dict[int, list[str]], i: int) -> list[Matrix]:
    """The twists of all joints between link i and the next one with mass, as 4×4 matrices in the axes of link i."""
    rows = []
    X = Pose.identity()  # of link i in the link that is visited
    while True:
        link = tree.links[i]
        back = X.inverse().matrix()
        drive = () if link.drive is None else ((link.drive.w, link.drive.v),)
        for w, v in (*link.H, *drive):
            rows.append(back @ operator(w, v) @ X.matrix())
        X = link.fixed @ X
        i = link.parent
        if i == BASE or carried[i]:
            return rows


def _unmoved(twists: Sequence[Matrix]) -> list[Matrix]:
    """A basis of the J that no twist moves."""
    rows = []
    for twist in twists:
        images = [twist @ _unit(k) for k in range(10)]
        rows += [[image[r, c] for image in images] for r in range(3) for c in range(4)]
    return [sum((_unit(k).map(_times(c)) for k, c in enumerate(v) if not is_zero(c)), Matrix.zeros(4, 4))
            for v in null_space(rows, 10)]  # fmt: skip


def _times(factor: Any) -> Any:
    return lambda entry: as_expr(entry * factor)


def _unit(k: int) -> Matrix:
    i, j = _ENTRIES[k]
    return Matrix([[int((r, c) in ((i, j), (j, i))) for c in range(4)] for r in range(4)])


def _of_moment(k: int) -> Matrix:
    """J of a unit of one of the moments: of an inertia, Σ = ½ tr(I) 1 - I."""
    if k < 4:
        return _unit(9 if k == 0 else 5 + k)
    if k > 6:
        return _unit(k - 4).map(_times(-1))
    half = as_expr(1) / 2
    return Matrix.diagonal([half - int(k - 4 == i) for i in range(3)] + [0]).map(as_expr)


def null_space(rows: Sequence[Sequence[Any]], width: int) -> list[list[Expr]]:
    """Vectors v with rows · v = 0, all of them, in which the last entries are free."""
    basis = kernel([row[::-1] for row in rows] or [[0] * width])
    return [[as_expr(entry) for entry in column[::-1]] for column in reversed(basis.columns)]


def _on_first(tree: Tree, carried: dict[int, list[str]], link: int, X: Pose, J: Matrix) -> Relation:
    """The columns of the first body on a link that a J of another link, at the pose X there, is counted to."""
    name = carried[link][0]
    return _columns(name, tree.bodies[name][1].inverse() @ X, J)


def _columns(body: str, X: Pose, J: Matrix) -> Relation:
    """The moments, in a body's own axes, of a J that is given in a frame at the pose X in it."""
    T = X.matrix()
    moved = (T @ J @ T.T).map(as_expr)
    xx, yy, zz = (moved[k, k] for k in range(3))
    values = (moved[3, 3], *(moved[k, 3] for k in range(3)), yy + zz, xx + zz, xx + yy)
    values += (-moved[0, 1], -moved[0, 2], -moved[1, 2])
    return {(body, kind): as_expr(value) for kind, value in zip(MOMENTS, values, strict=True) if not is_zero(value)}


def _difference(here: Relation, there: Relation) -> Relation:
    return here | {key: as_expr(-value) for key, value in there.items()}
