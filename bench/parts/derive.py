"""Processor time from a built `System` to the graph, every mass, centre, inertia, offset and gravity a symbol, under
names never used before. SymPy's arm is the same mechanism (`tests/judges/test_sympy_kane.py`). The cold start is in a
fresh process without any cache; its time on the wall is in the note.
"""

from collections.abc import Iterator
from functools import partial

from polhode.formalisms.registry import names

from ..harness import Row, Say, alone, fresh, least_times, measure, timing
from ..mechanisms import binary_tree, chain, derivation, operations
from ..peers import sympy

PEERS = ("sympy",)
_RESULTS = {"M and bias": ("mass_matrix", "bias"), "accelerations": ("forward_dynamics",)}
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
    """Beside SymPy's Kane; by every formalism; large mechanisms; cold starts."""
    passes = 3 if quick else 9
    for size in (3, 4) if quick else (3, 6):
        say(f"SymPy, {size} joints")
        ours = derivation(partial(chain, size), "poincare", *_RESULTS["M and bias"])
        theirs = least_times({"ours": ours, "theirs": measure(partial(sympy.chain, size))}, 2)["theirs"]
        after_cse = sympy.chain(size).operations_after_cse()
        note = f"{operations(chain(size).derive('poincare'))} operations, SymPy after cse {after_cse}"
        least = least_times({"ours": ours}, passes)["ours"]
        yield timing(f"{size}-joint arm", "M and bias, poincare", least, "SymPy Kane", theirs, note=note)
    say("formalisms")
    measures = {
        f"{what}, {name}": derivation(partial(chain, 6), name, *results)
        for name in names()
        for what, results in _RESULTS.items()
    }
    most = {"accelerations, articulated_body": 0.06, "M and bias, poincare": 0.3}
    yield from alone("6-joint arm", measures, passes, most)
    what = "accelerations, articulated_body"
    for name, make, seconds in (
        ("30-body tree", partial(binary_tree, 30), 0.5),
        ("100-link chain", partial(chain, 100, axes="xyz"), 2.0),
    ):
        measures = {what: derivation(make, "articulated_body", "forward_dynamics")}
        yield from alone(name, measures, max(2, passes // 2), {what: seconds})
    say("cold starts")
    runs = [fresh(_COLD) for _ in range(passes)]
    own, wall = ({stage: min(run[stage][k] for run in runs) for stage in runs[0]} for k in (0, 1))
    work = ("derive", "plan", "compile", "call")
    parts = ", ".join(f"{stage} {1e3 * own[stage]:.0f} ms" for stage in work)
    note = f"{parts}; on the wall {1e3 * sum(wall[stage] for stage in work):.0f} ms"
    what = "to a native function, cold"
    yield timing("6-joint arm", what, sum(own[stage] for stage in work), most_seconds=0.4, note=note)
    note = f"imports {1e3 * own['imports']:.0f} ms; on the wall {1e3 * sum(wall.values()):.0f} ms"
    yield timing("6-joint arm", f"{what}, with imports", sum(own.values()), note=note)
