"""The command line, called as a user calls it."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.unit.cli.conftest import Shell

from polhode.formats import load, save_yaml
from polhode.model.samples import motor_driven_pendulum

MODELS = Path(__file__).parents[3] / "models"


def test_derive_prints_text_latex_json_and_pseudo_velocities(polhode: Shell) -> None:
    said = polhode("derive", MODELS / "pendulum.yaml")
    assert "M[omega, omega] = m*l**2" in said and "sin(theta)" in said and "tau_omega" in said and "revolute" in said
    assert r"\tau_{\omega}" in polhode("derive", MODELS / "pendulum.yaml", "--latex")
    record = json.loads(polhode("derive", MODELS / "pendulum.yaml", "--of", "mass_matrix", "--json"))
    assert record["mass_matrix"] == {"M[omega, omega]": "m*l**2"} and record["joints"][0]["holonomic"] is True
    said = polhode("derive", MODELS / "cart_pendulum.yaml", "--formalism", "hamel", *_pseudo("cart_pendulum"))
    assert "M[first, first]" in said and "M[second, second]" in said
    polhode("derive", MODELS / "pendulum.yaml", "--pseudo", "v", code=2)
    assert "--pseudo: 'v' is not understood" in polhode.errors
    said = polhode("derive", MODELS / "arm.yaml")
    assert "multiplications" in said and "--of mass_matrix" in said


def test_derive_simulate_and_export_take_small_and_omitted_variables(polhode: Shell, tmp_path: Path) -> None:
    pendulum = MODELS / "cart_pendulum.yaml"
    swing = load(pendulum).derive().coordinates[1]
    said = polhode("derive", pendulum, "--small", swing)
    assert "sin(" not in said and "dropped, to first order in small variables:" in said
    assert {*json.loads(polhode("derive", pendulum, "--small", swing, "--json"))["dropped"]}
    assert "sin(" in polhode("derive", pendulum, "--small", "")
    place = load(pendulum).derive().coordinates[0]
    run = ("simulate", pendulum, "-t", "0.1", "--method", "rk4", "--step", "0.05", "--small", swing, "--omit", place)
    assert place not in polhode(*run, "--csv", "-").splitlines()[0].split(",")[1]
    polhode("export", pendulum, "--omit", place, "-o", tmp_path)
    polhode("derive", pendulum, "--omit", swing, code=2)
    assert "cannot be omitted" in polhode.errors
    polhode("derive", MODELS / "fourbar.yaml", "--small", "crank", code=2)
    assert 'Derive with constraints="embedded"' in polhode.errors


def _pseudo(model: str) -> list[str]:
    """Sum and difference of the two speeds."""
    a, b = (f"`{name}`" for name in load(MODELS / f"{model}.yaml").derive().speeds)
    return ["--pseudo", f"first={a} + {b}", "--pseudo", f"second={a} - {b}"]


def test_derive_takes_the_speeds_of_a_formalism_and_reports_kane_s_tables(polhode: Shell) -> None:
    asked = ("derive", MODELS / "satellite.yaml", "--formalism", "kane", "--speeds", "sayers")
    assert "M[u1_star, u1_star] = M_B + M_C + M_D + M_F" in polhode(*asked, "--of", "M")
    assert "    M[1, 1] = P3" in polhode(*asked, "--tables")
    polhode("derive", MODELS / "satellite.yaml", "--speeds", "sayers", code=2)
    assert "the formalism 'auto' has no speeds 'sayers'" in polhode.errors
    found = json.loads(polhode("compare", MODELS / "cart_pendulum.yaml", "--no-timing", "--speeds", "sayers", "--json"))
    assert found["agree"] and found["speeds"] == {"kane": "sayers"}
    asked = ("derive", MODELS / "satellite.yaml", "--formalism", "kane", "--tables")
    said = polhode(*asked)
    assert "Table 2. Body and joint properties" in said and "    B  0, 0, -P1" in said
    assert "    P1 = M_C L2/(M_B + M_C)" in said
    assert r"\mathbf{b}_{1}" in polhode(*asked, "--latex")
    record = json.loads(polhode(*asked, "--json"))["sayers_tables"]
    assert record["tables"]["Table 2. Body and joint properties"]["Rotation category"]["C"] == "rotor"
    assert {*record["operations"]} >= {"kane", "composite_body", "articulated_body"}


@pytest.mark.slow
def test_compare_says_that_all_agree(polhode: Shell) -> None:
    assert "formalisms agree exactly" in polhode("compare", MODELS / "double_pendulum.yaml")
    record = json.loads(polhode("compare", MODELS / "double_pendulum.yaml", "--no-timing", "--json"))
    assert record["agree"] is True and record["verdict"].endswith("and so does the reference derivation")
    assert record["reference"]["findings"] == [] and "applied effort" in record["reference"]["checked"]
    assert ["newton_euler", "composite_body", "articulated_body"] in [
        group[:3] for group in record["derivations"]["inverse_dynamics"]
    ]
    assert {row["function"] for row in record["rows"]} == {"mass_matrix", "inverse_dynamics", "forward_dynamics"}


def test_simulate_writes_files_takes_values_and_refuses_a_wrong_start(polhode: Shell, tmp_path: Path) -> None:
    files = {name: tmp_path / f"run.{end}" for name, end in (("csv", "csv"), ("page", "html"), ("save", "npz"))}
    options = [word for name, path in files.items() for word in (f"--{name}", path)]
    said = polhode("simulate", MODELS / "arm.yaml", "--pose", "reach", "-t", 0.5, *options)
    assert "energy" in said
    assert all(path.stat().st_size > 0 for path in files.values())
    ends = [
        json.loads(polhode("simulate", MODELS / "pendulum.yaml", "-t", 1, "--json", *more))["final"]["coordinates"]
        for more in ([], ["--set", "motor=0.1"], ["--set", "motor=0.1", "--set", "m=2"])
    ]
    assert len({round(end["theta"], 12) for end in ends}) == 3
    said = polhode("simulate", MODELS / "arm.yaml", code=2)
    assert "partial: singular mass matrix" in said
    assert "no inertia resists" in polhode.errors


def test_states_without_mass_are_printed_and_run(polhode: Shell, tmp_path: Path) -> None:
    model = tmp_path / "motor.yaml"
    save_yaml(motor_driven_pendulum(), model)
    assert "1 coordinate, 1 speed, 1 state" in polhode("derive", model)
    assert "ż[current] = (voltage - K*n*hinge' - R*current)/L" in polhode("derive", model, "--of", "z_rates")
    asked = ("simulate", model, "-t", 1, "--set", "voltage=2")
    assert "coordinate or state" in polhode(*asked)
    assert list(json.loads(polhode(*asked, "--json"))["final"]["states"]) == ["current"]


def test_simulate_takes_laws_of_inputs_and_efforts(polhode: Shell) -> None:
    model = MODELS / "pendulum.yaml"
    ends = [
        json.loads(polhode("simulate", model, "-t", 1, "--json", *more))["final"]["coordinates"]["theta"]
        for more in (["--input", "motor=0.1*sin(t)"], ["--effort", "omega=0.1*sin(t)"], ["--effort", "omega=-theta"])
    ]
    assert len({round(end, 12) for end in ends}) > 1
    polhode("simulate", model, "--input", "motor", code=2)
    assert "E-CLI-READ" in polhode.errors


def test_check_warns_of_a_home_from_which_nothing_moves(polhode: Shell) -> None:
    said = polhode("check", MODELS / "arm.yaml")
    assert re.search(r"✓ .*formalisms agree exactly, by \d distinct derivations? of M", " ".join(said.split()))
    assert "a run cannot start from home" in said


ROBOT = """<robot name="arm"><link name="world"/>
<link name="bob"><inertial><mass value="1"/><inertia ixx="9" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<visual><geometry><mesh filename="no.stl"/></geometry></visual></link>
<joint name="hinge" type="continuous"><parent link="world"/><child link="bob"/><axis xyz="0 0 2"/></joint></robot>"""


@pytest.mark.parametrize("name", ["arm.urdf", "arm.xml"])
def test_check_tells_what_the_reader_of_a_robot_warns_of(polhode: Shell, tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    file.write_text(ROBOT)
    said = " ".join(polhode("check", file).split())
    assert "no.stl" in said and "normalised" in said and "principal moments" in said
    record = json.loads(polhode("check", file, "--json"))
    assert any("no.stl" in note for note in record["notes"])
    assert {"W-ROBOT-READ", "N-ROBOT-NUMBER"} <= {finding["code"] for finding in record["findings"]}


def test_export_writes_reactions_and_poses(polhode: Shell, tmp_path: Path) -> None:
    polhode("export", MODELS / "pendulum.yaml", "-o", tmp_path, "--reaction", "hinge", "--pose", "bob")
    assert {"pendulum_reaction_hinge.c", "pendulum_pose_bob.c"} <= {path.name for path in tmp_path.iterdir()}


def test_diagnose_tells_what_is_free_and_ends_well(polhode: Shell) -> None:
    said = polhode("diagnose", MODELS / "fourbar.yaml", "--pose", "assembled")
    assert "1 degree of freedom" in said and "choose as independent: crank" in said
    record = json.loads(polhode("diagnose", MODELS / "rolling_disc.yaml", "--pose", "rolling", "--json"))
    assert record["ok"] and record["freedom"] == 3 and record["integrability"]["growth"] == [3, 4, 5]


def test_diagnose_ends_badly_where_nothing_can_be_assembled_or_move(polhode: Shell, tmp_path: Path) -> None:
    text = (MODELS / "fourbar.yaml").read_text(encoding="utf-8")
    apart = tmp_path / "apart.yaml"
    apart.write_text(text.replace("base: {value: 0.4", "base: {value: 4"), encoding="utf-8")
    assert "cannot be assembled" in polhode("diagnose", apart, code=1)
    held = tmp_path / "held.yaml"
    held.write_text(text.replace("loads:", "conditions: {brake: {position: crank - 1}}\nloads:"), encoding="utf-8")
    assert "nothing can move" in polhode("diagnose", held, code=1)
    polhode("diagnose", MODELS / "fourbar.yaml", "--pose", "assembeld", code=2)
    assert "'assembled'" in polhode.errors


def test_the_schema_is_json_and_the_help_names_every_command(polhode: Shell) -> None:
    assert "properties" in json.loads(polhode("schema"))
    said = polhode("--help")
    assert all(name in said for name in ("view", "info", "new", "--install-completion"))


@pytest.mark.parametrize("words", [
    ("derive", "nowhere.yaml"), ("derive", MODELS / "pendulum.yaml", "--formalism", "newton"),
    ("derive", MODELS / "pendulum.yaml", "--of", "mass"), ("derive", MODELS / "pendulum.yaml", "--report"),
    ("simulate", MODELS / "pendulum.yaml", "--set", "m"), ("simulate", MODELS / "pendulum.yaml", "--set", "q=1"),
    ("simulate", MODELS / "pendulum.yaml", "--pose", "nowhere"),
    ("simulate", MODELS / "pendulum.yaml", "--csv", "no-such-folder/run.csv"),
    ("export", MODELS / "pendulum.yaml", "--target", "cobol"),
])  # fmt: skip
def test_a_wrong_call_says_what_where_and_how_in_both_languages(words: tuple[object, ...], polhode: Shell) -> None:
    polhode(*words, code=2)
    assert "E-" in polhode.errors
    (problem,) = json.loads(polhode(*words, "--json", code=2))["error"]
    assert problem["message"] and problem["code"]


def test_control_characters_in_names_do_not_reach_the_terminal(polhode: Shell, tmp_path: Path) -> None:
    text = (MODELS / "pendulum.yaml").read_text(encoding="utf-8")
    model = tmp_path / "odd.yaml"
    model.write_text(text.replace("polhode: 1", 'polhode: 1\nname: "pen\\e[31mdulum [bold]"'), encoding="utf-8")
    said = polhode("derive", model)
    assert "\x1b" not in said and "[bold]" in said


def test_help_and_version_load_nothing_heavy() -> None:
    script = (
        "import sys\nsys.argv = ['polhode', '--help']\nfrom polhode.cli.app import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print('LOADED', *{name.partition('.')[0] for name in sys.modules})"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = set(run.stdout.split("LOADED")[1].split())
    assert "typer" in loaded
    assert not loaded & {"numpy", "scipy", "llvmlite", "sympy", "matplotlib", "pydantic", "ruamel"}


def test_network_prints_the_graph_and_writes_drawings(polhode: Shell, tmp_path: Path) -> None:
    graph, diagram = tmp_path / "graph.svg", tmp_path / "blocks.svg"
    said = polhode("network", MODELS / "double_pendulum.yaml", "-o", graph, "--diagram", diagram)
    assert "x[lower.second] = x[second] + x[upper.second]" in said
    assert graph.read_text().startswith("<svg") and diagram.read_text().startswith("<svg")
    record = json.loads(polhode("network", MODELS / "double_pendulum.yaml", "--json"))
    assert record["solved_for"] == {"upper": "upper.first", "lower": "lower.second"}


def test_prove_prints_every_step_and_writes_a_document(polhode: Shell, tmp_path: Path) -> None:
    said = polhode("prove", MODELS / "cart_pendulum.yaml", "-o", tmp_path / "proof.tex")
    assert "(3.6)" in said and "proved for 'cart and pole'" in said
    assert "\\end{document}" in (tmp_path / "proof.tex").read_text(encoding="utf-8")
    record = json.loads(polhode("prove", MODELS / "cart_pendulum.yaml", "--json"))
    assert record["holds"] and record["steps"][0]["left"] == record["steps"][0]["right"]
    assert r"\tag{3.12}" in polhode("prove", MODELS / "cart_pendulum.yaml", "--latex")


def test_ladder_counts_on_a_mechanism_of_one_s_own(polhode: Shell) -> None:
    said = polhode("ladder", MODELS / "double_pendulum.yaml")
    assert "130 / 99" in said and "Hollerbach's count of Luh" in said
    record = json.loads(polhode("ladder", MODELS / "gripper.yaml", "--json"))
    assert record["system"] == "gripper" and record["rungs"][0]["printed"] is None


def test_network_takes_a_tree_and_drivers(polhode: Shell, tmp_path: Path) -> None:
    model, drawing = MODELS / "double_pendulum.yaml", tmp_path / "terminals.svg"
    record = json.loads(polhode("network", model, "--json"))
    joints = [edge["name"] for edge in record["edges"] if edge["role"] == "joint"]
    bodies = [edge["element"] for edge in record["edges"] if edge["role"] == "inertia"]
    tree = [word for body in bodies for word in ("--tree", f"inertia of {body}")]
    chosen = json.loads(polhode("network", model, *tree, "--json"))
    assert chosen["solved_for"] == {body: f"{body}.G" for body in bodies}
    said = polhode("network", model, "--across", joints[0], "--terminal-graphs", drawing)
    assert f"given: acceleration of {joints[0]}, effort on {joints[1]}" in said
    assert "Terminal graphs" in drawing.read_text(encoding="utf-8")
    polhode("network", model, "--tree", joints[0], code=2)


def test_network_names_a_file_it_cannot_write(polhode: Shell, tmp_path: Path) -> None:
    polhode("network", MODELS / "pendulum.yaml", "-o", tmp_path / "missing" / "graph.svg", code=2)
    assert "graph.svg" in polhode.errors


def test_simulate_tells_what_a_joint_carries(polhode: Shell, tmp_path: Path) -> None:
    asked = ("simulate", MODELS / "pendulum.yaml", "-t", 1, "--reaction", "hinge", "--audit")
    said = polhode(*asked, "--csv", tmp_path / "run.csv")
    assert "largest force" in said
    assert "force.hinge.z" in (tmp_path / "run.csv").read_text()
    reaction = json.loads(polhode(*asked, "--json"))["reactions"]["hinge"]
    assert reaction["force"] > reaction["torque"]
    polhode("simulate", MODELS / "pendulum.yaml", "--reaction", "hing", code=2)
    assert "Did you mean 'hinge'" in polhode.errors


def test_a_table_on_the_standard_output_is_nothing_but_the_table(
    polhode: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = polhode("simulate", MODELS / "pendulum.yaml", "-t", 1, "--csv", "-").splitlines()
    assert lines[0] == "time [s],q.theta [rad],u.omega [rad/s],input.motor [N m]" and len(lines) == 202
    assert all(len([float(cell) for cell in line.split(",")]) == 4 for line in lines[1:])
    assert "energy" in polhode.errors
    assert not list(tmp_path.iterdir())
    polhode("simulate", MODELS / "pendulum.yaml", "--csv", "-", "--json", code=2)
    polhode("simulate", MODELS / "pendulum.yaml", "--page", "-", code=2)


def test_pages_draw_channels_and_notices_are_printed(polhode: Shell, tmp_path: Path) -> None:
    page = tmp_path / "run.html"
    chosen = ["--channel", "omega", "--channel", "2*theta", "--channel", "thta"]
    polhode("simulate", MODELS / "pendulum.yaml", "-t", 1, "--page", page, *chosen)
    assert '"name":"omega"' in page.read_text(encoding="utf-8") and '"name":"2*theta"' in page.read_text("utf-8")
    assert "Channel 'thta' is not drawn" in polhode.errors and "Warning" not in polhode.errors
    asked = ("simulate", MODELS / "pendulum.yaml", "-t", 1, "--method", "rk4", "--step", 0.3)
    assert "the step is 0.333333 s, not 0.3 s" in polhode(*asked)
    assert any("the step is 0.333333 s" in notice for notice in json.loads(polhode(*asked, "--json"))["notices"])


def test_derive_tells_what_the_reader_warns_of_beside_what_it_prints(polhode: Shell, tmp_path: Path) -> None:
    file = tmp_path / "arm.urdf"
    file.write_text(ROBOT)
    said = polhode("derive", file, "--latex")
    assert "normalised" in polhode.errors and "normalised" not in said
    record = json.loads(polhode("derive", file, "--json"))
    assert {"W-ROBOT-READ", "N-ROBOT-NUMBER"} <= {finding["code"] for finding in record["findings"]}
    assert json.loads(polhode("derive", MODELS / "pendulum.yaml", "--json"))["findings"] == []


def test_the_options_of_a_robot_s_reader_reach_it(polhode: Shell, tmp_path: Path) -> None:
    file = tmp_path / "arm.urdf"
    damped = ROBOT.replace("no.stl", "package://parts/no.stl").replace("</joint>", '<dynamics damping="3"/></joint>')
    file.write_text(damped)
    (tmp_path / "no.stl").touch()
    assert "3*" not in polhode("derive", file, "--of", "forcing")
    assert "3*" in polhode("derive", file, "--of", "forcing", "--dynamics") and "no.stl" in polhode.errors
    polhode("derive", file, "--package", f"parts={tmp_path}")
    assert "no.stl" not in polhode.errors


@pytest.mark.parametrize(("words", "told"), [
    (("--package", "parts"), "Write --package name=folder"),
    (("--package", "parts=nowhere"), "there is no folder 'nowhere'"), (("--dynamics",), "no option --dynamics"),
])  # fmt: skip
def test_options_that_a_reader_cannot_take_are_refused(words: tuple[str, ...], told: str, polhode: Shell) -> None:
    polhode("derive", MODELS / "pendulum.yaml", *words, code=2)
    assert told in polhode.errors


def test_an_audit_tells_what_it_found_part_by_part(polhode: Shell) -> None:
    asked = ("simulate", MODELS / "pendulum.yaml", "--pose", "raised", "-t", 0.5, "--audit")
    said = polhode(*asked)
    assert "power audit passed" in said and "joint 'hinge'" in said and "body 'bob'" in said
    audit = json.loads(polhode(*asked, "--json"))["audit"]
    assert audit["passed"] and audit["residual"] == audit["parts"][0]["residual"]
    failed = polhode(*asked, "--method", "rk4", "--step", "0.25", code=2)
    assert "power audit FAILED" in failed and "the run" in failed


def test_digits_and_whole_names_are_written(polhode: Shell, tmp_path: Path) -> None:
    asked = ("simulate", MODELS / "pendulum.yaml", "--pose", "raised", "-t", 0.01)
    assert "2.0944 " in polhode(*asked) and "2.094395102 " in polhode(*asked, "--digits", 10)
    swept = ("sweep", MODELS / "pendulum.yaml", "--vary", "l=1,2", "-t", 0.01, "--workers", 1, "--pose", "raised")
    assert "2.09" in polhode(*swept, "--digits", 3, "--measure", "max:theta")
    names = [f"a very long name of a joint that nobody would cut short, number {k}" for k in range(25)]
    bodies = "\n".join(f"  b{k}: {{mass: 1, com: [0, 0, -1]}}" for k in range(25))
    joints = "\n".join(f"  {n}: {{parent: ground, child: b{k}, type: revolute, axis: y}}" for k, n in enumerate(names))
    model = tmp_path / "many.yaml"
    model.write_text(f"polhode: 1\nbodies:\n{bodies}\njoints:\n{joints}\n".replace(", number", "; number"))
    said = polhode("simulate", model, "-t", 0.01, "--method", "rk4", "--step", 0.01)
    assert all(name.replace(", number", "; number") in said for name in names)


def test_the_help_names_every_command(polhode: Shell) -> None:
    said = polhode("--help")
    assert all(name in said for name in ("view", "info", "new", "--install-completion"))


def test_sayers_speeds_run_and_export_from_the_command_line(polhode: Shell, tmp_path: Path) -> None:
    model = MODELS / "double_pendulum.yaml"
    record = json.loads(polhode("simulate", model, "-t", "0.1", "--formalism", "kane", "--speeds", "sayers", "--json"))
    assert record["status"] == "done"
    polhode("export", model, "--formalism", "kane", "--speeds", "sayers", "-o", tmp_path)
    assert [*tmp_path.glob("*.c")]


PIPED = """<robot name="arm"><link name="world"/><link name="bob"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="hinge" type="continuous"><parent link="world"/><child link="bob"/><axis xyz="0 0 1"/></joint></robot>"""


@pytest.fixture
def pipe(monkeypatch: pytest.MonkeyPatch):
    def give(content: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))

    return give


def test_models_and_robots_come_in_by_the_standard_input(polhode: Shell, pipe) -> None:
    content = (MODELS / "pendulum.yaml").read_bytes()
    pipe(content)
    assert "M[omega, omega] = m*l**2" in polhode("derive", "-")
    pipe(content)
    said = polhode("simulate", "-", "--pose", "raised", "-t", 0.01, "--csv", "-")
    assert said.splitlines()[0] == "time [s],q.theta [rad],u.omega [rad/s],input.motor [N m]"
    pipe(PIPED.encode())
    record = json.loads(polhode("derive", "-", "--base", "floating", "--json"))
    assert record["system"] == "arm" and len(record["joints"]) == 2


@pytest.mark.parametrize(
    ("content", "message"),
    [(b" \n", "nothing came in"), (b"bodies: {a: [}", "stdin.yaml:1"), (b"<sdf/>", "there are 0 models in it")],
)
def test_errors_of_standard_input_name_no_temporary_folder(content: bytes, message: str, polhode: Shell, pipe) -> None:
    pipe(content)
    polhode("check", "-", code=2)
    assert message in polhode.errors and "polhode-" not in polhode.errors


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--tolerance", "1e-20"), "--tolerance: 1e-20 is not a number"),
        (("--effort", "nope=1"), "--effort: there is no effort 'nope'."),
        (("--input", "motor=nope"), "--input 'motor': there is nothing called 'nope'"),
        (("--step=-1",), "--step: -1.0 is not seconds"),
        (("-t", "-1"), "-t: -1.0 is not seconds"),
        (("--pose", "nope"), "--pose: there is no pose 'nope'"),
        (("--small", "nope"), "--small: there is no coordinate"),
        (("--base", "floating"), "has no option --base."),
    ],
)
def test_errors_name_the_option_as_typed(words: tuple[str, ...], message: str, polhode: Shell) -> None:
    polhode("simulate", MODELS / "pendulum.yaml", *words, code=2)
    assert message in polhode.errors
