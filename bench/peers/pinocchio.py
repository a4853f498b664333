"""Pinocchio: its models of our trees, and a damped Newton method around it for inverse kinematics."""

from math import pi
from typing import Any

import numpy as np

from polhode import Equations

from ..tree import PlainTree, numbers, plain_tree

_TOLERANCE = 1e-10
#: Damping and steps from a start, both the best of those that were tried, and the number of starts.
_DAMPING, _STEPS, _STARTS = 1e-4, 40, 100


def as_lines(tree: PlainTree) -> str:
    """The tree as `pinocchio_loop` and `casadi_trace` read it."""
    lines = [numbers(tree.gravity)]
    for link in tree.links:
        parts = (link.axis, link.R, link.p, [link.mass], link.com, link.inertia)
        lines.append(f"{link.parent + 1} {link.kind} {' '.join(map(numbers, parts))}")
    return "\n".join(lines) + "\n"


class InverseKinematics:
    """Newton's method of Pinocchio's own example with damping, within limits, from random starts after some steps."""

    def __init__(self, equations: Equations, tip: str, limits: Any) -> None:
        import pinocchio

        self.model = pinocchio.Model()
        for link in plain_tree(equations.system).links:
            kind = getattr(pinocchio, f"JointModel{link.kind}", None)
            joint = kind() if kind else pinocchio.JointModelRevoluteUnaligned(link.axis)
            self.model.addJoint(link.parent + 1, joint, pinocchio.SE3(link.R, link.p), f"j{self.model.njoints}")
        self.data, self.low, self.high = self.model.createData(), *limits
        # the tip in the last link, from its pose at zero
        pinocchio.forwardKinematics(self.model, self.data, np.zeros(self.model.nq))
        position, rotation = equations.compile().pose(tip, np.zeros(len(equations.q)))
        offset = self.data.oMi[self.model.njoints - 1].actInv(pinocchio.SE3(np.array(rotation), np.array(position)))
        self.frame = self.model.addFrame(pinocchio.Frame("tip", self.model.njoints - 1, 0, offset, pinocchio.OP_FRAME))
        self.data, self.rng = self.model.createData(), np.random.default_rng(1)

    def share(self, positions: Any, rotations: Any, starts: Any) -> float:
        """The share of poses that are reached, one after the other."""
        return float(np.mean([self._solve(*each) for each in zip(positions, rotations, starts, strict=True)]))

    def _solve(self, position: Any, rotation: Any, q: Any) -> bool:
        import pinocchio

        target = pinocchio.SE3(rotation, position)
        for _ in range(_STARTS):
            for _ in range(_STEPS):
                pinocchio.computeJointJacobians(self.model, self.data, q)
                gap = pinocchio.updateFramePlacement(self.model, self.data, self.frame).actInv(target)
                error = pinocchio.log6(gap).vector
                size = np.linalg.norm(error)
                if size < _TOLERANCE:
                    return True
                J = pinocchio.getFrameJacobian(self.model, self.data, self.frame, pinocchio.LOCAL)
                v = J.T @ np.linalg.solve(J @ J.T + _DAMPING * min(size, 1.0) * np.eye(6), error)
                q = np.clip(q + v * min(1.0, 1.5 / np.linalg.norm(v)), self.low, self.high)
            q = self.rng.uniform(np.maximum(self.low, -pi), np.minimum(self.high, pi))
        return False
