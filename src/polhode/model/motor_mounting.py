"""Mounting a motor on a joint: the rotor as a body, the gear as a coupling or a spring, the windings as a state.

A rotor is a body on a revolute joint of its own, "<joint> rotor", so that every formalism derives it as it derives any
other. Behind an elastic gear that joint has a coordinate and a speed, which a spring ties to those of the link; behind
a stiff one it follows the link's joint, q_rotor = ratio · q. Decoupled (278), the rotor turns against the ground, "a
pure rotation with respect to an inertial frame", and what it weighs rides on the link that carries it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..errors import ModelError, PolhodeError, listed, shown, unknown
from ..expr import Expr, Matrix, Vector, as_expr, constant_sign, free_symbols, skew, substitute
from ..geometry import Pose
from ..geometry.inertia import impossible_inertia
from .builder import Builder
from .building import add_state, body, joint, named_symbol
from .dependence import check_dependence
from .elements import apply, couple
from .field_values import completed, field_value
from .forces import ElasticGear, JointForce
from .joints import Fixed, Revolute
from .lookup import frame_name, joint_named, placed
from .motor import COUPLINGS, Motor
from .records import GROUND, Joint

_WINDINGS = ("resistance", "inductance", "constant")


def mount(system: Builder, driven: Joint | str, given: Mapping[str, Any]) -> Motor:
    """Add a motor with its bodies and joints; after an error the system is as it was."""
    link = joint_named(system, driven, "motor")
    motor = _motor(system, link, given)
    check_dependence("motors", link.name, motor)
    carrier, seat = _seat(system, link, motor)
    before = system.model()
    try:
        if motor.has_rotor:
            _add_rotor(system, motor, carrier, seat)
        if motor.is_elastic:
            ends = {"joint": motor.joint, "shaft": motor.rotor, "ratio": motor.ratio}
            laws = {"stiffness": motor.stiffness, "damping": motor.damping}
            apply(system, ElasticGear, {"name": f"{motor.joint} gear", **ends, **laws})
        elif motor.has_rotor:
            couple(system, motor.rotor, motor.joint, motor.ratio)
        _add_losses(system, motor)
        if motor.is_electric:
            _add_windings(system, motor)
    except PolhodeError:
        system._hold(before)
        raise
    names = tuple(name for name in system.bodies if name not in before.bodies)
    motor = replace(motor, bodies=names, loads=system.loads[len(before.loads) :])
    system._add("motors", motor.joint, motor)
    return motor


# ---- what was given --------------------------------------------------------------------------------------------------


def _motor(system: Builder, link: Joint, options: Mapping[str, Any]) -> Motor:
    """The record, each value read and checked."""
    place = f"motor of joint '{link.name}'"
    there = system.motors.get(link.name)
    if there is not None and (there.bodies or there.loads):  # else a ratio alone, as robot files have it
        ratio, inertia = shown(there.ratio), shown(there.inertia[2])
        cure = (
            "Give one motor, with the sum of the inertias on the joint's side. An MJCF file's is left out by "
            f'ignore=["armature"]; give it whole then: motor({there.joint!r}, {ratio}, inertia={inertia}, '
            f'coupling="{there.coupling}", …).'
        )
        raise ModelError("this joint has a motor already.", place, cure, "E-JOINT-TWICE")
    if len(link.u) != 1 or not link.type.stages[0].speeds_are_rates:
        message = (
            f"a {link.type.kind} joint with {len(link.u)} speeds has no single angle or length that a motor could turn."
            if len(link.u) != 1
            else "the coordinate of this joint is not the angle that a rotor would turn by."
        )
        cure = "Put motors on revolute, prismatic or screw joints with their usual coordinate."
        raise ModelError(message, place, cure, "E-JOINT-UNSUPPORTED")
    stated = {key: value for key, value in options.items() if value is not None}
    values = completed(Motor.fields, ({} if there is None else {"ratio": there.ratio}) | stated, place)
    values["inertia"] = _moments(values["inertia"], place)
    values["on"] = None if values["on"] is None else frame_name(system, values["on"], place)
    if values["coupling"] not in COUPLINGS:
        raise unknown("coupling", values["coupling"], COUPLINGS, place=place, code="E-JOINT-NAME", error=ModelError)
    values_read = {field.name: field_value(field, values[field.name], place, system) for field in Motor.fields}
    motor = Motor(joint=link.name, **values_read)
    _check(system, motor, place)
    return motor


def _moments(inertia: Any, place: str) -> tuple[Any, ...]:
    """Three moments; a single one is about the axis."""
    entries = tuple(inertia) if hasattr(inertia, "__iter__") and not isinstance(inertia, str) else (0, 0, inertia)
    if len(entries) != 3:
        cure = "Give the moment about its axis, or (across, across, along)."
        raise ModelError(f"a rotor's inertia is 1 number or 3, not {len(entries)}.", place, cure, "E-JOINT-SHAPE")
    return entries


def _check(system: Builder, motor: Motor, place: str) -> None:
    """Refuse an impossible motor."""
    if not motor.ratio:
        raise ModelError("the ratio is zero.", place, "Without a gear the ratio is 1.", "E-JOINT-NUMBER")
    least = {"stiffness": 1, "resistance": 1, "inductance": 1, "mass": 0, "damping": 0, "friction": 0}
    for name, sign in (least | {"joint_friction": 0}).items():
        _check_sign(system, name.replace("_", " "), getattr(motor, name), sign, place)
    _check_inertia(system, motor, place)
    if motor.damping and not motor.is_elastic:
        cure = "Give a stiffness as well, or joint_friction for the loss in the joint."
        raise ModelError("a gear that does not twist has no damping.", place, cure, "E-JOINT-UNSUPPORTED")
    if motor.is_elastic and not motor.inertia[2]:
        message = "behind an elastic gear the rotor needs an inertia about its axis."
        raise ModelError(message, place, "Give inertia=…, or leave out the stiffness.", "E-JOINT-MISSING")
    lacking = [name for name in ("resistance", "constant") if getattr(motor, name) is None]
    if lacking and any(getattr(motor, name) is not None for name in _WINDINGS):
        cure = "Give resistance and constant; the inductance may be left out."
        raise ModelError(f"its windings lack a {listed(lacking)}.", place, cure, "E-JOINT-MISSING")
    if motor.coupling == "reduced" and (motor.com[0] or motor.com[1]):
        cure = 'Write coupling="full" for a rotor that is out of balance.'
        raise ModelError("a decoupled rotor has its mass centre on its axis.", place, cure, "E-JOINT-UNSUPPORTED")


def _check_inertia(system: Builder, motor: Motor, place: str) -> None:
    """Refuse moments of no rotor; without moments across the axis only the one about it is checked."""
    for moment in motor.inertia:
        _check_sign(system, "inertia", moment, 0, place)
    J = [_at_known(system, moment) for moment in motor.inertia]
    if any(free_symbols([moment]) for moment in J):
        return
    x, y, z = (float(moment) for moment in J)
    fault = impossible_inertia([[x, 0, 0], [0, y, 0], [0, 0, z]]) if x or y else None
    if fault:
        message = f"no rotor has the principal moments {fault.moments}: the largest exceeds the sum of the others."
        cure = "Give (across, across, along), or the moment about the axis alone."
        raise ModelError(message, place, cure, "E-JOINT-NUMBER")
    if motor.coupling == "reduced" and x != y:
        message = f"a decoupled rotor has equal moments across its axis, not {shown(J[0])} and {shown(J[1])}."
        raise ModelError(message, place, 'Write coupling="full" for a rotor that is not round.', "E-JOINT-NUMBER")


def _at_known(system: Builder, value: Expr) -> Expr:
    """A value at the parameters that have one."""
    met = {x: system.parameters[x.name].value for x in free_symbols([value]) if x.name in system.parameters}
    return substitute([value], {x: as_expr(number) for x, number in met.items() if number is not None})[0]


def _check_sign(system: Builder, what: str, value: Expr | None, least: int, place: str) -> None:
    """Raise if a known number is negative (or zero, with `least` 1)."""
    if value is None:
        return
    number = _at_known(system, value)
    if not free_symbols([number]) and constant_sign(number) < least:
        message = f"the {what} {shown(number)} is {'not positive' if least else 'negative'}."
        cure = f"Give {'an' if what[0] in 'aeiou' else 'a'} {what} {'>' if least else '≥'} 0."
        raise ModelError(message, place, cure, "E-JOINT-NUMBER")


# ---- where it sits ---------------------------------------------------------------------------------------------------


def _seat(system: Builder, link: Joint, motor: Motor) -> tuple[str, Pose]:
    """The body that carries the rotor, and the pose in it of the rotor's frame, whose z is the axis."""
    place = f"motor of joint '{link.name}'"
    H = link.type.stages[0].H.columns[0]
    along = Vector(H[:3]) if any(map(bool, H[:3])) else Vector(H[3:])
    ends = {link.parent: link.in_parent, link.child: link.in_child}
    carrier, frame = placed(system, link.parent if motor.on is None else motor.on, (0, 0, 0), None, place)
    pose = ends.get(carrier)
    if motor.axis is None and pose is None:
        message = f"body '{carrier}' is neither side of the joint, so that its axis is not known there."
        raise ModelError(message, place, "Give axis=….", "E-JOINT-NAME")
    base, axis = (pose.R, along) if motor.axis is None and pose is not None else (frame.R, Vector(motor.axis or along))
    # where the axis moves in time the shortest turn to it would spin about it, and the rotor with it
    turn = base @ turned_to(axis) if _moves(system, Pose(base, Vector([0, 0, 0]))) else turned_to(base @ axis)
    if motor.at is not None:
        return carrier, Pose(turn, frame.p + frame.R @ motor.at)
    return carrier, Pose(turn, frame.p if pose is None else pose.p)


def _moves(system: Builder, seat: Pose) -> bool:
    """Whether a pose depends on time."""
    return system.time in free_symbols(map(as_expr, (*seat.R.entries(), *seat.p)))


def turned_to(axis: Vector) -> Matrix:
    """The shortest rotation from z to a unit vector, 1 + v̂ + v̂²/(1 + a_z) with v = z × a: exact, without roots."""
    along = 1 + as_expr(axis[2])
    if not along:  # half a turn
        return Matrix.diagonal([1, -1, -1]).map(as_expr)
    hat = skew(Vector([-axis[1], axis[0], 0]))
    return (Matrix.identity(3) + hat + (hat @ hat).map(lambda entry: entry / along)).map(as_expr)


# ---- what it adds ----------------------------------------------------------------------------------------------------


def _add_rotor(system: Builder, motor: Motor, carrier: str, seat: Pose) -> None:
    """Add the rotor on a revolute joint; decoupled, it turns against the ground and its mass stays with the carrier."""
    x, y, z = motor.inertia
    if motor.coupling == "full" or (carrier == GROUND and not _moves(system, seat)):
        _add_body(system, motor.rotor, carrier, Revolute("z"), seat, motor.mass, motor.com, (x, y, z))
        return
    if motor.mass or x or y:
        _add_body(system, f"{motor.rotor} mass", carrier, Fixed(), seat, motor.mass, motor.com, (x, y, 0))
    _add_body(system, motor.rotor, GROUND, Revolute("z"), Pose.identity(), 0, (0, 0, 0), (0, 0, z))


def _add_body(
    system: Builder, name: str, carrier: str, kind: Any, seat: Pose, mass: Any, com: Any, moments: tuple[Any, ...]
) -> None:
    body(system, name, mass, com, moments, (), False, None)  # some say the inertia about the axis alone
    joint(
        system, name, carrier, name, kind, at=seat.p, rotation=seat.R, child_at=(0, 0, 0), child_rotation=None,
        coordinates=None, speeds=None, limits=None, options={},
    )  # fmt: skip


def _add_losses(system: Builder, motor: Motor) -> None:
    """Viscous friction on either side of the gear."""
    losses = (("rotor friction", motor.friction, _shaft(motor)), ("friction", motor.joint_friction, (motor.joint, 1)))
    for name, coefficient, (speed, ratio) in losses:
        if coefficient:
            value = -coefficient * as_expr(ratio) ** 2 * system.model().joints[speed].u[0]
            apply(system, JointForce, {"name": f"{motor.joint} {name}", "joint": speed, "value": value})


def _shaft(motor: Motor) -> tuple[str, Any]:
    """The joint that determines the rotor's speed, and the ratio of their speeds."""
    return (motor.rotor, 1) if motor.has_rotor else (motor.joint, motor.ratio)


def _add_windings(system: Builder, motor: Motor) -> None:
    """L i̇ = V - R i - K ω and the torque K i on the rotor; without L the current is (V - K ω)/R at once."""
    K, R, L = motor.constant, motor.resistance, motor.inductance
    if K is None or R is None:
        return
    shaft, ratio = _shaft(motor)
    voltage = named_symbol(system, "inputs", "input", motor.voltage, 0, "V")
    left = voltage - K * ratio * system.model().joints[shaft].u[0]  # what the turning motor leaves of the voltage
    if L is None:
        current = left / R
    else:
        current = add_state(system, motor.current, lambda i: (left - R * i) / L, 0, "A")
    apply(system, JointForce, {"name": f"{motor.joint} torque", "joint": shaft, "value": K * ratio * current})
