"""The Model: a mechanism as it is derived from. Nothing in it changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

from ..expr import Expr, Vector, free_symbols, symbol
from ..expr.opaque.function import Opaque
from ..notebook import Cell, Shown
from .body import Body, Frame
from .constraints.protocol import Constraint
from .constraints.unilateral import UnilateralElement
from .fields import numbers_of
from .forces.protocol import ForceElement, PrimitiveLoad
from .motor import Motor
from .records import GROUND, Coupling, Joint, NamedPose, Parameter, Prescribed, State
from .surface import Surface


def _table() -> Any:
    return field(default_factory=dict)


@dataclass(frozen=True)
class Acting:
    """A force element in its model: its name, or its kind and number, and its primitive loads.

    So is dry friction of a joint whose motion is prescribed.
    """

    name: str
    element: ForceElement | UnilateralElement
    loads: tuple[PrimitiveLoad, ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class Model(Shown):
    """The tables of a System at the call of `model()`: bodies, joints, loads and the rest.

    Two models are equal if their digests are: if all that shapes the equations is written alike. A model pickles; its
    bodies and frames then belong to no System, until `System.of(model)` makes one.

    >>> import polhode as ph
    >>> s = ph.System("cart")
    >>> before, _ = s.model(), s.body("wheel", mass=1)
    >>> list(before.bodies), list(s.model().bodies)
    (['ground'], ['ground', 'wheel'])
    """

    name: str
    gravity: Vector
    time: Expr = field(default_factory=lambda: symbol("t", "time"))
    bodies: Mapping[str, Body] = _table()
    joints: Mapping[str, Joint] = _table()
    frames: Mapping[str, Frame] = _table()
    parameters: Mapping[str, Parameter] = _table()
    inputs: Mapping[str, Parameter] = _table()
    states: Mapping[str, State] = _table()
    couplings: Mapping[str, Coupling] = _table()
    prescribed: Mapping[str, Prescribed] = _table()
    constraints: Mapping[str, Constraint] = _table()
    surfaces: Mapping[str, Surface] = _table()
    contacts: Mapping[str, UnilateralElement] = _table()  # contacts, stops, dry friction
    loads: tuple[ForceElement, ...] = ()
    motors: Mapping[str, Motor] = _table()  # by the joint that each drives; what they add is in the other tables
    flexible: Mapping[str, Any] = _table()  # what was said of flexible bodies; what they add is in the other tables
    poses: Mapping[str, NamedPose] = _table()
    equipment: Mapping[str, Mapping[str, Any]] = _table()  # what nothing acts on, by section of a model file and name
    tables: Mapping[str, Opaque] = _table()  # declared by name, for expressions in texts; used or not

    def __post_init__(self) -> None:
        for key, value in vars(self).copy().items():
            if isinstance(value, dict):
                object.__setattr__(self, key, MappingProxyType(dict(value)))
        object.__setattr__(self, "loads", tuple(self.loads))

    @property
    def ground(self) -> Body:
        """The body that does not move."""
        return self.bodies[GROUND]

    @cached_property
    def acting(self) -> tuple[Acting, ...]:
        """The primitive loads of each load."""
        forces = [
            Acting(load.name or f"{load.title()} {number}", load, load.loads(self))
            for number, load in enumerate(self.loads, start=1)
        ]
        rubbing = [Acting(name, contact, contact.loads(self)) for name, contact in self.contacts.items()]
        return (*forces, *(acting for acting in rubbing if acting.loads))

    @cached_property
    def primitive_loads(self) -> tuple[PrimitiveLoad, ...]:
        """The primitive loads of all loads."""
        return tuple(load for acting in self.acting for load in acting.loads)

    @cached_property
    def parametric(self) -> tuple[tuple[ForceElement | Constraint, list[Expr]], ...]:
        """The elements that have numbers with parameters in them, and these numbers."""
        elements: list[ForceElement | Constraint] = [*self.loads, *self.constraints.values(), *self.contacts.values()]
        numbers = [[each for _, entries in numbers_of(element) for each in entries] for element in elements]
        pairs = zip(elements, numbers, strict=True)
        return tuple(each for each in pairs if any(x.data[0] == "parameter" for x in free_symbols(each[1])))

    @cached_property
    def digest(self) -> str:
        """Digest of everything that determines the equations; see `polhode.model.digest`."""
        from .digest import digest

        return digest(self)

    def with_record(self, table: str, name: str, record: Any) -> Model:
        """The model with one record added or replaced; `loads` have no names and are appended."""
        if table == "loads":
            return replace(self, loads=(*self.loads, record))
        return self.with_records({table: {name: record}})

    def with_records(self, added: Mapping[str, Mapping[str, Any]]) -> Model:
        """The model with records added or replaced, by table and name."""
        tables: dict[str, Any] = {
            table: MappingProxyType({**getattr(self, table), **records}) for table, records in added.items()
        }
        return replace(self, **tables)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Model) and self.digest == other.digest)

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        from .summary import counted

        return f"Model('{self.name}': {counted(self)})"

    def _cell(self) -> Cell:
        from .summary import cell_of

        return cell_of(self)

    def __reduce__(self) -> Any:
        values = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        return _restored, ({key: dict(part) if isinstance(part, Mapping) else part for key, part in values.items()},)


def _restored(values: dict[str, Any]) -> Model:
    return Model(**values)
