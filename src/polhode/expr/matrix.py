"""Small vectors and matrices over any scalar: graph nodes to derive, floats to check."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Never, Self, TypeVar, overload

from ..errors import PolhodeError, ShapeError, shown
from .evaluation import evaluate
from .graph import substitute
from .node import Expr, as_expr

#: Makes a vector of entries of one kind, such as sums of entries of two vectors, without looking at them.
_tuple = tuple.__new__


class Entrywise:
    """Methods of vectors and matrices that expressions have too, entry by entry."""

    __slots__ = ()

    if TYPE_CHECKING:

        def map(self, function: Callable[[Any], Any]) -> Self: ...
        def entries(self) -> Iterator[Any]: ...

    def _all(self, operation: Callable[[list[Expr]], Sequence[Expr]]) -> Self:
        """The same shape, of an operation on the list of all entries, which share what they have in common."""
        results = iter(operation([as_expr(entry) for entry in self.entries()]))
        return self.map(lambda _: next(results))

    def diff(self, *symbols: Expr) -> Self:
        """The derivative of every entry with respect to one of the `symbols` after another."""
        from .differentiation import derivative

        result = self._all(list)
        for variable in symbols:
            result = result._all(lambda entries, by=variable: derivative(entries, by))  # type: ignore[misc]
        return result

    def subs(self, replacements: Mapping[Expr, Any]) -> Self:
        """Every entry with symbols replaced, all at once: `replacements` by symbol."""
        return self._all(lambda entries: substitute(entries, replacements))

    def simplify(self) -> Self:
        """Every entry in the normal form for reading; see `ph.normal`."""
        from .normal_form import normal

        return self._all(lambda entries: [normal(entry) for entry in entries])

    def evaluate(self, values: Mapping[Expr, float]) -> Any:
        """The entries as an array of floats, for given `values` of the symbols."""
        import numpy as np

        numbers = evaluate([as_expr(entry) for entry in self.entries()], values)
        return np.reshape(np.array(numbers, float), getattr(self, "shape", (len(numbers),)))


class Vector(Entrywise, tuple[Any, ...]):
    """A tuple of scalars with the arithmetic of a vector; next to an expression, a whole number is one too.

    >>> from polhode.expr import symbols, sin
    >>> r, q = symbols("r q")
    >>> v = Vector([r * sin(q), 1])
    >>> v.diff(q), v.jacobian([r, q]), v.subs({r: 2}), v.evaluate({r: 2.0, q: 0.0}).tolist()
    (Vector([r*cos(q), 0]), Matrix([[sin(q), r*cos(q)], [0, 0]]), Vector([2*sin(q), 1]), [0.0, 1.0])
    """

    __slots__ = ()

    def __new__(cls, entries: Iterable[Any] = ()) -> Vector:
        vector = _tuple(cls, entries)
        if int in map(type, vector) and Expr in map(type, vector):
            return _tuple(cls, [as_expr(entry) if type(entry) is int else entry for entry in vector])
        return vector

    __array_ufunc__ = None
    __hash__ = tuple.__hash__

    def __eq__(self, other: object) -> bool:
        return tuple.__eq__(self, _column(other))

    def __ne__(self, other: object) -> bool:
        return tuple.__ne__(self, _column(other))

    def __add__(self, other: Any) -> Vector:
        try:
            return _numeric(_tuple(Vector, [a + b for a, b in zip(self, other, strict=True)]))
        except (TypeError, ValueError):
            raise _unfit(self, other, "add {other} to {one}") from None

    def __sub__(self, other: Any) -> Vector:
        try:
            return _tuple(Vector, [a - b for a, b in zip(self, other, strict=True)])
        except (TypeError, ValueError):
            raise _unfit(self, other, "subtract {other} from {one}") from None

    def __neg__(self) -> Vector:
        return _tuple(Vector, [-a for a in self])

    def __mul__(self, other: Any) -> Vector:
        try:
            return _numeric(_tuple(Vector, [a * other for a in self]))
        except TypeError:
            raise _unfit(self, other, "multiply {one} by {other}") from None

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Vector:
        try:
            return _tuple(Vector, [a / other for a in self])
        except TypeError:
            raise _unfit(self, other, "divide {one} by {other}") from None

    def __getitem__(self, index: Any) -> Any:
        item = tuple.__getitem__(self, index)
        return _tuple(Vector, item) if isinstance(index, slice) else item

    def entries(self) -> Iterator[Any]:
        """All entries."""
        return iter(self)

    def map(self, function: Callable[[Any], Any]) -> Vector:
        """The vector with a function applied to every entry."""
        return Vector([function(entry) for entry in self])

    def jacobian(self, symbols: Sequence[Expr]) -> Matrix:
        """The matrix of the derivatives of the entries (rows) by the `symbols` (columns)."""
        from .differentiation import jacobian

        return jacobian([as_expr(entry) for entry in self], symbols)

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
            return _tuple(Vector, [a2 * b3 - a3 * b2, a3 * b1 - a1 * b3, a1 * b2 - a2 * b1])
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


def _numeric(entries: Entries) -> Entries:
    """The result of an operation; raise if it contains text."""
    if str in map(type, entries):
        raise TypeError
    return entries


def _unfit(one: Any, other: Any, refusal: str) -> ShapeError:
    """The error of two operands of different shapes."""
    form = "{} rows and {} columns".format(*one.shape) if isinstance(one, Matrix) else f"{len(one)} components"
    kind = f"a {type(one).__name__.lower()} of {form}"
    cure = "Both must hold numbers or expressions, and have the same shape or fit together."
    return ShapeError(f"cannot {refusal.format(one=kind, other=shown(other))}.", cure=cure, code="E-EXPR-SHAPE")


class Matrix(Entrywise, tuple[Vector, ...]):
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
            vectors = tuple(map(Vector, listed))
        except TypeError:
            cure = "Give rows of numbers, for example [[1, 0], [0, 1]]."
            raise ShapeError(f"{shown(rows)} is not a matrix.", cure=cure, code="E-EXPR-SHAPE") from None
        if any(len(row) != len(vectors[0]) for row in vectors):
            message = "the rows of a matrix must have one length."
            raise ShapeError(message, "Matrix", "Give rows of equal length.", "E-EXPR-SHAPE")
        return tuple.__new__(cls, vectors)

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

    def jacobian(self, symbols: Sequence[Expr]) -> Matrix:
        """The derivatives by the `symbols` of a matrix of one column or one row, as of a vector."""
        if 1 not in self.shape:
            message = "the Jacobian of a matrix of {} rows and {} columns is no matrix.".format(*self.shape)
            cure = "Take that of a row or column, M[0] or M.columns[0], or derivatives by one symbol, M.diff(x)."
            raise ShapeError(message, "jacobian", cure, "E-EXPR-SHAPE")
        return Vector(self.entries()).jacobian(symbols)

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
