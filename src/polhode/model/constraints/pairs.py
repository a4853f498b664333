"""Pairs of shapes that can touch, by candidate points of one on the surface of the other.

    candidates   point; sphere: its centre; capsule: the centres of its ends; box: its vertices; disc, cylinder: see
                 `rims`; ellipsoid: where it is nearest, see `ellipsoids`
    surfaces     plane, sphere, hollow (a sphere from inside), capsule, box, ellipsoid, cylinder, disc, curve z = h(x),
                 heights z = h(x, y)

A candidate has a position p in the surface's frame and a radius r. A surface gives the gap g(p), negative inside, the
unit normal n that points to the candidate, and two unit tangents. Where ġ = n·v for the velocity v of the candidate
against the surface, at the place p - r n:

    plane            g = z - r
    sphere, hollow   g = |p| - (R + r), n = p/|p|;    g = R - r - |p|, n = -p/|p|
    capsule          as a sphere about the nearest point of its axis
    box              with q = |p| - half the edges, g = |max(q, 0)| - r; for a point g = max(q), n normal to that face
    ellipsoid        g = t |n'| - r, n' = x/(t + a²) with Σ (a x/(t + a²))² = 1, found by Newton's method
    cylinder, disc   with q = (√(x² + y²) - R, |z| - half the length), as a box; a disc has the length 0
    curve, heights   with n = (-∇h, 1)/w, w² = 1 + |∇h|², of the point P + r n of the surface's parallel that is below
                     p along z, found by Newton's method: g = (z - h - r/w)/w, where ġ = n·v at g = 0

Two capsules, or one and a cylinder, also touch between their ends, where their axes cross, a capsule or cylinder and a
box where its axis crosses an edge, a capsule or box and a cylinder or disc where an axis or edge crosses a rim.
Hulls, boxes on boxes, and axes that cross edges of boxes are in `hulls`.

Tangents of a plane are its axes x and y, those of a face of a box the other two axes, of a curve or heights the
direction of growing x and the one across. Elsewhere they are two fixed axes in the turn that takes a fixed axis M to n:
smooth but at n = -M, a direction that is along no axis and no diagonal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from math import inf
from typing import Any

from ...errors import ModelError, warn
from ...expr import (
    Expr,
    Matrix,
    Vector,
    absolute,
    as_expr,
    constant_value,
    derivative,
    free_symbols,
    is_zero,
    maximum,
    minimum,
    sign,
    sqrt,
    substitute,
)
from ...expr.ranges import range_of
from ...geometry import Pose
from ..body import SPOT, Shape
from ..surface import Surface
from .protocol import NOWHERE

#: Added to squared lengths, so that directions have values where the length is zero.
_TINY = Fraction(1, 10**60)
#: The squared sine of the angle between two capsules below which they are parallel.
_PARALLEL = Fraction(1, 10**8)
#: How far beyond the edge of a face, or the end of an edge, boxes touch, in m: what comes to an edge is on both sides.
_EDGE = Fraction(1, 10**10)
#: A length in m, or a cosine, that is zero to rounding.
_TIE = Fraction(1, 10**12)
#: Newton's steps to the point of a curve or of heights below a ball, or of an ellipsoid next to it.
_STEPS = 6
#: M and two axes across it.
_M, *_ACROSS = (Vector([as_expr(Fraction(x, 3)) for x in row]) for row in ((2, -1, 2), (2, 2, -1), (-1, 2, 2)))
_X, _Y, _Z = (Vector(row) for row in Matrix.identity(3).map(as_expr))


@dataclass(frozen=True)
class Touch:
    """A candidate on a surface, in the frame of the surface: gap, normal, tangents, and the `arm` to where they touch.

    The arm begins at the origin of the candidate's shape. `margin` is that of a `Group`.
    """

    gap: Expr
    normal: Vector
    tangents: tuple[Vector, ...]
    margin: Expr | None = None
    arm: Vector = NOWHERE
    part: str = ""


Candidates = Iterable[tuple[str, Vector, Expr]]

# ---- surfaces ----------------------------------------------------------------------------------------------------


def _on_plane(size: Sequence[Expr], p: Vector, r: Expr) -> Touch | None:
    return Touch(as_expr(p[2] - r), _Z, (_X, _Y))


def _on_sphere(size: Sequence[Expr], p: Vector, r: Expr) -> Touch | None:
    distance = _length(p)
    return _round(distance - (size[0] + r), p / distance)


def _in_sphere(size: Sequence[Expr], p: Vector, r: Expr) -> Touch | None:
    distance = _length(p)
    return _round(size[0] - r - distance, -p / distance)


def _on_capsule(size: Sequence[Expr], p: Vector, r: Expr) -> Touch:
    half = size[1] / 2
    apart = p - _Z * minimum(maximum(p[2], -half), half)
    distance = _length(apart)
    return _round(distance - (size[0] + r), apart / distance)


def _on_box(size: Sequence[Expr], p: Vector, r: Expr) -> Touch | None:
    """Coordinates in which the candidate does not move decide nothing, unless it is always beside the box."""
    moves = [k for k in range(3) if any(x.data[0] in ("coordinate", "time") for x in free_symbols([p[k]]))]
    q = [as_expr(absolute(p[k]) - size[k] / 2) for k in range(3)]
    for k in {0, 1, 2} - set(moves):
        if not free_symbols([q[k]]) and constant_value(q[k] - r) > 0:
            return None
    if not moves:
        return None
    if not is_zero(r):
        beyond = [as_expr(maximum(q[k], 0)) if k in moves else as_expr(0) for k in range(3)]
        distance = _length(Vector(beyond))
        normal = Vector([sign(p[k]) * beyond[k] / distance for k in range(3)])
        return _round(distance - r, normal)
    chosen, gap = _greatest([(k, q[k]) for k in moves])
    own = [q[k] for k in moves]
    least = minimum(minimum(own[0], own[1]), own[2]) if len(own) == 3 else 0
    margin = as_expr(least - sum(own)) if len(own) > 1 else None  # at gap 0 the greatest of the others, negative
    normal = Vector([as_expr(sign(p[k]) * chosen.get(k, 0)) for k in range(3)])
    turned = [Vector([as_expr(chosen.get((k + by) % 3, 0)) for k in range(3)]) for by in (2, 1)]
    return Touch(gap, normal, (turned[0], turned[1]), margin)


def _on_cylinder(size: Sequence[Expr], p: Vector, r: Expr) -> Touch | None:
    """As on a box, of coordinates around the axis and along it; a disc has no thickness."""
    radius, half = size[0], size[1] / 2 if len(size) > 1 else as_expr(0)
    around = _length(Vector([p[0], p[1], 0]))
    out, up = Vector([p[0] / around, p[1] / around, as_expr(0)]), _Z * sign(p[2])
    aside, above = as_expr(around - radius), as_expr(absolute(p[2]) - half)
    stays = not free_symbols([above])
    if stays and constant_value(as_expr(above - r)) > 0:
        return None
    if stays and constant_value(above) <= 0:
        return _round(aside - r, out)
    if not is_zero(r):
        beyond = [as_expr(maximum(each, 0)) for each in (aside, above)]
        distance = _length(Vector([*beyond, 0]))
        return _round(distance - r, (out * beyond[0] + up * beyond[1]) / distance)
    is_side = as_expr(maximum(sign(aside - above), 0))
    touch = _round(as_expr(maximum(aside, above)), out * is_side + up * (1 - is_side))
    return replace(touch, margin=as_expr(-aside - above))


def _on_ellipsoid(size: Sequence[Expr], p: Vector, r: Expr) -> Touch:
    t = as_expr(0)
    for a, x in zip(size, p, strict=True):
        t = as_expr(maximum(t, a * absolute(x) - a * a))
    for _ in range(_STEPS):  # Newton's method for 1/√f = 1, f = Σ (a x/(t + a²))²
        parts = [(a * x / (t + a * a), t + a * a) for a, x in zip(size, p, strict=True)]
        f = as_expr(sum(part * part for part, _ in parts) + _TINY)
        slope = sum(part * part / below for part, below in parts) + _TINY
        t = as_expr(t + f * (sqrt(f) - 1) / slope)
    outward = Vector([x / (t + a * a) for a, x in zip(size, p, strict=True)])
    length = _length(outward)
    return _round(t * length - r, outward / length)


def _on_curve(size: Sequence[Expr], p: Vector, r: Expr) -> Touch | None:
    return _on_height(size[0], SPOT[:1], p, None if is_zero(r) else lambda n: n * r)


def _on_heights(size: Sequence[Expr], p: Vector, r: Expr) -> Touch | None:
    return _on_height(size[0], SPOT, p, None if is_zero(r) else lambda n: n * r)


def _on_height(h: Expr, over: Sequence[Expr], p: Vector, support: Callable[[Vector], Vector] | None) -> Touch:
    """What is at p, with its farthest point along a normal n at support(n) from there, on z = h."""
    slope = [derivative([h], x)[0] for x in over]
    w = sqrt(as_expr(1 + sum(each * each for each in slope)))
    found, lowest = [p[k] for k in range(len(over))], as_expr(0)
    if support is not None:
        # x + S(n) = p along the surface, S the support
        *aim, lowest = support(Vector([*(-each for each in slope), *[0] * (2 - len(over)), 1]) / w)
        aim, found = aim[: len(over)], [x - s for x, s in zip(found, support(_Z), strict=False)]
        J = [[as_expr(int(i == j) + d) for j, d in enumerate(_gradient(each, over))] for i, each in enumerate(aim)]
        for _ in range(_STEPS):
            at = dict(zip(over, found, strict=True))
            shifts = substitute(aim, at)
            off = [x + d - p[k] for k, (x, d) in enumerate(zip(found, shifts, strict=True))]
            found = [as_expr(x - d) for x, d in zip(found, _solved(J, off, at), strict=True)]
    at = dict(zip(over, found, strict=True))
    height, pace, lowest, *slope = substitute([h, w, lowest, *slope], at)
    across = slope[1] if len(over) == 2 else as_expr(0)
    normal = Vector([-slope[0], -across, as_expr(1)]) / pace
    along = Vector([as_expr(1), as_expr(0), slope[0]]) / sqrt(as_expr(1 + slope[0] * slope[0]))
    return Touch(as_expr((p[2] - height - lowest) / pace), normal, (along, normal.cross(along)))


def _on_hull(size: Sequence[Expr], p: Vector, r: Expr) -> Touch | None:
    from .hulls import on_hull

    return on_hull(size, p, r)


def _gradient(value: Expr, over: Sequence[Expr]) -> list[Expr]:
    return [derivative([value], x)[0] for x in over]


def _solved(J: Sequence[Sequence[Expr]], right: Sequence[Expr], at: dict[Expr, Expr]) -> list[Expr]:
    """J⁻¹ of a right side, of one or two unknowns."""
    if len(J) == 1:
        return [right[0] / substitute(J[0], at)[0]]
    (a, b), (c, d) = (substitute(row, at) for row in J)
    scale = a * d - b * c
    return [(d * right[0] - b * right[1]) / scale, (a * right[1] - c * right[0]) / scale]


def _length(v: Vector) -> Expr:
    return as_expr(sqrt(as_expr(v.dot(v) + _TINY)))


def _round(gap: Expr, n: Vector) -> Touch:
    """A touch on a surface whose normal may point anywhere: t = b - (b·n) (M + n)/(1 + M·n) for b across M."""
    turn = (_M + n) / (1 + _M.dot(n))
    first, second = (b - turn * b.dot(n) for b in _ACROSS)
    return Touch(as_expr(gap), n, (first, second))


def _greatest(given: Sequence[tuple[int, Expr]]) -> tuple[dict[int, Expr], Expr]:
    """For each key 1 if its value is the greatest, the last of equal ones, else 0; and the greatest."""
    key, most = given[-1]
    chosen = {key: as_expr(1)}
    for other, value in reversed(given[:-1]):
        is_more = as_expr(maximum(sign(value - most - _TIE), 0))
        chosen = {k: each * (1 - is_more) for k, each in chosen.items()} | {other: is_more}
        most = as_expr(maximum(most, value))
    return chosen, most


_SURFACES: dict[str, Callable[[Sequence[Expr], Vector, Expr], Touch | None]] = {
    "plane": _on_plane, "sphere": _on_sphere, "hollow": _in_sphere, "capsule": _on_capsule, "box": _on_box,
    "ellipsoid": _on_ellipsoid, "curve": _on_curve, "heights": _on_heights, "hull": _on_hull,
    "cylinder": _on_cylinder, "disc": _on_cylinder,
}  # fmt: skip

# ---- candidates --------------------------------------------------------------------------------------------------


def _point(size: Sequence[Expr]) -> Candidates:
    return [("", _Z * 0, size[0] if size else as_expr(0))]


def _ends(size: Sequence[Expr]) -> Candidates:
    radius, length = size
    return [("lower end", _Z * (-length / 2), radius), ("upper end", _Z * (length / 2), radius)]


def _vertices(size: Sequence[Expr]) -> Candidates:
    signs = product((-1, 1), repeat=3)
    corners = [Vector([as_expr(s * edge / 2) for s, edge in zip(each, size, strict=True)]) for each in signs]
    return [(f"vertex {k}", corner, as_expr(0)) for k, corner in enumerate(corners, start=1)]


def _hull_vertices(size: Sequence[Expr]) -> Candidates:
    from .hulls import solid

    return [(f"vertex {k}", point, as_expr(0)) for k, point in enumerate(solid("hull", size).points, start=1)]


_CANDIDATES = {"point": _point, "sphere": _point, "capsule": _ends, "box": _vertices, "hull": _hull_vertices}


def _on(shape: Shape, surface: Shape, X: Pose) -> list[Touch]:
    """The candidates of a shape, at the pose X in the frame of a surface, on that surface."""
    made = []
    size = [as_expr(each) for each in surface.size]
    for part, point, radius in _CANDIDATES[shape.kind]([as_expr(each) for each in shape.size]):
        touch = _SURFACES[surface.kind](size, X.point(point), radius)
        if touch is not None:
            made.append(replace(touch, arm=X.R @ point - touch.normal * radius, part=part))
    return made


def _crossing(a: Shape, b: Shape, X: Pose) -> list[Touch]:
    """Two capsules, or one and a cylinder, where their axes are nearest; with a gap where that is beyond an end.

    With d the centre of a and u its axis, in the frame of b whose axis is z: the points d + s u and t z are nearest at
    s = (c t_0 - d·u)/(1 - c²), t = t_0 + c s, c = u·z, t_0 = d·z.
    """
    (radius, length), (radius_b, length_b) = ([as_expr(each) for each in shape.size] for shape in (a, b))
    u, d = X.R @ _Z, X.p
    c, t_0 = u[2], d[2]
    square = as_expr(1 - c * c)
    s = (c * t_0 - d.dot(u)) / maximum(square, _PARALLEL / 2)
    t = t_0 + c * s
    p = d + u * s
    apart = p - _Z * t
    distance = _length(apart)
    beyond = [maximum(absolute(s) - length / 2, 0), maximum(absolute(t) - length_b / 2, 0)]
    beyond.append(radius * maximum(1 - square / _PARALLEL, 0))
    touch = _round(distance - radius - radius_b + sum(beyond), apart / distance)
    margin = as_expr(minimum(length / 2 - absolute(s), length_b / 2 - absolute(t)))
    return [replace(touch, arm=u * s - touch.normal * radius, margin=margin, part="middle")]


# ---- the table ---------------------------------------------------------------------------------------------------

_ALL = tuple(_SURFACES)
_ROUND = ("disc", "cylinder")
_OPEN = ("plane", "hollow", "curve", "heights")
#: For each shape the surfaces that its candidates are tried on.
PAIRS: dict[str, tuple[str, ...]] = {
    "point": _ALL[:-1], "sphere": _ALL, "capsule": (*_OPEN, "capsule", "box", "hull", "cylinder", "disc"),
    "box": (*_OPEN, "capsule", "box", "cylinder", "disc"), "disc": ("plane", "box", "curve", "heights"),
    "cylinder": ("plane", "box", "curve", "heights"),
    "ellipsoid": (*_OPEN, "capsule", "box", "hull", "ellipsoid"), "hull": (*_OPEN, "capsule", "box", "hull"),
}  # fmt: skip
_PHRASES = {"ellipsoid": "an ellipsoid", "hollow": "a hollow sphere", "heights": "heights"}
#: The shapes that surfaces of a model may have.
KINDS = tuple(dict.fromkeys(kind for kind in (*_SURFACES, *PAIRS) if kind != "point"))


def ways(a: Surface, b: Surface, place: str) -> list[tuple[Surface, Surface]]:
    """For a contact of two surfaces the pairs of what has candidates and the surface that they are on."""
    found = [(x, y) for x, y in ((a, b), (b, a)) if y.kind in PAIRS.get(x.kind, ())]
    if not found:
        known = "; ".join(f"{kind} on {', '.join(others)}" for kind, others in PAIRS.items())
        cure = f"There are {known}."
        if {a.kind, b.kind} & {*_ROUND}:
            cure = f"Give one of them as a capsule or a sphere. {cure}"
        message = (
            f"there is no contact of {_PHRASES.get(a.kind, f'a {a.kind}')} and {_PHRASES.get(b.kind, f'a {b.kind}')}."
        )
        raise ModelError(message, place, cure, "E-CONSTRAINT-UNSUPPORTED")
    first, other = found[0]
    if first.kind == "ellipsoid" and other.kind == "hollow":
        _check_curvature(first.shape.size, other.shape.size, place)
    if "hull" in (a.kind, b.kind):
        from .hulls import check

        check(a, b, place)
    return found if a.kind != b.kind or a.kind == "capsule" else found[:1]


def _check_curvature(half: Sequence[Any], size: Sequence[Any], place: str) -> None:
    """Refuse an ellipsoid that may touch a hollow sphere at several points."""
    known = [as_expr(each) for each in (*half, *size)]
    *axes, radius = (inf if free_symbols([each]) else constant_value(each) for each in known)
    if inf not in axes and max(axes) ** 2 >= min(axes) * radius:
        message = "the ellipsoid is flatter somewhere than the hollow sphere, and may touch it at several points."
        cure = "Let the square of its longest half axis be less than the shortest times the radius, or use spheres."
        raise ModelError(message, place, cure, "E-CONSTRAINT-UNSUPPORTED")


def warn_of_bulges(a: Surface, b: Surface, place: str) -> None:
    """Warn of what touches by vertices, ends or rims alone, where a curve or heights may bulge between them."""
    one, other = ways(a, b, place)[0]
    if (
        other.kind in ("curve", "heights")
        and one.kind not in ("point", "sphere", "ellipsoid")
        and not _is_convex(other.shape.size[0])
    ):
        features = {"capsule": "ends", "disc": "rims", "cylinder": "rims"}.get(one.kind, "vertices")
        message = f"of a {one.kind} only the {features} touch a surface by heights: "
        cure = "Add contacts of points or spheres in between where that matters."
        code = "W-CONSTRAINT-UNSUPPORTED"
        warn(f"{message}a bump between them enters it.", place=place, cure=cure, code=code)


def _is_convex(height: Expr) -> bool:
    """Whether a height curves upwards everywhere, as a valley does."""
    slopes = _gradient(height, SPOT)
    (xx, xy), (_, yy) = (_gradient(each, SPOT) for each in slopes)
    return all(range_of(as_expr(each)).low >= 0 for each in (xx, yy, xx * yy - xy * xy))


def touches(a: Surface, b: Surface, X: Pose) -> list[Touch]:
    """The candidates of a on the surface b, X the pose of the shape of a in the frame of that of b."""
    from .ellipsoids import ellipsoid_on  # which builds on this module
    from .hulls import hulls, lowest, on_capsule
    from .rims import rims, vertices_on_disc

    if a.kind == "hull" and b.kind == "plane":
        return lowest(a.shape.size, X)
    if a.kind == "hull" and b.kind == "capsule":
        return on_capsule(a.shape.size, [as_expr(each) for each in b.shape.size], X)
    if {a.kind, b.kind} <= {"box", "hull"}:
        return hulls(a.shape, b.shape, X)
    if a.kind in ("disc", "cylinder"):
        return rims(a.shape, b.shape, X)
    if a.kind == "box" and b.kind == "disc":
        return vertices_on_disc(a.shape, b.shape, X)
    if a.kind == "ellipsoid":
        return [ellipsoid_on(a.shape, b.shape, X)]
    return _on(a.shape, b.shape, X)


def crossings(a: Surface, b: Surface, X: Pose) -> list[Touch]:
    """What touches beside the candidates: the middles of capsules, and edges of boxes."""
    from .hulls import axis_on_hull
    from .rims import capsule_on_rims, edges_on_rims

    made: list[Touch] = []
    if a.kind in ("capsule", "cylinder") and b.kind in ("box", "hull"):
        made += axis_on_hull(a.shape, b.shape, X)
    if a.kind == "capsule" and b.kind in ("capsule", "cylinder"):
        made += _crossing(a.shape, b.shape, X)
    if a.kind == "capsule" and b.kind in _ROUND:
        made += capsule_on_rims(a.shape, b.shape, X)
    if b.kind == "box" and a.kind in _ROUND:
        made += edges_on_rims(a.shape, b.shape, X)
    return made
