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
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from ..errors import understood, whole_number
from ..expr import Expr, Matrix, Vector, as_expr, evaluate, maximum, minimum, quiet_collector, sign, symbol
from ..geometry.elimination import factor_symmetric
from ..laws.controller import Controller
from ..laws.law import ControllerState, Law, sample_time_of
from ..linear.linear import Linear
from ..linear.operating_point import parameter_values
from .lqr import LQR
from .state_equations import check_count, check_size
from .weights import Floats, input_limits

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
        made = self.regulator.deviations
        steady = evaluate(made.steady, parameter_values(linear.equations, linear.given))
        of = limits, made.inputs, self.equations, self.nominal, self.name
        self.lower, self.upper = input_limits(*of, steady)
        check_count((self.horizon * len(made.inputs)) ** 2, self.name, "Take a shorter horizon.")  # of H alone
        self.H, self.F = _condensed(self.regulator, self.horizon)
        self._free: Floats = np.asarray(-np.linalg.solve(self.H, self.F), dtype=np.float64)

    def solve(self, deviation: Any) -> Floats:
        """The planned inputs (horizon, inputs) from a deviation of the states, both as deviations; as the law does."""
        cure = "Give numbers in the order of states."
        with understood("a deviation of each state", deviation, place=self.name, cure=cure):
            x = np.array(deviation, dtype=np.float64).reshape(len(self.regulator.deviations.names))
        H, g = self.H, self.F @ x
        lower, upper = (np.tile(each, self.horizon) for each in (self.lower, self.upper))
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
        lower, upper = (np.tile(each, self.horizon) for each in (self.lower, self.upper))
        far = np.where(g > 0, U - lower, upper - U)
        return float(np.minimum(np.where(g == 0, 0.0, np.abs(g) * far), g * g / (2 * self._least)).sum())

    def _sentences(self) -> list[str]:
        return [f"Plans {self.horizon} samples ahead, by {self.iterations} iterations.", *super()._sentences()]

    @property
    def _least(self) -> float:
        return float(np.linalg.eigvalsh(self.H)[0])

    def design(self) -> Law:
        """The first of the planned inputs."""
        made, size = self.regulator.deviations, len(self.H)
        cure = f"Take a shorter horizon or fewer iterations: {size} inputs are planned."
        check_count(self.iterations * (size**3 // 3 + 4 * size**2), self.name, cure)  # before it is built
        with quiet_collector():
            U, gap = self._planned(made.values)
            controls = {
                control: as_expr(steady + U[k])
                for k, (control, steady) in enumerate(zip(made.inputs.values(), made.steady, strict=True))
            }
            check_size([*controls.values(), gap], self.name, cure)
        return Law(
            controls,
            (ControllerState(symbol(GAP, "state"), update=gap),),
            made.reference,
            sample_time=self.regulator.sample_time,
            conditions=self.regulator.law.conditions,
        )

    def _planned(self, x: Sequence[Expr]) -> tuple[list[Expr], Expr]:
        """U and the bound of its cost, as expressions of the deviations."""
        size, places = len(self.H), range(len(self.H))
        H = Matrix(self.H.tolist()).map(as_expr)
        g, U = _times(self.F, x), _times(self._free, x)
        lower, upper = (np.tile(each, self.horizon).tolist() for each in (self.lower, self.upper))
        limits = [*zip(lower, upper, strict=True)]
        force = [as_expr(0)] * size
        for _ in range(self.iterations if any(np.isfinite(each).any() for each in limits) else 0):
            held = [_at_limits(force[k], H[k][k], U[k], *limits[k]) for k in places]
            fixed = [as_expr(a * _finite(upper[k]) + b * _finite(lower[k])) for k, (a, b) in enumerate(held)]
            left = [as_expr(1 - above - below) for above, below in held]
            masked = _masked(H, left)
            pull = H @ Vector(fixed)
            solved = factor_symmetric(masked).solve([as_expr(-left[k] * (g[k] + pull[k])) for k in places])
            U = [as_expr(a + b) for a, b in zip(fixed, solved, strict=True)]
            slope = H @ Vector(U)
            force = [as_expr((left[k] - 1) * (slope[k] + g[k])) for k in places]
        U = [clipped(each, *ends) for each, ends in zip(U, limits, strict=True)]
        slope = H @ Vector(U)
        gap = as_expr(0)
        for k in places:
            gap = gap + _above_least(as_expr(slope[k] + g[k]), U[k], self._least, *limits[k])
        return U, as_expr(gap)


def _masked(H: Matrix, left: Sequence[Expr]) -> list[list[Expr]]:
    """H among the inputs that are left, and ones for the others."""
    size = len(left)
    found = [[as_expr(0)] * size for _ in range(size)]
    for i in range(size):
        for j in range(i):
            found[i][j] = found[j][i] = as_expr(H[i][j] * (left[i] * left[j]))
        found[i][i] = as_expr(1 + (H[i][i] - 1) * left[i])  # left is 0 or 1
    return found


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
    """What one input adds to the bound of the cost."""
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


def count_of(given: Any, what: str, place: str) -> int:
    """A whole number of at least one."""
    return whole_number(given, "a whole number, 1 or more", least=1, place=f"{place} {what}")
