"""A force that jumps: the motion between jumps is exact, jumps are told, and what sticks is never called done."""

import re
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.errors import SimulationError
from polhode.simulate import Trajectory, crossing

ADAPTIVE = ["DOP853", "RK45", "Rodas5P", "Radau", "scipy.LSODA", "scipy.Radau", "scipy.BDF"]
ADAPTIVE += ["ida"] if find_spec("sksundae") else []
FIXED = {"rk4": 4, "heun": 2, "midpoint": 2, "euler": 1, "semi_implicit_euler": 1}  # and their orders
STIFFNESS, FRICTION = 100.0, 2.943  # N/m, N; of a mass of 1 kg


def block(force: Callable[..., Any], blocks: int = 1) -> ph.Equations:
    """Masses of 1 kg on lines, each under force(t, x, v)."""
    s = ph.System("block", gravity=(0, 0, 0))
    for k in range(blocks):
        slide = s.joint(f"x{k}", s.ground, s.body(f"block {k}", 1), ph.Prismatic("x"), speeds=[f"v{k}"])
        s.joint_force(slide, force(s.time, slide.q[0], slide.u[0]), name=f"pull {k}")
    return s.derive()


def dry(t: Any, x: Any, v: Any) -> Any:
    return -STIFFNESS * x - FRICTION * ph.sign(v)


def piecewise_cosine(x: float, v: float, times: np.ndarray) -> tuple[np.ndarray, float]:
    """The motion under `dry` until it sticks, and when it does: about ∓F/k, half a turn after half a turn."""
    w, found, begin = np.sqrt(STIFFNESS), np.zeros_like(times), 0.0
    while True:
        side = np.sign(v) if v else -np.sign(x)
        centre = -side * FRICTION / STIFFNESS
        size, phase = np.hypot(x - centre, v / w), np.arctan2(-v / w, x - centre)
        stop = begin + (np.mod(-phase, np.pi) or np.pi) / w
        inside = (times >= begin) & (times <= stop)
        found[inside] = centre + size * np.cos(w * (times[inside] - begin) + phase)
        begin, x, v = stop, centre + size * np.cos(w * (stop - begin) + phase), 0.0
        if STIFFNESS * abs(x) <= FRICTION:
            return found, stop


def stopped(status: str, equations: ph.Equations, duration: float, **options: Any) -> tuple[str, Trajectory]:
    with pytest.raises(SimulationError) as caught:
        equations.simulate(duration, **options)
    run = caught.value.trajectory
    assert isinstance(run, Trajectory) and run.status == status
    return str(caught.value), run


@pytest.mark.parametrize("method", ADAPTIVE)
def test_dry_friction_is_piecewise_cosine_until_it_sticks(method: str) -> None:
    tolerance = 1e-8 if method in ("DOP853", "RK45") else 1e-7
    options = {"method": method, "rtol": tolerance, "atol": tolerance}
    message, run = stopped("sticks", block(dry), 20, start={"x0": 0.1}, speeds={"v0": 3.0}, **options)
    exact, end = piecewise_cosine(0.1, 3.0, run.t)
    assert run.t[-1] == pytest.approx(end, abs=1e3 * tolerance)
    assert np.abs(run["x0"] - exact)[:-1].max() < 1e3 * tolerance and abs(run.speed("v0")[-1]) < 1e3 * tolerance
    assert "'pull 0'" in message and "tanh" in message and "not modelled" in message
    assert any("jumped" in notice for notice in run.notices)


@pytest.mark.parametrize("method", [*ADAPTIVE, *FIXED])
def test_what_sticks_from_the_start_is_not_called_done(method: str) -> None:
    message, run = stopped("sticks", block(dry), 1, start={"x0": 0.02}, method=method)
    assert "at t = 0 s" in message
    assert run.t.tolist() == [0.0]


@pytest.mark.parametrize("method", ADAPTIVE)
def test_what_is_held_against_a_force_that_grows_sticks_at_once(method: str) -> None:
    equations = block(lambda t, x, v: 2 * ph.sin(t) - ph.sign(v))
    message, run = stopped("sticks", equations, 5, method=method)
    assert run.t[-1] < 1e-3 and not np.abs(run["x0"]).max() > 1e-9
    assert "pushes back from both sides" in message


@pytest.mark.parametrize("method", ADAPTIVE)
def test_what_rested_at_its_jump_moves_off_when_it_is_pushed(method: str) -> None:
    equations = block(lambda t, x, v: ph.maximum(t - 1, 0) * (2 + ph.sign(v)))
    run = equations.simulate(2, method=method, rtol=1e-8, atol=1e-8)
    late = np.maximum(run.t - 1, 0.0)
    assert np.abs(run.speed("v0") - 1.5 * late**2).max() < 1e-5


def test_from_rest_it_moves_where_the_spring_is_stronger() -> None:
    run = block(dry).simulate(0.5, start={"x0": 1.0})
    exact, _ = piecewise_cosine(1.0, 0.0, run.t)
    assert np.abs(run["x0"] - exact).max() < 1e-7
    (told,) = run.notices
    assert "jumped once at t = 0.314159 s" in told and told in str(run)


def test_what_nothing_pulls_rests_with_a_word() -> None:
    run = block(dry).simulate(1)
    assert run.status == "done" and not run.q.any() and "stands at its jump" in run.notices[0]


@pytest.mark.parametrize(("method", "order"), FIXED.items())
def test_fixed_steps_keep_their_order_over_a_jump_and_stop_where_it_sticks(method: str, order: int) -> None:
    off, late = [], []
    for step in (2e-3, 1e-3):
        run = block(dry).simulate(0.5, start={"x0": 1.0}, method=method, step=step)
        off.append(np.abs(run["x0"] - piecewise_cosine(1.0, 0.0, run.t)[0]).max())
        assert len(run.notices) == 1 and "'pull 0' jumped once at t = 0.314" in run.notices[0]
        _, run = stopped("sticks", block(dry), 2, start={"x0": 0.2}, method=method, step=step)
        late.append(abs(run.t[-1] - piecewise_cosine(0.2, 0.0, run.t)[1]))
    assert off[1] < {1: 2e-2, 2: 1e-4, 4: 1e-9}[order] and late[1] < {1: 5e-5, 2: 5e-5, 4: 1e-9}[order]
    assert off[0] / off[1] > 0.9 * 2**order


def test_the_cure_that_is_advised_works() -> None:
    smooth = block(lambda t, x, v: -STIFFNESS * x - FRICTION * ph.tanh(v / 0.001))
    run = smooth.simulate(2, start={"x0": 0.2}, method="scipy.Radau", rtol=1e-6, atol=1e-6)
    assert run.status == "done" and not run.notices
    _, end = piecewise_cosine(0.2, 0.0, np.zeros(1))
    assert run["x0"][-1] == pytest.approx(piecewise_cosine(0.2, 0.0, np.array([end]))[0][0], abs=2e-3)


def test_an_event_ends_a_run_before_it_sticks() -> None:
    equations = block(dry)
    (symbol,) = equations.u
    run = equations.simulate(10, start={"x0": 0.05}, until=crossing(symbol, 1))
    assert run.status == "event" and run.t[-1] == pytest.approx(np.pi / 10, abs=1e-6)


def test_a_force_that_begins_at_a_time_acts_from_then_on() -> None:
    run = block(lambda t, x, v: 1 + ph.sign(t - 0.3)).simulate(1)
    late = np.maximum(run.t - 0.3, 0.0)
    assert np.abs(run["x0"] - late**2).max() < 1e-9


@pytest.mark.parametrize("rate", [10.0, 200.0, 1000.0])
def test_no_edge_of_a_square_wave_is_missed(rate: float) -> None:
    """Under ±1 in turns, speed is a triangular wave: arcs of the sine's phase."""
    run = block(lambda t, x, v: ph.sign(ph.sin(rate * t))).simulate(0.5)
    phase = np.mod(rate * run.t, 2 * np.pi)
    exact = np.where(phase < np.pi, phase, 2 * np.pi - phase) / rate
    assert np.abs(run.speed("v0") - exact).max() < 1e-6 / rate
    assert f"{int(rate * 0.5 / np.pi)} times" in run.notices[0] or "once" in run.notices[0]


def test_energy_is_conserved_over_the_edge_of_a_potential() -> None:
    s = ph.System("valley", gravity=(0, 0, 0))
    slide = s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"))
    s.potential(ph.absolute(slide.q[0]), name="valley")
    run = s.derive().simulate(20, start={"x": 1.0})
    assert run.energy_drift < 1e-9 and "'valley' jumped 7 times" in run.notices[0]
    assert run["x"][-1] == pytest.approx(0.5 * (20 - 14 * np.sqrt(2)) ** 2 - 1, abs=1e-6)


@pytest.mark.parametrize("order", [3, 5])
def test_a_zero_of_higher_order_is_a_jump_like_any_other(order: int) -> None:
    swing = block(lambda t, x, v: -ph.sign(x**order)).simulate(2, start={"x0": 1.0})
    exact = np.where(swing.t < np.sqrt(2), 1 - swing.t**2 / 2, (2 * np.sqrt(2) - swing.t) ** 2 / 2 - 1)
    assert np.abs(swing["x0"] - exact).max() < 1e-9
    push = block(lambda t, x, v: ph.sign((t - 1) ** order)).simulate(2)
    assert np.abs(push.speed("v0") - np.abs(push.t - 1) + 1).max() < 1e-9


def test_an_event_that_is_zero_of_third_order_is_found() -> None:
    run = block(lambda t, x, v: 1).simulate(1.7, events=[lambda t, q, u: (t - 1) ** 3])
    assert run.events == [[pytest.approx(1.0, abs=1e-9)]]


def test_jumps_without_end_in_a_finite_time_stop_the_run() -> None:
    message, run = stopped("chatters", block(lambda t, x, v: -ph.sign(x) - ph.sign(v) / 2), 20, start={"x0": 1.0})
    span = re.search(r"'pull 0' has jumped 30 times in the last (\S+) s", message)
    assert span is not None and 1e-7 < float(span[1]) / 20 <= 1e-6, "what is short is short beside the run"
    # It swings out under 3/2 and back under 1/2: each swing is a third as wide as the one before.
    assert run.t[-1] == pytest.approx((2 + 2 / 3) / (1 - np.sqrt(1 / 3)), abs=1e-4)


def test_a_kink_is_no_jump() -> None:
    run = block(lambda t, x, v: -STIFFNESS * ph.maximum(x, 0) - ph.minimum(x, 0)).simulate(5, start={"x0": 1.0})
    assert run.status == "done" and not run.notices


def test_blocks_that_jump_together_move_as_one_alone() -> None:
    start = {"x0": 1.0, "x1": 1.0, "x2": -1.0}
    together = block(dry, 3).simulate(1.5, start=start)
    alone = block(dry).simulate(1.5, start={"x0": 1.0})
    for name, side in (("x0", 1.0), ("x1", 1.0), ("x2", -1.0)):
        assert np.abs(together[name] - side * alone["x0"]).max() < 1e-7


def test_friction_under_a_controller_is_the_same_as_under_a_spring() -> None:
    driven = block(lambda t, x, v: -FRICTION * ph.sign(v))
    run = driven.simulate(1.5, start={"x0": 1.0}, tau=lambda t, q, u: [-STIFFNESS * q[0]], samples=31)
    exact, _ = piecewise_cosine(1.0, 0.0, run.t)
    assert np.abs(run["x0"] - exact).max() < 1e-7


def bead(twice: bool = False) -> ph.System:
    """A bead on a circle with dry friction; twice, by rows that say the same, and of which one vanishes at a pose."""
    s = ph.System("bead", gravity=(0, 0, "-9.81"))
    bead, frame = s.body("bead", 1), s.body("frame", 0)
    x = s.joint("x", s.ground, frame, ph.Prismatic("x"))
    z = s.joint("z", frame, bead, ph.Prismatic("z"))
    circle = x.q[0] ** 2 + z.q[0] ** 2 - 1
    for name, row in {"aside": x.q[0] * circle, "below": z.q[0] * circle}.items() if twice else [("circle", circle)]:
        s.constrain(row, name)
    push = ph.sign(x.u[0] * -z.q[0] + z.u[0] * x.q[0]) / 2
    s.joint_force(x, push * z.q[0], name="friction")
    s.joint_force(z, -push * x.q[0], name="friction")
    return s


def bob() -> ph.Equations:
    """The same held by a hinge."""
    p = ph.System("pendulum")
    hinge = p.joint("hinge", p.ground, p.body("bob", 1, (0, 0, -1)), ph.Revolute("-y"))
    p.joint_force(hinge, -ph.sign(hinge.u[0]) / 2, name="friction")
    return p.derive()


def test_signs_are_held_past_a_singular_pose() -> None:
    """The row that is solved with vanishes on the way; one rate without friction would be off by 3e-5 at the end."""
    run = bead(twice=True).derive().simulate(0.8, start={"x": np.sin(1.4), "z": -np.cos(1.4)})
    exact = bob().simulate(0.8, start={"hinge": 1.4})
    assert run["x"][-1] == pytest.approx(np.sin(exact["hinge"][-1]), abs=1e-8)
    assert not any("singular" in notice for notice in run.notices)


@pytest.mark.parametrize("constraints", ["multipliers", "embedded"])
def test_friction_jumps_in_a_mechanism_with_constraints(constraints: str) -> None:
    """A bead on a circle, held there by a constraint or by a hinge."""
    options = {"samples": 41}
    s = bead()
    equations = s.derive(constraints=constraints, independent=["x"]) if constraints == "embedded" else s.derive()
    bead_run = equations.simulate(2, start={"x": np.sin(1.0), "z": -np.cos(1.0)}, **options)
    bob_run = bob().simulate(2, start={"hinge": 1.0}, **options)
    assert np.abs(bead_run["x"] - np.sin(bob_run["hinge"])).max() < 1e-6
    assert any("jumped" in notice for notice in bead_run.notices)


@pytest.mark.parametrize(("kind", "told"), [("linear", True), ("pchip", False)])
def test_a_table_whose_slope_jumps_is_told(kind: str, told: bool) -> None:
    s = ph.System("ridges", gravity=(0, 0, 0))
    slide = s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"))
    s.potential(ph.table([0, 1, 2, 3], [0, 1, 0, 1], kind=kind, name="ridge")(slide.q[0]))
    run = s.derive().simulate(3.5, start={"x": 2.5})  # to and fro, through the valley at 1 s and at 3 s
    assert run.energy_drift < 1e-6
    assert ["the slope of table 'ridge' jumped 2 times" in notice for notice in run.notices] == [True] * told
