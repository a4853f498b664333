"""A joint that follows another: the same motion as a holonomic constraint, and as a multiplied column."""

import numpy as np
import pytest

import polhode as ph
from polhode.errors import ModelError
from polhode.expr import same, substitute


def _gripper(coupled: bool) -> ph.System:
    system = ph.System("gripper")
    ratio, offset = system.parameter("r", -2), system.parameter("c", 0.3)
    palm = system.body("palm", mass=1, com=(0.1, 0, 0.2), inertia=(0.02, 0.03, 0.01))
    system.joint("wrist", system.ground, palm, ph.Revolute("x"))
    left = system.body("left", mass=0.3, com=(0.02, 0.05, 0.1), inertia=(0.002, 0.002, 0.001))
    right = system.body("right", mass=0.2, com=(0, -0.05, 0.1), inertia=(0.001, 0.002, 0.001))
    tip = system.body("tip", mass=0.1, com=(0, 0, 0.03), inertia=(0.001, 0.001, 0.0005))
    system.joint("a", palm, left, ph.Revolute("y"), at=(0.1, 0.1, 0.2))
    system.joint("b", palm, right, ph.Prismatic((3, 0, 4)), at=(-0.1, 0.1, 0.2))
    system.joint("d", left, tip, ph.Revolute("z"), at=(0, 0, 0.15))
    system.joint_spring("b", 5, rest=0.1, damping=0.2)
    system.joint_force("d", system.joints["a"].u[0] * system.joints["b"].q[0])
    if coupled:
        system.couple("b", "a", ratio, offset)
        system.couple("d", "b", 3)
    return system


def test_every_formalism_agrees_on_a_coupled_mechanism() -> None:
    system = _gripper(coupled=True)
    judge = system.derive("poincare")
    assert judge.coordinates == judge.speeds == ["wrist", "a"]
    for formalism in ("newton_euler", "composite_body", "articulated_body", "auto"):
        assert system.derive(formalism).agrees_with(judge), formalism


def test_coupling_projects_the_free_equations() -> None:
    free, bound = _gripper(coupled=False).derive(), _gripper(coupled=True).derive()
    r, c = ph.symbol("r", "parameter"), ph.symbol("c", "parameter")
    a = bound.q[1]
    E = ph.Matrix([[1, 0], [0, 1], [0, 3 * r], [0, r]])  # wrist, a, d, b as the tree lists them
    assert free.speeds == ["wrist", "a", "d", "b"]
    places = {name: k for k, name in enumerate(free.speeds)}
    values = {free.q[places["b"]]: r * a + c, free.q[places["d"]]: 3 * (r * a + c)}
    values |= {free.u[places["b"]]: r * bound.u[1], free.u[places["d"]]: 3 * r * bound.u[1]}
    M = ph.Matrix([substitute(row, values) for row in free.mass_matrix])
    assert same((E.T @ M @ E).entries(), bound.mass_matrix.entries())
    assert same(E.T @ ph.Vector(substitute(free.bias, values)), bound.bias)


def test_energy_of_a_coupled_mechanism_changes_by_the_power_given() -> None:
    system = ph.System("gears")
    first = system.body("first", mass=1, com=(0.1, 0, 0), inertia=(0.01, 0.01, 0.02))
    second = system.body("second", mass=2, com=(0, 0.2, 0), inertia=(0.02, 0.01, 0.03))
    system.joint("a", system.ground, first, ph.Revolute("y"))
    system.joint("b", system.ground, second, ph.Revolute("y"), at=(1, 0, 0))
    system.couple("b", "a", -0.5, 0.1)
    run = system.derive().simulate(3.0, start={"a": 1.0})
    assert np.ptp(run.energy.total) < 1e-7


@pytest.mark.parametrize(("couplings", "sentence"), [
    ([("a", "a", 1)], "cannot follow itself"), ([("a", "b", 1), ("b", "a", 1)], "cannot follow itself"),
    ([("a", "nobody", 1)], "there is no joint 'nobody'"), ([("a", "b", 0)], "multiplier is zero"),
    ([("a", "b", 1), ("a", "wrist", 1)], "already follows 'b'"),
])  # fmt: skip
def test_F16_a_coupling_that_makes_no_sense_is_refused(couplings: list[tuple[str, str, int]], sentence: str) -> None:
    system = _gripper(coupled=False)
    with pytest.raises(ModelError, match=sentence):
        for follower, leader, multiplier in couplings:
            system.couple(follower, leader, multiplier)
