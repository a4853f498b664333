"""Batches as datasets over members and time, and back.

A member that has samples of its own, as where an event ended it between two of the common ones, is kept a second time
in full: its samples lie one behind the other along `own_sample`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from ...compiled.functions import Functions
from ...errors import FormatError, shown
from ...files.archives import readable
from ..initial_state import Floats
from ..trajectory.column_names import KINDS, variable_names
from ..trajectory.datasets import Dataset, Named
from ..trajectory.files import plain_info, strings
from ..trajectory.trajectory import Trajectory
from .batch import Batch

_KIND = "polhode batch"
_MEMBER, _RUN, _OWN = ("member",), ("member", "time"), ("own_sample",)
_TAKEN = ("member", "time", "status", "message", "notice", "own_sample", "own_member", "own_time")


def as_dataset(batch: Batch, taken: Collection[str] = ()) -> Dataset:
    """Coordinates and states by name, speeds as `d(name)`, inputs as `input(name)` and efforts as `tau(name)`."""
    names = [(field, name) for field in batch.arrays for name in batch.names[field]]
    spelled = [(KINDS[field][0], name, KINDS[field][1].format(name)) for field, name in names]
    own = [(f"own_{kind}", name, f"own_{spelling}") for kind, name, spelling in spelled]
    varied = [("varied", name, name) for name in batch.varied]
    chosen, titles = variable_names([*spelled, *own, *varied], (*_TAKEN, *taken))
    columns, own_columns = (_by_field(batch, names, chosen[k * len(names) :]) for k in range(2))
    varied_names = dict(zip(batch.varied, chosen[2 * len(names) :], strict=True))
    variables: dict[str, Named] = {
        label: (_RUN, batch.arrays[field][:, :, k])
        for field, labels in columns.items()
        for k, label in enumerate(labels)
    }
    variables["status"] = (_MEMBER, batch.status)
    variables["message"] = (_MEMBER, np.array(batch.messages, dtype=np.str_))
    runs = {i: run for i, run in batch.own.items() if len(run) > batch.reached[i]}
    if runs:
        members = np.fromiter(runs, dtype=np.int64)
        variables["own_member"] = (_OWN, np.repeat(members, [len(run) for run in runs.values()]))
        variables["own_time"] = (_OWN, np.concatenate([run.t for run in runs.values()]))
        for field, labels in own_columns.items():
            rows = np.concatenate([_rows(run, field, len(labels)) for run in runs.values()])
            variables |= {label: (_OWN, rows[:, k]) for k, label in enumerate(labels)}
    coordinates: dict[str, Named] = {"member": (_MEMBER, np.arange(len(batch))), "time": (("time",), batch.t)}
    coordinates |= {label: (_MEMBER, batch.varied[name].astype(np.float64)) for name, label in varied_names.items()}
    about = {
        "names": batch.names,
        "columns": columns,
        "own": own_columns,
        "varied": varied_names,
        "parameters": {name: np.asarray(value, dtype=np.float64).tolist() for name, value in batch.parameters.items()},
        "reached": batch.reached.tolist(),
        "infos": [plain_info(info) for info in batch.infos],
        "notices": list(batch.notices),
    }
    titles = {name: title for name, title in titles.items() if name in variables or name in coordinates}
    return Dataset(coordinates, variables, {"kind": f"{_KIND} 2", "about": json.dumps(about)}, titles)


def _by_field(batch: Batch, names: Sequence[tuple[str, str]], chosen: Sequence[str]) -> dict[str, list[str]]:
    """The variables of the columns of each array."""
    pairs = list(zip(names, chosen, strict=False))
    return {field: [label for (each, _), label in pairs if each == field] for field in batch.arrays}


def _rows(run: Trajectory, name: str, width: int) -> Floats:
    values = getattr(run, name)
    return np.full((len(run), width), np.nan) if values is None else np.asarray(values)


def of_dataset(dataset: Dataset, path: str | os.PathLike[str], functions: Functions | None) -> Batch:
    """The batch that a dataset was made of."""
    check_is(_KIND, dataset, "a saved batch", "Batch.save", path)
    with readable(path, "a saved batch", "Batch.save"):
        about = json.loads(dataset.attributes["about"])
        names = {field: strings(each) for field, each in about["names"].items()}
        columns: Mapping[str, list[str]] = about["columns"]
        own = about.get("own") or {field: [f"own_{label}" for label in labels] for field, labels in columns.items()}
        counts = [{field: len(each) for field, each in table.items()} for table in (names, columns, own)]
        if not {"q", "u", "z"} <= columns.keys() <= KINDS.keys() or counts != counts[:1] * 3:
            raise ValueError("its columns and their names differ")
        t, status = dataset.array("time", ("time",)), dataset.array("status", _MEMBER, "U")
        reached, infos = np.array(about["reached"], dtype=np.int64), tuple(map(dict, about["infos"]))
        if not len(status) == len(infos) == len(reached) or not ((reached >= 0) & (reached <= len(t))).all():
            raise ValueError("its members are not as many as it says")
        varied = about["varied"] if isinstance(about["varied"], dict) else {name: name for name in about["varied"]}
        batch = Batch(
            t, _stacked(dataset, columns, _RUN, (len(status), len(t))), reached, status,
            tuple(dataset.array("message", _MEMBER, "U").tolist()), names,
            {name: dataset.array(label, _MEMBER) for name, label in varied.items()},
            {name: _parameter(value, len(status)) for name, value in about["parameters"].items()}, infos,
            functions=functions, notices=tuple(map(str, about.get("notices", ()))),
        )  # fmt: skip
        return batch.with_own(_own(batch, dataset, own))


def check_is(kind: str, dataset: Dataset, what: str, writer: str, path: str | os.PathLike[str]) -> None:
    """Raise where a dataset is of another kind, or of a version to come."""
    found = dataset.attributes.get("kind", "")
    if found not in (f"{kind} 1", f"{kind} 2"):
        cure = f"Give a file that {writer} wrote."
        raise FormatError(f"this is not {what}: its kind is {shown(found)}.", os.fspath(path), cure, "E-FILE-READ")


def _parameter(value: Any, count: int) -> Any:
    """One number, or one for each member."""
    numbers = np.array(value, dtype=np.float64)
    if numbers.shape not in ((), (count,)):
        raise ValueError("a parameter does not have a value for each member")
    return numbers if numbers.ndim else float(numbers)


def _stacked(
    dataset: Dataset, columns: Mapping[str, list[str]], dims: tuple[str, ...], shape: tuple[int, ...]
) -> dict[str, Floats]:
    """Arrays whose last axis are the columns."""
    return {
        field: np.stack([dataset.array(label, dims) for label in labels], axis=-1) if labels else np.zeros((*shape, 0))
        for field, labels in columns.items()
    }


def _own(batch: Batch, dataset: Dataset, columns: Mapping[str, list[str]]) -> dict[int, dict[str, Any]]:
    """The samples of members that have their own, by the members' numbers."""
    if "own_member" not in dataset.variables:
        return {}
    members, t = dataset.array("own_member", _OWN, "i"), dataset.array("own_time", _OWN)
    arrays = {"t": t, **_stacked(dataset, columns, _OWN, t.shape)}
    if not ((members >= 0) & (members < len(batch))).all():
        raise ValueError("it has samples of a member that is not there")
    order = np.argsort(members, kind="stable")
    present, starts = np.unique(members[order], return_index=True)
    parts = {field: np.split(array[order], starts[1:]) for field, array in arrays.items()}
    return {int(i): {field: rows[k] for field, rows in parts.items()} for k, i in enumerate(present)}
