"""A mechanism on which every pass finds something to do, and what is counted on it."""

import polhode as ph
from polhode.expr import is_zero
from polhode.formalisms.deriving import derive
from polhode.kinematics.tree import Tree


def walker(foot: str = "y") -> ph.System:
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


def keeps_the_equations(name: str, system: ph.System) -> bool:
    """Whether one pass alone leaves every function as Poincaré has it from the mechanism as it was written."""
    judge = derive(system.model(), "poincare", passes=())
    made = [derive(system.model(), each, passes=(name,)) for each in ("composite_body", "articulated_body")]
    return all(judge.agrees_with(each) for each in made)
