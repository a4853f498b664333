"""The attitude of a rigid body with thrusters, in state form; Mladenova (89)-(107), as corrected.

With the angular momentum x = J ω in body components, (89), Euler's equations are

    ẋ = x × J⁻¹ x + B u                       (98), (99) with f(x) = -S(x) J⁻¹ x, S(x) v = -x × v
    ċ = A O J⁻¹ x = Γ(c) ω                    (104), in any chart of the rotations

and u the magnitudes of pairs of jets about the columns of B, (96). By (105) y is x again, so that (106) and (107) are
(103) and (104); with the states c and ċ instead, the equations are those of `second_rates`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...errors import PolhodeError, understood
from ...expr import Matrix, Vector, as_expr, constant_value, free_symbols, is_zero, rank
from .rotation import Rotation
from .scalars import Components, applied, cross, is_array, total
from .values import batch_of, is_exact, read, written


class Attitude:
    """A body's inertia about its fixed point and the axes of its thrusters, in body components.

    The inertia is a 3×3 matrix, or the three principal moments. Methods take expressions or arrays, as rotations do,
    of a `rotation`, its `velocity` or `rate`, the `momentum`, torques `u`, and angles about moving or `extrinsic` axes.

    >>> from polhode.expr import symbols
    >>> A, B, C = symbols("A B C")
    >>> top = Attitude((A, B, C), thrusters=[(0, 0, 1)])
    >>> top.drift(symbols("x1 x2 x3"))[2]
    x1*x2/B - x1*x2/A
    """

    __slots__ = ("_inverse", "inertia", "thrusters")

    def __init__(self, inertia: Any, thrusters: Iterable[Any] = ()) -> None:
        axes = [read(axis, (3,), "the axis of a thruster", True) for axis in thrusters]
        self.inertia = _inertia(inertia)
        self.thrusters = Matrix.columns_of(axes, 3).map(as_expr)
        if axes and rank(axes) < len(axes):
            message = f"the axes of the {len(axes)} thrusters are not independent."
            cure = "Leave one out, and add its magnitude to those of the others."
            raise PolhodeError(message, cure=cure, code="E-ROTATION-SINGULAR")
        self._inverse = self.inertia.inv().map(as_expr)

    def __repr__(self) -> str:
        count = len(self.thrusters.columns)
        return f"Attitude(inertia={self.inertia}, {count} thruster{'' if count == 1 else 's'})"

    @property
    def inputs(self) -> list[Vector]:
        """The input fields g_i of (98): the axes of the thrusters, (96)."""
        return self.thrusters.columns

    def momentum(self, velocity: Any) -> Any:
        """x = J ω, (89)."""
        return _mapped(self.inertia, velocity)

    def velocity(self, momentum: Any) -> Any:
        """ω = J⁻¹ x."""
        return _mapped(self._inverse, momentum)

    def drift(self, momentum: Any) -> Any:
        """f(x) = x × J⁻¹ x, (99) with its sign: the rate of a body without torques."""
        return self.momentum_rate(momentum)

    def momentum_rate(self, momentum: Any, u: Any = None) -> Any:
        """ẋ = f(x) + Σ g_i u_i, (98); u has a magnitude for each thruster, and None is all of them off."""
        exact = is_exact(momentum) or is_exact(u)
        x = read(momentum, (3,), "an angular momentum", exact)
        count = self.thrusters.shape[1]
        jets = read([0] * count if u is None else u, (count,), "a list of thrusters' magnitudes", exact)
        batch_of((*x, *jets))
        gyroscopic = cross(x, applied(_over(self._inverse, x), x))
        pushed = applied(_over(self.thrusters, x), jets)
        return written(total(gyroscopic, pushed), (3,), None if exact else ())

    def rates(
        self, rotation: Rotation, momentum: Any, u: Any = None, form: str = "vector", *, extrinsic: bool = False
    ) -> tuple[Any, Any]:
        """ẋ and the rates of the coordinates in a form: (103) and (104)."""
        return self.momentum_rate(momentum, u), rotation.rate(self.velocity(momentum), form, extrinsic=extrinsic)

    def second_rates(
        self, rotation: Rotation, rate: Any, u: Any = None, form: str = "vector", *, extrinsic: bool = False
    ) -> Any:
        """The second rates of the coordinates in a form, of the state (c, ċ): the second trivialisation."""
        w = rotation.velocity(rate, form, extrinsic=extrinsic)
        wd = self.velocity(self.momentum_rate(self.momentum(w), u))
        return rotation.second_rate(w, wd, form, extrinsic=extrinsic)


def _inertia(inertia: Any) -> Matrix:
    """J of a matrix or of principal moments, symmetric; if it is of numbers, positive definite."""
    with understood("an inertia", inertia, cure="Give three moments or a 3×3 matrix."):
        rows = [*inertia]
    moments = len(rows) == 3 and not any(hasattr(row, "__len__") for row in rows)
    entries = read(Matrix.diagonal(rows) if moments else rows, (3, 3), "an inertia matrix", True)
    J = Matrix([entries[0:3], entries[3:6], entries[6:9]])
    symmetric = all(map(is_zero, (J - J.T).entries()))
    minors = [J[0, 0], J[0, 0] * J[1, 1] - J[0, 1] * J[1, 0], J.det()]
    numeric = not free_symbols(entries)
    if not symmetric or any(map(is_zero, minors)) or (numeric and any(constant_value(as_expr(m)) <= 0 for m in minors)):
        message = "the inertia matrix is not symmetric and positive definite."
        cure = "Give three positive moments, or a matrix of inertia about the fixed point."
        raise PolhodeError(message, cure=cure, code="E-ROTATION-NUMBER")
    return J


def _mapped(M: Matrix, vector: Any) -> Any:
    x = read(vector, (3,), "an angular velocity or momentum")
    return written(applied(_over(M, x), x), (3,), () if any(map(is_array, x)) else None)


def _over(M: Matrix, x: Components) -> Matrix:
    """A matrix over the scalars of x: as it is over expressions, in floats over arrays."""
    if not any(map(is_array, x)):
        return M
    if free_symbols(M.entries()):
        message = "the inertia or a thruster has symbols, and the state is of numbers."
        cure = "Make the Attitude of numbers, or give expressions for the state."
        raise PolhodeError(message, cure=cure, code="E-ROTATION-UNSUPPORTED")
    return M.map(float)
