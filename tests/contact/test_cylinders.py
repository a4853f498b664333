"""Balls, capsules and points on cylinders and discs, against what is known of rolling off."""

from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.contact.scenes import EXACT, G, moving

import polhode as ph

R, H, BALL = 0.5, 0.4, 0.1


def on(shape: ph.Shape, skin: ph.Shape | None = None, free: bool = False, turn: Any = None, mu: float = 1e8) -> Any:
    s = ph.System("on a cylinder")
    if free:
        body = s.body("ball", 2, inertia=ph.sphere(2, BALL))
        s.joint("f", s.ground, body, ph.Free())
    else:
        body = moving(s, "ball", 2, "xzt", inertia=0.4 * 2 * BALL**2)
    rock = s.surface("rock", s.ground, shape, rotation=turn)
    s.contact("touch", s.surface("skin", body, skin) if skin else body, rock, friction=mu)
    return s.derive()


def first(run: Any, what: str) -> float:
    return next(each.t for each in run.contact_events if each.what == what)


@pytest.mark.parametrize("shape", [ph.Shape.cylinder(R, H), ph.Shape.disc(R)])
@pytest.mark.parametrize("speed", [0.1, 0.3])
def test_a_ball_rolls_over_the_rim_and_leaves_it(shape: ph.Shape, speed: float) -> None:
    """It turns about the rim by 7/10 r² ω² + g r cos a = const. and leaves at cos a = (10 + 7 v²/(g r))/17."""
    top = (H / 2 if shape.kind == "cylinder" else 0) + BALL
    speeds = {"ball vx": speed, "ball vt": -speed / BALL}
    e, start = on(shape, ph.Shape.sphere(BALL)), {"ball x": 0.45, "ball z": top}
    until = first(e.simulate(1.5, start=start, speeds=speeds, **EXACT), "opens")
    run = e.simulate(until, start=start, speeds=speeds, **EXACT)
    assert run["ball z"][-1] - top + BALL == pytest.approx(BALL * (10 + 7 * speed**2 / (G * BALL)) / 17, abs=1e-9)
    assert np.ptp(run.energy.total) < 1e-9


def test_a_ball_rolls_off_the_side_of_a_lying_cylinder() -> None:
    """From the top it leaves at cos a = 10/17, whatever the radii."""
    e = on(ph.Shape.cylinder(R, 2), ph.Shape.sphere(BALL), free=True, turn=("x", ph.pi / 2))
    run = e.simulate(3, start={"f_x": 1e-3, "f_z": np.sqrt((R + BALL) ** 2 - 1e-6)}, **EXACT)
    left = e.simulate(first(run, "opens"), start={"f_x": 1e-3, "f_z": np.sqrt((R + BALL) ** 2 - 1e-6)}, **EXACT)
    assert left["f_z"][-1] / (R + BALL) == pytest.approx(10 / 17, abs=1e-5)
    assert np.ptp(left.energy.total) < 1e-9


def test_a_point_slides_over_the_edge() -> None:
    run = on(ph.Shape.cylinder(R, H), mu=0).simulate(1, start={"ball z": H / 2}, speeds={"ball vx": 1})
    assert first(run, "opens") == pytest.approx(R, abs=1e-9)
    assert run["ball z"][-1] == pytest.approx(H / 2 - G * (1 - R) ** 2 / 2, abs=1e-9)


def test_a_capsule_lies_across_a_cylinder_and_stands_on_its_end() -> None:
    skin = ph.Shape.capsule(BALL, 0.6)
    across = on(ph.Shape.cylinder(R, 2), skin, free=True, turn=("x", ph.pi / 2))
    lies = {"f_e0": np.sqrt(0.5), "f_e2": np.sqrt(0.5), "f_z": R + BALL}  # along x, the cylinder along y
    run = across.simulate(0.1, start=lies, samples=3)
    assert run.contact("touch").normal[-1].sum() == pytest.approx(2 * G)
    assert np.abs(run.u).max() < 1e-12
    stands = on(ph.Shape.cylinder(R, H), skin, free=True).simulate(0.1, start={"f_z": H / 2 + 0.3 + BALL}, samples=3)
    assert stands.contact("touch").normal[-1].sum() == pytest.approx(2 * G)


@pytest.mark.parametrize("shape", [ph.Shape.cylinder(R, H), ph.Shape.disc(R)])
def test_a_capsule_lies_across_a_rim_and_tips_beyond_it(shape: ph.Shape) -> None:
    """A long one lies on two points of the rim; one with its centre outside tips about the rim."""
    top = (H / 2 if shape.kind == "cylinder" else 0) + BALL
    lies = {"f_e0": np.sqrt(0.5), "f_e2": np.sqrt(0.5), "f_y": 0.2, "f_z": top}
    run = on(shape, ph.Shape.capsule(BALL, 2), free=True, mu=1).simulate(10, start=lies, samples=3)
    assert np.ptp(run.q, axis=0).max() < 1e-10  # it may roll
    assert sorted(run.contact("touch").normal[-1])[-2:] == pytest.approx([G, G])
    tips = on(shape, ph.Shape.capsule(BALL, 0.6), free=True, mu=1)
    lies |= {"f_y": 0, "f_x": R + 0.05}
    run = tips.simulate(0.02, start=lies, samples=3)
    inertia = 0.4 * 2 * BALL**2 + 2 * (0.05**2 + BALL**2)  # about the rim
    assert run.u[-1, 1] == pytest.approx(2 * G * 0.05 / inertia * 0.02, rel=1e-2)


@cache
def tossed(kind: str) -> Any:
    shape = ph.Shape.cylinder(R, H) if kind == "cylinder" else ph.Shape.disc(R)
    return on(shape, ph.Shape.capsule(BALL, 0.6), free=True, mu=1)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("kind", ["cylinder", "disc"])
def test_a_capsule_that_is_tossed_never_enters_and_gains_no_energy(kind: str, seed: int) -> None:
    rng, half = np.random.default_rng(seed), H / 2 if kind == "cylinder" else 0
    turn = Rotation.random(random_state=rng)
    at = [*np.roll(turn.as_quat(), 1), *rng.uniform(-0.4, 0.4, 2), 0.7]
    start = dict(zip(tossed(kind).coordinates, at, strict=True))
    speeds = dict(zip(tossed(kind).speeds, [2, 2, 2, 0.1, 0.1, 0.1] * rng.normal(size=6), strict=True))
    run = tossed(kind).simulate(1.5, start=start, speeds=speeds, samples=101, **EXACT)
    assert len(run.contact_events) > 0
    assert np.diff(run.energy.total).max() < 1e-9
    axes = Rotation.from_quat(np.roll(run.q[:, :4], -1, axis=1)).apply([0, 0, 1])
    points = run.q[:, None, 4:] + np.linspace(-0.3, 0.3, 401)[:, None] * axes[:, None]
    aside, above = np.hypot(points[..., 0], points[..., 1]) - R, np.abs(points[..., 2]) - half
    assert np.hypot(np.maximum(aside, 0), np.maximum(above, 0)).min() > BALL - 1e-9


@pytest.mark.parametrize("other", [ph.Shape.cylinder(1, 1), ph.Shape.disc(1), ph.Shape.sphere(-1)])
def test_rims_on_other_surfaces_are_refused_with_a_cure(other: ph.Shape) -> None:
    with pytest.raises(ph.PolhodeError, match="Give one of them as a capsule or a sphere"):
        on(other, ph.Shape.cylinder(R, H))
    with pytest.raises(ph.PolhodeError, match="no contact of a point and a disc"):
        on(ph.Shape.disc(R))


def test_a_box_that_slides_off_a_flat_cylinder_tips_where_its_weight_is_beyond_the_last_support():
    """Three rows of rank two: the least forces pull before there are none that push, at x = 0.999 r."""
    s = ph.System("edge")
    box = s.body("b", 1, inertia=(0.004, 0.004, 0.004))
    plane = ph.Compound(ph.Prismatic("x"), ph.Prismatic("z"), ph.Revolute("y"))
    s.joint("p", s.ground, box, plane, coordinates=["x", "z", "a"], speeds=["vx", "vz", "w"])
    s.contact("c", s.surface("m", box, ph.Shape.box(0.2, 0.2, 0.2)), s.surface("t", s.ground, ph.Shape.cylinder(1, 2)))
    run = s.derive().simulate(0.15, start={"x": 0.9, "z": 1.1}, speeds={"vx": 1})
    assert run.contact("c").normal.min() > -1e-9
    assert np.abs(run["a"][run["x"] < 0.9989]).max() < 1e-12 and run["a"][run["x"] > 0.9992].min() > 0


def test_a_cylinder_that_falls_flat_lies_down():
    """Its rim is where it was until it lies: the normal force does not change by rounding as the tilt vanishes."""
    s = ph.System("cylinder")
    body = s.body("b", 1, inertia=(0.0025, 0.0025, 0.005))
    s.joint("f", s.ground, body, ph.Free())
    skin = s.surface("t", body, ph.Shape.cylinder(0.1, 0.06))
    s.contact("c", skin, s.surface("g", s.ground, ph.Shape.plane()), friction=0.5)
    tilt = np.arctan2(0.1, 0.03) - 0.001
    start = {"f_z": 0.1 * np.sin(tilt) + 0.03 * np.cos(tilt), "f_e0": np.cos(tilt / 2), "f_e2": np.sin(tilt / 2)}
    run = s.derive().simulate(3, start=start)
    assert (run.u[-1] == 0).all() and run["f_z"][-1] == pytest.approx(0.03, abs=1e-12)
    assert len(run.info["contacts"].changes) < 20
