"""Inverse kinematics beside a damped Newton method around Pinocchio in Python: random reachable poses, random starts.

The peer is the loop of Pinocchio's own example with whole steps, held within the limits and begun again after some; it
is timed on some of the poses and scaled. Both go to 1e-10 in metres and radians.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import pi
from typing import Any

import numpy as np

from polhode import Equations, System, from_dh

from .clock import least_times, seconds_of
from .robots import ARMS, Robot
from .table import Timing

SECTION = "inverse kinematics"
_TOLERANCE = 1e-10
#: Poses, those of them that the peer is timed on, and the share of them that is to be solved.
_POSES, _FEW, _SHARE = 10_000, 100, 0.999
#: The peer's damping and steps from a start, both the best of those that were tried, and its starts.
_DAMPING, _STEPS, _STARTS = 1e-4, 40, 100
_TIPS = {"ur5": "tool0", "panda": "panda_hand_tcp"}


def puma_560() -> System:
    """The arm of P. Corke and B. Armstrong-Hélouvry, ICRA 1994, with joints that turn freely."""
    rows = [
        (0, 0, 0, pi / 2), (0, 0, "0.4318", 0), (0, "0.15005", "0.0203", -pi / 2),
        (0, "0.4318", 0, pi / 2), (0, 0, 0, -pi / 2), (0, 0, 0, 0),
    ]  # fmt: skip
    return from_dh(rows, name="puma560")


def of_file(robot: Robot) -> Any:
    """Pinocchio's model of a robot's file."""
    import pinocchio

    model = pinocchio.buildModelFromUrdf(str(robot.path))
    fixed = [model.getJointId(name) for name in robot.locked]
    return pinocchio.buildReducedModel(model, fixed, pinocchio.neutral(model)) if fixed else model


def of_system(system: System) -> Any:
    """Pinocchio's model of a chain of joints about z, without masses; the frame `tip` is its last body."""
    import pinocchio

    model, parent, after = pinocchio.Model(), 0, pinocchio.SE3.Identity()
    for joint in system.joints.values():
        X, back = (
            pinocchio.SE3(np.array(pose.R, dtype=float), np.array(pose.p, dtype=float))
            for pose in (joint.in_parent, joint.in_child)
        )
        parent = model.addJoint(parent, pinocchio.JointModelRZ(), after * X, joint.name)
        after = back.inverse()
    model.addFrame(pinocchio.Frame("tip", parent, 0, after, pinocchio.OP_FRAME))
    model.lowerPositionLimit[:], model.upperPositionLimit[:] = -np.inf, np.inf
    return model


def rows(quick: bool, say: Callable[[str], None]) -> list[Timing]:
    """The section's table."""
    cases = [(robot.name, robot.system(), _TIPS[robot.name], of_file(robot), _TIPS[robot.name]) for robot in ARMS]
    arm = puma_560()
    cases.append((arm.name, arm, "link6", of_system(arm), "tip"))
    few, passes = (10, 1) if quick else (_FEW, 5)
    made = []
    for name, system, tip, model, frame in cases:
        say(name)
        equations = system.derive()
        (positions, rotations), starts = reachable(equations, tip, 1000 if quick else _POSES)
        ours = partial(equations.inverse_kinematics, tip, (positions, rotations), near=starts)
        peer = Peer(model, frame)
        theirs = partial(peer.share, positions[:few], rotations[:few], starts[:few])
        share, their_share = float(ours().solved.mean()), theirs()
        least = least_times({"ours": partial(seconds_of, ours), "theirs": partial(seconds_of, theirs)}, passes)
        note = f"{100 * share:.2f} % solved, theirs {100 * their_share:.0f} % of {few}"
        enough = share >= _SHARE
        made.append(
            Timing(
                SECTION, name, f"{len(starts):,} poses", least["ours"] if enough else None, "Pinocchio",
                least["theirs"] * len(starts) / few, 10.0, note=note if enough else f"{note}: too few",
            )
        )  # fmt: skip
    return made


def reachable(equations: Equations, tip: str, count: int) -> tuple[tuple[Any, Any], Any]:
    """Poses at random coordinates within the limits, and other such coordinates to start from."""
    from polhode.inverse_kinematics.numerical import coordinates_of

    dice = np.random.default_rng(7)
    known = coordinates_of(equations.record, True, {})
    home = np.zeros((count, len(equations.coordinates)))
    position, rotation = equations.compile().pose(tip, known.random(home, dice))
    return (position, rotation), known.random(home, dice)


class Peer:
    """A damped Newton method around Pinocchio."""

    def __init__(self, model: Any, tip: str) -> None:
        self.model, self.data, self.frame = model, model.createData(), model.getFrameId(tip)
        self.dice = np.random.default_rng(1)
        self.low, self.high = model.lowerPositionLimit, model.upperPositionLimit

    def share(self, positions: Any, rotations: Any, starts: Any) -> float:
        """The share of poses that are reached, one after the other."""
        return float(np.mean([self.solve(*each) for each in zip(positions, rotations, starts, strict=True)]))

    def solve(self, position: Any, rotation: Any, q: Any) -> bool:
        """Whether the pose was reached."""
        import pinocchio

        model, data, frame = self.model, self.data, self.frame
        target = pinocchio.SE3(rotation, position)
        damping = _DAMPING * np.eye(6)
        low, high = self.low, self.high
        for _ in range(_STARTS):
            for _ in range(_STEPS):
                pinocchio.computeJointJacobians(model, data, q)
                gap = pinocchio.updateFramePlacement(model, data, frame).actInv(target)
                error = pinocchio.log6(gap).vector
                size = np.linalg.norm(error)
                if size < _TOLERANCE:
                    return True
                J = pinocchio.getFrameJacobian(model, data, frame, pinocchio.LOCAL)
                v = J.T @ np.linalg.solve(J @ J.T + damping * min(size, 1.0), error)
                q = np.clip(q + v * min(1.0, 1.5 / np.linalg.norm(v)), low, high)
            q = self.dice.uniform(np.maximum(low, -pi), np.minimum(high, pi))
        return False
