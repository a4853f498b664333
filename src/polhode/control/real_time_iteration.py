"""Nonlinear model predictive control by real-time iterations: one Newton step of the whole plan at each sample.

M. Diehl, H. G. Bock and J. P. Schlöder, *A real-time iteration scheme for nonlinear optimization in optimal feedback
control* (2005); multiple shooting: H. G. Bock and K. J. Plitt, *A multiple shooting algorithm for direct solution of
optimal control problems* (1984).

    least  Σ (eᵀQ e + δcᵀR δc) + e_NᵀP e_N,   e = x - r,      with  x⁺ = g(x, c),   lower ≤ c ≤ upper

About the plan x̄, c̄ of the last sample, shifted, the step g and its exact derivatives F, G give a linear-quadratic
problem with defects d = g(x̄, c̄) - x̄⁺; the first state is what is measured. It is solved by a Riccati recursion
backwards, and forwards with inputs that are kept within their limits. The plan is the controller's memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from ..dynamics.equations import EquationsOfMotion
from ..errors import PolhodeError
from ..expr import (
    Expr,
    Matrix,
    Vector,
    absolute,
    as_expr,
    evaluate,
    maximum,
    quiet_collector,
    substitute,
    symbol,
    topological,
)
from ..geometry.elimination import factor_symmetric
from ..laws.controller import Controller, named_numbers, starts_of
from ..laws.law import ControllerState, Law, Reference, sample_time_of
from ..linear.operating_point import parameter_values
from .actuation import warn_of_base
from .linear_mpc import clipped, count_of
from .lqr import solve_riccati
from .state_equations import StateEquations, check_count, check_no_quaternions, check_size, state_equations, step_of
from .weights import Floats, input_limits, weights

if TYPE_CHECKING:
    from ..formalisms.derivation import Derived

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
        self.steady = _steady(steady, names, self.name)
        of = limits, self.plant.inputs, self.equations, self.nominal, self.name
        self.lower, self.upper = input_limits(*of, self.steady)
        self.Q = weights("Q", Q, self.plant.names, self.name)
        self.R = weights("R", R, names, self.name, positive=True)
        with quiet_collector():
            self._transition = self.plant.transition(self.sample_time, step_of(step, self.name))
        self.final = self._final(final)

    def _sentences(self) -> list[str]:
        return [f"Plans {self.horizon} samples ahead, by one Newton step a sample.", *super()._sentences()]

    def _final(self, given: Any) -> Floats:
        """The weight of the last state: given, or P of the regulator at the goal."""
        after, F, G = self._transition
        known = parameter_values(self.equations, {name: float(each) for name, each in self.nominal.items()})
        there = {**known, **{x: float(value) for x, value in self.goal.items()}, self.equations.system.time: 0.0}
        there |= dict(zip(self.plant.inputs.values(), self.steady, strict=True))
        moved = np.array(evaluate(after, there)) - np.array([float(self.goal[x]) for x in self.plant.x])
        if np.abs(moved).max() > 1e-6 * self.sample_time:
            worst = int(np.abs(moved).argmax())
            raise PolhodeError(
                f"the goal is no equilibrium: {self.plant.spellings[worst]} changes by {moved[worst]:.3g} in a sample.",
                place=f"{self.name} goal",
                cure="Give steady={…}, the inputs that hold the goal, or another goal; see equations.equilibrium.",
                code="E-REGULATOR-062",
            )
        if given is not None:
            return weights("final", given, self.plant.names, self.name)
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
            self._check_stage()
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
            check_size([as_expr(each.update) for each in states], self.name, cure)
        controls = dict(zip(c, new_c[0], strict=True))
        return Law(controls, tuple(states), references, sample_time=self.sample_time)

    def _check_stage(self) -> None:
        """Refuse what would be too large before it is built."""
        after, F, G = self._transition
        count = len(topological([*after, *F.entries(), *G.entries()])) * self.horizon
        check_count(count, self.name, "Take a shorter horizon, or step='euler'.")

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
        Q, R, P = (Matrix(each.tolist()).map(as_expr) for each in (self.Q, self.R, self.final))
        p, found = P @ errors[-1], []
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
            found.append((k, K))
        return found[::-1]

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
    found = [[as_expr(0)] * size for _ in range(size)]
    for i in range(size):
        for j in range(i + 1):
            entry = W[i][j] + a[i].dot(b[j])
            if C is not None and D is not None:
                entry = entry - C.columns[i].dot(D.columns[j])
            found[i][j] = found[j][i] = as_expr(entry)
    return found


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


def _steady(given: Any, names: Sequence[str], place: str) -> list[float]:
    """The inputs that hold the goal, by name; none where nothing is said."""
    steady = named_numbers(given, "input", names, f"{place} steady")
    return [float(steady.get(name, 0)) for name in names]
