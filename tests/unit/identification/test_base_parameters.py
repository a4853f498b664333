"""Base parameters: published numbers, exact combinations, what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.errors import PolhodeError
from polhode.expr import same


def puma() -> ph.Equations:
    """The PUMA 560 by Craig's table, all ten moments of every link there."""
    s = ph.System("puma", gravity=(0, 0, "-9.81"))
    a2, a3, d3, d4 = (s.parameter(name, v) for name, v in (("a2", 0.43), ("a3", 0.02), ("d3", 0.15), ("d4", 0.43)))
    right = ph.pi / 2
    table: list[dict[str, Any]] = [{}, {"alpha": -right}, {"a": a2, "d": d3}, {"a": a3, "d": d4, "alpha": -right}]
    table += [{"alpha": right}, {"alpha": -right}]
    table = [row | {"mass": 1, "inertia": (1, 1, 1)} for row in table]
    return ph.from_dh(table, convention="modified", system=s).derive()


def columns_agree(equations: ph.Equations, base: Any) -> bool:
    """Y = Y_B K, by fingerprint."""
    Y = equations.regressor().Y
    kept = ph.Matrix([[row[k] for k in base.columns] for row in Y])
    return same((kept @ base.K).entries(), Y.entries())


def test_the_puma_has_36_as_published() -> None:
    """H. Mayeda, K. Yoshida and K. Osuka, "Base parameters of manipulator dynamic models" (1990); Gautier (1991)."""
    equations = puma()
    base = equations.base_parameters()
    assert len(base) == 36 and len(base.standard) == 60 and not base.notices
    assert columns_agree(equations, base)
    found = {name: str(value) for name, value in base.combinations.items()}
    assert found["mcy_link4"] == "mcy_link4 - mcz_link5" and found["Izz_link4"] == "Iyy_link5 + Izz_link4"
    assert found["Izz_link2"] == "Izz_link2 + a2**2*m_link3 + a2**2*m_link4 + a2**2*m_link5 + a2**2*m_link6"
    assert "mcx_link1" in base.without_effect and "m_link6" not in base.without_effect
    assert base.matrix({"a2": 2.0, "a3": 0.0, "d3": 0.0, "d4": 0.0})[1].max() == 2.0


def drill() -> ph.Equations:
    s = ph.System("drill", gravity=("-9.81", 0, 0))
    s.joint("a", s.ground, s.body("quill", 1), ph.Revolute("z"))
    s.joint("b", "quill", s.body("bit", 1), ph.Prismatic("z"), at=(s.parameter("l"), 0, 0))
    return s.derive()


def test_relations_that_no_joint_gives_are_solved_for() -> None:
    """A slider along the axis of a hinge: how its mass centre lies across cannot be told from the hinge's own."""
    equations = drill()
    base = equations.base_parameters()
    assert columns_agree(equations, base)
    found = ["mcx_bit + mcx_quill", "mcy_bit + mcy_quill", "Izz_bit + Izz_quill + 2*l*mcx_bit", "m_bit"]
    assert str(base).splitlines() == found


def test_many_joints_beside_each_other_do_not_hide_what_one_needs() -> None:
    """A lid on a driven gimbal shows seven moments in one effort: as many motions are needed to see them."""
    s = ph.System("bench", gravity=(0, 0, "-9.81"))
    s.prescribe(s.joint("tilt", s.ground, s.body("ring"), ph.Revolute("x")), ph.sin(s.time))
    s.prescribe(s.joint("pan", "ring", s.body("gimbal"), ph.Revolute("y")), ph.sin(2 * s.time))
    s.joint("hinge", "gimbal", s.body("lid", 1), ph.Revolute("z"), at=(1, 2, 3))
    for k in range(12):
        s.joint(f"slide {k}", s.ground, s.body(f"slide {k}", 1), ph.Prismatic("x"))
    equations = s.derive()
    base = equations.base_parameters()
    assert columns_agree(equations, base)
    assert base.names[:7] == [f"{kind}_lid" for kind in ("mcx", "mcy", "Ixx", "Izz", "Ixy", "Ixz", "Iyz")]
    assert base.names[7:] == [f"m_slide {k}" for k in range(12)]


def test_nothing_that_has_mass_tells_nothing() -> None:
    s = ph.System("ghost")
    s.joint("a", s.ground, s.body("ghost"), ph.Revolute("z"))
    base = s.derive().base_parameters()
    assert len(base) == 0 and str(base) == "" and base.without_effect == []


def test_friction_of_rotor_and_joint_is_one_number() -> None:
    s = ph.System("geared")
    s.joint("a", s.ground, s.body("link", 1, (1, 0, 0)), ph.Revolute("z"))
    s.motor("a", 10, inertia="0.01", friction="0.001", joint_friction="0.1", coupling="reduced")
    assert str(s.derive().base_parameters()) == "100*Izz_a rotor + Izz_link\nviscous_a/100 + viscous_a rotor"


def test_a_ball_joint_and_a_free_body_have_all_that_they_show() -> None:
    s = ph.System("satellite", gravity=(0, 0, 0))
    s.joint("free", s.ground, s.body("hull", 1), ph.Free())
    s.joint("ball", "hull", s.body("dish", 1), ph.Spherical(), at=(1, 0, 0))
    equations = s.derive()
    base = equations.base_parameters()
    assert len(base) == 19 and columns_agree(equations, base)


def test_constraints_are_refused_with_the_way_out() -> None:
    from polhode.model.samples import four_bar, whipple_bicycle

    with pytest.raises(PolhodeError, match="share their work with multipliers") as told:
        four_bar().derive().base_parameters()
    assert "independent" in str(told.value)
    with pytest.raises(PolhodeError, match="closed loops"):
        from polhode.model.samples.bicycle import INDEPENDENT

        whipple_bicycle().derive("composite_body", independent=INDEPENDENT).base_parameters()
    with pytest.raises(PolhodeError, match="tolerance"):
        puma().base_parameters(snap="much")  # type: ignore[arg-type]


def leaning(angle: float) -> ph.Equations:
    s = ph.System("almost vertical", gravity=(0, 0, "-9.81"))
    s.joint("a", s.ground, s.body("link", 1, (1, 0, 0)), ph.Revolute("z"), rotation=("x", angle))
    return s.derive()


def test_axes_that_are_almost_vertical_are_snapped_or_told() -> None:
    snapped = leaning(1e-7).base_parameters()
    assert len(snapped) == 1 and "put on them" in snapped.notices[0]
    exact = leaning(1e-5).base_parameters()
    assert len(exact) == 3 and "would be 1" in exact.notices[0]
    assert len(leaning(1e-5).base_parameters(snap=1e-4)) == 1
    assert len(leaning(0.5).base_parameters()) == 3 and not leaning(0.5).base_parameters().notices


def test_base_parameters_of_numbers_are_numbers() -> None:
    base = puma().base_parameters()
    values = {"a2": 0.43, "a3": 0.02, "d3": 0.15, "d4": 0.43}
    K = base.matrix()
    assert K.shape == (36, 60) and np.linalg.matrix_rank(K) == 36
    np.testing.assert_array_equal(base.matrix(values), K)
    with pytest.raises(PolhodeError, match="depend on l, which has no value"):
        drill().base_parameters().matrix()
