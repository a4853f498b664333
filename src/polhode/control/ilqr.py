"""Iterative linear-quadratic regulation: a motion of least cost, and the linear law that keeps to it.

W. Li and E. Todorov, *Iterative linear quadratic regulator design for nonlinear biological movement systems* (2004);
the regularised backward pass and limits of inputs: Y. Tassa, N. Mansard and E. Todorov, *Control-limited differential
dynamic programming* (2014).

    least  Σ T l(x, c) + l_N(x_N)     with  x⁺ = g(x, c)  from  x₀,   lower ≤ c ≤ upper
    c = c̄(t) + K(t) (x̄(t) - x)

g is one Runge-Kutta step (`state_equations`); it and its derivatives, and those of the costs, are native functions for
all samples at once. Each iteration solves the linear-quadratic problem about the motion, backwards, and then takes the
longest step along its solution at which the cost falls as it should. The law is made of tables over time.

Steps within limits: D. P. Bertsekas, *Projected Newton methods for optimization problems with simple constraints*
(1982), as in Tassa et al.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..dynamics.equations import EquationsOfMotion
from ..errors import PolhodeError, number, shown, understood, warn
from ..expr import Expr, as_expr, free_symbols, jacobian, substitute, table
from ..formalisms.derivation import Derived
from ..laws.controller import Controller, starts_of
from ..laws.law import Law, sample_time_of
from ..linear.operating_point import parameter_values
from ..model.reading import number_of
from .filtering import function_of
from .model_predictive import clipped, count_of
from .state_equations import check_no_quaternions, state_equations, step_of
from .weights import Floats, input_limits

_MOST_ITERATIONS, _NOTHING = 30, 1e-12


def box_step(H: Floats, g: Floats, lower: Floats, upper: Floats) -> tuple[Floats, NDArray[np.bool_], Floats] | None:
    """The x of least ½ xᵀH x + gᵀx within limits, which entries are free, and the inverse of H among these.

    None where H is not positive definite.
    """
    if not np.isfinite(H).all() or np.linalg.eigvalsh(H)[0] <= 0:
        return None
    inverse: Floats = np.asarray(np.linalg.inv(H), dtype=np.float64)
    freely = -inverse @ g
    x, free = np.clip(freely, lower, upper), np.ones(len(g), dtype=np.bool_)
    if (x == freely).all():
        return x, free, inverse
    for _ in range(_MOST_ITERATIONS):
        slope = H @ x + g
        free = ~(((x <= lower) & (slope > 0)) | ((x >= upper) & (slope < 0)))
        if not free.any() or np.abs(slope[free]).max() <= _NOTHING * (1 + np.abs(g).max()):
            break
        step = np.zeros_like(x)
        step[free] = -np.linalg.solve(H[np.ix_(free, free)], slope[free])
        length = 1.0
        while length > _NOTHING:
            tried = np.clip(x + length * step, lower, upper)
            moved = tried - x
            if slope @ moved + moved @ H @ moved / 2 <= 0.1 * slope @ moved:
                break
            length /= 2
        x = tried
    return x, free, np.asarray(np.linalg.inv(H[np.ix_(free, free)]), dtype=np.float64)


#: Step lengths that are tried, all at once.
_LENGTHS: Floats = np.power(0.6, np.arange(16.0))
#: The part of the expected fall of cost that a step must have; and bounds of what is added to the Hessian.
_FALL, _MOST, _FIRST = 1e-4, 1e10, 1e-6


@dataclass(frozen=True, eq=False)
class _Motion:
    """A motion: states (N + 1, n), inputs (N, m) and its cost."""

    x: Floats
    c: Floats
    cost: float


class iLQR(Controller):
    """A motion of least cost by iterative linear-quadratic regulation, and the law that keeps to it.

    `cost` is an expression of coordinates, speeds, states, inputs and parameters, counted per second, `final` one of
    the state at the end. `duration` is that of the motion in seconds, `start` where it begins, by name, `guess` the
    inputs to begin with: numbers by name, or an array (samples, inputs). `limits` are those of inputs by name,
    or "model" for those of the joints' efforts.

    >>> import polhode as ph
    >>> s = ph.System("block", gravity=(0, 0, 0))
    >>> slide = s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"), speeds=["v"])
    >>> force = s.input("F")
    >>> s.joint_force(slide, force)
    >>> x, v = slide.q[0], slide.u[0]
    >>> made = iLQR(s.derive(), cost=force**2, final=1000 * (x - 1) ** 2 + 1000 * v**2, duration=1, sample_time=0.02)
    >>> made.x[-1].round(1).tolist(), made.converged, made.cost == made.costs[-1]
    ([1.0, 0.0], True, True)
    """

    def __init__(
        self,
        equations: Derived | EquationsOfMotion,
        cost: Any,
        final: Any = 0,
        *,
        duration: float,
        sample_time: float,
        start: Mapping[str, float] | None = None,
        inputs: Sequence[str] | None = None,
        limits: Mapping[str, Any] | str | None = None,
        guess: Any = None,
        iterations: int = 300,
        tolerance: float = 1e-7,
        step: str = "rk4",
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(equations, parameters=parameters)
        self.sample_time = sample_time_of(sample_time, self.name)
        self.plant = state_equations(self.equations, inputs, self.name)
        self.horizon = _samples(duration, self.sample_time, self.name)
        check_no_quaternions(self.equations, self.name)
        self.lower, self.upper = input_limits(limits, self.plant.inputs, self.equations, self.nominal, self.name)
        self._known = parameter_values(self.equations, {name: float(value) for name, value in self.nominal.items()})
        self.running_cost, self.final_cost = self._costs(cost, final)
        self._compile(step_of(step, self.name))
        first = starts_of(self.equations, start, self.name)
        x0 = np.array([float(first[x]) for x in self.plant.x])
        c = self._guess(guess)
        about, still = _Motion(np.tile(x0, (self.horizon + 1, 1)), c, np.inf), np.zeros((*c.shape, len(x0)))
        first_motion = self._stepped(about, np.zeros_like(c), still, np.ones(1))[0]
        most = count_of(iterations, "number of iterations", self.name)
        least = number(tolerance, "a tolerance > 0", above=0.0, place=f"{self.name} tolerance")
        self._optimise(first_motion, most, least)

    def _costs(self, cost: Any, final: Any) -> tuple[Expr, Expr]:
        """The cost of a sample and of the end, of what is known there."""
        costs = [number_of(value, f"{self.name} {word}") for value, word in ((cost, "cost"), (final, "final"))]
        costs = substitute(costs, self.equations.tree.followed)
        state = {*self.plant.x, *self._known}
        for entry, allowed in zip(costs, (state | {*self.plant.inputs.values()}, state), strict=True):
            for x in free_symbols([entry]):
                if x not in allowed:
                    message = f"the cost depends on {x}, which is no part of the state, no input, or without value."
                    cure = "Give costs of coordinates, speeds, states and parameters; that of the motion of inputs too."
                    raise PolhodeError(message, self.name, cure, "E-CONTROL-DEPENDENCE")
        return as_expr(costs[0] * as_expr(self.sample_time)), costs[1]

    def _compile(self, method: str) -> None:
        plant, time = self.plant, self.equations.system.time
        after, F, G = plant.transition(self.sample_time, method)
        if time in free_symbols(after):
            message = f"the equations of '{self.equations.system.name}' depend on time itself."
            cure = "Make what varies in time an input, or a first-order state."
            raise PolhodeError(message, self.name, cure, "E-CONTROL-DEPENDENCE")
        both = [*plant.x, *plant.inputs.values()]
        slope = [as_expr(x) for x in jacobian([self.running_cost], both)[0]]
        bend = [as_expr(x) for x in jacobian(slope, both).entries()]
        self._step = function_of(both, [*after, self.running_cost], self._known)
        self._about = function_of(both, [*F.entries(), *G.entries(), *slope, *bend], self._known)
        slope = [as_expr(x) for x in jacobian([self.final_cost], list(plant.x))[0]]
        bend = [as_expr(x) for x in jacobian(slope, list(plant.x)).entries()]
        self._end = function_of(plant.x, [self.final_cost, *slope, *bend], self._known)

    def _guess(self, guess: Any) -> Floats:
        names = [*self.plant.inputs]
        cure = "Give numbers by the names of inputs, or an array (samples, inputs)."
        with understood("inputs to begin with", guess, place=f"{self.name} guess", cure=cure):
            if guess is None or isinstance(guess, Mapping):
                if any(name not in names for name in guess or {}):
                    raise ValueError
                row = np.array([float((guess or {}).get(name, 0.0)) for name in names])
                controls = np.tile(row, (self.horizon, 1))
            else:
                controls = np.array(guess, dtype=np.float64).reshape(self.horizon, len(names))
            if not np.isfinite(controls).all():
                raise ValueError
        return np.asarray(np.clip(controls, self.lower, self.upper))

    def _stepped(self, about: _Motion, k: Floats, K: Floats, lengths: Floats) -> list[_Motion]:
        """The motions with c = c̄ + α k + K (x - x̄) for several α, side by side."""
        n, count = about.x.shape[1], len(lengths)
        x = np.empty((count, self.horizon + 1, n))
        c = np.empty((count, self.horizon, about.c.shape[1]))
        cost = np.zeros(count)
        x[:, 0] = about.x[0]
        with np.errstate(all="ignore"):
            for t in range(self.horizon):
                wanted = about.c[t] + lengths[:, None] * k[t] + (x[:, t] - about.x[t]) @ K[t].T
                c[:, t] = np.clip(wanted, self.lower, self.upper)
                results = np.asarray(self._step(np.concatenate([x[:, t], c[:, t]], axis=1)))
                x[:, t + 1], cost = results[:, :n], cost + results[:, n]
            cost = cost + np.asarray(self._end(x[:, -1]))[:, 0]
        finite = np.isfinite(x).all(axis=(1, 2)) & np.isfinite(cost)
        return [_Motion(x[i], c[i], float(cost[i]) if finite[i] else np.inf) for i in range(count)]

    def _optimise(self, motion: _Motion, most: int, tolerance: float) -> None:
        if not np.isfinite(motion.cost):
            message = "the motion of the first guess grows beyond all numbers."
            cure = "Give a guess of the inputs, a shorter sample_time, or a shorter duration."
            raise PolhodeError(message, self.name, cure, "E-CONTROL-FAILED")
        added, costs, converged = _FIRST, [motion.cost], False
        K = np.zeros((self.horizon, motion.c.shape[1], motion.x.shape[1]))
        for _ in range(most):
            policy = self._backward(motion, added)
            if policy is None:
                added = max(_FIRST, 10 * added)
                if added > _MOST:
                    break
                continue
            k, K, slope, bend = policy
            enough = tolerance * (1 + abs(motion.cost))
            if -slope <= enough:  # perhaps only because so much was added that no step is taken
                plain = policy if added <= _FIRST else self._backward(motion, _FIRST)
                converged = plain is not None and -plain[2] <= enough
                break
            tried = self._stepped(motion, k, K, _LENGTHS)
            fallen = [i for i, trial in enumerate(tried) if trial.cost - motion.cost
                      <= _FALL * (_LENGTHS[i] * slope + _LENGTHS[i] ** 2 * bend / 2)]  # fmt: skip
            if fallen:
                motion, added = tried[fallen[0]], added / 10
                costs.append(motion.cost)
            else:
                added = max(_FIRST, 10 * added)
                if added > _MOST:
                    break
        self.t: Floats = np.linspace(0.0, self.horizon * self.sample_time, self.horizon + 1)
        self.x, self.c, self.K, self.costs, self.converged = motion.x, motion.c, -K, costs, converged
        if not converged:
            message = f"the cost {motion.cost:.6g} is not known to be least; {len(costs) - 1} iterations fell."
            warn(f"{self.name}: {message}", code="W-CONTROL-FAILED")

    def _backward(self, motion: _Motion, added: float) -> tuple[Floats, Floats, float, float] | None:
        """Steps k and gains K of the linear-quadratic problem, and how the cost falls along k; None if not convex."""
        n, m, N = motion.x.shape[1], motion.c.shape[1], self.horizon
        entries = np.asarray(self._about(np.concatenate([motion.x[:-1], motion.c], axis=1)))
        F, G, l, B = (part.reshape(N, *shape) for part, shape in zip(
            np.split(entries, np.cumsum([n * n, n * m, n + m]), axis=1),
            ((n, n), (n, m), (n + m,), (n + m, n + m)), strict=True))  # fmt: skip
        end = np.asarray(self._end(motion.x[-1]))
        p, P = end[1 : n + 1], end[n + 1 :].reshape(n, n)
        k, K, slope, bend = np.zeros((N, m)), np.zeros((N, m, n)), 0.0, 0.0
        for t in reversed(range(N)):
            FG = np.hstack([F[t], G[t]])
            q = l[t] + FG.T @ p
            Q = B[t] + FG.T @ P @ FG
            Qcc = Q[n:, n:] + added * np.eye(m) + added * G[t].T @ G[t]
            step = box_step((Qcc + Qcc.T) / 2, q[n:], self.lower - motion.c[t], self.upper - motion.c[t])
            if step is None:
                return None
            k[t], free, inverse = step
            K[t][free] = -inverse @ Q[n:, :n][free]
            slope += float(k[t] @ q[n:])
            bend += float(k[t] @ Q[n:, n:] @ k[t])
            p = q[:n] + K[t].T @ Q[n:, n:] @ k[t] + K[t].T @ q[n:] + Q[n:, :n].T @ k[t]
            P = Q[:n, :n] + K[t].T @ Q[n:, n:] @ K[t] + K[t].T @ Q[n:, :n] + Q[n:, :n].T @ K[t]
            P = (P + P.T) / 2
        return k, K, slope, bend

    def _sentences(self) -> list[str]:
        text = f"A motion of {self.t[-1]:g} s and cost {self.cost:.6g} was found in {len(self.costs) - 1} iterations"
        return [f"{text}." if self.converged else f"{text}; it is not known to be least.", *super()._sentences()]

    @property
    def cost(self) -> float:
        """The cost of the motion."""
        return float(self.costs[-1])

    def design(self) -> Law:
        """c = c̄(t) + K(t) (x̄(t) - x), within the limits; beyond the end all is held."""
        time = self.equations.system.time
        wanted = [_over(time, self.t, self.x[:, i]) for i in range(self.x.shape[1])]
        controls: dict[Expr, Expr] = {}
        for j, control in enumerate(self.plant.inputs.values()):
            total = _over(time, self.t[:-1], self.c[:, j])
            for i, x in enumerate(self.plant.x):
                total = total + _over(time, self.t[:-1], self.K[:, j, i]) * (wanted[i] - x)
            controls[control] = clipped(as_expr(total), float(self.lower[j]), float(self.upper[j]))
        condition = f"the state is far from the motion that was found, or t is beyond {self.t[-1]:g} s"
        return Law(controls, sample_time=self.sample_time, conditions=(condition,))


def _over(time: Expr, t: Floats, values: Floats) -> Expr:
    if len(t) < 2 or not np.ptp(values):
        return as_expr(float(values[0]))
    return as_expr(table(t, values)(time))


def _samples(duration: Any, sample_time: float, place: str) -> int:
    """How many samples a motion has."""
    cure = "Give seconds, a whole number of sample times."
    with understood("a duration", duration, place=f"{place} duration", cure=cure):
        count = float(duration) / sample_time
    if not np.isfinite(count) or round(count) < 2 or abs(count - round(count)) > 1e-6 * count:
        message = f"{shown(duration)} s are not two or more whole sample times of {sample_time:g} s."
        raise PolhodeError(message, f"{place} duration", cure, "E-CONTROL-NUMBER")
    return round(count)
