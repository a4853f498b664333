"""T. R. Kane, R. R. Ryan and A. K. Banerjee, "Dynamics of a Cantilever Beam Attached to a Moving Base", Journal of
Guidance, Control, and Dynamics 10 (1987): a beam on a hub that is spun up to 6 rad/s in 15 s.

With a displacement linear in the coordinates the beam diverges, its first frequency at rest being 3.8 rad/s; with
foreshortening its tip lags by about 0.57 m and comes back. Exudyn's absolute nodal coordinates are the reference.
"""

import warnings

import numpy as np
import pytest

import polhode as ph

L, MASS, EI, T, SPEED = 10.0, 12.0, 1.4e4, 15.0, 6.0
TIMES = np.linspace(0, 18, 181)


def angle(t: float) -> float:
    """∫ Ω dt with Ω = (6/15) (t - (15/2π) sin(2π t/15)), then 6."""
    inner = min(t, T)
    turned = SPEED / T * (inner**2 / 2 + (T / (2 * np.pi)) ** 2 * (np.cos(2 * np.pi * inner / T) - 1))
    return float(turned + SPEED * max(t - T, 0))


def lag(stiffening: bool, duration: float, modes: int = 2) -> np.ndarray:
    """The tip's displacement across the rotating hub."""
    s = ph.System("spin-up", gravity=(0, 0, 0))
    t, w = s.time, 2 * ph.pi / 15
    law = ph.expr.as_expr("6/15") * (t**2 / 2 + (ph.cos(w * t) - 1) / w**2)
    rod = s.beam("rod", length=10, mass=12, EI=14000, modes=modes, bending="y", stiffening=stiffening)
    s.prescribe(s.joint("hub", s.ground, rod, ph.Revolute("z")), law)
    rod.at(10, static=False)
    samples = TIMES[duration >= TIMES]
    run = s.derive().simulate(duration, samples=samples, rtol=1e-8, atol=1e-8)
    return np.asarray(sum(run[q.name] for q in rod.q))  # each normal mode is 1 at the tip


@pytest.fixture(scope="module")
def stiffened() -> np.ndarray:
    return lag(True, T)


def test_with_stiffening_the_tip_lags_by_half_a_metre_and_comes_back(stiffened: np.ndarray) -> None:
    worst = int(np.argmin(stiffened))
    assert stiffened[worst] == pytest.approx(-0.57, abs=0.02) and 6 < TIMES[worst] < 8.5 and abs(stiffened[-1]) < 0.02


def test_without_stiffening_it_diverges() -> None:
    away = lag(False, 12.0)
    assert np.abs(away).max() > L


@pytest.mark.trial
def test_the_tip_moves_as_that_of_finite_elements(stiffened: np.ndarray) -> None:
    pytest.importorskip("exudyn", reason="Exudyn is not installed: pip install exudyn")
    import exudyn as exu
    from exudyn import itemInterface as items
    from exudyn.beams import GenerateStraightLineANCFCable2D

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mbs = exu.SystemContainer().AddSystem()
        cable = items.Cable2D(physicsMassPerLength=MASS / L, physicsBendingStiffness=EI, physicsAxialStiffness=2.8e7)
        nodes = GenerateStraightLineANCFCable2D(
            mbs=mbs, positionOfNode0=[0, 0, 0], positionOfNode1=[L, 0, 0], numberOfElements=8, cableTemplate=cable,
            massProportionalLoad=[0, 0, 0], fixedConstraintsNode0=[1, 1, 0, 0], fixedConstraintsNode1=[0, 0, 0, 0],
        )[0]  # fmt: skip
        ground = mbs.AddMarker(
            items.MarkerNodeCoordinate(nodeNumber=mbs.AddNode(items.NodePointGround()), coordinate=0)
        )
        slopes = (lambda mbs, t, item, offset: np.cos(angle(t)) - 1, lambda mbs, t, item, offset: np.sin(angle(t)))
        for k, offset in enumerate(slopes, start=2):
            marker = mbs.AddMarker(items.MarkerNodeCoordinate(nodeNumber=nodes[0], coordinate=k))
            mbs.AddObject(items.CoordinateConstraint(markerNumbers=[ground, marker], offsetUserFunction=offset))
        sensor = mbs.AddSensor(
            items.SensorNode(
                nodeNumber=nodes[-1], storeInternal=True, outputVariableType=exu.OutputVariableType.Position
            )
        )
        mbs.Assemble()
        settings = exu.SimulationSettings()
        settings.timeIntegration.numberOfSteps, settings.timeIntegration.endTime = 1200, T
        settings.timeIntegration.generalizedAlpha.spectralRadius = 0.8
        settings.timeIntegration.newton.useModifiedNewton = True
        settings.solutionSettings.sensorsWritePeriod = 0.1
        settings.solutionSettings.writeSolutionToFile = False
        mbs.SolveDynamic(settings)
        rows = np.array(mbs.GetSensorStoredData(sensor))
    turned = np.array([angle(t) for t in rows[:, 0]])
    across = rows[:, 2] * np.cos(turned) - rows[:, 1] * np.sin(turned)
    assert np.abs(across - stiffened[: len(across)]).max() < 0.01  # of 0.57 m, 1e-3 of the length
