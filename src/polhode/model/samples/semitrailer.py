"""A tractor and semitrailer of twenty-eight degrees of freedom, on five rigid axles.

The tractor moves freely (6); the fifth wheel lets the trailer yaw and pitch on it (2) but carries its roll; each axle
moves up and down and rolls (10); each wheel, or pair of twin wheels, spins (10). The steered wheels are turned as told.
Both frames sit on the road: the tractor's below its mass centre, the trailer's below the kingpin.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ...expr import Expr, tanh
from ..body import Body, Frame, Shape
from ..joints import Compound, Free, Prismatic, Revolute
from ..records import Joint
from ..system import System
from .tyre import Curve, Tyre, put_on_road
from .vehicle import FLIGHT, Motion, Vehicle, parameters_of, wheel_on

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
    """Where a rigid axle sits on its carrier, what rests on its springs, and which parameters are its own."""

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
    for place, name in ((1, "first"), (0, "second"), (-1, "third")):
        yield Axle(name, "t", trailer, place * p["spacing"] - p["e"], (p["m2"] * g - kingpin) / 3)


def semitrailer(steer: Motion = lambda t: 0, curve: Curve = tanh, speed: float = 20) -> Vehicle:
    """A tractor with a laden semitrailer, steered as a function of time; its engine holds the speed of the input "V".

    The input "brake" is the torque on each driven wheel, and on no other: what makes a lorry jackknife.

    >>> made = semitrailer()
    >>> len(made.system.derive("kane").u), len(made.patches)
    (28, 10)
    """
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
    """An axle with springs, dampers and two wheels: for each wheel its hub, its spin, its tyre and what it carries."""
    kind, w, r = axle.kind, p["half_track"], p["r_w"]
    beam = s.body(axle.name, p[f"m_{kind}"], inertia=(p["I_a"], 0, p["I_a"]), shapes=Shape("box", (0.15, 2.0, 0.15)))
    names = [f"{axle.name} heave", f"{axle.name} roll"]
    travel = Compound(Prismatic("z"), Revolute("x"))
    strut = s.joint(axle.name, axle.carrier, beam, travel, at=(axle.x, 0, r), coordinates=names, speeds=names)
    s.joint_spring(strut, p[f"k_{kind}"], rest=-axle.rests / p[f"k_{kind}"], damping=p[f"c_{kind}"])
    s.joint_spring(strut, p[f"roll_{kind}"], damping=p[f"c_{kind}"] * w**2 / 4, index=1)
    made: dict[str, tuple[Body | Frame, Joint, Tyre, Expr]] = {}
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
        made[name] = hub, spin, tyre, axle.rests / 2 + (p[f"m_{kind}"] / 2 + p[f"mw_{kind}"]) * p["g"]
    return made


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
    for place in (1, 0, -1):
        x = place * p["spacing"] - p["e"]
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
