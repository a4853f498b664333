"""The Whipple bicycle with the parameters of the benchmark.

J. P. Meijaard, J. M. Papadopoulos, A. Ruina and A. L. Schwab, "Linearized dynamics equations for the balance and steer
of a bicycle: a benchmark and review", Proc. R. Soc. A 463 (2007). Axes as there: x forward, y to the right, z down.
"""

from __future__ import annotations

from ...expr import Vector, as_expr, pi
from ...geometry import rotation
from ..body import Shape
from ..joints import Compound, Prismatic, Revolute
from ..system import System

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
    """Rear frame with rider, front frame and two thin wheels that roll on the ground without slip.

    The steer axis is tilted by λ = π/10. Both wheels touch: the front one's touching makes the pitch depend on lean and
    steer. `INDEPENDENT` names the speeds to keep when the constraints are embedded.

    >>> len(whipple_bicycle().constraints)
    2
    """
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
