"""`compare` notices a mistake by itself, also one in what all formalisms share and so repeat alike.

Each case breaks one line of the derivation; the same mechanisms agree as long as it is whole.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

import polhode as ph
from polhode.compare import Comparison, agreement
from polhode.constraints.rows import Constraints
from polhode.dynamics import embedding, sweeps
from polhode.dynamics.loads import Loads
from polhode.expr import Matrix, Vector, as_expr
from polhode.formalisms.short import composite_body, newton_euler
from polhode.geometry import Inertia
from polhode.geometry.elimination import SymmetricFactors
from polhode.geometry.rotations import ORIENTATIONS
from polhode.kinematics import joint as joint_kinematics
from polhode.kinematics import tree as tree_module
from polhode.model.constraints import Ball

#: Two that share little, and one that shares much with the second.
FORMALISMS = ("poincare", "newton_euler", "composite_body")

Patch = pytest.MonkeyPatch


def loaded() -> ph.System:
    """A trolley, a pendulum on a ball joint, a follower, and a load of every kind."""
    system = ph.System("loaded", gravity=(0, 0, "-9.81"))
    c, push = system.parameter("c", 2), system.input("push", 1)
    trolley = system.body("trolley", mass=3)
    bob = system.body("bob", mass=2, com=(0.1, 0.2, -0.7), inertia=(0.3, 0.4, 0.5))
    arm = system.body("arm", mass=1, com=(0.3, 0, 0.1), inertia=(0.1, 0.2, 0.2))
    rail = system.joint("rail", system.ground, trolley, ph.Prismatic("x"))
    system.joint("ball", trolley, bob, ph.Spherical(), at=(0, 0, 0.2))
    system.joint("elbow", bob, arm, ph.Revolute("y"), at=(0, 0, -1), child_at=(0.2, 0, 0))
    system.spring(system.ground, bob, 30, 0.5, c, at_a=(0, 1, 0), at_b=(0, 0, -0.5), name="strut")
    system.line_force(trolley, arm, lambda length, rate: c * length**3 + 2 * ph.tanh(rate), at_b=(0.4, 0, 0))
    system.force(arm, (push, 0, 1), at=(0.5, 0, 0))
    system.torque(bob, (0, push, 0), frame="trolley")
    system.joint_spring(rail, 5, rest=0.3, damping=c)
    system.gravity_field(lambda r: (-r[0], 0, 0))
    return system


def geared() -> ph.System:
    """Two discs, one following the other three times as fast, on an arm that is driven."""
    system = ph.System("geared")
    for name in ("arm", "wheel", "pinion"):
        system.body(name, mass=1, com=(0.3, 0, 0), inertia=(0.1, 0.1, 0.2))
    system.joint("shoulder", system.ground, "arm", ph.Revolute("z"))
    system.joint("axle", "arm", "wheel", ph.Revolute("z"), at=(1, 0, 0))
    system.joint("shaft", "arm", "pinion", ph.Revolute("z"), at=(2, 0, 0))
    system.couple("shaft", "axle", -3, 0.1)
    system.prescribe("shoulder", ph.sin(2 * system.time))
    return system


def looped() -> ph.System:
    """A four-bar, kept closed by a hinge."""
    system = ph.System("looped")
    for name in ("crank", "coupler", "rocker"):
        system.body(name, mass=1, com=(0.5, 0, 0), inertia=(0, 0.1, 0.1))
    system.joint("a", system.ground, "crank", ph.Revolute("y"))
    system.joint("b", "crank", "coupler", ph.Revolute("y"), at=(1, 0, 0))
    system.joint("d", system.ground, "rocker", ph.Revolute("y"), at=(2, 0, 0))
    system.close("c", "coupler", "rocker", "revolute", axis="y", at_a=(2, 0, 0), at_b=(1.5, 0, 0))
    return system


def rolling_ball() -> ph.System:
    system = ph.System("rolling ball")
    ball = system.body("ball", mass=2, com=(0, 0.1, 0), inertia=(1, 1.2, 1.3))
    system.joint("free", system.ground, ball, ph.Free())
    system.roll_ball("floor", ball, 0.5)
    return system


MECHANISMS = {make.__name__: make for make in (loaded, geared, looped, rolling_ball)}


@pytest.fixture(autouse=True)
def own_cache(monkeypatch: Patch, tmp_path: Path) -> None:
    """What is derived wrongly must not be found on disk later."""
    monkeypatch.setenv("POLHODE_CACHE_DIR", str(tmp_path))


def compared(make: Callable[[], ph.System]) -> Comparison:
    return make().compare(FORMALISMS, run=False)


def damping_drives(patch: Patch) -> None:
    right = Loads._tension

    def wrong(self: Loads, load: Any, line: Any, conservative: bool) -> Any:
        return right(self, load, replace(line, spreading=-line.spreading), conservative)

    patch.setattr(Loads, "_tension", wrong)


def tension_pushes(patch: Patch) -> None:
    right = Loads._tension
    patch.setattr(Loads, "_tension", lambda *given: -right(*given))


def force_acts_elsewhere(patch: Patch) -> None:
    right = Loads._push

    def wrong(self: Loads, table: Any, body: str, point: Vector, force: Vector, origin: int) -> None:
        right(self, table, body, -point, force, origin)

    patch.setattr(Loads, "_push", wrong)


def joint_forces_are_reversed(patch: Patch) -> None:
    right = Loads.speed_forces
    patch.setattr(Loads, "speed_forces", lambda *given, **options: [-entry for entry in right(*given, **options)])


def things_fall_up(patch: Patch) -> None:
    right = tree_module.build_tree

    def wrong(*given: Any, **options: Any) -> tree_module.Tree:
        made = right(*given, **options)
        return replace(made, gravity=-made.gravity)

    patch.setattr("polhode.formalisms.deriving.build_tree", wrong)


def springs_store_twice(patch: Patch) -> None:
    right = Loads.stored
    patch.setattr(Loads, "stored", lambda *given: 2 * right(*given))


def remainder_has_the_wrong_sign(patch: Patch) -> None:
    right = Constraints.gamma.func  # type: ignore[attr-defined]
    patch.setattr(Constraints, "gamma", property(lambda self: -right(self)))


def last_row_is_forgotten(patch: Patch) -> None:
    right = Constraints.generic_rows.func  # type: ignore[attr-defined]
    patch.setattr(Constraints, "generic_rows", property(lambda self: right(self)[:-1]))


def multipliers_are_halved(patch: Patch) -> None:
    right = embedding.factor_symmetric

    def wrong(S: Any) -> SymmetricFactors:
        return right([[2 * entry for entry in row] for row in S])

    patch.setattr(embedding, "factor_symmetric", wrong)


def contact_is_on_top(patch: Patch) -> None:
    right = Ball.contact
    patch.setattr(Ball, "contact", lambda ball, moving: right(replace(ball, radius=-ball.radius), moving))


def turning_needs_no_force(patch: Patch) -> None:
    """Newton-Euler without ω × (ω × r)."""
    right = sweeps.acceleration_matrix
    patch.setattr(sweeps, "acceleration_matrix", lambda w, alpha: right(w * 0, alpha))
    patch.setattr(sweeps, "columns_known", lambda tree: [None] * len(tree.links))


def inertia_is_not_shifted(patch: Patch) -> None:
    right = Inertia.of_body

    def wrong(m: Any, c: Vector, I_com: Matrix) -> Inertia:
        return replace(right(m, c, I_com), J=right(m, c * 0, I_com).J)

    patch.setattr(Inertia, "of_body", staticmethod(wrong))


def joints_turn_the_other_way(patch: Patch) -> None:
    right = joint_kinematics.exponential
    patch.setattr(joint_kinematics, "exponential", lambda h, eps: right(h, -eps))


def quaternions_run_twice_as_fast(patch: Patch) -> None:
    stored = ORIENTATIONS["quaternion"]
    patch.setitem(ORIENTATIONS, "quaternion", replace(stored, rate=lambda e: stored.rate(e) * 2))


def composites_forget_what_they_carry(patch: Patch) -> None:
    patch.setattr(composite_body, "composite_inertias", lambda tree: [link.inertia for link in tree.links])


def gears_turn_one_to_one(patch: Patch) -> None:
    right = tree_module.leader_of
    patch.setattr(tree_module, "leader_of", lambda system, name: (right(system, name)[0], as_expr(1)))


def driven_joints_do_not_accelerate(patch: Patch) -> None:
    right = tree_module.prescribed_motions

    def wrong(system: ph.System) -> Any:
        followed, rates = right(system)
        return followed, dict.fromkeys(rates, as_expr(0))

    patch.setattr(tree_module, "prescribed_motions", wrong)


@dataclass(frozen=True)
class Mistake:
    """What is broken, on which mechanism it must be noticed, and what the verdict must name."""

    make: Callable[[Patch], None]
    on: Callable[[], ph.System]
    item: str


MISTAKES = (
    Mistake(damping_drives, loaded, "applied effort"),
    Mistake(tension_pushes, loaded, "applied effort"),
    Mistake(force_acts_elsewhere, loaded, "applied effort"),
    Mistake(joint_forces_are_reversed, loaded, "applied effort"),
    Mistake(things_fall_up, loaded, "potential energy"),
    Mistake(springs_store_twice, loaded, "potential energy"),
    Mistake(remainder_has_the_wrong_sign, looped, "constraint term γ"),
    Mistake(multipliers_are_halved, looped, "multiplier"),
    Mistake(last_row_is_forgotten, looped, "multiplier"),
    Mistake(last_row_is_forgotten, looped, "acceleration"),
    Mistake(last_row_is_forgotten, rolling_ball, "acceleration"),
    Mistake(contact_is_on_top, rolling_ball, "constraint row A"),
    Mistake(turning_needs_no_force, loaded, "inverse dynamics"),
    Mistake(inertia_is_not_shifted, loaded, "mass matrix"),
    Mistake(joints_turn_the_other_way, looped, "constraint"),
    Mistake(quaternions_run_twice_as_fast, loaded, "coordinate rate"),
    Mistake(composites_forget_what_they_carry, loaded, "mass matrix"),
    Mistake(gears_turn_one_to_one, geared, "mass matrix"),
    Mistake(driven_joints_do_not_accelerate, geared, "inverse dynamics"),
)


@pytest.mark.parametrize("make", MECHANISMS.values(), ids=MECHANISMS)
def test_what_is_whole_agrees(make: Callable[[], ph.System]) -> None:
    found = compared(make)
    assert found.agree, found.verdict
    assert not found.reference.not_covered
    assert {mistake.item for mistake in MISTAKES if mistake.on is make} <= {*found.reference.checked}


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.make.__name__)
def test_what_is_broken_is_noticed_and_named(mistake: Mistake, monkeypatch: Patch) -> None:
    mistake.make(monkeypatch)
    found = compared(mistake.on)
    assert not found.agree
    assert mistake.item in {finding.item for finding in found.reference.findings}, found.verdict
    assert f"DISAGREES on {found.reference.findings[0].item} of" in found.verdict


def test_a_mistake_of_one_formalism_is_not_told_of_the_loads(monkeypatch: Patch) -> None:
    right = newton_euler.efforts_of
    monkeypatch.setattr(newton_euler, "efforts_of", lambda *given: [2 * entry for entry in right(*given)])
    found = compared(loaded)
    assert {finding.item for finding in found.reference.findings} == {
        "mass matrix", "inverse dynamics", "acceleration"
    }  # fmt: skip
    assert all("poincare" not in finding.formalisms for finding in found.reference.findings)


def test_a_constraint_that_follows_from_others_does_not_disturb() -> None:
    """Off the constraint its row holds only to first order: what is asked is that the independent ones be kept."""
    system = loaded()
    pin = system.joints["rail"].q[0] - system.joints["elbow"].q[0]
    system.constrain(pin, "plain")
    system.constrain(ph.sin(pin), "bent")
    found = system.compare(FORMALISMS, run=False)
    assert found.agree, found.verdict
    embedded = agreement({"newton_euler": system.derive("newton_euler", constraints="embedded").record})
    assert embedded, embedded
