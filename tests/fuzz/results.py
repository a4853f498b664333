"""Cases from saved results: batches and sweeps in every format, damaged; and columns with hostile names."""

import io
import json
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from tests.fuzz.case import Case
from tests.fuzz.mutate import mutated

import polhode as ph

KINDS = ("npz", "nc", "zarr")
#: Parts of names that files, other columns or shells give a meaning.
PARTS = (
    "x", "d(", ")", "tau(", "input(", "status", "message", "notice", "time", "member", "own_", " ", "\\", "/", "'", '"',
    "\n", "\r", "\t", ",", ".", "_0", "coordinate", "speed", ":", "int", "zarr.json", "é", "e\u0301", "\ud800",
    "\U0001f600",    "energy", "(0)", " (result)", "axis", "#", "q.", "=", "[m]", "\x00", "..", "a" * 250, "ﬁ", "X",
)  # fmt: skip


@cache
def saved() -> dict[str, dict[str, bytes]]:
    """Files of results by the name of each result; a Zarr store has several."""
    s = ph.System("two")
    s.joint("x", s.ground, s.body("a", s.parameter("m", 1)), ph.Prismatic("x"))
    s.joint("y", s.ground, s.body("b", 1), ph.Prismatic("z"))
    e = s.derive()
    batch = e.simulate(0.2, parameters={"m": [1, 2]}, speeds={"x": 1}, samples=4, until=e.q[0] - 0.13)
    results = {
        "batch": batch,
        "sweep": e.sweep({"m": [1, 2]}, 0.1, workers=1, samples=3),
        "runs": e.sweep({"m": [1, 2], "x": [0, 1]}, 0.1, measure=None, workers=1, samples=3),
    }
    made: dict[str, dict[str, bytes]] = {}
    with TemporaryDirectory() as folder:
        for word, result in results.items():
            for kind in KINDS:
                path: Path = result.save(Path(folder, f"{word}.{kind}"))
                parts = [each for each in sorted(path.rglob("*")) if each.is_file()] if path.is_dir() else [path]
                made[path.name] = {each.relative_to(folder).as_posix(): each.read_bytes() for each in parts}
    return made


def result_case(chance: Random) -> Case:
    """A saved batch or sweep with changed bytes, files or records, loaded and looked at."""
    name = chance.choice(list(saved()))
    files = dict(saved()[name])
    if name.endswith(".npz") and chance.random() < 0.7:
        files[name] = _changed(files[name], chance)
    else:
        for _ in range(chance.choice([1, 1, 1, 3])):
            which = chance.choice(list(files))
            how = chance.random()
            if how < 0.1 and len(files) > 1:
                del files[which]
            elif how < 0.2 and len(files) > 1:
                files[which] = files[chance.choice(list(files))]
            elif how < 0.6 and files[which]:
                content = bytearray(files[which])
                content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
                files[which] = bytes(content)
            else:
                files[which] = mutated(files[which], chance)
    word = "Batch" if name.startswith("batch") else "Sweep"
    module = "polhode.simulate" if word == "Batch" else "polhode.simulate.sweep"
    return Case(
        (
            f"from {module} import {word}; r = {word}.load(folder / {name!r})",
            "repr(r)",
            "[repr(each) for each in r]" if word == "Batch" else "[r[each] for each in r.values]",
            "r.save(folder / 'again.npz')",
        ),
        files,
    )


def _changed(content: bytes, chance: Random) -> bytes:
    """A whole archive with another record or array, and a checksum that agrees with it where that is possible."""
    from dataclasses import replace

    from polhode.simulate.trajectory.datasets import as_archive, of_archive

    data = of_archive(content)
    attributes = {key: value for key, value in data.attributes.items() if key != "sha256"}
    about = json.loads(attributes["about"])
    junk: list[Any] = [None, [], {}, "x", -1, 1e308, ["x"], {"x": "x"}, [[1]], True, "status", ["x", "x"], [0, 10**9]]
    variables = dict(data.variables)
    if chance.random() < 0.6:
        holder: Any = about
        key = chance.choice(list(holder))
        while isinstance(holder[key], dict) and holder[key] and chance.random() < 0.6:
            holder, key = holder[key], chance.choice(list(holder[key]))
        holder[key] = chance.choice(junk)
    else:
        key = chance.choice(list(variables))
        dims, array = variables[key]
        other = variables[chance.choice(list(variables))]
        changes = [other, (dims, array[:-1]), (dims[::-1], array), (dims, array.astype("S")), (("x",), np.zeros(2))]
        changes += [(dims, np.zeros(array.shape, dtype=kind)) for kind in ("f4", "i8", "c16", "U1", "M8[s]", "V3")]
        variables[key] = chance.choice(changes)
    attributes["about"] = json.dumps(about)
    try:
        made = replace(data, variables=variables, attributes=attributes)
        return as_archive(replace(made, attributes={**attributes, "sha256": made.digest}))
    except (ValueError, TypeError):  # dimensions that disagree: a file that says so all the same
        arrays = [*data.coordinates.items(), *variables.items()]
        parts = ["coordinates"] * len(data.coordinates) + ["variables"] * len(variables)
        names = [[name, dims, part] for (name, (dims, _)), part in zip(arrays, parts, strict=True)]
        record = json.dumps({"version": 1, "names": names, "attributes": attributes}).encode()
        file = io.BytesIO()
        np.savez(
            file,
            meta=np.frombuffer(record, dtype=np.uint8),
            **{f"array_{k}": array for k, (_, (_, array)) in enumerate(arrays)},
        )
        return file.getvalue()


def name_case(chance: Random) -> Case:
    """A mechanism whose coordinates and parameters have hostile names: what is saved is what is loaded."""

    def name() -> str:
        return "".join(chance.choice(PARTS) for _ in range(chance.choice([1, 1, 1, 2, 3])))

    names = list(dict.fromkeys(name() for _ in range(4)))
    kind = chance.choice(KINDS)
    statements = ["s = ph.System('named', gravity=(0, 0, 0))"]
    statements += [
        f"j = s.joint({each!r}, s.ground, s.body('b{k}', 1), ph.Prismatic('x'))" for k, each in enumerate(names)
    ]
    statements += [
        f"p = s.parameter({chance.choice([name(), names[0] + '(0)'])!r}, 1); s.body('c', p); "
        "s.joint('slide', s.ground, s.bodies['c'], ph.Prismatic('z'))",
        "e = s.derive(); n = len(e.coordinates); start = (np.arange(n), np.arange(n) + 0.5)",
        f"b = e.simulate(0.1, samples=3, start=start, parameters={{p.name: [1, 2]}}); b.save(folder / 'b.{kind}')",
        f"from polhode.simulate import Batch, Trajectory; f = Batch.load(folder / 'b.{kind}')",
        "assert f.coordinates == b.coordinates and [*f.varied] == [*b.varied]",
        "assert (f.q == b.q).all() and (f.u == b.u).all()",
        "x = b.to_xarray(); y = b[0].to_xarray(); assert len(y.data_vars) >= 2 * n",
        "b[0].to_csv(folder / 'r.csv')",
        "g = Trajectory.from_csv(folder / 'r.csv'); assert g.coordinates == b.coordinates and (g.q == b[0].q).all()",
        "w = e.sweep({'parameter:' + p.name: [1, 2], 'start:slide': [0, 3]}, 0.1, samples=3, workers=1)",
        "h = {k: w[k][0, 0] for k in w.values}; assert len(h) == 2 * n and not w.failures",
        f"from polhode.simulate.sweep import Sweep; v = Sweep.load(w.save(folder / 'w.{kind}'))",
        "assert [*v.axes] == [*w.axes] and [*v.values] == [*w.values] and all((v[k] == w[k]).all() for k in w.values)",
        "w.to_csv(folder / 'w.csv')",
    ]
    return Case(tuple(statements))
