"""The functions as users call them: whatever they are given, the result is exact.

>>> from polhode.expr import as_expr
>>> sqrt(2) ** 2, cos(0.3) ** 2 + sin(0.3) ** 2
(2, 1)
"""

from __future__ import annotations

from typing import Any

from . import functions
from .extended import Extended
from .node import as_expr


def _exactly(name: str) -> Any:
    function = functions.BY_NAME[name]

    def exact(*args: Any) -> Any:
        if any(isinstance(arg, Extended) for arg in args):
            return function(*args)
        return function(*map(as_expr, args))

    exact.__name__ = name
    exact.__doc__ = f"{name} of an expression or a number, exactly."
    return exact


sin, cos, tan = _exactly("sin"), _exactly("cos"), _exactly("tan")
asin, acos, atan, atan2 = _exactly("asin"), _exactly("acos"), _exactly("atan"), _exactly("atan2")
sinh, cosh, tanh = _exactly("sinh"), _exactly("cosh"), _exactly("tanh")
exp, log, sqrt = _exactly("exp"), _exactly("log"), _exactly("sqrt")
absolute, sign, floor = _exactly("abs"), _exactly("sign"), _exactly("floor")
minimum, maximum = _exactly("min"), _exactly("max")
