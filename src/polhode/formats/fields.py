"""Fields in model files: records that check them, their values from texts, and their texts from values."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, reduce
from itertools import chain, count
from operator import or_
from types import TracebackType
from typing import Annotated, Any, Literal, get_args

import pydantic
from annotated_types import Len
from pydantic import BaseModel, ValidationError, WithJsonSchema

from ..errors import FormatError, ModelError, PolhodeError, collecting, suggestion
from ..expr import Expr, Matrix, Vector, as_expr, free_symbols, number, substitute, symbol
from ..expr.evaluation import check_constants
from ..expr.rational import in_range, out_of_range
from ..geometry import rotation as turned
from ..geometry import unit_axis
from ..geometry.rotations.exact import as_rotation
from ..model.constraints import CONSTRAINTS, Closure, Constraint
from ..model.equipment import EQUIPMENT
from ..model.fields import Field
from ..model.flexible.beam import Beam
from ..model.forces import FORCES
from ..model.forces.protocol import ForceElement
from ..model.joints import JOINTS, Compound, Fixed, JointMap, JointType, joint_type
from ..model.motor import Motor
from ..model.stage import Stage
from ..model.unit import in_unit, split
from . import records
from .document import Document, Path
from .grammar import parse
from .names import Scope
from .records import Model
from .spelling import describe_axis, describe_rotation, spell

_ANNOTATIONS: dict[str, Any] = {
    "number": records.Number, "vector": records.Vector3, "point": records.Vector3, "axis": records.Axis,
    "direction": records.Axis, "rotation": records.Rotation, "count": records.Count, "flag": bool, "label": str,
    "name": records.Name, "body": records.Name, "frame": records.Name, "joint": records.Name,
    "surface": records.Name, "variable": records.Name, "curve": Annotated[tuple[records.Number, ...], Len(2, 2)],
}  # fmt: skip


def record_of(
    title: str,
    doc: str,
    fields: Sequence[Field],
    kind: str | None = None,
    motion: type[records.Motion] = records.Motion,
) -> type[records.Record]:
    """The record that checks these fields, under a `type` if there are several in its place."""
    result: dict[str, Any] = {} if kind is None else {"type": (Literal[kind], ...)}
    result |= keys_of(field for field in fields if field.kind != "motion")
    base: type[records.Record] = motion if any(field.kind == "motion" for field in fields) else records.Record
    return pydantic.create_model(title, __base__=base, __doc__=doc, __module__=__name__, **result)


def keys_of(fields: Iterable[Field]) -> dict[str, tuple[Any, Any]]:
    """For each field the arguments of pydantic for a key of a record."""
    return {
        field.name: (_annotation(field), pydantic.Field(_default(field), description=_description(field)))
        for field in fields
    }


def _annotation(field: Field) -> Any:
    if field.kind == "word":
        numerals = [int(word) for word in field.choices if word.isdigit()]  # as other readers of YAML see them
        one: Any = Annotated[str, WithJsonSchema({"enum": [*field.choices, *numerals]})]
    else:
        one = _ANNOTATIONS[field.kind]
    if field.many or field.count is not None:
        one = tuple[one, ...]
    if field.count is not None:
        one = Annotated[one, Len(field.count, field.count)]
    if field.alone:
        alone: Any = _ANNOTATIONS[field.kind]
        one = Annotated[
            Annotated[alone, pydantic.Tag("alone")] | Annotated[one, pydantic.Tag("list")],
            pydantic.Discriminator(_form),
        ]
    return one | None if field.default is None else one


def _form(value: Any) -> str:
    return "list" if isinstance(value, list | tuple) else "alone"


def _default(field: Field) -> Any:
    """The default as a model file would have it."""
    return _text(field.default)


def _text(value: Any) -> Any:
    if value is None or value is ... or isinstance(value, bool | str):
        return value
    return tuple(_text(entry) for entry in value) if isinstance(value, tuple) else str(value)


def _description(field: Field) -> str | None:
    unit = f"[{field.unit}]" if field.unit else ""
    return " ".join(part for part in (field.doc, unit) if part) or None


# ---- in -------------------------------------------------------------------------------------------------------


def read_fields(values: Values, path: Path, fields: Iterable[Field], record: Any, free: Scope) -> dict[str, Any]:
    """The values of a record's fields; `free` holds the names that those may use which depend on the motion."""
    result: dict[str, Any] = {}
    for field in fields:
        here: Path = (*path, field.name)
        if field.kind == "motion":
            result[field.name] = read_motion(values, path, record)
        elif field.kind == "curve":
            result[field.name] = _read_curve(values, here, getattr(record, field.of), getattr(record, field.name), free)
        else:
            inside = replace(values, scope=_scope(field, values.scope, free))
            result[field.name] = read_field(inside, here, field, getattr(record, field.name))
    return result


def _read_curve(
    values: Values, path: Path, variable: str, texts: Sequence[str], free: Scope
) -> Callable[[Expr], list[Expr]]:
    """A function of a variable that is local to the curve."""
    x = symbol(variable, "coordinate")
    inside = replace(values, scope=_with_variable(values.scope, x, free))
    curve = [inside.number((*path, k), text) for k, text in enumerate(texts)]
    return lambda value: substitute(curve, {x: value})


def _with_variable(scope: Scope, x: Expr, free: Scope) -> Scope:
    tables: dict[str, Mapping[str, Expr]] = {**scope.tables, "coordinate": {x.name: x}}
    return replace(scope, tables=tables, now=free.now)


def _scope(field: Field, fixed: Scope, free: Scope) -> Scope:
    """The names that a field may use."""
    scope = free if field.free else fixed
    return replace(scope, own=field.own_symbols) if field.arguments else scope


def read_field(values: Values, path: Path, field: Field, given: Any) -> Any:
    """The value of one field from its text or texts."""
    if given is None:
        return None
    if (field.many or field.count is not None) and not (field.alone and isinstance(given, str)):
        one = replace(field, many=False, count=None)
        return [read_field(values, (*path, k), one, entry) for k, entry in enumerate(given)]
    if field.kind == "number":
        return values.number(path, given)
    if field.kind in ("vector", "point") or (field.kind == "direction" and not isinstance(given, str)):
        return values.vector(path, given)
    if field.kind == "axis" or (field.kind == "direction" and isinstance(given, str)):
        return values.axis(path, given)
    if field.kind == "rotation":
        return values.rotation(path, given)
    if field.kind in ("body", "frame", "surface"):
        return values.body(given)
    return values.count(path, given) if field.kind == "count" else given


# ---- out ------------------------------------------------------------------------------------------------------


def describe_fields(fields: Iterable[Field], element: Any, fixed: Scope, free: Scope) -> dict[str, Any]:
    """The texts of an element's fields, without those that are equal to their default."""
    result: dict[str, Any] = {}
    table = {field.name: field for field in fields}
    for field in table.values():
        value = getattr(element, field.name)
        if field.kind == "motion":
            result |= describe_motion(value, fixed, element.place)[0]
            continue
        if field.kind == "variable":
            text: Any = _fresh(field, fixed)
        elif field.kind == "curve":
            x = symbol(_fresh(table[field.of], fixed), "coordinate")
            inside = _with_variable(fixed, x, free)
            text = [spell(entry, inside) for entry in substitute(value, {getattr(element, field.of): x})]
        else:
            text = _spelled(field, value, _scope(field, fixed, free))
        if field.is_required or text != _listed(_default(field)):
            is_one = field.many and field.alone and len(text) == 1
            result[field.name] = text[0] if is_one else text
    return result


def _fresh(variable: Field, scope: Scope) -> str:
    """A name for the variable of a curve that no parameter has."""
    usual = str(variable.default)
    names = chain([usual], (f"{usual}{k}" for k in count(2)))
    return next(name for name in names if name not in scope.tables.get("parameter", {}))


def _spelled(field: Field, value: Any, scope: Scope) -> Any:
    if value is None:
        return None
    if field.many or field.count is not None:
        one = replace(field, many=False, count=None)
        return [_spelled(one, entry, scope) for entry in value]
    if field.kind == "number":
        return spell(as_expr(value), scope)
    if field.kind in ("vector", "point"):
        return [spell(as_expr(entry), scope) for entry in value]
    if field.kind in ("axis", "direction"):
        return value if isinstance(value, str) else describe_axis(Vector(value), scope)
    if field.kind == "rotation":
        return describe_rotation(value, scope)
    if field.kind == "surface":
        return value if isinstance(value, str) else value.name or value.body
    return str(value).lower() if field.kind == "flag" else str(value)


def _listed(text: Any) -> Any:
    if isinstance(text, Sequence) and not isinstance(text, str):
        return [_listed(entry) for entry in text]
    return str(text).lower() if isinstance(text, bool) else text


def describe_motion(joint: JointType, scope: Scope, place: str) -> tuple[dict[str, Any], bool]:
    """The keys that describe a joint's motion, and whether the usual names of its coordinates follow from them."""
    if JOINTS.get(joint.kind) is type(joint):
        return {"type": joint.kind, **describe_fields(joint.fields, joint, scope, scope)}, True
    if isinstance(joint, Compound):
        return {"sequence": [describe_motion(part, scope, place)[0] for part in joint.joints]}, False
    if joint.outermost_first and all(stage.storage == "angles" for stage in joint.stages):
        return _map(joint.stages, scope), all(not stage.coordinate_labels for stage in joint.stages)
    cure = "Add the type to polhode.model.joints.JOINTS, or write the joint as a Compound of listed types."
    raise FormatError(f"a model file has no words for the joint type '{joint.kind}'.", place, cure, "E-MODELFILE-WRITE")


def _map(stages: Sequence[Stage], scope: Scope) -> dict[str, Any]:
    rows = [[spell(entry, scope) for stage in stages for entry in stage.H[i]] for i in range(6)]
    groups = [str(stage.speeds) for stage in stages]
    return {"map": rows, **({"groups": groups} if len(groups) > 1 else {})}


def read_motion(values: Values, path: Path, record: records.Motion) -> JointType:
    """A joint type from a name with options, a joint map, a constraint, or a sequence."""
    forms = [form for form in ("type", "map", "constraint", "sequence") if getattr(record, form) is not None]
    if len(forms) != 1:
        message = f"a joint has one of type, map, constraint and sequence, not {' and '.join(forms) or 'none of them'}."
        values.document.problem(path, message, "Write for example `type: revolute`.", "E-MODELFILE-TWICE")
        return Fixed()
    form = forms[0]
    field_of = {field.name: field for kind in JOINTS.values() for field in kind.fields}
    settings = {name: getattr(record, name) for name in field_of if getattr(record, name) is not None}
    unexpected = [] if form == "type" else list(settings)
    if form != "map" and record.groups is not None:
        unexpected.append("groups")
    for key in unexpected:
        values.document.problem((*path, key), f"this does not go with `{form}`.", "Remove it.", "E-MODELFILE-TWICE")
    with values.noting((*path, form)):
        if record.sequence is not None:
            return Compound(
                *(read_motion(values, (*path, "sequence", k), part) for k, part in enumerate(record.sequence))
            )
        if record.constraint is not None:
            return JointMap.of_constraint(values.nested((*path, "constraint"), record.constraint))
        if record.map is not None:
            entries = Matrix(values.nested((*path, "map"), record.map))
            groups = [values.count((*path, "groups", k), text) for k, text in enumerate(record.groups or ())]
            return JointMap(entries, groups or None)
        options = {name: read_field(values, (*path, name), field_of[name], text) for name, text in settings.items()}
        return joint_type(str(record.type), **options)
    return Fixed()


ZERO = number(0)


@dataclass
class Noting:
    """Notes an error or a warning of the block, with its place in the file, and continues after it."""

    document: Document
    path: Path
    inside: ExitStack = dataclasses.field(default_factory=ExitStack)

    def __enter__(self) -> None:
        self.found = self.inside.enter_context(collecting())

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        self.inside.close()
        for cause in self.found:
            message = f"{cause.place}: {cause.message}" if cause.place else cause.message
            self.document.finding(self.path, message, cause.cure, cause.code)
        if not isinstance(error, PolhodeError):
            return False
        for problem in error.problems:
            message = f"{problem.place}: {problem.message}" if problem.place else problem.message
            self.document.problem(self.path, message, problem.cure, problem.code)
        return True


@dataclass
class Values:
    """Reads values under the names in scope; a value that cannot be read is noted and replaced by zero."""

    document: Document
    scope: Scope = dataclasses.field(default_factory=Scope)
    stations: dict[str, str] = dataclasses.field(default_factory=dict)  # names as files spell them

    def body(self, text: str) -> str:
        """The name of a body or frame; that of a station may be spelled in other ways."""
        return self.stations.get(text, text)

    def noting(self, path: Path) -> Noting:
        return Noting(self.document, path)

    def number(self, path: Path, text: str) -> Expr:
        with self.noting(path):
            return _finite(parse(text, self.scope))
        return ZERO

    def quantity(self, path: Path, text: str) -> Fraction | str:
        """A constant, or the text of a number with a unit, as it is."""
        return self.constant(path, text) if split(text) is None else text

    def constant(self, path: Path, text: str, unit: str = "") -> Fraction:
        """A number that does not stay a symbol: exact if it is rational, else the nearest double; a text has a unit."""
        if split(text) is not None:
            with self.noting(path):
                return Fraction(float(in_unit(text, unit, "")))
            return Fraction(0)
        plain = Values(self.document, replace(self.scope, tables={}, now=None, lenient=False))
        value = plain.number(path, text)
        return Fraction(value.data if value.is_number else float(value))

    def vector(self, path: Path, texts: Iterable[str]) -> Vector:
        return Vector([self.number((*path, k), text) for k, text in enumerate(texts)])

    def nested(self, path: Path, value: Any) -> Any:
        """A text or lists of texts, as an expression or lists of expressions; missing values are kept."""
        if value is None:
            return None
        if isinstance(value, str):
            return self.number(path, value)
        return [self.nested((*path, k), entry) for k, entry in enumerate(value)]

    def axis(self, path: Path, value: Any) -> Any:
        """A letter or a direction of any length but zero."""
        axis = value if isinstance(value, str) else self.vector(path, value)
        with self.noting(path):
            unit_axis(axis)
            return axis
        return "z"

    def rotation(self, path: Path, value: Any) -> Matrix | None:
        """A rotation from a turn, from several turns about body-fixed axes, or from a matrix."""
        if value is None:
            return None
        form = records.rotation_form(value)
        with self.noting(path):
            if form == "matrix":
                return as_rotation(self.nested(path, value), "")
            listed = [(path, value)] if form == "turn" else [((*path, k), turn) for k, turn in enumerate(value)]
            return turned(*((self.axis((*at, 0), axis), self.number((*at, 1), angle)) for at, (axis, angle) in listed))
        return None

    def count(self, path: Path, text: str) -> int:
        if text.isascii() and text.isdigit() and len(text) < 5:
            return int(text)
        self.document.problem(path, f"expected a count, got {text!r}.", "Write 0, 1, 2, ….", "E-MODELFILE-READ")
        return 0


def _finite(value: Expr) -> Expr:
    """The value, unless it is or has in it a constant that is not a real number, such as log(-1), or no double."""
    if value.is_number:
        in_range(value.data)
    check_constants(value)
    if not free_symbols([value]) and not math.isfinite(float(value)):
        raise out_of_range(small=False)
    return value


#: Keys of a kind of constraint in files that come to loads.
BESIDE = {
    "friction": (
        Field("viscous", "number", 0, unit="N·s/m or N·m·s/rad"),
        Field("bristle", "number", None, "The stiffness and damping of bristles.", count=2),
    )
}

Joints = tuple[type[JointType], ...]
Forces = tuple[type[ForceElement], ...]
ConstraintKinds = tuple[type[Constraint], ...]


def model_record() -> type[records.Model]:
    """The record that a model file is checked against.

    >>> print(*sorted(set(model_record().model_fields) - set(records.Model.model_fields)))
    actuators closures conditions contacts excludes flexible friction geoms motors pairs rolling sensors stops tendons
    """
    return _model_record(tuple(JOINTS.values()), tuple(FORCES.values()), tuple(CONSTRAINTS.values()))


@cache
def _model_record(joints: Joints, forces: Forces, constraints: ConstraintKinds) -> type[records.Model]:
    motion = motion_record(joints)
    tables: dict[str, list[Any]] = {}
    for c in constraints:
        fields = (*c.fields, *BESIDE.get(c.kind, ()))
        record = record_of(c.__name__, c.__doc__ or "", fields, None if c.alone else c.kind, motion)
        tables.setdefault(c.table, []).append(record)
    loads = [record_of(force.__name__, force.__doc__ or "", force.fields, force.kind) for force in forces]
    beam = record_of("Beam", Beam.__doc__ or "", Beam.fields, "beam")
    beams = _like(beam, modes=(records.Modes, "3"), stations=(records.Stations, ()))
    by_name: Any = dict  # of types that are built at run time, which a type checker cannot follow
    listed: Any = tuple
    sections: dict[str, Any] = {
        "joints": (by_name[records.Name, _like(records.Joint, motion)], {}),
        **{table: (by_name[records.Name, _one_of(result)], {}) for table, result in tables.items()},
        "flexible": (by_name[records.Name, _one_of([beams, records.ModalBody])], {}),
        "motors": (by_name[records.Name, record_of("Motor", Motor.__doc__ or "", Motor.fields)], {}),
        "loads": (listed[_one_of(loads), ...], ()),
        **{
            table: (by_name[records.Name, record_of(kind.__name__, kind.__doc__ or "", kind.fields)], {})
            for table, kind in EQUIPMENT.items()
        },
    }
    result: type[records.Model] = _like(records.Model, **sections)
    return result


def _one_of(kinds: list[Any]) -> Any:
    """A union of records discriminated by `type`; a single kind has none."""
    if "type" not in kinds[0].model_fields or issubclass(kinds[0], records.Motion):
        return kinds[0]
    return Annotated[reduce(or_, kinds), pydantic.Field(discriminator="type")]


def _like(base: type[records.Record], *more: type[records.Record], **keys: Any) -> Any:
    """A record with the name and meaning of another, and further keys."""
    return pydantic.create_model(base.__name__, __base__=(*more, base), __doc__=base.__doc__, **keys)


@cache
def motion_record(joints: Joints) -> type[records.Motion]:
    """The motion of a joint: a type, and the options of all types."""
    types = Field("type", "word", None, choices=tuple(joint.kind for joint in joints))
    keys: dict[str, Any] = keys_of([types, *_options(joints)])
    result: type[records.Motion] = _like(records.Motion, **keys, sequence=("tuple[Motion, ...] | None", None))
    return result


def _options(joints: Iterable[type[JointType]]) -> list[Field]:
    """The options of joint types, once for each name; all may be missing, as each type has its own."""
    result: dict[str, Field] = {}
    takers: dict[str, list[str]] = {}
    reserved = {*records.Joint.model_fields, *(field.name for field in Closure.fields)}
    for joint in joints:
        for field in joint.fields:
            takers.setdefault(field.name, []).append(joint.kind)
            first = result.setdefault(field.name, field)
            if field.name in reserved or (first.kind, first.many) != (field.kind, field.many):
                message = f"the field '{field.name}' has another meaning in a model file."
                raise ModelError(message, f"joint type '{joint.kind}'", "Give it another name.", "E-JOINT-NAME")
            words = dict.fromkeys((*first.choices, *field.choices))  # the type knows which of them are its own
            result[field.name] = replace(first, choices=tuple(words))
    return [replace(field, default=None, doc=f"Of {', '.join(takers[name])}.") for name, field in result.items()]


_TURN = "A turn is [axis, angle], for example [z, pi/2]."
_KINDS = {dict: "a mapping", list: "a list", str: "text", type(None): "nothing"}


def validate(document: Document) -> Model | None:
    """The document as a record; problems are noted, and None is returned if they are more than unknown keys."""
    try:
        return model_record().model_validate(document.data)
    except ValidationError as error:
        details = error.errors(include_url=False)
    for detail in details:
        _note(document, detail)
    if any(detail["type"] != "extra_forbidden" or len(detail["loc"]) == 1 for detail in details):
        return None
    for *containers, key in [_walk(document.data, detail["loc"])[0] for detail in details]:
        del _walk(document.data, tuple(containers))[1][key]
    return model_record().model_validate(document.data)


def _note(document: Document, detail: Mapping[str, Any]) -> None:
    path, value = _walk(document.data, detail["loc"])
    if detail["type"] == "missing":
        path = (*path, detail["loc"][-1])
    message, cure = _words(detail, path, value)
    document.problem(path, message, cure, "E-MODELFILE-READ")


def _words(detail: Mapping[str, Any], path: Path, value: Any) -> tuple[str, str]:
    """What pydantic found, as message and cure."""
    kind = _KINDS.get(type(value), "this")
    no_mapping = f"expected names and values, got {kind}.", "Write one `name: value` a line."
    match detail["type"]:
        case "missing" if isinstance(path[-1], int):
            return "this list is too short.", _TURN
        case "missing":
            return "this key is missing.", f"Add `{path[-1]}:`."
        case "extra_forbidden":
            if path[0] == "contacts" and str(path[-1]) in [field.name for field in FORCES["compliant_contact"].fields]:
                return "there is no such key.", "A compliant contact is one of `loads`, of `type: compliant_contact`."
            keys = _known_keys(detail["loc"][:-1])
            listed = f"Known keys: {', '.join(keys)}."
            return "there is no such key.", suggestion(str(path[-1]), keys, listed, "`{}`".format)
        case "string_type" if value is None:
            return "there is nothing here.", "Write a number, an expression or a name."
        case "string_type":
            return f"expected a number, an expression or a name, got {kind}.", "Write a single value."
        case "tuple_type":
            return f"expected a list, got {kind}.", "Write [0, 0, 1], or one `- …` a line."
        case "dict_type" | "model_type" | "model_attributes_type":
            return no_mapping
        case "too_short" | "too_long":
            wanted = detail["ctx"].get("max_length", detail["ctx"].get("min_length"))
            return f"expected {wanted} entries, got {len(value)}.", _entries(wanted, detail["loc"])
        case "string_too_short" | "string_too_long":
            return f"a name has 1 to 128 characters, not {len(detail['input'])}.", "Choose another name."
        case "union_tag_invalid":
            tag = str(detail["ctx"]["tag"])
            keys = [part.strip(" '") for part in detail["ctx"]["expected_tags"].split(",")]
            cure = suggestion(tag, keys, f"Choose one of {', '.join(keys)}.", "`{}`".format)
            return f"there is no type {tag!r}.", cure
        case "union_tag_not_found":
            return ("the type is missing.", "Add `type:`.") if isinstance(value, dict) else no_mapping
        case "literal_error":
            return f"this is {value!r}, not {detail['ctx']['expected']}.", "This version reads format 1."
    return f"{detail['msg'][0].lower()}{detail['msg'][1:]}.", ""


def _entries(wanted: int, loc: tuple[str | int, ...]) -> str:
    """What the entries of a list are."""
    if loc[-1] == "moments":
        return "Write [xx, yy, zz], [xx, yy, zz, xy, xz, yz] or a 3×3 matrix."
    if wanted == 2:
        return _TURN if {"turn", "turns"} & {*loc} else "Write two entries."
    rows = "Write three rows for rotation and three for translation."
    return rows if wanted == 6 else "Write one entry for each of x, y, z."


def _walk(data: Any, loc: tuple[str | int, ...]) -> tuple[Path, Any]:
    """The keys of a location and the value there, without the names of the variants that were tried."""
    path: list[str | int] = []
    for part in loc:
        if (isinstance(data, dict) and part in data) or (
            isinstance(data, list) and isinstance(part, int) and part < len(data)
        ):
            path.append(part)
            data = data[part]  # type: ignore[index]  # a plain tree of mappings and lists; what is neither is caught
    return tuple(path), data


def _known_keys(loc: tuple[str | int, ...]) -> list[str]:
    """The keys that may stand at a location, found by following it through the records."""
    records_met: list[type[BaseModel]] = [model_record()]
    for part in loc:
        if len(records_met) == 1 and part in records_met[0].model_fields:
            records_met = _records_in(records_met[0].model_fields[str(part)].annotation)
        elif len(records_met) > 1:
            records_met = [record for record in records_met if _variant(record) == part] or records_met
    return list(records_met[0].model_fields) if len(records_met) == 1 else []


def _records_in(annotation: Any) -> list[type[BaseModel]]:
    """The records that an annotation mentions."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [record for argument in get_args(annotation) for record in _records_in(argument)]


def _variant(record: type[BaseModel]) -> str:
    """The `type` of a record in a union."""
    kind = record.model_fields.get("type")
    return str(next(iter(get_args(kind.annotation)), "")) if kind is not None else ""
