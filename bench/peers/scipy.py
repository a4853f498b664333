"""SciPy's and SUNDIALS' solvers around our compiled right-hand side, called from Python as their users call them."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..motions import Floats, Motion


def _native(motion: Motion, name: str) -> Any:
    functions = motion.equations.compile()
    return functions.native(name).with_parameters(functions.parameter_values(name))


def _rates(motion: Motion) -> Callable[[float, Floats], Floats]:
    """Rates of a state without efforts, by native code."""
    native, efforts = _native(motion, "state_rates"), np.zeros(len(motion.equations.tau))
    return lambda _, x: np.asarray(native(x, efforts))


def _jacobian(motion: Motion) -> Callable[[float, Floats], Floats]:
    """∂ẋ/∂x of a tree whose coordinates' rates are its speeds, by native code."""
    native, size = _native(motion, "forward_dynamics_derivatives"), len(motion.equations.u)
    J, efforts = np.eye(2 * size, k=size), np.zeros(size)

    def at(_: float, x: Floats) -> Floats:
        J[size:, :size], J[size:, size:], _minv = native(x[:size], x[size:], efforts)
        return J

    return at


def solve_ivp(motion: Motion, method: str, tolerance: float) -> Callable[[], Floats]:
    """The last state by `solve_ivp`; implicit methods have the exact Jacobian."""
    from scipy import integrate

    options: dict[str, Any] = {"jac": _jacobian(motion)} if method in ("Radau", "BDF") else {}
    options |= {"method": method, "rtol": tolerance, "atol": tolerance}
    rates, span = _rates(motion), (0.0, motion.duration)
    return lambda: np.asarray(integrate.solve_ivp(rates, span, motion.start, **options).y)[:, -1]


def cvode(motion: Motion, method: str, tolerance: float) -> Callable[[], Floats]:
    """The last state by CVODE; BDF has the exact Jacobian where coordinates' rates are speeds."""
    from sksundae.cvode import CVODE

    options: dict[str, Any] = {"method": method, "rtol": tolerance, "atol": tolerance, "max_num_steps": 10**8}
    if method == "BDF" and len(motion.equations.q) == len(motion.equations.u):
        slopes = _jacobian(motion)
        options["jacfn"] = lambda t, x, _, J: np.copyto(J, slopes(t, x))
    rates = _rates(motion)
    solver = CVODE(lambda t, x, rate: np.copyto(rate, rates(t, x)), **options)
    times = np.array([0.0, motion.duration])
    return lambda: np.asarray(solver.solve(times, motion.start).y)[-1]
