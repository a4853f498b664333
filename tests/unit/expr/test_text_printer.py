"""Plain text has the usual precedence."""

import pytest

from polhode.expr import as_expr, sin, symbols

a, b = symbols("a b")


@pytest.mark.parametrize(("text", "forms"), [
    (repr(a - (b - 1)), ["a - b + 1"]), (repr(-(a + b)), ["-a - b"]), (repr(a / (a * b + 1)), ["a/(a*b + 1)"]),
    (repr((a + b) ** 2), ["(a + b)**2"]), (repr(sin(a) / 2), ["sin(a)/2"]), (repr(a**b), ["pow(a, b)"]),
    (repr(as_expr(-2) / 3), ["-2/3"]),
])  # fmt: skip
def test_brackets_stand_where_they_are_needed_and_nowhere_else(text: str, forms: list[str]) -> None:
    assert text in forms
