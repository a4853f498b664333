"""A model at a glance: its bodies, joints, what acts on it, parameters and inputs."""

from __future__ import annotations

from typing import Any

from ..errors import PolhodeError
from ..expr import Vector
from ..notebook import Cell, Table, values_table
from .constraints import Contact
from .flexible.mounting import added, elastic, material
from .model import Model
from .records import GROUND


def written(model: Model, table: str) -> dict[str, Any]:
    """The entries of a table without the ground and those that flexible bodies add."""
    names = {GROUND, *(name for record in model.flexible.values() for name in added(record)[table])}
    return {name: record for name, record in getattr(model, table).items() if name not in names}


#: The columns of `flexible_rows`.
FLEXIBLE = ["flexible body", "mass", "coordinates", "stations"]


def flexible_rows(model: Model) -> list[tuple[str, str, str, str]]:
    """For each flexible body its name, mass, elastic coordinates and stations."""
    return [
        (
            name,
            short(model.bodies[material(name)].mass),
            ", ".join(q.name for q in model.joints[elastic(name)].q),
            ", ".join(station[0] for station in record.stations),
        )
        for name, record in model.flexible.items()
    ]


def counted(model: Model) -> str:
    """How many of each there are."""
    numbers = {
        ("body", "bodies"): len(written(model, "bodies")) + len(model.flexible),
        ("joint", "joints"): len(written(model, "joints")),
        ("constraint", "constraints"): len(model.constraints),
        ("contact", "contacts"): sum(contact.kind == "contact" for contact in model.contacts.values()),
        ("stop", "stops"): sum(contact.kind == "stop" for contact in model.contacts.values()),
        ("dry friction", "dry frictions"): sum(contact.kind == "friction" for contact in model.contacts.values()),
        ("force", "forces"): len(model.loads) - len(model.flexible),
        ("motor", "motors"): len(model.motors),
    }
    parts = [f"{number} {one if number == 1 else many}" for (one, many), number in numbers.items() if number]
    return ", ".join(parts) or "nothing yet"


def cell_of(model: Model) -> Cell:
    """Tables of the model's records, without empty ones."""
    bodies = [(name, short(body.mass), _tuple(body.com)) for name, body in written(model, "bodies").items()]
    joints = [
        (
            name,
            f"{joint.type.kind}{'' if joint.type.is_holonomic else ', nonholonomic'}",
            f"{joint.parent} → {joint.child}",
            ", ".join(q.name for q in joint.q),
            ", ".join(u.name for u in joint.u),
        )
        for name, joint in written(model, "joints").items()
    ]
    forces = [(load.place,) for load in model.loads if load.kind != "elasticity"]
    constraints = [(name, constraint.kind.replace("_", " ")) for name, constraint in model.constraints.items()]
    parts: list[str | Table] = [
        f"{counted(model)}; gravity {_tuple(model.gravity)}",
        Table(["body", "mass", "mass centre"], bodies),
        Table(FLEXIBLE, flexible_rows(model)),
        Table(["joint", "type", "between", "coordinates", "speeds"], joints),
        Table(["constraint", "kind"], constraints),
        Table(["contact, stop or friction", "between"], [(name, _ends(c)) for name, c in model.contacts.items()]),
        Table(["force"], forces),
        *values_of(model),
        f"poses: {', '.join(model.poses)}" if model.poses else "",
    ]
    return Cell(model.name, parts)


def values_of(model: Model) -> list[Table]:
    """Parameters, inputs and first-order states with their values and units, as stated."""
    return [
        values_table("parameter", ((n, p.stated(p.value), p.unit) for n, p in model.parameters.items())),
        values_table("input", ((n, record.stated(record.value), record.unit) for n, record in model.inputs.items())),
        values_table("state, at the start", ((n, x.stated(x.start), x.unit) for n, x in model.states.items())),
    ]


def _ends(element: Any) -> str:
    """The surfaces of a contact, or the joint of a stop or of dry friction."""
    if isinstance(element, Contact):
        return " and ".join(end.name or f"a point of {end.body}" for end in (element.a, element.b))
    return str(getattr(element, "joint", ""))


def _tuple(entries: Vector) -> str:
    return f"({', '.join(map(short, entries))})"


def short(entry: object) -> str:
    """A number as a decimal, an expression as it is."""
    try:
        return f"{float(entry):.6g}"  # type: ignore[arg-type]  # a TypeError is caught
    except (TypeError, ValueError, PolhodeError):
        return str(entry)
