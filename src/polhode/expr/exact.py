"""The functions as users call them: whatever they are given, the result is exact.

>>> from polhode.expr import as_expr
>>> sqrt(2) ** 2, cos(0.3) ** 2 + sin(0.3) ** 2
(2, 1)
"""

from __future__ import annotations

from inspect import Signature, signature
from typing import Any

from . import functions
from .functions import Extended
from .functions import pi as pi  # for the examples, as is the next
from .node import as_expr
from .node import symbol as symbol


def _exactly(name: str, example: str, result: str) -> Any:
    function = functions.BY_NAME[name]

    def exact(*args: Any) -> Any:
        if any(isinstance(arg, Extended) for arg in args):
            return function(*args)
        return function(*map(as_expr, args))

    taken = [parameter.replace(kind=parameter.POSITIONAL_ONLY) for parameter in signature(function).parameters.values()]
    exact.__name__, exact.__signature__ = name, Signature(taken)  # type: ignore[attr-defined]  # not in a function's type
    names = " and ".join(arg.name for arg in taken)
    exact.__doc__ = f"{name} of {names}, an expression or a number, exactly.\n\n>>> {example}\n{result}\n"
    return exact


sin = _exactly("sin", "sin(pi / 6)", "1/2")
cos = _exactly("cos", "cos(pi)", "-1")
tan = _exactly("tan", "tan(pi / 4)", "1")
asin = _exactly("asin", 'asin(symbol("x")).diff(symbol("x"))', "1/sqrt(1 - x**2)")
acos = _exactly("acos", "acos(1)", "0")
atan = _exactly("atan", 'atan(symbol("x")).diff(symbol("x"))', "1/(x**2 + 1)")
atan2 = _exactly("atan2", "float(4 * atan2(1, 1) - pi)", "0.0")
sinh = _exactly("sinh", 'sinh(symbol("x")).diff(symbol("x"))', "cosh(x)")
cosh = _exactly("cosh", "cosh(0)", "1")
tanh = _exactly("tanh", 'tanh(symbol("x")).diff(symbol("x"))', "1 - tanh(x)**2")
exp = _exactly("exp", "exp(0)", "1")
log = _exactly("log", 'log(symbol("x")).diff(symbol("x"))', "1/x")
sqrt = _exactly("sqrt", "sqrt(2) ** 2", "2")
absolute = _exactly("abs", "absolute(-3)", "3")
sign = _exactly("sign", "sign(-2)", "-1")
floor = _exactly("floor", "float(floor(-1.5))", "-2.0")
minimum = _exactly("min", "float(minimum(1, 2))", "1.0")
maximum = _exactly("max", "float(maximum(1, 2))", "2.0")
where = _exactly("where", 'where(symbol("x"), symbol("x") ** 2, 1).diff(symbol("x"))', "where(x, 2*x, 0)")
