"""Spinors and the matrices of SU(2), with the Cayley-Klein parameters; Mladenova (27)-(63), as corrected.

A unit quaternion (β0, β1, β2, β3) is the unit spinor ψ = (β3 + iβ0, β1 + iβ2), (40), and the matrix U = β0 - i β·σ of
(49), whose entries are the Cayley-Klein parameters. A spinor is a chart of four real numbers, as a quaternion is: what
holds of one holds of the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...expr import Matrix, Vector
from .scalars import Components, Numbers


@dataclass(frozen=True, slots=True)
class Complex:
    """re + i im."""

    re: Any
    im: Any = 0

    @staticmethod
    def of(value: Any) -> Complex:
        """A number of any kind as a complex one."""
        if isinstance(value, Complex):
            return value
        return Complex(value.real, value.imag) if isinstance(value, complex) else Complex(value)

    @property
    def conjugate(self) -> Complex:
        return Complex(self.re, -self.im)

    @property
    def square(self) -> Any:
        """|z|²."""
        return self.re * self.re + self.im * self.im

    def __complex__(self) -> complex:
        return complex(float(self.re), float(self.im))

    def __add__(self, other: Any) -> Complex:
        z = Complex.of(other)
        return Complex(self.re + z.re, self.im + z.im)

    __radd__ = __add__

    def __neg__(self) -> Complex:
        return Complex(-self.re, -self.im)

    def __sub__(self, other: Any) -> Complex:
        return self + -Complex.of(other)

    def __rsub__(self, other: Any) -> Complex:
        return Complex.of(other) + -self

    def __mul__(self, other: Any) -> Complex:
        z = Complex.of(other)
        return Complex(self.re * z.re - self.im * z.im, self.re * z.im + self.im * z.re)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Complex:
        z = Complex.of(other)
        product = self * z.conjugate
        return Complex(product.re / z.square, product.im / z.square)


#: The imaginary unit.
I = Complex(0, 1)


def quaternion_of(psi: Numbers) -> Components:
    """The quaternion of a spinor (ψ1, ψ2), the inverse of (50)."""
    first, second = psi
    if isinstance(first, Complex) or isinstance(second, Complex):
        first, second = Complex.of(first), Complex.of(second)
        return (first.im, second.re, second.im, first.re)
    return (first.imag, second.real, second.imag, first.real)


def spinor_of(q: Numbers) -> Vector:
    """The spinor of a quaternion, (50), of exact numbers."""
    return Vector([Complex(q[3], q[0]), Complex(q[1], q[2])])


def unitary_of(q: Numbers) -> Matrix:
    """U of (49), unitary with determinant 1 for a unit quaternion: U(p q) = U(p) U(q)."""
    w, x, y, z = q
    return Matrix([[Complex(w, -z), Complex(-y, -x)], [Complex(y, -x), Complex(w, z)]])


def spinor_matrix(q: Numbers) -> Matrix:
    """The matrix of a spinor, (54) and (57) as corrected: i q0 + q·σ = i U; -i times it multiplies spinors, (53)."""
    w, x, y, z = q
    return Matrix([[Complex(z, w), Complex(x, -y)], [Complex(x, y), Complex(-z, w)]])
