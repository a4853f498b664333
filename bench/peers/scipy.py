"""SciPy's and SUNDIALS' solvers around our compiled right-hand side, called from Python as their users call them."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..motions import Floats, Motion


def right_hand_side(motion: Motion) -> Callable[[float, Floats], Floats]:
    """Rates of a state without efforts, by native code."""
    native, efforts = _native(motion, "state_rates"), np.zeros(len(motion.equations.tau))
    return lambda _, x: np.asarray(native(x, efforts))


def jacobian(motion: Motion) -> Callable[[float, Floats], Floats]:
    """∂ẋ/∂x of a tree whose coordinates' rates are its speeds, by native code."""
    native, size = _native(motion, "forward_dynamics_derivatives"), len(motion.equations.u)
    J, efforts = np.zeros((2 * size, 2 * size)), np.zeros(size)
    J[:size, size:] = np.eye(size)

    def at(_: float, x: Floats) -> Floats:
        J[size:, :size], J[size:, size:], _minv = native(x[:size], x[size:], efforts)
        return J

    return at


def _native(motion: Motion, name: str) -> Any:
    functions = motion.equations.compile()
    return functions.native(name).with_parameters(functions.parameter_values(name))


def solve_ivp(motion: Motion, method: str, tolerance: float) -> Callable[[], Floats]:
    """The last state by `solve_ivp`; implicit methods have the exact Jacobian."""
    from scipy import integrate

    options = {"jac": jacobian(motion)} if method in ("Radau", "BDF") else {}
    options |= {"method": method, "rtol": tolerance, "atol": tolerance}
    rates, span = right_hand_side(motion), (0.0, motion.duration)
    return lambda: np.asarray(integrate.solve_ivp(rates, span, motion.start, **options).y)[:, -1]


def cvode(motion: Motion, method: str, tolerance: float) -> Callable[[], Floats]:
    """The last state by CVODE; BDF has the exact Jacobian where coordinates' rates are speeds."""
    from sksundae.cvode import CVODE

    rates = right_hand_side(motion)

    def into(t: float, x: Floats, rate: Floats) -> None:
        rate[:] = rates(t, x)

    options: dict[str, Any] = {}
    if method == "BDF" and len(motion.equations.q) == len(motion.equations.u):
        slopes = jacobian(motion)

        def jacobian_into(t: float, x: Floats, _rate: Floats, J: Floats) -> None:
            J[:] = slopes(t, x)

        options["jacfn"] = jacobian_into
    solver = CVODE(into, method=method, rtol=tolerance, atol=tolerance, max_num_steps=10**8, **options)
    times = np.array([0.0, motion.duration])
    return lambda: np.asarray(solver.solve(times, motion.start).y)[-1]
