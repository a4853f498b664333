"""Places that depend on time are prescribed motions: each against a law written by hand, run by SciPy."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import polhode as ph
from polhode.model.joints.building_block import nominal_orientation

TIGHT: dict[str, Any] = {"rtol": 1e-10, "atol": 1e-12}


def integrated(rates: Callable[[float, Any], Any], x0: list[float]) -> Any:
    return solve_ivp(rates, (0, 1), x0, "DOP853", rtol=1e-11, atol=1e-13).y[:, -1]


def slider(**place: Callable[[Any], Any]) -> float:
    """Where a free slider from 1 at 0.5 m/s is after 1 s on its moving rail."""
    s = ph.System("slider", gravity=(0, 0, 0))
    given = {key: made(s.time) for key, made in place.items()}
    s.joint("x", s.ground, s.body("bead", 1), ph.Prismatic("x"), **given)
    return float(s.derive().simulate(1, start={"x": 1}, speeds={"x": 0.5}, **TIGHT)["x"][-1])


def test_rails_and_rods_that_move_leave_beads_behind_or_throw_them_and_a_frame_carries_what_hangs_on_it() -> None:
    assert slider(at=lambda t: (ph.sin(t), 0, 0)) == pytest.approx(1 + 1.5 - np.sin(1), abs=1e-8)
    assert slider(child_at=lambda t: (ph.sin(t), 0, 0)) == pytest.approx(1 - 0.5 + np.sin(1), abs=1e-8)
    expected = np.cosh(2) + 0.25 * np.sinh(2)
    assert slider(rotation=lambda t: ("z", 2 * t)) == pytest.approx(expected, abs=1e-7)
    s = ph.System("wheel", gravity=(0, 0, 0))
    s.joint("q", s.ground, s.body("wheel", inertia=(1, 1, 2)), ph.Revolute("z"), child_rotation=("z", s.time**3))
    run = s.derive().simulate(1, start={"q": 0.2}, speeds={"q": 0.3}, **TIGHT)
    assert run["q"][-1] == pytest.approx(0.2 + 0.3 + 1, abs=1e-8)
    s = ph.System("frame", gravity=(0, 0, 0))
    s.frame("rail", s.ground, (0, 0, s.time**2), ("z", 2 * s.time))
    s.joint("x", "rail", s.body("bead", 1), ph.Prismatic("x"))
    run = s.derive().simulate(1, start={"x": 1}, **TIGHT)
    assert run["x"][-1] == pytest.approx(np.cosh(2), abs=1e-7)


@pytest.mark.parametrize("field", ["axis", "reference"])
def test_the_directions_of_a_building_block_place_it(field: str) -> None:
    made = []
    for written in (True, False):
        s = ph.System("block")
        turned = (ph.cos(s.time), ph.sin(s.time), 0)
        axes = {"axis": turned, "reference": "z"} if field == "axis" else {"axis": "z", "reference": turned}
        body = s.body("body", 1, (1, 2, 3), (3, 4, 5))
        if written:
            s.joint("q", s.ground, body, ph.BuildingBlock((), (3,), **axes))
        else:
            s.joint("q", s.ground, body, ph.Revolute("z"), rotation=nominal_orientation((3,), *axes.values()))
        made.append(s.derive())
    assert made[0].mass_matrix == made[1].mass_matrix and made[0].bias == made[1].bias


def plate(**centre: Any) -> tuple[ph.System, Any]:
    """A body that moves in the plane x, y, gravity along -y."""
    s = ph.System("plate", gravity=(0, -10, 0))
    kinds = ph.Compound(ph.Prismatic("x"), ph.Prismatic("y"), ph.Revolute("z"))
    body = s.body("plate", 1, inertia=(1, 1, 1), **centre)
    s.joint("move", s.ground, body, kinds, coordinates=["x", "y", "turn"], speeds=["u", "v", "w"])
    return s, body


def test_a_pin_that_moves_drives_a_pendulum() -> None:
    s, body = plate(com=(0, -1, 0))
    s.close("pin", s.ground, body, ph.Revolute("z"), at_a=(ph.sin(s.time), 0, 0))
    run = s.derive().simulate(1, start={"turn": 0.5}, speeds={"u": 1.0}, **TIGHT)
    end = integrated(lambda t, x: [x[1], (-10 * np.sin(x[0]) + np.sin(t) * np.cos(x[0])) / 2], [0.5, 0.0])
    assert [run["turn"][-1], run["x"][-1]] == pytest.approx([end[0], np.sin(1)], abs=1e-7)


def test_a_pin_that_moves_on_its_body_changes_the_length_of_a_pendulum() -> None:
    s, body = plate()
    s.close("pin", s.ground, body, ph.Revolute("z"), at_b=(0, 1 + s.time / 2, 0))
    start = {"turn": 0.5, "x": np.sin(0.5), "y": -np.cos(0.5)}
    speeds = {"u": np.sin(0.5) / 2, "v": -np.cos(0.5) / 2}
    run = s.derive().simulate(1, start=start, speeds=speeds, **TIGHT)

    def rates(t: float, x: Any) -> Any:  # (1 + r²) θ'' + 2 r r' θ' = -g r sin θ
        r = 1 + t / 2
        return [x[1], -r * (x[1] + 10 * np.sin(x[0])) / (1 + r * r)]

    end = integrated(rates, [0.5, 0.0])
    assert run["turn"][-1] == pytest.approx(end[0], abs=1e-7)


def test_a_rail_of_a_loop_turns_and_what_is_on_it_too_and_a_body_of_a_loop_turns_as_its_frame_says() -> None:
    s = ph.System("rail", gravity=(0, 0, 0))
    kinds = ph.Compound(ph.Prismatic("x"), ph.Prismatic("y"), ph.Revolute("z"))
    s.joint("move", s.ground, s.body("bead", 1, inertia=(1, 1, 1)), kinds, coordinates=["x", "y", "turn"])
    s.close("rail", s.ground, "bead", ph.Prismatic("x"), rotation_a=("z", 2 * s.time))
    speeds = dict(zip(s.derive().speeds, (0, 2, 2), strict=True))
    run = s.derive().simulate(1, start={"x": 1}, speeds=speeds, **TIGHT)
    assert np.hypot(run["x"][-1], run["y"][-1]) == pytest.approx(np.cosh(2), abs=1e-6)
    assert run["turn"][-1] == pytest.approx(2, abs=1e-8)
    s, body = plate()
    s.close("rail", s.ground, body, ph.Prismatic("x"), rotation_b=("z", ph.sin(s.time)))
    run = s.derive().simulate(1, speeds={"u": 0.7, "w": -1.0}, **TIGHT)
    assert [run["turn"][-1], run["x"][-1]] == pytest.approx([-np.sin(1), 0.7], abs=1e-7)


#: How a line is written between the ends, and its tension by length and rate.
LINES: dict[str, tuple[Callable[..., None], Callable[[float, float], float]]] = {
    "spring": (lambda s, *ends, **at: s.spring(*ends, 4, 1, 0.5, **at), lambda l, v: 4 * (l - 1) + 0.5 * v),
    "damper": (lambda s, *ends, **at: s.damper(*ends, 2, **at), lambda l, v: 2 * v),
    "line_force": (lambda s, *ends, **at: s.line_force(*ends, lambda l, v: l * v, **at), lambda l, v: l * v),
}


@pytest.mark.parametrize("way", ["at_a", "at_b", "frame"])
@pytest.mark.parametrize("line", LINES)
def test_the_end_of_a_line_moves_with_its_rate(line: str, way: str) -> None:
    s = ph.System("line", gravity=(0, 0, 0))
    s.joint("x", s.ground, s.body("bead", 1), ph.Prismatic("x"))
    add, tension = LINES[line]
    far = 3 + ph.sin(2 * s.time)
    if way == "at_a":
        add(s, s.ground, "bead", at_a=(far, 0, 0))
    elif way == "at_b":
        add(s, s.ground, "bead", at_a=(4, 0, 0), at_b=(4 - far, 0, 0))
    else:
        add(s, s.frame("eye", s.ground, (far, 0, 0)), "bead")
    run = s.derive().simulate(1, start={"x": 0.2}, speeds={"x": 0.5}, **TIGHT)

    def rates(t: float, x: Any) -> Any:
        return [x[1], tension(3 + np.sin(2 * t) - x[0], 2 * np.cos(2 * t) - x[1])]

    assert run["x"][-1] == pytest.approx(integrated(rates, [0.2, 0.5])[0], abs=1e-7)
