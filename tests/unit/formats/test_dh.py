"""Denavit–Hartenberg tables against products of 4×4 matrices, and against published numbers of the PUMA 560."""

from __future__ import annotations

from math import cos, pi, sin
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import polhode as ph
from polhode.errors import PolhodeError
from polhode.expr import as_expr, evaluate
from polhode.formats.dh import Row, from_dh

#: P. I. Corke, Robotics, Vision and Control, chapter 7: theta, d, a, alpha, mass and mass centre of each link.
PUMA_560 = [
    Row(0, 0, 0, pi / 2),
    Row(0, 0, 0.4318, 0, mass=17.4, com=(-0.3638, 0.006, 0.2275)),
    Row(0, 0.15005, 0.0203, -pi / 2, mass=4.8, com=(-0.0203, -0.0141, 0.070)),
    Row(0, 0.4318, 0, pi / 2, mass=0.82, com=(0, 0.019, 0)),
    Row(0, 0, 0, -pi / 2, mass=0.34),
    Row(0, 0, 0, 0, mass=0.09, com=(0, 0, 0.032)),
]
NOMINAL = [0, pi / 4, pi, 0, pi / 4, 0]

Matrix4 = NDArray[np.float64]


def turn(axis: str, angle: float) -> Matrix4:
    c, s = cos(angle), sin(angle)
    T = np.eye(4)
    if axis == "z":
        T[:2, :2] = [[c, -s], [s, c]]
    else:
        T[1:3, 1:3] = [[c, -s], [s, c]]
    return T


def move(x: float, z: float) -> Matrix4:
    T = np.eye(4)
    T[0, 3], T[2, 3] = x, z
    return T


def product(rows: list[Row], convention: str, q: list[float]) -> Matrix4:
    T = np.eye(4)
    for row, value in zip(rows, q, strict=True):
        theta = float(row.theta) + (value if row.joint == "revolute" else 0.0)
        d = float(row.d) + (value if row.joint == "prismatic" else 0.0)
        about_z = turn("z", theta) @ move(0, d)
        about_x = move(float(row.a), 0) @ turn("x", float(row.alpha))
        T = T @ (about_z @ about_x if convention == "classic" else about_x @ about_z)
    return T


def tip(arm: ph.System, q: list[float]) -> Matrix4:
    e = arm.derive()
    pose = e.pose(list(arm.bodies)[-1])
    moving = [value for value, joint in zip(q, arm.joints.values(), strict=True) if joint.q]
    values = dict(zip(e.q, moving, strict=True))
    entries = [as_expr(x) for x in pose.matrix().entries()]
    return np.array(evaluate(entries, values)).reshape(4, 4)


MIXED = [
    Row(0.3, 0.1, 0.2, -0.7),
    Row(-1.1, 0.4, 0.05, pi / 2, joint="prismatic"),
    Row(pi, 0, 0.3, 0.2, joint="fixed"),
    Row(0.2, -0.3, 0, 1.3),
]


@pytest.mark.parametrize("convention", ["classic", "modified"])
@pytest.mark.parametrize("rows", [PUMA_560, MIXED], ids=["puma", "mixed"])
def test_the_tip_is_where_the_product_of_matrices_puts_it(rows: list[Row], convention: str) -> None:
    q = [0.4, -0.9, 1.7, 0.2, -0.5, 2.1][: len(rows)]
    assert np.allclose(tip(from_dh(rows, convention), q), product(rows, convention, q), rtol=0, atol=1e-13)


def test_the_puma_reaches_where_its_book_says() -> None:
    arm = from_dh(PUMA_560)
    assert tip(arm, [0] * 6)[:3, 3] == pytest.approx([0.4521, -0.15005, 0.4318], abs=1e-12)
    book = [[0, 0, 1, 0.5963], [0, 1, 0, -0.1501], [-1, 0, 0, -0.01435]]
    assert tip(arm, NOMINAL)[:3] == pytest.approx(np.array(book), abs=6e-5)


def test_the_puma_weighs_what_its_book_says() -> None:
    e = from_dh(PUMA_560).derive("newton_euler")
    values: dict[Any, float] = dict(zip(e.q, NOMINAL, strict=True))
    values |= dict.fromkeys([*e.u, *e.udot], 0.0)
    torque = evaluate(e.inverse_dynamics, values)
    assert torque == pytest.approx([0, 31.6399, 6.0351, 0, 0.0283, 0], abs=6e-5)


def test_right_angles_are_exact() -> None:
    pose = from_dh([Row(joint="fixed", alpha=pi / 2, a=1)]).derive().pose("link1")
    assert ph.rotation(("x", ph.pi / 2)) == pose.R


def test_a_table_of_symbols_gives_equations_of_symbols() -> None:
    system = ph.System("planar arm")
    l = system.parameter("l")
    m = system.parameter("m")
    arm = from_dh([{"a": l, "mass": m}], system=system)
    assert arm.derive().mass_matrix[0, 0] == m * l**2


@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        ([(0, 0, 1, 0)], {"convention": "craig"}, "no convention 'craig'"),
        ([(0, 0, 1)], {}, "a row has 4 to 9 entries"),
        ([{"aplha": 1}], {}, "Did you mean 'alpha'"),
        ([(0, 0, 1, 0, "ball")], {}, "there is no joint 'ball'"),
        ([("x", 0, 1, 0)], {}, "theta = 'x' is not a number"),
    ],
)
def test_a_wrong_table_is_told_so(rows: list[Any], options: dict[str, Any], message: str) -> None:
    with pytest.raises(PolhodeError, match=message):
        from_dh(rows, **options)
