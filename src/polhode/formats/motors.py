"""Motors in a model file, in and out: each by the joint that it drives; what it adds is not written again.

Nor is what flexible bodies add.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..model import System
from ..model.flexible.mounting import added
from ..model.forces.elasticity import Elasticity
from ..model.forces.protocol import ForceElement
from ..model.model import Model
from ..model.motor import Motor
from . import records
from .document import Path
from .fields import describe_fields, read_fields
from .names import Scope, scope_of
from .values import Values


def add_motors(system: System, values: Values, model: records.Model) -> None:
    """The motors of a file, each on the joint that its key names."""
    given: Mapping[str, Any] = getattr(model, "motors", {})  # a section that the vocabulary adds
    for key, record in given.items():
        path: Path = ("motors", key)
        before = len(values.document.problems)
        free = replace(scope_of(system, now=True), functions=values.scope.functions)
        said = read_fields(values, path, Motor.fields, record, free)
        if len(values.document.problems) > before or (key in model.joints and key not in system.joints):
            continue  # told already
        with values.noting(path):
            system.motor(key, **said)


@dataclass(frozen=True)
class Described:
    """The motors of a system that a file can tell, and what is left without all that they and flexible bodies add.

    A motor whose rotor carries something else, or has a frame, is not told: its parts are written one by one.
    """

    system: Model
    motors: tuple[Motor, ...]
    other_loads: tuple[ForceElement, ...]

    @staticmethod
    def of(written: System | Model) -> Described:
        system = written if isinstance(written, Model) else written.model()
        own = {name for motor in system.motors.values() for name in motor.bodies}
        used = {joint.parent for joint in system.joints.values() if joint.name not in own}
        used |= {frame.body for frame in system.frames.values()}
        motors = tuple(motor for motor in system.motors.values() if used.isdisjoint(motor.bodies))
        left = [load for load in system.loads if not isinstance(load, Elasticity)]
        for load in (load for motor in motors for load in motor.loads):
            left.remove(load)
        return Described(system, motors, tuple(left))

    def others(self, table: str) -> Iterator[tuple[str, Any]]:
        """The entries of a table of the system that neither a motor nor a flexible body adds."""
        names = {name for motor in self.motors for name in motor.added(table)}
        names |= {name for record in self.system.flexible.values() for name in added(record).get(table, ())}
        return ((key, each) for key, each in getattr(self.system, table).items() if key not in names)

    def texts(self, fixed: Scope, free: Scope) -> dict[str, Any]:
        """What a file says of each motor."""
        whole = replace(free, naming=None)  # motors are read before the expressions that a file names
        return {motor.joint: describe_fields(Motor.fields, motor, fixed, whole) for motor in self.motors}
