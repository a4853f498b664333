"""A free-floating mechanism: ṗ = m g + f, and angular momentum about the ground's origin changes by their torque."""

import pytest
from tests.seeds import seeds

from polhode.expr import Vector, directional, same
from polhode.model.samples.random_system import random_system


@pytest.mark.parametrize("formalism", ["composite_body", "articulated_body"])
@pytest.mark.parametrize("seed", seeds(5, of=20))
def test_momentum_changes_by_external_wrenches_alone(seed: int, formalism: str) -> None:
    system = random_system(seed, bodies=(1, 4), loads=False, max_speeds=10, floating=True)
    made = system.derive(formalism)
    rates = dict(zip(made.q, made.coordinate_rates, strict=True))
    rates |= dict(zip(made.u, made.forward_dynamics, strict=True))
    spin, linear = made.momentum
    root = system.joints["j1"]
    joint_pose = made.pose(root.child) @ root.in_child  # where the efforts of the free joint act
    assert root.type.kind == "free"
    torque, force = joint_pose.R @ Vector(root.tau[:3]), joint_pose.R @ Vector(root.tau[3:])
    mass, moment = made.mass_moment
    weight = system.gravity * mass
    assert same(directional(linear, rates), force + weight)
    assert same(directional(spin, rates), torque + joint_pose.p.cross(force) + moment.cross(system.gravity))


@pytest.mark.parametrize("seed", seeds(5, of=20))
def test_momentum_is_mass_times_the_velocity_of_the_mass_centre(seed: int) -> None:
    made = random_system(seed, bodies=(1, 5), max_speeds=10).derive()
    _, linear = made.momentum
    _, moment = made.mass_moment
    assert same(linear, directional(moment, dict(zip(made.q, made.coordinate_rates, strict=True))))
