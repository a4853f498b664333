"""Exudyn, the implicit integrator of flexible multibody dynamics: N four-bars and a beam of bars in a plane."""

import time
from typing import Any

import exudyn as exu
import exudyn.itemInterface as items
import numpy as np

from ..motions import Floats

_GRAVITY = 9.81


class _Plane:
    """Rigid bars along x or y in a vertical plane, with weight, and pins between their points."""

    def __init__(self) -> None:
        self.container = exu.SystemContainer()
        self.system = self.container.AddSystem()
        self.ground = self.system.AddObject(items.ObjectGround())

    def bar(self, centre: Any, mass: float, inertia: float, rates: Any = (0.0, 0.0, 0.0)) -> tuple[int, int]:
        """Numbers of the body and of its node."""
        reference = {"referenceCoordinates": [*centre, 0.0], "initialVelocities": list(rates)}
        node = self.system.AddNode(items.NodeRigidBody2D(**reference))
        moving = items.ObjectRigidBody2D(physicsMass=mass, physicsInertia=inertia, nodeNumber=node)
        body = self.system.AddObject(moving)
        load = items.LoadForceVector(markerNumber=self.at(body), loadVector=[0.0, -_GRAVITY * mass, 0.0])
        self.system.AddLoad(load)
        return int(body), int(node)

    def at(self, body: int, x: float = 0.0, y: float = 0.0) -> Any:
        return self.system.AddMarker(items.MarkerBodyPosition(bodyNumber=body, localPosition=[x, y, 0.0]))

    def pin(self, one: Any, other: Any) -> None:
        self.system.AddObject(items.ObjectJointRevolute2D(markerNumbers=[one, other]))


def _settings(duration: float, step: float, radius: float, sparse: bool) -> Any:
    """Generalised-α (index 3) in one thread, nothing written."""
    made = exu.SimulationSettings()
    timing = made.timeIntegration
    timing.endTime, timing.numberOfSteps = duration, round(duration / step)
    timing.newton.useModifiedNewton = True
    timing.generalizedAlpha.spectralRadius = radius
    timing.verboseMode = 0
    made.solutionSettings.writeSolutionToFile = False
    made.parallel.numberOfThreads = 1
    made.displayStatistics = made.displayComputationTime = False
    if sparse:
        made.linearSolverType = exu.LinearSolverType.EigenSparse
    return made


class FourBars:
    """N four-bars with all cranks upright and turning.

    With constraints on speeds (index 2) it fails in the flat poses, which are singular. Our angles have the other sign.
    """

    def __init__(self, windows: int, speed: float, duration: float, step: float) -> None:
        plane = self.plane = _Plane()
        cranks = [plane.bar((k, 0.5), 1.0, 1 / 12, (0.5 * speed, 0.0, -speed))[0] for k in range(windows + 1)]
        couplers = [plane.bar((k + 0.5, 1.0), 1.0, 1 / 12, (speed, 0.0, 0.0))[0] for k in range(windows)]
        for k, crank in enumerate(cranks):
            plane.pin(plane.at(plane.ground, k), plane.at(crank, 0.0, -0.5))
        for k, coupler in enumerate(couplers):
            plane.pin(plane.at(cranks[k], 0.0, 0.5), plane.at(coupler, -0.5))
            plane.pin(plane.at(coupler, 0.5), plane.at(cranks[k + 1], 0.0, 0.5))
        plane.system.Assemble()
        self.windows, self.settings = windows, _settings(duration, step, 0.9, sparse=True)
        newton = self.settings.timeIntegration.newton
        newton.relativeTolerance = newton.absoluteTolerance = 1e-10  # where constraints hold well
        self.settings.solutionSettings.sensorsStoreAndWriteFiles = False

    def __call__(self) -> Floats:
        """The last state in our order: crank 0, coupler 0, crank 1 …, then their speeds."""
        alpha = exu.DynamicSolverType.GeneralizedAlpha
        self.plane.system.SolveDynamic(self.settings, solverType=alpha, showHints=False, showCausingItems=False)
        data, now = self.plane.system.systemData, exu.ConfigurationType.Current
        return np.concatenate([self._ours(data.GetODE2Coordinates(now)), self._ours(data.GetODE2Coordinates_t(now))])

    def _ours(self, coordinates: Any) -> Floats:
        """Angles of cranks, and of couplers in their cranks."""
        cranks, couplers = np.split(-np.reshape(coordinates, (-1, 3))[:, 2], [self.windows + 1])
        ours = np.empty(2 * self.windows + 1)
        ours[0::2], ours[1::2] = cranks, couplers - cranks[:-1]
        return ours


def tip_of_beam(size: int, sparse: bool) -> tuple[Floats, float]:
    """Positions of the tip of `mechanisms.segments` every half second for 4 s, and the seconds of the run."""
    plane, length = _Plane(), 2.0 / size
    right, turn = plane.at(plane.ground), None
    for k in range(size):
        body, node = plane.bar(((k + 0.5) * length, 0.0), length, 0.0)
        plane.pin(right, plane.at(body, -length / 2))
        angle = plane.system.AddMarker(items.MarkerNodeCoordinate(nodeNumber=node, coordinate=2))
        if turn is not None:
            spring = items.ObjectConnectorCoordinateSpringDamper(markerNumbers=[turn, angle], stiffness=1 / length)
            plane.system.AddObject(spring)
        turn, right = angle, plane.at(body, length / 2)
    position, stored = exu.OutputVariableType.Position, {"writeToFile": False, "storeInternal": True}
    sensor = items.SensorBody(
        bodyNumber=body, localPosition=[length / 2, 0.0, 0.0], outputVariableType=position, **stored
    )
    tip = plane.system.AddSensor(sensor)
    plane.system.Assemble()
    settings = _settings(4.0, 1e-3, 0.5, sparse)
    settings.solutionSettings.sensorsWritePeriod = 0.5
    begin = time.perf_counter()
    plane.system.SolveDynamic(settings)
    seconds = time.perf_counter() - begin
    return np.array(plane.system.GetSensorStoredData(tip))[1:, 1:3], seconds
