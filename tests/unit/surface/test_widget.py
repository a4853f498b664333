"""Sliders reach as far as they are told, and what has no value has none."""

from __future__ import annotations

import builtins
import sys
from typing import Any

import pytest

import polhode as ph
from polhode.errors import PolhodeError
from polhode.model.samples import motor_driven_pendulum
from polhode.surface.widget import sliders_of


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
    with pytest.raises(PolhodeError):
        ph.widget(motor_driven_pendulum())


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
    with pytest.raises(PolhodeError, match=code):
        ph.widget(equations, **options)


def test_without_anywidget_it_says_how_to_have_it(equations: ph.Equations, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *more: Any) -> Any:
        if name == "anywidget":
            raise ImportError
        return real(name, *more)

    monkeypatch.delitem(sys.modules, "polhode.surface.notebook_widget", raising=False)
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(PolhodeError, match=r"polhode\[notebook\]"):
        ph.widget(equations)
