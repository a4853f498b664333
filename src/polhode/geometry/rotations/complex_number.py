"""Complex numbers over any scalar, exact over expressions; as much of them as spinors need."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Complex:
    """re + i im.

    >>> from polhode.expr import symbols
    >>> a, b = symbols("a b")
    >>> Complex(a, b) * Complex(a, -b)
    Complex(re=a**2 + b**2, im=0)
    """

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
        made = self * z.conjugate
        return Complex(made.re / z.square, made.im / z.square)


#: The imaginary unit.
I = Complex(0, 1)
