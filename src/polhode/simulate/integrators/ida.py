"""SUNDIALS' IDA, by scikit-sundae, as one more solver of runs: variable order and step, implicit.

Constraints enter it as a differential-algebraic system of index one in (q, u, λ):

    q̇ - Γ u = 0,    M u̇ + bias - τ - Aᵀ λ = 0,    A u̇ + γ + 2α (A u + a) + α² φ = 0
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...errors import PolhodeError
from ..initial_state import Floats
from ..projection import ProjectedRates
from ..rates import Rates

#: How much less exactly forces are wanted than positions and speeds, which they do not harm when they are noisy.
_FORCES = 1e3


def solver_by_ida() -> Callable[..., Any]:
    """The solver, or a sentence that says how to get it."""
    try:
        import sksundae  # noqa: F401 - to know whether it is there
    except ImportError:
        raise PolhodeError(
            "the method 'ida' needs SUNDIALS, which is not installed.",
            cure="Install it with pip install 'polhode[sundials]', or use method=\"Radau\".",
            code="E-SIM-022",
        ) from None
    return IdaSolver


class IdaSolver:
    """IDA with the face of SciPy's solvers: `step`, `t`, `t_old`, `y`, `status`, `dense_output`."""

    def __init__(
        self, rates: Rates, t: float, x: Floats, t_bound: float, max_step: float, rtol: float, atol: float
    ) -> None:
        from sksundae.ida import IDA

        self.rates, self.t, self.t_old, self.y, self.t_bound = rates, t, t, np.array(x), t_bound
        self.size, self.status = len(x), "running"
        self.failed: BaseException | None = None
        first = rates(t, x)
        if isinstance(rates, ProjectedRates):
            residual, multipliers = self._constrained, rates.multipliers(t, x)
        else:
            residual, multipliers = self._plain, np.zeros(0)
        y = np.concatenate([x, multipliers])
        absolute = np.full(len(y), atol)
        absolute[self.size :] *= _FORCES
        self.solver = IDA(
            self._guarded(residual), rtol=rtol, atol=absolute, max_num_steps=10_000,
            max_step=0.0 if np.isinf(max_step) else max_step, algebraic_idx=list(range(self.size, len(y))) or None,
        )  # fmt: skip
        self.solver.init_step(t, y, np.concatenate([first, np.zeros_like(multipliers)]))

    def _guarded(self, residual: Callable[..., None]) -> Callable[..., None]:
        """What a residual raises is kept: it must not pass through the solver's own code."""

        def call(t: float, y: Floats, yp: Floats, res: Floats) -> None:
            if self.failed is not None:
                res[:] = np.nan
                return
            try:
                residual(t, y, yp, res)
            except BaseException as failed:
                self.failed = failed
                res[:] = np.nan

        return call

    def _plain(self, t: float, y: Floats, yp: Floats, res: Floats) -> None:
        res[:] = yp - self.rates(t, np.array(y))

    def _constrained(self, t: float, y: Floats, yp: Floats, res: Floats) -> None:
        self.rates.evaluations += 1
        n = self.size
        res[:] = self.rates.residual(t, np.array(y[:n]), yp[:n], y[n:])  # type: ignore[attr-defined] # of ProjectedRates

    def step(self) -> str | None:
        """One internal step."""
        self.t_old = self.t
        made = self.solver.step(self.t_bound, method="onestep", tstop=self.t_bound)
        if made.success and float(np.ravel(made.t)[-1]) <= self.t:  # after a look back, IDA first returns to its place
            made = self.solver.step(self.t_bound, method="onestep", tstop=self.t_bound)
        if self.failed is not None:
            raise self.failed
        if not made.success:
            self.status = "failed"
            return str(made.message)
        self.t, self.y = float(np.ravel(made.t)[-1]), np.array(np.atleast_2d(made.y)[-1][: self.size])
        if self.t >= self.t_bound:
            self.status = "finished"
        return None

    def dense_output(self) -> Callable[[Any], Floats]:
        """States inside the last step, from IDA's own polynomial."""

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
