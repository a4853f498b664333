"""Friction of bristles in joints: elastic below break-away, without LuGre's drift, static at break-away."""

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from tests.contact.scenes import EXACT

import polhode as ph
from polhode.formats import save_yaml

COULOMB, STATIC, STRIBECK, SIGMA, LOSS, VISCOUS = 2.0, 3.0, 0.01, 1e4, 100.0, 0.4


def slider() -> ph.Equations:
    """A kilogram on a slide, pushed by `base` + `swing` sin(20 t) + `growth` t."""
    s = ph.System("slider", gravity=(0, 0, 0))
    block = s.body("block", 1)
    s.joint("x", s.ground, block, ph.Prismatic("x"), speeds=["v"])
    laws = {"static": STATIC, "stribeck": STRIBECK, "viscous": VISCOUS, "bristle": (SIGMA, LOSS)}
    assert s.friction("x", COULOMB, **laws) is None
    base, swing, growth = (s.parameter(name, 0) for name in ("base", "swing", "growth"))
    s.force(block, (base + swing * ph.sin(20 * s.time) + growth * s.time, 0, 0))
    return s.derive()


def printed(t: float, x: Any, push: Any, is_elastic: bool) -> list[float]:
    """The equations as Dupont and others print them; LuGre's without an elastic range."""
    _, v, z = x
    steady = COULOMB + (STATIC - COULOMB) * np.exp(-((v / STRIBECK) ** 2))
    most, breaking = steady / SIGMA, 0.9 * COULOMB / SIGMA
    alpha = 1.0
    if is_elastic:
        if np.sign(v) != np.sign(z) or abs(z) <= breaking:
            alpha = 0.0
        elif abs(z) < most:
            alpha = 0.5 * np.sin(np.pi * (abs(z) - (most + breaking) / 2) / (most - breaking)) + 0.5
    rate = v * (1 - alpha * SIGMA * np.sign(v) * z / steady)
    return [v, push(t) - SIGMA * z - LOSS * rate - VISCOUS * v, rate]


def integrated(push: Any, end: float, is_elastic: bool) -> np.ndarray:
    found = solve_ivp(printed, (0, end), [0, 0, 0], "LSODA", args=(push, is_elastic), rtol=1e-10, atol=1e-13,
                      max_step=1e-3)  # fmt: skip
    return np.asarray(found.y[:, -1])


def test_bristles_do_not_drift_under_a_load_below_break_away_where_lugre_does() -> None:
    given = {"base": 1.0, "swing": 0.7}
    cycle = 2 * np.pi / 20
    run = slider().simulate(40 * cycle, parameters=given, samples=41, **EXACT)
    late = run["x"][20:]
    assert np.ptp(late) < 1e-10
    drift = integrated(lambda t: 1.0 + 0.7 * np.sin(20 * t), 40 * cycle, is_elastic=False)[0]
    assert drift > late[-1] + 1e-5


def test_bristles_break_away_at_the_static_friction_as_the_printed_equations_do() -> None:
    run = slider().simulate(4, parameters={"growth": 1.0}, samples=401, method="Radau", rtol=1e-9, atol=1e-12)
    moves = run.t[run.speed("v") > 0.05][0]
    assert moves == pytest.approx(STATIC, abs=0.15)
    assert run["x"][run.t <= 0.9 * COULOMB][-1] == pytest.approx(0.9 * COULOMB / SIGMA, rel=0.05)
    expected = integrated(lambda t: t, 4, is_elastic=True)
    assert [run["x"][-1], run.speed("v")[-1]] == pytest.approx(expected[:2], rel=1e-5)


def on_a_slope(**given: Any) -> ph.System:
    """A block that moves along and across a slope of a tangent 0.3, with gravity 10."""
    s = ph.System("slope", gravity=(0, 0, -10))
    block = s.body("block", 2)
    slope = s.surface("slope", s.ground, ph.Shape.plane(), rotation=("y", np.arctan(0.3)))
    path = ph.Compound(ph.Prismatic("x"), ph.Prismatic("y"), ph.Prismatic("z"))
    s.joint("path", s.ground, block, path, rotation=("y", np.arctan(0.3)), coordinates=["x", "y", "z"])
    s.contact("sole", block, slope, stiffness=1e5, damping=300, law="linear", friction=0.5, **given)
    return s


def test_a_block_on_bristles_stands_on_a_slope_where_regularised_friction_creeps() -> None:
    e = on_a_slope(bristle=(1e4, 30)).derive()
    run = e.simulate(20, samples=21, method="Radau", **EXACT)
    weight = 20 / np.hypot(1, 0.3)
    assert list(e.states) == ["sole bristle 1", "sole bristle 2"]
    assert run["z"][-1] == pytest.approx(-weight / 1e5, rel=1e-9)
    assert np.ptp(run["x"][10:]) < 1e-12
    assert run["x"][-1] == pytest.approx(0.3 / 1e4, rel=0.2)  # z σ₀ N = 0.3 N, and what it slid before N was there
    assert run["sole bristle 1"][-1] == pytest.approx(0.3 / 1e4, rel=1e-9)
    assert np.ptp(on_a_slope().derive().simulate(20, samples=21, method="Radau")["x"][10:]) > 0.05


def test_bristles_of_a_contact_slide_and_fly_as_the_printed_equations() -> None:
    """A push across breaks away, and a jump frees the bristles."""
    system = on_a_slope(static=0.6, stribeck=0.02, bristle=(1e4, 30))
    assert system.compare().agree
    start, speeds = {"z": -1e-4}, {"y'": 0.5, "z'": 0.3}
    run = system.derive().simulate(0.2, start=start, speeds=speeds, samples=41, method="Radau", rtol=1e-10, atol=1e-13)

    def equations(t: float, x: Any) -> Any:
        (_, _, h, *v), z = x[:6], x[6:]
        w = np.array(v[:2])
        push = max(-1e5 * h - 300 * v[2], 0) if h < 0 else 0.0
        most = (0.5 + 0.1 * np.exp(-(w @ w) / 0.02**2)) / 1e4
        size = np.sqrt(z @ z + 1e-40)
        part = np.clip((size - 0.45e-4) / (most - 0.45e-4), 0, 1)
        alpha = 0.5 * np.sin(np.pi * (part - 0.5)) + 0.5
        rate = w - alpha * max(w @ z, 0) / size / most * z if push > 0 else -1e4 / 30 * z
        a = np.array([3, 0]) / np.hypot(1, 0.3) - push / 2 * (1e4 * z + 30 * rate)
        return [*v, *a, push / 2 - 10 / np.hypot(1, 0.3), *rate]

    first = [0, 0, -1e-4, 0, 0.5, 0.3, 0, 0]
    found = solve_ivp(equations, (0, 0.2), first, "Radau", t_eval=run.t, rtol=1e-9, atol=1e-13, max_step=1e-3)
    assert run["z"].max() > 0
    assert np.allclose(run.x, found.y.T, rtol=1e-6, atol=1e-9)


def test_bristles_of_a_contact_are_in_model_files_and_need_friction(tmp_path: Any) -> None:
    s = on_a_slope(bristle=(1e4, 30))
    save_yaml(s, tmp_path / "slope.yaml")
    assert ph.load(tmp_path / "slope.yaml").derive().system == s.derive().system
    with pytest.raises(ph.PolhodeError, match="damping of bristles 0 is not positive"):
        on_a_slope(bristle=(1e4, 0))
    with pytest.raises(ph.PolhodeError, match="speed stribeck 0 is not positive"):
        on_a_slope(bristle=(1e4, 30), static=0.6)
    with pytest.raises(ph.PolhodeError, match="no transition speed"):
        on_a_slope(bristle=(1e4, 30), transition_speed=1)
    with pytest.raises(ph.PolhodeError, match="a rigid contact has no bristle"):
        s.contact("rigid", "block", "slope", bristle=(1e4, 30))


def test_bristles_need_a_stiffness_and_a_damping() -> None:
    s = ph.System("slider")
    s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"))
    for given, said in (
        ({"coulomb": 1, "bristle": 3}, "a stiffness and a damping"),
        ({"coulomb": 1, "bristle": (-3, 1)}, "stiffness -3 is not positive"),
        ({"coulomb": 0, "bristle": (3, 1)}, "coulomb 0 is not positive"),
        ({"coulomb": 1, "static": 2, "bristle": (3, 1)}, "stribeck 0 is not positive"),
    ):
        with pytest.raises(ph.PolhodeError, match=said):
            s.friction("x", **given)
