"""Periodic orbits by shooting, with exact sensitivities, and their Floquet multipliers.

    x(T; x₀) - x₀ - c = 0,        f(x*)·(x₀ - x*) = 0

for the start x₀ and, unless the period is known, T: the second row, Poincaré's phase condition, says where on the orbit
it begins, x* being the start of the last step; it is left out where a start value is held, as one must be in a
mechanism that keeps its energy, whose orbits form families. c counts whole turns of angles. ∂x(T)/∂x₀, the monodromy
matrix, comes with the run (variational equations); its eigenvalues are the multipliers, one of which is 1 where the
period is free.
R. Seydel, *Practical Bifurcation and Stability Analysis* (2010), chapter 7.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..errors import PolhodeError, fault_at, number
from ..linear.stability import Spectrum, Stability, spectrum_of
from ..notebook import Cell, Shown, Table, complex_text

if TYPE_CHECKING:
    from ..simulate import Trajectory

Floats = NDArray[np.float64]

_PLACE = "periodic_orbit"
fault = fault_at(_PLACE)
_MOST_STEPS = 30
#: A run that comes back to its start with less than this part of it left over is closed.
_CLOSED = 1e-8
#: Singular values below this part of the largest belong to a family, or to what constraints hold.
_NOTHING = 1e-7


@dataclass(frozen=True, eq=False)
class Flow:
    """A run over a period: where it began and ended, the rates at both ends, ∂x(T)/∂x₀, and ∂x₀/∂x₀ on constraints."""

    begin: Floats
    end: Floats
    rates: tuple[Floats, Floats]
    monodromy: Floats
    allowed: Floats
    by_parameter: Floats | None = None
    error: float = 1e-9  # of ∂x(T)/∂x₀, relative to its size


#: A run from a state over a period, with the value of a parameter.
Run: TypeAlias = Callable[..., Flow]


@dataclass(frozen=True, eq=False, repr=False)
class PeriodicOrbit(Shown):
    """An orbit: its period, a state on it, the Floquet multipliers, largest first; `run` is once around.

    `residual` is what is left between both ends. Where the orbit is one of a family, as in a mechanism that keeps its
    energy, more than one multiplier is 1; `notices` say so.
    """

    period: float
    x: Floats
    names: tuple[str, ...]
    spectrum: Spectrum
    residual: float
    is_period_known: bool
    parameters: Mapping[str, float]
    simulate: Callable[[], Trajectory]
    notices: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> float:
        return float(self.x[self.names.index(name)])

    @cached_property
    def run(self) -> Trajectory:
        """Once around."""
        return self.simulate()

    @property
    def multipliers(self) -> NDArray[np.complex128]:
        """The Floquet multipliers, the largest first."""
        return self.spectrum.values

    @property
    def stability(self) -> Stability:
        """What small motions do: "stable" (all but the one along the orbit decay), "unstable", or "neutral".

        `stability.reason` says how that was decided.
        """
        return self.spectrum.stability(0 if self.is_period_known else 1)

    def __repr__(self) -> str:
        told = ", ".join(f"{abs(m):.6g}" for m in self.multipliers[:4])
        text = f"PeriodicOrbit(period {self.period:.9g} s, {self.stability}; multipliers of size {told})"
        return "\n".join([text, *self.notices])

    def _cell(self) -> Cell:
        start = Table(["state", "on the orbit"], [(n, f"{self[n]:.6g}") for n in self.names], numbers_from=1)
        rows = [(complex_text(m), f"{abs(m):.6g}") for m in self.multipliers.tolist()]
        multipliers = Table(["Floquet multiplier", "size"], rows, numbers_from=0)
        return Cell(f"{self.stability} orbit, period {self.period:.9g} s", [start, multipliers, *self.notices])


def periodic_orbit(
    run: Run,
    x: Floats,
    period: float,
    names: Sequence[str],
    turned: Floats,
    held: Sequence[int],
    is_period_known: bool,
    parameters: Mapping[str, float],
    simulate: Callable[[Floats, float], Any],
) -> PeriodicOrbit:
    """The orbit that Newton's method leads to from a state and a period."""
    flow = _tried(run, x, period)
    begun = period
    for _ in range(_MOST_STEPS):
        left, slopes = shooting(flow, turned, held, is_period_known)
        size = _size(left, flow)
        if size <= 1e-3 * _CLOSED:
            break
        step = np.asarray(np.linalg.lstsq(slopes, -left, rcond=_NOTHING)[0], dtype=np.float64)
        away = 0.0 if is_period_known else float(step[-1])
        made = _shorter(run, flow, step[: len(x)], period, away, turned)
        if made is None:
            break
        flow, period = made
    size = _size(flow.end - flow.begin - turned, flow)
    if not size <= _CLOSED:
        raise _open(names, flow, turned, size, period)
    still = float(np.abs(flow.rates[0]).max(initial=0.0))
    if not is_period_known and still < 1e-6:
        raise fault(
            "the search came to rest: this is an equilibrium, no orbit.",
            "Begin nearer to the orbit, or hold a start value: hold=[…].",
            "E-ORBIT-002",
        )
    spectrum = spectrum_of_orbit(flow)
    notices = []
    ones = int((np.abs(spectrum.values - 1.0) < 1e-3).sum())
    if ones > (0 if is_period_known else 1):
        notices.append("This is one of a family of orbits: more multipliers are 1 than a single orbit has.")
    if abs(period - begun) > 0.5 * begun:
        notices.append(f"The period found, {period:.6g} s, is far from that given, {begun:.6g} s.")
    x0, T = flow.begin, period
    return PeriodicOrbit(
        T,
        x0,
        tuple(names),
        spectrum,
        size,
        is_period_known,
        dict(parameters),
        lambda: simulate(x0, T),
        tuple(notices),
    )


def _shorter(
    run: Run, flow: Flow, step: Floats, period: float, away: float, turned: Floats
) -> tuple[Flow, float] | None:
    """The longest part of a step that brings both ends nearer to each other, the period by no more than a quarter."""
    length = min(1.0, period / (4.0 * abs(away))) if away else 1.0
    before = float(np.linalg.norm(flow.end - flow.begin - turned))
    while length > 1e-3:
        try:
            trial = run(flow.begin + length * step, period + length * away)
        except PolhodeError:  # it cannot be run from there
            length /= 2.0
            continue
        if np.linalg.norm(trial.end - trial.begin - turned) < before * (1.0 - 1e-4 * length):
            return trial, period + length * away
        length /= 2.0
    return None


def shooting(flow: Flow, turned: Floats, held: Sequence[int], is_period_known: bool) -> tuple[Floats, Floats]:
    """What is left to a closed orbit, and its derivatives by the start and, unless it is known, the period.

    Where a start value is held, no phase condition is needed.
    """
    left, slopes = flow.end - flow.begin - turned, flow.monodromy - flow.allowed
    slopes[:, list(held)] = 0.0
    if is_period_known:
        return left, slopes
    slopes = np.column_stack([slopes, flow.rates[1]])
    if held:
        return left, slopes
    along = flow.rates[0] / max(float(np.linalg.norm(flow.rates[0])), 1e-300)
    return np.append(left, 0.0), np.vstack([slopes, np.append(along, 0.0)])


def spectrum_of_orbit(flow: Flow) -> Spectrum:
    """The eigenvalues of the monodromy matrix on the states that constraints allow, the largest first."""
    left, sizes, _ = np.linalg.svd(flow.allowed)
    basis = left[:, sizes > 1e-9 * sizes.max(initial=1.0)]
    monodromy = basis.T @ flow.monodromy @ basis
    error = flow.error * np.abs(monodromy).max(initial=0.0)
    return spectrum_of(monodromy, np.full(monodromy.shape, error), on_circle=True)


def _size(left: Floats, flow: Flow) -> float:
    return float(np.abs(left[: len(flow.begin)]).max(initial=0.0)) / (1.0 + float(np.abs(flow.begin).max(initial=0.0)))


def _tried(run: Run, x: Floats, period: float) -> Flow:
    return run(x, number(period, "a time > 0", above=0.0, place=f"{_PLACE} period"))


def _open(names: Sequence[str], flow: Flow, turned: Floats, size: float, period: float) -> PolhodeError:
    left = flow.end - flow.begin - turned
    worst = int(np.argmax(np.abs(left)))
    return fault(
        f"no periodic orbit was found: after {period:.6g} s the nearest run still misses its start, "
        f"'{names[worst]}' by {left[worst]:.3g}.",
        "Begin nearer to the orbit, with a better guess of its period, or count whole turns: turns={'theta': 1}.",
        "E-ORBIT-001",
    )
