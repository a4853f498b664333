"""Effort and velocity limits of real robots, judged by Pinocchio's reading of the same files."""

from typing import Any

import numpy as np
import pytest
from tests.robots import ROBOTS

from polhode.formats.urdf import load_urdf
from polhode.model.records import Limits

pin = pytest.importorskip("pinocchio", reason="Pinocchio is the judge here: pip install polhode[test]")

#: All but a file without a link.
FILES = sorted(path.relative_to(ROBOTS).as_posix() for path in ROBOTS.rglob("*.urdf") if path.name != "ur3.urdf")


def largest(limits: tuple[Limits, ...]) -> float:
    """The limit of one speed; infinite where there is none."""
    if not limits:
        return float("inf")
    (ends,) = limits
    assert ends.upper is not None and ends.lower == -ends.upper
    return float(ends.upper)


def stated(value: float) -> float:
    """Pinocchio keeps the 0 of files that do not state a limit."""
    return float(value) or float("inf")


def of_speeds(model: Any, *names: str) -> Any:
    """The upper limits of all speeds, by the first of these names that this version has."""
    return next(np.asarray(getattr(model, name)) for name in names if hasattr(model, name))


@pytest.mark.parametrize("robot", FILES)
def test_limits_are_those_that_pinocchio_reads(robot: str) -> None:
    system = load_urdf(ROBOTS / robot, mimic="independent", massless="report", inertia="any")
    model = pin.buildModelFromUrdf(str(ROBOTS / robot))
    efforts = of_speeds(model, "upperEffortLimit", "effortLimit")
    speeds = of_speeds(model, "upperVelocityLimit", "velocityLimit")
    moving = [joint for joint in system.joints.values() if len(joint.u) == 1]
    places = [model.joints[model.getJointId(joint.name)].idx_v for joint in moving]
    assert len(moving) == model.nv
    assert [largest(joint.effort_limits) for joint in moving] == [stated(efforts[k]) for k in places]
    assert [largest(joint.speed_limits) for joint in moving] == [stated(speeds[k]) for k in places]
