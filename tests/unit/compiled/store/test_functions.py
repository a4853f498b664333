"""Functions on disk: those that any process can run, and no others."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

import polhode as ph
from polhode.compiled.store import functions


@pytest.mark.parametrize("own", [True, False])
def test_a_function_of_the_users_own_stays_in_its_process(
    own: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POLHODE_CACHE_DIR", str(tmp_path))
    system = ph.System("pendulum")
    hinge = system.joint("hinge", system.ground, system.body("bob", mass=1, com=(0, 0, -1)), ph.Revolute("y"))
    square = ph.function("square", python=lambda x: x * x) if own else ph.table([0, 1, 2], [0, 1, 4])
    system.joint_force("hinge", square(hinge.q[0]))
    equations = system.derive()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it is slow
        wanted = equations.compile().forward_dynamics([1.0], [0.0])
        assert (equations.compile().forward_dynamics([1.0], [0.0]) == wanted).all()
    place = functions.Place(equations.derivation.key, "forward_dynamics", False)
    found = functions._find(place, lambda: pytest.fail("nobody asked for it"), "auto")
    assert (found is None) == own
