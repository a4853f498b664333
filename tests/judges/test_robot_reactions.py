"""What the joints of a real robot carry, judged by Pinocchio's inverse dynamics."""

from typing import Any

import numpy as np
import pytest
from tests.robots import ROBOTS

from polhode.formats.urdf import load_urdf

pin = pytest.importorskip("pinocchio", reason="Pinocchio is the judge here: pip install polhode[test]")

UR5 = ROBOTS / "ur_description" / "urdf" / "ur5_robot.urdf"


@pytest.mark.parametrize("seed", range(3))
def test_the_joints_of_a_ur5_carry_what_pinocchio_says(seed: int, agree: Any) -> None:
    model = pin.buildModelFromUrdf(str(UR5))
    data = model.createData()
    system = load_urdf(UR5, snap="1e-13")
    functions = system.derive().compile(cache=False)
    names = list(model.names)[1:]
    order = [names.index(name) for name in functions.equations.speeds]
    q, v, a = np.random.default_rng(seed).uniform(-2, 2, (3, model.nv))
    pin.forwardKinematics(model, data, q)
    pin.rnea(model, data, q, v, a)
    for place, name in enumerate(names, start=1):
        torque, force = functions.reaction(name, q[order], v[order], udot=a[order], at="ground", frame="ground")
        theirs = data.oMi[place].act(data.f[place])
        agree(f"torque in {name}", torque, theirs.angular)
        agree(f"force in {name}", force, theirs.linear)
