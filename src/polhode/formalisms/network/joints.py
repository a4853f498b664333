"""A serial mechanism as Tokad's chain: spherical, revolute, prismatic and other simple joints.

Y. Tokad (1992), equations (29), (36) to (39) and section 3. What joint j does is x_j = (v_j, ω_j), of B_j against
A_(j-1). Turning joints have v_j = 0; sliding ones ω_j = 0, and v_j = n ξ' + ω_(j-1) × ξ since the slide ξ turns with
the body before. In the speeds u of the joints

    x = D u,    M = Dᵀ P D,    τ = Dᵀ y,    bias = Dᵀ (P Ḋ u + Q D u + Sᵀ u_G)

and K'S D is the Jacobian matrix (39) of the load port.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ...errors import ModelError
from ...expr import Matrix, Vector, as_expr, directional
from ...geometry.inertia import rotate_symmetric
from ...kinematics.motion import body_pose, velocities, world_poses
from ...kinematics.tree import Tree, build_tree
from ...model.model import Model
from .chain import INNER, OUTER, Chain
from .component import RigidBody


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
    slides: tuple[Vector, ...]  # ξ_j, from A_(j-1) to B_j

    @cached_property
    def D(self) -> Matrix:
        """x = D u."""
        size = len(self.tree.u)
        poses = world_poses(self.tree)
        rows: list[list[Any]] = []
        turning: list[tuple[int, Vector]] = []  # the axes of all joints so far, in ground components
        for link, X, slide in zip(self.tree.links, poses, self.slides, strict=True):
            v, w = ([[as_expr(0)] * size for _ in range(3)] for _ in range(2))
            for speed, axis in turning:
                _add_column(v, speed, axis.cross(slide))
            for speed, (hw, hv) in zip(link.speeds, link.H, strict=True):
                _add_column(v, speed, X.R @ hv)
                _add_column(w, speed, X.R @ hw)
                turning.append((speed, X.R @ hw))
            rows += [*v, *w]
        return Matrix(rows)

    @cached_property
    def D_dot(self) -> Matrix:
        """dD/dt along q̇ = Γ u."""
        rates = dict(zip(self.tree.q, self.tree.coordinate_rates(), strict=True))
        size = len(self.tree.u)
        flat = directional([as_expr(entry) for entry in self.D.entries()], rates)
        return Matrix([flat[k : k + size] for k in range(0, len(flat), size)])

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
        """Velocity terms and gravity."""
        return self.velocity_matrix() @ self.tree.u + self.gravity()

    def jacobian(self) -> Matrix:
        """K'S D, (38), (39): linear over angular velocity of the load port."""
        return (self.chain.load_map @ self.D).map(as_expr)


def _add_column(rows: list[list[Any]], column: int, vector: Vector) -> None:
    for row, entry in zip(rows, vector, strict=True):
        row[column] = row[column] + entry


def serial_chain(system: Model, tip: str, at: Any = (0, 0, 0)) -> SerialChain:
    """The chain of a system whose bodies hang one on the other; the load port is the point `at` of the body `tip`."""
    tree = build_tree(system)
    _check(system, tree, tip)
    poses, moving = world_poses(tree), velocities(tree)
    joints = [system.joints[link.joint] for link in tree.links]
    bodies, slides = [], []
    for k, (joint, X, (w, _)) in enumerate(zip(joints, poses, moving, strict=True)):
        body = system.bodies[joint.child]
        R = body_pose(tree, body.name, poses).R
        end = joints[k + 1].in_parent.p if k + 1 < len(joints) else Vector([as_expr(x) for x in at])
        arms = {INNER: R @ (joint.in_child.p - body.com), OUTER: R @ (end - body.com)}
        inertia = rotate_symmetric(R, body.inertia)
        bodies.append(RigidBody(body.mass, inertia, arms, X.R @ w, system.gravity))
        parent = body_pose(tree, joint.parent, poses).R
        slides.append(parent @ (joint.in_parent.R @ tree.links[k].motion.p))
    return SerialChain(tree, Chain(tuple(bodies)), tuple(slides))


def _check(system: Model, tree: Tree, tip: str) -> None:
    place = f"system '{system.name}'"
    simple = len(tree.links) == len(system.joints) and not system.couplings
    if not simple or any(link.parent != k - 1 for k, link in enumerate(tree.links)):
        raise ModelError(
            "it is not a chain of bodies on simple joints.",
            place=place,
            cure="Use system.derive('network'), which takes any tree.",
            code="E-NET-009",
        )
    if not tree.links or tree.links[-1].name != tip:
        raise ModelError(
            f"'{tip}' is not its last body.",
            place=place,
            cure=f"The last one is '{tree.links[-1].name}'." if tree.links else "Add a body on a joint.",
            code="E-NET-010",
        )
