"""Functions in the prime field as the graph has them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from polhode.compare.reference.evaluate import function_value
from polhode.expr import Expr, absolute, atan, symbol, tanh
from polhode.expr.field import P


@pytest.mark.parametrize("function", [absolute, atan, tanh])
@pytest.mark.parametrize("name", "abcd")
def test_a_function_of_other_values_is_the_graph_s_of_either_sign(function: Callable[[Expr], Expr], name: str) -> None:
    x, y = symbol(name), symbol(f"other {name}")
    for argument in (y, -y):
        assert function_value(function(x), [argument.fp]) % P == function(argument).fp
