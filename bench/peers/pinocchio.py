"""Pinocchio: its models of our trees, and a damped Newton method around it for inverse kinematics."""

from collections.abc import Callable
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


def inverse_kinematics(equations: Equations, tip: str, low: Any, high: Any) -> Callable[[Any, Any, Any], bool]:
    """Newton's method of Pinocchio's own example with damping, within limits, from random starts after some steps.

    The function takes the position and rotation of the tip and a start, and returns whether the pose was reached.
    """
    import pinocchio as pin

    model, rng = pin.Model(), np.random.default_rng(1)
    for link in plain_tree(equations.system).links:
        kind = getattr(pin, f"JointModel{link.kind}", None)
        joint = kind() if kind else pin.JointModelRevoluteUnaligned(link.axis)
        last = model.addJoint(link.parent + 1, joint, pin.SE3(link.R, link.p), f"j{model.njoints}")
    data = model.createData()
    pin.forwardKinematics(model, data, np.zeros(model.nq))  # the tip in the last link, from its pose at zero
    position, rotation = map(np.array, equations.compile().pose(tip, np.zeros(len(equations.q))))
    offset = data.oMi[last].actInv(pin.SE3(rotation, position))
    frame = model.addFrame(pin.Frame("tip", last, 0, offset, pin.OP_FRAME))
    data = model.createData()

    def solve(position: Any, rotation: Any, q: Any) -> bool:
        target = pin.SE3(rotation, position)
        for _ in range(_STARTS):
            for _ in range(_STEPS):
                pin.computeJointJacobians(model, data, q)
                error = pin.log6(pin.updateFramePlacement(model, data, frame).actInv(target)).vector
                size = np.linalg.norm(error)
                if size < _TOLERANCE:
                    return True
                J = pin.getFrameJacobian(model, data, frame, pin.LOCAL)
                v = J.T @ np.linalg.solve(J @ J.T + _DAMPING * min(size, 1.0) * np.eye(6), error)
                q = np.clip(q + v * min(1.0, 1.5 / np.linalg.norm(v)), low, high)
            q = rng.uniform(np.maximum(low, -pi), np.minimum(high, pi))
        return False

    return solve
