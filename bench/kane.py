"""Kane's method on the satellite of Sayers' paper and on vehicles: beside SymPy's, and beside our own other ways."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from functools import partial
from itertools import count as counting
from pathlib import Path
from typing import Any

from polhode import Equations, System
from polhode.codegen.plan import plan
from polhode.errors import PolhodeError
from polhode.expr import Expr, as_expr, evaluate, tanh
from polhode.formats import loads_yaml
from polhode.model.samples import Vehicle, car, semitrailer

from . import sympy_arm, sympy_satellite
from .clock import least_times, seconds_of
from .table import Count, Row, Timing

SECTION = "kane"
OTHERS = ("articulated_body", "newton_euler", "poincare")
_FRESH = counting(1)
_MODEL = Path(__file__).parents[1] / "models" / "satellite.yaml"
_NAMES = re.compile(r"\b([MIk]_\w+|L\d|q\d+|u\d+)\b")


def satellite(tag: str = "") -> System:
    """The satellite, with names that carry a tag."""
    return loads_yaml(_NAMES.sub(rf"\g<1>{tag}", _MODEL.read_text(encoding="utf-8")))


def rows(quick: bool, say: Callable[[str], None]) -> list[Row]:
    """The section's table."""
    say("SymPy's KanesMethod on the satellite")
    theirs = sympy_satellite.kane()
    equations = satellite().derive("kane", report=True)
    _check_same(equations, theirs)
    passes = 2 if quick else 7
    least = least_times({"M and f": _derivation(_mass_and_bias), "all": _derivation(_accelerations)}, passes)
    sympy_seconds = least_times({"theirs": partial(seconds_of, sympy_satellite.kane)}, 1 if quick else 2)["theirs"]
    costs = {name: count.total for name, count in equations.report.costs.items()}
    others = {name: costs[name] for name in ("composite_body", "articulated_body")}
    cheapest = min(others, key=lambda name: others[name])
    case, accelerations = "satellite", "accelerations"
    return [
        Timing(SECTION, case, "M and f", least["M and f"], "SymPy KanesMethod", sympy_seconds, most_seconds=0.2),
        Timing(SECTION, case, accelerations, least["all"], most_seconds=0.2),
        Count(
            SECTION,
            case,
            "M and f",
            _operations(equations),
            "SymPy after cse",
            sympy_arm.operations_after_cse(theirs),
            most_share=0.6,
            note="set-up counted, as SymPy has none",
        ),
        Count(SECTION, case, accelerations, costs["kane"], cheapest, others[cheapest]),
        *_vehicles(passes, say),
    ]


def _vehicles(passes: int, say: Callable[[str], None]) -> list[Row]:
    """A car and a semitrailer with steering, suspensions and tyres, by Kane's method and by the other formalisms."""
    made: list[Row] = []
    for make in (car, semitrailer):
        say(f"a {make.__name__} by every formalism")
        found = {name: make(_step_steer).system.derive(name) for name in ("kane", *OTHERS)}
        case = f"{make.__name__}, {len(found['kane'].u)} freedoms"
        least = least_times({name: partial(_seconds_to_derive, make, name) for name in found}, passes)
        counts = {name: equations.operations().total for name, equations in found.items()}
        made += [Timing(SECTION, case, "accelerations", least["kane"], other, least[other]) for other in OTHERS]
        made += [Count(SECTION, case, "accelerations", counts["kane"], other, counts[other]) for other in OTHERS]
    return made


def _step_steer(t: Expr) -> Expr:
    return as_expr(tanh(5 * t) / 50)


def _seconds_to_derive(make: Callable[..., Vehicle], formalism: str) -> float:
    """Seconds to derive a vehicle's accelerations; nodes of an earlier one have gone with it."""
    system = make(_step_steer).system
    return seconds_of(lambda: _accelerations(system.derive(formalism)))


def _mass_and_bias(equations: Equations) -> object:
    return equations.mass_matrix, equations.bias


def _accelerations(equations: Equations) -> object:
    return equations.forward_dynamics


def _derivation(ask: Callable[[Equations], object]) -> Callable[[], float]:
    """Seconds to derive a satellite that was built under names never used before."""

    def measure() -> float:
        system = satellite(f"_{next(_FRESH)}")
        return seconds_of(lambda: ask(system.derive("kane")))

    return measure


def _operations(equations: Equations) -> int:
    """Operations of M and f in one program, set-up included."""
    size = len(equations.u)
    outputs = [
        ("mass_matrix", (size, size), list(equations.mass_matrix.entries())),
        ("bias", (size,), list(equations.bias)),
    ]
    parameters = [parameter.symbol for parameter in equations.system.parameters.values()]
    program = plan("mass_and_bias", [("q", list(equations.q)), ("u", list(equations.u))], outputs, parameters)
    return len(program.setup) + len(program.run)


def _check_same(equations: Equations, theirs: sympy_arm.Kane) -> None:
    """SymPy's satellite and ours are one: M and f agree at a random point."""
    dice = random.Random(5)
    point: dict[Any, float] = {symbol: dice.uniform(-1, 1) for symbol in (*equations.q, *equations.u)}
    point |= {p.symbol: float(p.value or 0) for p in equations.system.parameters.values()}
    ours = evaluate([*equations.mass_matrix.entries(), *equations.bias], point)
    M, f = sympy_arm.values(theirs, {symbol.name: value for symbol, value in point.items()})
    other = [*map(float, M), *(-float(entry) for entry in f)]
    if any(abs(a - b) > 1e-9 * (1 + abs(b)) for a, b in zip(ours, other, strict=True)):
        raise PolhodeError("SymPy's satellite and ours are not the same mechanism.", code="E-BENCH-001")
