"""A slider that is moved runs the mechanism again; what goes wrong is told beside it."""

from __future__ import annotations

import polhode as ph
from polhode.model.samples import motor_driven_pendulum


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
    assert widget.run["hinge"][-1] == expected["hinge"][-1]
    assert widget.page != first and not widget.failed
    moved(widget, "hinge", -0.5)
    assert widget.run["hinge"][0] == -0.5 and widget.run.speed("hinge")[0] == 1.0


def test_a_run_that_fails_is_told_and_the_motion_before_it_stays() -> None:
    widget = ph.widget(motor_driven_pendulum().derive(), 1)
    before = widget.page
    moved(widget, "L", 0.0)  # the current then has no rate
    assert widget.failed and widget.told and widget.page == before
    widget.values = [1.0]
    assert widget.failed and "not understood" in widget.told
    widget.values = ["<b>"] * len(widget.sliders)
    assert widget.failed
    moved(widget, "L", 0.01)


def test_widgets_need_a_notebook_and_one_run() -> None:
    assert "a running notebook that shows widgets is needed" in repr(ph.widget(motor_driven_pendulum().derive(), 1))
    widget = ph.widget(motor_driven_pendulum().derive(), 1, parameters={"K": [0.1, 0.2]}, sliders=["R"])
    assert widget.failed and "one run" in widget.told
