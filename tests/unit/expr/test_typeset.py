"""Records made of formulas: LaTeX where it is read, and a text that says the same."""

from collections.abc import Sequence
from typing import Any

from polhode.expr import Matrix, Vector, symbols
from polhode.expr.latex_display import sentence_latex
from polhode.expr.typeset import Typeset


class Shown(Typeset):
    def __init__(self, *formulas: tuple[str, Any], told: Sequence[str] = (), most: int = 4_000) -> None:
        self.formulas, self.told, self.most = formulas, told, most

    def _formulas(self) -> Sequence[tuple[str, Any]]:
        return self.formulas

    def _sentences(self) -> Sequence[str]:
        return self.told

    @property
    def _readable(self) -> int:
        return self.most

    def __repr__(self) -> str:
        return "Shown()"


def test_sentences_stand_below_formulas_and_what_is_empty_is_left_out() -> None:
    a, b = symbols("a b")
    made = Shown(("x", a), ("y", a * b), told=["Both are so."])._repr_mimebundle_()
    rows = r"\displaystyle \begin{aligned} x &= a \\ y &= a b \end{aligned} \\ \text{Both are so.}"
    assert made == {
        "text/latex": rf"$$\begin{{array}}{{l}} {rows} \end{{array}}$$",
        "text/plain": "Shown()\nBoth are so.",
    }
    a, _ = symbols("a b")
    assert Shown(("v", Vector([])), ("A", Matrix([])), ("x", a))._repr_latex_() == "$x = a$"
    assert Shown(("v", Vector([])))._repr_latex_() is None
    made = sentence_latex(r"a\b{c}$d$ 50% & #1 x_1^2 ~ <p>")
    assert made.count("{") - made.count(r"\{") == made.count("}") - made.count(r"\}")
    assert "$" not in made.replace(r"\$", "") and "%" not in made.replace(r"\%", "")


def test_what_is_too_long_is_told_in_sentences_alone() -> None:
    total = sum(symbols("a b c d"))
    made = Shown(("x", total), told=["It is long."], most=3)._repr_mimebundle_()
    assert {*made} == {"text/html", "text/plain"} and "It is long." in made["text/html"]
    assert "text/latex" in Shown(("x", total), most=20)._repr_mimebundle_()
