"""The Motor: what a user says of what drives a joint, and what it adds to a model under which names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypedDict

from ..expr import Expr, Vector
from .fields import GivenFields, given
from .forces.protocol import ForceElement

#: Whether a rotor is a body like any other, or turns by itself, decoupled from the link that carries it (278).
COUPLINGS = ("full", "reduced")


class MotorOptions(TypedDict, total=False):
    """Options of a motor besides its joint and its ratio; see `Motor`."""

    inertia: Any
    mass: Any
    stiffness: Any
    damping: Any
    friction: Any
    joint_friction: Any
    coupling: str
    on: Any
    axis: Any
    at: Any
    com: Any
    resistance: Any
    inductance: Any
    constant: Any


@dataclass(frozen=True, kw_only=True)
class Motor:
    """A motor on a joint, geared if it has no stiffness; inertia about the rotor's axes, the third along its spin."""

    fields = GivenFields()

    joint: str
    ratio: Expr = given("number", 1, doc="turns of the rotor for one of the joint")
    inertia: tuple[Expr, ...] = given(
        "number", (0, 0, 0), count=3, alone=True, unit="kg·m²", doc="across, across, along the axis, or along it alone"
    )
    mass: Expr = given("number", 0, unit="kg")
    stiffness: Expr | None = given("number", None, free=True, unit="N·m/rad", doc="of the gear, on the joint's side")
    damping: Expr = given("number", 0, free=True, unit="N·m·s/rad", doc="of the gear, on the joint's side")
    friction: Expr = given("number", 0, free=True, unit="N·m·s/rad", doc="viscous, of the rotor's bearings")
    joint_friction: Expr = given("number", 0, free=True, unit="N·m·s/rad", doc="viscous, of the joint's bearings")
    coupling: str = given("word", "full", choices=COUPLINGS)
    on: str | None = given("frame", None, doc="the carrier of the rotor; by default the joint's parent")
    axis: Vector | None = given("axis", None, doc="in the carrier; by default the joint's")
    at: Vector | None = given("point", None, unit="m", doc="a point of the axis; by default the joint's origin")
    com: Vector = given("point", (0, 0, 0), unit="m", doc="the mass centre from there, in the rotor's own axes")
    resistance: Expr | None = given("number", None, free=True, unit="Ω")
    inductance: Expr | None = given("number", None, unit="H")
    constant: Expr | None = given(
        "number", None, free=True, unit="N·m/A", doc="torque for each ampere, volts for each rad/s"
    )
    bodies: tuple[str, ...] = ()
    loads: tuple[ForceElement, ...] = ()

    @property
    def is_elastic(self) -> bool:
        """Whether the rotor has a coordinate of its own."""
        return self.stiffness is not None

    @property
    def is_electric(self) -> bool:
        """Whether it has windings, and is driven by a voltage."""
        return self.constant is not None

    @property
    def has_rotor(self) -> bool:
        """Whether its rotor is a body of the model."""
        return self.is_elastic or bool(self.mass) or any(map(bool, self.inertia))

    @property
    def is_placeless(self) -> bool:
        """Whether its rotor turns against the ground, decoupled, and so is not drawn."""
        return self.has_rotor and self.coupling == "reduced"

    @property
    def rotor(self) -> str:
        """The name of the rotor's body, joint, coordinate and speed, if there is one."""
        return f"{self.joint} rotor"

    @property
    def shaft(self) -> str:
        """The joint whose effort is the motor's: the rotor of an elastic motor, else the joint that it drives."""
        return self.rotor if self.is_elastic else self.joint

    @property
    def current(self) -> str:
        """The name of the state that the current is, if there is an inductance."""
        return f"{self.joint} current"

    @property
    def voltage(self) -> str:
        """The name of the input that the voltage is, if there are windings."""
        return f"{self.joint} voltage"

    def added(self, table: str) -> tuple[str, ...]:
        """The names that it adds to a table of the model."""
        if table == "inputs":
            return (self.voltage,) if self.is_electric else ()
        if table == "states":
            return () if self.inductance is None else (self.current,)
        return () if table == "couplings" and self.is_elastic else self.bodies
