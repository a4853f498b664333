"""Gauss' collocation methods of two and three stages, orders 4 and 6.

    Z_i = h Σ a_ij f(t + c_j h, x + Z_j),    x⁺ = x + h Σ b_j f(t + c_j h, x + Z_j)

They are symmetric, keep every quadratic constant of a motion, and are symplectic on a Hamiltonian system. To keep that
in floating point (E. Hairer, R. I. McLachlan, A. Razakarivony, "Achieving Brouwer's law with implicit Runge–Kutta
methods", BIT 48, 2008): the stages are found by fixed-point iteration until they stand still or no entry comes any
closer; coefficients are two doubles each, since one rounded coefficient would be a small force that always acts; and
what rounding leaves out of the state is added to the next step. The first guess continues the polynomials of the last
two steps. The rates at the end of a step are those of its polynomial.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext

from ...native.language import (
    INFINITY,
    Array,
    Struct,
    absolute,
    blocks,
    fma,
    greatest,
    inline,
    largest,
    native,
    record_at,
    row,
    smallest,
    total,
    vector,
)  # fmt: skip
from ..record import ACCEPTED, Reason, Run
from ..right_side import copy, rates
from ..step_control import begin_on_grid, compensated_sum, time_in_step
from .radau import combined

_DIGITS = 60
#: Stages that still move after so many rounds are not found.
_MOST_ROUNDS = 100
#: They have come to rest when they no longer come closer, and are this close, beside their size.
_AT_REST = 1e-9

Doubled = tuple[float, float]


@dataclass(frozen=True)
class Collocation:
    """A method: c, a and b (two doubles an entry), weights of the rates of one or two steps that continue them."""

    order: int
    c: tuple[float, ...]
    a: tuple[tuple[Doubled, ...], ...]
    b: tuple[Doubled, ...]
    continued: tuple[tuple[tuple[float, ...], ...], ...]
    end: tuple[float, ...]

    @property
    def stages(self) -> int:
        return len(self.c)


def gauss(stages: int) -> Collocation:
    """Gauss' method of two or three stages."""
    with localcontext() as context:
        context.prec = _DIGITS
        half = Decimal(1) / 2
        shift = Decimal(3).sqrt() / 6 if stages == 2 else Decimal(15).sqrt() / 10
        c = [half - shift, half + shift] if stages == 2 else [half - shift, half, half + shift]
        basis = [_basis(c, j) for j in range(stages)]
        a = tuple(tuple(_doubled(_integral(each, end)) for each in basis) for end in c)
        b = tuple(_doubled(_integral(each, Decimal(1))) for each in basis)
        one = _continued(c, c)
        two = _continued([*(each - 1 for each in c), *c], c)
        (end,) = _continued(c, [Decimal(0)])
        return Collocation(2 * stages, tuple(map(float, c)), a, b, (one, two), end)


def _basis(c: Sequence[Decimal], j: int) -> list[Decimal]:
    """The coefficients of the polynomial that is 1 at c_j and 0 at the others."""
    made = [Decimal(1)]
    for k, node in enumerate(c):
        if k != j:
            scale = c[j] - node
            made = [
                (low - node * high) / scale for low, high in zip([Decimal(0), *made], [*made, Decimal(0)], strict=True)
            ]
    return made


def _integral(polynomial: Sequence[Decimal], end: Decimal) -> Decimal:
    return sum((each * end ** (power + 1) / (power + 1) for power, each in enumerate(polynomial)), Decimal(0))


def _continued(nodes: Sequence[Decimal], c: Sequence[Decimal]) -> tuple[tuple[float, ...], ...]:
    """The weights of rates at the nodes for the rates at 1 + c."""
    basis = [_basis(nodes, j) for j in range(len(nodes))]
    return tuple(
        tuple(float(sum(each * (1 + at) ** power for power, each in enumerate(polynomial))) for polynomial in basis)
        for at in c
    )


def _doubled(value: Decimal) -> Doubled:
    return float(value), float(value - Decimal(float(value)))


class GaussSteps(Struct):
    """What rounding left out of the state, now and before the last step; stages and their changes; earlier rates."""

    history: int  # steps whose rates are known
    iterations: int
    lost: Array
    lost_old: Array
    z: Array
    least: Array
    k_old: Array
    k_inside: Array  # of a shorter step


@native
def begin(method: Collocation, run: Run) -> int:
    """The rates at the start; nothing is known of earlier steps."""
    begin_on_grid(run)
    memory = record_at(GaussSteps, run.memory)
    memory.history = 0
    for block in blocks(run):
        memory.lost[block] = vector(0.0)
    return rates(run, time_in_step(run, 0.0, 0.0), run.x, run.f)


@native
def attempt(method: Collocation, run: Run, step: float) -> int:
    """A step to run.y."""
    memory = record_at(GaussSteps, run.memory)
    if run.is_inside + run.is_last > 0:
        memory.history = 0
    _guess_rates(run, method, memory)
    copy(run, memory.lost, memory.lost_old)
    times = [time_in_step(run, step, c) for c in method.c]
    reason = _find_stages(run, method, memory, times, run.x, step, run.k)
    if reason > 0:
        return reason
    zero, rate = vector(0.0), row(memory.z, run, 0)
    for block in blocks(run):
        more = fma(step, _weighted(run, run.k, method.b, block), memory.lost_old[block])
        end, rest = compensated_sum(run.x[block], more)
        run.y[block] = end
        memory.lost[block] = rest
        zero = fma(0.0, end, zero)
        rate[block] = combined([row(run.k, run, number)[block] for number in range(method.stages)], method.end)
    if total(zero) != 0.0:
        return Reason.NONFINITE
    run.rate = rate
    memory.history = 0 if run.is_inside + run.is_last > 0 else (memory.history + 1 if memory.history < 2 else 2)
    return ACCEPTED


@native
def state_at(method: Collocation, run: Run, t: float, out: Array) -> int:
    """The state at a time within the last step: that of a shorter step from the same state."""
    memory = record_at(GaussSteps, run.memory)
    h = t - run.t_old
    k = memory.k_inside
    for number in range(method.stages):
        copy(run, run.f_old, row(k, run, number))
    times = [fma(c, h, run.t_old) for c in method.c]
    reason = _find_stages(run, method, memory, times, run.x_old, h, k)
    if reason > 0:
        return reason
    for block in blocks(run):
        out[block] = run.x_old[block] + fma(h, _weighted(run, k, method.b, block), memory.lost_old[block])
    return 0


@inline
def _weighted(run, rates_of, weights, block):
    """Σ weight_j k_j in one block, the small parts of the weights first."""
    found = vector(0.0)
    for part in (1, 0):
        for number, weight in enumerate(weights):
            if weight[part] != 0.0:
                found = fma(weight[part], row(rates_of, run, number)[block], found)
    return found


@inline
def _guess_rates(run, method, memory):
    """The rates k of the stages, from those of the steps before, which go to k_old."""
    count = method.stages
    if memory.history == 0:
        for number in range(count):
            copy(run, run.f, row(run.k, run, number))
    for steps, weights in enumerate(method.continued, 1):
        if memory.history == steps:
            for block in blocks(run):
                last = [row(run.k, run, number)[block] for number in range(count)]
                earlier = [row(memory.k_old, run, number)[block] for number in range(count)] if steps == 2 else []
                guesses = [combined((*earlier, *last), line) for line in weights]
                for number in range(count):
                    row(memory.k_old, run, number)[block] = last[number]
                    row(run.k, run, number)[block] = guesses[number]


@inline
def _find_stages(run, method, memory, times, x, h, k):
    """Rounds of the iteration: k from x + z, and z from k, at first a guess; a reason where they do not end."""
    for block in blocks(run):
        for number, weights in enumerate(method.a):
            row(memory.z, run, number)[block] = h * _weighted(run, k, weights, block)
            row(memory.least, run, number)[block] = vector(INFINITY)
    rounds = 0
    while True:
        for number, t in enumerate(times):
            for block in blocks(run):
                run.y[block] = x[block] + (memory.lost_old[block] + row(memory.z, run, number)[block])
            reason = rates(run, t, run.y, row(k, run, number))
            if reason > 0:
                return reason
        change, size, closer, zero = vector(0.0), vector(0.0), vector(0.0), vector(0.0)
        for block in blocks(run):
            for number, weights in enumerate(method.a):
                old, least = row(memory.z, run, number), row(memory.least, run, number)
                new = h * _weighted(run, k, weights, block)
                moved = absolute(new - old[block])
                closer = largest(closer, least[block] - moved)
                least[block] = smallest(moved, least[block])
                change = largest(change, moved)
                size = largest(size, absolute(new))
                zero = fma(0.0, new, zero)
                old[block] = new
        memory.iterations += 1
        rounds += 1
        if total(zero) != 0.0:
            return Reason.NONFINITE
        moving = greatest(change)
        if moving == 0.0:
            break
        if not greatest(closer) > 0.0 and moving <= _AT_REST * greatest(size):
            break
        if rounds > _MOST_ROUNDS:
            return Reason.NOT_FOUND
    return 0
