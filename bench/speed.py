"""How fast the native functions are: beside Pinocchio's C++ and MuJoCo, on the same states, in the same loop."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from polhode import Equations, System
from polhode.errors import PolhodeError

from .clock import seconds_of
from .models import chain
from .native_build import mujoco_loop, our_loop, pinocchio_loop, run_loop
from .our_loop import OurLoop
from .plain_tree import Floats, PlainTree, as_lines, as_mjcf, plain_tree, unit_quaternions
from .robots import ARMS, WALKERS
from .table import Row

SECTION = "speed"
STATES = 64
TOLERANCE = 1e-9
_PEER_OF = {
    "forward_dynamics": "Pinocchio ABA",
    "inverse_dynamics": "Pinocchio RNEA",
    "mass_matrix": "Pinocchio CRBA",
}
#: Ten times on six-joint arms was asked for.
_GOALS = {"ur5": 10.0, "6-joint arm": 10.0}


@dataclass(frozen=True)
class States:
    """Random states as our functions take them, in batches."""

    q: Floats
    u: Floats
    udot: Floats
    tau: Floats

    def of(self, function: str) -> tuple[Floats, ...]:
        """The arrays that a function takes."""
        last = {"forward_dynamics": (self.u, self.tau), "inverse_dynamics": (self.u, self.udot)}
        return (self.q, *last.get(function, ()))


def rows(quick: bool, say: Callable[[str], None]) -> list[Row]:
    """The section's table."""
    loops = {"ours": our_loop(), "pinocchio": pinocchio_loop(), "mujoco": mujoco_loop()}
    programs = {name: loop.build(say) for name, loop in loops.items()}
    robots: list[tuple[str, Callable[[], System]]] = [("6-joint arm", partial(chain, 6))]
    robots += [(robot.name, robot.system) for robot in (ARMS if quick else ARMS + WALKERS)]
    passes, seconds = (3, 0.05) if quick else (12, 0.1)
    made: list[Row] = []
    for name, system in robots:
        say(name)
        made += _rows_of(name, _robot(name, system().derive(), programs, passes, seconds))
    return made


@dataclass(frozen=True)
class Timed:
    """Least seconds of one robot's functions: ours one state at a time and in lanes, and those of each peer."""

    single: dict[str, float]
    lanes: dict[str, float]
    peers: dict[str, dict[str, float]]
    ready: float
    operations: dict[str, int]


def _robot(name: str, equations: Equations, programs: dict[str, Path], passes: int, seconds: float) -> Timed:
    """Compile, check that all engines agree, and only then measure, by turns."""
    functions = equations.compile(bake=True, cache=False)
    ready = seconds_of(lambda: [functions.native(what) for what in _PEER_OF])
    states, tree = random_states(equations), plain_tree(equations.system)
    loops = {what: OurLoop(programs["ours"], functions.native(what), states.of(what)) for what in _PEER_OF}
    chosen = ("pinocchio", "mujoco") if tree.is_fixed_base else ("pinocchio",)
    single, lanes = (dict.fromkeys(_PEER_OF, float("inf")) for _ in range(2))
    peers: dict[str, dict[str, float]] = {peer: {} for peer in chosen}
    with _prepared(tree, states) as folder:
        for peer in chosen:
            run_loop(programs[peer], folder, 0.0)
        for in_lanes in (False, True):
            _check(name, folder, tree, {what: loop.values(lanes=in_lanes) for what, loop in loops.items()})
        for _ in range(passes):
            for what, loop in loops.items():
                single[what] = min(single[what], loop.single(seconds))
                lanes[what] = min(lanes[what], loop.in_lanes(seconds))
            for peer, least in peers.items():
                for what, value in run_loop(programs[peer], folder, seconds).items():
                    least[what] = min(value, least.get(what, value))
    operations = {what: len(functions.program(what).run) for what in _PEER_OF}
    return Timed(single, lanes, peers, ready, operations)


def _rows_of(name: str, timed: Timed) -> Iterator[Row]:
    for what, peer in _PEER_OF.items():
        theirs, note = timed.peers["pinocchio"][what], f"{timed.operations[what]} operations"
        goal = _GOALS.get(name)
        yield Row(SECTION, name, what, timed.single[what], peer, theirs, least_ratio=goal, note=note)
        yield Row(SECTION, name, f"{what}, in lanes", timed.lanes[what], peer, theirs)
    if "mujoco" in timed.peers:
        what = "forward_dynamics"
        yield Row(SECTION, name, what, timed.single[what], "MuJoCo mj_forward", timed.peers["mujoco"][what])
    yield Row(SECTION, name, "plan and compile all three", timed.ready, note="no cache")


def random_states(equations: Equations, count: int = STATES, seed: int = 1) -> States:
    """States with angles and rates of order one; quaternions have length one."""
    dice = np.random.default_rng(seed)
    q = dice.uniform(-1.5, 1.5, (count, len(equations.q)))
    for first in unit_quaternions(equations.tree):
        q[:, first : first + 4] /= np.linalg.norm(q[:, first : first + 4], axis=1, keepdims=True)
    u, udot, tau = (dice.uniform(-1, 1, (count, len(equations.u))) for _ in range(3))
    return States(q, u, udot, tau)


@contextmanager
def _prepared(tree: PlainTree, states: States) -> Iterator[Path]:
    """A folder with the model and the states as the loops read them."""
    with tempfile.TemporaryDirectory(prefix="polhode-bench-") as name:
        folder = Path(name)
        folder.joinpath("tree.txt").write_text(as_lines(tree), encoding="utf-8")
        if tree.is_fixed_base:
            folder.joinpath("model.xml").write_text(as_mjcf(tree), encoding="utf-8")
        q, u = list(tree.q_order), list(tree.u_order)
        table = np.hstack([states.q[:, q], states.u[:, u], states.udot[:, u], states.tau[:, u]])
        folder.joinpath("states.bin").write_bytes(np.ascontiguousarray(table).tobytes())
        yield folder


def _check(name: str, folder: Path, tree: PlainTree, ours: dict[str, Floats]) -> None:
    """All engines give the same numbers, or nothing was compared."""
    order = list(tree.u_order)
    size = len(order)
    rest = np.fromfile(folder / "pinocchio.bin").reshape(STATES, 2 * size + size * size)
    expected = {
        "inverse_dynamics": rest[:, :size],
        "mass_matrix": rest[:, size:-size].reshape(STATES, size, size),
        "forward_dynamics": rest[:, -size:],
    }
    mine = {what: values[:, order] for what, values in ours.items() if what != "mass_matrix"}
    mine["mass_matrix"] = ours["mass_matrix"].reshape(STATES, size, size)[:, order][:, :, order]
    pairs = [(f"{_PEER_OF[what]}", mine[what], expected[what]) for what in _PEER_OF]
    if tree.is_fixed_base:
        theirs = np.fromfile(folder / "mujoco.bin").reshape(STATES, size)
        pairs.append(("MuJoCo", mine["forward_dynamics"], theirs))
    for peer, a, b in pairs:
        error = float(np.max(np.abs(a - b)) / np.max(np.abs(b)))
        if not error < TOLERANCE:
            raise PolhodeError(f"{name}: ours and {peer} differ by {error:.1e}.", code="E-BENCH-006")
