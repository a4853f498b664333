"""Equations in a cell, and widgets whose sliders run them again."""

import builtins
import sys
from typing import Any

import pytest
from tests.refusals import refused

import polhode as ph
from polhode.model.samples import motor_driven_pendulum, six_degree_of_freedom_arm
from polhode.surface.notebook_equations import bundle_of
from polhode.surface.widget import sliders_of


def test_equations_are_typeset_or_counted() -> None:
    s = ph.System("pendulum")
    m, l = s.parameter("m"), s.parameter("l")
    s.joint("q", s.ground, s.body("bob", m, (0, 0, -l)), ph.Revolute("y"))
    made = bundle_of(s.derive())
    assert r"\mathbf{M} &= \begin{bmatrix} m l^{2} \end{bmatrix}" in made["text/latex"]
    assert made["text/plain"].startswith("Equations('pendulum'") and r"\dot{\mathbf{q}} &=" not in made["text/latex"]
    formulas, _, sentence = made["text/latex"].partition("nothing in the model applies")
    assert r"\tau_{q}" in sentence and r"\tau_{q}" not in formulas
    assert r"\dot{\mathbf{z}} &=" in bundle_of(motor_driven_pendulum().derive())["text/latex"]
    s = ph.System("ball")
    s.joint("socket", s.ground, s.body("ball", 1, inertia=(1, 1, 1)), ph.Spherical())
    assert r"\dot{\mathbf{q}} &=" in bundle_of(s.derive())["text/latex"]
    made = bundle_of(six_degree_of_freedom_arm().derive())
    assert "text/latex" not in made and "multiplications" in made["text/html"] and "latex(" in made["text/plain"]


def moved(widget, name: str, value: float) -> None:
    values = list(widget.values)
    values[[slider["name"] for slider in widget.sliders].index(name)] = value
    widget.values = values


def test_a_moved_slider_runs_it_again_as_a_call_would() -> None:
    equations = motor_driven_pendulum().derive()
    widget = ph.widget(equations, 1, start={"hinge": 0.5}, speeds={"hinge": 1.0})
    first = widget.page
    moved(widget, "voltage", 2.0)
    expected = equations.simulate(1, start={"hinge": 0.5}, speeds={"hinge": 1.0}, inputs={"voltage": 2.0})
    assert widget.run["hinge"][-1] == expected["hinge"][-1] and widget.page != first and not widget.failed
    moved(widget, "hinge", -0.5)
    assert widget.run["hinge"][0] == -0.5 and widget.run.speed("hinge")[0] == 1.0


def test_a_run_that_fails_is_told_and_the_motion_before_it_stays_and_widgets_need_a_notebook_and_one_run() -> None:
    widget = ph.widget(motor_driven_pendulum().derive(), 1)
    before = widget.page
    moved(widget, "L", 0.0)  # the current then has no rate
    assert widget.failed and widget.told and widget.page == before
    widget.values = [1.0]
    assert widget.failed and "not understood" in widget.told
    widget.values = ["<b>"] * len(widget.sliders)
    assert widget.failed
    moved(widget, "L", 0.01)
    assert "a running notebook that shows widgets is needed" in repr(ph.widget(motor_driven_pendulum().derive(), 1))
    widget = ph.widget(motor_driven_pendulum().derive(), 1, parameters={"K": [0.1, 0.2]}, sliders=["R"])
    assert widget.failed and "one run" in widget.told


@pytest.fixture(scope="module")
def equations() -> ph.Equations:
    return motor_driven_pendulum().derive()


def test_sliders_are_for_parameters_inputs_and_starts(equations: ph.Equations) -> None:
    made = {slider.name: slider for slider in sliders_of(equations, None, {}, {"start": {"hinge": 2.0}})}
    assert {slider.group for slider in made.values()} == {"parameters", "inputs", "start"}
    assert (made["n"].low, made["n"].value, made["n"].high) == (0.0, 60.0, 120.0)
    assert (made["voltage"].low, made["voltage"].high) == (-3.0, 3.0)
    assert (made["hinge"].value, made["hinge"].high) == (2.0, 4.0)
    (slider,) = sliders_of(equations, ["R"], {"R": (1, 9)}, {"parameters": {"R": 3}})
    assert (slider.low, slider.value, slider.high) == (1.0, 3.0, 9.0)
    refused("", lambda: ph.widget(motor_driven_pendulum()))


def test_quaternions_and_laws_in_time_have_no_slider() -> None:
    s = ph.System("body")
    s.input("push")
    s.parameter("unset")
    s.joint("flight", s.ground, s.body("body", 1, inertia=(1, 1, 1)), ph.Free())
    made = [slider.name for slider in sliders_of(s.derive(), None, {}, {"inputs": {"push": "sin(t)"}})]
    assert len(made) == 3 and "push" not in made and "unset" not in made


@pytest.mark.parametrize(("options", "code"), [
    ({"sliders": ["hing"]}, "E-PICTURE-NAME"), ({"ranges": {"hing": (0, 1)}}, "E-PICTURE-NAME"),
    ({"ranges": {"R": (2, 1)}}, "E-PICTURE-NUMBER"), ({"ranges": {"R": "wide"}}, "E-PICTURE-NUMBER"),
    ({"start": "nowhere"}, "E-RUN-NAME"),
])  # fmt: skip
def test_a_wrong_slider_is_one_sentence(equations: ph.Equations, options: dict[str, Any], code: str) -> None:
    refused(code, lambda: ph.widget(equations, **options))


def test_without_anywidget_it_says_how_to_have_it(equations: ph.Equations, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *more: Any) -> Any:
        if name == "anywidget":
            raise ImportError
        return real(name, *more)

    monkeypatch.delitem(sys.modules, "polhode.surface.notebook_widget", raising=False)
    monkeypatch.setattr(builtins, "__import__", without)
    refused(r"polhode\[notebook\]", lambda: ph.widget(equations))
