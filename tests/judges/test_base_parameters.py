"""Pinocchio as judge of the regressor and of how many parameters efforts tell: the numerical rank of its regressor."""

from typing import Any

import numpy as np
import pytest
from tests.robots import ROBOTS

import polhode as ph
from polhode.formats.urdf import load_urdf

pin = pytest.importorskip("pinocchio", reason="Pinocchio is the judge here: pip install polhode[test]")


def numerical_rank(model: Any, shared: np.ndarray) -> int:
    """Of the regressor at many motions; `shared` takes speeds to those of all joints, where one follows another."""
    data, rng = model.createData(), np.random.default_rng(0)
    rows = []
    for _ in range(3 * 10 * model.nv // shared.shape[1]):
        q, u, udot = (shared @ rng.normal(size=shared.shape[1]) for _ in range(3))
        rows.append(shared.T @ pin.computeJointTorqueRegressor(model, data, q, u, udot))
    sizes = np.linalg.svd(np.vstack(rows), compute_uv=False)
    return int((sizes > 1e-10 * sizes[0]).sum())


def test_the_universal_robot_5() -> None:
    path = ROBOTS / "ur_description/urdf/ur5_robot.urdf"
    assert (
        len(load_urdf(path).derive().base_parameters())
        == numerical_rank(pin.buildModelFromUrdf(str(path)), np.eye(6))
        == 36
    )


def test_the_panda_with_its_hand() -> None:
    """43 for the arm, as C. Gaz et al. (2019) have it, and 5 for two fingers of which one follows the other."""
    path = ROBOTS / "panda_description/urdf/panda.urdf"
    shared = np.vstack([np.eye(8), np.eye(8)[7]])
    base = load_urdf(path).derive().base_parameters()
    assert len(base) == numerical_rank(pin.buildModelFromUrdf(str(path)), shared) == 48
    assert not any("finger" in name for name in base.names[:43]) and all("finger" in name for name in base.names[43:])


def test_the_puma_560() -> None:
    """The arm of Craig's table, built in both."""
    a2, a3, d3, d4 = 0.4318, 0.0203, 0.15, 0.4318
    table = [(0, 0, 0), (-1, 0, 0), (0, a2, d3), (-1, a3, d4), (1, 0, 0), (-1, 0, 0)]
    s = ph.System("puma", gravity=(0, 0, "-9.81"))
    rows = [{"alpha": ph.pi * k / 2, "a": a, "d": d, "mass": 1, "inertia": (1, 1, 1)} for k, a, d in table]
    equations = ph.from_dh(rows, convention="modified", system=s).derive()
    model, parent = pin.Model(), 0
    for k, (turn, a, d) in enumerate(table):
        R = pin.rpy.rpyToMatrix(turn * np.pi / 2, 0.0, 0.0)
        place = pin.SE3(R, np.array([a, 0, 0]) + R @ np.array([0, 0, d]))
        parent = model.addJoint(parent, pin.JointModelRZ(), place, f"q{k}")
        model.appendBodyToJoint(parent, pin.Inertia(1.0, np.zeros(3), np.eye(3)), pin.SE3.Identity())
    assert len(equations.base_parameters()) == numerical_rank(model, np.eye(6)) == 36


def test_the_columns_are_pinocchio_s(agree: Any) -> None:
    path = ROBOTS / "ur_description/urdf/ur5_robot.urdf"
    model, equations = pin.buildModelFromUrdf(str(path)), load_urdf(path, snap="1e-13").derive()
    _, names = equations.regressor()
    q, u, udot = np.random.default_rng(2).normal(size=(3, 6))
    ours = equations.compile().regressor(q, u, udot)[0]
    theirs = pin.computeJointTorqueRegressor(model, model.createData(), q, u, udot)
    order = ["m", "mcx", "mcy", "mcz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz"]
    links = ["shoulder", "upper_arm", "forearm", "wrist_1", "wrist_2", "wrist_3"]
    ours = ours[:, [names.index(f"{kind}_{link}_link") for link in links for kind in order]]
    agree("regressor", ours, theirs)
