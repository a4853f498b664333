"""Two runs beside each other: differences by name and when, and one picture."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.simulate import Trajectory


def pendulum() -> ph.Equations:
    s = ph.System("pendulum")
    hinge = s.joint("hinge", s.ground, s.body("bob", 1, (0, 0, -1)), ph.Revolute("y"), speeds=["rate"])
    s.joint_force(hinge, s.input("push"))
    return s.derive()


def test_differences_have_a_name_a_size_and_a_time() -> None:
    equations = pendulum()
    one = equations.simulate(2, start={"hinge": 1.0}, inputs={"push": "t"})
    other = equations.simulate(1, start={"hinge": 1.0}, inputs={"push": 1.0}, samples=7)
    made = one.compare(other)
    assert set(made.differences) == {"hinge", "u(rate)", "tau(rate)", "input(push)"}
    assert (made["input(push)"].largest, made["input(push)"].time) == (1.0, 0.0)
    assert made.largest == max(each.largest for each in made.differences.values())
    assert "u(rate) at t = " in str(made)
    assert one.compare(one).largest == 0.0


def test_opposite_quaternions_are_one_orientation() -> None:
    s = ph.System("top")
    s.joint("tip", s.ground, s.body("top", 1, (0, 0, 0.1), (0.02, 0.02, 0.01)), ph.Spherical())
    equations = s.derive()
    start = np.array([1.0, 0.0, 0.0, 0.0])
    one, other = (equations.simulate(0.5, start=(sign * start, [1.0, 2.0, 3.0])) for sign in (1.0, -1.0))
    assert one.compare(other).largest < 1e-9


def test_runs_with_nothing_in_common_are_refused() -> None:
    run = pendulum().simulate(1)
    later = Trajectory(run.t + 5, run.q, run.u, run.coordinates, run.speeds)
    with pytest.raises(ph.PolhodeError, match="one run goes from 0 to 1 s"):
        run.compare(later)
    with pytest.raises(ph.PolhodeError, match="no coordinate, speed, effort or input of the same name"):
        run.compare(Trajectory(run.t, run.q, run.u, ("a",), ("b",)))
    with pytest.raises(ph.PolhodeError, match="not a Trajectory"):
        run.compare(3)  # type: ignore[arg-type]


def test_a_run_beside_another_is_drawn_into_its_panels() -> None:
    pytest.importorskip("matplotlib")
    equations = pendulum()
    one, other = (equations.simulate(1, start={"hinge": angle}, inputs={"push": "t"}) for angle in (1.0, 2.0))
    alone, both = one.plot(), one.plot(beside=[other])
    assert "Inputs" in [axes.get_title(loc="left") for axes in alone.axes]
    drawn = [[line for line in axes.get_lines() if len(line.get_xdata()) > 2] for axes in both.axes]
    assert [len(lines) for lines in drawn] == [2, 2, 2, 6]
    assert {line.get_linestyle() for lines in drawn for line in lines} == {"-", "--"}
    with pytest.raises(ph.PolhodeError, match="not a trajectory"):
        one.plot(beside=[1])  # type: ignore[list-item]
