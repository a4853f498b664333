"""Newton's method for φ(q) = 0, damped: the one iteration of assembly, projection and diagnosis.

    q ← q ⊞ α δ,    A δ = -φ

The caller says what the residual φ is, which step δ answers it (of least size, in a metric, for chosen rows, …) and
where a step leads from q (through q̇ = Γ u, with quaternions of unit length and auxiliary coordinates that follow). A
step is halved until it makes |φ| smaller by Armijo's rule (J. Nocedal, S. Wright, Numerical Optimization, 2006, 11.2).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: The part of what a step promises that it must keep.
_ARMIJO = 1e-4


@dataclass(frozen=True, eq=False)
class Solution:
    """The end of an iteration: q, the residual there, and the number of steps."""

    q: Floats
    residual: Floats
    steps: int

    @property
    def size(self) -> float:
        """The largest entry of the residual; infinite where one is not defined."""
        return largest(self.residual)


def largest(residual: Floats) -> float:
    """The largest entry; infinite where one is not a finite number."""
    size = float(np.abs(residual).max(initial=0.0))
    return size if size < np.inf else np.inf


@np.errstate(over="ignore")  # a residual whose square is no number any more is far too large, and that is all
def solve(
    residual: Callable[[Floats], Floats],
    step: Callable[[Floats, Floats], Floats | None],
    move: Callable[[Floats, Floats], Floats],
    q: Floats,
    *,
    tolerance: float,
    most_steps: int,
    shortest: float = 1.0,
    longest: float = np.inf,
) -> Solution:
    """Newton's steps from q until no entry of the residual exceeds the tolerance, or no step helps.

    `step(q, φ)` is Newton's step, or None where there is none; `move(q, δ)` is where it leads. No entry of a step is
    larger than `longest`; steps shorter than the part `shortest` of Newton's are not tried.

    >>> root = solve(lambda q: q * q - 2, lambda q, r: -r / (2 * q), np.add, np.ones(1), tolerance=1e-12, most_steps=9)
    >>> root.q.round(9).tolist(), root.steps
    ([1.414213562], 5)
    """
    left = residual(q)
    for count in range(most_steps):
        if largest(left) <= tolerance:
            return Solution(q, left, count)
        full_step = step(q, left)
        if full_step is None or not full_step.size:
            return Solution(q, left, count)
        square, length = float(left @ left), 1.0
        reach = float(np.abs(full_step).max())
        if reach > longest:
            length = longest / reach
        while True:
            trial = move(q, full_step if length == 1.0 else length * full_step)
            rest = residual(trial)
            if float(rest @ rest) < square * (1.0 - _ARMIJO * length):
                break
            length /= 2.0
            if length < shortest:
                return Solution(q, left, count)
        q, left = trial, rest
    return Solution(q, left, most_steps)
