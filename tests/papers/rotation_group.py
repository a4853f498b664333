"""What the tests of Mladenova's section 2 share: a moving rotation in symbols, and equality by fingerprint."""

from collections.abc import Iterable, Sequence
from typing import Any

from polhode.expr import Matrix, Vector, directional, is_zero, skew, symbols, unit_symbols
from polhode.geometry.rotations.spinor import Complex

b = unit_symbols(["b0", "b1", "b2", "b3"])
c, cd, cdd = symbols("c1 c2 c3"), symbols("v1 v2 v3"), symbols("a1 a2 a3")
w, x = symbols("w1 w2 w3"), symbols("x1 x2 x3")
UNIT = Matrix.identity(3)


def flat(values: Any) -> list[Any]:
    """The scalars of vectors, matrices and complex numbers."""
    if isinstance(values, Complex):
        return [values.re, values.im]
    if isinstance(values, Iterable):
        return [entry for value in values for entry in flat(value)]
    return [values]


def same(one: Any, two: Any) -> bool:
    """Whether two are equal as functions of their symbols."""
    left, right = flat(one), flat(two)
    return len(left) == len(right) and all(is_zero(a - b) for a, b in zip(left, right, strict=True))


def along(values: Any, direction: dict[Any, Any]) -> Any:
    """The rate of a vector or matrix when its symbols move."""
    if isinstance(values, Matrix):
        return Matrix([directional(row, direction) for row in values])
    return Vector(directional(values, direction))


def moving(q: Sequence[Any], qd: Sequence[Any]) -> dict[Any, Any]:
    return dict(zip(q, qd, strict=True))


def outer(u: Sequence[Any], v: Sequence[Any]) -> Matrix:
    return Matrix([[p * q for q in v] for p in u])


def vee(W: Matrix) -> Vector:
    """The vector of a skew matrix, (15)."""
    assert same(W, -W.T)
    return Vector([W[2, 1], W[0, 2], W[1, 0]])


__all__ = ["UNIT", "along", "b", "c", "cd", "cdd", "flat", "moving", "outer", "same", "skew", "vee", "w", "x"]
