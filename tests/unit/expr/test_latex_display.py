"""LaTeX for a notebook: what is short stays whole, what is long is folded, what nobody would read is left to text."""

from __future__ import annotations

import re

from polhode.expr import Matrix, Vector, cos, sin, symbols
from polhode.expr.latex_display import display_latex
from polhode.geometry.dual import Dual

a, b, q = symbols("a b q")


def test_what_is_short_is_one_line() -> None:
    assert display_latex([("", Matrix([[a, 1]]))]) == r"$\begin{bmatrix} a & 1 \end{bmatrix}$"
    assert display_latex([("x", a + b)]) == "$x = a + b$"


def test_long_entries_become_named_parts_that_are_written_once() -> None:
    names = symbols(" ".join(f"p_{k}" for k in range(60)))
    long = sum((p * sin(q * k + p) for k, p in enumerate(names)), a)
    made = display_latex([("M", Matrix([[long, b], [b, long]]))])
    assert made is not None and made.startswith(r"$$\begin{aligned} z_{1} &= ")
    parts = dict(re.findall(r"(z_\{\d+\}) &= (.*?) \\\\", made))
    assert len(parts) > 1 and made.count(r"\sin") == 59 + 1
    assert max(map(len, parts.values())) < 900


def test_a_form_that_is_long_only_as_it_was_derived_is_shortened() -> None:
    entry = sum((a * cos(q + k * b) * cos(k * b) + a * sin(q + k * b) * sin(k * b) for k in range(1, 6)), a * b)
    made = display_latex([("", Matrix([[entry, entry], [entry, entry]]))])
    assert made is not None and made.count(r"a (b + 5 \cos(q))") == 4


def test_what_nobody_would_read_is_left_to_text() -> None:
    names = symbols(" ".join(f"p_{k}" for k in range(3000)))
    assert display_latex([("", Vector([sum((sin(p) * q for p in names), a)]))]) is None
    assert display_latex([("", Vector(["no expression"]))]) is None


def test_dual_numbers_are_written_as_they_are() -> None:
    assert r"\mu" in (display_latex([("", Vector([Dual(a, b)]))]) or "")
