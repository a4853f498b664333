"""Putting a force element on a System: what a user gave is looked up and read, and what it comes to is checked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..errors import ModelError
from ..expr import Expr, Vector, derivative, free_symbols
from ..geometry import unit_axis
from ..geometry.exact_rotation import as_rotation
from .fields import Field
from .forces.protocol import LENGTH, RATE, ForceElement, LineTension, PotentialEnergy, PrimitiveLoad
from .lookup import frame_name, joint_named, placed
from .reading import checked_name, flag_of, index_of, list_of, number_of, result_of, titled, unknown, vector_of
from .records import GROUND, Joint
from .system import vectors

if TYPE_CHECKING:
    from ..kinematics.vectors import Point
    from .builder import Builder


def apply(system: Builder, element: ForceElement) -> None:
    """Add an element to a system's loads."""
    made = _Reading(system, element).read()
    for load in made.loads(system):
        _check(made, load)
    system._add("loads", made.name, made)


def _check(element: ForceElement, load: PrimitiveLoad) -> None:
    """Refuse energies that depend on the motion, and tensions that do not follow from their energy."""
    if isinstance(load, PotentialEnergy | LineTension):
        moving = {"speed", "effort", "acceleration"} | ({"coordinate"} if isinstance(load, LineTension) else set())
        wrong = [x for x in free_symbols([load.energy]) if x.data[0] in moving or x is RATE]
        if wrong:
            raise element.wrong(
                f"a potential cannot depend on the {wrong[0].data[0]} '{wrong[0].name}'.",
                "Use joint_force, force, torque or line_force for what depends on motion.",
                "E-MODEL-018",
            )
    if isinstance(load, LineTension) and derivative([load.energy], LENGTH)[0] != load.elastic:
        raise element.wrong(
            f"the elastic tension {load.elastic} is not the slope of the stored energy {load.energy}.",
            "Give its derivative by LENGTH, and what is not elastic as the tension.",
            "E-MODEL-090",
        )


class _Reading:
    """What a user gave to an element, field by field."""

    def __init__(self, system: Builder, element: ForceElement) -> None:
        titled(element.title(), element.name)
        self.system, self.element = system, element
        self.values: dict[str, Any] = {}

    def read(self) -> ForceElement:
        """The element with bodies, joints and frames by name, and with values as expressions."""
        fields = self.element.fields()
        joints = [each for each in fields if each.kind == "joint"]
        found = {each.name: self._joint(each) for each in joints}
        self.element = replace(self.element, **{name: joint.name for name, joint in found.items()})
        self.place = self.element.words
        self._read_bodies([each for each in fields if each.kind == "body"])
        for each in fields:
            if each.kind == "count" and each.of:
                owner = next(iter(found.values()))
                size = len(owner.u if each.of == "speed" else owner.q)
                self.values[each.name] = index_of(self._given(each), size, each.of, self.place)
            elif each.kind == "vector" and each.of:
                frame = getattr(self.element, each.of)
                self.values[each.name], self.values[each.of] = self._arrow(self._given(each), frame)
        for each in fields:
            if each.kind not in ("joint", "body") and each.name not in self.values:
                self.values[each.name] = self._value(each, self._given(each))
        return replace(self.element, **self.values)

    def _given(self, field: Field) -> Any:
        return getattr(self.element, field.name)

    def _joint(self, field: Field) -> Joint:
        return joint_named(self.system, self._given(field), self.element.title())

    # ---- bodies and their points -----------------------------------------------------------------------------

    def _read_bodies(self, fields: list[Field]) -> None:
        points = {each.of: each.name for each in self.element.fields() if each.kind == "point"}
        for each in fields:
            at = points.get(each.name)
            body, point = self._spot(self._given(each), (0, 0, 0) if at is None else getattr(self.element, at))
            if body in [self.values.get(other.name) for other in fields]:
                raise ModelError(f"both ends are on body '{body}'.", place=self.place, code="E-MODEL-010")
            self.values[each.name] = body
            if at is not None:
                self.values[at] = point

    def _spot(self, on: Any, at: Any) -> tuple[str, Vector]:
        """The body that is meant, and the point in its components."""
        if isinstance(on, vectors().Point):
            on, at = self._own_body(on), on
        if not isinstance(at, vectors().Point):
            body, pose = placed(self.system, on, at, None, self.place)
            return body, pose.p
        body, _ = placed(self.system, on, (0, 0, 0), None, self.place)
        if body != self._own_body(at):
            raise ModelError(
                f"the point is on body '{at.body}', not on '{body}'.",
                place=self.place,
                cure=f"Give a point of '{body}', or apply it to '{at.body}'.",
                code="E-MODEL-060",
            )
        return body, at.offset

    def _own_body(self, point: Point) -> str:
        """The body of a point, which must belong to this system."""
        self._check_home("point", point.system)
        return point.body

    def _check_home(self, what: str, home: Builder) -> None:
        """Refuse a point or arrow of another system."""
        if home is not self.system:
            raise ModelError(
                f"the {what} is of system '{home.name}', not of '{self.system.name}'.",
                place=self.place,
                cure=f"Write it with the bodies of '{self.system.name}'.",
                code="E-MODEL-062",
            )

    # ---- values ----------------------------------------------------------------------------------------------

    def _arrow(self, vector: Any, frame: Any) -> tuple[Vector, str]:
        """Components and the frame they are in: for an arrow that asked for or, if it is in one frame, its own."""
        wanted = None if frame is None else frame_name(self.system, frame, self.place)
        if not isinstance(vector, vectors().Arrow):
            return vector_of(vector, self.place), wanted or GROUND
        self._check_home("arrow", vector.system)
        if wanted is None:
            used = list(vector.by_frame)
            wanted = used[0] if len(used) == 1 and isinstance(used[0], str) else GROUND
        return vector.components(wanted), wanted

    def _value(self, field: Field, value: Any) -> Any:
        if value is None and field.default is None:
            return None
        if field.many or field.count is not None:
            one = replace(field, many=False, count=None)
            return tuple(self._value(one, each) for each in list_of(value, "a list", self.place))
        if field.arguments and not isinstance(value, Expr | Vector):
            value = self._law(field, value)
        if field.choices and value not in field.choices:
            raise unknown(field.name, str(value), field.choices, self.place)
        return _READERS[field.kind](self, value)

    def _law(self, field: Field, law: Any) -> Any:
        """What a law gives for its symbols."""
        made = result_of(law, field.arguments, self.place)
        if field.kind == "number" and (hasattr(made, "__iter__") or hasattr(made, "terms")):
            raise ModelError(
                f"the law gives {made!r}, which is no number or expression.",
                place=self.place,
                cure="Give the tension alone; its direction is the line.",
                code="E-MODEL-061",
            )
        return made


_READERS: dict[str, Callable[[_Reading, Any], Any]] = {
    "number": lambda of, value: number_of(value, of.place),
    "vector": lambda of, value: of._arrow(value, GROUND)[0],
    "point": lambda of, value: vector_of(value, of.place),
    "axis": lambda of, value: unit_axis(value),
    "rotation": lambda of, value: as_rotation(value, of.place),
    "count": lambda of, value: index_of(value, 2**31, "number", of.place),
    "flag": lambda of, value: flag_of(value, "flag", of.place),
    "label": lambda of, value: value,
    "name": lambda of, value: checked_name(value, of.element.title()),
    "frame": lambda of, value: frame_name(of.system, value, of.place),
    "word": lambda of, value: value,
}
