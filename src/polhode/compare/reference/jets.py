"""Vectors and poses over jets: a body on the move, its points, and the velocities of what is fixed in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...expr.field import P, hash_to_field, inverse
from .jet import Jet
from .matrices import Rows, added, jet_product, product, scaled, summed, undone
from .positions import Moving

Arrow = list[Any]  # three components: jets, or numbers that do not move


def pose_of(body: Moving) -> Rows:
    """X with its rates and variations."""
    return _matrix(body, body.X, body.Xd, body.Xdd)


def resting_pose_of(body: Moving) -> Rows:
    """X with its rates, without variations: for what is linear in velocities."""
    return [
        [Jet(*entries) for entries in zip(*rows, strict=True)] for rows in zip(body.X, body.Xd, body.Xdd, strict=True)
    ]


def rate_of(body: Moving) -> Rows:
    """Ẋ with its rate and its partial derivatives by the speeds, which are the variations of X."""
    return _matrix(body, body.Xd, body.Xdd, None)


def _matrix(body: Moving, x: Rows, d: Rows, dd: Rows | None) -> Rows:
    moved: dict[int, Rows] = {}
    for column in body.columns:
        if column.speed is not None:
            own = scaled(product(column.S, body.X), column.factor)
            moved[column.speed] = added(moved[column.speed], own) if column.speed in moved else own
    made: Rows = []
    for i in range(4):
        row = []
        for j in range(4):
            vary = {speed: entry for speed, own in moved.items() if (entry := own[i][j])}
            row.append(Jet(x[i][j], d[i][j], 0 if dd is None else dd[i][j], vary))
        made.append(row)
    return made


def at(X: Rows, point: Sequence[Any]) -> Arrow:
    """R r + p."""
    return [summed([*(x * r for x, r in zip(row, point, strict=False)), row[3]]) for row in X[:3]]


def along(X: Rows, vector: Sequence[Any]) -> Arrow:
    """R v."""
    return [summed([x * v for x, v in zip(row, vector, strict=False)]) for row in X[:3]]


def material_velocity(body: Moving, place: Sequence[Any]) -> Arrow:
    """The velocity of the body's point that is at a place of the ground: Ẋ X⁻¹ P, whatever the place itself does."""
    return at(rate_of(body), at(undone(resting_pose_of(body)), place))


def spin(body: Moving) -> Arrow:
    """The angular velocity, out of Ṙ Rᵀ."""
    turned = undone(resting_pose_of(body))
    W = jet_product([row[:3] for row in rate_of(body)[:3]], [row[:3] for row in turned[:3]])
    return [W[2][1], W[0][2], W[1][0]]


def dot(a: Sequence[Any], b: Sequence[Any]) -> Any:
    return summed([x * y for x, y in zip(a, b, strict=True)])


def minus(a: Sequence[Any], b: Sequence[Any]) -> Arrow:
    return [x - y for x, y in zip(a, b, strict=True)]


def times(a: Sequence[Any], factor: Any) -> Arrow:
    return [x * factor for x in a]


def cross(a: Sequence[Any], b: Sequence[Any]) -> Arrow:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def angle_of(y: Jet, x: Jet) -> Jet:
    """atan2(y, x), of which the graph knows the rates: (x ẏ - y ẋ)/(x² + y²)."""
    part = inverse((x.x * x.x + y.x * y.x) % P)
    turning = x.x * y.d - y.x * x.d
    spread = 2 * (x.x * x.d + y.x * y.d)
    dd = (x.x * y.dd - y.x * x.dd) * part - turning * spread * part * part
    keys = {*x.vary, *y.vary}
    vary = {i: (x.x * y.vary.get(i, 0) - y.x * x.vary.get(i, 0)) * part % P for i in keys}
    return Jet(hash_to_field("atan2", y.x, x.x), turning * part % P, dd % P, vary)
