"""Gauss' collocation methods of two and three stages, orders 4 and 6, as native code.

    Z_i = h Σ a_ij f(t + c_j h, x + Z_j),    x⁺ = x + h Σ b_j f(t + c_j h, x + Z_j)

They are symmetric, keep every quadratic constant of a motion, and are symplectic on a Hamiltonian system. To keep that
in floating point (E. Hairer, R. I. McLachlan, A. Razakarivony, "Achieving Brouwer's law with implicit Runge–Kutta
methods", BIT 48, 2008): the stages are found by fixed-point iteration until they stand still or no entry comes any
closer; coefficients are two doubles each, since one rounded coefficient would be a small force that always acts; and
what rounding leaves out of the state is added to the next step. The first guess continues the polynomials of the last
two steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext

from ...codegen.llvm.builder import BLOCK, DECLARATIONS, INTEGER, POINTER, Function, Record, Value
from ..run_record import Reason
from ..step_record import STEPS, add_to_the_state, begin_function, finish, rates_function, time_of

_DIGITS = 60
#: Stages that still move after so many rounds are not found.
_MOST_ROUNDS = 100
#: They have come to rest when they no longer come closer, and are this close, beside their size.
_AT_REST = 1e-9

Doubled = tuple[float, float]


@dataclass(frozen=True)
class Collocation:
    """A method: c, a and b (two doubles an entry), and what continues the rates of one or two steps into the next."""

    order: int
    c: tuple[float, ...]
    a: tuple[tuple[Doubled, ...], ...]
    b: tuple[Doubled, ...]
    continued: tuple[tuple[tuple[float, ...], ...], ...]

    @property
    def stages(self) -> int:
        return len(self.c)


def gauss(stages: int) -> Collocation:
    """Gauss' method of two or three stages.

    >>> [sum(weight) for weight in gauss(2).b]
    [0.5, 0.5]
    """
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
        return Collocation(2 * stages, tuple(map(float, c)), a, b, (one, two))


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


def gauss_module(method: Collocation, *, fused: bool = True) -> str:
    """The module of a method; see `step_record`."""
    functions = [rates_function(fused), begin_function(fused), _advance(method, fused)]
    return "\n".join([*DECLARATIONS, *(function.text for function in functions)])


def _row(run: Record, array: Value, number: int) -> Value:
    return array.at(run.blocks * number, BLOCK)


def _weighted(f: Function, run: Record, weights: Sequence[Doubled], block: Value) -> Value:
    """Σ weight_j k_j in one block, the small parts of the weights first."""
    rates = [_row(run, run.k, j).block(block) for j in range(len(weights))]
    total = f.of_kind(BLOCK, 0.0)
    for part in (1, 0):
        for weight, k in zip(weights, rates, strict=True):
            if weight[part] != 0.0:
                total = f.fma(weight[part], k, total)
    return total


def _advance(method: Collocation, fused: bool) -> Function:
    f = Function("ph_advance", returns=INTEGER, fused=fused, run=POINTER)
    run = Record(STEPS, f.arguments["run"])
    with f.repeat():
        with f.when(run.budget <= 0):
            f.give(Reason.BUDGET)
        _first_guess(f, run, method)
        _stages(f, run, method)
        zero = f.variable(0.0, BLOCK)
        with f.loop(run.blocks) as block:
            step = f.fma(run.h, _weighted(f, run, method.b, block), run.lost.block(block))
            total, lost = add_to_the_state(f, run, block, step)
            run.y.store_block(block, total)
            run.unit.store_block(block, lost)
            zero.value = f.fma(0.0, total, zero.value)
        with f.when(~zero.value.sum().equals(0.0)):
            f.give(Reason.NONFINITE)
        with f.loop(run.blocks) as block:
            run.x.store_block(block, run.y.block(block))
            run.lost.store_block(block, run.unit.block(block))
        with f.when(run.history < 2):
            run.history = run.history + 1
        finish(f, run)
    return f


def _first_guess(f: Function, run: Record, method: Collocation) -> None:
    """The rates k of the stages, from those of the steps before, which go to k_old; then z = h Σ a k."""
    count = method.stages
    known = run.history
    with f.when(known.equals(0)), f.loop(run.blocks) as block:
        for j in range(count):
            _row(run, run.k, j).store_block(block, run.f.block(block))
    for steps, weights in enumerate(method.continued, 1):
        with f.when(known.equals(steps)), f.loop(run.blocks) as block:
            last = [_row(run, run.k, j).block(block) for j in range(count)]
            earlier = [_row(run, run.k_old, j).block(block) for j in range(count)] if steps == 2 else []
            for j, row in enumerate(weights):
                _row(run, run.k_old, j).store_block(block, last[j])
                total = f.of_kind(BLOCK, 0.0)
                for weight, k in zip(row, (*earlier, *last), strict=True):
                    total = f.fma(weight, k, total)
                _row(run, run.k, j).store_block(block, total)
    with f.loop(run.blocks) as block:
        for i, weights_i in enumerate(method.a):
            _row(run, run.z, i).store_block(block, run.h * _weighted(f, run, weights_i, block))
            _row(run, run.least, i).store_block(block, float("inf"))


def _stages(f: Function, run: Record, method: Collocation) -> None:
    """Rounds of the iteration: k from x + z, and z from k."""
    rounds = f.variable(0)
    with f.repeat():
        for i, c in enumerate(method.c):
            with f.loop(run.blocks) as block:
                moved = run.x.block(block) + (run.lost.block(block) + _row(run, run.z, i).block(block))
                run.y.store_block(block, moved)
            reason = f.call("ph_rates", INTEGER, f.arguments["run"], time_of(f, run, c), run.y, _row(run, run.k, i))
            with f.when(reason > 0):
                f.give(reason)
        change, size = f.variable(0.0, BLOCK), f.variable(0.0, BLOCK)
        closer, zero = f.variable(0.0, BLOCK), f.variable(0.0, BLOCK)
        with f.loop(run.blocks) as block:
            for i, weights in enumerate(method.a):
                old, least = _row(run, run.z, i), _row(run, run.least, i)
                new = run.h * _weighted(f, run, weights, block)
                moved = f.absolute(new - old.block(block))
                nearer = least.block(block) - moved
                closer.value = f.largest(closer.value, nearer)
                least.store_block(block, f.smallest(moved, least.block(block)))
                change.value = f.largest(change.value, moved)
                size.value = f.largest(size.value, f.absolute(new))
                zero.value = f.fma(0.0, new, zero.value)
                old.store_block(block, new)
        run.iterations = run.iterations + 1
        rounds.value = rounds.value + 1
        with f.when(~zero.value.sum().equals(0.0)):
            f.give(Reason.NONFINITE)
        moving = change.value.largest()
        f.leave_if(moving.equals(0.0))
        f.leave_if(~(closer.value.largest() > 0.0) & (moving <= _AT_REST * size.value.largest()))
        with f.when(rounds.value > _MOST_ROUNDS):
            f.give(Reason.UNDERFLOW)
