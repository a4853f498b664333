"""Where a run begins, and which parts of its state are quaternions."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..dynamics.synopsis import Synopsis
from ..errors import PolhodeError, ShapeError, fault_at, shown, speed_named, understood, unknown

if TYPE_CHECKING:
    from ..expr import Expr
    from ..formalisms.derivation import Derivation
    from ..model import Model

fault = fault_at("start")

Floats = NDArray[np.float64]

#: A quaternion whose length is off by more than this is scaled with a notice, by less without a word.
_LENGTH_SLACK = 1e-9


@dataclass(frozen=True)
class Follower:
    """An entry of the state that a rotor's is, where the entry of its link is, and the ratio between them."""

    name: str
    rotor: int
    link: int
    ratio: Expr
    number: float


@dataclass(frozen=True)
class Unwound:
    """Rotors without a given start angle, and those without a given start speed."""

    coordinates: tuple[Follower, ...] = ()
    speeds: tuple[Follower, ...] = ()

    def place(self, q: Floats) -> None:
        """Put the rotors where their links are."""
        for coordinate in self.coordinates:
            q[coordinate.rotor] = coordinate.number * q[coordinate.link]

    def turn(self, u: Floats) -> None:
        """Let the rotors turn as their links do."""
        for speed in self.speeds:
            u[speed.rotor] = speed.number * u[speed.link]

    def beside(self, A: Floats, speeds: Sequence[str]) -> Unwound:
        """The rotors of which no column of A is nonzero, where A u + a = 0 and `speeds` are the names of u."""
        held = {name for name, moves in zip(speeds, (A != 0).any(axis=0).tolist(), strict=True) if moves}
        return Unwound(*(tuple(x for x in part if x.name not in held) for part in (self.coordinates, self.speeds)))


@dataclass(frozen=True, eq=False)
class InitialState:
    """Coordinates, speeds, first-order states, what was changed to make them a state, and what the user gave."""

    q: Floats
    u: Floats
    notices: tuple[str, ...] = ()
    given: tuple[str, ...] = ()
    given_speeds: tuple[str, ...] = ()
    z: Floats = field(default_factory=lambda: np.zeros(0))
    rotors: Unwound = field(default_factory=Unwound)


def home(synopsis: Synopsis) -> Floats:
    """The home coordinates: zero, and (1, 0, 0, 0) for quaternions."""
    q = np.zeros(len(synopsis.coordinates))
    for first in synopsis.quaternions:
        q[first] = 1.0
    return q


def initial_state(
    derivation: Derivation, start: Any = None, speeds: Any = None, parameters: Mapping[str, Any] | None = None
) -> InitialState:
    """The first state of a run from a pose's name, coordinates, speeds and states by name, or arrays (q, u, z)."""
    synopsis = derivation.synopsis
    start, speeds = by_kind(synopsis, start, speeds)
    q, u, z = home(synopsis), np.zeros(len(synopsis.speeds)), np.array([*synopsis.states.values()], dtype=np.float64)
    fill = partial(_fill, derivation)
    given_coordinates: tuple[str, ...] = ()
    given_speeds: tuple[str, ...] = ()
    if isinstance(start, str):
        poses = derivation.model.poses
        pose = poses.get(start)
        if pose is None:
            raise unknown("pose", start, poses, place="start", code="E-RUN-NAME")
        placed: Mapping[str, Any] = {
            name: value for name, value in pose.coordinates.items() if name not in synopsis.omitted
        }
        fill(q, placed, synopsis.coordinates, "coordinate")
        is_embedded = derivation.equations.dependent_speeds is not None
        chosen = speeds_at_pose(derivation, q, pose.speeds, parameters)
        by_name = {name: v for name, v in pose.speeds.items() if name in synopsis.speeds or not is_embedded}
        fill(u, by_name, synopsis.speeds, "speed")  # dependent speeds follow
        u = u if chosen is None else chosen
        fill(z, pose.states, [*synopsis.states], "state")
        given_coordinates, given_speeds = tuple(placed), tuple(pose.speeds)
    elif isinstance(start, Mapping):
        placed = start
        if synopsis.states:
            states = {name: v for name, v in start.items() if name in synopsis.states and name not in synopsis.speeds}
            placed = {name: value for name, value in start.items() if name not in states}
            fill(z, states, [*synopsis.states], "state")
        fill(q, placed, synopsis.coordinates, "coordinate", [*synopsis.states], synopsis.omitted)
        given_coordinates = tuple(placed)
    elif isinstance(start, tuple) and len(start) in (2, 3) and not np.isscalar(start[0]):
        q = numbers(start[0], len(q), "start coordinates")
        u = numbers(start[1], len(u), "start speeds")
        z = numbers(start[2], len(z), "start states") if len(start) == 3 else z
        given_coordinates, given_speeds = synopsis.coordinates, synopsis.speeds
    elif start is not None:
        q = numbers(start, len(q), "start coordinates")
        given_coordinates = synopsis.coordinates
    if isinstance(speeds, Mapping):
        fill(u, speeds, synopsis.speeds, "speed")
        given_speeds = tuple(dict.fromkeys([*given_speeds, *speeds]))
    elif speeds is not None:
        u = numbers(speeds, len(u), "start speeds")
        given_speeds = synopsis.speeds
    _check_finite(q, synopsis.coordinates, "coordinate")
    _check_finite(u, synopsis.speeds, "speed")
    _check_finite(z, [*synopsis.states], "state")
    rotors = unwound(derivation, given_coordinates, given_speeds, parameters)
    rotors.place(q)
    rotors.turn(u)
    return InitialState(q, u, tuple(_make_unit(q, synopsis)), given_coordinates, given_speeds, z, rotors)


def by_kind(synopsis: Synopsis, start: Any, speeds: Any) -> tuple[Any, Any]:
    """Start and speeds, with the speeds that a mapping `start` names put into `speeds`; a speed may be written x'."""
    others = (*synopsis.coordinates, *synopsis.omitted, *synopsis.states)
    if isinstance(speeds, Mapping) and any(key not in synopsis.speeds for key in speeds):
        speeds = _once(synopsis, others, speeds)
    if not isinstance(start, Mapping) or all(key in others for key in start):
        return start, speeds
    moved = {k: v for k, v in start.items() if k not in others and speed_named(k, synopsis.speeds, others)}
    if moved and speeds is not None and not isinstance(speeds, Mapping):
        cure = "Give all speeds by name, or all in the array."
        raise fault(f"the speed '{next(iter(moved))}' is given by name, and speeds in an array.", cure, "E-RUN-TWICE")
    rest = {key: value for key, value in start.items() if key not in moved}
    return rest, _once(synopsis, others, moved, speeds or {}) if moved else speeds


def _once(synopsis: Synopsis, others: Sequence[str], *mappings: Mapping[Any, Any]) -> dict[Any, Any]:
    """Speeds by their names; raise where one is given twice."""
    values: dict[Any, Any] = {}
    for key, value in (item for table in mappings for item in table.items()):
        name = speed_named(key, synopsis.speeds, others) or key
        if name in values:
            raise fault(f"the speed '{name}' is given twice.", "Give it once.", "E-RUN-TWICE")
        values[name] = value
    return values


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
        array = np.asarray(value)
    except ValueError:
        raise ShapeError("the rows have different lengths.", what, f"Give {size} numbers.", "E-RUN-SHAPE") from None
    cure = "Give a number." if size == 1 else f"Give {size} numbers."
    if array.dtype.kind not in "fiub" and array.size:
        raise ShapeError(f"{array.dtype} is no type of real numbers.", what, cure, "E-RUN-TYPE")
    if array.shape != (size,):
        raise ShapeError(f"expected {size} numbers, got shape {array.shape}.", what, cure, "E-RUN-SHAPE")
    return np.array(array, dtype=np.float64)


def _fill(
    derivation: Derivation,
    array: Floats,
    values: Mapping[str, Any],
    names: Sequence[str],
    kind: str,
    others: Sequence[str] = (),
    omitted: Sequence[str] = (),
) -> None:
    places = dict(zip(names, range(len(names)), strict=True)) if values else {}
    for key, value in values.items():
        if type(value) is float and key in places:
            array[places[key]] = value
            continue
        if key in omitted:
            message = f"the coordinate '{key}' is omitted from these equations, and starts nowhere."
            raise fault(message, "Leave it out, or derive without omitting it.", "E-DERIVE-UNSUPPORTED")
        if key not in places:
            what = f"{kind} or state" if others else kind
            raise unknown(what, key, [*names, *others], place="start", code="E-RUN-NAME")
        try:
            array[places[key]] = float(value_in_si(derivation, value, kind, key))
        except (TypeError, ValueError):
            place = f"start {kind} '{key}'"
            raise PolhodeError(f"{shown(value)} is not a number.", place, "Give a number.", "E-RUN-NUMBER") from None


def _check_finite(array: Floats, names: Sequence[str], kind: str) -> None:
    if not np.logical_and.reduce(np.isfinite(array)):
        k = int(np.argmin(np.isfinite(array)))
        place = f"{kind} '{names[k]}'"
        raise PolhodeError(f"the start value is {array[k]}.", place, "Give a finite number.", "E-RUN-NUMBER")


def _make_unit(q: Floats, synopsis: Synopsis) -> list[str]:
    notices = []
    for joint, first in synopsis.orientations:
        part = slice(first, first + 4)
        length = float(np.sqrt(q[part].dot(q[part])))
        if length == 0.0:
            message = "the start quaternion is zero, which is no orientation."
            raise PolhodeError(message, f"joint '{joint}'", "No turn is (1, 0, 0, 0).", "E-RUN-NUMBER")
        if abs(length - 1.0) > _LENGTH_SLACK:
            notices.append(f"the start quaternion of joint '{joint}' had length {length:.6g} and was scaled to 1.")
        q[part] /= length
    return notices


# ---- rotors --------------------------------------------------------------------------------------------------
# A gear twists by q_rotor / ratio - q_link. Who names the link alone means an arm at rest on its gears, so that the
# rotor
# starts at ratio · q_link, and with ratio · u_link.


def unwound(
    derivation: Derivation,
    coordinates: Collection[str],
    given_speeds: Collection[str],
    parameters: Mapping[str, Any] | None = None,
) -> Unwound:
    """The rotors that follow at the start, by the coordinates and speeds that were named."""
    synopsis = derivation.synopsis
    if not synopsis.has_elastic_gears or not (coordinates or given_speeds):
        return Unwound()
    model = derivation.model
    followers: tuple[list[Follower], list[Follower]] = ([], [])
    for motor in model.motors.values():
        if not motor.is_elastic:
            continue
        number = _value(model, motor.ratio, parameters)
        link = model.joints[motor.joint]
        for group, names, named, x in (
            (followers[0], synopsis.coordinates, coordinates, link.q[0].name),
            (followers[1], synopsis.speeds, given_speeds, link.u[0].name),
        ):
            if number is not None and motor.rotor in names and motor.rotor not in named and x in names:
                group.append(Follower(motor.rotor, names.index(motor.rotor), names.index(x), motor.ratio, number))
    return Unwound(tuple(followers[0]), tuple(followers[1]))


def _value(model: Model, ratio: Expr, parameters: Mapping[str, Any] | None) -> float | None:
    """The ratio in numbers; where a parameter has no value none is needed, as such a run is refused."""
    from ..expr import evaluate, free_symbols

    values = _values(model, free_symbols([ratio]), parameters)
    return None if values is None else evaluate([ratio], values)[0]


def _values(model: Model, parameters: Iterable[Expr], table: Mapping[str, Any] | None) -> dict[Expr, float] | None:
    """Parameters in numbers, as given or as the model has them; None where one has no value."""
    values = {x: (table or {}).get(x.name, model.parameters[x.name].value) for x in parameters}
    if None in values.values():
        return None
    with understood("a number for each parameter", list(values.values()), place="parameters"):
        return {x: float(value) for x, value in values.items()}


def speeds_at_pose(
    derivation: Derivation, q: Floats, speeds: Mapping[str, float], parameters: Mapping[str, Any] | None = None
) -> Floats | None:
    """Pseudo-velocities of a tree at q, where its joints have these speeds and otherwise none."""
    if not derivation.synopsis.in_pseudo_velocities or derivation.model.constraints:
        return None
    from ..constraints import PseudoSpeeds
    from ..expr import evaluate, free_symbols

    chosen, model, tree = derivation.equations.dependent_speeds, derivation.model, derivation.equations.tree
    if not isinstance(chosen, PseudoSpeeds):
        return None
    state = dict(zip(tree.q, map(float, q), strict=True)) | {u: float(speeds.get(u.name, 0)) for u in tree.u}
    used = free_symbols(list(chosen.values))
    values = _values(model, [x for x in used if x not in state and x.name in model.parameters], parameters)
    return None if values is None else np.array(evaluate(list(chosen.values), {model.time: 0.0, **state, **values}))
