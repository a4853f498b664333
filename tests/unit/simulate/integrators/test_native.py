"""Runs with constraints stay in native code: Python only says where a singular pose is."""

from __future__ import annotations

from typing import Any

import pytest

from polhode.model.samples import four_bar, n_four_bar
from polhode.simulate.integrators import native

RUNS: dict[str, tuple[Any, dict[str, Any]]] = {
    "a loop": (lambda: four_bar().derive(), {"start": {"crank": 0.3}, "speeds": {"crank": 1}}),
    "flat poses": (lambda: n_four_bar(2).derive(), {"speeds": {"crank 0": 1.0}}),
    "dependent coordinates": (lambda: four_bar().derive(independent=["crank"]), {"start": {"crank": 0.3}}),
}


@pytest.mark.parametrize("name", RUNS)
def test_python_neither_steps_nor_projects(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A projection that went wrong in native code would be made good by Python, slowly and without a word."""

    def stepped(self: native.Integration) -> None:
        raise AssertionError("native code could not go on")

    monkeypatch.setattr(native.Integration, "_in_python", stepped)
    derived, options = RUNS[name]
    run = derived().simulate(3, **options)
    assert run.is_whole
    assert max(run.drift.position, run.drift.velocity) < 1e-11
    assert run.energy_drift < 1e-8
