"""Vehicles: a car, a bicycle, a tractor with semitrailer, a tracked vehicle; and tyres.

A passenger car of fourteen degrees of freedom: body, four wheels on suspensions, steering and tyres.

The model that M. W. Sayers' method was made for: the sprung body moves freely (6), each wheel moves up and down in the
body (4) and spins (4); the front wheels are steered. Axes as in ISO 8855: x forward, y to the left, z up; the body's
frame sits on the road, below its mass centre, so that all coordinates but those of place are zero at rest.

The Whipple bicycle with the parameters of the benchmark.

J. P. Meijaard, J. M. Papadopoulos, A. Ruina and A. L. Schwab, "Linearized dynamics equations for the balance and steer
of a bicycle: a benchmark and review", Proc. R. Soc. A 463 (2007). Axes as there: x forward, y to the right, z down.

A tractor and semitrailer of twenty-eight degrees of freedom, on five rigid axles.

The tractor moves freely (6); the fifth wheel lets the trailer yaw and pitch on it (2) but carries its roll; each axle
moves up and down and rolls (10); each wheel, or pair of twin wheels, spins (10); the front wheels are
steered. Both frames sit on the road: the tractor's below its mass centre, the trailer's below the kingpin.

A tyre on a level road: the forces that vehicles are steered, driven and carried by.

The wheel is a thin disc that touches the plane z = 0. Slip is how fast the tyre slides on the road, for its rolling
speed; force follows slip by similarity, as for a brush of bristles: with n = |C σ| / (μ F_z),

    F = -μ F_z f(n) C σ / |C σ|

where σ is the slip along and across the wheel, C its two stiffnesses and f a curve that begins with slope one and stays
below one. Together the two components never exceed the friction that the load gives.

E. Fiala, "Seitenkräfte am rollenden Luftreifen", VDI-Zeitschrift 96 (1954); H. B. Pacejka, "Tyre and vehicle dynamics"
(2006), on the similarity method. Axes as in ISO 8855: x forward, y to the left, z up.

A tracked vehicle on ten road wheels, with a rigid or a flexible hull, that drives over an obstacle.

The largest model of H. G. Kwatny and G. L. Blankenship, "Symbolic construction of models for multibody dynamics", IEEE
Transactions on Robotics and Automation 11 (1995), was a tracked vehicle of fifteen degrees of freedom with ten road
wheels and a flexible hull. They do not list the fifteen. Our reading: heave, pitch and roll of the hull (3), ten
trailing arms (10), two bending modes (2); the forward motion is prescribed, x = V t, and wheels do not spin. The
numbers are round ones of the size of a light armoured carrier.

    arms    torsion bar, rotary damper, and progressive stops: k_stop times the square of what is beyond q_bump, q_drop
    ground  N = max(d, 0) max(k_g + c_g ḋ, 0), with d = h(x) + r_w - z how deep a wheel is in the ground below its axle;
            the force is N (-h'(x), 0, 1), across the ground: without damping it has the potential ½ k_g d²
    track   spans between neighbouring wheels, and from the outer ones to sprocket and idler: T = max(T_0 + k_T ΔL, 0)

The track has no mass and no bending stiffness: it acts on the wheels by tension alone, as the super-element of M. K.
McCullough and E. J. Haug, "Dynamics of high mobility track vehicles", Journal of Mechanisms, Transmissions, and
Automation in Design 108 (1986). A. Dhir and S. Sankar, Journal of Dynamic Systems, Measurement, and Control 116 (1994)
764, too, take track loads from initial tension and stretch of the belt, at constant forward speed; their wheels are
continuous radial springs, while ours touch the ground at one point. A belt that ran freely over its wheels would have
one tension; here each span stretches by itself, as if the track stuck to the wheels.

Axes as in ISO 8855: x forward, y to the left, z up. All coordinates are zero at rest with a rigid hull; a flexible one
sags a little, as `equations.equilibrium()` finds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ...expr import Expr, Vector, as_expr, atan, maximum, minimum, pi, sqrt, tanh
from ...geometry import rotation
from ..body import Body, Frame, Shape
from ..joints import Compound, Free, Prismatic, Revolute
from ..records import Joint
from ..system import System

if TYPE_CHECKING:
    from ...kinematics.vectors import Point

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
    """A car, front wheels steered in time, its speed held at the input "V"; `curve` is that of the tyres."""
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


#: Table 1 of the paper: name, value, unit.
BENCHMARK = {
    "w": (1.02, "m"), "c": (0.08, "m"), "v": (5, "m/s"), "g": (9.81, "m/s²"),
    "r_R": (0.3, "m"), "m_R": (2, "kg"), "IR_xx": (0.0603, "kg m²"), "IR_yy": (0.12, "kg m²"),
    "x_B": (0.3, "m"), "z_B": (-0.9, "m"), "m_B": (85, "kg"), "IB_xx": (9.2, "kg m²"), "IB_yy": (11, "kg m²"),
    "IB_zz": (2.8, "kg m²"), "IB_xz": (2.4, "kg m²"),
    "x_H": (0.9, "m"), "z_H": (-0.7, "m"), "m_H": (4, "kg"), "IH_xx": (0.05892, "kg m²"),
    "IH_yy": (0.06, "kg m²"), "IH_zz": (0.00708, "kg m²"), "IH_xz": (-0.00756, "kg m²"),
    "r_F": (0.35, "m"), "m_F": (3, "kg"), "IF_xx": (0.1405, "kg m²"), "IF_yy": (0.28, "kg m²"),
}  # fmt: skip

#: The speeds that the paper takes as independent: lean, steer and the spin of the rear wheel.
INDEPENDENT = ("lean rate", "rear spin", "steer")


def whipple_bicycle() -> System:
    """Rear frame with rider, front frame (steer axis tilted by π/10) and two thin wheels that roll without slip."""
    s = System("Whipple bicycle")
    p = {name: s.parameter(name, value, unit) for name, (value, unit) in BENCHMARK.items()}
    s.gravity = Vector([as_expr(0), as_expr(0), p["g"]])
    w, c, r_R, r_F = p["w"], p["c"], p["r_R"], p["r_F"]
    tilt = rotation(("y", pi / 10))
    down = rotation(("x", pi))  # the ground's normal points up, the axes' z down

    tyre_R = Shape("cylinder", (r_R, 0.04), rotation=rotation(("x", pi / 2)))
    tyre_F = Shape("cylinder", (r_F, 0.04), rotation=rotation(("x", pi / 2)))
    rider = Shape("box", (0.35, 0.3, 0.9), (p["x_B"], 0, p["z_B"] + r_R))
    bars = Shape("box", (0.1, 0.5, 0.1), (p["x_H"] - w - c, 0, p["z_H"]))
    rear_inertia = (p["IB_xx"], p["IB_yy"], p["IB_zz"], 0, p["IB_xz"], 0)
    fork_inertia = (p["IH_xx"], p["IH_yy"], p["IH_zz"], 0, p["IH_xz"], 0)
    frame = s.body("rear frame", p["m_B"], (p["x_B"], 0, p["z_B"] + r_R), rear_inertia, rider)
    rear = s.body("rear wheel", p["m_R"], inertia=(p["IR_xx"], p["IR_yy"], p["IR_xx"]), shapes=tyre_R)
    fork = s.body("front frame", p["m_H"], (p["x_H"] - w - c, 0, p["z_H"]), fork_inertia, bars)
    front = s.body("front wheel", p["m_F"], inertia=(p["IF_xx"], p["IF_yy"], p["IF_xx"]), shapes=tyre_F)

    six = Compound(*(Prismatic(axis) for axis in "xyz"), Revolute("z"), Revolute("x"), Revolute("y"))
    s.joint(
        "rear hub", s.ground, frame, six, coordinates=["x", "y", "z", "yaw", "lean", "pitch"],
        speeds=["x rate", "y rate", "z rate", "yaw rate", "lean rate", "pitch rate"],
    )  # fmt: skip
    s.joint("rear spin", frame, rear, Revolute("y"))
    # The steer axis meets the ground a trail c ahead of the front contact; the front frame's own frame is there, level.
    s.joint("steer", frame, fork, Revolute("z"), at=(w + c, 0, r_R), rotation=tilt, child_rotation=tilt)
    s.joint("front spin", fork, front, Revolute("y"), at=(-c, 0, -r_F))
    s.roll_wheel("rear contact", rear, r_R, "y", rotation=down)
    s.roll_wheel("front contact", front, r_F, "y", rotation=down)
    return s


def upright(bicycle: System) -> dict[str, object]:
    """The steady motion that the benchmark linearizes about: upright and straight at speed v."""
    p = {name: entry.symbol for name, entry in bicycle.parameters.items()}
    return {"z": -p["r_R"], "d(rear spin)": -p["v"] / p["r_R"]}


#: Name, value and unit; 1 is the tractor, 2 the trailer, f, r and t its steered, driven and trailing axles.
LORRY = {
    "g": (9.81, "m/s²"), "m1": (6000, "kg"), "m2": (30000, "kg"), "h1": (1.1, "m"), "h2": (1.9, "m"),
    "I1_xx": (4500, "kg m²"), "I1_yy": (18000, "kg m²"), "I1_zz": (20000, "kg m²"),
    "I2_xx": (38000, "kg m²"), "I2_yy": (390000, "kg m²"), "I2_zz": (400000, "kg m²"),
    "a": (1.2, "m"), "b": (2.5, "m"), "fifth": (1.9, "m"), "h5": (1.2, "m"),
    "d": (5.6, "m"), "e": (7.7, "m"), "spacing": (1.31, "m"), "half_track": (1.0, "m"), "r_w": (0.5, "m"),
    "m_f": (420, "kg"), "m_r": (700, "kg"), "m_t": (480, "kg"), "I_a": (320, "kg m²"),
    "mw_f": (95, "kg"), "mw_r": (180, "kg"), "mw_t": (110, "kg"), "J_w": (13, "kg m²"), "I_w": (8, "kg m²"),
    "k_f": (380000, "N/m"), "k_r": (500000, "N/m"), "k_t": (420000, "N/m"),
    "roll_f": (250000, "N m/rad"), "roll_r": (700000, "N m/rad"), "roll_t": (650000, "N m/rad"),
    "c_f": (30000, "N s/m"), "c_r": (45000, "N s/m"), "c_t": (40000, "N s/m"),
    "tyre_f": (1.0e6, "N/m"), "tyre_r": (1.8e6, "N/m"), "tyre_t": (1.1e6, "N/m"),
    "C_f": (170000, "N/rad"), "C_r": (330000, "N/rad"), "C_t": (230000, "N/rad"), "mu": (0.8, ""),
    "drag": (3, "kg/m"), "gain": (15000, "N s/m"),
}  # fmt: skip


@dataclass(frozen=True)
class Axle:
    """A rigid axle: its position on its carrier, the load on its springs, and its parameters."""

    name: str
    kind: str
    carrier: Body
    x: Any
    rests: Any


def axles(p: dict[str, Expr], tractor: Body, trailer: Body) -> Iterator[Axle]:
    """The five axles; the trailer's share its load, and the kingpin brings the rest to the tractor."""
    g, wheelbase = p["g"], p["a"] + p["b"]
    kingpin = p["m2"] * g * (p["e"] - p["d"]) / p["e"]
    steered = (p["m1"] * g * p["b"] + kingpin * (p["b"] - p["fifth"])) / wheelbase
    yield Axle("steer", "f", tractor, p["a"], steered)
    yield Axle("drive", "r", tractor, -p["b"], p["m1"] * g + kingpin - steered)
    for side, name in ((1, "first"), (0, "second"), (-1, "third")):
        yield Axle(name, "t", trailer, side * p["spacing"] - p["e"], (p["m2"] * g - kingpin) / 3)


def semitrailer(steer: Motion = lambda t: 0, curve: Curve = tanh, speed: float = 20) -> Vehicle:
    """A tractor with a semitrailer, steered in time, its speed held at "V"; "brake" is the torque on a driven wheel."""
    s = System("semitrailer")
    p = parameters_of(s, LORRY)
    V, brake = s.input("V", speed, "m/s"), s.input("brake", 0, "N m")
    cab = [Shape("box", (2.0, 2.4, 2.6), (0.9, 0, 2.2)), Shape("box", (5.4, 1.0, 0.3), (-0.7, 0, 0.85))]
    load = [Shape("box", (13.2, 2.5, 2.7), (-5.3, 0, 2.6)), Shape("box", (12.5, 1.0, 0.25), (-5.3, 0, 1.1))]
    tractor = s.body("tractor", p["m1"], (0, 0, p["h1"]), (p["I1_xx"], p["I1_yy"], p["I1_zz"]), cab)
    trailer = s.body("trailer", p["m2"], (-p["d"], 0, p["h2"]), (p["I2_xx"], p["I2_yy"], p["I2_zz"]), load)
    flight = s.joint("flight", s.ground, tractor, Free("321"), **FLIGHT)
    names = ["articulation", "trailer pitch"]
    plate = Compound(Revolute("z"), Revolute("y"))
    at, child_at = (-p["fifth"], 0, p["h5"]), (0, 0, p["h5"])
    s.joint("fifth wheel", tractor, trailer, plate, at=at, child_at=child_at, coordinates=names, speeds=names)

    wheels: dict[str, tuple[Body | Frame, Joint, Tyre, Expr]] = {}
    for axle in axles(p, tractor, trailer):
        wheels |= _mounted(s, p, axle, steer, curve)
    v_x = flight.u[3]
    s.force(tractor, tractor.centre.velocity() * (-p["drag"] * v_x), at=tractor.centre, name="drag")
    push = p["drag"] * V**2 + p["gain"] * (V - v_x)
    for side in ("left", "right"):
        spin = wheels[f"drive {side}"][1]
        s.joint_force(spin, push * p["r_w"] / 2 - brake * tanh(spin.u[0]), name="engine and brake")
    return Vehicle(s, {name: put_on_road(s, *parts) for name, parts in wheels.items()})


def _mounted(
    s: System, p: dict[str, Expr], axle: Axle, steer: Motion, curve: Curve
) -> dict[str, tuple[Body | Frame, Joint, Tyre, Expr]]:
    """An axle with springs, dampers and two wheels: for each wheel its hub, its spin, its tyre and its load."""
    kind, w, r = axle.kind, p["half_track"], p["r_w"]
    beam = s.body(axle.name, p[f"m_{kind}"], inertia=(p["I_a"], 0, p["I_a"]), shapes=Shape("box", (0.15, 2.0, 0.15)))
    names = [f"{axle.name} heave", f"{axle.name} roll"]
    travel = Compound(Prismatic("z"), Revolute("x"))
    strut = s.joint(axle.name, axle.carrier, beam, travel, at=(axle.x, 0, r), coordinates=names, speeds=names)
    s.joint_spring(strut, p[f"k_{kind}"], rest=-axle.rests / p[f"k_{kind}"], damping=p[f"c_{kind}"])
    s.joint_spring(strut, p[f"roll_{kind}"], damping=p[f"c_{kind}"] * w**2 / 4, index=1)
    wheels: dict[str, tuple[Body | Frame, Joint, Tyre, Expr]] = {}
    for side, y in (("left", w), ("right", -w)):
        name = f"{axle.name} {side}"
        hub: Body | Frame
        if kind == "f":
            hub = s.body(f"{name} knuckle", shapes=Shape("box", (0.2, 0.2, 0.2)))
            s.prescribe(s.joint(f"{name} steer", beam, hub, Revolute("z"), at=(0, y, 0)), steer(s.time))
        else:
            hub = s.frame(f"{name} hub", beam, at=(0, y, 0))
        spin = wheel_on(s, name, hub, p[f"mw_{kind}"], (p["J_w"], p["I_w"]), r)
        tyre = Tyre(r, p[f"tyre_{kind}"], p[f"C_{kind}"], p[f"C_{kind}"], p["mu"], curve)
        wheels[name] = hub, spin, tyre, axle.rests / 2 + (p[f"m_{kind}"] / 2 + p[f"mw_{kind}"]) * p["g"]
    return wheels


def steady_turn(vehicle: Vehicle, speed: float, steer: float) -> tuple[float, float, float]:
    """Sideways speed, yaw rate and articulation in a steady turn, by the linear model of text books.

    Tyres push with C times their slip angle, everything is accelerated by V r. The forces on both units, the moments on
    the tractor about the kingpin and those on the trailer about it balance:

        Σ F = Σ m V r,   Σ F (x + f) = Σ m (x + f) V r,   Σ F x = Σ m x V r

    with f from the tractor's mass centre back to the kingpin.
    """
    import numpy as np

    p = {name: vehicle.value(name) for name in LORRY}
    V, f = speed, p["fifth"]
    unsprung = {kind: p[f"m_{kind}"] + 2 * p[f"mw_{kind}"] for kind in "frt"}
    masses = [(p["m1"], f, 1), (unsprung["f"], p["a"] + f, 1), (unsprung["r"], f - p["b"], 1), (p["m2"], -p["d"], 2)]
    tyres = [(2 * p["C_f"], p["a"] + f, 1, steer), (2 * p["C_r"], f - p["b"], 1, 0.0)]
    for side in (1, 0, -1):
        x = side * p["spacing"] - p["e"]
        masses.append((unsprung["t"], x, 2))
        tyres.append((2 * p["C_t"], x, 2, 0.0))
    A, right = np.zeros((3, 3)), np.zeros(3)  # unknown: sideways speed v, yaw rate r, articulation
    for C, x, unit, turned in tyres:  # x from the kingpin, which moves sideways by v - f r
        force = -C * np.array([1 / V, (x - f) / V, -1.0 if unit == 2 else 0.0])
        for row, arm in ((0, 1.0), (unit, x)):
            A[row] += arm * force
            right[row] -= arm * C * turned
    for m, x, unit in masses:
        for row, arm in ((0, 1.0), (unit, x)):
            A[row, 1] -= arm * m * V
    v, r, articulation = np.linalg.solve(A, right)
    return float(v), float(r), float(articulation)


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
    symbols = {name: system.parameter(name, value, unit) for name, (value, unit) in table.items()}
    system.gravity = Vector([as_expr(0), as_expr(0), -symbols["g"]])
    return symbols


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
    """The speeds of a vehicle that rolls straight ahead, for the start of a run."""
    rate = speed / vehicle.value(radius)
    return {"vx": speed} | {f"{name} spin": rate for name in vehicle.patches}


Curve = Callable[[Expr], Any]

#: A tyre in the air carries one newton and slides by a millionth, so that nothing is divided by zero.
LEAST_LOAD = 1
LEAST_SLIP = Fraction(1, 10**6)


def brush(n: Any) -> Any:
    """Fiala's curve, of a brush with a parabolic pressure: n - n²/3 + n³/27 until all bristles slide, at n = 3."""
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
        """The forces along and across the wheel for its slip and load."""
        most = as_expr(self.friction) * load
        x, y = as_expr(self.along) * slip_along / most, as_expr(self.across) * slip_across / most
        n = sqrt(x**2 + y**2 + LEAST_SLIP**2)
        pull = -most * as_expr(self.curve(n)) / n
        return pull * x, pull * y


@dataclass(frozen=True)
class Patch:
    """A tyre's contact with the road: its load and slip, as expressions of the state."""

    load: Expr
    along: Expr
    across: Expr
    slip_ratio: Expr
    slip_angle: Expr


def put_on_road(system: System, hub: Body | Frame, spin: Joint, tyre: Tyre, rest_load: Any) -> Patch:
    """Apply the road's force on a wheel, which spins about y of its hub, to the hub, and its moment to the spin."""
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


#: Name, value and unit; w is a road wheel with its arm, stop the stops of an arm, g the ground, T the track.
CARRIER = {
    "g": (9.81, "m/s²"), "V": (8, "m/s"), "m": (9000, "kg"), "L": (4.8, "m"), "half_breadth": (0.9, "m"),
    "EI": (2e7, "N m²"), "zeta": (0.02, ""),
    "m_w": (110, "kg"), "r_w": (0.3, "m"), "reach": (0.3, "m"), "drop": (0.12, "m"), "spacing": (0.66, "m"),
    "depth": (0.35, "m"), "half_track": (1.1, "m"),
    "k": (15000, "N m/rad"), "c": (1200, "N m s/rad"), "q_bump": (0.45, "rad"), "q_drop": (-0.3, "rad"),
    "k_stop": (4e5, "N m/rad²"),
    "k_g": (8e5, "N/m"), "c_g": (4e5, "N s/m²"), "T_0": (9000, "N"), "k_T": (4e5, "N/m"), "end": (2, "m"),
    "x_0": (6, "m"), "half_length": (1, "m"), "h_left": (0.25, "m"), "h_right": (0.25, "m"),
}  # fmt: skip


@dataclass(frozen=True)
class TrackedVehicle:
    """A tracked vehicle's mechanism, and the load of each wheel and the tension of each span as expressions."""

    system: System
    loads: Mapping[str, Expr]
    tensions: Mapping[str, Expr]


def bump(s: Any) -> tuple[Any, Any]:
    """The obstacle and its slope over s = (x - x_0) / half_length, for the height one: (1 - s²)² between -1 and 1."""
    inside = maximum(1 - s**2, 0)
    return inside**2, -4 * s * inside


#: Shapes of a free beam over s = 2 x / L, one at its ends, and ∫ w''² ds: w'' is 35/8 (1 - s²)² and 315/8 s (1 - s²)².
#: They leave mass centre and mean slope at rest; their frequencies are 0.01 % and 0.2 % above those of the beam.
BENDING: tuple[tuple[Callable[[Any], Any], Fraction], ...] = (
    (lambda s: (7 * s**6 - 35 * s**4 + 105 * s**2 - 29) / 48, Fraction(140, 9)),
    (lambda s: (15 * s**7 - 63 * s**5 + 105 * s**3 - 41 * s) / 16, Fraction(1260, 11)),
)


def tracked_vehicle(flexible: bool = True) -> TrackedVehicle:
    """A tracked vehicle that drives at the speed V over an obstacle, h_left and h_right high under its tracks."""
    s = System("tracked vehicle")
    p = parameters_of(s, CARRIER)
    hull, section = (_flexible_hull if flexible else _rigid_hull)(s, p)
    load = (p["m"] / 10 + p["m_w"]) * p["g"]  # of each wheel at rest
    height = p["depth"] + p["drop"] + p["r_w"] - load / p["k_g"]
    ride = Compound(Prismatic("x"), Prismatic("z"), Revolute("y"), Revolute("x"))
    names = ["x", "heave", "pitch", "roll"]
    s.prescribe(
        s.joint("ride", s.ground, hull, ride, at=(0, 0, height), coordinates=names, speeds=names), p["V"] * s.time
    )
    sides = {"left": p["half_track"], "right": -p["half_track"]}
    arms = {
        f"{side} {number}": _arm(s, p, f"{side} {number}", section((3 - number) * p["spacing"] + p["reach"]), y, load)
        for number in range(1, 6)
        for side, y in sides.items()
    }
    tensions: dict[str, Expr] = {}
    for side, y in sides.items():
        sprocket, idler = (section(x).point((0, y, 0)) for x in (p["end"], -p["end"]))
        chain = [sprocket, *(arms[f"{side} {number}"].centre for number in range(1, 6)), idler]
        tensions |= {f"{side} {k}": _span(s, p, f"{side} track {k}", *ends) for k, ends in enumerate(pairwise(chain))}
    _draw(s, p, section)
    loads = {name: _on_ground(s, p, name, arm, p[f"h_{name.split()[0]}"]) for name, arm in arms.items()}
    return TrackedVehicle(s, loads, tensions)


def _rigid_hull(s: System, p: dict[str, Expr]) -> tuple[Body, Callable[[Expr], Frame]]:
    """The hull as a rigid body, and frames at its cross-sections."""
    m, L, b = p["m"], p["L"], p["half_breadth"]
    hull = s.body("hull", m, inertia=(m * b**2, m * L**2 / 12, m * (b**2 + L**2 / 12)))
    return hull, cache(lambda x: s.frame(f"hull at {x}", hull, at=(x, 0, 0)))


def _flexible_hull(s: System, p: dict[str, Expr]) -> tuple[Body, Callable[[Expr], Body]]:
    """The hull as two bars that bend, and its cross-sections, which stay plane and across the bars."""
    m, L, b = p["m"], p["L"], p["half_breadth"]
    hull = s.flexible_body(
        "hull",
        shapes=[lambda x, y, z, w=w: (-z * w(2 * x / L).diff(x), 0, w(2 * x / L)) for w, _ in BENDING],
        material=[(m / 2, (-L / 2, y, 0), (L / 2, y, 0)) for y in (b, -b)],
        stiffness=[8 * integral * p["EI"] / L**3 for _, integral in BENDING],
        damping=p["zeta"],
    )
    return hull, lambda x: hull.at((x, 0, 0))


def _outer_span(p: dict[str, Expr]) -> tuple[Expr, Expr, Expr]:
    """From an outer wheel to sprocket or idler at rest: how far outward, how far up, and how long."""
    out, up = p["end"] - 2 * p["spacing"], p["depth"] + p["drop"]
    return out, up, sqrt(out**2 + up**2)


def _arm(s: System, p: dict[str, Expr], name: str, mount: Body | Frame, y: Expr, load: Expr) -> Body:
    """A trailing arm with its wheel; the torsion bar is wound so that it carries the load, and the track's pull."""
    reach, drop, r = p["reach"], p["drop"], p["r_w"]
    at, flat = (-reach, 0, -drop), rotation(("x", pi / 2))
    disc = Shape("cylinder", (r - 0.05, 0.2), at, flat, "#2f3236")  # inside the track, which is 0.05 m thick
    tilt = rotation(("y", -atan(drop / reach)))
    bar = Shape("box", (sqrt(reach**2 + drop**2), 0.3, 0.08), (-reach / 2, 0, -drop / 2), tilt, "#8a8f96")
    arm = s.body(f"{name} wheel", p["m_w"], at, shapes=[disc, bar])
    joint = s.joint(name, mount, arm, Revolute("y"), at=(0, y, -p["depth"]))
    outer = {"1": 1, "5": -1}.get(name[-1], 0)
    out, up, length = _outer_span(p)
    pull = p["T_0"] / length
    along, lift = outer * (out - length) * pull, load - p["m_w"] * p["g"] + abs(outer) * up * pull
    s.joint_spring(joint, p["k"], rest=(drop * along - reach * lift) / p["k"], damping=p["c"])
    q = joint.q[0]
    beyond = maximum(q - p["q_bump"], 0) ** 2 - maximum(p["q_drop"] - q, 0) ** 2
    s.joint_force(joint, -p["k_stop"] * beyond, name=f"{name} stops")
    return arm


def _span(s: System, p: dict[str, Expr], name: str, a: Point, b: Point) -> Expr:
    """Stretch a span of the track between two points; its tension, with the length written by the coordinates."""
    length = _outer_span(p)[2] if name[-1] in "05" else p["spacing"]

    def law(now: Any, rate: Any = 0) -> Any:
        return maximum(p["T_0"] + p["k_T"] * (now - length), 0)

    s.line_force(a, b, law, name=name)
    path = b.position() - a.position()
    tension: Expr = law(sqrt(path & path))
    return tension


def _on_ground(s: System, p: dict[str, Expr], name: str, arm: Body, top: Expr) -> Expr:
    """Put a wheel on the ground, with an obstacle of this height; the load that it carries."""
    at, v = arm.centre.position(), arm.centre.velocity()
    height, slope = bump(((at & s.ground.x) - p["x_0"]) / p["half_length"])
    slope = slope * top / p["half_length"]
    depth, rate = top * height + p["r_w"] - (at & s.ground.z), slope * (v & s.ground.x) - (v & s.ground.z)
    load: Expr = maximum(depth, 0) * maximum(p["k_g"] + p["c_g"] * rate, 0)
    s.force(arm, (-slope * load, 0, load), at=arm.com, name=f"ground on {name}")
    return load


def _draw(s: System, p: dict[str, Expr], section: Callable[[Expr], Body | Frame]) -> None:
    """Give shapes to the hull, a slab at each of its cross-sections, and to the ground, the obstacle in strips."""
    b, w, flat = p["half_breadth"], p["half_track"], rotation(("x", pi / 2))
    shapes: dict[str, list[Shape]] = {"hull": [Shape("box", (0.8, 0.8, 0.3), (0.6, 0, 0.75), color="#6d7f5c")]}
    places = [p["end"], *((3 - number) * p["spacing"] + p["reach"] for number in range(1, 6)), -p["end"]]
    edges = [p["L"] / 2, *((x + y) / 2 for x, y in pairwise(places)), -p["L"] / 2]
    for number, (x, (front, rear)) in enumerate(zip(places, pairwise(edges), strict=True)):
        on = section(x)
        name, zero = (on.body, 0) if isinstance(on, Frame) else (on.name, x)
        mid, long = (front + rear) / 2 - zero, front - rear
        slab = shapes.setdefault(name, [])
        slab.append(Shape("box", (long, 2 * b, 0.5), (mid, 0, -0.1), color="#55634a"))
        slab.append(Shape("box", (long, 2.5 * b, 0.5), (mid, 0, 0.4), color="#6d7f5c"))
        if number in (0, 6):  # sprockets and idlers
            slab += [Shape("cylinder", (0.2, 0.2), (x - zero, y, 0), flat, "#3b3f45") for y in (w, -w)]
    for at in (Fraction(2 * k + 1, 16) - 1 for k in range(16)):
        for side, y in (("left", w), ("right", -w)):
            top = p[f"h_{side}"] * bump(at)[0]
            middle = (p["x_0"] + at * p["half_length"], y, (top - 0.01) / 2)  # 0.01 m of it in the ground
            strip = Shape("box", (p["half_length"] / 8, 0.8, top + 0.01), middle, color="#8a7a63")
            shapes.setdefault(s.ground.name, []).append(strip)
    for name, shape in shapes.items():
        s._add("bodies", name, replace(s.bodies[name], shapes=tuple(shape)))
