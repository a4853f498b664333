"""Faults of exported source: of two models it links together, and no name breaks it."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

import polhode as ph

STRICT = ["gcc", "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror"]


def swing(name: str, length: float) -> ph.System:
    """A pendulum with a table and a function in C for its friction, the same in every model."""
    s = ph.System(name, gravity=(0, 0, "-9.81"))
    hinge = s.joint("hinge", s.ground, s.body("bob", s.parameter("m", 2), com=(0, 0, -length)), ph.Revolute("y"))
    drag = ph.table([-1, 0, 1], [-2, 0, 2], name="drag", outside="line")
    brake = ph.function("brake", c="double brake(double v) { return 0.3 * v; }", python=lambda v: 0.3 * v)
    s.joint_force(hinge, -drag(hinge.u[0]) - brake(hinge.u[0]))
    return s


MAIN = """#include <stdio.h>
#include "{0}.h"
#include "{1}.h"
int main(void) {{
  double p[POLHODE_{2}_PARAMETERS + 1] = {{2.0}}, w[POLHODE_{2}_WORK + POLHODE_{3}_WORK + 1];
  double q[POLHODE_{2}_Q] = {{0.4}}, u[POLHODE_{3}_U] = {{0.7}}, tau[1] = {{0.1}}, out[POLHODE_{2}_OUT_UDOT];
  {0}_setup(p, w);
  {0}(q, u, tau, w, out);
  printf("%.17g\\n", out[0]);
  {1}_setup(p, w);
  {1}(q, u, tau, w, out);
  printf("%.17g\\n", out[0]);
  return 0;
}}
"""


@pytest.mark.skipif(not shutil.which("gcc"), reason="there is no gcc here")
@pytest.mark.parametrize("prefixes", [(None, None), ("left", "right")])
def test_exports_of_two_models_link_together(prefixes: tuple[str | None, str | None], tmp_path: Path) -> None:
    made = [swing("long_swing", 2.0).derive(), swing("short_swing", 0.5).derive()]
    symbols = []
    for equations, prefix in zip(made, prefixes, strict=True):
        written = equations.export("c", tmp_path, of=["forward_dynamics", "bias"], prefix=prefix)
        symbols.append(json.loads(next(path for path in written if path.suffix == ".json").read_text())["symbol"])
    expected = [
        f"{prefix or name}_forward_dynamics"
        for prefix, name in zip(prefixes, ("long_swing", "short_swing"), strict=True)
    ]
    assert symbols == expected
    (tmp_path / "both.c").write_text(MAIN.format(*symbols, *(symbol.upper() for symbol in symbols)))
    sources = [path.name for path in tmp_path.glob("*.c") if not path.name.endswith("_main.c")]
    assert len(sources) == 5  # two functions of each, and ours
    done = subprocess.run([*STRICT, *sources, "-lm", "-o", "both"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    printed = subprocess.run(["./both"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    wanted = [float(equations.compile(backend="numpy").forward_dynamics([0.4], [0.7], [0.1])[0]) for equations in made]
    assert [float(line) for line in printed.split()] == pytest.approx(wanted, rel=1e-12)


@pytest.mark.skipif(not (shutil.which("gfortran") and shutil.which("gcc")), reason="there is no gfortran here")
def test_fortran_of_two_models_links_together(tmp_path: Path) -> None:
    for equations in (swing("long_swing", 2.0).derive(), swing("short_swing", 0.5).derive()):
        equations.export("fortran", tmp_path)
    names = ["long_swing_forward_dynamics", "short_swing_forward_dynamics"]
    (tmp_path / "both.f90").write_text(
        "program both\n"
        + "".join(f"  use polhode_{name}, only: {name}_setup, {name}\n" for name in names)
        + "  print *, 'linked'\nend program both\n"
    )
    sources = [*(f"{name}.f90" for name in names), *(f"{name}_functions.c" for name in names), "both.f90"]
    done = subprocess.run(["gfortran", *sources, "-o", "both"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_symbols_carry_the_prefix_or_the_names_of_functions(tmp_path: Path) -> None:
    swing("x", 1.0).derive().export("fortran", tmp_path, prefix="left")
    text = (tmp_path / "left_forward_dynamics.f90").read_text()
    assert "module polhode_left_forward_dynamics" in text and 'bind(c, name="left_forward_dynamics_brake")' in text
    assert "#define brake left_forward_dynamics_brake" in (tmp_path / "left_forward_dynamics_functions.c").read_text()
    written = swing("x", 1.0).derive().export("c", tmp_path, of="mass_matrix", prefix="")
    assert {path.name for path in written} == {
        "mass_matrix.h", "mass_matrix.c", "mass_matrix_main.c", "mass_matrix.json",
    }  # fmt: skip


@pytest.mark.parametrize("name", ["größe", "3R", "", "a" * 90, "*/ system(1)", "\u4e2d", "int", "-"])
def test_any_name_of_a_model_makes_an_identifier(name: str, tmp_path: Path) -> None:
    s = ph.System(name or "x")
    s.joint("slide", s.ground, s.body("block", 1), ph.Prismatic("x"))
    for target in ("c", "fortran", "numpy"):
        for path in s.derive().export(target, tmp_path / target, of="inverse_dynamics_derivatives"):
            stem = path.name.split(".")[0]
            assert stem.isascii() and stem.isidentifier() and len(stem) < 60


@pytest.mark.parametrize("target", ["c", "fortran", "numpy"])
def test_names_that_look_alike_make_different_identifiers(target: str, tmp_path: Path) -> None:
    names = ["arm_1", "Arm 1", "Arm-1", "ARM_1", "arm_1_", "arm__1"]
    written = [path.name for name in names for path in swing(name, 1.0).derive().export(target, tmp_path)]
    assert len({*written}) == len(written) and "arm_1_forward_dynamics.json" in written


def test_names_that_are_too_long_are_shortened_and_told_apart(tmp_path: Path) -> None:
    s = ph.System("x")
    for side in "ab":
        s.joint("slide " * 15 + side, s.ground, s.body(side, 1), ph.Prismatic("x"))
    asked = [ph.ReactionOf(name) for name in s.joints]
    written = s.derive().export("fortran", tmp_path, of=asked, prefix="a_rather_long_prefix")
    assert len({path.name for path in written}) == 6


@pytest.mark.parametrize("prefix", ["3r", "a-b", "a b", "größe", "_x", "x" * 32, 5, 'a"', "a\n"])
def test_a_prefix_that_is_no_identifier_is_refused(prefix: object, tmp_path: Path) -> None:
    with pytest.raises(ph.PolhodeError, match="is no identifier") as caught:
        swing("x", 1.0).derive().export("c", tmp_path / "out", prefix=prefix)
    assert caught.value.problems[0].code == "E-CODE-NAME" and not (tmp_path / "out").exists()


def test_the_head_says_that_quaternions_are_of_unit_length(tmp_path: Path) -> None:
    s = ph.System("ball")
    s.joint("socket", s.ground, s.body("ball", 1, inertia=(1, 1, 1)), ph.Spherical())
    s.derive().export("c", tmp_path)
    sentence = "Quaternions are of unit length"
    assert sentence in (tmp_path / "ball_forward_dynamics.h").read_text()
    swing("swing", 1.0).derive().export("c", tmp_path)
    assert sentence not in (tmp_path / "swing_forward_dynamics.h").read_text()


@pytest.mark.parametrize(("arguments", "sentence"), [
    ({"foo": 1}, "no option 'foo'"), ({"perfix": "x"}, "Did you mean 'prefix'"), ({"of": 5}, "no function 5"),
    ({"of": [5]}, "no function 5"), ({"of": []}, "no function is named"),
    ({"of": [["bias"]]}, "there is no function"), ({"path": 5}, "5 is no folder"), ({"target": 5}, "no target 5"),
    ({"target": ["c"]}, "no target"),
])  # fmt: skip
def test_a_wrong_export_is_told(arguments: dict, sentence: str, tmp_path: Path) -> None:
    given = {"target": "c", "path": tmp_path / "out", **arguments}
    with pytest.raises(ph.PolhodeError, match=sentence):
        swing("x", 1.0).derive().export(**given)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("program", [False, True])
def test_fortran_of_a_long_name_compiles_and_no_line_is_beyond_132_columns(program: bool, tmp_path: Path) -> None:
    s = ph.System("Quarter Car Model of the Front Axle", gravity=(0, 0, "-9.81"))
    long = "vertical_travel_of_the_unsprung_mass"
    wheel = s.body("wheel", s.parameter("mass_of_the_wheel_with_its_brake_and_hub_in_kilograms", 40))
    s.joint(long, s.ground, wheel, ph.Prismatic("z"))
    s.joint("travel_of_the_body", wheel, s.body("car", 400), ph.Prismatic("z"))
    s.joint_force(long, -ph.table(list(range(30)), [x / 7 for x in range(30)], outside="line")(s.joints[long].q[0]))
    names = ("forward_dynamics", "mass_matrix", "inverse_dynamics_derivatives")
    for name in names[:1] if program else names:
        written = s.derive().export("fortran", tmp_path / name, **({"program": True} if program else {"of": name}))
        sources = [path.name for path in written if path.suffix == ".f90"]
        assert max(len(line) for each in sources for line in (tmp_path / name / each).read_text().split("\n")) <= 132
        if shutil.which("gfortran"):
            command = json.loads(next(path for path in written if path.suffix == ".json").read_text()).get("command")
            ordered = sorted(sources, key=lambda each: each.endswith("_main.f90"))
            build = command.split() if command else ["gfortran", *ordered, "-o", "check"]
            strict = ["-std=f2008", "-Wall", "-Wextra", "-pedantic", "-Werror"]
            done = subprocess.run([build[0], *strict, *build[1:]], cwd=tmp_path / name, capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
