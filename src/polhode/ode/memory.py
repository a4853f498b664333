"""Memory that native integrators work in: arrays one after the other, aligned, in whole blocks."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..native.arrays import Floats, address_of
from .record import padded

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
        base = address_of(whole)
        first = (-base % _ALIGNMENT) // 8
        self.arrays: dict[str, Floats] = {}
        self.addresses: dict[str, int] = {}
        for name, rows in counts.items():
            self.arrays[name] = whole[first : first + rows * width]
            self.addresses[name] = base + 8 * first
            first += rows * width


def apart(kind: Any, *entries: Any) -> Any:
    """A ctypes record, or an array of entries, in lines of the cache that hold nothing else.

    What native code writes at every evaluation would otherwise lie beside what another thread writes.
    """
    made = kind.from_buffer(Memory({"all": 1}, -(-ctypes.sizeof(kind) // 8)).arrays["all"])
    for place, entry in enumerate(entries):
        made[place] = entry
    return made
