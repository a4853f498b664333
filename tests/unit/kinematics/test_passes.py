"""Passes over the tree: what each does to axes, origins and masses; the laws prove that equations stay the same."""

import pytest
from tests.unit.kinematics.passes.walker import keeps_the_equations, moments, offsets, walker

import polhode as ph
from polhode.expr import Matrix, Vector, is_zero
from polhode.formalisms.deriving import derive
from polhode.kinematics.motion import body_pose
from polhode.kinematics.passes import PASSES, USUAL, VARIANTS, apply, apply_each
from polhode.kinematics.passes.axes import parallel_angles, single_axis, unit_axis_of
from polhode.kinematics.passes.origins import components, moved
from polhode.kinematics.tree import build_tree


def test_every_variant_gives_poincares_equations_and_passes_are_on_a_list_and_done_once() -> None:
    for system in (walker("y"), walker("z")):
        judge = derive(system, "poincare", passes=())
        for names in VARIANTS:
            for formalism in ("composite_body", "articulated_body"):
                assert judge.agrees_with(derive(system, formalism, passes=names))
    trees = apply_each(build_tree(walker()), [("spread", "regroup"), ("spread", "regroup")])
    assert trees[0] is trees[1]
    assert USUAL in VARIANTS and {name for variant in VARIANTS for name in variant} == {*PASSES}
    with pytest.raises(ph.PolhodeError, match="Known: slide, spread, regroup, lend, merge, hold, rest"):
        apply(build_tree(walker()), ["sort"])


def test_axes_of_joints_and_of_unit_vectors_and_a_foot_on_a_parallel_knee_turns_by_the_sum_of_their_angles() -> None:
    assert unit_axis_of([0, -1, 0]) == 1 and unit_axis_of([0, 0, 0]) is None and unit_axis_of([0, 1, 1]) is None
    assert unit_axis_of([0, 2, 0]) is None
    system = ph.System("three")
    for name, kind in (("turn", ph.Revolute("y")), ("slide", ph.Prismatic("x")), ("screw", ph.Screw("z", 1))):
        system.joint(name, system.ground, system.body(name, mass=1, inertia=[1, 1, 1]), kind)
    found = [single_axis(link) for link in build_tree(system.model()).links]
    assert [axis and (axis[0], *axis[1]) for axis in found] == [("turn", 0, 1, 0), ("slide", 1, 0, 0), None]
    tree = build_tree(walker("y").model())
    angles, continues = parallel_angles(tree)
    names = [link.name for link in tree.links]
    knee, foot = names.index("left knee"), names.index("left foot")
    assert [name for name, goes_on in zip(names, continues, strict=True) if goes_on] == ["left foot", "right foot"]
    assert angles[foot] == tree.q[tree.links[knee].coordinates[0]] + tree.q[tree.links[foot].coordinates[0]]


STILL = Matrix.identity(3)


def test_knee_and_foot_keep_the_orientation_of_the_hip_and_what_hangs_between_gets_a_frame() -> None:
    tree = build_tree(walker("y"))
    held = apply(tree, ["hold"])
    assert {link.name for link in held.links if link.H and link.motion.R == STILL} == {
        f"{side} {part}" for side in ("left", "right") for part in ("knee", "foot")
    }
    for body in tree.bodies:
        assert body_pose(held, body) == body_pose(tree, body)
    system = walker("y")
    system.joint("spur joint", "left knee", system.body("spur", mass=1, com=(1, 2, 3)), ph.Revolute("x"))
    assert "left knee, turned" in [link.name for link in apply(build_tree(system), ["hold"]).links]
    assert keeps_the_equations("hold", system)


def test_lent_particles_cancel_first_moments_and_keep_the_mass_and_no_particle_is_heavier_than_the_mechanism() -> None:
    tree = build_tree(walker())
    regrouped, lent = apply_each(tree, [("regroup",), ("lend",)])
    assert moments(lent) < moments(regrouped) < moments(tree)
    assert sum(link.inertia.m for link in lent.links) == sum(link.inertia.m for link in tree.links)
    system = ph.System("pin")
    arm = system.body("arm", mass=1, com=(1, 0, 0), inertia=[1, 1, 1])
    finger = system.body("finger", mass=1, com=(0, 1, 0), inertia=[1, 1, 1])
    system.joint("a", system.ground, arm, ph.Revolute("z"))
    system.joint("b", arm, finger, ph.Revolute("y"), at=(0.001, 0, 0))  # 1/0.001 would be a thousand times the mass
    tree = build_tree(system)
    assert apply(tree, ["lend"]).links[1].inertia.m == 0


def test_masses_that_are_symbols_are_not_lent_and_bodies_are_where_they_were() -> None:
    system = ph.System("symbolic")
    m = system.parameter("m", 1)
    arm = system.body("arm", mass=m, com=(1, 0, 0), inertia=[1, 1, 1])
    finger = system.body("finger", mass=m, com=(0, 1, 0), inertia=[1, 1, 1])
    system.joint("a", system.ground, arm, ph.Revolute("z"))
    system.joint("b", arm, finger, ph.Revolute("y"), at=(1, 0, 0))
    tree = build_tree(system)
    assert apply(tree, ["lend"]).links == apply(tree, ["regroup"]).links
    tree = build_tree(walker())
    shifted = moved(tree, lambda i, fixed: tree.links[i].H[0][0] if len(tree.links[i].H) == 1 else Vector([1, 2, 3]))
    for body in tree.bodies:
        assert body_pose(shifted, body) == body_pose(tree, body)


def test_sliding_takes_offsets_along_the_axis_and_spreading_keeps_legs_alike() -> None:
    assert components(Vector([0, 2, 0])) == 1
    system = ph.System("post")
    arm = system.body("arm", mass=1, com=(1, 0, 0))
    system.joint("hinge", system.ground, arm, ph.Revolute("z"), at=(3, 0, 5))
    (link,) = apply(build_tree(system), ["slide"]).links
    assert tuple(link.fixed.p) == (3, 0, 0)
    assert tuple(link.inertia.h) == (1, 0, 5), "the body stays where it is"
    tree = build_tree(walker("z"))
    assert offsets(apply(tree, ["slide"])) < offsets(tree)
    slid, spread = apply_each(build_tree(walker("z")), [("slide",), ("spread",)])
    assert offsets(spread) <= offsets(slid)
    left, right = ({link.name: link for link in spread.links}[f"{side} hip"].fixed.p for side in ("left", "right"))
    assert left[0] == right[0] and left[2] == right[2]


def test_a_link_on_a_hinge_has_no_moments_along_its_axis_and_keeps_its_orientation() -> None:
    tree = build_tree(walker())
    regrouped = apply(tree, ["regroup"])
    for link in regrouped.links:
        if len(link.H) == 1:
            axis, own = link.H[0][0], link.inertia
            assert is_zero(own.m) and is_zero(axis.dot(own.h)) and is_zero(axis.dot(own.J @ axis))
    assert sum(link.inertia.m for link in regrouped.links) == sum(link.inertia.m for link in tree.links)
    tree = apply(build_tree(walker("z")), ["rest"])
    resting = {link.name for link in tree.links if link.H and Matrix.identity(3) == link.motion.R}
    assert resting == {"mast", "left foot", "right foot"}
    (mast,) = (link for link in tree.links if link.name == "mast")
    assert mast.inertia.I[2, 2].is_number  # about its axis it feels the same however it is turned
