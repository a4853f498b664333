"""The builder: it holds the model of a mechanism as it is now, and every addition makes the next model.

Nothing of weight is imported when this module is loaded, so that a system whose file is known need not be read to be
there (see `Builder.unread`).
"""

from __future__ import annotations

from dataclasses import replace
from threading import RLock
from typing import TYPE_CHECKING, Any, Protocol, Self, runtime_checkable

from ..errors import PolhodeError, check_kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ..expr import Expr, Vector
    from ..expr.opaque.function import Opaque
    from ..kinematics.vectors import Arrow
    from .body import Body, Frame
    from .constraints.protocol import Constraint
    from .constraints.unilateral import UnilateralElement
    from .dimensions import Dimensions
    from .forces.protocol import ForceElement, PrimitiveLoad
    from .model import Acting, Model
    from .motor import Motor
    from .records import Coupling, Joint, NamedPose, Parameter, Prescribed, State
    from .surface import Surface

#: One lock for all that is read late: what is read may itself need another system.
_READING = RLock()
#: Tables that neither place nor move a frame.
_UNMOVING = frozenset(
    {
        "parameters", "inputs", "states", "constraints", "surfaces", "contacts", "loads", "motors", "flexible", "poses",
        "tables", "equipment",
    }
)  # fmt: skip


def _part(name: str, doc: str) -> Any:
    """A part of the model as it is now, to look at; methods add to it."""
    return property(lambda builder: getattr(builder.model(), name), doc=doc)


def _rotor_names(model: Model) -> set[str]:
    """The names of the joints that motors add."""
    return {name for motor in model.motors.values() for name in motor.bodies}


@runtime_checkable
class Source(Protocol):
    """Where a model can be read, such as a file whose content is known."""

    def read(self) -> Model:
        """The model."""
        ...


class Builder:
    """The tables of a System's model, and the methods that add to them."""

    name: str = _part("name", "What it is called.")
    time: Expr = _part("time", "The symbol of time.")
    ground: Body = _part("ground", "The body that does not move.")
    bodies: Mapping[str, Body] = _part("bodies", "The bodies by name, the ground first.")
    frames: Mapping[str, Frame] = _part("frames", "The frames by name.")
    parameters: Mapping[str, Parameter] = _part("parameters", "The parameters by name.")
    inputs: Mapping[str, Parameter] = _part("inputs", "The inputs by name.")
    states: Mapping[str, State] = _part("states", "The first-order states by name.")
    couplings: Mapping[str, Coupling] = _part("couplings", "The couplings by the joint that follows.")
    prescribed: Mapping[str, Prescribed] = _part("prescribed", "The prescribed motions by coordinate.")
    constraints: Mapping[str, Constraint] = _part("constraints", "The constraints by name.")
    surfaces: Mapping[str, Surface] = _part("surfaces", "The surfaces that contacts are on, by name.")
    contacts: Mapping[str, UnilateralElement] = _part("contacts", "The contacts, stops and dry friction by name.")
    loads: tuple[ForceElement, ...] = _part("loads", "What acts on the bodies and joints.")
    acting: tuple[Acting, ...] = _part("acting", "The primitive loads of each load.")
    primitive_loads: tuple[PrimitiveLoad, ...] = _part("primitive_loads", "The primitive loads of all loads.")
    motors: Mapping[str, Motor] = _part("motors", "The motors by the joint that each drives.")
    flexible: Mapping[str, Any] = _part("flexible", "The given data of the flexible bodies, by name.")
    poses: Mapping[str, NamedPose] = _part("poses", "The named poses.")
    equipment: Mapping[str, Mapping[str, Any]] = _part("equipment", "Actuators, sensors and more, by kind and name.")
    tables: Mapping[str, Opaque] = _part("tables", "The tables of its model file, by the name that texts call them by.")

    def __init__(self, name: str = "system", gravity: Iterable[Any] | Arrow = (0, 0, "-9.81")) -> None:
        from .building import empty

        self._hold(empty(self, name, gravity))

    @classmethod
    def of(cls, model: Model) -> Self:
        """A System that begins as a model; what is added to it does not reach the model."""
        from .building import adopted

        system = cls.__new__(cls)
        system._hold(adopted(system, model))
        return system

    @classmethod
    def unread(cls, source: Source) -> Self:
        """A System whose model is read when something of it is first needed: `source.read()` gives it, once.

        Before and after it is a System like any other; threads may race for it. `system.source` is what was given here
        until something is added: so long, what is known of the source holds for the system, and need not be read.

            system = System.unread(source)
        """
        check_kind(Source, "something that reads a model", source, "system")
        system = cls.__new__(cls)
        system._hold(None, source)
        return system

    def _hold(self, model: Model | None, source: Any = None) -> None:
        self._model = model
        #: Records that are not in the model yet: to copy its tables for each of many would take quadratic time.
        self._added: dict[str, dict[str, Any]] = {}
        self.source = source
        self._spellings: dict[tuple[str, str], Expr] | None = None
        self._dimensions: Dimensions | None = None
        #: What the vector language has made of the model; for it to set, and dropped when a frame is added or moved.
        self.scene: Any = None

    def model(self) -> Model:
        """The frozen record of the system as it is now, from which equations are derived; see `Model`."""
        if self._added:
            with _READING:
                self._model = (self._model or self._read()).with_records(self._added)
                self._added = {}
        return self._read() if self._model is None else self._model

    def _has(self, table: str, name: str) -> bool:
        """Whether a table has a record of this name."""
        return name in self._added.get(table, ()) or name in getattr(self._model or self._read(), table)

    def _read(self) -> Model:
        from .building import adopted

        with _READING:
            if self._model is None:
                self._model = adopted(self, self.source.read())
            return self._model

    def _add(self, table: str, name: str, record: Any) -> None:
        """Put a record into a table; all methods that add something end here."""
        from .dependence import check_dependence

        spellings, self._spellings = self._spellings, None  # made anew if the record is refused
        try:
            check_dependence(table, name, record)
            self._units.check(self, table, name, record)
        except PolhodeError:
            self._dimensions = None  # which holds symbols of what is refused
            raise
        self._spellings = spellings
        if table == "loads" or self._model is None:
            self._model = self.model().with_record(table, name, record)
        else:
            self._added.setdefault(table, {})[name] = record
        self.source = None
        if table not in _UNMOVING:
            self.scene = None

    @property
    def spellings(self) -> dict[tuple[str, str], Expr]:
        """How the symbols of the model are written, so that no two are written alike."""
        if self._spellings is None:
            from .building import spellings_of

            self._spellings = spellings_of(self.model())
        return self._spellings

    @property
    def _units(self) -> Dimensions:
        """The dimensions of the symbols of the model; see `polhode.model.dimensions`."""
        if self._dimensions is None:
            from .dimensions import Dimensions

            self._dimensions = Dimensions(self.model())
        return self._dimensions

    def __reduce__(self) -> Any:
        return type(self).of, (self.model(),)

    @property
    def joints(self) -> Mapping[str, Joint]:
        """The joints by name, without those that motors and flexible bodies add; the former are the `rotors`."""
        model = self.model()
        if not model.motors and not model.flexible:
            return model.joints
        rotors = _rotor_names(model)
        rigid = {name for name, body in model.bodies.items() if body.flexibility is None}
        added = {name for name, j in model.joints.items() if j.type.kind == "elastic" or j.parent not in rigid}
        return {name: joint for name, joint in model.joints.items() if name not in rotors | added}

    @property
    def rotors(self) -> Mapping[str, Joint]:
        """The joints that motors add, by name, such as "elbow rotor"."""
        rotors = _rotor_names(self.model())
        return {name: joint for name, joint in self.model().joints.items() if name in rotors}

    @property
    def gravity(self) -> Vector:
        """The acceleration of free fall in ground components: numbers, parameters, inputs, functions of time."""
        return self.model().gravity

    @gravity.setter
    def gravity(self, given: Iterable[Any] | Arrow) -> None:
        from .building import gravity_of

        model = self.model()
        vector = gravity_of(given, model.ground, model.name)
        self._units.require("gravity", "m/s²", vector, f"system '{model.name}'")
        self._model = replace(model, gravity=vector)
        self.source = None
