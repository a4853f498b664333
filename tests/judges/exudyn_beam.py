"""Rigid bars in a plane with pins and springs in Exudyn, and a beam of such segments, ours and in Exudyn."""

import time
import warnings
from typing import Any

import numpy as np

import polhode as ph


def segments(count: int) -> ph.System:
    """A beam of stiff segments without rotational inertia, hinged at its begin (Exudyn's finiteSegmentMethod)."""
    s = ph.System("beam", gravity=(0, -9.81, 0))
    length, body, at = 2 / count, s.ground, 0.0
    for i in range(count):
        segment = s.body(f"s{i}", length, (length / 2, 0, 0))
        hinge = s.joint(f"a{i}", body, segment, ph.Revolute("z"), at=(at, 0, 0))
        if i:
            s.joint_spring(hinge, 1 / length)
        body, at = segment, length
    s.frame("tip", body, at=(length, 0, 0))
    return s


class Bars:
    """Bars in the plane x, y under gravity, three coordinates each, by generalised-α steps (index 3) of one thread."""

    def __init__(self) -> None:
        import exudyn as exu
        from exudyn import itemInterface as items

        self.exu, self.items, self.container = exu, items, exu.SystemContainer()
        self.system = self.container.AddSystem()
        self.ground = self.system.AddObject(items.ObjectGround())

    def bar(self, mass: float, inertia: float, centre: Any, rates: Any = (0, 0, 0)) -> tuple[Any, Any]:
        """Node and body of a bar along x, at its centre."""
        start = {"referenceCoordinates": [*centre, 0], "initialVelocities": list(rates)}
        node = self.system.AddNode(self.items.NodeRigidBody2D(**start))
        given = {"physicsMass": mass, "physicsInertia": inertia, "nodeNumber": node}
        body = self.system.AddObject(self.items.ObjectRigidBody2D(**given))
        weight = {"markerNumber": self.point(body), "loadVector": [0, -9.81 * mass, 0]}
        self.system.AddLoad(self.items.LoadForceVector(**weight))
        return node, body

    def point(self, body: Any, x: float = 0, y: float = 0) -> Any:
        return self.system.AddMarker(self.items.MarkerBodyPosition(bodyNumber=body, localPosition=[x, y, 0]))

    def pin(self, *points: Any) -> None:
        self.system.AddObject(self.items.ObjectJointRevolute2D(markerNumbers=list(points)))

    def settings(self, duration: float, step: float, radius: float, sparse: bool = True) -> Any:
        """The settings of a run, with a spectral radius."""
        settings = self.exu.SimulationSettings()
        integration = settings.timeIntegration
        integration.endTime, integration.numberOfSteps = duration, round(duration / step)
        integration.generalizedAlpha.spectralRadius = radius
        integration.newton.useModifiedNewton, integration.verboseMode = True, 0
        if sparse:
            settings.linearSolverType = self.exu.LinearSolverType.EigenSparse
        settings.solutionSettings.writeSolutionToFile = False
        settings.parallel.numberOfThreads = 1
        return settings


def segments_of_exudyn(
    count: int, step: float, radius: float, duration: float, every: float = 0.01, sparse: bool = True
) -> tuple[np.ndarray, float]:
    """Rows (x, y) of the tip, and seconds of the run."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        bars, length = Bars(), 2 / count
        mbs, items = bars.system, bars.items
        before, turn_before = bars.point(bars.ground), None
        for i in range(count):
            node, body = bars.bar(length, 0, ((0.5 + i) * length, 0))
            bars.pin(before, bars.point(body, -length / 2))
            turn = mbs.AddMarker(items.MarkerNodeCoordinate(nodeNumber=node, coordinate=2))
            if turn_before is not None:
                markers = [turn_before, turn]
                mbs.AddObject(items.CoordinateSpringDamper(markerNumbers=markers, stiffness=1 / length))
            before, turn_before = bars.point(body, length / 2), turn
        position = bars.exu.OutputVariableType.Position
        tip = mbs.AddSensor(items.SensorMarker(markerNumber=before, storeInternal=True, outputVariableType=position))
        mbs.Assemble()
        settings = bars.settings(duration, step, radius, sparse)
        settings.solutionSettings.sensorsWritePeriod = every
        begin = time.perf_counter()
        mbs.SolveDynamic(settings)
        seconds = time.perf_counter() - begin
        return np.array(mbs.GetSensorStoredData(tip))[:, 1:3], seconds
