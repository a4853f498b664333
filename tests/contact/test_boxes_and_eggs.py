"""Boxes on boxes, and ellipsoids: they do not enter each other, gain no energy, stand still, roll and spin by laws."""

from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.spatial.transform import Rotation
from tests.contact.scenes import EXACT, G, moving
from tests.seeds import seeds

import polhode as ph

SMALL, LARGE = (0.4, 0.3, 0.2), (1.0, 0.8, 0.5)


@cache
def box_on_box() -> ph.Equations:
    """A box over a larger one that is fixed."""
    s = ph.System("boxes")
    body = s.body("body", 1, inertia=ph.box(1, *SMALL))
    s.joint("f", s.ground, body, ph.Free())
    skin, rock = s.surface("skin", body, ph.Shape.box(*SMALL)), s.surface("rock", s.ground, ph.Shape.box(*LARGE))
    s.contact("touch", skin, rock, friction=s.parameter("mu", 0.5), restitution=s.parameter("e", 0.3))
    return s.derive()


def overlap(q: np.ndarray) -> float:
    """The radius of the largest ball in both boxes, by a linear program."""
    R, p = Rotation.from_quat(np.roll(q[:4], -1)).as_matrix().T, q[4:]
    A = np.vstack([R, -R, np.eye(3), -np.eye(3)])
    a, b = np.array(SMALL) / 2, np.array(LARGE) / 2
    bounds = np.concatenate([R @ p + a, a - R @ p, b, b])
    return float(-linprog([0, 0, 0, -1], np.column_stack([A, np.ones(12)]), bounds, bounds=[(None, None)] * 4).fun)


@pytest.mark.parametrize("seed", seeds(4, of=20))
def test_a_box_dropped_on_a_box_comes_to_rest_or_falls_off(seed: int) -> None:
    rng, e = np.random.default_rng(seed), box_on_box()
    x, y, z, w = Rotation.random(random_state=rng).as_quat()
    laws = {"mu": rng.uniform(0, 1), "e": rng.choice([0, 0.3, 0.6])}
    start = {"f_e0": w, "f_e1": x, "f_e2": y, "f_e3": z, "f_z": 0.6, "f_x": rng.uniform(-0.55, 0.55),
             "f_y": rng.uniform(-0.45, 0.45)}  # fmt: skip
    speeds = dict(zip(e.speeds, rng.normal(size=6) * [3, 3, 3, 0.5, 0.5, 0.5], strict=True))
    tight = {"rtol": 1e-11, "atol": 1e-11}
    run = e.simulate(2, start=start, speeds=speeds, parameters=laws, samples=101, until=e.q[6] + 1, **tight)
    assert np.diff(run.energy.total).max() < 1e-9
    assert max(overlap(q) for q in run.q[::5]) < 1e-9
    assert run["f_z"][-1] < -0.9 or run.status == "done"


@pytest.mark.parametrize(("count", "ratio"), [(3, 0.8), (2, 1.0)])
def test_boxes_in_a_stack_stand_still(count: int, ratio: float) -> None:
    """Each smaller than the one below, or both alike."""
    s, start, height = ph.System("stack"), {}, 0.0
    below = s.surface("floor", s.ground, ph.Shape.plane())
    for k in range(count):
        a = 0.5 * ratio**k
        box = s.body(f"box {k}", a**3 * 100, inertia=ph.box(a**3 * 100, a, a, a / 2))
        s.joint(f"box {k}", s.ground, box, ph.Free())
        skin = s.surface(f"skin {k}", box, ph.Shape.box(a, a, a / 2))
        s.contact(f"sole {k}", skin, below, friction=0.5)
        start[f"box {k}_z"], below, height = height + a / 4, skin, height + a / 2
    run = s.derive().simulate(1000, start=start, samples=11)
    assert not np.ptp(run.q, axis=0).any()
    assert run.info["steps"] <= 20


@pytest.mark.parametrize("beyond", [-0.01, 0.01])
def test_a_plank_tips_when_its_centre_is_beyond_an_edge(beyond: float) -> None:
    """A plank turned across a beam: they touch where edges cross; it turns about the edge with (J + m r²) α = m g x."""
    s, turn = ph.System("plank"), 0.2
    plank = s.body("plank", 2, inertia=ph.box(2, 3, 0.2, 0.1))
    s.joint("f", s.ground, plank, ph.Free())
    beam = s.surface("beam", s.ground, ph.Shape.box(1, 2, 1))
    s.contact("touch", s.surface("skin", plank, ph.Shape.box(3, 0.2, 0.1)), beam, friction=1)
    start = {"f_e0": np.cos(turn / 2), "f_e3": np.sin(turn / 2), "f_x": 0.5 + beyond, "f_z": 0.55}
    run = s.derive().simulate(0.2, start=start, samples=11)
    if beyond < 0:
        assert not run.u.any()
        return
    parts = (0.2**2 + 0.1**2) * np.sin(turn) ** 2 + (3**2 + 0.1**2) * np.cos(turn) ** 2
    pull = G * beyond / (parts / 12 + beyond**2 + 0.05**2)
    spin = Rotation.from_euler("z", turn).apply(run.u[-1, :3].copy())
    assert spin[1] == pytest.approx(pull * 0.2, rel=1e-2)
    assert spin[0] == pytest.approx(0, abs=1e-4)


@cache
def egg(axes: tuple[float, float, float]) -> ph.Equations:
    s = ph.System("egg")
    body = s.body("egg", 2, inertia=[0.4 * (sum(x * x for x in axes) - a * a) for a in axes])
    s.joint("f", s.ground, body, ph.Free())
    skin, floor = s.surface("skin", body, ph.Shape.ellipsoid(*axes)), s.surface("floor", s.ground, ph.Shape.plane())
    s.contact("touch", skin, floor, friction=s.parameter("mu", 0))
    return s.derive()


def lying(axes: Any, turn: Rotation) -> dict[str, float]:
    x, y, z, w = turn.as_quat()
    height = np.linalg.norm(np.array(axes) * turn.inv().apply([0, 0, 1]))
    return {"f_e0": w, "f_e1": x, "f_e2": y, "f_e3": z, "f_z": float(height)}


def spins(run: Any, axes: tuple[float, float, float]) -> tuple[np.ndarray, np.ndarray]:
    """Angular momentum in the ground and in the body."""
    J = 0.4 * (np.dot(axes, axes) - np.square(axes))
    own = J * run.u[:, :3]
    return Rotation.from_quat(np.roll(run.q[:, :4], -1, axis=1)).apply(own), own


def test_a_smooth_spheroid_keeps_its_energy_and_two_angular_momenta() -> None:
    """About the vertical and about its axis; its centre moves along a vertical."""
    axes, turn = (0.1, 0.1, 0.15), Rotation.from_euler("xyz", [0.7, 0.2, 0.1])
    speeds = {"f_wx": 3.0, "f_wy": 1.0, "f_wz": 15.0}
    e = egg(axes)
    normal = turn.inv().apply([0, 0, 1])
    arm = -np.square(axes) * normal / np.linalg.norm(axes * normal)
    fall = -np.cross([3.0, 1.0, 15.0], arm) @ normal  # of the centre, such that it touches
    speeds |= dict(zip(("f_vx", "f_vy", "f_vz"), normal * fall, strict=True))
    run = e.simulate(3, start=lying(axes, turn), speeds=speeds, samples=301, **EXACT)
    ground, own = spins(run, axes)
    assert set(run.contact("touch").mode) == {"slip"}
    assert np.ptp(run.energy.total) < 1e-9
    assert np.ptp(ground[:, 2]) < 1e-9
    assert np.ptp(own[:, 2]) < 1e-9
    assert np.ptp(run.q[:, 4:6]) < 1e-9
    assert np.ptp(run["f_z"]) > 1e-3


def test_an_ellipsoid_rolls_with_its_energy() -> None:
    axes, turn = (0.1, 0.14, 0.2), Rotation.from_euler("xyz", [0.4, 0.3, 0.1])
    w = np.array([0.5, -0.4, 0.3])
    normal = turn.inv().apply([0, 0, 1])
    arm = -np.square(axes) * normal / np.linalg.norm(axes * normal)
    names = ("f_wx", "f_wy", "f_wz", "f_vx", "f_vy", "f_vz")
    speeds = dict(zip(names, (*w, *-np.cross(w, arm)), strict=True))
    run = egg(axes).simulate(3, start=lying(axes, turn), speeds=speeds, parameters={"mu": 5}, samples=301, **EXACT)
    assert set(run.contact("touch").mode) == {"stick"}
    assert np.ptp(run.energy.total) < 1e-9
    assert abs(run.contact("touch").gap).max() < 1e-12
    assert np.ptp(run["f_z"]) > 1e-2


def test_an_ellipse_rolls_from_a_ball_on_its_energy() -> None:
    """An ellipsoid in a plane on a fixed ball: without slip its energy stays."""
    s = ph.System("on a ball")
    body = moving(s, "egg", 2, "xzt", inertia=0.02)
    ball = s.surface("ball", s.ground, ph.Shape.sphere(0.5))
    s.contact("touch", ball, s.surface("skin", body, ph.Shape.ellipsoid(0.2, 0.3, 0.1)), friction=3)
    run = s.derive().simulate(0.3, start={"egg z": 0.6, "egg x": 0.0}, speeds={"egg vx": 0.3, "egg vt": -3.0}, **EXACT)
    assert set(run.contact("touch").mode) == {"stick"}
    assert np.ptp(run.energy.total) < 1e-9
    assert pytest.approx(run.energy.potential[0], abs=1e-9) == 2 * G * 0.6


@pytest.mark.parametrize("depth", [1e-9, 2e-9, 1e-6, 0.02])
def test_equal_cubes_that_overlap_by_more_than_rounding_are_refused(depth: float) -> None:
    """Their side faces are flush, so that all vertices are on edges; also where one is moved along one of the faces."""
    s = ph.System("cubes")
    cube = s.body("cube", 1, inertia=(0.01,) * 3)
    s.joint("f", s.ground, cube, ph.Free())
    shape = ph.Shape.box(0.1, 0.1, 0.1)
    s.contact("touch", s.surface("own", cube, shape), s.surface("under", s.ground, shape), friction=0.3)
    e = s.derive()
    for x in (0, 0.001):
        start = {"f_z": 0.1 - depth, "f_x": x}
        if depth > 1e-9:
            with pytest.raises(ph.PolhodeError, match=f"overlaps by {depth:.6g}"):
                e.simulate(0.1, start=start)
        else:
            assert e.simulate(0.1, start=start)["f_z"][-1] == pytest.approx(0.1)
