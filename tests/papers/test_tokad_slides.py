"""Tokad (1992): what joints carry where a joint slides, (9), (20), (29) and the text after (36).

The paper's y_j acts on body j at B_j and on the body before it at A_(j-1). Where a joint slides these are two points, ξ
apart, and opposite forces at them leave the moment ξ × f: y of the joints inside of the slide lacks it. With A_(j-1)
at B_j it is there, and the equations of motion are the same.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import polhode as ph
from polhode.dynamics.reactions import Reactions
from polhode.expr import Vector, as_expr, same
from polhode.expr.evaluation import evaluate
from polhode.expr.spelling import acceleration_of
from polhode.papers.tokad.chain import OUTER, Chain, SerialChain, serial_chain
from polhode.papers.tokad.wiring import wired_system

#: Joints from the ground outward: kind, axis.
CHAINS = {
    "turn, slide, turn": (("turn", (0, 0, 1)), ("slide", (1, 0, 0)), ("turn", (0, 1, 0))),
    "slide first": (("slide", (0, 1, 0)), ("turn", (0, 0, 1)), ("slide", (1, 0, 0)), ("turn", (1, 0, 0))),
    "skew": (("turn", (0.6, 0, 0.8)), ("slide", (0, 0.8, 0.6)), ("slide", (0.6, 0.8, 0)), ("turn", (0.8, 0.6, 0))),
}  # fmt: skip
every_chain = pytest.mark.parametrize("joints", CHAINS.values(), ids=CHAINS)
GRAVITY, AT, CHILD_AT, COM, INERTIA = (0.5, -3.7, -9.81), (0.3, 0.1, 0.5), (0.2, 0, -0.1), (0.1, 0.2, 0.4), (3, 4, 5)
ROTATION = ("x", 0.3)


def chain_of(joints: Sequence[Any]) -> ph.System:
    s = ph.System("chain", gravity=GRAVITY)
    before = s.ground
    for k, (kind, axis) in enumerate(joints):
        body = s.body(f"body {k}", mass=k + 1, com=COM, inertia=INERTIA)
        joint = ph.Revolute(axis) if kind == "turn" else ph.Prismatic(axis)
        s.joint(f"joint {k}", before, body, joint, at=AT, rotation=ROTATION, child_at=CHILD_AT)
        before = body
    return s


def closed_form(s: ph.System) -> tuple[SerialChain, Vector, Vector, Vector]:
    """The chain, x and ẋ of its joints and y, (20), in q, u and symbols of u̇."""
    chain = serial_chain(s, f"body {len(s.joints) - 1}")
    u, ud = chain.tree.u, [acceleration_of(speed) for speed in chain.tree.u]
    x = Vector([entry for port in chain.ports for entry in port.across(u)])
    x_dot = Vector([entry for port in chain.ports for entry in port.across_rate(u, ud)])
    return chain, x, x_dot, chain.chain.through(x, x_dot, Vector([0] * 6))


def equal(one: Any, other: Any) -> bool:
    return same([as_expr(x) for x in one], [as_expr(x) for x in other])


@every_chain
def test_y_of_a_chain_with_slides_is_what_its_joints_carry(joints: Sequence[Any]) -> None:
    s = chain_of(joints)
    _, _, _, y = closed_form(s)
    reactions = Reactions(s.derive("newton_euler").record, solved=False)
    for k in range(len(joints)):
        carried = reactions.joint(f"joint {k}", frame="ground")
        assert equal(y[6 * k : 6 * k + 6], (*carried.force, *carried.torque))


@every_chain
def test_the_recursion_over_slides_gives_the_closed_form(joints: Sequence[Any]) -> None:
    chain, x, x_dot, y = closed_form(chain_of(joints))
    pairs = [[(Vector(z[k : k + 3]), Vector(z[k + 3 : k + 6])) for k in range(0, len(z), 6)] for z in (x, x_dot)]
    nothing = Vector([0, 0, 0])
    found = chain.chain.inward(*chain.chain.outward(*pairs), (nothing, nothing))
    assert equal([entry for f, moment in found for entry in (*f, *moment)], y)


def placed(joints: Sequence[Any], q: np.ndarray) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """For each body where B is, where its mass centre is, and its rotation matrix."""
    p, R, poses = np.zeros(3), np.eye(3), []
    for (kind, axis), angle in zip(joints, q, strict=True):
        p = p + R @ np.array(AT)
        R = R @ Rotation.from_euler("x", ROTATION[1]).as_matrix()
        direction = np.array(axis, float)
        if kind == "turn":
            R = R @ Rotation.from_rotvec(angle * direction).as_matrix()
        else:
            p = p + R @ direction * angle
        B = p
        p = p - R @ np.array(CHILD_AT)
        poses.append((B, p + R @ np.array(COM), R))
    return poses


def free_bodies(joints: Sequence[Any], q: Any, u: Any, ud: Any) -> np.ndarray:
    """Force and moment about B of each joint on the body that it carries, by finite differences of momentum."""
    step = 1e-3

    def at(t: float) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        return placed(joints, q + u * t + ud * t * t / 2)

    def spin(k: int, t: float) -> np.ndarray:
        ahead, back = at(t + step)[k][2], at(t - step)[k][2]
        return Rotation.from_matrix(ahead @ back.T).as_rotvec() / (2 * step)

    def angular_momentum(k: int, t: float) -> np.ndarray:
        R = at(t)[k][2]
        return R @ np.diag(INERTIA) @ R.T @ spin(k, t)

    now, ahead, back = at(0), at(step), at(-step)
    carried = []
    for k in range(len(joints)):
        force, moment = np.zeros(3), np.zeros(3)
        for j in range(k, len(joints)):
            f = (j + 1) * ((ahead[j][1] - 2 * now[j][1] + back[j][1]) / step**2 - GRAVITY)
            turned = (angular_momentum(j, step) - angular_momentum(j, -step)) / (2 * step)
            force, moment = force + f, moment + turned + np.cross(now[j][1] - now[k][0], f)
        carried.append(np.concatenate([force, moment]))
    return np.concatenate(carried)


@every_chain
def test_y_of_a_chain_with_slides_balances_its_free_bodies(joints: Sequence[Any]) -> None:
    chain, _, _, y = closed_form(chain_of(joints))
    q, u, ud = np.random.default_rng(7).uniform(-0.7, 0.7, (3, len(joints)))
    names = [*chain.tree.q, *chain.tree.u, *(acceleration_of(speed) for speed in chain.tree.u)]
    numbers = evaluate(map(as_expr, y), dict(zip(names, np.concatenate([q, u, ud]), strict=True)))
    assert np.allclose(numbers, free_bodies(joints, q, u, ud), rtol=1e-5, atol=1e-4)


@every_chain
def test_printed_y_lacks_the_moments_of_the_forces_over_the_slides(joints: Sequence[Any]) -> None:
    """A_(j-1) fixed on its body, v_j = n ξ' + ω_(j-1) × ξ: right efforts, right forces, other moments."""
    s = chain_of(joints)
    chain, x, x_dot, y = closed_form(s)
    ports, bodies = chain.ports, list(chain.chain.bodies)
    for k, port in enumerate(ports[1:]):
        outer = bodies[k].arms[OUTER] - port.slide
        bodies[k] = replace(bodies[k], arms={**bodies[k].arms, OUTER: outer}, drifts={})
    printed = Chain(tuple(bodies))
    across, rates, D = list(x), list(x_dot), [list(row) for row in chain.D]
    total, turning = Vector([0] * 3), Vector([0] * 3)
    maps = [Vector([0] * 3) for _ in chain.tree.u]
    for k, port in enumerate(ports):
        slide_rate = total.cross(port.slide) + port.drift
        extra, extra_rate = total.cross(port.slide), turning.cross(port.slide) + total.cross(slide_rate)
        for i in range(3):
            across[6 * k + i] += extra[i]
            rates[6 * k + i] += extra_rate[i]
            for speed, column in enumerate(maps):
                D[6 * k + i][speed] += column.cross(port.slide)[i]
        total, turning = total + Vector(x[6 * k + 3 : 6 * k + 6]), turning + Vector(x_dot[6 * k + 3 : 6 * k + 6])
        maps = [column + Vector([chain.D[6 * k + 3 + i, speed] for i in range(3)]) for speed, column in enumerate(maps)]
    y_printed = printed.through(Vector(across), Vector(rates), Vector([0] * 6))
    efforts = [sum(D[row][speed] * y_printed[row] for row in range(len(y))) for speed in range(len(maps))]
    assert equal(efforts, chain.D.T @ y)
    lacking = Vector([0] * 3)
    for k in reversed(range(len(joints))):
        assert equal(y_printed[6 * k : 6 * k + 3], y[6 * k : 6 * k + 3])
        assert equal(Vector(y_printed[6 * k + 3 : 6 * k + 6]) + lacking, y[6 * k + 3 : 6 * k + 6])
        assert equal(lacking, [0] * 3) == all(kind == "turn" for kind, _ in joints[k + 1 :])
        lacking = lacking + ports[k].slide.cross(Vector(y[6 * k : 6 * k + 3]))  # ξ × f


def test_a_load_out_on_a_slide_weighs_on_the_hinge_inside_of_it() -> None:
    s = ph.System("boom", gravity=(0, -10, 0))
    boom, load = s.body("boom", 0), s.body("load", 3)
    s.joint("turn", s.ground, boom, ph.Revolute("z"))
    s.joint("slide", boom, load, ph.Prismatic("x"))
    chain = serial_chain(s, "load")
    y = evaluate(map(as_expr, chain.chain.u), dict(zip(chain.tree.q, (0, 2), strict=True)))
    assert y[:6] == [0, 30, 0, 0, 0, 60]


@every_chain
def test_chains_cut_at_slides_have_the_equations_of_the_whole(joints: Sequence[Any]) -> None:
    s = chain_of(joints)
    whole = s.derive("newton_euler")
    for cut in ([], [["body 0", "body 1"]], [[f"body {k}" for k in range(len(joints))]]):
        wired = wired_system(s, cut)
        assert equal(wired.mass_matrix().entries(), whole.mass_matrix.entries())
        assert equal(wired.bias, whole.bias)
