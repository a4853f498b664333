"""Centroidal quantities: the mass centre of the whole, and momenta about it.

D. E. Orin, A. Goswami and S.-H. Lee, "Centroidal dynamics of a humanoid robot" (2013):

    c = Σ m_i c_i / Σ m_i,    h_G = (k_G, l) = A_G(q) u,    k_G = k_O - c × l

k_O is the angular momentum about the ground's origin. What prescribed motions add to h_G in time is no part of A_G.
"""

from __future__ import annotations

from ..errors import PolhodeError
from ..expr import Matrix, Vector, as_expr, is_zero, jacobian
from .equations import EquationsOfMotion


def center_of_mass(equations: EquationsOfMotion) -> Vector:
    """The mass centre of all bodies, in ground components."""
    mass, moment = equations.mass_moment
    if is_zero(mass):
        message = f"the bodies of '{equations.system.name}' have no mass, and so no mass centre."
        raise PolhodeError(message, "center_of_mass", "Give a body a mass.", "E-DERIVE-MISSING")
    return Vector([as_expr(entry / mass) for entry in moment])


def centroidal_momentum(equations: EquationsOfMotion) -> tuple[Vector, Vector]:
    """Angular momentum about the mass centre and linear momentum, in ground components."""
    spin, linear = equations.momentum
    spin = spin - center_of_mass(equations).cross(linear)
    return Vector([as_expr(entry) for entry in spin]), linear


def centroidal_matrix(equations: EquationsOfMotion) -> Matrix:
    """A_G, 6×n: angular rows over linear ones."""
    spin, linear = centroidal_momentum(equations)
    return jacobian([*spin, *linear], list(equations.u))
