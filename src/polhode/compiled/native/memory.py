"""Memory that native integrators work in: arrays one after the other, aligned, in whole blocks."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from polhode.codegen.steppers.run_record import padded
from polhode.compiled.native.arrays import Floats

_ALIGNMENT = 64


class Memory:
    """Arrays in one aligned piece of memory: so many rows each, of so many numbers, padded to whole blocks.

    Its lines of the cache are its own, so that threads do not wait for each other's.

    >>> Memory({"x": 1, "k": 3}, 5).arrays["k"].shape
    (24,)
    """

    def __init__(self, counts: Mapping[str, int], size: int) -> None:
        width = padded(size)
        whole = np.zeros(width * sum(counts.values()) + 2 * _ALIGNMENT // 8)
        first = (-whole.ctypes.data % _ALIGNMENT) // 8
        self.arrays: dict[str, Floats] = {}
        for name, rows in counts.items():
            self.arrays[name] = whole[first : first + rows * width]
            first += rows * width
