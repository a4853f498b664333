"""Displacements: the changes of pose that small motions are written on.

    δq = D δs,     δs = D⁻ δq

An ordinary coordinate is its own displacement, whatever axes its speeds run along. A stored orientation (quaternion,
rotation vector …) has small turns about the axes of its body instead, as many as it has freedoms. Where positions are
constrained, φ_q D δs = 0 leaves some of them independent. Outputs y = h(q, u, z, c) change by δy = C x + D δc.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from ..constraints import dependent_speeds_of
from ..constraints.rows import Constraints
from ..dynamics.equations import EquationsOfMotion
from ..errors import PolhodeError, unknown
from ..expr import (
    Expr,
    Matrix,
    Vector,
    as_expr,
    atan2,
    directional,
    directionals,
    free_symbols,
    jacobian,
    sqrt,
    substitute,
    symbol,
)
from ..expr.spelling import spelled
from ..expr.typeset import Typeset
from ..kinematics.tree import Link, Tree
from ..model.reading import list_of

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
            "linearisation of a nonholonomic joint beside a constraint with coordinates of its own is not supported.",
            place=f"system '{equations.system.name}'",
            cure="Write the joint as a planar or free one with a knife edge or a condition on its speeds.",
            code="E-LINEAR-UNSUPPORTED",
        )
    names = _unique_names(every, [*map(spelled, (*tree.q, *tree.u))])
    D, back = _directions(tree, every), Matrix([_filled(one.row, len(tree.q)) for one in every])
    if constraints is None or not constraints.positions:
        return Displacements(names, D.columns, back)
    speeds = {tree.speeds.index(name) for name in equations.speeds if name in tree.speeds}
    dependent_speeds = dependent_speeds_of(
        _held(constraints.only(constraints.positions), names, D),
        prefer=[name for name, one in zip(names, every, strict=True) if one.speed in speeds],
    )
    kept = dependent_speeds.independent
    return Displacements([names[k] for k in kept], (D @ dependent_speeds.E).columns, Matrix([back[k] for k in kept]))


def displaced_from(equations: EquationsOfMotion, at: Mapping[Expr, Expr]) -> dict[str, Expr]:
    """Displacements of a pose from another one, by name, as expressions of the coordinates.

    It is q - q₀ for a coordinate, and for a stored orientation the rotation vector of R₀ᵀR, about axes of the body.
    """
    tree = equations.tree
    every = [(one, i) for i in range(len(tree.links)) for one in _kept_of_link(equations, i)]
    names = _unique_names([one for one, _ in every], [*map(spelled, (*tree.q, *tree.u))])
    turned = {i: _rotation_vector(tree.links[i], at) for one, i in every if one.is_turn}
    displaced: dict[str, Expr] = {}
    for name, (one, i) in zip(names, every, strict=True):
        if one.is_turn:
            displaced[name] = turned[i]["xyz".index(one.name[-1])]
        else:
            q = tree.q[next(iter(one.column))]
            displaced[name] = as_expr(q - at[q])
    return displaced


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
    """Columns of a link's Γ that are turns of a stored orientation."""
    if not (link.coordinates and link.stage.stores_orientation):
        return range(0)
    return range(3, 6) if link.stage.is_free_translation_first else range(3)


def _unique_names(every: Sequence[_One], taken: Sequence[str]) -> list[str]:
    """Their names; a turn whose name something else has is numbered: j_rx_2."""
    names: list[str] = []
    for one in every:
        name, number = one.name, 1
        while one.is_turn and (name in taken or name in names):
            number += 1
            name = f"{one.name}_{number}"
        names.append(name)
    return names


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


def read_outputs(equations: EquationsOfMotion, moved: Displacements, outputs: Any, place: str) -> dict[str, Expr]:
    """Outputs by name: expressions by their names, names of states, or expressions."""
    if isinstance(outputs, Mapping):
        return {str(name): as_expr(entry) for name, entry in outputs.items()}
    named = [outputs] if isinstance(outputs, str | Expr) else outputs
    coordinates = {spelled(q): q for q in equations.q}
    table = {name: coordinates.get(name, _turn(name)) for name in moved.names}  # a small turn is a symbol of its own
    table |= {spelled(u): u for u in equations.u} | dict(zip(equations.states, equations.z, strict=True))
    observed: dict[str, Expr] = {}
    for name in list_of(named, "a list of states or expressions", f"{place} outputs"):
        if isinstance(name, str) and name not in table:
            raise unknown("state", name, table, place=f"{place} outputs", code="E-LINEAR-NAME")
        entry = table[name] if isinstance(name, str) else as_expr(name)
        observed[name if isinstance(name, str) else str(name)] = as_expr(entry)
    return observed


def _turn(name: str) -> Expr:
    return symbol(name, "displacement")


def output_rates(
    equations: EquationsOfMotion,
    moved: Displacements,
    observed: Mapping[str, Expr],
    controls: Sequence[Expr],
    symbols: Iterable[Expr],
    place: str,
) -> tuple[Matrix, Matrix]:
    """C and D of outputs that depend on nothing but `symbols` and parameters, as graphs of the state."""
    entries = substitute([*observed.values()], equations.tree.followed)
    if equations.dependent_speeds is not None:
        entries = equations.dependent_speeds.in_independent_speeds(entries)
    allowed = {*symbols, *map(_turn, moved.names), *(x.symbol for x in equations.system.parameters.values())}
    for name, entry in zip(observed, entries, strict=True):
        for x in free_symbols([entry]):
            if x not in allowed:
                message = f"the output '{name}' depends on {x}, which is no part of the state."
                cure = "Give expressions of coordinates, speeds, states, efforts, inputs and parameters."
                raise PolhodeError(message, f"{place} outputs", cure, "E-LINEAR-DEPENDENCE")
    steps = [
        {**dict(zip(equations.tree.q, direction, strict=True)), _turn(name): as_expr(1)}
        for name, direction in zip(moved.names, moved.directions, strict=True)
    ]
    columns = directionals(entries, steps)
    columns += [list(column) for column in jacobian(entries, [*equations.u, *equations.z, *controls]).columns]
    size, height = len(columns) - len(controls), len(entries)
    return Matrix.columns_of(columns[:size], height), Matrix.columns_of(columns[size:], height)
