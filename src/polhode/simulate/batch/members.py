"""Members of a batch: runs that share most of their options, each with values of its own for some of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...errors import ShapeError, listed
from ..initial_state import Floats
from ..trajectory.column_names import distinct

if TYPE_CHECKING:
    from ...compiled.functions import Functions
    from ...dynamics.equations import EquationsOfMotion

#: The options of a run that may be given one for each member.
OPTIONS = ("parameters", "start", "speeds", "inputs", "tau")
#: A value: an option, and a name in it, an index into (q, u) or (q, u, z), or None for the whole of it.
Which = tuple[str, str | int | None]

_ARRAYS = (np.ndarray, list, range)
_KINDS = {"parameters": "parameter", "start": "start of", "speeds": "speed", "inputs": "input", "tau": "effort"}


@dataclass(frozen=True, eq=False)
class Members:
    """Options that all members share, and arrays with a row for each member of values that differ."""

    count: int
    shared: Mapping[str, Any]
    varied: Mapping[Which, NDArray[Any]]

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Members | None:
        """The members of a batch; None where no option is an array of values, or only efforts and inputs by name,
        which might be meant as samples in time."""
        several = dict(_several(options))
        if all(option in ("inputs", "tau") and name is not None for option, name in several):
            return None
        varied = {which: _rows(which, value) for which, value in several.items()}
        lengths = {which: len(rows) for which, rows in varied.items()}
        if len({*lengths.values()}) > 1:
            counts = listed(f"{words(which)} has {length}" for which, length in lengths.items())
            cure = "Give each value once, or as many times as there are members."
            raise ShapeError(f"the members of a batch cannot be counted: {counts}.", cure=cure, code="E-BATCH-SHAPE")
        shared = {
            option: {name: entry for name, entry in value.items() if (option, name) not in varied}
            if isinstance(value, Mapping)
            else value
            for option, value in options.items()
            if (option, None) not in varied
        }
        return cls(next(iter(lengths.values())), shared, varied)

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameters by name: one value for all members, or an array with one for each."""
        varied = {str(name): rows for (option, name), rows in self.varied.items() if option == "parameters"}
        return {**(self.shared.get("parameters") or {}), **varied}

    def member(self, i: int, functions: Functions | None = None) -> dict[str, Any]:
        """The options of one run, with the compiled functions that all share."""
        from ...model.unit import Si

        options = dict(self.shared) | ({"functions": functions, "progress": False} if functions else {})
        for (option, name), rows in self.varied.items():
            value = rows[i]
            if name is None:
                options[option] = value
            elif isinstance(name, int):
                options[option] = tuple(value if k == name else entry for k, entry in enumerate(options[option]))
            else:
                options[option] = {**(options.get(option) or {}), name: Si(value)}
        return options

    def part(self, chosen: slice) -> Members:
        """Some of the members, in their order."""
        rows = {which: values[chosen] for which, values in self.varied.items()}
        return Members(len(range(self.count)[chosen]), self.shared, rows)


#: How a kind of value is written in front of its name, as for a speed that has the name of its coordinate.
PREFIXES = {"parameters": "parameter", "start": "start", "speeds": "speed", "inputs": "input", "tau": "tau"}


def words(which: Which) -> str:
    """A value that differs, as a sentence names it."""
    option, name = which
    return f"{_KINDS[option]} '{name}'" if isinstance(name, str) else f"'{option}'"


def names_of(equations: EquationsOfMotion) -> dict[str, tuple[str, ...]]:
    """The names of the values that each option has, in the order of an array of them."""
    names = array_names(equations)
    start = {"inputs": names["inputs"], "start": names["q"] + names["z"], "speeds": names["u"], "tau": names["tau"]}
    return {"parameters": tuple(equations.system.parameters), **start}


def array_names(equations: EquationsOfMotion) -> dict[str, tuple[str, ...]]:
    """The names of the columns of each array of a trajectory."""
    return {
        "q": tuple(equations.coordinates), "u": tuple(equations.speeds), "z": tuple(equations.states),
        "inputs": tuple(equations.system.inputs), "tau": tuple(equations.tree.speeds),
    }  # fmt: skip


def columns_of(which: Which, equations: EquationsOfMotion) -> tuple[str, tuple[str, ...]]:
    """The option that a value or a row of values belongs to, and their names; a start may be (q, u) or (q, u, z)."""
    option, name = which
    if isinstance(name, str):
        return option, (name,)
    if option == "start":
        parts = [("start", equations.coordinates), ("speeds", equations.speeds), ("start", equations.states)]
        option, names = parts[name or 0]
        return option, tuple(names)
    return option, names_of(equations)[option]


def labelled(equations: EquationsOfMotion, members: Members) -> dict[str, Floats]:
    """Values that differ between members, by unique labels; `hinge(0)` is the start value of a coordinate."""
    columns: dict[str, Floats] = {}
    labels = labels_of(equations)
    for which, rows in members.varied.items():
        option, names = columns_of(which, equations)
        for k, name in enumerate(names):  # states of a controller are none of the equations'
            columns[labels.get((option, name)) or label_of(option, name)] = rows.reshape(len(rows), -1)[:, k]
    return columns


def labels_of(equations: EquationsOfMotion) -> dict[tuple[str, str], str]:
    """The labels of all values that may be varied, by option and name."""
    which = [(option, name) for option, names in names_of(equations).items() for name in names]
    pairs = [(label_of(option, name), f"{PREFIXES[option]}:{name}") for option, name in which]
    return dict(zip(which, distinct(pairs), strict=True))


def label_of(option: str, name: str) -> str:
    """The name of a value that was varied, apart from those of results."""
    return {"start": f"{name}(0)", "speeds": f"d({name})(0)", "tau": f"tau({name})"}.get(option, name)


def _several(options: Mapping[str, Any]) -> Iterator[tuple[Which, Any]]:
    """Options given for each member separately, with their values."""
    for option in OPTIONS:
        value = options.get(option)
        if value is None:
            continue
        if isinstance(value, Mapping):
            for name, entry in value.items():
                depth = 0 if type(entry) is float else _depth(entry)
                if depth == 1 or (depth > 1 and option in ("parameters", "start", "speeds")):
                    yield (option, name), entry
        elif option == "start" and isinstance(value, tuple) and len(value) in (2, 3):
            yield from (((option, k), entry) for k, entry in enumerate(value) if _depth(entry) == 2)
        elif option != "parameters" and _depth(value) == 2:
            yield (option, None), value


def _depth(value: Any) -> int:
    """Number of axes of an array or list of numbers; 0 for anything else."""
    if not isinstance(value, _ARRAYS):
        return 0
    try:
        return np.ndim(value)
    except ValueError:
        return 0  # rows of different lengths, which a run refuses


def _rows(which: Which, value: Any) -> NDArray[Any]:
    rows = np.asarray(value)
    if rows.dtype.kind not in "fiub":
        cure = "Give an array of numbers, a row for each member."
        raise ShapeError(f"{rows.dtype} is no type of real numbers.", words(which), cure, "E-BATCH-TYPE")
    if isinstance(which[1], str) and rows.ndim != 1:
        cure = "Give one number, or an array (N,) with one for each member."
        raise ShapeError(f"the values have shape {rows.shape}.", words(which), cure, "E-BATCH-SHAPE")
    if not len(rows):
        raise ShapeError("there are no values.", place=words(which), cure="Give one or more.", code="E-BATCH-MISSING")
    return rows.astype(np.float64)
