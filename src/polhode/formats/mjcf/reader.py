"""`load_mjcf` and `read_mjcf`: from an MJCF file to a System, and to a report of what the System does not show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager
from os import PathLike
from typing import Any

from ...errors import path_of
from ...model import Joint, System
from ...model.reading import NAME_LIMIT
from ..findings import Findings, JointFacts, Report, system_alone, told_at
from ..robot_file.assembly import tolerance
from ..robot_file.markup import Limits, limits_of
from .assemble import Assembly, add_equality, add_poses
from .compiler import UNSEEN, compile_model, mujoco_module, plain_model
from .document import Part, mesh_assets, places_in, read_document
from .effects import actuators_of, check_effects, check_ignored, disabled, effort_ranges, is_active, kind_of
from .exact import decimal


def read_mjcf(
    path: str | PathLike[str],
    *,
    symbolic: Sequence[str] = (),
    ignore: Collection[str] = (),
    snap: float | str = "1e-6",
    limits: Limits | None = None,
) -> tuple[System, Report]:
    """Read an MJCF file through MuJoCo's compiler: the System, and a report of warnings, notices and joint limits.

    Bodies, joints, sites (as frames) and keyframes (as poses) keep their names; the pose "qpos0" is the one in which
    the file describes the model. Included files and meshes are read from the file's folder alone.

    - symbolic: patterns of numbers that become parameters: "mass:forearm", "com:*", "inertia:*", "length:*", "gravity".
    - ignore: effects to leave out that would otherwise be refused: "friction", "tendon", "fluid", "spring" and
      "armature" (in ball and free joints), "damping" (not linear); or that would be kept: "equality" (connect, weld and
      joint), "armature" (in hinges and slides, where it is a motor with a decoupled rotor).
      Contacts and actuators are left out always, with a warning; what these can exert becomes limits of efforts.
    - snap: turns this close to a multiple of π/2, and axes this close to x, y or z, are taken to be exact.
    - limits: of the file's size and nesting.
    """
    check_ignored(ignore)
    within = tolerance(snap, "E-ROBOT-NUMBER")
    path = path_of(path)
    limits = limits_of(limits)
    root = read_document(path, limits)
    findings = Findings(root.file, places_in(root))
    mujoco = mujoco_module()
    model, warnings = compile_model(plain_model(root, path.parent, limits), path.name)
    for warning in warnings:
        findings.warn(path.name, f"MuJoCo warns: {warning}", "", "W-ROBOT-UNSUPPORTED")
    check_effects(mujoco, model, ignore, findings)
    _tell_unseen(root, findings)
    findings.raise_problems()
    name = (root.attributes.get("model", "").strip() or path.stem)[:NAME_LIMIT]
    efforts, meshes = effort_ranges(mujoco, model), mesh_assets(root, path.parent)
    assembly = Assembly(model, name, symbolic, within, findings, meshes, efforts)
    _assemble(assembly, mujoco, with_equality="equality" not in ignore, with_armature="armature" not in ignore)
    assembly.refuse_unused()
    facts = (_facts(model, j, joint) for j, joint in enumerate(assembly.joints))
    return assembly.system, findings.report(name, "world", facts)


load_mjcf = system_alone(read_mjcf)


def _assemble(assembly: Assembly, mujoco: Any, with_equality: bool, with_armature: bool) -> None:
    model, findings = assembly.model, assembly.findings

    def told(tag: str, name: str) -> AbstractContextManager[None]:
        """What is refused is told with the line it came from."""
        return told_at(findings.place_of(tag, name))

    with told("option", ""):
        assembly.set_gravity([0, 0, 0] if disabled(mujoco, model, "GRAVITY") else model.opt.gravity)
    for k in range(1, model.nbody):
        with told("body", model.body(k).name):
            assembly.add_body(k)
    for j in range(model.njnt):
        with told("joint", model.joint(j).name):
            if not disabled(mujoco, model, "SPRING", "PASSIVE"):
                assembly.add_spring(j)
            if not disabled(mujoco, model, "DAMPER", "PASSIVE"):
                assembly.add_damper(j)
            assembly.add_motor(j, actuators_of(mujoco, model, j), with_armature)
    for k in range(model.nsite):
        with told("site", model.site(k).name):
            assembly.add_site(k)
    active = [k for k in range(model.neq) if is_active(mujoco, model, k) and kind_of(mujoco, model, k)]
    for k in active if with_equality else ():
        with told("equality", model.equality(k).name):
            add_equality(assembly, mujoco, k)
    _tell_of_equality(findings, len(active), with_equality)
    with told("keyframe", ""):
        add_poses(assembly.system, model, assembly.joints)


def _tell_of_equality(findings: Findings, count: int, kept: bool) -> None:
    """That MuJoCo's constraints give a little, and these do not."""
    if not count:
        return
    what = f"{count} equality {'constraint' if count == 1 else 'constraints'}"
    if kept:
        findings.notice(findings.file, f"{what} kept exactly; MuJoCo lets them give a little.", "N-ROBOT-UNSUPPORTED")
    else:
        findings.warn(findings.file, f"{what} left out.", "", "W-ROBOT-UNSUPPORTED")


def _tell_unseen(root: Part, findings: Findings) -> None:
    """One notice of all that has no part in the motion."""
    counts = Counter(part.tag for part in root.walk() if part.tag in UNSEEN)
    if counts:
        listed = ", ".join(f"<{tag}> ({count})" for tag, count in counts.items())
        findings.notice(
            root.file, f"these have no part in the motion and are not read: {listed}.", "N-ROBOT-UNSUPPORTED"
        )


def _facts(model: Any, j: int, joint: Joint) -> JointFacts:
    limited = bool(model.jnt_limited[j])
    d = model.jnt_dofadr[j]
    return JointFacts(
        joint.name,
        joint.type.kind,
        lower=decimal(model.jnt_range[j][0]) if limited else None,
        upper=decimal(model.jnt_range[j][1]) if limited else None,
        damping=decimal(model.dof_damping[d]) or None,
        friction=decimal(model.dof_frictionloss[d]) or None,
    )
