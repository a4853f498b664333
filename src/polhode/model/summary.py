"""A model at a glance: its bodies, joints, what acts on it, parameters and inputs."""

from __future__ import annotations

from ..errors import PolhodeError
from ..expr import Vector
from ..notebook import Cell, Table, values_table
from .model import Model
from .records import GROUND


def counted(model: Model) -> str:
    """How many of each there are.

    >>> from .system import System
    >>> s = System("slider")
    >>> _ = s.joint("slide", s.ground, s.body("block", 1), "prismatic")
    >>> counted(s.model())
    '1 body, 1 joint'
    """
    numbers = {
        ("body", "bodies"): len(model.bodies) - (GROUND in model.bodies),
        ("joint", "joints"): len(model.joints),
        ("constraint", "constraints"): len(model.constraints),
        ("force", "forces"): len(model.loads),
        ("motor", "motors"): len(model.motors),
    }
    told = [f"{number} {one if number == 1 else many}" for (one, many), number in numbers.items() if number]
    return ", ".join(told) or "nothing yet"


def cell_of(model: Model) -> Cell:
    """Tables of what was written down, those that are empty left out."""
    bodies = [(name, _short(body.mass), _tuple(body.com)) for name, body in model.bodies.items() if name != GROUND]
    joints = [
        (
            name,
            f"{joint.type.kind}{'' if joint.type.is_holonomic else ', nonholonomic'}",
            f"{joint.parent} → {joint.child}",
            ", ".join(q.name for q in joint.q),
            ", ".join(u.name for u in joint.u),
        )
        for name, joint in model.joints.items()
    ]
    forces = [(load.place,) for load in model.loads]
    constraints = [(name, each.kind.replace("_", " ")) for name, each in model.constraints.items()]
    parts: list[str | Table] = [
        f"{counted(model)}; gravity {_tuple(model.gravity)}",
        Table(["body", "mass", "mass centre"], bodies),
        Table(["joint", "type", "between", "coordinates", "speeds"], joints),
        Table(["constraint", "kind"], constraints),
        Table(["force"], forces),
        values_table("parameter", ((n, each.stated(each.value), each.unit) for n, each in model.parameters.items())),
        values_table("input", ((n, each.stated(each.value), each.unit) for n, each in model.inputs.items())),
        values_table("state, at the start", ((n, x.stated(x.start), x.unit) for n, x in model.states.items())),
        f"poses: {', '.join(model.poses)}" if model.poses else "",
    ]
    return Cell(model.name, parts)


def _tuple(entries: Vector) -> str:
    return f"({', '.join(map(_short, entries))})"


def _short(entry: object) -> str:
    """A number as a decimal, an expression as it is."""
    try:
        return f"{float(entry):.6g}"  # type: ignore[arg-type] # asked here
    except (TypeError, ValueError, PolhodeError):
        return str(entry)
