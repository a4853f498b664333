"""Numbers that move obey Leibniz's and the chain rule; expressions move as their derivatives say."""

from collections.abc import Callable
from fractions import Fraction

import pytest

import polhode as ph
from polhode.compare.reference.prime_field import (
    Jet,
    evaluated,
    fraction_of,
    function_value,
    product,
    root,
    root_of,
    solved,
)
from polhode.expr import (
    Expr,
    absolute,
    atan,
    atan2,
    cos,
    derivative,
    exp,
    log,
    maximum,
    sin,
    sqrt,
    symbol,
    symbols,
    table,
    tanh,
)
from polhode.expr.field import P, hash_to_field, rational

x, y = symbols("x y")
SHAPES: dict[str, Callable[[Expr, Expr], Expr]] = {
    "polynomial": lambda a, b: a**3 * b - 2 * a + b**2 / 3,
    "quotient": lambda a, b: (a - b) / (1 + a * b),
    "waves": lambda a, b: sin(2 * a + b) * cos(a),
    "roots": lambda a, b: sqrt(1 + a * a) / sqrt(b),
    "growth": lambda a, b: exp(a * b) - log(a),
    "angle": lambda a, b: atan2(a, b) * ph.tanh(a - b),
    "corners": lambda a, b: absolute(a - b) * maximum(a, b),
    "power": lambda a, b: (a * b) ** Fraction(1, 3),
    "table": lambda a, b: table([0, 1, 3, 4], [0, 2, 1, 1], name="bump", kind="cubic")(a * b),
}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_an_expression_moves_as_its_derivatives_say(shape: Callable[[Expr, Expr], Expr]) -> None:
    f = shape(x, y)
    u, v, a, b = symbols("u v a b")  # rates of x and y, and theirs
    made = evaluated(f, {x: Jet(x.fp, u.fp, a.fp, {0: 1}), y: Jet(y.fp, v.fp, b.fp, {1: 1})}, order=2)
    f_x, f_y = derivative([f], x)[0], derivative([f], y)[0]
    rate = f_x * u + f_y * v
    second = rate.diff(x) * u + rate.diff(y) * v + f_x * a + f_y * b
    assert made.x == f.fp and made.d == rate.fp and made.dd == second.fp
    assert (made.vary.get(0, 0), made.vary.get(1, 0)) == (f_x.fp, f_y.fp)


def test_symbols_lengths_and_roots_have_the_values_of_the_graph_and_elimination_finds_what_was_multiplied() -> None:
    a, b = symbols("a b")
    for shape in ("polynomial", "quotient", "roots", "growth", "angle", "corners", "power", "table"):
        f = SHAPES[shape]
        assert evaluated(f(x, y), {x: Jet((a + b).fp), y: Jet((a * b).fp)}).x == f(a + b, a * b).fp, shape
    length, span = symbol("length"), x * x + y * y
    law = 3 * length**2 + length**3
    found = evaluated(law, {length: Jet(sqrt(span).fp)}, squares={length: span.fp}).x
    assert found == (3 * sqrt(span) ** 2 + sqrt(span) ** 3).fp
    assert root_of(rational(Fraction(8, 9))) ** 2 % P == rational(Fraction(8, 9))
    moving = root(Jet(4, 12, 0, {3: 1}))
    assert (moving.x, moving.d) == (2, 3) and moving.vary[3] == rational(Fraction(1, 4))
    assert fraction_of(rational(Fraction(-981, 100))) == Fraction(-981, 100) and fraction_of(0) == 0
    assert all(fraction_of(hash_to_field("some", k)) is None for k in range(100))
    A = [[hash_to_field(i, j) for j in range(3)] for i in range(5)]
    X = [[hash_to_field("x", i, j) for j in range(2)] for i in range(3)]
    right = product(A, X)
    assert solved(A, right) == X
    right[4][0] += 1
    assert solved(A, right) is None, "no solution"
    assert solved([[1, 2], [2, 4]], [[1], [2]]) is None, "more than one"


@pytest.mark.parametrize("function", [absolute, atan, tanh])
@pytest.mark.parametrize("name", "abcd")
def test_a_function_of_other_values_is_the_graph_s_of_either_sign(function: Callable[[Expr], Expr], name: str) -> None:
    x, y = symbol(name), symbol(f"other {name}")
    for argument in (y, -y):
        assert function_value(function(x), [argument.fp]) % P == function(argument).fp
