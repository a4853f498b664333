"""Dry friction of blocks, balls and hinges that move along one line: times of slip and stick in closed form."""

from functools import cache

import numpy as np
import pytest
from scipy.integrate import quad
from tests.contact.scenes import EXACT, SLIP, STICK, G, dry, modes, moving

import polhode as ph

SLOPE = 0.4  # rad
RADIUS = 0.1


def slope(name: str, angle: float) -> ph.System:
    """A system whose plane across z is tilted, with +x downhill."""
    return ph.System(name, gravity=(G * np.sin(angle), 0, -G * np.cos(angle)))


@cache
def block() -> ph.Equations:
    s = slope("block", SLOPE)
    laws = {"friction": s.parameter("kinetic", 0.5), "static": s.parameter("static", 0.5)}
    s.contact("sole", moving(s, "block", 2, "xz"), s.surface("slope", s.ground, ph.Shape.plane()), **laws)
    return s.derive()


@cache
def ball(angle: float) -> ph.Equations:
    s = slope("ball", angle)
    body = s.body("ball", 3, inertia=ph.sphere(3, "1/10"))
    s.joint("f", s.ground, body, ph.Free())
    skin, floor = s.surface("skin", body, ph.Shape.sphere("1/10")), s.surface("floor", s.ground, ph.Shape.plane())
    s.contact("touch", skin, floor, friction=s.parameter("mu", 0.3))
    return s.derive()


def test_a_block_sticks_or_slips_on_a_slope() -> None:
    edge = np.tan(SLOPE)
    stands = block().simulate(1000, parameters={"kinetic": 0.1, "static": edge + 1e-9}, samples=11)
    assert not np.ptp(stands.q, axis=0).any()
    run = block().simulate(1, parameters={"kinetic": 0.1, "static": edge - 1e-9}, samples=3)
    assert run["block x"][-1] == pytest.approx(G * (np.sin(SLOPE) - 0.1 * np.cos(SLOPE)) / 2, abs=1e-9)


@pytest.mark.parametrize(("static", "after"), [(0.5, STICK), (0.4, SLIP)])
def test_a_block_thrown_uphill_stops_and_slides_back_or_not(static: float, after: int) -> None:
    up, down = (G * (np.sin(SLOPE) + sign * 0.3 * np.cos(SLOPE)) for sign in (1, -1))
    run = block().simulate(1.5, speeds={"block vx": -3}, parameters={"kinetic": 0.3, "static": static}, samples=4)
    last = run.info["contacts"].changes[-1]
    assert last.t == pytest.approx(3 / up, abs=1e-9)
    assert last.modes.tolist() == [after]
    way = -9 / 2 / up + (after == SLIP) * down * (1.5 - 3 / up) ** 2 / 2
    assert run["block x"][-1] == pytest.approx(way, abs=1e-9)


@pytest.mark.parametrize("mu", [2 / 7 * np.tan(SLOPE) * ratio for ratio in (0.5, 0.999, 1.001, 3)])
def test_a_ball_rolls_down_a_slope_if_friction_is_at_least_two_sevenths(mu: float) -> None:
    run = ball(SLOPE).simulate(1, start={"f_z": RADIUS}, parameters={"mu": mu}, samples=3, **EXACT)
    pull, grip = G * np.sin(SLOPE), mu * G * np.cos(SLOPE)
    rolls = mu > 2 / 7 * np.tan(SLOPE)
    assert modes(run)[1] == [[STICK if rolls else SLIP]]
    assert run["f_x"][-1] == pytest.approx((5 / 7 * pull if rolls else pull - grip) / 2, abs=1e-9)
    spin = 5 / 7 * pull / RADIUS if rolls else 5 / 2 * grip / RADIUS
    assert run.speed("f_wy")[-1] == pytest.approx(spin, abs=1e-8)


@pytest.mark.parametrize(("v", "w"), [(2.0, -30.0), (2.0, -80.0), (-1.0, 40.0), (3.0, 0.0)])
def test_backspin_turns_into_rolling(v: float, w: float) -> None:
    """Slip v - r ω falls by 7/2 μ g; what is left is (5 v + 2 r ω)/7, backwards if the spin was strong."""
    run = ball(0.0).simulate(
        3, start={"f_z": RADIUS}, speeds={"f_vx": v, "f_wy": w}, parameters={"mu": 0.3}, samples=7, **EXACT
    )
    slip = v - RADIUS * w
    rolls = abs(slip) / (3.5 * 0.3 * G)
    assert modes(run)[1] == [[SLIP], [STICK]]
    assert modes(run)[0][1] == pytest.approx(rolls, abs=1e-9)
    end = (5 * v + 2 * RADIUS * w) / 7
    way = v * rolls - np.sign(slip) * 0.3 * G * rolls**2 / 2 + end * (3 - rolls)
    assert [run["f_x"][-1], run.speed("f_wy")[-1]] == pytest.approx([way, end / RADIUS], abs=1e-9)


def test_stick_slip_on_a_belt() -> None:
    """Slip begins at k x = F_s and lasts 2 (π - atan(a ω/V))/ω with a = (F_s - F_k)/k, stick 2 a/V."""
    k, mass, belt, static, kinetic = 100.0, 1.0, 0.2, 6.0, 4.0
    s = ph.System("belt")
    carrier = s.body("belt", 0)
    s.prescribe(s.joint("belt", s.ground, carrier, ph.Prismatic("x")), belt * s.time)
    block = s.body("block", mass)
    x = s.joint("slip", carrier, block, ph.Prismatic("x"))
    s.joint_force(x, -k * (x.q[0] + belt * s.time))
    dry(s, "sole", "slip", coulomb=kinetic, static=static)
    times, after = modes(s.derive().simulate(4, **EXACT))
    w, a = np.sqrt(k / mass), (static - kinetic) / k
    slips, sticks = 2 * (np.pi - np.arctan(a * w / belt)) / w, 2 * a / belt
    expected = np.cumsum([0, static / k / belt, *[slips, sticks] * 4])
    assert after[:10] == [[STICK], [SLIP]] * 5
    assert times[:10] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("start", [1.0, 0.93])
def test_a_spring_with_dry_friction_comes_to_rest(start: float) -> None:
    """Half periods π/ω, amplitudes smaller by 2 F/k; it stays at the first turn with k |x| <= F_s, for ever."""
    s = ph.System("spring")
    s.joint("x", s.ground, s.body("mass", 2), ph.Prismatic("x"))
    s.joint_spring("x", 50)
    dry(s, "floor", "x", coulomb=3, static=4)
    run = s.derive().simulate(1000, start={"x": start}, samples=[10, 100, 500], **EXACT)
    halves = next(n for n in range(99) if start - 2 * n * 3 / 50 <= 4 / 50)
    times, after = modes(run)
    assert after == [[SLIP], [STICK]]
    assert times[-1] == pytest.approx(halves * np.pi / 5, abs=1e-9)
    at = run["x"][run.t >= 10]
    assert at == pytest.approx((-1) ** halves * (start - 2 * halves * 3 / 50), abs=1e-9)
    assert not np.ptp(at)


def test_a_hinge_with_stribeck_friction_breaks_away_and_spins_down() -> None:
    """It breaks away at the static torque; spinning down takes ∫ J dω/(μ_k + (μ_s - μ_k) exp(-(ω/ω_s)²))."""
    s = ph.System("hinge")
    s.joint("turn", s.ground, s.body("rotor", 0, inertia=("1/2", "1/2", "1/2")), ph.Revolute("z"), speeds=["w"])
    dry(s, "bearing", "turn", coulomb=2, static=3, stribeck="7/10")
    e = s.derive()
    ramp = e.simulate(4, tau={"turn": "1.5*t"}, **EXACT)
    assert modes(ramp)[1] == [[STICK], [SLIP]]
    assert modes(ramp)[0][1] == pytest.approx(2, abs=1e-9)
    down = e.simulate(3, speeds={"w": 5}, **EXACT)
    stops, _ = quad(
        lambda w: 0.5 / (2 + np.exp(-((w / 0.7) ** 2))), 0, 5, epsabs=1e-13, epsrel=1e-13, points=[0.7, 1.4]
    )
    assert modes(down)[1] == [[SLIP], [STICK]]
    assert modes(down)[0][1] == pytest.approx(stops, abs=1e-9)


@cache
def two_blocks() -> ph.Equations:
    """An upper block of 2 kg (0.5 on the lower), a lower one of 3 kg (0.2 on the ground), with a force on each."""
    s = ph.System("two blocks")
    lower, upper = moving(s, "lower", 3, "xz"), moving(s, "upper", 2, "xz")
    s.contact("ground", lower, s.surface("floor", s.ground, ph.Shape.plane()), friction="1/5")
    s.contact("between", upper, s.surface("top", lower, ph.Shape.plane()), friction="1/2")
    return s.derive()


def test_two_blocks_move_one_after_the_other() -> None:
    """A force 4 t on the lower block moves both at μ₁ (m₁ + m₂) g; the upper stays behind when a = μ₂ g."""
    run = two_blocks().simulate(12, tau={"lower x": "4*t"}, **EXACT)
    both = 0.2 * 5 * G / 4
    assert modes(run)[1] == [[STICK, STICK], [SLIP, STICK], [SLIP, SLIP]]
    assert modes(run)[0][1:] == pytest.approx([both, both + 0.5 * 5 * G / 4], abs=1e-9)


def test_a_block_thrown_onto_another_takes_it_along() -> None:
    """μ₂ m₂ g = 9.81 against μ₁ (m₁ + m₂) g = 9.81: the lower one just stays; at μ₁ = 1/10 it comes along."""
    run = two_blocks().simulate(3, speeds={"upper vx": 4}, **EXACT)
    assert modes(run)[1] == [[STICK, SLIP], [STICK, STICK]]
    assert modes(run)[0][1] == pytest.approx(4 / (0.5 * G), abs=1e-9)
    assert abs(run["lower x"]).max() <= 1e-12


@pytest.mark.parametrize("sign", [1, -1])
def test_friction_of_a_floor_and_of_a_guide_break_away_together(sign: int) -> None:
    """At 0.4 g + 3 = 6.924 N, of which no one determines the parts; from there 0.3 g + 2 brake."""
    s = ph.System("two frictions")
    s.contact(
        "floor", moving(s, "block", 1, "xz"), s.surface("floor", s.ground, ph.Shape.plane()), friction=0.3, static=0.4
    )
    s.friction("block x", coulomb=2, static=3)
    run = s.derive().simulate(9, tau={"block x": f"{sign}*t"}, samples=3)
    times, after = modes(run)
    assert after == [[STICK, STICK], [SLIP, SLIP]]
    assert times[1] == pytest.approx(0.4 * G + 3, abs=1e-9)
    speed = (81 - times[1] ** 2) / 2 - (9 - times[1]) * (0.3 * G + 2)
    assert run.speed("block vx")[-1] == pytest.approx(sign * speed, abs=1e-9)


@pytest.mark.parametrize(("above", "ratio"), [(0.6, 1e-6), (0.6, 1e6), (0.5, 1e3)])
def test_blocks_of_very_different_masses_slide_together(above: float, ratio: float) -> None:
    """The upper one needs 1/2 of its weight, with 1/2 at the edge of its cone."""
    s = ph.System("stack")
    lower, upper = moving(s, "lower", 1, "xz"), moving(s, "upper", ratio, "xz")
    s.contact("ground", lower, s.surface("floor", s.ground, ph.Shape.plane()), friction=0.5)
    s.contact("between", upper, s.surface("top", lower, ph.Shape.plane()), friction=above)
    run = s.derive().simulate(1, speeds={"lower vx": 1, "upper vx": 1}, samples=3, **EXACT)
    assert modes(run)[0][-1] == pytest.approx(2 / G, abs=1e-10)
    assert run.q[-1] == pytest.approx([1 / G, 0] * 2, abs=1e-9)


def test_frictions_of_geared_shafts_share_a_torque_within_their_bounds() -> None:
    """The least are in the ratio of the gears; from 5.05 N·m on the fast shaft is at its bound of 1/2 N·m."""
    s = ph.System("gears")
    for name in "wp":
        s.joint(name, s.ground, s.body(name, 0, inertia=(1, 1, 1)), ph.Revolute("z"))
    s.couple("p", "w", 10)
    s.friction("w", coulomb=2, static=3)
    s.friction("p", coulomb=0.3, static=0.5)
    run = s.derive().simulate(7, tau={"w": "t"}, samples=8)
    slow, fast = (run.contact(f"{name} friction").tangential[:, 0] for name in "wp")
    assert fast == pytest.approx(-np.minimum(run.t * 10 / 101, 0.5), abs=1e-10)
    assert slow + 10 * fast == pytest.approx(-run.t, abs=1e-10)
