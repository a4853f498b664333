"""Equations to derive by hand: two sides that are substituted, differentiated, solved and compared together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import PolhodeError, ShapeError
from .differentiation import jacobian
from .graph import free_symbols, substitute
from .inverse import inverse
from .latex_display import display_latex
from .latex_printer import latex
from .matrix import Matrix, Vector
from .node import SYMBOL, Expr, as_expr


@dataclass(frozen=True, eq=False, repr=False)
class Equation:
    """lhs = rhs: expressions, or vectors or matrices of one shape.

    >>> from polhode.expr import symbols
    >>> m, a, F, k, x = symbols("m a F k x")
    >>> newton = equation(m * a, F)
    >>> newton.subs({F: -k * x})
    m*a = -k*x
    >>> newton.subs({F: -k * x}).solve(a), newton.holds(), newton.subs({a: F / m}).holds()
    (-k*x/m, False, True)
    """

    lhs: Any
    rhs: Any

    def map(self, function: Callable[[Any], Any]) -> Equation:
        """The equation with a function applied to both sides, entry by entry."""
        return Equation(*(side.map(function) if _is_array(side) else function(side) for side in (self.lhs, self.rhs)))

    def subs(self, replacements: Mapping[Expr, Any]) -> Equation:
        """The equation with symbols replaced on both sides: `replacements` by symbol."""
        return Equation(self.lhs.subs(replacements), self.rhs.subs(replacements))

    def diff(self, *symbols: Expr) -> Equation:
        """The derivative of both sides with respect to one of the `symbols` after another."""
        return Equation(self.lhs.diff(*symbols), self.rhs.diff(*symbols))

    def simplify(self) -> Equation:
        """Both sides in the normal form for reading; see `ph.normal`."""
        from .normal_form import normal

        return self.map(normal)

    @property
    def residual(self) -> Any:
        """lhs - rhs."""
        return self.lhs - self.rhs

    def holds(self) -> bool:
        """Whether both sides are the same functions of their symbols, decided by fingerprint."""
        return not any(self._residuals)

    def solve(self, unknowns: Any) -> Any:
        """What a symbol is by the equation, or a vector for several `unknowns`; it must be linear in them.

        There are as many scalar equations as unknowns, and the matrix of their coefficients is not singular.
        """
        wanted = [unknowns] if isinstance(unknowns, Expr) else list(unknowns)
        for x in wanted:
            if type(x) is not Expr or x.op != SYMBOL:
                cure = "Give a symbol, as joint.u[0], or a list of symbols."
                raise PolhodeError(f"cannot solve for {x!r}: it is no symbol.", "solve", cure, "E-EXPR-TYPE")
        residuals = list(self._residuals)
        if len(wanted) != len(residuals):
            message = f"{len(residuals)} equations cannot be solved for {len(wanted)} unknowns."
            raise ShapeError(message, "solve", "Give as many symbols as there are equations.", "E-EXPR-SHAPE")
        A = jacobian(residuals, wanted)
        for x in set(wanted) & set(free_symbols(A.entries())):
            if any(entry.diff(x) for entry in A.entries()):
                cure = "Solve for what is linear in it, or find a root numerically."
                raise PolhodeError(f"the equation is not linear in {x!r}.", "solve", cure, "E-EXPR-UNSUPPORTED")
        rest = Vector(substitute(residuals, dict.fromkeys(wanted, 0)))
        solution = [-rest[0] / A[0, 0]] if len(wanted) == 1 and A[0, 0] else list(inverse(A) @ -rest)
        return solution[0] if isinstance(unknowns, Expr) else Vector(solution)

    def latex(self) -> str:
        """The equation in LaTeX."""
        return f"{latex(self.lhs)} = {latex(self.rhs)}"

    @property
    def _residuals(self) -> Iterator[Expr]:
        residual = self.residual
        return residual.entries() if _is_array(residual) else iter([residual])

    def __repr__(self) -> str:
        return f"{self.lhs!r} = {self.rhs!r}"

    def _repr_latex_(self) -> str | None:
        return display_latex([(latex(self.lhs), self.rhs)])


def _is_array(side: Any) -> bool:
    return isinstance(side, Vector | Matrix)


def _side(side: Any) -> Any:
    """A side as an expression, or as a vector or matrix of expressions."""
    if isinstance(side, Vector | Matrix):
        return side.map(as_expr)
    return Vector(side).map(as_expr) if isinstance(side, Iterable) and not isinstance(side, str) else as_expr(side)


def equation(lhs: Any, rhs: Any = 0) -> Equation:
    """The equation lhs = rhs of expressions, or of vectors or matrices of one shape; see `Equation`."""
    left, right = _side(lhs), _side(rhs)
    if _is_array(left) and right == 0:
        right = left.map(lambda _: as_expr(0))
    shapes = [getattr(side, "shape", (len(side),)) if _is_array(side) else () for side in (left, right)]
    if shapes[0] != shapes[1]:
        message = f"the sides of an equation have shapes {shapes[0]} and {shapes[1]}."
        raise ShapeError(message, "equation", "Give two sides of one shape.", "E-EXPR-SHAPE")
    return Equation(left, right)
