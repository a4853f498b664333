"""Gaps and velocities of every pair of shapes, against distances by search and velocities of points of the bodies."""

from collections.abc import Callable
from functools import cache
from itertools import product

import numpy as np
import pytest
from scipy.optimize import brentq, linprog, lsq_linear, minimize, minimize_scalar, nnls
from scipy.spatial.transform import Rotation
from tests.seeds import seeds

import polhode as ph
from polhode.constraints.unilateral import UnilateralRows, unilateral_rows
from polhode.expr import Expr, directional, evaluate
from polhode.expr.evaluation import Evaluator
from polhode.kinematics.motion import flow
from polhode.kinematics.tree import build_tree
from polhode.model.constraints.pairs import PAIRS

R, L, EDGES, HOLLOW, HALF = 0.3, 0.8, (0.5, 0.7, 0.9), 3.0, (0.2, 0.3, 0.5)
HULL = np.array([(0.5, 0.1, 0), (-0.4, 0, 0.2), (0, 0.6, 0.1), (0.1, -0.5, 0), (0, 0.1, 0.7), (0.2, 0, -0.4)])
SHAPES = {
    "plane": ph.Shape.plane("z"), "sphere": ph.Shape.sphere(R), "hollow": ph.Shape.sphere(-HOLLOW),
    "capsule": ph.Shape.capsule(R, L), "box": ph.Shape.box(*EDGES), "disc": ph.Shape.disc(R),
    "ellipsoid": ph.Shape.ellipsoid(*HALF), "hull": ph.Shape.hull(HULL),
    "cylinder": ph.Shape.cylinder(R, L), "curve": ph.Shape.curve(lambda x: ph.sin(x) / 10),
    "heights": ph.Shape.heights(lambda x, y: ph.sin(x) / 10 + ph.cos(2 * y) / 10),
}  # fmt: skip
EVERY = [(a, b) for a, surfaces in PAIRS.items() for b in surfaces]
BUMPY = ("curve", "heights")
#: Judged in tests/contact.
ELSEWHERE = [("ellipsoid", kind) for kind in ("box", "capsule", "ellipsoid", "hull")]
#: Below, by lines along which one approaches the other.
APPROACHING = [pair for kind in ("cylinder", "disc") for pair in ((kind, "box"), ("box", kind))]
#: In tests/contact/test_hulls.py.
HULLS = [("hull", "box"), ("hull", "hull"), ("box", "box")]
#: The least part of the distance that the gap of a point is.
FARTHEST = {"box": 0.57, "cylinder": 0.7, "hull": 0.3}
#: Where the shapes sit in their bodies: position and rotation.
SEATS = {"A": ((0.2, 0.1, -0.3), [("x", 0.3), ("y", -0.8)]), "B": ((0.1, 0.2, 0.3), [("z", 0.4)])}


@cache
def mechanism(a: str, b: str) -> tuple[ph.System, UnilateralRows, list[Expr]]:
    """Two free bodies, one with each shape, in contact; the rows, and the rates of the gaps."""
    s = ph.System("two")
    for name in "AB":
        s.joint(name, s.ground, s.body(name, 1, inertia=(1, 1, 1)), ph.Free())
    (at, turns), (at_b, turns_b) = SEATS.values()
    first = s.point("A", at) if a == "point" else s.surface("a", "A", SHAPES[a], at=at, rotation=turns)
    s.contact("touch", first, s.surface("b", "B", SHAPES[b], at=at_b, rotation=turns_b), friction=0.5)
    rows = unilateral_rows(s.model(), build_tree(s.model()))
    return s, rows, directional(rows.gaps, flow(rows.tree, s.time))


class State:
    """Poses and velocities of both bodies."""

    def __init__(self, s: ph.System, rng: np.random.Generator, far: float) -> None:
        self.joints = [s.joints[name] for name in "AB"]
        self.turns = [Rotation.random(random_state=rng) for _ in "AB"]
        way = rng.normal(size=3)
        self.places = [rng.normal(size=3) for _ in "AB"]
        self.places[0] = self.places[1] + far * way / np.linalg.norm(way)
        self.speeds = rng.normal(size=(2, 6))

    def values(self) -> dict[Expr, float]:
        at: dict[Expr, float] = {}
        for joint, turn, p, u in zip(self.joints, self.turns, self.places, self.speeds, strict=True):
            x, y, z, w = turn.as_quat()
            at |= dict(zip((*joint.q, *joint.u), (w, x, y, z, *p, *u), strict=True))
        return at

    def velocity(self, k: int, point: np.ndarray) -> np.ndarray:
        """Velocity of the point of a body that is at a point of the ground."""
        w, v = self.speeds[k, :3], self.speeds[k, 3:]
        return self.turns[k].apply(v + np.cross(w, self.turns[k].inv().apply(point - self.places[k])))

    def seat(self, k: int) -> tuple[Rotation, np.ndarray]:
        """The frame of a shape in the ground."""
        at, turns = SEATS["AB"[k]]
        own = Rotation.from_matrix([[float(x) for x in row] for row in ph.rotation(*turns)])
        return self.turns[k] * own, self.places[k] + self.turns[k].apply(at)

    def seen(self, k: int, points: np.ndarray) -> np.ndarray:
        """Points of the frame of shape k in the frame of the other."""
        (own, p), (other, p_other) = self.seat(k), self.seat(1 - k)
        return other.inv().apply(own.apply(points) + p - p_other)


def distance(kind: str, p: np.ndarray) -> float:
    """From a point to the surface of a shape, by search, negative inside."""
    if kind == "plane":
        return float(p[2])
    if kind in ("sphere", "hollow"):
        return np.linalg.norm(p) - R if kind == "sphere" else HOLLOW - np.linalg.norm(p)
    if kind == "ellipsoid":  # over the directions of points of the surface
        starts = [p / HALF, *np.sign(p) * np.eye(3)]
        found = [minimize(lambda x: np.linalg.norm(HALF * x / np.linalg.norm(x) - p), x, tol=1e-14) for x in starts]
        return float(min(each.fun for each in found))
    if kind in ("cylinder", "disc"):
        return float(np.linalg.norm(np.maximum([np.hypot(*p[:2]) - R, abs(p[2]) - (kind == "cylinder") * L / 2], 0)))
    if kind == "hull":  # the nearest of the weighted means of the vertices
        weights = nnls(np.vstack([HULL.T, 1e6 * np.ones(len(HULL))]), np.append(p, 1e6))[0]
        return float(np.linalg.norm(weights @ HULL - p))
    half = np.array(EDGES) / 2 if kind == "box" else np.array([1e-12, 1e-12, L / 2])
    beyond = np.linalg.norm(lsq_linear(np.eye(3), p, (-half, half), tol=1e-14).x - p)
    inside = kind == "box" and np.all(np.abs(p) < half)
    return (np.max(np.abs(p) - half) if inside else beyond) - (R if kind == "capsule" else 0)


def searched(a: str, b: str, state: State) -> float:
    """The distance of two shapes, of a box by its vertices alone."""

    def of(kind: str, other: str, seen: Callable[[np.ndarray], np.ndarray]) -> float:
        if kind in ("point", "sphere"):
            return distance(other, seen(np.zeros(3))) - (R if kind == "sphere" else 0)
        if kind == "ellipsoid":
            starts = ([0.1, 0.2, 0.3], [-0.1, -0.2, 0.3], [0.1, -0.2, -0.3])
            found = [
                minimize(lambda x: distance(other, seen(HALF * x / np.linalg.norm(x))), x, tol=1e-14) for x in starts
            ]
            return float(min(each.fun for each in found))
        if kind == "box":
            return min(distance(other, seen(np.array(EDGES) / 2 * each)) for each in product((-1, 1), repeat=3))
        if kind == "hull":
            return min(distance(other, seen(each)) for each in HULL)
        if kind == "capsule":
            ends = [distance(other, seen(np.array([0, 0, z]))) - R for z in (-L / 2, L / 2)]
            if other == "box":
                return min(ends)
            found = minimize_scalar(
                lambda z: distance(other, seen(np.array([0, 0, z]))), (-L / 2, L / 2), (-L / 2, L / 2),
                method="bounded", options={"xatol": 1e-10},
            )  # fmt: skip
            return min(*ends, found.fun - R)
        angles, half = np.linspace(0, 2 * np.pi, 20001), L / 2 if kind == "cylinder" else 0
        rim = np.column_stack([R * np.cos(angles), R * np.sin(angles), 0 * angles])
        return min(seen(rim + np.array([0, 0, z]))[:, 2].min() for z in (-half, half))

    found = [of(a, b, lambda p: state.seen(0, p))]
    if {a, b} <= {"box", "capsule"}:
        found.append(of(b, a, lambda p: state.seen(1, p)))
    return min(found)


def at_contact(rows: UnilateralRows, k: int, state: State) -> np.ndarray:
    """Move body A until gap number k is zero; the gradient of the gap by its place, which is the normal."""
    gap = Evaluator([rows.gaps[k]])
    for _ in range(30):
        (here,) = gap(state.values())
        before, slope = state.places[0].copy(), np.zeros(3)
        for i in range(3):
            ends = []
            for step in (1e-5, -1e-5):
                state.places[0] = before + step * np.eye(3)[i]
                ends += gap(state.values())
            slope[i] = (ends[0] - ends[1]) / 2e-5
        state.places[0] = before - here * slope / slope.dot(slope)
        if abs(here) < 1e-14:
            break
    return slope


def test_every_pair_of_the_table_is_here():
    assert {kind for pair in EVERY for kind in pair} == {"point", *SHAPES}


@pytest.mark.parametrize(
    ("a", "b"), [pair for pair in EVERY if pair[1] not in BUMPY and pair not in ELSEWHERE + APPROACHING + HULLS]
)
def test_least_gap_is_the_distance(a: str, b: str):
    s, rows, _ = mechanism(a, b)
    rng = np.random.default_rng(7)
    for _ in seeds(3, of=8):
        state = State(s, rng, 0.9 if b == "hollow" else 2.5)
        gaps, truth = evaluate(rows.gaps, state.values()), searched(a, b, state)
        if {a, b} in ({"box"}, {"box", "capsule"}, {"hull", "capsule"}):
            continue  # below
        if a == "point" and b in FARTHEST:  # of a point beside an edge the gap is that to the farthest face
            assert FARTHEST[b] * truth - 1e-9 <= min(gaps) <= truth + 1e-9
        else:
            assert min(gaps) == pytest.approx(truth, abs=2e-8)


@pytest.mark.parametrize(("a", "b"), list(product(("disc", "cylinder"), BUMPY)))
def test_a_rim_is_over_heights_as_high_as_its_lowest_point(a: str, b: str):
    """By search, of rims that bend more than the heights do."""
    s, rows, _ = mechanism(a, b)
    rng, angles, count = np.random.default_rng(2), np.linspace(0, 2 * np.pi, 1001), 0
    sides = {"rim": 0.0} if a == "disc" else {"lower rim": -L / 2, "upper rim": L / 2}
    while count < 8:
        state = State(s, rng, 1.0)
        axis = state.seen(0, np.array([0, 0, 1])) - state.seen(0, np.zeros(3))
        if abs(axis[2]) > 0.9:
            continue
        count += 1
        gaps = dict(zip((group.part for _, group in rows.groups), evaluate(rows.gaps, state.values()), strict=True))
        for part, z in sides.items():

            def apart(angle: float | np.ndarray, z: float = z, state: State = state) -> np.ndarray:
                """Height over the surface and the two slopes of it, below points of the rim."""
                along = np.stack([R * np.cos(angle), R * np.sin(angle), z + 0 * angle], axis=-1)
                x, y, up = np.moveaxis(state.seen(0, along.reshape(-1, 3)), -1, 0)
                bumps = (np.cos(2 * y) / 10, -np.sin(2 * y) / 5) if b == "heights" else (0 * y, 0 * y)
                return np.array([up - np.sin(x) / 10 - bumps[0], np.cos(x) / 10, bumps[1]])

            near = angles[int(np.argmin(apart(angles)[0]))]
            least = minimize_scalar(lambda angle: apart(angle)[0, 0], bounds=(near - 0.02, near + 0.02),
                                    options={"xatol": 1e-12}).x  # fmt: skip
            high, *slopes = apart(least)[:, 0]
            assert gaps[part] == pytest.approx(high / np.hypot(1, np.hypot(*slopes)), abs=1e-7)


def overlap(state: State) -> float:
    """The radius of the largest ball inside of two boxes, negative where they are apart, by a linear program."""
    (turn, p), (turn_b, p_b) = state.seat(0), state.seat(1)
    rows, bounds = [], []
    for axes, centre in ((turn.as_matrix().T, p), (turn_b.as_matrix().T, p_b)):
        for side in (1, -1):
            rows.append(side * axes)
            bounds.append(side * axes @ centre + np.array(EDGES) / 2)
    A = np.column_stack([np.vstack(rows), np.ones(12)])
    return float(-linprog([0, 0, 0, -1], A, np.concatenate(bounds), bounds=[(None, None)] * 4).fun)


@pytest.mark.parametrize("seed", seeds(10, of=40))
def test_boxes_overlap_where_a_gap_inside_its_margin_is_negative(seed: int):
    """Along a line from apart to overlapping some gap falls to zero where a linear program has it, and none before."""
    s, rows, _ = mechanism("box", "box")
    state = State(s, np.random.default_rng(seed), 2.0)
    way = state.places[0] - state.places[1]
    centre = state.seat(1)[1] - state.seat(0)[1] + state.places[0]  # at which the centres of the boxes coincide
    both = Evaluator([*rows.gaps, *rows.margins])

    def deepest(part: float) -> float:
        state.places[0] = centre + part * way
        gaps, margins = np.split(np.array(both(state.values())), 2)
        return float(np.minimum(-gaps, margins).max())

    def truth(part: float) -> float:
        state.places[0] = centre + part * way
        return overlap(state)

    touch = brentq(truth, 0.0, 1.0, xtol=1e-13)
    assert deepest(touch + 1e-8) < 0
    assert deepest(touch - 1e-8) > 0
    for part in np.linspace(touch + 1e-6, 1, 20):
        assert deepest(part) < 0
    for part in np.linspace(0.9, 1, 10) * touch:
        assert deepest(part) > -1e-9


@pytest.mark.parametrize("other", ["box", "hull"])
@pytest.mark.parametrize("seed", seeds(4, of=10))
def test_a_capsule_overlaps_where_a_gap_inside_its_margin_is_negative(other: str, seed: int):
    s, rows, _ = mechanism("capsule", other)
    state = State(s, np.random.default_rng(seed), 2.0)
    way, centre = state.places[0] - state.places[1], state.seat(1)[1] - state.seat(0)[1] + state.places[0]

    def truth(part: float) -> float:
        state.places[0] = centre + part * way
        line = [state.seen(0, np.array([0, 0, z])) for z in (-L / 2, L / 2)]
        found = minimize_scalar(
            lambda t: distance(other, line[0] + t * (line[1] - line[0])), (0, 1), (0, 1), method="bounded",
            options={"xatol": 1e-12},
        )  # fmt: skip
        return min(found.fun, distance(other, line[0]), distance(other, line[1])) - R

    touch = brentq(truth, 0.0, 1.0, xtol=1e-13)
    depths = []
    for part in (touch - 1e-6, touch + 1e-6):
        state.places[0] = centre + part * way
        gaps, margins = (np.array(evaluate(each, state.values())) for each in (rows.gaps, rows.margins))
        depths.append(float(np.minimum(-gaps, margins).max()))
    assert depths[0] > 0 > depths[1]


@pytest.mark.parametrize(("a", "b"), [pair for pair in EVERY if pair not in APPROACHING + HULLS])
def test_velocities_are_those_of_the_points_that_touch(a: str, b: str):
    """Normal: the rate of the gap, and n·v; tangents: what is left of v."""
    s, rows, gap_rates = mechanism(a, b)
    rng = np.random.default_rng(3)
    start = np.cumsum([0, *(len(group.rates) for _, group in rows.groups)])
    for k in dict.fromkeys((0, len(rows.groups) // 2, len(rows.groups) - 1)):
        margin = rows.groups[k][1].margin
        while True:  # until it touches inside a face, where the normal does not jump
            state = State(s, rng, 0.9 if b == "hollow" else 1.5)
            normal = at_contact(rows, k, state)
            if margin is None or evaluate([margin], state.values())[0] > 0.05:
                break
        gap, rate, *rates = evaluate(
            [rows.gaps[k], gap_rates[k], *rows.velocities[start[k] : start[k + 1]]], state.values()
        )
        assert gap == pytest.approx(0, abs=1e-12)
        assert np.linalg.norm(normal) == pytest.approx(1, abs=1e-7)
        assert rates[0] == pytest.approx(rate, abs=1e-9)
        if a not in ("point", "sphere"):
            continue
        place = state.seat(0)[1] - normal * (R if a == "sphere" else 0)
        slip = state.velocity(0, place) - state.velocity(1, place)
        assert rates[0] == pytest.approx(slip.dot(normal), abs=1e-6)
        assert np.hypot(*rates[1:]) == pytest.approx(np.linalg.norm(slip - normal * slip.dot(normal)), abs=1e-6)


@pytest.mark.parametrize(("kind", "seed"), [(kind, seed) for kind in ("cylinder", "disc") for seed in seeds(12, of=60)])
def test_a_cylinder_or_disc_touches_a_box_where_coal_says_and_with_the_rate_of_its_gap(kind: str, seed: int):
    """Along a line from apart to overlapping: no gap inside its margin is negative before they touch, one is after."""
    coal = pytest.importorskip("coal")
    s, rows, gap_rates = mechanism(kind, "box")
    rng = np.random.default_rng(seed)
    state = State(s, rng, 2.0)
    if seed % 3 == 0:  # nearly along an axis of the box
        state.turns[0] = state.seat(1)[0] * Rotation.from_rotvec(0.05 * rng.normal(size=3)) * state.seat(0)[0].inv()
    way, centre = state.places[0] - state.places[1], state.seat(1)[1] - state.seat(0)[1] + state.places[0]
    solid, box = coal.Cylinder(R, L if kind == "cylinder" else 1e-12), coal.Box(*EDGES)

    request = coal.DistanceRequest()
    request.gjk_tolerance = 1e-12

    def truth(part: float) -> float:
        state.places[0] = centre + part * way
        poses = [coal.Transform3s(turn.as_matrix(), p) for turn, p in map(state.seat, (0, 1))]
        return float(coal.distance(solid, poses[0], box, poses[1], request, coal.DistanceResult()))

    margins = [0 * rows.gaps[0] + 1 if group.margin is None else group.margin for _, group in rows.groups]
    both = Evaluator([*rows.gaps, *margins])

    def depths(part: float) -> np.ndarray:
        state.places[0] = centre + part * way
        gaps, inside = np.split(np.array(both(state.values())), 2)
        return np.minimum(-gaps, inside)

    touch = brentq(truth, 0.0, 1.0, xtol=1e-13)
    assert max(depths(part).max() for part in [touch + 2e-6, *np.linspace(touch + 1e-5, 1, 10)]) < 0
    touching = depths(touch - 2e-6) > 0
    assert touching.any()
    depths(touch)
    k = int(np.argmin(np.where(touching, np.abs(evaluate(rows.gaps, state.values())), np.inf)))  # others are behind it
    first = int(np.cumsum([0, *(len(group.rates) for _, group in rows.groups)])[k])
    depths(touch)
    gap, rate, velocity = evaluate([rows.gaps[k], gap_rates[k], rows.velocities[first]], state.values())
    assert gap == pytest.approx(0, abs=1e-6)
    assert velocity == pytest.approx(rate, abs=1e-4)
