"""What flows through the ports of each part is what it stores: bodies, joints, constraints, and the whole, exactly."""

from typing import Any

import pytest
from tests.random_constraints import random_constrained_system
from tests.seeds import seeds

import polhode as ph
from polhode.dynamics.power import Power
from polhode.expr import Expr, as_expr, directional
from polhode.model.samples.random_system import random_system


def energy_rate(made: ph.Equations) -> Expr:
    """d(T + V)/dt from the equations' own energies along their own motion."""
    along: dict[Expr, Any] = dict(zip(made.q, made.coordinate_rates, strict=True))
    along |= dict(zip(made.u, made.forward_dynamics, strict=True))
    return directional([made.kinetic_energy + made.potential_energy], {**along, made.system.time: as_expr(1)})[0]


def gaps(flow: Power, but: str = "nothing") -> list[str]:
    """The parts whose books do not balance."""
    return [name for name, balance in flow.parts() if balance.residual and not name.startswith(but)]


@pytest.mark.parametrize("seed", seeds(4, of=16))
def test_every_part_of_a_tree_stores_what_flows_in(seed: int) -> None:
    made = random_system(seed, bodies=(2, 5), max_speeds=8).derive("composite_body")
    flow = made.power()
    assert gaps(flow) == [] and sum(flow.ports.values(), start=as_expr(0)) == energy_rate(made)


@pytest.mark.parametrize("seed", seeds(4, of=10))
def test_with_multipliers_the_whole_balances_also_where_constraints_are_not_kept(seed: int) -> None:
    made = random_constrained_system(seed).derive("composite_body")
    flow = made.power()
    assert gaps(flow, but="constraint") == [] and sum(flow.ports.values(), start=as_expr(0)) == energy_rate(made)
    constraints = made.constraints
    assert constraints is not None
    for name, balance in flow.constraints.items():  # what is not balanced is -λ·(A u + a)
        rows = [k for k, row in enumerate(constraints.rows) if row.of == name]
        kept = sum(
            (made.multipliers[constraints.generic_rows.index(k)] * constraints.rates[k] for k in rows), start=as_expr(0)
        )
        assert balance.residual == -kept


@pytest.mark.parametrize("seed", seeds(4, of=10))
def test_at_speeds_that_keep_the_constraints_every_part_balances(seed: int) -> None:
    made = random_constrained_system(seed).derive("composite_body", constraints="embedded")
    flow = made.power()
    assert gaps(flow) == [] and sum(flow.ports.values(), start=as_expr(0)) == energy_rate(made)


def test_without_its_time_a_constraint_gives_one_body_what_it_takes_from_the_other() -> None:
    system = _linkage()
    flow = system.derive(constraints="embedded").power()
    assert "constraint rod" not in flow.ports
    taken, given = flow.bodies["left"].ports["constraint rod"], flow.bodies["right"].ports["constraint rod"]
    assert taken and taken == -given


def test_a_constraint_that_time_moves_is_a_port() -> None:
    system = _linkage()
    left, right = system.joints["a"].q[0], system.joints["b"].q[0]
    system.constrain(left + 2 * right - ph.sin(system.time), "cam")
    made = system.derive(constraints="embedded")
    flow = made.power()
    assert flow.ports["constraint cam"] == flow.constraints["cam"].ports["time"] and gaps(flow) == []


def test_a_drive_feeds_what_follows_it_and_what_conditions_hang_on_it() -> None:
    system = _train()
    flow = system.derive("newton_euler").power()
    assert gaps(flow, but="constraint") == []
    assert list(flow.ports) == ["effort c", "effort d", "drive a", "load brake", "constraint gear"]
    assert gaps(system.derive("newton_euler", constraints="embedded").power()) == []


def test_a_scleronomic_gear_on_a_driven_joint_passes_power_on_and_makes_none() -> None:
    flow = _train().derive("newton_euler", constraints="embedded").power()
    assert list(flow.ports) == ["effort c", "effort d", "drive a", "load brake"]
    assert flow.joints["a"].ports["constraint gear"] == -flow.joints["c"].ports["constraint gear"]


def test_who_changes_a_spring_a_potential_or_gravity_puts_its_energy_in() -> None:
    system = ph.System("pumped", gravity=(0, 0, -10))
    arm = system.body("arm", 2, com=(1, 0, 0), inertia=(1, 2, 3))
    hinge = system.joint("hinge", system.ground, arm, ph.Revolute("y"))
    (q,), t = hinge.q, system.time
    system.gravity = (0, 0, -10 - t)
    system.potential(t * q**2, name="wound")
    system.spring("ground", arm, 5, length=1 + ph.sin(t), damping=2, at_a=(0, 0, 3), at_b=(2, 0, 0), name="wire")
    made = system.derive()
    flow = made.power()
    assert list(flow.ports) == ["effort hinge", "load wound", "load wire", "gravity"]
    assert flow.ports["load wound"] == q**2
    assert flow.ports["gravity"] == 2 * -ph.sin(
        q
    )  # the height of two kilograms, with gravity growing by 1 m/s² a second
    assert gaps(flow) == [] and sum(flow.ports.values(), start=as_expr(0)) == energy_rate(made)


def test_loads_of_one_name_share_a_port_and_others_are_counted() -> None:
    system = ph.System("door")
    hinge = system.joint("hinge", system.ground, system.body("leaf", 2, com=(1, 0, 0)), ph.Revolute("y"))
    system.joint_spring(hinge, 3, damping=2, name="closer")
    system.joint_force(hinge, 5)
    flow = system.derive().power()
    (u,) = hinge.u
    assert flow.ports == {"effort hinge": hinge.tau[0] * u, "load closer": -2 * u**2, "load joint force 2": 5 * u}
    assert gaps(flow) == []


def test_the_weight_of_a_body_is_no_port_of_the_whole() -> None:
    system = ph.System("fall", gravity=(0, 0, -10))
    stone = system.body("stone", 3)
    fall = system.joint("fall", system.ground, stone, ph.Prismatic("z"))
    flow = system.derive().power()
    assert list(flow.ports) == ["effort fall"] and flow.bodies["stone"].ports["gravity"] == -30 * fall.u[0]


def test_unsolved_powers_are_those_of_a_motion_that_is_given() -> None:
    system = _linkage()
    made = system.derive()
    flow, solved = made.power(solved=False), made.power()
    constraints = made.constraints
    assert constraints is not None
    known = dict(zip(made.udot, made.forward_dynamics, strict=True)) | dict(
        zip(constraints.multipliers, made.multipliers, strict=True)
    )
    for (name, open_), (same_name, closed) in zip(flow.parts(), solved.parts(), strict=True):
        assert name == same_name
        assert open_.rate.subs(known) == closed.rate
        assert {port: power.subs(known) for port, power in open_.ports.items()} == dict(closed.ports)


def _linkage() -> ph.System:
    """Two levers on the ground whose ends a ball joint holds together."""
    system = ph.System("linkage", gravity=(0, 0, "-9.81"))
    left = system.body("left", 1, com=(1, 0, 0), inertia=(1, 2, 2))
    right = system.body("right", 2, com=(0, 1, 0), inertia=(2, 1, 2))
    system.joint("a", system.ground, left, ph.Universal("y", "z"))
    system.joint("b", system.ground, right, ph.Spherical("213"), at=(2, 0, 0))
    system.close("rod", left, right, ph.Spherical(), at_a=(1, 0, 0), at_b=(0, 1, 0))
    return system


def _train() -> ph.System:
    """A driven joint a, b that follows it, c that a condition gears to a, and d free; a brake on b."""
    system = ph.System("train", gravity=(0, 0, "-9.81"))
    carrier = system.ground
    for name, axis in (("a", "y"), ("b", "x"), ("c", "z"), ("d", "x")):
        body = system.body(f"link {name}", 2, com=(1, 0, 1), inertia=(1, 2, 2))
        system.joint(name, carrier, body, ph.Revolute(axis), at=(0, 1, 0))
        carrier = body
    system.prescribe("a", ph.sin(3 * system.time))
    system.couple("b", "a", 2)
    a, b, c = (system.joints[name] for name in "abc")
    system.joint_force(b, -4 * b.u[0], name="brake")
    system.potential(a.q[0] * b.q[0], name="hair")
    system.constrain(c.q[0] - a.q[0] ** 2, "gear")
    return system
