"""However orientation is stored, Γ and positions are written differently; M, bias and u̇ are the same."""

from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.seeds import seeds
from tests.vector_storage import in_vector_parameters

import polhode as ph
from polhode.dynamics.equations import EquationsOfMotion
from polhode.expr import Expr, evaluate
from polhode.model.samples.random_system import random_state, random_system
from polhode.model.stage import STORAGES


def tumbling_pair(storage: str) -> ph.System:
    """A floating body that carries another on a ball joint, and that one a hinge."""
    system = ph.System("pair", gravity=(1, "-0.5", "-9.81"))
    inertia = [[2, "0.1", 0], ["0.1", 3, "-0.2"], [0, "-0.2", 4]]
    inertia = [[float(entry) for entry in row] for row in inertia]
    hull = system.body("hull", mass=4, com=(0.1, 0.2, -0.3), inertia=inertia)
    ball = system.body("ball", mass=2, com=(0, 0.5, 0.1), inertia=[0.3, 0.4, 0.5])
    flap = system.body("flap", mass=1, com=(0.2, 0, 0), inertia=[0.1, 0.2, 0.25])
    system.joint("fly", system.ground, hull, ph.Free(storage), at=(1, 2, 3), rotation=[("x", 0.3)])
    system.joint("socket", hull, ball, ph.Spherical(storage), at=(0, 0, 1), rotation=[("y", -0.4)])
    system.joint("hinge", ball, flap, ph.Revolute((3, 0, 4)), at=(0, 1, 0))
    return system


def stored(storage: str, turn: Rotation) -> list[float]:
    x, y, z, w = turn.as_quat()
    if storage == "quaternion":
        return [w, x, y, z]
    if storage == "vector":
        return [x / w, y / w, z / w]
    if storage == "angles":
        return list(turn.as_euler("ZYX")[::-1])
    return list(turn.as_euler("".join("XYZ"[int(axis) - 1] for axis in storage)))


@cache
def derived(storage: str) -> EquationsOfMotion:
    return tumbling_pair(storage).derive()


def state(made: EquationsOfMotion, storage: str, seed: int) -> dict[Expr, float]:
    """The same physical state in any storage."""
    dice = np.random.default_rng(seed)
    turns = Rotation.from_rotvec(dice.uniform(-1, 1, (2, 3)))
    place, rest = dice.uniform(-1, 1, 3), dice.uniform(-1, 1, 60)
    joints = made.system.joints
    values = dict(zip(joints["fly"].q, [*stored(storage, turns[0]), *place], strict=True))
    values |= dict(zip(joints["socket"].q, stored(storage, turns[1]), strict=True))
    values[joints["hinge"].q[0]] = rest[0]
    return values | dict(zip([*made.u, *made.tau, *made.udot], rest[1:], strict=False))


@pytest.mark.parametrize("seed", seeds(2, of=5))
def test_dynamics_do_not_know_how_orientation_is_stored(seed: int) -> None:
    results: list[dict[str, Any]] = []
    for storage in STORAGES:
        made = derived(storage)
        values = state(made, storage, seed)
        results.append({
            "pose": evaluate([*made.pose("flap").p, *made.pose("flap").R.entries()], values),
            "mass matrix": evaluate(made.mass_matrix.entries(), values),
            "bias": evaluate(made.bias, values),
            "accelerations": evaluate(made.forward_dynamics, values),
            "energy": evaluate([made.kinetic_energy, made.potential_energy], values),
        })  # fmt: skip
    for one, other in pairwise(results):
        for what in one:
            np.testing.assert_allclose(one[what], other[what], rtol=1e-10, atol=1e-10, err_msg=what)


def test_each_storage_has_its_own_kinematic_matrix() -> None:
    shapes = {storage: derived(storage).kinematic_matrix.shape for storage in STORAGES}
    assert shapes == {**dict.fromkeys(STORAGES, (10, 10)), "quaternion": (12, 10)} and len(STORAGES) == 15


@pytest.mark.parametrize("seed", seeds(4, of=10))
def test_a_quaternion_keeps_its_length(seed: int) -> None:
    system = random_system(seed, bodies=3, joints=("spherical", "free"))
    made = system.derive()
    values = random_state(system, seed)
    rates = dict(zip(made.q, evaluate(made.coordinate_rates, values), strict=True))
    for joint in system.joints.values():
        if joint.type.stages[0].storage == "quaternion":
            e = joint.q[:4]
            assert sum(values[q] ** 2 for q in e) == pytest.approx(1)
            assert sum(values[q] * rates[q] for q in e) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("seed", seeds(2, of=4))
def test_every_formalism_and_the_reference_take_the_tangent_of_half_an_angle(seed: int) -> None:
    kinds = ("revolute", "universal", "prismatic", "planar", "compound")
    system = in_vector_parameters(random_system(seed, bodies=(2, 3), joints=kinds, max_speeds=4))
    assert system.compare(run=False, functions=()).agree


def test_an_angle_and_its_tangent_move_alike() -> None:
    runs = []
    for storage in ("angles", "vector"):
        s = ph.System("arm")
        s.joint("first", s.ground, s.body("a", 1, (0, 0, -1), (1, 1, 1)), ph.Revolute("y", storage))
        s.joint("second", "a", s.body("b", 1, (0, 0, -1), (1, 1, 1)), ph.Universal("x", "y", storage), at=(0, 0, -1))
        s.joint_spring("first", 3, 0.5, damping=0.2)
        start = (
            {"first": 0.7, "second_1": -0.4}
            if storage == "angles"
            else {"first": np.tan(0.35), "second_1": np.tan(-0.2)}
        )
        runs.append(s.derive().simulate(2, start=start))
    for name in ("first", "second_1", "second_2"):
        np.testing.assert_allclose(2 * np.arctan(runs[1][name]), runs[0][name], atol=1e-7)
        np.testing.assert_allclose(runs[1].speed(name), runs[0].speed(name), atol=1e-7)


def test_a_motion_may_be_prescribed_by_its_tangent() -> None:
    driven = []
    for storage in ("angles", "vector"):
        s = ph.System("arm")
        drive = s.joint("drive", s.ground, s.body("a", 1, (0, 0, -1), (1, 1, 1)), ph.Revolute("y", storage))
        s.joint("free", "a", s.body("b", 1, (0, 0, -1), (1, 1, 1)), ph.Revolute("y"), at=(0, 0, -1))
        s.prescribe(drive, s.time**2 if storage == "angles" else ph.tan(s.time**2 / 2))
        driven.append(s.derive())
        assert s.compare(run=False, functions=()).agree
    assert driven[0].agrees_with(driven[1])


def test_coupling_asks_for_angles() -> None:
    s = ph.System("gears")
    for name in ("one", "two"):
        s.joint(name, s.ground, s.body(f"wheel {name}", 1, inertia=(1, 1, 1)), ph.Revolute("z", "vector"))
    with pytest.raises(ph.PolhodeError, match="not proportional to its angle"):
        s.couple("two", "one", 2)
