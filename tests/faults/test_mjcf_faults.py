"""What the MJCF reader survives, by the ids of the fault list where it has one."""

import sys
from pathlib import Path

import pytest
from tests.refusals import refused

pytest.importorskip("mujoco")

from polhode.errors import FormatError, LimitError, PolhodeError
from polhode.formats.mjcf import load_mjcf, read_mjcf
from polhode.formats.urdf import Limits

MASS = '<inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/>'


def mjcf(world: str, rest: str = "") -> str:
    """The world begins in line 4."""
    return f"<mujoco>\n{rest}\n<worldbody>\n{world}\n</worldbody></mujoco>"


def hinge(attributes: str = "", inside: str = "") -> str:
    return f'<body name="arm">\n<joint name="elbow" axis="0 1 0" {attributes}/>{MASS}{inside}</body>'


def write(folder: Path, content: str | bytes) -> Path:
    path = folder / "arm.xml"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def refusal(folder: Path, content: str | bytes, **options: object) -> str:
    """The message of the refusal; every problem of it has a place, a code and a cure."""
    path = write(folder, content)
    before = sorted(folder.rglob("*"))
    with pytest.raises(PolhodeError) as caught:
        read_mjcf(path, **options)  # type: ignore[arg-type]
    assert sorted(folder.rglob("*")) == before
    for problem in caught.value.problems:
        assert "arm.xml" in problem.place and problem.code and problem.cure, problem
    return str(caught.value)


def test_F04_doctypes_and_F06_other_formats_are_recognised(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    bomb = '<!DOCTYPE mujoco [<!ENTITY a SYSTEM "secret">]>\n' + mjcf('<body name="&a;"/>')
    message = refusal(tmp_path, bomb)
    assert "DOCTYPE" in message and "secret" not in message
    assert "load_urdf" in refusal(tmp_path, "<robot name='r'><link name='a'/></robot>")
    assert "<mujoco>" in refusal(tmp_path, "<html/>")


@pytest.mark.parametrize("file", ["../out.txt", "https://example.org/a.xml", "..\\out.xml", "/etc/hostname", "no.xml"])
def test_an_include_from_outside_or_nowhere_is_refused(file: str, tmp_path: Path) -> None:
    (tmp_path / "out.txt").write_text("<mujocoinclude/>")
    folder = tmp_path / "model"
    folder.mkdir()
    assert "arm.xml:4: <include" in refusal(folder, mjcf(f'<include file="{file}"/>'))


def test_links_outside_and_files_that_include_themselves_are_refused(tmp_path: Path) -> None:
    (tmp_path / "out.xml").write_text("<mujocoinclude/>")
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "in.xml").symlink_to(tmp_path / "out.xml")
    assert "outside" in refusal(folder, mjcf('<include file="in.xml"/>'))
    (tmp_path / "b.xml").write_text('<mujocoinclude>\n<include file="b.xml"/></mujocoinclude>')
    write(tmp_path, mjcf('<include file="b.xml"/>'))
    refused(r"b\.xml:2: .*includes itself", lambda: load_mjcf(tmp_path / "arm.xml"), FormatError)
    refused("", lambda: load_mjcf(write(tmp_path, mjcf("<body>" * 100 + "</body>" * 100))), LimitError)
    refused("", lambda: load_mjcf(write(tmp_path, mjcf(hinge())), limits=Limits(elements=3)), LimitError)


@pytest.mark.parametrize(
    "file", ["../cube.stl", "https://example.org/cube.stl", "/etc/hostname", "cube.stl", "cube.so"]
)
def test_a_mesh_that_weighs_comes_from_the_folder_or_not_at_all(file: str, tmp_path: Path) -> None:
    (tmp_path / "cube.so").touch()
    text = mjcf('<body><joint/><geom type="mesh" mesh="c"/></body>', f'<asset><mesh name="c" file="{file}"/></asset>')
    assert "arm.xml:2: <mesh file=" in refusal(tmp_path, text)


@pytest.mark.parametrize("rest", [
    '<asset><model name="m" file="other.xml"/></asset>', '<asset><model name="m" file="arm.xml"/></asset>',
    '<asset><mystery file="x"/></asset>',
])  # fmt: skip
def test_what_could_read_or_run_something_else_is_refused(rest: str, tmp_path: Path) -> None:
    assert "arm.xml:2: <" in refusal(tmp_path, mjcf(hinge(), rest))


@pytest.mark.parametrize("copies", ['count="1000000000"', 'count="1e9"'])
def test_copies_are_counted_before_they_are_made(copies: str, tmp_path: Path) -> None:
    text = mjcf(f'<replicate {copies}><replicate count="3"><body><geom size="1"/></body></replicate></replicate>')
    refused("copies", lambda: load_mjcf(write(tmp_path, text)), LimitError)


@pytest.mark.parametrize(("world", "said"), [
    ('<body name="a">\n<joint axis="0 0 0"/><geom size="1"/></body>', "arm.xml:5: <joint>"),
    ('<body name="a">\n<foo/></body>', "arm.xml:5: <foo>"),
    ('<light/>\n<body name="a" strange="1"/>', "arm.xml:5: <body>"),
    ('<body name="a"><joint/></body>', "mass and inertia of moving bodies"),
    ('<body name="a"/>\n<body name="a"/>', "arm.xml:5: <body>"),
    ('<body name="a"><joint/><geom size="-1"/></body>', "arm.xml:4: <geom>"),
])  # fmt: skip
def test_the_compilers_error_leads_to_the_users_line(world: str, said: str, tmp_path: Path) -> None:
    message = refusal(tmp_path, mjcf(world))
    assert said in message and "MuJoCo refuses" in message


def test_a_number_that_is_none_is_refused_and_leaves_no_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "nan" in refusal(tmp_path, mjcf(f'<body pos="0 nan 0"><joint/>{MASS}</body>'))
    assert [path.name for path in tmp_path.iterdir()] == ["arm.xml"]


def test_without_mujoco_the_error_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mujoco", None)
    refused(r"polhode\[mujoco\]", lambda: load_mjcf(write(tmp_path, mjcf(hinge()))))


TWO = hinge() + f'<body name="b"><joint name="b"/>{MASS}</body>'
#: What is left out, the line that the warning names, and a word of it.
LEFT_OUT = {
    "inertia of a motor": (
        mjcf(f'<body name="arm">\n<joint name="elbow" type="ball" armature="0.1"/>{MASS}</body>'), 5, "armature"
    ),
    "drag": (mjcf(hinge(), '<option density="1.2"/>'), 2, "drag"),
    "spring": (mjcf(f'<body name="arm">\n<joint name="elbow" type="ball" stiffness="2"/>{MASS}</body>'), 5, "spring"),
    "plugin": (mjcf(hinge(), '<extension><plugin plugin="mujoco.elasticity.cable"/></extension>'), 2, "plugins"),
    "flexible body": (mjcf(hinge(), '<deformable><flex name="f"/></deformable>'), 2, "flexible"),
    "spatial tendon": (
        mjcf(
            hinge(inside='<site name="s"/>') + '<site name="t" pos="1 0 0"/>',
            '<tendon><spatial name="r" stiffness="3"><site site="s"/><site site="t"/></spatial></tendon>',
        ), 2, "spatial tendon",
    ),
}  # fmt: skip


@pytest.mark.parametrize("effect", LEFT_OUT)
def test_what_is_not_modelled_is_left_out_with_its_line(effect: str, tmp_path: Path) -> None:
    text, line, word = LEFT_OUT[effect]
    _, report = read_mjcf(write(tmp_path, text))
    (warning,) = (each for each in report.warnings if word in each.message)
    assert warning.place.startswith(f"arm.xml:{line}") and "left out" in warning.message


def test_effects_are_left_out_on_request(tmp_path: Path) -> None:
    tendon = '<tendon><fixed name="t" stiffness="3"><joint joint="b" coef="1"/></fixed></tendon>'
    both = mjcf(TWO, f'{tendon}<equality><tendon tendon1="t"/></equality>')
    system = load_mjcf(write(tmp_path, both))
    assert len(system.loads) == len(system.constraints) == 1
    bare, report = read_mjcf(tmp_path / "arm.xml", ignore=["equality", "tendon"])
    assert not bare.loads and not bare.constraints
    assert sum("left out" in warning.message for warning in report.warnings) == 2
    option = '<option><flag equality="disable"/></option><equality><joint joint1="elbow" joint2="b"/></equality>'
    assert "arm" in load_mjcf(write(tmp_path, mjcf(TWO, option))).bodies


@pytest.mark.parametrize("options", [{"ignore": ["armour"]}, {"ignore": "armature"}, {"snap": "wide"}, {"snap": 2}])
def test_an_option_that_means_nothing_is_refused(options: dict[str, object], tmp_path: Path) -> None:
    refused("", lambda: load_mjcf(write(tmp_path, mjcf(hinge())), **options))  # type: ignore[arg-type]


PIN = '<connect body1="arm" anchor="0 0 0"/>'


@pytest.mark.parametrize("blank", ["", " ", "\t", " &#10; "])
@pytest.mark.parametrize(("attribute", "text", "is_optional"), [
    ("anchor", mjcf(hinge(), f"<equality>{PIN}</equality>"), False), ("pos", mjcf(hinge('pos="0 0 0"')), True),
    ("axis", mjcf(hinge()), True), ("mass", mjcf(hinge()), False), ("type", mjcf(hinge('type="hinge"')), True),
])  # fmt: skip
def test_F07_a_blank_attribute_is_an_absent_one_and_the_reader_lives_on(
    attribute: str, text: str, is_optional: bool, blank: str, tmp_path: Path
) -> None:
    before, _, rest = text.partition(f'{attribute}="')
    spoilt = f'{before}{attribute}="{blank}"{rest[rest.index(chr(34)) + 1 :]}'
    if is_optional:
        _, report = read_mjcf(write(tmp_path, spoilt))
        assert any(f" {attribute}=…>" in each.place and "blank" in each.message for each in report.notices)
    else:
        assert "MuJoCo refuses" in refusal(tmp_path, spoilt)
    assert list(load_mjcf(write(tmp_path, text)).joints) == ["elbow"]


@pytest.mark.parametrize(("attributes", "said"), [
    ('pos="0 0"', "it has 2 numbers, not 3"), ('pos="0 0 0 0"', "it has 4 numbers, not 3"),
    ('pos="0 x 0"', "'x' is not a number"), ('pos="0 1,5 0"', "'1,5' is not a number"),
    ('pos="0 1e200 0"', "'1e200' is not a number that a model can have"), ('ref="1e999"', "'1e999' is not a number"),
    ('range="0x10 1"', "'0x10' is not a number"),
])  # fmt: skip
def test_F08_numbers_are_checked_before_the_compiler_sees_them(attributes: str, said: str, tmp_path: Path) -> None:
    assert said in refusal(tmp_path, mjcf(hinge(attributes)))
