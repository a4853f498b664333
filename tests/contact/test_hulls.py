"""Convex hulls and meshes: they rest on faces, move as boxes do, do not enter each other, and touch where coal says."""

import ast
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import nnls
from scipy.spatial.transform import Rotation
from tests.seeds import seeds

import polhode as ph
from polhode.expr import Matrix, Vector, as_expr, evaluate, symbols
from polhode.formats.yaml_model import dumps_yaml, loads_yaml
from polhode.geometry import Pose
from polhode.geometry.polytope import convex_hull
from polhode.model.constraints.hulls import hulls
from polhode.model.constraints.pairs import crossings, touches
from polhode.model.surface import Surface

TETRAHEDRON = 0.15 * np.array([(1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)])
OCTAHEDRON = 0.2 * np.vstack([np.eye(3), -np.eye(3)])
STONE = np.random.default_rng(5).normal(size=(7, 3))
STONE = 0.25 * STONE / np.linalg.norm(STONE, axis=1)[:, None]
SMALL, LARGE = (0.4, 0.3, 0.2), (1.0, 0.8, 0.5)


def corners(edges: Any) -> np.ndarray:
    return np.array(list(product((-0.5, 0.5), repeat=3))) * edges


def hull_of(points: np.ndarray) -> Any:
    return convex_hull(tuple(map(tuple, points.tolist())))


@cache
def thrown(shape: ph.Shape | None, ground: ph.Shape) -> ph.Equations:
    """A body, or its origin, over what is fixed."""
    s = ph.System("throw")
    body = s.body("body", 1, inertia=ph.box(1, *SMALL))
    s.joint("f", s.ground, body, ph.Free())
    skin, rock = body if shape is None else s.surface("skin", body, shape), s.surface("rock", s.ground, ground)
    s.contact("touch", skin, rock, friction=s.parameter("mu", 0.5), restitution=s.parameter("e", 0.3))
    return s.derive()


def turned(seed: int, **more: float) -> dict[str, float]:
    x, y, z, w = Rotation.random(random_state=seed).as_quat()
    return {"f_e0": w, "f_e1": x, "f_e2": y, "f_e3": z, "f_z": 0.65, **more}


@pytest.mark.parametrize("points", [TETRAHEDRON, OCTAHEDRON, STONE], ids=["tetrahedron", "octahedron", "stone"])
def test_a_hull_dropped_on_a_plane_stands_still_on_a_face(points: np.ndarray) -> None:
    e, solid = thrown(ph.Shape.hull(points), ph.Shape.plane()), hull_of(points)
    run = e.simulate(4, start=turned(3), speeds={"f_wx": 2, "f_vy": 1}, samples=201)
    assert np.diff(run.energy.total).max() < 1e-8
    heights = Rotation.from_quat(np.roll(run.q[-1, :4], -1)).apply(solid.points)[:, 2] + run.q[-1, 6]
    lowest = np.flatnonzero(np.abs(heights) < 1e-12)
    assert any({*lowest} == {*loop} for loop in solid.loops)
    assert heights.min() > -1e-12
    standing = e.simulate(1000, start=dict(zip(e.coordinates, run.q[-1], strict=True)), samples=11)
    assert not np.ptp(standing.q, axis=0).any()


@pytest.mark.parametrize("on", ["plane", pytest.param("box", marks=pytest.mark.trial)])
def test_a_cube_as_a_hull_and_as_a_box_have_the_same_impacts(on: str) -> None:
    start, tight = {"f_e0": 0.9, "f_e1": 0.3, "f_e2": 0.1**0.5, "f_z": 0.9}, {"rtol": 1e-12, "atol": 1e-12}
    boxes, hulls_ = [ph.Shape.box(*SMALL), ph.Shape.box(*LARGE)], [ph.Shape.hull(corners(x)) for x in (SMALL, LARGE)]
    impacts = []
    for shape, rock in (boxes, hulls_):
        rock = ph.Shape.plane() if on == "plane" else rock
        run = thrown(shape, rock).simulate(1.5, start=start, speeds={"f_vx": 0.3, "f_wx": 2}, **tight)
        changes = [change for change in run.info["contacts"].changes if change.impulses is not None][:5]
        impacts.append([[change.t, *change.after] for change in changes])
    np.testing.assert_allclose(*impacts, atol=1e-9)


@pytest.mark.parametrize("seed", seeds((3, 7, 11, 14, 19), of=20))
def test_hulls_that_are_dropped_on_each_other_gain_no_energy_and_do_not_overlap(seed: int) -> None:
    """The overlap is the depth that coal finds."""
    rng, points = np.random.default_rng(seed), (TETRAHEDRON, STONE)[seed % 2]
    e = thrown(ph.Shape.hull(points), ph.Shape.box(*LARGE))
    start = turned(seed, f_x=rng.uniform(-0.5, 0.5), f_y=rng.uniform(-0.4, 0.4))
    speeds = dict(zip(e.speeds, rng.normal(size=6) * [3, 3, 3, 0.5, 0.5, 0.5], strict=True))
    laws, tight = {"mu": rng.uniform(0, 1), "e": rng.choice([0, 0.3, 0.6])}, {"rtol": 1e-11, "atol": 1e-11}
    run = e.simulate(2, start=start, speeds=speeds, parameters=laws, samples=101, until=e.q[6] + 1, **tight)
    assert np.diff(run.energy.total).max() < 1e-9
    turns = Rotation.from_quat(np.roll(run.q[:, :4], -1, axis=1)).as_matrix()
    apart = distances(points, corners(LARGE), turns[::5], run.q[::5, 4:7])
    assert min(apart) > -1e-9
    assert run["f_z"][-1] < -0.9 or run.status == "done"


def distances(a: np.ndarray, b: np.ndarray, turns: np.ndarray, places: np.ndarray) -> list[float]:
    """The distance of two hulls by coal, negative where they overlap."""
    coal = pytest.importorskip("coal")
    made = []
    for each in (a, b):
        solid, points, triangles = hull_of(each), coal.StdVec_Vec3s(), coal.StdVec_Triangle()
        for point in solid.points:
            points.append(point)
        for triangle in solid.triangles.tolist():
            triangles.append(coal.Triangle(*triangle))
        made.append(coal.Convex(points, triangles))
    request = coal.DistanceRequest()
    request.gjk_tolerance, request.epa_tolerance = 1e-12, 1e-12
    still = coal.Transform3s.Identity()
    return [
        coal.distance(made[0], coal.Transform3s(R, p), made[1], still, request, coal.DistanceResult())
        for R, p in zip(turns, places, strict=True)
    ]


@pytest.mark.parametrize("b", [TETRAHEDRON, corners(LARGE)], ids=["tetrahedron", "box"])
def test_what_touches_is_where_coal_finds_no_distance(b: np.ndarray) -> None:
    """Just apart no gap is closed inside of its margin, just overlapped one is, and its gap is the depth."""
    x = symbols([f"x{k}" for k in range(12)], "position")
    X = Pose(Matrix([x[:3], x[3:6], x[6:9]]), Vector(x[9:]))
    touches = hulls(ph.Shape.hull(STONE), ph.Shape.hull(b), X)
    forms = [value for touch in touches for value in (touch.gap, touch.margin)]
    rng, kinds = np.random.default_rng(2), set()
    for _ in range(20):
        R, way, low, high = Rotation.random(random_state=rng).as_matrix(), rng.normal(size=3), 0.0, 3.0
        for _ in range(50):
            middle = (low + high) / 2
            is_apart = distances(STONE, b, R[None], [middle * way])[0] > 0
            low, high = (low, middle) if is_apart else (middle, high)
        for off in (-1e-5, 1e-5, 1e-2):
            p = (high + off) * way
            gaps, margins = np.reshape(evaluate(forms, dict(zip(x, [*R.ravel(), *p], strict=True))), (-1, 2)).T
            if off > 0:
                assert np.maximum(gaps, -margins).min() > 0
                continue
            off_by = np.where(margins > 0, np.abs(gaps - distances(STONE, b, R[None], [p])[0]), 1)
            kinds.add(touches[int(off_by.argmin())].part.split()[0])
            assert off_by.min() < 1e-7
    assert kinds == {"vertex", "other", "edges"}


@pytest.mark.parametrize("make", [lambda edges: ph.Shape.box(*edges), lambda edges: ph.Shape.hull(corners(edges))])
@pytest.mark.parametrize("seed", range(4))
def test_what_starts_deep_in_another_is_refused_with_the_depth_of_coal(make: Any, seed: int) -> None:
    e, rng = thrown(make(SMALL), make(LARGE)), np.random.default_rng(seed)
    turn = Rotation.random(random_state=rng) if seed else Rotation.identity()
    x, y, z = place = rng.uniform(-0.1, 0.1, 3) * bool(seed)
    start = dict(zip(("f_e1", "f_e2", "f_e3", "f_e0"), turn.as_quat(), strict=True))
    depth = -distances(corners(SMALL), corners(LARGE), turn.as_matrix()[None], [place])[0]
    with pytest.raises(ph.PolhodeError, match=f"overlaps by {depth:.6g}"):
        e.simulate(1, start=start | {"f_x": x, "f_y": y, "f_z": z})


def test_balls_and_points_touch_hulls_where_they_touch_boxes() -> None:
    for shape in (ph.Shape.sphere(0.1), None):
        runs = []
        for rock in (ph.Shape.box(*LARGE), ph.Shape.hull(corners(LARGE))):
            e = thrown(shape, rock)
            for x in (0.2, 0.49, 0.55):
                run = e.simulate(0.5, start={"f_z": 0.6, "f_x": x, "f_y": 0.1}, speeds={"f_vx": 0.1})
                runs.append(run.q[-1])
        np.testing.assert_allclose(runs[:3], runs[3:], atol=1e-9)


AXES, AXIS, RADIUS = np.array((0.1, 0.15, 0.2)), 0.2 * np.array([(0, 0, -1), (0, 0, 1)]), 0.05
ROUND = {"capsule": ph.Shape.capsule(RADIUS, 0.4), "ellipsoid": ph.Shape.ellipsoid(*AXES)}


def distance_to(kind: str, points: np.ndarray, R: np.ndarray, place: np.ndarray) -> float:
    """The distance of a capsule from a hull; of an ellipsoid that of a ball, in the metric in which it is a small one.

    The nearest points are combinations of vertices with factors that are not negative and sum to 1.
    """
    metric, own = (np.eye(3), AXIS) if kind == "capsule" else (R / AXES * min(AXES) @ R.T, np.zeros((1, 3)))
    both, weight = np.vstack([own @ R.T + place, -hull_of(points).points]) @ metric, 1e5
    is_own = np.arange(len(both)) < len(own)
    rows = np.vstack([both.T, weight * is_own, weight * ~is_own])
    factors, _ = nnls(rows, np.array([0, 0, 0, weight, weight]), maxiter=10_000)
    return float(np.linalg.norm(factors @ both)) - (RADIUS if kind == "capsule" else min(AXES))


@pytest.mark.parametrize("points", [STONE, TETRAHEDRON, corners(LARGE)], ids=["stone", "tetrahedron", "box"])
@pytest.mark.parametrize("kind", ROUND)
def test_what_is_round_touches_hulls_where_it_is_nearest(kind: str, points: np.ndarray) -> None:
    """Of a capsule the gap is the distance, of an ellipsoid where they touch."""
    x = symbols([f"x{k}" for k in range(12)], "position")
    X = Pose(Matrix([x[:3], x[3:6], x[6:9]]), Vector(x[9:]))
    own, rock = Surface("own", "a", shape=ROUND[kind]), Surface("rock", "b", shape=ph.Shape.hull(points))
    found = touches(own, rock, X) + crossings(own, rock, X)
    found += touches(rock, own, X.inverse()) if kind == "capsule" else []
    forms = [as_expr(value) for each in found for value in (each.gap, 1 if each.margin is None else each.margin)]
    rng, parts = np.random.default_rng(3), set()
    for _ in range(30):
        R, way, low, high = Rotation.random(random_state=rng).as_matrix(), rng.normal(size=3), 0.0, 3.0
        for _ in range(50):
            middle = (low + high) / 2
            low, high = (low, middle) if distance_to(kind, points, R, middle * way) > 0 else (middle, high)
        for off in (0.0, 0.01, 0.1) if kind == "capsule" else (0.0,):
            place = (high + off) * way
            gaps, margins = np.reshape(evaluate(forms, dict(zip(x, [*R.ravel(), *place], strict=True))), (-1, 2)).T
            least = int(np.where(margins > 0, gaps, np.inf).argmin())
            parts.add(found[least].part.split(" ")[0])
            assert gaps[least] == pytest.approx(off and distance_to(kind, points, R, place), abs=1e-9)
    assert parts == ({"lower", "upper", "edges", "vertex"} if kind == "capsule" else {""})


@pytest.mark.parametrize("seed", seeds((3, 7), of=10))
@pytest.mark.parametrize("kind", ROUND)
def test_what_is_round_and_dropped_on_a_hull_gains_no_energy_and_stays_out(kind: str, seed: int) -> None:
    rng, e = np.random.default_rng(seed), thrown(ROUND[kind], ph.Shape.hull(corners(LARGE)))
    start = turned(seed, f_x=rng.uniform(-0.5, 0.5), f_y=rng.uniform(-0.4, 0.4))
    tight = {"rtol": 1e-11, "atol": 1e-11}
    run = e.simulate(1.5, start=start, speeds={"f_wx": 2.0}, samples=61, until=e.q[6] + 1, **tight)
    assert np.diff(run.energy.total).max() < 1e-8
    turns = Rotation.from_quat(np.roll(run.q[:, :4], -1, axis=1)).as_matrix()
    apart = [distance_to(kind, corners(LARGE), R, p) for R, p in zip(turns, run.q[:, 4:7], strict=True)]
    assert -1e-9 < min(apart) < 1e-3


@pytest.mark.parametrize("kind", ROUND)
def test_what_is_round_and_lies_on_a_face_of_a_hull_stays_there(kind: str) -> None:
    half = 0.5**0.5
    start = {"f_e0": half, "f_e1": half, "f_z": 0.25 + (RADIUS if kind == "capsule" else AXES[1])}
    if kind == "ellipsoid":  # on its flattest side
        start = {"f_e0": half, "f_e2": half, "f_z": 0.25 + AXES[0]}
    run = thrown(ROUND[kind], ph.Shape.hull(corners(LARGE))).simulate(10, start=start, samples=11)
    assert np.ptp(run.q, axis=0).max() < 1e-9
    assert run.contact("touch").normal.reshape(11, -1).sum(axis=1) == pytest.approx(9.81, abs=1e-9)


def brick(folder: Path) -> None:
    """A file of a brick, with two of its sides."""
    points = "".join(f"v {x} {y} {z}\n" for x, y, z in corners(SMALL))
    (folder / "brick.obj").write_text(f"{points}f 1 2 3\nf 2 4 3\nf 5 6 7\nf 6 8 7\n")


def test_meshes_of_mjcf_files_fall_on_their_hulls(tmp_path: Path) -> None:
    brick(tmp_path)
    path = tmp_path / "fall.xml"
    path.write_text(
        """<mujoco><asset><mesh name="brick" file="brick.obj"/>
        <mesh name="tip" vertex=".1 .1 .1 .1 -.1 -.1 -.1 .1 -.1 -.1 -.1 .1"/></asset><worldbody>
        <body name="brick"><freejoint/><inertial pos="0 0 0" mass="1" diaginertia=".01 .01 .01"/>
        <geom type="mesh" mesh="brick"/></body><body name="tip"><freejoint/><geom type="mesh" mesh="tip"/></body>
        </worldbody></mujoco>"""
    )
    s = ph.load(path, contacts=True)
    assert [len(s.surfaces[each.a.name].shape.size) for each in s.contacts.values()] == [24, 12]
    e = s.derive()
    run = e.simulate(1, start={"brick free_z": 0.5, "tip free_z": 0.5, "tip free_x": 2})
    assert run["brick free_z"][-1] == pytest.approx(0.1, abs=1e-9)
    assert run["tip free_z"][-1] == pytest.approx(0.1, abs=1e-8)  # vertices in single precision


def test_meshes_of_urdf_and_model_files_are_hulls(tmp_path: Path) -> None:
    """In a URDF file without a question, in a model file where it says so; both are written as their vertices."""
    brick(tmp_path)
    robot, model = tmp_path / "brick.urdf", tmp_path / "brick.yaml"
    robot.write_text(
        """<robot name="brick"><link name="brick"><inertial><mass value="1"/>
        <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial><collision><geometry>
        <mesh filename="brick.obj" scale="1 1 2"/></geometry></collision></link></robot>"""
    )
    run = ph.load(robot, base="floating", contacts=True).derive().simulate(1, start={"root_joint_z": 0.5})
    assert run["root_joint_z"][-1] == pytest.approx(0.2, abs=1e-12)
    model.write_text(
        """polhode: 1
surfaces:
  brick: {body: ground, shape: {type: mesh, file: brick.obj, hull: true}}
"""
    )
    shape = ph.load(model).surfaces["brick"].shape
    assert np.sort(np.reshape(shape.size, (-1, 3)).astype(float), 0).tolist() == np.sort(corners(SMALL), 0).tolist()
    again = loads_yaml(dumps_yaml(ph.load(model))).surfaces["brick"].shape
    assert (again.kind, again.size) == ("hull", shape.size)
    model.write_text(model.read_text().replace(", hull: true", ""))
    with pytest.raises(ph.PolhodeError, match="the mesh is not closed"):
        ph.load(model)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: ph.Shape.hull([(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)]), "no volume"),
        (lambda: ph.Shape.hull([(0, 0), (1, 1)]), "not a list of points"),
        (lambda: ph.Shape.hull(STONE, most=3), "at least 4"),
        (lambda: ph.Shape.mesh((np.eye(3), [(0, 1, 2)])), "not closed: 3 sides"),
        (lambda: ph.Shape.mesh((np.eye(3), [(0, 1, 9)])), "not a mesh"),
        (lambda: ph.Shape.mesh("nowhere.stl"), "cannot be read"),
        (lambda: ph.Shape.mesh(dented()), "not convex"),
        (lambda: thrown(ph.Shape("mesh", (1, 1, 1), file="a.stl"), ph.Shape.plane()), "is drawn, and does not touch"),
        (lambda: thrown(ph.Shape.hull(STONE), ph.Shape.cylinder(1, 1)), "no contact of a hull and a cylinder"),
        (lambda: thrown(ph.Shape.hull(ball(300)), ph.Shape.plane()), "300 vertices, more than 256"),
        (lambda: thrown(ph.Shape.hull(ball(50)), ph.Shape.box(1, 1, 1)), "pairs of edges"),
        (lambda: thrown(ph.Shape.hull(STONE), ph.Shape.box(*LARGE)).simulate(1), "overlaps by"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_with_a_sentence(make: Any, words: str) -> None:
    with pytest.raises(ph.PolhodeError, match=words):
        make()


def dented() -> tuple[np.ndarray, np.ndarray]:
    """An octahedron with one vertex pushed in."""
    points = OCTAHEDRON.copy()
    points[2] = 0, 0, -0.05
    return points, hull_of(OCTAHEDRON).triangles


def ball(count: int) -> np.ndarray:
    points = np.random.default_rng(0).normal(size=(count, 3))
    return points / np.linalg.norm(points, axis=1)[:, None]


@pytest.mark.parametrize("speed", [1.0, 3.0])
def test_a_point_that_slides_over_an_edge_of_a_hull_keeps_its_speed(speed: float) -> None:
    s = ph.System("edge")
    point = s.body("b", 1)
    plane = ph.Compound(ph.Prismatic("x"), ph.Prismatic("z"))
    s.joint("p", s.ground, point, plane, coordinates=["x", "z"], speeds=["vx", "vz"])
    cube = ph.Shape.hull([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    s.contact("c", point, s.surface("t", s.ground, cube), friction=0)
    run = s.derive().simulate(0.3, start={"x": 0.9, "z": 1}, speeds={"vx": speed})
    fall = 0.3 - 0.1 / speed
    assert run.x[-1] == pytest.approx([0.9 + 0.3 * speed, 1 - 9.81 * fall**2 / 2, speed, -9.81 * fall], abs=1e-8)


@pytest.mark.parametrize(
    ("a", "b"), [(ph.Shape.box(*SMALL), ph.Shape.box(*LARGE)), (ph.Shape.hull(TETRAHEDRON), ph.Shape.box(*LARGE))]
)
def test_gaps_change_with_the_velocities_of_what_touches(a: ph.Shape, b: ph.Shape) -> None:
    """At nearly all samples of a flight; at a few another vertex or edge of a class becomes the candidate."""
    spin = {"f_wx": 2, "f_wy": -1, "f_wz": 3, "f_vx": 1, "f_vy": 0.5}
    run = thrown(a, b).simulate(0.05, start=turned(3), speeds=spin, samples=801, rtol=1e-11, atol=1e-11)
    forces = run._contact_forces
    along = forces.velocities[:, [forces.rows_of(k).start for k in range(forces.count)]]
    rates = np.gradient(forces.gaps, run.t, axis=0)
    compared = (np.abs(rates) > 1e-9)[1:-1]  # the gap of edges that touch nowhere is constant
    off = np.where(compared, np.abs(rates - along)[1:-1], 0)
    assert np.quantile(off, 0.97, axis=0).max() < 1e-4
    assert (compared.mean(axis=0) > 0.9).sum() > forces.count / 2


#: Shapes, turn in degrees and place: apart by 0.2 and 0.1 m, and tip on tip, where separations of several faces are
#: the same by symmetry.
APART = {
    "beams": (ph.Shape.box(1, 0.1, 0.1), ("xy", [45, 30]), (0, 0.3207106781186548, 0)),
    "plates": (ph.Shape.box(1, 1, 0.01), ("zy", [45, 30]), (0.7186602540378445, 0, 0)),
    "octahedra": (ph.Shape.hull(OCTAHEDRON / 2), ("z", [23]), (0.1 + 0.1 * np.cos(np.radians(23)), 0, 0)),
}


@pytest.mark.parametrize("name", APART)
def test_what_is_apart_along_two_faces_alike_is_not_refused(name: str) -> None:
    shape, turn, place = APART[name]
    x, y, z, w = Rotation.from_euler(*turn, degrees=True).as_quat()
    start = dict(zip(("f_e0", "f_e1", "f_e2", "f_e3", "f_x", "f_y", "f_z"), (w, x, y, z, *place), strict=True))
    assert thrown(shape, shape).simulate(1e-6, start=start).status == "done"


def test_the_depth_of_an_overlap_is_told_and_a_start_near_it() -> None:
    """Equal cubes whose edges overlap by 1.05e-8."""
    cube, places = ph.Shape.box(0.1, 0.1, 0.1), ("f_e0", "f_e1", "f_e2", "f_e3", "f_x", "f_y", "f_z")
    given = (-0.88458969592788, -0.28450270157122465, 0.29741590092395187, -0.2193241084205969,
             0.11329012616027467, 0.08347395625485163, -0.012685884410632424)  # fmt: skip
    start = dict(zip(places, given, strict=True))
    with pytest.raises(ph.PolhodeError, match=r"overlaps by 1.05e-08") as refused:
        thrown(cube, cube).simulate(0.1, start=start)
    found = ast.literal_eval(str(refused.value).split("start=")[1].split("}")[0] + "}")
    assert max(abs(found[name] - start[name]) for name in found) < 1e-6
