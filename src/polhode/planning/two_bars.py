"""Inverse kinematics of two bars in a plane: a leg, an arm."""

from __future__ import annotations

from typing import Any

from ..errors import PolhodeError
from ..expr import Expr, as_expr, constant_sign, free_symbols
from ..expr.exact import acos, atan2, cos, sin


def two_bars(x: Any, z: Any, first: Any, second: Any) -> tuple[Expr, Expr]:
    """The angles of two bars that hang from the origin and end at (x, z): of the first, and of the second in it.

    Angles are about y, from straight down; the second is positive, as a knee bends. In closed form, by the cosine rule.

    >>> hip, knee = two_bars(0, "-1", "0.6", "0.8")
    >>> f"{float(hip):.4f} {float(knee):.4f}"
    '-0.9273 1.5708'
    """
    x, z, first, second = (as_expr(entry) for entry in (x, z, first, second))
    cosine = as_expr((x**2 + z**2 - first**2 - second**2) / (2 * first * second))
    if not free_symbols([cosine]) and (constant_sign(1 - cosine) < 0 or constant_sign(1 + cosine) < 0):
        raise PolhodeError(
            f"bars of {float(first):.4g} and {float(second):.4g} do not reach ({float(x):.4g}, {float(z):.4g}), at "
            f"{float(x**2 + z**2) ** 0.5:.4g} from where they hang.",
            place="two_bars",
            cure=f"Stay between {abs(float(first - second)):.4g} and {float(first + second):.4g}.",
            code="E-PATH-022",
        )
    knee = acos(cosine)
    hip = atan2(-x, -z) - atan2(second * sin(knee), first + second * cos(knee))
    return as_expr(hip), as_expr(knee)
