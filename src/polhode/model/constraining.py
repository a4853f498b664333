"""What ties the motions of a System together: couplings, prescribed motions, loops, conditions, rolling."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import ModelError
from ..expr import derivative, free_symbols, is_zero, symbol
from ..geometry import Pose, unit_axis
from .body import Body, Frame
from .constraint import Ball, Closure, Condition, Disc, Slip, Wheel
from .joints import JointType, joint_type
from .lookup import check_new, frame_name, joint_named, placed, tell_apart
from .reading import checked_name, flag_of, index_of, list_of, number_of, radius_of, vector_of, zeros
from .records import GROUND, Coupling, Joint, Prescribed
from .track import curve_of, plane_across

if TYPE_CHECKING:
    from .builder import Builder

Place = Body | Frame | str


def couple(
    system: Builder, follower: Joint | str, leader: Joint | str, multiplier: Any = 1, offset: Any = 0
) -> Coupling:
    after, before = joint_named(system, follower, "coupling"), joint_named(system, leader, f"coupling of '{follower}'")
    place = f"coupling of '{after.name}' to '{before.name}'"
    for joint in (after, before):
        if len(joint.q) != 1 or len(joint.u) != 1:
            raise ModelError(
                f"joint '{joint.name}' has {len(joint.q)} coordinates.",
                place=place,
                cure="Only joints with one coordinate can be coupled.",
                code="E-MODEL-040",
            )
    if after.name in system.couplings:
        raise ModelError(
            f"it already follows '{system.couplings[after.name].leader}'.", place=place, code="E-MODEL-041"
        )
    at: str | None = before.name
    while at is not None:
        if at == after.name:
            raise ModelError(
                "a joint cannot follow itself.",
                place=place,
                cure="Break the circle.",
                code="E-MODEL-042",
            )
        at = system.couplings[at].leader if at in system.couplings else None
    made = Coupling(after.name, before.name, number_of(multiplier, place), number_of(offset, place))
    wrong = [x for x in free_symbols([made.multiplier, made.offset]) if x.data[0] != "parameter"]
    if wrong:
        raise ModelError(
            f"the {wrong[0].data[0]} '{wrong[0].name}' is not constant.",
            place=place,
            cure="Use numbers and parameters.",
            code="E-MODEL-044",
        )
    if not made.multiplier:
        raise ModelError(
            "the multiplier is zero.",
            place=place,
            cure="Weld it with a fixed joint instead.",
            code="E-MODEL-043",
        )
    system.add("couplings", after.name, made)
    return made


def prescribe(system: Builder, joint: Joint | str, motion: Any, index: int = 0) -> Prescribed:
    found = joint_named(system, joint, "prescribed motion")
    place = f"prescribed motion of '{found.name}'"
    index = index_of(index, len(found.q), "coordinate", place)
    if not _stands_alone(found.type, index):
        raise ModelError(
            f"coordinate number {index} of this {found.type.name} joint cannot be prescribed alone.",
            place=place,
            cure="Prescribe revolute, prismatic or screw joints, or a compound of them.",
            code="E-MODEL-050",
        )
    name = found.q[index].name
    if name in system.prescribed or found.name in system.couplings:
        raise ModelError(f"the motion of '{name}' is already given.", place=place, code="E-MODEL-051")
    value = number_of(motion, place)
    wrong = [x for x in free_symbols([value]) if x.data[0] not in ("parameter", "time")]
    if wrong:
        raise ModelError(
            f"the {wrong[0].data[0]} '{wrong[0].name}' is not known beforehand.",
            place=place,
            cure="Use time, parameters and numbers; for a tie between coordinates use couple or constrain.",
            code="E-MODEL-052",
        )
    made = Prescribed(found.name, name, value)
    system.add("prescribed", name, made)
    return made


def close(
    system: Builder,
    name: Place,
    a: Place,
    b: Place | None = None,
    joint: JointType | str = "revolute",
    *,
    at_a: Iterable[Any] = (0, 0, 0),
    at_b: Iterable[Any] = (0, 0, 0),
    rotation_a: Any = None,
    rotation_b: Any = None,
    **options: Any,
) -> Closure:
    first, second = (name, a) if b is None else (a, b)
    label = f"loop {len(system.constraints) + 1}" if b is None else checked_name(name, "constraint")
    place = f"closure '{label}'"
    check_new("constraint", label, system.constraints)
    body_a, pose_a = placed(system, first, at_a, rotation_a, place)
    body_b, pose_b = placed(system, second, at_b, rotation_b, place)
    if body_a == body_b:
        raise ModelError(f"both frames are on body '{body_a}'.", place=place, code="E-MODEL-053")
    kind = joint_type(joint, place, **options)
    if kind.nominal is not None:
        pose_a, kind = pose_a @ Pose(kind.nominal, zeros()), kind.in_nominal_frame()
    made = Closure(label, kind, body_a, pose_a, body_b, pose_b)
    system.add("constraints", label, made)
    return made


def constrain(system: Builder, value: Any, name: str = "") -> Condition:
    return _condition(system, value, name, on_speeds=False)


def constrain_speed(system: Builder, value: Any, name: str = "") -> Condition:
    return _condition(system, value, name, on_speeds=True)


def _condition(system: Builder, value: Any, name: str, on_speeds: bool) -> Condition:
    if isinstance(name, str):
        name = name or f"condition {len(system.constraints) + 1}"
    check_new("constraint", name, system.constraints)
    place = f"constraint '{name}'"
    made = number_of(value, place)
    allowed = ("coordinate", "parameter", "time", *(("speed",) if on_speeds else ()))
    wrong = [x for x in free_symbols([made]) if x.data[0] not in allowed]
    if wrong:
        raise ModelError(
            f"it depends on the {wrong[0].data[0]} '{wrong[0].name}'.",
            place=place,
            cure="Use constrain_speed for what depends on speeds."
            if wrong[0].data[0] == "speed"
            else f"Use {', '.join(allowed[:-1])} and {allowed[-1]}.",
            code="E-MODEL-054",
        )
    speeds = [x for x in free_symbols([made]) if x.data[0] == "speed"]
    for speed in speeds:
        slope = derivative([made], speed)
        if any(x.data[0] == "speed" for x in free_symbols(slope)):
            raise ModelError(
                f"it is not linear in the speed '{speed.name}'.",
                place=place,
                cure="Only conditions that are linear in the speeds can be kept by forces that do no work.",
                code="E-MODEL-055",
            )
    condition = Condition(name, made, on_speeds)
    system.add("constraints", name, condition)
    return condition


def roll_wheel(
    system: Builder,
    name: str,
    wheel: Place,
    radius: Any,
    axis: Any = "y",
    *,
    centre: Iterable[Any] = (0, 0, 0),
    on: Place = GROUND,
    at: Iterable[Any] = (0, 0, 0),
    rotation: Any = None,
    upright: Any = None,
) -> Wheel:
    body, pose, carrier, plane = _rolling(system, name, f"wheel '{name}'", wheel, centre, on, at, rotation)
    place = f"wheel '{name}'"
    stands = None if upright is None else number_of(upright, place)
    wrong = [
        x
        for x in free_symbols([] if stands is None else [stands])
        if x.data[0] not in ("coordinate", "parameter", "time")
    ]
    if wrong:
        raise ModelError(
            f"`upright` depends on the {wrong[0].data[0]} '{wrong[0].name}'.",
            place=place,
            cure="Give the cosine of its lean, such as cos(lean).",
            code="E-MODEL-080",
        )
    size = radius_of(radius, place)
    made = Wheel(name, body, pose.p, pose.R @ unit_axis(axis), size, carrier, plane, stands)
    system.add("constraints", name, made)
    return made


def roll_ball(
    system: Builder,
    name: str,
    ball: Place,
    radius: Any,
    *,
    centre: Iterable[Any] = (0, 0, 0),
    on: Place = GROUND,
    at: Iterable[Any] = (0, 0, 0),
    rotation: Any = None,
    other_radius: Any = None,
) -> Ball:
    place = f"ball '{name}'"
    body, pose, carrier, plane = _rolling(system, name, place, ball, centre, on, at, rotation)
    other = None if other_radius is None else number_of(other_radius, place)
    made = Ball(name, body, pose.p, radius_of(radius, place), carrier, plane, other)
    system.add("constraints", name, made)
    return made


def roll_disc(
    system: Builder,
    name: str,
    disc: Place,
    radius: Any,
    curve: Any,
    axis: Any = "y",
    *,
    centre: Iterable[Any] = (0, 0, 0),
    on: Place = GROUND,
    at: Iterable[Any] = (0, 0, 0),
    rotation: Any = None,
    slips: bool = False,
) -> Disc:
    place = f"disc '{name}'"
    body, pose, carrier, track = _rolling(system, name, place, disc, centre, on, at, rotation)
    size = number_of(radius, place)
    slips = flag_of(slips, "slips", place)
    if is_zero(size) and not slips:
        raise ModelError(
            "a disc of radius zero cannot roll.",
            place=place,
            cure="Give it a radius, or slips=True for a bead on a wire.",
            code="E-MODEL-066",
        )
    along = symbol(f"{name} place", "coordinate")
    direction = unit_axis(axis)
    plane = track @ Pose(plane_across(direction), zeros())
    made = Disc(
        name,
        body,
        pose.p,
        pose.R @ direction,
        size,
        carrier,
        plane,
        along,
        curve_of(curve, along, place),
        slips,
    )
    tell_apart(system, [along], place)
    system.add("constraints", name, made)
    return made


def knife_edge(
    system: Builder, name: str, body: Place, across: Any = "y", *, at: Iterable[Any] = (0, 0, 0), on: Place = GROUND
) -> Slip:
    place = f"knife edge '{name}'"
    found, pose = placed(system, body, at, None, place)
    return no_slip(system, name, found, on, frame=found, at=pose.p, directions=[pose.R @ unit_axis(across)])


def no_slip(
    system: Builder,
    name: str,
    a: Place,
    b: Place = GROUND,
    *,
    frame: Place = GROUND,
    at: Iterable[Any] = (0, 0, 0),
    directions: Sequence[Any] = ("x", "y", "z"),
) -> Slip:
    place = f"no slip '{name}'"
    check_new("constraint", name, system.constraints)
    body_a, _ = placed(system, a, (0, 0, 0), None, place)
    body_b, _ = placed(system, b, (0, 0, 0), None, place)
    _two_bodies(body_a, body_b, place)
    listed = list_of(directions, "a list of directions", place)
    along = tuple(unit_axis(d) if isinstance(d, str) else vector_of(d, place) for d in listed)
    made = Slip(name, body_a, body_b, frame_name(system, frame, place), vector_of(at, place), along)
    system.add("constraints", name, made)
    return made


def _rolling(
    system: Builder,
    name: str,
    place: str,
    body: Place,
    centre: Iterable[Any],
    on: Place,
    at: Iterable[Any],
    rotation: Any,
) -> tuple[str, Pose, str, Pose]:
    """What rolls and the pose of its centre, what it rolls on and the frame there."""
    check_new("constraint", name, system.constraints)
    found, pose = placed(system, body, centre, None, place)
    carrier, frame = placed(system, on, at, rotation, place)
    _two_bodies(found, carrier, place)
    return found, pose, carrier, frame


def _two_bodies(a: str, b: str, place: str) -> None:
    if a == b:
        raise ModelError(f"body '{a}' cannot touch itself.", place=place, code="E-MODEL-056")


def _stands_alone(kind: JointType, index: int) -> bool:
    """Whether a coordinate is the only one of its stage, and its rate the only speed."""
    first = 0
    for stage in kind.stages:
        if first == index:
            return stage.coordinates == stage.speeds == 1
        first += stage.coordinates
    return False
