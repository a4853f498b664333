"""Bodies in a plane that slide, tip, rock, roll and leave: angles and times from energy, by quadrature."""

from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq, linprog
from tests.contact.scenes import EXACT, OPEN, SLIP, STICK, G, impacts, modes, moving, time_between

import polhode as ph
from polhode.simulate import crossing


def test_a_ladder_without_friction_leaves_the_wall_at_two_thirds_of_its_height() -> None:
    s, steep = ph.System("ladder"), 1.2
    ladder = moving(s, "ladder", 1, "xzt", inertia="1/3")
    s.contact("foot", s.point(ladder, (-1, 0, 0)), s.surface("floor", s.ground, ph.Shape.plane("z")))
    s.contact("top", s.point(ladder, (1, 0, 0)), s.surface("wall", s.ground, ph.Shape.plane("x")))
    start = {"ladder x": np.cos(steep), "ladder z": np.sin(steep), "ladder t": np.pi - steep}
    e = s.derive()
    run = e.simulate(1.5, start=start, until=e.q[1] - 0.05, **EXACT)
    leaves = np.arcsin(2 / 3 * np.sin(steep))
    times, after = modes(run)
    assert after == [[STICK, STICK], [STICK, OPEN]]
    expected = time_between(lambda a: -np.sqrt(1.5 * G * (np.sin(steep) - np.sin(a))), steep, leaves)
    assert times[1] == pytest.approx(expected, abs=1e-9)
    there = e.simulate(times[1], start=start, **EXACT)
    assert 2 * there["ladder z"][-1] == pytest.approx(2 / 3 * 2 * np.sin(steep), abs=1e-9)


TOP = 0.3  # the angle on the sphere at which bodies are released


def test_a_point_leaves_a_smooth_sphere_at_two_thirds() -> None:
    s = ph.System("point")
    s.contact("touch", moving(s, "point", 1, "xz"), s.surface("dome", s.ground, ph.Shape.sphere(1)))
    run = s.derive().simulate(1.5, start={"point x": np.sin(TOP), "point z": np.cos(TOP)}, **EXACT)
    leaves = np.arccos(2 / 3 * np.cos(TOP))
    times, after = modes(run)
    assert after == [[STICK], [OPEN]]
    assert times[1] == pytest.approx(
        time_between(lambda a: np.sqrt(2 * G * (np.cos(TOP) - np.cos(a))), TOP, leaves), abs=1e-9
    )


@cache
def ball_on_a_dome() -> ph.Equations:
    """A ball of radius 1/5 on a sphere of radius 4/5: 1 m between the centres."""
    s = ph.System("dome")
    ball = moving(s, "ball", 2, "xzt", inertia=2 * 2 / 5 / 25)
    skin, dome = s.surface("skin", ball, ph.Shape.sphere("1/5")), s.surface("dome", s.ground, ph.Shape.sphere("4/5"))
    s.contact("touch", skin, dome, friction=s.parameter("mu", 1))
    return s.derive()


def test_a_ball_that_rolls_from_a_sphere_slips_before_it_leaves() -> None:
    """It rolls with ω² = 10/7 g (cos θ₀ - cos θ) until 2 sin θ = μ (17 cos θ - 10 cos θ₀), then slips."""
    mu = 0.6
    start = {"ball x": np.sin(TOP), "ball z": np.cos(TOP)}
    run = ball_on_a_dome().simulate(1.5, start=start, parameters={"mu": mu}, **EXACT)
    slips = brentq(lambda a: 2 * np.sin(a) - mu * (17 * np.cos(a) - 10 * np.cos(TOP)), TOP, 1.5, xtol=1e-15)
    rolling = time_between(lambda a: np.sqrt(10 / 7 * G * (np.cos(TOP) - np.cos(a))), TOP, slips)

    def normal(t: float, x: Any) -> float:
        return G * np.cos(x[0]) - x[1] ** 2

    normal.terminal = True  # type: ignore[attr-defined]
    speed = np.sqrt(10 / 7 * G * (np.cos(TOP) - np.cos(slips)))
    flight = solve_ivp(
        lambda t, x: [x[1], G * np.sin(x[0]) - mu * normal(t, x)], (0, 1), [slips, speed], "DOP853", events=normal,
        rtol=1e-12, atol=1e-13,
    )  # fmt: skip
    times, after = modes(run)
    assert after == [[STICK], [SLIP], [OPEN]]
    assert times[1:] == pytest.approx([rolling, rolling + flight.t[-1]], abs=1e-9)


def test_a_ball_that_rolls_with_great_friction_leaves_at_ten_seventeenths() -> None:
    start = {"ball x": np.sin(TOP), "ball z": np.cos(TOP)}
    run = ball_on_a_dome().simulate(1.5, start=start, parameters={"mu": 1e4}, **EXACT)
    times, after = modes(run)
    leaves = np.arccos(10 / 17 * np.cos(TOP))
    assert after[-1] == [OPEN]
    assert times[-1] == pytest.approx(
        time_between(lambda a: np.sqrt(10 / 7 * G * (np.cos(TOP) - np.cos(a))), TOP, leaves), abs=1e-6
    )


@cache
def box(b: float, h: float) -> ph.Equations:
    """A box of 2 b times 2 h in a plane on its lower corners; the input `push` is along x, the parameter `at` high."""
    s = ph.System("box")
    body = moving(s, "box", 3, "xzt", inertia=b * b + h * h)
    floor, laws = s.surface("floor", s.ground, ph.Shape.plane()), {"friction": s.parameter("mu", 1)}
    for name, side in (("left", -b), ("right", b)):
        s.contact(name, s.point(body, (side, 0, -h)), floor, **laws)
    s.force(body, (s.input("push"), 0, 0), at=(0, 0, s.parameter("at", 0) - h))
    return s.derive()


@pytest.mark.parametrize(("mu", "height", "after"), [(0.3, 0.6, [SLIP, SLIP]), (0.5, 0.6, [OPEN, STICK])])
def test_a_pushed_box_slides_or_tips(mu: float, height: float, after: list[int]) -> None:
    """It slides at F = μ m g or tips at m g b/d, whichever is first."""
    e = box(0.2, 0.5)
    given = {"mu": mu, "at": height}
    run = e.simulate(3, start={"box z": 0.5}, inputs={"push": "7*t"}, parameters=given, until=e.q[2] + 0.01, **EXACT)
    times, kept = modes(run)
    assert kept[:2] == [[STICK, STICK], after]
    assert times[1] == pytest.approx(3 * G * min(mu, 0.2 / height) / 7, abs=1e-9)


@pytest.mark.parametrize("mu", [0.3, 0.5])
def test_a_box_that_falls_over_its_corner_slips_back_or_forth(mu: float) -> None:
    """With ψ the angle of the arm R from the corner to the centre, ω² = 3/2 g/R (cos ψ₀ - cos ψ)."""
    b, h = 0.2, 0.5
    R, lean, first = np.hypot(b, h), np.arctan(b / h), 0.1
    turn = -(lean + first)
    centre = [R * np.sin(first), R * np.cos(first)]

    def grip(psi: float) -> float:
        """Friction over normal force at the corner."""
        square, rate = 1.5 * G / R * (np.cos(first) - np.cos(psi)), 0.75 * G / R * np.sin(psi)
        along = rate * np.cos(psi) - square * np.sin(psi)
        return R * along / (G - R * (rate * np.sin(psi) + square * np.cos(psi)))

    angles = np.linspace(first, 1.5, 1000)
    where = next(k for k, a in enumerate(angles) if abs(grip(a)) > mu)
    slips = brentq(lambda a: abs(grip(a)) - mu, angles[where - 1], angles[where], xtol=1e-15)
    start = {"box x": centre[0], "box z": centre[1], "box t": turn}
    e = box(b, h)
    run = e.simulate(2, start=start, parameters={"mu": mu}, until=e.q[2] + slips + lean + 0.05, **EXACT)
    times, after = modes(run)
    assert after[:2] == [[OPEN, STICK], [OPEN, SLIP]]
    expected = time_between(lambda a: np.sqrt(1.5 * G / R * (np.cos(first) - np.cos(a))), first, slips)
    assert times[1] == pytest.approx(expected, abs=1e-9)
    assert (run.contact("right").slip[-1] < 0) == (grip(slips) > 0)


@pytest.mark.parametrize(("b", "h"), [(0.4, 0.6), (0.2, 0.8)])
def test_a_rocking_block_loses_speed_as_housner_has_it_and_comes_to_rest(b: float, h: float) -> None:
    """Speeds after and before an impact are as 1 - 3/2 sin² α; ω² = 3/2 g/R (cos(α - top) - cos(α - θ)) between."""
    R, alpha, top = np.hypot(b, h), np.arctan(b / h), 0.1
    start = {"box x": b - R * np.sin(alpha - top), "box z": R * np.cos(alpha - top), "box t": -top}
    run = box(b, h).simulate(8, start=start, parameters={"mu": 3}, **EXACT)
    loss = (1 - 1.5 * np.sin(alpha) ** 2) ** 2

    def fall(top: float) -> float:
        return time_between(
            lambda a: -np.sqrt(3 * G / R * np.sin(alpha - (a + top) / 2) * np.sin((top - a) / 2)), top, 0
        )

    def energy(top: float) -> float:
        return float(np.sin(alpha - top / 2) * np.sin(top / 2))

    expected = [fall(top)]
    while top > 1e-22:
        left = loss * energy(top)
        top = brentq(lambda a, left=left: energy(a) - left, 0, top, xtol=1e-40, rtol=1e-14)
        expected.append(expected[-1] + 2 * fall(top))
    found, ends = impacts(run), run.info["contacts"].changes[-1].ends
    assert found[:20] == pytest.approx(expected[:20], abs=1e-9)
    assert ends == pytest.approx(expected[-1], abs=1e-7)
    assert modes(run)[1][-1] == [STICK, STICK]
    after = run.q[run.t > ends]
    assert after[-1] == pytest.approx([0, h, 0], abs=1e-9)
    assert not np.ptp(after, axis=0).any()


@pytest.mark.parametrize(("mu", "spin"), [(mu, spin) for mu in (4 / 3 - 1e-6, 4 / 3 + 1e-6) for spin in (0.0, -6.0)])
def test_painleves_rod_has_no_motion_or_several_beyond_four_thirds(mu: float, spin: float) -> None:
    """At tan θ = 2, G_N - μ G_T = (8/5 - 6/5 μ)/m; with ω² sin θ > g the tip may also leave."""
    s, angle = ph.System("rod"), np.arctan(2)
    rod = moving(s, "rod", 1, "xzt", inertia="1/3")
    s.contact("tip", s.point(rod, (-1, 0, 0)), s.surface("floor", s.ground, ph.Shape.plane()), friction=mu)
    start = {"rod x": np.cos(angle), "rod z": np.sin(angle), "rod t": angle}
    speeds = {"rod vx": -1 - spin * np.sin(angle), "rod vz": spin * np.cos(angle), "rod vt": spin}
    e = s.derive()
    if mu > 4 / 3 and not spin:
        with pytest.raises(ph.PolhodeError, match=r"no contact forces fit .*'tip'"):
            e.simulate(0.1, start=start, speeds=speeds)
        return
    run = e.simulate(0.1, start=start, speeds=speeds)
    assert run.info["contacts"].changes[0].modes[0] == (OPEN if spin else SLIP)
    assert any("several motions" in notice for notice in run.info["notices"]) == (mu > 4 / 3)


def test_a_ladder_slips_under_a_load_when_no_forces_hold_it() -> None:
    """A load 9 t at three quarters of it, friction 2/5 at the ground and 1/5 at the wall; by a linear program."""
    steep, far = 1.0, 1.5
    c, v = np.cos(steep), np.sin(steep)
    s = ph.System("ladder")
    ladder = moving(s, "ladder", 4, "xzt", inertia="4/3")
    floor, wall = (s.surface(name, s.ground, ph.Shape.plane(axis)) for name, axis in (("floor", "z"), ("wall", "x")))
    s.contact("foot", s.point(ladder, (-1, 0, 0)), floor, friction="2/5")
    s.contact("top", s.point(ladder, (1, 0, 0)), wall, friction="1/5")
    s.force(ladder, (0, 0, -9 * s.time), at=(far - 1, 0, 0))
    start = {"ladder x": c, "ladder z": v, "ladder t": np.pi - steep}
    e = s.derive()
    run = e.simulate(9, start=start, until=e.q[1] - 0.7, **EXACT)
    # foot N, T (+x), wall N (+x), T (+z), load; moments about the foot, which is at (2 c, 0), the top at (0, 2 v)
    balance = [[0, 1, 1, 0, 0], [1, 0, 0, 1, -1], [0, 0, -2 * v, -2 * c, far * c]]
    cones = [[-0.4, 1, 0, 0, 0], [-0.4, -1, 0, 0, 0], [0, 0, -0.2, 1, 0], [0, 0, -0.2, -1, 0]]
    bounds = [(0, None), (None, None), (0, None), (None, None), (0, None)]
    best = linprog([0, 0, 0, 0, -1], cones, np.zeros(4), balance, [0, 4 * G, -4 * G * c], bounds)
    times, after = modes(run)
    assert after[:2] == [[STICK, STICK], [SLIP, SLIP]]
    assert times[1] == pytest.approx(-best.fun / 9, abs=1e-9)


@pytest.mark.parametrize("spokes", [6, 8])
def test_a_rimless_wheel_rolls_down_a_slope_with_its_steady_speed(spokes: int) -> None:
    """Impacts take ω to η ω, η = (J + m l² cos 2α)/(J + m l²); ω² tends to 4 η² K sin α sin γ/(1 - η²) by η²."""
    slope, J, alpha = 0.15, 0.2, np.pi / spokes
    s = ph.System("wheel", gravity=(G * np.sin(slope), 0, -G * np.cos(slope)))
    wheel, floor = moving(s, "wheel", 1, "xzt", inertia=J), s.surface("floor", s.ground, ph.Shape.plane())
    for k in range(spokes):
        turn = alpha + 2 * alpha * k
        s.contact(f"spoke {k}", s.point(wheel, (np.sin(turn), 0, np.cos(turn))), floor, friction=2)
    speeds = {"wheel vx": 2 * np.cos(alpha), "wheel vz": 2 * np.sin(alpha), "wheel vt": -2}
    run = s.derive().simulate(8, start={"wheel z": np.cos(alpha)}, speeds=speeds, **EXACT)
    eta, pull = (J + np.cos(2 * alpha)) / (J + 1), G / (J + 1)
    steady = np.sqrt(4 * eta**2 * pull * np.sin(alpha) * np.sin(slope) / (1 - eta**2))
    struck = impacts(run)
    spins = np.array([run.u[abs(run.t - t) < 1e-9, 2][[0, -1]] for t in struck])
    assert spins[:, 1] / spins[:, 0] == pytest.approx(eta, abs=1e-9)
    excess = spins[:, 1] ** 2 - steady**2
    assert excess[1:] == pytest.approx(eta**2 * excess[:-1], abs=1e-9)


@pytest.mark.parametrize("start", [0, 1])
def test_a_body_that_an_event_has_moved_falls_or_is_refused_where_it_overlaps(start: float) -> None:
    s = ph.System("block")
    s.contact("floor", moving(s, "block", 1, "xz"), s.surface("floor", s.ground, ph.Shape.plane()), restitution=0.5)
    e, late = s.derive(), crossing(s.time - 0.2, direction=1)
    run = e.simulate(0.5, start={"block z": start}, on={late: {"block z": 0.1, "block vz": 0}}, **EXACT)
    assert impacts(run)[0] == pytest.approx(0.2 + np.sqrt(0.2 / G), abs=1e-9)
    with pytest.raises(ph.PolhodeError, match=r"overlaps by 0.1.\n.*Change it to where it touches: {'block z': 0}"):
        e.simulate(0.5, start={"block z": start}, on={late: {"block z": -0.1}})
