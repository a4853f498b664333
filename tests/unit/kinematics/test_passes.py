"""The list of passes, and what the usual ones do together; each pass has a test of its own."""

from __future__ import annotations

import pytest
from tests.unit.kinematics.passes.walker import walker

from polhode.errors import PolhodeError
from polhode.formalisms.deriving import derive
from polhode.kinematics.passes import PASSES, USUAL, VARIANTS, apply, apply_each
from polhode.kinematics.tree import build_tree


def test_every_variant_gives_poincares_equations() -> None:
    for system in (walker("y"), walker("z")):
        judge = derive(system, "poincare", passes=())
        for names in VARIANTS:
            for formalism in ("composite_body", "articulated_body"):
                assert judge.agrees_with(derive(system, formalism, passes=names))


def test_passes_are_on_a_list_and_done_once() -> None:
    trees = apply_each(build_tree(walker()), [("spread", "regroup"), ("spread", "regroup")])
    assert trees[0] is trees[1]
    assert USUAL in VARIANTS
    assert {name for variant in VARIANTS for name in variant} == {*PASSES}
    with pytest.raises(PolhodeError, match="Known: slide, spread, regroup, lend, merge, hold, rest"):
        apply(build_tree(walker()), ["sort"])
