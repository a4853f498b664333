"""Detection of stiffness: an explicit method by its stages, an implicit one by its Jacobian.

An explicit method whose steps are bounded by stability rather than by the error has h |λ| at the edge of its domain.
Two stages at the end of a step, of rates k and states y, give λ (Hairer and Wanner, *Solving ordinary differential
equations II*, IV.2):

    h |λ| ≈ h |k - k'| / |y - y'|.

A Taylor series of a motion that decays like λ has h |λ| ≈ h j |x_j| / |x_{j-1}| at its last orders j.

An implicit method could be replaced by an explicit one where h ρ(J) is small; ρ comes from the powers of J on one
vector, two at each step (`methods.jacobian`).
"""

from __future__ import annotations

from ..native.language import inline
from .record import EDGES

#: The same of a series, over its order p: at the edge it is 0.43 p to 0.54 p, elsewhere seldom above 0.3 p.
SERIES_EDGE = 0.33
#: So many steps in a row that are not stiff reset the count of those that were.
_RESET = 6
#: Steps between two tests while no step was stiff.
_EVERY = 16


@inline
def note_if_stiff(run, is_stiff):
    """Count a step that stability bounds."""
    if is_stiff:
        run.quiet_steps = 0
        run.noted_steps += 1
    else:
        run.quiet_steps += 1
        if run.quiet_steps >= _RESET:
            run.noted_steps = 0


@inline
def is_due(run):
    """True if this step is tested."""
    return (run.stiffness_limit > 0) & ((run.noted_steps > 0) | (run.steps % _EVERY == 0))


__all__ = ["EDGES", "SERIES_EDGE", "is_due", "note_if_stiff"]
