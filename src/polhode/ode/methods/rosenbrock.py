"""Rosenbrock methods with step-size control and dense output, for stiff problems.

A step is as many linear systems of one matrix W = 1/(h γ) - J as there are stages, with the Jacobian J = ∂f/∂x
at its start. The order is that of the method only where J is exact, as the compiled one is; with differences for J the
error that this makes is part of the estimate, and steps are shorter for it.

No product with the Jacobian is left: with U_i = Σ γ_ij k_j (Hairer and Wanner, *Solving ordinary differential equations
II*, (7.25)),

    W U_i = f(t + c_i h, x + Σ a_ij U_j) + Σ c_ij U_j / h + h d_i ∂f/∂t,      x⁺ = x + Σ a_sj U_j + U_s

and the last U_s is the error of the embedded method. Between the ends of a step

    x(t + θ h) = x + θ (x⁺ - x + (1 - θ) (D_1 + θ (D_2 + θ D_3))),      D_k = Σ h_kj U_j.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...native.language import INFINITY, Array, blocks, fma, inline, native, row
from ..linear import REAL, factor, solve
from ..record import ACCEPTED, REFUSED, Run
from ..right_side import are_finite, norm, rates
from ..step_control import begin_with, factor_of, longer_step, shorter_step
from .explicit_pairs import combine
from .jacobian import filtered_norm, forget, memory_of, note_if_calm, refresh, shift

Row = tuple[float, ...]


@dataclass(frozen=True)
class Rosenbrock:
    """A stiffly accurate Rosenbrock method: the last stages add one U each to the argument of f."""

    gamma: float
    a: tuple[Row, ...]
    C: tuple[Row, ...]
    c: Row
    d: Row
    dense: tuple[Row, ...]
    order: int

    @property
    def stages(self) -> int:
        return len(self.c)


_LAST = (-7.502846399306121, 2.561846144803919, -11.627539656261098, -0.18268767659942256, 0.030198172008377946)

#: G. Steinebach, *Construction of Rosenbrock–Wanner method Rodas5P and numerical benchmarks within the Julia
#: Differential Equations package*, BIT 63 (2023): 8 stages, order 5(4), L-stable, dense output of order 4, and no loss
#: of order on the Prothero–Robinson problem.
RODAS5P = Rosenbrock(
    gamma=0.21193756319429014,
    a=(
        (),
        (3.0,),
        (2.849394379747939, 0.45842242204463923),
        (-6.954028509809101, 2.489845061869568, -10.358996098473584),
        (2.8029986275628964, 0.5072464736228206, -0.3988312541770524, -0.04721187230404641),
        _LAST,
        (*_LAST, 1.0),
        (*_LAST, 1.0, 1.0),
    ),
    C=(
        (),
        (-14.155112264123755,),
        (-17.97296035885952, -2.859693295451294),
        (147.12150275711716, -1.41221402718213, 71.68940251302358),
        (165.43517024871676, -0.4592823456491126, 42.90938336958603, -5.961986721573306),
        (24.854864614690072, -3.0009227002832186, 47.4931110020768, 5.5814197821558125, -0.6610691825249471),
        (
            30.91273214028599, -3.1208243349937974, 77.79954646070892, 34.28646028294783, -19.097331116725623,
            -28.087943162872662,
        ),
        (
            37.80277123390563, -3.2571969029072276, 112.26918849496327, 66.9347231244047, -40.06618937091002,
            -54.66780262877968, -9.48861652309627,
        ),
    ),
    c=(0.0, 0.6358126895828704, 0.4095798393397535, 0.9769306725060716, 0.4288403609558664, 1.0, 1.0, 1.0),
    d=(
        0.21193756319429014, -0.42387512638858027, -0.3384627126235924, 1.8046452872882734, 2.325825639765069,
        0.0, 0.0, 0.0,
    ),
    dense=(
        (
            25.948786856663858, -2.5579724845846235, 10.433815404888879, -2.3679251022685204,
            0.524948541321073, 1.1241088310450404, 0.4272876194431874, -0.17202221070155493,
        ),
        (
            -9.91568850695171, -0.9689944594115154, 3.0438037242978453, -24.495224566215796,
            20.176138334709044, 15.98066361424651, -6.789040303419874, -6.710236069923372,
        ),
        (
            11.419903575922262, 2.8879645146136994, 72.92137995996029, 80.12511834622643,
            -52.072871366152654, -59.78993625266729, -0.15582684282751913, 4.883087185713722,
        ),
    ),
    order=5,
)  # fmt: skip


_SAFETY = 0.9
DENSE_ROWS = 4


@native
def begin(method: Rosenbrock, run: Run) -> int:
    """The rates at the start, and the first step's length where none is given."""
    forget(memory_of(run))
    return begin_with(run, method.order, rates)


@native
def attempt(method: Rosenbrock, run: Run, step: float) -> int:
    """A step of this length, to run.y."""
    implicit = memory_of(run)
    reason = refresh(True, run, implicit, step)
    if reason > 0:
        return reason
    shift(run, implicit, implicit.real.upper, (1.0 / (step * method.gamma),))
    implicit.factorisations += 1
    error = INFINITY
    if factor(REAL, implicit.real) == 0:
        reason = _stages(method, run, implicit, step)
        if reason > 0:
            return reason
        error = norm(run, row(run.k, run, method.stages - 1), run.y)
    is_finite, is_good, rate = error < 1e300, error <= 1.0, row(run.k, run, method.stages)
    if is_good:
        reason = rates(run, run.t + step, run.y, rate)
        if reason > 0:
            return reason
        if not are_finite(run, rate):
            is_finite, is_good = False, False
    factor_of_step = factor_of(run, error, method.order, _SAFETY)
    if is_good:
        implicit.is_usable = 0
        note_if_calm(run, implicit, step)
        run.rate = rate
        run.h_next = longer_step(run, step, factor_of_step)
        return ACCEPTED
    run.is_finite = int(is_finite)
    run.h_next = shorter_step(step, factor_of_step)
    return REFUSED


@native
def state_at(method: Rosenbrock, run: Run, t: float, out: Array) -> int:
    """The state at a time within the last step."""
    _make_dense(method, run)
    theta = (t - run.t_old) / run.taken
    rest = 1.0 - theta
    for block in blocks(run):
        difference, first, second, third = (row(run.dense, run, number)[block] for number in range(DENSE_ROWS))
        value = fma(theta, fma(theta, third, second), first)
        out[block] = fma(theta, fma(rest, value, difference), run.x_old[block])
    return 0


@native
def defect(method: Rosenbrock, run: Run, t: float) -> float:
    """h |(1 - h γ J)⁻¹ (p' - f(p))| of the dense output p at a time, over the tolerance; minus a reason without f."""
    reason = state_at(method, run, t, run.y)
    if reason > 0:
        return -float(reason)
    slope = row(run.k, run, method.stages)
    reason = rates(run, t, run.y, slope)
    if reason > 0:
        return -float(reason)
    theta = (t - run.t_old) / run.taken
    turn, over = 1.0 - 2.0 * theta, 1.0 / run.taken
    for block in blocks(run):
        difference, first, second, third = (row(run.dense, run, number)[block] for number in range(DENSE_ROWS))
        value = fma(theta, fma(theta, third, second), first)
        change = fma(2.0 * theta, third, second) * (theta * (1.0 - theta))
        slope[block] = fma(over, fma(turn, value, difference) + change, -slope[block])
    return filtered_norm(run, memory_of(run), slope, method.gamma)


# ---- arithmetic ----------------------------------------------------------------------------------------------------


@inline
def _stages(method, run, implicit, step):
    """All U, and the new state in run.y."""
    x, y, over = run.x, run.y, 1.0 / step
    for stage in range(method.stages):
        own, source = row(run.k, run, stage), run.f if stage == 0 else row(run.k, run, stage)
        if stage > 0:
            weights = method.a[stage]
            is_next = weights[:-1] == method.a[stage - 1] and weights[-1] == 1.0
            for block in blocks(run):
                if is_next:
                    y[block] = y[block] + row(run.k, run, stage - 1)[block]
                else:
                    y[block] = x[block] + combine(run, weights, block)
            time = run.t + step if method.c[stage] == 1.0 else fma(method.c[stage], step, run.t)
            reason = rates(run, time, y, own)
            if reason > 0:
                return reason
        for block in blocks(run):
            right = source[block]
            if method.d[stage] != 0.0:
                right = fma(method.d[stage] * step, implicit.in_time[block], right)
            if stage > 0:
                right = fma(over, combine(run, method.C[stage], block), right)
            own[block] = right
        solve(REAL, implicit.real, own)
    for block in blocks(run):
        y[block] = y[block] + row(run.k, run, method.stages - 1)[block]
    return 0


@inline
def _make_dense(method, run):
    """The rows of run.dense for the last step, once."""
    if run.dense_ready == 0:
        for block in blocks(run):
            for number, weights in enumerate(((*method.a[-1], 1.0), *method.dense)):
                row(run.dense, run, number)[block] = combine(run, weights, block)
        run.dense_ready = 1
