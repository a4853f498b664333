"""The proof for a mechanism, and what it does not cover."""

from __future__ import annotations

from ....errors import PolhodeError, check_kind
from ....expr import Vector, quiet_collector
from ....formalisms.uicker_kahn import only_single_joints
from ....kinematics.tree import Tree, build_tree
from ....model.model import Model
from ....model.system import System
from .lagrangian import lagrangian_steps
from .motion import Motion
from .newton_euler import newton_euler_steps
from .record import Proof


def equivalence(system: System | Model) -> Proof:
    """That Lagrange's equations and those of Newton and Euler are one computation on a `system`, step by step.

    Silver's equations (3.1) to (3.16), each with its terms as the paper writes them, and his Appendix A. Any tree of
    joints with one degree of freedom each, branched or not, compounds of them, joints that follow others and driven
    ones; every mass, length and gravity may be a symbol.

    >>> import polhode as ph
    >>> s = ph.System("pendulum")
    >>> m, l = s.parameter("m"), s.parameter("l")
    >>> _ = s.joint("theta", s.ground, s.body("bob", m, (0, 0, -l)), ph.Revolute("y"))
    >>> proof = equivalence(s)
    >>> proof.holds, len(proof.steps)
    (True, 30)
    >>> print(proof["3.1"].here[0])
    K = \\frac{\\dot{\\theta}^{2} l^{2} m}{2}
    """
    check_kind(System | Model, "a system", system, "equivalence", "Give a System, or its model().")
    model = system.model() if isinstance(system, System) else system
    with quiet_collector():
        tree = _open_tree(model)
        return prove(model.name, Motion.of(tree, model.time), tree.gravity, _notes(model))


def prove(name: str, motion: Motion, gravity: Vector, notes: tuple[str, ...] = ()) -> Proof:
    """All steps on a motion."""
    steps = (*lagrangian_steps(motion), *newton_euler_steps(motion, gravity))
    tree = motion.tree
    return Proof(name, tuple(link.name for link in tree.links), tuple(tree.speeds), steps, notes)


def _open_tree(model: Model) -> Tree:
    """The tree, if it is one that Silver's argument is for."""
    if model.constraints:
        raise PolhodeError(
            "Silver's proof is for open chains and trees, and this mechanism has constraints.",
            place=f"constraint '{next(iter(model.constraints))}'",
            cure="Leave them out, or see `compare`, which judges constrained mechanisms too.",
            code="E-PROVE-001",
        )
    tree = build_tree(model)
    only_single_joints(tree, "Silver's proof")
    if not tree.u:
        raise PolhodeError(
            "no joint is free to move, so there is nothing to prove.",
            place=f"system '{model.name}'",
            cure="Add a joint, or let one go that is driven.",
            code="E-PROVE-002",
        )
    return tree


def _notes(model: Model) -> tuple[str, ...]:
    """What the proof leaves aside."""
    if not model.loads:
        return ()
    return ("Loads other than gravity are added to both sides alike, and are left out.",)
