"""Denavit–Hartenberg tables against products of 4×4 matrices, and against published numbers of the PUMA 560."""

from dataclasses import replace
from math import cos, pi, sin
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.refusals import refused

import polhode as ph
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
    Row(0.3, 0.1, 0.2, -0.7), Row(-1.1, 0.4, 0.05, pi / 2, joint="prismatic"), Row(pi, 0, 0.3, 0.2, joint="fixed"),
    Row(0.2, -0.3, 0, 1.3),
]  # fmt: skip


@pytest.mark.parametrize("convention", ["classic", "modified"])
@pytest.mark.parametrize("rows", [PUMA_560, MIXED], ids=["puma", "mixed"])
def test_the_tip_is_where_the_product_of_matrices_puts_it(rows: list[Row], convention: str) -> None:
    q = [0.4, -0.9, 1.7, 0.2, -0.5, 2.1][: len(rows)]
    assert np.allclose(tip(from_dh(rows, convention), q), product(rows, convention, q), rtol=0, atol=1e-13)


def test_the_puma_weighs_and_reaches_what_its_book_says_and_tables_of_symbols_and_right_angles_are_exact() -> None:
    arm = from_dh(PUMA_560)
    assert tip(arm, [0] * 6)[:3, 3] == pytest.approx([0.4521, -0.15005, 0.4318], abs=1e-12)
    book = [[0, 0, 1, 0.5963], [0, 1, 0, -0.1501], [-1, 0, 0, -0.01435]]
    assert tip(arm, NOMINAL)[:3] == pytest.approx(np.array(book), abs=6e-5)
    e = from_dh(PUMA_560).derive("newton_euler")
    values: dict[Any, float] = dict(zip(e.q, NOMINAL, strict=True))
    values |= dict.fromkeys([*e.u, *e.udot], 0.0)
    torque = evaluate(e.inverse_dynamics, values)
    assert torque == pytest.approx([0, 31.6399, 6.0351, 0, 0.0283, 0], abs=6e-5)
    pose = from_dh([Row(joint="fixed", alpha=pi / 2, a=1)]).derive().pose("link1")
    assert ph.rotation(("x", ph.pi / 2)) == pose.R
    system = ph.System("planar arm")
    l = system.parameter("l")
    m = system.parameter("m")
    arm = from_dh([{"a": l, "mass": m}], system=system)
    assert arm.derive().mass_matrix[0, 0] == m * l**2
    arm = ph.from_dh(STANFORD)
    assert arm.bodies["link4"].inertia == ph.Matrix.diagonal([0.002, 0.001, 0.001])
    assert np.linalg.eigvalsh(arm.derive().compile().mass_matrix(NOMINAL))[0] > 0


@pytest.mark.parametrize(("rows", "options", "message"), [
    ([(0, 0, 1, 0)], {"convention": "craig"}, "no convention 'craig'"), ([(0, 0, 1)], {}, "a row has 4 to 9 entries"),
    ([{"aplha": 1}], {}, "Did you mean 'alpha'"), ([(0, 0, 1, 0, "ball")], {}, "there is no joint 'ball'"),
    ([("x", 0, 1, 0)], {}, "theta = 'x' is not a number"),
])  # fmt: skip
def test_a_wrong_table_is_told_so(rows: list[Any], options: dict[str, Any], message: str) -> None:
    refused(message, lambda: from_dh(rows, **options))


#: Moments of the same links about their mass centres (B. Armstrong, O. Khatib, J. Burdick, 1986, as Corke gives them).
PUMA_INERTIAS = [
    (0, 0.35, 0), (0.13, 0.524, 0.539), (0.066, 0.086, 0.0125), (1.8e-3, 1.3e-3, 1.8e-3), (0.3e-3, 0.4e-3, 0.3e-3),
    (0.15e-3, 0.15e-3, 0.04e-3),
]  # fmt: skip

#: R. P. Paul, Robot Manipulators (1981), tables 6.4 and 6.6.
STANFORD = [
    Row(0, 0.412, 0, -pi / 2, "revolute", 9.29, (0, 0.0175, -0.1105), (0.276, 0.255, 0.071)),
    Row(0, 0.154, 0, pi / 2, "revolute", 5.01, (0, -1.054, 0), (0.108, 0.018, 0.1)),
    Row(-pi / 2, 0, 0, 0, "prismatic", 4.25, (0, 0, -6.447), (2.51, 2.51, 0.006)),
    Row(0, 0, 0, -pi / 2, "revolute", 1.08, (0, 0.092, -0.054), (0.002, 0.001, 0.001)),
    Row(0, 0, 0, pi / 2, "revolute", 0.63, (0, 0, 0.566), (0.003, 0.003, 0.0004)),
    Row(0, 0.263, 0, 0, "revolute", 0.51, (0, 0, 1.554), (0.013, 0.013, 0.0003)),
]


def test_published_inertias_that_no_body_has_are_refused_or_taken_as_they_stand() -> None:
    """The PUMA's first link turns about one axis only, and was given a moment about it alone."""
    rows = [replace(row, inertia=I) for row, I in zip(PUMA_560, PUMA_INERTIAS, strict=True)]
    refused(r"body 'link1': no body has .*\n.*xx 0.1166666667, yy 0.2333333333", lambda: ph.from_dh(rows))
    arm = ph.from_dh(rows, check=False)
    M = arm.derive().compile().mass_matrix(NOMINAL)
    book = np.array([  # Corke, section 9.2, with the motors' inertia G² J on the diagonal
        [3.6594, -0.4044, 0.1006, -0.0025, 0, 0],
        [-0.4044, 4.4137, 0.3509, 0, 0.0024, 0],
        [0.1006, 0.3509, 0.9378, 0, 0.0015, 0],
        [-0.0025, 0, 0, 0.1925, 0, 0],
        [0, 0.0024, 0.0015, 0, 0.1713, 0],
        [0, 0, 0, 0, 0, 0.1941],
    ])  # fmt: skip
    gears = np.array([62.6111, 107.815, 53.7063, 76.0364, 71.923, 76.686])
    motors = gears**2 * np.array([200e-6, 200e-6, 200e-6, 33e-6, 33e-6, 33e-6])
    assert pytest.approx(book, abs=6e-5) == M + np.diag(motors)
