"""In whichever unit lengths are counted, the motion is the same; offsets that occur often become one."""

from fractions import Fraction

import pytest

import polhode as ph
from polhode.formalisms.deriving import derive
from polhode.formalisms.short.unit_of_length import scaled_tree
from polhode.kinematics.tree import build_tree
from polhode.model.joints import JointType


def swimmer(base: JointType) -> ph.System:
    """A trunk with two arms of 0.3 m and 0.2 m, a slide, a screw, a spring, a force and gravity."""
    s = ph.System("swimmer", gravity=(0, 0, "-9.81"))
    trunk = s.body("trunk", mass=3, com=(0.1, 0, 0), inertia=[1, 2, 3])
    s.joint("base", s.ground, trunk, base)
    for side in (1, -1):
        upper = s.body(f"upper {side}", mass=1, com=(0, 0.1, 0.05), inertia=[1, 1, 2])
        lower = s.body(f"lower {side}", mass=1, com=(0, 0.2, 0), inertia=[2, 1, 2])
        s.joint(f"shoulder {side}", trunk, upper, ph.Revolute("x"), at=(0.3, side * Fraction(1, 5), 0))
        s.joint(f"elbow {side}", upper, lower, ph.Revolute("z"), at=(0, 0.3, 0))
    tip = s.body("tip", mass=1, com=(0, 0, 0.1), inertia=[1, 1, 1])
    nut = s.body("nut", mass=1, com=(0.1, 0, 0), inertia=[1, 2, 1])
    s.joint("slide", "lower 1", tip, ph.Prismatic("x"), at=(0, 0.3, 0))
    s.joint("screw", "lower -1", nut, ph.Screw("z", Fraction(1, 10)), at=(0, 0.3, 0))
    s.spring("tip", "nut", stiffness=50, length=0.2, damping=2)
    s.force("nut", (1, 2, 3), at=(0, 0.1, 0))
    return s


@pytest.mark.parametrize("base", [ph.Free(), ph.Revolute("y"), ph.Planar("z")], ids=lambda joint: joint.kind)
@pytest.mark.parametrize("formalism", ["newton_euler", "composite_body", "articulated_body"])
def test_a_mechanism_moves_alike_in_every_unit(base: JointType, formalism: str) -> None:
    system = swimmer(base)
    assert derive(system, "poincare", passes=()).agrees_with(derive(system, formalism, passes=("regroup",)))


def test_the_most_frequent_offset_becomes_one_where_it_pays_and_rounding_is_no_unit() -> None:
    scaled = scaled_tree(build_tree(swimmer(ph.Revolute("y"))))
    assert scaled.unit == Fraction(3, 10)
    offsets = [p for link in scaled.tree.links for p in link.fixed.p if p]
    assert sum(p == 1 for p in offsets) == 6
    tree = build_tree(swimmer(ph.Free()))
    scaled = scaled_tree(tree)
    assert scaled.unit != 1 and scaled.slides and scaled.in_metres(scaled.lengths(list(tree.u))) == list(tree.u)
    s = ph.System("cart", gravity=(0, 0, "-9.81"))
    trunk = s.body("trunk", mass=1, inertia=[1, 1, 1])
    s.joint("base", s.ground, trunk, ph.Free())
    s.joint("hinge", trunk, s.body("arm", mass=1, com=(1, 0, 0)), ph.Revolute("y"), at=(0, 0.3, 0))
    assert scaled_tree(build_tree(s)).unit == 1
    s = ph.System("arm of a rounded file")
    on = s.ground
    for k in range(4):
        link = s.body(f"link {k}", mass=1, com=(0.1, 0.2, 0.3), inertia=[1, 1, 1])
        s.joint(f"joint {k}", on, link, ph.Revolute("xyz"[k % 3]), at=(1e-17, 0.2 + 0.1 * k, 0))
        on = link
    assert scaled_tree(build_tree(s)).unit >= Fraction(1, 10)
