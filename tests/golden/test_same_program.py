"""The same model gives the same program byte for byte: in a fresh process, among other derivations, on a warm cache."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.golden.test_golden import COUNTED
from tests.seeds import TRIAL

import polhode as ph
from polhode.codegen.ir.serialise import dump_program
from polhode.formalisms.registry import names
from polhode.model.samples import four_bar, six_degree_of_freedom_arm

Programs = dict[str, str]
FUNCTIONS = ("bias", "mass_matrix", "inverse_dynamics", "forward_dynamics")


def free_body() -> ph.System:
    """A body that floats, its orientation a quaternion, with another hinged to it."""
    system = ph.System("free body", gravity=(0, 0, "-9.81"))
    m = system.parameter("m", 2)
    system.body("base", mass=m, com=(0, 0.1, 0.2), inertia=(0.4, 0.3, 0.2))
    system.body("arm", mass=0.7, com=(0.3, 0, 0), inertia=(0.01, 0.02, 0.02))
    system.joint("floating", "ground", "base", ph.Free())
    system.joint("hinge", "base", "arm", ph.Revolute("y"), at=(0.1, 0, 0))
    return system


MECHANISMS: dict[str, Callable[[], ph.System]] = {
    **COUNTED, "four-bar": four_bar, "free body": free_body,
    "arm with a ball joint": lambda: six_degree_of_freedom_arm("spherical"),
}  # fmt: skip
#: What is asked of a mechanism, and by which formalisms.
CASES = [
    ("double_pendulum", "poincare"), ("double_pendulum", "newton_euler"), ("double_pendulum", "hamel"),
    ("double_pendulum", "silver"), ("UR5", "auto"), ("four-bar", "poincare"), ("four-bar", "network"),
    ("free body", "auto"), ("free body", "routh"), ("pendulum", "auto"),
]  # fmt: skip
if TRIAL:
    CASES += [
        ("six-joint arm", "hamel"), ("six-joint arm", "auto"), ("arm with a ball joint", "poincare"),
        ("PUMA-like arm", "auto"), ("general 6R arm", "newton_euler"),
    ]  # fmt: skip


def programs(mechanism: str, formalism: str, cache: bool = False) -> Programs:
    """The programs of a mechanism, as text."""
    functions = MECHANISMS[mechanism]().derive(formalism).compile(cache=cache)
    return {name: dump_program(functions.program(name)) for name in FUNCTIONS}


SCRIPT = """
import json, multiprocessing, sys
from tests.golden.test_same_program import programs
cases = json.loads(sys.argv[1])
with multiprocessing.get_context("fork").Pool(1, maxtasksperchild=1) as pool:
    print(json.dumps(pool.starmap(programs, cases, chunksize=1)))
"""


def in_fresh_processes(cases: Sequence[tuple[str, str]], cache: Path | None = None) -> dict[tuple[str, str], Programs]:
    """The programs of each mechanism as a process gives them that has derived nothing before."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, json.dumps([(*case, cache is not None) for case in cases])],
        cwd=Path(__file__).parents[2],
        env=os.environ | ({"POLHODE_CACHE_DIR": str(cache)} if cache else {}),
        capture_output=True,
        text=True,
    )
    assert not done.returncode, done.stderr
    return dict(zip(cases, json.loads(done.stdout), strict=True))


def kept_alive(system: ph.System) -> list[Any]:
    """Everything that every formalism makes of a system."""
    kept: list[Any] = []
    for formalism in ("auto", *names(historical=True)):
        try:
            equations = system.derive(formalism)
            kept += [equations, equations.inverse_dynamics, equations.mass_matrix, equations.forward_dynamics]
        except ph.PolhodeError:
            continue  # a formalism that refuses this mechanism
    return kept


@pytest.fixture(scope="module")
def fresh() -> dict[tuple[str, str], Programs]:
    return in_fresh_processes(CASES)


def test_a_program_does_not_depend_on_what_else_is_alive(fresh: dict[tuple[str, str], Programs]) -> None:
    kept = [kept_alive(MECHANISMS[name]()) for name in ("double_pendulum", "four-bar", "free body")]
    assert sum(map(len, kept)) > 10
    for case in CASES:
        assert programs(*case) == fresh[case], case


def test_a_program_does_not_depend_on_the_order_in_which_models_came(fresh: dict[tuple[str, str], Programs]) -> None:
    for order in (CASES, CASES[::-1]):
        kept = []
        for case in order:
            equations = MECHANISMS[case[0]]().derive(case[1])
            functions = equations.compile(cache=False)
            assert {name: dump_program(functions.program(name)) for name in FUNCTIONS} == fresh[case], case
            kept.append((equations, functions))


def test_a_program_from_the_cache_is_the_one_that_was_planned(
    fresh: dict[tuple[str, str], Programs], tmp_path: Path
) -> None:
    cases = [*CASES[:2], ("four-bar", "poincare"), ("free body", "auto")]
    for _ in range(2):
        assert in_fresh_processes(cases, tmp_path) == {case: fresh[case] for case in cases}
    assert any(tmp_path.rglob("*"))
