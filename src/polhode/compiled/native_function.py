"""Expressions as one native function of an array."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..codegen.plan import plan
from ..errors import understood
from ..expr import Expr, as_expr
from ..native import compile_program


def native_function(
    variables: Sequence[Expr], roots: Sequence[Expr], known: Mapping[Expr, float]
) -> Callable[..., Any]:
    """The `roots` as one native function of an array (…, variables); all other symbols are `known`."""
    place, cure = "native_function", "Give a list of symbols, a list of expressions, and values by symbols."
    with understood("what a function is made of", (variables, roots, known), place=place, cure=cure):
        made, values = [as_expr(root) for root in roots], {x: float(value) for x, value in dict(known).items()}
        if not all(isinstance(x, Expr) for x in (*variables, *values)):
            raise TypeError
    program = plan("values", [("x", list(variables))], [("y", (len(made),), made)], list(values))
    return compile_program(program, parameters=np.array([*values.values()], dtype=np.float64))
