"""What vehicles have in common: a body that moves freely, parameters by table, wheels, how they start."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from ...expr import Expr, Vector, as_expr, pi
from ...geometry import rotation
from ..body import Body, Frame, Shape
from ..joints import Revolute
from ..records import Joint
from ..system import System
from .tyre import Patch

Motion = Callable[[Expr], Any]


@dataclass(frozen=True)
class Vehicle:
    """A vehicle's mechanism, and where each of its tyres meets the road, by the name of the wheel."""

    system: System
    patches: Mapping[str, Patch]

    def value(self, parameter: str) -> float:
        """The number that a parameter has by default."""
        return float(self.system.parameters[parameter].value or 0)


def parameters_of(system: System, table: Mapping[str, tuple[Any, str]]) -> dict[str, Expr]:
    """The parameters of a table, by name; gravity is the one called g, downward."""
    made = {name: system.parameter(name, value, unit) for name, (value, unit) in table.items()}
    system.gravity = Vector([as_expr(0), as_expr(0), -made["g"]])
    return made


def wheel_on(system: System, name: str, hub: Body | Frame, mass: Any, moments: tuple[Any, Any], radius: Any) -> Joint:
    """A wheel that turns about the y axis of a hub; its moments are those about its axle and across it."""
    axle, across = moments
    disc = Shape("cylinder", (radius, radius * as_expr(0.65)), rotation=rotation(("x", pi / 2)))
    spoke = Shape("box", (radius * as_expr(1.3), radius * as_expr(0.68), 0.08))
    body = system.body(f"{name} wheel", mass, inertia=(across, axle, across), shapes=[disc, spoke])
    return system.joint(f"{name} spin", hub, body, Revolute("y"))


#: Six coordinates of a body that moves freely, their speeds along its own axes.
FLIGHT: Mapping[str, Any] = MappingProxyType(
    {"coordinates": ["yaw", "pitch", "roll", "x", "y", "z"], "speeds": ["wx", "wy", "wz", "vx", "vy", "vz"]}
)


def cruising(vehicle: Vehicle, speed: float, radius: str = "r_w") -> dict[str, float]:
    """The speeds of a vehicle that rolls straight ahead: what a run starts with."""
    rate = speed / vehicle.value(radius)
    return {"vx": speed} | {f"{name} spin": rate for name in vehicle.patches}
