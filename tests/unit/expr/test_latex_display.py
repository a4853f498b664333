"""LaTeX for a notebook: what is short stays whole, what is long is folded, what nobody would read is left to text."""

import re

from polhode.expr import Matrix, Vector, cos, sin, symbols
from polhode.expr.latex_display import display_latex
from polhode.geometry.dual import Dual

a, b, q = symbols("a b q")


def test_short_forms_are_one_line_and_long_entries_become_named_parts() -> None:
    assert display_latex([("", Matrix([[a, 1]]))]) == r"$\begin{bmatrix} a & 1 \end{bmatrix}$"
    assert display_latex([("x", a + b)]) == "$x = a + b$"
    entry = sum((a * cos(q + k * b) * cos(k * b) + a * sin(q + k * b) * sin(k * b) for k in range(1, 6)), a * b)
    made = display_latex([("", Matrix([[entry, entry], [entry, entry]]))])
    assert made is not None and made.count(r"5 a \cos(q) + a b") == 4
    names = symbols(" ".join(f"p_{k}" for k in range(3000)))
    assert display_latex([("", Vector([sum((sin(p) * q for p in names), a)]))]) is None
    assert display_latex([("", Vector(["no expression"]))]) is None
    assert r"\mu" in (display_latex([("", Vector([Dual(a, b)]))]) or "")
    names = symbols(" ".join(f"p_{k}" for k in range(60)))
    long = sum((p * sin(q * k + p) for k, p in enumerate(names)), a)
    made = display_latex([("M", Matrix([[long, b], [b, long]]))])
    assert made is not None and made.startswith(r"$$\begin{aligned} Z_{1} &= ")
    parts = dict(re.findall(r"(Z_\{\d+\}) &= (.*?) \\\\", made))
    assert len(parts) > 1 and made.count(r"\sin") == 59 + 1 and max(map(len, parts.values())) < 900
