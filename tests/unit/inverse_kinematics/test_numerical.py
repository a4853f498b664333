"""Inverse kinematics by number: redundant arms, orientation, limits, loops, batches, what is out of reach."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

import polhode as ph
from polhode.errors import PolhodeError, ShapeError, ValueMissing
from polhode.expr import evaluate
from polhode.inverse_kinematics.numerical import Coordinates, Search, coordinates_of


def arm(joints: int = 4, limits: tuple[float, float] | None = None) -> ph.System:
    system = ph.System("arm")
    length = system.parameter("l", 0.5)
    before = system.ground
    for k in range(joints):
        link = system.body(f"link {k}", mass=1, com=(length / 2, 0, 0))
        system.joint(f"q{k}", before, link, ph.Revolute("zyzx"[k % 4]), at=(length if k else 0, 0, 0), limits=limits)
        before = link
    system.frame("tip", before, at=(length, 0, 0))
    return system


def test_a_pose_may_be_written_in_many_ways() -> None:
    equations = arm(7).derive()
    p, R = equations.compile().pose("tip", [0.3, 0.5, -0.4, 0.8, 0.2, 0.6, 0.1])
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = R, p
    curve = ph.PoseSpline([0, 1], [(p, R), SimpleNamespace(rotation=np.eye(3), translation=np.zeros(3))])
    ways = [(p, R), (R, p), [p, R], X, ph.Pose(R, p), SimpleNamespace(rotation=R, translation=p), curve(0)]
    found = [equations.inverse_kinematics("tip", way, near=np.full(7, 0.3)).q for way in ways]
    for each in found[1:]:
        assert np.allclose(found[0], each, atol=1e-12)
    both = equations.inverse_kinematics("tip", [ph.Pose(R, p), (R, p)], near=np.full(7, 0.3))
    assert np.allclose(both.q, found[0], atol=1e-12)
    place = equations.inverse_kinematics("tip", curve(0), near=np.full(7, 0.3), of="position")
    assert np.allclose(equations.compile().pose("tip", place)[0], p)
    along = equations.inverse_kinematics("tip", curve(np.zeros(3)), near=np.full(7, 0.3))
    assert along.q.shape == (3, 7) and np.allclose(along.q, found[0], atol=1e-12)


def test_limits_are_kept_and_can_be_left_out() -> None:
    system = ph.System("arm")
    for k, limits in enumerate([(-1, 1), (0.2, 2)]):
        link = system.body(f"link {k}", 1)
        before = f"link {k - 1}" if k else system.ground
        system.joint(f"q{k}", before, link, ph.Revolute("z"), at=(float(k), 0, 0), limits=limits)
    system.frame("tip", "link 1", (1, 0, 0))
    equations = system.derive()
    rng = np.random.default_rng(2)
    q = rng.uniform([-1, 0.2], [1, 2], (50, 2))
    p, _ = equations.compile().pose("tip", q)
    assert equations.inverse_kinematics("tip", p, of="position", near=[0, -1]).q == pytest.approx(q, abs=1e-8)
    low = equations.inverse_kinematics("tip", p[0], of="position", near=[1, -1], limits=False)
    assert low.q[1] == pytest.approx(-q[0, 1])  # the elbow on the other side, which the limits forbid
    with pytest.raises(PolhodeError, match="did not reach its target"):
        equations.inverse_kinematics("tip", (-1.5, 0, 0), of="position", restarts=5)


def test_what_is_left_free_is_used_as_preferred_and_a_quaternion_stays_one() -> None:
    equations = arm(5, limits=(-3, 2.5)).derive()
    near = np.array([0.4, -0.3, 0.8, 0.5, -0.2])
    plain, kept, amid = (
        equations.inverse_kinematics("tip", (0.4, 0.9, 0.6), near, "position", prefer=prefer)
        for prefer in (None, "near", "limits")
    )
    assert np.linalg.norm(kept.q - near) <= np.linalg.norm(plain.q - near)
    J = equations.compile().jacobian("tip", kept.q)[3:]
    null = np.linalg.svd(J)[2][3:]
    assert null @ (near - kept.q) == pytest.approx([0, 0], abs=1e-4)  # nothing is to be gained along what is free
    assert np.linalg.norm(amid.q + 0.25) < np.linalg.norm(plain.q + 0.25) and amid.residual <= 1e-10
    system = ph.System("stick")
    stick = system.body("stick", mass=1)
    system.joint("ball", system.ground, stick, ph.Spherical())
    system.frame("tip", stick, at=(1, 0, 0))
    near = {"ball_e0": 2.0, "ball_e3": 0.4}
    found = system.derive().inverse_kinematics("tip", (0, 0.6, 0.8), near, "position")
    assert sum(value**2 for value in found.coordinates.values()) == pytest.approx(1)


@pytest.mark.parametrize("constraints", ["multipliers", "embedded"])
def test_loops_are_closed_on_the_way(constraints: str) -> None:
    system = ph.System("four-bar")
    before, at = system.ground, 0.0
    for k, length in enumerate((1.0, 2.0, 1.2), start=1):
        bar = system.body(f"bar {k}", mass=1, com=(length / 2, 0, 0))
        system.joint(f"pin {k}", before, bar, ph.Revolute("y"), at=(at, 0, 0))
        before, at = bar, length
    system.close("pin 4", system.ground, before, ph.Revolute("y"), at_a=(1.9, 0, 0), at_b=(1.2, 0, 0))
    crank = 2.0
    R = [[math.cos(crank), 0, math.sin(crank)], [0, 1, 0], [-math.sin(crank), 0, math.cos(crank)]]
    start = {"pin 1": 1.5, "pin 2": -1.4, "pin 3": 1.5}
    equations = system.derive(constraints=constraints)
    found = equations.inverse_kinematics("bar 1", R, start, "orientation")
    assert found.coordinates["pin 1"] == pytest.approx(crank)
    values = {q: found.coordinates[q.name] for q in equations.q}
    assert equations.constraints is not None
    assert evaluate(list(equations.constraints.values), values) == pytest.approx(
        [0] * len(equations.constraints.values), abs=1e-10
    )


def test_what_is_out_of_reach_is_said_with_how_near_it_came_and_parameters_may_be_given_and_must_be_known() -> None:
    with pytest.raises(PolhodeError, match=r"the nearest that 6 searches came is 7 away"):
        arm().derive().inverse_kinematics("tip", (9, 0, 0), {"q1": 0.1}, "position", restarts=5)
    found = arm().derive().inverse_kinematics("tip", [(9, 0, 0), (1, 0.5, 0.5)], of="position", restarts=5)
    assert found.solved.tolist() == [False, True] and found.residual[0] == pytest.approx(7, rel=1e-3)
    assert "1 of 2 poses" in repr(found)
    equations = arm(2).derive()
    place = (0, 2 + 2 * math.cos(0.5), -2 * math.sin(0.5))
    found = equations.inverse_kinematics("tip", place, [1.5, 0.1], "position", parameters={"l": 2})
    assert found.q == pytest.approx([math.pi / 2, 0.5])
    with pytest.raises(PolhodeError, match="no parameter 'm'"):
        equations.inverse_kinematics("tip", (0, 4, 0), of="position", parameters={"m": 2})
    hollow = ph.System("hollow")
    l = hollow.parameter("l")
    link = hollow.body("link", mass=1)
    hollow.joint("hinge", hollow.ground, link, ph.Revolute("z"))
    hollow.frame("tip", link, at=(l, 0, 0))
    with pytest.raises(ValueMissing, match="'l' of system 'hollow' has no value"):
        hollow.derive().inverse_kinematics("tip", (0, 1, 0), of="position")


def test_wrong_questions_are_refused() -> None:
    e = arm().derive()
    for wrong, told in [
        (lambda: e.inverse_kinematics("tip", (1, 2), of="position"), "no position"),
        (
            lambda: e.inverse_kinematics("tip", (1, 2, 3)),
            r'shape \(3,\) is no pose, but a position(.|\n)*of="position"',
        ),
        (lambda: e.inverse_kinematics("tpi", (1, 0, 0), of="position"), "Did you mean 'tip'"),
        (lambda: e.inverse_kinematics("tip", (1, 0, 0), {"x": 1}, "position"), "no coordinate 'x'"),
        (lambda: e.inverse_kinematics("tip", (1, 0, 0), [1, 2], "position"), "near"),
        (lambda: e.inverse_kinematics("tip", (1, 0, 0), of="velocity"), "there is no kind of target"),
        (lambda: e.inverse_kinematics("tip", (math.nan, 0, 0), of="position"), "finite"),
        (lambda: e.inverse_kinematics("tip", 2 * np.eye(3), of="orientation"), "orthonormal"),
        (lambda: e.inverse_kinematics("tip", (1, 0, 0), of="position", prefer="comfort"), "there is no preference"),
    ]:
        with pytest.raises((PolhodeError, ShapeError), match=told):
            wrong()


def test_a_singular_pose_is_reached_too() -> None:
    equations = arm(4).derive()
    straight = equations.compile().pose("tip", [0.3, 0.0, 0.0, 0.0])[0]
    found = equations.inverse_kinematics("tip", straight, [0.1, 0.2, 0.3, 0.1], "position")
    assert found.residual <= 1e-10


def two_joints() -> Coordinates:
    s = ph.System("arm")
    s.joint("a", s.ground, s.body("upper", 1), ph.Revolute("z"), limits=(-1, 2))
    s.joint("b", "upper", s.body("fore", 1), ph.Revolute("z"), at=(1, 0, 0), limits=(None, 0.5))
    s.joint("x", "fore", s.body("slide", 1), ph.Prismatic("x"))
    return coordinates_of(s.derive().record, True, {})


def test_limits_angles_and_speeds_are_read() -> None:
    known = two_joints()
    assert known.lower.tolist() == [-1, -np.inf, -np.inf] and known.upper.tolist() == [2, 0.5, np.inf]
    assert known.turns.tolist() == [True, True, False] and known.middle[0] == 0.5 and np.isnan(known.middle[1:]).all()
    known = two_joints()
    q = np.array([[-1, 0.5, 0], [-1, 0.5, 0], [0, 0, 0], [2, 0, 0]], dtype=float)
    slope = np.array([[-1, 1, 1], [1, -1, 1], [-1, 1, 1], [1, 1, 1]], dtype=float)
    assert known.free(q, slope).tolist() == [[0, 0, 1], [1, 1, 1], [1, 1, 1], [0, 1, 1]]
    known = two_joints()
    places = known.random(np.full((500, 3), 7.0), np.random.default_rng(0))
    assert (places >= known.lower).all() and (places <= known.upper).all() and abs(places[:, 2] - 7).max() <= 1


def test_a_search_slides_along_a_limit_without_beginning_again() -> None:
    """x + y = 1 from the origin: the shortest way has both at one half, but x ends at 0.2."""
    free_ones = []

    def step(q, target, damping, free, wish):  # type: ignore[no-untyped-def] # as a compiled step is
        free_ones.append(free.copy())
        e = 1 - q.sum(axis=1)
        y = e / (free.sum(axis=1) + 1e-12)
        return e**2, free * y[:, None], np.repeat(e[:, None], 2, axis=1)

    ends = np.array([-np.inf, -np.inf]), np.array([0.2, np.inf])
    known = Coordinates(*ends, np.array([0, 1]), np.array([False, False]), (), 2)
    found = Search(step, known, restarts=0)(np.zeros((1, 2)), np.zeros((1, 12)))
    assert np.allclose(found.q[0], [0.2, 0.8]) and found.left[0] < 1e-10
    assert any((free == [[0, 1]]).all() for free in free_ones)
