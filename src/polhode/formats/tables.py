"""Tables of a model file, in and out: lists of numbers under a name that expressions call as a function."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from ..errors import FormatError
from ..expr import Expr, Matrix, Vector, topological
from ..expr.functions import BY_NAME
from ..expr.node import CALL
from ..expr.opaque.table import Table, checked
from ..model import Model, System
from . import records
from .document import Path
from .fields import Values
from .grammar import ACCESSORS, CONSTANTS

_TAKEN = (*BY_NAME, *ACCESSORS, *CONSTANTS)
_DEFAULTS = {"kind": "linear", "outside": "hold"}
#: What stands for a table that cannot be read, so that the expressions which use it are not wrong as well.
_BLANKS = {1: checked([0, 1], [0, 0]), 2: checked(([0, 1], [0, 1]), [[0, 0], [0, 0]])}


def read_tables(values: Values, model: records.Model) -> dict[str, Table]:
    """The tables of a record, by name; problems are noted."""
    tables: dict[str, Table] = {}
    for key, record in model.tables.items():
        path: Path = ("tables", key)
        tables[key] = _BLANKS[1 if record.z is None else 2]
        with values.noting(path):
            tables[key] = _table(values, path, key, record)
    return tables


def _table(values: Values, path: Path, key: str, record: records.Table) -> Table:
    if key in _TAKEN:
        cure = "Give the table another name."
        raise FormatError(f"{key!r} is a function already.", cure=cure, code="E-MODELFILE-TWICE")
    before = len(values.document.problems)
    columns = [_numbers(values, (*path, label), getattr(record, label)) for label in ("x", "y")]
    rows = [_numbers(values, (*path, "z", k), row) for k, row in enumerate(record.z or ())]
    if len(values.document.problems) > before:
        return _BLANKS[1 if record.z is None else 2]
    x, y = (columns[0], columns[1]) if record.z is None else ((columns[0], columns[1]), rows)
    result = checked(x, y, name=key, kind=record.kind, outside=record.outside)
    return result if record.orders is None else _differentiated(result, record.orders)


def _numbers(values: Values, path: Path, texts: tuple[str, ...]) -> list[float]:
    return [float(values.constant((*path, k), text)) for k, text in enumerate(texts)]


def _differentiated(table: Table, texts: tuple[str, ...]) -> Table:
    """The derivative of a table, or its antiderivative for [-1]."""
    if texts == ("-1",):
        return table.integral()
    wanted = len(texts) == table.arity and all(text in map(str, range(table.points.degree + 1)) for text in texts)
    result: Table | None = table
    for variable, text in enumerate(texts if wanted else ()):
        for _ in range(int(text)):
            result = None if result is None else result.partial(variable)
    if not wanted or result is None:
        message = f"the orders {', '.join(texts)} fit no table of {table.arity} variables and kind {table.points.kind}."
        cure = "Write how often it is differentiated by each variable, for example [1], or [-1] for the integral."
        raise FormatError(message, cure=cure, code="E-MODELFILE-SHAPE")
    return result


def tables_of(system: System | Model) -> dict[str, Table]:
    """The tables that a mechanism declares or uses, by names that a model file can hold."""
    tables = {name: table for name, table in system.tables.items() if isinstance(table, Table)}
    digests = {table.digest for table in tables.values()}
    everything = [
        system.gravity, system.bodies, system.frames, system.joints, system.couplings, system.prescribed,
        system.constraints, system.surfaces, system.contacts, system.loads, system.states,
    ]  # fmt: skip
    for node in topological(_expressions(everything)):
        if node.op == CALL and isinstance(node.data, Table) and node.data.digest not in digests:
            digests.add(node.data.digest)
            tables[_free_name(node.data, tables)] = node.data
    return tables


def _free_name(table: Table, taken: Mapping[str, Table]) -> str:
    name = table.name.strip()[:100] or "table"
    if any(table.orders):
        ending = "_integral" if table.orders == (-1,) else "_d" + "".join(map(str, table.orders))
        name = name.removesuffix(ending) + ending
    if name in _TAKEN or name in taken:
        name = next(f"{name}_{k}" for k in range(2, len(taken) + 3) if f"{name}_{k}" not in taken)
    return name


def describe_table(table: Table) -> dict[str, Any]:
    """A table in the model file's vocabulary."""
    points = table.points
    record: dict[str, Any] = {label: _texts(axis) for label, axis in zip("xy", points.axes, strict=False)}
    if table.arity == 1:
        record["y"] = _texts(points.values)
    else:
        width = len(points.axes[1])
        record["z"] = [_texts(points.values[k : k + width]) for k in range(0, len(points.values), width)]
    record |= {key: getattr(points, key) for key, usual in _DEFAULTS.items() if getattr(points, key) != usual}
    return {**record, "orders": [str(order) for order in table.orders]} if any(table.orders) else record


def _texts(numbers: tuple[float, ...]) -> list[str]:
    """Floats as the shortest decimals that read back as the same floats."""
    return [repr(number).removesuffix(".0") for number in numbers]


def _expressions(value: Any) -> Iterator[Expr]:
    """The expressions in nested records, lists and mappings."""
    if type(value) is Expr:
        yield value
    elif isinstance(value, Matrix):
        yield from _expressions(list(value.entries()))
    elif isinstance(value, Mapping):
        yield from _expressions(list(value.values()))
    elif isinstance(value, list | tuple | Vector):
        for entry in value:
            yield from _expressions(entry)
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            yield from _expressions(getattr(value, field.name))
