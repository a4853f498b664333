"""Exudyn, the implicit integrator of flexible multibody dynamics: N four-bars in a plane."""

from typing import Any

import exudyn as exu
import exudyn.itemInterface as items
import numpy as np

from ..motions import Floats, Motion


class FourBars:
    """N four-bars with all cranks upright and turning, by generalised-α (index 3) in steps of one length.

    With constraints on speeds (index 2) it fails in the flat poses, which are singular. A bar is a body of three
    coordinates, a pin two conditions. Our angles have the other sign.
    """

    def __init__(self, motion: Motion, step: float) -> None:
        windows, speed = (len(motion.equations.coordinates) - 1) // 2, float(motion.pendulum_start[1])
        self.windows, self.container = windows, exu.SystemContainer()
        self.system = self.container.AddSystem()
        ground = self.system.AddObject(items.ObjectGround())
        cranks = [self._bar((k, 0.5), (0.5 * speed, 0.0, -speed)) for k in range(windows + 1)]
        couplers = [self._bar((k + 0.5, 1.0), (speed, 0.0, 0.0)) for k in range(windows)]
        for k, crank in enumerate(cranks):
            self._pin(ground, (k, 0.0), crank, (0.0, -0.5))
        for k, coupler in enumerate(couplers):
            self._pin(cranks[k], (0.0, 0.5), coupler, (-0.5, 0.0))
            self._pin(coupler, (0.5, 0.0), cranks[k + 1], (0.0, 0.5))
        self.system.Assemble()
        settings = self.settings = exu.SimulationSettings()
        integration = settings.timeIntegration
        integration.endTime, integration.numberOfSteps = motion.duration, round(motion.duration / step)
        integration.generalizedAlpha.spectralRadius = 0.9
        integration.newton.useModifiedNewton = True
        integration.newton.relativeTolerance = integration.newton.absoluteTolerance = 1e-10
        integration.verboseMode = 0
        settings.solutionSettings.writeSolutionToFile = settings.solutionSettings.sensorsStoreAndWriteFiles = False
        settings.linearSolverType = exu.LinearSolverType.EigenSparse
        settings.parallel.numberOfThreads = 1
        settings.displayStatistics = settings.displayComputationTime = False

    def _bar(self, centre: Any, rates: Any) -> Any:
        start = {"referenceCoordinates": [*centre, 0.0], "initialVelocities": list(rates)}
        node = self.system.AddNode(items.NodeRigidBody2D(**start))
        bar = self.system.AddObject(items.ObjectRigidBody2D(physicsMass=1.0, physicsInertia=1 / 12, nodeNumber=node))
        weight = self.system.AddMarker(items.MarkerBodyPosition(bodyNumber=bar))
        self.system.AddLoad(items.LoadForceVector(markerNumber=weight, loadVector=[0.0, -9.81, 0.0]))
        return bar

    def _pin(self, body_a: Any, at_a: Any, body_b: Any, at_b: Any) -> None:
        markers = [
            self.system.AddMarker(items.MarkerBodyPosition(bodyNumber=body, localPosition=[*at, 0.0]))
            for body, at in ((body_a, at_a), (body_b, at_b))
        ]
        self.system.AddObject(items.ObjectJointRevolute2D(markerNumbers=markers))

    def __call__(self) -> Floats:
        """The last state in our order: crank 0, coupler 0, crank 1 …, then their speeds."""
        alpha = exu.DynamicSolverType.GeneralizedAlpha
        self.system.SolveDynamic(self.settings, solverType=alpha, showHints=False, showCausingItems=False)
        data, now = self.system.systemData, exu.ConfigurationType.Current
        return np.concatenate([self._ours(data.GetODE2Coordinates(now)), self._ours(data.GetODE2Coordinates_t(now))])

    def _ours(self, coordinates: Any) -> Floats:
        """Angles of cranks, and of couplers in their cranks."""
        cranks, couplers = np.split(-np.reshape(coordinates, (-1, 3))[:, 2], [self.windows + 1])
        ours = np.empty(2 * self.windows + 1)
        ours[0::2], ours[1::2] = cranks, couplers - cranks[:-1]
        return ours
