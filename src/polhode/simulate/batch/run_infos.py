"""What is known of many runs, as a sequence of records that are made when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

from numpy.typing import NDArray

Info = Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class RunInfos(Sequence[Info]):
    """An info for each run: what all share, a column of each value that differs, and whole infos of some runs.

    `more` makes what else is known of a run.

    >>> import numpy as np
    >>> infos = RunInfos({"method": "DOP853"}, {"steps": np.array([3, 5])}, {0: {"method": "RK45"}})
    >>> len(infos), infos[0], infos[1]
    (2, {'method': 'RK45'}, {'method': 'DOP853', 'notices': [], 'steps': 5})
    """

    shared: Info
    columns: Mapping[str, NDArray[Any]]
    own: Mapping[int, Info] = field(default_factory=dict)
    more: Callable[[int], Info] | None = None

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    @overload
    def __getitem__(self, which: int) -> Info: ...
    @overload
    def __getitem__(self, which: slice) -> Sequence[Info]: ...
    def __getitem__(self, which: int | slice) -> Info | Sequence[Info]:
        if isinstance(which, slice):
            return tuple(self[i] for i in range(len(self))[which])
        i = range(len(self))[which]
        if i in self.own:
            return self.own[i]
        more = {} if self.more is None else self.more(i)
        return {**self.shared, "notices": [], **{n: column[i].item() for n, column in self.columns.items()}, **more}


def with_own(infos: Sequence[Info], own: Mapping[int, Info]) -> Sequence[Info]:
    """The infos with others for some runs."""
    if isinstance(infos, RunInfos):
        return RunInfos(infos.shared, infos.columns, {**infos.own, **own}, infos.more)
    return tuple(own.get(i, info) for i, info in enumerate(infos))
