"""Fields in model files: records that check them, their values from texts, and their texts from values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, count
from typing import Annotated, Any, Literal

import pydantic
from annotated_types import Len
from pydantic import WithJsonSchema

from ..expr import Expr, Vector, as_expr, substitute, symbol
from ..model.fields import Field
from . import records
from .document import Path
from .motion import describe_motion, read_motion
from .names import Scope
from .spelling import describe_axis, describe_rotation, spell
from .values import Values

_ANNOTATIONS: dict[str, Any] = {
    "number": records.Number, "vector": records.Vector3, "point": records.Vector3, "axis": records.Axis,
    "direction": records.Axis, "rotation": records.Rotation, "count": records.Count, "flag": bool, "label": str,
    "name": records.Name, "body": records.Name, "frame": records.Name, "joint": records.Name,
    "variable": records.Name, "curve": Annotated[tuple[records.Number, ...], Len(2, 2)],
}  # fmt: skip


def record_of(
    title: str,
    doc: str,
    fields: Sequence[Field],
    kind: str | None = None,
    motion: type[records.Motion] = records.Motion,
) -> type[records.Record]:
    """The record that checks these fields, under a `type` if there are several in its place.

    The keys of a joint's motion stand beside the others.

    >>> fields = [Field("stiffness", "number"), Field("length", "number", 0)]
    >>> spring = record_of("Spring", "A spring.", fields, "spring")
    >>> spring.model_validate({"type": "spring", "stiffness": "k"})
    Spring(type='spring', stiffness='k', length='0')
    """
    made: dict[str, Any] = {} if kind is None else {"type": (Literal[kind], ...)}
    made |= keys_of(field for field in fields if field.kind != "motion")
    base: type[records.Record] = motion if any(field.kind == "motion" for field in fields) else records.Record
    return pydantic.create_model(title, __base__=base, __doc__=doc, __module__=__name__, **made)


def keys_of(fields: Iterable[Field]) -> dict[str, tuple[Any, Any]]:
    """For each field what pydantic makes a key of a record from."""
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
    made: dict[str, Any] = {}
    for field in fields:
        here: Path = (*path, field.name)
        if field.kind == "motion":
            made[field.name] = read_motion(values, path, record)
        elif field.kind == "curve":
            made[field.name] = _read_curve(values, here, getattr(record, field.of), getattr(record, field.name), free)
        else:
            inside = replace(values, scope=_scope(field, values.scope, free))
            made[field.name] = read_field(inside, here, field, getattr(record, field.name))
    return made


def _read_curve(
    values: Values, path: Path, variable: str, given: Sequence[str], free: Scope
) -> Callable[[Expr], list[Expr]]:
    """A function of a variable that only the curve knows."""
    own = symbol(variable, "coordinate")
    inside = replace(values, scope=_with_variable(values.scope, own, free))
    curve = [inside.number((*path, k), text) for k, text in enumerate(given)]
    return lambda place: substitute(curve, {own: place})


def _with_variable(scope: Scope, own: Expr, free: Scope) -> Scope:
    tables: dict[str, Mapping[str, Expr]] = {**scope.tables, "coordinate": {own.name: own}}
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
    if field.kind in ("body", "frame"):
        return values.body(given)
    return values.count(path, given) if field.kind == "count" else given


# ---- out ------------------------------------------------------------------------------------------------------


def describe_fields(fields: Iterable[Field], element: Any, fixed: Scope, free: Scope) -> dict[str, Any]:
    """The texts of an element's fields, without those that stand at their default."""
    made: dict[str, Any] = {}
    table = {field.name: field for field in fields}
    for field in table.values():
        value = getattr(element, field.name)
        if field.kind == "motion":
            made |= describe_motion(value, fixed, element.place)[0]
            continue
        if field.kind == "variable":
            text: Any = _fresh(field, fixed)
        elif field.kind == "curve":
            own = symbol(_fresh(table[field.of], fixed), "coordinate")
            inside = _with_variable(fixed, own, free)
            text = [spell(entry, inside) for entry in substitute(value, {getattr(element, field.of): own})]
        else:
            text = _spelled(field, value, _scope(field, fixed, free))
        if field.is_required or text != _listed(_default(field)):
            is_one = field.many and field.alone and len(text) == 1
            made[field.name] = text[0] if is_one else text
    return made


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
    return str(value).lower() if field.kind == "flag" else str(value)


def _listed(text: Any) -> Any:
    if isinstance(text, Sequence) and not isinstance(text, str):
        return [_listed(entry) for entry in text]
    return str(text).lower() if isinstance(text, bool) else text
