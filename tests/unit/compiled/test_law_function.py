"""Laws as native functions and as source: they agree with each other, and together with an exported mechanism."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.controlled_arms import InverseDynamics, ServoPID, arm, slider
from tests.refusals import refused

import polhode as ph
from polhode.control import Controller, Law, Reference


def test_a_compiled_law_is_the_law_and_a_compiled_law_gives_the_states_of_the_next_sample() -> None:
    e = arm().derive()
    f, g = InverseDynamics(e).compile(), e.compile()
    rng = np.random.default_rng(1)
    q, u, r = (rng.normal(size=(5, 2)) for _ in range(3))
    made = f(q=q, u=u, reference={"shoulder": (r[:, 0], r[:, 1]), "elbow": 0.5})
    error = np.stack([r[:, 0], np.full(5, 0.5)], axis=1) - q
    rate = np.stack([r[:, 1], np.zeros(5)], axis=1) - u
    for k in range(5):
        assert np.allclose(made[k], g.mass_matrix(q[k]) @ (100 * error[k] + 20 * rate[k]) + g.bias(q[k], u[k]))
    by_name = f({"shoulder": q[0, 0], "elbow": q[0, 1], "shoulder'": u[0, 0], "elbow'": u[0, 1]},
                reference={"shoulder": [*r[0]], "elbow": 0.5})  # fmt: skip
    assert np.allclose(by_name, made[0], rtol=1e-13)
    e = slider().derive()
    f = ServoPID(e).compile(sample_time=0.1, parameters={"ki": 5})
    controls, states = f(q=[0.2], u=[0.0], reference={"x": 1}, states={"total error": 3})
    assert np.allclose(controls, 2 * (20 * 0.8 + 5 * 3)) and np.allclose(states, 3 + 0.1 * 0.8)
    run = e.simulate(0.3, controller=ServoPID(e), reference=1, sample_time=0.1, start={"x": 0.2})
    g, x = ServoPID(e).compile(sample_time=0.1), run.at(run.controller.times)
    made = g(q=x.q, u=x.u, reference={"x": 1}, states=run.controller.states)
    assert np.allclose(made[0], run.controller.controls, atol=1e-9)
    assert np.allclose(made[1][:-1], run.controller.states[1:], atol=1e-12)


class Reach(Controller):
    """A force on what is measured as an expression of the mechanism."""

    def design(self) -> Law:
        e = self.equations
        height = ph.symbol("height", "measurement")
        tip = e.pose("elbow link").p[2]
        wanted = Reference("height", default=0)
        return Law({e.tau[0]: 3 * (wanted.symbols[0] - height)}, reference=(wanted,), measured={height: tip})


def test_laws_name_measurements_and_say_where_they_do_not_hold(tmp_path: Path) -> None:
    e = arm().derive()
    f = Reach(e).compile()
    assert np.allclose(f(q=[0.3, 0.1]), 3 * np.cos(0.3)) and f({"height": 2.0}) == -6
    run = e.simulate(0.1, controller=Reach(e), samples=3, sample_time=0.01, start={"shoulder": 0.3})
    assert np.allclose(run.controller.controls[0], 3 * np.cos(0.3))
    regulator = ph.control.LQR(slider().derive().linearize(), sample_time=0.1)
    header = regulator.export("c", tmp_path)[0].read_text()
    assert "The law does not hold where the state is far from the operating point" in header
    refused("made for samples every", lambda: regulator.export("c", tmp_path, sample_time=0.2))


def test_the_sidecar_has_names_defaults_and_where_states_start(tmp_path: Path) -> None:
    c = ServoPID(slider().derive(), parameters={"m": 3})
    for target in ("c", "fortran", "numpy"):
        names = {path.name for path in c.export(target, tmp_path / target, sample_time=0.02)}
        assert "slider_control_law.json" in names and len(names) >= 2
    record = json.loads((tmp_path / "c" / "slider_control_law.json").read_text(encoding="utf-8"))
    defaults = {each["name"]: each["default"] for each in record["parameters"]}
    assert defaults == {"kp": 20, "kd": 9, "ki": 10, "nominal m": 3, "sample time": 0.02}
    assert record["reference"] == [{"name": "x", "order": 2, "default": None}] and record["sample_time"] == 0.02
    assert record["states"] == [{"name": "total error", "start": 0, "unit": ""}]
    assert record["arrays"][0]["entries"] == ["x", "v"]


def test_a_law_is_not_written_over_that_of_another_controller(tmp_path: Path) -> None:
    e = slider().derive()
    servo = ServoPID(e)
    servo.export("c", tmp_path)
    servo.export("c", tmp_path)
    torque = ph.control.ComputedTorque(e, kp=1, kd=1)
    refused("is there already, of ServoPID for", lambda: torque.export("c", tmp_path))
    assert torque.export("c", tmp_path, prefix="other")


@pytest.mark.parametrize(("call", "sentence"), [
    (lambda c: c.compile(), "the sample time has no value"),
    (lambda c: c.compile(sample_time=0.1, discretisation="magic"), "no discretisation 'magic'"),
    (lambda c: c.compile(sample_time=0.1, parameters={"a": 1}), "no parameter of the law 'a'"),
    (lambda c: c.compile(sample_time=0.1)(q=[0.0]), "measures u, which is not given"),
    (lambda c: c.compile(sample_time=0.1)({"x": 1}, reference=[1, 0, 0]), "v is not given"),
    (lambda c: c.compile(sample_time=0.1)({"y": 1}), "there is no measurement 'y'"),
    (lambda c: c.compile(sample_time=0.1)(q=[0.0], u=[0.0]), "it is not given"),
    (lambda c: c.compile(sample_time=0.1)(q=[0.0], u=[0.0], reference={"y": 1}), "there is no reference 'y'"),
    (lambda c: c.compile(sample_time=0.1)(q=[0.0], u=[0.0], reference={"x": [1] * 4}), "derivatives up to order 2"),
    (lambda c: c.compile(sample_time=-1), "-1 is not a time > 0"),
    (lambda c: c.export("c", "out", sample_time=0), "0 is not a time > 0"),
    (lambda c: c.compile(sample_time=0.1, parameters=3), "3 is not values by name"),
    (lambda c: c.compile(sample_time=0.1)([0, 0], q=[0.0], reference=1), "and the mechanism's state too"),
    (lambda c: c.export("cobol", "out"), "cobol"), (lambda c: c.export("c", 5), "no folder"),
])  # fmt: skip
def test_what_cannot_be_gets_a_sentence(call: Any, sentence: str) -> None:
    refused(sentence, lambda: call(ServoPID(slider().derive())))
