"""Where a run begins, and which parts of its state are quaternions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..dynamics.synopsis import Synopsis
from ..errors import PolhodeError, ShapeError, fault_at, unknown
from .unwound import Unwound, unwound

if TYPE_CHECKING:
    from ..formalisms.derivation import Derivation

fault = fault_at("start")

Floats = NDArray[np.float64]

#: A quaternion whose length is off by more than this is scaled with a notice, by less without a word.
_LENGTH_SLACK = 1e-9


@dataclass(frozen=True, eq=False)
class InitialState:
    """Coordinates, speeds, states without mass, what was changed to make them a state, and what the user gave."""

    q: Floats
    u: Floats
    notices: tuple[str, ...] = ()
    given: tuple[str, ...] = ()
    given_speeds: tuple[str, ...] = ()
    z: Floats = field(default_factory=lambda: np.zeros(0))
    rotors: Unwound = field(default_factory=Unwound)


def home(known: Synopsis) -> Floats:
    """The home coordinates: zero, and (1, 0, 0, 0) for quaternions."""
    q = np.zeros(len(known.coordinates))
    q[list(known.quaternions)] = 1.0
    return q


def initial_state(
    derivation: Derivation, start: Any = None, speeds: Any = None, parameters: Mapping[str, Any] | None = None
) -> InitialState:
    """The first state of a run from a pose's name, coordinates and states by name, or arrays (q, u) or (q, u, z).

    Rotors behind elastic gears that are not named start where their links are, with the ratios that parameters give.

    >>> import polhode as ph
    >>> s = ph.System("ball")
    >>> _ = s.joint("socket", s.ground, s.body("ball", 1, inertia=(1, 1, 1)), ph.Spherical())
    >>> initial_state(s.derive().derivation, speeds={"socket_wz": 2}).u.tolist()
    [0.0, 0.0, 2.0]
    """
    known = derivation.synopsis
    q, u, z = home(known), np.zeros(len(known.speeds)), np.array([*known.states.values()], dtype=np.float64)
    in_si = partial(value_in_si, derivation)
    given: tuple[str, ...] = ()
    given_speeds: tuple[str, ...] = ()
    if isinstance(start, str):
        from .constraints.start_speeds import speeds_at_pose

        poses = derivation.model.poses
        pose = poses.get(start)
        if pose is None:
            raise unknown("pose", start, poses, place="start", code="E-SIM-026")
        placed = {name: value for name, value in pose.coordinates.items() if name not in known.omitted}
        _fill(q, placed, known.coordinates, "coordinate", in_si)
        is_embedded = derivation.equations.dependent_speeds is not None
        chosen = speeds_at_pose(derivation, q, pose.speeds, parameters)
        own = {name: v for name, v in pose.speeds.items() if name in known.speeds or not is_embedded}
        _fill(u, own, known.speeds, "speed", in_si)  # dependent speeds follow
        u = u if chosen is None else chosen
        _fill(z, pose.states, [*known.states], "state", in_si)
        given, given_speeds = tuple(placed), tuple(pose.speeds)
    elif isinstance(start, Mapping):
        own_names = {*known.coordinates, *known.omitted}
        strays = [name for name in start if name in known.speeds and name not in own_names]
        if strays:
            raise fault(
                f"'{strays[0]}' is a speed, not a coordinate.", f"Give it as speeds={{{strays[0]!r}: …}}.", "E-SIM-005"
            )
        own = {name: value for name, value in start.items() if name in known.states}
        placed = {name: value for name, value in start.items() if name not in own}
        _fill(q, placed, known.coordinates, "coordinate", in_si, [*known.states], known.omitted)
        _fill(z, own, [*known.states], "state", in_si)
        given = tuple(placed)
    elif isinstance(start, tuple) and len(start) in (2, 3) and not np.isscalar(start[0]):
        q = numbers(start[0], len(q), "start coordinates")
        u = numbers(start[1], len(u), "start speeds")
        z = numbers(start[2], len(z), "start states") if len(start) == 3 else z
        given, given_speeds = known.coordinates, known.speeds
    elif start is not None:
        q = numbers(start, len(q), "start coordinates")
        given = known.coordinates
    if isinstance(speeds, Mapping):
        _fill(u, speeds, known.speeds, "speed", in_si)
        given_speeds = tuple(dict.fromkeys([*given_speeds, *speeds]))
    elif speeds is not None:
        u = numbers(speeds, len(u), "start speeds")
        given_speeds = known.speeds
    _check_finite(q, known.coordinates, "coordinate")
    _check_finite(u, known.speeds, "speed")
    _check_finite(z, [*known.states], "state")
    rotors = unwound(derivation, given, given_speeds, parameters)
    rotors.place(q)
    rotors.turn(u)
    return InitialState(q, u, tuple(_make_unit(q, known)), given, given_speeds, z, rotors)


def value_in_si(derivation: Derivation, value: Any, kind: str, name: str) -> Any:
    """The value of a coordinate, speed, effort, state or input in SI units; a text may carry a unit."""
    if not isinstance(value, str):
        return value
    from ..model.lookup import units_by_name
    from ..model.unit import in_unit

    return in_unit(value, units_by_name(derivation.model).get(kind, {}).get(name, ""), f"{kind} '{name}'")


def numbers(value: Any, size: int, what: str) -> Floats:
    """A fresh float array of a given length, from whatever holds that many real numbers."""
    try:
        given = np.asarray(value)
    except ValueError:
        raise ShapeError("the rows have different lengths.", place=what, code="E-SIM-001") from None
    if given.dtype.kind not in "fiub" and given.size:
        raise ShapeError(f"{given.dtype} is no type of real numbers.", place=what, code="E-SIM-001")
    if given.shape != (size,):
        raise ShapeError(f"expected {size} numbers, got shape {given.shape}.", place=what, code="E-SIM-001")
    return np.array(given, dtype=np.float64)


def _fill(
    array: Floats,
    given: Mapping[str, Any],
    names: Sequence[str],
    kind: str,
    in_si: Callable[[Any, str, str], Any],
    others: Sequence[str] = (),
    omitted: Sequence[str] = (),
) -> None:
    for key, value in given.items():
        if key in omitted:
            raise fault(
                f"the coordinate '{key}' is omitted from these equations, and starts nowhere.",
                "Leave it out, or derive without omitting it.",
                "E-OMIT-007",
            )
        if key not in names:
            what = f"{kind} or state" if others else kind
            raise unknown(what, key, [*names, *others], place="start", code="E-SIM-005")
        try:
            array[names.index(key)] = float(in_si(value, kind, key))
        except (TypeError, ValueError):
            raise PolhodeError(f"{value!r} is not a number.", place=f"start {kind} '{key}'", code="E-SIM-002") from None


def _check_finite(array: Floats, names: Sequence[str], kind: str) -> None:
    for name, value in zip(names, array, strict=True):
        if not np.isfinite(value):
            raise PolhodeError(f"the start value is {value}.", place=f"{kind} '{name}'", code="E-SIM-003")


def _make_unit(q: Floats, known: Synopsis) -> list[str]:
    notices = []
    for joint, first in known.orientations:
        part = slice(first, first + 4)
        length = float(np.linalg.norm(q[part]))
        if length == 0.0:
            raise PolhodeError(
                "the start quaternion is zero, which is no orientation.",
                place=f"joint '{joint}'",
                cure="No turn is (1, 0, 0, 0).",
                code="E-SIM-004",
            )
        if abs(length - 1.0) > _LENGTH_SLACK:
            notices.append(f"the start quaternion of joint '{joint}' had length {length:.6g} and was scaled to 1.")
        q[part] /= length
    return notices
