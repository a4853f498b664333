"""A tyre on a level road: the forces that vehicles are steered, driven and carried by.

The wheel is a thin disc that touches the plane z = 0. Slip is how fast the tyre slides on the road, for its rolling
speed; force follows slip by similarity, as for a brush of bristles: with n = |C σ| / (μ F_z),

    F = -μ F_z f(n) C σ / |C σ|

where σ is the slip along and across the wheel, C its two stiffnesses and f a curve that begins with slope one and stays
below one. Together the two components never exceed the friction that the load gives.

E. Fiala, "Seitenkräfte am rollenden Luftreifen", VDI-Zeitschrift 96 (1954); H. B. Pacejka, "Tyre and vehicle dynamics"
(2006), on the similarity method. Axes as in ISO 8855: x forward, y to the left, z up.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ...expr import Expr, as_expr, atan, maximum, minimum, sqrt, tanh
from ..body import Body, Frame
from ..records import Joint
from ..system import System

Curve = Callable[[Expr], Any]

#: A tyre in the air carries one newton and slides by a millionth, so that nothing is divided by zero.
LEAST_LOAD = 1
LEAST_SLIP = Fraction(1, 10**6)


def brush(n: Any) -> Any:
    """Fiala's curve, of a brush with a parabolic pressure: n - n²/3 + n³/27 until all bristles slide, at n = 3.

    >>> round(brush(1.0), 3), brush(5.0)
    (0.704, 1.0)
    """
    m = minimum(n, 3)
    return m - m**2 / 3 + m**3 / 27


@dataclass(frozen=True)
class Tyre:
    """A tyre, or several side by side; each number may be an expression.

    radius          from the axle to the road at rest, m
    vertical        stiffness for load, N/m
    along, across   stiffness for slip: N for the slip ratio one, N/rad for the slip angle
    friction        the largest force, as a share of the load
    curve           f(n): `tanh`, `brush`, or a table of what was measured
    slow            m/s, below which slip is softened, so that a wheel may stand still
    """

    radius: Any
    vertical: Any
    along: Any
    across: Any
    friction: Any = 1
    curve: Curve = tanh
    slow: Any = 1

    def force(self, slip_along: Any, slip_across: Any, load: Any) -> tuple[Expr, Expr]:
        """The forces along and across the wheel for its slip and load.

        >>> import polhode as ph
        >>> from polhode.expr import evaluate
        >>> F_z, slip = ph.symbols("F_z slip")
        >>> along, across = Tyre(0.3, 2e5, 9e4, 7e4).force(0, slip, F_z)
        >>> [round(force) for force in evaluate([along, across], {F_z: 4000, slip: 0.02})]
        [0, -1346]
        """
        most = as_expr(self.friction) * load
        x, y = as_expr(self.along) * slip_along / most, as_expr(self.across) * slip_across / most
        n = sqrt(x**2 + y**2 + LEAST_SLIP**2)
        pull = -most * as_expr(self.curve(n)) / n
        return pull * x, pull * y


@dataclass(frozen=True)
class Patch:
    """Where a tyre meets the road: what it carries and how it slips, as expressions of the state."""

    load: Expr
    along: Expr
    across: Expr
    slip_ratio: Expr
    slip_angle: Expr


def put_on_road(system: System, hub: Body | Frame, spin: Joint, tyre: Tyre, rest_load: Any) -> Patch:
    """Let a wheel that spins about the y axis of its hub be carried and pushed by the road.

    The road's force acts on the wheel. It is applied to the hub, which does not spin, and what it does to the spin is
    added there: the same power, and no sine of how far the wheel has turned. At rest the tyre carries `rest_load` at
    its `radius`.
    """
    up, axle = system.ground.z.express(hub), hub.y
    lean = axle & up  # the sine of the camber angle
    upright = sqrt(1 - lean**2)
    forward, left = (axle ^ up) / upright, (axle - lean * up) / upright
    height = hub.origin.position() & system.ground.z
    arm = (lean * axle - up) * (height / (1 - lean**2))  # from the axle to the road, in the plane of the wheel

    squeeze = as_expr(rest_load) / tyre.vertical + tyre.radius - height / upright
    load = maximum(tyre.vertical * squeeze, LEAST_LOAD)
    rolling = (hub.origin.velocity() + (hub.angular_velocity() ^ arm)).express(hub)
    sliding = rolling + spin.u[0] * (axle ^ arm)
    speed = sqrt((rolling & forward) ** 2 + as_expr(tyre.slow) ** 2)
    slip_along, slip_across = (sliding & forward) / speed, (sliding & left) / speed
    along, across = tyre.force(slip_along, slip_across, load)

    force = along * forward + across * left + load * up
    system.force(hub, force, at=hub.point(arm), name=f"road on {spin.child}")
    system.joint_force(spin, force & (axle ^ arm), name=f"road on {spin.child}")
    return Patch(load, along, across, -slip_along, -atan(slip_across))
