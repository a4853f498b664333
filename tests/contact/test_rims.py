"""Discs and cylinders by their rims: on roads, on boxes, and boxes on them, by closed forms and beside coal."""

from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.contact.scenes import EXACT, G, moving, time_between
from tests.seeds import seeds

import polhode as ph

R, WIDTH, MASS = 0.3, 0.2, 2.0
WHEELS = {"disc": ph.Shape.disc(R), "cylinder": ph.Shape.cylinder(R, WIDTH), "sphere": ph.Shape.sphere(R)}
pytestmark = pytest.mark.filterwarnings("ignore:contact 'touch'")


@cache
def wheel(kind: str, road: ph.Shape, is_free: bool, spread: float = 0.5) -> ph.Equations:
    """A wheel with its axis along y, on a road; spread is J/(m r²)."""
    s, J = ph.System("wheel"), spread * MASS * R * R
    if is_free:
        body = s.body("b", MASS, inertia=(J, J, J))
        s.joint("b", s.ground, body, ph.Free())
    else:
        body = moving(s, "b", MASS, "xzt", inertia=J)
    skin = s.surface("skin", body, WHEELS[kind], rotation=("x", ph.pi / 2))
    s.contact("touch", skin, s.surface("road", s.ground, road), friction=1e8)
    return s.derive()


ROADS = {
    "curve": ph.Shape.curve(lambda x: ph.sin(3 * x) / 20),
    "heights": ph.Shape.heights(lambda x, y: ph.sin(3 * x) / 20),
    "table": ph.Shape.curve(ph.table([-1, 0, 0.5, 1, 2], [0, 0, 0.05, 0, 0.1], kind="cubic", outside="line")),
}


@pytest.mark.parametrize("road", ROADS)
@pytest.mark.parametrize("is_free", [False, True])
def test_a_wheel_on_a_road_moves_as_a_ball_of_its_radius(road: str, is_free: bool) -> None:
    start, speeds = ({"b_z": 0.5}, {"b_vx": 1}) if is_free else ({"b z": 0.5}, {"b vx": 1})
    ball, *wheels = (
        wheel(kind, ROADS[road], is_free).simulate(1.2, start=start, speeds=speeds, samples=25, **EXACT)
        for kind in ("sphere", "disc", "cylinder")
    )
    for run in wheels:
        assert run.q == pytest.approx(ball.q, abs=1e-9)
        assert run.u == pytest.approx(ball.u, abs=1e-8)


@pytest.mark.parametrize("kind", ["disc", "cylinder"])
@pytest.mark.parametrize("spread", [0.5, 1.0])
def test_a_wheel_rolls_down_a_slope_with_the_known_acceleration(kind: str, spread: float) -> None:
    """g sin/(1 + J/(m r²)) along the slope, its centre at r beside it."""
    slope = np.arctan(0.5)
    e = wheel(kind, ph.Shape.curve(lambda x: -x / 2), False, spread)
    start = {"b x": R * np.sin(slope), "b z": R * np.cos(slope)}
    run = e.simulate(1, start=start, samples=3, **EXACT)
    way = G * np.sin(slope) / (1 + spread) / 2
    assert run["b x"][-1] == pytest.approx(start["b x"] + way * np.cos(slope), abs=1e-9)
    assert run["b z"][-1] == pytest.approx(start["b z"] - way * np.sin(slope), abs=1e-9)
    assert abs(run["b t"][-1]) == pytest.approx(way / R, abs=1e-9)


@cache
def coin(kind: str, ground: ph.Shape, tilt: float = 0.0) -> ph.Equations:
    s = ph.System("coin")
    body = s.body("b", 1, inertia=(0.02, 0.02, 0.04))
    s.joint("b", s.ground, body, ph.Free())
    floor = s.surface("floor", s.ground, ground, rotation=("y", tilt))
    s.contact("touch", s.surface("skin", body, WHEELS[kind]), floor, friction=0.5)
    return s.derive()


@pytest.mark.parametrize("kind", ["disc", "cylinder"])
@pytest.mark.parametrize("tilt", [0.0, 0.2])
@pytest.mark.parametrize("spin", [4.0, 0.1])
def test_on_heights_of_a_plane_a_coin_moves_as_on_the_plane(kind: str, tilt: float, spin: float) -> None:
    """It rolls and wobbles like Euler's disc, or falls flat and slides on its face."""
    slope = -np.tan(tilt)
    grounds = [ph.Shape.plane(), ph.Shape.heights(lambda x, y: slope * x), ph.Shape.curve(lambda x: slope * x)]
    turn, lean = Rotation.from_euler("y", tilt), 0.4
    x, y, z, w = (turn * Rotation.from_euler("x", lean)).as_quat()
    high = R * np.sin(lean) + (WIDTH / 2 * np.cos(lean) if kind == "cylinder" else 0)
    place = turn.apply([0, 0, high])
    start = dict(zip(("b_e0", "b_e1", "b_e2", "b_e3", "b_x", "b_y", "b_z"), (w, x, y, z, *place), strict=True))
    speeds = {"b_wz": spin, "b_wy": spin / 2}
    runs = [
        coin(kind, ground, tilt if k == 0 else 0).simulate(0.4, start=start, speeds=speeds, samples=9, **EXACT)
        for k, ground in enumerate(grounds)
    ]
    for run in runs[1:]:
        assert run.q[-1] == pytest.approx(runs[0].q[-1], abs=1e-7)
        assert run.u[-1] == pytest.approx(runs[0].u[-1], abs=1e-6)
        assert [each.what for each in run.contact_events][:2] == [each.what for each in runs[0].contact_events][:2]


def test_a_disc_that_rocks_over_the_line_of_two_fixed_points_does_not_dip() -> None:
    """Lying flat it turns about the chord through two of its sixteen fixed points, with the arc beyond them falling."""
    out = np.array([np.cos(np.pi / 16), np.sin(np.pi / 16), 0])
    axis = np.cross([0, 0, 1], out)
    speeds = {"b_wx": axis[0], "b_wy": axis[1], "b_vz": R * 0.999 * np.cos(np.pi / 16)}
    run = coin("disc", ph.Shape.plane()).simulate(0.3, start={"b_z": 0}, speeds=speeds, samples=61)
    axes = Rotation.from_quat(np.roll(run.q[:, :4], -1, axis=1)).apply([0, 0, 1.0])
    assert (run["b_z"] - R * np.hypot(axes[:, 0], axes[:, 1])).min() > -1e-6 * R


@cache
def pillar(slope: float, friction: float) -> ph.Equations:
    """A cylinder of radius 0.05 and height 0.3 that stands on a slope."""
    s = ph.System("pillar")
    body = s.body("pillar", 1, inertia=ph.cylinder(1, 0.05, 0.3))
    s.joint("f", s.ground, body, ph.Free(), rotation=("y", slope))
    hill = s.surface("hill", s.ground, ph.Shape.plane(), rotation=("y", slope))
    s.contact("foot", s.surface("skin", body, ph.Shape.cylinder(0.05, 0.3)), hill, friction=friction)
    return s.derive()


@pytest.mark.parametrize("turn", [0, np.pi / 16, 0.5, np.pi / 3, np.pi])
def test_a_cylinder_stands_and_slides_upright_however_it_is_turned_about_its_axis(turn: float) -> None:
    """Its load is at 0.6 radii on a slope it can stand on; with h μ/2 = 0.6 r it slides v²/(2 μ g) and does not tip."""
    turned = {"f_z": 0.15, "f_e0": np.cos(turn / 2), "f_e3": np.sin(turn / 2)}
    run = pillar(float(np.arctan(0.6 * 0.05 / 0.15)), 0.8).simulate(1, start=turned)
    assert (run.x == run.x[0]).all()
    run = pillar(0, 0.2).simulate(1, start=turned, speeds={"f_vx": np.cos(turn), "f_vy": -np.sin(turn)})
    assert run["f_x"][-1] == pytest.approx(1 / (2 * 0.2 * G), abs=1e-9)
    assert np.abs([run["f_e1"], run["f_e2"], run["f_z"] - 0.15]).max() < 1e-12


@pytest.mark.parametrize(("turn", "radii"), [(0, 1), (np.pi / 16, np.cos(np.pi / 16))])
def test_a_cylinder_tips_where_its_load_is_beyond_its_support(turn: float, radii: float) -> None:
    standing = {"f_z": 0.15, "f_e0": np.cos(turn / 2), "f_e3": np.sin(turn / 2)}
    for factor, verdict in ((1.002, "tips"), (0.998, "stands")):
        slope = float(np.arctan(factor * 0.999 * radii * 0.05 / 0.15))
        assert verdict in pillar(slope, 0.8).standing(standing).verdict


# ---- boxes -------------------------------------------------------------------------------------------------------


LOG, HALF, LENGTH = 0.3, 0.05, 1.0


@cache
def plank(is_free: bool, across: float, radius: float = LOG) -> ph.Equations:
    """A plank on a fixed cylinder whose axis is along y; across is the length of the cylinder."""
    s = ph.System("plank")
    if is_free:
        body = s.body("p", MASS, inertia=ph.box(MASS, LENGTH, 0.1, 2 * HALF))
        s.joint("p", s.ground, body, ph.Free())
    else:
        body = moving(s, "p", MASS, "xzt", inertia=MASS * (LENGTH**2 + 4 * HALF**2) / 12)
    log = s.surface("log", s.ground, ph.Shape.cylinder(radius, across), rotation=("x", ph.pi / 2))
    s.contact("touch", s.surface("skin", body, ph.Shape.box(LENGTH, 0.1, 2 * HALF)), log, friction=5)
    return s.derive()


def rolled(angle: float, radius: float = LOG) -> np.ndarray:
    """The centre of a plank that has rolled by an angle from the top."""
    n, t = np.array([np.sin(angle), np.cos(angle)]), np.array([np.cos(angle), -np.sin(angle)])
    return (radius + HALF) * n - radius * angle * t


@pytest.mark.parametrize(("is_free", "across"), [(False, 1.0), (True, 1.0), (True, 0.05)])
def test_a_plank_rocks_on_a_cylinder_with_its_period(is_free: bool, across: float) -> None:
    """½ (J + m (h² + R² θ²)) θ̇² + m g ((R + h) cos θ + R θ sin θ) is constant."""
    angle = 0.2
    x, z = rolled(angle)
    start = {"p_x": x, "p_z": z, "p_e0": np.cos(angle / 2), "p_e2": np.sin(angle / 2)}
    e = plank(is_free, across)
    J = MASS * (LENGTH**2 + 4 * HALF**2) / 12

    def high(a: float) -> float:
        return float((LOG + HALF) * np.cos(a) + LOG * a * np.sin(a))

    def rate(a: float) -> float:
        inertia = J + MASS * (HALF**2 + (LOG * a) ** 2)
        return float(np.sqrt(max(2 * MASS * G * (high(angle) - high(a)) / inertia, 1e-300)))

    half_period = 2 * time_between(lambda a: rate(-a), -angle, 0)
    run = e.simulate(
        2 * half_period, start=start if is_free else {"p x": x, "p z": z, "p t": -angle}, samples=5, **EXACT
    )
    tilts = 2 * np.arcsin(run["p_e2"]) if is_free else -run["p t"]
    assert tilts == pytest.approx([angle, 0, -angle, 0, angle], abs=1e-7)
    assert np.ptp(run.energy.total) < 1e-9


@pytest.mark.parametrize("thickness", [0.9, 1.1])
def test_a_plank_stays_on_a_cylinder_whose_radius_is_above_half_of_its_thickness(thickness: float) -> None:
    radius, angle = HALF / thickness, 1e-3
    x, z = rolled(angle, radius)
    run = plank(False, 1.0, radius).simulate(2, start={"p x": x, "p z": z, "p t": -angle}, samples=201)
    assert (abs(run["p t"]).max() < 1.01 * angle) == (thickness < 1)


BLOCK = (1.0, 0.8, 0.5)
DRUM = (0.2, 0.3)
J_DRUM = (MASS * (3 * DRUM[0] ** 2 + DRUM[1] ** 2) / 12,) * 2 + (MASS * DRUM[0] ** 2 / 2,)


@cache
def drum(kind: str = "cylinder") -> ph.Equations:
    s = ph.System("drum")
    body = s.body("b", MASS, inertia=J_DRUM)
    s.joint("b", s.ground, body, ph.Free())
    shape = ph.Shape.cylinder(*DRUM) if kind == "cylinder" else ph.Shape.disc(DRUM[0])
    block = s.surface("block", s.ground, ph.Shape.box(*BLOCK))
    s.contact("touch", s.surface("skin", body, shape), block, friction=0.5)
    return s.derive()


@pytest.mark.parametrize("kind", ["cylinder", "disc"])
@pytest.mark.parametrize(("x", "y", "stands"), [
    (0, 0, True), (0.49, 0, True), (0.499999, 0.1, True), (0.49, 0.39, True), (0.501, 0, False), (0.45, 0.401, False),
])  # fmt: skip
def test_a_cylinder_stands_on_a_box_while_its_centre_is_above_it(kind: str, x: float, y: float, stands: bool) -> None:
    top = BLOCK[2] / 2 + (DRUM[1] / 2 if kind == "cylinder" else 0)
    run = drum(kind).simulate(0.2, start={"b_x": x, "b_y": y, "b_z": top}, samples=11)
    assert (not run.u.any()) == stands
    if stands:
        assert run.contact("touch").normal[-1].sum() == pytest.approx(MASS * G)
        return
    out = [1.0, 0.0, 0.0] if x > 0.5 else [0.0, 1.0, 0.0]
    turned = np.cross([0, 0, 1.0], out)
    assert run.u[-1, :3] @ turned > 1e-3  # it tips over that edge
    assert abs(run.u[-1, :3] - turned * (run.u[-1, :3] @ turned)).max() < 1e-6


@pytest.mark.parametrize("speed", [0.1, 0.3])
@pytest.mark.parametrize("is_free", [False, True])
@pytest.mark.parametrize(("length", "across"), [(0.3, 0.8), (0.8, 0.3)])
def test_a_cylinder_rolls_over_the_edge_of_a_box_and_leaves_it(
    speed: float, is_free: bool, length: float, across: float
) -> None:
    """It turns about the edge by ¾ r² ω² + g r cos a = const. and leaves at cos a = (4 + 3 v²/(g r))/7."""
    s, r = ph.System("over the edge"), DRUM[0]
    J = MASS * r * r / 2
    if is_free:
        body = s.body("b", MASS, inertia=(J, J, J))
        s.joint("b", s.ground, body, ph.Free())
        start, speeds, height = {"b_x": 0.45, "b_z": r}, {"b_vx": speed, "b_wy": speed / r}, "b_z"
    else:
        body = moving(s, "b", MASS, "xzt", inertia=J)
        start, speeds, height = {"b x": 0.45, "b z": r}, {"b vx": speed, "b vt": -speed / r}, "b z"
    skin = s.surface("skin", body, ph.Shape.cylinder(r, length), rotation=("x", ph.pi / 2))
    block = s.surface("block", s.ground, ph.Shape.box(1, across, 0.5), at=(0, 0, -0.25))
    s.contact("touch", skin, block, friction=1e8)
    e = s.derive()
    until = [each.t for each in e.simulate(1.5, start=start, speeds=speeds, **EXACT).contact_events
             if each.what == "opens"][-1]  # fmt: skip
    run = e.simulate(until, start=start, speeds=speeds, **EXACT)
    assert run[height][-1] / r == pytest.approx((4 + 3 * speed**2 / (G * r)) / 7, abs=1e-8)
    assert np.ptp(run.energy.total) < 1e-9


#: A shape that is dropped on another.
DROPS = {
    "cylinder on box": (ph.Shape.cylinder(*DRUM), ph.Shape.box(*BLOCK)),
    "disc on box": (ph.Shape.disc(0.25), ph.Shape.box(*BLOCK)),
    "box on cylinder": (ph.Shape.box(0.4, 0.3, 0.2), ph.Shape.cylinder(0.5, 0.4)),
    "box on disc": (ph.Shape.box(0.4, 0.3, 0.2), ph.Shape.disc(0.5)),
}


@cache
def dropped(name: str) -> ph.Equations:
    s, (shape, rock) = ph.System("drop"), DROPS[name]
    body = s.body("b", 1, inertia=(0.01, 0.01, 0.015))
    s.joint("b", s.ground, body, ph.Free())
    laws = {"friction": s.parameter("mu", 0.5), "restitution": s.parameter("e", 0)}
    s.contact("touch", s.surface("skin", body, shape), s.surface("rock", s.ground, rock), **laws)
    return s.derive()


def solid(coal: Any, shape: ph.Shape) -> Any:
    size = [float(each) for each in shape.size]
    return coal.Box(*size) if shape.kind == "box" else coal.Cylinder(*(size if len(size) > 1 else (*size, 1e-12)))


@pytest.mark.parametrize(("name", "seed"), [(name, seed) for name in DROPS for seed in seeds((3, 4, 7, 11, 33), of=40)])
def test_what_is_dropped_on_a_box_does_not_enter_it_and_gains_no_energy(name: str, seed: int) -> None:
    coal = pytest.importorskip("coal")
    rng, e = np.random.default_rng(seed), dropped(name)
    x, y, z, w = Rotation.random(random_state=rng).as_quat()
    laws = {"mu": rng.uniform(0, 1), "e": rng.choice([0, 0.3, 0.6])}
    start = {"b_e0": w, "b_e1": x, "b_e2": y, "b_e3": z, "b_z": 0.8, "b_x": rng.uniform(-0.5, 0.5),
             "b_y": rng.uniform(-0.4, 0.4)}  # fmt: skip
    speeds = dict(zip(e.speeds, rng.normal(size=6) * [3, 3, 3, 0.5, 0.5, 0.5], strict=True))
    run = e.simulate(2, start=start, speeds=speeds, parameters=laws, samples=101, until=e.q[6] + 1, rtol=1e-11,
                     atol=1e-11)  # fmt: skip
    assert np.diff(run.energy.total).max() < 1e-8
    shapes, still = [solid(coal, shape) for shape in DROPS[name]], coal.Transform3s.Identity()
    for q in run.q.copy():
        pose = coal.Transform3s(Rotation.from_quat(np.roll(q[:4], -1)).as_matrix(), q[4:])
        gap = coal.distance(shapes[0], pose, shapes[1], still, coal.DistanceRequest(), coal.DistanceResult())
        assert gap > -1e-6 or gap < -1e300  # where the search of coal fails
