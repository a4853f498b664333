"""MuJoCo's equality constraints, kept exactly where MuJoCo has springs and dampers:

connect    the anchors of two bodies coincide                  a spherical joint closes the loop
weld       body 2, at its anchor, stays in a pose of body 1    a fixed joint closes the loop
joint      q1 - q1_0 = Σ c_k (q2 - q2_0)^k                     a coupling if it is linear, otherwise a condition
tendon     L1 - L1_0 = Σ c_k (L2 - L2_0)^k                     a condition, for fixed tendons
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fractions import Fraction
from typing import Any

from ...errors import ModelError
from ...expr import Expr, Vector, as_expr
from ...geometry import Pose
from ...model import Joint, System
from ..findings import Findings, located_at
from ..robot_file.assembly import free_name, moved_frame
from . import exact
from .assemble import IGNORABLE, Assembly, disabled, linear_terms

_KINDS = ("CONNECT", "WELD", "JOINT", "TENDON")


def add_equalities(built: Assembly, mujoco: Any, ignore: Collection[str]) -> None:
    """Add the constraints that are active from the start; the findings list those left out."""
    model, findings = built.model, built.findings
    types = {int(getattr(mujoco.mjtEq, f"mjEQ_{kind}")): kind for kind in _KINDS}
    kept = 0
    is_off = disabled(mujoco, model, "CONSTRAINT", "EQUALITY")
    active = [k for k in range(model.neq) if model.eq_active0[k] and not is_off]
    for k in active if "equality" not in ignore else ():
        place = findings.place_of("equality", model.equality(k).name or f"#{k}")
        with located_at(place):
            if _add(built, mujoco, k, types.get(int(model.eq_type[k]), "")):
                kept += 1
            else:
                message = f"{IGNORABLE['equality']} is not modelled; it is left out."
                findings.warn(place, message, "", "W-ROBOT-UNSUPPORTED")
    _note(findings, kept, "kept exactly; MuJoCo permits small violations", notice=True)
    _note(findings, len(active) if "equality" in ignore else 0, "left out")
    _note(findings, model.neq - len(active), "inactive and left out")


def _note(findings: Findings, count: int, what: str, notice: bool = False) -> None:
    message = f"{count} equality {'constraint' if count == 1 else 'constraints'} {what}."
    if count and notice:
        findings.notice(findings.file, message, "N-ROBOT-UNSUPPORTED")
    elif count:
        findings.warn(findings.file, message, "", "W-ROBOT-UNSUPPORTED")


def _add(built: Assembly, mujoco: Any, k: int, kind: str) -> bool:
    """Add a constraint under its name, or one made of the names of what it constrains; False if it is of no kind."""
    model, system = built.model, built.system
    original = model.equality(k).name
    first, second = int(model.eq_obj1id[k]), int(model.eq_obj2id[k])
    data = model.eq_data[k]
    if kind == "JOINT":
        _couple(built, original, first, second, [exact.decimal(value) for value in data[:5]])
    elif kind == "TENDON":
        return _tie(built, mujoco, original or f"tendon equality {k}", (first, second), data)
    elif kind:
        name = free_name(original or f"{kind.lower()} {k}", system.constraints)
        (a, X_a), (b, X_b) = _frames(built, mujoco, k, kind)
        there = built.home_in(built.bodies[a].name, built.bodies[b].name) @ X_b
        place = built.findings.place_of("equality", original or f"#{k}")
        X_a = moved_frame(X_a, there, kind == "WELD", float(model.stat.extent), (built.findings, place))
        seats: dict[str, Any] = {"at_a": X_a.p, "at_b": X_b.p}
        seats |= {"rotation_a": X_a.R, "rotation_b": X_b.R} if kind == "WELD" else {}
        joint = "fixed" if kind == "WELD" else "spherical"
        system.close(name, built.bodies[a], built.bodies[b], joint, **seats)
    return bool(kind)


def _frames(built: Assembly, mujoco: Any, k: int, kind: str) -> list[tuple[int, Pose]]:
    """The two bodies and the frames on them that coincide."""
    model, data = built.model, built.model.eq_data[k]
    ends = [int(model.eq_obj1id[k]), int(model.eq_obj2id[k])]
    if int(getattr(model, "eq_objtype", [0] * model.neq)[k]) == int(mujoco.mjtObj.mjOBJ_SITE):
        return [
            (int(model.site_bodyid[site]), _pose(built, model.site_pos[site], model.site_quat[site])) for site in ends
        ]
    at, other = data[:3], data[3:6]
    if kind == "WELD":  # its data: the anchor in body 2, then the pose in body 1 that it keeps
        return [(ends[0], _pose(built, other, data[6:10])), (ends[1], _pose(built, at))]
    return [(ends[0], _pose(built, at)), (ends[1], _pose(built, other))]


def _pose(built: Assembly, at: Any, quaternion: Any = (1.0, 0.0, 0.0, 0.0)) -> Pose:
    R, _ = exact.rotation(quaternion, built.snap)
    return Pose(R.map(as_expr), Vector([as_expr(x) for x in exact.point(at)]))


def _couple(built: Assembly, original: str, first: int, second: int, coefficients: Sequence[Fraction]) -> None:
    """q1 = q1_0 + Σ c_k (q2 - q2_0)^k; without a second joint, the first is held at q1_0 + c_0."""
    system, follower = built.system, built.joints[first]
    start = built.home(first) + coefficients[0]
    if second < 0:
        system.constrain(follower.q[0] - start, free_name(original or f"{follower.name} held", system.constraints))
        return
    leader, base = built.joints[second], built.home(second)
    if coefficients[1] and not any(coefficients[2:]) and _couples(built, follower, leader):
        system.couple(follower, leader, coefficients[1], start - coefficients[1] * base)
        return
    value = follower.q[0] - start - _polynomial(coefficients, leader.q[0] - base)
    system.constrain(value, free_name(original or f"{follower.name} of {leader.name}", system.constraints))


def _polynomial(coefficients: Sequence[Fraction], step: Expr) -> Expr:
    """c_1 x + c_2 x² + …."""
    return as_expr(sum((c * step**power for power, c in enumerate(coefficients[1:], start=1) if c), as_expr(0)))


def _tie(built: Assembly, mujoco: Any, name: str, tendons: Sequence[int], data: Any) -> bool:
    """A condition on the lengths of one or two fixed tendons; False for spatial ones."""
    steps: list[Expr] = []
    for k in (tendon for tendon in tendons if tendon >= 0):
        terms = linear_terms(mujoco, built.model, k)
        if terms is None:
            return False
        homes = [c * (built.joints[j].q[0] - built.home(j)) for j, c in terms.items()]
        steps.append(as_expr(sum(homes, as_expr(0))))
    coefficients = [exact.decimal(value) for value in data[:5]]
    value = steps[0] - coefficients[0] - (_polynomial(coefficients, steps[1]) if len(steps) > 1 else 0)
    built.system.constrain(value, free_name(name, built.system.constraints))
    return True


def _couples(built: Assembly, follower: Joint, leader: Joint) -> bool:
    """Whether a joint can follow another: it follows none yet, and none that follows it."""
    trial = System.of(built.system.model())
    try:
        trial.couple(follower.name, leader.name)
    except ModelError:
        return False
    return True
