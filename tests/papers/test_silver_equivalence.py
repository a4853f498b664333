"""Silver, A.I. Memo 622 (1981): Lagrange and Newton-Euler are one computation, on mechanisms of anyone's own.

`test_silver_lagrangian` holds each equation on one chain with lines of its own; here the proof that a user watches is
made on branched trees with turns, slides, screws, compounds, followers and driven bases, and must be able to fail.
"""

from dataclasses import replace

import pytest
from tests.seeds import seeds

import polhode as ph
from polhode.expr import Matrix
from polhode.kinematics.tree import build_tree
from polhode.model.samples.random_system import random_system
from polhode.papers.silver import general_arm
from polhode.papers.silver.motion import Motion
from polhode.papers.silver.newton_euler import prove, weight
from polhode.papers.silver.proof import Proof

#: What the paper numbers, in its order; sentences of its section 3.2 and Appendix A have names.
EQUATIONS = (
    "2.5", "2.8, 2.10", "3.1", "3.2", "3.3", "A.1", "3.4", "A, for 3.5", "3.5", "A.2", "A.3", "3.6", "3.7", "3.8",
    "3.9", "A, for 3.10", "3.10", "3.11", "1.3", "3.12", "3.12, range", "3.13", "3.14", "3.15", "3.16", "§3.2, terms",
    "§3.2, sums", "§3.2, Luh", "§3.2, gravity", "§3.2, statics",
)  # fmt: skip


def branched() -> ph.System:
    """A shoulder on a driven slide, with an arm that turns and slides and a finger that follows; all in symbols."""
    s = ph.System("shoulder", gravity=[ph.symbol(f"g{k}") for k in range(3)])
    carrier = s.ground
    joints = (ph.Prismatic((3, 0, 4)), ph.Revolute((1, 2, 2)), ph.Prismatic("y"), ph.Revolute((0, 3, -4)))
    for k, kind in enumerate(joints):
        moments = [ph.symbol(f"{name}{k}") for name in ("xx", "xy", "xz", "yy", "yz", "zz")]
        xx, xy, xz, yy, yz, zz = moments
        body = s.body(f"link {k}", ph.symbol(f"m{k}"), ph.symbols(f"cx{k} cy{k} cz{k}"),
                      [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])  # fmt: skip
        place = ph.symbols(f"px{k} py{k} pz{k}")
        s.joint(f"joint {k}", carrier, body, kind, at=place, rotation=[("x", ph.symbol(f"a{k}"))])
        carrier = s.bodies["link 1"] if k == 2 else body  # the last two stand side by side
    s.prescribe("joint 0", ph.sin(s.time) + s.time**2)
    return s


@pytest.fixture(scope="module")
def proof() -> Proof:
    return ph.equivalence(branched())


def motion_of(system: ph.System) -> Motion:
    return Motion(build_tree(system.model()), system.time)


@pytest.mark.parametrize("number", EQUATIONS)
def test_every_equation_holds_on_a_branched_tree_on_a_driven_base(proof: Proof, number: str) -> None:
    step = proof[number]
    assert step.cases
    assert step.left == step.right
    assert step.holds


def test_the_steps_are_those_of_the_paper_in_its_order(proof: Proof) -> None:
    assert tuple(step.number for step in proof.steps) == EQUATIONS
    assert proof.holds
    assert "proved for 'shoulder'" in proof.verdict


def test_no_step_holds_for_nothing_but_zeros_on_that_tree(proof: Proof) -> None:
    """But for the one that says what is zero."""
    assert [step.number for step in proof.steps if not int(step.left, 16)] == ["3.12, range"]


def test_a_joint_is_paired_with_the_links_that_it_carries(proof: Proof) -> None:
    """Driven: none; link 1 carries itself and two more; the two beside each other carry themselves alone."""
    assert len(proof["3.6"].cases) == 3 + 1 + 1
    assert len(proof["3.12, range"].cases) == 3 * 4 - 5
    assert proof.joints == ("joint 1", "joint 2", "joint 3")


@pytest.mark.parametrize("seed", seeds(4, of=16))
def test_it_holds_on_random_trees(seed: int) -> None:
    kinds = ("revolute", "prismatic", "screw", "universal")
    system = random_system(700 + seed, bodies=(2, 4), joints=kinds, symbolic=0.3, max_speeds=5)
    single = [joint.name for joint in system.joints.values() if joint.type.kind != "compound"]
    if seed % 2 and len(single) > 2:
        system.couple(single[2], single[1], 2, 1)
    made = ph.equivalence(system)
    assert made.holds, made.verdict


def test_it_holds_where_a_coordinate_is_the_tangent_of_half_the_angle() -> None:
    s = ph.System("tangents")
    first, second = (s.body(name, 2, (1, 2, 3), (3, 4, 5)) for name in "ab")
    s.joint("p", s.ground, first, ph.Revolute("x", storage="vector"))
    s.joint("r", first, second, ph.Revolute("y", storage="vector"), at=(1, 0, 0))
    assert ph.equivalence(s).holds


def test_an_inertia_that_is_not_symmetric_breaks_3_2_and_what_follows_from_it() -> None:
    """'Since I is symmetric', he says before (3.3)."""
    motion = motion_of(branched())
    body = motion.inertias[3]
    skewed = replace(body, I=body.I + Matrix([[0, ph.symbol("wrong"), 0], [0, 0, 0], [0, 0, 0]]))
    made = prove("wrong", Motion(motion.tree, motion.time, (*motion.inertias[:3], skewed)))
    failing = {step.number for step in made.steps if not step.holds}
    assert not made.holds
    assert {"3.2", "3.7", "3.10", "§3.2, Luh"} <= failing
    assert {"2.5", "3.4", "3.6", "3.13", "3.14"}.isdisjoint(failing)
    assert {case.where.partition(",")[0] for case in made["3.7"].failing} == {"link 'link 3'"}
    assert "not proved for 'wrong'" in str(made)
    assert "FAILS for link 'link 3'" in str(made)


def test_a_mass_elsewhere_on_one_side_breaks_the_energy_and_the_recursion() -> None:
    motion = motion_of(branched())
    heavier = replace(motion.inertias[2], m=motion.inertias[2].m + 1)
    made = prove("heavier", Motion(motion.tree, motion.time, (*motion.inertias[:2], heavier, motion.inertias[3])))
    failing = [step.number for step in made.steps if not step.holds]
    assert failing == [
        "3.1",
        "§3.2, Luh",
    ]  # Lagrange and Silver's sums see one mass, what they are compared with another
    assert [case.where for case in made["§3.2, Luh"].failing] == [
        "joint 'joint 1', by second moments", "joint 'joint 2', by second moments",
    ]  # fmt: skip


def test_a_base_accelerated_with_gravity_as_printed_does_not_hold() -> None:
    """Printed: 'equal to that due to gravity'; it is opposite. The potential energy stays."""
    motion = motion_of(branched())
    assert weight(motion).holds
    assert not weight(motion, base=motion.tree.gravity).holds


def test_six_joints_in_general_position_are_proved() -> None:
    made = ph.equivalence(general_arm(6))
    assert made.holds
    assert len(made["3.6"].cases) == 21
