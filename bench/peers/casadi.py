"""C that CasADi wrote of the algorithms of Pinocchio and of adam-robotics, kept once traced and compiled."""

import re
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

from polhode import Equations

from ..build import compile_with, key_of, loop, run, stored
from ..mechanisms import Robot
from ..tree import plain_tree
from .pinocchio import as_lines

_FLAGS = ("-O3", "-march=native", "-DNDEBUG", "-shared", "-fPIC")


def traced(name: str, trace: Callable[[], str], *keys: str) -> tuple[Path, Path]:
    """Source and library of what a tracer writes of a mechanism, its numbers as constants; `keys` are all it is of."""
    stem = f"{name}-{key_of(*keys, *_FLAGS)}".replace(" ", "-")
    source = stored(f"{stem}.c", lambda path: path.write_text(trace(), encoding="utf-8") and None)
    return source, stored(f"{stem}.so", lambda path: compile_with("gcc", [*_FLAGS, str(source)], path, ["-lm"]))


def of_pinocchio(robot: Robot, equations: Equations) -> tuple[Path, Path]:
    """Source and library of Pinocchio's RNEA and ABA of a robot."""
    program, tree = loop("casadi_trace"), as_lines(plain_tree(equations.system))
    return traced(f"pinocchio-{robot.name}", lambda: run([str(program)], input=tree), program.name, tree)


def operations_of(what: str, source: str) -> int:
    """The operations of a function in generated C, where each is a line; reading and writing are none.

    >>> operations_of("f", '''
    ... /* f:(i0)->(o0) */
    ...   a0=arg[0]? arg[0][0] : 0;
    ...   a1=sin(a0);
    ...   a1=(a1*a0);
    ...   if (res[0]!=0) res[0][0]=a1;
    ...   return 0;
    ... ''')
    2
    """
    _, _, body = source.partition(f"/* {what}:(")
    return len(re.findall(r"^ +a\d+=.*\(", body.partition("return 0;")[0], flags=re.MULTILINE))


def of_adam(robot: Robot, equations: Equations) -> tuple[Path, Path]:
    """Source and library of the forward dynamics of a robot with a floating base, by adam's articulated bodies.

    q, v and tau are as Pinocchio has them: position before orientation (x, y, z, w), linear before angular.
    """
    joints = [link.joint for link in equations.tree.links[1:]]
    gravity = plain_tree(equations.system).gravity.tolist()
    urdf = robot.path.read_text(encoding="utf-8")

    def trace() -> str:
        import casadi
        from adam import Representations
        from adam.casadi import KinDynComputations

        robot = KinDynComputations(urdf, joints, gravity=[*gravity, 0.0, 0.0, 0.0])
        robot.set_frame_velocity_representation(Representations.BODY_FIXED_REPRESENTATION)
        q, v, tau = (casadi.SX.sym(name, size + len(joints)) for name, size in (("q", 7), ("v", 6), ("tau", 6)))
        cross = casadi.skew(q[3:6])
        R = casadi.SX.eye(3) + 2 * (q[6] * cross + cross @ cross)
        pose = casadi.vertcat(casadi.horzcat(R, q[:3]), casadi.DM([[0, 0, 0, 1]]))
        result = robot.aba(pose, q[7:], v[:6], v[6:], tau[6:], {robot.rbdalgos.root_link: tau[:6]})
        code = casadi.CodeGenerator("traced")
        code.add(casadi.Function("forward_dynamics", [q, v, tau], [result], {"cse": True}))
        return str(code.dump())

    versions = [metadata.version(package) for package in ("adam-robotics", "casadi", "liecasadi")]
    keys = Path(__file__).read_text(encoding="utf-8"), *versions, urdf, *joints, repr(gravity)
    return traced(f"adam-{robot.name}", trace, *keys)
