"""Batches in native code: the same bits as alone, whatever the chunks and threads; what fails is left to Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode import Equations
from polhode.simulate import native_batch
from polhode.simulate.batch_running import run_members
from polhode.simulate.members import Members


@pytest.fixture(scope="module")
def chain() -> Equations:
    s = ph.System("chain")
    l = s.parameter("l", 1)
    upper, lower = (s.body(name, 1, (0, 0, -l / 2), ph.rod(1, l)) for name in ("upper", "lower"))
    s.joint("a", s.ground, upper, ph.Revolute("y"))
    s.joint("b", upper, lower, ph.Revolute("y"), at=(0, 0, -l))
    return s.derive()


def options(count: int) -> dict[str, Any]:
    return {
        "parameters": {"l": np.linspace(0.5, 1.5, count)},
        "start": {"a": np.linspace(0.2, 2.0, count), "b": 0.3},
        "tau": {"a": np.linspace(-1, 1, count)},
        "samples": 11,
    }


@pytest.mark.parametrize("method", ["auto", "DOP853", "RK45", "taylor"])
def test_a_member_has_the_bits_that_it_has_alone(method: str, chain: Equations) -> None:
    given = options(70)
    batch = chain.simulate(1.5, method=method, **given)
    assert not batch.failures
    for i in (0, 31, 32, 69):
        alone = chain.simulate(1.5, method=method, **Members.of(given).member(i))  # type: ignore[union-attr]
        assert np.array_equal(alone.q, batch.q[i])
        assert np.array_equal(alone.u, batch[i].u)
        assert alone.info["steps"] == batch[i].info["steps"]


def test_chunks_and_threads_change_no_bit(chain: Equations, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = chain.simulate(1.0, **options(40))
    monkeypatch.setattr(native_batch, "_CHUNK", 3)
    assert np.array_equal(chain.simulate(1.0, **options(40)).q, whole.q)
    monkeypatch.setattr(native_batch.os, "sched_getaffinity", lambda _: {0})
    assert np.array_equal(chain.simulate(1.0, **options(40)).q, whole.q)


def test_members_that_cannot_start_or_go_on_leave_their_sentence(chain: Equations) -> None:
    lengths = np.ones(6)
    lengths[2] = 0.0
    batch = chain.simulate(1.0, parameters={"l": lengths}, start={"a": 0.5}, samples=5)
    assert list(batch.failures) == [2]
    assert "mass matrix is singular" in batch.failures[2]
    assert np.isfinite(batch.q[[0, 1, 3, 4, 5]]).all()
    short = chain.simulate(1.0, start={"a": [0.1, 3.0]}, samples=5, method="DOP853", max_steps=12)
    assert set(short.failures) <= {0, 1}
    assert all("as many as allowed" in told for told in short.failures.values())


def test_what_python_has_a_say_in_is_not_for_native_code(chain: Equations) -> None:
    def controller(t: float, q: np.ndarray, u: np.ndarray) -> dict[str, float]:
        return {"a": -float(u[0])}

    for more in ({"tau": controller}, {"events": [lambda t, q, u: q[0]]}, {"method": "scipy.DOP853"}):
        members = Members.of({"start": {"a": [0.1, 0.2]}, "samples": 3, **more})
        assert members is not None
        assert native_batch.run_natively(chain.derivation, 0.1, members, chain.compile(), lambda part: None) is None
        assert len(run_members(chain.derivation, 0.1, members)) == 2


def test_energy_that_a_member_loses_is_told(chain: Equations) -> None:
    with pytest.warns(UserWarning, match="energy"):
        batch = chain.simulate(
            20, start={"a": [0.0, 3.0], "b": [0.0, 2.0]}, rtol=1e-3, atol=1e-3, method="RK45", samples=41
        )
    assert any("energy" in notice for notice in batch[1].notices)
