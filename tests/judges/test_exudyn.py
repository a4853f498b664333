"""Flexible mechanisms beside Exudyn's finite elements: absolute nodal coordinates (ANCFCable2D), for any bending.

J. Gerstmayr, *Exudyn: a C++-based Python package for flexible multibody systems*, Multibody System Dynamics (2023). Its
cable is extensible; EA is so large that this matters little. A mesh of 16 elements and 4,000 steps is within 2e-4 of
twice and four times as many.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.judges.exudyn_beam import segments, segments_of_exudyn

import polhode as ph

pytest.importorskip("exudyn", reason="Exudyn is not installed: pip install exudyn")
L, EA, G = 1.0, 1e6, 9.81


def finite_elements(
    build: Callable[[Any, Any, Any], list[int]], start: float, mass: float, EI: float,
    fixed: tuple[list[int], list[int]], duration: float,
) -> list[np.ndarray]:  # fmt: skip
    """Rows (t, x, y) of some nodes of a cable along x; `build` adds to the system and names the nodes."""
    import exudyn as exu
    from exudyn import itemInterface as items
    from exudyn.beams import GenerateStraightLineANCFCable2D

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mbs = exu.SystemContainer().AddSystem()
        cable = items.Cable2D(physicsMassPerLength=mass / L, physicsBendingStiffness=EI, physicsAxialStiffness=EA)
        nodes = GenerateStraightLineANCFCable2D(
            mbs=mbs, positionOfNode0=[start, 0, 0], positionOfNode1=[start + L, 0, 0], numberOfElements=16,
            cableTemplate=cable, massProportionalLoad=[0, -G, 0], fixedConstraintsNode0=fixed[0],
            fixedConstraintsNode1=fixed[1],
        )[0]  # fmt: skip
        position = exu.OutputVariableType.Position
        sensors = [
            mbs.AddSensor(items.SensorNode(nodeNumber=node, storeInternal=True, outputVariableType=position))
            for node in build(mbs, items, nodes)
        ]
        mbs.Assemble()
        settings = exu.SimulationSettings()
        settings.timeIntegration.numberOfSteps, settings.timeIntegration.endTime = 4000, duration
        settings.timeIntegration.generalizedAlpha.spectralRadius = 0.8
        settings.timeIntegration.newton.useModifiedNewton = True
        settings.solutionSettings.sensorsWritePeriod = duration / 100
        settings.solutionSettings.writeSolutionToFile = False
        mbs.SolveDynamic(settings)
        return [np.array(mbs.GetSensorStoredData(sensor))[:, :3] for sensor in sensors]


def distance(run: ph.Trajectory, body: str, rows: np.ndarray) -> float:
    """The greatest distance of a body from a node, Exudyn's y being z."""
    p = run.pose(body)[0]
    return float(np.hypot(p[:, 0] - rows[:, 1], p[:, 2] - rows[:, 2]).max())


def pendulum(stiffening: bool, frame: str) -> tuple[ph.System, str]:
    s = ph.System("flexible pendulum", gravity=(0, 0, -G))
    rod = s.beam("rod", length=1, mass=1, EI=5, modes=3, load_shapes=1, frame=frame, stiffening=stiffening)
    s.joint("hinge", s.ground, rod, ph.Revolute("-y"))
    return s, rod.at(1, static=False).name


@pytest.fixture(scope="module")
def swung() -> np.ndarray:
    return finite_elements(lambda mbs, items, nodes: [nodes[-1]], 0.0, 1.0, 5.0, ([1, 1, 0, 0], [0, 0, 0, 0]), 1.0)[0]


@pytest.mark.parametrize("frame", ["tangent", "chord"])
def test_a_pendulum_that_bends_falls_as_finite_elements_do(swung: np.ndarray, frame: str) -> None:
    """Released horizontally, it bends by 5 % of its length; with stiffening the tip is within 0.06 %, else 1.4 %."""
    off = {}
    for stiffening in (True, False):
        s, tip = pendulum(stiffening, frame)
        run = s.derive().simulate(1.0, samples=np.linspace(0, 1.0, 101), rtol=1e-8, atol=1e-8)
        assert run.energy_drift < 1e-9
        off[stiffening] = distance(run, tip, swung)
    assert off[True] < 6e-4 and off[False] > 3 * off[True]


def test_a_slider_crank_with_a_rod_that_bends_moves_as_finite_elements_do() -> None:
    """The rod bends by 3.6 % of its length while the crank comes to 17 rad/s; it is then within 0.07 %."""
    a, mass, slider = 0.3, 0.5, 0.4

    def driven(mbs: Any, items: Any, nodes: list[int]) -> list[int]:
        ground = mbs.AddMarker(
            items.MarkerNodeCoordinate(nodeNumber=mbs.AddNode(items.NodePointGround()), coordinate=0)
        )
        pin = (lambda mbs, t, item, offset: a * np.cos(4 * t**3) - a, lambda mbs, t, item, offset: a * np.sin(4 * t**3))
        for k, offset in enumerate(pin):
            marker = mbs.AddMarker(items.MarkerNodeCoordinate(nodeNumber=nodes[0], coordinate=k))
            mbs.AddObject(items.CoordinateConstraint(markerNumbers=[ground, marker], offsetUserFunction=offset))
        block = mbs.AddNode(items.NodePoint2D(referenceCoordinates=[a + L, 0]))
        mbs.AddObject(items.MassPoint2D(physicsMass=slider, nodeNumber=block))
        x, y = (mbs.AddMarker(items.MarkerNodeCoordinate(nodeNumber=block, coordinate=k)) for k in (0, 1))
        tip = mbs.AddMarker(items.MarkerNodeCoordinate(nodeNumber=nodes[-1], coordinate=0))
        mbs.AddObject(items.CoordinateConstraint(markerNumbers=[x, tip]))
        mbs.AddObject(items.CoordinateConstraint(markerNumbers=[ground, y]))
        return [nodes[8], nodes[-1]]

    middle, end = finite_elements(driven, a, mass, 10.0, ([0, 0, 0, 0], [0, 1, 0, 0]), 1.2)
    s = ph.System("flexible slider-crank", gravity=(0, 0, -G))
    crank, block = s.body("crank", 1), s.body("block", "0.4")
    s.prescribe(s.joint("crank", s.ground, crank, ph.Revolute("-y")), 4 * s.time**3)
    rod = s.beam("rod", length=1, mass="0.5", EI=10, modes=2, ends=("pinned", "pinned"), stiffening=True)
    s.joint("pin", crank, rod, ph.Revolute("-y"), at=("0.3", 0, 0))
    half, tip = rod.at("1/2", static=False), rod.at(1, static=False)
    s.joint("slide", s.ground, block, ph.Prismatic("x"))
    s.close("wrist", tip, block, ph.Revolute("y"))
    run = s.derive().simulate(1.2, start={"slide": a + L}, samples=np.linspace(0, 1.2, 101), rtol=1e-8, atol=1e-8)
    assert np.abs(run["rod_z1"]).max() > 0.03 and distance(run, half.name, middle) < 7e-4
    assert distance(run, "block", end) < 4e-4 and run.drift.position < 1e-11


@pytest.mark.parametrize("radius", [0.5, 0.8])
def test_a_beam_of_stiff_segments_is_at_least_as_exact_at_the_same_steps(radius: float) -> None:
    equations, options = segments(8).derive(), {"samples": 101, "watch_energy": False}
    exact, ours = (
        equations.simulate(1, **method, **options).pose("tip")[0][:, :2]
        for method in ({"method": "DOP853"}, {"method": "generalised_alpha", "step": 1e-3, "spectral_radius": radius})
    )
    off, theirs = (np.linalg.norm(tip - exact, axis=1) for tip in (ours, segments_of_exudyn(8, 1e-3, radius, 1.0)[0]))
    assert off.max() < theirs.max() < 3e-4 and np.sqrt(np.mean(off**2)) < np.sqrt(np.mean(theirs**2))
