"""Calls of opaque functions: equal where they must be, differentiated to any order, printed, stored, never expanded."""

import pickle

import pytest

import polhode as ph
from polhode.expr import cos, derivative, evaluate, free_symbols, from_sympy, gradient, normal, sin, symbols, to_sympy
from polhode.expr.archive import dump, load
from polhode.expr.opaque.user import UserFunction

X, Y, A = symbols("x y a")
TYRE = ph.table([-1, 0, 0.5, 2], [-3, 0, 2, 4], name="tyre", kind="cubic", outside="line")
MAP = ph.table(([0, 1, 2, 3], [0, 1, 3, 4]), [[0, 1, 2, 1], [3, 1, 0, 2], [1, 1, 2, 2], [0, 5, 1, 1]], kind="cubic")


def test_calls_and_tables_are_equal_where_their_content_is() -> None:
    assert TYRE((X + 1) ** 2) == TYRE(X**2 + 2 * X + 1) and TYRE(sin(X) ** 2 + cos(X) ** 2 - 1 + Y) is TYRE(Y)
    assert TYRE(X) - TYRE(X) == 0
    assert TYRE(X) != TYRE(Y) and TYRE(X) != TYRE.derivative()(X) and MAP(X, Y) != MAP(Y, X) and TYRE(X) != TYRE(-X)
    twin = ph.table([-1, 0, 0.5, 2], [-3, 0, 2, 4], name="other", kind="cubic", outside="line")
    assert twin(X) is TYRE(X)


@pytest.mark.parametrize("point", [(0.3, 0.4), (1.7, 2.2), (2.9, 0.1)])
def test_second_derivatives_of_a_call_are_what_small_steps_find(point: tuple[float, float]) -> None:
    f = MAP(X * Y, Y + X) * TYRE(X - Y)
    values = dict(zip((X, Y), point, strict=True))
    h = 1e-5
    for first in (X, Y):
        for second in (X, Y):
            slope = f.diff(first)
            up, down = (evaluate([slope], values | {second: values[second] + s * h})[0] for s in (1, -1))
            (found,) = evaluate([slope.diff(second)], values)
            assert found == pytest.approx((up - down) / (2 * h), rel=1e-5, abs=1e-5)
    assert f.diff(X, Y) == f.diff(Y, X)


def test_calls_are_differentiated_substituted_normalised_and_searched() -> None:
    f = MAP(TYRE(X * A), Y) * TYRE(X)
    assert gradient(f, [X, Y, A]) == [derivative([f], variable)[0] for variable in (X, Y, A)]
    line = ph.table([0, 1, 2], [0, 1, 4])
    assert line(X).diff(X) != 0 and line(X).diff(X, X) == 0
    assert TYRE(X).diff(X, X, X) != 0 and TYRE(X).diff(X, X, X, X) == 0 and TYRE.integral()(X).diff(X) is TYRE(X)
    assert TYRE(0.5) == 2.0 and TYRE([0, 0.5]).tolist() == [0.0, 2.0]
    assert float(TYRE(ph.symbol("x")).subs({ph.symbol("x"): 0.5})) == 2.0
    assert TYRE(X * Y).subs({X: A}) is TYRE(A * Y)
    form = normal(TYRE(X * Y + X * A) * 2 + TYRE(X * (Y + A)))
    assert form == 3 * TYRE(X * (Y + A)) and form.diff(X) == 3 * TYRE(X * (Y + A)).diff(X)
    two = normal(TYRE.derivative()(A * Y - A * X + X * A)) - normal(TYRE(A * Y - A * X + X * A))
    assert two == TYRE.derivative()(A * Y) - TYRE(A * Y) and evaluate([two], {A: 1.0, X: 2.0, Y: 0.5}) != [0.0]
    assert free_symbols([MAP(Y, X)]) == [Y, X]


def test_calls_are_printed_and_archived_by_name_and_sympy_differentiates_them() -> None:
    assert repr(2 * TYRE(X) + 1) == "2*tyre(x) + 1"
    assert repr(TYRE(X).diff(X)) == "tyre'(x)" and repr(TYRE(X).diff(X, X)) == "tyre''(x)"
    assert repr(MAP(X, Y).diff(Y)) == "table_D1(x, y)"
    assert ph.latex(TYRE(X / Y).diff(X)) == r"\frac{\mathrm{tyre}'\left(\frac{x}{y}\right)}{y}"
    assert ph.latex(MAP(X, Y).diff(X, Y)) == r"\partial_{01}\mathrm{table}(x, y)"
    hostile = ph.table([0, 1], [3, 9], name=r"\input{x}$")
    assert "\\input" not in ph.latex(hostile(X))
    x = to_sympy(X)
    f = to_sympy(X * TYRE(X**2))
    assert str(f) == "x*tyre(x**2)" and from_sympy(f) == X * TYRE(X**2)
    assert from_sympy(f.diff(x)) == (X * TYRE(X**2)).diff(X)
    assert from_sympy(to_sympy(MAP(X, Y)).diff(x, to_sympy(Y))) == MAP(X, Y).diff(X, Y)
    roots = [TYRE(X), MAP(X, Y).diff(X) + TYRE.integral()(Y), X]
    assert all(a is b for a, b in zip(load(dump(roots)), roots, strict=True))
    assert pickle.loads(pickle.dumps(roots[1])) is roots[1]
    mine = ph.function("mine", c="double mine(double x) { return x; }")
    text = dump([mine(X)])
    assert "return" not in text and load(text)[0] is mine(X)
    with pytest.raises(ph.PolhodeError, match="has not been made in this process"):
        load(text.replace(mine.opaque.digest, "0" * 32))


def test_an_archive_that_is_spoiled_is_refused() -> None:
    text = dump([TYRE(X)])
    for wrong in ('"kind": "cubic"', '"orders": [0]', '"outside": "line"'):
        assert wrong in text
        with pytest.raises(ph.PolhodeError):
            load(text.replace(wrong, wrong.split(":")[0] + ": [9, 9]"))


def test_a_users_function_needs_derivatives_only_where_used_and_is_known_by_its_source() -> None:
    slope = ph.function("slope", python=lambda a, b: 2 * a)
    f = ph.function("half", python=lambda a, b: a * a, derivatives={0: slope})
    assert f(X, Y).diff(X) == slope(X, Y) and gradient(f(X, A), [X]) == [slope(X, A)]
    with pytest.raises(ph.PolhodeError, match="function 'half': its derivative by argument 1 is needed") as caught:
        f(X, Y).diff(Y)
    assert caught.value.problems[0].code == "E-FUNCTION-DERIVATIVE"
    source = "double same(double x) { return x; }"
    assert ph.function("same", source)(X) is ph.function("same", source)(X)
    assert ph.function("same", source)(X) != ph.function("same", source.replace("return x", "return 2*x"))(X)
    first, second = (ph.function("again", python=lambda x, k=k: k, arity=1) for k in (1, 2))
    assert first(X) != second(X) and (first(0.0), second(0.0)) == (1.0, 2.0)
    slope = ph.function("flat", "double flat(double x) { return 1.0; }")
    assert ph.function("same", source, derivatives={0: slope})(X).diff(X) == slope(X)
    assert isinstance(slope.opaque, UserFunction)
