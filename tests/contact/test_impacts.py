"""Impacts: the bouncing ball and its limit, balls in a row, and laws that may or may not gain energy."""

from functools import cache

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.contact.scenes import EXACT, STICK, G, impacts, modes, moving, stop
from tests.refusals import refused
from tests.seeds import seeds

import polhode as ph
from polhode.simulate import crossing


@pytest.mark.parametrize("e", [0.0, 0.3, 0.8])
def test_a_bouncing_ball_bounces_at_known_times_and_comes_to_rest_at_their_limit(e: float) -> None:
    """With T = √(2 h/g): impacts at T (1 + 2 e (1 - eⁿ)/(1 - e)), the limit at T (1 + e)/(1 - e)."""
    s = ph.System("ball")
    s.joint("z", s.ground, s.body("ball", 1), ph.Prismatic("z"), speeds=["v"])
    stop(s, "floor", "z", lower=0, restitution=s.parameter("e", 0))
    run = s.derive().simulate(20, start={"z": 1}, parameters={"e": e}, samples=9, **EXACT)
    found, fall = impacts(run), np.sqrt(2 / G)
    n = np.arange(len(found) - 1) if e else np.zeros(1)
    assert found[: len(n)] == pytest.approx(fall * (1 + 2 * e * (1 - e**n) / (1 - e)), abs=1e-9)
    last = run.info["contacts"].changes[-1]
    assert (last.t if last.ends is None else last.ends) == pytest.approx(fall * (1 + e) / (1 - e), abs=1e-9)
    assert modes(run)[1][-1] == [STICK]
    assert run.contact("floor").normal[-1] == pytest.approx(G)
    rest = run.x[run.t > last.t + 1e-6]
    assert not np.ptp(rest, axis=0).any()
    assert abs(rest[0]).max() < 1e-12


def test_events_are_where_an_impact_changes_their_sign() -> None:
    """Friction of an impact takes v_x of a block across 2 m/s, and each but the last throws v_z upwards."""
    s = ph.System("block")
    moving(s, "block", 2, "xz")
    s.contact("sole", s.bodies["block"], s.surface("ice", s.ground, ph.Shape.plane()), friction=0.4, restitution=0.2)
    e, given = s.derive(), {"start": {"block z": 0.2}, "speeds": {"block vx": 3}}
    vx, vz = e.u
    zeros = [vx - 2, crossing(vx - 2, 1), lambda t, q, u: u[0] - 2, crossing(vz, 1), crossing(vz, -1), vz]
    run = e.simulate(1, events=zeros, **given)
    times, fall = impacts(run), np.sqrt(2 * 0.2 / G)
    assert run.events[:3] == [[times[1]], [], [times[1]]], "before it v_x is 2.05, and behind 1.86"
    apexes = times[:-2] + np.diff(times)[:-1] / 2
    assert run.events[3] == times[:-1].tolist(), "the last ends the row: v_z becomes zero, and stays"
    assert run.events[4][: len(apexes)] == pytest.approx(apexes, abs=1e-9)
    assert run.events[5] == pytest.approx(sorted([*run.events[3], *run.events[4]]), abs=1e-12)
    ended = e.simulate(1, until=vx - 2, **given)
    assert ended.status == "event" and ended.t[-1] == times[1] == pytest.approx(fall * (1 + 2 * 0.2))
    assert ended.u[-2, 0] > 2 > ended.u[-1, 0]
    pushed = e.simulate(times[1] + 1e-3, on={vx - 2: {"block vx": 7}}, **given)
    assert pushed.u[-1, 0] == 7 and pushed.events[0] == pytest.approx([times[1]])
    refused("an event changes its sign by an impact", lambda: e.sensitivities(1, ["block vx"], until=vx - 2, **given))


@pytest.mark.parametrize(("far", "e"), [(130, 0.7), (150, 0.8), (1e4, 0.5), (1e6, 0.5)])
def test_a_ball_comes_to_rest_on_a_stop_that_is_far_away(far: float, e: float) -> None:
    s = ph.System("ball")
    s.joint("z", s.ground, s.body("ball", 1), ph.Prismatic("z"))
    stop(s, "floor", "z", lower=s.parameter("far", 1), restitution=s.parameter("e", 0))
    run = s.derive().simulate(6, start={"z": far + 1}, parameters={"far": far, "e": e}, samples=9)
    assert run["z"][-1] == pytest.approx(far, rel=1e-14) and run.u[-1] == 0
    (ends,) = (change.ends for change in run.info["contacts"].changes if change.ends)
    assert ends == pytest.approx(np.sqrt(2 / G) * (1 + e) / (1 - e), abs=1e-5)


@pytest.mark.parametrize("late", [10.0, 1e4, 1e6])
def test_a_row_of_impacts_ends_at_its_limit_late_in_a_run_too(late: float) -> None:
    s = ph.System("ball")
    s.joint("z", s.ground, s.body("ball", 1), ph.Prismatic("z"), speeds=["v"])
    stop(s, "floor", "z", lower=0, restitution=0.8)
    run = s.derive().simulate(late + 3.2, on={s.time - late: {"v": 3}}, samples=5)
    (ends,) = (change.ends for change in run.info["contacts"].changes if change.ends)
    assert ends - late == pytest.approx(6 / G / 0.2, abs=1e-14 * late + 1e-9)


@cache
def balls_in_a_row() -> ph.Equations:
    """Three equal balls of radius 1/10 on a line."""
    s = ph.System("cradle", gravity=(0, 0, 0))
    skins = []
    for name in "ABC":
        skins.append(s.surface(f"skin {name}", moving(s, name, 1, "x"), ph.Shape.sphere("1/10")))
    for a, b in ((0, 1), (1, 2)):
        s.contact(f"touch {a}", skins[a], skins[b], restitution=1)
    return s.derive()


@pytest.mark.parametrize("law", ["moreau", "newton", "poisson"])
@pytest.mark.parametrize(("gap", "after"), [(0.0, (-1 / 3, 2 / 3, 2 / 3)), (1e-3, (0, 0, 1))])
def test_newtons_cradle(gap: float, law: str, after: tuple[float, ...]) -> None:
    start = {"A x": -0.5, "B x": 0.0, "C x": 0.2 + gap}
    run = balls_in_a_row().simulate(2, start=start, speeds={"A vx": 1}, impacts=law, **EXACT)
    assert run.u[-1] == pytest.approx(after, abs=1e-12)
    assert any("several contacts" in notice for notice in run.info["notices"]) == (gap == 0)
    assert impacts(run) == pytest.approx([0.3, 0.3 + gap][: 1 + (gap > 0)], abs=1e-9)


SHAPES = {
    "box": (ph.Shape.box("2/5", "3/10", "1/5"), ph.box(1, "2/5", "3/10", "1/5")),
    "capsule": (ph.Shape.capsule("1/10", "3/10"), (0.01, 0.01, 0.004)),
    "cylinder": (ph.Shape.cylinder("3/20", "1/5"), (0.01, 0.01, 0.012)),
    "disc": (ph.Shape.disc("3/20"), (0.006, 0.006, 0.012)),
}


@cache
def dropped(kind: str) -> ph.Equations:
    s, (shape, inertia) = ph.System("drop"), SHAPES[kind]
    body = s.body("body", 1, inertia=inertia)
    s.joint("f", s.ground, body, ph.Free())
    skin, floor = s.surface("skin", body, shape), s.surface("floor", s.ground, ph.Shape.plane())
    s.contact("floor", skin, floor, friction=s.parameter("mu", 0.5), restitution=s.parameter("e", 0.3))
    return s.derive()


@pytest.mark.parametrize(("kind", "seed"), [("box", seed) for seed in seeds(8, of=20)] + [
    (kind, seed) for kind in ("capsule", "cylinder", "disc") for seed in seeds(3, of=5)
])  # fmt: skip
def test_energy_of_a_dropped_body_never_grows(kind: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, y, z, w = Rotation.random(random_state=rng).as_quat()
    laws = {"mu": rng.uniform(0, 1), "e": rng.choice([0, 0.3, 0.6])}
    start, e = {"f_e0": w, "f_e1": x, "f_e2": y, "f_e3": z, "f_z": 0.5}, dropped(kind)
    speeds = dict(zip(e.speeds, rng.normal(size=6) * [3, 3, 3, 1, 1, 1], strict=True))
    run = e.simulate(3, start=start, speeds=speeds, parameters=laws, samples=301, rtol=1e-11, atol=1e-11)
    assert np.diff(run.energy.total).max() < 1e-9
    assert run.contact("floor").gap.min() > -1e-9
    if kind == "box" and laws["mu"] > 0.2:
        assert not run.u[-1].any()


def test_a_ball_between_walls_keeps_its_speed() -> None:
    s = ph.System("walls", gravity=(0, 0, 0))
    s.joint("x", s.ground, s.body("ball", 1), ph.Prismatic("x"), speeds=["v"])
    stop(s, "walls", "x", lower=-1, upper=1, restitution=1)
    run = s.derive().simulate(100, speeds={"v": 1}, samples=3)
    assert impacts(run) == pytest.approx(np.arange(1, 100, 2), abs=1e-9)
    assert abs(run.speed("v")) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize(("gap", "e"), [(0.001, 0.5), (0.01, 0.8), (0.05, 0.1)])
def test_balls_in_a_column_do_not_pass_through_each_other_in_steps_of_seconds(gap: float, e: float) -> None:
    s, skins = ph.System("column"), []
    for k in range(3):
        ball = s.body(f"ball {k}", 1)
        s.joint(f"z{k}", s.ground, ball, ph.Prismatic("z"))
        skins.append(s.surface(f"skin {k}", ball, ph.Shape.sphere(0.1)))
    s.contact("floor", skins[0], s.surface("base", s.ground, ph.Shape.plane()), restitution=e)
    for k in (1, 2):
        s.contact(f"pair {k}", skins[k - 1], skins[k], restitution=e)
    run = s.derive().simulate(5, start={f"z{k}": 0.5 + (0.2 + gap) * k for k in range(3)})
    assert min(run.contact(name).gap.min() for name in s.contacts) > -1e-12
    assert run.q[-1] == pytest.approx([0.1, 0.3, 0.5], abs=1e-9)


@cache
def rod() -> ph.Equations:
    """A rod of 2 m and 1 kg in a plane, whose lower end hits the ground."""
    s = ph.System("rod", gravity=(0, 0, 0))
    body, floor = moving(s, "rod", 1, "xzt", inertia="1/3"), s.surface("floor", s.ground, ph.Shape.plane())
    s.contact("tip", s.point(body, (-1, 0, 0)), floor, friction=0.82, restitution=0.9)
    return s.derive()


@pytest.mark.parametrize("law", ["moreau", "newton", "poisson"])
def test_newtons_law_may_gain_energy_and_says_so(law: str) -> None:
    """Rods that hit the ground at many angles and speeds; with Moreau's law and Poisson's none gains."""
    gains = []
    for angle in (0.7, 0.875, 1.1):
        for speed in (-3.0, -1.0, 1.0):
            start = {"rod x": np.cos(angle), "rod z": np.sin(angle) + 0.1, "rod t": angle}
            speeds = {"rod vx": speed, "rod vz": -1, "rod vt": 0.2}
            run = rod().simulate(0.3, start=start, speeds=speeds, impacts=law, **EXACT)
            gain = np.ptp(run.energy.total) if run.energy.total[-1] > run.energy.total[0] + 1e-12 else 0.0
            assert any("1 impact gained energy" in notice for notice in run.info["notices"]) == (gain > 0)
            gains.append(gain)
    assert (max(gains) > 0.01) == (law == "newton")


@pytest.mark.parametrize("spin", [-40.0, 0.0, 8.0, 60.0])
def test_a_ball_that_hits_the_ground_obliquely_sticks_or_slips(spin: float) -> None:
    """Moreau's law: p_N = (1 + e) m |v_z|, and p_T = 2/7 (1 + e) m |s|, which turns the slip s to -e s, or μ p_N."""
    e, mu, r, vx, vz = 0.5, 0.3, 0.1, 2.0, -3.0
    s = ph.System("ball", gravity=(0, 0, 0))
    ball = moving(s, "ball", 1, "xzt", inertia=2 / 5 * r * r)
    skin, floor = s.surface("skin", ball, ph.Shape.sphere(r)), s.surface("floor", s.ground, ph.Shape.plane())
    s.contact("touch", skin, floor, friction=mu, restitution=e)
    speeds = {"ball vx": vx, "ball vz": vz, "ball vt": spin}
    run = s.derive().simulate(0.2, start={"ball z": 0.4}, speeds=speeds, **EXACT)
    slip = vx + r * spin  # a turn from x to z takes the lowest point along +x
    along = -np.sign(slip) * min(mu * (1 + e) * 3, 2 / 7 * (1 + e) * abs(slip))
    assert run.u[-1] == pytest.approx([vx + along, 1.5, spin + along / (2 / 5 * r)], abs=1e-9)


def test_what_moves_as_prescribed_is_stopped_by_nothing() -> None:
    """A carriage that runs into its stop, and a press on a block on a floor."""
    s = ph.System("carriage")
    s.prescribe(s.joint("x", s.ground, s.body("carriage", 1), ph.Prismatic("x")), 2 * ph.sin(s.time))
    s.joint("z", "carriage", s.body("load", 1), ph.Prismatic("z"))
    s.stop("x", -1, 1)
    s.stop("z", -1)
    with pytest.raises(ph.PolhodeError, match=r"t = 0.523599 s what moves as prescribed .* \('x stop upper'\)"):
        s.derive().simulate(3)
    s = ph.System("press")
    block, press = moving(s, "block", 1, "z"), s.body("press", 1)
    s.prescribe(s.joint("press", s.ground, press, ph.Prismatic("z")), 1 - s.time)
    s.contact("floor", block, s.surface("floor", s.ground, ph.Shape.plane()))
    s.contact("top", block, s.surface("plate", press, ph.Shape.plane("-z")))
    with pytest.raises(ph.PolhodeError, match=r"(?s)t = 1 s what moves as prescribed .* \('floor' and 'top'\).*room"):
        s.derive().simulate(3)
