"""Kinetic and potential energy along a run, and a warning where a conservative mechanism does not keep it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...compiled.functions import Functions
from ...errors import warn
from ...notebook import Cell, Shown, course_table
from ..control.actuation import Signal
from ..initial_state import Floats

if TYPE_CHECKING:
    from .trajectory import Trajectory

#: The energy may drift by so many times the tolerance of a run; without a tolerance by this part of the energy scale.
_TIMES, _FIXED_STEP = 100.0, 1e-3
#: What rounding may do, as a part of the largest energy.
_ROUNDING = 1e3 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True, repr=False)
class Energy(Shown):
    """Energies at the samples, in joules."""

    kinetic: Floats
    potential: Floats

    def __repr__(self) -> str:
        return f"Energy({len(self.kinetic)} samples, drift {self.drift:.3g} of the energy scale)"

    def _cell(self) -> Cell:
        named = (("kinetic", self.kinetic), ("potential", self.potential), ("total", self.total))
        return Cell(repr(self), [course_table("energy in J", named)])

    @property
    def total(self) -> Floats:
        return self.kinetic + self.potential

    @property
    def scale(self) -> float:
        """The largest kinetic energy plus the range of the potential."""
        return float(self.kinetic.max() + (self.potential.max() - self.potential.min())) if len(self.kinetic) else 0.0

    @property
    def drift(self) -> float:
        """The largest |E - E0| relative to the energy scale."""
        return float(np.abs(self.total - self.total[0]).max()) / self.scale if self.scale > 0.0 else 0.0


def is_conservative(functions: Functions, tau: Signal, inputs: Signal) -> bool:
    """Whether kinetic and potential energy together must stay what they are."""
    if not tau.is_constant or tau.constant.any() or not inputs.is_constant:
        return False
    return functions.derivation.synopsis.keeps_energy and not {"t", "z"} & {*functions.native("energy").arrays}


def check_energy(run: Trajectory, tau: Signal, inputs: Signal) -> Trajectory:
    """The run with a notice, and a warning, if it lost or gained energy that nothing took or gave."""
    notice = _drift_in_words(run) if len(run) > 1 and is_conservative(run.mechanism, tau, inputs) else ""
    if not notice:
        return run
    warn(notice)
    return replace(run, info={**run.info, "notices": [*run.info.get("notices", ()), notice]})


def may_drift(q: Floats, u: Floats, kinetic: Floats, potential: Floats, facts: Mapping[str, Any]) -> NDArray[np.bool_]:
    """Members (N, samples, …) whose energy drift exceeds half the warning threshold."""
    with np.errstate(all="ignore"):
        total = kinetic + potential
        scale = kinetic.max(axis=1) + np.ptp(potential, axis=1)
        drift = np.abs(total - total[:, :1]).max(axis=1) / scale
        size = np.maximum(np.abs(q - q[:, :1]).max(axis=(1, 2)), np.abs(u).max(axis=(1, 2)))
        rounding = _ROUNDING * np.maximum(np.abs(kinetic), np.abs(potential)).max(axis=1) / scale
        allowed: Any = _FIXED_STEP
        if "rtol" in facts:
            allowed = _TIMES * np.maximum(facts["rtol"], facts["atol"] * np.maximum(1.0, 1.0 / size))
        return np.asarray(~(drift <= 0.5 * np.maximum(allowed, rounding)) & (size > 0.0) & (scale > 0.0))


def _drift_in_words(run: Trajectory) -> str:
    """What to say where the energy drifts by more than tolerance and rounding explain; nothing otherwise."""
    energy = run.energy
    scale, total = energy.scale, energy.total
    drift = float(np.abs(total - total[0]).max()) / (scale or np.inf)
    if drift <= _TIMES * run.info.get("rtol", 0.0):
        return ""
    size = max(float(np.abs(part).max(initial=0.0)) for part in (run.q - run.q[0], run.u))
    if size == 0.0:
        return ""
    rounding = _ROUNDING * float(np.abs([energy.kinetic, energy.potential]).max()) / scale
    if "rtol" in run.info:
        tolerance = max(run.info["rtol"], run.info["atol"] * max(1.0, 1.0 / size))
        allowed, words = _TIMES * tolerance, f"{_TIMES:g} times the tolerance of {tolerance:.2g}"
    else:
        allowed, words = _FIXED_STEP, f"{_FIXED_STEP:g}"
    if not drift > max(allowed, rounding):
        return ""
    worst = int(np.argmax(np.abs(total - total[0])))
    return (
        f"nothing feeds or drains this mechanism, but its energy went from {total[0]:.9g} J to {total[worst]:.9g} J at "
        f"t = {run.t[worst]:.6g} s: by {drift:.1e} of the energy scale, more than {words}. Take smaller steps or "
        "tolerances, or another method, and see in `energy.total` where it happens."
    )
