"""A commutator-free Lie group method of order 4, as native code: quaternions turn by exponentials and stay unit.

E. Celledoni, A. Marthinsen, B. Owren, "Commutator-free Lie group methods", Future Generation Computer Systems 19, 2003.
A quaternion e turns with its body's angular velocity, ė = ½ e ω; the rest of the state is a vector y. With k_i = h ω_i
of the stages (and h ẏ_i, for which exp adds),

    Y_1 = x,    Y_2 = x exp(k_1/2),    Y_3 = x exp(k_2/2),    Y_4 = Y_2 exp(k_3 - k_1/2),
    x⁺ = x exp((3 k_1 + 2 k_2 + 2 k_3 - k_4)/12) exp((-k_1 + 2 k_2 + 2 k_3 + 3 k_4)/12),

which for the vector is the classical method of order 4. What rounding leaves of a unit length is taken out at first
order, e (3 - |e|²)/2, and what it leaves out of the vector is added to the next step.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...codegen.llvm.builder import BLOCK, DECLARATIONS, DOUBLE, INTEGER, POINTER, Function, Record, Value
from ..run_record import Reason, copy, group
from ..step_record import STEPS, add_to_the_state, begin_function, finish, is_finite, rates_function, time_of

#: For each stage after the first: its time, the stage from which quaternions turn on, and the weights of the k, for
#: quaternions and for the vector.
_STAGES = (
    (0.5, 0, (0.5,), (0.5,)),
    (0.5, 0, (0.0, 0.5), (0.0, 0.5)),
    (1.0, 1, (-0.5, 0.0, 1.0), (0.0, 0.0, 1.0)),
)
_ENDS = ((3 / 12, 2 / 12, 2 / 12, -1 / 12), (-1 / 12, 2 / 12, 2 / 12, 3 / 12))
_TOGETHER = (1 / 6, 1 / 3, 1 / 3, 1 / 6)


def lie_module(*, fused: bool = True) -> str:
    """The module; see `step_record`. Row i of z holds the state of stage i, row i of k the rates there."""
    functions = [rates_function(fused), _exponential(fused), begin_function(fused), _advance(fused)]
    sines = [f"declare double @{name}(double)" for name in ("sin", "cos")]
    return "\n".join([*DECLARATIONS, *sines, *(function.text for function in functions)])


def _exponential(fused: bool) -> Function:
    """ph_turn(e, w, out): out = e exp(w/2), the quaternion turned by the body's rotation vector w."""
    f = Function("ph_turn", fused=fused, internal=True, e=POINTER, w=POINTER, out=POINTER)
    e, w, out = (f.arguments[name] for name in ("e", "w", "out"))
    half = [0.5 * w[i] for i in range(3)]
    square = f.fma(half[0], half[0], f.fma(half[1], half[1], half[2] * half[2]))
    angle = f.sqrt(square)
    cosine = f.call("cos", DOUBLE, angle)
    sinc = f.variable(1.0)
    with f.when(angle > 0.0):
        sinc.value = f.call("sin", DOUBLE, angle) / angle
    x, y, z = (sinc.value * part for part in half)
    a, b, c, d = (e[i] for i in range(4))
    made = (
        a * cosine - f.fma(b, x, f.fma(c, y, d * z)),
        f.fma(b, cosine, f.fma(a, x, c * z - d * y)),
        f.fma(c, cosine, f.fma(a, y, d * x - b * z)),
        f.fma(d, cosine, f.fma(a, z, b * y - c * x)),
    )
    for place, value in enumerate(made):
        out[place] = value
    return f


def _row(run: Record, array: Value, number: int) -> Value:
    return array.at(run.blocks * number, BLOCK)


def _advance(fused: bool) -> Function:
    f = Function("ph_advance", returns=INTEGER, fused=fused, run=POINTER)
    run = Record(STEPS, f.arguments["run"])
    with f.repeat():
        with f.when(run.budget <= 0):
            f.give(Reason.BUDGET)
        copy(f, run, run.x, _row(run, run.z, 0))
        _rates(f, run, 0, 0.0)
        for number, (c, base, turns, moves) in enumerate(_STAGES, 1):
            state = _row(run, run.z, number)
            _moved(f, run, moves, state)
            _turned(f, run, _row(run, run.z, base), turns, state)
            _rates(f, run, number, c)
        with f.loop(run.blocks) as block:
            step = f.fma(run.h, _weighted(f, run, _TOGETHER, block), run.lost.block(block))
            total, lost = add_to_the_state(f, run, block, step)
            run.y.store_block(block, total)
            run.unit.store_block(block, lost)
        _turned(f, run, run.x, _ENDS[0], run.y)
        _turned(f, run, run.y, _ENDS[1], run.y)
        with f.when(~is_finite(f, run, run.y)):
            f.give(Reason.NONFINITE)
        copy(f, run, run.y, run.x)
        copy(f, run, run.unit, run.lost)
        _to_unit_length(f, run)
        finish(f, run)
    return f


def _rates(f: Function, run: Record, number: int, c: float) -> None:
    """The rates of a stage, at the state in its row of z."""
    out = _row(run, run.k, number)
    reason = f.call("ph_rates", INTEGER, f.arguments["run"], time_of(f, run, c), _row(run, run.z, number), out)
    with f.when(reason > 0):
        f.give(reason)


def _weighted(f: Function, run: Record, weights: Sequence[float], block: Value) -> Value:
    total = f.of_kind(BLOCK, 0.0)
    for number, weight in enumerate(weights):
        if weight != 0.0:
            total = f.fma(weight, _row(run, run.k, number).block(block), total)
    return total


def _moved(f: Function, run: Record, weights: Sequence[float], state: Value) -> None:
    """The vector part of a stage, x + h Σ weight k; quaternions are written over by `_turned`."""
    with f.loop(run.blocks) as block:
        more = f.fma(run.h, _weighted(f, run, weights, block), run.lost.block(block))
        state.store_block(block, run.x.block(block) + more)


def _turned(f: Function, run: Record, base: Value, weights: Sequence[float], state: Value) -> None:
    """The quaternions of a state: those of a base, turned by h Σ weight ω.

    The angular velocity at a stage is ω = 2 ē ė, of its own quaternion and rate.
    """
    turn = run.lengths.at(run.group_count)
    with f.loop(run.group_count) as number:
        first, _ = group(run, number)
        sums = [f.of_kind(DOUBLE, 0.0)] * 3
        for stage, weight in enumerate(weights):
            if weight != 0.0:
                e, rate = (_row(run, array, stage).at(first) for array in (run.z, run.k))
                omega = _angular_velocity(f, [e[i] for i in range(4)], [rate[i] for i in range(4)])
                sums = [f.fma(weight, each, total) for each, total in zip(omega, sums, strict=True)]
        for place, total in enumerate(sums):
            turn[place] = run.h * total
        f.call("ph_turn", "void", base.at(first), turn, state.at(first))


def _angular_velocity(f: Function, e: Sequence[Value], rate: Sequence[Value]) -> list[Value]:
    a, b, c, d = e
    p, q, r, s = rate
    return [
        2.0 * (f.fma(a, q, d * r) - f.fma(b, p, c * s)),
        2.0 * (f.fma(a, r, b * s) - f.fma(c, p, d * q)),
        2.0 * (f.fma(a, s, c * q) - f.fma(d, p, b * r)),
    ]


def _to_unit_length(f: Function, run: Record) -> None:
    with f.loop(run.group_count) as number:
        first, count = group(run, number)
        square = f.variable(0.0)
        with f.loop(first + count, first) as i:
            square.value = f.fma(run.x[i], run.x[i], square.value)
        factor = 1.5 - 0.5 * square.value
        with f.loop(first + count, first) as i:
            run.x[i] = run.x[i] * factor
            run.lost[i] = 0.0
