"""Whether a contact could bear what a run asks of it: ground pushes and does not pull, and friction has its limit.

A foot that is held by a constraint is held whatever it takes. What it takes tells whether plain ground would do:

    N = n·f > 0                 it pushes                   (elsewhere a foot would lift)
    |f - N n| / N ≤ μ           it does not slide           (the friction that is needed)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ...errors import PolhodeError, understood
from ..initial_state import Floats


@dataclass(frozen=True, eq=False)
class Contact:
    """What a contact carries over time: along its normal, positive where it pushes, and across."""

    time: Floats
    normal: Floats
    across: Floats

    @property
    def friction(self) -> Floats:
        """The coefficient of friction that is needed at every sample; not a number where nothing pushes."""
        pushes = self.normal > 0
        return np.where(pushes, self.across / np.where(pushes, self.normal, 1.0), np.nan)

    @property
    def pulls(self) -> tuple[tuple[float, float], ...]:
        """The first and last samples of each stretch in which it would have to pull."""
        wrong = np.flatnonzero(self.normal < 0)
        stretches = np.split(wrong, np.flatnonzero(np.diff(wrong) > 1) + 1) if len(wrong) else []
        return tuple((float(self.time[each[0]]), float(self.time[each[-1]])) for each in stretches)

    def __str__(self) -> str:
        needed = np.max(self.friction, initial=0.0, where=np.isfinite(self.friction))
        words = f"needs a coefficient of friction of {needed:.3g}"
        if not self.pulls:
            return f"pushes with {self.normal.min():.4g} to {self.normal.max():.4g} N; {words}"
        when = ", ".join(f"{start:.4g} s to {end:.4g} s" for start, end in self.pulls)
        return f"pulls with up to {-self.normal.min():.4g} N, as ground cannot, from {when}; elsewhere it {words}"


def contact_of(time: Floats, force: Floats, normal: ArrayLike = (0.0, 0.0, 1.0)) -> Contact:
    """A force (T, 3) on a body as a contact whose normal, a direction, points into that body.

    >>> times, force = np.array([0.0, 1.0, 2.0]), np.array([[3.0, 0, 10], [0, 4, 8], [1, 0, -1]])
    >>> print(contact_of(times, force))
    pulls with up to 1 N, as ground cannot, from 2 s to 2 s; elsewhere it needs a coefficient of friction of 0.5
    """
    with understood("a direction", normal, place="contact normal", cure="Give three components, as (0, 0, 1)."):
        n = np.asarray(normal, dtype=np.float64).reshape(3)
    size = float(np.linalg.norm(n))
    if not (np.isfinite(size) and size > 0):
        raise PolhodeError(
            "the normal has no direction.",
            place="contact",
            cure="Give three components, as (0, 0, 1).",
            code="E-REACT-007",
        )
    n = n / size
    along = force @ n
    return Contact(time, along, np.linalg.norm(force - np.outer(along, n), axis=1))
