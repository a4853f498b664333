"""A passenger car of fourteen degrees of freedom: body, four wheels on suspensions, steering and tyres.

The model that M. W. Sayers' method was made for: the sprung body moves freely (6), each wheel moves up and down in the
body (4) and spins (4); the front wheels are steered as told. Axes as in ISO 8855: x forward, y to the left, z up; the
body's frame sits on the road, below its mass centre, so that all coordinates but those of place are zero at rest.
"""

from __future__ import annotations

from ...expr import Expr, tanh
from ..body import Body, Shape
from ..joints import Compound, Free, Prismatic, Revolute
from ..records import Joint
from ..system import System
from .tyre import Curve, Tyre, put_on_road
from .vehicle import FLIGHT, Motion, Vehicle, parameters_of, wheel_on

#: Name, value and unit; f and r are front and rear, s the sprung body, u an unsprung hub, w a wheel.
SALOON = {
    "g": (9.81, "m/s²"), "m_s": (1400, "kg"), "I_xx": (540, "kg m²"), "I_yy": (2000, "kg m²"), "I_zz": (2200, "kg m²"),
    "a": (1.2, "m"), "b": (1.5, "m"), "h": (0.56, "m"), "half_track": (0.76, "m"),
    "m_u": (22, "kg"), "m_w": (18, "kg"), "J_w": (1.1, "kg m²"), "I_w": (0.6, "kg m²"), "r_w": (0.31, "m"),
    "k_f": (26000, "N/m"), "k_r": (24000, "N/m"), "c_f": (2300, "N s/m"), "c_r": (2100, "N s/m"),
    "bar_f": (16000, "N/m"), "bar_r": (8000, "N/m"),
    "k_t": (210000, "N/m"), "C_x": (90000, "N"), "C_f": (60000, "N/rad"), "C_r": (80000, "N/rad"), "mu": (1, ""),
    "drag": (0.4, "kg/m"), "gain": (4000, "N s/m"),
}  # fmt: skip


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
            spin = wheel_on(s, name, hub, p["m_w"], (p["J_w"], p["I_w"]), r)
            tyre = Tyre(r, p["k_t"], p["C_x"], across, p["mu"], curve)
            wheels[name] = hub, spin, tyre, rests + (p["m_u"] + p["m_w"]) * p["g"]
    for end, bar in (("front", p["bar_f"]), ("rear", p["bar_r"])):
        left, right = s.joints[f"{end} left"].q[0], s.joints[f"{end} right"].q[0]
        s.potential(bar * (left - right) ** 2 / 2, name=f"{end} anti-roll bar")

    v_x = flight.u[3]
    s.force(body, body.centre.velocity() * (-p["drag"] * v_x), at=body.centre, name="drag")
    push = p["drag"] * V**2 + p["gain"] * (V - v_x)
    for side in ("left", "right"):  # an open differential: both rear wheels get the same torque
        s.joint_force(wheels[f"rear {side}"][1], push * r / 2, name="engine")
    return Vehicle(s, {name: put_on_road(s, *parts) for name, parts in wheels.items()})
