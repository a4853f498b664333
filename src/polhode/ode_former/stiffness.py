"""Whether a run is stiff, as native code sees it: an explicit method by its stages.

An explicit method whose steps are bounded by stability rather than by the error has h |λ| at the edge of its domain.
Two stages at the end of a step, of rates k and states y, tell λ (Hairer and Wanner, *Solving ordinary differential
equations II*, IV.2):

    h |λ| ≈ h |k - k'| / |y - y'|.

A Taylor series of a motion that decays like λ has h |λ| ≈ h j |x_j| / |x_{j-1}| at its last orders j.
"""

from __future__ import annotations

from ..codegen.llvm.builder import Function, Record, Value
from .run_record import Reason

#: Where h |λ| of an explicit pair of this order is beyond this, stability bounds its steps: step control keeps them a
#: little inside of the domain of stability, which ends at 6.4, 5.9 and 3.3 on the real axis.
EDGES = {8: 4.0, 7: 4.0, 5: 2.4}
#: The same of a series, over its order p: at the edge it is 0.43 p to 0.54 p, elsewhere seldom above 0.3 p.
SERIES_EDGE = 0.33
#: So many steps in a row that are not stiff forget those that were.
_FORGET = 6
#: Steps between looks while nothing was found.
_EVERY = 16


def note_if_stiff(f: Function, run: Record, is_stiff: Value) -> None:
    """Count a step that stability bounds."""
    with f.when(is_stiff):
        run.quiet_steps = 0
        run.noted_steps = run.noted_steps + 1
    with f.when(~is_stiff):
        run.quiet_steps = run.quiet_steps + 1
        with f.when(run.quiet_steps >= _FORGET):
            run.noted_steps = 0


def is_looked_at(f: Function, run: Record) -> Value:
    """Whether this step is looked at."""
    steps = run.steps
    return (run.patience > 0) & ((run.noted_steps > 0) | (steps - steps / _EVERY * _EVERY).equals(0))


def come_back_if_stiff(f: Function, run: Record) -> None:
    """Come back where so many steps in a row were noted that another kind of method should go on."""
    with f.when((run.patience > 0) & (run.noted_steps >= run.patience)):
        run.noted_steps = 0
        f.give(Reason.STIFF)
