"""Random drops of bodies: every run ends, in time, without gain of energy, and nothing overlaps.

Overlap is measured beside the engine: points with a radius above the floor, axes of spheres and capsules against each
other, separating axes of boxes in a plane, and cylinders in a box by coal.

    python -m tests.trials.contact_drops --seeds 20
"""

from __future__ import annotations

import argparse
import itertools
import multiprocessing
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.spatial.transform import Rotation

import polhode as ph

#: Tolerances of runs with even and odd seeds, and gains of energy, relative to the largest, that are their errors.
TOLERANCES = (1e-9, 1e-7), (1e-11, 1e-9)
#: A depth in m that is rounding.
DEPTH = 1e-9
_SHAPES = {
    "sphere": (ph.Shape.sphere(0.1), ph.sphere(1, 0.1)),
    "capsule": (ph.Shape.capsule(0.1, 0.6), (0.03, 0.03, 0.004)),
    "box": (ph.Shape.box(0.4, 0.3, 0.2), ph.box(1, 0.4, 0.3, 0.2)),
    "plate": (ph.Shape.box(0.02, 0.1, 0.2), ph.box(1, 0.02, 0.1, 0.2)),
    "cylinder": (ph.Shape.cylinder(0.1, 0.2), (0.006, 0.006, 0.005)),
    "block": (ph.Shape.box(1, 0.8, 0.5), ph.box(1, 1, 0.8, 0.5)),
}


@dataclass
class Scene:
    """Bodies of these shapes, free or in the plane xz, on a floor or on a fixed shape, and what they start with."""

    kinds: tuple[str, ...]
    planar: bool = False
    on: str = "floor"
    dominoes: bool = False
    duration: float = 1.5

    def equations(self) -> Any:
        s = ph.System("drops")
        laws = {"friction": s.parameter("mu", 0.5), "restitution": s.parameter("e", 0)}
        shapes = {"floor": ph.Shape.plane(), "bumps": ph.Shape.curve(lambda x: ph.sin(3 * x) / 20)}
        under = s.surface("under", s.ground, shapes.get(self.on) or _SHAPES[self.on][0])
        plane = ph.Compound(ph.Prismatic("x"), ph.Prismatic("z"), ph.Revolute("y"))
        skins = []
        for k, kind in enumerate(self.kinds):
            shape, inertia = _SHAPES[kind]
            body = s.body(f"b{k}", 1, inertia=inertia)
            names = {"coordinates": [f"x{k}", f"z{k}", f"t{k}"], "speeds": [f"vx{k}", f"vz{k}", f"w{k}"]}
            s.joint(f"f{k}", s.ground, body, plane if self.planar else ph.Free(), **(names if self.planar else {}))
            turn = ("x", ph.pi / 2) if kind == "cylinder" and self.planar else None
            skins.append(s.surface(f"k{k}", body, shape, rotation=turn))
            s.contact(f"on {k}", skins[k], under, **laws)
        for a, b in itertools.combinations(range(len(skins)), 2):
            if not self.dominoes or b == a + 1:
                s.contact(f"{a} {b}", skins[a], skins[b], **laws)
        return s.derive()

    def start(self, rng: np.random.Generator) -> dict[str, Any]:
        """Start, speeds and laws."""
        start: dict[str, float] = {}
        speeds: dict[str, float] = {}
        n = len(self.kinds)
        for k in range(n):
            if self.dominoes:
                start |= {f"x{k}": 0.06 * k, f"z{k}": 0.1}
                continue
            height = (0.5 if self.on == "floor" else 0.9) + 0.75 * k
            if self.planar:
                start |= {f"x{k}": 0.05 * rng.normal(), f"z{k}": height, f"t{k}": rng.uniform(-1, 1)}
                speeds |= {f"vx{k}": rng.normal(), f"w{k}": 2 * rng.normal()}
                continue
            q = rng.normal(size=4)
            q /= np.linalg.norm(q)
            start |= {f"f{k}_x": 0.05 * rng.normal(), f"f{k}_y": 0.05 * rng.normal(), f"f{k}_z": height}
            start |= {f"f{k}_e{i}": q[i] for i in range(4)}
            speeds |= {f"f{k}_w{axis}": 3 * rng.normal() for axis in "xyz"}
        if self.dominoes:
            w = rng.uniform(1, 4)
            speeds |= {"w0": w, "vx0": 0.1 * w, "vz0": 0.01 * w}
        laws = {"mu": rng.choice([0, 0.2, 0.5, 0.9]), "e": rng.choice([0, 0.1, 0.3, 0.7])}
        return {"start": start, "speeds": speeds, "parameters": laws}

    def depth(self, q: np.ndarray) -> float:
        """The largest depth of a body in the floor or in another, in m."""
        poses = [self._pose(q, k) for k in range(len(self.kinds))]
        deepest = max(radius - points[:, 2].min() for points, radius, _ in poses) if self.on == "floor" else -1.0
        if self.on == "bumps":
            deepest = max((np.sin(3 * p[:, 0]) / 20 - p[:, 2]).max() for p, _, _ in poses)
        if self.on == "block":
            deepest = max(_depth_in_block(q[7 * k : 7 * k + 7], _SHAPES[kind][0]) for k, kind in enumerate(self.kinds))
        for (p, r, R), (p2, r2, R2) in itertools.combinations(poses, 2):
            if r and r2:
                deepest = max(deepest, r + r2 - _apart(p[0], p[-1], p2[0], p2[-1]))
            elif self.planar and not r and not r2:
                axes = np.concatenate([R.T[::2], R2.T[::2]])[:, ::2]
                one, two = p[:, [0, 2]] @ axes.T, p2[:, [0, 2]] @ axes.T
                deepest = max(deepest, float(np.minimum(one.max(0) - two.min(0), two.max(0) - one.min(0)).min()))
        return float(deepest)

    def _pose(self, q: np.ndarray, k: int) -> tuple[np.ndarray, float, np.ndarray]:
        """Points of a body, the radius around them, and the rotation."""
        kind, own = self.kinds[k], q[3 * k : 3 * k + 3] if self.planar else q[7 * k : 7 * k + 7]
        if self.planar:
            c, s = np.cos(own[2]), np.sin(own[2])
            R, p = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]), np.array([own[0], 0, own[1]])
        else:
            e0, e = own[0], own[1:4]
            cross = np.array([[0, -e[2], e[1]], [e[2], 0, -e[0]], [-e[1], e[0], 0]])
            R, p = (e0**2 - e @ e) * np.eye(3) + 2 * np.outer(e, e) + 2 * e0 * cross, own[4:]
        size = [float(each) for each in _SHAPES[kind][0].size]
        if kind == "sphere":
            points = np.zeros((1, 3))
        elif kind == "capsule":
            points = np.array([[0, 0, -size[1] / 2], [0, 0, size[1] / 2]])
        elif kind == "cylinder":
            turn = np.linspace(0, 2 * np.pi, 400)
            rim = np.stack([size[0] * np.cos(turn), size[0] * np.sin(turn), 0 * turn], axis=1)
            points = np.concatenate([rim + np.array([0, 0, end * size[1] / 2]) for end in (-1, 1)])
            points = points[:, [0, 2, 1]] if self.planar else points
        else:
            points = np.array(list(itertools.product((-0.5, 0.5), repeat=3))) * size
        return p + points @ R.T, size[0] if kind in ("sphere", "capsule") else 0.0, R


def _depth_in_block(q: np.ndarray, cylinder: ph.Shape) -> float:
    """The depth of a free cylinder in the block, by coal where it is installed."""
    try:
        import coal
    except ImportError:
        return -1.0
    pose = coal.Transform3s(Rotation.from_quat(np.roll(q[:4], -1)).as_matrix(), np.array(q[4:]))
    shapes = coal.Cylinder(*map(float, cylinder.size)), coal.Box(*map(float, _SHAPES["block"][0].size))
    still, request = coal.Transform3s.Identity(), coal.DistanceRequest()
    request.gjk_tolerance = 1e-12
    found = -float(coal.distance(shapes[0], pose, shapes[1], still, request, coal.DistanceResult()))
    return found if found < 1e300 else -1.0  # where its search fails


def _apart(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> float:
    """The distance of two segments."""

    def from_line(s: float) -> float:
        p, along = a + s * (b - a), d - c
        t = np.clip((p - c) @ along / max(along @ along, 1e-300), 0, 1)
        return float(np.linalg.norm(p - c - t * along))

    return float(minimize_scalar(from_line, bounds=(0, 1), options={"xatol": 1e-12}).fun)


SCENES = {
    "box": Scene(("box",)),
    "cylinder": Scene(("cylinder",)),
    "cylinder on block": Scene(("cylinder",), on="block"),
    "wheel on bumps": Scene(("cylinder",), on="bumps", planar=True),
    "capsule": Scene(("capsule",)),
    "ball on capsule": Scene(("sphere",), on="capsule", duration=1),
    "ball on box": Scene(("sphere",), on="box", duration=1),
    "capsules": Scene(("capsule", "capsule"), duration=2),
    "balls": Scene(("sphere", "sphere", "sphere")),
    "ball and box": Scene(("box", "sphere")),
    "planar boxes": Scene(("box", "box"), planar=True),
    "planar mixture": Scene(("box", "sphere", "capsule", "sphere"), planar=True),
    "dominoes": Scene(("plate", "plate"), planar=True, dominoes=True, duration=1.2),
    "three dominoes": Scene(("plate", "plate", "plate"), planar=True, dominoes=True, duration=1.2),
}


def judged(scene: Scene, equations: Any, seed: int) -> tuple[str, float]:
    """What is wrong with a run, in a word, or "done"; its processor time."""
    began, (rtol, gain), start = time.process_time(), TOLERANCES[seed % 2], scene.start(np.random.default_rng(seed))
    try:
        run = equations.simulate(scene.duration, **start, samples=201, rtol=rtol, atol=rtol)
        verdict = run.status
        energy = run.energy
        if np.diff(energy.total).max() > gain * max(1.0, np.abs(energy.total).max()):
            verdict = f"energy +{np.diff(energy.total).max():.1e}"
        if max(map(scene.depth, run.q)) > DEPTH:
            verdict = f"overlap {max(map(scene.depth, run.q)):.1e}"
    except ph.PolhodeError as problem:
        verdict = "stops: " + str(problem).splitlines()[0]
    except Exception as problem:
        verdict = repr(problem)
    return verdict, time.process_time() - began


def _send(out: Connection, scene: Scene, equations: Any, seed: int) -> None:
    out.send(judged(scene, equations, seed))


def trials(scene: Scene, seeds: range, limit: float) -> Iterator[tuple[int, str, float]]:
    """The verdict on each run, in a process of its own that is ended after the limit, in s."""
    equations = scene.equations()
    equations.simulate(1e-3, **scene.start(np.random.default_rng(seeds[0])))  # compiled once
    context = multiprocessing.get_context("fork")
    for seed in seeds:
        ours, theirs = context.Pipe()
        process = context.Process(target=_send, args=(theirs, scene, equations, seed))
        process.start()
        theirs.close()
        try:
            yield (seed, *ours.recv()) if ours.poll(limit) else (seed, "hangs", limit)
        except EOFError:
            yield seed, "crashes", 0.0
        process.kill()
        process.join()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--limit", type=float, default=30.0, help="seconds a run may take")
    parser.add_argument("--only", nargs="*", default=list(SCENES))
    given = parser.parse_args()
    wrong = count = 0
    for name in given.only:
        verdicts, times = Counter[str](), []
        for seed, verdict, seconds in trials(SCENES[name], range(given.first, given.first + given.seeds), given.limit):
            verdicts[verdict.split()[0]] += 1
            times.append(seconds)
            if verdict != "done":
                print(f"  {name} {seed}: {verdict} ({seconds:.2f} s)", flush=True)
        count += sum(verdicts.values())
        wrong += sum(verdicts.values()) - verdicts["done"]
        print(f"{name}: {dict(verdicts)}, {np.median(times):.2f} s, at most {max(times):.2f} s", flush=True)
    print(f"{wrong} of {count} runs are wrong")
    return int(wrong > 0)


if __name__ == "__main__":
    raise SystemExit(main())
