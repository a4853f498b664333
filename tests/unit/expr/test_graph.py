"""Walks: order, substitution, depth, determinism."""

import gc
import os
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.seeds import TRIAL

from polhode.errors import PolhodeError
from polhode.expr import (
    Expr,
    cos,
    derivative,
    evaluate,
    free_symbols,
    live_nodes,
    operation_counts,
    quiet_collector,
    sin,
    sqrt,
    substitute,
    symbol,
    symbols,
    topological,
)  # fmt: skip
from polhode.expr.archive import dump, load
from polhode.expr.latex_printer import latex
from polhode.expr.normal_form import normal

x, y, z = symbols("x y z")


@given(seed=st.integers(0, 2**32))
@settings(max_examples=30)
def test_operands_come_first_and_each_node_once(seed: int, grow: Any) -> None:
    order = topological([grow(seed, True), grow(seed + 1, True)])
    place = {id(node): index for index, node in enumerate(order)}
    assert len(place) == len(order) and all(place[id(arg)] < place[id(node)] for node in order for arg in node.args)


@given(seed=st.integers(0, 2**32))
@settings(max_examples=30)
def test_substitution_is_composition(seed: int, grow: Any, point: dict[Expr, float]) -> None:
    root = grow(seed, True)
    inner = {x: sin(y) + 2, y: x * z / 4}
    (composed,) = substitute([root], inner)
    moved = dict(zip(inner, evaluate(inner.values(), point), strict=True)) | {z: point[z]}
    assert evaluate([composed], point)[0] == pytest.approx(evaluate([root], moved)[0], rel=1e-9, abs=1e-9)


def test_replacements_happen_all_at_once_and_walks_are_ordered_and_count_what_is_shared_once() -> None:
    assert substitute([x - 2 * y], {x: y, y: x}) == [y - 2 * x] and (x * y).subs({x: 0}) == 0
    with pytest.raises(PolhodeError, match="only symbols"):
        substitute([x], {x + y: z})
    assert free_symbols([sin(z) / x, y]) == [z, x, y]
    shared = sin(x) * y
    assert operation_counts([shared + sqrt(shared), shared]) == {"sin": 1, "mul": 1, "sqrt": 1, "add": 1}


def test_the_collector_is_quiet_and_wakes_again() -> None:
    with pytest.raises(ValueError, match="stop"), quiet_collector():
        assert not gc.isenabled()
        raise ValueError("stop")
    assert gc.isenabled()


@pytest.mark.slow
def test_a_deep_chain_meets_no_recursion_limit() -> None:
    root: Expr = x
    for index in range(3_000):
        root = cos(root) * y + index % 7
    assert evaluate(derivative([root], x), {x: 0.3, y: 0.2})[0] == pytest.approx(0.0, abs=1e-9)
    (swapped,) = substitute([root], {x: y, y: x})
    assert substitute([swapped], {x: y, y: x})[0] is root and load(dump([root]), 0) is root
    assert len(repr(root)) < 10_000 and len(latex(root)) < 40_000 and normal(root) == root


@pytest.mark.slow
def test_a_graph_of_many_nodes_in_one_chain_works_and_is_freed() -> None:
    """A million of them in a trial."""
    links = 500_000 if TRIAL else 60_000

    def build() -> int:
        base = symbol("of a long chain")
        root: Expr = base
        with quiet_collector():
            for _ in range(links):
                root = root * base + y
        return len(topological([root]))

    before = live_nodes()
    assert build() > 2 * links
    assert live_nodes() <= before


SCRIPT = """
from polhode.expr import *
from polhode.expr.archive import dump
from polhode.expr.latex_printer import latex
from polhode.expr.normal_form import normal
x, y, z = symbols("x y z")
e = (sin(x) * cos(y) + cos(x) * sin(y) + z) ** 2 / (x + y * z) - sqrt(x * x + y * y + 1)
d = e.diff(x) * e.diff(y)
print(dump([d, normal(d), normal(e)]), latex(d), repr(d), [n.fp for n in free_symbols([d])])
"""


@pytest.mark.slow
def test_results_do_not_depend_on_the_hash_seed() -> None:
    outputs = set()
    for seed in ("0", "12345"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        run = subprocess.run(
            [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True
        )
        outputs.add(run.stdout)
    assert len(outputs) == 1
