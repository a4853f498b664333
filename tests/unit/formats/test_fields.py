"""Fields as plain data: what they become in a model file, in and out."""

from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import ValidationError

from polhode.expr import symbol
from polhode.formats.document import Document
from polhode.formats.fields import Values, describe_fields, motion_record, read_fields, record_of
from polhode.formats.names import Scope
from polhode.model.fields import KINDS, Field
from polhode.model.joints import JOINTS

K, X = symbol("k", "parameter"), symbol("x", "coordinate")
FIXED = Scope({"parameter": {"k": K}})
FREE = Scope({"parameter": {"k": K}, "coordinate": {"x": X}})

#: What a model file may say for a field of each kind.
SAMPLES: dict[str, Any] = {
    "number": "2*k", "vector": ["0", "k", "1"], "point": ["0", "k", "1"], "axis": "-y", "direction": "x",
    "rotation": ["x", "k"], "count": "3", "flag": "true", "label": "", "name": "arm", "body": "arm", "frame": "tool",
    "joint": "elbow", "word": "vector", "surface": "floor",
}  # fmt: skip


def _read(fields: list[Field], data: Any) -> tuple[dict[str, Any], list[str]]:
    document = Document("m.yaml", data)
    record = record_of("Thing", "A thing.", fields, motion=motion_record(tuple(JOINTS.values()))).model_validate(data)
    read = read_fields(Values(document, FIXED), ("things", 0), fields, record, FREE)
    return read, [f"{problem.place}: {problem.message}" for problem in document.problems]


@pytest.mark.parametrize("kind", SAMPLES)
@pytest.mark.parametrize("many", [False, True])
def test_a_field_is_read_and_written_back(kind: str, many: bool) -> None:
    field = Field("given", kind, many=many, choices=("vector", "angles"))
    data = {"given": [SAMPLES[kind]] * 2 if many else SAMPLES[kind]}
    read, problems = _read([field], data)
    assert not problems
    assert describe_fields([field], SimpleNamespace(**read), FIXED, FREE) == data


def test_a_curve_and_a_motion_are_read_and_written_back_and_what_stands_at_its_default_is_not_written() -> None:
    fields = [Field("s", "variable", "s"), Field("curve", "curve", of="s"), Field("how", "motion")]
    assert {*SAMPLES, *(field.kind for field in fields)} == {*KINDS}
    read, problems = _read(fields, {"s": "angle", "curve": ["k*angle", "angle**2"], "type": "revolute", "axis": "y"})
    assert not problems
    at = symbol("thing place", "coordinate")
    element = SimpleNamespace(s=at, curve=read["curve"](at), how=read["how"], place="thing")
    assert list(element.curve) == [K * at, at**2]
    written = {"curve": ["s*k", "s**2"], "type": "revolute", "axis": "y"}
    assert describe_fields(fields, element, FIXED, FREE) == written
    fields = [
        Field("stiffness", "number"), Field("length", "number", 0), Field("at", "point", (0, 0, 0)),
        Field("frame", "frame", "ground"), Field("axis", "axis", "z"), Field("slips", "flag", False),
        Field("upright", "number", None),
    ]  # fmt: skip
    read, _ = _read(fields, {"stiffness": "k"})
    assert describe_fields(fields, SimpleNamespace(**read), FIXED, FREE) == {"stiffness": "k"}


def test_only_free_fields_depend_on_coordinates_and_arguments_of_a_law_go_before_other_names() -> None:
    fields = [Field("force", "number", free=True), Field("radius", "number")]
    read, problems = _read(fields, {"force": "k*x", "radius": "k*x"})
    assert read["force"] == K * X
    assert problems == [
        "m.yaml:1: things[0].radius: there is nothing called 'x' to be used here (character 3 of 'k*x')."
    ]
    x, length = symbol("x", "line"), symbol("length", "line")
    fields = [Field("law", "number", free=True, arguments=(x, length)), Field("force", "number", free=True)]
    read, problems = _read(fields, {"law": "k*x + q(x)*length", "force": "x"})
    assert read == {"law": K * x + X * length, "force": X}
    assert not problems
    again = describe_fields(fields, SimpleNamespace(**read), FIXED, FREE)
    assert _read(fields, again)[0] == read
    _, problems = _read(fields, {"law": "1", "force": "length"})
    assert "there is nothing called 'length' to be used here" in problems[0]


def test_wrong_lengths_are_refused_and_schemas_have_units() -> None:
    record = record_of("Thing", "", [Field("curve", "number", count=2), Field("body", "body")], "thing")
    with pytest.raises(ValidationError) as caught:
        record.model_validate({"type": "thing", "curve": ["1"], "bodi": "arm"})
    assert [each["type"] for each in caught.value.errors()] == ["too_short", "missing", "extra_forbidden"]
    made = record_of("Thing", "A thing.", [Field("stiffness", "number", doc="Along the line.", unit="N/m")])
    schema = made.model_json_schema()
    assert schema["description"] == "A thing."
    assert schema["properties"]["stiffness"]["description"] == "Along the line. [N/m]"
