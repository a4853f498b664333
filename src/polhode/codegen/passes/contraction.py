"""Which products are fused with the sum that uses them: a b + c in one rounding.

Left to a compiler, that is its liberty, and code for one state and in lanes would not round alike. Decided here, both
do: a product that is used once, by a sum or difference, is fused with it; of two, the first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from ..ir.program import Program


def fused_products(program: Program, wanted: Collection[int]) -> dict[int, int]:
    """For sums and differences of the run part, among the wanted slots, the slot of the product that each takes in."""
    run = {slot: step for slot, step in enumerate(program.run, program.first_run) if slot in wanted}
    uses = Counter(arg for step in run.values() for arg in step.args)
    uses.update(slot for output in program.outputs for slot in output.slots)
    products = {slot for slot, step in run.items() if step.op == "mul" and uses[slot] == 1}
    return {
        slot: next(arg for arg in step.args if arg in products)
        for slot, step in run.items()
        if step.op in ("add", "sub") and not products.isdisjoint(step.args)
    }
