"""Python functions are asked with what they take, as often as they should be, and nothing they do changes the run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.simulate.control.callables import asked, sample_times


@pytest.mark.parametrize(
    ("function", "count"),
    [
        (lambda t: 0, 1),
        (lambda t, q, u: 0, 3),
        (lambda t, q, u, z: 0, 4),
        (lambda *given: 0, 3),
        (lambda t, gain=2: 0, 1),
        (lambda t, q, u, gain=2: 0, 3),
        (lambda t=0, q=None, u=None: 0, 3),
        (np.sin, 1),
    ],
)
def test_a_function_is_given_what_it_takes(function: Any, count: int) -> None:
    assert asked(function, "the function", (0,), np.atleast_1d).arguments == count


def test_sample_times_are_the_multiples_up_to_the_end() -> None:
    assert sample_times(0.5, 1.6, "it").tolist() == [0.5, 1.0, 1.5]


@pytest.mark.parametrize("method", ["DOP853", "RK45", "scipy.DOP853", "scipy.Radau", "scipy.LSODA"])
def test_what_is_held_is_asked_once_at_each_sample_time_with_the_state_there(method: str) -> None:
    s = ph.System("cart", gravity=(0, 0, 0))
    s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"), speeds=["v"])
    heard: list[tuple[float, float, float]] = []

    def controller(t: float, q: np.ndarray, u: np.ndarray) -> dict[str, float]:
        heard.append((t, q[0], u[0]))
        q[:] = np.nan
        return {"v": 1.0 - t}

    run = s.derive().simulate(1, tau=ph.held(controller, every=0.3), method=method, samples=[0.3, 0.6, 0.9])
    assert [t for t, _, _ in heard] == [0.0, 0.3, 0.6, 0.3 * 3]
    np.testing.assert_allclose([u for _, _, u in heard[1:]], run.u[1:4, 0], rtol=1e-6)
    np.testing.assert_allclose(run.u[:, 0], [0.0, 0.3, 0.51, 0.63, 0.64], atol=1e-6)
    assert run.tau is not None
    np.testing.assert_allclose(run.tau[:, 0], [1.0, 0.7, 0.4, 0.1, 0.1], atol=1e-15)
