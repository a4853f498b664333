"""Ellipsoids on all surfaces: where they touch by other formulas, the rates of gaps, and motions that keep energy."""

from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq, lsq_linear, minimize_scalar
from scipy.spatial.transform import Rotation
from tests.contact.scenes import EXACT, moving
from tests.seeds import TRIAL

import polhode as ph

AXES = np.array([0.3, 0.2, 0.1])
OTHER = np.array([0.25, 0.5, 0.15])
EDGES = (0.5, 0.8, 0.3)
RADIUS, LENGTH = 0.1, 0.6


def wave(x: Any, y: Any = 0) -> Any:
    return (x * x + x * y / 2 + y * y / 3) / 4


SURFACES = {
    "ellipsoid": ph.Shape.ellipsoid(*OTHER), "box": ph.Shape.box(*EDGES), "capsule": ph.Shape.capsule(RADIUS, LENGTH),
    "hollow": ph.Shape.sphere(-1), "curve": ph.Shape.curve(wave), "heights": ph.Shape.heights(wave),
}  # fmt: skip


@cache
def over(kind: str) -> ph.Equations:
    s = ph.System(kind)
    body = s.body("egg", 2, inertia=[0.4 * (AXES @ AXES - a * a) for a in AXES])
    s.joint("f", s.ground, body, ph.Free())
    skin, rock = s.surface("skin", body, ph.Shape.ellipsoid(*AXES)), s.surface("rock", s.ground, SURFACES[kind])
    s.contact("touch", skin, rock, friction=s.parameter("mu", 0.5))
    return s.derive()


def gap(kind: str, R: Rotation, c: np.ndarray, v: np.ndarray | None = None) -> tuple[float, float]:
    """The gap, and with velocities its rate."""
    e = over(kind)
    q = np.array([[*np.roll(R.as_quat(), 1), *c]])
    rates = e.compile().native("contact_rates")
    given = {"x": np.hstack([q, np.zeros((1, 6)) if v is None else v[None]]), "t": np.zeros((1, 1))}
    rates = rates.with_parameters(e.compile().parameter_values("contact_rates", {}))
    arrays = [np.ascontiguousarray(given.get(name, np.zeros((1, 6 if name == "tau" else 0)))) for name in rates.arrays]
    found = dict(zip(rates.outputs, rates(*arrays), strict=True))
    return float(found["gaps"][0, 0]), float(found["velocities"][0, 0])


def to_ellipsoid(p: np.ndarray, a: np.ndarray) -> float:
    """The distance of a point outside of an ellipsoid."""
    t = brentq(lambda t: np.sum((a * p / (t + a * a)) ** 2) - 1, -min(a * a) + 1e-12, 10, xtol=1e-15)
    return float(np.linalg.norm(p - a * a * p / (t + a * a)) * np.sign(t))


def in_metric(M: np.ndarray, c: np.ndarray, bounds: Any) -> float:
    """The least |M (y - c)| - 1 of a box, of which it is zero that touches an ellipsoid that M makes a ball."""
    return float(np.sqrt(2 * lsq_linear(M, M @ c, bounds, tol=1e-15, method="bvls").cost) - 1)


def judge(kind: str, R: Rotation, c: np.ndarray) -> float:
    """Zero where the egg touches, negative where it overlaps, by an independent formula."""
    turn = R.as_matrix()
    M = np.diag(1 / AXES) @ turn.T
    if kind == "box":
        return in_metric(M, c, (-np.array(EDGES) / 2, np.array(EDGES) / 2))
    if kind == "capsule":
        half = LENGTH / 2
        along = minimize_scalar(
            lambda z: to_ellipsoid(turn.T @ (np.array([0, 0, z]) - c), AXES), bounds=(-half, half), method="bounded",
            options={"xatol": 1e-12},
        )  # fmt: skip
        ends = [to_ellipsoid(turn.T @ (np.array([0, 0, z]) - c), AXES) for z in (-half, half)]
        return float(min(along.fun, *ends) - RADIUS)
    if kind == "ellipsoid":  # of |K u - k|, |u| = 1, the least
        K, k = M @ np.diag(OTHER), M @ c
        w, Q = np.linalg.eigh(K.T @ K)
        b = Q.T @ K.T @ k
        t = brentq(lambda t: np.sum((b / (w + t)) ** 2) - 1, -w[0] + 1e-9, 1e4, xtol=1e-15)
        return float(np.linalg.norm(K @ Q @ (b / (w + t)) - k) - 1)
    phi, theta = np.meshgrid(np.linspace(0, 2 * np.pi, 721), np.linspace(0, np.pi, 361))
    for _ in range(6):  # of all points of the egg the one with the least gap, on finer and finer grids
        u = np.array([np.sin(theta) * np.cos(phi), np.sin(theta) * np.sin(phi), np.cos(theta)])
        x, y, z = np.einsum("ij,jkl->ikl", turn * AXES, u) + c[:, None, None]
        level = 1 - np.sqrt(x * x + y * y + z * z) if kind == "hollow" else z - wave(x, y if kind == "heights" else 0)
        best = np.unravel_index(np.argmin(level), level.shape)
        d = 3 * (phi[0, 1] - phi[0, 0])
        grid = np.linspace(-d, d, 121)
        phi, theta = np.meshgrid(phi[best] + grid, theta[best] + grid)
    return float(level.min())


@pytest.mark.parametrize("kind", SURFACES)
def test_the_gap_is_zero_where_they_touch_and_its_rate_is_the_normal_velocity(kind: str) -> None:
    rng = np.random.default_rng(4)
    low, high = (0.0, 0.5) if kind in ("curve", "heights") else (0.12, 2.0)
    for R in Rotation.random(12 if TRIAL else 5, random_state=rng):
        way = rng.normal(size=3)
        way = np.abs(way) * [0.1, 0.1, 1] + [0, 0, 0.2] if kind in ("curve", "heights") else way
        way /= np.linalg.norm(way)
        start = rng.normal(size=3) * (0.1 if kind == "hollow" else 0.05)
        far = brentq(lambda s, R=R, way=way, start=start: gap(kind, R, start + s * way)[0], low, high, xtol=1e-15)
        c = start + far * way
        assert abs(judge(kind, R, c)) < 2e-11
        assert judge(kind, R, start + (far + 0.01) * way) * (-1 if kind == "hollow" else 1) > 0
        w, v, h = rng.normal(size=3), rng.normal(size=3), 1e-5
        _, rate = gap(kind, R, c, np.concatenate([w, v]))
        ends = [gap(kind, R * Rotation.from_rotvec(t * w), c + t * R.apply(v))[0] for t in (h, -h)]
        assert rate == pytest.approx((ends[0] - ends[1]) / (2 * h), abs=1e-6)


@pytest.mark.parametrize("kind", SURFACES)
def test_an_ellipsoid_that_is_let_go_rolls_and_bounces_on_its_energy(kind: str) -> None:
    """It begins to roll, leaves, and without restitution loses energy in impacts alone; it never enters."""
    R, ends = Rotation.from_euler("xyz", [0.5, 0.4, 0.2]), (-0.5, -1.3) if kind == "hollow" else (0.05, 1)
    at = np.array([0.05, 0.04, 0.0])
    height = brentq(lambda z: gap(kind, R, at + np.array([0, 0, z]))[0], *ends)
    start = dict(zip(over(kind).coordinates, [*np.roll(R.as_quat(), 1), *at[:2], height], strict=True))
    run = over(kind).simulate(0.7, start=start, parameters={"mu": 5}, samples=141, **EXACT)
    touch, energy = run.contact("touch"), run.energy.total
    assert touch.mode[0] == "stick"
    rolls = np.argmax(touch.mode != "stick") or len(run.t)
    assert rolls > 5
    assert np.ptp(energy[:rolls]) < 1e-10
    assert np.diff(energy).max() < 1e-9
    for q in run.q[::20]:
        assert judge(kind, Rotation.from_quat(np.roll(q[:4], -1)), q[4:]) > -2e-11


@pytest.mark.parametrize("shape", [ph.Shape.box(2, 2, 0.4), ph.Shape.ellipsoid(1, 2, 0.2), ph.Shape.capsule(0.2, 1)])
def test_in_a_plane_an_ellipse_has_one_tangent_and_rolls_on_its_energy(shape: ph.Shape) -> None:
    s = ph.System("in a plane")
    body = moving(s, "egg", 2, "xzt", inertia=0.02)
    turn = ("x", ph.pi / 2) if shape.kind == "capsule" else None
    rock = s.surface("rock", s.ground, shape, rotation=turn)
    s.contact("touch", s.surface("skin", body, ph.Shape.ellipsoid(0.2, 0.3, 0.1)), rock, friction=3)
    run = s.derive().simulate(0.2, start={"egg z": 0.3}, speeds={"egg vx": 0.2, "egg vt": -2.0}, **EXACT)
    assert run.contact("touch").slip.shape == (len(run.t), 1)
    assert set(run.contact("touch").mode) == {"stick"}
    assert np.ptp(run.energy.total) < 1e-9


def test_an_ellipsoid_too_long_for_its_bowl_is_refused() -> None:
    s = ph.System("bowl")
    body = s.body("egg", 1, inertia=(1, 1, 1))
    s.joint("f", s.ground, body, ph.Free())
    bowl = s.surface("bowl", s.ground, ph.Shape.sphere(-0.8))
    with pytest.raises(ph.PolhodeError, match="flatter somewhere than the hollow sphere"):
        s.contact("touch", s.surface("skin", body, ph.Shape.ellipsoid(*AXES)), bowl)
