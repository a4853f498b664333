"""Impacts: the bouncing ball and its limit, balls in a row, and laws that may or may not gain energy."""

from functools import cache

import numpy as np
import pytest
from tests.contact.scenes import EXACT, STICK, G, impacts, modes, moving, stop

import polhode as ph


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
