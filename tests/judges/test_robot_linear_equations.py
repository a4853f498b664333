"""A(t) and B(t) along runs of robots: by Pinocchio's derivatives of forward dynamics, and by differences."""

from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from tests.robots import ROBOTS

from polhode import Equations
from polhode.formats.urdf import load_urdf

pin = pytest.importorskip("pinocchio", reason="Pinocchio is the judge here: pip install polhode[test]")
CASES = {"ur5": "ur_description/urdf/ur5_robot.urdf", "panda": "panda_description/urdf/panda.urdf"}


@pytest.fixture(scope="module", params=CASES)
def robot(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Equations, Any]:
    """A robot with its fingers held: Pinocchio has no derivatives of joints that follow others."""
    document = ElementTree.parse(ROBOTS / CASES[request.param])
    for joint in document.iter("joint"):
        for follower in joint.findall("mimic"):
            joint.remove(follower)
        if "finger" in joint.get("name", ""):
            joint.set("type", "fixed")
    path = tmp_path_factory.mktemp("robots") / f"{request.param}.urdf"
    document.write(path)
    return load_urdf(path, snap="1e-13").derive(), pin.buildModelFromUrdf(str(path))


def test_along_a_run_the_matrices_are_pinocchios_derivatives_and_differences(
    robot: tuple[Equations, Any], agree: Any
) -> None:
    equations, model = robot
    size = len(equations.speeds)
    dice = np.random.default_rng(8)
    q, u, tau = (dice.normal(size=size) for _ in range(3))
    run = equations.simulate(
        0.2,
        start=dict(zip(equations.coordinates, q, strict=True)),
        speeds=dict(zip(equations.speeds, u, strict=True)),
        tau=dict(zip(equations.speeds, tau, strict=True)),
        samples=5,
    )
    along = equations.linearize_along(run)
    A, B, _, _ = along.at(0.137)
    at = run.at(0.137)
    q, u = at.q[0], at.u[0]
    ours = [equations.speeds.index(name) for name in list(model.names)[1:]]
    data = model.createData()
    pin.computeABADerivatives(model, data, q[ours], u[ours], tau[ours])
    lower = A[size:][ours]
    agree("∂u̇/∂q", lower[:, :size][:, ours], data.ddq_dq, 1e-11)
    agree("∂u̇/∂u", lower[:, size:][:, ours], data.ddq_dv, 1e-11)
    inverse = np.triu(data.Minv) + np.triu(data.Minv, 1).T
    agree("∂u̇/∂τ", B[size:][np.ix_(ours, ours)], inverse, 1e-11)
    assert A[:size].tolist() == np.hstack([np.zeros((size, size)), np.eye(size)]).tolist()

    functions, h = equations.compile(), 1e-4
    steps = np.vstack([np.eye(2 * size)] * 4) * np.repeat([h, -h, 2 * h, -2 * h], 2 * size)[:, None]
    found = functions.forward_dynamics(q + steps[:, :size], u + steps[:, size:], np.tile(tau, (len(steps), 1)))
    more, less, far, back = found.reshape(4, 2 * size, size)
    slopes = (8 * (more - less) - (far - back)) / (12 * h)
    agree("differences", A[size:], slopes.T, 1e-7)
