"""Contact. First, scenes whose end is known in closed form: the distance of the last position of a body's centre from
it, over the processor time of a run. Ours is the whole call of `simulate` by default, with code compiled before; the
peers are timed in their steps, MuJoCo and Drake in native code, PyBullet step by step from Python. MuJoCo has three
settings: its defaults, whose pyramids hold |f_x| + |f_y| ≤ μ N and let the block go on, `cone="elliptic"`, and that
with `impratio` 100 and five iterations against slip, the best of six for the box that stands. No restitution: the
damping of a spring stands for it, with the stiffness that was best over the three steps, of six that were tried with
three integrators; errors scatter with the stiffness, the least of all 54 was 2.4e-4 m. PyBullet has one setting (200
iterations, no damping, no threshold of restitution), Drake two solvers and no restitution, Siconos the scheme of Moreau
and Jean with θ = 1/2 and cones to 1e-8, by Debian's python3-siconos 4.4; no others were tried. Then
the forces of free bodies that touch at random points, G and the loads given, beside Pinocchio's ADMM with `solve_ncp`:
cold from zero, or warm from the forces before loads have changed by 1 %. These are one problem of each size; of a
hundred others with 30 contacts of 10 bodies the median of ours was 0.22 ms cold and 0.08 ms warm, the longest 1.6 and
0.2 ms; of a hundred of 5 bodies, whose forces are not unique, 0.40 and 0.21 ms, the longest 1.3 and 1.0 ms, 14 above
0.5 ms warm. The note has how far velocities along rows are apart, relative to the largest.
"""

import warnings
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from itertools import cycle
from typing import Any

import numpy as np
from tests.judges.cones import PinocchioCones, random_contacts

from polhode.ode.unilateral.forces import ConeMemory

from ..harness import Row, Say, beside, duration, least_times, measure
from ..peers import siconos
from ..scenes import SCENES, Floats, Scene

PEERS = ("mujoco", "pybullet", "drake", "pin")
_HEADINGS = "scene", "engine", "setting", "error, m", "processor time"
_FRICTION, _ADMM = 0.5, "Pinocchio ADMM to 1e-8"
_STEPS = (2e-3, 5e-4, 1e-4)
#: Engines: the file of `bench/peers`, the package, steps, an option; the second and third MuJoCo are for friction.
_ENGINES = {
    "MuJoCo": ("mujoco", "mujoco", _STEPS),
    "MuJoCo, elliptic": ("mujoco", "mujoco", _STEPS, 'cone="elliptic"'),
    "MuJoCo, elliptic, no slip": ("mujoco", "mujoco", _STEPS, 'cone="elliptic" impratio="100" noslip_iterations="5"'),
    "PyBullet": ("pybullet", "pybullet", (1 / 240, 1e-3, 1e-4)),
    "Drake, SAP": ("drake", "pydrake", _STEPS[:2], "Sap"),
    "Drake, lagged": ("drake", "pydrake", _STEPS[:2], "Lagged"),
    "Siconos": ("siconos", "siconos", _STEPS[:2]),
}
#: Contacts, bodies, the seed of a problem, and the most seconds of a warm and of a cold solution. With the seed 30 five
#: bodies have two solutions, of which ours takes 3.8 ms cold and Pinocchio's is the other.
_PROBLEMS = {
    "3 contacts of a body": (3, 1, 3, 1e-5, None),
    "30 contacts of 10 bodies": (30, 10, 30, 5e-4, 3e-3),
    "30 contacts of 5 bodies": (30, 5, 35, 5e-4, 3e-3),
}


def rows(quick: bool, say: Say) -> Iterator[Row]:
    """Scenes, then one-step problems."""
    for make in SCENES:
        scene = make()
        say(scene.name)
        yield from _curves(scene, quick)
    for name, problem in _PROBLEMS.items():
        say(name)
        yield from _forces(name, *problem, quick)


def _curves(scene: Scene, quick: bool) -> Iterator[Row]:
    """Error over time, ours at tolerances and the engines that are installed at steps."""
    runs: dict[str, Callable[[], Floats]] = {f"polhode|rtol {r:g}": partial(scene.ours, r) for r in (1e-4, 1e-7, 1e-10)}
    for engine, (file, package, steps, *option) in _ENGINES.items():
        fits = scene.friction or not option if file == "mujoco" else not scene.restitution or file != "drake"
        if fits and (siconos.is_installed() if file == "siconos" else find_spec(package)):
            touching = import_module(f"...peers.{file}", __name__).Touching
            runs |= {f"{engine}|step {h:g} s": touching(scene, h, *option) for h in (steps[:1] if quick else steps)}
    errors = {name: scene.error(run()) for name, run in runs.items()}
    measures = {name: getattr(run, "measure", None) or measure(run) for name, run in runs.items()}
    times = least_times(measures, 1 if quick else 5)
    for name, error in errors.items():
        cells = scene.name, *name.split("|"), f"{error:.1e}" if error else "0", duration(times[name])
        yield Row(_HEADINGS, cells)


def _forces(
    name: str, contacts: int, bodies: int, seed: int, warm: float, cold: float | None, quick: bool
) -> Iterator[Row]:
    """Times of the forces of bodies that touch the ground and each other, beside Pinocchio's."""
    matrix, loads = random_contacts(np.random.default_rng(seed), bodies, contacts)
    ours, theirs = ConeMemory([(1, 2)] * contacts), PinocchioCones(matrix, _FRICTION)
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
        gaps.append(np.abs(theirs.velocities(other) - ours.velocity[theirs.order]).max() / np.abs(load).max())
    note = f"velocities agree to {max(gaps):.0e}"
    for what, is_warm, most in (("cold", False, cold), ("warm", True, warm)):
        mine, its = partial(_next, solve, cycle(loads), is_warm), partial(_next, theirs.solve, cycle(permuted), is_warm)
        both = measure(mine, calls=3000 // contacts, sweep=False), _ADMM, measure(its, calls=20)
        yield beside(name, what, *both, 3 if quick else 20, most_seconds=most, note=note)


def _next(solve: Callable[[Floats, bool], Any], loads: Iterator[Floats], is_warm: bool) -> None:
    solve(next(loads), is_warm)
