"""What the model file survives, by the ids of the fault list: files, values, names, expressions, trees, constraints."""

import codecs
import os
import unicodedata
from fractions import Fraction
from pathlib import Path

import pytest
from tests.faults.model_text import PENDULUM, refusal, same_pendulum
from tests.refusals import refused

import polhode as ph
from polhode.dynamics.equations import inverse_mass_matrix
from polhode.formats import dumps_yaml, load, loads_yaml


def file_refusal(path: Path) -> str:
    with pytest.raises(ph.PolhodeError) as caught:
        load(path)
    assert all(problem.place.startswith(str(path)) for problem in caught.value.problems)
    return str(caught.value)


def test_F01_a_file_that_is_not_there_names_its_neighbours(tmp_path: Path) -> None:
    (tmp_path / "arm.yaml").write_text(PENDULUM)
    message = file_refusal(tmp_path / "amr.yaml")
    assert "no such file" in message and "arm.yaml" in message


def test_F01_an_empty_file_a_folder_and_a_wrong_extension(tmp_path: Path) -> None:
    (tmp_path / "empty.yaml").touch()
    assert "empty" in file_refusal(tmp_path / "empty.yaml")
    (tmp_path / "folder.yaml").mkdir()
    assert "folder" in file_refusal(tmp_path / "folder.yaml") and "folder" in file_refusal(tmp_path)
    assert ".yaml" in file_refusal(tmp_path / "arm.docx") and "no extension" in file_refusal(tmp_path / "arm")
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


@pytest.mark.parametrize("content", [
    PENDULUM.encode(), codecs.BOM_UTF8 + PENDULUM.encode(), codecs.BOM_UTF16_LE + PENDULUM.encode("utf-16-le"),
    codecs.BOM_UTF16_BE + PENDULUM.encode("utf-16-be"), PENDULUM.replace("\n", "\r\n").encode(),
    PENDULUM.replace("\n", "\r").encode(),
], ids=["utf-8", "utf-8 with a mark", "utf-16 little", "utf-16 big", "crlf", "cr"])  # fmt: skip
def test_F03_encodings_and_line_endings_give_the_same_model(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "m.yaml"
    path.write_bytes(content)
    assert same_pendulum(load(path))


@pytest.mark.parametrize(("content", "said"), [
    (b"bodies: {caf\xe9: {}}", "not UTF-8"), (b"bodies:\n  a: \xff\xfe", "m.yaml:2: this is not UTF-8"),
    (codecs.BOM_UTF16_LE + b"a", "not UTF-16"), (b"a: \0", "NUL"), (PENDULUM.encode("utf-16-le"), "NUL"),
    (PENDULUM.encode("utf-32"), "NUL"), (b"\x1f\x8b\x08\x00", "not UTF-8"),
])  # fmt: skip
def test_F03_other_bytes_are_refused_with_their_encoding(content: bytes, said: str, tmp_path: Path) -> None:
    path = tmp_path / "m.yaml"
    path.write_bytes(content)
    assert said in file_refusal(path)


def test_F03_a_name_beyond_ascii_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "m.yaml"
    path.write_bytes(codecs.BOM_UTF16_LE + PENDULUM.replace("bob", "Körper 😀").encode("utf-16-le"))
    assert "Körper 😀" in load(path).bodies


def test_F05_huge_files_and_very_many_values_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "huge.yaml"
    with path.open("wb") as stream:
        stream.truncate(1_000_000_000)
    assert "1,000,000,000 bytes" in file_refusal(path)
    monkeypatch.setattr("polhode.formats.document.NODE_LIMIT", 1000)
    assert "more than 1,000 values" in refusal("a: [" + "1, " * 2000 + "1]")


@pytest.mark.parametrize(
    "text", ["[" * 100_000, "{a: " * 100_000, "- " * 100_000, "a: {" * 1000, "bodies: " + "[" * 65 + "]" * 65]
)
def test_F05_deep_nesting_is_refused(text: str) -> None:
    assert "64 deep" in refusal(text)


@pytest.mark.parametrize(("text", "said"), [
    ('<robot name="r"></robot>', "URDF"), ('<?xml version="1.0"?>\n<!-- hello -->\n<sdf version="1.7"/>', "SDF"),
    ("<mujoco/>", "MuJoCo"), ("<!DOCTYPE html><html></html>", "web page"), ("  <thing/>", "XML"),
])  # fmt: skip
def test_F06_another_format_is_recognised(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "m.yaml"
    path.write_text(text)
    assert said in file_refusal(path)


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


def test_F07_numbers_are_exact_in_every_locale_and_nothing_is_none(any_locale: None) -> None:
    system = loads_yaml(PENDULUM.replace("mass: m", "mass: 0.1"))
    assert system.bodies["bob"].mass * 10 == 1
    assert "bodies.bob.mass: there is nothing here" in refusal(PENDULUM.replace("mass: m", "mass: "))


@pytest.mark.parametrize("vector", ["[0, 0]", "[0, 0, 0, 0]", "[]", "0 0 1", "{x: 0}"])
def test_F08_a_vector_has_three_components(vector: str) -> None:
    assert "m.yaml:3: bodies.bob.com:" in refusal(PENDULUM.replace("[0, 0, -l]", vector))


def test_F10_names_may_be_shared_and_F08_white_space_does_not_matter_and_F09_doubled_and_F10_similar_names() -> None:
    assert same_pendulum(loads_yaml(PENDULUM.replace("[0, 0, -l]", "[  0,\n      0 ,\t-l  ]")))
    text = PENDULUM.replace("hinge", "bob").replace("m: 2", "m: 2, M: 3")
    assert loads_yaml(text).derive("newton_euler").mass_matrix.shape == (1, 1)
    message = refusal(PENDULUM + "  hinge: {parent: ground, child: bob, type: fixed}\n")
    assert "m.yaml:6: joints.hinge: this name was already given in line 5" in message
    assert "line 1" in refusal("a: 1\nbodies: {}\na: 2\n")
    two = PENDULUM.replace("joints:", "  leg: {mass: 1}\njoints:")
    message = refusal(two + "  knee: {parent: bob, child: leg, type: revolute, coordinates: [hinge]}\n")
    assert "joints.knee" in message and "'hinge' is already taken" in message
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
    assert f"m{name}"[:128] in again.parameters and list(again.joints) == [name] and again.loads == system.loads
    assert again.derive("newton_euler").agrees_with(system.derive("newton_euler"))


def test_F11_names_that_are_too_long_and_F12_missing_bodies_are_refused() -> None:
    assert "128 characters, not 1000" in refusal(PENDULUM.replace("bob", "b" * 1000))
    assert "m.yaml:3" in refusal(PENDULUM.replace("bob", "b" * 10_000))
    message = refusal(PENDULUM.replace("child: bob", "child: bop"))
    assert "m.yaml:5: joints.hinge: joint 'hinge': there is no body 'bop'" in message
    assert "Did you mean 'bob'?" in message
    assert "joints.hinge.parent: this key is missing" in refusal(PENDULUM.replace("parent: ground, ", ""))


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
        "m.yaml:3: bodies.a.com: expected a list, got text",
        "m.yaml:4: bodies.b: expected names and values, got a list",
        "m.yaml:6: joints.j.type:",
        "m.yaml:8: loads[0]: there is no type 'forse'.\n  Did you mean `force`?",
        "m.yaml:9: loads[1]: the type is missing",
        "m.yaml:10: poses: expected names and values, got text",
    ):
        assert said in message


@pytest.mark.parametrize(
    "value", ["!!python/object/apply:os.system ['touch pwned']", "!!python/name:os.system", "!!str m", "&a m", "*a"]
)
def test_F25_tags_anchors_and_aliases_are_refused(value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "m.yaml:3" in refusal(PENDULUM.replace("mass: m", f"mass: {value}"))
    assert not list(tmp_path.iterdir())


def test_F26_expressions_mean_what_they_say_and_F25_anchor_bombs_are_refused() -> None:
    bomb = "a0: &a0 [x, x]\n" + "".join(f"a{k}: &a{k} [*a{k - 1}, *a{k - 1}]\n" for k in range(1, 40))
    assert "m.yaml:1: anchors" in refusal(bomb)
    system = loads_yaml(PENDULUM.replace("mass: m", "mass: 2*pi*m/(1 + 1) - 0.5"))
    assert system.bodies["bob"].mass == ph.pi * system.parameters["m"].symbol - 0.5


@pytest.mark.parametrize("expression", [
    "__import__('os')", "__import__(`os`)", "9**9**9", "m.__class__", "open(m)", "[m for m in m]", "lambda",
    "(" * 5000, "m if m else m", "m; m", "exec(m)", "{m}", "m == m", "'m'",
])  # fmt: skip
def test_F26_only_the_grammar_is_read(expression: str) -> None:
    quoted = '"' + expression.replace('"', '\\"') + '"'
    assert "bodies.bob.mass" in refusal(PENDULUM.replace("mass: m", f"mass: {quoted}"))


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


def test_mistakes_in_different_places_are_reported_together() -> None:
    message = refusal(
        PENDULUM.replace("m: 2", "m: nan").replace("-l]", "-L]").replace("axis: y", "axis: [0, 0, 0]")
        + "loads:\n  - {type: joint_force, joint: hinge, value: 2*}\nposes: {up: {coordinates: {hinge: inf}}}\n"
    )
    for place in (
        "1: parameters.m", "3: bodies.bob.com[2]", "5: joints.hinge.axis", "7: loads[0].value", "8: poses.up",
    ):  # fmt: skip
        assert f"m.yaml:{place}" in message
    assert message.count("m.yaml:") == 5, "one mistake does not cause another"


THREE = """\
bodies: {a: {mass: 1}, b: {mass: 1}, c: {mass: 1}}
joints:
"""


def joints(*pairs: str) -> str:
    lines = [f"  {pair}: {{parent: {pair[0]}, child: {pair[1]}, type: free}}\n" for pair in pairs]
    return THREE + "".join(lines).replace("parent: g", "parent: ground")


@pytest.mark.parametrize(("pairs", "said"), [
    (("ga", "bb", "gc"), "cannot be joined to itself"), (("ab", "ba", "gc"), "closes a cycle"),
    (("ab", "bc", "ca"), "closes a cycle"), (("ga", "gb", "ac", "bc"), "already hangs on joint 'ac'"),
])  # fmt: skip
def test_F13_cycles_and_second_parents_are_refused(pairs: tuple[str, ...], said: str) -> None:
    assert said in refusal(joints(*pairs))


def test_F14_every_body_that_hangs_on_nothing_is_listed() -> None:
    message = refusal(joints("ga"))
    assert "bodies.b: this body hangs on no joint" in message
    assert "bodies.c: this body hangs on no joint" in message and "bodies.a" not in message


GEARS = """\
parameters: {r: 2}
bodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 1, 1]}, c: {mass: 1, inertia: [1, 1, 1]}}
joints:
  first: {parent: ground, child: a, type: revolute}
  second: {parent: ground, child: b, type: revolute}
  ball: {parent: ground, child: c, type: spherical}
couplings:
"""


@pytest.mark.parametrize(("couplings", "said"), [
    ("second: {leader: frist}", "8: couplings.second: coupling of 'second': there is no joint 'frist'"),
    ("second: {leader: frist}", "Did you mean 'first'?"), ("secnd: {leader: first}", "Did you mean 'second'?"),
    ("second: {leader: second}", "8: couplings.second: coupling of 'second' to 'second': a joint cannot follow"),
    ("second: {leader: first}\n  first: {leader: second}", "9: couplings.first: coupling of 'first' to 'second'"),
    ("second: {leader: ball}", "joint 'ball' has 4 coordinates"),
    ("ball: {leader: first}", "Only joints with one coordinate, that is not elastic, can be coupled"),
    ("second: {leader: first, multiplier: 0}", "the multiplier is zero"),
    ("second: {leader: first, multiplier: r - r}", "the multiplier is zero"),
    ("second: {leader: first, multiplier: nan}", "8: couplings.second.multiplier: 'nan' is not a finite number"),
    ("second:\n    leader: first\n    offset: R", "10: couplings.second.offset: there is nothing called 'R'"),
    ("second: {leader: first, offset: q(first)}", "couplings.second.offset: there is no coordinate"),
    ("second: {multiplier: 2}", "couplings.second.leader: this key is missing"),
    ("second: {leader: first, ratio: 2}", "couplings.second.ratio: there is no such key"),
    ("second: {leader: first}\n  second: {leader: first}", "9: couplings.second: this name was already given"),
    ("second: first", "expected names and values, got text"),
])  # fmt: skip
def test_F16_a_coupling_that_makes_no_sense_is_refused_at_its_line(couplings: str, said: str) -> None:
    assert said in refusal(f"{GEARS}  {couplings}\n")


def test_F16_senseless_couplings_are_reported_together_and_F17_axes_have_any_length_but_zero() -> None:
    message = refusal(
        GEARS.replace("child: a, type: revolute", "child: a, type: revolute, axis: [0, 0, 0]")
        + "  second: {leader: first, multiplier: 2*}\n  first: {leader: nobody}\n"
    )
    assert "m.yaml:4: joints.first.axis" in message and "m.yaml:8: couplings.second.multiplier" in message
    assert message.count("m.yaml:") == 2, "what is coupled to a broken joint is not broken as well"
    message = refusal(GEARS + "  second: {leader: nobody}\n  ball: {leader: first}\n  first: {leader: first}\n")
    assert message.count("m.yaml:") == 3
    coupled = GEARS + "  second: {leader: first, multiplier: -r}\n"
    message = refusal(coupled + "poses: {up: {coordinates: {first: 1, second: 2}, speeds: {second: 1}}}\n")
    assert "poses.up.coordinates.second: joint 'second' follows 'first'" in message
    assert "poses.up.speeds.second" in message
    assert loads_yaml(coupled + "poses: {up: {coordinates: {first: 1}}}\n").poses
    assert "m.yaml:5: joints.hinge.axis: the axis has zero length" in refusal(
        PENDULUM.replace("axis: y", "axis: [0, 0, 0]")
    )
    assert "joints.hinge.axis" in refusal(PENDULUM.replace("axis: y", "axis: w"))
    assert same_pendulum(loads_yaml(PENDULUM.replace("axis: y", "axis: [0, 2.5, 0]")))


def test_F19_joints_that_move_no_mass_are_named_together_or_by_their_axis() -> None:
    bare = PENDULUM.replace("joints:", "  tip: {}\njoints:")
    message = refusal(bare + "  wrist: {parent: bob, child: tip, type: revolute}\n")
    assert "m.yaml:7: joints.wrist: this joint moves no mass: body 'tip'" in message
    assert same_pendulum(loads_yaml(bare + "  wrist: {parent: bob, child: tip, type: fixed}\n"))
    follower = bare + "  wrist: {parent: bob, child: tip, type: revolute}\ncouplings: {wrist: {leader: hinge}}\n"
    assert same_pendulum(loads_yaml(follower)), "what moves with a mass needs none of its own"
    file = QUARTER_CAR.replace("350}", "350}, hand: {mass: 1, com: [1, 0, 0]}")
    with pytest.raises(ph.PolhodeError, match=r"speeds 'vu' and 'vs' move the same mass.*[\s\S]*between their joints"):
        inverse_mass_matrix(loads_yaml(file).derive().record)
    heavy = file.replace("wheel: {}", "wheel: {mass: 40}")
    assert inverse_mass_matrix(loads_yaml(heavy).derive().record).shape == (3, 3)
    along = PENDULUM.replace("axis: y", "axis: z").replace(", inertia: [1, 1, 1]", "")
    with pytest.raises(ph.PolhodeError, match=r"moves no mass[\s\S]*Is the axis .* without inertia is a point"):
        inverse_mass_matrix(loads_yaml(along).derive().record)


QUARTER_CAR = """
bodies: {wheel: {}, car: {mass: 350}}
joints:
  zu: {type: prismatic, parent: ground, child: wheel, axis: z, speeds: [vu]}
  zs: {type: prismatic, parent: wheel, child: car, axis: z, speeds: [vs]}
  steer: {type: revolute, parent: car, child: hand, axis: z}
"""


@pytest.mark.parametrize("mass", ["-1", "-1e-30", "1 - 2", "-pi"])
def test_F19_a_negative_mass_is_refused_and_a_tiny_one_is_not(mass: str) -> None:
    assert "negative" in refusal(PENDULUM.replace("mass: m", f"mass: {mass}"))
    assert loads_yaml(PENDULUM.replace("mass: m", "mass: 1e-30")).bodies["bob"].mass


@pytest.mark.parametrize(("inertia", "said"), [
    ("[-1, 1, 1]", "not positive: its principal moments are -1, 1, 1"),
    ("[1, 1, 3]", "nearest possible inertia is xx 1.333333333, yy 1.333333333, zz 2.666666667"),
    ("[1, 1, 1, 2, 0, 0]", "not positive"), ("[[1, 2, 0], [0, 1, 0], [0, 0, 1]]", "not a symmetric"),
    ("[1, 1]", "expected 3 entries"), ("[[1, 0], [0, 1]]", "expected 3 entries"),
])  # fmt: skip
def test_F20_an_inertia_that_no_body_has_is_refused(inertia: str, said: str) -> None:
    message = refusal(PENDULUM.replace("[1, 1, 1]", inertia))
    assert "bodies.bob" in message and said in message


LAGGING = """\
parameters: {T: 0.1}
inputs: {c: 0}
bodies: {b: {mass: 1, com: [0, 0, -1]}}
joints: {h: {parent: ground, child: b, type: revolute, axis: y}}
loads: [{type: joint_force, joint: h, value: c}]
states:
"""


@pytest.mark.parametrize(("state", "said"), [
    ("a: {rate: (c - b)/T}", "states.a.rate: there is nothing called 'b' to be used here"),
    ("a: {start: 1}", "states.a.rate: this key is missing"), ("a: {rate: 1, strt: 1}", "Did you mean `start`?"),
    ("a: {rate: tau(h)}", "its rate cannot depend on the effort 'h'"),
    ("a: {rate: 1, start: c}", "states.a.start: there is nothing called 'c'"),
    ("a: [1, 2]", "states.a: expected a number, an expression or a name, got a list"),
    ("a:", "states.a: there is nothing here"),
    ("a: c/", "states.a: the expression stops where a value should follow"),
    ("T: 3", "the state 'T' and the parameter 'T' would both be written T"),
    ("h: 3", "the coordinate 'h' and the state 'h' would both be written h"),
])  # fmt: skip
def test_F12_states_that_are_none_are_refused_at_their_line(state: str, said: str) -> None:
    assert list(loads_yaml(LAGGING + "  a: (c - a)/T\n").states) == ["a"] and said in refusal(f"{LAGGING}  {state}\n")


ARM = """\
parameters: {l: 2}
inputs: {push: 0}
bodies:
  upper: {mass: 1, inertia: [1, 1, 1]}
  lower: {mass: 1, inertia: [1, 1, 1]}
joints:
  shoulder: {parent: ground, child: upper, type: revolute, axis: y}
  elbow: {parent: upper, child: lower, type: universal, at: [l, 0, 0]}
"""
LAST = ARM.count("\n")


@pytest.mark.parametrize(
    ("text", "line", "said", "cure"),
    [
        ("closures: {pin: {a: uper, b: ground, type: spherical}}", 1, "no body 'uper'", "Did you mean 'upper'?"),
        ("closures: {pin: {a: upper, b: upper, type: spherical}}", 1, "both frames are on body 'upper'", ""),
        ("closures:\n  pin: {a: upper, b: ground, type: sphericle}", 2, "no joint type 'sphericle'", "'spherical'?"),
        ("closures:\n  pin: {a: upper, b: ground}", 2, "one of type, map, constraint and sequence", "type: revolute"),
        ("closures:\n  pin:\n    a: upper\n    b: ground\n    tpye: fixed", 5, "no such key", "Did you mean `type`?"),
        ("closures:\n  pin:\n    a: upper\n    type: fixed", 2, "this key is missing", "Add `b:`"),
        ("closures: {p: {a: upper, b: ground, type: fixed, at_a: [k, 0, 0]}}", 1, "nothing called 'k'", "Known: l"),
        ("closures: {p: {a: upper, b: ground, type: fixed, at_a: [shoulder, 0, 0]}}", 1, "'shoulder'", ""),
        ("closures: {p: {a: upper, b: ground, type: revolute, axis: w}}", 1, "the axis 'w'", ""),
        ("conditions:\n  slot: {position: sholder}", 2, "nothing called 'sholder'", "Did you mean shoulder?"),
        ("conditions:\n  slot: {position: u(shoulder)}", 2, "depends on the speed 'shoulder'", "constrain_speed"),
        ("conditions:\n  slot: {position: push - shoulder}", 2, "depends on the input 'push'", "coordinate"),
        ("conditions:\n  slot: {}", 2, "one of position and speed, not none", "position:"),
        ("conditions:\n  slot: {position: l, speed: l}", 2, "not position and speed", ""),
        ("conditions:\n  slot: {possition: l}", 2, "no such key", "Did you mean `position`?"),
        ("conditions:\n  slot: {position: __import__(os)}", 2, "no function '__import__'", ""),
        ("rolling:\n  rim: {type: weel, body: upper, radius: 1}", 2, "no type 'weel'", "Did you mean `wheel`?"),
        ("rolling:\n  rim: {body: upper, radius: 1}", 2, "the type is missing", "Add `type:`"),
        ("rolling:\n  rim: {type: wheel, body: upper}", 2, "this key is missing", "Add `radius:`"),
        ("rolling:\n  rim: {type: wheel, body: upper, radius: nan}", 2, "not a finite number", ""),
        ("rolling:\n  rim: {type: wheel, body: upper, radius: 1, on: upper}", 2, "cannot touch itself", ""),
        ("rolling:\n  rim: {type: ball, body: upper, radius: 1, on: grund}", 2, "no body 'grund'", "'ground'"),
        ("rolling:\n  rim: {type: ball, body: upper, radius: shoulder}", 2, "'shoulder'", ""),
        ("rolling:\n  rim: {type: knife_edge, body: upper, across: [0, 0, 0]}", 2, "zero length", ""),
        ("rolling:\n  rim: {type: no_slip, a: upper, frame: lowre}", 2, "no frame or body 'lowre'", "'lower'"),
        ("prescribed:\n  sholder: t", 2, "no coordinate 'sholder'", "'shoulder'"),
        ("prescribed:\n  elbow: t", 2, "no coordinate 'elbow'", "'elbow_"),
        ("prescribed:\n  shoulder: push*t", 2, "nothing called 'push'", ""),
        ("prescribed:\n  shoulder: elbow_1", 2, "nothing called 'elbow_1'", ""),
        ("prescribed:\n  shoulder: [t]", 2, "got a list", ""),
        ("closures: [1]", 1, "expected names and values", ""),
        ("closures: {p: {a: upper, b: ground, type: fixed}}\nconditions: {p: {position: shoulder}}", 2,
         "already a constraint of this name", ""),
    ],
)  # fmt: skip
def test_F25_a_wrong_constraint_is_told_with_its_line_and_its_cure(text: str, line: int, said: str, cure: str) -> None:
    words = refusal(ARM + text)
    assert f"m.yaml:{LAST + line}:" in words and said in words and cure in words


def test_F25_followers_are_not_driven_and_all_mistakes_are_reported() -> None:
    words = refusal(ARM + "closures: {p: {a: upper, b: ground, type: fixd}}\nconditions: {c: {position: x}, d: {}}")
    assert words.count("m.yaml:") == 3
    joints = "  wheel: {parent: ground, child: disc, type: revolute}\n"
    text = ARM.replace("bodies:\n", "bodies:\n  disc: {mass: 1, inertia: [1, 1, 1]}\n").replace(
        "joints:\n", "joints:\n" + joints
    )
    constraints = "couplings: {wheel: {leader: shoulder}}\nprescribed: {wheel: t}\n"
    refused("the motion of 'wheel' is already given", lambda: loads_yaml(text + constraints))


def test_F32_a_file_whose_loop_cannot_close_says_so_when_it_is_diagnosed() -> None:
    system = loads_yaml(
        ARM + "closures: {pin: {a: upper, b: ground, type: spherical, at_a: [1, 0, 0], at_b: [5, 0, 0]}}"
    )
    found = system.diagnose()
    assert not found.can_be_assembled and "'pin x' is off by" in found.text()


def test_a_driven_joint_may_move_what_has_no_mass() -> None:
    text = "bodies: {cam: {}}\njoints: {turn: {parent: ground, child: cam, type: revolute}}\n"
    refused("moves no mass", lambda: loads_yaml(text))
    assert loads_yaml(text + "prescribed: {turn: 2*t}").derive().speeds == []
