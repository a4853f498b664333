"""MuJoCo's equality constraints as closures, couplings and conditions.

    connect    the anchors of two bodies coincide                  a spherical joint closes the loop
    weld       body 2, at its anchor, stays in a pose of body 1    a fixed joint closes the loop
    joint      q1 - q1_0 = Σ c_k (q2 - q2_0)^k                     a coupling if it is linear, otherwise a condition

MuJoCo keeps them softly, by springs and dampers; here they are kept exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from ...errors import ModelError
from ...expr import Matrix, as_expr
from ...model import Body, Joint, System
from ..numbers import free_name
from . import exact
from .assemble import Assembly

#: The kinds of equality constraints that are modelled, by the names of MuJoCo's enumeration.
_KINDS = ("CONNECT", "WELD", "JOINT")


def kind_of(mujoco: Any, model: Any, k: int) -> str:
    """Which kind of those that are modelled an equality constraint is; none, if it is another."""
    types = {int(getattr(mujoco.mjtEq, f"mjEQ_{kind}")): kind for kind in _KINDS}
    return types.get(int(model.eq_type[k]), "")


def add_equality(assembly: Assembly, mujoco: Any, k: int) -> None:
    """Equality constraint k, under its name, or one made of the names of what it constrains."""
    model, system = assembly.model, assembly.system
    kind = kind_of(mujoco, model, k)
    given = model.equality(k).name
    first, second = int(model.eq_obj1id[k]), int(model.eq_obj2id[k])
    data = model.eq_data[k]
    if kind == "JOINT":
        _couple(assembly, given, first, second, [exact.decimal(value) for value in data[:5]])
        return
    name = free_name(given or f"{kind.lower()} {k}", system.constraints)
    sites = int(getattr(model, "eq_objtype", [0] * model.neq)[k]) == int(mujoco.mjtObj.mjOBJ_SITE)
    if sites:
        (a, at_a, R_a), (b, at_b, R_b) = _site(assembly, first), _site(assembly, second)
    else:
        a, b = assembly.bodies[first], assembly.bodies[second]
        R_a = R_b = Matrix.identity(3).map(as_expr)
        at_a, at_b = exact.place(data[:3]), exact.place(data[3:6])
        if kind == "WELD":  # its data: the anchor in body 2, then the pose in body 1 that it keeps
            at_a, at_b = at_b, at_a
            R_a, _ = exact.rotation(data[6:10], assembly.snap)
    if kind == "CONNECT":
        system.close(name, a, b, "spherical", at_a=at_a, at_b=at_b)
    else:
        system.close(name, a, b, "fixed", at_a=at_a, at_b=at_b, rotation_a=R_a, rotation_b=R_b)


def _site(assembly: Assembly, k: int) -> tuple[Body, list[Fraction], Matrix]:
    model = assembly.model
    R, _ = exact.rotation(model.site_quat[k], assembly.snap)
    return assembly.bodies[model.site_bodyid[k]], exact.place(model.site_pos[k]), R


def _couple(assembly: Assembly, given: str, first: int, second: int, coefficients: Sequence[Fraction]) -> None:
    """q1 = q1_0 + Σ c_k (q2 - q2_0)^k; without a second joint, the first is held at q1_0 + c_0."""
    system, follower = assembly.system, assembly.joints[first]
    start = _home(assembly, first) + coefficients[0]
    if second < 0:
        system.constrain(follower.q[0] - start, free_name(given or f"{follower.name} held", system.constraints))
        return
    leader, base = assembly.joints[second], _home(assembly, second)
    if coefficients[1] and not any(coefficients[2:]) and _couples(assembly, follower, leader):
        system.couple(follower, leader, coefficients[1], start - coefficients[1] * base)
        return
    value, step = follower.q[0] - start, leader.q[0] - base
    for power, coefficient in enumerate(coefficients[1:], start=1):
        value = value - coefficient * step**power
    system.constrain(value, free_name(given or f"{follower.name} of {leader.name}", system.constraints))


def _couples(assembly: Assembly, follower: Joint, leader: Joint) -> bool:
    """Whether a joint can follow another: it follows none yet, and none that follows it."""
    trial = System.of(assembly.system.model())
    try:
        trial.couple(follower.name, leader.name)
    except ModelError:
        return False
    return True


def _home(assembly: Assembly, j: int) -> Fraction:
    return exact.decimal(assembly.model.qpos0[assembly.model.jnt_qposadr[j]])
