"""The branch of a motion through a singular pose, from poses before and behind it.

Where a parallelogram lies flat, singular values σ of its constraint matrix pass through zero. Rounding by ε then leaves
ε/σ undetermined in the coordinates, ε/σ² in the speeds and ε/σ³ in the accelerations, by whatever formula they are
solved for. The motion is smooth all the same: it is interpolated by polynomials through nodes on both sides, with σ
large enough there. Only what the constraints do is taken from there; forces are those at the state itself.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...constraints.factorisation import Factorisation
from ..initial_state import Floats
from .manifold import Manifold

#: Singular values below this may be on their way through zero.
_WEAK = 0.15
#: So far from a pose, in units of the slope of singular values, both ways are off by about as much.
_NEAR = 0.04
#: Nodes on each side of a pose, in the same units; and so often they are halved where a polynomial is not smooth.
_NODES = np.array([0.2, 0.275, 0.35, 0.425, 0.5, 0.575])
_HALVINGS = 3
#: By this, and this part of the speed, polynomials may differ from those without the outermost nodes.
_SMOOTH = 1e-12
#: Where they differ by more, nodes lie on different branches; where speeds change by this part, the motion is on none.
_OTHER_BRANCH, _CHANGED = 1e-4, 0.1
#: The part of the expected singular value that a node must have.
_REGULAR = 0.25
#: The displacement by which slopes are measured.
_SMALL = 1e-4


@dataclass(frozen=True, eq=False)
class Branch:
    """A state on the branch through a singular pose, and the nodes that it is interpolated from."""

    q: Floats
    u: Floats
    weights: Floats
    rows: list[Factorisation]
    gammas: list[Floats]
    error: float
    halved: int

    def has_speeds(self, u: Floats) -> bool:
        """Whether speeds are those of the branch, but for what a step may be off."""
        return bool(np.abs(self.u - u).max() <= _CHANGED * np.abs(u).max())

    def accelerations(self, free: Floats) -> Floats:
        """u̇ on the branch, from what it would be without constraints: M u̇ - M u̇_free is a force of constraints."""
        made = [rows.least(-(rows.A @ free + gamma)) for rows, gamma in zip(self.rows, self.gammas, strict=True)]
        return np.asarray(free + self.weights @ np.array(made))


def pose_near(manifold: Manifold, t: float, q: Floats, u: Floats, rank: int) -> tuple[Floats, float] | None:
    """A singular pose near q on the way along u, and the distance from it in which singular values grow to one."""
    found = _pose_ahead(manifold, t, q, u, rank)
    if found is None:
        return None
    s, unit, _ = found
    speed = float(np.linalg.norm(manifold.coordinate_rates(t, q, u)))
    return manifold.moved(t + s, q, s * u), unit * speed


def _pose_ahead(manifold: Manifold, t: float, q: Floats, u: Floats, rank: int) -> tuple[float, float, float] | None:
    """When the pose is passed, by two of Newton's steps, with what `_pose` tells of it; None where there is none."""
    if not u.any():
        return None
    found = _pose(manifold, t, q, u, rank, 0.0)
    return None if found is None else _pose(manifold, t, q, u, rank, found[0])


def branch_near(manifold: Manifold, t: float, q: Floats, u: Floats, rank: int, halved: int = 0) -> Branch | None:
    """The branch through a singular pose near (q, u) that moves along u, by nodes `halved` at least so often.

    None where there is no such pose, where the mechanism rests, or moves from one singular pose to the next.
    """
    if not u.any():
        return None
    found = _pose(manifold, t, q, u, rank, 0.0)
    if found is None or abs(found[0]) > _NEAR * found[1]:
        return None
    found = _pose(manifold, t, q, u, rank, found[0])
    if found is None:
        return None
    pose, unit, least = found
    best: Branch | None = None
    for times in range(halved, _HALVINGS + 1):
        made = _interpolated(manifold, t, q, u, rank, pose, unit, times, _REGULAR * least)
        if made is not None and (best is None or made.error < best.error):
            best = made
        if best is not None and best.error <= _SMOOTH:
            break
    return best


def _pose(
    manifold: Manifold, t: float, q: Floats, u: Floats, rank: int, guess: float
) -> tuple[float, float, float] | None:
    """In how many seconds, on the way along u, singular values pass through zero, one of Newton's steps from a guess.

    With it the time in which they would grow to one from there, and the slope of the one that grows least.
    """
    ahead = _SMALL / float(np.abs(u).max())
    times = [guess - ahead, guess, guess + ahead]
    before, here, behind = (manifold.rows(t + s, manifold.moved(t + s, q, s * u)) for s in times)
    weak = [k for k in range(rank) if here.singular_values[k] < _WEAK]
    slope = (here.combined(behind, weak) - here.combined(before, weak)) / (2.0 * ahead)
    square = float(np.sum(slope * slope))
    if square == 0.0:
        return None
    pose = guess - float(np.sum(slope * here.combined(here, weak))) / square
    return pose, float(np.sqrt(len(weak) / square)), float(np.linalg.svd(slope, compute_uv=False)[-1])


def _interpolated(
    manifold: Manifold, t: float, q: Floats, u: Floats, rank: int, pose: float, unit: float, halved: int, regular: float
) -> Branch | None:
    """The branch through a pose that is passed in `pose` seconds, by nodes in multiples of `unit` seconds from it."""
    nodes = np.concatenate([-_NODES[::-1], _NODES]) / 2**halved
    made_q, made_u, made_rows, gammas = [], [], [], []
    for node in nodes * unit:
        s = pose + node
        there, _, rows = manifold.nearest_coordinates(t + s, manifold.moved(t + s, q, s * u), holonomic=True)
        if len(rows.A) < len(manifold.names):
            rows = manifold.rows(t + s, there)
        if not rows.singular_values[rank - 1] > regular * abs(node):
            return None
        moving = u + rows.least(-manifold.rates(t + s, there, u))
        made_q.append(there)
        made_u.append(moving)
        made_rows.append(rows)
        gammas.append(manifold.gamma(t + s, there, moving))
    at = -pose / unit
    weights, fewer = _lagrange(nodes, at), _lagrange(nodes[1:-1], at)
    new_q, new_u = (weights @ np.array(made) for made in (made_q, made_u))
    speed = np.abs(u).max()
    differences = [
        np.abs(fewer @ np.array(made[1:-1]) - new).max() / size
        for made, new, size in ((made_q, new_q, 1.0), (made_u, new_u, speed))
    ]
    if not max(differences) <= _OTHER_BRANCH:
        return None
    return Branch(manifold.unit(new_q), new_u, weights, made_rows, gammas, float(max(differences)), halved)


def _lagrange(nodes: Floats, at: float) -> Floats:
    """The weights of values at the nodes in the value of their polynomial at another point.

    >>> _lagrange(np.array([-1.0, 0.0, 1.0]), 2.0).tolist()
    [1.0, -3.0, 3.0]
    """
    own = np.eye(len(nodes), dtype=bool)
    gaps = np.where(own, 1.0, nodes[:, None] - nodes[None, :])
    return np.asarray(np.prod(np.where(own, 1.0, (at - nodes)[None, :]) / gaps, axis=1))
