"""A beam of rigid segments with springs between them, ours and in Exudyn."""

import time
import warnings

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


def segments_of_exudyn(
    count: int, step: float, radius: float, duration: float, every: float = 0.01, sparse: bool = True
) -> tuple[np.ndarray, float]:
    """Rows (x, y) of the tip, by generalised-α steps on bodies with three coordinates each, and seconds of the run."""
    import exudyn as exu
    from exudyn import itemInterface as items

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mbs, length = exu.SystemContainer().AddSystem(), 2 / count
        ground = mbs.AddObject(items.ObjectGround())
        before, turn_before = mbs.AddMarker(items.MarkerBodyPosition(bodyNumber=ground)), None
        for i in range(count):
            node = mbs.AddNode(items.NodeRigidBody2D(referenceCoordinates=[(0.5 + i) * length, 0, 0]))
            body = mbs.AddObject(items.ObjectRigidBody2D(physicsMass=length, physicsInertia=0, nodeNumber=node))
            weight = mbs.AddMarker(items.MarkerBodyMass(bodyNumber=body))
            mbs.AddLoad(items.LoadMassProportional(markerNumber=weight, loadVector=[0, -9.81, 0]))
            ends = [
                mbs.AddMarker(items.MarkerBodyPosition(bodyNumber=body, localPosition=[x, 0, 0]))
                for x in (-length / 2, length / 2)
            ]
            mbs.AddObject(items.ObjectJointRevolute2D(markerNumbers=[before, ends[0]]))
            turn = mbs.AddMarker(items.MarkerNodeCoordinate(nodeNumber=node, coordinate=2))
            if turn_before is not None:
                markers = [turn_before, turn]
                mbs.AddObject(items.CoordinateSpringDamper(markerNumbers=markers, stiffness=1 / length))
            before, turn_before = ends[1], turn
        position = exu.OutputVariableType.Position
        tip = mbs.AddSensor(items.SensorMarker(markerNumber=before, storeInternal=True, outputVariableType=position))
        mbs.Assemble()
        settings = exu.SimulationSettings()
        settings.timeIntegration.numberOfSteps, settings.timeIntegration.endTime = round(duration / step), duration
        settings.timeIntegration.generalizedAlpha.spectralRadius = radius
        settings.timeIntegration.newton.useModifiedNewton = True
        if sparse:
            settings.linearSolverType = exu.LinearSolverType.EigenSparse
        settings.solutionSettings.sensorsWritePeriod = every
        settings.solutionSettings.writeSolutionToFile = False
        settings.parallel.numberOfThreads = 1
        settings.timeIntegration.verboseMode = 0
        begin = time.perf_counter()
        mbs.SolveDynamic(settings)
        seconds = time.perf_counter() - begin
        return np.array(mbs.GetSensorStoredData(tip))[:, 1:3], seconds
