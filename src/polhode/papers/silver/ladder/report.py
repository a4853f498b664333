"""The table: each method as printed, as written, on the graph, and on arms as they are built."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ....errors import whole_number
from ....model.model import Model
from .arms import general_arm, puma_like_arm
from .planned import customised, on_the_graph
from .table_3 import OURS, TABLE_3, Formula, Method, fitted
from .written import Count, as_written


@dataclass(frozen=True)
class Rung:
    """One method: its counts for n = 1, 2, … joints, and for arms as they are built."""

    method: Method
    written: tuple[Count, ...] = ()
    graph: tuple[Count, ...] = ()
    built: tuple[tuple[str, Count], ...] = ()

    @property
    def growth(self) -> tuple[Formula | None, Formula | None]:
        """Multiplications and additions as written, as polynomials in n."""
        return (
            fitted([entry.multiplications for entry in self.written]),
            fitted([entry.additions for entry in self.written]),
        )

    def printed(self, n: int) -> Count | None:
        """Table 3 for n joints, where it prints the whole formula."""
        formulas = self.method.multiplications, self.method.additions
        values = [None if formula is None else formula.at(n) for formula in formulas]
        return None if values[0] is None or values[1] is None else Count(values[0], values[1])


@dataclass(frozen=True)
class Ladder:
    """All methods of Table 3, and ours."""

    rungs: tuple[Rung, ...]
    joints: int

    def table(self) -> list[tuple[str, ...]]:
        """Header and rows as text, every count as multiplications / additions."""
        names = next((tuple(name for name, _ in rung.built) for rung in self.rungs if rung.built), ())
        last = f"n = {self.joints}"
        head = ("", "method", "printed", "as written", f"{last}: printed", "as written", "on the graph", *names)
        rows = [head]
        for rung in self.rungs:
            method = rung.method
            formulas = (method.multiplications, method.additions)
            cells = (
                rung.printed(self.joints),
                *(counts[-1] if counts else None for counts in (rung.written, rung.graph)),
            )
            built = dict(rung.built)
            rows.append((
                method.letter,
                method.authors,
                _pair(formulas),
                _pair(rung.growth),
                *(_cell(entry) for entry in (*cells, *(built.get(name) for name in names))),
            ))  # fmt: skip
        return rows

    def by_joints(self) -> list[tuple[str, ...]]:
        """Header and rows as text: each formalism for n = 1, 2, … joints."""
        rows: list[tuple[str, ...]] = [("method", "n", "printed", "as written", "on the graph")]
        for rung in self.rungs:
            for n, (written, graph) in enumerate(zip(rung.written, rung.graph, strict=True), start=1):
                rows.append((rung.method.authors, str(n), _cell(rung.printed(n)), _cell(written), _cell(graph)))
        return rows

    def as_json(self) -> list[dict[str, Any]]:
        """Plain data, for `--json`."""
        return [
            {
                "row": rung.method.letter,
                "method": rung.method.authors,
                "formalism": rung.method.formalism,
                "printed": _pair((rung.method.multiplications, rung.method.additions)),
                "growth": _pair(rung.growth),
                "as written": [asdict(entry) for entry in rung.written],
                "on the graph": [asdict(entry) for entry in rung.graph],
                "customised": {name: asdict(entry) for name, entry in rung.built},
            }
            for rung in self.rungs
        ]

    def __str__(self) -> str:
        return aligned(self.table())


def aligned(table: Sequence[Sequence[str]]) -> str:
    """A table as text, its columns one below the other."""
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = ("  ".join(map(str.ljust, row, widths)).rstrip() for row in table)
    return "\n".join(lines)


def _pair(formulas: tuple[Formula | None, Formula | None]) -> str:
    return "–" if None in formulas else f"{formulas[0]} / {formulas[1]}"


def _cell(entry: Count | None) -> str:
    return "–" if entry is None else str(entry)


def ladder(n_max: int = 6, *, customise: bool = True) -> Ladder:
    """Count every method of Table 3 for 1 to n_max joints; with `customise`, for two six-joint arms as built too.

    >>> [str(formula) for formula in ladder(4, customise=False).rungs[2].growth]
    ['805n - 608', '642n - 512']
    """
    n_max = whole_number(n_max, "one joint or more", least=1, place="ladder n_max")
    arms = (general_arm().model(), puma_like_arm().model()) if customise else ()
    return Ladder(tuple(_rung(method, n_max, arms) for method in (*TABLE_3, OURS)), n_max)


def _rung(method: Method, n_max: int, arms: Sequence[Model]) -> Rung:
    formalism = method.formalism
    if formalism is None:
        return Rung(method)
    return Rung(
        method,
        tuple(as_written(formalism, n) for n in range(1, n_max + 1)),
        tuple(on_the_graph(formalism, n) for n in range(1, n_max + 1)),
        tuple((system.name, customised(formalism, system)) for system in arms),
    )
