"""Tendons: a length that is linear in coordinates, or that of a line over points of bodies."""

from __future__ import annotations

from dataclasses import dataclass

from ...expr import Expr
from ..fields import given
from .protocol import Equipment


@dataclass(frozen=True, kw_only=True)
class Tendon(Equipment):
    """A tendon of length Σ coefficient · coordinate over joints, or from frame to frame in a straight line."""

    table = "tendons"
    joints: tuple[str, ...] = given("joint", (), many=True)
    coefficients: tuple[Expr, ...] = given("number", (), many=True, doc="one for each joint")
    frames: tuple[str, ...] = given("frame", (), many=True, doc="the points that it goes over, in order")
    lower: Expr | None = given("number", None, doc="least length")
    upper: Expr | None = given("number", None, doc="largest length")
    stiffness: Expr = given("number", 0)
    damping: Expr = given("number", 0)
    slack: tuple[Expr, ...] = given("number", (), many=True, doc="the lengths between which its spring exerts nothing")
    friction: Expr = given("number", 0, doc="dry friction against a change of length")
    armature: Expr = given("number", 0, doc="inertia against a change of length")
