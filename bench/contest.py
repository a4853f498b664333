"""Ours and the peers on the same states of one mechanism: first that all give the same numbers, then how fast."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from polhode import Equations
from polhode.errors import PolhodeError

from .native_build import run_loop
from .our_loop import OurLoop
from .plain_tree import Floats, PlainTree, as_lines, as_mjcf, plain_tree, unit_quaternions

STATES = 64
#: How far values may be apart, relative to the largest of the function.
TOLERANCES = {"forward_dynamics_derivatives": 1e-8, "inverse_dynamics_derivatives": 1e-8}
_TOLERANCE = 1e-9


@dataclass(frozen=True)
class States:
    """Random states as our functions take them, in batches."""

    q: Floats
    u: Floats
    udot: Floats
    tau: Floats

    def of(self, arrays: Sequence[str]) -> tuple[Floats, ...]:
        """The arrays that a function takes, by name."""
        return tuple(getattr(self, name) for name in arrays)


@dataclass(frozen=True)
class Timed:
    """Least seconds by function: ours one state at a time and in lanes, and those of each peer."""

    single: dict[str, float]
    lanes: dict[str, float]
    peers: dict[str, dict[str, float]]


@dataclass(frozen=True)
class Contest:
    """Who takes part, in which functions, and for how long; `in_lanes` names the functions measured in lanes too.

    The judge is the peer that has all the functions; `files` are what it finds, by name, beside the model.
    """

    programs: Mapping[str, Path]
    functions: tuple[str, ...]
    in_lanes: tuple[str, ...]
    passes: int
    seconds: float
    judge: str = "pinocchio"
    files: Mapping[str, Path] = field(default_factory=dict)

    def of(self, equations: Equations, compiled: Mapping[str, Any]) -> Timed:
        """Check that all engines agree, and only then measure, by turns."""
        states, tree = random_states(equations), plain_tree(equations.system)
        loops = {
            what: OurLoop(self.programs["ours"], compiled[what], states.of(compiled[what].arrays))
            for what in self.functions
        }
        asked = {self.judge: self.functions}
        if "mujoco" in self.programs and tree.is_fixed_base:
            asked["mujoco"] = ()
        least = Timed({}, {}, {peer: {} for peer in asked})
        with _prepared(tree, states, mjcf="mujoco" in asked) as folder:
            for name, file in self.files.items():
                (folder / name).symlink_to(file)
            for peer, functions in asked.items():
                run_loop(self.programs[peer], folder, 0.0, functions)
            theirs = _their_values(folder / f"{self.judge}.bin", len(equations.u), self.functions)
            for what, loop in loops.items():
                self._check(equations, what, tree, loop.values(), theirs[what])
                if what in self.in_lanes:
                    self._check(equations, what, tree, loop.values(lanes=True), theirs[what])
            if "mujoco" in asked:
                accelerations = np.fromfile(folder / "mujoco.bin").reshape(STATES, -1)
                self._check(equations, "forward_dynamics", tree, loops["forward_dynamics"].values(), accelerations)
            for _ in range(self.passes):
                for what, loop in loops.items():
                    _keep_least(least.single, {what: loop.single(self.seconds)})
                    if what in self.in_lanes:
                        _keep_least(least.lanes, {what: loop.in_lanes(self.seconds)})
                for peer, functions in asked.items():
                    _keep_least(least.peers[peer], run_loop(self.programs[peer], folder, self.seconds, functions))
        return least

    def _check(self, equations: Equations, what: str, tree: PlainTree, ours: Floats, theirs: Floats) -> None:
        """All engines give the same numbers, or nothing was compared."""
        order = list(tree.u_order)
        size = len(order)
        vector = ours.shape[1] == size
        # Speeds are in another order there: entries of a vector, rows and columns of each matrix.
        mine = ours[:, order] if vector else ours.reshape(STATES, -1, size, size)[:, :, order][:, :, :, order]
        a, b = (part.reshape(STATES, 1 if vector else -1, size if vector else size * size) for part in (mine, theirs))
        error = float(np.max(np.max(np.abs(a - b), axis=(0, 2)) / np.max(np.abs(b), axis=(0, 2))))
        if not error < TOLERANCES.get(what, _TOLERANCE):
            place = f"{equations.system.name}, {what}"
            raise PolhodeError(f"ours and the peer's differ by {error:.1e}.", place=place, code="E-BENCH-006")


def random_states(equations: Equations, count: int = STATES, seed: int = 1) -> States:
    """States with angles and rates of order one; quaternions have length one."""
    dice = np.random.default_rng(seed)
    q = dice.uniform(-1.5, 1.5, (count, len(equations.q)))
    for first in unit_quaternions(equations.tree):
        q[:, first : first + 4] /= np.linalg.norm(q[:, first : first + 4], axis=1, keepdims=True)
    u, udot, tau = (dice.uniform(-1, 1, (count, len(equations.u))) for _ in range(3))
    return States(q, u, udot, tau)


@contextmanager
def _prepared(tree: PlainTree, states: States, mjcf: bool) -> Iterator[Path]:
    """A folder with the model and the states as the loops read them."""
    with tempfile.TemporaryDirectory(prefix="polhode-bench-") as name:
        folder = Path(name)
        folder.joinpath("tree.txt").write_text(as_lines(tree), encoding="utf-8")
        if mjcf:
            folder.joinpath("model.xml").write_text(as_mjcf(tree), encoding="utf-8")
        q, u = list(tree.q_order), list(tree.u_order)
        table = np.hstack([states.q[:, q], states.u[:, u], states.udot[:, u], states.tau[:, u]])
        folder.joinpath("states.bin").write_bytes(np.ascontiguousarray(table).tobytes())
        yield folder


def _their_values(file: Path, size: int, functions: Sequence[str]) -> dict[str, Floats]:
    """What the judge found, by function: a row for each state."""
    widths = {"mass_matrix": size * size, **dict.fromkeys(TOLERANCES, 3 * size * size)}
    rest = np.fromfile(file)
    found = {}
    for what in functions:
        width = widths.get(what, size)
        found[what], rest = rest[: STATES * width].reshape(STATES, width), rest[STATES * width :]
    return found


def _keep_least(least: dict[str, float], found: Mapping[str, float]) -> None:
    for what, seconds in found.items():
        least[what] = min(seconds, least.get(what, seconds))
