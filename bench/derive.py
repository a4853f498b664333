"""How long it takes to derive: all parameters symbolic, from a built System to the graph, and to native code."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from itertools import count as counting
from typing import Any

from polhode import Equations, System
from polhode.codegen.plan import plan
from polhode.errors import PolhodeError
from polhode.expr import evaluate
from polhode.formalisms.registry import names

from . import sympy_arm
from .clock import Measure, least_times, seconds_of
from .models import binary_tree, chain
from .table import Timing

SECTION = "derive"
_FRESH = counting(1)


def rows(quick: bool, say: Callable[[str], None]) -> list[Timing]:
    """The section's table."""
    _check_same_arm()
    passes = 3 if quick else 9
    say("formalisms on the six-joint arm, a tree and a long chain")
    return [*_against_kane(quick, passes, say), *_formalisms(passes), *_large(passes), *_cold(passes, say)]


def _mass_and_bias(equations: Equations) -> object:
    return equations.mass_matrix, equations.bias


def _accelerations(equations: Equations) -> object:
    return equations.forward_dynamics


def _derivation(make: Callable[[str], System], formalism: str, ask: Callable[[Equations], object]) -> Measure:
    """Seconds to derive a System that was built under names never used before."""

    def measure() -> float:
        system = make(f"_{next(_FRESH)}")
        return seconds_of(lambda: ask(system.derive(formalism)))

    return measure


def _against_kane(quick: bool, passes: int, say: Callable[[str], None]) -> list[Timing]:
    """Poincaré's equations, M and bias as the paper has them, beside Kane's method in SymPy."""
    made = []
    for size in (3, 4) if quick else (3, 6):
        say(f"SymPy, {size} joints")
        measures: dict[str, Measure] = {
            "ours": _derivation(partial(chain, size), "poincare", _mass_and_bias),
            "theirs": partial(seconds_of, partial(sympy_arm.kane, size)),
        }
        theirs = least_times(measures, passes=2)["theirs"]
        ours = least_times({"ours": measures["ours"]}, passes)["ours"]
        after_cse = sympy_arm.operations_after_cse(sympy_arm.kane(size))
        note = f"{_operations(chain(size), 'poincare')} operations, SymPy after cse {after_cse}"
        made.append(Timing(SECTION, f"{size}-joint arm", "M and bias, poincare", ours, "SymPy Kane", theirs, note=note))
    return made


def _formalisms(passes: int) -> list[Timing]:
    asked = {"M and bias": _mass_and_bias, "accelerations": _accelerations}
    goals = {("articulated_body", "accelerations"): 0.060, ("poincare", "M and bias"): 0.3}
    cases = [(name, what) for name in names() for what in asked]
    measures = {f"{what}, {name}": _derivation(partial(chain, 6), name, asked[what]) for name, what in cases}
    least = least_times(measures, passes)
    return [
        Timing(
            SECTION,
            "6-joint arm",
            f"{what}, {name}",
            least[f"{what}, {name}"],
            most_seconds=goals.get((name, what)),
        )
        for name, what in cases
    ]


def _large(passes: int) -> list[Timing]:
    cases = {
        "30-body tree": (lambda tag: binary_tree(30, tag), 0.5),
        "100-link chain": (lambda tag: chain(100, tag, "xyz"), 2.0),
    }
    least = least_times(
        {name: _derivation(make, "articulated_body", _accelerations) for name, (make, _) in cases.items()},
        max(2, passes // 2),
    )
    return [
        Timing(SECTION, name, "accelerations, articulated_body", least[name], most_seconds=goal)
        for name, (_, goal) in cases.items()
    ]


def _cold(passes: int, say: Callable[[str], None]) -> list[Timing]:
    """A fresh process each time, nothing cached."""
    say("cold starts")
    own: dict[str, float] = {}
    wall: dict[str, float] = {}
    for _ in range(passes):
        run = subprocess.run([sys.executable, "-m", "bench.cold"], capture_output=True, text=True, check=True)
        for name, (processor, clock) in json.loads(run.stdout).items():
            own[name] = min(processor, own.get(name, processor))
            wall[name] = min(clock, wall.get(name, clock))
    work = ("derive", "plan", "compile", "first call")
    parts = ", ".join(f"{name} {1e3 * own[name]:.0f} ms" for name in work)
    on_the_wall = f"on the wall {1e3 * sum(wall[name] for name in work):.0f} ms"
    whole = f"imports {1e3 * own['import']:.0f} ms; on the wall {1e3 * sum(wall.values()):.0f} ms"
    case, what = "6-joint arm", "to a native function, cold"
    return [
        Timing(
            SECTION,
            case,
            what,
            sum(own[name] for name in work),
            most_seconds=0.4,
            note=f"{parts}; {on_the_wall}",
        ),
        Timing(SECTION, case, f"{what}, with imports", sum(own.values()), note=whole),
    ]


def _operations(system: System, formalism: str) -> int:
    """Operations of M and bias in one program, set-up included."""
    equations = system.derive(formalism)
    size = len(equations.u)
    outputs = [
        ("mass_matrix", (size, size), list(equations.mass_matrix.entries())),
        ("bias", (size,), list(equations.bias)),
    ]
    parameters = [parameter.symbol for parameter in system.parameters.values()]
    program = plan("mass_and_bias", [("q", list(equations.q)), ("u", list(equations.u))], outputs, parameters)
    return len(program.setup) + len(program.run)


def _check_same_arm() -> None:
    """SymPy's arm and ours are one arm: M and f agree at a random point."""
    dice = random.Random(3)
    system = chain(3)
    equations = system.derive("poincare")
    point: dict[Any, float] = {symbol: dice.uniform(-1, 1) for symbol in (*equations.q, *equations.u)}
    point |= {parameter.symbol: float(parameter.value or 0) for parameter in system.parameters.values()}
    size = len(equations.u)
    ours = evaluate([*equations.mass_matrix.entries(), *equations.bias], point)
    M, f = sympy_arm.values(sympy_arm.kane(size), {symbol.name: value for symbol, value in point.items()})
    theirs = [*map(float, M), *(-float(entry) for entry in f)]
    if any(abs(a - b) > 1e-9 * (1 + abs(b)) for a, b in zip(ours, theirs, strict=True)):
        raise PolhodeError("SymPy's arm and ours are not the same mechanism.", code="E-BENCH-001")
