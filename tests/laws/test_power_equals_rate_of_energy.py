"""d(T + V)/dt = τ·u + power of the applied forces - dissipation, along q̇ = Γ u, u̇ = forward dynamics, exactly."""

from typing import Any

import pytest
from tests.seeds import seeds

from polhode import Equations
from polhode.expr import Expr, Vector, as_expr, directional, sqrt, substitute
from polhode.model.forces.protocol import LENGTH, RATE, BodyTorque, LineTension, PointForce, SpeedForce
from polhode.model.samples.random_system import JOINTS, random_system
from polhode.model.system import System


def flow(made: Equations) -> dict[Expr, Any]:
    """The rates of all coordinates and speeds."""
    rates = dict(zip(made.q, made.coordinate_rates, strict=True))
    return rates | dict(zip(made.u, made.forward_dynamics, strict=True))


def applied_power(system: System, made: Equations) -> Any:
    """What forces that have no potential do, from the motion of the points and bodies on which they act."""
    total: Any = made.tau.dot(made.u)
    for load in system.primitive_loads:
        if isinstance(load, PointForce):
            (velocity,) = _rates(made, [made.pose(load.body).point(load.point)])
            total = total + velocity.dot(made.pose(load.frame).R @ load.vector)
        elif isinstance(load, BodyTorque):
            spin = Vector((made.jacobian(load.body) @ made.u)[:3])
            total = total + spin.dot(made.pose(load.frame).R @ load.vector)
        elif isinstance(load, SpeedForce):
            total = total + load.value * system.joints[load.joint].u[load.index]
        elif isinstance(load, LineTension):
            a, b = made.pose(load.body_a).point(load.point_a), made.pose(load.body_b).point(load.point_b)
            length = sqrt(as_expr((b - a).dot(b - a)))
            ((rate,),) = _rates(made, [[length]])
            (tension,) = substitute([load.tension], {LENGTH: length, RATE: rate})
            total = total - tension * rate
    return total


def _rates(made: Equations, groups: list[Any]) -> list[Vector]:
    direction = dict(zip(made.q, made.coordinate_rates, strict=True))
    return [Vector(directional([as_expr(entry) for entry in group], direction)) for group in groups]


def assert_balanced(system: System, formalism: str) -> None:
    made = system.derive(formalism)
    (rate,) = directional([made.kinetic_energy + made.potential_energy], flow(made))
    assert rate == applied_power(system, made)


@pytest.mark.parametrize("formalism", ["poincare", "articulated_body"])
@pytest.mark.parametrize("seed", seeds(6, of=30))
def test_power_equals_rate_of_energy(seed: int, formalism: str) -> None:
    assert_balanced(random_system(seed, bodies=(1, 6), max_speeds=8), formalism)


@pytest.mark.parametrize("kind", JOINTS)
def test_power_equals_rate_of_energy_through_every_kind_of_joint(kind: str) -> None:
    for seed in range(2):
        assert_balanced(random_system(seed, bodies=2, joints=(kind,), max_speeds=8), "composite_body")


@pytest.mark.parametrize("seed", seeds(4, of=12))
def test_without_loads_and_efforts_a_nonholonomic_mechanism_keeps_its_energy(seed: int) -> None:
    system = random_system(seed, bodies=(1, 3), joints=("nonholonomic", "revolute"), loads=False, max_speeds=8)
    made = system.derive("articulated_body")
    (rate,) = directional([made.kinetic_energy + made.potential_energy], flow(made))
    assert rate.subs(dict.fromkeys(made.tau, 0)) == 0
