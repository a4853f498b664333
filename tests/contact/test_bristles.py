"""Friction of bristles in joints: elastic below break-away, without LuGre's drift, static at break-away."""

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from tests.contact.scenes import EXACT

import polhode as ph

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
