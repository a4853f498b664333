"""Random expressions, the same for the same seed, that can be evaluated wherever their symbols are near 1."""

import random
from collections.abc import Callable
from fractions import Fraction

import pytest

from polhode.expr import Expr, as_expr, asin, atan, atan2, cos, cosh, exp, log, pi, sin, sinh, sqrt, symbols, tan, tanh

SYMBOLS = symbols("x y z")

#: Functions of one expression that are smooth whatever the expression is.
SMOOTH: list[Callable[[Expr], Expr]] = [
    lambda e: exp(sin(e)), lambda e: log(e * e + 2), lambda e: sqrt(e * e + 1), lambda e: asin(sin(e) / 2),
    lambda e: atan(e), lambda e: tanh(e), lambda e: sinh(sin(e)), lambda e: cosh(cos(e)),
    lambda e: atan2(e, e * e + 3), lambda e: 1 / (e * e + 1), lambda e: (e * e + 2) ** Fraction(1, 3),
]  # fmt: skip

Grow = Callable[[int, bool], Expr]


def grown(seed: int, opaque: bool) -> Expr:
    """A random expression of about ten operations; without `opaque`, rational in symbols, sines and cosines."""
    choose = random.Random(seed)
    pool: list[Expr] = [*SYMBOLS, as_expr(Fraction(choose.randint(-9, 9), choose.randint(1, 5))), pi / 6]
    for _ in range(choose.randint(3, 10)):
        a, b = choose.choice(pool), choose.choice(pool)
        kind = choose.randrange(9 if opaque else 8)
        if kind < 2:
            made = a + b if kind else a - b
        elif kind < 4:
            made = a * b
        elif kind < 7:
            angle = sum((choose.randint(-2, 2) * q for q in SYMBOLS), choose.choice([as_expr(0), pi / 2, pi / 3]))
            made = sin(angle) if kind == 4 else cos(angle) if kind == 5 else choose.choice([sin, cos, tan])(SYMBOLS[0])
        elif kind == 7:
            made = a / b if b else a
        else:
            made = choose.choice(SMOOTH)(a)
        pool.append(made)
    return pool[-1] + choose.choice(pool) * choose.choice(pool)


@pytest.fixture(scope="session")
def grow() -> Grow:
    return grown


@pytest.fixture(scope="session")
def point() -> dict[Expr, float]:
    return dict(zip(SYMBOLS, (0.83, 1.27, 1.09), strict=True))
