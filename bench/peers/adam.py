"""The articulated-body algorithm of adam-robotics as C: `python -m bench.peers.adam` reads JSON and writes the source.

The record has a robot's URDF as text, the names of its joints in the order of the coordinates, and the gravity. The
base floats; q, v and tau are as Pinocchio has them: position before orientation (x, y, z, w), linear before angular.
"""

import json
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

from polhode import Equations

from ..mechanisms import Robot
from ..tree import plain_tree
from .casadi import traced


def of_adam(robot: Robot, equations: Equations) -> tuple[Path, Path]:
    """Source and library of the forward dynamics of a robot with a floating base."""
    versions = [metadata.version(package) for package in ("adam-robotics", "casadi", "liecasadi")]
    joints = [link.joint for link in equations.tree.links[1:]]
    gravity = plain_tree(equations.system).gravity.tolist()
    record = {"urdf": robot.path.read_text(encoding="utf-8"), "joints": joints, "gravity": gravity}
    program = Path(__file__).read_text(encoding="utf-8")
    command = [sys.executable, "-m", "bench.peers.adam"]
    return traced(f"adam-{robot.name}", command, "\n".join([program, *versions]), json.dumps(record))


def source(urdf: str, joints: list[str], gravity: list[float]) -> str:
    """C for the forward dynamics."""
    import casadi
    from adam import Representations
    from adam.casadi import KinDynComputations

    robot = KinDynComputations(urdf, joints, gravity=[*gravity, 0.0, 0.0, 0.0])
    robot.set_frame_velocity_representation(Representations.BODY_FIXED_REPRESENTATION)
    size = len(joints)
    q, v, tau = (casadi.SX.sym(name, length + size) for name, length in (("q", 7), ("v", 6), ("tau", 6)))
    on_base = {robot.rbdalgos.root_link: tau[:6]}
    result = robot.aba(_pose(casadi, q[:3], q[3:7]), q[7:], v[:6], v[6:], tau[6:], on_base)
    code = casadi.CodeGenerator("traced")
    code.add(casadi.Function("forward_dynamics", [q, v, tau], [result], {"cse": True}))
    return str(code.dump())


def _pose(casadi: Any, position: Any, quaternion: Any) -> Any:
    """The homogeneous matrix of a position and a unit quaternion."""
    e, w = quaternion[:3], quaternion[3]
    cross = casadi.skew(e)
    R = casadi.SX.eye(3) + 2 * (w * cross + cross @ cross)
    return casadi.vertcat(casadi.horzcat(R, position), casadi.DM([[0, 0, 0, 1]]))


if __name__ == "__main__":
    print(source(**json.load(sys.stdin)))
