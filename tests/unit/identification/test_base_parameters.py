"""Base parameters: published numbers, exact combinations, what is refused."""

from typing import Any

import numpy as np
import pytest
from tests.refusals import refused

import polhode as ph
from polhode.expr import is_zero, same, symbol
from polhode.identification.base_parameters import null_space, relations, snapped_tree


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
    assert len(base) == 36 and len(base.standard) == 60 and not base.notices and columns_agree(equations, base)
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


def test_nothing_friction_and_free_bodies() -> None:
    s = ph.System("ghost")
    s.joint("a", s.ground, s.body("ghost"), ph.Revolute("z"))
    base = s.derive().base_parameters()
    assert len(base) == 0 and str(base) == "" and base.without_effect == []
    s = ph.System("geared")
    s.joint("a", s.ground, s.body("link", 1, (1, 0, 0)), ph.Revolute("z"))
    s.motor("a", 10, inertia="0.01", friction="0.001", joint_friction="0.1", coupling="reduced")
    assert str(s.derive().base_parameters()) == "100*Izz_a rotor + Izz_link\n0.01*viscous_a + viscous_a rotor"
    s = ph.System("satellite", gravity=(0, 0, 0))
    s.joint("free", s.ground, s.body("hull", 1), ph.Free())
    s.joint("ball", "hull", s.body("dish", 1), ph.Spherical(), at=(1, 0, 0))
    equations = s.derive()
    base = equations.base_parameters()
    assert len(base) == 19 and columns_agree(equations, base)


def test_constraints_are_refused_with_the_way_out() -> None:
    from polhode.model.samples import four_bar, whipple_bicycle

    assert "independent" in refused("share their work with multipliers", lambda: four_bar().derive().base_parameters())
    with pytest.raises(ph.PolhodeError, match="closed loops"):
        from polhode.model.samples.vehicles import INDEPENDENT

        whipple_bicycle().derive("composite_body", independent=INDEPENDENT).base_parameters()
    refused("tolerance", lambda: puma().base_parameters(snap="much"))  # type: ignore[arg-type]


def leaning(angle: float) -> ph.Equations:
    s = ph.System("almost vertical", gravity=(0, 0, "-9.81"))
    s.joint("a", s.ground, s.body("link", 1, (1, 0, 0)), ph.Revolute("z"), rotation=("x", angle))
    return s.derive()


def test_axes_that_are_almost_vertical_are_snapped_or_told_and_base_parameters_of_numbers_are_numbers() -> None:
    snapped = leaning(1e-7).base_parameters()
    assert len(snapped) == 1 and "put on them" in snapped.notices[0]
    exact = leaning(1e-5).base_parameters()
    assert len(exact) == 3 and "would be 1" in exact.notices[0]
    assert len(leaning(1e-5).base_parameters(snap=1e-4)) == 1
    assert len(leaning(0.5).base_parameters()) == 3 and not leaning(0.5).base_parameters().notices
    base = puma().base_parameters()
    values = {"a2": 0.43, "a3": 0.02, "d3": 0.15, "d4": 0.43}
    K = base.matrix()
    assert K.shape == (36, 60) and np.linalg.matrix_rank(K) == 36
    np.testing.assert_array_equal(base.matrix(values), K)
    refused("depend on l, which has no value", lambda: drill().base_parameters().matrix())


def test_only_what_is_almost_plain_is_moved_and_told_and_plain_trees_stay_and_the_null_space_is_exact() -> None:
    s = ph.System("arm")
    near = {"at": (1, 1e-9, s.parameter("l")), "rotation": ("x", 1.5707963)}
    s.joint("near", s.ground, s.body("a", 1), ph.Revolute("z"), **near)
    s.joint("far", "a", s.body("b", 1), ph.Revolute("z"), at=(0.001, 0, 0), rotation=("y", 0.3))
    tree = s.derive().tree
    found, told = snapped_tree(tree, 1e-6)
    assert [str(entry) for entry in found.links[0].fixed.p] == ["1", "0", "l"]
    assert found.links[0].fixed.R[1][2] == -1 and found.links[0].fixed.R[1][1] == 0
    assert found.links[1] is tree.links[1]
    assert told == ["Joint 'near' sits within 1e-06 of plain axes and was put on them."]
    assert snapped_tree(tree, 1e-12)[0].links[0].fixed.R[1][1] != 0
    s = ph.System("arm")
    s.joint("a", s.ground, s.body("a", 1), ph.Revolute("z"), at=(1, 0, 0))
    tree = s.derive().tree
    assert snapped_tree(tree, 1e-6) == (tree, [])
    a = symbol("a")
    (found,) = null_space([[a, 1, 0], [a * a, a, 0], [0, 0, 1]], 3)
    assert found[1] == 1 and is_zero(a * found[0] + 1)


@pytest.mark.parametrize(
    ("joint", "count"),
    [
        (ph.Revolute("y"), 3), (ph.Prismatic("x"), 6), (ph.Spherical(), 1), (ph.Universal("z", "y"), 1),
        (ph.Screw("z", 0.1), 1), (ph.Cylindrical("x"), 1), (ph.Planar("z"), 1), (ph.Free(), 0), (ph.Fixed(), 10),
    ],
)  # fmt: skip
def test_each_joint_leaves_so_much_mass_where_it_is_and_the_efforts_agree(joint: ph.Joint, count: int) -> None:
    s = ph.System("pair", gravity=(0, 0, "-9.81"))
    s.joint("base", s.ground, s.body("carrier", 1), ph.Free())
    place = {"at": (1, 2, 3), "rotation": ("y", ph.pi / 3), "child_at": (0, s.parameter("l"), 1)}
    s.joint("joint", "carrier", s.body("carried", 1), joint, **place)
    equations = s.derive()
    made = equations.regressor()
    index = {name: k for k, name in enumerate(made.names)}
    found = list(relations(equations.tree, ["carrier", "carried"]))
    assert len(found) == count
    for relation in found:
        columns = [(index[f"{kind}_{body}"], factor) for (body, kind), factor in relation.items()]
        assert all(is_zero(sum(factor * row[k] for k, factor in columns)) for row in made.Y)


def test_joints_without_mass_between_take_part() -> None:
    """A hook joint made of two: what its axes have in common is the point where they meet."""
    s = ph.System("hook")
    s.joint("base", s.ground, s.body("carrier", 1), ph.Free())
    s.joint("a", "carrier", s.body("cross"), ph.Revolute("x"))
    s.joint("b", "cross", s.body("carried", 1), ph.Revolute("y"))
    assert [*relations(s.derive().tree, ["carrier", "carried"])] == [{("carried", "m"): 1, ("carrier", "m"): -1}]
