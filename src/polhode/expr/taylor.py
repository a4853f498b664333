"""Taylor polynomials on the graph: the part of expressions that small symbols leave to first order.

    T f = f(0) + Σ ∂f/∂s(0) s

Every node is carried as a pair, its value where the small symbols vanish and its first-order part, and products of two
first-order parts are dropped node by node: (a + a₁)(b + b₁) is (a b) + (a b₁ + a₁ b). One pass over the graph, in which
nothing is expanded. As a polynomial is one function however it is written, the result has the fingerprint that any
other way to it has.

A function that bends or jumps where its operand vanishes, such as |s| or a table at a knot, has no such polynomial. In
c |s| s it does no harm, so it is carried as a mark, and refused where the mark reaches a result.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..errors import PolhodeError
from .differentiation import directional, forward
from .graph import free_symbols, rebuild, substitute, topological
from .node import CALL, ONE, ZERO, Expr, add, mul, number, symbol
from .opaque.table import Table

#: What is raised where something is divided by what vanishes.
_DIVISION = "E-EXPR-ZERO"
#: How much of an expression a message shows.
_SHOWN = 60


@dataclass(frozen=True)
class FirstOrder:
    """Expressions to first order: values at zero of small symbols, and linear terms in these."""

    values: list[Expr]
    slopes: list[Expr]

    @property
    def sums(self) -> list[Expr]:
        """The polynomials."""
        return [add(value, slope) for value, slope in zip(self.values, self.slopes, strict=True)]


def first_order(roots: Iterable[Expr], small: Iterable[Expr]) -> FirstOrder:
    """The Taylor polynomials of the roots to first order in small symbols."""
    roots = list(roots)
    value: dict[int, Expr] = {}
    slope: dict[int, Expr] = {}
    for x in small:
        value[id(x)], slope[id(x)] = ZERO, x
    marks: dict[Expr, Expr] = {}
    for node in topological(roots):
        if not node.args or not any(id(arg) in value for arg in node.args):
            continue
        args = [value.get(id(arg), arg) for arg in node.args]
        moving = [slope.get(id(arg)) for arg in node.args]
        constant, rate = _carried(node, args, moving, marks)
        value[id(node)] = constant
        if rate.fp:
            slope[id(node)] = rate
    expansion = FirstOrder([value.get(id(root), root) for root in roots], [slope.get(id(root), ZERO) for root in roots])
    left = [marks[met] for met in free_symbols([*expansion.values, *expansion.slopes]) if met in marks] if marks else []
    if left:
        raise _bend(left[0])
    return expansion


def _carried(
    node: Expr, args: Sequence[Expr], moving: Sequence[Expr | None], marks: dict[Expr, Expr]
) -> tuple[Expr, Expr]:
    """The value of a node at zero, and its first-order part."""
    op = node.op
    vanishes = not args[0].fp
    if op == "div" and not args[1].fp:
        raise _division(node)
    if vanishes and (op in ("log", "pow") or (op == "atan2" and not args[1].fp)):
        raise _bend(node)
    if op in ("asin", "acos") and args[0] * args[0] == ONE:
        raise _bend(node)
    if vanishes and op == "sqrt" and moving[0] is not None:  # of order one half
        raise _bend(node)
    if vanishes and op in ("abs", "sqrt"):
        return ZERO, _mark(node, marks)
    if vanishes and op == "sign":
        return _mark(node, marks), ZERO
    if op == "floor" and args[0].is_number and args[0].data.denominator == 1 and moving[0] is not None:
        return _mark(node, marks), ZERO
    if op in ("min", "max") and args[0] == args[1]:
        return args[0], _mark(node, marks)
    jumps, bends = _breaks(node, args, moving) if op == CALL else (False, False)
    if jumps:
        return _mark(node, marks), ZERO
    if bends:
        return rebuild(node, args), _mark(node, marks)
    try:
        result = rebuild(node, args)
        return result, ZERO if all(rate is None for rate in moving) else forward(node, result, args, moving)
    except PolhodeError as error:
        if error.problems[0].code != _DIVISION:
            raise
        raise _bend(node) from None


def _breaks(node: Expr, args: Sequence[Expr], moving: Sequence[Expr | None]) -> tuple[bool, bool]:
    """Whether a table jumps, or has a corner along small symbols, where these vanish."""
    jumps = bends = False
    for k, (before, at, rate) in enumerate(zip(node.args, args, moving, strict=True)):
        if isinstance(node.data, Table) and at is not before and at.is_number:
            jumping, bending, *_ = node.data.pieces.breaks(k, to_nan=True)
            jumps = jumps or float(at.data) in jumping
            bends = bends or (float(at.data) in bending and rate is not None)
    return jumps, bends


def _mark(node: Expr, marks: dict[Expr, Expr]) -> Expr:
    mark = symbol(f"bend {len(marks)}", "mark")
    marks[mark] = node
    return mark


def _division(node: Expr) -> PolhodeError:
    return PolhodeError(
        f"{_quoted(node)} divides by {_quoted(node.args[1])}, which vanishes with the small variables.",
        cure="Leave what makes it vanish out of the small variables, or write it without that denominator.",
        code="E-DERIVE-SINGULAR",
    )


def _bend(node: Expr) -> PolhodeError:
    smooth = 'a table of kind="cubic"' if node.op == CALL else "sqrt(x**2 + e**2) in place of abs(x)"
    return PolhodeError(
        f"{_quoted(node)} has no slope where the small variables vanish: it bends or jumps there.",
        cure=f"Leave what it depends on out of the small variables, or smooth it: {smooth}.",
        code="E-DERIVE-SINGULAR",
    )


def _quoted(node: Expr) -> str:
    """An expression as quoted in a message."""
    text = " ".join(str(node).split())
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def second_order(roots: Iterable[Expr], small: Sequence[Expr]) -> list[Expr]:
    """The part of each root that is of second order in small symbols: ½ Σ ∂²f/∂s∂r(0) s r."""
    steps = [symbol(f"step {k}", "mark") for k in range(len(small))]
    along = dict(zip(small, steps, strict=True))
    twice = directional(directional(roots, along), along)
    still = substitute(twice, dict.fromkeys(small, ZERO))
    return [mul(number(1) / 2, term) for term in substitute(still, dict(zip(steps, small, strict=True)))]


def products_of(quadratic: Iterable[Expr], small: Sequence[Expr]) -> list[list[tuple[Expr, Expr]]]:
    """For each quadratic form, the pairs of small symbols whose product is in it, decided by fingerprint."""
    forms = list(quadratic)
    products: list[list[tuple[Expr, Expr]]] = [[] for _ in forms]
    for k, one in enumerate(small):
        slopes = directional(forms, {one: ONE})
        if not any(slopes):
            continue
        for other in small[k:]:
            for pairs, coefficient in zip(products, directional(slopes, {other: ONE}), strict=True):
                if coefficient.fp:
                    pairs.append((one, other))
    return products
