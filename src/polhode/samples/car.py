"""A passenger car of fourteen degrees of freedom: body, four wheels on suspensions, steering and tyres.

The model that M. W. Sayers' method was made for: the sprung body moves freely (6), each wheel moves up and down in the
body (4) and spins (4); the front wheels are steered as told. Axes as in ISO 8855: x forward, y to the left, z up; the
body's frame sits on the road, below its mass centre, so that all coordinates but those of place are zero at rest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from ..expr import Expr, Vector, as_expr, pi, tanh
from ..geometry import rotation
from ..model.body import Body, Frame, Shape
from ..model.joint_type import Compound, Free, Prismatic, Revolute
from ..model.records import Joint
from ..model.system import System
from .tyre import Curve, Patch, Tyre, put_on_road

#: Name, value and unit; f and r are front and rear, s the sprung body, u an unsprung hub, w a wheel.
SALOON = {
    "g": (9.81, "m/s²"), "m_s": (1400, "kg"), "I_xx": (540, "kg m²"), "I_yy": (2000, "kg m²"), "I_zz": (2200, "kg m²"),
    "a": (1.2, "m"), "b": (1.5, "m"), "h": (0.56, "m"), "half_track": (0.76, "m"),
    "m_u": (22, "kg"), "m_w": (18, "kg"), "J_w": (1.1, "kg m²"), "r_w": (0.31, "m"),
    "k_f": (26000, "N/m"), "k_r": (24000, "N/m"), "c_f": (2300, "N s/m"), "c_r": (2100, "N s/m"),
    "bar_f": (16000, "N/m"), "bar_r": (8000, "N/m"),
    "k_t": (210000, "N/m"), "C_x": (90000, "N"), "C_f": (68000, "N/rad"), "C_r": (78000, "N/rad"), "mu": (1, ""),
    "drag": (0.4, "kg/m"), "gain": (4000, "N s/m"),
}  # fmt: skip

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


def wheel_on(system: System, name: str, hub: Body | Frame, mass: Any, spin: Any, radius: Any, width: float) -> Joint:
    """A wheel that turns about the y axis of a hub; its moment across the axle is half that about it."""
    disc = Shape("cylinder", (radius, width), rotation=rotation(("x", pi / 2)))
    spoke = Shape("box", (radius * as_expr(1.3), width * 1.04, 0.08))
    body = system.body(f"{name} wheel", mass, inertia=(spin / 2, spin, spin / 2), shapes=[disc, spoke])
    return system.joint(f"{name} spin", hub, body, Revolute("y"))


#: Six coordinates of a body that moves freely, their speeds along its own axes.
FLIGHT: Mapping[str, Any] = MappingProxyType(
    {"coordinates": ["yaw", "pitch", "roll", "x", "y", "z"], "speeds": ["wx", "wy", "wz", "vx", "vy", "vz"]}
)


def car(steer: Motion = lambda t: 0, curve: Curve = tanh, speed: float = 25) -> Vehicle:
    """A car whose front wheels are steered as a function of time, and whose engine holds the speed of the input "V".

    `curve` is that of the tyres: `tanh`, `brush`, or a table of what was measured.

    >>> made = car()
    >>> equations = made.system.derive("kane")
    >>> len(equations.u), list(made.patches)
    (14, ['front left', 'front right', 'rear left', 'rear right'])
    """
    s = System("car")
    p = parameters_of(s, SALOON)
    V = s.input("V", speed, "m/s")
    a, b, w, r = p["a"], p["b"], p["half_track"], p["r_w"]
    hull = [Shape("box", (4.2, 1.7, 0.5), (-0.15, 0, 0.5)), Shape("box", (2.1, 1.45, 0.5), (-0.45, 0, 1))]
    body = s.body("body", p["m_s"], (0, 0, p["h"]), (p["I_xx"], p["I_yy"], p["I_zz"]), hull)
    flight = s.joint("flight", s.ground, body, Free("321"), **FLIGHT)

    wheels: dict[str, tuple[Body, Joint, Tyre, Expr]] = {}
    for end, x, arm, k, c, across in (
        ("front", a, b, p["k_f"], p["c_f"], p["C_f"]),
        ("rear", -b, a, p["k_r"], p["c_r"], p["C_r"]),
    ):
        rests = p["m_s"] * p["g"] * arm / (2 * (a + b))  # what a spring carries of the body
        for side, y in (("left", w), ("right", -w)):
            name = f"{end} {side}"
            hub = s.body(f"{name} hub", p["m_u"], shapes=Shape("box", (0.1, 0.1, 0.3)))
            steered = end == "front"
            travel = Compound(Prismatic("z"), Revolute("z")) if steered else Prismatic("z")
            names = {key: [name, f"{name} steer"][: 1 + steered] for key in ("coordinates", "speeds")}
            strut = s.joint(name, body, hub, travel, at=(x, y, r), **names)
            if steered:
                s.prescribe(strut, steer(s.time), index=1)
            s.joint_spring(strut, k, rest=-rests / k, damping=c)
            spin = wheel_on(s, name, hub, p["m_w"], p["J_w"], r, 0.2)
            tyre = Tyre(r, p["k_t"], p["C_x"], across, p["mu"], curve)
            wheels[name] = hub, spin, tyre, rests + (p["m_u"] + p["m_w"]) * p["g"]
    for end, bar in (("front", p["bar_f"]), ("rear", p["bar_r"])):
        left, right = s.joints[f"{end} left"].q[0], s.joints[f"{end} right"].q[0]
        s.potential(bar * (left - right) ** 2 / 2, name=f"{end} anti-roll bar")

    v_x = flight.u[3]
    s.force(body, -p["drag"] * v_x * body.centre.velocity(), at=body.centre, name="drag")
    push = p["drag"] * V**2 + p["gain"] * (V - v_x)
    for side in ("left", "right"):  # an open differential: both rear wheels get the same torque
        s.joint_force(wheels[f"rear {side}"][1], push * r / 2, name="engine")
    return Vehicle(s, {name: put_on_road(s, *parts) for name, parts in wheels.items()})


def cruising(vehicle: Vehicle, speed: float, radius: str = "r_w") -> dict[str, float]:
    """The speeds of a vehicle that rolls straight ahead: what a run starts with."""
    rate = speed / vehicle.value(radius)
    return {"vx": speed} | {f"{name} spin": rate for name in vehicle.patches}
