"""What is stored on disk: found again by content, made anew when anything changes, never trusted blindly."""

import os
import shutil
import subprocess
import sys
import warnings
from contextlib import suppress
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from tests.random_constraints import random_constrained_system
from tests.random_program import random_program
from tests.refusals import refused

import polhode as ph
from polhode.codegen.ir.serialise import dump_program, load_program
from polhode.compiled import catalogue, store
from polhode.files.cache import default_cache
from polhode.native.stored_code import Entry


def _pendulum(length: float = 1.0, name: str = "bob") -> ph.System:
    system = ph.System("pendulum")
    l = system.parameter("l", length)
    bob = system.body(name, mass=2, com=(0, 0, -l))
    system.joint("hinge", system.ground, bob, ph.Revolute("y"))
    return system


def entries(folder: Path) -> list[Entry]:
    """The functions, and parts of them, that are stored there."""
    return [Entry.read(default_cache().read(path.stem)) for path in sorted(folder.glob("*.bin"))]


@pytest.fixture
def cold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("POLHODE_CACHE_DIR", str(tmp_path))
    return tmp_path


def test_a_known_mechanism_is_not_planned_again(cold: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = _pendulum().derive().compile()
    before = first.forward_dynamics([0.3], [0.1])

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("planned again")

    monkeypatch.setattr(store, "plan_of", refuse)
    again = _pendulum().derive().compile()
    assert again.program("forward_dynamics") == first.program("forward_dynamics")
    np.testing.assert_array_equal(again.forward_dynamics([0.3], [0.1]), before)


@pytest.mark.slow
def test_speeds_that_depend_on_others_are_another_plan(cold: Path) -> None:
    system = random_constrained_system(29)
    ways = [system.derive("newton_euler", constraints=way) for way in ("multipliers", "embedded")]
    kept = [equations.compile().program("forward_dynamics") for equations in ways]
    assert kept == [catalogue.plan_of(equations.record, "forward_dynamics").program for equations in ways]
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
        with suppress(ph.PolhodeError):
            made.append(system.derive("newton_euler", independent=chosen))
    return made


def test_what_shapes_the_equations_changes_the_digest() -> None:
    plain = _pendulum().model().digest
    assert _pendulum().model().digest == plain and _pendulum(length=2.0).model().digest != plain
    loaded = _pendulum()
    loaded.joint_spring("hinge", 3)
    assert loaded.model().digest != plain
    seen = _pendulum()
    seen.pose("start", {"hinge": 1})
    assert seen.model().digest == plain


def test_what_was_planned_is_stored_once_and_gets_its_code_when_it_is_called(
    cold: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _pendulum().derive().compile().program("forward_dynamics")
    assert [each.code for each in entries(cold)] == [b""]
    monkeypatch.setattr(store, "plan_of", lambda *_: pytest.fail("planned again"))
    for _ in range(2):
        _pendulum().derive().compile().forward_dynamics([0.3], [0.1])
        assert sorted((bool(each.program), bool(each.code)) for each in entries(cold)) == [(False, True), (True, False)]


def test_a_run_stores_functions_and_nothing_else(cold: Path) -> None:
    _pendulum().derive().simulate(0.1, method="rk4", step=0.01, samples=3)
    found = entries(cold)
    assert sum(bool(each.code) + bool(each.program) for each in found) == len(found) - 1
    traits, *_ = (each.facts for each in found if not each.code and not each.program)
    assert traits == {"series": True, "hides": False}
    programs = [each.facts["program"] for each in found if each.program]
    codes = [set(each.facts["code"]["functions"]) for each in found if each.code]
    # the loop and the method serve every program: they may have been loaded before
    assert len([names for names in codes if not {"ph_advance", "ph_attempt"} & names]) == len(set(programs)) + 1


def test_programs_are_text_and_nothing_is_written_without_the_cache(cold: Path) -> None:
    _pendulum().derive().compile(cache=False).forward_dynamics([0.3], [0.1])
    assert not list(cold.rglob("*.bin"))
    refused("Did you mean 'forward_dynamics'", lambda: _pendulum().derive().compile().planned("forward_dynamic"))
    assert "forward_dynamics" in catalogue.CATALOGUE


@pytest.mark.parametrize("seed", range(5))
def test_a_program_survives_as_text(seed: int) -> None:
    program = random_program(seed)
    assert load_program(dump_program(program)) == program


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"version": 99}', '{"version": 1, "name": "f"}', "[" * 50])
def test_a_text_that_is_no_program_is_refused(text: str) -> None:
    refused("", lambda: load_program(text))


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
    assert [each.facts["bound"] for each in entries(tmp_path) if each.program] == [own]


def test_a_program_of_a_function_that_is_not_registered_is_planned_anew(
    cold: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stored program names the user's function by its digest alone."""
    system = _pendulum()
    system.joint_force("hinge", ph.function("square", python=lambda x: x * x)(system.joints["hinge"].q[0]))
    derivation = system.derive().derivation
    wanted = store.StoredFunction(derivation, "forward_dynamics", False).plan()
    monkeypatch.setattr("polhode.expr.opaque.user._KNOWN", {})
    assert store.StoredFunction(derivation, "forward_dynamics", False).plan() == wanted


#: Prints what was done for a pendulum's accelerations, of which another process may have done all before.
SCRIPT = """
import sys; sys.path.insert(0, sys.argv[1])
import polhode as ph
from polhode.compiled import store
from polhode.native import engine
done, plan_of, object_code = [], store.plan_of, engine.object_code
store.plan_of = lambda *given, **named: done.append("planned") or plan_of(*given, **named)
engine.object_code = lambda *given, **named: done.append("compiled") or object_code(*given, **named)
system = ph.System("pendulum")
system.joint("hinge", system.ground, system.body("bob", 1, (0, 0, -1)), ph.Revolute("y"))
assert system.derive().compile().forward_dynamics([0.5], [0])[0] < 0
assert ph.__file__.startswith(sys.argv[1])
print(*done)
"""


@pytest.mark.slow
def test_what_was_stored_is_found_by_content(tmp_path: Path) -> None:
    """By another checkout, whatever was changed in its pictures; and a program that stays the same keeps its code."""
    package = Path(ph.__file__).parent

    def done(source: Path) -> list[str]:
        environment = {**os.environ, "POLHODE_CACHE_DIR": str(tmp_path / "cache")}
        command = [sys.executable, "-I", "-c", SCRIPT, str(source)]
        return subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout.split()

    assert done(package.parent) == ["planned", "compiled"] and done(package.parent) == []
    elsewhere = shutil.copytree(package, tmp_path / "elsewhere" / "polhode")
    for path, change in (("view/plot.py", []), ("simulate/run.py", []), ("formalisms/newton_euler.py", ["planned"])):
        with (elsewhere / path).open("a") as file:
            file.write("# more\n")
        os.utime(elsewhere / "expr" / "node.py")
        assert done(elsewhere.parent) == change
    with (elsewhere / "codegen" / "llvm" / "block.py").open("a") as file:
        file.write("# more\n")
    assert done(elsewhere.parent) == ["compiled"]
