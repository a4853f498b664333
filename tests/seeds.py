"""How many random mechanisms a law is tried on: some in `make test`, all of them in `make trial`.

Some are enough where they hold every kind of joint, storage, load and constraint that all of them hold: such seeds are
`TREES`, `SMALL_TREES` and `CONSTRAINED`, and `laws/test_a_seed_names_one_mechanism.py` proves it of them.
"""

import os
from collections.abc import Iterable, Sequence

#: Whether every seed is tried; set by `make trial`.
TRIAL = os.environ.get("POLHODE_TRIAL") == "1"

#: For `random_system(seed, max_speeds=10)`.
TREES = (3, 7, 8, 17, 18, 31, 32, 38, 39, 73, 79, 82, 89, 91, 97, 108, 113, 151, 169, 199)
#: For `random_system(seed, bodies=(1, 6), max_speeds=8)`.
SMALL_TREES = (1, 2, 3, 16, 18, 25, 41, 45, 47, 48, 55, 57, 61, 78, 79, 88, 91)
#: For `random_constrained_system(seed, bodies=(2, 3))`.
CONSTRAINED = (3, 5, 14, 20, 22, 34, 49, 50, 55, 58, 77, 94, 96, 97, 98)


def seeds(some: int | Iterable[int], of: int | Iterable[int]) -> list[int]:
    """Some seeds; in a trial all of those that they stand for. A number means that many from 0 on, in a test from 1 on.

    Seed 0 is one of the largest mechanisms, which takes as long as five others.
    """
    if TRIAL:
        return list(range(of) if isinstance(of, int) else of)
    return list(range(1, some + 1) if isinstance(some, int) else some)


#: A method of each kind of step: what is chosen, explicit, implicit, fixed, in momenta, damped, by SciPy, by SUNDIALS.
KINDS_OF_STEPS = ("auto", "DOP853", "Radau", "rk4", "gauss4", "generalised_alpha", "scipy.DOP853", "ida")


def one_a_kind(methods: Iterable[str]) -> list[str]:
    """Those of some methods that stand for a kind of step; in a trial all, as in `concepts/test_integrators.py`."""
    return [method for method in methods if TRIAL or method in KINDS_OF_STEPS]


def in_turn(all_of_them: Sequence[str], count: int, seed: int) -> list[str]:
    """So many of them, others from seed to seed; in a trial all."""
    if TRIAL:
        return list(all_of_them)
    return [all_of_them[(seed * count + k) % len(all_of_them)] for k in range(count)]
