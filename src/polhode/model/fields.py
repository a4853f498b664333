"""What a user gives to an element, as plain data: from it model files are read, checked, written and documented."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, field, replace
from functools import cache
from typing import Any

from ..errors import ModelError, unknown
from ..expr import Expr, Vector, as_expr, free_symbols, substitute

#: What a field can hold. A `body` is a body or a frame on it, a `frame` the name of either, a `joint` that of a joint;
#: `name` is another name and `label` one that may be empty. A `point`, `axis` or `rotation` is in the frame of the body
#: that `of` names; a `direction` is an axis of any length. A `curve` is a pair of expressions over the `variable` that
#: `of` names; a `motion` is how a joint moves, whose keys stand beside the others in model files. A `surface` is one of
#: the model, or a point of a body or frame.
KINDS = (
    "number", "vector", "point", "axis", "direction", "rotation", "count", "flag", "label", "name", "body", "frame",
    "joint", "word", "variable", "curve", "motion", "surface",
)  # fmt: skip


@dataclass(frozen=True)
class Field:
    """A value that an element has: its name in Python and in model files, its kind, and its default.

    Without a default it must be given; None stands for a value that may be missing. A `free` value may depend on
    coordinates, speeds, inputs and time, a place in a body on time, others on parameters alone (`dependence`).
    `many` is a list of such values, `count` its length where that is fixed; `alone` says that one value may stand for
    the list. A `word` is one of `choices`. A law is a function of its `arguments`, or an expression of their symbols.
    A `positive` number is so where its value is known. A unit "m or rad" is that of a coordinate of the joint.
    """

    name: str
    kind: str
    default: Any = ...
    doc: str = ""
    unit: str = ""
    free: bool = False
    many: bool = False
    count: int | None = None
    alone: bool = False
    of: str = ""
    choices: tuple[str, ...] = ()
    arguments: tuple[Expr | Vector, ...] = ()
    positive: bool = False

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise unknown(
                "kind of value", self.kind, KINDS, place=f"field '{self.name}'", code="E-MODEL-NAME", error=ModelError
            )

    @property
    def is_required(self) -> bool:
        return self.default is ...

    @property
    def is_placed(self) -> bool:
        """Whether its value is a position or orientation in a body."""
        return self.kind in ("point", "rotation") and bool(self.of)

    @property
    def own_symbols(self) -> dict[str, Expr]:
        """Symbols that are allowed in this field only: the arguments of a law, by name."""
        parts = [part for entry in self.arguments for part in (entry if isinstance(entry, Vector) else (entry,))]
        return {part.name: part for part in parts}


def given(kind: str, default: Any = ..., **facts: Any) -> Any:
    """An attribute of an element that a user gives, with the properties of its `Field`."""
    return field(default=MISSING if default is ... else default, metadata={"kind": kind, "default": default, **facts})


class GivenFields:
    """The fields of an element, declared by `given`, as an attribute of its class."""

    def __get__(self, element: object, kind: type) -> tuple[Field, ...]:
        return _given_fields(kind)


@cache
def _given_fields(kind: type) -> tuple[Field, ...]:
    declared = getattr(kind, "__dataclass_fields__", {}).values()
    return tuple(Field(entry.name, **entry.metadata) for entry in declared if entry.metadata)


def numbers_of(element: Any) -> Iterator[tuple[Field, tuple[Expr, ...]]]:
    """The fields of an element that hold numbers which nothing but parameters can change, and these numbers."""
    for entry in element.fields:
        value = getattr(element, entry.name)
        if entry.kind == "number" and not (entry.free or value is None):
            yield entry, value if isinstance(value, tuple) else (value,)


def check_positive(element: Any) -> None:
    """Refuse numbers of an element that are known and not positive, and must be."""
    from .reading import positive_of

    for entry, numbers in numbers_of(element):
        if entry.positive:
            positive_of(numbers[0], entry.name, element.place)


def check_at(element: Any, values: Mapping[str, Any]) -> None:
    """Refuse values of parameters, by name, at which the numbers of an element cannot be."""
    changed: dict[str, Any] = {}
    for entry, numbers in numbers_of(element):
        met = {x: as_expr(values[x.name]) for x in free_symbols(numbers) if x.name in values}
        if met:
            found = substitute(numbers, met)
            changed[entry.name] = tuple(found) if entry.many else found[0]
    replace(element, **changed).check()
