"""What each pass promises, on a walker with two legs and a mast; that nothing else changes is a law of its own."""

from __future__ import annotations

import polhode as ph
from polhode.expr import Matrix, is_zero
from polhode.formalisms.deriving import derive
from polhode.kinematics.passes import VARIANTS, apply, apply_each
from polhode.kinematics.tree import Tree, build_tree
from polhode.model.system import System


def walker(foot: str = "y") -> System:
    """A floating trunk with a mast and two legs of three links, everything in numbers."""
    system = ph.System("walker", gravity=(0, 0, -9.81))
    trunk = system.body("trunk", mass=9, com=(0.1, 0.2, 0.3), inertia=[2, 3, 4])
    system.joint("base", system.ground, trunk, ph.Free())
    mast = system.body("mast", mass=2, com=(0.1, 0.3, 0.5), inertia=[0.2, 0.3, 0.4])
    system.joint("mast joint", trunk, mast, ph.Revolute("z"), at=(0, 0, 0.4))
    for side, sign in (("left", 1), ("right", -1)):
        on, at = trunk, (-0.1, 0.2 * sign, -0.3)
        for name, axis in (("hip", "x"), ("knee", "y"), ("foot", foot)):
            link = system.body(f"{side} {name}", mass=3, com=(0.1, 0.2, -0.3), inertia=[0.02, 0.03, 0.04])
            system.joint(f"{side} {name} joint", on, link, ph.Revolute(axis), at=at)
            on, at = link, (0, 0, -0.5)
    return system


def moments(tree: Tree) -> int:
    """How many components the first moments of all links have."""
    return sum(not is_zero(x) for link in tree.links for x in link.inertia.h)


def offsets(tree: Tree) -> int:
    """How many components the offsets of all joints have."""
    return sum(not is_zero(x) for link in tree.links for x in link.fixed.p)


def test_every_variant_gives_poincares_equations() -> None:
    for system in (walker("y"), walker("z")):
        judge = derive(system, "poincare", passes=())
        for names in VARIANTS:
            for formalism in ("composite_body", "articulated_body"):
                assert judge.agrees_with(derive(system, formalism, passes=names))


def test_lent_particles_cancel_first_moments_and_keep_the_mass() -> None:
    tree = build_tree(walker())
    regrouped, lent = apply_each(tree, [("regroup",), ("lend",)])
    assert moments(lent) < moments(regrouped) < moments(tree)
    assert sum(link.inertia.m for link in lent.links) == sum(link.inertia.m for link in tree.links)


def test_no_particle_is_heavier_than_the_mechanism() -> None:
    system = ph.System("pin")
    arm = system.body("arm", mass=1, com=(1, 0, 0), inertia=[1, 1, 1])
    finger = system.body("finger", mass=1, com=(0, 1, 0), inertia=[1, 1, 1])
    system.joint("a", system.ground, arm, ph.Revolute("z"))
    system.joint("b", arm, finger, ph.Revolute("y"), at=(0.001, 0, 0))  # 1/0.001 would be a thousand times the mass
    tree = build_tree(system)
    assert apply(tree, ["lend"]).links[1].inertia.m == 0


def test_masses_that_are_symbols_are_not_lent() -> None:
    system = ph.System("symbolic")
    m = system.parameter("m", 1)
    arm = system.body("arm", mass=m, com=(1, 0, 0), inertia=[1, 1, 1])
    finger = system.body("finger", mass=m, com=(0, 1, 0), inertia=[1, 1, 1])
    system.joint("a", system.ground, arm, ph.Revolute("z"))
    system.joint("b", arm, finger, ph.Revolute("y"), at=(1, 0, 0))
    tree = build_tree(system)
    assert apply(tree, ["lend"]).links == apply(tree, ["regroup"]).links


def test_spreading_leaves_no_more_components_than_sliding_and_keeps_legs_alike() -> None:
    slid, spread = apply_each(build_tree(walker("z")), [("slide",), ("spread",)])
    assert offsets(spread) <= offsets(slid)
    left, right = ({link.name: link for link in spread.links}[f"{side} hip"].fixed.p for side in ("left", "right"))
    assert left[0] == right[0] and left[2] == right[2]


def test_a_link_that_carries_nothing_keeps_the_orientation_of_its_seat() -> None:
    tree = apply(build_tree(walker("z")), ["rest"])
    resting = {link.name for link in tree.links if link.H and Matrix.identity(3) == link.motion.R}
    assert resting == {"mast", "left foot", "right foot"}
    (mast,) = (link for link in tree.links if link.name == "mast")
    assert mast.inertia.I[2, 2].is_number  # about its axis it feels the same however it is turned


def test_common_beginnings_of_passes_are_done_once() -> None:
    trees = apply_each(build_tree(walker()), [("spread", "regroup"), ("spread", "regroup")])
    assert trees[0] is trees[1]
