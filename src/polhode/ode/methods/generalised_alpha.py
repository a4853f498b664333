"""The generalised-α method for second-order systems with constraints, on vectors and unit quaternions.

The system has coordinates q, some of them unit quaternions, speeds v, accelerations v̇ and multipliers λ, with

    q̇ = Γ(q, t) v + …      r(t, q, v, v̇, λ) = 0      A(q, t) v + a(q, t) = 0      φ(q, t) = 0,

r having as many entries as v, affine in λ with -Aᵀ as its factor, and φ̇ = A v + a for some of the rows. A first-order
state is an entry of v that moves no coordinate. The method of J. Chung and G. M. Hulbert (1993) in the form of
M. Arnold and O. Brüls (2007) is

    (1 - α_m) a⁺ + α_m a = (1 - α_f) v̇⁺ + α_f v̇
    v⁺ = v + h ((1 - γ) a + γ a⁺)
    q⁺ = q exp d,       d = h v + h² ((1/2 - β) a + β a⁺) - Aᵀη

with all equations at the end of the step. α_m = (2ρ - 1)/(ρ + 1), α_f = ρ/(ρ + 1), γ = 1/2 + α_f - α_m and
β = (1/2 + γ)²/4 give order 2 and, for an oscillation that is fast for the step, the spectral radius ρ. The correction
η, of third order, makes room for both levels of the constraints (C. W. Gear, B. Leimkuhler and G. K. Gupta 1985;
M. Arnold, O. Brüls and A. Cardona 2015); a approximates v̇ at t + (α_m - α_f) h, in the first step and where the step
changes too. So q, v and λ are of order 2.

exp d is the flow of q̇ = Γ(q) d by the midpoint rule, which turns quaternions by the exponential of a rotation vector:
it is exact where that is constant, as for speeds that are angular velocities of the body.

Newton's iteration is for ξ = β h² a⁺, β h² λ and η, in equations of the dimensions of ξ, so that its matrix has a limit
for h → 0 (C. L. Bottasso, D. Dopico and L. Trainelli 2008). The matrix is made by differences of the residual, with
columns -Aᵀ of λ, and kept from step to step as long as the iteration converges well.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...native.arrays import Floats
from ...native.compiled import Compiled
from ...native.kinds import fill
from ...native.language import (
    INFINITY,
    WIDTH,
    Array,
    Code,
    Integers,
    Pointers,
    Struct,
    absolute,
    at,
    call,
    fma,
    inline,
    largest,
    local,
    native,
    record_at,
    smallest,
)
from ..linear import REAL, Factors, factor, solve
from ..record import ACCEPTED, Memory, Reason, Run, padded
from ..right_side import rates, scale_to_unit
from ..step_control import begin_on_grid, time_in_step
from .lie import angular_velocity, turned

#: Iterations converge to this part of the displacement in a step, to that of the largest coordinate, or to nothing.
_CONVERGED, _ROUNDING, _NOTHING = 1e-13, 4e-16, 1e-19
#: Multipliers converge to this part of the largest.
_FORCES = 1e-10
#: So many times that may be left where rounding keeps the iteration from going on.
_NEAR = 100.0
#: A contraction slower than this makes the matrix anew within a step; one slower than that, in the next step.
_SLOW, _TIRED = 0.25, 0.1
_MOST_ITERATIONS = 30
#: The matrix is kept while the step changes by less than this part of itself.
_ANOTHER_STEP = 0.1
#: Times that differ by less than this part of a step are the same.
_SAME_TIME = 1e-6
#: Differences are over this part of the displacement in a step or that of the unknown, and at least over this.
_PART, _PART_OF_UNKNOWN, _LEAST = 2.0**-20, 2.0**-26, 1e-10


class GeneralisedAlpha(Struct):
    """What the method needs beside the states of a run. Functions read and write the arrays named with them."""

    # coordinates, speeds, those of them that forces of constraints act on; rows of A, and those of them with a φ
    coordinates: int
    speeds: int
    moving: int
    rows: int
    positions: int
    position_rows: Integers
    alpha_m: float
    alpha_f: float
    gamma: float
    beta: float
    clock: Array
    # q̇ at (clock, pose, turn) → pose_rate
    rates: Code
    rates_arguments: Pointers
    pose: Array
    turn: Array
    pose_rate: Array
    # A at (clock, pose) → matrix
    constraint_matrix: Code
    matrix_arguments: Pointers
    matrix: Array
    # r, A v + a, φ at (clock, state = (q, v), accelerations, multipliers) → balance, row_rates, row_values
    residual: Code
    residual_arguments: Pointers
    state: Array
    accelerations: Array
    multipliers: Array
    balance: Array
    row_rates: Array
    row_values: Array
    # the acceleration a at the beginning and at the end of the last step, the time of its end and its length
    a: Array
    a_next: Array
    t_new: float
    taken: float
    is_known: int
    # Newton's iteration
    unknowns: Array
    gap: Array
    base: Array
    factors: Factors
    factored_step: float
    is_usable: int
    force_change: float  # of the multipliers in the last iteration, as part of the largest
    # counts
    iterations: int
    matrices: int


def coefficients(radius: float) -> dict[str, float]:
    """α_m, α_f, γ and β for a spectral radius of fast oscillations between 0 and 1."""
    alpha_m, alpha_f = (2.0 * radius - 1.0) / (radius + 1.0), radius / (radius + 1.0)
    gamma = 0.5 + alpha_f - alpha_m
    return {"alpha_m": alpha_m, "alpha_f": alpha_f, "gamma": gamma, "beta": 0.25 * (0.5 + gamma) ** 2}


# ---- displacement --------------------------------------------------------------------------------------------------


@inline
def memory_of(run):
    """The memory of the method of a run."""
    return record_at(GeneralisedAlpha, run.memory)


@native
def move(run: Run, step: float, pose: Array, out: Array) -> None:
    """out = run.x moved along pose_rate, the rates at a pose, for a time `step`."""
    alpha, w = memory_of(run), local(3)
    for i in range(alpha.coordinates):
        out[i] = fma(step, alpha.pose_rate[i], run.x[i])
    for number in range(run.group_count):
        first = run.groups[2 * number]
        for i, rate in enumerate(angular_velocity(at(pose, first), at(alpha.pose_rate, first))):
            w[i] = step * rate
        turned(at(run.x, first), w, at(out, first))


@native
def place(run: Run, step: float) -> None:
    """State, accelerations and multipliers at the end of a step, from the unknowns."""
    alpha, x = memory_of(run), run.x
    first, n, square = alpha.coordinates, alpha.speeds, alpha.beta * step * step
    share = 1.0 / (1.0 - alpha.alpha_f)
    for i in range(n):
        a, xi, v, rate = alpha.a[i], alpha.unknowns[i], x[first + i], run.f[first + i]
        a_next = xi / square
        alpha.turn[i] = v + fma((0.5 - alpha.beta) * step, a, xi / step)
        alpha.state[first + i] = v + step * fma(1.0 - alpha.gamma, a, alpha.gamma * a_next)
        alpha.accelerations[i] = share * fma(1.0 - alpha.alpha_m, a_next, alpha.alpha_m * a - alpha.alpha_f * rate)
    for k in range(alpha.rows):
        alpha.multipliers[k] = alpha.unknowns[n + k] / square
    for k in range(alpha.positions):
        normal, eta = at(alpha.matrix, alpha.position_rows[k] * alpha.moving), alpha.unknowns[n + alpha.rows + k] / step
        for i in range(alpha.moving):
            alpha.turn[i] = fma(-eta, normal[i], alpha.turn[i])
    for i in range(first):
        alpha.pose[i] = x[i]
    alpha.clock[0] = time_in_step(run, step, 0.0)
    call(alpha.rates, alpha.rates_arguments)
    move(run, 0.5 * step, x, alpha.pose)
    alpha.clock[0] = time_in_step(run, step, 0.5)
    call(alpha.rates, alpha.rates_arguments)
    move(run, step, alpha.pose, alpha.state)
    alpha.clock[0] = time_in_step(run, step, 1.0)


# ---- iteration -----------------------------------------------------------------------------------------------------


@native
def evaluate(run: Run, step: float) -> None:
    """gap = the residual of all equations at the unknowns, each in the dimensions of ξ."""
    alpha = memory_of(run)
    place(run, step)
    call(alpha.residual, alpha.residual_arguments)
    n, m, scale = alpha.speeds, alpha.rows, alpha.beta * step
    for i in range(n):
        alpha.gap[i] = scale * step * alpha.balance[i]
    for k in range(m):
        alpha.gap[n + k] = scale / alpha.gamma * alpha.row_rates[k]
    for k in range(alpha.positions):
        alpha.gap[n + m + k] = alpha.row_values[k]
    run.evaluations += 1


@native
def differentiate(run: Run, step: float) -> int:
    """Factor the matrix of the iteration at the unknowns, of residual `gap`; 1 if it is singular, else 0."""
    alpha = memory_of(run)
    first, n, m, size = alpha.coordinates, alpha.speeds, alpha.rows, alpha.factors.size
    matrix, width = alpha.factors.upper, WIDTH * alpha.factors.blocks
    for i in range(width * size):
        matrix[i] = 0.0
    for i in range(size):
        alpha.base[i] = alpha.gap[i]
    for j in range(size):
        if n <= j < n + m:
            for i in range(alpha.moving):
                matrix[i * width + j] = -alpha.matrix[(j - n) * alpha.moving + i]
        else:
            kept = alpha.unknowns[j]
            part = largest(_LEAST, _PART_OF_UNKNOWN * absolute(kept))
            if j < n:
                part = largest(part, _PART * absolute(step * run.x[first + j]))
            alpha.unknowns[j] = kept + part
            difference = alpha.unknowns[j] - kept  # as it is rounded
            evaluate(run, step)
            alpha.unknowns[j] = kept
            for i in range(size):
                matrix[i * width + j] = (alpha.gap[i] - alpha.base[i]) / difference
    for i in range(size):
        alpha.gap[i] = alpha.base[i]
    alpha.matrices += 1
    alpha.is_usable = 1
    alpha.factored_step = step
    return factor(REAL, alpha.factors)


@native
def correct(run: Run) -> float:
    """Newton's correction of the unknowns by the residual in `gap`; the largest change of ξ, or nan."""
    alpha = memory_of(run)
    solve(REAL, alpha.factors, alpha.gap)
    alpha.iterations += 1
    n, change, zero, force, most = alpha.speeds, 0.0, 0.0, 0.0, 0.0
    for i in range(alpha.factors.size):
        alpha.unknowns[i] -= alpha.gap[i]
        zero = fma(0.0, alpha.gap[i], zero)
    for i in range(n):
        change = largest(change, absolute(alpha.gap[i]))
    for k in range(alpha.rows):
        force = largest(force, absolute(alpha.gap[n + k]))
        most = largest(most, absolute(alpha.unknowns[n + k]))
    alpha.force_change = force / most if most > 0.0 else 0.0
    return change + zero


@native
def iterate(run: Run, step: float, is_straight: bool) -> int:
    """Newton's iteration; 0 with the end of the step in place, or 1 without convergence."""
    alpha, x, f = memory_of(run), run.x, run.f
    first, n = alpha.coordinates, alpha.speeds
    square, reach, extent = alpha.beta * step * step, 0.0, 0.0
    for i in range(first):
        extent = largest(extent, absolute(x[i]))
    for i in range(n):
        reach = largest(reach, step * largest(absolute(x[first + i]), step * absolute(alpha.a[i])))
        a_next = (f[first + i] - alpha.alpha_m * alpha.a[i]) / (1.0 - alpha.alpha_m)
        alpha.unknowns[i] = (alpha.beta - 0.5) * step * step * alpha.a[i] if is_straight else square * a_next
    for k in range(alpha.rows):
        alpha.unknowns[n + k] = 0.0 if is_straight else square * alpha.multipliers[k]
    for k in range(alpha.positions):
        alpha.unknowns[n + alpha.rows + k] = 0.0
    enough = largest(_CONVERGED * reach, largest(_ROUNDING * extent, _NOTHING))
    if absolute(step - alpha.factored_step) > _ANOTHER_STEP * step:
        alpha.is_usable = 0
    count, last, last_force, is_first, is_new = 0, 0.0, 0.0, True, False
    while count < _MOST_ITERATIONS:
        count += 1
        evaluate(run, step)
        if alpha.is_usable == 0:
            last, is_first, is_new = 0.0, True, True
            if differentiate(run, step) != 0:
                return 1
        change = correct(run)
        if not change < INFINITY:
            return 1
        contraction = change / last if last > enough else 0.0
        is_found = change <= enough or (not is_first and contraction * change <= enough)
        is_found = is_found or (contraction > _SLOW and change <= _NEAR * enough)
        # multipliers converge by themselves: they do not change ξ, which keeps the rows
        force = alpha.force_change
        is_stuck = not is_first and force > _SLOW * last_force
        is_force_found = force <= _FORCES or (not is_first and force * force <= _FORCES * last_force)
        is_force_found = is_force_found or (is_stuck and is_new)
        if is_found and is_force_found:
            if contraction > _TIRED:
                alpha.is_usable = 0
            place(run, step)
            return 0
        if (contraction > _SLOW and not is_found) or (is_stuck and not is_force_found):
            alpha.is_usable = 0
        last, last_force, is_first = change, force, False
    return 1


@native
def solve_step(run: Run, step: float) -> int:
    """The end of a step in place, by the matrix as it was or, where that fails, a new one; 1 where both do, else 0."""
    alpha = memory_of(run)
    if alpha.rows > 0:
        for i in range(alpha.coordinates):
            alpha.pose[i] = run.x[i]
        alpha.clock[0] = time_in_step(run, step, 0.0)
        call(alpha.constraint_matrix, alpha.matrix_arguments)
    if iterate(run, step, False) == 0:
        return 0
    alpha.is_usable = 0
    return iterate(run, step, True)


# ---- steps ---------------------------------------------------------------------------------------------------------


@native
def begin(run: Run) -> int:
    """The rates at the start; nothing is known of earlier steps."""
    alpha = memory_of(run)
    alpha.is_known = 0
    alpha.is_usable = 0
    begin_on_grid(run)
    return rates(run, time_in_step(run, 0.0, 0.0), run.x, run.f)


@native
def attempt(run: Run, step: float) -> int:
    """A step to run.y. One that begins where the last one ended goes on with its a."""
    alpha, t, f = memory_of(run), run.t, run.f
    first, n = alpha.coordinates, alpha.speeds
    goes_on = alpha.is_known != 0 and absolute(t - alpha.t_new) <= _SAME_TIME * alpha.taken
    for i in range(n):
        rate = f[first + i]
        alpha.a[i] = fma(step / alpha.taken, alpha.a_next[i] - rate, rate) if goes_on else rate
    alpha.t_new, alpha.taken, alpha.is_known = t + step, step, 0
    failed = solve_step(run, step)
    if failed == 0 and not goes_on and alpha.alpha_m != alpha.alpha_f:
        for i in range(n):
            rate = f[first + i]
            alpha.a[i] = fma(alpha.alpha_m - alpha.alpha_f, alpha.accelerations[i] - rate, rate)
        failed = solve_step(run, step)
    if failed != 0:
        return Reason.NOT_FOUND
    square = alpha.beta * step * step
    for i in range(n):
        alpha.a_next[i] = alpha.unknowns[i] / square
        alpha.turn[i] = alpha.state[first + i]
        run.y[first + i] = alpha.state[first + i]
        run.k[first + i] = alpha.accelerations[i]
    for i in range(first):
        alpha.pose[i] = alpha.state[i]
        run.y[i] = alpha.state[i]
    call(alpha.rates, alpha.rates_arguments)
    for i in range(first):
        run.k[i] = alpha.pose_rate[i]
    scale_to_unit(run, run.y)  # what rounding has changed of it
    alpha.is_known = 1
    run.rate = run.k
    return ACCEPTED


@native
def state_at(run: Run, t: float, out: Array) -> int:
    """The state at a time within the last step: Hermite's cubic, or what of it is monotone."""
    s = (t - run.t_old) / run.taken
    r = 1.0 - s
    for i in range(run.size):
        change = run.x[i] - run.x_old[i]
        most = 2.0 * absolute(change)
        begins = largest(-most, smallest(fma(run.taken, run.f_old[i], -change), most))
        ends = largest(-most, smallest(fma(run.taken, run.f[i], -change), most))
        out[i] = run.x_old[i] + s * fma(r, r * begins - s * ends, change)
    scale_to_unit(run, out)
    return 0


@dataclass(frozen=True, eq=False)
class SecondOrderSystem:
    """The functions of a second-order system.

    `names` has, for each array that they take or put out, the field of `GeneralisedAlpha` that holds it; `given` are
    arrays beside, which stay as they are. `position_rows` are the rows of the matrix that belong to values.
    """

    rates: Compiled
    residual: Compiled
    constraint_matrix: Compiled | None
    names: Mapping[str, str]
    given: Mapping[str, Floats]
    position_rows: Sequence[int] = ()


class SecondOrderMemory:
    """What the method has beside the record of a run; `record` is that of native code."""

    def __init__(self, system: SecondOrderSystem, radius: float) -> None:
        self.system = system
        n, m, p = _sizes(system.residual)
        (q,), size = _sizes(system.rates), n + m + p
        moving = 0 if system.constraint_matrix is None else _sizes(system.constraint_matrix)[0] // m
        lengths = {
            "clock": 1, "pose": q, "turn": n, "pose_rate": q, "matrix": m * moving, "state": q + n, "accelerations": n,
            "multipliers": m, "balance": n, "row_rates": m, "row_values": p, "a": n, "a_next": n, "unknowns": size,
            "gap": size, "base": size,
        }  # fmt: skip
        self.arrays = {name: Memory({name: 1}, length).arrays[name] for name, length in lengths.items()}
        self.arrays["position_rows"] = np.array(system.position_rows, dtype=np.int64)
        self.square = Memory({"upper": size, "lower": size, "reciprocals": 1}, size).arrays
        self.square["exchanged"] = np.zeros(size, dtype=np.int64)
        self.numbers: dict[str, float] = coefficients(radius) | {
            "coordinates": q, "speeds": n, "moving": moving, "rows": m, "positions": p, "taken": 1.0,
        }  # fmt: skip
        self.sizes = {"size": size, "blocks": padded(size) // 4}
        factors = Factors.native(**self.square, **self.sizes)
        self.record: Any = GeneralisedAlpha.native(**self.arrays, **self.numbers, factors=factors)
        self._kept: list[Any] = []
        for name, table in _TABLES.items():
            function: Compiled | None = getattr(system, name)
            if function is not None:
                fill(self.record, **{name: function.native.code.address("ph_at"), table: self._table(function)})

    @property
    def address(self) -> int:
        return ctypes.addressof(self.record)

    def arrays_of(self, function: Compiled) -> tuple[list[Floats], list[Floats]]:
        """The arrays that a function takes, and those that it fills."""
        names, given = self.system.names, self.system.given
        taken = [
            given[array.name] if array.name in given else self.arrays[names[array.name]][: array.size]
            for array in function.outline.arrays
        ]
        outputs = zip(function.outputs, _sizes(function), strict=True)
        return taken, [self.arrays[names[name]][:size] for name, size in outputs]

    def _table(self, function: Compiled) -> Any:
        (taken, filled), work = self.arrays_of(function), function.work()
        pointers = [array.ctypes.data for array in (*taken, work, *filled)]
        self._kept += [function, taken, work, filled]
        return (ctypes.c_void_p * len(pointers))(*pointers)


#: The functions, and the fields that hold their tables of pointers.
_TABLES = {"rates": "rates_arguments", "residual": "residual_arguments", "constraint_matrix": "matrix_arguments"}


def _sizes(function: Compiled) -> list[int]:
    return [int(np.prod(shape)) for _, shape in function.outline.outputs]
