"""The expression graph: immutable, interned nodes, each with its fingerprint.

One node type serves all operations. The same expression is the same object, so sharing costs nothing and is never
lost; no constructor multiplies out, flattens, or rewrites through a shared node. What a constructor does:

* it folds exact numbers;
* it pulls signs outward, so that products are shared up to sign;
* it recognises by fingerprint that the result is zero, a known number or a known leaf (a symbol, or one function of
  something): cos²+sin² is 1 because its fingerprint is.

`==` asks whether two expressions are the same *function*; `is` asks whether they are the same *form*.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Real
from typing import Any, Final

from ..errors import PolhodeError
from .field import P, hash_to_field, inverse, rational, unit_sphere_point
from .numeral import numeral

ADD: Final = "add"
SUB: Final = "sub"
MUL: Final = "mul"
DIV: Final = "div"
NEG: Final = "neg"
NUMBER: Final = "number"
SYMBOL: Final = "symbol"
CALL: Final = "call"  # of an opaque function, which is the node's data


class Expr:
    """A node of the graph: an operation and its operands, or a number, or a symbol.

    >>> from polhode.expr import symbol, sin, cos
    >>> q = symbol("q")
    >>> sin(q) ** 2 + cos(q) ** 2
    1
    >>> (q + 1) ** 2 == q**2 + 2 * q + 1
    True
    """

    __slots__ = ("__weakref__", "args", "data", "fp", "op")

    op: str
    args: tuple[Expr, ...]
    data: Any
    fp: int

    __array_ufunc__ = None  # NumPy scalars hand over to the operators below

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("expressions are immutable")

    def __add__(self, other: object) -> Expr:
        return add(self, other) if type(other) is Expr else _apply(add, self, other)

    def __radd__(self, other: object) -> Expr:
        return _apply(add, self, other)

    def __sub__(self, other: object) -> Expr:
        return sub(self, other) if type(other) is Expr else _apply(sub, self, other)

    def __rsub__(self, other: object) -> Expr:
        return _apply(sub, self, other, swap=True)

    def __mul__(self, other: object) -> Expr:
        return mul(self, other) if type(other) is Expr else _apply(mul, self, other)

    def __rmul__(self, other: object) -> Expr:
        return _apply(mul, self, other)

    def __truediv__(self, other: object) -> Expr:
        return div(self, other) if type(other) is Expr else _apply(div, self, other)

    def __rtruediv__(self, other: object) -> Expr:
        return _apply(div, self, other, swap=True)

    def __neg__(self) -> Expr:
        return neg(self)

    def __pos__(self) -> Expr:
        return self

    def __pow__(self, exponent: object) -> Expr:
        from .functions import power

        return _apply(power, self, exponent)

    def __rpow__(self, base: object) -> Expr:
        from .functions import power

        return _apply(power, self, base, swap=True)

    def __eq__(self, other: object) -> bool:
        if type(other) is Expr:
            return self.fp == other.fp
        if isinstance(other, str):
            return NotImplemented
        try:
            return self.fp == as_expr(other).fp
        except PolhodeError:
            return NotImplemented

    def __hash__(self) -> int:
        return hash(self.fp)

    def __bool__(self) -> bool:
        """False for the zero function alone."""
        return self.fp != 0

    def __float__(self) -> float:
        from .evaluate import constant_value

        return float(constant_value(self))

    def __repr__(self) -> str:
        from .text import text

        return text(self)

    def _sympy_(self) -> Any:
        """Lets `sympy.sympify(expr)` work."""
        from .sympy_bridge import to_sympy

        return to_sympy(self)

    def _repr_latex_(self) -> str:
        from .latex import latex

        return f"${latex(self)}$"

    def __reduce__(self) -> Any:
        from .archive import dump, load

        return load, (dump([self]), 0)

    @property
    def name(self) -> str:
        """A symbol's name; empty for anything else."""
        return str(self.data[1]) if self.op == SYMBOL else ""

    @property
    def is_number(self) -> bool:
        return self.op == NUMBER

    def diff(self, *symbols: Expr) -> Expr:
        """The derivative with respect to one symbol after another."""
        from .derivative import derivative

        result = self
        for variable in symbols:
            (result,) = derivative([result], variable)
        return result

    def subs(self, replacements: dict[Expr, Any]) -> Expr:
        """The expression with symbols replaced."""
        from .graph import substitute

        (result,) = substitute([self], replacements)
        return result


class _Ref(weakref.ref[Expr]):
    """A weak reference that remembers where it is filed."""

    __slots__ = ("key",)
    key: Any


_table: dict[tuple[Any, ...], _Ref] = {}  # structure -> node
_leaves: dict[int, _Ref] = {}  # fingerprint -> number, symbol or function


def _forget(ref: _Ref) -> None:
    if _table.get(ref.key) is ref:
        del _table[ref.key]


def _forget_leaf(ref: _Ref) -> None:
    if _leaves.get(ref.key) is ref:
        del _leaves[ref.key]


_set_op, _set_args, _set_data, _set_fp = (vars(Expr)[slot].__set__ for slot in ("op", "args", "data", "fp"))
_new = object.__new__


def intern_node(key: tuple[Any, ...], op: str, args: tuple[Expr, ...], fp: int, data: Any = None) -> Expr:
    """The one node with this structure, made now if it is not there; nothing is simplified."""
    ref = _table.get(key)
    if ref is not None:
        found = ref()
        if found is not None:
            return found
    node = _new(Expr)
    _set_op(node, op)
    _set_args(node, args)
    _set_fp(node, fp)
    _set_data(node, data)
    ref = _Ref(node, _forget)
    ref.key = key
    _table[key] = ref
    return node


def intern_leaf(key: tuple[Any, ...], op: str, args: tuple[Expr, ...], fp: int, data: Any = None) -> Expr:
    """Intern a node that later results may be recognised as, by fingerprint alone."""
    known = leaf(fp)
    if known is not None and op not in (NUMBER, SYMBOL):
        return known
    node = intern_node(key, op, args, fp, data)
    if known is None or op == NUMBER:
        ref = _Ref(node, _forget_leaf)
        ref.key = fp
        _leaves[fp] = ref
    return node


def leaf(fp: int) -> Expr | None:
    """The number, symbol or function that has this fingerprint, if one is alive."""
    ref = _leaves.get(fp)
    return ref() if ref is not None else None


def number(value: Fraction | int) -> Expr:
    """The node of an exact rational number."""
    value = Fraction(value)
    key = (NUMBER, value.numerator, value.denominator)
    ref = _table.get(key)
    found = ref() if ref is not None else None
    return found if found is not None else intern_leaf(key, NUMBER, (), rational(value), value)


ZERO: Final = number(0)
ONE: Final = number(1)
_TWO: Final = number(2)
_SMALL: Final = {value: number(value) for value in range(-8, 9)}


def as_expr(value: object) -> Expr:
    """Any number or expression as a node; a float is the decimal that it prints as, a text the number that it spells.

    >>> as_expr(0.1) * 10, as_expr("1/3") * 3
    (1, 1)
    """
    if type(value) is Expr:
        return value
    if type(value) is int:
        return _SMALL.get(value) or number(value)
    if isinstance(value, Fraction):
        return number(value)
    spelled = numeral(value) if isinstance(value, str) else None
    if spelled is not None:
        return number(spelled)
    if isinstance(value, bool) or not isinstance(value, Real | Decimal):
        raise PolhodeError(
            f"{value!r} is not a number or an expression.",
            cure='Use int, float, Fraction, Decimal, a text such as "0.1" or "1/3", or symbols made by polhode.',
            code="E-EXPR-001",
        )
    if isinstance(value, Integral):
        return number(int(value))
    try:
        return number(Fraction(str(value)))
    except (ValueError, OverflowError):
        raise PolhodeError(
            f"{value!r} is not a finite number.", cure="Give a finite number.", code="E-EXPR-002"
        ) from None


def _apply(operation: Any, self: Expr, other: object, swap: bool = False) -> Expr:
    if isinstance(other, str):
        return NotImplemented  # type: ignore[no-any-return]  # a text is a number where one is given, not in a sum
    try:
        operand = as_expr(other)
    except PolhodeError:
        if isinstance(other, Real | Decimal):
            raise
        return NotImplemented  # type: ignore[no-any-return]  # Python then tries the other operand
    result: Expr = operation(operand, self) if swap else operation(self, operand)
    return result


def symbol(name: str, kind: str = "symbol") -> Expr:
    """The symbol with this name; symbols of different kinds never clash, whatever their names."""
    return intern_leaf((SYMBOL, kind, name), SYMBOL, (), hash_to_field("symbol", kind, name), (kind, name))


def symbols(names: str | Iterable[str], kind: str = "symbol") -> tuple[Expr, ...]:
    """Several symbols at once: `m, g = symbols("m g")`."""
    parts = names.replace(",", " ").split() if isinstance(names, str) else names
    return tuple(symbol(name, kind) for name in parts)


def unit_symbols(names: Iterable[str], kind: str = "symbol") -> tuple[Expr, ...]:
    """Symbols whose squares sum to one, as the components of a unit quaternion do.

    >>> a, b, c, d = unit_symbols(["a", "b", "c", "d"])
    >>> a**2 + b**2 + c**2 + d**2
    1
    """
    names = tuple(names)
    point = unit_sphere_point(kind, *names, dimension=len(names))
    return tuple(
        intern_leaf((SYMBOL, kind, name, names), SYMBOL, (), fp, (kind, name, names))
        for name, fp in zip(names, point, strict=True)
    )


def add(a: Expr, b: Expr) -> Expr:
    """a + b."""
    fp = a.fp + b.fp
    if fp >= P:
        fp -= P
    ref = _leaves.get(fp)
    if ref is not None and (known := ref()) is not None:
        return known
    if not a.fp:
        return b
    if not b.fp:
        return a
    if b.op == NEG:
        return neg(add(a.args[0], b.args[0])) if a.op == NEG else sub(a, b.args[0])
    if a.op == NEG:
        return sub(b, a.args[0])
    if a.op == NUMBER and b.op == NUMBER:
        return number(a.data + b.data)
    if a is b:
        return mul(_TWO, a)
    if a.fp > b.fp:
        a, b = b, a
    return intern_node((ADD, id(a), id(b)), ADD, (a, b), fp)


def sub(a: Expr, b: Expr) -> Expr:
    """a - b."""
    fp = a.fp - b.fp
    if fp < 0:
        fp += P
    ref = _leaves.get(fp)
    if ref is not None and (known := ref()) is not None:
        return known
    if not b.fp:
        return a
    if not a.fp:
        return neg(b)
    if b.op == NEG:
        return sub(b.args[0], a.args[0]) if a.op == NEG else add(a, b.args[0])
    if a.op == NEG:
        return neg(add(a.args[0], b))
    if b.op == NUMBER:
        if a.op == NUMBER:
            return number(a.data - b.data)
        if b.data < 0:
            return add(a, number(-b.data))
    return intern_node((SUB, id(a), id(b)), SUB, (a, b), fp)


def mul(a: Expr, b: Expr) -> Expr:
    """a · b."""
    fp = a.fp * b.fp % P
    ref = _leaves.get(fp)
    if ref is not None and (known := ref()) is not None:
        return known
    if b.op == NUMBER:
        a, b = b, a
    if a.op == NUMBER:
        if b.op == NUMBER:
            return number(a.data * b.data)
        if a is ONE:
            return b
        if a.data < 0:
            return neg(mul(number(-a.data), b))
        if b.op == NEG:
            return neg(mul(a, b.args[0]))
        return intern_node((MUL, id(a), id(b)), MUL, (a, b), fp)
    if a.op == NEG:
        return mul(a.args[0], b.args[0]) if b.op == NEG else neg(mul(a.args[0], b))
    if b.op == NEG:
        return neg(mul(a, b.args[0]))
    if a is b and a.op == "sqrt":
        return a.args[0]
    if a.fp > b.fp:
        a, b = b, a
    return intern_node((MUL, id(a), id(b)), MUL, (a, b), fp)


def div(a: Expr, b: Expr) -> Expr:
    """a / b; dividing by the zero function is an error."""
    if not b.fp:
        raise PolhodeError(
            "division by an expression that is identically zero.",
            cure="Check the masses, lengths and axes that make the denominator.",
            code="E-EXPR-003",
        )
    if b.op == NUMBER:
        return mul(number(1 / b.data), a)
    fp = a.fp * inverse(b.fp) % P
    known = leaf(fp)
    if known is not None:
        return known
    if a.op == NEG:
        return div(a.args[0], b.args[0]) if b.op == NEG else neg(div(a.args[0], b))
    if b.op == NEG:
        return neg(div(a, b.args[0]))
    if a.op == NUMBER and a.data < 0:
        return neg(div(number(-a.data), b))
    return intern_node((DIV, id(a), id(b)), DIV, (a, b), fp)


def neg(a: Expr) -> Expr:
    """-a."""
    if a.op == NEG:
        return a.args[0]
    if a.op == NUMBER:
        return number(-a.data)
    fp = P - a.fp
    known = leaf(fp)
    if known is not None:
        return known
    return intern_node((NEG, id(a)), NEG, (a,), fp)


def live_nodes() -> int:
    """How many nodes are alive; it falls when expressions are dropped."""
    return len(_table)
