"""A chain of revolute joints as axes in the ground at home: its pose is the product of turns about them.

    X(q) = e₁(q₁) e₂(q₂) ⋯ eₙ(qₙ) M,    eᵢ(θ) x = cᵢ + R(hᵢ, θ) (x - cᵢ)

R. Brockett, Robotic manipulators and the product of exponentials formula (1984). Which axes meet and which are parallel
is decided by fingerprint.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ...dynamics.equations import EquationsOfMotion
from ...dynamics.whole import check_all_coordinates
from ...errors import PolhodeError
from ...expr import Expr, Matrix, Vector, as_expr, cos, is_zero, same, sin, substitute
from ...geometry import Pose
from ...kinematics.tree import BASE
from ...kinematics.tree_paths import path_between


@dataclass(frozen=True)
class Axis:
    """A line: its direction h, of length one, and a point c on it."""

    h: Vector
    c: Vector

    def is_parallel(self, other: Axis) -> bool:
        """Whether two lines have one direction, or opposite ones."""
        return _vanishes(self.h.cross(other.h))

    def meets(self, other: Axis) -> bool:
        """Whether two lines that are not parallel have a common point."""
        return not self.is_parallel(other) and is_zero((other.c - self.c).dot(self.h.cross(other.h)))

    def meeting(self, other: Axis) -> Vector:
        """The common point of two lines that meet."""
        across = self.h.cross(other.h)
        along = (other.c - self.c).cross(other.h).dot(across) / across.dot(across)
        return Vector([as_expr(x) for x in self.c + self.h * along])

    def passes(self, point: Vector) -> bool:
        """Whether a point lies on the line."""
        return _vanishes((point - self.c).cross(self.h))


def _vanishes(v: Vector) -> bool:
    return all(is_zero(x) for x in v)


@dataclass(frozen=True)
class Chain:
    """Axes from the ground outward, their coordinates, and the pose of the frame at home."""

    axes: tuple[Axis, ...]
    coordinates: tuple[Expr, ...]
    home: Pose

    def located(self, turns: Sequence[tuple[Any, Any]], scalar: Callable[[Any], Any] = as_expr) -> list[Vector]:
        """Position and axes of the frame for cosines and sines of the coordinates, over any scalar."""
        axes = [Axis(Vector(map(scalar, each.h)), Vector(map(scalar, each.c))) for each in self.axes]
        p, *columns = (Vector(map(scalar, each)) for each in (self.home.p, *self.home.R.T))
        for axis, (c, s) in zip(reversed(axes), reversed(turns), strict=True):
            p = axis.c + turned(axis.h, c, s, p - axis.c)
            columns = [turned(axis.h, c, s, column) for column in columns]
        return [p, *columns]


def turned(h: Vector, c: Any, s: Any, x: Vector) -> Vector:
    """R(h, θ) x for the cosine and sine of θ: x c + h × x s + h (h · x) (1 - c)."""
    made: Vector = x * c + h.cross(x) * s + h * (h.dot(x) * (1 - c))
    return made


def no_closed_form(reason: str, system: str) -> PolhodeError:
    """What has no closed form says why."""
    return PolhodeError(
        f"no closed form is known here: {reason}.",
        place=f"closed_form_inverse_kinematics of system '{system}'",
        cure="Solve by number: equations.inverse_kinematics.",
        code="E-IK-012",
    )


def chain_of(equations: EquationsOfMotion, name: str) -> Chain:
    """The joints that carry a body or frame, all of them revolute, as axes in the ground at home."""
    tree, system = equations.tree, equations.system.name
    body, within = equations.located(name)
    check_all_coordinates(equations, "inverse kinematics")
    if equations.constraints is not None and equations.constraints.rows:
        raise no_closed_form("the mechanism has constraints", system)
    if tree.quaternions:
        raise no_closed_form("the mechanism has joints with quaternions", system)
    link, in_link = tree.bodies[body]
    at, axes, coordinates = Pose.identity(), [], []
    for k in path_between(tree, BASE, link)[1:]:
        here = tree.links[k]
        if not here.coordinates and not here.speeds:
            at = at @ here.X
            continue
        (hw, hv), *more = here.H
        if more or not here.stage.speeds_are_rates or not is_zero(hw.dot(hw) - 1) or not is_zero(hw.dot(hv)):
            raise no_closed_form(f"joint '{here.joint}' is not revolute", system)
        q = tree.q[here.coordinates[0]]
        entries = substitute([as_expr(x) for x in (*here.X.p, *here.X.R.entries())], {q: as_expr(0)})
        at = at @ Pose(Matrix([entries[3:6], entries[6:9], entries[9:12]]), Vector(entries[:3]))
        axes.append(Axis(at.R @ hw, at.point(hw.cross(hv))))
        coordinates.append(q)
    made = Chain(tuple(axes), tuple(coordinates), at @ in_link @ within)
    # what follows stands on the product of exponentials: it must be the pose that the equations have
    X, parts = equations.pose(name), made.located([(cos(q), sin(q)) for q in coordinates])
    if not same([*X.p, *X.R.T.entries()], [entry for part in parts for entry in part]):
        raise no_closed_form("a joint follows another, or time", system)
    return made
