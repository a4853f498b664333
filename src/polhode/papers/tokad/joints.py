"""A serial mechanism as Tokad's chain, on joints of any kind.

Y. Tokad (1992), equations (29), (36) to (39) and section 3. What joint j does is x_j = (v_j, ω_j), of B_j against
A_(j-1), the point of the body before at which B_j is. Turning joints have v_j = 0; sliding ones ω_j = 0 and v_j = n ξ'.
A compound joint is one port: v_j and ω_j are the sums over its stages. In the speeds u of the joints

    x = D u,    M = Dᵀ P D,    τ = Dᵀ y,    bias = Dᵀ (P Ḋ u + Q D u + Sᵀ u_G)

and K'S D is the Jacobian matrix (39) of the load port.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from typing import Any

from ...errors import ModelError
from ...expr import Matrix, Vector, as_expr
from ...formalisms.network.mechanism import ZERO
from ...geometry.inertia import rotate_symmetric
from ...kinematics.motion import body_pose, velocities, world_poses
from ...kinematics.prescribed import moves_in
from ...kinematics.tree import BASE, Tree, build_tree, joints_from_the_ground
from ...model.model import Model
from ...model.records import GROUND, Joint
from .chain import INNER, OUTER, Chain
from .component import RigidBody
from .joint_ports import JointPort, joint_ports


@dataclass(frozen=True)
class SerialChain:
    """A chain with its joints.

    >>> import polhode as ph
    >>> arm = ph.System("arm")
    >>> link = arm.body("link", mass=2, com=(1, 0, 0))
    >>> hinge = arm.joint("hinge", arm.ground, link, ph.Revolute("z"))
    >>> serial_chain(arm, "link", (2, 0, 0)).mass_matrix()
    Matrix([[2]])
    """

    tree: Tree
    chain: Chain
    ports: tuple[JointPort, ...]

    @cached_property
    def D(self) -> Matrix:
        """x = D u, beside what prescribed motions give."""
        return Matrix([row for port in self.ports for row in port.D])

    @cached_property
    def D_dot(self) -> Matrix:
        """dD/dt along q̇ = Γ u."""
        return Matrix([row for port in self.ports for row in port.D_dot])

    def mass_matrix(self) -> Matrix:
        """Dᵀ P D."""
        return (self.D.T @ self.chain.P @ self.D).map(as_expr)

    def velocity_matrix(self) -> Matrix:
        """Dᵀ (Q D + P Ḋ): the coefficients d_pq of (42), where Ḋ vanishes."""
        return (self.D.T @ (self.chain.Q @ self.D + self.chain.P @ self.D_dot)).map(as_expr)

    def gravity(self) -> Vector:
        """Dᵀ Sᵀ u_G: β of (42)."""
        return Vector([as_expr(entry) for entry in self.D.T @ self.chain.u])

    def bias(self) -> Vector:
        """Velocity terms and gravity, and what prescribed motions ask for."""
        made = self.velocity_matrix() @ self.tree.u + self.gravity()
        if not self.tree.is_driven:
            return made
        x_0, rate = (Vector([x for port in self.ports for x in getattr(port, of)]) for of in ("x_0", "x_0_dot"))
        driven = self.chain.P @ rate + self.chain.Q @ x_0
        return Vector([as_expr(entry) for entry in made + self.D.T @ driven])

    def jacobian(self) -> Matrix:
        """K'S D, (38), (39): linear over angular velocity of the load port."""
        return (self.chain.load_map @ self.D).map(as_expr)


def serial_chain(system: Model, tip: str, at: Any = (0, 0, 0)) -> SerialChain:
    """The chain of a system whose bodies hang one on the other; the load port is the point `at` of the body `tip`."""
    joints, tree = _checked(system, tip), build_tree(system)
    ports = joint_ports(system, tree)
    own = tuple(ports[joint.name] for joint in joints)
    return SerialChain(tree, chain_of(system, tree, own, Vector([as_expr(x) for x in at])), own)


def chain_of(system: Model, tree: Tree, ports: Sequence[JointPort], end: Vector) -> Chain:
    """The bodies that these joints carry, one hanging on the other; A_m is the point `end` of the last."""
    joints = [port.joint for port in ports]
    timed = next((j for j in joints if any(moves_in(X, system.time) for X in (j.in_parent, j.in_child))), None)
    if timed is not None:
        raise ModelError(
            f"where joint '{timed.name}' sits on its bodies depends on time, and the arms of a chain stay.",
            place=f"system '{system.name}'",
            cure="Use system.derive('network'), which takes it, or write a prescribed joint for what moves.",
            code="E-NET-009",
        )
    poses, moving = world_poses(tree), velocities(tree)
    bodies = []
    for joint, after in zip_longest(joints, ports[1:]):
        body, X = system.bodies[joint.child], body_pose(tree, joint.child, poses)
        outer, slide, drift = (
            (end, ZERO, ZERO) if after is None else (after.joint.in_parent.p, after.slide, after.drift)
        )
        arms = {INNER: X.R @ (joint.in_child.p - body.com), OUTER: X.R @ (outer - body.com) + slide}
        i = tree.bodies[body.name][0]
        spin = ZERO if i == BASE else poses[i].R @ moving[i][0]
        inertia = rotate_symmetric(X.R, body.inertia)
        bodies.append(RigidBody(body.mass, inertia, arms, spin, system.gravity, {OUTER: drift}))
    return Chain(tuple(bodies))


def _checked(system: Model, tip: str) -> list[Joint]:
    """The joints of a chain that ends with the body `tip`."""
    place, joints = f"system '{system.name}'", joints_from_the_ground(system)
    before = [GROUND, *(joint.child for joint in joints)]
    if system.constraints:
        raise ModelError(
            "it has loops or rolling, which a chain alone does not keep.",
            place=place,
            cure="Use system.derive('network'), which takes them.",
            code="E-NET-032",
        )
    if system.couplings or any(joint.parent != body for joint, body in zip(joints, before, strict=False)):
        raise ModelError(
            "it is not a chain of bodies.",
            place=place,
            cure="Use system.derive('network'), which takes any tree.",
            code="E-NET-009",
        )
    if not joints or joints[-1].child != tip:
        raise ModelError(
            f"'{tip}' is not its last body.",
            place=place,
            cure=f"The last one is '{joints[-1].child}'." if joints else "Add a body on a joint.",
            code="E-NET-010",
        )
    return joints
