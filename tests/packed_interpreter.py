"""The slow reference interpreter of programs in packs: one lane after the other, in plain floats."""

from __future__ import annotations

import math
from collections.abc import Sequence

from polhode.codegen.ir.calls import on_floats
from polhode.codegen.ir.ops import MEANING
from polhode.codegen.ir.packed import Gather, Packed, Source, Splat, Term
from polhode.codegen.ir.program import Program


def interpret_packed(
    program: Program, code: Packed, inputs: Sequence[float], parameters: Sequence[float] = ()
) -> list[float]:
    """All entries of all outputs, one after the other; a number that is read before it is made is a KeyError."""
    meaning = {**MEANING, **on_floats(program)}
    known = dict(enumerate([*program.constants, *inputs, *parameters]))
    for slot, step in enumerate(program.setup, program.first_setup):
        known[slot] = meaning[step.op](*(known[arg] for arg in step.args))
    vectors: dict[int, list[float]] = {}

    def lane(source: Source, k: int) -> float:
        if isinstance(source, Splat):
            return known[source.slot]
        if isinstance(source, Gather):
            slot = source.slots[k]
            return 0.0 if slot is None else known[slot]
        return vectors[source.pack][k]

    def product(term: Term, k: int) -> float:
        return (term.signs[k] or 1) * math.prod(lane(factor, k) for factor in term.factors)

    for is_pack, number in code.order:
        if not is_pack:
            step = program.run[number - program.first_run]
            known[number] = meaning[step.op](*(known[arg] for arg in step.args))
            continue
        pack = code.packs[number]
        found = [[product(term, k) for term in pack.terms] for k in range(len(pack.lanes))]
        vectors[number] = [sum(terms) if pack.op == "sum" else meaning[pack.op](*terms) for terms in found]
        known.update((own[0], own[1] * value) for own, value in zip(pack.lanes, vectors[number], strict=True) if own)
    return [sign * known[slot] for output in code.outputs for slot, sign in output]
