"""MathML says what LaTeX says, and a name in it stays a name."""

import html
import re
import xml.etree.ElementTree as ET

import pytest

from polhode.expr import Expr, absolute, atan2, cos, exp, pi, sin, sqrt, symbol, symbols, tanh
from polhode.expr.mathml_printer import mathml, mathml_equation, mathml_parts, mathml_symbol

a, b, x = symbols("a b x")
KNOWN = {"math", "mrow", "mi", "mn", "mo", "mtext", "mfrac", "msqrt", "msup", "msub", "mover", "mtable", "mtr", "mtd"}


def words(text: str) -> str:
    """The letters of a formula in the order of reading, without what is not seen."""
    return re.sub("[\u2061\u2062\u2009]", "", html.unescape(re.sub("<[^>]*>", "", text)))


def element(text: str) -> ET.Element:
    return ET.fromstring(f"<math>{text}</math>")


@pytest.mark.parametrize(("value", "read"), [
    (a * x - b, "ax−b"), (-(a + b) * x, "−x(a+b)"), (sin(x) ** 2 * a, "asin2(x)"), (sin(x) / cos(x), "tan(x)"),
    (sqrt(a) + absolute(b), "|b|+a"), (exp(-x), "e−x"), (atan2(a, b), "atan2(a,b)"), (pi * tanh(x), "πtanh(x)"),
])  # fmt: skip
def test_a_formula_reads_as_it_does_on_paper(value: Expr, read: str) -> None:
    made = element(mathml(value))
    assert sorted(words(mathml(value))) == sorted(read)
    assert {each.tag for each in made.iter()} <= KNOWN


def test_quotients_powers_rates_and_efforts_have_their_marks() -> None:
    (fraction,) = element(mathml(a**2 / (2 * b)))
    assert fraction.tag == "mfrac"
    top, bottom = fraction
    assert (words(ET.tostring(top, "unicode")), words(ET.tostring(bottom, "unicode"))) == ("a2", "2b")
    assert "msup" in {each.tag for each in top.iter()}
    assert "&#729;" in mathml_symbol(symbol("x", "speed")) and "&#168;" in mathml_symbol(symbol("x", "acceleration"))
    assert words(mathml_symbol(symbol("x", "effort"))) == "τx"
    assert words(mathml_symbol(symbol("lambda_2"))) == "λ2"


@pytest.mark.parametrize("name", ["</math><script>alert(1)</script>", "a&b", '"onload="x', "\ud800", "ü 5", "<b>"])
def test_f43_a_hostile_name_stays_a_name(name: str) -> None:
    text = mathml(symbol(name) + sin(symbol(name)))
    assert text.isascii() and {each.tag for each in element(text.replace("&#55296;", "?")).iter()} <= KNOWN


def test_shared_parts_are_written_once_and_depth_does_not_matter() -> None:
    shared = sin(a * x + b * x + 1)
    parts, texts = mathml_parts([shared + a, shared * b])
    assert [words(body) for _, body in parts] == ["sin(ax+bx+1)"]
    assert all(words(parts[0][0]) in words(text) for text in texts)
    deep = x
    for _ in range(2_000):
        deep = sin(deep)
    assert mathml(deep) and mathml_equation("<mi>y</mi>", mathml(a)).startswith("<math")
