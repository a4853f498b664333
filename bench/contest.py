"""Ours and C++ programs on the same states of one mechanism: first that all give the same numbers, then how fast."""

import ctypes
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from polhode import Equations
from polhode.errors import PolhodeError
from polhode.native.backends import lane_code
from polhode.native.stored_code import CodeStore

from .build import loop, run
from .motions import Floats
from .peers.mujoco import as_mjcf
from .peers.pinocchio import as_lines
from .tree import PlainTree, plain_tree, unit_quaternions

STATES = 64
#: How far values may be apart, relative to the largest of the function.
_TOLERANCE, _TOLERANCE_OF_DERIVATIVES = 1e-9, 1e-8


def _least(entry: str, address: int, *arguments: Any) -> float:
    """Seconds that a function of the library `our_loop` measures of the function at an address."""
    function = getattr(ctypes.CDLL(str(loop("our_loop"))), entry)
    function.restype = ctypes.c_double
    return 1e-9 * float(function(ctypes.c_void_p(address), *arguments))


def _pointers(arrays: Sequence[Floats]) -> Any:
    return (ctypes.c_void_p * len(arrays))(*[array.ctypes.data for array in arrays])


class OurLoop:
    """A compiled function with its states laid out, in the loop that times the peers."""

    def __init__(self, compiled: Any, inputs: Sequence[Floats]) -> None:
        self._compiled, self._inputs = compiled, [np.ascontiguousarray(array) for array in inputs]
        self._work = np.ascontiguousarray(compiled.work())
        self._outputs = [np.zeros((len(inputs[0]), len(output.slots))) for output in compiled.program.outputs]

    @cached_property
    def _lanes(self) -> Any:
        """The function for several states at once."""
        return lane_code(lambda: self._compiled.program, CodeStore())

    def single(self, seconds: float, *, keep: bool = False) -> float:
        """Seconds a call, one state at a time; each result overwrites the last, as in the peers, unless kept."""
        widths = [array.shape[1] for array in self._inputs] + [0]
        widths += [output.shape[1] if keep else 0 for output in self._outputs]
        pointers, steps = (
            _pointers([*self._inputs, self._work, *self._outputs]),
            (ctypes.c_size_t * len(widths))(*widths),
        )
        numbers = len(widths), ctypes.c_size_t(len(self._inputs[0])), ctypes.c_double(seconds)
        return _least("least_single", self._compiled.address, *numbers, pointers, steps)

    def in_lanes(self, seconds: float) -> float:
        """Seconds a state, all states in one call."""
        strides = (ctypes.c_int64 * len(self._inputs))(*(array.shape[1] for array in self._inputs))
        numbers = ctypes.c_int64(len(self._inputs[0])), ctypes.c_double(seconds)
        arrays = _pointers(self._inputs), strides, ctypes.c_void_p(self._work.ctypes.data), _pointers(self._outputs)
        return _least("least_batch", self._lanes.address("ph_lanes"), *numbers, *arrays)

    def values(self, *, lanes: bool = False) -> Floats:
        """The outputs of one round of the timed code itself, a row for each state."""
        for output in self._outputs:
            output[:] = np.nan
        _ = self.in_lanes(0.0) if lanes else self.single(0.0, keep=True)
        return np.hstack(self._outputs)


def contest(
    equations: Equations, compiled: Mapping[str, Any], quick: bool, *, in_lanes: Sequence[str] = (),
    judge: str = "pinocchio", with_mujoco: bool = False, files: Mapping[str, Path] | None = None,
) -> dict[str, dict[str, float]]:  # fmt: skip
    """Check that all engines agree on the compiled functions, and only then measure, by turns.

    Returns least seconds by engine ("ours", "lanes", the judge, "mujoco") and function. The judge is the peer that has
    all the functions; `files` are what it reads, by name, beside the model.
    """
    states, tree = random_states(equations), plain_tree(equations.system)
    ours = {what: OurLoop(each, [states[name] for name in each.arrays]) for what, each in compiled.items()}
    peers = {judge: tuple(compiled)} | ({"mujoco": ()} if with_mujoco and tree.is_fixed_base else {})
    with tempfile.TemporaryDirectory(prefix="polhode-bench-") as name:
        folder = Path(name)
        (folder / "tree.txt").write_text(as_lines(tree), encoding="utf-8")
        (folder / "model.xml").write_text(as_mjcf(tree), encoding="utf-8")
        table = [states[each][:, tree.q_order if each == "q" else tree.u_order] for each in ("q", "u", "udot", "tau")]
        (folder / "states.bin").write_bytes(np.ascontiguousarray(np.hstack(table)).tobytes())
        for link, file in (files or {}).items():
            (folder / link).symlink_to(file)

        def theirs(peer: str, seconds: float) -> dict[str, float]:
            lines = run([str(loop(f"{peer}_loop")), name, str(seconds), *peers[peer]]).splitlines()
            return {what: 1e-9 * float(nanoseconds) for what, nanoseconds in map(str.split, lines)}

        for peer in peers:
            theirs(peer, 0.0)
        rest = np.fromfile(folder / f"{judge}.bin")
        for what, ready in ours.items():
            mine = ready.values()
            values, rest = np.split(rest, [mine.size])
            _check(what, tree, mine, values)
            if what in in_lanes:
                _check(what, tree, ready.values(lanes=True), values)
            if "mujoco" in peers and what == "forward_dynamics":
                _check(what, tree, mine, np.fromfile(folder / "mujoco.bin"))
        passes, seconds = (3, 0.05) if quick else (12, 0.1)
        calls: dict[str, Callable[[], dict[str, float]]] = {peer: partial(theirs, peer, seconds) for peer in peers}
        calls["ours"] = lambda: {what: ready.single(seconds) for what, ready in ours.items()}
        calls["lanes"] = lambda: {what: ours[what].in_lanes(seconds) for what in in_lanes}
        least: dict[str, dict[str, float]] = {engine: {} for engine in calls}
        for _ in range(passes):
            for engine, call in calls.items():
                for what, taken in call().items():
                    least[engine][what] = min(taken, least[engine].get(what, taken))
    return least


def random_states(equations: Equations, count: int = STATES, seed: int = 1) -> dict[str, Floats]:
    """States with angles and rates of order one; quaternions have length one."""
    rng = np.random.default_rng(seed)
    q = rng.uniform(-1.5, 1.5, (count, len(equations.q)))
    for first in unit_quaternions(equations.tree):
        q[:, first : first + 4] /= np.linalg.norm(q[:, first : first + 4], axis=1, keepdims=True)
    return {"q": q} | {name: rng.uniform(-1, 1, (count, len(equations.u))) for name in ("u", "udot", "tau")}


def _check(what: str, tree: PlainTree, ours: Floats, theirs: Floats) -> None:
    """Raise unless both have the same numbers; their speeds, and so rows and columns, are in another order."""
    order, size = tree.u_order, len(tree.u_order)
    vector = ours.shape[1] == size
    mine = ours[:, order] if vector else ours.reshape(STATES, -1, size, size)[:, :, order][:, :, :, order]
    a, b = (part.reshape(STATES, 1 if vector else -1, size if vector else size * size) for part in (mine, theirs))
    error = float(np.max(np.max(np.abs(a - b), axis=(0, 2)) / np.max(np.abs(b), axis=(0, 2))))
    if not error < (_TOLERANCE_OF_DERIVATIVES if what.endswith("derivatives") else _TOLERANCE):
        raise PolhodeError(f"ours and the peer's differ by {error:.1e}.", place=what, code="E-BENCH-006")
