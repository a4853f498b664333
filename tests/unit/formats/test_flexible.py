"""Flexible bodies in model files: stations wherever a body is named, and models read back as they were written."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.unit.model.flexible.test_standard_data import written

import polhode as ph
from polhode.errors import FormatError
from polhode.formats import dumps_yaml, loads_yaml, save_yaml, schema

MODELS = Path(__file__).parents[3] / "models"

ARM = """
parameters: {L: 2, EI: 30}
bodies: {load: {mass: 1}}
flexible:
  boom: {type: beam, length: L, mass: 1, EI: EI}
joints:
  root: {parent: ground, child: boom, type: revolute, axis: z}
  tip: {parent: boom at L, child: load, type: revolute, axis: y}
loads:
  - {type: force, on: boom at L/2, vector: [0, 0, 1]}
"""


def crane() -> ph.System:
    """A beam between rigid bodies, with stations that joints, forces, closures and frames name, and a motor."""
    s = ph.System("crane")
    L, EI = s.parameter("L", 4, "m"), s.parameter("EI", 8e4)
    base = s.body("base", 5, inertia=(1, 1, 1))
    s.joint("turn", s.ground, base, ph.Revolute("z"))
    boom = s.beam("boom", length=L, mass=30, EI=(EI, 2 * EI), modes={"y": 1, "z": 2}, damping="0.01")
    s.joint("luff", base, boom, ph.Revolute("y"))
    s.joint("hook", boom.at(3 * L / 4), s.body("load", 100, com=(0, 0, -1), inertia=(1, 1, 1)), ph.Revolute("y"))
    s.frame("eye", boom.at(L / 4, static=False), at=(0, 0, "0.1"))
    s.joint("strut", "base", s.body("rod", 1, inertia=(1, 1, 1)), "spherical", at=(1, 0, 0))
    s.motor("luff", 50, inertia=1, stiffness=1000)
    s.force(boom.at(L / 2), (0, 0, -50), frame=boom.at(L))
    s.close("pin", "rod", boom.at(L / 2), "spherical", at_a=(0, 0, 1))
    s.spring("eye", "base", 20, 1)
    return s


def bent() -> ph.System:
    """Beams with all their options."""
    s = ph.System("two beams", gravity=(0, 0, 0))
    mast = s.beam(
        "mast", length=10, mass=4, EI=300, EA=1e6, GJ=40, GA=1e5, gyration="0.1", modes=2, axis="-y", bending="x",
        ends=("free", "free"), frame="mean", rayleigh=("0.1", "0.001"), load_shapes=2, stiffening=True,
    )  # fmt: skip
    s.joint("flight", s.ground, mast, "free")
    boom = s.beam("boom", length=2, mass=1, EI=5, ends=("supported", "guided"))
    s.joint("root", mast.at(5), boom, "fixed")
    mast.at(10)
    mast.at("2.5")
    return s


def hull() -> ph.System:
    """Shapes as functions, shapes at nodes with masses, and shapes at nodes with modal masses."""
    s = ph.System("hull")
    k = s.parameter("k", 4e5)
    hull = s.flexible_body(
        "hull",
        shapes=[lambda x, y, z: (0, 0, x**2 - 3), lambda x, y, z: (0, 0, k * x * y / 100)],
        material=[(600, (-3, y, 0), (3, y, 0)) for y in (-1, 1)],
        stiffness=[[k, 1], [1, 2e5]],
        damping=("0.02", "0.03"),
    )
    s.joint("float", s.ground, hull, "free")
    s.joint("arm", hull.at((2, 1, 0)), s.body("wheel", 40), ph.Prismatic("z"))
    plate = s.flexible_body(
        "plate",
        nodes={
            "front": ph.Node((1, 0, 0), shapes=[(0, 0, 1)], turns=[(0, -2, 0)], mass=3),
            "middle": ph.Node((0, 0, 0), shapes=[(0, 0, -1)], mass=6),
        },
        stiffness=[5000],
        rayleigh=("0.1", 0),
    )
    s.joint("mount", hull.at((0, 0, 0)), plate, "fixed", at=(0, 0, 1))
    nodes = {1: ph.Node((1, 0, 0), shapes=[(0, 0, 1)])}
    with pytest.warns(Warning, match="modal masses"):
        wing = s.flexible_body("wing", 3, (0, 0, 0), (1, 1, 1), nodes=nodes, modal_mass=[2], stiffness=[7])
    s.joint("wing", plate.at("front"), wing, "fixed")
    wing.at(1)
    return s


@pytest.mark.filterwarnings("ignore:.*modal masses.*")
@pytest.mark.parametrize("made", [crane, bent, hull])
def test_a_model_with_flexible_bodies_is_read_back_as_it_was_written(made: Callable[[], ph.System]) -> None:
    s = made()
    text = dumps_yaml(s)
    again = loads_yaml(text)
    assert again.model().digest == s.model().digest and dumps_yaml(again) == text
    assert "elastic" not in text and "material:" not in text.replace("    material:", "")


def test_the_same_model_is_read_from_json(tmp_path: Path) -> None:
    data = {
        "parameters": {"L": 2, "EI": 30},
        "bodies": {"load": {"mass": 1}},
        "flexible": {"boom": {"type": "beam", "length": "L", "mass": 1, "EI": "EI"}},
        "joints": {
            "root": {"parent": "ground", "child": "boom", "type": "revolute", "axis": "z"},
            "tip": {"parent": "boom at L", "child": "load", "type": "revolute", "axis": "y"},
        },
        "loads": [{"type": "force", "on": "boom at L/2", "vector": [0, 0, 1]}],
    }
    file = tmp_path / "arm.json"
    file.write_text(json.dumps(data))
    assert ph.load(file).model().digest == loads_yaml(ARM).model().digest


def test_a_file_gives_the_model_that_python_gives_and_a_station_may_be_spelled_in_several_ways() -> None:
    s = ph.System("system")
    L, EI = s.parameter("L", 2), s.parameter("EI", 30)
    boom = s.beam("boom", length=L, mass=1, EI=EI)
    s.joint("root", s.ground, boom, ph.Revolute("z"))
    s.joint("tip", boom.at(L), s.body("load", 1), ph.Revolute("y"))
    s.force(boom.at(L / 2), (0, 0, 1))
    assert loads_yaml(ARM).model().digest == s.model().digest
    more = [
        "  - {type: torque, on: boom at 0.5*L, vector: [0, 1, 0]}",
        "  - {type: torque, on: boom at 0, vector: [0, 1, 0]}",
    ]
    text = ARM + "\n".join(more)
    system = loads_yaml(text)
    assert [load.on for load in system.loads[1:]] == ["boom at L/2", "boom at L/2", "boom"]
    assert [name for name in system.bodies if " at " in name] == ["boom at L", "boom at L/2"]


def test_stations_that_only_look_add_no_coordinates_and_laws_may_name_others() -> None:
    looking = ARM.replace("EI: EI}", "EI: EI, stations: [{at: L/2, static: false}]}")
    assert len(loads_yaml(ARM).derive().coordinates) - len(loads_yaml(looking).derive().coordinates) == 2
    law = "  - {type: joint_force, joint: root, value: -3*boom_s2_z}\n"
    system = loads_yaml(ARM.replace("loads:\n", f"loads:\n{law}"))
    assert "boom_s2_z" in str(system.derive().forcing)


BEAM = "beam, length: L, mass: 1, EI: EI"
MISTAKES = {
    ("at L,", "at 3*L/2,"): (8, "joints.tip.parent", "the station 3*L/2 is off the beam", "E-FLEX-NUMBER"),
    ("at L,", "at x,"): (8, "joints.tip.parent", "there is nothing called 'x'", "E-EXPR-READ"),
    ("parent: boom at", "parent: mast at"): (8, "joints.tip", "there is no body 'mast at L'", "E-MODEL-NAME"),
    ("EI: EI}", "EI: EI, modes: 0}"): (5, "flexible.boom", "the number of modes 0", "E-FLEX-NUMBER"),
    ("EI: EI}", "EI: EI, modes: many}"): (5, "flexible.boom.modes", "expected a count", "E-MODELFILE-READ"),
    ("EI: EI}", "EI: EI, modes: {y: 1}}"): (5, "flexible.boom", "there is no deformation 'y'", "E-MODEL-NAME"),
    ("EI: EI}", "EI: t}"): (5, "flexible.boom.EI", "there is nothing called 't'", "E-EXPR-READ"),
    ("EI: EI}", "EI: -1}"): (5, "flexible.boom", "is not positive", "E-FLEX-NUMBER"),
    ("EI: EI}", "EI: EI, ends: [free]}"): (5, "flexible.boom.ends", "expected 2 entries", "E-MODELFILE-READ"),
    ("EI: EI}", "EI: EI, EIz: 3}"): (5, "flexible.boom.EIz", "there is no such key", "E-MODELFILE-READ"),
    ("EI: EI}", "EI: EI, stations: [L, 3*L]}"): (5, "flexible.boom.stations[1]", "is off the beam", "E-FLEX-NUMBER"),
    ("type: beam", "type: rod"): (5, "flexible.boom", "there is no type 'rod'", "E-MODELFILE-READ"),
    ("child: boom", "child: load"): (5, "flexible.boom", "this body hangs on no joint", "E-MODEL-TREE"),
    (BEAM, "modal, data: wing.sid"): (
        5, "flexible.boom.data", "the data file is missing: there is no such file", "E-MODELFILE-READ",
    ),
    (BEAM, "modal, data: /etc/passwd"): (
        5, "flexible.boom.data", "the data file is refused: it lies outside the allowed folders", "E-MODELFILE-READ",
    ),
    (BEAM, "modal, nodes: {a: {at: [0, 0, 0], shapes: [[0, 0, 1]], mass: 1}}, stiffness: [1]"): (
        8, "joints.tip.parent", "there is no node 'L'", "E-MODEL-NAME",
    ),
}  # fmt: skip


@pytest.mark.parametrize("change", MISTAKES)
def test_a_mistake_is_refused_with_its_line(change: tuple[str, str]) -> None:
    line, place, message, code = MISTAKES[change]
    assert change[0] in ARM
    with pytest.raises(FormatError, match=re.escape(message)) as error:
        loads_yaml(ARM.replace(*change), file="arm.yaml")
    problem = next(each for each in error.value.problems if message in each.message)
    assert (problem.place, problem.code) == (f"arm.yaml:{line}: {place}", code)
    assert all("boom at" not in each.message for each in error.value.problems if each is not problem)


def test_a_data_file_is_named_from_the_folder_of_the_model_file(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    written(tmp_path / "data" / "wing.SID_FEM")
    s = ph.System("plane")
    wing = s.flexible_body("wing", data=tmp_path / "data" / "wing.SID_FEM")
    s.joint("root", s.ground, wing, "revolute")
    save_yaml(s, tmp_path / "plane.yaml")
    assert "data: data/wing.SID_FEM" in (tmp_path / "plane.yaml").read_text()
    assert ph.load(tmp_path / "plane.yaml").model().digest == s.model().digest
    with pytest.raises(FormatError, match="outside the folder of the model file") as error:
        save_yaml(s, tmp_path / "data" / "deeper" / "plane.yaml")
    assert error.value.problems[0].code == "E-MODELFILE-READ"
    assert not (tmp_path / "data" / "deeper").exists()


def test_a_station_whose_name_a_file_cannot_spell_is_refused() -> None:
    s = ph.System("crane")
    a, b = s.parameter("arm length", 2), s.parameter("b", 1)
    boom = s.beam("boom", length=a + b, mass=1, EI=1)
    s.joint("root", s.ground, boom, "revolute")
    boom.at((a + b) / 3)
    assert loads_yaml(dumps_yaml(s)).model().digest == s.model().digest
    boom.at(a / 2 + b / 2)
    with pytest.raises(FormatError, match="has no name that a model file can spell") as error:
        dumps_yaml(s)
    assert error.value.problems[0].code == "E-MODELFILE-WRITE"


def test_schemas_have_units_of_beams_and_the_sample_bends() -> None:
    parts = schema()["$defs"]
    assert "[N·m²]" in parts["Beam"]["properties"]["EI"]["description"]
    assert {"modes", "stations", "stiffening"} <= parts["Beam"]["properties"].keys()
    assert {"nodes", "data", "stiffness"} <= parts["ModalBody"]["properties"].keys()
    s = ph.load(MODELS / "flexible_arm.yaml")
    assert loads_yaml(dumps_yaml(s)).model().digest == s.model().digest
    assert s.derive().coordinates == ["shoulder", "boom_z1", "boom_z2", "boom_s1_z", "boom_s1_ry", "elbow"]
