"""Actuators: a force that is linear in control, length and velocity, through a gear."""

from __future__ import annotations

from dataclasses import dataclass

from ...expr import Expr
from ..fields import given
from .protocol import Equipment

#: How the activation w follows the control c: w = c, ẇ = c, ẇ = (c - w)/time_constant.
DYNAMICS = ("none", "integrator", "filter")


@dataclass(frozen=True, kw_only=True)
class Actuator(Equipment):
    """An actuator on a joint, tendon or frame, of force f = (g0 + g1 l + g2 l̇) w + b0 + b1 l + b2 l̇.

    The length l is gear · coordinate (or tendon length), the effort gear · f; on a frame the gear is a wrench (force,
    then torque) in its axes. With gain g and bias b, a motor has (1, 0, 0) and none, a position servo (k, 0, 0) and
    (0, -k, -d), a velocity servo (k, 0, 0) and (0, 0, -k). w is the control or, with dynamics, what follows it.
    """

    table = "actuators"
    joint: str | None = given("joint", None)
    tendon: str = given("label", "")
    frame: str | None = given("frame", None)
    gear: tuple[Expr, ...] = given("number", (1,), many=True)
    gain: tuple[Expr, ...] = given("number", (1, 0, 0), count=3)
    bias: tuple[Expr, ...] = given("number", (0, 0, 0), count=3)
    control_lower: Expr | None = given("number", None)
    control_upper: Expr | None = given("number", None)
    force_lower: Expr | None = given("number", None)
    force_upper: Expr | None = given("number", None)
    dynamics: str = given("word", "none", choices=DYNAMICS)
    time_constant: Expr = given("number", 0, unit="s")
