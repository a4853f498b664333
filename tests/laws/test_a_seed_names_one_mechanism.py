"""Random mechanisms are the same everywhere, of every kind, and can be evaluated."""

import subprocess
import sys
from hashlib import sha256

import pytest
from tests.random_constraints import TREE_JOINTS, random_constrained_system
from tests.refusals import refused
from tests.seeds import CONSTRAINED, SMALL_TREES, TREES, seeds

from polhode.expr import evaluate, free_symbols
from polhode.model.constraints import Ball, Closure, Condition, KnifeEdge, Wheel
from polhode.model.forces import Force, JointForce, JointSpring, Potential, Spring, Torque
from polhode.model.records import GROUND
from polhode.model.samples.random_system import JOINTS, random_state, random_system
from polhode.model.stage import STORAGES
from polhode.model.system import System

PRINT_SOME = """
from polhode.model.samples.random_system import random_state, random_system
for seed in range(1, 6):
    s = random_system(seed)
    print([*s.bodies.values()], [*s.joints.values()], s.loads, s.gravity, [*random_state(s, seed).values()])
"""


def test_a_seed_gives_the_same_mechanism_under_every_hash_seed() -> None:
    prints = {
        sha256(
            subprocess.run(
                [sys.executable, "-c", PRINT_SOME], env={"PYTHONHASHSEED": hash_seed}, capture_output=True, check=True
            ).stdout
        ).hexdigest()
        for hash_seed in ("0", "1")
    }
    assert len(prints) == 1


def assert_every_kind(systems: list[System], joints: set[str]) -> set[str]:
    """These systems have joints of all these types, every load, and bodies without mass; the storages they have."""
    used = [joint.type for system in systems for joint in system.joints.values()]
    assert {joint.kind for joint in used} == joints - {"nonholonomic"}
    loads = {type(load) for system in systems for load in system.loads}
    assert loads == {Force, Torque, JointForce, JointSpring, Spring, Potential}
    assert any(body.is_massless for system in systems for name, body in system.bodies.items() if name != GROUND)
    storages = {stage.storage for joint in used for stage in joint.stages}
    assert storages >= {"quaternion", "vector", "angles"}
    return storages


def test_the_seeds_of_laws_hold_every_kind_of_joint_storage_and_load() -> None:
    large = [random_system(seed, max_speeds=10) for seed in seeds(TREES, of=200)]
    assert assert_every_kind(large, {*JOINTS}) == {*STORAGES}
    small = [random_system(seed, bodies=(1, 6), max_speeds=8) for seed in seeds(SMALL_TREES, of=100)]
    assert_every_kind(small, {*JOINTS})
    for systems in (large, small):
        assert not all(joint.type.is_holonomic for system in systems for joint in system.joints.values())


def test_the_seeds_of_laws_hold_every_kind_of_constraint() -> None:
    systems = [random_constrained_system(seed, bodies=(2, 3)) for seed in seeds(CONSTRAINED, of=100)]
    assert_every_kind(systems, {*TREE_JOINTS, "fixed"})
    constraints = [constraint for system in systems for constraint in system.constraints.values()]
    assert {type(constraint) for constraint in constraints} == {Ball, Closure, Condition, KnifeEdge, Wheel}
    closures = {constraint.joint.kind for constraint in constraints if isinstance(constraint, Closure)}
    assert closures >= {"revolute", "prismatic", "spherical", "compound", "building_block", "map"}
    assert any(system.prescribed for system in systems)


def test_random_mechanisms_have_one_to_twelve_bodies() -> None:
    assert {len(random_system(seed).bodies) for seed in range(33)} == set(range(2, 14))


@pytest.mark.parametrize("seed", seeds(6, of=30))
def test_everything_in_a_random_mechanism_has_a_value(seed: int) -> None:
    system = random_system(seed)
    made = system.derive()
    values = random_state(system, seed)
    assert {*free_symbols([*made.forward_dynamics, *made.inverse_dynamics])} <= values.keys()
    assert all(abs(rate) < 1e12 for rate in evaluate(made.forward_dynamics, values)) and len(made.u) <= 24


@pytest.mark.parametrize("seed", seeds(6, of=30))
def test_no_terminal_body_is_massless(seed: int) -> None:
    system = random_system(seed)
    parents = {joint.parent for joint in system.joints.values()}
    for joint in system.joints.values():
        assert joint.child in parents or not system.bodies[joint.child].is_massless


def test_without_symbols_there_are_no_parameters_and_without_loads_no_loads() -> None:
    for seed in range(8):
        assert not random_system(seed, symbolic=0).parameters and not random_system(seed, loads=False).loads
        made = random_system(seed, bodies=4, floating=True)
        assert [joint.type.kind for joint in made.joints.values() if joint.parent == GROUND] == ["free"]


def test_an_unknown_joint_or_a_wrong_range_is_refused() -> None:
    refused("gimbal", lambda: random_system(1, joints=("gimbal",)))
    refused("bodies", lambda: random_system(1, bodies=(5, 2)))
    refused("bodies", lambda: random_system(1, joints=()))
