"""The names that `polhode.expr` offers, gathered from its files."""

from .calls import Function, call, function, sampled, table
from .decide import constant_ratio, independent_columns, is_zero, rank, rational_value, same
from .differentiation import derivative, directional, directionals, gradient, jacobian
from .equation import Equation, equation
from .evaluation import constant_sign, constant_value, evaluate
from .functions import (
    absolute,
    acos,
    asin,
    atan,
    atan2,
    cos,
    cosh,
    exp,
    floor,
    log,
    maximum,
    minimum,
    pi,
    sign,
    sin,
    sinh,
    sqrt,
    tan,
    tanh,
    where,
)
from .graph import free_symbols, operation_counts, quiet_collector, rebuild, substitute, topological
from .latex_printer import latex
from .matrix import Matrix, Vector, skew
from .node import Expr, as_expr, live_nodes, number, symbol, symbols, unit_symbols
from .normal_form import normal
from .sympy_bridge import from_sympy, to_sympy

__all__ = [
    "Equation", "Expr", "Function", "Matrix", "Vector", "absolute", "acos", "as_expr", "asin", "atan", "atan2", "call",
    "constant_ratio", "constant_sign", "constant_value", "cos", "cosh", "derivative", "directional", "directionals",
    "equation", "evaluate", "exp", "floor", "free_symbols", "from_sympy", "function", "gradient",
    "independent_columns", "is_zero", "jacobian", "latex", "live_nodes", "log", "maximum", "minimum", "normal",
    "number", "operation_counts", "pi", "quiet_collector", "rank", "rational_value", "rebuild", "same", "sampled",
    "sign", "sin", "sinh", "skew", "sqrt", "substitute", "symbol", "symbols", "table", "tan", "tanh", "to_sympy",
    "topological", "unit_symbols", "where",
]  # fmt: skip
