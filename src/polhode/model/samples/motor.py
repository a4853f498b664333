"""A pendulum on a geared motor, whose current is a state without mass."""

from __future__ import annotations

from ..body import rod
from ..joints import Revolute
from ..system import System


def motor_driven_pendulum() -> System:
    """A rod of 1 kg and 1 m on a direct-current motor with a gear: L i̇ = V - R i - K n ω and the torque K n i.

    At a voltage V that does not change it comes to rest where its weight balances the stalled motor, i = V/R.

    >>> motor_driven_pendulum().derive().z_rates
    Vector([(voltage - K*hinge'*n - R*current)/L])
    """
    system = System("motor-driven pendulum", gravity=(0, 0, "-9.81"))
    constant, ratio = system.parameter("K", "0.05", "N m/A"), system.parameter("n", 60)
    resistance, inductance = system.parameter("R", 2, "ohm"), system.parameter("L", "0.01", "H")
    voltage = system.input("voltage", 0, "V")
    arm = system.body("arm", 1, (0, 0, "-0.5"), rod(1, 1))
    hinge = system.joint("hinge", system.ground, arm, Revolute("y"))
    back = constant * ratio * hinge.u[0]  # the voltage that the turning motor gives
    current = system.state("current", rate=lambda i: (voltage - resistance * i - back) / inductance, unit="A")
    system.joint_force(hinge, constant * ratio * current, name="motor")
    return system
