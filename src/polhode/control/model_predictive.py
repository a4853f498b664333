"""Model predictive control of linear equations with limited inputs, by a fixed number of active-set steps.

J. B. Rawlings, D. Q. Mayne and M. M. Diehl, *Model predictive control* (2017); the steps: M. Hintermüller, K. Ito and
K. Kunisch, *The primal-dual active set strategy as a semismooth Newton method* (2002).

    least  Σ (xᵀQ x + cᵀR c) + x_NᵀP x_N     with  x⁺ = A x + B c,  lower ≤ c ≤ upper        (P of the regulator)
         = ½ UᵀH U + (F x₀)ᵀU + const        of the inputs U = (c₀, …, c_{N-1}) alone
    at a limit    where  λ + diag(H) (U - upper) > 0  or  λ + diag(H) (U - lower) < 0
    elsewhere     (H U + F x₀) = 0;      λ = -(H U + F x₀) at the limits, else 0

Steps begin at -H⁻¹F x₀: where no limit acts that is the solution, and the law is the linear-quadratic regulator. Each
step solves for all inputs that are at no limit, by LDLᵀ of a positive matrix in which the others have ones: so the law
has no branches and no memory. How good the result is follows from the gradient g = H U + F x₀ there, for J is convex:

    J(U) - least ≤ Σ min(|gᵢ| dᵢ, gᵢ²/2μ),     dᵢ how far Uᵢ can go along -gᵢ,  μ the least eigenvalue of H

Nonlinear, by real-time iterations, one Newton step of the whole plan at each sample: M. Diehl, H. G. Bock and J. P.
Schlöder, *A real-time iteration scheme for nonlinear optimization in optimal feedback control* (2005); multiple
shooting: H. G. Bock and K. J. Plitt, *A multiple shooting algorithm for direct solution of optimal control problems*
(1984).

    least  Σ (eᵀQ e + δcᵀR δc) + e_NᵀP e_N,   e = x - r,      with  x⁺ = g(x, c),   lower ≤ c ≤ upper

About the plan x̄, c̄ of the last sample, shifted, the step g and its exact derivatives F, G give a linear-quadratic
problem with defects d = g(x̄, c̄) - x̄⁺; the first state is what is measured. It is solved by a Riccati recursion
backwards, and forwards with inputs that are kept within their limits. The plan is the controller's memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from ..dynamics.equations import EquationsOfMotion
from ..errors import PolhodeError, understood, whole_number
from ..expr import (
    Expr,
    Matrix,
    Vector,
    absolute,
    as_expr,
    evaluate,
    maximum,
    minimum,
    quiet_collector,
    sign,
    substitute,
    symbol,
    topological,
)
from ..formalisms.derivation import Derived
from ..geometry.elimination import factor_symmetric
from ..laws.controller import Controller, named_numbers, starts_of
from ..laws.law import ControllerState, Law, Reference, sample_time_of
from ..linear.linear import Linear
from ..linear.operating_point import parameter_values
from .lqr import LQR, solve_riccati
from .model_based import warn_of_base
from .state_equations import StateEquations, check_count, check_no_quaternions, check_size, state_equations, step_of
from .weights import Floats, input_limits, weights

#: What the controller's state with the bound of the cost is called.
GAP = "optimality gap"


class LinearMPC(Controller):
    """Model predictive control about the operating point of linear equations, with limits of inputs.

    `Q`, `R` and `inputs` are those of `LQR`; `horizon` counts samples, `limits` are numbers by the names of inputs, one
    for both sides or a pair, of the inputs themselves, or "model" for those of the joints' efforts. In a run the state
    "optimality gap" bounds by how much the cost of the last plan was above the least; it is rounding where `iterations`
    were enough.

    >>> from polhode.model.samples.underactuated import cart_pole
    >>> linear = cart_pole().derive().linearize()
    >>> mpc = LinearMPC(linear, Q={"x": 1, "theta": 1}, R=1, horizon=15, sample_time=0.04, limits={"F": 3})
    >>> mpc.solve([0.0, 0.5, 0.0, 0.0])[0].round(9).tolist()
    [3.0]
    """

    def __init__(
        self,
        linear: Linear,
        Q: Any = 1,
        R: Any = 1,
        horizon: int = 20,
        sample_time: float | None = None,
        limits: Mapping[str, Any] | str | None = None,
        inputs: Sequence[str] | None = None,
        *,
        iterations: int = 5,
        states: Sequence[str] | None = None,
    ) -> None:
        every = sample_time_of(sample_time, self.name)
        self.horizon = count_of(horizon, "horizon", self.name)
        self.iterations = count_of(iterations, "number of iterations", self.name)
        self.regulator = LQR(linear, Q, R, inputs, states=states, sample_time=every)
        super().__init__(linear.equations, parameters=linear.given)
        deviation = self.regulator.deviations
        steady = evaluate(deviation.steady, parameter_values(linear.equations, linear.given))
        self.lower, self.upper = input_limits(limits, deviation.inputs, self.equations, self.nominal, self.name, steady)
        check_count((self.horizon * len(deviation.inputs)) ** 2, self.name, "Take a shorter horizon.")  # of H alone
        self.H, self.F = _condensed(self.regulator, self.horizon)
        self._free: Floats = np.asarray(-np.linalg.solve(self.H, self.F), dtype=np.float64)

    def solve(self, deviation: Any) -> Floats:
        """The planned inputs (horizon, inputs) from a deviation of the states, both as deviations; as the law does."""
        cure = "Give numbers in the order of states."
        with understood("a deviation of each state", deviation, place=self.name, cure=cure):
            x = np.array(deviation, dtype=np.float64).reshape(len(self.regulator.deviations.names))
        H, g = self.H, self.F @ x
        lower, upper = (np.tile(bound, self.horizon) for bound in (self.lower, self.upper))
        U, force = self._free @ x, np.zeros(len(g))
        for _ in range(self.iterations):
            above, below = force + np.diag(H) * (U - upper) > 0, force + np.diag(H) * (U - lower) < 0
            fixed = np.where(above, upper, np.where(below, lower, 0.0))
            left = (~(above | below)).astype(np.float64)
            masked = H * np.outer(left, left) + np.diag(1 - left)
            U = fixed + np.linalg.solve(masked, -left * (g + H @ fixed))
            force = -(1 - left) * (H @ U + g)
        return np.asarray(np.clip(U, lower, upper).reshape(self.horizon, -1))

    def gap(self, deviation: Any) -> float:
        """The bound of what the plan from a deviation costs above the least."""
        U = self.solve(deviation).ravel()
        g = self.H @ U + self.F @ np.asarray(deviation, dtype=np.float64).ravel()
        lower, upper = (np.tile(bound, self.horizon) for bound in (self.lower, self.upper))
        far = np.where(g > 0, U - lower, upper - U)
        return float(np.minimum(np.where(g == 0, 0.0, np.abs(g) * far), g * g / (2 * self._least)).sum())

    def _sentences(self) -> list[str]:
        return [f"Plans {self.horizon} samples ahead, by {self.iterations} iterations.", *super()._sentences()]

    @property
    def _least(self) -> float:
        return float(np.linalg.eigvalsh(self.H)[0])

    def design(self) -> Law:
        """The first of the planned inputs."""
        deviation, size = self.regulator.deviations, len(self.H)
        cure = f"Take a shorter horizon or fewer iterations: {size} inputs are planned."
        check_count(self.iterations * (size**3 // 3 + 4 * size**2), self.name, cure)  # before it is built
        with quiet_collector():
            U, gap = self._planned(deviation.values)
            pairs = zip(deviation.inputs.values(), deviation.steady, U, strict=False)
            controls = {control: as_expr(steady + change) for control, steady, change in pairs}
            check_size([*controls.values(), gap], self.name, cure)
        states, regulator = (ControllerState(symbol(GAP, "state"), update=gap),), self.regulator
        T, conditions = regulator.sample_time, regulator.law.conditions
        return Law(controls, states, deviation.reference, sample_time=T, conditions=conditions)

    def _planned(self, x: Sequence[Expr]) -> tuple[list[Expr], Expr]:
        """U and the bound of its cost, as expressions of the deviations."""
        size, places = len(self.H), range(len(self.H))
        H = Matrix(self.H.tolist()).map(as_expr)
        g, U = _times(self.F, x), _times(self._free, x)
        lower, upper = (np.tile(bound, self.horizon).tolist() for bound in (self.lower, self.upper))
        limits = [*zip(lower, upper, strict=True)]
        force = [as_expr(0)] * size
        for _ in range(self.iterations if any(np.isfinite(ends).any() for ends in limits) else 0):
            held = [_at_limits(force[k], H[k][k], U[k], *limits[k]) for k in places]
            fixed = [as_expr(a * _finite(upper[k]) + b * _finite(lower[k])) for k, (a, b) in enumerate(held)]
            left = [as_expr(1 - above - below) for above, below in held]
            masked = _masked(H, left)
            pull = H @ Vector(fixed)
            solved = factor_symmetric(masked).solve([as_expr(-left[k] * (g[k] + pull[k])) for k in places])
            U = [as_expr(a + b) for a, b in zip(fixed, solved, strict=True)]
            slope = H @ Vector(U)
            force = [as_expr((left[k] - 1) * (slope[k] + g[k])) for k in places]
        U = [clipped(x, *ends) for x, ends in zip(U, limits, strict=True)]
        slope = H @ Vector(U)
        gap = as_expr(0)
        for k in places:
            gap = gap + _above_least(as_expr(slope[k] + g[k]), U[k], self._least, *limits[k])
        return U, as_expr(gap)


def _masked(H: Matrix, left: Sequence[Expr]) -> list[list[Expr]]:
    """H among the inputs that are left, and ones for the others."""
    size = len(left)
    masked = [[as_expr(0)] * size for _ in range(size)]
    for i in range(size):
        for j in range(i):
            masked[i][j] = masked[j][i] = as_expr(H[i][j] * (left[i] * left[j]))
        masked[i][i] = as_expr(1 + (H[i][i] - 1) * left[i])  # left is 0 or 1
    return masked


def _finite(limit: float) -> Expr:
    return as_expr(limit if np.isfinite(limit) else 0)


def _positive(x: Any) -> Expr:
    """1 where x > 0, else 0."""
    return as_expr((1 + sign(sign(as_expr(x)) - Fraction(1, 2))) / 2)


def _at_limits(force: Expr, weight: Any, U: Expr, lower: float, upper: float) -> tuple[Expr, Expr]:
    """Whether an input is taken to be at its upper and at its lower limit, as ones and zeros."""
    above = _positive(force + weight * (U - as_expr(upper))) if np.isfinite(upper) else as_expr(0)
    below = _positive(weight * (as_expr(lower) - U) - force) if np.isfinite(lower) else as_expr(0)
    return above, below


def _above_least(slope: Expr, U: Expr, least: float, lower: float, upper: float) -> Expr:
    """Contribution of one input to the bound of the cost."""
    bound = as_expr(slope * slope * as_expr(1 / (2 * least)))
    if not (np.isfinite(lower) and np.isfinite(upper)):
        return bound
    down, up = maximum(slope, as_expr(0)), maximum(-slope, as_expr(0))
    return as_expr(minimum(bound, down * (U - as_expr(lower)) + up * (as_expr(upper) - U)))


def _condensed(regulator: LQR, horizon: int) -> tuple[Floats, Floats]:
    """H and F of ½ UᵀH U + (F x₀)ᵀU."""
    A, B, Q, R, P = regulator.A, regulator.B, regulator.Q, regulator.R, regulator.P
    n, m = B.shape
    powers, free = [np.eye(n)], np.zeros((horizon * n, n))
    for k in range(horizon):
        powers.append(A @ powers[-1])
        free[k * n : (k + 1) * n] = powers[-1]
    driven = np.zeros((horizon * n, horizon * m))
    for k in range(horizon):
        for j in range(k + 1):
            driven[k * n : (k + 1) * n, j * m : (j + 1) * m] = powers[k - j] @ B
    weight = np.kron(np.eye(horizon), Q)
    weight[-n:, -n:] = P
    H = 2 * (driven.T @ weight @ driven + np.kron(np.eye(horizon), R))
    return (H + H.T) / 2, 2 * driven.T @ weight @ free


def _times(matrix: Floats, values: Sequence[Expr]) -> list[Expr]:
    return [as_expr(Vector([as_expr(entry) for entry in row]).dot(Vector(values))) for row in matrix.tolist()]


def clipped(x: Expr, lower: float, upper: float) -> Expr:
    """x between its limits; an infinite one is none."""
    x = as_expr(x)
    if np.isfinite(lower):
        x = maximum(x, as_expr(lower))
    return minimum(x, as_expr(upper)) if np.isfinite(upper) else x


def count_of(value: Any, what: str, place: str) -> int:
    """A whole number of at least one."""
    return whole_number(value, "a whole number, 1 or more", least=1, place=f"{place} {what}")


#: What the controller's state with the size of the last Newton step is called.
NEWTON_STEP = "largest change of planned inputs"


class RealTimeIteration(Controller):
    """Nonlinear model predictive control of a mechanism, one Newton step a sample.

    `Q` weighs states and `R` inputs, as in `LQR`; `final` the state at the end of the horizon, by default the least
    cost of the regulator at the `goal`. `goal` is an equilibrium, by the names of coordinates, speeds and states, with
    the inputs `steady` that hold it; references may move it. `limits` are those of inputs, or "model" for those of the
    joints' efforts, `horizon` counts samples. In a run the state "largest change of planned inputs" tells how far the
    last step moved the plan.

    >>> from polhode.model.samples.underactuated import cart_pole
    >>> e = cart_pole().derive()
    >>> mpc = RealTimeIteration(e, Q={"x": 1, "theta": 1}, R=1, horizon=5, sample_time=0.05, limits={"F": 10})
    >>> len(mpc.law.states)  # 5 planned inputs, 5 planned states of 4 entries, and the size of the step
    26
    """

    def __init__(
        self,
        equations: Derived | EquationsOfMotion,
        Q: Any = 1,
        R: Any = 1,
        horizon: int = 15,
        sample_time: float | None = None,
        limits: Mapping[str, Any] | str | None = None,
        inputs: Sequence[str] | None = None,
        *,
        goal: Mapping[str, float] | None = None,
        steady: Mapping[str, float] | None = None,
        final: Any = None,
        start: Mapping[str, float] | None = None,
        step: str = "rk4",
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(equations, parameters=parameters)
        self.sample_time = sample_time_of(sample_time, self.name)
        self.horizon = count_of(horizon, "horizon", self.name)
        self.plant = state_equations(self.equations, inputs, self.name)
        if inputs is None:
            warn_of_base(self.equations, self.plant.inputs, self.name)
        check_no_quaternions(self.equations, self.name)
        names = [*self.plant.inputs]
        self.goal = starts_of(self.equations, goal, f"{self.name} goal")
        self.start = self.goal if start is None else starts_of(self.equations, start, self.name)
        held = named_numbers(steady, "input", names, f"{self.name} steady")
        self.steady = [float(held.get(name, 0)) for name in names]
        controls = self.plant.inputs
        self.lower, self.upper = input_limits(limits, controls, self.equations, self.nominal, self.name, self.steady)
        self.Q = weights("Q", Q, self.plant.names, self.name)
        self.R = weights("R", R, names, self.name, positive=True)
        with quiet_collector():
            self._transition = self.plant.transition(self.sample_time, step_of(step, self.name))
        self.final = self._final(final)

    def _sentences(self) -> list[str]:
        return [f"Plans {self.horizon} samples ahead, by one Newton step a sample.", *super()._sentences()]

    def _final(self, final: Any) -> Floats:
        """The weight of the last state: given, or P of the regulator at the goal."""
        after, F, G = self._transition
        values = parameter_values(self.equations, {name: float(value) for name, value in self.nominal.items()})
        there = {**values, **{x: float(value) for x, value in self.goal.items()}, self.equations.system.time: 0.0}
        there |= dict(zip(self.plant.inputs.values(), self.steady, strict=True))
        moved = np.array(evaluate(after, there)) - np.array([float(self.goal[x]) for x in self.plant.x])
        if np.abs(moved).max() > 1e-6 * self.sample_time:
            worst = int(np.abs(moved).argmax())
            changes = f"{self.plant.spellings[worst]} changes by {moved[worst]:.3g} in a sample"
            cure = "Give steady={…}, the inputs that hold the goal, or another goal; see equations.equilibrium."
            place = f"{self.name} goal"
            raise PolhodeError(f"the goal is no equilibrium: {changes}.", place, cure, "E-CONTROL-FAILED")
        if final is not None:
            return weights("final", final, self.plant.names, self.name)
        n, m = len(self.plant.x), len(self.plant.inputs)
        A = np.array(evaluate(list(F.entries()), there)).reshape(n, n)
        B = np.array(evaluate(list(G.entries()), there)).reshape(n, m)
        return solve_riccati(A, B, self.Q, self.R, self.plant.names, self.name, sampled=True).P

    def design(self) -> Law:
        """One step of the plan from what is measured; its first input acts."""
        plant, N = self.plant, self.horizon
        c = [*plant.inputs.values()]
        references, wanted = _references(plant, self.goal, self.sample_time, N)
        planned_c = [[symbol(f"planned {name} {k}", "state") for name in plant.inputs] for k in range(N)]
        planned_x = [[symbol(f"planned {name} {k + 1}", "state") for name in plant.spellings] for k in range(N)]
        with quiet_collector():
            after, F, G = self._transition  # refuse what would be too large before it is built
            count = len(topological([*after, *F.entries(), *G.entries()])) * N
            check_count(count, self.name, "Take a shorter horizon, or step='euler'.")
            x = [list(plant.x), *planned_x]
            stages = [self._stage(x[k], planned_c[k], x[k + 1]) for k in range(N)]
            errors = [Vector([as_expr(a - b) for a, b in zip(x[k], wanted[k], strict=True)]) for k in range(N + 1)]
            pushed = [Vector([as_expr(a - as_expr(b)) for a, b in zip(planned_c[k], self.steady, strict=True)])
                      for k in range(N)]  # fmt: skip
            gains = self._backward(stages, errors, pushed)
            new_x, new_c = self._forward(stages, gains, x, planned_c)
            moved = as_expr(0)
            for old, new in zip(planned_c, new_c, strict=True):
                for a, b in zip(old, new, strict=True):
                    moved = maximum(moved, absolute(b - a))
            states = []
            for k in range(N):
                ahead = min(k + 1, N - 1)
                states += [ControllerState(old, Fraction(first), update=new) for old, first, new
                           in zip(planned_c[k], self.steady, new_c[ahead], strict=True)]  # fmt: skip
                states += [ControllerState(old, self.start[x], update=new) for old, x, new
                           in zip(planned_x[k], plant.x, new_x[min(k + 2, N)], strict=True)]  # fmt: skip
            states.append(ControllerState(symbol(NEWTON_STEP, "state"), update=as_expr(moved)))
            cure = "Take a shorter horizon, or step='euler'."
            check_size([as_expr(state.update) for state in states], self.name, cure)
        controls = dict(zip(c, new_c[0], strict=True))
        return Law(controls, tuple(states), references, sample_time=self.sample_time)

    def _stage(self, x: Sequence[Expr], c: Sequence[Expr], ahead: Sequence[Expr]) -> tuple[Matrix, Matrix, Vector]:
        """F, G and the defect of one interval of the plan."""
        after, F, G = self._transition
        n, m = len(self.plant.x), len(c)
        values = dict(zip((*self.plant.x, *self.plant.inputs.values()), (*x, *c), strict=True))
        flat = substitute([*after, *map(as_expr, F.entries()), *map(as_expr, G.entries())], values)
        rows_F = [flat[n + i * n : n + (i + 1) * n] for i in range(n)]
        rows_G = [flat[n + n * n + i * m : n + n * n + (i + 1) * m] for i in range(n)]
        return Matrix(rows_F), Matrix(rows_G), Vector([as_expr(a - b) for a, b in zip(flat[:n], ahead, strict=True)])

    def _backward(
        self, stages: Sequence[tuple[Matrix, Matrix, Vector]], errors: Sequence[Vector], pushed: Sequence[Vector]
    ) -> list[tuple[list[Expr], Matrix]]:
        """Steps k and gains K of δc = -k - K δx, from the last interval to the first."""
        Q, R, P = (Matrix(weight.tolist()).map(as_expr) for weight in (self.Q, self.R, self.final))
        p, policy = P @ errors[-1], []
        for (F, G, d), e, push in zip(reversed(stages), reversed(errors[:-1]), reversed(pushed), strict=True):
            s = p + P @ d
            PF, PG = P @ F, P @ G
            Qcx = (G.T @ PF).map(as_expr)
            factors = factor_symmetric(_lower(R, G, PG))
            k = [as_expr(entry) for entry in factors.solve(list(R @ push + G.T @ s))]
            columns = [[as_expr(entry) for entry in factors.solve(list(column))] for column in Qcx.columns]
            K = Matrix.columns_of(columns, len(k))
            p = Q @ e + F.T @ s - Qcx.T @ Vector(k)
            P = Matrix(_lower(Q, F, PF, Qcx, K))
            policy.append((k, K))
        return policy[::-1]

    def _forward(
        self,
        stages: Sequence[tuple[Matrix, Matrix, Vector]],
        gains: Sequence[tuple[list[Expr], Matrix]],
        x: Sequence[Sequence[Expr]],
        c: Sequence[Sequence[Expr]],
    ) -> tuple[list[list[Expr]], list[list[Expr]]]:
        """The new plan, with inputs within their limits."""
        change = Vector([as_expr(0)] * len(x[0]))
        limits = [*zip(self.lower.tolist(), self.upper.tolist(), self.steady, strict=True)]
        new_x, new_c = [list(x[0])], []
        for (F, G, d), (k, K), old, ahead in zip(stages, gains, c, x[1:], strict=True):
            wanted = [as_expr(a - b - e) for a, b, e in zip(old, k, K @ change, strict=True)]
            new_c.append([clipped(a, low + at, high + at) for a, (low, high, at) in zip(wanted, limits, strict=True)])
            pushed = Vector([as_expr(a - b) for a, b in zip(new_c[-1], old, strict=True)])
            change = F @ change + G @ pushed + d
            new_x.append([as_expr(a + b) for a, b in zip(ahead, change, strict=True)])
        return new_x, new_c


def _lower(W: Matrix, A: Matrix, PA: Matrix, C: Matrix | None = None, D: Matrix | None = None) -> list[list[Expr]]:
    """The symmetric W + AᵀPA - CᵀD, each entry on one side of the diagonal."""
    size = len(W)
    a, b = A.columns, PA.columns
    rows = [[as_expr(0)] * size for _ in range(size)]
    for i in range(size):
        for j in range(i + 1):
            entry = W[i][j] + a[i].dot(b[j])
            if C is not None and D is not None:
                entry = entry - C.columns[i].dot(D.columns[j])
            rows[i][j] = rows[j][i] = as_expr(entry)
    return rows


def _references(
    plant: StateEquations, goal: Mapping[Expr, Fraction], sample_time: float, horizon: int
) -> tuple[tuple[Reference, ...], list[list[Expr]]]:
    """References of all states, and what is wanted along the horizon: they go on at their rates."""
    rates = dict(zip(plant.x, plant.rates, strict=True))
    at: dict[Expr, Expr] = {}
    slope: dict[Expr, Expr] = {}
    references: list[Reference] = []
    for x, name in zip(plant.x, plant.spellings, strict=True):
        if x in at:
            continue
        order = int(rates[x] in plant.x and rates[x] is not x)
        references.append(Reference(name, order, goal[x], x))
        at[x] = references[-1].symbols[0]
        if order:
            at[rates[x]] = slope[x] = references[-1].symbols[1]
    ahead = [as_expr(Fraction(sample_time) * k) for k in range(horizon + 1)]
    return tuple(references), [[as_expr(at[x] + h * slope.get(x, as_expr(0))) for x in plant.x] for h in ahead]
