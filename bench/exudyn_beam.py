"""The beam of rigid segments (`ported.segments`) in Exudyn: bodies in a plane, pins, springs between their angles."""

from __future__ import annotations

import time

import exudyn as exu
import exudyn.itemInterface as items
import numpy as np

from .plain_tree import Floats


def tip_of_beam(n: int, duration: float = 4.0, step: float = 1e-3, sparse: bool = False) -> tuple[Floats, float]:
    """Places of the tip every half second, and the seconds that it took: generalized-α of spectral radius 0.5."""
    container = exu.SystemContainer()
    system = container.AddSystem()
    length = 2.0 / n
    ground = system.AddObject(items.ObjectGround())
    right = system.AddMarker(items.MarkerBodyPosition(bodyNumber=ground))
    turn = None
    for k in range(n):
        node = system.AddNode(items.NodeRigidBody2D(referenceCoordinates=[(k + 0.5) * length, 0.0, 0.0]))
        body = system.AddObject(items.ObjectRigidBody2D(physicsMass=length, nodeNumber=node))
        centre = system.AddMarker(items.MarkerBodyMass(bodyNumber=body))
        system.AddLoad(items.LoadMassProportional(markerNumber=centre, loadVector=[0.0, -9.81, 0.0]))
        ends = [
            system.AddMarker(items.MarkerBodyPosition(bodyNumber=body, localPosition=[side * length / 2, 0.0, 0.0]))
            for side in (-1, 1)
        ]
        system.AddObject(items.ObjectJointRevolute2D(markerNumbers=[right, ends[0]]))
        angle = system.AddMarker(items.MarkerNodeCoordinate(nodeNumber=node, coordinate=2))
        if turn is not None:
            spring = items.ObjectConnectorCoordinateSpringDamper(markerNumbers=[turn, angle], stiffness=1 / length)
            system.AddObject(spring)
        turn, right = angle, ends[1]
    tip = system.AddSensor(
        items.SensorBody(
            bodyNumber=body, localPosition=[length / 2, 0.0, 0.0], writeToFile=False, storeInternal=True,
            outputVariableType=exu.OutputVariableType.Position,
        )
    )  # fmt: skip
    system.Assemble()
    settings = exu.SimulationSettings()
    settings.timeIntegration.endTime, settings.timeIntegration.numberOfSteps = duration, round(duration / step)
    settings.timeIntegration.newton.useModifiedNewton = True
    settings.timeIntegration.generalizedAlpha.spectralRadius = 0.5
    settings.timeIntegration.verboseMode = 0
    settings.solutionSettings.writeSolutionToFile = False
    settings.solutionSettings.sensorsWritePeriod = 0.5
    settings.parallel.numberOfThreads = 1
    if sparse:
        settings.linearSolverType = exu.LinearSolverType.EigenSparse
    begin = time.perf_counter()
    system.SolveDynamic(settings)
    seconds = time.perf_counter() - begin
    return np.array(system.GetSensorStoredData(tip))[1:, 1:3], seconds
