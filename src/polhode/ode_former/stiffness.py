"""Whether a run is stiff, as native code sees it: an explicit method by its stages, an implicit one by its Jacobian.

An explicit method whose steps are bounded by stability rather than by the error has h |λ| at the edge of its domain.
Two stages at the end of a step, of rates k and states y, tell λ (Hairer and Wanner, *Solving ordinary differential
equations II*, IV.2):

    h |λ| ≈ h |k - k'| / |y - y'|.

A Taylor series of a motion that decays like λ has h |λ| ≈ h j |x_j| / |x_{j-1}| at its last orders j.

An implicit method could be replaced by an explicit one where h ρ(J) is small; ρ comes from the powers of J on one
vector, two at each step.
"""

from __future__ import annotations

from ..codegen.llvm.builder import BLOCK, Function, Record, Value
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
#: An implicit step is worth so many explicit ones.
_WORTH = 3.0
_CALM = _WORTH * EDGES[8]


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


def note_if_calm(f: Function, run: Record, implicit: Record, step: Value) -> None:
    """Count a step of an implicit method that an explicit one could have taken in a few."""
    with f.when(run.patience > 0):
        radius = _spectral_radius(f, run, implicit)
        implicit.spectral_radius = radius
        is_calm = step * radius < _CALM
        run.noted_steps = f.select(is_calm, run.noted_steps + 1, 0)


def _spectral_radius(f: Function, run: Record, implicit: Record) -> Value:
    """(|J² v| / |v|)^½, and v = J² v / |J² v|."""
    direction, image = implicit.direction, implicit.image
    before = _product(f, run, implicit, direction, image)
    after = _product(f, run, implicit, image, direction)
    usable = (after > 1e-200) & (after < 1e200) & (before < 1e200)
    scale = 1.0 / f.select(usable, after, 1.0)
    with f.loop(run.size) as i:
        direction[i] = f.select(usable, direction[i] * scale, 1.0)
    return f.select(usable, f.sqrt(after), 0.0)


def _product(f: Function, run: Record, implicit: Record, source: Value, target: Value) -> Value:
    """target = J source, and its length."""
    n, blocks, jacobian = run.size, run.blocks, implicit.jacobian
    square = f.variable(0.0)
    with f.loop(n) as i:
        row, total = jacobian.at(i * blocks, BLOCK), f.variable(0.0, BLOCK)
        with f.loop(blocks) as block:
            total.value = f.fma(row.block(block), source.block(block), total.value)
        entry = total.value.sum()
        target[i] = entry
        square.value = f.fma(entry, entry, square.value)
    return f.sqrt(square.value)
