"""The normal form reads like a textbook and is the same function."""

import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polhode.expr import (
    Expr,
    Matrix,
    Vector,
    as_expr,
    cos,
    evaluate,
    exp,
    pi,
    sin,
    sqrt,
    symbols,
    topological,
)  # fmt: skip
from polhode.expr.normal_form import normal
from polhode.expr.reading import readings

a, b, c, d, g = symbols("a b c d g")
q1, q2, q3, l1, l2, m1, m2 = symbols("q1 q2 q3 l1 l2 m1 m2")
t1, t2, t3, u1, u2, y1, y2 = symbols("t1 t2 t3 u1 u2 y1 y2")


def reading(root: Any) -> str:
    """Sums of products as text, with terms and factors sorted, so that two orders of one form read alike."""
    made: dict[int, str] = {}
    root = as_expr(root)
    parts = readings(topological([root]))
    for node in topological([root]):
        if id(node) not in parts:
            continue
        if parts[id(node)][0].factors[:1] and parts[id(node)][0].factors[0][0] is node:
            inner = ", ".join(made[id(arg)] for arg in node.args)
            made[id(node)] = node.name or f"{node.op}({inner})"
            continue
        terms = []
        for term in parts[id(node)]:
            factors = sorted(f"({made[id(base)]})^{e}" for base, e in term.factors)
            terms.append(f"{term.coefficient} {' '.join(factors)}")
        made[id(node)] = " + ".join(sorted(terms))
    return made[id(root)]


def rotation_x(t: Expr) -> Matrix:
    return Matrix([[1, 0, 0], [0, cos(t), -sin(t)], [0, sin(t), cos(t)]])


def rotation_y(t: Expr) -> Matrix:
    return Matrix([[cos(t), 0, sin(t)], [0, 1, 0], [-sin(t), 0, cos(t)]])


def rotation_z(t: Expr) -> Matrix:
    return Matrix([[cos(t), -sin(t), 0], [sin(t), cos(t), 0], [0, 0, 1]])


def angle_sum(left: Expr, right: Expr) -> Expr:
    """cos(left + right), spelled out."""
    return cos(left) * cos(right) - sin(left) * sin(right)


ELBOW_X = l1 * cos(q1) + l2 * angle_sum(q1, q2)
ELBOW_Y = l1 * sin(q1) + l2 * (sin(q1) * cos(q2) + cos(q1) * sin(q2))

TEXTBOOK = {
    "angles are combined": (angle_sum(q1, q2), lambda: cos(q1 + q2)),
    "reach of two links": (ELBOW_X, lambda: l1 * cos(q1) + l2 * cos(q1 + q2)),
    "angles are combined in part": (sin(q1) * angle_sum(q2, q3), lambda: sin(q1) * cos(q2 + q3)),
    "combined and not": (cos(q2) * angle_sum(q2, q3), lambda: cos(q2) * cos(q2 + q3)),
    "double angle": (2 * a * sin(q1) * cos(q1), lambda: a * sin(2 * q1)),
    "a square stays a square": (a * cos(q1) ** 2, lambda: a * cos(q1) ** 2),
    "a square of combined angles": (a * angle_sum(q1, q2) ** 2, lambda: a * cos(q1 + q2) ** 2),
    "cosine and sine squared": (a * cos(q1) ** 2 + a * sin(q1) ** 2 + b, lambda: a + b),
    "moment of a slender body": (5 * cos(t1) ** 2 + 10 * sin(t1) ** 2, lambda: (3 - cos(2 * t1)) * 5 / 2),
    "coupling inertia": (m2 * l2**2 + m2 * l1 * l2 * cos(q2), lambda: m2 * l2 * (l2 + l1 * cos(q2))),
    "inertia of two links": (
        m1 * l1**2 + m2 * (ELBOW_X**2 + ELBOW_Y**2),
        lambda: 2 * m2 * l1 * l2 * cos(q2) + (m1 + m2) * l1**2 + m2 * l2**2,
    ),
    "speed of the elbow squared": (
        ELBOW_X.diff(q1) ** 2 + ELBOW_Y.diff(q1) ** 2,
        lambda: l1**2 + l2**2 + 2 * l1 * l2 * cos(q2),
    ),
    "two brackets": (a * c + a * d + b * c + b * d, lambda: (a + b) * (c + d)),
    "a bracket that was there": ((a + b) ** 3 * angle_sum(q1, q2), lambda: (a + b) ** 3 * cos(q1 + q2)),
    "a common denominator": (a / b + c / b, lambda: (a + c) / b),
    "a quotient that cancels": ((a**2 - b**2) / (a - b), lambda: a + b),
    "denominators of one kind": (1 / (2 * a + 2 * b) + 1 / (a + b), lambda: 3 / (2 * (a + b))),
    "a bracket in both": ((a + b) / (a * c + b * c), lambda: 1 / c),
    "secant": (sin(q1) ** 2 / cos(q1) + cos(q1), lambda: 1 / cos(q1)),
    "a sum in a denominator": (1 / (a + b * angle_sum(q1, q2)), lambda: 1 / (a + b * cos(q1 + q2))),
    "centrifugal terms": (
        m1 * l1 * u1 * u2 * sin(q2) + m1 * l1 * u2**2 * sin(q2),
        lambda: m1 * l1 * u2 * sin(q2) * (u1 + u2),
    ),
    "powers of a sine": (sin(q1) ** 3 + sin(q1), lambda: sin(q1) ** 3 + sin(q1)),
    "nothing to do": (a - b, lambda: a - b),
    "a number": (as_expr(3) / 4, lambda: as_expr(3) / 4),
}  # fmt: skip


@pytest.mark.parametrize("case", TEXTBOOK)
def test_it_reads_like_a_textbook(case: str) -> None:
    built, expected = TEXTBOOK[case]
    shown = normal(built)
    assert shown == built and reading(shown) == reading(expected())


def test_a_rotation_matrix_stays_in_products() -> None:
    rotation = normal(rotation_z(t3) @ rotation_y(t2) @ rotation_x(t1))
    s1, s2, s3, c1, c2, c3 = (f(t) for f in (sin, cos) for t in (t1, t2, t3))
    expected = Matrix(
        [
            [c2 * c3, c3 * s1 * s2 - c1 * s3, s1 * s3 + c1 * c3 * s2],
            [c2 * s3, c1 * c3 + s1 * s2 * s3, c1 * s2 * s3 - c3 * s1],
            [-s2, c2 * s1, c1 * c2],
        ]
    )
    assert [reading(entry) for entry in rotation.entries()] == [reading(entry) for entry in expected.entries()]


@given(seed=st.integers(0, 2**32))
@settings(max_examples=60)
def test_it_is_the_same_function(seed: int, grow: Any, point: dict[Expr, float]) -> None:
    root = grow(seed, seed % 2 == 0)
    shown = normal(root)
    assert shown.fp == root.fp
    was, now = evaluate([root, shown], point)
    assert now == pytest.approx(was, rel=1e-6, abs=1e-6)


@given(seed=st.integers(0, 2**32))
@settings(max_examples=30)
def test_two_ways_of_building_a_polynomial_read_alike(seed: int, grow: Any) -> None:
    e, f = normal(grow(seed, False)), a * sin(q1) + b
    assert reading(normal((e + f) * a - e * a)) == reading(normal(f * a))


def test_operands_vectors_and_matrices_are_rewritten() -> None:
    root = sqrt((l1 + l2 * cos(q2)) ** 2 + (l2 * sin(q2)) ** 2) + a
    (distance,) = [node for node in topological([normal(root)]) if node.op == "sqrt"]
    assert reading(distance.args[0]) == reading(l1**2 + l2**2 + 2 * l1 * l2 * cos(q2))
    vector = normal(Vector([angle_sum(q1, q2), 3]))
    assert isinstance(vector, Vector) and vector[0] is cos(q1 + q2)
    assert isinstance(normal(Matrix([[a + a - a]])), Matrix) and normal(2) is as_expr(2)
    rotation = normal(rotation_x(q1) @ rotation_x(q2) @ rotation_x(q3))
    assert reading(rotation[1, 1]) == reading(cos(q1 + q2 + q3))
    assert reading(rotation[1, 2]) == reading(-sin(q1 + q2 + q3))


@pytest.mark.slow
def test_a_huge_expression_is_left_as_it_was_built_where_it_would_burst() -> None:
    root: Expr = a
    for index in range(8_000):
        root = root * (q1 if index % 2 else b) + cos(q2) * index
    assert normal(root) == root
    power = (a + b + c + d + sin(q1) + cos(q2)) ** 64
    assert normal(power + 1) == power + 1


def test_exotic_angles_and_constants_do_no_harm() -> None:
    for root in (
        sin(q1 / 11) * cos(q1 / 11), sin(q1 + pi / 7) * cos(q2 + pi / 3),
        cos(as_expr(0.3)) * sin(q1) + sin(as_expr(0.3)) * cos(q1),
        exp(a * b + b * a) * sqrt(as_expr(2)) * sqrt(as_expr(6)), a**b * a**b / a**b,
    ):  # fmt: skip
        assert normal(root).fp == root.fp


def calls_left() -> int:
    try:
        return 1 + calls_left()
    except RecursionError:
        return 0


def test_nested_fractions_and_roots_meet_no_recursion_limit() -> None:
    usual = sys.getrecursionlimit()
    fraction, root = q1, q1
    for index in range(280):
        fraction = 1 / (fraction + (a if index % 2 else b))
        root = sqrt(root * root * root + index * a)
    sys.setrecursionlimit(usual - calls_left() + 250)
    try:
        assert normal(fraction) == fraction and normal(root) == root
    finally:
        sys.setrecursionlimit(usual)
