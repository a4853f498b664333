"""Ours and C++ programs on the same states of one mechanism: first that all give the same numbers, then how fast."""

import ctypes
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
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


def _timed(compiled: Any, inputs: Sequence[Floats], seconds: float, in_lanes: bool) -> float:
    """Seconds a state in the loop that times the peers: a call each, whose result overwrites the last, or in lanes."""
    rows = len(inputs[0]) if in_lanes else 1
    outputs = [np.zeros(rows * len(output.slots)) for output in compiled.program.outputs]
    work, library = np.ascontiguousarray(compiled.work()), ctypes.CDLL(str(loop("our_loop")))
    library.least_single.restype = library.least_batch.restype = ctypes.c_double
    widths, limit = [array.shape[1] for array in inputs], ctypes.c_double(seconds)
    if in_lanes:
        address = _lanes(compiled).address("ph_lanes")
        given = (
            _pointers(inputs),
            (ctypes.c_int64 * len(widths))(*widths),
            ctypes.c_void_p(work.ctypes.data),
            _pointers(outputs),
        )
        nanoseconds = library.least_batch(ctypes.c_void_p(address), ctypes.c_int64(rows), limit, *given)
    else:
        arrays, steps = [*inputs, work, *outputs], [*widths, 0, *(0 for _ in outputs)]
        given = _pointers(arrays), (ctypes.c_size_t * len(steps))(*steps)
        count = len(arrays), ctypes.c_size_t(len(inputs[0])), limit
        nanoseconds = library.least_single(ctypes.c_void_p(compiled.address), *count, *given)
    return 1e-9 * float(nanoseconds)


@cache
def _lanes(compiled: Any) -> Any:
    """The function for several states at once."""
    return lane_code(lambda: compiled.program, CodeStore())


def _pointers(arrays: Sequence[Floats]) -> Any:
    return (ctypes.c_void_p * len(arrays))(*[array.ctypes.data for array in arrays])


def contest(
    equations: Equations, compiled: Mapping[str, Any], quick: bool, *, in_lanes: Sequence[str] = (),
    judge: str = "pinocchio", with_mujoco: bool = False, files: Mapping[str, Path] | None = None,
) -> dict[str, dict[str, float]]:  # fmt: skip
    """Check that all engines agree on the compiled functions, and only then measure, by turns.

    Returns least seconds by engine ("ours", "lanes", the judge, "mujoco") and function. The judge is the peer that has
    all the functions; `files` are what it reads, by name, beside the model.
    """
    states, tree = random_states(equations), plain_tree(equations.system)
    inputs = {what: [states[name] for name in each.arrays] for what, each in compiled.items()}
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
        for what, each in compiled.items():
            mine = np.array([_flat(each(*state)) for state in zip(*inputs[what], strict=True)])
            values, rest = np.split(rest, [mine.size])
            _check(what, tree, mine, values)
            if what in in_lanes:
                many = each(*(np.tile(array, (4, 1)) for array in inputs[what]))  # few would not be in lanes
                _check(what, tree, many[:STATES].reshape(mine.shape), values)
            if "mujoco" in peers and what == "forward_dynamics":
                _check(what, tree, mine, np.fromfile(folder / "mujoco.bin"))
        passes, seconds = (3, 0.05) if quick else (12, 0.1)
        calls: dict[str, Callable[[], dict[str, float]]] = {peer: partial(theirs, peer, seconds) for peer in peers}
        for engine, chosen in (("ours", tuple(compiled)), ("lanes", in_lanes)):
            calls[engine] = partial(_ours, compiled, inputs, chosen, seconds, engine == "lanes")
        rounds = [{engine: call() for engine, call in calls.items()} for _ in range(passes)]
    return {
        engine: {what: min(times[engine][what] for times in rounds) for what in rounds[0][engine]} for engine in calls
    }


def _ours(
    compiled: Mapping[str, Any], inputs: Mapping[str, Any], chosen: Sequence[str], seconds: float, in_lanes: bool
) -> dict[str, float]:
    return {what: _timed(compiled[what], inputs[what], seconds, in_lanes) for what in chosen}


def random_states(equations: Equations, count: int = STATES, seed: int = 1) -> dict[str, Floats]:
    """States with angles and rates of order one; quaternions have length one."""
    rng = np.random.default_rng(seed)
    q = rng.uniform(-1.5, 1.5, (count, len(equations.q)))
    for first in unit_quaternions(equations.tree):
        q[:, first : first + 4] /= np.linalg.norm(q[:, first : first + 4], axis=1, keepdims=True)
    return {"q": q} | {name: rng.uniform(-1, 1, (count, len(equations.u))) for name in ("u", "udot", "tau")}


def _flat(results: Any) -> Floats:
    """The results of a function of one output in a row; of several, which are matrices, one after the other."""
    many = results if isinstance(results, tuple) else (results,)
    return np.concatenate([np.ravel(each) for each in many])


def _check(what: str, tree: PlainTree, ours: Floats, theirs: Floats) -> None:
    """Raise unless both have the same numbers; their speeds, and so rows and columns, are in another order."""
    order, size = tree.u_order, len(tree.u_order)
    vector = ours.shape[1] == size
    mine = ours[:, order] if vector else ours.reshape(STATES, -1, size, size)[:, :, order][:, :, :, order]
    a, b = (part.reshape(STATES, 1 if vector else -1, size if vector else size * size) for part in (mine, theirs))
    error = float(np.max(np.max(np.abs(a - b), axis=(0, 2)) / np.max(np.abs(b), axis=(0, 2))))
    if not error < (_TOLERANCE_OF_DERIVATIVES if what.endswith("derivatives") else _TOLERANCE):
        raise PolhodeError(f"ours and the peer's differ by {error:.1e}.", place=what, code="E-BENCH-006")
