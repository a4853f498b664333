"""When a run goes on with another kind of method: with an implicit one while it is stiff, with an explicit one after.

Native code tells when it has seen stiffness begin or end (`ode.stiffness`). What is decided here depends
on the motion alone, never on a clock, so that a run can be repeated.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ...ode.native_run import NativeRun
from ...ode.record import EDGES

#: The method of stiff runs, by differences of the rates. On chains of 2 to 12 links with stiff joints, an elastic joint
#: and a stiff actuator, at 1e-4, 1e-6 and 1e-9, it takes 0.5 to 1.0 of the time of Rodas5P with exact derivatives, and
#: mostly has a fifth of its error or less. Exact derivatives save Rodas5P a tenth to a third, and Radau nothing: it
#: asks for them seldom.
STIFF_METHOD = "Radau"
#: So many steps in a row must ask for another kind of method; after each that was in vain, this many times more.
_PATIENCE, _MORE = 15, 4
#: A run with fewer explicit steps ahead of it goes on with them.
_FEW = 1000


@dataclass(eq=False)
class Switch:
    """Which method steps a run that may choose."""

    explicit: str
    is_stiff: bool = False
    turns: list[tuple[float, str]] = field(default_factory=list)  # when each method began
    _patience: int = _PATIENCE

    @property
    def method(self) -> str:
        return STIFF_METHOD if self.is_stiff else self.explicit

    def watch(self, run: NativeRun) -> None:
        """Have a run tell when another kind of method should go on."""
        run.record.stiffness_limit = _PATIENCE if self.is_stiff else self._patience

    def turned(self, run: NativeRun, end: float) -> bool:
        """Whether another method goes on, for a run that has told that it should."""
        t, h = float(run.record.t), float(run.record.taken)
        ahead = (end - t) / h
        is_worth_it = self.is_stiff or ahead > _FEW
        if self.is_stiff or not is_worth_it:
            self._patience *= _MORE
        if not is_worth_it:
            self.watch(run)
            return False
        self.is_stiff = not self.is_stiff
        self.turns.append((t, self.method))
        return True

    def first_step(self, run: NativeRun) -> float:
        """The first step after a turn, from what the run before it wanted."""
        h = float(run.record.h)
        if run.implicit is not None and run.implicit.record.spectral_radius > 0.0:
            return float(min(h, EDGES[8] / run.implicit.record.spectral_radius))
        return h
