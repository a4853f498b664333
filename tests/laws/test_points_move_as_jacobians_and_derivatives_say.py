"""v = J u, a = dv/dt, ᴬv = ᴬd/dt r: the vector language against the sweeps over the tree, on random mechanisms."""

import pytest
from tests.seeds import seeds

from polhode.expr import as_expr, directional, same, symbol
from polhode.model.samples.random_system import random_system

SEEDS = seeds(4, of=8)


@pytest.mark.parametrize("seed", SEEDS)
def test_velocities_are_jacobians_times_speeds(seed: int) -> None:
    system = random_system(seed, bodies=(2, 7))
    made = system.derive("newton_euler")
    for name, body in system.bodies.items():
        w, v = body.angular_velocity(), body.origin.velocity()
        twist = made.jacobian(name) @ made.u
        assert same([*w.components("ground"), *v.components("ground")], [as_expr(x) for x in twist])
        assert same(body.origin.position().components("ground"), made.pose(name).p)
        for place, speed in enumerate(made.u):
            assert same(v.partial(speed).components("ground"), made.jacobian(name)[3:, place])


@pytest.mark.parametrize("seed", SEEDS)
def test_accelerations_are_rates_of_ground_components(seed: int) -> None:
    system = random_system(seed, bodies=(2, 5))
    made = system.derive("newton_euler")
    rates = dict(zip(made.q, made.coordinate_rates, strict=True))
    rates |= {u: symbol(u.name, "acceleration") for u in made.u}
    tip = list(system.bodies.values())[-1]
    point = tip.point(tip.com)
    expected = directional(point.velocity().components("ground"), rates)
    assert same(point.acceleration().components("ground"), expected)
    spun = directional(tip.angular_velocity().components("ground"), rates)
    assert same(tip.angular_acceleration().components("ground"), spun)


@pytest.mark.parametrize("seed", SEEDS)
def test_relative_velocity_is_the_rate_of_relative_position(seed: int) -> None:
    system = random_system(seed, bodies=(3, 6))
    bodies = list(system.bodies.values())
    for frame in bodies[1:3]:
        for body in bodies[-2:]:
            point = body.centre
            assert point.velocity(frame) == point.position(frame).dt(frame)
            absolute = point.velocity() - frame.origin.velocity()
            carried = frame.angular_velocity() ^ point.position(frame)
            assert point.velocity(frame) == absolute - carried


@pytest.mark.parametrize("seed", SEEDS)
def test_rotations_take_one_basis_to_another(seed: int) -> None:
    system = random_system(seed, bodies=(3, 6))
    made = system.derive("newton_euler")
    bodies = list(system.bodies.values())
    for one, other in zip(bodies, reversed(bodies), strict=True):
        R_one, R_other = made.pose(one.name).R, made.pose(other.name).R
        expected = R_one.T @ R_other
        for axis in range(3):
            assert same(other.axis(axis).components(one), [as_expr(x) for x in expected[:, axis]])
