"""A run whose functions lie in the cache derives and plans nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.codegen import plan
from polhode.constraints import Constraints
from polhode.formalisms import auto, deriving
from polhode.model.samples import bennett, four_bar


def tree() -> ph.System:
    s = ph.System("cart and pendulum")
    m = s.parameter("m", 2)
    cart = s.body("cart", 5)
    s.joint("slide", s.ground, cart, ph.Prismatic("x"))
    s.joint("hinge", cart, s.body("bob", m, com=(0, 0, -1)), ph.Revolute("y"))
    return s


def loop() -> ph.System:
    return four_bar()


def loop_with_redundant_rows() -> ph.System:
    return bennett()


def rolling() -> ph.System:
    s = ph.System("disc", gravity=(0, 0, "-9.81"))
    disc = s.body("disc", 2, inertia=(1, 1, 1))
    way = ph.Compound(ph.Prismatic("x"), ph.Prismatic("z"), ph.Revolute("y"))
    s.joint("move", s.ground, disc, way, coordinates=["x", "z", "turn"])
    s.roll_disc("tyre", disc, 0.25, lambda x: x**2 / 4)
    return s


def _refused(*_: Any, **__: Any) -> Any:
    pytest.fail("a warm run derives nothing")


@pytest.mark.parametrize("model", [tree, loop, loop_with_redundant_rows, rolling])
def test_a_warm_run_derives_nothing(
    model: Callable[[], ph.System], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POLHODE_CACHE_DIR", str(tmp_path))
    cold = model().derive()
    before = [cold.simulate(0.02, method=method, samples=3) for method in ("auto", "rk4", "scipy.Radau")]
    warm = model().derive()
    for place, name in ((auto, "recipe"), (deriving, "with_multipliers"), (plan, "plan")):
        monkeypatch.setattr(place, name, _refused)
    for name in ("A", "gamma", "generic_rows"):
        monkeypatch.setattr(Constraints, name, property(_refused))
    for run in before:
        again = warm.simulate(0.02, method=run.info["method"], samples=3)
        assert np.array_equal(again.q, run.q)


def test_the_spies_see_a_derivation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLHODE_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(auto, "recipe", _refused)
    with pytest.raises(pytest.fail.Exception, match="derives nothing"):
        tree().derive().simulate(0.05)


@pytest.mark.parametrize("angle", [np.pi, -np.pi, 3 * np.pi])
def test_a_half_turn_in_a_formalism_of_vector_parameters_is_named(angle: float) -> None:
    s = ph.System("pendulum")
    s.joint("pivot", s.ground, s.body("bob", 1, (0, 0, -1), (1, 1, 1)), ph.Revolute("y"))
    with pytest.raises(ph.PolhodeError, match=r"'pivot' has turned by π(.|\n)*another formalism") as caught:
        s.derive("vector_parameter").simulate(1, start={"pivot": angle})
    assert caught.value.problems[0].code == "E-SIM-HALF_TURN"
    assert s.derive("newton_euler").simulate(0.1, start={"pivot": angle}).status == "done"
