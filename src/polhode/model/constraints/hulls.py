"""Convex hulls and boxes that touch: vertices on faces of each other, edges on edges, and round bodies on hulls.

Every class of vertices, or of pairs of edges (`Polytope`), is one candidate: of each class one touches at a time, so
that its closed form jumps only where none does. With n·x = d the planes of the faces of a hull:

    vertex on plane    the lowest of each class
    point              g = max(n·p - d), n of the greatest
    ball, ellipsoid    the nearest point of the faces and edges, of an ellipsoid in the metric in which it is a ball
    capsule            its ends as balls; its axis as an edge; vertices on it, of each class the nearest
    vertex on face     the face is that between which and all of the other hull the distance is greatest
    edge on edge       u × e/|u × e|, u and e of the pair the lines of which are farthest apart, of those pairs of the
                       class that are facets of the Minkowski difference: where the arcs of normals between the faces
                       at u and, reversed, at e cross (D. Gregorius, "The Separating Axis Test between Convex
                       Polyhedra", 2013)

The greatest of all these distances is positive where two hulls are apart, and else the depth of the overlap.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from itertools import product
from math import prod
from typing import Any, TypeAlias

import numpy as np

from ...errors import ModelError
from ...expr import Expr, Matrix, Vector, absolute, as_expr, is_zero, maximum, minimum, sqrt, where
from ...geometry import Pose
from ...geometry.polytope import Points, Polytope, convex_hull, cube
from ..body import Shape
from ..surface import Surface
from .pairs import _EDGE, _PARALLEL, _X, _Y, _Z, Touch, _length, _on_capsule, _round

Row: TypeAlias = Sequence[Expr]
Resting: TypeAlias = tuple[str, Expr, Vector, Vector, Vector, Expr]
#: The sine of an angle by which arcs may miss each other: faces that lie on each other are so far from parallel.
_MISSED = Fraction(1, 10**9)
#: How deep, in m, bodies overlap that do so wherever a gap is negative.
_OVERLAP = Fraction(1, 10**9)
#: Parts of the size: bodies that are apart by more do not touch; and so far below another an edge touches it.
_APART, _BELOW = Fraction(1, 10**6), Fraction(1, 10**5)


#: So many vertices a hull may have that touches; and if each of them is a candidate, or so many pairs of edges.
_MOST, _MOST_CANDIDATES, _MOST_PAIRS = 256, 32, 1200


def check(a: Surface, b: Surface, place: str) -> None:
    """Refuse hulls that have too many vertices, or two that have too many pairs of edges."""
    found = [convex_hull(corners(each.shape.size)) for each in (a, b) if each.kind == "hull"]
    edges = [len(each.edges) for each in found] + [12] * ("box" in (a.kind, b.kind))
    if len(edges) > 1 and prod(edges) > _MOST_PAIRS:
        message = f"there are {prod(edges):,} pairs of edges, more than {_MOST_PAIRS:,}."
        raise ModelError(message, place, "Simplify the hulls: ph.Shape.hull(points, most=12).", "E-MODEL-SIZE")
    most = _MOST_CANDIDATES if {a.kind, b.kind} & {"hollow", "curve", "heights"} else _MOST
    if len(found[0].points) > most:
        message = f"the hull has {len(found[0].points)} vertices, more than {most}."
        raise ModelError(message, place, f"Simplify it: ph.Shape.hull(points, most={most}).", "E-MODEL-SIZE")


@dataclass(frozen=True, eq=False)
class Solid:
    """A polytope in expressions: vertices, faces by normal, a tangent and distance, edges by direction and middle."""

    shape: Polytope
    points: list[Vector]
    faces: list[tuple[Vector, Vector, Expr]]
    edges: list[tuple[Vector, Vector, Expr]]  # and half of the length
    size: Expr


def solid(kind: str, size: Row) -> Solid:
    """A hull, or a box, by its sizes."""
    if kind == "box":
        shape = cube()
        points = [Vector([as_expr(x) * edge for x, edge in zip(p, size, strict=True)]) for p in shape.points.tolist()]
    else:
        shape = convex_hull(corners(size))
        points = [Vector(list(map(as_expr, p))) for p in shape.points.tolist()]
    faces, edges = [], []
    for loop, normal in zip(shape.loops, shape.normals, strict=True):
        n = Vector(list(map(as_expr, normal.tolist())))
        arm = shape.points[loop[1]] - shape.points[loop[0]]
        offset = float((shape.points[list(loop)] @ normal).max()) if kind == "hull" else n.dot(points[loop[0]])
        faces.append((n, _unit(arm), as_expr(offset)))
    for start, end, *_ in shape.edges:
        u = _unit(shape.points[end] - shape.points[start])
        p, q = points[start], points[end]
        edges.append((u, (p + q) / 2, as_expr(u.dot(q - p) / 2)))
    whole = reduce(maximum, size) if kind == "box" else as_expr(shape.size)
    return Solid(shape, points, faces, edges, as_expr(whole))


def corners(size: Row) -> Points:
    """The points of a hull, from its sizes: three coordinates each."""
    numbers = [float(x) for x in size]
    return tuple(zip(numbers[::3], numbers[1::3], numbers[2::3], strict=True))


def _unit(arm: Any) -> Vector:
    return Vector([as_expr(float(x)) for x in arm / np.linalg.norm(arm)])


def _chosen(values: Row, features: Sequence[Row]) -> tuple[Expr, list[Expr]]:
    """The greatest value, and what belongs to it."""
    row = [as_expr(x) for x in (values[0], *features[0])]
    for value, feature in zip(values[1:], features[1:], strict=True):
        row = [where(value - row[0], new, old) for new, old in zip((value, *feature), row, strict=True)]
    return row[0], row[1:]


def _others(number: Expr, values: Row, instead: Expr) -> list[Expr]:
    """The values, but `instead` of the one with a number, from 0."""
    return [where(absolute(number - k) - Fraction(1, 2), as_expr(x), instead) for k, x in enumerate(values)]


def _least(values: Row) -> Expr:
    return as_expr(reduce(minimum, values))


def _greatest(values: Row) -> Expr:
    return as_expr(reduce(maximum, values))


def _deep(whole: Expr, size: Expr) -> Expr:
    """The margin of all candidates of bodies at a distance: how deep they overlap, or negative."""
    return as_expr(where(-whole - _OVERLAP, -whole, -whole - _APART * size))


# ---- on planes, and what is on hulls -----------------------------------------------------------------------------


def lowest(size: Row, X: Pose) -> list[Touch]:
    """A hull on a plane, in whose frame it has the pose X: the lowest vertex of each class."""
    own, made = solid("hull", size), []
    down = -(X.R.T @ Vector([0, 0, 1]))
    for number, group in enumerate(own.shape.vertex_classes, start=1):
        _, found = _chosen([down.dot(own.points[k]) for k in group], [own.points[k] for k in group])
        arm = X.R @ Vector(found)
        made.append(Touch(as_expr(X.p[2] + arm[2]), _Z, (_X, _Y), arm=arm, part=f"vertex {number}"))
    return made


def on_capsule(size: Row, surface: Row, X: Pose) -> list[Touch]:
    """A hull, at the pose X in the frame of a capsule, on that capsule: of each class of vertices the nearest."""
    own, made = solid("hull", size), []
    half = as_expr(surface[1] / 2)
    for number, group in enumerate(own.shape.vertex_classes, start=1):
        places = [X.point(own.points[k]) for k in group]
        apart = [p - _Z * minimum(maximum(p[2], -half), half) for p in places]
        _, found = _chosen([-as_expr(each.dot(each)) for each in apart], [own.points[k] for k in group])
        arm = X.R @ Vector(found)
        touch = _on_capsule(surface, X.p + arm, as_expr(0))
        made.append(replace(touch, arm=arm, part=f"vertex {number}"))
    return made


def on_hull(size: Row, p: Vector, r: Expr, C: Matrix | None = None, inverse: Matrix | None = None) -> Touch:
    """A point, a ball about it, or an ellipsoid whose support along n is the root of n·C n, on a hull.

    What is nearest to an ellipsoid is so in the metric in which it is a ball, x·C⁻¹x.
    """
    own, one, is_ball = solid("hull", size), Matrix.identity(3).map(as_expr), C is None
    C, inverse = C or one, inverse or one
    beyond = [as_expr(n.dot(p) - d) for n, _, d in own.faces]
    widths = [as_expr(1) if is_ball else as_expr(sqrt(as_expr(n.dot(C @ n)))) for n, *_ in own.faces]
    _, found = _chosen(
        [each / width for each, width in zip(beyond, widths, strict=True)],
        [(*n, *t, each, as_expr(k)) for k, ((n, t, _), each) in enumerate(zip(own.faces, beyond, strict=True))],
    )
    n, t, gap, number = Vector(found[:3]), Vector(found[3:6]), found[6], found[7]
    if is_ball and is_zero(r):
        second = _greatest(_others(number, beyond, -own.size))
        return Touch(gap, n, (t, n.cross(t)), as_expr(-second - gap))  # which falls through zero at an edge
    foot = p - C @ n * (gap if is_ball else gap / n.dot(C @ n))
    aside = _others(number, [m.dot(foot) - d for m, _, d in own.faces], -own.size)
    arms = []
    for u, middle, half in own.edges:
        across = inverse @ u
        along = as_expr(across.dot(p - middle) / (1 if is_ball else across.dot(u)))
        arms.append(p - middle - u * minimum(maximum(along, -half), half))
    _, nearest = _chosen([-as_expr(arm.dot(inverse @ arm)) for arm in arms], arms)
    outward, is_aside = inverse @ Vector(nearest), _greatest(aside)
    length = _length(outward)
    normal = Vector([where(is_aside, x / length, y) for x, y in zip(outward, n, strict=True)])
    distance = where(is_aside, outward.dot(Vector(nearest)) / length, gap)
    return _round(distance - (r if is_ball else sqrt(as_expr(normal.dot(C @ normal)))), normal)


def axis_on_hull(a: Shape, b: Shape, X: Pose) -> list[Touch]:
    """A capsule or cylinder whose axis crosses an edge of each class of a hull or box."""
    radius, length = (as_expr(each) for each in a.size)
    axis, half = Vector([0, 0, 1]).map(as_expr), as_expr(length / 2)
    line = Polytope(np.zeros((2, 3)), (), np.zeros((0, 3)), ((0, 1, -1, -1),))
    own = Solid(line, [axis * -half, axis * half], [], [(axis, axis * 0, half)], length)
    other = solid(b.kind, b.size)
    size, apart = as_expr(maximum(own.size, other.size)), _separations(own, other, X)
    pairs = list(_edge_pairs(own, other, X, size))
    deep = _deep(_greatest([*apart, *(each[1] for each in pairs)]), size)
    made = []
    for part, most, edges, edge in pairs:
        touch = _crossing(edges, edge, X, size)
        gap = where(most + 500 * size, touch.gap - radius, size)
        margin = maximum(minimum(touch.margin, most), deep)
        if a.kind == "cylinder":  # not beneath an end
            margin = minimum(margin, half - absolute(touch.arm.dot(Vector(edges[:3]))) + minimum(gap, 0) + _EDGE)
        made.append(replace(touch, gap=gap, margin=as_expr(margin), arm=touch.arm - touch.normal * radius, part=part))
    return made


# ---- hulls on hulls ----------------------------------------------------------------------------------------------


def hulls(a: Shape, b: Shape, X: Pose) -> list[Touch]:
    """Two hulls or boxes: vertices of each on faces of the other, and pairs of edges."""
    own, other = solid(a.kind, a.size), solid(b.kind, b.size)
    Y, size = X.inverse(), as_expr(maximum(own.size, other.size))
    apart, apart_own = _separations(own, other, X), _separations(other, own, Y)
    pairs = list(_edge_pairs(own, other, X, size))
    whole = _greatest([*apart, *apart_own, *(each[1] for each in pairs)])
    deep = _deep(whole, size)
    made = []
    for part, gap, n, t, arm, margin in _on_faces(own, other, X, apart):
        made.append(Touch(gap, n, (t, n.cross(t)), maximum(margin, deep), arm, part))
    for part, gap, m, t, w, margin in _on_faces(other, own, Y, apart_own):
        n, t = -(X.R @ m), X.R @ t
        made.append(Touch(gap, n, (t, n.cross(t)), maximum(margin, deep), X.R @ w - X.p, f"other {part}"))
    for part, most, edges, edge in pairs:
        touch = _crossing(edges, edge, X, size)
        near = _APART * size - whole + maximum(touch.gap, 0)  # of those apart the pair between which they are
        margin = _least([as_expr(touch.margin), near, most + 500 * size])
        gap = where(most + 500 * size, touch.gap, -size)  # none of the class is a facet: it touches nowhere
        made.append(replace(touch, gap=gap, margin=maximum(margin, deep), part=part))
    return made


def _separations(own: Solid, other: Solid, X: Pose) -> list[Expr]:
    """The distance between each face of a hull and all of another, whose pose in the frame of the first is X."""
    made = []
    for n, _, d in other.faces:
        along = X.R.T @ n
        made.append(as_expr(_least([along.dot(p) for p in own.points]) + n.dot(X.p) - d))
    return made


def _on_faces(own: Solid, other: Solid, X: Pose, apart: Row) -> Iterator[Resting]:
    """Vertices on the face with the greatest distance: gap, normal, tangent, the arm from the origin of the vertices'
    hull, and the margin: the vertex is inside of all other faces, and not all of its hull is beyond one of them.
    """
    _, found = _chosen(apart, [(*n, *t, d, as_expr(k)) for k, (n, t, d) in enumerate(other.faces)])
    n, t, offset, face = Vector(found[:3]), Vector(found[3:6]), found[6], found[7]
    second = _greatest(_others(face, apart, -other.size))
    down = -(X.R.T @ n)
    for number, group in enumerate(own.shape.vertex_classes, start=1):
        _, vertex = _chosen([down.dot(own.points[k]) for k in group], [own.points[k] for k in group])
        arm = X.R @ Vector(vertex)
        p = X.p + arm
        inside = _others(face, [d - m.dot(p) for m, _, d in other.faces], other.size)
        margin = minimum(_least(inside) + _EDGE, -second - _EDGE / 2)
        yield f"vertex {number}", as_expr(n.dot(p) - offset), n, t, arm, as_expr(margin)


def _edge_pairs(own: Solid, other: Solid, X: Pose, size: Expr) -> Iterator[tuple[str, Expr, Row, Row]]:
    """For each two classes of edges the greatest distance, and the pair: the edge of one with the side, and the other.

    With the normals a and b of the faces of u, and c and d of e, a pair is a facet of the Minkowski difference if u·c,
    -u·d, e·a and -e·b have one sign, which is against the side: then the sum of their amounts is that of the sum. The
    normal is u × (c × d) = (u·d) c - (u·c) d, and the distance along it that from the planes of both faces.
    """
    far = as_expr(-1000 * size)
    lines = [X.R @ u for u, _, _ in own.edges]
    along = [[as_expr(u.dot(n)) for n, _, _ in other.faces] for u in lines]
    along_other = [[as_expr((X.R.T @ e).dot(n)) for n, _, _ in own.faces] for e, _, _ in other.edges]
    above = [[as_expr((X.R.T @ n).dot(p) + (n.dot(X.p) - d)) for n, _, d in other.faces] for p in own.points]

    def distance(i: int, j: int) -> tuple[Expr, Expr]:
        """The distance of the lines of two edges, or far below, and the number of the other, its sign the side."""
        (start, _, a, b), (*_, c, d) = own.shape.edges[i], other.shape.edges[j]
        cosine = float(other.shape.normals[c] @ other.shape.normals[d])
        first, second = along[i][c], along[i][d]
        square = as_expr(first * first + second * second - 2 * cosine * first * second)
        if is_zero(square):
            return far, as_expr(0)
        length, total, amounts = sqrt(square), as_expr(first - second), absolute(first) + absolute(second)
        if own.faces:  # else the edge is that of no face
            third, fourth = along_other[j][a], along_other[j][b]
            total, amounts = as_expr(total + (third - fourth)), amounts + (absolute(third) + absolute(fourth))
        is_facet = absolute(total) - amounts + _MISSED * (length - np.sqrt(float(_PARALLEL) * (1 - cosine * cosine)))
        apart = as_expr((second * above[start][c] - first * above[start][d]) / length)
        return where(is_facet, where(total, -apart, apart), far), where(total, -1 - j, 1 + j)

    for (one, group), (two, others) in product(
        enumerate(own.shape.edge_classes, start=1), enumerate(other.shape.edge_classes, start=1)
    ):
        values, edges = [], []
        for i in group:
            apart, numbers = zip(*(distance(i, j) for j in others), strict=True)
            greatest, number = _chosen(apart, [[each] for each in numbers])
            values.append(greatest)
            edges.append([*lines[i], *(X.R @ own.edges[i][1]), own.edges[i][2], *number])
        most, (*edge, side) = _chosen(values, edges)
        found = _line(other.edges[others[0]])
        for k in others[1:]:
            found = [
                where(absolute(side) - k - Fraction(1, 2), new, old)
                for new, old in zip(_line(other.edges[k]), found, strict=True)
            ]
        yield f"edges {one} and {two}", most, [*edge, where(side, 1, -1)], found


def _line(edge: tuple[Vector, Vector, Expr]) -> list[Expr]:
    """Direction, middle and half of the length of an edge in one row."""
    return [*edge[0], *edge[1], edge[2]]


def _crossing(edge: Row, edge_other: Row, X: Pose, size: Expr) -> Touch:
    """Two edges where their lines are nearest; the first in the frame of the other, from the origin of its own body."""
    u, arm, half, side = Vector(edge[:3]), Vector(edge[3:6]), edge[6], edge[7]
    e, q, half_other = Vector(edge_other[:3]), Vector(edge_other[3:6]), edge_other[6]
    across = u.cross(e)
    sine = side * _length(across)
    n = across / sine
    w = e.cross(n)
    away = X.p + arm - q
    s = -away.dot(w) / sine
    t = away.dot(e) + s * u.dot(e)
    gap = as_expr(n.dot(away))
    margin = _least([half - absolute(s) - _EDGE, half_other - absolute(t) - _EDGE, gap + _BELOW * size])
    return Touch(gap, n, (e, w), margin, arm + u * s)
