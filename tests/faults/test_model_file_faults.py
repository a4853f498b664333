"""What the model file survives in files, values, names, keys and expressions, by the ids of the fault list."""

from __future__ import annotations

import codecs
import os
import unicodedata
from fractions import Fraction
from pathlib import Path

import pytest
from tests.faults.model_text import PENDULUM, refusal, same_pendulum

import polhode as ph
from polhode.errors import PolhodeError
from polhode.formats import dumps_yaml, load, loads_yaml


def file_refusal(path: Path) -> str:
    with pytest.raises(PolhodeError) as caught:
        load(path)
    assert all(problem.place.startswith(str(path)) for problem in caught.value.problems)
    return str(caught.value)


# ---- F01, F03, F05, F06: the file ----------------------------------------------------------------------------


def test_F01_a_file_that_is_not_there_names_its_neighbours(tmp_path: Path) -> None:
    (tmp_path / "arm.yaml").write_text(PENDULUM)
    message = file_refusal(tmp_path / "amr.yaml")
    assert "no such file" in message
    assert "arm.yaml" in message


def test_F01_an_empty_file_a_folder_and_a_wrong_extension(tmp_path: Path) -> None:
    (tmp_path / "empty.yaml").touch()
    assert "empty" in file_refusal(tmp_path / "empty.yaml")
    (tmp_path / "folder.yaml").mkdir()
    assert "folder" in file_refusal(tmp_path / "folder.yaml")
    assert "folder" in file_refusal(tmp_path)
    assert ".yaml" in file_refusal(tmp_path / "arm.docx")
    assert "no extension" in file_refusal(tmp_path / "arm")
    assert "not read yet" in file_refusal(tmp_path / "arm.xacro")


@pytest.mark.skipif(os.name == "nt", reason="permissions differ")
def test_F01_an_unreadable_file(tmp_path: Path) -> None:
    path = tmp_path / "secret.yaml"
    path.write_text(PENDULUM)
    path.chmod(0)
    if os.access(path, os.R_OK):
        path = tmp_path / "loop.yaml"  # a privileged user reads everything; nobody reads a link to itself
        path.symlink_to(path)
    assert "cannot be read" in file_refusal(path)


@pytest.mark.parametrize(
    "content",
    [
        PENDULUM.encode(),
        codecs.BOM_UTF8 + PENDULUM.encode(),
        codecs.BOM_UTF16_LE + PENDULUM.encode("utf-16-le"),
        codecs.BOM_UTF16_BE + PENDULUM.encode("utf-16-be"),
        PENDULUM.replace("\n", "\r\n").encode(),
        PENDULUM.replace("\n", "\r").encode(),
    ],
    ids=["utf-8", "utf-8 with a mark", "utf-16 little", "utf-16 big", "crlf", "cr"],
)
def test_F03_encodings_and_line_endings_give_the_same_model(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "m.yaml"
    path.write_bytes(content)
    assert same_pendulum(load(path))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"bodies: {caf\xe9: {}}", "not UTF-8"),
        (b"bodies:\n  a: \xff\xfe", "m.yaml:2: this is not UTF-8"),
        (codecs.BOM_UTF16_LE + b"a", "not UTF-16"),
        (b"a: \0", "NUL"),
        (PENDULUM.encode("utf-16-le"), "NUL"),
        (PENDULUM.encode("utf-32"), "NUL"),
        (b"\x1f\x8b\x08\x00", "not UTF-8"),
    ],
)
def test_F03_other_bytes_are_refused_with_their_encoding(content: bytes, said: str, tmp_path: Path) -> None:
    path = tmp_path / "m.yaml"
    path.write_bytes(content)
    assert said in file_refusal(path)


def test_F03_a_name_beyond_ascii_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "m.yaml"
    path.write_bytes(codecs.BOM_UTF16_LE + PENDULUM.replace("bob", "Körper 😀").encode("utf-16-le"))
    assert "Körper 😀" in load(path).bodies


def test_F05_a_huge_file_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "huge.yaml"
    with path.open("wb") as stream:
        stream.truncate(1_000_000_000)
    assert "1,000,000,000 bytes" in file_refusal(path)


@pytest.mark.parametrize(
    "text", ["[" * 100_000, "{a: " * 100_000, "- " * 100_000, "a: {" * 1000, "bodies: " + "[" * 65 + "]" * 65]
)
def test_F05_deep_nesting_is_refused(text: str) -> None:
    assert "64 deep" in refusal(text)


def test_F05_very_many_values_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("polhode.formats.document.NODE_LIMIT", 1000)
    assert "more than 1,000 values" in refusal("a: [" + "1, " * 2000 + "1]")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('<robot name="r"></robot>', "URDF"),
        ('<?xml version="1.0"?>\n<!-- hello -->\n<sdf version="1.7"/>', "SDF"),
        ("<mujoco/>", "MuJoCo"),
        ("<!DOCTYPE html><html></html>", "web page"),
        ("  <thing/>", "XML"),
    ],
)
def test_F06_another_format_is_recognised(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "m.yaml"
    path.write_text(text)
    assert said in file_refusal(path)


# ---- F07 to F12: values, names, references ---------------------------------------------------------------------

NOT_NUMBERS = ['"1,5"', "nan", "NaN", "inf", "-inf", ".inf", ".nan", "1e999", "0x10", "0o7", "1_000", '""',
               "yes", "true", "'1 2'", "1..2", "--", "٣"]  # fmt: skip


@pytest.mark.parametrize("number", NOT_NUMBERS)
def test_F07_what_is_not_a_number_is_refused_where_it_stands(number: str, any_locale: None) -> None:
    assert "m.yaml:3: bodies.bob.mass:" in refusal(PENDULUM.replace("mass: m", f"mass: {number}"))
    assert "m.yaml:1: parameters.m:" in refusal(PENDULUM.replace("m: 2", f"m: {number}"))


def test_F07_a_number_with_a_unit_is_a_value_of_a_parameter_and_of_nothing_else(any_locale: None) -> None:
    assert "m.yaml:3: bodies.bob.mass:" in refusal(PENDULUM.replace("mass: m", "mass: 1.5m"))
    assert "m.yaml:3: bodies.bob: body 'bob': the mass m is in m" in refusal(PENDULUM.replace("m: 2", "m: 1.5m"))
    assert loads_yaml(PENDULUM.replace("m: 2", "m: 1500g")).parameters["m"].value == Fraction(3, 2)


def test_F07_decimals_are_exact_in_every_locale(any_locale: None) -> None:
    system = loads_yaml(PENDULUM.replace("mass: m", "mass: 0.1"))
    assert system.bodies["bob"].mass * 10 == 1


def test_F07_nothing_is_not_a_number() -> None:
    assert "bodies.bob.mass: there is nothing here" in refusal(PENDULUM.replace("mass: m", "mass: "))


@pytest.mark.parametrize("vector", ["[0, 0]", "[0, 0, 0, 0]", "[]", "0 0 1", "{x: 0}"])
def test_F08_a_vector_has_three_components(vector: str) -> None:
    assert "m.yaml:3: bodies.bob.com:" in refusal(PENDULUM.replace("[0, 0, -l]", vector))


def test_F08_white_space_does_not_matter() -> None:
    assert same_pendulum(loads_yaml(PENDULUM.replace("[0, 0, -l]", "[  0,\n      0 ,\t-l  ]")))


def test_F09_doubled_names_are_refused_with_both_lines() -> None:
    message = refusal(PENDULUM + "  hinge: {parent: ground, child: bob, type: fixed}\n")
    assert "m.yaml:6: joints.hinge: this name was already given in line 5" in message
    assert "line 1" in refusal("a: 1\nbodies: {}\na: 2\n")
    two = PENDULUM.replace("joints:", "  leg: {mass: 1}\njoints:")
    message = refusal(two + "  knee: {parent: bob, child: leg, type: revolute, coordinates: [hinge]}\n")
    assert "joints.knee" in message
    assert "'hinge' is already taken" in message


def test_F10_a_body_and_a_joint_may_share_a_name_and_case_matters() -> None:
    text = PENDULUM.replace("hinge", "bob").replace("m: 2", "m: 2, M: 3")
    assert loads_yaml(text).derive("newton_euler").mass_matrix.shape == (1, 1)


def test_F10_look_alikes_are_kept_apart_with_a_warning() -> None:
    composed, decomposed = (unicodedata.normalize(form, "é") for form in ("NFC", "NFD"))
    text = PENDULUM.replace("m: 2", f"{composed}: 2, {decomposed}: 3, m: 2")
    with pytest.warns(UserWarning, match="looks like another"):
        system = loads_yaml(text)
    assert {composed, decomposed} <= set(system.parameters)


ODD_NAMES = ["two words", 'quo"te', "quo'te", "a;b", "line\nbreak", "*/", "/*", "__", "in", "int", "lambda", "../x",
             "<img onerror=x>", "\\input{secret}", "$x$", "null", "~", "true", "1.5", "- a", "#c", "a: b", "`b`", "é",
             "😀", "x" * 128, "@", "%", "!t", "&a", "*a", "q", "sin", "{", "]", ",", " padded "]  # fmt: skip


@pytest.mark.parametrize("name", ODD_NAMES)
def test_F11_any_name_is_kept_and_changes_nothing(name: str) -> None:
    system = ph.System("s")
    m, l = system.parameter(f"m{name}"[:128], 2), system.parameter("length", 0.5)
    bob = system.body(name, mass=m, com=(0, 0, -l), inertia=(1, 1, 1))
    hinge = system.joint(name, system.ground, bob, ph.Revolute("y"))
    system.joint_force(hinge, -m * hinge.u[0] + hinge.q[0])
    again = loads_yaml(dumps_yaml(system))
    assert f"m{name}"[:128] in again.parameters
    assert list(again.joints) == [name]
    assert again.loads == system.loads
    assert again.derive("newton_euler").agrees_with(system.derive("newton_euler"))


def test_F11_a_name_that_is_too_long_is_refused() -> None:
    assert "128 characters, not 1000" in refusal(PENDULUM.replace("bob", "b" * 1000))
    assert "m.yaml:3" in refusal(PENDULUM.replace("bob", "b" * 10_000))


def test_F12_a_missing_body_is_named_with_close_matches() -> None:
    message = refusal(PENDULUM.replace("child: bob", "child: bop"))
    assert "m.yaml:5: joints.hinge: joint 'hinge': there is no body 'bop'" in message
    assert "Did you mean 'bob'?" in message
    assert "joints.hinge.parent: this key is missing" in refusal(PENDULUM.replace("parent: ground, ", ""))


# ---- F25 to F27: keys, tags, expressions, symbols ------------------------------------------------------------------


def test_F25_unknown_keys_and_wrong_types_are_all_listed_with_their_places() -> None:
    text = """\
gravty: [0, 0, 0]
bodies:
  a: {mas: 1, com: 3}
  b: [1]
joints:
  j: {parent: ground, child: a, type: [revolute]}
loads:
  - {type: forse, on: a}
  - {on: a}
poses: 7
"""
    message = refusal(text)
    for said in (
        "m.yaml:1: gravty: there is no such key.\n  Did you mean `gravity`?",
        "m.yaml:3: bodies.a.mas: there is no such key.\n  Did you mean `mass`?",
        "m.yaml:3: bodies.a.com: a list is wanted here, not text",
        "m.yaml:4: bodies.b: names and values are wanted here, not a list",
        "m.yaml:6: joints.j.type:",
        "m.yaml:8: loads[0]: there is no type 'forse'.\n  Did you mean `force`?",
        "m.yaml:9: loads[1]: the type is missing",
        "m.yaml:10: poses: names and values are wanted here, not text",
    ):
        assert said in message


@pytest.mark.parametrize(
    "value", ["!!python/object/apply:os.system ['touch pwned']", "!!python/name:os.system", "!!str m", "&a m", "*a"]
)
def test_F25_tags_anchors_and_aliases_are_refused(value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "m.yaml:3" in refusal(PENDULUM.replace("mass: m", f"mass: {value}"))
    assert not list(tmp_path.iterdir())


def test_F25_an_anchor_bomb_is_refused_at_its_first_anchor() -> None:
    bomb = "a0: &a0 [x, x]\n" + "".join(f"a{k}: &a{k} [*a{k - 1}, *a{k - 1}]\n" for k in range(1, 40))
    assert "m.yaml:1: anchors" in refusal(bomb)


@pytest.mark.parametrize(
    "expression",
    [
        "__import__('os')",
        "__import__(`os`)",
        "9**9**9",
        "m.__class__",
        "open(m)",
        "[m for m in m]",
        "lambda",
        "(" * 5000,
        "m if m else m",
        "m; m",
        "exec(m)",
        "{m}",
        "m == m",
        "'m'",
    ],
)
def test_F26_only_the_grammar_is_read(expression: str) -> None:
    quoted = '"' + expression.replace('"', '\\"') + '"'
    assert "bodies.bob.mass" in refusal(PENDULUM.replace("mass: m", f"mass: {quoted}"))


def test_F26_expressions_mean_what_they_say() -> None:
    system = loads_yaml(PENDULUM.replace("mass: m", "mass: 2*pi*m/(1 + 1) - 0.5"))
    assert system.bodies["bob"].mass == ph.pi * system.parameters["m"].symbol - 0.5


@pytest.mark.parametrize("name", ["t", "q0", "x0", "pi", "E", "I", "lambda", "q", "u", "sin", "ground", "time"])
def test_F27_a_parameter_may_have_any_name(name: str) -> None:
    text = PENDULUM + "loads:\n  - {type: joint_force, joint: hinge, value: m*sin(time())*pi() - l*u(hinge)}\n"
    renamed = (
        text.replace("m: 2", f"{name}: 2").replace("mass: m", f"mass: {name}").replace("m*", f"parameter({name})*")
    )
    wanted = loads_yaml(text).derive("newton_euler").inverse_dynamics[0]
    found = loads_yaml(renamed).derive("newton_euler").inverse_dynamics[0]
    assert found.subs({ph.symbol(name, "parameter"): ph.symbol("m", "parameter")}) == wanted


def test_F27_a_parameter_that_would_be_written_as_a_coordinate_is_refused() -> None:
    message = refusal(PENDULUM.replace("m: 2", "m: 2, hinge: 3"))
    assert "m.yaml:5: joints.hinge" in message
    assert "the coordinate 'hinge' and the parameter 'hinge' would both be written hinge" in message


# ---- everything at once --------------------------------------------------------------------------------------------


def test_mistakes_in_different_places_are_reported_together() -> None:
    message = refusal(
        PENDULUM.replace("m: 2", "m: nan").replace("-l]", "-L]").replace("axis: y", "axis: [0, 0, 0]")
        + "loads:\n  - {type: joint_force, joint: hinge, value: 2*}\nposes: {up: {coordinates: {hinge: inf}}}\n"
    )
    for place in (
        "1: parameters.m",
        "3: bodies.bob.com[2]",
        "5: joints.hinge.axis",
        "7: loads[0].value",
        "8: poses.up",
    ):
        assert f"m.yaml:{place}" in message
    assert message.count("m.yaml:") == 5, "one mistake does not cause another"
