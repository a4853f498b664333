"""Contact. First, scenes whose end is known in closed form: the distance of the last position of a body's centre from
it, over the processor time of a run. Ours is the whole call of `simulate` by default, with code compiled before; the
peers are timed in their steps, MuJoCo and Drake in native code, PyBullet step by step from Python. MuJoCo has three
settings: its defaults, whose pyramids hold |f_x| + |f_y| ≤ μ N and let the block go on, `cone="elliptic"`, and that
with `impratio` 100 and five iterations against slip, the best of six for the box that stands. No restitution: the
damping of a spring stands for it, with the stiffness that was best over the three steps, of six that were tried with
three integrators; errors scatter with the stiffness, the least of all 54 was 2.4e-4 m. PyBullet has one setting (200
iterations, no damping, no threshold of restitution), Drake two solvers and no restitution; no others were tried. Then
the forces of free bodies that touch at random points, G and the loads given, beside Pinocchio's ADMM with `solve_ncp`:
cold from zero, or warm from the forces before loads have changed by 1 %. These are one problem of each size; of
a hundred others with 30 contacts of 10 bodies the median of ours was 0.8 ms cold and 0.1 ms warm, the longest 3.4 and
0.8 ms; of a hundred of 5 bodies, whose forces are not unique, 2.0 and 0.5 ms, the longest 12 and 3 ms, 23 above 3 ms
cold, and one was not solved. The note has how far velocities along rows are apart, relative to the largest.
"""

import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib.util import find_spec
from itertools import cycle
from typing import Any

import numpy as np

from polhode.ode.unilateral.forces import ConeMemory

from ..harness import Row, Say, duration, least_times, measure, timing
from ..scenes import Floats, Scene, across, backspin, bounce, standing

PEERS = ("mujoco", "pybullet", "drake", "pin")
_HEADINGS = "scene", "engine", "setting", "error, m", "processor time"
_FRICTION = 0.5
_MUJOCO = {
    "MuJoCo": "",
    "MuJoCo, elliptic": 'cone="elliptic"',
    "MuJoCo, elliptic, no slip": 'cone="elliptic" impratio="100" noslip_iterations="5"',
}
#: Contacts, bodies, the seed of a problem, and the most seconds of a warm and of a cold solution. With the seed 30 five
#: bodies have two solutions, of which ours takes 3.8 ms cold and Pinocchio's is the other.
_PROBLEMS = ((3, 1, 3, 1e-5, None), (30, 10, 30, 5e-4, 3e-3), (30, 5, 35, 5e-4, 3e-3))


def rows(quick: bool, say: Say) -> Iterator[Row]:
    """Scenes, then one-step problems."""
    for make in (standing, backspin, across, bounce):
        scene = make()
        say(scene.name)
        yield from _curves(scene, quick)
    for problem in _PROBLEMS:
        say(f"{problem[0]} contacts of {problem[1]} bodies")
        yield from _forces(*problem, quick)


def _curves(scene: Scene, quick: bool) -> Iterator[Row]:
    """Error over time, ours at tolerances and the peers at steps."""
    runs: dict[tuple[str, str], Callable[[], Floats]] = {
        ("polhode", f"rtol {rtol:g}"): partial(scene.ours, rtol) for rtol in (1e-4, 1e-7, 1e-10)
    }
    for (engine, make), steps in _peers(scene).items():
        for step in steps[:1] if quick else steps:
            runs[engine, f"step {step:g} s"] = make(scene, step)
    errors = {key: scene.error(run()) for key, run in runs.items()}
    names = {", ".join(key): key for key in runs}
    times = least_times({name: measure(runs[key]) for name, key in names.items()}, 1 if quick else 5)
    for name, key in names.items():
        yield Row(_HEADINGS, (scene.name, *key, f"{errors[key]:.1e}" if errors[key] else "0", duration(times[name])))


def _peers(scene: Scene) -> Mapping[tuple[str, Any], tuple[float, ...]]:
    """Engines that are installed, and their steps."""
    made: dict[tuple[str, Any], tuple[float, ...]] = {}
    if find_spec("mujoco"):
        from ..peers import mujoco

        for name, options in _MUJOCO.items() if scene.friction else [("MuJoCo", "")]:
            made[name, partial(mujoco.Touching, options=options)] = (2e-3, 5e-4, 1e-4)
    if find_spec("pybullet"):
        from ..peers import pybullet

        made["PyBullet", pybullet.Touching] = (1 / 240, 1e-3, 1e-4)
    if find_spec("pydrake") and not scene.restitution:
        from ..peers import drake

        made["Drake, SAP", partial(drake.Touching, approximation="Sap")] = (2e-3, 5e-4)
        made["Drake, lagged", partial(drake.Touching, approximation="Lagged")] = (2e-3, 5e-4)
    return made


def _forces(contacts: int, bodies: int, seed: int, warm: float, cold: float | None, quick: bool) -> Iterator[Row]:
    """Times of the forces of bodies that touch, beside Pinocchio's."""
    from ..peers.pinocchio import Cones

    rng = np.random.default_rng(seed)
    matrix, loads = random_contacts(rng, bodies, contacts)
    ours, theirs = ConeMemory([(1, 2)] * contacts), Cones(matrix, _FRICTION)
    ours.matrix[:], ours.friction[:] = matrix, _FRICTION
    permuted = [each[theirs.order] for each in loads]

    def solve(load: Floats, is_warm: bool) -> None:
        if not is_warm:
            ours.force[:] = 0.0
        ours.free[:] = load
        if not ours.solve():
            warnings.warn("a cone problem was not solved", stacklevel=2)

    gaps = []
    for load, other in zip(loads, permuted, strict=True):
        solve(load, False)
        velocity = matrix[np.ix_(theirs.order, theirs.order)] @ theirs.solve(other, False) + other
        gaps.append(np.abs(velocity - ours.velocity[theirs.order]).max() / np.abs(load).max())
    for what, is_warm, most in (("cold", False, cold), ("warm", True, warm)):
        turns, others = cycle(loads), cycle(permuted)
        mine = partial(_next, solve, turns, is_warm)
        its = partial(_next, theirs.solve, others, is_warm)
        measures = {"ours": measure(mine, calls=3000 // contacts, sweep=False), "theirs": measure(its, calls=20)}
        least, note = least_times(measures, 3 if quick else 20), f"velocities agree to {max(gaps):.0e}"
        peer = "Pinocchio ADMM to 1e-8"
        case = f"{contacts} contacts of {'a body' if bodies == 1 else f'{bodies} bodies'}"
        yield timing(case, what, least["ours"], peer, least["theirs"], most_seconds=most, note=note)


def _next(solve: Callable[[Floats, bool], Any], loads: Iterator[Floats], is_warm: bool) -> None:
    solve(next(loads), is_warm)


def random_contacts(rng: np.random.Generator, bodies: int, contacts: int) -> tuple[Floats, list[Floats]]:
    """G of free bodies that touch the ground and each other, and velocities without forces, which differ by 1 %."""
    masses = rng.uniform(0.5, 2, bodies)
    inverse = np.concatenate([[*3 * (1 / m,), *1 / (m * rng.uniform(0.02, 0.2, 3))] for m in masses])
    rows = np.zeros((3 * contacts, 6 * bodies))
    for k in range(contacts):
        one, other = k % bodies, rng.integers(-1, bodies)
        normal = np.array([0.0, 0.0, 1.0]) + 0.3 * rng.standard_normal(3)
        frame = np.linalg.qr(np.column_stack([normal, rng.standard_normal((3, 2))]))[0].T
        frame[0] *= np.sign(frame[0] @ normal)
        for body, side in ((one, 1.0), (other, -1.0)):
            if side > 0 or (body >= 0 and body != one):
                x, y, z = rng.uniform(-0.5, 0.5, 3)
                turn = np.array([[0, z, -y], [-z, 0, x], [y, -x, 0]])
                rows[3 * k : 3 * k + 3, 6 * body : 6 * body + 6] += side * frame @ np.hstack([np.eye(3), turn])
    free = rng.standard_normal(6 * bodies)
    free[2::6] -= 9.81
    other = free * (1 + 0.01 * rng.standard_normal(len(free)))
    return (rows * inverse) @ rows.T, [rows @ free, rows @ other]
