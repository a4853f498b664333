"""Dimensions of expressions: unlike units are refused where they are added, or given for something else.

Parameters, inputs and states have the units that are stated for them; coordinates, speeds, efforts and time those of
mechanics. A number may carry a unit unseen, as in 9.81 m, 3 x or sin(t): so numbers and symbols without a unit are of
any dimension, and a complaint needs a stated unit. Each node is looked at once, when an element is added.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from ..errors import ModelError, shown
from ..expr import Expr, Matrix
from .builder import Builder
from .forces import protocol as p
from .model import Model
from .unit import BASE, NONE, Dimension, unit_of

_USUAL = "m kg s A K N N·m W V ohm H N/m N·s/m N·m·s kg·m² m/s m/s² 1/s m² m³"
_NAMES = {unit_of(text).dimension: text for text in _USUAL.split()[::-1]} | {NONE: "1"}
_ALIKE = ("add", "sub", "min", "max", "atan2", "where")
_PLAIN = ("sin", "cos", "exp", "log", "asin", "acos", "atan", "sinh", "cosh", "tanh")


class Known(NamedTuple):
    """The dimension of an expression, None if it may have any, and whether a stated unit is in it."""

    dimension: Dimension | None = None
    stated: bool = False

    @property
    def may_be_any(self) -> bool:
        """True for what can be added to anything: a number, or a plain ratio or angle without a stated unit."""
        return self.dimension is None or (self.dimension == NONE and not self.stated)


_ANY = Known()


class Dimensions:
    """Dimensions of the symbols of a model and of expressions of them."""

    def __init__(self, model: Model) -> None:
        self.known: dict[int, tuple[Expr, Known]] = {}
        self.stated = False
        self._set({model.time: "s"} | dict.fromkeys([p.LENGTH, *p.POSITION], "m"))
        self._set(dict.fromkeys([p.RATE, *p.VELOCITY], "m/s"))
        for table in ("parameters", "inputs", "states", "joints"):
            for record in getattr(model, table).values():
                self._declare(model.joints.__contains__, table, record)

    def check(self, builder: Builder, table: str, name: str, record: Any) -> None:
        """Refuse a record of a system, before it is added, with unlike units in it."""
        self._declare(lambda joint: builder._has("joints", joint), table, record)
        if self.stated and table not in ("parameters", "inputs"):
            model = builder.model()
            place = getattr(record, "place", f"{_TITLES.get(table, '')} '{name}'")
            for what, unit, values in _values(model, table, record):
                self.require(what, unit, values, place)

    def require(self, what: str, unit: str | Dimension | None, values: Any, place: str) -> None:
        """Raise if terms of values have unlike units, or not the required unit; None is any unit."""
        required = unit_of(unit).dimension if isinstance(unit, str) else unit
        for value in _entries(values):
            quantity = self.of(value, place)
            if quantity.stated and None not in (required, quantity.dimension) and quantity.dimension != required:
                right = unit if isinstance(unit, str) else _written(Known(required))
                wanted = "a plain number" if right == "1" else f"in {right}"
                message = f"the {what.replace('_', ' ')} {shown(value)} is in {_written(quantity)}, not {wanted}."
                raise ModelError(message, place=place, cure=_CURE, code="E-UNIT-TYPE")

    def of(self, root: Expr, place: str = "") -> Known:
        """The dimension of an expression."""
        quantities, stack = self.known, [root]
        while stack:
            node = stack[-1]
            todo = [arg for arg in node.args if id(arg) not in quantities]
            if id(node) in quantities or not todo:
                stack.pop()
                if id(node) not in quantities:
                    quantities[id(node)] = node, _combined(node, [quantities[id(arg)][1] for arg in node.args], place)
            stack += todo
        return quantities[id(root)][1]

    def _declare(self, is_joint: Callable[[str], bool], table: str, record: Any) -> None:
        if table == "joints":
            self._set(record.units)
        elif table in ("parameters", "inputs", "states") and record.unit:
            # A motor's voltage and current meet its constants, which may be plain numbers such as 1.
            by_user = not is_joint(record.symbol.name.removesuffix(" voltage").removesuffix(" current"))
            self._set({record.symbol: record.unit}, by_user)
            self.stated = self.stated or by_user

    def _set(self, units: Mapping[Expr, str], stated: bool = False) -> None:
        for x, unit in units.items():
            self.known[id(x)] = x, Known(unit_of(unit).dimension, stated)


_TITLES = {
    "bodies": "body", "frames": "frame", "joints": "joint", "states": "state", "couplings": "coupling of",
    "prescribed": "prescribed motion of", "motors": "motor of joint", "surfaces": "surface",
}  # fmt: skip
_LOADS: dict[type, dict[str, str]] = {
    p.PointForce: {"point": "m", "vector": "N", "energy": "J"}, p.BodyTorque: {"vector": "N·m"},
    p.PotentialEnergy: {"energy": "J"},
    p.LineTension: {"tension": "N", "elastic": "N", "energy": "J"},
}  # fmt: skip
_CURE = "Check the units that are stated; a number that carries a unit is written as a parameter with that unit."


def _combined(node: Expr, args: list[Known], place: str) -> Known:
    """Dimension of an operation from the dimensions of its operands."""
    op = node.op
    if op in _ALIKE:
        args = args[-2:]  # the two values of where
        firm = [(arg, quantity) for arg, quantity in zip(node.args[-2:], args, strict=True) if not quantity.may_be_any]
        stated = any(quantity.stated for _, quantity in firm)
        if len({quantity.dimension for _, quantity in firm}) > 1:
            if not stated:
                return _ANY
            (a, first), (b, second) = firm
            message = f"{shown(a)} is in {_written(first)} and {shown(b)} in {_written(second)}: they cannot be added."
            raise ModelError(message, place=place, cure=_CURE, code="E-UNIT-TYPE")
        if op == "atan2":
            return Known(NONE, stated)
        same = next((Known(quantity.dimension, stated) for _, quantity in firm), None)
        return same or (_ANY if any(quantity.dimension is None for quantity in args) else Known(NONE))
    if op in _PLAIN:
        (arg,) = args
        if arg.stated and arg.dimension != NONE:
            message = f"{op} of {shown(node.args[0])}, which is in {_written(arg)}, not a plain number."
            cure = "Divide it by a quantity of its unit, so that the argument is a plain number."
            raise ModelError(message, place, cure, "E-UNIT-TYPE")
        return _ANY if arg.dimension is None else Known(NONE, arg.stated)
    if op in ("mul", "div"):
        left, right = (quantity.dimension for quantity in args)
        if left is None or right is None:
            return _ANY
        sign = 1 if op == "mul" else -1
        product = tuple(x + sign * y for x, y in zip(left, right, strict=True))
        return Known(product, any(quantity.stated for quantity in args))
    if op == "sqrt" and args[0].dimension is not None:
        return Known(tuple(Fraction(x) / 2 for x in args[0].dimension), args[0].stated)
    return args[0] if op in ("neg", "abs") else _ANY


def _written(quantity: Known) -> str:
    """A dimension as a unit of it."""
    dimension = quantity.dimension or NONE
    powers = zip(BASE, dimension, strict=True)
    return _NAMES.get(dimension) or "·".join(name if p == 1 else f"{name}^{p}" for name, p in powers if p)


def _entries(values: Any) -> Iterator[Expr]:
    if isinstance(values, Expr):
        yield values
    elif isinstance(values, Matrix):
        yield from (entry for entry in values.entries() if isinstance(entry, Expr))
    elif isinstance(values, tuple | list):
        for value in values:
            yield from _entries(value)


def _slides(model: Model, record: Any) -> bool:
    """Whether the coordinate or speed of a joint that an element acts on is a length or its rate."""
    joint = model.joints[record.joint]
    of_speed = any(field.kind == "count" and field.of == "speed" for field in record.fields)
    return joint.units[(joint.u if of_speed else joint.q)[record.index]] in ("m", "m/s")


def _values(model: Model, table: str, record: Any) -> Iterator[tuple[str, Any, Any]]:
    """The values of a record, each with its label and the unit that it must have."""
    if table == "bodies":
        yield from (("mass", "kg", record.mass), ("com", "m", record.com), ("inertia", "kg·m²", record.inertia))
    elif table in ("frames", "joints"):
        for pose in (record.pose,) if table == "frames" else (record.in_parent, record.in_child):
            yield from (("position", "m", pose.p), ("rotation", "1", pose.R))
        for q, ends in zip(record.q, record.limits, strict=False) if table == "joints" else ():
            yield "limit", record.units[q], (ends.lower, ends.upper)
    elif table == "surfaces":
        yield from (
            ("position", "m", record.pose.p),
            ("rotation", "1", record.pose.R),
            ("size", "m", record.shape.size),
        )
    elif table == "states":
        yield "rate", unit_of(record.unit).times(unit_of("s"), -1).dimension if record.unit else None, record.rate
    elif table == "prescribed":
        units = {x.name: unit for x, unit in reversed(model.joints[record.joint].units.items())}
        yield "motion", units[record.coordinate], record.motion
    elif table == "couplings":
        after, before = (next(iter(model.joints[joint].units.values())) for joint in (record.follower, record.leader))
        yield from (("offset", after, record.offset), ("multiplier", f"{after}/{before}", record.multiplier))
    for field in getattr(record, "fields", ()):
        slides, _, turns = getattr(record, "units", {}).get(field.name, field.unit).partition(" or ")
        unit = slides if not turns or _slides(model, record) else turns
        yield field.name, unit or None, getattr(record, field.name)
    for load in record.loads(model) if isinstance(record, p.ForceElement) else ():
        if isinstance(load, p.SpeedForce):
            yield "effort", model.joints[load.joint].units[model.joints[load.joint].tau[load.index]], load.value
        for name, unit in _LOADS.get(type(load), {}).items():
            yield name, unit, getattr(load, name)
