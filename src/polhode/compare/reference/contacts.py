"""Rolling and sliding contacts: where two bodies touch, and which velocities of their points vanish there.

wheel    with n the plane's normal, a the axis, s = √(1 - (n·a)²): touches at c - r (n - (n·a) a)/s
         "height" (c - o)·n = r s;  no slip "along" a × n and "across" n × (a × n); if `upright` says what s is,
         these directions are divided by it
ball     on a plane: touches at c - r n, "height" (c - o)·n = r, no slip along "x" and "y" of the plane
         on a ball of radius R, d = c - o: at o + d R/(r + R), "touch" d² = (r + R)², no slip along e × d
disc     on a curve P(σ) with tangent t, normal n: touches at c - r n; all its rates are velocities there:
         "touch" n·v, "off" that of the centre across the plane, "along" t·v, "tilt 1" and "tilt 2" of its axis
slip     no velocity of one point against the other along given directions
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...expr import Expr, Vector, as_expr, derivative, is_zero, sqrt
from ...expr.field import P, inverse
from ...model.constraints import Ball, DiscOnCurve, KnifeEdge, NoSlip, Wheel
from .evaluate import evaluated, root
from .jet import Jet
from .jets import Arrow, along, at, cross, dot, material_velocity, minus, pose_of, resting_pose_of, spin, times
from .matrices import Rows, jet_product, undone
from .positions import Positions

#: Conditions on the position and velocities that vanish, by name.
ContactConditions = tuple[dict[str, Jet], dict[str, Jet]]
_HALF = inverse(2)


def slip_of(where: Positions, a: str, b: str, place: Sequence[Any]) -> Arrow:
    """How fast the point of body a at a place moves against that of body b."""
    return minus(material_velocity(where.bodies[a], place), material_velocity(where.bodies[b], place))


def held_by_wheel(where: Positions, wheel: Wheel, symbols: Mapping[Expr, Jet]) -> ContactConditions:
    def touching(pose: Any, known: Mapping[Expr, Jet]) -> tuple[Arrow, Arrow, Arrow, Arrow, Jet, Jet]:
        plane = jet_product(pose(where.bodies[wheel.on]), where.matrix(wheel.plane))
        X = pose(where.bodies[wheel.body])
        n, a = [row[2] for row in plane[:3]], along(X, where.numbers(wheel.axis))
        c, o = at(X, where.numbers(wheel.centre)), [row[3] for row in plane[:3]]
        lean = dot(n, a)
        if wheel.upright is None:
            return n, a, c, o, lean, root(1 - lean * lean)
        return n, a, c, o, lean, evaluated(where.meant(wheel.upright), known, order=2)

    r = where.number(wheel.radius)
    n, a, c, o, lean, s = touching(pose_of, symbols)
    height = dot(minus(c, o), n) - s * r
    n, a, c, o, lean, s = touching(resting_pose_of, {name: jet.at_rest() for name, jet in symbols.items()})
    place = minus(c, times(minus(n, times(a, lean)), Jet(r) / s))
    slip = slip_of(where, wheel.body, wheel.on, place)
    ahead = cross(a, n) if wheel.upright is None else times(cross(a, n), Jet(1) / s)
    return {"height": height}, {"along": dot(slip, ahead), "across": dot(slip, cross(n, ahead))}


def held_by_ball(where: Positions, ball: Ball, symbols: Mapping[Expr, Jet]) -> ContactConditions:
    def touching(pose: Any) -> tuple[Rows, Arrow]:
        plane = jet_product(pose(where.bodies[ball.on]), where.matrix(ball.plane))
        c = at(pose(where.bodies[ball.body]), where.numbers(ball.centre))
        return plane, minus(c, [row[3] for row in plane[:3]])

    r = where.number(ball.radius)
    plane, apart = touching(pose_of)
    other = None if ball.other_radius is None else where.number(ball.other_radius)
    if other is None:
        touch = {"height": dot(apart, [row[2] for row in plane[:3]]) - r}
    else:
        touch = {"touch": (dot(apart, apart) - (r + other) ** 2) * _HALF}
    plane, apart = touching(resting_pose_of)
    x, y, n, o = ([row[k] for row in plane[:3]] for k in range(4))
    if other is None:
        slip = slip_of(where, ball.body, ball.on, minus(_sum(o, apart), times(n, r)))
        return touch, {"x": dot(slip, x), "y": dot(slip, y)}
    slip = slip_of(where, ball.body, ball.on, _sum(o, times(apart, other * inverse(r + other))))
    return touch, {letter: dot(slip, cross(e, apart)) for letter, e in (("x", x), ("y", y), ("z", n))}


def _sum(a: Arrow, b: Arrow) -> Arrow:
    return [x + y for x, y in zip(a, b, strict=True)]


def held_by_slip(where: Positions, slip: KnifeEdge | NoSlip, symbols: Mapping[Expr, Jet]) -> ContactConditions:
    resting = {q: jet.at_rest() for q, jet in symbols.items()}

    def given(vector: Sequence[Expr]) -> Arrow:
        return [evaluated(where.meant(entry), resting, order=2) for entry in vector]

    name, directions = (slip.body, (slip.across,)) if isinstance(slip, KnifeEdge) else (slip.frame, slip.directions)
    frame = where.system.frames.get(name)
    X = resting_pose_of(where.bodies[name if frame is None else frame.body])
    if frame is not None:
        X = jet_product(X, where.matrix(frame.pose))
    one, other = slip.bodies
    moved = slip_of(where, one, other, at(X, given(slip.at)))
    names = [""] if len(directions) == 1 else [str(k) for k in range(1, len(directions) + 1)]
    return {}, {name: dot(moved, along(X, given(d))) for name, d in zip(names, directions, strict=True)}


class Curve:
    """The curve of a disc in the components of its plane: P, P', and unit tangent and normal, as expressions."""

    def __init__(self, disc: DiscOnCurve, time: Expr) -> None:
        x, z = disc.curve
        dx, dz = derivative([x, z], disc.parameter)
        self.place, self.slope = Vector([x, as_expr(0), z]), Vector([dx, as_expr(0), dz])
        pace = sqrt(as_expr(self.slope.dot(self.slope)))
        self.tangent, self.normal = self.slope / pace, Vector([-dz, as_expr(0), dx]) / pace
        self.drift = Vector(derivative(list(self.place), time))


def place_of_disc(where: Positions, disc: DiscOnCurve, symbols: Mapping[Expr, Jet]) -> Jet:
    """What tells the place of contact: (c - P)·P' = 0."""
    curve = Curve(disc, where.system.time)
    P_, slope = ([evaluated(as_expr(entry), symbols, order=2) for entry in part] for part in (curve.place, curve.slope))
    made: Jet = dot(minus(_seen(where, disc, pose_of)[1], P_), slope)
    return made


def _seen(where: Positions, disc: DiscOnCurve, pose: Any) -> tuple[Rows, Arrow]:
    """The disc's body, and its centre, in the curve's frame."""
    track = jet_product(pose(where.bodies[disc.on]), where.matrix(disc.plane))
    X = jet_product(undone(track), pose(where.bodies[disc.body]))
    return X, at(X, where.numbers(disc.centre))


def held_by_disc(
    where: Positions, disc: DiscOnCurve, symbols: Mapping[Expr, Jet]
) -> tuple[dict[str, int], dict[str, Jet]]:
    """Values of the conditions on the position by name, and all velocities that vanish."""
    curve = Curve(disc, where.system.time)
    resting = {name: jet.at_rest() for name, jet in symbols.items()}

    def moving(vector: Sequence[Any]) -> Arrow:
        return [evaluated(as_expr(entry), resting, order=2) for entry in vector]

    r, axis = where.number(disc.radius), where.numbers(disc.axis)
    seen, centre = _seen(where, disc, resting_pose_of)
    track = jet_product(resting_pose_of(where.bodies[disc.on]), where.matrix(disc.plane))
    body = resting_pose_of(where.bodies[disc.body])
    x, y, z = ([row[k] for row in track[:3]] for k in range(3))
    t, n = along(track, moving(curve.tangent)), along(track, moving(curve.normal))
    values = {"touch": dot(minus(centre, moving(curve.place)), moving(curve.normal)) - r, "off": centre[1]}
    place = minus(at(body, where.numbers(disc.centre)), times(n, r))
    v = minus(slip_of(where, disc.body, disc.on, place), along(track, moving(curve.drift)))
    w = minus(spin(where.bodies[disc.body]), spin(where.bodies[disc.on]))
    rates = {"touch": dot(v, n), "off": dot(v, y) + dot(w, times(cross(n, y), r))}
    if not disc.slips:
        rates["along"] = dot(v, t)
    if not is_zero(disc.radius):
        turned = along(body, axis)
        upright = along(seen, axis)
        values |= {"tilt 1": upright[0], "tilt 2": upright[2]}
        rates |= {"tilt 1": dot(w, cross(turned, x)), "tilt 2": dot(w, cross(turned, z))}
    return {name: jet.x % P for name, jet in values.items()}, rates
