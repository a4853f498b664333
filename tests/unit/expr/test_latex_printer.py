r"""LaTeX is well formed, ordered, and holds no command that we did not write."""

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polhode.expr import (
    Expr,
    Matrix,
    Vector,
    absolute,
    as_expr,
    atan2,
    cos,
    exp,
    log,
    pi,
    sign,
    sin,
    sqrt,
    symbol,
    symbols,
)  # fmt: skip
from polhode.expr.latex_printer import latex, latex_escape, latex_name, latex_with_intermediates

a, b, c, q1, q2, theta_1 = symbols("a b c q1 q2 theta_1")


def balanced(text: str) -> bool:
    """Whether braces and \\left-\\right pairs match."""
    depth = 0
    for token in re.findall(r"\\.|[{}]", text, re.DOTALL):
        depth += (token == "{") - (token == "}")
        if depth < 0:
            return False
    return depth == 0 and text.count(r"\left") == text.count(r"\right")


@pytest.mark.parametrize(("expression", "expected"), [
    (a * sin(q1) ** 2 / 2, r"\frac{1}{2} a \sin^{2}(q_{1})"), ((a + b) / (b - c), r"\frac{a + b}{b - c}"),
    (-a - b, "-a - b"), (b - a, "b - a"), (c * (a + b) ** 3, "c (a + b)^{3}"), (a - (b - c), "a - b + c"),
    (sqrt(as_expr(3)) * a / 2, r"\frac{1}{2} \sqrt{3} a"), (sin(q1) * sin(q2) / cos(q2), r"\sin(q_{1}) \tan(q_{2})"),
    (sin(a / b), r"\sin\left(\frac{a}{b}\right)"), (pi * theta_1 / 3, r"\frac{1}{3} \pi \theta_{1}"),
    (-1 / (2 * a), r"-\frac{1}{2 a}"), (exp(-a), "e^{-a}"), (exp(a) ** 2, r"\left(e^{a}\right)^{2}"),
    (a**b, "{a}^{b}"), (3 * as_expr(2) ** a, r"3 \cdot {2}^{a}"), (absolute(a - b), r"\left|a - b\right|"),
    (atan2(a, b), r"\operatorname{atan2}(a, b)"), (log(a) * sign(b), r"\ln(a) \operatorname{sign}(b)"),
    (as_expr(-2) / 3, r"-\frac{2}{3}"), (Vector([a, 1]), r"\begin{bmatrix} a \\ 1 \end{bmatrix}"),
    (Matrix([[a, 0], [0, 1]]), r"\begin{bmatrix} a & 0 \\ 0 & 1 \end{bmatrix}"),
])  # fmt: skip
def test_it_is_written_as_in_a_book(expression: Any, expected: str) -> None:
    assert latex(expression) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("q", "q"), ("q12", "q_{12}"), ("theta", r"\theta"), ("omega_x", r"\omega_{x}"), ("lambda", r"\lambda"),
        ("mass", r"\mathrm{mass}"), ("m_arm_2", r"m_{\mathrm{arm},2}"), ("I_xx", r"I_{\mathrm{xx}}"),
        ("", r"\text{}"), ("left arm", r"\text{left arm}"), ("1a", r"\text{1a}"), ("_x", r"\text{\_x}"),
        ("q_", r"\text{q\_}"), ("größe", r"\text{größe}"), ("a\nb", r"\text{a b}"), ("q\n", r"\text{q }"),
    ],
)  # fmt: skip
def test_names_are_typeset_when_they_are_plain_and_shown_as_text_when_they_are_not(name: str, expected: str) -> None:
    assert latex_name(name) == expected


@pytest.mark.parametrize(
    "name",
    [
        r"\input{secret}", "$", "%", "}", "{", "a}b{c", r"}\input{x}", "^^5cinput", "~", "#1", "a&b", r"\\", "\\",
        "<img onerror=alert(1)>", "\x00\x1b", "a\\", r"\text{", "$$x$$", r"\(x\)", "_" * 5, "`", "\u202e", "x\\}",
    ],
)  # fmt: skip
def test_no_command_can_be_smuggled_in_by_a_name(name: str) -> None:
    text = latex(2 * sin(symbol(name)) ** 2 / (1 + symbol(name, "speed")))
    assert balanced(text)
    commands = set(re.findall(r"\\([A-Za-z]+)", text))
    ours = {"frac", "sin", "text", "left", "right", "dot"}
    signs = {"textbackslash", "textasciicircum", "textasciitilde", "textless", "textgreater"}
    assert commands <= ours | signs
    assert not re.search(r"(?<!\\)[$%&#~<>]", text) and not re.search(r"[\x00-\x1f\x7f]", text)


@given(st.text(max_size=30))
@settings(max_examples=200)
def test_any_text_is_escaped_into_balanced_letters(name: str) -> None:
    text = latex_escape(name)
    assert balanced(text)
    plain = re.sub(r"\\text(backslash|asciicircum|asciitilde|less|greater)\{\}|\\[{}$%&#_]", "", text)
    assert not set(plain) & set("\\{}$%&#_^~<>")


def test_symbols_and_intermediates_are_named() -> None:
    speed = symbol("q1", "speed")
    assert latex(q1 * speed**2, names={speed: r"\dot{q}_{1}"}) == r"q_{1} \dot{q}_{1}^{2}"
    z = symbol("z")
    shared = sin(a * q1 + b * q2 + c)
    lines = latex_with_intermediates([shared * z, shared + a], labels=["F", "G"])
    assert lines == [r"Z_{1} = \sin(a q_{1} + b q_{2} + c)", "F = z Z_{1}", "G = a + Z_{1}"]
    assert sin(q1)._repr_latex_() == r"$\sin(q_{1})$"


@given(seed=st.integers(0, 2**32))
@settings(max_examples=40)
def test_any_expression_is_balanced(seed: int, grow: Any) -> None:
    root = grow(seed, True)
    assert balanced(latex(root)) and all(balanced(line) for line in latex_with_intermediates([root, root * root]))


def test_intermediates_show_all_of_a_long_expression_in_short_lines() -> None:
    root: Expr = a
    for index in range(500):
        root = root * b + cos(q1) * index
    lines = latex_with_intermediates([root])
    assert not any(r"\cdots" in line for line in lines) and max(map(len, lines)) < 5000
    assert r"\begin{aligned} Z_{1} &= " in latex(root * root * root * root * root * root)
