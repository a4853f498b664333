"""SRDF: the poses of groups of joints, and the links that do not collide, of a robot that a URDF describes."""

from __future__ import annotations

from os import PathLike

from ...errors import path_of
from ...expr.rational import decimal
from ...model import Joint, System
from ..findings import Findings
from ..robot_file.assembly import free_name
from ..robot_file.markup import Element, Limits, parse_file
from ..robot_file.parts import is_sane


def add_srdf(system: System, path: str | PathLike[str], limits: Limits | None, findings: Findings) -> None:
    """Add each <group_state> as a pose, those of one name together, and each <disable_collisions> as an exclusion.

    Joints that are fixed or follow others have no coordinate in a pose. A floating joint has position, then quaternion
    with its scalar part last.
    """
    file = path_of(path)
    root, joints = parse_file(file, limits), system.joints
    poses: dict[str, dict[str, float]] = {}
    for state in root.all("group_state"):
        pose = poses.setdefault(state.attributes.get("name", "") or "pose", {})
        for element in state.all("joint"):
            joint = joints.get(element.attributes.get("name", ""))
            values = _values(element, joint) if joint is not None else []
            if values is None:
                place = f"{file.name}:{element.line}: {element.shown('value')}"
                findings.warn(place, "these are not the coordinates of the joint; left out.", "", "W-ROBOT-NUMBER")
            elif joint is not None and joint.name not in system.couplings:
                pose |= {q.name: value for q, value in zip(joint.q, values, strict=True)}
    for name, coordinates in poses.items():
        system.pose(free_name(name, system.poses), coordinates)
    for element in root.all("disable_collisions"):
        links = [element.attributes.get(key, "") for key in ("link1", "link2")]
        name = " and ".join(links)
        if {*links} <= {*system.bodies} and name not in system.equipment.get("excludes", ()):
            system.equip("excludes", name, bodies=links)


def _values(element: Element, joint: Joint) -> list[float] | None:
    """The coordinates of a joint in our order; None where there are as many others."""
    decimals = [decimal(word) for word in element.attributes.get("value", "").split()]
    values = [float(x) for x in decimals if x is not None and is_sane(x)]
    if not joint.q:
        return []
    if len(values) != len(joint.q):
        return None
    return [values[6], *values[3:6], *values[:3]] if joint.type.kind == "free" else values
