"""A disc on a curve: where it touches, and what keeps it there.

With c the disc's centre and P(σ), n(σ), t(σ) of the curve, all in the components of the curve's frame,

    definition of σ    (c - P)·P' = 0
    position           (c - P)·n = r,    c·y = 0,    a·x = a·z = 0 for the disc's axis a
    speed              v·t = 0, v the velocity of the disc's point at c - r n against the curve's

The definition makes the first position's rate ċ·n: where the disc touches moves along the curve only.
"""

from __future__ import annotations

from ..expr import Expr, as_expr, is_zero
from ..geometry import Pose
from ..kinematics.motion import relative_pose
from ..kinematics.tree import Tree
from ..model.constraint import Disc
from .closing import Named
from .curve import Curve
from .rolling import Contact, Moving


def curve_of_disc(disc: Disc) -> Curve:
    """The curve that a disc rolls on."""
    return Curve(disc.parameter, *disc.curve)


def _seen(disc: Disc, tree: Tree) -> Pose:
    """The pose of the disc's body in the curve's frame."""
    return disc.plane.inverse() @ relative_pose(tree, disc.on, disc.body)


def definitions_of_disc(disc: Disc, tree: Tree) -> Named:
    """What the parameter of the place of contact is: there the curve is square to the line to the disc's centre."""
    curve = curve_of_disc(disc)
    centre = _seen(disc, tree).point(disc.centre)
    return [("place", as_expr((centre - curve.place).dot(curve.slope)))]


def disc_contact(disc: Disc, moving: Moving, time: Expr) -> Contact:
    """Where a disc touches its curve, the directions in which it does not move there, and how it stays upright."""
    curve = curve_of_disc(disc)
    seen = _seen(disc, moving.tree)
    local = seen.point(disc.centre)
    track = moving.pose(disc.on) @ disc.plane
    body = moving.pose(disc.body)
    x, y, z = track.R.columns
    t, n = track.R @ curve.tangent, track.R @ curve.normal
    positions = {"touch": as_expr((local - curve.place).dot(curve.normal) - disc.radius), "off": as_expr(local[1])}
    directions = {"touch": n, "off": y} if disc.slips else {"touch": n, "off": y, "along": t}
    turns = {"off": n.cross(y) * disc.radius}  # it is the centre that stays in the plane
    if not is_zero(disc.radius):  # a bead may turn as it likes
        axis, upright = body.R @ disc.axis, seen.R @ disc.axis
        positions |= {"tilt 1": as_expr(upright[0]), "tilt 2": as_expr(upright[2])}
        turns |= {"tilt 1": axis.cross(x), "tilt 2": axis.cross(z)}
    place = body.point(disc.centre) - n * disc.radius
    return Contact(disc.body, disc.on, place, directions, positions, turns, track.R @ curve.drift(time))


def guess_of_disc(disc: Disc, tree: Tree) -> list[Expr]:
    """Where a disc touches, to begin with: below its centre, if the curve is one of heights over x."""
    return [as_expr(_seen(disc, tree).point(disc.centre)[0])] if disc.curve[0] is disc.parameter else []
