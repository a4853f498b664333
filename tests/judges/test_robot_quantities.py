"""Pinocchio as judge of frames' accelerations, mass centres, momenta about them, M⁻¹ and gravity's efforts."""

from typing import Any

import numpy as np
import pytest
from tests.robots import ROBOTS

from polhode import Equations
from polhode.formats.urdf import load_urdf

pin = pytest.importorskip("pinocchio", reason="Pinocchio is the judge here: pip install polhode[test]")
CASES = {"ur5": ("ur_description/urdf/ur5_robot.urdf", "ee_link"), "a1": ("a1_description/urdf/a1.urdf", "FR_foot")}


@pytest.fixture(scope="module", params=CASES)
def robot(request: pytest.FixtureRequest) -> tuple[Equations, Any, str]:
    path, frame = CASES[request.param]
    model = pin.buildModelFromUrdf(str(ROBOTS / path))
    return load_urdf(ROBOTS / path, snap="1e-13").derive(), model, frame


def test_pinocchio_finds_the_same(robot: tuple[Equations, Any, str], agree: Any) -> None:
    equations, model, frame = robot
    f, data = equations.compile(), model.createData()
    ours = [equations.speeds.index(name) for name in list(model.names)[1:]]
    rng = np.random.default_rng(5)
    q, u, udot = (rng.normal(size=len(ours)) for _ in range(3))
    theirs = [x[ours] for x in (q, u, udot)]

    pin.forwardKinematics(model, data, *theirs)
    pin.updateFramePlacements(model, data)
    index = model.getFrameId(frame)
    spin = pin.getFrameVelocity(model, data, index, pin.LOCAL_WORLD_ALIGNED)
    rate = pin.getFrameClassicalAcceleration(model, data, index, pin.LOCAL_WORLD_ALIGNED)
    agree("velocity", f.frame_velocity(frame, q, u), [*spin.angular, *spin.linear])
    agree("acceleration", f.frame_acceleration(frame, q, u, udot), [*rate.angular, *rate.linear])

    pin.ccrba(model, data, *theirs[:2])
    agree("mass centre", f.center_of_mass(q), pin.centerOfMass(model, data, theirs[0]))
    angular, linear = f.centroidal_momentum(q, u)
    agree("momenta", [*angular, *linear], [*data.hg.angular, *data.hg.linear])
    matrix = f.centroidal_matrix(q)[:, ours]
    agree("centroidal matrix", [*matrix[3:], *matrix[:3]], data.Ag)

    agree("gravity", f.gravity_terms(q)[ours], pin.computeGeneralizedGravity(model, data, theirs[0]))
    inverse = np.triu(pin.computeMinverse(model, data, theirs[0]))
    agree("M⁻¹", np.triu(f.inverse_mass_matrix(q)[np.ix_(ours, ours)]), inverse)
