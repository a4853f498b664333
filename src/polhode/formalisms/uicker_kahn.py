"""Lagrange's equations with 4×4 matrices: the first way, and the longest.

J. J. Uicker, "On the Dynamic Analysis of Spatial Linkages Using 4×4 Matrices" (1965), and M. E. Kahn, "The
Near-Minimum-Time Control of Open-Loop Articulated Kinematic Chains" (1969), as W. M. Silver, A.I. Memo 622 (1981),
quotes them in (1.2):

    τ_i = Σ_j tr(∂W_j/∂q_i J_j Ẅ_jᵀ) - m_j gᵀ ∂W_j/∂q_i r_j                                        (1.2, with gravity)
    Ẅ_j = Σ_k ∂W_j/∂q_k q̈_k + Σ_k Σ_l ∂²W_j/∂q_k∂q_l q̇_k q̇_l

    paper       here
    A_j         `Segment.A`: the link in its parent; ∂A_j/∂q_j = A_j Q_j with a constant operator matrix Q_j
    W_j         the link in the ground, the product of all A on the way
    J_j         `Segment.J` = ∫ r rᵀ dm with r = (x, y, z, 1), in the link's components; m_j r_j is its last column
    U_ji, U_jkl first and second partial derivatives of W_j: products with one A or two of them differentiated

Every partial derivative is formed and every trace taken as the sum says; nothing is carried from one term to the next.
A joint whose motion is prescribed, as under a driven base, has time as its coordinate: q̇ = 1, q̈ = 0, and no effort.

Needs a tree of joints with one degree of freedom each, of any kind. Cost: grows with the fourth power of the depth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..dynamics.equations import Recipe
from ..dynamics.loads import loads_of
from ..errors import PolhodeError
from ..expr import Matrix, Vector, skew
from ..geometry import Inertia
from ..geometry.twist import Twist
from ..kinematics.tree import BASE, Link, Tree
from ..model.model import Model


@dataclass(frozen=True)
class Segment:
    """A link and the joint that carries it, in homogeneous coordinates."""

    parent: int
    speed: int | None  # the index of its q̇ among all speeds; none where the motion is prescribed
    A: Matrix
    A_D_q: Matrix
    A_D_qq: Matrix
    J: Matrix

    def rates(self, qd: Sequence[Any], qdd: Sequence[Any]) -> tuple[Any, Any]:
        """q̇ and q̈ of its coordinate."""
        return coordinate_rates(self.speed, qd, qdd)

    @property
    def moment(self) -> Vector:
        """m r: the first moment of the mass, and the mass."""
        return Vector(row[3] for row in self.J)


def segments(tree: Tree, formalism: str) -> list[Segment]:
    """A tree in 4×4 matrices, with ∂A/∂q = A Q and ∂²A/∂q² = A Q Q; where time is q, Ä = A (Q Q + Q̇)."""
    only_single_joints(tree, f"the formalism '{formalism}'")
    result = []
    for link in tree.links:
        twist, rate = coordinate_twist(link)
        A, Q = link.X.matrix(), operator(*twist)
        J = pseudo_inertia(link.inertia)
        result.append(Segment(link.parent, speed_of(link), A, A @ Q, A @ (Q @ Q + operator(*rate)), J))
    return result


def only_single_joints(tree: Tree, who: str) -> None:
    """Raise if a joint has several freedoms at once, without a coordinate with q̇ = u."""
    for link in tree.links:
        if link.drive is None and (len(link.H) != 1 or link.stage.coordinates != 1):
            message = (
                f"{who} is made for joints with one degree of freedom, "
                f"and this one has a stage with {len(link.H)} speeds and {link.stage.coordinates} coordinates."
            )
            cure = "Write the joint as a compound of single ones; 'newton_euler' and 'poincare' take any joint."
            raise PolhodeError(message, f"joint '{link.joint}'", cure, "E-DERIVE-UNSUPPORTED")


def speed_of(link: Link) -> int | None:
    """The index of a joint's speed; none where its motion is prescribed."""
    return link.speeds[0] if link.drive is None else None


def coordinate_twist(link: Link) -> tuple[Twist, Twist]:
    """The twist of a joint for a unit of q̇, and its rate in the link: of a driven joint, whose q is time, as given."""
    if link.drive is not None:
        return Twist(link.drive.w, link.drive.v), Twist(link.drive.alpha, link.drive.a)
    return link.H[0], Twist.zero()


def coordinate_rates(speed: int | None, qd: Sequence[Any], qdd: Sequence[Any]) -> tuple[Any, Any]:
    """q̇ and q̈ of a joint; where its motion is prescribed q is time, and they are 1 and 0."""
    return (1, 0) if speed is None else (qd[speed], qdd[speed])


def operator(w: Vector, v: Vector) -> Matrix:
    """Q: the matrix [[ŵ, v], [0, 0]] of a twist, constant where it is a joint's; a turn, a slide or a screw alike."""
    hat = skew(w)
    return Matrix([[*hat[i], v[i]] for i in range(3)] + [[0, 0, 0, 0]])


def pseudo_inertia(inertia: Inertia) -> Matrix:
    """∫ r rᵀ dm for r = (x, y, z, 1)."""
    return Matrix([[*inertia.J[i], inertia.h[i]] for i in range(3)] + [[*inertia.h, inertia.m]])


def trace(matrix: Matrix) -> Any:
    """The sum of the diagonal."""
    return sum(row[i] for i, row in enumerate(matrix))


Partials = tuple[dict[int, Matrix], dict[tuple[int, int], Matrix]]


def partials(links: Sequence[Segment]) -> list[Partials]:
    """For each link ∂W/∂q_k and ∂²W/∂q_k∂q_l, by the links that the coordinates move first; without zeros."""
    table: list[Partials] = []
    between: dict[tuple[int, int], Matrix] = {(BASE, BASE): Matrix.identity(4)}  # ⁱW_j for each i on the way to j
    paths: dict[int, list[int]] = {BASE: []}
    for j, link in enumerate(links):
        path = paths[j] = [*paths[link.parent], j]
        for i in [BASE, *paths[link.parent]]:
            between[i, j] = between[i, link.parent] @ link.A
        between[j, j] = Matrix.identity(4)
        first: dict[int, Matrix] = {}
        second: dict[tuple[int, int], Matrix] = {}
        for at, k in enumerate(path):
            one = links[k]
            W = between[BASE, one.parent]
            first[k] = W @ one.A_D_q @ between[k, j]
            second[k, k] = W @ one.A_D_qq @ between[k, j]
            for l in path[at + 1 :]:
                two = links[l]
                U = W @ one.A_D_q @ between[k, two.parent] @ two.A_D_q @ between[l, j]
                second[k, l] = second[l, k] = U
        table.append((first, second))
    return table


def inverse_dynamics(
    links: Sequence[Segment], qd: Sequence[Any], qdd: Sequence[Any], gravity: Sequence[Any]
) -> list[Any]:
    """The effort on every coordinate, (1.2)."""
    g = Vector([*gravity, 0])
    rates = [link.rates(qd, qdd) for link in links]
    tau: list[Any] = [0] * len(qd)
    for link, (first, second) in zip(links, partials(links), strict=True):
        J = link.J
        for i, U_i, _ in _efforts(links, first):
            for _, U_k, k in _efforts(links, first):
                tau[i] = tau[i] + trace(U_i @ J @ U_k.T) * rates[k][1]
            for (k, l), U_kl in second.items():
                tau[i] = tau[i] + trace(U_i @ J @ U_kl.T) * rates[k][0] * rates[l][0]
            tau[i] = tau[i] - g.dot(U_i @ link.moment)
    return tau


def mass_matrix(links: Sequence[Segment], size: int) -> Matrix:
    """M_ik = Σ_j tr(∂W_j/∂q_i J_j (∂W_j/∂q_k)ᵀ)."""
    M: list[list[Any]] = [[0] * size for _ in range(size)]
    for link, (first, _) in zip(links, partials(links), strict=True):
        for i, U_i, _ in _efforts(links, first):
            for k, U_k, _ in _efforts(links, first):
                M[i][k] = M[i][k] + trace(U_i @ link.J @ U_k.T)
    return Matrix(M)


def _efforts(links: Sequence[Segment], first: dict[int, Matrix]) -> list[tuple[int, Matrix, int]]:
    """The speeds with an effort, each with ∂W/∂q and its link; driven joints have none."""
    efforts = []
    for k, U in first.items():
        speed = links[k].speed
        if speed is not None:
            efforts.append((speed, U, k))
    return efforts


def given_forces(model: Model, tree: Tree) -> Vector:
    """Generalised force of all loads but gravity: wrenches by the links' Jacobians, forces on speeds."""
    return Vector(loads_of(model, tree).generalized_forces())


def recipe(model: Model, tree: Tree) -> Recipe:
    """Inverse dynamics and mass matrix from the sum (1.2)."""
    links = segments(tree, "uicker_kahn")

    def inverse(ud: Sequence[Any]) -> Vector:
        return Vector(inverse_dynamics(links, tree.u, ud, tree.gravity)) - given_forces(model, tree)

    return Recipe(inverse=inverse, mass_matrix=lambda: mass_matrix(links, len(tree.u)))
