"""Exudyn, the implicit integrator of flexible multibody dynamics, on N four-bars of rigid bars in a plane."""

from __future__ import annotations

from typing import Any

import exudyn as exu
import exudyn.itemInterface as items
import numpy as np

from .plain_tree import Floats

_GRAVITY = 9.81


class Exudyn:
    """N four-bars with all cranks upright and turning, in steps of one length by the generalized-α method (index 3).

    With constraints on speeds (index 2) it fails in the flat poses, which are singular. A bar is a body of three
    coordinates, a pin two conditions. Our angles turn the other way round.
    """

    def __init__(self, windows: int, speed: float, duration: float, step: float) -> None:
        self.windows = windows
        self.container = exu.SystemContainer()
        self.system = self.container.AddSystem()
        self.cranks, self.couplers = _four_bars(self.system, windows, speed)
        self.system.Assemble()
        self.settings = _settings(duration, step)

    def __call__(self) -> Floats:
        """The last state in our order: crank 0, coupler 0, crank 1 …, then their speeds."""
        self.system.SolveDynamic(
            self.settings, solverType=exu.DynamicSolverType.GeneralizedAlpha, showHints=False, showCausingItems=False
        )
        data = self.system.systemData
        return np.concatenate([
            self._ours(np.array(data.GetODE2Coordinates(exu.ConfigurationType.Current)).reshape(-1, 3)),
            self._ours(np.array(data.GetODE2Coordinates_t(exu.ConfigurationType.Current)).reshape(-1, 3)),
        ])  # fmt: skip

    def _ours(self, bodies: Floats) -> Floats:
        """Angles of cranks, and of couplers in their cranks."""
        angles = -bodies[:, 2]
        ours = np.empty(2 * self.windows + 1)
        ours[0::2] = angles[self.cranks]
        ours[1::2] = angles[self.couplers] - angles[self.cranks[:-1]]
        return ours


def _four_bars(system: Any, windows: int, speed: float) -> tuple[list[int], list[int]]:
    """Add bars and pins; the numbers of cranks and couplers among the bodies."""
    ground = system.AddObject(items.ObjectGround())

    def bar(centre: tuple[float, float], rates: tuple[float, float, float]) -> int:
        node = system.AddNode(items.NodeRigidBody2D(referenceCoordinates=[*centre, 0.0], initialVelocities=list(rates)))
        body = system.AddObject(items.ObjectRigidBody2D(physicsMass=1.0, physicsInertia=1 / 12, nodeNumber=node))
        weight = system.AddMarker(items.MarkerBodyPosition(bodyNumber=body))
        system.AddLoad(items.LoadForceVector(markerNumber=weight, loadVector=[0.0, -_GRAVITY, 0.0]))
        return int(body)

    def pin(body_a: int, at_a: tuple[float, float], body_b: int, at_b: tuple[float, float]) -> None:
        markers = [
            system.AddMarker(items.MarkerBodyPosition(bodyNumber=body, localPosition=[*at, 0.0]))
            for body, at in ((body_a, at_a), (body_b, at_b))
        ]
        system.AddObject(items.ObjectJointRevolute2D(markerNumbers=markers))

    cranks = [bar((k, 0.5), (0.5 * speed, 0.0, -speed)) for k in range(windows + 1)]
    couplers = [bar((k + 0.5, 1.0), (speed, 0.0, 0.0)) for k in range(windows)]
    for k, crank in enumerate(cranks):
        pin(ground, (k, 0.0), crank, (0.0, -0.5))
    for k, coupler in enumerate(couplers):
        pin(cranks[k], (0.0, 0.5), coupler, (-0.5, 0.0))
        pin(coupler, (0.5, 0.0), cranks[k + 1], (0.0, 0.5))
    return list(range(windows + 1)), list(range(windows + 1, 2 * windows + 1))


def _settings(duration: float, step: float) -> Any:
    """One thread, nothing written, a sparse solver, and Newton's iterations to where constraints hold well."""
    made = exu.SimulationSettings()
    time = made.timeIntegration
    time.endTime, time.numberOfSteps = duration, round(duration / step)
    time.newton.useModifiedNewton = True
    time.newton.relativeTolerance = time.newton.absoluteTolerance = 1e-10
    time.generalizedAlpha.spectralRadius = 0.9
    time.verboseMode = 0
    made.solutionSettings.writeSolutionToFile = False
    made.solutionSettings.sensorsStoreAndWriteFiles = False
    made.linearSolverType = exu.LinearSolverType.EigenSparse
    made.parallel.numberOfThreads = 1
    made.displayStatistics = made.displayComputationTime = False
    return made
