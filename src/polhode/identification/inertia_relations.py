"""Mass that a joint does not move: it may be counted to the body on either side of the joint.

M. Gautier, "Numerical calculation of the base inertial parameters of robots" (1991), has this for revolute and
prismatic joints; W. Khalil and E. Dombre, *Modeling, Identification and Control of Robots* (2002), chapter 9. For any
joint: the moments of a body are the symmetric 4×4 matrix

    J = ∫ (r, 1)(r, 1)ᵀ dm = [[Σ, h], [hᵀ, m]],    Σ = ½ tr(I) 1 - I

and a twist (ω, v) of the joint moves none of it if [[ω̂, v], [0, 0]] J = 0. Such a J is mass on the axis of a revolute
joint (3 of 10 dimensions), pure inertia for a prismatic one (6), a point mass in the centre of a ball joint (1),
anything for a weld (10). Carried by the child it asks of the efforts what it asks carried by the parent: a relation
between the columns of the regressor.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..dynamics.regressor import MOMENTS
from ..expr import Expr, Matrix, Vector, as_expr, is_zero, skew
from ..geometry import Pose
from ..kinematics.tree import BASE, Tree

#: A relation Σ coefficient · column = 0 by the body and the moment of each column.
Relation = dict[tuple[str, str], Expr]

#: The entries of J that the ten unknowns are.
_ENTRIES = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (2, 3), (3, 3))


def relations(tree: Tree, bodies: Sequence[str]) -> Iterator[Relation]:
    """The relations that joints and welds give, from the ground outward, between bodies with mass.

    >>> import polhode as ph
    >>> s = ph.System("arm")
    >>> _ = s.joint("a", s.ground, s.body("upper", 1), ph.Revolute("z"))
    >>> _ = s.joint("b", "upper", s.body("fore", 1), ph.Revolute("z"), at=(s.parameter("l"), 0, 0))
    >>> found = list(relations(s.derive().tree, ["upper", "fore"]))
    >>> len(found), found[-1]
    (6, {('fore', 'm'): 1, ('upper', 'm'): -1, ('upper', 'mcx'): -l, ('upper', 'Iyy'): -l**2, ('upper', 'Izz'): -l**2})
    """
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
    found = []
    X = Matrix.identity(4)  # from link i to the link that is visited
    while True:
        link = tree.links[i]
        back = _homogeneous(_pose(X).inverse())
        drive = () if link.drive is None else ((link.drive.w, link.drive.v),)
        for w, v in (*link.H, *drive):
            found.append(back @ _twist(w, v) @ X)
        X = _homogeneous(link.fixed) @ X
        i = link.parent
        if i == BASE or carried[i]:
            return found


def _twist(w: Vector, v: Vector) -> Matrix:
    hat = skew(w)
    return Matrix([[*hat[0], v[0]], [*hat[1], v[1]], [*hat[2], v[2]], [0, 0, 0, 0]])


def _homogeneous(X: Pose) -> Matrix:
    return Matrix([[*row, p] for row, p in zip(X.R, X.p, strict=True)] + [[0, 0, 0, 1]])


def _pose(X: Matrix) -> Pose:
    return Pose(Matrix([list(row[:3]) for row in X[:3]]), Vector([row[3] for row in X[:3]]))


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
    """Vectors v with rows · v = 0, as many as there are, by elimination on the graph; zero is told by fingerprint."""
    table = [[as_expr(entry) for entry in row] for row in rows]
    pivots: list[int] = []
    for column in range(width):
        top = len(pivots)
        pivot = next((r for r in range(top, len(table)) if not is_zero(table[r][column])), None)
        if pivot is None:
            continue
        table[top], table[pivot] = table[pivot], table[top]
        lead = table[top][column]
        table[top] = [as_expr(entry / lead) for entry in table[top]]
        for r, row in enumerate(table):
            if r != top and not is_zero(row[column]):
                factor = row[column]
                table[r] = [as_expr(a - factor * b) for a, b in zip(row, table[top], strict=True)]
        pivots.append(column)
    found = []
    for free in (k for k in range(width) if k not in pivots):
        vector = [as_expr(int(k == free)) for k in range(width)]
        for row, pivot in zip(table, pivots, strict=False):
            vector[pivot] = as_expr(-row[free])
        found.append(vector)
    return found


def _on_first(tree: Tree, carried: dict[int, list[str]], link: int, X: Pose, J: Matrix) -> Relation:
    """The columns of the first body on a link that a J of another link, at the pose X there, is counted to."""
    name = carried[link][0]
    return _columns(name, tree.bodies[name][1].inverse() @ X, J)


def _columns(body: str, X: Pose, J: Matrix) -> Relation:
    """The moments, in a body's own axes, of a J that is given in a frame at the pose X in it."""
    T = _homogeneous(X)
    moved = (T @ J @ T.T).map(as_expr)
    xx, yy, zz = (moved[k, k] for k in range(3))
    values = (moved[3, 3], *(moved[k, 3] for k in range(3)), yy + zz, xx + zz, xx + yy)
    values += (-moved[0, 1], -moved[0, 2], -moved[1, 2])
    return {(body, kind): as_expr(value) for kind, value in zip(MOMENTS, values, strict=True) if not is_zero(value)}


def _difference(here: Relation, there: Relation) -> Relation:
    return here | {key: as_expr(-value) for key, value in there.items()}
