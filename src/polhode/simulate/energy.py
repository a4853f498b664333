"""Kinetic and potential energy along a run."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .state import Floats


@dataclass(frozen=True)
class Energy:
    """Energies at the samples, in joules."""

    kinetic: Floats
    potential: Floats

    @property
    def total(self) -> Floats:
        return self.kinetic + self.potential

    @property
    def in_play(self) -> float:
        """The largest kinetic energy plus the range of the potential."""
        return float(self.kinetic.max() + np.ptp(self.potential)) if len(self.kinetic) else 0.0

    @property
    def drift(self) -> float:
        """The largest |E - E0| relative to what is in play."""
        scale = self.in_play
        return float(np.abs(self.total - self.total[0]).max()) / scale if scale > 0.0 else 0.0
