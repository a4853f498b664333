"""A commutator-free Lie group method of order 4: quaternions turn by exponentials and stay unit.

E. Celledoni, A. Marthinsen, B. Owren, "Commutator-free Lie group methods", Future Generation Computer Systems 19, 2003.
A quaternion e turns with its body's angular velocity, ė = ½ e ω; the rest of the state is a vector y. With k_i = h ω_i
of the stages (and h ẏ_i, for which exp adds),

    Y_1 = x,    Y_2 = x exp(k_1/2),    Y_3 = x exp(k_2/2),    Y_4 = Y_2 exp(k_3 - k_1/2),
    x⁺ = x exp((3 k_1 + 2 k_2 + 2 k_3 - k_4)/12) exp((-k_1 + 2 k_2 + 2 k_3 + 3 k_4)/12),

which for the vector is the classical method of order 4. What rounding leaves of a unit length is taken out at first
order, e (3 - |e|²)/2, and what it leaves out of the vector is added to the next step.
"""

from __future__ import annotations

from ...native.language import (
    Array,
    Struct,
    at,
    blocks,
    cos,
    fma,
    inline,
    local,
    native,
    record_at,
    row,
    sin,
    sqrt,
    vector,
)  # fmt: skip
from ..record import ACCEPTED, Reason, Run
from ..right_side import are_finite, copy, rates
from ..step_control import begin_on_grid, compensated_sum, time_in_step
from .explicit_pairs import combine

#: For each stage after the first: its time, the stage from which quaternions turn on, and the weights of the k, for
#: quaternions and for the vector.
_STAGES = (
    (0.5, 0, (0.5,), (0.5,)),
    (0.5, 0, (0.0, 0.5), (0.0, 0.5)),
    (1.0, 1, (-0.5, 0.0, 1.0), (0.0, 0.0, 1.0)),
)
_ENDS = ((3 / 12, 2 / 12, 2 / 12, -1 / 12), (-1 / 12, 2 / 12, 2 / 12, 3 / 12))
_TOGETHER = (1 / 6, 1 / 3, 1 / 3, 1 / 6)
STAGES = 4


class LieSteps(Struct):
    """What rounding left out of the state, now and before the last step, and the states of the stages."""

    lost: Array
    lost_old: Array
    z: Array


@native
def begin(run: Run) -> int:
    """The rates at the start."""
    begin_on_grid(run)
    memory = record_at(LieSteps, run.memory)
    for block in blocks(run):
        memory.lost[block] = vector(0.0)
    return rates(run, time_in_step(run, 0.0, 0.0), run.x, run.f)


@native
def attempt(run: Run, step: float) -> int:
    """A step to run.y."""
    memory = record_at(LieSteps, run.memory)
    copy(run, memory.lost, memory.lost_old)
    times = [time_in_step(run, step, c) for c, _, _, _ in _STAGES]
    reason = _step(run, memory, times, run.x, run.f, step, run.y, memory.lost)
    if reason > 0:
        return reason
    reason = rates(run, time_in_step(run, step, 1.0), run.y, run.k)
    run.rate = run.k
    return ACCEPTED if reason == 0 else reason


@native
def state_at(run: Run, t: float, out: Array) -> int:
    """The state at a time within the last step: that of a shorter step from the same state."""
    memory = record_at(LieSteps, run.memory)
    h = t - run.t_old
    return _step(run, memory, [fma(c, h, run.t_old) for c, _, _, _ in _STAGES], run.x_old, run.f_old, h, out, None)


@inline
def _step(run, memory, times, x, f, h, out, lost):
    """out is the state a step of length h from x, where the rates are f; lost is what rounding leaves out of it."""
    copy(run, x, memory.z)
    copy(run, f, run.k)
    for number, (_, base, turns, moves) in enumerate(_STAGES, 1):
        state = row(memory.z, run, number)
        for block in blocks(run):
            state[block] = x[block] + fma(h, combine(run, moves, block), memory.lost_old[block])
        _turn_all(run, memory, row(memory.z, run, base), turns, h, state)
        reason = rates(run, times[number - 1], state, row(run.k, run, number))
        if reason > 0:
            return reason
    for block in blocks(run):
        more = fma(h, combine(run, _TOGETHER, block), memory.lost_old[block])
        total, rest = compensated_sum(x[block], more)
        out[block] = total
        if lost is not None:
            lost[block] = rest
    _turn_all(run, memory, x, _ENDS[0], h, out)
    _turn_all(run, memory, out, _ENDS[1], h, out)
    if not are_finite(run, out):
        return Reason.NONFINITE
    _to_unit_length(run, out, lost)
    return 0


@inline
def _turn_all(run, memory, base, weights, h, state):
    """The quaternions of a state: those of a base, turned by h Σ weight ω."""
    turn = local(4)
    for number in range(run.group_count):
        first = run.groups[number * 2]
        sums = [0.0, 0.0, 0.0]
        for stage, weight in enumerate(weights):
            if weight != 0.0:
                e, rate = at(row(memory.z, run, stage), first), at(row(run.k, run, stage), first)
                omega = angular_velocity(e, rate)
                sums = [fma(weight, each, total) for each, total in zip(omega, sums, strict=True)]
        for i, total in enumerate(sums):
            turn[i] = h * total
        turned(at(base, first), turn, at(state, first))


@inline
def angular_velocity(e, rate):
    """2 ē ė."""
    a, b, c, d = e[0], e[1], e[2], e[3]
    p, q, r, s = rate[0], rate[1], rate[2], rate[3]
    return (
        2.0 * (fma(a, q, d * r) - fma(b, p, c * s)),
        2.0 * (fma(a, r, b * s) - fma(c, p, d * q)),
        2.0 * (fma(a, s, c * q) - fma(d, p, b * r)),
    )


@native
def turned(e: Array, w: Array, out: Array) -> None:
    """out = e exp(w/2), the quaternion turned by the body's rotation vector w."""
    half = [0.5 * w[i] for i in range(3)]
    angle = sqrt(fma(half[0], half[0], fma(half[1], half[1], half[2] * half[2])))
    cosine = cos(angle)
    sinc = 1.0
    if angle > 0.0:
        sinc = sin(angle) / angle
    x, y, z = [sinc * part for part in half]
    a, b, c, d = e[0], e[1], e[2], e[3]
    out[0] = a * cosine - fma(b, x, fma(c, y, d * z))
    out[1] = fma(b, cosine, fma(a, x, c * z - d * y))
    out[2] = fma(c, cosine, fma(a, y, d * x - b * z))
    out[3] = fma(d, cosine, fma(a, z, b * y - c * x))


@inline
def _to_unit_length(run, x, lost):
    """Bring quaternions that are nearly so to unit length; nothing is left out of them."""
    for number in range(run.group_count):
        first, count = run.groups[number * 2], run.groups[number * 2 + 1]
        square = 0.0
        for i in range(first, first + count):
            square = fma(x[i], x[i], square)
        factor = 1.5 - 0.5 * square
        for i in range(first, first + count):
            x[i] = x[i] * factor
            if lost is not None:
                lost[i] = 0.0
