"""What every joint must keep, whatever its map: a new one in JOINTS is tested by being there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

import polhode as ph
from polhode.errors import ModelError
from polhode.expr import Expr, Matrix, Vector, as_expr, directional, rank, same, skew, substitute
from polhode.geometry import Pose
from polhode.geometry.orientation import SEQUENCES
from polhode.kinematics.joint import (
    compound_configuration,
    compound_kinematic_matrix,
    compound_map,
    envelope_kinematics,
    simple_configuration,
)
from polhode.model.joints import JOINTS, JointType, joint_type
from polhode.model.records import Joint
from polhode.model.stage import STORAGES, Stage


@dataclass(frozen=True)
class Case:
    """A joint and what is known of it: coordinates, speeds, and whether it is holonomic."""

    type: JointType
    coordinates: int
    speeds: int
    holonomic: bool = True


def turns(*axes: tuple[int, ...]) -> list[list[int]]:
    """A joint map of rotations about axes through the origin."""
    return [list(row) for row in zip(*((*axis, 0, 0, 0) for axis in axes), strict=True)]


SKEW = ((1, 1, 0), (0, 1, 2), (2, 0, -1))
SKATE = [[0, 0], [0, 0], [1, 0], [0, 1], [0, 0], [0, 0]]
OFFSET_HINGE = [[0], [0], [2], [1], [-1], [3]]

UNIT = [[int(i == j) for j in range(6)] for i in range(6)]


@dataclass(frozen=True)
class OfStage(JointType):
    """A joint of one stage, and a type that no list has."""

    stage: Stage

    name = "of a stage"

    @property
    def stages(self) -> tuple[Stage, ...]:
        return (self.stage,)


TRANSLATION_FIRST = OfStage(Stage(Matrix(UNIT[3:] + UNIT[:3]), "123"))

CASES = {
    "fixed": Case(ph.Fixed(), 0, 0),
    "revolute": Case(ph.Revolute(), 1, 1),
    "revolute, skew axis": Case(ph.Revolute((2, -3, 6)), 1, 1),
    "revolute, awkward axis": Case(ph.Revolute((1, 101, 7)), 1, 1),
    "prismatic": Case(ph.Prismatic((1, 1, 0)), 1, 1),
    "screw": Case(ph.Screw("x", 0.2), 1, 1),
    "screw, symbolic pitch": Case(ph.Screw((3, 0, 4), ph.symbol("pitch")), 1, 1),
    "cylindrical": Case(ph.Cylindrical((1, 2, 2)), 2, 2),
    "universal": Case(ph.Universal("z", (1, 1, 0)), 2, 2),
    "planar": Case(ph.Planar(), 3, 3),
    "planar, skew normal": Case(ph.Planar((2, 3, 6)), 3, 3),
    "spherical, quaternion": Case(ph.Spherical(), 4, 3),
    "spherical, vector": Case(ph.Spherical("vector"), 3, 3),
    "spherical, angles": Case(ph.Spherical("angles"), 3, 3),
    "free, quaternion": Case(ph.Free(), 7, 6),
    "free, vector": Case(ph.Free("vector"), 6, 6),
    "free, angles": Case(ph.Free("angles"), 6, 6),
    **{f"spherical, {word}": Case(ph.Spherical(word), 3, 3) for word in SEQUENCES},
    **{f"free, {word}": Case(ph.Free(word), 6, 6) for word in ("123", "321", "313")},
    "free, translation first": Case(TRANSLATION_FIRST, 6, 6),
    "building block: free": Case(ph.BuildingBlock("xyz", (1, 2, 3)), 6, 6),
    "building block: skew slides and three turns": Case(ph.BuildingBlock([(0.6, 0.8, 0), "z"], (3, 1, 3)), 5, 5),
    "building block: two turns": Case(ph.BuildingBlock(["y"], (2, 1)), 3, 3),
    "map: offset screw of length 2": Case(ph.JointMap(OFFSET_HINGE), 1, 1),
    "map: two turns, compound": Case(ph.JointMap(turns(*SKEW[:2]), groups=(1, 1)), 2, 2),
    "map: three skew turns, simple": Case(ph.JointMap(turns(*SKEW)), 3, 3),
    "map: two turns, simple": Case(ph.JointMap(turns((0, 1, 0), (0, 0, 1))), 3, 2, holonomic=False),
    "map: two skew turns, simple": Case(ph.JointMap(turns(*SKEW[:2])), 3, 2, holonomic=False),
    "map: skate": Case(ph.JointMap(SKATE), 3, 2, holonomic=False),
    "compound: wheel": Case(ph.Compound(ph.JointMap(SKATE), ph.Revolute("y")), 4, 3, holonomic=False),
    "compound: slide and ball": Case(ph.Compound(ph.Prismatic("x"), ph.Spherical()), 5, 4),
    "compound: of compounds": Case(ph.Compound(ph.Universal(), ph.Cylindrical((1, 1, 1))), 4, 4),
}  # fmt: skip


def joined(kind: JointType) -> tuple[ph.Equations, Joint]:
    system = ph.System("one joint")
    body = system.body("body", mass=2, com=(1, 2, 3), inertia=[4, 5, 6])
    joint = system.joint("joint", system.ground, body, kind)
    return system.derive(), joint


def outermost_first(joint: Joint) -> tuple[list[Stage], list[list[Expr]], list[Expr]]:
    """Stages, coordinates and speeds of a joint in the order of the paper."""
    stages, eps, speeds = [], [], []
    for place in joint.type.from_parent[::-1]:
        before = joint.type.stages[:place]
        q_first, u_first = sum(s.coordinates for s in before), sum(s.speeds for s in before)
        stage = joint.type.stages[place]
        stages.append(stage)
        eps.append(list(joint.q[q_first : q_first + stage.coordinates]))
        speeds += joint.u[u_first : u_first + stage.speeds]
    return stages, eps, speeds


def entries(X: Pose) -> list[Any]:
    return [as_expr(entry) for entry in [*X.R.entries(), *X.p]]


def home(joint: Joint) -> dict[Expr, int]:
    values = dict.fromkeys(joint.q, 0)
    stages, eps, _ = outermost_first(joint)
    for stage, own in zip(stages, eps, strict=True):
        if stage.storage == "quaternion":
            values[own[0]] = 1
    return values


every_joint = pytest.mark.parametrize("case", CASES.values(), ids=CASES)
every_moving_joint = pytest.mark.parametrize(
    "case", [case for case in CASES.values() if case.speeds], ids=[name for name, case in CASES.items() if case.speeds]
)


def test_every_named_joint_is_in_the_suite() -> None:
    assert {case.type.name for case in CASES.values()} >= {*JOINTS}
    assert {stage.storage for case in CASES.values() for stage in case.type.stages} == {*STORAGES}


@every_joint
def test_a_joint_has_the_coordinates_and_speeds_that_it_should(case: Case) -> None:
    made, joint = joined(case.type)
    assert (case.type.coordinates, case.type.speeds) == (case.coordinates, case.speeds)
    assert (len(made.q), len(made.u)) == (len(joint.q), len(joint.u)) == (case.coordinates, case.speeds)
    assert made.kinematic_matrix.shape == (case.coordinates, case.speeds)
    assert case.type.is_holonomic == case.holonomic


@every_joint
def test_coordinates_and_speeds_have_names_of_their_own(case: Case) -> None:
    made, _ = joined(case.type)
    assert len({*made.coordinates}) == case.coordinates
    assert len({*made.speeds}) == case.speeds
    assert all(name.startswith("joint") for name in [*made.coordinates, *made.speeds])
    if case.coordinates == 1:
        assert made.coordinates == ["joint"]


@every_joint
def test_at_home_a_joint_does_not_displace_its_body(case: Case) -> None:
    made, joint = joined(case.type)
    assert same(substitute(entries(made.pose("body")), home(joint)), entries(Pose.identity()))


@every_moving_joint
def test_a_configuration_is_a_rotation_and_a_place(case: Case) -> None:
    made, _ = joined(case.type)
    R = made.pose("body").R
    assert same((R.T @ R).entries(), Matrix.identity(3).entries())
    assert R[0].dot(R[1].cross(R[2])) == 1


@every_moving_joint
def test_a_joint_moves_as_its_map_says(case: Case) -> None:
    """dX/dt = X p̂ with p = H u, along q̇ = Γ u."""
    made, joint = joined(case.type)
    stages, eps, speeds = outermost_first(joint)
    X = compound_configuration(stages, eps)
    assert same(entries(X), entries(made.pose("body")))
    p = compound_map(stages, eps) @ Vector(speeds)
    w, v = Vector(p[:3]), Vector(p[3:])
    rates = compound_kinematic_matrix(stages, eps) @ Vector(speeds)
    flow = dict(zip([q for own in eps for q in own], rates, strict=True))
    assert same([flow[q] for q in made.q], made.coordinate_rates)
    assert same(directional(entries(X), flow), [*(X.R @ skew(w)).entries(), *(X.R @ v)])


@every_moving_joint
def test_at_home_speeds_act_along_the_columns_of_the_map(case: Case) -> None:
    made, joint = joined(case.type)
    stages, _, speeds = outermost_first(joint)
    columns = [column for stage in stages for column in stage.H.columns]
    J = Matrix(substitute(row, home(joint)) for row in made.jacobian("body"))
    by_speed = dict(zip(made.u, J.columns, strict=True))
    assert same([x for u in speeds for x in by_speed[u]], [x for column in columns for x in column])


@every_moving_joint
def test_each_speed_moves_the_body_in_its_own_way(case: Case) -> None:
    made, _ = joined(case.type)
    assert rank(made.jacobian("body")) == case.speeds


@every_moving_joint
def test_the_kinematic_matrix_of_each_stage_can_be_undone(case: Case) -> None:
    _, joint = joined(case.type)
    stages, eps, _ = outermost_first(joint)
    for stage, own in zip(stages, eps, strict=True):
        gamma, back = envelope_kinematics(stage, own)
        assert same((back @ gamma).entries(), Matrix.identity(len(stage.algebra)).entries())
        assert len(stage.algebra) >= stage.speeds


@every_moving_joint
def test_a_nonholonomic_joint_reaches_more_than_it_can_move_at_once(case: Case) -> None:
    _, joint = joined(case.type)
    stages, eps, _ = outermost_first(joint)
    reach = sum(len(stage.algebra) for stage in stages)
    assert (reach == case.speeds) == case.holonomic
    assert rank(compound_map(stages, eps, envelope=True)) == reach


def test_a_joint_with_floats_is_where_its_formula_says() -> None:
    stage = ph.Cylindrical("z").stages[0]
    X = simple_configuration(stage, [0.3, 2.0])
    assert [float(x) for x in X.p] == pytest.approx([0, 0, 2])
    assert float(X.R[1, 0]) == pytest.approx(0.29552020666133955)


def test_universal_axes_are_fixed_in_parent_and_child() -> None:
    made, joint = joined(ph.Universal("x", "y"))
    R = made.pose("body").R
    first, second = (Vector(column[:3]) for column in made.jacobian("body").columns)
    assert same(first, (1, 0, 0))
    assert same(second, R @ Vector([0, 1, 0]))
    assert [u.name for u in joint.u] == ["joint_1", "joint_2"]


def test_joints_can_be_had_by_name_and_wrong_ones_are_refused() -> None:
    for name in JOINTS:
        assert joint_type(name).name == name
    with pytest.raises(ModelError, match="revolute"):
        joint_type("revolut")
    with pytest.raises(ModelError, match="pitch"):
        joint_type("revolute", pitch=1)
    with pytest.raises(ModelError, match="groups"):
        ph.JointMap(turns(*SKEW), groups=(1, 1))
    with pytest.raises(ModelError, match="independent"):
        ph.JointMap(turns((1, 1, 0), (2, 2, 0)))
    with pytest.raises(ModelError, match="rows"):
        ph.JointMap([[1], [0], [0]])
    with pytest.raises(ModelError, match="stored"):
        ph.Spherical("euler")
    with pytest.raises(ph.PolhodeError, match="zero length"):
        ph.Revolute((0, 0, 0))
