"""How many random mechanisms a law is tried on: some in `make test`, all of them in `make trial`.

Some are enough where they hold every kind of joint, storage, load and constraint that all of them hold: such seeds are
`TREES`, `SMALL_TREES` and `CONSTRAINED`, and `laws/test_a_seed_names_one_mechanism.py` proves it of them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

#: Whether every seed is tried; set by `make trial`.
TRIAL = os.environ.get("POLHODE_TRIAL") == "1"

#: For `random_system(seed, max_speeds=10)`.
TREES = (
    *range(10), 12, 15, 17, 18, 31, 32, 38, 39, 73, 79, 82, 89, 91, 97, 108, 113, 123, 151, 169, 199,
)  # fmt: skip
#: For `random_system(seed, bodies=(1, 6), max_speeds=8)`.
SMALL_TREES = (1, 2, 3, 16, 18, 25, 41, 45, 47, 48, 55, 57, 61, 78, 79, 88, 91)
#: For `random_constrained_system(seed, bodies=(2, 3))`.
CONSTRAINED = (3, 5, 14, 20, 22, 34, 48, 49, 55, 58, 77, 94, 96, 97, 98)


def seeds(some: int | Iterable[int], of: int | Iterable[int]) -> list[int]:
    """Some seeds; in a trial all of those that they stand for. A number means that many from 0 on."""
    chosen = of if TRIAL else some
    return list(range(chosen) if isinstance(chosen, int) else chosen)
