"""A wheel whose lean is told: textbook equations, right while it stands, and a run that says when it fell."""

from fractions import Fraction

import numpy as np
import pytest
from tests.refusals import refused

import polhode as ph
from polhode.expr import free_symbols, topological
from polhode.formats import dumps_yaml, loads_yaml

NAMES = ["x", "y", "z", "yaw", "lean", "spin"]
KEPT = ["d yaw", "d lean", "d spin"]


def coin(told: bool) -> ph.System:
    s = ph.System("coin")
    m, r = s.parameter("m", 2), s.parameter("r", 0.5)
    s.body("coin", m, inertia=ph.disc(m, r, "y"))
    six = ph.Compound(*map(ph.Prismatic, "xyz"), *map(ph.Revolute, "zxy"))
    flight = s.joint("flight", s.ground, "coin", six, coordinates=NAMES, speeds=[f"d {name}" for name in NAMES])
    s.roll_wheel("contact", "coin", r, upright=ph.cos(flight.q[4]) if told else None)
    return s


def test_the_equations_of_a_rolling_disc_read_as_in_the_textbooks() -> None:
    s = coin(told=True)
    m, r = (s.parameters[name].symbol for name in ("m", "r"))
    e = s.derive(independent=KEPT)
    lean = e.q[4]
    M = ph.Matrix([
        [(1 + 5 * ph.sin(lean) ** 2) / 4, 0, 3 * ph.sin(lean) / 2],
        [0, Fraction(5, 4), 0],
        [3 * ph.sin(lean) / 2, 0, Fraction(3, 2)],
    ]) * (m * r**2)  # fmt: skip
    assert e.mass_matrix == M
    found = topological([*e.mass_matrix.entries(), *e.bias, *e.constraints.values, *e.constraints.rates])
    assert not [node for node in found if node.op == "sqrt"]
    yaw, vx, vy = e.q[3], *(ph.symbol(f"d {name}", "speed") for name in "xy")
    spin = ph.symbol("d spin", "speed") + ph.symbol("d yaw", "speed") * ph.sin(lean)
    assert e.constraints.rates[1] == vx * ph.cos(yaw) + vy * ph.sin(yaw) - r * spin


def test_told_or_not_it_moves_alike_while_it_stands() -> None:
    told, untold = (coin(each).derive(independent=KEPT).compile() for each in (True, False))
    rng = np.random.default_rng(3)
    for _ in range(20):
        q, u = rng.normal(size=6), rng.normal(size=3)
        q[4] = rng.uniform(-1.5, 1.5)
        udot = [f.forward_dynamics(q, u, np.zeros(6)) for f in (told, untold)]
        assert udot[0] == pytest.approx(udot[1], rel=1e-9, abs=1e-9)


@pytest.mark.slow
def test_every_formalism_agrees_about_an_upright_wheel() -> None:
    assert coin(told=True).compare(run=False, functions=()).agree


@pytest.mark.parametrize("kept", [None, KEPT], ids=["multipliers", "embedded"])
def test_a_run_in_which_the_wheel_turns_over_says_so(kept: list[str] | None) -> None:
    e = coin(told=True).derive(independent=kept)
    with pytest.raises(
        ph.PolhodeError, match=r"wheel 'contact' has turned over: cos\(lean\) = -.*\n.*E-RUN-TURNED_OVER"
    ):
        e.simulate(3, start={"z": 0.5 * np.cos(0.3), "lean": 0.3}, speeds={"d lean": 4.0})
    refused("has turned over", lambda: e.simulate(1, start={"z": 0.5 * np.cos(2.5), "lean": 2.5}))
    rolling = e.simulate(1, start={"z": 0.5}, speeds={"d spin": 20.0, "d lean": 0.1})
    assert rolling.status == "done" and abs(rolling["lean"]).max() < 0.1


def test_what_is_not_the_cosine_of_the_lean_is_refused_and_a_model_file_holds_it() -> None:
    s = coin(told=True)
    yaw, v = s.joints["flight"].q[3], s.joints["flight"].u[0]
    s.roll_wheel("other", "coin", 1, centre=(0, 1, 0), upright=ph.cos(yaw))
    refused(r"wheel 'other': upright = cos\(yaw\) is not the cosine of its lean", s.derive)
    with pytest.raises(ph.PolhodeError, match=r"wheel 'third': the upright cannot depend on the speed 'd x'"):
        s.roll_wheel("third", "coin", 1, upright=v)
    s = coin(told=True)
    text = dumps_yaml(s)
    assert "upright: cos(lean)" in text
    again = loads_yaml(text)
    assert again.constraints["contact"].upright == s.constraints["contact"].upright
    assert free_symbols([again.constraints["contact"].upright]) == [s.joints["flight"].q[4]]
