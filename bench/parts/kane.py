"""The satellite of Sayers' paper, ten degrees of freedom, every parameter a symbol; M and f agree with SymPy's
KanesMethod to 1e-9 (`tests/judges/test_sympy_kane.py`). Its time is that of `kanes_equations` with all that comes
before; its operations are counted after `cse`. Ours are Sayers' sums, body by body, with his lumping, in the system's
own speeds. Then a car and a semitrailer with steering, suspensions and tyres, by Kane's method and by the other
formalisms.
"""

import re
from collections.abc import Callable, Iterator
from functools import partial

from polhode import System
from polhode.expr import Expr, as_expr, tanh
from polhode.formats import loads_yaml
from polhode.model.samples import Vehicle, car, semitrailer

from ..harness import Row, Say, count, least_times, measure, timing
from ..mechanisms import MODELS, derivation, operations
from ..peers import sympy

PEERS = ("sympy",)
_OTHERS = ("articulated_body", "newton_euler", "poincare")
_NAMES = re.compile(r"\b([MIk]_\w+|L\d|q\d+|u\d+)\b")


def satellite(tag: str = "") -> System:
    """The satellite, with names that carry a tag."""
    return loads_yaml(_NAMES.sub(rf"\g<1>{tag}", (MODELS / "satellite.yaml").read_text(encoding="utf-8")))


def rows(quick: bool, say: Say) -> Iterator[Row]:
    """The satellite beside SymPy, and vehicles."""
    say("SymPy's KanesMethod on the satellite")
    theirs = sympy.satellite()
    equations = satellite().derive("kane", tables=True)
    passes = 2 if quick else 7
    both, what = derivation(satellite, "kane", "mass_matrix", "bias"), "accelerations"
    least = least_times({"both": both, what: derivation(satellite, "kane", "forward_dynamics")}, passes)
    seconds = least_times({"theirs": measure(sympy.satellite)}, 1 if quick else 2)["theirs"]
    yield timing("satellite", "M and f", least["both"], "SymPy KanesMethod", seconds, most_seconds=0.2)
    yield timing("satellite", what, least[what], most_seconds=0.2)
    after_cse, note = theirs.operations_after_cse(), "set-up counted, as SymPy has none"
    yield count("satellite", "M and f", operations(equations), "SymPy after cse", after_cse, 0.6, note)
    costs = {name: cost.total for name, cost in equations.sayers_tables.costs.items()}
    cheapest = min("composite_body", "articulated_body", key=lambda name: costs[name])
    yield count("satellite", what, costs["kane"], cheapest, costs[cheapest])
    for make in (car, semitrailer):
        say(f"a {make.__name__} by every formalism")
        derived = {name: _vehicle(make).derive(name) for name in ("kane", *_OTHERS)}
        case = f"{make.__name__}, {len(derived['kane'].u)} freedoms"
        vehicle = partial(_vehicle, make)  # nodes of an earlier one have gone with it
        least = least_times({name: derivation(vehicle, name, "forward_dynamics") for name in derived}, passes)
        counts = {name: each.operations().total for name, each in derived.items()}
        yield from (timing(case, what, least["kane"], other, least[other]) for other in _OTHERS)
        yield from (count(case, what, counts["kane"], other, counts[other]) for other in _OTHERS)


def _vehicle(make: Callable[..., Vehicle], _tag: str = "") -> System:
    return make(_step_steer).system


def _step_steer(t: Expr) -> Expr:
    return as_expr(tanh(5 * t) / 50)
