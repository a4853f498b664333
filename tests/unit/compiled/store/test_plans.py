"""Plans on disk: found again by content, made anew when anything changes, never trusted blindly."""

from __future__ import annotations

from contextlib import suppress
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import polhode as ph
from polhode.codegen.ir.random_program import random_program
from polhode.codegen.ir.serialise import dump_program, load_program
from polhode.compiled import catalogue, functions
from polhode.compiled.store import plans
from polhode.constraints.random_constraints import random_constrained_system
from polhode.errors import PolhodeError


def _pendulum(length: float = 1.0, name: str = "bob") -> ph.System:
    system = ph.System("pendulum")
    l = system.parameter("l", length)
    bob = system.body(name, mass=2, com=(0, 0, -l))
    system.joint("hinge", system.ground, bob, ph.Revolute("y"))
    return system


@pytest.fixture
def cold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("POLHODE_CACHE_DIR", str(tmp_path))
    return tmp_path


def test_a_known_mechanism_is_not_planned_again(cold: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = _pendulum().derive().compile()
    before = first.forward_dynamics([0.3], [0.1])

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("planned again")

    monkeypatch.setattr(plans, "plan_of", refuse)
    again = _pendulum().derive().compile()
    assert again.program("forward_dynamics") == first.program("forward_dynamics")
    np.testing.assert_array_equal(again.forward_dynamics([0.3], [0.1]), before)


@pytest.mark.slow
def test_speeds_that_depend_on_others_are_another_plan(cold: Path) -> None:
    system = random_constrained_system(29)
    ways = [system.derive("newton_euler", constraints=way) for way in ("multipliers", "embedded")]
    kept = [equations.compile().program("forward_dynamics") for equations in ways]
    assert kept == [functions.plan_of(equations.record, "forward_dynamics").program for equations in ways]
    assert kept[0] != kept[1]
    speeds = [u for joint in system.joints.values() for u in joint.u]
    keys = {equations.derivation.key for equations in ways}
    bindings = {equations.derivation.key for equations in _bindings(system, [speed.name for speed in speeds])}
    assert len(keys | bindings) == 2 + len(bindings) > 3


def _bindings(system: ph.System, speeds: list[str]) -> list[ph.Equations]:
    """The equations for every choice of independent speeds that can be made."""
    count = len(system.derive("newton_euler", constraints="embedded").speeds)
    made = []
    for chosen in combinations(speeds, count):
        with suppress(PolhodeError):
            made.append(system.derive("newton_euler", independent=chosen))
    return made


def test_what_shapes_the_equations_changes_the_digest() -> None:
    plain = _pendulum().model().digest
    assert _pendulum().model().digest == plain
    assert _pendulum(length=2.0).model().digest != plain
    loaded = _pendulum()
    loaded.joint_spring("hinge", 3)
    assert loaded.model().digest != plain
    seen = _pendulum()
    seen.pose("start", {"hinge": 1})
    assert seen.model().digest == plain


@pytest.mark.parametrize("damage", [b"", b"rubbish", b'{"program": "{}", "parameters": []}'])
def test_a_damaged_entry_is_planned_anew(cold: Path, damage: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = _pendulum().derive().compile().program("forward_dynamics")
    monkeypatch.setattr("polhode.files.cache.ObjectCache.get_or_make", lambda self, key, make: damage)
    found = plans.kept_plan(_pendulum().derive().derivation, "forward_dynamics", False)
    assert found.program == wanted


def test_without_the_cache_nothing_is_written(cold: Path) -> None:
    _pendulum().derive().compile(cache=False).forward_dynamics([0.3], [0.1])
    assert not list(cold.rglob("*.bin"))


@pytest.mark.parametrize("seed", range(5))
def test_a_program_survives_as_text(seed: int) -> None:
    program = random_program(seed)
    assert load_program(dump_program(program)) == program


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"version": 99}', '{"version": 1, "name": "f"}', "[" * 50])
def test_a_text_that_is_no_program_is_refused(text: str) -> None:
    with pytest.raises(PolhodeError):
        load_program(text)


def test_the_functions_that_are_kept_are_those_of_the_catalogue() -> None:
    with pytest.raises(PolhodeError, match="Did you mean 'forward_dynamics'"):
        _pendulum().derive().compile().planned("forward_dynamic")
    assert "forward_dynamics" in catalogue.CATALOGUE
