"""The shipped models, the page that explains the format, and the published schema agree with the reader."""

import re
from pathlib import Path

import jsonschema
import pytest
from ruamel.yaml import YAML

from polhode.errors import PolhodeError
from polhode.expr import evaluate
from polhode.formats import dumps_yaml, load, loads_yaml, schema
from polhode.papers.mladenova.biped import biped

ROOT = Path(__file__).parents[3]
MODELS = sorted((ROOT / "models").glob("*.yaml"))
EXAMPLE = re.search(r"```yaml\n(.*?)```", (ROOT / "docs" / "model-file.md").read_text(encoding="utf-8"), re.S)


def example() -> str:
    assert EXAMPLE
    return EXAMPLE.group(1)


def complaints(text: str) -> list[str]:
    checker = jsonschema.Draft202012Validator(schema())
    return [error.message for error in checker.iter_errors(YAML(typ="safe", pure=True).load(text))]


def test_models_and_schema_exist() -> None:
    assert {"arm", "pendulum", "double_pendulum", "cart_pendulum", "gripper"} <= {path.stem for path in MODELS}
    jsonschema.Draft202012Validator.check_schema(schema())


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_a_model_follows_the_schema_and_moves(path: Path) -> None:
    assert not complaints(path.read_text(encoding="utf-8"))
    system = load(path)
    assert not complaints(dumps_yaml(system)) and system.poses
    equations = system.derive("newton_euler")
    assert equations.agrees_with(system.derive("articulated_body"))


def test_the_arm_is_that_of_the_paper() -> None:
    """Kwatny and Blankenship, section IV: the printed inertia m3(L3² + 3R3²)/12 + m3 L3²/4 = 0.0969792."""
    system = load(ROOT / "models" / "arm.yaml")
    equations = system.derive("composite_body")
    assert [q.name for joint in system.joints.values() for q in joint.q] == ["s1", "s2", "e", "t1", "t2", "t3"]
    assert [u.name for joint in system.joints.values() for u in joint.u] == ["w1", "w2", "u1", "v1", "v2", "v3"]
    at_home = {q: 0.0 for joint in system.joints.values() for q in joint.q}
    value = evaluate([equations.mass_matrix[3, 3]], at_home)[0]
    assert value == pytest.approx(0.0969792, abs=5e-8)


def test_samples_are_what_they_say_and_the_page_shows_a_model_and_an_error_as_they_are() -> None:
    equations = load(ROOT / "models" / "gripper.yaml").derive("newton_euler")
    for tip in ("left tip", "right tip"):
        assert equations.pose(tip).R == equations.pose("palm").R and equations.pose(tip).p != equations.pose("palm").p
    for name in ("fourbar", "rolling_disc"):
        system = load(ROOT / "models" / f"{name}.yaml")
        for pose in system.poses:
            here = system.diagnose(pose).here
            assert here is not None and not here.moved
    system = load(ROOT / "models" / "biped.yaml")
    assert system.derive("newton_euler").agrees_with(biped([1]).derive("newton_euler"))
    here = system.diagnose("standing").here
    assert here is not None and not here.moved
    assert not complaints(example())
    system = loads_yaml(example(), file="crane.yaml")
    assert system.derive("newton_euler").mass_matrix.shape == (4, 4)
    with pytest.raises(PolhodeError) as caught:
        loads_yaml(example().replace("speeds: {v: 0.5}", "speeds: {x: 0.5}"), file="crane.yaml")
    page = (ROOT / "docs" / "model-file.md").read_text(encoding="utf-8")
    assert all(line.strip() in page for line in str(caught.value).splitlines())


@pytest.mark.parametrize("text", [
    "bodes: {}", "gravity: [0, 0]", "bodies: {a: {mass: [1]}}", "joints: {j: {parent: ground, type: fixed}}",
    "loads: [{type: push, on: a}]", "polhode: 2", "couplings: {a: {multiplier: 2}}",
    "closures: {a: {a: b, type: fixed}}", "conditions: {a: {value: 1}}", "rolling: {a: {type: tyre, body: b}}",
    "prescribed: {a: [t]}",
])  # fmt: skip
def test_the_schema_and_the_reader_refuse_alike(text: str) -> None:
    assert complaints(text)
    with pytest.raises(PolhodeError):
        loads_yaml(text)
