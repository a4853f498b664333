"""Dry friction with circular cones, of points that slide anywhere in a plane."""

from functools import cache

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from tests.contact.scenes import EXACT, SLIP, STICK, G, modes, moving

import polhode as ph

SLOPE = 0.4


@cache
def block() -> ph.Equations:
    """A point of 2 kg on a plane with +x downhill, under forces along x and y."""
    s = ph.System("block", gravity=(G * np.sin(SLOPE), 0, -G * np.cos(SLOPE)))
    floor = s.surface("floor", s.ground, ph.Shape.plane())
    s.contact("sole", moving(s, "block", 2, "xyz"), floor, friction=s.parameter("mu", 0.5))
    return s.derive()


@pytest.mark.parametrize("ratio", [1.2, 2.0])
@pytest.mark.parametrize("heading", [0.5, np.pi / 2, 2.5])
def test_a_block_thrown_across_a_slope_stops_at_a_known_time(ratio: float, heading: float) -> None:
    """With k = μ/tan α, v the speed and φ its angle to downhill: v (k + cos φ) falls by (k² - 1) g sin α."""
    pull, v = G * np.sin(SLOPE), 3.0
    start = {"block vx": v * np.cos(heading), "block vy": v * np.sin(heading)}
    run = block().simulate(6, speeds=start, parameters={"mu": ratio * np.tan(SLOPE)}, samples=7, **EXACT)
    times, after = modes(run)
    assert after == [[SLIP], [STICK]]
    assert times[-1] == pytest.approx(v * (ratio + np.cos(heading)) / (pull * (ratio**2 - 1)), abs=1e-9)


def test_a_block_pushed_across_a_slope_follows_another_integration() -> None:
    pull, grip = G * np.sin(SLOPE), 0.3 * G * np.cos(SLOPE)

    def rates(t: float, x: np.ndarray) -> np.ndarray:
        v = x[2:]
        return np.concatenate([v, [pull, np.sin(3 * t)] - grip * v / np.hypot(*v)])

    judge = solve_ivp(rates, (0, 2), [0, 0, -1, 2], method="DOP853", rtol=1e-12, atol=1e-13)
    run = block().simulate(
        2, speeds={"block vx": -1, "block vy": 2}, tau={"block y": "2*sin(3*t)"}, parameters={"mu": 0.3}, **EXACT
    )
    assert [run["block x"][-1], run["block y"][-1]] == pytest.approx(judge.y[:2, -1], abs=1e-9)


def test_at_the_angle_of_friction_the_final_speed_is_half_of_the_first() -> None:
    run = block().simulate(60, speeds={"block vy": 2}, parameters={"mu": np.tan(SLOPE)}, samples=3, **EXACT)
    assert [run.speed("block vx")[-1], run.speed("block vy")[-1]] == pytest.approx([1, 0], abs=1e-9)


@pytest.mark.parametrize("is_elliptic", [False, True])
def test_a_rotating_load_breaks_a_block_loose_at_the_rim_of_the_cone(is_elliptic: bool) -> None:
    """F = t (cos 5t, sin 5t) reaches μ m g cos α = R at t = R; (a cos t, b sin t) at sin² t = (R² - a²)/(b² - a²)."""
    rim, pull = 0.5 * 2 * G * np.cos(SLOPE), 2 * G * np.sin(SLOPE)
    a, b = 2.0, 10.0
    along = [f"{a}*cos(t)", f"{b}*sin(t)"] if is_elliptic else ["t*cos(5*t)", "t*sin(5*t)"]
    run = block().simulate(10, tau={"block x": f"{along[0]} - {float(pull)!r}", "block y": along[1]}, **EXACT)
    slips = np.arcsin(np.sqrt((rim**2 - a**2) / (b**2 - a**2))) if is_elliptic else rim
    times, after = modes(run)
    assert after[:2] == [[STICK], [SLIP]]
    assert times[1] == pytest.approx(slips, abs=1e-9)


@pytest.mark.parametrize("spin", [(0.0, 0.0), (30.0, -20.0), (-60.0, 50.0)])
def test_a_billiard_ball_slides_along_a_parabola_until_it_rolls(spin: tuple[float, float]) -> None:
    """The slip s = v + ω × (-r e_z) keeps its direction, so friction is constant; it ends after 2 |s|/(7 μ g)."""
    r, mu, v, w = 0.03, 0.2, np.array([2.0, 0.5]), np.array(spin)
    s = ph.System("billiard")
    ball = s.body("ball", 0.2, inertia=ph.sphere(0.2, r))
    s.joint("f", s.ground, ball, ph.Free())
    skin, cloth = s.surface("skin", ball, ph.Shape.sphere(r)), s.surface("cloth", s.ground, ph.Shape.plane())
    s.contact("touch", skin, cloth, friction=mu)
    speeds = {"f_vx": v[0], "f_vy": v[1], "f_wx": w[0], "f_wy": w[1], "f_wz": 15}
    run = s.derive().simulate(2, start={"f_z": r}, speeds=speeds, **EXACT)
    slip = v + r * np.array([-w[1], w[0]])
    rolls, push = 2 / 7 * np.hypot(*slip) / (mu * G), -mu * G * slip / np.hypot(*slip)
    end = v * 2 + push * rolls**2 / 2 + push * rolls * (2 - rolls)
    times, after = modes(run)
    assert after == [[SLIP], [STICK]]
    assert times[1] == pytest.approx(rolls, abs=1e-9)
    assert [run["f_x"][-1], run["f_y"][-1], run["f_z"][-1]] == pytest.approx([*end, r], abs=1e-8)


def test_a_block_on_a_shaken_table_slips_when_its_acceleration_is_beyond_friction() -> None:
    """A table that moves by a sin ωt along x: the block on it slips when a ω² sin ωt = μ g."""
    a, w = 0.05, 12.0
    s = ph.System("table")
    table = s.body("table", 0)
    s.prescribe(s.joint("shake", s.ground, table, ph.Prismatic("x")), a * ph.sin(w * s.time))
    s.contact("sole", moving(s, "block", 2, "xyz"), s.surface("top", table, ph.Shape.plane()), friction=0.5)
    run = s.derive().simulate(0.2, speeds={"block vx": a * w}, **EXACT)
    times, after = modes(run)
    assert after[:2] == [[STICK], [SLIP]]
    assert times[1] == pytest.approx(np.arcsin(0.5 * G / (a * w * w)) / w, abs=1e-9)


def test_stribeck_friction_in_a_plane_follows_another_integration() -> None:
    s = ph.System("block", gravity=(G * np.sin(SLOPE), 0, -G * np.cos(SLOPE)))
    floor = s.surface("floor", s.ground, ph.Shape.plane())
    s.contact("sole", moving(s, "block", 2, "xyz"), floor, friction=0.3, static=0.7, stribeck=1.5)

    def rates(t: float, x: np.ndarray) -> np.ndarray:
        v, speed = x[2:], np.hypot(*x[2:])
        grip = (0.3 + 0.4 * np.exp(-((speed / 1.5) ** 2))) * G * np.cos(SLOPE)
        return np.concatenate([v, [G * np.sin(SLOPE), 0] - grip * v / speed])

    def slow(t: float, x: np.ndarray) -> float:
        return float(np.hypot(*x[2:]) - 1e-4)

    # SciPy reads this attribute of a function
    slow.terminal = True  # type: ignore[attr-defined]
    judge = solve_ivp(rates, (0, 3), [0, 0, -1, 2], method="DOP853", rtol=1e-12, atol=1e-13, events=slow)
    run = s.derive().simulate(3, speeds={"block vx": -1, "block vy": 2}, samples=2, **EXACT)
    times, after = modes(run)
    assert after == [[SLIP], [STICK]]
    assert times[1] == pytest.approx(judge.t[-1] + 1e-4 / (0.7 * G * np.cos(SLOPE) - G * np.sin(SLOPE)), abs=1e-4)
    assert [run["block x"][-1], run["block y"][-1]] == pytest.approx(judge.y[:2, -1], abs=1e-7)


@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning")  # of SciPy's derivatives
@pytest.mark.parametrize("excess", [1e-6, 1e-4])
def test_a_point_that_hardly_slides_follows_a_load_that_turns(excess: float) -> None:
    """A load of μ m g (1 + ε) that turns: friction turns the slip within |v|/(μ g), far below the time of a step."""
    s = ph.System("point")
    floor = s.surface("floor", s.ground, ph.Shape.plane())
    s.contact("sole", moving(s, "block", 1, "xyz"), floor, friction=0.5)
    push = 0.5 * G * (1 + excess)
    along = {"block x": f"{push!r}*cos(2*t)", "block y": f"{push!r}*sin(2*t)"}
    run = s.derive().simulate(1, tau=along, samples=11)

    def rates(t: float, x: np.ndarray) -> np.ndarray:
        v = x[2:]
        return np.concatenate([v, push * np.array([np.cos(2 * t), np.sin(2 * t)]) - 0.5 * G * v / np.hypot(*v)])

    begins = 1e-4
    first = [0, 0, 0.5 * G * excess * begins, 0]
    judge = solve_ivp(rates, (begins, 1), first, method="Radau", rtol=1e-9, atol=1e-16)
    slid = judge.y[:2, -1]
    assert run.info["steps"] < 500
    assert [run["block x"][-1], run["block y"][-1]] == pytest.approx(slid, abs=2e-3 * np.hypot(*slid))
    sole = run.contact("sole")
    assert np.linalg.norm(sole.tangential[-1]) == pytest.approx(0.5 * G)
