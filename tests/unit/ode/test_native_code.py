"""Mechanisms by Taylor steps: beside DOP853, by their energy, and what has no series."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode import Equations
from polhode.codegen.plan import plan
from polhode.errors import PolhodeError
from polhode.expr import absolute, symbols
from polhode.files.cache import ObjectCache
from polhode.native import compile_program
from polhode.native.compiled import Compiled
from polhode.ode.methods.taylor import MOST_ORDER
from polhode.ode.native_code import MethodCode, taylor_code
from polhode.ode.native_run import NativeRun
from polhode.ode.record import Reason

GRAVITY = 9.81


def chain(links: int) -> Equations:
    """Bars of one metre and one kilogram in a vertical plane, under gravity."""
    system = ph.System("chain", gravity=(0, 0, -GRAVITY))
    carrier: Any = system.ground
    for place in range(links):
        body = system.body(f"bar {place}", 1, (0, 0, "-1/2"), inertia=("1/12", "1/12", "1/600"))
        system.joint(f"hinge {place}", carrier, body, ph.Revolute("y"), at=(0, 0, -1 if place else 0))
        carrier = body
    return system.derive()


def right_side(equations: Equations) -> Compiled:
    functions = equations.compile(bake=True)
    native: Compiled = functions.native("state_rates").with_parameters(functions.parameter_values("state_rates"))
    return native


def run(
    equations: Equations, function: Compiled, method: str | MethodCode, start: np.ndarray, tolerance: float, end: float
) -> NativeRun:
    made = NativeRun(
        method, start, rtol=tolerance, atol=tolerance, groups=equations.derivation.synopsis.quaternion_groups
    )
    made.use(made.compiled(function, {"tau": np.zeros(len(equations.u))}))
    made.begin(end)
    assert made.advance(end, 10**6) == Reason.DONE
    return made


def test_a_double_pendulum_keeps_its_energy_to_rounding() -> None:
    equations = chain(2)
    function = right_side(equations)
    start = np.array([2.0, -1.0, 0.0, 0.0])
    made = run(equations, function, taylor_code(function), start, 1e-16, 10.0)
    energies = [sum(map(float, equations.compile().energy(x[:2], x[2:]))) for x in (start, made.x)]
    assert abs(energies[1] - energies[0]) < 1e-14 * 4 * GRAVITY


def test_code_comes_back_from_the_disk(tmp_path: Path) -> None:
    program = chain(1).compile(bake=True).program("state_rates")
    cache = ObjectCache(tmp_path / "cache")
    made = [taylor_code(compile_program(program, cache=cache)) for _ in range(2)]
    assert [each.method.stages for each in made] == [MOST_ORDER + 1] * 2
    assert made[0].dense_rows == made[1].dense_rows > 0


def test_mechanisms_without_series_are_reported_and_code_is_loaded_once() -> None:
    (x,) = symbols("x")
    program = plan("state_rates", [("x", [x])], [("xdot", (1,), [absolute(x)])])
    with pytest.raises(PolhodeError, match="no Taylor series"):
        taylor_code(compile_program(program, cache=False))
    rates = chain(2).compile().native("state_rates")
    assert taylor_code(rates) is taylor_code(rates.with_parameters([]))
