"""What a run of equations in small variables must tell: those that have grown."""

from __future__ import annotations

import numpy as np

from ..dynamics.synopsis import Synopsis
from .initial_state import Floats

#: Beyond this many radians the first order is off by more than some four in a hundred.
_LARGE = 0.5


def grown(known: Synopsis, q: Floats) -> list[str]:
    """A sentence for each small angle that a run brings to where it is small no more.

    >>> import polhode as ph
    >>> s = ph.System("pendulum")
    >>> _ = s.joint("hinge", s.ground, s.body("bob", 1, (0, 0, -1)), ph.Revolute("y"), small=True)
    >>> print(*s.derive().simulate(2, start={"hinge": 0.8}).notices)
    'hinge' is small in these equations, and gets to 0.8 rad: what they leave out is then not small.
    """
    largest = np.abs(q).max(axis=0, initial=0.0)
    reached = [(name, float(largest[known.coordinates.index(name)])) for name in known.small_angles
               if name in known.coordinates]  # fmt: skip
    return [
        f"'{name}' is small in these equations, and gets to {angle:.3g} rad: what they leave out is then not small."
        for name, angle in reached
        if angle > _LARGE
    ]
