"""What every force element owes: registering one in `polhode.model.forces.FORCES` runs all of this on it.

One of them is not in the package: a file beside this one, and the one line that adds it to the list.
"""

import inspect
import json
import pickle
import re
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from ruamel.yaml import YAML

import polhode as ph
from polhode.errors import FormatError, PolhodeError
from polhode.expr import Expr, Vector, as_expr, evaluate
from polhode.formats import dumps_yaml, loads_yaml, schema
from polhode.model.fields import Field
from polhode.model.forces import FORCES

from .drag import Drag

ADDED = Drag
#: What lies between surfaces has its tests beside contacts.
OWN = {kind: each for kind, each in FORCES.items() if all(field.kind != "surface" for field in each.fields)}
EVERY = {**OWN, ADDED.kind: ADDED}
every_element = pytest.mark.parametrize("kind", EVERY)


@pytest.fixture(autouse=True)
def with_one_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FORCES, ADDED.kind, ADDED)


def arm() -> ph.System:
    s = ph.System("arm")
    l = s.parameter("l", 0.8)
    upper = s.body("upper", mass=2, com=(0, 0, l / 2), inertia=ph.rod(2, l))
    lower = s.body("lower", mass=1, com=(0, 0.1, l / 3), inertia=(0.2, 0.3, 0.1))
    s.joint("shoulder", s.ground, upper, ph.Revolute("y"))
    s.joint("elbow", upper, lower, ph.Universal("x", "y"), at=(0, 0, l))
    s.frame("tip", lower, at=(0, 0, 0.5), rotation=("x", "0.4"))
    return s


#: Values that say more of an element than `sample` can think of.
TELLING: dict[tuple[str, str], Any] = {
    ("gravity_field", "acceleration"): lambda s: None,  # which follows from the potential
    ("joint_force", "value"): lambda s: -s.parameters["value"].symbol * s.joints["elbow"].u[1],
    ("potential", "energy"): lambda s: s.parameters["energy"].symbol * ph.cos(s.joints["elbow"].q[0]),
}


def sample(s: ph.System, kind: str) -> dict[str, Any]:
    """Something for every field of an element."""
    bodies, given = iter(("tip", "ground")), {}
    for field in EVERY[kind].fields:
        given[field.name] = value_of(s, field, bodies)
        if (kind, field.name) in TELLING:
            given[field.name] = TELLING[kind, field.name](s)
    return {**given, "name": "it"}


def value_of(s: ph.System, field: Field, bodies: Any) -> Any:
    if field.kind == "number":
        c = s.parameter(field.name, 0.9 if field.name == "upper" else 0.7)
        return c * sum((x**2 + x for x in field.own_symbols.values()), start=as_expr(1))
    if field.kind == "vector":
        x, y, z = field.own_symbols.values() or (1, 2, s.time if field.free else 3)
        return Vector([as_expr(2 * y), as_expr(-x), as_expr(x * z)])
    if field.kind == "body":
        return next(bodies)
    return {
        "point": (0.2, -0.1, 0.6), "frame": "upper", "joint": "elbow", "count": 1, "label": "it", "axis": "y",
        "rotation": ("z", "0.3"), "flag": True, "word": next(iter(field.choices), ""), "name": "it",
    }[field.kind]  # fmt: skip


def loaded(kind: str) -> ph.System:
    s = arm()
    s.apply(EVERY[kind], **sample(s, kind))
    return s


def state(s: ph.System) -> dict[Expr, float]:
    symbols = [x for joint in s.joints.values() for x in (*joint.q, *joint.u, *joint.tau)]
    values = {x: 0.3 + 0.11 * k for k, x in enumerate(symbols)}
    return values | {each.symbol: float(each.value or 0) for each in s.parameters.values()} | {s.time: 0.0}


@every_element
def test_all_formalisms_and_the_reference_derivation_agree(kind: str) -> None:
    found = loaded(kind).compare(run=False, functions=())
    assert found.agree, found.verdict
    assert "not covered" not in found.verdict and not found.refused


@every_element
def test_it_does_something(kind: str) -> None:
    plain, made = arm().derive(), loaded(kind).derive()
    assert list(plain.bias) != list(made.bias)


@every_element
def test_power_through_its_port_is_the_rate_of_energy(kind: str) -> None:
    flow = loaded(kind).derive().power()
    assert any("load it" in balance.ports for _, balance in flow.parts())
    assert [name for name, balance in flow.parts() if balance.residual != 0] == []


@every_element
def test_what_has_no_name_is_called_by_its_kind_and_number(kind: str) -> None:
    s = arm()
    s.potential(s.joints["shoulder"].q[0])
    s.apply(EVERY[kind], **{**sample(s, kind), "name": ""})
    ports = {port for _, balance in s.derive().power().parts() for port in balance.ports}
    assert f"load {EVERY[kind].title()} 2" in ports


@every_element
def test_compiled_numbers_are_interpreted_numbers(kind: str) -> None:
    s = loaded(kind)
    equations, values = s.derive(), state(s)
    f = equations.compile(cache=False)
    q, u, tau = ([values[x] for x in part] for part in (equations.q, equations.u, equations.tau))
    expected = evaluate(list(equations.forward_dynamics), values)
    assert f.forward_dynamics(q, u, tau) == pytest.approx(expected, rel=1e-12)


@every_element
def test_small_motions_have_the_slopes_of_the_equations(kind: str) -> None:
    s = loaded(kind)
    equations, values = s.derive(), state(s)
    f, here = equations.compile(cache=False), np.array([values[x] for x in (*equations.q, *equations.u)])
    q, u, tau = ({x.name: values[x] for x in part} for part in (equations.q, equations.u, equations.tau))
    A, _ = equations.linearize(q, speeds=u, tau=tau).state_space()
    step, n = 1e-6, len(q)

    def rates(x: np.ndarray) -> np.ndarray:
        return f.forward_dynamics(x[:n], x[n:], list(tau.values()))

    slopes = [(rates(here + h) - rates(here - h)) / (2 * step) for h in step * np.eye(2 * n)]
    np.testing.assert_allclose(A[n:], np.transpose(slopes), rtol=1e-6, atol=1e-6)


@every_element
def test_it_goes_into_a_model_file_and_comes_back(kind: str) -> None:
    s = loaded(kind)
    text = dumps_yaml(s)
    assert f"type: {kind}" in text
    again = loads_yaml(text)
    assert again.loads == s.loads and again.derive("poincare").agrees_with(s.derive("newton_euler"))
    document = YAML(typ="safe", pure=True).load(text)
    assert not [e.message for e in jsonschema.Draft202012Validator(schema()).iter_errors(document)]


@every_element
def test_the_schema_says_what_it_is(kind: str) -> None:
    record = schema()["$defs"][EVERY[kind].__name__]
    assert record["description"] == inspect.cleandoc(EVERY[kind].__doc__ or "")
    assert list(record["properties"]) == ["type", *(field.name for field in EVERY[kind].fields)]


@every_element
def test_a_mistake_in_a_file_is_told_with_its_line(kind: str) -> None:
    text = dumps_yaml(loaded(kind))
    line = next(k for k, each in enumerate(text.splitlines(), 1) if f"type: {kind}" in each)
    short = f"type: {kind}," in text  # an element of few words stands on one line
    strange = text.replace(f"type: {kind}", f"type: {kind}" + (", colour: red" if short else "\n    colour: red"))
    with pytest.raises(FormatError, match=rf":{line + (not short)}: loads\[0\]\.colour: there is no such key"):
        loads_yaml(strange)
    with pytest.raises(FormatError, match=rf":\d+: loads\[0\]: there is no type '{kind}s'"):
        loads_yaml(text.replace(f"type: {kind}", f"type: {kind}s"))


@every_element
def test_a_model_with_it_pickles_and_its_digest_is_that_of_what_it_comes_to(kind: str) -> None:
    model = loaded(kind).model()
    again = pickle.loads(pickle.dumps(model))
    assert again == model and again.loads == model.loads
    assert model.digest not in {
        arm().model().digest,
        *(loaded(other).model().digest for other in EVERY if other != kind),
    }


@every_element
def test_a_page_shows_its_drawing(kind: str, tmp_path: Path) -> None:
    s = loaded(kind)
    page = s.derive().simulate(0).animate(tmp_path / "run.html").read_text(encoding="utf-8")
    found = re.search(r'<script[^>]*id="data"[^>]*>(.*?)</script>', page, re.DOTALL)
    assert found
    scene = json.loads(found[1])
    (element,) = s.loads
    lines = [ends for shape, *ends in element.drawing if shape == "line"]
    assert [line["name"] for line in scene["lines"]] == ["it"] * len(lines)
    for line, fields in zip(scene["lines"], lines, strict=True):
        drawn = [scene["bodies"][end["body"]]["name"] for end in line["ends"]]
        assert drawn == [getattr(element, field) for field in fields]
    for (body,) in (ends for shape, *ends in element.drawing if shape == "mark"):
        (own,) = (each for each in scene["bodies"] if each["name"] == getattr(element, body))
        (at,) = (field.name for field in element.fields if field.kind == "point" and field.of == body)
        places = [shape["position"] for shape in own["shapes"] if shape["kind"] == "sphere"]
        assert any(np.allclose(place, evaluate(list(getattr(element, at)), {})) for place in places)


WRONG: dict[str, Any] = {
    "number": "nonsense(", "vector": (1, 2), "point": (1, 2, 3, 4), "body": "nobody", "frame": "nowhere",
    "joint": "nothing", "count": 7, "label": 5, "axis": "w", "rotation": 5, "flag": "yes", "word": "nonsense",
    "name": "",
}  # fmt: skip


@every_element
def test_a_wrong_value_is_one_sentence_and_adds_nothing(kind: str) -> None:
    for field in EVERY[kind].fields:
        s = arm()
        given = {**sample(s, kind), field.name: WRONG[field.kind]}
        with pytest.raises(PolhodeError) as caught:
            s.apply(EVERY[kind], **given)
        (problem,) = caught.value.problems
        assert problem.code.startswith("E-") and problem.message.endswith(".")
        assert EVERY[kind].title() in f"{problem.place} {problem.message}"
        assert not s.loads


@every_element
def test_its_fields_and_its_drawing_are_plain_data(kind: str) -> None:
    fields = EVERY[kind].fields
    assert fields[0] == Field("name", "label", "")
    bodies = {field.name for field in fields if field.kind == "body"}
    assert all(shape in ("line", "mark") and {*ends} <= bodies for shape, *ends in EVERY[kind].drawing)
    json.dumps(EVERY[kind].drawing)


def test_an_elastic_tension_must_be_the_slope_of_its_energy() -> None:
    from polhode.model.forces.line import Spring
    from polhode.model.forces.protocol import LENGTH

    class Crooked(Spring):
        def loads(self, model: Any) -> Any:
            return self.pull(0, elastic=LENGTH, energy=LENGTH**3)

    s = arm()
    with pytest.raises(PolhodeError, match=r"spring: the elastic tension .* is not the slope of the stored energy"):
        s.apply(Crooked, a="ground", b="lower", stiffness=1)
