"""Small vectors and matrices over any scalar: graph nodes to derive, floats to check."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Never, TypeVar, overload

from ..errors import PolhodeError, ShapeError, shown
from .node import as_expr


class Vector(tuple[Any, ...]):
    """A tuple of scalars with the arithmetic of a vector."""

    __slots__ = ()
    __array_ufunc__ = None
    __hash__ = tuple.__hash__

    def __eq__(self, other: object) -> bool:
        return tuple.__eq__(self, _column(other))

    def __ne__(self, other: object) -> bool:
        return tuple.__ne__(self, _column(other))

    def __add__(self, other: Any) -> Vector:
        try:
            return _numeric(Vector([a + b for a, b in zip(self, other, strict=True)]))
        except (TypeError, ValueError):
            raise _unfit(self, other, "add {other} to {one}") from None

    def __sub__(self, other: Any) -> Vector:
        try:
            return Vector([a - b for a, b in zip(self, other, strict=True)])
        except (TypeError, ValueError):
            raise _unfit(self, other, "subtract {other} from {one}") from None

    def __neg__(self) -> Vector:
        return Vector([-a for a in self])

    def __mul__(self, other: Any) -> Vector:
        try:
            return _numeric(Vector([a * other for a in self]))
        except TypeError:
            raise _unfit(self, other, "multiply {one} by {other}") from None

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Vector:
        try:
            return Vector([a / other for a in self])
        except TypeError:
            raise _unfit(self, other, "divide {one} by {other}") from None

    def __getitem__(self, index: Any) -> Any:
        item = tuple.__getitem__(self, index)
        return Vector(item) if isinstance(index, slice) else item

    def dot(self, other: Any) -> Any:
        """Σ aᵢ bᵢ with the `other` vector."""
        try:
            return _numeric((_dot(self, other),))[0]
        except (TypeError, ValueError):
            raise _unfit(self, other, "multiply {one} by {other}") from None

    def cross(self, other: Any) -> Vector:
        """a × b with the `other` vector, for three components."""
        try:
            a1, a2, a3 = self
            b1, b2, b3 = other
            return Vector([a2 * b3 - a3 * b2, a3 * b1 - a1 * b3, a1 * b2 - a2 * b1])
        except (TypeError, ValueError):
            raise _unfit(self, other, "cross {one} with {other}") from None

    def __repr__(self) -> str:
        return _listed("Vector", [_short(entry) for entry in self])

    def _repr_latex_(self) -> str | None:
        from .latex_display import cell_latex

        return cell_latex(self)


def _column(other: Any) -> Any:
    """A matrix of one column as a vector, to which it is equal; anything else as it is."""
    is_column = isinstance(other, Matrix) and all(len(row) == 1 for row in other)
    return tuple(row[0] for row in other) if is_column else other


Entries = TypeVar("Entries", bound=tuple[Any, ...])
_TEXTS = frozenset({str, bytes})
#: A vector or matrix that is longer is written over several lines; an expression that is longer is counted.
_LINE, _ENTRY = 120, 800


def _listed(kind: str, parts: Sequence[str]) -> str:
    line = f"{kind}([{', '.join(parts)}])"
    return line if len(line) <= _LINE else f"{kind}([\n" + "".join(f"    {part},\n" for part in parts) + "])"


def _short(entry: Any) -> str:
    return str(entry._short(_ENTRY)) if hasattr(entry, "_short") else repr(entry)


def _dot(a: Iterable[Any], b: Iterable[Any]) -> Any:
    total: Any = None
    for x, y in zip(a, b, strict=True):
        if x and y:
            total = x * y if total is None else total + x * y
    return 0 if total is None else total


def _numeric(made: Entries) -> Entries:
    """The result of an operation; raise if it contains text."""
    if str in map(type, made):
        raise TypeError
    return made


def _unfit(one: Any, other: Any, said: str) -> ShapeError:
    """The error of two operands that do not go together."""
    form = "{} rows and {} columns".format(*one.shape) if isinstance(one, Matrix) else f"{len(one)} components"
    kind = f"a {type(one).__name__.lower()} of {form}"
    cure = "Both must hold numbers or expressions, and have the same shape or fit together."
    return ShapeError(f"cannot {said.format(one=kind, other=shown(other))}.", cure=cure, code="E-EXPR-SHAPE")


class Matrix(tuple[Vector, ...]):
    """A tuple of rows with the arithmetic of a matrix; `@` multiplies, `[i, j]` picks.

    >>> M = Matrix([[2, 1], [1, 3]])
    >>> M.shape, M.T == M, M.det(), M.inv(), list(M.entries())
    ((2, 2), True, 5, Matrix([[0.6, -0.2], [-0.2, 0.4]]), [2, 1, 1, 3])
    >>> M.columns, M.map(lambda entry: -entry)
    ([Vector([2, 1]), Vector([1, 3])], Matrix([[-2, -1], [-1, -3]]))
    >>> Matrix.identity(2) + Matrix.zeros(2, 2) == Matrix.diagonal([1, 1])
    True
    >>> Matrix.columns_of([[1, 2], [3, 4]], rows=2)
    Matrix([[1, 3], [2, 4]])
    """

    __slots__ = ()
    __array_ufunc__ = None
    __hash__ = tuple.__hash__

    def __eq__(self, other: object) -> bool:
        return other == self if isinstance(other, Vector) else tuple.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return other != self if isinstance(other, Vector) else tuple.__ne__(self, other)

    if not TYPE_CHECKING:

        def __call__(self, *_: object, **__: object) -> Never:
            """Refuse to be called: a matrix of equations is one of expressions, and compiled it is a function."""
            message = "this is a matrix of expressions, and no function of numbers."
            cure = "Compile the equations: equations.compile().mass_matrix(q), for one."
            raise PolhodeError(message, cure=cure, code="E-EXPR-TYPE")

    def __new__(cls, rows: Iterable[Iterable[Any]]) -> Matrix:
        try:
            listed = rows if isinstance(rows, list | tuple) else list(rows)
            if not _TEXTS.isdisjoint(map(type, listed)):
                raise TypeError
            made = tuple(map(Vector, listed))
        except TypeError:
            cure = "Give rows of numbers, for example [[1, 0], [0, 1]]."
            raise ShapeError(f"{shown(rows)} is not a matrix.", cure=cure, code="E-EXPR-SHAPE") from None
        if any(len(row) != len(made[0]) for row in made):
            message = "the rows of a matrix must have one length."
            raise ShapeError(message, "Matrix", "Give rows of equal length.", "E-EXPR-SHAPE")
        return tuple.__new__(cls, made)

    @staticmethod
    def identity(size: int) -> Matrix:
        """The unit matrix of a `size`."""
        try:
            return Matrix([[int(i == j) for j in range(size)] for i in range(size)])
        except TypeError:
            cure = "Give a whole number."
            raise ShapeError(f"{shown(size)} is not a size.", cure=cure, code="E-EXPR-SHAPE") from None

    @staticmethod
    def zeros(rows: int, columns: int) -> Matrix:
        """A matrix of zeros."""
        return Matrix([[0] * columns for _ in range(rows)])

    @staticmethod
    def diagonal(entries: Iterable[Any]) -> Matrix:
        """A diagonal matrix."""
        entries = list(entries)
        return Matrix([[e if i == j else 0 for j in range(len(entries))] for i, e in enumerate(entries)])

    @staticmethod
    def columns_of(columns: Iterable[Iterable[Any]], rows: int) -> Matrix:
        """The matrix with these columns; `rows` is needed when there are none."""
        listed = [tuple(column) for column in columns]
        return Matrix([[column[i] for column in listed] for i in range(rows)])

    @property
    def shape(self) -> tuple[int, int]:
        """How many rows and columns."""
        return len(self), len(tuple.__getitem__(self, 0)) if self else 0

    @property
    def T(self) -> Matrix:
        """The transpose."""
        return Matrix(zip(*self, strict=True))

    @property
    def columns(self) -> list[Vector]:
        """The columns as vectors."""
        return [Vector(column) for column in zip(*self, strict=True)]

    def __add__(self, other: Any) -> Matrix:
        try:
            return Matrix([a + b for a, b in zip(self, other, strict=True)])
        except (TypeError, ValueError):
            raise _unfit(self, other, "add {other} to {one}") from None

    def __sub__(self, other: Any) -> Matrix:
        try:
            return Matrix([a - b for a, b in zip(self, other, strict=True)])
        except (TypeError, ValueError):
            raise _unfit(self, other, "subtract {other} from {one}") from None

    def __neg__(self) -> Matrix:
        return Matrix([-row for row in self])

    def __mul__(self, scalar: Any) -> Matrix:
        return Matrix([row * scalar for row in self])

    __rmul__ = __mul__

    def __truediv__(self, scalar: Any) -> Matrix:
        return Matrix([row / scalar for row in self])

    @overload
    def __matmul__(self, other: Vector) -> Vector: ...
    @overload
    def __matmul__(self, other: Matrix) -> Matrix: ...
    def __matmul__(self, other: Any) -> Any:
        if isinstance(other, Matrix):
            columns = list(zip(*other, strict=True))
            if self.shape[1] != len(other):
                message = f"cannot multiply a {self.shape} by a {other.shape} matrix."
                raise ShapeError(message, "@", f"Give a matrix of {self.shape[1]} rows.", "E-EXPR-SHAPE")
            return Matrix([[_dot(row, column) for column in columns] for row in self])
        try:
            return _numeric(Vector([_dot(row, other) for row in self]))
        except (TypeError, ValueError):
            raise _unfit(self, other, "multiply {one} by {other}") from None

    def __getitem__(self, index: Any) -> Any:
        if not isinstance(index, tuple):
            item = tuple.__getitem__(self, index)
            return Matrix(item) if isinstance(index, slice) else item
        rows, columns = index
        if isinstance(rows, slice):
            picked = [row[columns] for row in tuple.__getitem__(self, rows)]
            return Matrix(picked) if isinstance(columns, slice) else Vector(picked)
        return tuple.__getitem__(self, rows)[columns]

    def entries(self) -> Iterator[Any]:
        """All entries, row by row."""
        for row in self:
            yield from row

    def map(self, function: Callable[[Any], Any]) -> Matrix:
        """The matrix with a function applied to every entry."""
        return Matrix([[function(entry) for entry in row] for row in self])

    def inv(self) -> Matrix:
        """The inverse, exactly; a matrix that is singular everywhere is refused."""
        from .inverse import inverse

        return inverse(self.map(as_expr))

    def det(self) -> Any:
        """The determinant, exactly."""
        from .inverse import determinant

        return determinant(self.map(as_expr))

    def __repr__(self) -> str:
        return _listed("Matrix", [f"[{', '.join(map(_short, row))}]" for row in self])

    def _repr_latex_(self) -> str | None:
        from .latex_display import cell_latex

        return cell_latex(self)


def skew(v: Any) -> Matrix:
    """The matrix v̂ with v̂ w = v × w."""
    x, y, z = v
    return Matrix([[0, -z, y], [z, 0, -x], [-y, x, 0]])
