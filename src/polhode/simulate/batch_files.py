"""Batches as datasets over members and time, and back.

A member that has samples of its own, as where an event ended it between two of the common ones, is kept a second time
in full: its samples lie one behind the other along `own_sample`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..compiled.functions import Functions
from ..errors import FormatError
from .batch import Batch
from .datasets import Dataset, Named
from .initial_state import Floats
from .trajectory import Trajectory
from .trajectory_files import plain_info

_KIND = "polhode batch 1"


def as_dataset(batch: Batch) -> Dataset:
    """Coordinates and states by name, speeds as `d(name)`, inputs as `input(name)` and efforts as `tau(name)`."""
    columns = _columns(batch)
    variables: dict[str, Named] = {
        label: (("member", "time"), batch.arrays[name][:, :, k]) for name, labels in columns.items()
        for k, label in enumerate(labels)
    }  # fmt: skip
    variables["status"] = (("member",), batch.status)
    variables["message"] = (("member",), np.array(batch.messages, dtype=np.str_))
    own = {i: run for i, run in batch.own.items() if len(run) > batch.reached[i]}
    if own:
        runs = own.values()
        variables["own_member"] = (
            ("own_sample",),
            np.repeat(np.fromiter(own, dtype=np.int64), [len(run) for run in runs]),
        )
        variables["own_time"] = (("own_sample",), np.concatenate([run.t for run in runs]))
        for name, labels in columns.items():
            rows = np.concatenate([_rows(run, name, len(labels)) for run in runs])
            variables |= {f"own_{label}": (("own_sample",), rows[:, k]) for k, label in enumerate(labels)}
    names = [name for name in batch.varied if name not in variables]
    coordinates: dict[str, Named] = {
        "member": (("member",), np.arange(len(batch))),
        "time": (("time",), batch.t),
        **{name: (("member",), batch.varied[name]) for name in names},
    }
    about = {
        "names": batch.names,
        "columns": columns,
        "varied": names,
        "parameters": {name: np.asarray(value, dtype=np.float64).tolist() for name, value in batch.parameters.items()},
        "reached": batch.reached.tolist(),
        "infos": [plain_info(info) for info in batch.infos],
        "notices": list(batch.notices),
    }
    return Dataset(coordinates, variables, {"kind": _KIND, "about": json.dumps(about)})


def _columns(batch: Batch) -> dict[str, list[str]]:
    """The names of the variables that each array of the batch becomes."""
    spelt = {"q": "{}", "u": "d({})", "z": "{}", "inputs": "input({})", "tau": "tau({})"}
    return {kind: [spelt[kind].format(name) for name in batch.names[kind]] for kind in batch.arrays}


def _rows(run: Trajectory, name: str, width: int) -> Floats:
    values = getattr(run, name)
    return np.full((len(run), width), np.nan) if values is None else np.asarray(values)


def of_dataset(dataset: Dataset, path: str | os.PathLike[str], functions: Functions | None) -> Batch:
    """The batch that a dataset was made of."""
    if dataset.attributes.get("kind") != _KIND:
        raise FormatError(
            "this is not a saved batch.",
            place=os.fspath(path),
            cure="Give a file that Batch.save wrote.",
            code="E-BATCH-010",
        )
    about = json.loads(dataset.attributes["about"])
    columns: Mapping[str, list[str]] = about["columns"]
    arrays = {
        name: np.stack([dataset.variables[label][1] for label in labels], axis=-1)
        if labels
        else np.zeros((len(about["infos"]), len(dataset.coordinates["time"][1]), 0))
        for name, labels in columns.items()
    }
    parameters = {n: np.array(v) if isinstance(v, list) else v for n, v in about["parameters"].items()}
    batch = Batch(
        dataset.coordinates["time"][1], arrays, np.array(about["reached"]), dataset.variables["status"][1],
        tuple(dataset.variables["message"][1].tolist()), {kind: tuple(n) for kind, n in about["names"].items()},
        {name: dataset.coordinates[name][1] for name in about["varied"]}, parameters, tuple(about["infos"]),
        functions=functions, notices=tuple(about.get("notices", ())),
    )  # fmt: skip
    return batch.with_own(_own(batch, dataset, columns))


def _own(batch: Batch, dataset: Dataset, columns: Mapping[str, list[str]]) -> dict[int, dict[str, Any]]:
    """The samples of members that have their own, by their places."""
    if "own_member" not in dataset.variables:
        return {}
    whose = dataset.variables["own_member"][1]
    made = {}
    for i in dict.fromkeys(whose.tolist()):
        chosen = whose == i
        rows = {
            name: np.stack([dataset.variables[f"own_{label}"][1][chosen] for label in labels], axis=-1)
            if labels
            else np.zeros((int(chosen.sum()), 0))
            for name, labels in columns.items()
        }
        made[int(i)] = {"t": dataset.variables["own_time"][1][chosen], **rows}
    return made
