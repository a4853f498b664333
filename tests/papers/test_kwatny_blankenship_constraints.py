"""Kwatny and Blankenship (1995), (5)-(9): from a constraint A p = 0 to its joint map H, a basis of Ker A."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import null_space

import polhode as ph
from polhode.expr import as_expr, evaluate, is_zero
from polhode.geometry.elimination import kernel

UNITS = np.eye(6, dtype=int).tolist()
of_constraint = ph.JointMap.of_constraint


def test_the_maps_of_table_1() -> None:
    """Table I: revolute, universal, prismatic, screw and cylindrical, by what each forbids."""
    (s,) = ph.symbols("s")
    wx, wy, wz, vx, vy, vz = UNITS
    table = {
        "revolute": ([wx, wy, vx, vy, vz], [[0, 0, 1, 0, 0, 0]]),
        "universal": ([wx, vx, vy, vz], [[0, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0]]),
        "prismatic": ([wx, wy, wz, vx, vy], [[0, 0, 0, 0, 0, 1]]),
        "screw": ([wx, wy, vx, vy, [0, 0, s, 0, 0, -1]], [[0, 0, 1, 0, 0, s]]),
        "cylindrical": ([wx, wy, vx, vy], [[0, 0, 1, 0, 0, 0], [0, 0, 0, 0, 0, 1]]),
    }
    for A, columns in table.values():
        assert ph.Matrix(columns) == of_constraint(A).H.T


@pytest.mark.parametrize("rows", range(1, 6))
def test_the_kernel_is_that_of_scipy(rows: int) -> None:
    rng = np.random.default_rng(rows)
    A = rng.integers(-3, 4, (rows, 6))
    A = np.vstack([A, A.sum(axis=0)])  # rows may depend on each other
    H = np.array(evaluate(kernel(A.tolist()).entries(), {})).reshape(6, -1)
    N = null_space(A)
    assert H.shape == N.shape
    assert_allclose(N @ (N.T @ H), H, atol=1e-12)


def test_a_turn_about_any_direction_keeps_an_exact_axis() -> None:
    a, b, c = ph.unit_symbols(["a", "b", "c"])
    A = [[0, -c, b, 0, 0, 0], [c, 0, -a, 0, 0, 0], [-b, a, 0, 0, 0, 0], *UNITS[3:]]
    assert ph.Matrix([[a, b, c, 0, 0, 0]]) == of_constraint(A).H.T


SKATE = [UNITS[0], UNITS[1], UNITS[4], UNITS[5]]


def test_a_skate_from_its_constraint_moves_as_a_free_body_with_it() -> None:
    s = ph.System("skate", gravity=(0, 0, 0))
    s.joint("j", s.ground, s.body("b", 2, (0.1, 0.2, 0.3), (1, 2, 2.5)), of_constraint(SKATE), speeds=["w", "v"])
    own = s.derive()
    run = own.simulate(2, speeds={"w": 1.5, "v": 0.7}, rtol=1e-10, atol=1e-11)
    s = ph.System("free", gravity=(0, 0, 0))
    p = s.joint("j", s.ground, s.body("b", 2, (0.1, 0.2, 0.3), (1, 2, 2.5)), ph.Free()).u
    for row in SKATE:
        s.constrain_speed(sum(as_expr(a) * u for a, u in zip(row, p, strict=True)))
    free = s.derive()
    other = free.simulate(2, speeds=dict(zip(free.speeds, (0, 0, 1.5, 0.7, 0, 0), strict=True)), rtol=1e-10, atol=1e-11)
    assert_allclose(own.compile().pose("b", run.q[-1])[0], free.compile().pose("b", other.q[-1])[0], atol=1e-8)


def test_a_constraint_that_depends_on_the_configuration_has_its_map_in_the_dependent_speeds() -> None:
    s = ph.System("body")
    joint = s.joint("j", s.ground, s.body("b", 1, inertia=(1, 2, 3)), ph.Free())
    q, p = joint.q, joint.u
    A = ph.Matrix([[q[4], 1, 0, 0, ph.sin(q[5]), 0], [0, 0, q[6], 1, 0, 0]])
    for row in A:
        s.constrain_speed(row.dot(p))
    e = s.derive(constraints="embedded")
    assert all(is_zero(entry) for entry in (A @ e.dependent_speeds.E).entries())
    assert e.dependent_speeds.E.shape == (6, 4)
    with pytest.raises(ph.PolhodeError, match="that of a simple joint is constant"):
        of_constraint(A)


def test_all_formalisms_agree_on_such_a_joint() -> None:
    s = ph.System("arm", gravity=(1, 2, -9))
    s.joint(
        "a", s.ground, s.body("A", 1, (1, 0, 0), (1, 2, 2)), of_constraint([[2, 1, -1, 0, 1, 0], [0, 0, 1, 1, 0, 2]])
    )
    s.joint(
        "b", "A", s.body("B", 2, (0, 1, 0), (1, 1, 2)), of_constraint([*UNITS[:2], *UNITS[3:5], [0, 0, 1, 0, 0, 3]])
    )
    assert s.compare(["poincare", "kane", "newton_euler"], run=False, functions=()).agree


def test_a_model_file_has_the_rows(tmp_path: Path) -> None:
    path = tmp_path / "nut.yaml"
    path.write_text(
        "name: nut\nparameters: {s: 0.05}\nbodies: {nut: {mass: 1, inertia: [1, 1, 2]}}\njoints:\n  j: {parent: "
        "ground, child: nut, constraint: [[1, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0], [0, 0, 0, 1, 0, 0], "
        "[0, 0, 0, 0, 1, 0], [0, 0, s, 0, 0, -1]]}\n"
    )
    assert str(ph.load(path).derive().mass_matrix[0, 0]) == "s**2 + 2"


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (UNITS, "leaves no speed free"),
        ([[1, 2]], "not a matrix of 6 columns"),
        ([], "not a matrix of 6 columns"),
        (3, "not a matrix"),
        ([["x"] * 6], "not a number"),
    ],
)
def test_what_is_no_constraint_is_refused(rows: object, message: str) -> None:
    with pytest.raises(ph.PolhodeError, match=message):
        of_constraint(rows)
