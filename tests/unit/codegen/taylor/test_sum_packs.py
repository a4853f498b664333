"""Sums of products in packs of four."""

from __future__ import annotations

import pytest
from tests.smooth_program import smooth_program

from polhode.codegen.llvm.function import WIDTH
from polhode.codegen.taylor.recurrences import NONLINEAR, series_program
from polhode.codegen.taylor.sum_packs import Factor, sum_packs


@pytest.mark.parametrize("seed", range(5))
def test_every_sum_is_in_one_pack_with_its_factors(seed: int) -> None:
    series = series_program(smooth_program(seed))
    found = sum_packs(series)
    first = series.program.first_run
    wanted = [first + place for place, rule in enumerate(series.rules) if rule.name in NONLINEAR]
    assert [slot for pack in found.packs for slot in pack.slots] == wanted
    for pack in found.packs:
        assert len(pack.slots) <= WIDTH
        for lane, slot in enumerate(pack.slots):
            rule = series.rule(slot)
            factors = {found.blocks[pack.one][lane], found.blocks[pack.other][lane]}
            if rule.name == "integral":
                along, integrand = rule.args
                assert factors == {Factor(along, derived=True), Factor(integrand)}
            elif rule.name in ("product", "square"):
                assert factors == {Factor(arg) for arg in rule.args}
            else:
                assert Factor(slot) in factors


def test_a_block_is_stored_once() -> None:
    found = sum_packs(series_program(smooth_program(1)))
    assert len(set(found.blocks)) == len(found.blocks)
