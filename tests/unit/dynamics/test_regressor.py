"""The regressor as a graph, as a native function, and in source code."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest

import polhode as ph
from polhode.dynamics.regressor import friction_terms


@cache
def arm() -> ph.Equations:
    s = ph.System("arm", gravity=(0, 0, "-9.81"))
    first = s.joint("a", s.ground, s.body("upper", 3, (0.2, 0, 0.1), (0.1, 0.2, 0.2)), ph.Revolute("z"))
    s.joint("b", "upper", s.body("fore", 2, (0.1, 0.1, 0), (0.1, 0.1, 0.1)), ph.Revolute("y"), at=(0.5, 0, 0))
    s.joint("weld", "fore", s.body("tool", 1, (0, 0, 0.1)), ph.Fixed(), at=(0.3, 0, 0))
    s.body("frame without mass")
    s.joint("mount", "tool", "frame without mass", ph.Fixed())
    s.joint_force(first, -2 * first.u[0])
    s.joint_spring(first, 7)
    return s.derive()


def test_massless_bodies_have_no_columns_and_source_is_written(tmp_path: Path) -> None:
    Y, names = arm().regressor()
    assert Y.shape == (2, 31) and len(names) == 31
    assert [name for name in names if name.startswith("m_")] == ["m_upper", "m_fore", "m_tool"]
    assert names[:3] == ["m_upper", "mcx_upper", "mcy_upper"] and names[-1] == "viscous_a"
    files = arm().export("c", tmp_path, of="regressor")
    assert any("regressor" in path.read_text() for path in files if path.suffix == ".h")
    s = ph.System("nothing")
    s.joint("a", s.ground, s.body("ghost"), ph.Revolute("z"))
    assert s.derive().regressor().names == []
    s = ph.System("pendulum", gravity=(0, 0, -10))
    s.joint("hinge", s.ground, s.body("bob", 1, (0, 0, -1)), ph.Revolute("y"))
    with pytest.raises(ph.PolhodeError, match="the regressor is that of the whole equations"):
        s.derive(small=["hinge"]).regressor()


def test_native_and_in_batches_it_gives_the_efforts() -> None:
    q, u, udot = np.random.default_rng(1).normal(size=(3, 5, 2))
    f = arm().compile()
    Y, known = f.regressor(q, u, udot)
    values = np.array([float(x) for x in arm().regressor().values])
    assert Y.shape == (5, 2, 31)
    np.testing.assert_allclose(Y @ values + known, f.inverse_dynamics(q, u, udot), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(known[:, 0], 7 * q[:, 0])
    one, _ = f.regressor(q[3], u[3], udot[3])
    np.testing.assert_array_equal(one, Y[3])


@pytest.mark.parametrize("kind", ["m", "mcy", "Ixz"])
def test_a_column_is_the_slope_of_the_efforts_by_its_parameter(kind: str) -> None:
    """Independent of the formulas here: efforts of two bodies that differ in one moment alone."""
    moments = {"m": 2.0, "mcx": 0.1, "mcy": 0.2, "mcz": 0.3, "Ixz": 0.05}

    def efforts(values: dict[str, float]) -> np.ndarray:
        m, c = values["m"], np.array([values[f"mc{x}"] for x in "xyz"]) / values["m"]
        about = np.diag([3.0, 3.0, 3.0]) + values["Ixz"] * np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]])
        about -= m * (c @ c * np.eye(3) - np.outer(c, c))
        s = ph.System("arm", gravity=(0, "-9.81", 0))
        s.joint("a", s.ground, s.body("u"), ph.Revolute("z"))
        s.joint("b", "u", s.body("f", m, tuple(c.tolist()), about.tolist()), ph.Revolute("y"), at=(0.5, 0, 0.2))
        e = s.derive()
        made = e.compile()
        motion = ([0.3, 0.4], [0.5, -1.0], [2.0, 1.0])
        column = made.regressor(*motion)[0][:, e.regressor().names.index(f"{kind}_f")]
        return np.array([made.inverse_dynamics(*motion), column])

    (before, column), (after, _) = efforts(moments), efforts(moments | {kind: moments[kind] + 0.5})
    np.testing.assert_allclose((after - before) / 0.5, column, atol=1e-10)


def found(law: object) -> list[tuple[str, str, str]]:
    s = ph.System("slider")
    x = s.joint("x", s.ground, s.body("block", 2), ph.Prismatic("x"), speeds=["v"])
    b, c = s.parameter("b"), s.parameter("c")
    F = s.input("F")
    s.joint_force(x, law(x.q[0], x.u[0], b, c, F))  # type: ignore[operator]
    e = s.derive()
    return [(term.kind, str(term.shape), str(term.coefficient)) for term in friction_terms(e.system, e.tree)]


@pytest.mark.parametrize(("law", "expected"), [
    (lambda q, v, b, c, F: -b * v - c * ph.sign(v), [("viscous", "v", "b"), ("coulomb", "sign(v)", "c")]),
    (lambda q, v, b, c, F: F - 3 * q - ph.tanh(50 * v) / 2, [("coulomb", "tanh(50*v)", "1/2")]),
    (lambda q, v, b, c, F: -b * (v - F), [("viscous", "v", "b")]), (lambda q, v, b, c, F: -b * q * v, []),
    (lambda q, v, b, c, F: -b * v * ph.absolute(v), []), (lambda q, v, b, c, F: -c * ph.sign(v - F), []),
    (lambda q, v, b, c, F: F, []), (lambda q, v, b, c, F: b / v, []),
])  # fmt: skip
def test_only_what_is_linear_in_a_speed_or_its_sign_counts(law: object, expected: list[tuple[str, str, str]]) -> None:
    assert found(law) == expected


def test_forces_on_one_joint_are_taken_together() -> None:
    s = ph.System("slider")
    x = s.joint("x", s.ground, s.body("block", 2), ph.Prismatic("x"))
    s.joint_force(x, -2 * x.u[0])
    s.joint_force(x, -3 * x.u[0])
    e = s.derive()
    assert [term.coefficient for term in friction_terms(e.system, e.tree)] == [5]
