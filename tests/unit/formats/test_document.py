"""Text to plain data: values as they were written, lines, and what YAML can do that a model file may not."""

import pytest

from polhode.errors import PolhodeError
from polhode.formats.describe import emit
from polhode.formats.document import parse


def refusal(text: str) -> str:
    with pytest.raises(PolhodeError) as caught:
        parse(text, "m.yaml").check()
    return str(caught.value)


def test_scalars_keep_text_and_lines_also_in_json() -> None:
    text = "a: 0.10\nb: 1e-3\nc: yes\nd: '7'\ne: ~\nf:\ng: 'null'\n"
    wanted = {"a": "0.10", "b": "1e-3", "c": "yes", "d": "7", "e": None, "f": None, "g": "null"}
    assert parse(text, "m.yaml").data == wanted
    document = parse("bodies:\n  arm:\n    com:\n      - 0\n      - 1\n", "m.yaml")
    assert document.place(("bodies", "arm", "com", 1)) == "m.yaml:5: bodies.arm.com[1]"
    assert document.place(("bodies", "arm", "mass")) == "m.yaml:2: bodies.arm.mass"
    assert parse('{\n\t"a": [1, 2.50],\n\t"b": "\\ud83d\\ude00 \\u00e9"\n}', "m.json").data == {
        "a": ["1", "2.50"],
        "b": "😀 é",
    }
    message = refusal("a: 1\nb: 2\na: 3\n")
    assert "m.yaml:3: a" in message and "line 1" in message


@pytest.mark.parametrize(("text", "said"), [
    ("", "empty"), ("# nothing\n", "empty"), ("a: [1, 2\n", "not YAML"), ("a: b: c", "not YAML"),
    ("a: !!python/object/apply:os.system ['true']", "tags are not used"), ("a: !thing 1", "tags are not used"),
    ("a: &x [1]\nb: 2", "anchors"), ("a: *x", "aliases"), ("? [a, b]\n: 1", "a key must be a name"),
    (": 1", "a key must be a name"), ("a: 1\n---\nb: 2", "second document"), ('a: "\\ud83d"', "surrogate"),
    ("a: '\x01'", "not YAML"),
])  # fmt: skip
def test_what_a_model_file_may_not_do_is_said(text: str, said: str) -> None:
    assert said in refusal(text)


@pytest.mark.parametrize("text", ["[" * 100_000, "{a: " * 200, "- " * 200 + "1"])
def test_deep_nesting_is_refused(text: str) -> None:
    assert "64 deep" in refusal(text)


def test_what_is_emitted_reads_back() -> None:
    data = {
        "plain": "1/2*x",
        "null": "null",
        "~": "",
        "- dash": ["a: b", "#c", "[d]", "*e", "&f", "!g", "`h`", "'i", '"j', "%k", "@l", " m ", "n\nü\t\u2028"],
        "loads": [{"type": "a", "vector": ["1", "x" * 120], "nested": {"b": [{"c": "d"}]}}, {"e": "f" * 200}],
        "nested": {"deep": {"flow": "1", "list": [["1", "2"], ["3", "4"]]}, "x" * 128: {"y" * 200: "z"}},
        "none": None,
        "😀" * 128: "yes",
    }
    assert parse(emit(data), "m.yaml").data == data
