"""What is printed is what was meant: text and LaTeX are read back to the same function, in the order of a textbook."""

import random
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.printed_text import is_same, read_latex, read_mathml, read_text
from tests.seeds import TRIAL

from polhode.expr import Expr, as_expr, cos, free_symbols, latex, normal, number, pi, sin, sqrt, symbol, symbols
from polhode.expr.latex_printer import latex_as_built
from polhode.expr.mathml_printer import mathml
from polhode.expr.rational import as_decimal

M, m, l, g, k = (symbol(name, "parameter") for name in "Mmlgk")
x, theta = (symbol(name, "coordinate") for name in ("x", "theta"))
v, w, a, b = (symbol(name, kind) for kind in ("speed", "acceleration") for name in ("x", "theta"))
tau, time, r = symbol("x", "effort"), symbol("t", "time"), symbol("x", "reference")
PLAIN = [M, m, l, g, k, x, theta, v, w, a, b, tau, time, r, *symbols("s q_1 lambda φ mass_2")]


def moving(seed: int) -> Expr:
    """A random sum of products of symbols of all kinds, sines, decimals, brackets and quotients."""
    choose = random.Random(seed)
    total = as_expr(0)
    for _ in range(choose.randint(1, 5)):
        term = as_expr(Fraction(choose.randint(-40, 40), choose.choice([1, 2, 3, 5, 7, 8, 100, 10**9])))
        for _ in range(choose.randint(1, 4)):
            one, two = choose.choices(PLAIN, k=2)
            made = choose.choice([one, sin(one - two), cos(two), one + two, sqrt(one**2 + 3), one**2 - m])
            term = term * made if choose.random() < 0.75 or not made else term / made
        total = total + term
    return total


def check_read_back(root: Expr) -> None:
    found = free_symbols([root])
    for form in (root, normal(root)):
        assert is_same(read_text(repr(form), found), root)
        assert is_same(read_latex(latex_as_built(form), found), root)
        assert is_same(read_mathml(mathml(form), found), root)


@given(seed=st.integers(0, 2**32))
@settings(max_examples=200 if TRIAL else 20, deadline=None)
def test_text_latex_and_mathml_are_read_back_to_the_same_function(seed: int, grow: Any) -> None:
    check_read_back(grow(seed, True))
    check_read_back(moving(seed))


@given(seed=st.integers(0, 2**32))
@settings(max_examples=200 if TRIAL else 12, deadline=None)
def test_the_normal_form_is_its_own_and_shows_nothing_that_cancels(seed: int, grow: Any) -> None:
    for root in (moving(seed), grow(seed, True)):
        shown = normal(root)
        assert normal(shown) is shown
        assert (
            [x for x in free_symbols([shown]) if not shown.diff(x)]
            == [x for x in free_symbols([shown]) if not root.diff(x)]
            == []
        )


def test_a_symbol_that_cancels_behind_what_is_too_long_is_not_shown() -> None:
    names = symbols([f"p{i}" for i in range(40)])
    long = sum((p * sin(p) for p in names), as_expr(0)) ** 6
    shown = normal(long * (k + v) - long * k - long * v + x)
    assert shown is x


@pytest.mark.parametrize(
    ("value", "text", "typeset"),
    [
        (Fraction(1, 2), "1/2", r"\frac{1}{2}"), (Fraction(-7, 6), "-7/6", r"-\frac{7}{6}"),
        (Fraction(981, 100), "9.81", "9.81"), (Fraction(1, 5), "0.2", "0.2"), (Fraction(1, 7), "1/7", r"\frac{1}{7}"),
        (Fraction("6.674e-11"), "6.674e-11", r"6.674 \cdot 10^{-11}"), (Fraction(10**20), "1e20", r"1 \cdot 10^{20}"),
        (Fraction(1, 16), "0.0625", "0.0625"), (Fraction(3), "3", "3"), (Fraction(12, 10**4), "0.0012", "0.0012"),
        (Fraction(1, 2**80), f"1/{2**80}", rf"\frac{{1}}{{{2**80}}}"),
    ],
)  # fmt: skip
def test_numbers_are_written_by_value(value: Fraction, text: str, typeset: str) -> None:
    assert repr(number(value)) == text and latex(number(value)) == typeset
    assert read_text(text, []).data == value == read_latex(typeset, []).data
    assert as_decimal(abs(value)) is None or as_decimal(abs(value)) != ("", 0)


def test_terms_and_factors_stand_in_the_order_of_a_textbook() -> None:
    kinetic = (M * v**2 + m * (v - l * w * cos(theta)) ** 2 + m * (l * w * sin(theta)) ** 2) / 2
    assert repr(normal(kinetic)) == "(M + m)*x'**2/2 - m*l*x'*theta'*cos(theta) + m*l**2*theta'**2/2"
    assert latex(kinetic) == (
        r"\frac{1}{2} (M + m) \dot{x}^{2} - m l \dot{x} \dot{\theta} \cos(\theta)"
        r" + \frac{1}{2} m l^{2} \dot{\theta}^{2}"
    )
    total = tau + m * g * l * sin(theta) + k * v + k + m * l * w**2 * sin(theta) + (M + m) * a
    assert repr(total) == "(M + m)*x'' + m*l*theta'**2*sin(theta) + k*x' + m*g*l*sin(theta) + k + tau_x"
    s, d = symbols("s d")
    assert repr(d * s + k + m * s**2) == "m*s**2 + d*s + k"
    assert repr(sin(theta) * l * w**2 * m * Fraction(981, 100) * pi) == "9.81*pi*m*l*theta'**2*sin(theta)"
    heavy = symbol("load", "parameter")
    assert latex(heavy * g * l, masses=[heavy]) == r"\mathrm{load} \, g l" and latex(heavy * g) == r"g \, \mathrm{load}"


def test_greek_is_by_name_or_as_typed() -> None:
    written = [latex(symbol(name)) for name in ("varphi", "φ", "ϕ", "θ_1", "theta1", "Ω", "μ_k")]
    assert written == [r"\varphi", r"\varphi", r"\phi", r"\theta_{1}", r"\theta_{1}", r"\Omega", r"\mu_{k}"]
    assert latex(symbol("θ", "speed") * symbol("θ", "acceleration")) == r"\dot{\theta} \ddot{\theta}"


def test_a_long_expression_is_written_whole_with_names_or_counted() -> None:
    root = k
    for index in range(1, 900):
        root = root * (M + index) + cos(theta * index)
    assert "operations" in repr(root) and "…" not in repr(root)
    lines = latex(root * root).split(r" \\ ")
    assert lines[0].startswith(r"\begin{aligned} Z_{1} &= ") and not any("dots" in line for line in lines)
