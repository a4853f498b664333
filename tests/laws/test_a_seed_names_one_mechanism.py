"""Random mechanisms are the same everywhere, of every kind, and can be evaluated."""

from __future__ import annotations

import subprocess
import sys
from hashlib import sha256

import pytest

from polhode.errors import PolhodeError
from polhode.expr import evaluate, free_symbols
from polhode.model.force import BodyTorque, JointForce, PointForce, PointSpring, Potential
from polhode.model.records import GROUND
from polhode.model.samples.random_system import JOINTS, random_state, random_system
from polhode.model.stage import STORAGES

PRINT_THIRTY = """
from polhode.model.samples.random_system import random_state, random_system
for seed in range(30):
    s = random_system(seed)
    print([*s.bodies.values()], [*s.joints.values()], s.loads, s.gravity, [*random_state(s, seed).values()])
"""


def test_a_seed_gives_the_same_mechanism_under_every_hash_seed() -> None:
    prints = {
        sha256(
            subprocess.run(
                [sys.executable, "-c", PRINT_THIRTY],
                env={"PYTHONHASHSEED": hash_seed},
                capture_output=True,
                check=True,
            ).stdout
        ).hexdigest()
        for hash_seed in ("0", "1")
    }
    assert len(prints) == 1


def test_two_hundred_seeds_hold_every_kind_of_joint_storage_and_load() -> None:
    systems = [random_system(seed) for seed in range(200)]
    joints = [joint for system in systems for joint in system.joints.values()]
    types = {joint.type.name for joint in joints}
    assert types == {*JOINTS} - {"nonholonomic"}
    assert not all(joint.type.is_holonomic for joint in joints)
    assert {stage.storage for joint in joints for stage in joint.type.stages} == {*STORAGES}
    loads = {type(load) for system in systems for load in system.loads}
    assert loads == {PointForce, BodyTorque, JointForce, PointSpring, Potential}
    assert any(body.is_massless for system in systems for name, body in system.bodies.items() if name != GROUND)
    assert {len(system.bodies) for system in systems} == set(range(2, 14))


@pytest.mark.parametrize("seed", range(30))
def test_everything_in_a_random_mechanism_has_a_value(seed: int) -> None:
    system = random_system(seed)
    made = system.derive()
    values = random_state(system, seed)
    assert {*free_symbols([*made.forward_dynamics, *made.inverse_dynamics])} <= values.keys()
    assert all(abs(rate) < 1e12 for rate in evaluate(made.forward_dynamics, values))
    assert len(made.u) <= 24


@pytest.mark.parametrize("seed", range(30))
def test_no_terminal_body_is_massless(seed: int) -> None:
    system = random_system(seed)
    parents = {joint.parent for joint in system.joints.values()}
    for joint in system.joints.values():
        assert joint.child in parents or not system.bodies[joint.child].is_massless


def test_without_symbols_there_are_no_parameters_and_without_loads_no_loads() -> None:
    for seed in range(20):
        assert not random_system(seed, symbolic=0).parameters
        assert not random_system(seed, loads=False).loads
        made = random_system(seed, bodies=4, floating=True)
        assert [joint.type.name for joint in made.joints.values() if joint.parent == GROUND] == ["free"]


def test_an_unknown_joint_or_a_wrong_range_is_refused() -> None:
    with pytest.raises(PolhodeError, match="gimbal"):
        random_system(1, joints=("gimbal",))
    with pytest.raises(PolhodeError, match="bodies"):
        random_system(1, bodies=(5, 2))
    with pytest.raises(PolhodeError, match="bodies"):
        random_system(1, joints=())
