"""Sensors as outputs."""

from __future__ import annotations

from dataclasses import dataclass

from ...expr import Expr
from ..fields import given
from .protocol import Equipment


@dataclass(frozen=True, kw_only=True)
class Sensor(Equipment):
    """A sensor: the quantity, what it is measured on, and its value where that is an expression of the state."""

    table = "sensors"
    quantity: str = given("name", doc="such as jointpos, framepos or gyro, as in MJCF")
    of: str = given("label", "", doc="the joint, tendon, actuator, body or frame")
    value: Expr | None = given("number", None, free=True, doc="the output")
