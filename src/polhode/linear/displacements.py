"""Displacements: the changes of pose that small motions are written on.

    δq = D δs,     δs = D⁻ δq

An ordinary coordinate is its own displacement, whatever axes its speeds run along. A stored orientation (quaternion,
rotation vector …) has small turns about the axes of its body instead, as many as it has freedoms. Where positions are
constrained, φ_q D δs = 0 leaves some of them independent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from ..constraints import dependent_speeds_of
from ..constraints.rows import Constraints
from ..dynamics.equations import EquationsOfMotion
from ..errors import PolhodeError
from ..expr import Expr, Matrix, Vector, as_expr, atan2, directional, sqrt, substitute, symbol
from ..expr.spelling import spelled
from ..expr.typeset import Typeset
from ..kinematics.tree import Link, Tree

#: Added to the square of a sine, so that a rotation vector and its derivative exist where nothing is turned.
_NO_TURN = Fraction(1, 10**30)


@dataclass(frozen=True, eq=False, repr=False)
class Displacements(Typeset):
    """The independent displacements: how all coordinates move along each, and how each follows from the coordinates."""

    names: list[str]
    directions: list[Vector]
    back: Matrix

    def __repr__(self) -> str:
        return f"Displacements({', '.join(self.names)})"

    def _formulas(self) -> list[tuple[str, Matrix]]:
        return [("D", Matrix.columns_of(self.directions, len(self.directions[0])))] if self.directions else []

    def _sentences(self) -> list[str]:
        return [f"Coordinates change along the columns of D, by {', '.join(self.names)}."]


@dataclass(frozen=True, eq=False)
class _One:
    """A displacement: its column of D and row of D⁻ by indices of coordinates, and the speed that it has, if any."""

    name: str
    column: dict[int, Expr]
    row: dict[int, Expr]
    speed: int | None
    is_turn: bool = False


def displacements(equations: EquationsOfMotion) -> Displacements:
    """The independent displacements of equations; where there is a choice, those of the independent speeds."""
    tree, constraints = equations.tree, equations.constraints
    every = [one for i in range(len(tree.links)) for one in _kept_of_link(equations, i)]
    if tree.auxiliary and any(one.speed is None for one in every):
        raise PolhodeError(
            "small motions of a nonholonomic joint beside a constraint with coordinates of its own are not known here.",
            place=f"system '{equations.system.name}'",
            cure="Write the joint as a planar or free one with a knife edge or a condition on its speeds.",
            code="E-LIN-010",
        )
    names = _told_apart(every, [*map(spelled, (*tree.q, *tree.u))])
    D, back = _directions(tree, every), Matrix([_filled(one.row, len(tree.q)) for one in every])
    if constraints is None or not constraints.positions:
        return Displacements(names, D.columns, back)
    own = {tree.speeds.index(name) for name in equations.speeds if name in tree.speeds}
    dependent_speeds = dependent_speeds_of(
        _held(constraints.only(constraints.positions), names, D),
        prefer=[name for name, one in zip(names, every, strict=True) if one.speed in own],
    )
    kept = dependent_speeds.independent
    return Displacements([names[k] for k in kept], (D @ dependent_speeds.E).columns, Matrix([back[k] for k in kept]))


def displaced_from(equations: EquationsOfMotion, at: Mapping[Expr, Expr]) -> dict[str, Expr]:
    """How far a pose is from another one, by the names of displacements, as expressions of the coordinates.

    It is q - q₀ for a coordinate, and for a stored orientation the rotation vector of R₀ᵀR, about axes of the body.

    >>> import polhode as ph
    >>> s = ph.System("slider")
    >>> x = s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"))
    >>> displaced_from(s.derive().record, {x.q[0]: ph.expr.as_expr(2)})
    {'x': x - 2}
    """
    tree = equations.tree
    every = [(one, i) for i in range(len(tree.links)) for one in _kept_of_link(equations, i)]
    names = _told_apart([one for one, _ in every], [*map(spelled, (*tree.q, *tree.u))])
    turned = {i: _rotation_vector(tree.links[i], at) for i in {i for one, i in every if one.is_turn}}
    found: dict[str, Expr] = {}
    for name, (one, i) in zip(names, every, strict=True):
        if one.is_turn:
            found[name] = turned[i]["xyz".index(one.name[-1])]
        else:
            q = tree.q[next(iter(one.column))]
            found[name] = as_expr(q - at[q])
    return found


def _rotation_vector(link: Link, at: Mapping[Expr, Expr]) -> list[Expr]:
    """φ n of R₀ᵀR, with sin φ n from what is not symmetric in it and cos φ from its trace."""
    R = link.motion.R
    flat = substitute([as_expr(entry) for entry in R.entries()], dict(at))
    S = Matrix([flat[0:3], flat[3:6], flat[6:9]]).T @ R
    sine = [(S[2][1] - S[1][2]) / 2, (S[0][2] - S[2][0]) / 2, (S[1][0] - S[0][1]) / 2]
    length = sqrt(sum((x * x for x in sine), start=as_expr(_NO_TURN)))
    angle = atan2(length, (S[0][0] + S[1][1] + S[2][2] - 1) / 2)
    return [as_expr(x * (angle / length)) for x in sine]


def _kept_of_link(equations: EquationsOfMotion, i: int) -> Iterator[_One]:
    """The displacements of a link; where a coordinate of its orientation is omitted, the coordinates that are left."""
    tree, link = equations.tree, equations.tree.links[i]
    left = [k for k in link.coordinates if k in equations.places]
    if len(left) == len(link.coordinates):
        yield from _of_link(tree, i)
    else:
        for q in left:
            yield _One(spelled(tree.q[q]), {q: as_expr(1)}, {q: as_expr(1)}, None)


def _of_link(tree: Tree, i: int) -> Iterator[_One]:
    link, (gamma, inverse) = tree.links[i], tree.stage_kinematics[i]
    turns = _turns(link)
    for k in range(len(gamma[0]) if len(gamma) else 0):
        speed = link.speeds[k] if k < len(link.speeds) else None
        if k in turns:
            column = {q: as_expr(row[k]) for q, row in zip(link.coordinates, gamma, strict=True)}
            row = {q: as_expr(entry) for q, entry in zip(link.coordinates, inverse[k], strict=True)}
            yield _One(f"{link.joint}_r{'xyz'[k - turns.start]}", column, row, speed, is_turn=True)
        else:
            stored = len(link.coordinates) - len(gamma[0]) if turns and k >= turns.stop else 0
            q = link.coordinates[k + stored]
            yield _One(spelled(tree.q[q]), {q: as_expr(1)}, {q: as_expr(1)}, speed)


def _turns(link: Link) -> range:
    """Which columns of a link's Γ are turns of a stored orientation."""
    if not (link.coordinates and link.stage.stores_orientation):
        return range(0)
    return range(3, 6) if link.stage.is_free_translation_first else range(3)


def _told_apart(every: Sequence[_One], taken: Sequence[str]) -> list[str]:
    """Their names; a turn whose name something else has is numbered: j_rx_2."""
    found: list[str] = []
    for one in every:
        name, number = one.name, 1
        while one.is_turn and (name in taken or name in found):
            number += 1
            name = f"{one.name}_{number}"
        found.append(name)
    return found


def _directions(tree: Tree, every: Sequence[_One]) -> Matrix:
    """D: what a displacement changes, auxiliary coordinates among it."""
    size = tree.auxiliary_coordinates.start
    D = Matrix([_filled(one.column, len(tree.q)) for one in every]).T
    if not tree.auxiliary:
        return D
    auxiliary = tree.kinematic_matrix()[tree.auxiliary_coordinates] @ (tree.kinematic_left_inverse() @ D)
    return Matrix([*D[:size], *auxiliary])


def _held(holding: Constraints, names: Sequence[str], D: Matrix) -> Constraints:
    """Constraints on the position as conditions on displacements, φ_q D δs = 0, in place of speeds."""
    tree = holding.tree
    steps = Vector([symbol(name, "displacement") for name in names])
    moving = dict(zip(tree.q, D @ steps, strict=True))
    rates = directional(list(holding.values), moving)
    rows = tuple(replace(row, rate=rate) for row, rate in zip(holding.rows, rates, strict=True))
    return replace(holding, tree=replace(tree, u=steps), rows=rows)


def _filled(entries: Mapping[int, Expr], size: int) -> list[Expr]:
    return [entries.get(k, as_expr(0)) for k in range(size)]
