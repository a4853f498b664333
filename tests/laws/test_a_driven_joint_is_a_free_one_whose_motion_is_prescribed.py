"""A coordinate whose motion is prescribed: the free equations with its motion put in, and nothing solved for it."""

import pytest
from tests.refusals import refused
from tests.seeds import seeds

import polhode as ph
from polhode.errors import ModelError
from polhode.expr import derivative, same, substitute
from polhode.formalisms.registry import names
from polhode.model.samples.random_system import random_system


def _driven(seed: int) -> tuple[ph.System, dict[str, ph.Expr]]:
    """A random tree of which every second joint that can be driven is."""
    system = random_system(seed, bodies=3, max_speeds=8)
    motions: dict[str, ph.Expr] = {}
    amplitude = system.parameter("amplitude", 1)
    able = [joint for joint in system.joints.values() if joint.type.kind in ("revolute", "prismatic", "screw")]
    for number, joint in enumerate(able[::2]):
        motions[joint.name] = amplitude * ph.sin((number + 2) * system.time) + system.time**2 / 3
    return system, motions


#: Seeds of trees that have a joint to drive, and something left to move.
SEEDS = (2, 7, 8, 9, 12, 13, 15, 17, 18, 19, 23, 24, 25, 26, 27, 28, 31, 33, 34, 36, 38, 39, 40, 41, 42)


@pytest.mark.parametrize("seed", seeds(SEEDS[:10], of=SEEDS))
def test_formalisms_agree_on_driven_trees_and_give_the_free_equations_at_the_prescribed_motion(seed: int) -> None:
    system, motions = _driven(seed)
    free = system.derive("newton_euler")
    assert 0 < len(motions) < len(free.u)
    for joint, motion in motions.items():
        system.prescribe(joint, motion)
    judge = system.derive("poincare")
    for formalism in names():
        assert system.derive(formalism).agrees_with(judge), formalism
    known: dict[ph.Expr, ph.Expr] = {}
    for name, motion in motions.items():
        place = free.speeds.index(system.joints[name].u[0].name)
        (rate,) = derivative([motion], system.time)
        (rate_of_rate,) = derivative([rate], system.time)
        known |= {system.joints[name].q[0]: motion, free.u[place]: rate, free.udot[place]: rate_of_rate}
    rows = [free.speeds.index(name) for name in judge.speeds]
    at_the_motion = substitute([free.inverse_dynamics[row] for row in rows], known)
    assert same(at_the_motion, judge.inverse_dynamics)


def test_a_follower_of_a_driven_joint_is_driven() -> None:
    system = ph.System("gears")
    for name, parent in (("a", "ground"), ("b", "a"), ("c", "b")):
        system.joint(f"j{name}", parent, system.body(name, 1, com=(1, 2, 3), inertia=(1, 1, 1)), ph.Revolute("y"))
    system.couple("jb", "ja", 3)
    system.prescribe("ja", ph.sin(system.time))
    equations = system.derive()
    assert equations.coordinates == ["jc"]
    assert equations.tree.followed[system.joints["jb"].q[0]] == 3 * ph.sin(system.time)
    assert equations.agrees_with(system.derive("poincare"))


def test_only_what_is_known_beforehand_can_be_prescribed() -> None:
    system = ph.System("s")
    system.joint("a", "ground", system.body("one", 1, com=(1, 0, 0)), ph.Revolute("z"))
    system.joint("b", "one", system.body("two", 1, com=(1, 0, 0), inertia=(1, 1, 1)), ph.Spherical())
    with pytest.raises(ModelError, match="the motion cannot depend on the coordinate 'a'"):
        system.prescribe("a", 2 * system.joints["a"].q[0])
    refused("cannot be prescribed alone", lambda: system.prescribe("b", system.time), ModelError)
    system.prescribe("a", system.time)
    refused("already given", lambda: system.prescribe("a", system.time), ModelError)
