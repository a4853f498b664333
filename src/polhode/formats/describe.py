"""From a System to the plain data of a model file; what stands at its default is left out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from ..errors import FormatError
from ..expr import Expr, Matrix, Vector, as_expr
from ..geometry import Pose
from ..geometry.rotations.exact import as_rotation
from ..model import Body, Joint, Shape, System
from ..model.constraints import CONSTRAINTS
from ..model.flexible.mounting import added
from ..model.forces import FORCES
from ..model.forces.body import Elasticity
from ..model.forces.protocol import ForceElement
from ..model.model import Model
from ..model.motor import Motor
from ..model.reading import names_of, rated_names
from ..model.records import GROUND, Coupling, Limits, Parameter, State
from .document import NULLS
from .fields import describe_fields, describe_motion
from .flexible import describe_flexible
from .names import Naming, Scope, scope_of
from .spelling import describe_rotation, spell, spell_number
from .surfaces import describe_surfaces, rows_of
from .tables import describe_table, tables_of

_SIZES = {
    "box": None, "ellipsoid": None, "cylinder": 2, "capsule": 2, "sphere": 1, "frame": 1, "mesh": None, "hull": None,
}  # fmt: skip


def describe(system: System, folder: Path | None = None) -> dict[str, Any]:
    """The mechanism as mappings, lists and texts, in the vocabulary of a model file in a folder, else in this one.

    >>> describe(System("nothing"))
    {'polhode': '1', 'name': 'nothing', 'gravity': ['0', '0', '-9.81']}
    """
    functions, motors = tables_of(system), Described.of(system)
    fixed = replace(scope_of(system, "parameter", now=True), functions=functions)
    naming = Naming()
    free = replace(scope_of(system, now=True), functions=functions, naming=naming)
    moved = replace(scope_of(system, "parameter", "input", now=True), functions=functions)
    parts: dict[str, Any] = {
        "polhode": "1",
        "name": system.name,
        "gravity": _list(system.gravity, moved),
        "parameters": {key: _quantity(parameter, None) for key, parameter in system.parameters.items()},
        "inputs": {key: _quantity(entry, Fraction(0)) for key, entry in motors.others("inputs")},
        "states": {key: _rated(state, free) for key, state in motors.others("states")},
        "tables": {key: describe_table(function) for key, function in functions.items()},
        "expressions": naming.texts,  # made while what follows is spelled
        "bodies": {key: _body(body, fixed) for key, body in motors.others("bodies") if key != GROUND},
        "flexible": describe_flexible(system, fixed, folder or Path()),
        "frames": {key: {"body": frame.body, **_placement(frame.pose, fixed)} for key, frame in system.frames.items()},
        "joints": {key: _joint(joint, fixed) for key, joint in motors.others("joints")},
        "motors": motors.texts(fixed, free),
        "couplings": {key: _coupling(coupling, fixed) for key, coupling in motors.others("couplings")},
        "prescribed": {key: spell(motion.motion, moved) for key, motion in system.prescribed.items()},
        "surfaces": describe_surfaces(system, fixed),
        **_constraints(system, fixed, free),
        "loads": [_load(load, fixed, free) for load in motors.other_loads],
        **{
            table: {key: describe_fields(record.fields, record, fixed, free) for key, record in records.items()}
            for table, records in system.equipment.items()
        },
        "poses": {
            key: _filled({kind: _state(getattr(pose, kind)) for kind in ("coordinates", "speeds", "states")})
            for key, pose in system.poses.items()
        },
    }
    return _filled(parts)


@dataclass(frozen=True)
class Described:
    """The motors that a file can state, and the model without the records that they and flexible bodies add."""

    system: Model
    motors: tuple[Motor, ...]
    other_loads: tuple[ForceElement, ...]

    @staticmethod
    def of(written: System | Model) -> Described:
        system = written if isinstance(written, Model) else written.model()
        rotor_joints = {name for motor in system.motors.values() for name in motor.bodies}
        used = {joint.parent for joint in system.joints.values() if joint.name not in rotor_joints}
        used |= {frame.body for frame in system.frames.values()}
        motors = tuple(motor for motor in system.motors.values() if used.isdisjoint(motor.bodies))
        left = [load for load in system.loads if not isinstance(load, Elasticity)]
        for load in (load for motor in motors for load in motor.loads):
            left.remove(load)
        return Described(system, motors, tuple(left))

    def others(self, table: str) -> Iterator[tuple[str, Any]]:
        """The entries of a table of the system that neither a motor nor a flexible body adds."""
        names = {name for motor in self.motors for name in motor.added(table)}
        names |= {name for record in self.system.flexible.values() for name in added(record).get(table, ())}
        return ((key, entry) for key, entry in getattr(self.system, table).items() if key not in names)

    def texts(self, fixed: Scope, free: Scope) -> dict[str, Any]:
        """The file's entry of each motor."""
        unnamed = replace(free, naming=None)  # motors are read before the expressions that a file names
        return {motor.joint: describe_fields(Motor.fields, motor, fixed, unnamed) for motor in self.motors}


def _filled(parts: Mapping[str, Any]) -> dict[str, Any]:
    """The mapping without empty values."""
    return {key: value for key, value in parts.items() if value not in (None, "", [], {})}


def _list(entries: Iterable[Any], scope: Scope) -> list[str]:
    return [spell(as_expr(entry), scope) for entry in entries]


def _offset(entries: Iterable[Any], scope: Scope) -> list[str] | None:
    entries = [as_expr(entry) for entry in entries]
    return _list(entries, scope) if any(entries) else None


def _quantity(quantity: Parameter, default: Fraction | None) -> Any:
    value = None if quantity.value is None else _spelled(quantity, quantity.value)
    if not quantity.unit:
        return None if quantity.value == default else value
    return {**({} if quantity.value == default else {"value": value}), "unit": quantity.unit}


def _spelled(quantity: Parameter | State, value: Fraction | Expr) -> str:
    """A value in the unit that is stated, where it is rational."""
    return spell_number(Fraction(as_expr(quantity.stated(value)).data))


def _rated(state: State, scope: Scope) -> Any:
    """A first-order state: its rate, with the start and the unit where it has them."""
    if state.rate is None:
        message = "it has no rate, which a model file needs."
        cure = f"Give it with state_rate({state.symbol.name!r}, …)."
        raise FormatError(message, place=f"state '{state.symbol.name}'", cure=cure, code="E-MODELFILE-MISSING")
    rate = spell(state.rate, scope)
    more = _filled({"start": _spelled(state, state.start) if state.start else None, "unit": state.unit})
    return {"rate": rate, **more} if more else rate


def _placement(pose: Pose, scope: Scope, prefix: str = "") -> dict[str, Any]:
    return _filled({f"{prefix}at": _offset(pose.p, scope), f"{prefix}rotation": describe_rotation(pose.R, scope)})


def _body(body: Body, scope: Scope) -> dict[str, Any]:
    return _filled(
        {
            "mass": spell(body.mass, scope) if body.mass else None,
            "com": _offset(body.com, scope),
            "inertia": _inertia(body.inertia, scope),
            "shapes": [_shape(shape, body.name, scope) for shape in body.shapes],
        }
    )


def _inertia(inertia: Matrix, scope: Scope) -> list[str] | None:
    """Three moments, or six numbers if there are products, or nothing."""
    moments = [inertia[0, 0], inertia[1, 1], inertia[2, 2]]
    products = [inertia[0, 1], inertia[0, 2], inertia[1, 2]]
    if any(products):
        return _list([*moments, *products], scope)
    return _offset(moments, scope)


def _shape(shape: Shape, body: str, scope: Scope) -> dict[str, Any]:
    place = f"body '{body}', shape {shape.kind!r}"
    if shape.kind not in _SIZES:
        raise FormatError("a model file has no such shape.", place, f"It has {', '.join(_SIZES)}.", "E-MODELFILE-WRITE")
    sizes = _list(shape.size, scope)
    count = _SIZES[shape.kind]
    if len(sizes) != (count or 3) and shape.kind != "hull":
        message = f"a {shape.kind} has {count or 3} sizes, not {len(sizes)}."
        raise FormatError(message, place, f"Give {count or 3} numbers.", "E-MODELFILE-SHAPE")
    keys = {"sphere": ("radius",), "frame": ("length",)}.get(shape.kind, ("radius", "length"))
    named: dict[str, Any] = {"size": sizes} if count is None else dict(zip(keys, sizes, strict=True))
    if shape.kind == "mesh":
        named = {"file": shape.file, "scale": sizes}
    if shape.kind == "hull":
        named = {"points": rows_of(sizes)}
    pose = Pose(as_rotation(shape.rotation, place), Vector(shape.at))
    color = {"color": shape.color} if shape.color else {}
    return {"type": shape.kind, **named, **color, **_placement(pose, scope)}


def _joint(joint: Joint, scope: Scope) -> dict[str, Any]:
    labels = {"coordinates": joint.type.coordinate_labels(), "speeds": joint.type.speed_labels()}
    names = {"coordinates": [q.name for q in joint.q], "speeds": [u.name for u in joint.u]}
    motion, kept_labels = describe_motion(joint.type, scope, f"joint '{joint.name}'")
    usual = {key: names_of(joint.name, labels[key], None, "") for key in labels}
    if names["coordinates"] != usual["coordinates"]:
        rates = rated_names(joint.type, names["coordinates"])
        usual["speeds"] = names_of(joint.name, labels["speeds"], None, "", rates)
    return {
        "parent": joint.parent,
        "child": joint.child,
        **motion,
        **_placement(joint.in_parent, scope),
        **_placement(joint.in_child, scope, "child_"),
        **{key: names[key] for key in names if names[key] and not (kept_labels and names[key] == usual[key])},
        **_limits(joint, scope),
        **_rated_limits("speed_limits", joint.speed_limits, scope),
        **_rated_limits("effort_limits", joint.effort_limits, scope),
        **({"small": "true"} if joint.small else {}),
    }


def _limits(joint: Joint, scope: Scope) -> dict[str, Any]:
    """A pair for one coordinate, a list of pairs for several."""
    if not any(limit.are_given for limit in joint.limits):
        return {}
    pairs = [_ends(limit, scope) for limit in joint.limits]
    return {"limits": pairs[0] if len(pairs) == 1 else pairs}


def _ends(limits: Limits, scope: Scope) -> list[str | None] | None:
    """The lower and the upper limit; nothing where there is neither."""
    ends = (limits.lower, limits.upper)
    return [None if end is None else spell(end, scope) for end in ends] if limits.are_given else None


def _rated_limits(key: str, limits: Sequence[Limits], scope: Scope) -> dict[str, Any]:
    """Limits of speeds or efforts: b for ±b, else a pair; once where all have the same, else a list."""
    if not any(limit.are_given for limit in limits):
        return {}
    result = [
        spell(limit.upper, scope) if limit.upper is not None and limit.lower == -limit.upper else _ends(limit, scope)
        for limit in limits
    ]
    alike = len(result) == 1 or (isinstance(result[0], str) and result.count(result[0]) == len(result))
    return {key: result[0] if alike else result}


def _coupling(coupling: Coupling, scope: Scope) -> dict[str, Any]:
    return _filled(
        {
            "leader": coupling.leader,
            "multiplier": None if coupling.multiplier == 1 else spell(coupling.multiplier, scope),
            "offset": (spell(coupling.offset, scope) if coupling.offset else None),
        }
    )


def _load(load: ForceElement, fixed: Scope, free: Scope) -> dict[str, Any]:
    if FORCES.get(load.kind) is not type(load):
        cure = f"Register it: polhode.model.forces.FORCES['{load.kind}'] = {type(load).__name__}."
        raise FormatError(f"model files have no load of type '{load.kind}'.", load.place, cure, "E-MODELFILE-WRITE")
    return {"type": load.kind, **describe_fields(load.fields, load, fixed, free)}


def _state(values: Mapping[str, float]) -> dict[str, str]:
    """A float as the shortest decimal that reads back as the same float."""
    return {key: spell_number(Fraction(repr(value))) for key, value in values.items()}


def _constraints(system: System, fixed: Scope, free: Scope) -> dict[str, dict[str, Any]]:
    """Constraints of every kind, each in its table."""
    result: dict[str, dict[str, Any]] = {kind.table: {} for kind in CONSTRAINTS.values()}
    for key, element in {**system.constraints, **system.contacts}.items():
        named = {} if element.alone else {"type": element.kind}
        result.setdefault(element.table, {})[key] = {**named, **describe_fields(element.fields, element, fixed, free)}
    return result


_ON_ONE_LINE = 100
_LONGEST_KEY = 120  # a longer key is announced by a question mark
#: Texts that mean themselves without quotes, in a block and within brackets alike.
_PLAIN = re.compile(r"(?:[\w(]|[-.](?=[\w(]))(?:[\w().*+/`'=;-]| (?=\S))*\Z")
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}


def emit(data: dict[str, Any]) -> str:
    """Mappings, lists and texts as YAML.

    >>> print(emit({"gravity": ["0", "0", "-9.81"], "name": "null"}), end="")
    gravity: [0, 0, -9.81]
    name: "null"
    """
    return "".join(f"{line}\n" for line in _mapping(data, ""))


def _mapping(value: dict[str, Any], margin: str) -> Iterator[str]:
    for key, entry in value.items():
        if len(key) > _LONGEST_KEY:
            yield f"{margin}? {_scalar(key)}"
            head = f"{margin}:"
        else:
            head = f"{margin}{_scalar(key)}:"
        if _fits(entry) and (margin or not isinstance(entry, dict)):
            yield f"{head} {_flow(entry)}"
        else:
            yield head
            yield from _block(entry, margin + "  ")


def _block(value: Any, margin: str) -> Iterator[str]:
    if isinstance(value, dict):
        yield from _mapping(value, margin)
        return
    for entry in value:
        if _fits(entry):
            yield f"{margin}- {_flow(entry)}"
        else:
            lines = list(_block(entry, margin + "  "))
            yield f"{margin}- {lines[0].lstrip(' ')}"
            yield from lines[1:]


def _fits(value: Any) -> bool:
    """Whether a value goes on one line: a text, a list of texts or of rows, a short mapping."""
    if isinstance(value, dict):
        return len(_flow(value)) < _ON_ONE_LINE and all(len(key) <= _LONGEST_KEY for key in value)
    return not isinstance(value, list) or not any(isinstance(entry, dict) for entry in value)


def _flow(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_scalar(key)}: {_flow(entry)}" for key, entry in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_flow(entry) for entry in value) + "]"
    return _scalar(value)


def _scalar(text: str | None) -> str:
    if text is None:
        return "~"
    if text not in NULLS and _PLAIN.match(text):
        return text
    return '"' + "".join(_escaped(character) for character in text) + '"'


def _escaped(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    return character if character.isprintable() else f"\\U{ord(character):08x}"
