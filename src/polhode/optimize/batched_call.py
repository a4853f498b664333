"""A native function over many points, bound once to the memory that it reads and writes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..compiled.native.backends import Native
from ..compiled.native.compiled import Compiled
from .mesh import Floats


class BatchedCall:
    """A compiled function for the first `count` rows of its arrays; an array of one dimension is shared by all rows.

    Rows in whole groups of lanes are computed side by side, the others one after the other. The arrays are held, so
    that a call takes nothing but itself.
    """

    def __init__(
        self,
        compiled: Compiled,
        inputs: Sequence[Floats],
        outputs: Sequence[Floats],
        count: int,
        parameters: Any = None,
    ) -> None:
        self._held = compiled, tuple(inputs), tuple(outputs), compiled.work(parameters)
        self._calls: list[Callable[[], object]] = []
        work = self._held[3]
        if not sum(array[:1].size for array in outputs):
            return
        try:
            native: Native | None = compiled.native
        except Exception:  # the backend without machine code
            native = None
        if native is None:
            self._calls.append(lambda: _by_rows(compiled, inputs, outputs, count, parameters))
            return
        bulk = count // native.lanes * native.lanes if native.in_lanes and native.lanes > 1 else 0
        if bulk:
            try:
                self._calls.append(native.loop(range(bulk), inputs, work, outputs, lanes=True))
            except OSError:  # code from the cache runs where LLVM does not
                bulk = 0
        if bulk < count:
            self._calls.append(native.loop(range(bulk, count), inputs, work, outputs, lanes=False))

    def __call__(self) -> None:
        for call in self._calls:
            call()


def _by_rows(
    compiled: Compiled, inputs: Sequence[Floats], outputs: Sequence[Floats], count: int, parameters: Any
) -> None:
    found = compiled(*(array[:count] if array.ndim == 2 else array for array in inputs), parameters=parameters)
    for into, made in zip(outputs, found if isinstance(found, tuple) else (found,), strict=True):
        into[:count] = made
