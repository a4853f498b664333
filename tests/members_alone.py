"""Members of a batch beside the runs that they are alone."""

from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.simulate.batch import running
from polhode.simulate.batch.batch import Batch
from polhode.simulate.batch.members import Members
from polhode.simulate.run import simulate


class MembersAlone:
    """Compares members with runs alone, bit for bit; `by_python` members were not brought to their end natively."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.by_python = 0

        def spied(*given: Any, **options: Any) -> Any:
            self.by_python += 1
            return simulate(*given, **options)

        monkeypatch.setattr(running, "simulate", spied)

    def check(self, equations: ph.Equations, duration: float, options: dict[str, Any]) -> Batch:
        """The batch, each member of which is what its run is alone."""
        members = Members.of(options)
        assert members is not None
        batch = equations.simulate(duration, **options)
        for i in range(members.count):
            alone = equations.simulate(duration, **members.member(i))
            member = batch[i]
            for name in ("t", "q", "u", "tau"):
                assert np.array_equal(getattr(member, name), getattr(alone, name)), name
            assert (member.status, member.notices, member.events) == (alone.status, alone.notices, alone.events)
            assert member.info["steps"] == alone.info["steps"] and batch.reached[i] == np.isin(alone.t, batch.t).sum()
        return batch
