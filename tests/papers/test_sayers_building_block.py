"""Sayers (1991), Tables 1, 3 and 4: the building-block joint."""

from itertools import permutations
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation as SciPyRotation

import polhode as ph
from polhode.errors import ModelError
from polhode.expr import Matrix, Vector, as_expr, cos, evaluate, same, sin, substitute
from polhode.formats import dumps_yaml, loads_yaml
from polhode.geometry.rotations.euler import SEQUENCES, sequence_velocity
from polhode.model.records import Joint

D_ROT, D_REF = Vector([0, as_expr(3) / 5, as_expr(4) / 5]), Vector([1, 0, 0])


def system_with(**options: Any) -> ph.System:
    system = ph.System("block")
    body = system.body("B", mass=2, com=(1, 2, 3), inertia=[4, 5, 6])
    system.joint("j", system.ground, body, ph.BuildingBlock(**options), at=(1, 0, 2))
    return system


def block(**options: Any) -> tuple[ph.Equations, Joint]:
    system = system_with(**options)
    return system.derive(), system.joints["j"]


def at_home(made: ph.Equations, joint: Joint) -> Matrix:
    rows = made.pose("B").R.map(as_expr)
    return Matrix(substitute(row, dict.fromkeys(joint.q, 0)) for row in rows)


@pytest.mark.parametrize("first", [1, 2, 3])
def test_table_3_orients_the_body_when_all_coordinates_are_zero(first: int) -> None:
    made, joint = block(rotations=(first,), axis=D_ROT, reference=D_REF)
    R = at_home(made, joint)
    b = dict(zip((1, 2, 3), R.columns, strict=True))
    after, last = first % 3 + 1, (first + 1) % 3 + 1
    assert same(b[first], D_ROT)
    assert same(b[last], D_ROT.cross(D_REF))
    assert same(b[after], b[last].cross(b[first]))


def test_a_reference_need_not_be_at_right_angles_to_the_axis() -> None:
    made, joint = block(rotations=(3,), axis="z", reference=(0.6, 0, 0.8))
    assert same(at_home(made, joint).entries(), Matrix.identity(3).entries())


@pytest.mark.parametrize("word", [word for word in SEQUENCES if len({*word}) == 3])
def test_table_4_gives_the_direction_of_the_second_rotation(word: str) -> None:
    """As printed, with the S of row (2, 1) read as S_3."""
    angles = ph.symbols("a b c")
    S, C = sin(angles[2]), cos(angles[2])
    printed = {
        (1, 2): (0, C, -S), (1, 3): (0, S, C), (2, 1): (C, 0, S),
        (2, 3): (-S, 0, C), (3, 1): (C, -S, 0), (3, 2): (S, C, 0),
    }  # fmt: skip
    _, i2, i3 = map(int, word)
    assert same(sequence_velocity(word, angles).columns[1], printed[i3, i2])


def test_table_1_a_point_moves_along_directions_fixed_in_the_parent() -> None:
    """(14): r = r^A0Bj + Σ q_i d_i, with directions that need not be orthogonal."""
    directions = [(0.6, 0.8, 0), (0, 0, 1), (1, 0, 0)]
    made, joint = block(translations=directions, rotations=(2,), axis="x", reference="y")
    q = joint.q
    total = Vector([1, 0, 2])
    for amount, direction in zip(q, directions, strict=False):
        total = total + Vector([as_expr(x) for x in direction]) * amount
    assert same(made.pose("B").p, total)
    assert same(made.coordinate_rates, joint.u)


def test_a_free_block_has_translation_first_and_speeds_along_the_body() -> None:
    made, joint = block(translations="xyz", rotations=(1, 2, 3))
    assert made.coordinates == ["j_x", "j_y", "j_z", "j_a1", "j_a2", "j_a3"]
    R = made.pose("B").R
    assert same(made.pose("B").p, Vector([1, 0, 2]) + Vector(joint.q[:3]))
    assert same(made.coordinate_rates[:3], R @ Vector(joint.u[:3]))
    assert made.agrees_with(system_with(translations="xyz", rotations=(1, 2, 3)).derive("poincare"))


def test_two_rotations_go_through_a_massless_link() -> None:
    made, joint = block(rotations=(3, 1))
    links = made.tree.links
    assert [link.inertia.m for link in links] == [0, 2]
    assert len(joint.q) == 2
    first, second = (Vector(column[:3]) for column in made.jacobian("B").columns)
    assert same(first, (0, 0, 1))
    assert same(second, made.pose("B").R @ Vector([1, 0, 0]))


@pytest.mark.parametrize("rotations", [(), (2,), (1, 3), (3, 1, 3)])
@pytest.mark.parametrize("translations", ["", "x", "zy", "xyz"])
def test_a_block_is_written_to_a_model_file_and_read_again(translations: str, rotations: tuple[int, ...]) -> None:
    made, _ = block(translations=list(translations), rotations=rotations, axis="z", reference="x")
    again = loads_yaml(dumps_yaml(made.system))
    assert again.derive().agrees_with(made)
    assert again.derive().coordinates == made.coordinates


@pytest.mark.parametrize("order", [*permutations("xyz")])
def test_permuted_directions_are_taken_as_they_are_listed(order: tuple[str, ...]) -> None:
    made, joint = block(translations=order, rotations=(1, 2, 3))
    axes = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}
    total = Vector([1, 0, 2])
    for amount, letter in zip(joint.q, order, strict=False):
        total = total + Vector(axes[letter]) * amount
    assert same(made.pose("B").p, total)


@pytest.mark.parametrize(("options", "code"), [
    ({"translations": [(0, 0, 0)]}, "E-JOINT-NUMBER"), ({"rotations": (1,), "axis": (0, 2)}, "E-JOINT-NUMBER"),
    ({"translations": [(ph.symbol("a"), 1, 0)]}, "E-JOINT-NUMBER"), ({"translations": [(1, 1, 0), (2, 2, 0)]},
      "E-JOINT-SINGULAR"),
    ({"rotations": (3,), "axis": "x", "reference": "-x"}, "E-JOINT-SINGULAR"),
    ({"rotations": (1, 2, 2)}, "E-JOINT-SINGULAR"), ({"rotations": (1, 2, 4)}, "E-JOINT-SHAPE"),
    ({"rotations": (1, 2, 3, 1)}, "E-JOINT-SHAPE"),
    ({"rotations": (1,), "reference": (cos(ph.symbol("a")), sin(ph.symbol("a")), 0)}, "E-JOINT-UNSUPPORTED"),
    ({"translations": ["x", "x"]}, "E-JOINT-SINGULAR"),
])  # fmt: skip
def test_what_is_no_building_block_is_refused_by_name(options: dict[str, Any], code: str) -> None:
    with pytest.raises(ModelError) as caught:
        ph.BuildingBlock(**options)
    assert caught.value.problems[0].code == code
    assert caught.value.problems[0].cure


SKEW = [(1, 2, 0), (0.3, 0.4, 1 / 3)]


@pytest.mark.parametrize(("rotations", "more"), [
    ((3,), {}), ((1, 2, 3), {}), ((2,), {"axis": (1, 2, 2), "reference": (1, 0, 0)}),
    ((1, 2, 3), {"axis": (1, 2, 3), "reference": (0.1, 1, 1)}), ((2, 1), {"axis": (0.5, 0.6, 1e-17)}),
])  # fmt: skip
def test_directions_of_any_length_are_those_of_length_one(rotations: tuple[int, ...], more: dict[str, Any]) -> None:
    """Skew slides move along their directions by metres; the body turns first about its axis, fixed in the parent."""
    made, joint = block(translations=SKEW, rotations=rotations, **more)
    values = dict(zip(joint.q, (0.3, -0.2, 0.7, 0, 0), strict=False))
    at = np.array(evaluate(made.pose("B").p, values))
    lengths = zip(SKEW, (0.3, -0.2), strict=True)
    moved = sum(np.array(d) / np.linalg.norm(d) * q for d, q in lengths)
    assert at == pytest.approx(np.array([1, 0, 2]) + moved, rel=1e-14)
    R = made.pose("B").R
    assert Matrix.identity(3) == R @ R.T
    turned, still = (
        np.array(evaluate(map(as_expr, R.entries()), values | {joint.q[2]: q})).reshape(3, 3) for q in (0.7, 0.0)
    )
    axis = np.array(more.get("axis", np.eye(3)[rotations[0] - 1]), dtype=float)
    expected = SciPyRotation.from_rotvec(0.7 * axis / np.linalg.norm(axis)).as_matrix()
    assert turned @ still.T == pytest.approx(expected, abs=1e-14)
    assert made.agrees_with(ph.System.of(made.system).derive("poincare"))


def test_a_turned_block_cannot_hide_in_a_compound_joint() -> None:
    with pytest.raises(ModelError, match="E-JOINT-UNSUPPORTED"):
        ph.Compound(ph.BuildingBlock(rotations=(1,), axis="z"), ph.Revolute("x"))


@pytest.mark.parametrize("formalism", ["kane", "composite_body"])
def test_a_massless_body_at_the_end_of_a_branch_is_named(formalism: str) -> None:
    system = system_with(rotations=(3, 1))
    system.joint("idle", "B", system.body("ghost"), ph.BuildingBlock(rotations=(2,)))
    with pytest.raises(ModelError, match=r"(?s)idle.*E-MODEL-SINGULAR"):
        _ = system.derive(formalism).forward_dynamics
