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


@pytest.mark.parametrize("file", ["../out.xml", "https://example.org/a.xml", "..\\out.xml", "/etc/hostname", "no.xml"])
def test_an_include_from_outside_or_nowhere_is_refused(file: str, tmp_path: Path) -> None:
    (tmp_path / "out.xml").write_text("<mujocoinclude/>")
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
    '<extension><plugin plugin="mujoco.elasticity.cable"/></extension>',
    '<asset><model name="m" file="other.xml"/></asset>', '<deformable><flex name="f"/></deformable>',
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
EFFECTS = {
    "armature": mjcf(f'<body name="arm">\n<joint name="elbow" type="ball" armature="0.1"/>{MASS}</body>'),
    "equality": mjcf(
        TWO,
        '<tendon><fixed name="t"><joint joint="b" coef="1"/></fixed></tendon>'
        '<equality><tendon tendon1="t"/></equality>',
    ),
    "tendon": mjcf(TWO, '<tendon><fixed name="t" stiffness="3"><joint joint="b" coef="1"/></fixed></tendon>'),
    "fluid": mjcf(hinge(), '<option density="1.2"/>'),
    "spring": mjcf(f'<body name="arm">\n<joint name="elbow" type="ball" stiffness="2"/>{MASS}</body>'),
}


@pytest.mark.parametrize("effect", EFFECTS)
def test_what_changes_the_motion_is_refused_unless_it_is_left_out_on_purpose(effect: str, tmp_path: Path) -> None:
    message = refusal(tmp_path, EFFECTS[effect])
    assert f"ignore=['{effect}']" in message
    _, report = read_mjcf(tmp_path / "arm.xml", ignore=[effect])
    assert any("left out" in warning.message for warning in report.warnings)


def test_all_faults_are_reported_and_meaningless_options_refused(tmp_path: Path) -> None:
    assert "arm.xml:5: joint 'elbow'" in refusal(tmp_path, EFFECTS["armature"])
    ball = f'<body name="ball"><joint type="ball" armature="0.1"/>{MASS}</body>'
    message = refusal(tmp_path, mjcf(hinge() + ball, '<option viscosity="1"/>'))
    assert all(f"ignore=['{effect}']" in message for effect in ("armature", "fluid"))
    option = '<option><flag equality="disable"/></option><equality><joint joint1="elbow" joint2="b"/></equality>'
    assert "arm" in load_mjcf(write(tmp_path, mjcf(TWO, option))).bodies


@pytest.mark.parametrize("options", [{"ignore": ["armour"]}, {"ignore": "armature"}, {"snap": "wide"}, {"snap": 2}])
def test_an_option_that_means_nothing_is_refused(options: dict[str, object], tmp_path: Path) -> None:
    refused("", lambda: load_mjcf(write(tmp_path, mjcf(hinge())), **options))  # type: ignore[arg-type]


PIN = '<connect body1="arm" anchor="0 0 0"/>'


@pytest.mark.parametrize("blank", ["", " ", "\t", " &#10; "])
@pytest.mark.parametrize(("attribute", "text"), [
    ("anchor", mjcf(hinge(), f"<equality>{PIN}</equality>")), ("pos", mjcf(hinge('pos="0 0 0"'))),
    ("axis", mjcf(hinge())), ("mass", mjcf(hinge())), ("type", mjcf(hinge('type="hinge"'))),
])  # fmt: skip
def test_F07_a_blank_attribute_is_refused_and_the_reader_lives_on(
    attribute: str, text: str, blank: str, tmp_path: Path
) -> None:
    before, _, rest = text.partition(f'{attribute}="')
    spoilt = f'{before}{attribute}="{blank}"{rest[rest.index(chr(34)) + 1 :]}'
    assert "the attribute is blank" in refusal(tmp_path, spoilt)
    assert list(load_mjcf(write(tmp_path, text)).joints) == ["elbow"]


@pytest.mark.parametrize(("attributes", "said"), [
    ('pos="0 0"', "it has 2 numbers, not 3"), ('pos="0 0 0 0"', "it has 4 numbers, not 3"),
    ('pos="0 x 0"', "'x' is not a number"), ('pos="0 1,5 0"', "'1,5' is not a number"),
    ('pos="0 1e200 0"', "'1e200' is not a number that a model can have"), ('ref="1e999"', "'1e999' is not a number"),
    ('range="0x10 1"', "'0x10' is not a number"),
])  # fmt: skip
def test_F08_numbers_are_checked_before_the_compiler_sees_them(attributes: str, said: str, tmp_path: Path) -> None:
    assert said in refusal(tmp_path, mjcf(hinge(attributes)))
