"""From plain data to records; what pydantic finds is said in our own words, at the line where it stands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from ..errors import suggestion
from .document import Document, Path
from .records import Model
from .vocabulary import model_record

_KINDS = {dict: "a mapping", list: "a list", str: "text", type(None): "nothing"}


def validate(document: Document) -> Model | None:
    """The document as a record; None after noting what is wrong with it."""
    try:
        return model_record().model_validate(document.data)
    except ValidationError as error:
        for detail in error.errors(include_url=False):
            _note(document, detail)
        return None


def _note(document: Document, detail: Mapping[str, Any]) -> None:
    path, value = _walk(document.data, detail["loc"])
    if detail["type"] == "missing":
        path = (*path, detail["loc"][-1])
    say = _WORDS.get(detail["type"], _otherwise)
    message, cure = say(detail, path, value)
    document.problem(path, message, cure, "E-YAML-020")


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


def _missing(detail: Any, path: Path, value: Any) -> tuple[str, str]:
    if isinstance(path[-1], int):
        return "this list is too short.", "A turn is [axis, angle], for example [z, pi/2]."
    return "this key is missing.", f"Add `{path[-1]}:`."


def _extra(detail: Any, path: Path, value: Any) -> tuple[str, str]:
    key = str(path[-1])
    known = _known_keys(detail["loc"][:-1])
    return "there is no such key.", suggestion(key, known, f"Known keys: {', '.join(known)}.", "`{}`".format)


def _known_keys(loc: tuple[str | int, ...]) -> list[str]:
    """The keys that may stand at a location, found by following it through the records."""
    found: list[type[BaseModel]] = [model_record()]
    for part in loc:
        if len(found) == 1 and part in found[0].model_fields:
            found = _records_in(found[0].model_fields[str(part)].annotation)
        elif len(found) > 1:
            found = [record for record in found if _variant(record) == part] or found
    return list(found[0].model_fields) if len(found) == 1 else []


def _records_in(annotation: Any) -> list[type[BaseModel]]:
    """The records that an annotation mentions."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [record for argument in get_args(annotation) for record in _records_in(argument)]


def _variant(record: type[BaseModel]) -> str:
    """The `type` by which a record is told from the others in its place."""
    kind = record.model_fields.get("type")
    return str(next(iter(get_args(kind.annotation)), "")) if kind is not None else ""


def _not_text(detail: Any, path: Path, value: Any) -> tuple[str, str]:
    if value is None:
        return "there is nothing here.", "Write a number, an expression or a name."
    return f"a number, an expression or a name is wanted here, not {_kind(value)}.", "Write a single value."


def _not_list(detail: Any, path: Path, value: Any) -> tuple[str, str]:
    return f"a list is wanted here, not {_kind(value)}.", "Write [0, 0, 1], or one `- …` a line."


def _not_mapping(detail: Any, path: Path, value: Any) -> tuple[str, str]:
    return f"names and values are wanted here, not {_kind(value)}.", "Write one `name: value` a line."


def _wrong_length(detail: Any, path: Path, value: Any) -> tuple[str, str]:
    context = detail["ctx"]
    wanted = context.get("max_length", context.get("min_length"))
    cure = "Write one entry for each of x, y, z."
    if detail["loc"][-1] == "moments":
        cure = "Write [xx, yy, zz], [xx, yy, zz, xy, xz, yz] or a 3×3 matrix."
    elif wanted == 2:
        cure = (
            "Write two entries."
            if not {"turn", "turns"} & {*detail["loc"]}
            else "A turn is [axis, angle], for example [z, pi/2]."
        )
    elif wanted == 6:
        cure = "Write three rows for rotation and three for translation."
    return f"{wanted} entries are wanted here, not {len(value)}.", cure


def _wrong_name(detail: Any, path: Path, value: Any) -> tuple[str, str]:
    name = detail["input"]
    return f"a name has 1 to 128 characters, not {len(name)}.", "Choose another name."


def _wrong_type(detail: Any, path: Path, value: Any) -> tuple[str, str]:
    given = str(detail["ctx"]["tag"])
    known = [part.strip(" '") for part in detail["ctx"]["expected_tags"].split(",")]
    cure = suggestion(given, known, f"Choose one of {', '.join(known)}.", "`{}`".format)
    return f"there is no type {given!r}.", cure


def _no_type(detail: Any, path: Path, value: Any) -> tuple[str, str]:
    if not isinstance(value, dict):
        return _not_mapping(detail, path, value)
    return "the type is missing.", "Add `type:`."


def _wrong_literal(detail: Any, path: Path, value: Any) -> tuple[str, str]:
    return f"this is {value!r}, not {detail['ctx']['expected']}.", "This version reads format 1."


def _otherwise(detail: Any, path: Path, value: Any) -> tuple[str, str]:
    return f"{detail['msg'][0].lower()}{detail['msg'][1:]}.", ""


def _kind(value: Any) -> str:
    return _KINDS.get(type(value), "this")


_WORDS: dict[str, Callable[[Any, Path, Any], tuple[str, str]]] = {
    "missing": _missing,
    "extra_forbidden": _extra,
    "string_type": _not_text,
    "tuple_type": _not_list,
    "dict_type": _not_mapping,
    "model_type": _not_mapping,
    "model_attributes_type": _not_mapping,
    "too_short": _wrong_length,
    "too_long": _wrong_length,
    "string_too_short": _wrong_name,
    "string_too_long": _wrong_name,
    "union_tag_invalid": _wrong_type,
    "union_tag_not_found": _no_type,
    "literal_error": _wrong_literal,
}
