"""SymPy: rates of a double pendulum by Lagrange's equations; its other models are judges of tests."""

from collections.abc import Callable

import numpy as np
import sympy
from sympy.physics import mechanics as me
from tests.judges.sympy_models import Kane, chain, satellite

from ..motions import Floats

__all__ = ["Kane", "chain", "double_pendulum_rates", "satellite"]


def double_pendulum_rates() -> Callable[[float, Floats], Floats]:
    """Rates by Lagrange's equations, as SymPy's users run them: `lambdify`, and a solve with M at each call."""
    q = me.dynamicsymbols("q1 q2")
    t = me.dynamicsymbols._t
    x = z = angle = lagrangian = sympy.Integer(0)
    half, inertia = sympy.Rational(1, 2), sympy.Rational(1, 12)
    for coordinate in q:
        angle = angle + coordinate
        cx, cz = x - half * sympy.sin(angle), z - half * sympy.cos(angle)
        kinetic = (cx.diff(t) ** 2 + cz.diff(t) ** 2 + inertia * angle.diff(t) ** 2) / 2
        lagrangian += kinetic - sympy.Rational(981, 100) * cz
        x, z = x - sympy.sin(angle), z - sympy.cos(angle)
    method = me.LagrangesMethod(lagrangian, q)
    method.form_lagranges_equations()
    plain = sympy.symbols("a1 a2 b1 b2")
    shown = dict(zip([*(each.diff() for each in q), *q], [*plain[2:], *plain[:2]], strict=True))
    matrices = sympy.lambdify([plain], [part.subs(shown) for part in (method.mass_matrix, method.forcing)], cse=True)

    def rates(_: float, state: Floats) -> Floats:
        M, f = matrices(state)
        return np.concatenate([state[2:], np.linalg.solve(M, f.ravel())])

    return rates
