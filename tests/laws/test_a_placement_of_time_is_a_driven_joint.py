"""What is placed as a function of time moves as if driven joints carried it: by every formalism, and as it was written.

Lagrange's equations are derived here by SymPy, from positions alone.
"""

from __future__ import annotations

from collections.abc import Callable
from math import cosh
from typing import Any

import numpy as np
import pytest
import sympy as sp
from tests.placed_in_time import random_pair, with_moving_frame
from tests.seeds import in_turn, seeds

import polhode as ph
from polhode.dynamics.frame_motion import frame_acceleration, frame_velocity
from polhode.errors import ModelError
from polhode.expr import Expr, as_expr, directional, same
from polhode.formalisms.registry import names
from polhode.geometry import rotation
from polhode.kinematics import tree as trees
from polhode.kinematics.prescribed import Drive
from polhode.papers.tokad.chain import serial_chain

#: Seeds of `random_pair`: those that leave something to move, and those whose loop is not closed by time alone.
PAIRS = tuple(range(39))
LOOPS = tuple(seed for seed in PAIRS if seed not in (29, 35))
CLOSING = (
    ph.Spherical(), ph.Planar("z"), ph.Cylindrical("y"), ph.Revolute((3, 0, 4)), ph.Universal("x", "z"),
    ph.Screw("z", 0.25), ph.Compound(ph.Spherical(), ph.Prismatic("z")),
)  # fmt: skip
LOOPED = ("free", "spherical", "universal", "planar", "revolute", "cylindrical")


def flat(*parts: Any) -> list[Expr]:
    return [as_expr(entry) for part in parts for entry in part]


def bead_on_a_rod() -> ph.System:
    s = ph.System("bead", gravity=(0, 0, 0))
    s.joint("x", s.ground, s.body("b", 1), ph.Prismatic("x"), rotation=("z", 2 * s.time))
    return s


@pytest.mark.parametrize("seed", seeds(4, of=PAIRS))
def test_every_formalism_gives_the_equations_of_driven_joints(seed: int) -> None:
    placed, by_hand = random_pair(seed)
    with_moving_frame(placed, by_hand, seed)
    judge = by_hand.derive("newton_euler")
    for formalism in ("auto", *in_turn(names(), 4, seed)):
        assert placed.derive(formalism).agrees_with(judge), formalism
    for passes in (None, ()):
        assert placed.derive("articulated_body", passes=passes).agrees_with(judge)
    assert placed.compare(["newton_euler"], run=False, functions=()).agree


@pytest.mark.parametrize("seed", seeds(2, of=PAIRS))
def test_the_historical_formalisms_agree_too(seed: int) -> None:
    placed, by_hand = random_pair(seed, max_speeds=3, joints=("revolute", "prismatic", "fixed"))
    with_moving_frame(placed, by_hand, seed)
    judge = by_hand.derive("newton_euler")
    for formalism in {*names(historical=True)} - {*names()}:
        assert placed.derive(formalism).agrees_with(judge), formalism


@pytest.mark.parametrize("seed", seeds(4, of=PAIRS))
def test_energies_reactions_and_powers_are_those_of_driven_joints(seed: int) -> None:
    placed, by_hand = random_pair(seed, max_speeds=4)
    with_moving_frame(placed, by_hand, seed)
    one, other = placed.derive("newton_euler"), by_hand.derive("newton_euler")
    assert same([one.kinetic_energy, one.potential_energy], [other.kinetic_energy, other.potential_energy])
    for name in placed.joints:
        for options in ({}, {"at": "ground", "frame": "ground"}):
            a, b = one.reaction(name, **options), other.reaction(name, **options)
            assert same(flat(a.torque, a.force), flat(b.torque, b.force)), name
    flow, judge = one.power(), other.power()
    assert [part for part, balance in flow.parts() if balance.residual] == []
    given, wanted = (
        sum((power for port, power in ports.items() if port.startswith((kind, "load"))), start=as_expr(0))
        for ports, kind in ((flow.ports, "placement"), (judge.ports, "drive"))
    )
    assert given == wanted  # what moves the frame comes with its loads, or through its driven joints


@pytest.mark.parametrize("seed", seeds((1, 6, 7), of=LOOPS))
def test_a_closure_on_a_frame_of_time_is_one_on_a_driven_body(seed: int) -> None:
    placed, by_hand = random_pair(seed, max_speeds=8, joints=LOOPED)
    with_moving_frame(placed, by_hand, seed, CLOSING[seed % len(CLOSING)])
    judge = by_hand.derive("newton_euler")
    for formalism in ("newton_euler", *in_turn(names(), 2, seed)):
        made = placed.derive(formalism)
        assert made.agrees_with(judge), formalism
        a, b = made.constraints, judge.constraints
        assert a is not None and b is not None
        assert same(flat(a.values, a.rates, a.a, a.gamma), flat(b.values, b.rates, b.a, b.gamma)), formalism
    assert placed.compare(["newton_euler"], run=False, functions=()).agree
    bound = placed.derive("newton_euler", constraints="embedded")
    assert bound.agrees_with(by_hand.derive("newton_euler", constraints="embedded"))
    assert [part for part, balance in bound.power().parts() if balance.residual] == []


@pytest.mark.parametrize("seed", seeds(4, of=PAIRS))
def test_velocities_and_accelerations_are_derivatives_of_poses(seed: int) -> None:
    system, by_hand = random_pair(seed)
    with_moving_frame(system, by_hand, seed)
    made = system.derive()
    along: dict[Expr, Any] = dict(zip(made.q, made.coordinate_rates, strict=True))
    along |= dict(zip(made.u, made.udot, strict=True)) | {system.time: as_expr(1)}
    for owner in (*[body for name, body in system.bodies.items() if name != "ground"], system.frames["eye"]):
        X = made.pose(owner.name)
        v = directional(flat(X.p), along)
        R_dot = ph.Matrix([directional(flat(row), along) for row in X.R])
        W = R_dot @ X.R.T
        w = [W[2, 1], W[0, 2], W[1, 0]]
        a, alpha = directional(v, along), directional(flat(w), along)
        assert same(flat(frame_velocity(made.record, owner.name)), flat(w, v))
        assert same(flat(frame_acceleration(made.record, owner.name)), flat(alpha, a))
        point = owner.point()
        assert same(flat(point.velocity().components("ground")), v)
        assert same(flat(point.acceleration().components("ground")), a)
        assert same(flat(owner.angular_velocity().components("ground")), flat(w))
        assert same(flat(owner.x.dt().components("ground")), directional(flat(X.R[:, 0]), along))


@pytest.mark.parametrize("seed", seeds((1, 8), of=PAIRS))
def test_no_slip_at_a_place_that_moves_in_time(seed: int) -> None:
    placed, by_hand = random_pair(seed, max_speeds=8, joints=LOOPED)
    with_moving_frame(placed, by_hand, seed)
    for system, eye in ((placed, "eye"), (by_hand, "eye turn")):
        system.no_slip("skate", "b1", frame=eye, at=(0, 1, 0), directions=["x"])
    judge = by_hand.derive("newton_euler")
    for formalism in ("newton_euler", "network"):
        assert placed.derive(formalism).agrees_with(judge)
    assert placed.compare(["newton_euler"], run=False, functions=()).agree


def test_placements_of_time_stand_beside_driven_and_coupled_joints() -> None:
    s = ph.System("train", gravity=(0, 0, -10))
    shape: dict[str, Any] = {"mass": 1, "com": (0.3, 0, 0.1), "inertia": (1, 2, 3)}
    s.joint("q1", s.ground, s.body("a", **shape), ph.Revolute("x"), at=(ph.sin(s.time), 0, 0), rotation=("z", s.time))
    s.joint("q2", "a", s.body("b", **shape), ph.Revolute("y"), at=(1, 0, 0))
    s.joint("q3", "b", s.body("c", **shape), ph.Revolute("y"), child_at=(1, 0, s.time))
    s.joint("q4", "c", s.body("d", **shape), ph.Revolute("z"), at=(1, 0, s.time**2))
    s.prescribe("q2", s.time**2)
    s.couple("q4", "q3", 2)
    judge = s.derive("newton_euler", passes=())
    for formalism in names(historical=True):
        assert s.derive(formalism).agrees_with(judge), formalism
    assert s.compare(["newton_euler"], run=False, functions=()).agree
    flow = judge.power()
    assert [part for part, balance in flow.parts() if balance.residual] == []
    assert list(flow.ports) == ["effort q1", "effort q3", "drive q2", "placement q1", "placement q3", "placement q4"]


t = sp.Symbol("t")
Positions = Callable[..., list[tuple[Any, list[Any]]]]


def lagrange(positions: Positions, count: int, gravity: Any) -> Callable[[list[float], list[float], float], Any]:
    """q̈(q, q̇, t) of particles, each a mass and a position over q(t) and t, in a field along -z."""
    q = [sp.Function(f"q{k}")(t) for k in range(count)]
    parts = positions(*q)
    T = sum(m * sum(sp.diff(x, t) ** 2 for x in place) for m, place in parts) / 2
    L = T - sum(m * gravity * place[2] for m, place in parts)
    rows = [sp.diff(sp.diff(L, sp.diff(x, t)), t) - sp.diff(L, x) for x in q]
    plain, rates, seconds = (sp.symbols([f"{letter}{k}" for k in range(count)]) for letter in ("x", "v", "a"))
    table = [(sp.diff(x, t, 2), a) for x, a in zip(q, seconds, strict=True)]
    table += [(sp.diff(x, t), v) for x, v in zip(q, rates, strict=True)]
    table += list(zip(q, plain, strict=True))
    rows = [row.subs(table) for row in rows]
    M, rest = sp.Matrix(rows).jacobian(seconds), sp.Matrix(rows).subs(dict.fromkeys(seconds, 0))
    numbers = sp.lambdify([plain, rates, t], [M, rest])

    def accelerations(at: list[float], u: list[float], time: float) -> Any:
        left, right = numbers(at, u, time)
        return np.linalg.solve(left, -right[:, 0])

    return accelerations


def _bead() -> tuple[ph.System, Positions]:
    return bead_on_a_rod(), lambda x: [(1, [x * sp.cos(2 * t), x * sp.sin(2 * t), 0])]


def _moving_pivot() -> tuple[ph.System, Positions]:
    s = ph.System("pivot", gravity=(0, 0, -10))
    s.joint("q", s.ground, s.body("bob", 3, (0, 0, -2)), ph.Revolute("y"), at=(ph.sin(3 * s.time), 0, s.time**2))
    return s, lambda q: [(3, [sp.sin(3 * t) - 2 * sp.sin(q), 0, t**2 - 2 * sp.cos(q)])]


def _tilted_hoop() -> tuple[ph.System, Positions]:
    """A bead on a hoop whose plane turns about an axis that is tilted by atan(3/4) from the vertical."""
    s = ph.System("hoop", gravity=(0, 0, -10))
    turn = rotation(((3, 0, 4), 2 * s.time))
    s.joint("q", s.ground, s.body("bead", 2, (0, 0, -1)), ph.Revolute("y"), rotation=turn)
    k = sp.Matrix([sp.Rational(3, 5), 0, sp.Rational(4, 5)])
    K = sp.Matrix([[0, -k[2], k[1]], [k[2], 0, -k[0]], [-k[1], k[0], 0]])
    R = sp.eye(3) + sp.sin(2 * t) * K + (1 - sp.cos(2 * t)) * K * K
    return s, lambda q: [(2, list(R * sp.Matrix([-sp.sin(q), 0, -sp.cos(q)])))]


def _moving_elbow() -> tuple[ph.System, Positions]:
    s = ph.System("arm", gravity=(0, 0, -10))
    s.joint("a", s.ground, s.body("upper", 1, (1, 0, 0)), ph.Revolute("y"))
    s.joint("b", "upper", s.body("fore", 2, (1, 0, 0)), ph.Revolute("y"), at=(2 + ph.sin(s.time) / 2, 0, 0))

    def positions(a: Any, b: Any) -> list[tuple[Any, list[Any]]]:
        far = 2 + sp.sin(t) / 2
        elbow = [far * sp.cos(a), 0, -far * sp.sin(a)]
        return [(1, [sp.cos(a), 0, -sp.sin(a)]), (2, [elbow[0] + sp.cos(a + b), 0, elbow[2] - sp.sin(a + b)])]

    return s, positions


def _moving_child() -> tuple[ph.System, Positions]:
    """A pendulum that is let down: its pivot moves in the bob."""
    s = ph.System("let down", gravity=(0, 0, -10))
    s.joint("q", s.ground, s.body("bob", 2), ph.Revolute("y"), child_at=(0, 0, 1 + s.time / 2))
    return s, lambda q: [(2, [-(1 + t / 2) * sp.sin(q), 0, -(1 + t / 2) * sp.cos(q)])]


@pytest.mark.parametrize("case", [_bead, _moving_pivot, _tilted_hoop, _moving_elbow, _moving_child])
def test_the_accelerations_are_those_of_lagranges_equations(case: Callable[[], tuple[ph.System, Positions]]) -> None:
    system, positions = case()
    made = system.derive()
    size = len(made.q)
    accelerations = lagrange(positions, size, 0 if system.name == "bead" else 10)
    functions = made.compile()
    for k in range(1, 4):
        at, u, time = [0.3 * k + 0.1 * i for i in range(size)], [0.7 - 0.4 * k + i for i in range(size)], 0.45 * k
        expected = accelerations(at, u, time)
        assert functions.forward_dynamics(at, u, t=time) == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_a_bead_on_a_turning_rod_flies_out() -> None:
    run = bead_on_a_rod().derive().simulate(1, start={"x": 1})
    assert run.q[-1, 0] == pytest.approx(cosh(2), abs=1e-9)
    assert run.notices == ()  # its energy grows, and nothing is said of lost digits


def test_a_damper_feels_the_motion_of_the_frame_that_it_hangs_on() -> None:
    s = ph.System("damper", gravity=(0, 0, 0))
    block = s.body("block", 2)
    s.joint("x", s.ground, block, ph.Prismatic("x"))
    wall = s.frame("wall", s.ground, at=(5 + ph.sin(s.time), 0, 0))
    s.damper(wall, block, 3)
    made = s.derive()
    bias = made.compile().bias([0.2], [0.7], t=0.4)
    assert bias == pytest.approx([3 * (0.7 - np.cos(0.4))], rel=1e-14)
    assert s.compare(run=False, functions=()).agree
    flow = made.power()
    assert [part for part, balance in flow.parts() if balance.residual] == []


def test_the_point_where_a_spring_acts_may_move_and_puts_in_power() -> None:
    s = ph.System("spring", gravity=(0, 0, 0))
    block = s.body("block", 2)
    x = s.joint("x", s.ground, block, ph.Prismatic("x"))
    s.spring(s.ground, block, 7, at_a=(5, 0, 0), at_b=(ph.sin(s.time), 0, 0), name="cord")
    made = s.derive()
    far = 5 - x.q[0] - ph.sin(s.time)
    assert same([made.bias[0], made.power().ports["load cord"]], [-7 * far, -7 * far * ph.cos(s.time)])
    assert made.power().whole.residual == 0
    assert s.compare(run=False, functions=()).agree


def test_comparison_alone_notices_a_placement_whose_rate_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    still = Drive(*(ph.Vector([0, 0, 0]) for _ in range(4)))
    assert bead_on_a_rod().compare(run=False, functions=()).agree
    monkeypatch.setattr(trees, "placement_drive", lambda pose, time: still)
    assert not bead_on_a_rod().compare(run=False, functions=()).agree


@pytest.mark.parametrize("part", ["w", "v", "alpha", "a"])
def test_comparison_alone_notices_each_part_of_the_rate(monkeypatch: pytest.MonkeyPatch, part: str) -> None:
    def system() -> ph.System:
        s = ph.System("pivot", gravity=(0, 0, -10))
        bob = s.body("bob", 3, (1, 0, -2), inertia=(1, 2, 3))
        at, turn = (ph.sin(s.time), s.time**2, 0), ("y", s.time**3)
        s.joint("q", s.ground, bob, ph.Revolute("y"), at=at, rotation=turn)
        return s

    true = trees.placement_drive

    def wrong(pose: Any, time: Expr) -> Drive:
        made = true(pose, time)
        return Drive(**{**vars(made), part: ph.Vector([0, 0, 0])})

    assert system().compare(run=False, functions=()).agree
    monkeypatch.setattr(trees, "placement_drive", wrong)
    assert not system().compare(run=False, functions=()).agree


def test_bodies_touch_and_not_frames_that_move_on_them() -> None:
    s = ph.System("table")
    s.joint("free", s.ground, s.body("ball", 1, inertia=(1, 1, 1)), ph.Free())
    s.frame("belt", s.ground, at=(s.time, 0, 0))
    s.frame("spinning", "ball", rotation=("z", s.time))
    for ball, on in (("ball", "belt"), ("spinning", "ground")):
        with pytest.raises(ModelError, match="moves on its body in time"):
            s.roll_ball("rolls", ball, 1, on=on)


def test_a_chain_of_the_network_has_arms_that_stay() -> None:
    s = bead_on_a_rod()
    with pytest.raises(ModelError, match="depends on time, and the arms of a chain stay"):
        serial_chain(s.model(), "b")
    s = ph.System("rod", gravity=(0, 0, 0))
    s.joint("x", s.ground, s.body("b", 1), ph.Prismatic("x"))
    assert len(serial_chain(s.model(), "b").ports) == 1


@pytest.mark.parametrize("coupling", ["full", "reduced"])
@pytest.mark.parametrize("axis", ["y", "z"])
@pytest.mark.parametrize("stiffness", [None, 1000])
def test_a_motor_sits_on_the_joint_that_time_places(coupling: str, axis: str, stiffness: int | None) -> None:
    found = []
    for placed in (True, False):
        s = ph.System("shaker")
        turn, far = s.time**2 / 2, ph.sin(2 * s.time)
        arm = s.body("arm", 2, com=(1, 2, -3), inertia=(1, 1, 1))
        if placed:
            s.joint("j", s.ground, arm, ph.Revolute(axis), at=(far, 0, 0), rotation=("z", turn))
        else:
            s.joint("slide", s.ground, s.body("slide"), ph.Prismatic("x"))
            s.joint("turn", "slide", s.body("turn"), ph.Revolute("z"))
            s.prescribe("slide", far)
            s.prescribe("turn", turn)
            s.joint("j", "turn", arm, ph.Revolute(axis))
        s.motor("j", 50, inertia=(1, 1, 2), mass=3, coupling=coupling, stiffness=stiffness)
        found.append(s.derive())
    assert found[0].agrees_with(found[1])


@pytest.mark.parametrize("is_placed", [True, False])
def test_what_takes_coordinates_alone_is_refused_where_time_moves_the_frame(is_placed: bool) -> None:
    s = ph.System("crane")
    far = 1 + s.time
    s.joint("a", s.ground, s.body("boom", 1, com=(1, 0, 0), inertia=(1, 1, 1)), ph.Revolute("y"))
    if is_placed:
        s.joint("b", "boom", s.body("hook", 1, com=(1, 0, 0), inertia=(1, 1, 1)), ph.Revolute("y"), at=(far, 0, 0))
    else:
        s.joint("run", "boom", s.body("car"), ph.Prismatic("x"))
        s.prescribe("run", far)
        s.joint("b", "car", s.body("hook", 1, com=(1, 0, 0), inertia=(1, 1, 1)), ph.Revolute("y"))
    s.frame("tip", "hook", at=(1, 0, 0))
    e = s.derive()
    calls: list[Callable[[], object]] = [
        lambda: e.inverse_kinematics("tip", (1.5, 0, 0), of="position"),
        lambda: e.manipulability("tip", [0.1, 0.5], of="position"),
        lambda: e.workspace("tip"),
    ]
    for call in calls:
        with pytest.raises(ph.PolhodeError, match="of 'tip' depends on time by itself"):
            call()
    assert e.inverse_kinematics("tip", np.eye(3), of="orientation").solved
    assert e.manipulability("boom", [0.1, 0.5]).measure > 0
