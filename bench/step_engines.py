"""SciPy's and SUNDIALS' solvers around our compiled right-hand side, called from Python as their users call them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.integrate import solve_ivp
from sksundae.cvode import CVODE

from .motions import Motion
from .plain_tree import Floats


def right_hand_side(motion: Motion) -> Callable[[float, Floats], Floats]:
    """Rates of a state without efforts, by native code."""
    functions = motion.equations.compile()
    native = functions.native("state_rates").with_parameters(functions.parameter_values("state_rates"))
    efforts = np.zeros(len(motion.equations.tau))

    def rates(_: float, x: Floats) -> Floats:
        return np.asarray(native(x, efforts))

    return rates


def jacobian(motion: Motion) -> Callable[[Floats], Floats]:
    """∂ẋ/∂x of a tree whose coordinates' rates are its speeds, by native code."""
    functions, size = motion.equations.compile(), len(motion.equations.u)
    native = functions.native("forward_dynamics_derivatives")
    native = native.with_parameters(functions.parameter_values("forward_dynamics_derivatives"))
    efforts = np.zeros(size)
    J = np.zeros((2 * size, 2 * size))
    J[:size, size:] = np.eye(size)

    def at(x: Floats) -> Floats:
        J[size:, :size], J[size:, size:], _ = native(x[:size], x[size:], efforts)
        return J

    return at


def scipy_run(motion: Motion, method: str, tolerance: float) -> Callable[[], Floats]:
    """The last state by `solve_ivp`; implicit methods have the exact Jacobian."""
    rates = right_hand_side(motion)
    options = {}
    if method in ("Radau", "BDF"):
        slopes = jacobian(motion)
        options["jac"] = lambda _, x: slopes(x)

    def run() -> Floats:
        span = 0.0, motion.duration
        return np.asarray(solve_ivp(rates, span, motion.start, method, rtol=tolerance, atol=tolerance, **options).y)[
            :, -1
        ]

    return run


def cvode_run(motion: Motion, method: str, tolerance: float) -> Callable[[], Floats]:
    """The last state by CVODE; BDF has the exact Jacobian where coordinates' rates are speeds."""
    rates = right_hand_side(motion)

    def into(_: float, x: Floats, rate: Floats) -> None:
        rate[:] = rates(0.0, x)

    options = {}
    if method == "BDF" and len(motion.equations.q) == len(motion.equations.u):
        slopes = jacobian(motion)

        def jacobian_into(_: float, x: Floats, _rate: Floats, J: Floats) -> None:
            J[:] = slopes(x)

        options["jacfn"] = jacobian_into
    solver = CVODE(into, method=method, rtol=tolerance, atol=tolerance, max_num_steps=10**8, **options)
    times = np.array([0.0, motion.duration])

    def run() -> Floats:
        return np.asarray(solver.solve(times, motion.start).y)[-1]

    return run
