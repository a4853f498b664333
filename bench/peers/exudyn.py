"""Exudyn, the implicit integrator of flexible multibody dynamics: N four-bars in a plane."""

from typing import Any

import numpy as np
from tests.judges.exudyn_beam import Bars

from ..motions import Floats, Motion


class FourBars(Bars):
    """N four-bars with all cranks upright and turning, by generalised-α (index 3) in steps of one length.

    With constraints on speeds (index 2) it fails in the flat poses, which are singular. Our angles have the other sign.
    """

    def __init__(self, motion: Motion, step: float) -> None:
        super().__init__()
        self.windows, speed = (len(motion.equations.coordinates) - 1) // 2, float(motion.pendulum_start[1])
        rates = (0.5 * speed, 0.0, -speed), (speed, 0.0, 0.0)
        cranks = [self.bar(1, 1 / 12, (k, 0.5), rates[0])[1] for k in range(self.windows + 1)]
        couplers = [self.bar(1, 1 / 12, (k + 0.5, 1.0), rates[1])[1] for k in range(self.windows)]
        for k, crank in enumerate(cranks):
            self.pin(self.point(self.ground, k), self.point(crank, 0, -0.5))
        for k, coupler in enumerate(couplers):
            self.pin(self.point(cranks[k], 0, 0.5), self.point(coupler, -0.5))
            self.pin(self.point(coupler, 0.5), self.point(cranks[k + 1], 0, 0.5))
        self.system.Assemble()
        self.chosen = self.settings(motion.duration, step, 0.9)
        newton, solution = self.chosen.timeIntegration.newton, self.chosen.solutionSettings
        newton.relativeTolerance = newton.absoluteTolerance = 1e-10
        solution.sensorsStoreAndWriteFiles = False
        self.chosen.displayStatistics = self.chosen.displayComputationTime = False

    def __call__(self) -> Floats:
        """The last state in our order: crank 0, coupler 0, crank 1 …, then their speeds."""
        alpha = self.exu.DynamicSolverType.GeneralizedAlpha
        self.system.SolveDynamic(self.chosen, solverType=alpha, showHints=False, showCausingItems=False)
        data, now = self.system.systemData, self.exu.ConfigurationType.Current
        return np.concatenate([self._ours(data.GetODE2Coordinates(now)), self._ours(data.GetODE2Coordinates_t(now))])

    def _ours(self, coordinates: Any) -> Floats:
        """Angles of cranks, and of couplers in their cranks."""
        cranks, couplers = np.split(-np.reshape(coordinates, (-1, 3))[:, 2], [self.windows + 1])
        ours = np.empty(2 * self.windows + 1)
        ours[0::2], ours[1::2] = cranks, couplers - cranks[:-1]
        return ours
