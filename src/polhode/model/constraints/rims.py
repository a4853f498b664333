"""Discs and cylinders by their rims: on planes, boxes, curves and heights, and edges of boxes and capsules on them.

A rim of centre c, axis a and radius r has the points P = c + r m, m a unit vector across a.

    rim on plane       the lowest, m along -(n - (a·n) a), the square of which is s² = 1 - (a·n)²
    rim on box         the same on that face between which, of all faces, and the body the distance is greatest
    rim on heights     the least of f = z - h along the rim: with the gradient N = (-∇h, 1) and t = a × m it is
                       f' = r N·t, f'' = -r (N·m + r t·∇∇h t). Newton's method turns m by the angle of (f'', -f'), which
                       for a plane is exact in one step; g = f/|N|, where ġ = n·v at g = 0
    lying flat         where s is at most ε a rim has no lowest point; sixteen fixed points just inside of it touch
    edge on rim        of direction u: n along u × t = (u·m) a - (u·a) m, outwards from the box, g = n·(P - E). E is
                       where the edge crosses the plane of the rim or, where it is nearly along that plane, the cylinder
                       about a, at two points; P is the point of the rim beside it, and is E at g = 0, where ġ = n·v
    vertex on disc     on the side of the disc where the centre of the box is
    capsule on rim     by the distance of its axis from the rim
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial, reduce
from itertools import product

from ...expr import (
    Expr,
    Vector,
    absolute,
    as_expr,
    constant_value,
    cos,
    free_symbols,
    is_zero,
    maximum,
    minimum,
    pi,
    sign,
    sin,
    sqrt,
    substitute,
)
from ...expr.ranges import range_of
from ...geometry import Pose
from ..body import SPOT, Shape
from .pairs import (
    _EDGE,
    _PARALLEL,
    _STEPS,
    _TIE,
    _TINY,
    _X,
    _Y,
    _Z,
    Touch,
    _gradient,
    _greatest,
    _length,
    _on_height,
    _round,
    _vertices,
)

#: The sine ε of the tilt below which a rim lies flat.
_FLAT = Fraction(1, 10**7)
#: The slope of its margin there: so steep that a rim which has begun to dip between the fixed points still touches.
_ABRUPT = 10**9
#: So many points support a disc which lies flat: it tips where the load is at cos(π/16) to 1 of their circle's radius.
_POINTS = 16
#: How far out, in radii, these points are: a disc that rolls on its rim is above them.
_INSET = Fraction(999, 1000)
#: The sine of the angle between an edge and the plane of a rim, above which the edge crosses that plane at one point.
_STEEP = Fraction(1, 4)
#: The length of a vector without a direction.
_SMALL = Fraction(1, 10**15)
#: How far inside of a rim, in radii, an edge is that crosses it.
_TANGENT = Fraction(1, 10**4)
_AXES = (_X, _Y, _Z)


def rims(shape: Shape, surface: Shape, X: Pose) -> list[Touch]:
    """The rims of a disc or cylinder on a surface: each at its lowest point, and at sixteen points of its own."""
    r, _ = _sizes(shape)
    size, axis = [as_expr(each) for each in surface.size], X.R @ _Z
    on: Callable[[Vector], Touch]
    if surface.kind in ("curve", "heights"):
        over = SPOT[: 1 + (surface.kind == "heights")]
        on = lambda arm: _on_height(size[0], over, X.p + arm, None)  # noqa: E731
        down: Callable[[Vector], Vector] = partial(_lowest, size[0], over, axis, r)
        stands, is_flat = is_zero(as_expr(axis[2])), False
    else:
        normal, on = _face(shape, size, X) if surface.kind == "box" else (_Z, partial(_on_floor, X))
        lean = as_expr(axis.dot(normal))
        reach = _down(axis, normal)
        down = lambda _: reach  # noqa: E731
        stands, is_flat = is_zero(lean), is_zero(1 - lean * lean)
    made = []
    for side, h in _ends(shape):
        arms = [] if is_flat else [("rim", axis * h + down(X.p + axis * h) * r)]
        for k in range(_POINTS) if not stands else ():
            turn = 2 * pi * k / _POINTS
            arms.append((f"rim {k + 1}", X.R @ Vector([_INSET * r * cos(turn), _INSET * r * sin(turn), h])))
        for part, arm in arms:
            touch = on(arm)
            if _is_beside(touch.margin):
                continue
            margins = [] if touch.margin is None else [touch.margin]
            if part == "rim" and not stands:
                margins.append(as_expr(_ABRUPT * r * (_length(axis.cross(touch.normal)) - _FLAT)))
            margin = as_expr(reduce(minimum, margins)) if margins else None
            made.append(replace(touch, arm=arm, part=f"{side}{part}", margin=margin))
    return made


def _sizes(shape: Shape) -> tuple[Expr, Expr]:
    """The radius of a disc or cylinder, and half of its length."""
    r, *rest = (as_expr(each) for each in shape.size)
    return r, as_expr(rest[0] / 2) if rest else as_expr(0)


def _ends(shape: Shape) -> list[tuple[str, Expr]]:
    """The rims of a disc or cylinder: name, and height along the axis."""
    half = _sizes(shape)[1]
    return [("", half)] if shape.kind == "disc" else [("lower ", -half), ("upper ", half)]


def _unit(v: Vector) -> Vector:
    """The direction of a vector; shorter than 1 where that is hardly determined."""
    return v / as_expr(sqrt(as_expr(v.dot(v) + _SMALL * _SMALL)))


def _down(axis: Vector, n: Vector) -> Vector:
    """The direction of axis (axis·n) - n, without a difference that cancels where both are along each other."""
    across, least = axis.cross(n), _SMALL * _SMALL
    square = as_expr(across.dot(across))
    if not range_of(square).low > least:
        square = as_expr(maximum(square, least))
    return axis.cross(across) / as_expr(sqrt(square))


def _side(x: Expr) -> Expr:
    """1 where x is not negative, else -1; what is zero to rounding counts as zero, so that it does not alternate."""
    return as_expr(2 * maximum(sign(as_expr(x + _TIE)), 0) - 1)


def _is_beside(margin: Expr | None) -> bool:
    return margin is not None and not free_symbols([margin]) and constant_value(margin) <= 0


def _on_floor(X: Pose, arm: Vector) -> Touch:
    return Touch(as_expr(X.p[2] + arm[2]), _Z, (_X, _Y))


def _face(shape: Shape, edges: Sequence[Expr], X: Pose) -> tuple[Vector, Callable[[Vector], Touch]]:
    """The face of a box that is farthest from a disc or cylinder: its normal, and what is at an arm from the centre.

    Directions in which neither the centre moves nor the axis turns decide nothing.
    """
    r, length = _sizes(shape)
    half, d, axis = [each / 2 for each in edges], X.p, X.R @ _Z
    apart = []
    for k in range(3):
        if any(x.data[0] in ("coordinate", "time") for x in free_symbols([as_expr(d[k]), as_expr(axis[k])])):
            reach = r * sqrt(as_expr(maximum(1 - axis[k] * axis[k], _TINY))) + length * absolute(axis[k])
            apart.append((k, as_expr(absolute(d[k]) - half[k] - reach)))
    chosen = dict.fromkeys(range(3), as_expr(0)) | (_greatest(apart)[0] if apart else {})
    normal = Vector([as_expr(chosen[k] * _side(d[k])) for k in range(3)])
    first, second = (Vector([chosen[(k + by) % 3] for k in range(3)]) for by in (2, 1))
    face = sum(chosen[k] * half[k] for k in range(3))

    above = as_expr(normal.dot(d) - face)

    def on(arm: Vector) -> Touch:
        gap, p = as_expr(above + normal.dot(arm)), d + arm
        inside = [(1 - chosen[k]) * (half[k] - absolute(p[k])) + chosen[k] * (gap + half[k]) for k in range(3)]
        beside = [each for each in map(as_expr, inside) if _is_beside(each)]  # for ever
        return Touch(gap, normal, (first, second), (beside or [as_expr(reduce(minimum, inside) + _EDGE)])[0])

    return normal, on


def _lowest(h: Expr, over: Sequence[Expr], axis: Vector, r: Expr, c: Vector) -> Vector:
    """The direction from the centre of a rim to its lowest point over z = h."""
    slope = _gradient(h, over)
    bend = [_gradient(each, over) for each in slope]

    def gradient(p: Vector) -> tuple[Vector, list[list[Expr]]]:
        at = dict(zip(over, p, strict=False))
        rates = [*(-each for each in substitute(slope, at)), *[as_expr(0)] * (2 - len(over)), as_expr(1)]
        return Vector(rates), [substitute(row, at) for row in bend]

    N, _ = gradient(c)
    m = _down(axis, N)
    for _ in range(_STEPS):
        N, H = gradient(c + m * r)
        t = axis.cross(m)
        first = as_expr(N.dot(t))
        second = -N.dot(m) - r * sum(t[i] * t[j] * each for i, row in enumerate(H) for j, each in enumerate(row))
        m = _unit(m * second - t * first)
    return m


def edges_on_rims(a: Shape, b: Shape, X: Pose) -> list[Touch]:
    """The edges of a box on the rims of a disc or cylinder, at the pose X in the frame of the box."""
    (r, length), half = _sizes(a), [as_expr(each) / 2 for each in b.size]
    d, axis = X.p, X.R @ _Z
    made = []
    for j, s_k, s_m in product(range(3), (1, -1), (1, -1)):
        k, m, lean = (j + 1) % 3, (j + 2) % 3, as_expr(axis[j])
        is_steep = as_expr(maximum(sign(absolute(lean) - _STEEP), 0))
        is_even = as_expr(1 - is_steep)
        q = _AXES[k] * (s_k * half[k]) + _AXES[m] * (s_m * half[m]) - d
        along, square = as_expr(axis.dot(q)), as_expr(maximum(1 - lean * lean, _PARALLEL))
        middle = (along * lean - q[j]) / square  # where the edge is nearest to the axis
        foot, up = q + _AXES[j] * middle, as_expr(along + lean * middle)
        deep = as_expr(r - _length(foot - axis * up))
        to_crossing = sqrt(as_expr(maximum(deep * (2 * r - deep), 0) / square + _TINY))
        for side in (1, -1):
            end = as_expr(is_steep * side + is_even * _side(up)) if a.kind == "cylinder" else as_expr(0)
            rise = end * length
            s = is_steep * (rise - along) / (is_steep * lean + is_even) + is_even * (middle + side * to_crossing)
            edge = q + _AXES[j] * s
            aside = edge - axis * axis.dot(edge)
            outward = aside / _length(aside)
            across = axis * outward[j] - outward * lean
            squared = as_expr(across.dot(across))
            n = across / sqrt(as_expr(maximum(squared, _PARALLEL)))
            n = n * _side(s_k * n[k] + s_m * n[m])
            arm = outward * r + axis * rise
            gap = as_expr(n.dot(arm - edge))
            inside = [r * s_k * n[k], r * s_m * n[m], -r * n.dot(outward), half[j] - absolute(s), gap + deep]
            if a.kind == "cylinder":
                inside.append(-r * end * n.dot(axis))
            else:  # a disc is thin: the edge ends, or crosses the rim once more, on the side of the box
                far = along + lean * maximum(minimum(middle - side * to_crossing, half[j]), -half[j])
                inside.append(r * is_steep + is_even * (r / 100 - far * n.dot(axis)))
                inside += [r * is_even] * (side < 0)
            # not along a tangent of the rim
            inside += [r * (squared / _PARALLEL - 1), r * is_steep + is_even * (deep / _TANGENT - r)]
            margin = reduce(minimum, inside) + _EDGE
            part = f"edge {'xyz'[j]}{'+-'[s_k < 0]}{'+-'[s_m < 0]} on rim {'+-'[side < 0]}"
            made.append(Touch(gap, n, (_AXES[j], _AXES[j].cross(n)), as_expr(margin), arm, part))
    return made


def vertices_on_disc(a: Shape, b: Shape, X: Pose) -> list[Touch]:
    """The vertices of a box, at the pose X in the frame of a disc, on the side of the disc where its centre is."""
    half, radius, up = [as_expr(each) / 2 for each in a.size], as_expr(b.size[0]), _side(X.p[2])
    apart = absolute(X.p[2]) - sum(each * absolute(X.R[2, k]) for k, each in enumerate(half))
    made = []
    for part, point, _ in _vertices([as_expr(each) for each in a.size]):
        p = X.point(point)
        margin = minimum(radius - _length(Vector([p[0], p[1], 0])), apart + reduce(minimum, half) / 100)
        made.append(Touch(as_expr(up * p[2]), _Z * up, (_X, _Y), as_expr(margin), X.R @ point, part))
    return made


def capsule_on_rims(a: Shape, b: Shape, X: Pose) -> list[Touch]:
    """A capsule whose axis is nearest to a rim of a cylinder or disc; with a gap where that is beyond an end.

    With d + s u the axis of a and ρ its distance from that of b, the distance from the rim of radius R at the height h
    has extrema at the zeros of (ρ - R) ρ' + (z - h) z', by Newton's method from where the axis crosses ρ = R.
    """
    (r, length), (R, *rest) = ([as_expr(each) for each in shape.size] for shape in (a, b))
    u, d = X.R @ _Z, X.p
    square = as_expr(maximum(u[0] * u[0] + u[1] * u[1], _PARALLEL))
    middle = as_expr(-(u[0] * d[0] + u[1] * d[1]) / square)
    x, y = d[0] + u[0] * middle, d[1] + u[1] * middle
    crosses = as_expr(R * R - x * x - y * y)
    made = []
    rims = [("upper ", rest[0] / 2), ("lower ", -rest[0] / 2)] if rest else [("", as_expr(0))]
    for (end, h), side in product(rims, (1, -1)):
        s = as_expr(middle + side * sqrt(as_expr(maximum(crosses, 0) / square + _TINY)))
        for _ in range(3 * _STEPS):  # where the axis passes over a rim along a tangent, zeros are triple
            x, y, z = d + u * s
            around = _length(Vector([x, y, 0]))
            slope = (x * u[0] + y * u[1]) / around
            curved = (u[0] * u[0] + u[1] * u[1] - slope * slope) / around
            off = (around - R) * slope + (z - h) * u[2]
            s = as_expr(s - off / maximum(slope * slope + (around - R) * curved + u[2] * u[2], _PARALLEL))
        x, y, z = d + u * s
        around = _length(Vector([x, y, 0]))
        apart = Vector([x / around * (around - R), y / around * (around - R), as_expr(z - h)])
        distance = _length(apart)
        touch = _round(distance - r + maximum(absolute(s) - length / 2, 0), apart / distance)
        margin = minimum(length / 2 - absolute(s), around - R)
        margin = minimum(margin, z - h if end == "upper " else h - z) if rest else margin
        margin = minimum(margin, s - middle if side > 0 else middle - s - 3 * _EDGE / 2)  # each in its half
        part = f"{end}rim {'+-'[side < 0]}"
        made.append(replace(touch, arm=u * s - touch.normal * r, margin=as_expr(margin + _EDGE), part=part))
    return made
