"""Fixed-step integration in one native loop, run in chunks so that Python can look in between."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from polhode.codegen.program import Outline, Program
from polhode.codegen.step_loop import method_named
from polhode.compiled.native.arrays import Floats, as_floats, batch_size, ordered
from polhode.compiled.native.compiled import Compiled, compile_program
from polhode.compiled.native.loops import Loop, NativeLoop, PythonLoop, Run
from polhode.errors import PolhodeError, ShapeError, understood
from polhode.files.cache import ObjectCache

_CHUNK_SECONDS = 0.05
_FIRST_CHUNK = 1000


@dataclass(frozen=True)
class Steps:
    """What a run gave: with a batch of N initial states, `states` is (N, R, n) and `completed` (N,).

    `states[..., 0, :]` is the initial state; records after the last completed step are NaN.
    """

    time: Floats
    states: Floats
    completed: Any
    final: Floats

    @property
    def ok(self) -> bool:
        """Whether every state stayed finite to the end."""
        return bool(np.isfinite(self.states[..., -1, :]).all())


class FixedStep:
    """Explicit fixed-step integration of x' = xdot(t, x, ...), compiled.

    The program, compiled or not, has an array `x`, optionally `t` (length 1), others that stay constant over a run, and
    one output of x's length. `method` is rk4, heun, midpoint or euler. `normalise` lists (start, length) of parts of x,
    such as unit quaternions, that are brought back to unit length after every step.
    """

    def __init__(
        self,
        program: Program | Compiled,
        method: str = "rk4",
        normalise: Sequence[tuple[int, int]] = (),
        *,
        cache: bool | ObjectCache = True,
        backend: str = "auto",
    ) -> None:
        self.method, self.tableau = method, method_named(method)
        with understood("a list of pairs (first, length)", normalise, place="normalise"):
            self.normalise = tuple((int(start), int(length)) for start, length in normalise)
        self.size = _state_size(program.outline, self.normalise)
        self.rhs = program if isinstance(program, Compiled) else compile_program(program, cache=cache, backend=backend)
        self._loop: Loop = (NativeLoop if self.rhs.backend == "llvm" else PythonLoop)(
            self.rhs, self.tableau, self.normalise
        )

    def run(
        self,
        x0: Any,
        *,
        h: float,
        steps: int,
        every: int = 1,
        t0: float = 0.0,
        start: int = 0,
        parameters: Any = None,
        threads: int | None = None,
        on_chunk: Callable[[int, int], object] | None = None,
        **arrays: Any,
    ) -> Steps:
        """Take `steps` steps of size h from x0 (n,) or (N, n) and record every `every`-th state.

        Step k begins at t0 + (start + k)·h: a run continued with `start` set to the steps already taken gives the same
        bits as one run. `on_chunk(done, steps)` is called a few times a second. A state that becomes non-finite stops;
        `completed` says after how many steps.
        """
        _check_run(h, steps, every, t0)
        first = as_floats(x0, self.size, "array 'x'")
        run = self._prepare(first, arrays, parameters, t0, h, threads)
        single = first.ndim == 1 and len(run.x) == 1 and all(a.ndim == 1 for a in (*run.inputs, run.work))
        record = np.empty((len(run.x), steps // every + 1, self.size))
        record[:, 0] = run.x
        counts = np.zeros(len(run.x), dtype=np.int64)
        completed = counts.copy()
        budget, done = max(1, _FIRST_CHUNK // max(1, len(run.x))), 0
        while done < steps and (counts >= 0).any():
            began = time.perf_counter()
            if done % every == 0 and every <= min(budget, steps - done):
                pieces_now = min(budget, steps - done) // every
                asked, into = (
                    pieces_now * every,
                    record[:, done // every + 1 : done // every + 1 + pieces_now],
                )
                self._loop.advance(run, pieces_now, every, start + done, into, counts)
            else:
                # A long way to the next record is cut, so that an interrupt is heard.
                asked = min(budget, every - done % every, steps - done)
                into = np.empty((len(run.x), 1, self.size))
                self._loop.advance(run, 1, asked, start + done, into, counts)
                if (done + asked) % every == 0:
                    record[:, (done + asked) // every] = run.x
            alive = counts >= 0
            completed[alive] += counts[alive]
            counts = np.where(alive & (counts == asked), 0, -1)
            done += asked
            if time.perf_counter() - began < _CHUNK_SECONDS:
                budget *= 2
            if on_chunk is not None:
                on_chunk(done, steps)
        for number in np.flatnonzero(completed < steps):
            record[number, completed[number] // every + 1 :] = np.nan
        times: Floats = np.asarray(t0 + (start + np.arange(steps // every + 1) * every) * h, dtype=np.float64)
        if single:
            return Steps(times, record[0], int(completed[0]), run.x[0])
        return Steps(times, record, completed, run.x)

    def __reduce__(self) -> tuple[Callable[..., FixedStep], tuple[Any, ...]]:
        return FixedStep, (self.rhs, self.method, self.normalise)

    def _prepare(
        self, first: Floats, arrays: dict[str, Any], parameters: Any, t0: float, h: float, threads: int | None
    ) -> Run:
        outline = self.rhs.outline
        blanks = {array.name: np.zeros(array.size) for array in outline.arrays if array.name in ("t", "x")}
        found = ordered(outline, (), blanks | arrays)
        inputs = {
            array.name: as_floats(value, array.size, f"array {array.name!r}")
            for value, array in zip(found, outline.arrays, strict=True)
            if array.name not in blanks
        }
        work = self.rhs.work(parameters)
        count = batch_size([("x", first), *inputs.items(), ("parameters", work)]) or (
            0 if first.ndim == 2 and not len(first) else 1
        )
        x = np.array(np.broadcast_to(first, (count, self.size)))
        return Run(x, list(inputs.values()), work, float(t0), float(h), threads)


def _state_size(program: Outline, normalise: tuple[tuple[int, int], ...]) -> int:
    sizes = {array.name: array.size for array in program.arrays}
    place = f"program {program.name!r}"
    if "x" not in sizes or sizes.get("t", 1) != 1:
        raise ShapeError("a right-hand side has an array x and, if it has t, t of length 1.", place=place)
    if len(program.outputs) != 1 or prod(program.outputs[0][1]) != sizes["x"]:
        raise ShapeError(f"a right-hand side has one output, of x's length {sizes['x']}.", place=place)
    for start, length in normalise:
        if start < 0 or length < 1 or start + length > sizes["x"]:
            raise ShapeError(f"normalise has ({start}, {length}), which is not inside x of length {sizes['x']}.")
    return sizes["x"]


def _check_run(h: float, steps: int, every: int, t0: float) -> None:
    if not np.isfinite(h) or h == 0.0 or not np.isfinite(t0):
        raise PolhodeError(f"the step size is {h} and the start time {t0}; both must be finite, the step not zero.")
    if steps < 0 or every < 1:
        raise PolhodeError(f"steps is {steps} and every is {every}.", cure="Give steps >= 0 and every >= 1.")
