"""SUNDIALS, by scikit-sundae, as more solvers of runs: variable order and step.

IDA is implicit, and constraints enter it as a differential-algebraic system of index one in (q, u, λ):

    q̇ - Γ u = 0,    M u̇ + bias - τ - Aᵀ λ = 0,    A u̇ + γ + 2α (A u + a) + α² φ = 0

CVODE steps ẋ = f(t, x), by backward differences with the compiled Jacobian of the rates where there is one, or by the
methods of Adams.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ...errors import installed
from ..constraints.projection import ProjectedRates
from ..initial_state import Floats
from ..rates import Rates

#: How much less exactly forces are wanted than positions and speeds, which they do not harm when they are noisy.
_FORCES = 1e3
#: Steps that a solver may take before it is asked again.
_MANY = 10_000


def solver(name: str) -> Callable[..., Any]:
    """IDA, or CVODE with a linear multistep method, "BDF" or "Adams"; or a sentence that says how to get them."""
    _check_there("ida" if name == "ida" else "cvode")
    return IdaSolver if name == "ida" else partial(CvodeSolver, method=name)


def _check_there(name: str) -> None:
    what = f"SUNDIALS, which the method '{name}' needs,"
    installed("sksundae", "sundials", what, or_else=', or use method="Radau"', code="E-SIM-022")


class _SundialsSolver:
    """A solver with the face of SciPy's: `step`, `t`, `t_old`, `y`, `status`, `dense_output`."""

    solver: Any

    def __init__(self, rates: Rates, t: float, x: Floats, t_bound: float) -> None:
        self.rates, self.t, self.t_old, self.y, self.t_bound = rates, t, t, np.array(x), t_bound
        self.size, self.status = len(x), "running"
        self.failed: BaseException | None = None

    def _fill(self, out: Floats, made: Callable[[], Floats]) -> None:
        """Fill the solver's array; what is raised is kept, since it must not pass through the solver's own code."""
        if self.failed is None:
            try:
                out[:] = made()
                return
            except BaseException as failed:
                self.failed = failed
        out[:] = np.nan

    def step(self) -> str | None:
        """One internal step."""
        self.t_old = self.t
        made = self._onestep()
        if made.success and float(np.ravel(made.t)[-1]) <= self.t:  # after a look back, it first returns to its place
            made = self._onestep()
        if self.failed is not None:
            raise self.failed
        if not made.success:
            self.status = "failed"
            return str(made.message)
        self.t, self.y = float(np.ravel(made.t)[-1]), np.array(np.atleast_2d(made.y)[-1][: self.size])
        if self.t >= self.t_bound:
            self.status = "finished"
        return None

    def _onestep(self) -> Any:
        return self.solver.step(self.t_bound, method="onestep", tstop=self.t_bound)

    def dense_output(self) -> Callable[[Any], Floats]:
        """States inside the last step, from the solver's own polynomial."""

        def interpolant(times: Any) -> Floats:
            asked = np.atleast_1d(np.asarray(times, dtype=np.float64))
            states = [self._at(float(t)) for t in asked]
            return np.array(states[0] if np.ndim(times) == 0 else np.transpose(states))

        return interpolant

    def _at(self, t: float) -> Floats:
        if t == self.t:
            return self.y
        made = self.solver.step(t, method="normal", tstop=self.t_bound)
        return np.array(np.atleast_2d(made.y)[-1][: self.size])


class IdaSolver(_SundialsSolver):
    """IDA."""

    def __init__(
        self, rates: Rates, t: float, x: Floats, t_bound: float, max_step: float, rtol: float, atol: float
    ) -> None:
        from sksundae.ida import IDA

        super().__init__(rates, t, x, t_bound)
        first = rates(t, x)
        residual: Callable[..., Floats] = self._plain
        multipliers = np.zeros(0)
        if isinstance(rates, ProjectedRates):
            residual, multipliers = partial(self._constrained, rates), rates.multipliers(t, x)
        y = np.concatenate([x, multipliers])
        absolute = np.full(len(y), atol)
        absolute[self.size :] *= _FORCES

        def resfn(t: float, y: Floats, yp: Floats, res: Floats) -> None:
            self._fill(res, lambda: residual(t, y, yp))

        self.solver = IDA(
            resfn, rtol=rtol, atol=absolute, max_num_steps=_MANY, max_step=0.0 if np.isinf(max_step) else max_step,
            algebraic_idx=list(range(self.size, len(y))) or None,
        )  # fmt: skip
        self.solver.init_step(t, y, np.concatenate([first, np.zeros_like(multipliers)]))

    def _plain(self, t: float, y: Floats, yp: Floats) -> Floats:
        return np.asarray(yp - self.rates(t, np.array(y)))

    def _constrained(self, rates: ProjectedRates, t: float, y: Floats, yp: Floats) -> Floats:
        rates.evaluations += 1
        n = self.size
        return rates.residual(t, np.array(y[:n]), yp[:n], y[n:])


class CvodeSolver(_SundialsSolver):
    """CVODE."""

    def __init__(
        self,
        rates: Rates,
        t: float,
        x: Floats,
        t_bound: float,
        *,
        method: str,
        max_step: float,
        rtol: float,
        atol: float,
    ) -> None:
        from sksundae.cvode import CVODE

        super().__init__(rates, t, x, t_bound)
        jacobian = rates.jacobian if method == "BDF" else None

        def rhsfn(t: float, y: Floats, yp: Floats) -> None:
            self._fill(yp, lambda: rates(t, np.array(y)))

        def jacfn(t: float, y: Floats, yp: Floats, JJ: Floats) -> None:
            if jacobian is not None:
                self._fill(JJ, lambda: jacobian(t, np.array(y)))

        self.solver = CVODE(
            rhsfn, method=method, rtol=rtol, atol=atol, max_num_steps=_MANY,
            max_step=0.0 if np.isinf(max_step) else max_step, jacfn=None if jacobian is None else jacfn,
        )  # fmt: skip
        self.solver.init_step(t, self.y)
