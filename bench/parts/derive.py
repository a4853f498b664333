"""Processor time from a built `System` to the graph, every mass, centre, inertia, offset and gravity a symbol, under
names never used before. SymPy's arm is the same mechanism (`tests/judges/test_sympy_kane.py`). The cold start is in a
fresh process without any cache; its time on the wall is in the note.

The satellite of Sayers' paper has ten degrees of freedom; M and f agree with SymPy's KanesMethod to 1e-9. Its time is
that of `kanes_equations` with all that comes before; its operations are counted after `cse`. Ours are Sayers' sums,
body by body, with his lumping, in the system's own speeds. Then a car and a semitrailer with steering, suspensions and
tyres, by Kane's method and by the other formalisms.

Last, the benchmark bicycle of Meijaard and others (2007), every parameter but the tilt of the steer axis a symbol.
SymPy's time is that of its own test of it (`physics/mechanics/tests/test_kane3.py`), which derives by Kane's method,
linearizes and compares with known numbers at six speeds; ours agree with those
(`tests/judges/test_whipple_bicycle.py`).
"""

from collections.abc import Callable, Iterator
from functools import partial

from polhode import Equations, System
from polhode.expr import Expr, as_expr, tanh
from polhode.formalisms.registry import names
from polhode.linear.linear import Linear
from polhode.model.samples import Vehicle, car, semitrailer
from polhode.model.samples.vehicles import INDEPENDENT, upright, whipple_bicycle

from ..harness import Row, Say, alone, beside, count, fresh, least_times, measure, timing
from ..mechanisms import binary_tree, chain, derivation, operations, satellite
from ..peers import sympy

PEERS = ("sympy",)
_RESULTS = {"M and bias": ("mass_matrix", "bias"), "accelerations": ("forward_dynamics",)}
_KANE, _OTHERS = "SymPy KanesMethod", ("articulated_body", "newton_euler", "poincare")
#: The first stage imports all that the later ones would otherwise import on first use.
_COLD = {
    "imports": "import llvmlite.binding, numpy, polhode.formalisms, polhode.compiled.functions, polhode.native.engine\n"
    "from bench.mechanisms import chain",
    "model": "arm = chain(6)",
    "derive": "equations = arm.derive(); equations.forward_dynamics",
    "plan": "functions = equations.compile(cache=False); functions.program('forward_dynamics')",
    "compile": "functions.native('forward_dynamics')",
    "call": "functions.forward_dynamics([0.0] * 6, [0.0] * 6, [0.0] * 6)",
}


def rows(quick: bool, say: Say) -> Iterator[Row]:
    """Arms beside SymPy's Kane and by every formalism; large mechanisms; cold starts; a satellite; vehicles."""
    passes = 3 if quick else 9
    for size in (3, 4) if quick else (3, 6):
        say(f"SymPy, {size} joints")
        ours, theirs = derivation(partial(chain, size), "poincare", *_RESULTS["M and bias"]), partial(sympy.chain, size)
        note = f"{operations(chain(size).derive('poincare'))} operations"
        note += f", SymPy after cse {theirs().operations_after_cse()}"
        given = ours, "SymPy Kane", measure(theirs), passes
        yield beside(f"{size}-joint arm", "M and bias, poincare", *given, their_passes=2, note=note)
    say("formalisms")
    measures = {
        f"{what}, {name}": derivation(partial(chain, 6), name, *results)
        for name in names()
        for what, results in _RESULTS.items()
    }
    most = {"accelerations, articulated_body": 0.06, "M and bias, poincare": 0.3}
    yield from alone("6-joint arm", measures, passes, most)
    what = "accelerations, articulated_body"
    large = {"30-body tree": (partial(binary_tree, 30), 0.5), "100-link chain": (partial(chain, 100, axes="xyz"), 2.0)}
    for name, (make, seconds) in large.items():
        measures = {what: derivation(make, "articulated_body", "forward_dynamics")}
        yield from alone(name, measures, max(2, passes // 2), {what: seconds})
    say("cold starts")
    runs = [fresh(_COLD) for _ in range(passes)]
    own, wall = ({stage: min(run[stage][k] for run in runs) for stage in runs[0]} for k in (0, 1))
    work, what = ("derive", "plan", "compile", "call"), "to a native function, cold"
    parts = ", ".join(f"{stage} {1e3 * own[stage]:.0f} ms" for stage in work)
    note = f"{parts}; on the wall {1e3 * sum(wall[stage] for stage in work):.0f} ms"
    yield timing("6-joint arm", what, sum(own[stage] for stage in work), most_seconds=0.4, note=note)
    note = f"imports {1e3 * own['imports']:.0f} ms; on the wall {1e3 * sum(wall.values()):.0f} ms"
    yield timing("6-joint arm", f"{what}, with imports", sum(own.values()), note=note)
    yield from _satellite(passes, say)
    for vehicle in (car, semitrailer):
        say(f"a {vehicle.__name__} by every formalism")
        yield from _by_formalisms(vehicle, passes)
    say("the bicycle")
    yield from _bicycle(quick)


def _satellite(passes: int, say: Say) -> Iterator[Row]:
    say("SymPy's KanesMethod on the satellite")
    equations, what = satellite().derive("kane", tables=True), "accelerations"
    both, theirs = derivation(satellite, "kane", *_RESULTS["M and bias"]), measure(sympy.satellite)
    yield beside("satellite", "M and f", both, _KANE, theirs, passes, their_passes=1, most_seconds=0.2)
    yield from alone("satellite", {what: derivation(satellite, "kane", "forward_dynamics")}, passes, {what: 0.2})
    after_cse, note = sympy.satellite().operations_after_cse(), "set-up counted, as SymPy has none"
    yield count("satellite", "M and f", operations(equations), "SymPy after cse", after_cse, 0.6, note)
    costs = {name: cost.total for name, cost in equations.sayers_tables.costs.items()}
    cheapest = min("composite_body", "articulated_body", key=lambda name: costs[name])
    yield count("satellite", what, costs["kane"], cheapest, costs[cheapest])


def _by_formalisms(make: Callable[..., Vehicle], passes: int) -> Iterator[Row]:
    def vehicle(_tag: str = "") -> System:  # nodes of an earlier one have gone with it
        return make(_step_steer).system

    derived = {name: vehicle().derive(name) for name in ("kane", *_OTHERS)}
    case, what = f"{make.__name__}, {len(derived['kane'].u)} freedoms", "accelerations"
    least = least_times({name: derivation(vehicle, name, "forward_dynamics") for name in derived}, passes)
    counts = {name: each.operations().total for name, each in derived.items()}
    yield from (timing(case, what, least["kane"], other, least[other]) for other in _OTHERS)
    yield from (count(case, what, counts["kane"], other, counts[other]) for other in _OTHERS)


def _step_steer(t: Expr) -> Expr:
    return as_expr(tanh(5 * t) / 50)


def _bicycle(quick: bool) -> Iterator[Row]:
    """To equations, to linear ones, to eigenvalues; SymPy takes minutes, and is left out of a quick run."""
    from sympy.physics.mechanics.tests.test_kane3 import test_bicycle

    def derived() -> Equations:
        equations = whipple_bicycle().derive("composite_body", independent=INDEPENDENT)
        _ = equations.mass_matrix, equations.bias
        return equations

    def linear() -> Linear:
        return (equations := derived()).linearize(upright(equations.system))

    def eigenvalues() -> object:
        equations = linear()
        return [equations.eigenvalues({"v": speed}) for speed in range(6)]

    case, passes = "Whipple bicycle", 2 if quick else 7
    least = least_times({"derive": measure(derived), "both": measure(linear)}, passes)
    yield timing(case, "M and bias, rolling embedded", least["derive"], most_seconds=1.0)
    yield timing(case, "linear equations from these", least["both"] - least["derive"], most_seconds=1.0)
    if not quick:
        given = measure(eigenvalues), _KANE, measure(test_bicycle), passes
        yield beside(case, "description to eigenvalues", *given, their_passes=1, least_ratio=100)
