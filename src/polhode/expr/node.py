"""The expression graph: immutable, interned nodes, each with its fingerprint.

One node type serves all operations. The same expression is the same object, so sharing costs nothing and is never
lost; no constructor multiplies out, flattens, or rewrites through a shared node. What a constructor does:

* it folds exact numbers;
* it pulls signs outward, so that products are shared up to sign;
* it recognises by fingerprint that the result is zero or another small number, a symbol, or a number or function that
  is found in the operands: cos²+sin² is 1 because its fingerprint is.

What it gives depends on its operands alone, not on what else is alive: the same model gives the same graph, whatever
was derived before. `==` decides whether two expressions are the same *function*, `is` whether they are the same *form*.
"""

from __future__ import annotations

import operator
import weakref
from collections.abc import Callable, Iterable
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from numbers import Real
from typing import Any, Final

from ..errors import PolhodeError, shown, understood
from .field import P, hash_to_field, inverse, rational, unit_sphere_point
from .rational import exact, looks_like

#: NumPy's names of the functions that expressions have under another one.
_RENAMED = {
    "absolute": "abs", "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arctan2": "atan2", "maximum": "max",
    "minimum": "min",
}  # fmt: skip
_OPERATORS: dict[str, Callable[..., Any]] = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "divide": operator.truediv,
    "power": operator.pow, "float_power": operator.pow, "negative": operator.neg, "positive": operator.pos,
    "square": lambda x: x * x, "equal": operator.eq, "not_equal": operator.ne, "less": operator.lt,
    "less_equal": operator.le, "greater": operator.gt, "greater_equal": operator.ge,
}  # fmt: skip


class NotOfExpressions(PolhodeError, TypeError):
    """A number's operation on an expression; a TypeError."""


class NumberLike:
    """Methods that `Expr` shares with numbers besides arithmetic."""

    __slots__ = ()

    def __abs__(self) -> Expr:
        from .functions import absolute

        result: Expr = absolute(self)
        return result

    def __lt__(self, other: object) -> bool:
        return _compared(self, "<", operator.lt, other)

    def __le__(self, other: object) -> bool:
        return _compared(self, "<=", operator.le, other)

    def __gt__(self, other: object) -> bool:
        return _compared(self, ">", operator.gt, other)

    def __ge__(self, other: object) -> bool:
        return _compared(self, ">=", operator.ge, other)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        """Our counterpart of a NumPy function, applied to expressions and numbers; arrays are refused."""
        from .functions import BY_NAME

        name: str = ufunc.__name__
        try:
            if method != "__call__" or options or any(getattr(x, "ndim", 0) for x in inputs):
                raise PolhodeError
            values = [as_expr(x[()] if hasattr(x, "ndim") else x) for x in inputs]
        except PolhodeError:
            # what is no number is equal to no expression; NumPy refuses other comparisons
            return {"equal": False, "not_equal": True}.get(name, NotImplemented)
        function = _OPERATORS.get(name) or BY_NAME.get(_RENAMED.get(name, name))
        if function is None:
            names = ", ".join(sorted({*BY_NAME} - {"abs", "min", "max"}))
            raise NotOfExpressions(
                f"numpy.{name} takes numbers, no expressions.",
                cure=f"Expressions have ph.absolute, ph.minimum, ph.maximum and {names}.",
                code="E-EXPR-TYPE",
            )
        return function(*values)


def _compared(left: Any, sign: str, compare: Callable[[Any, Any], bool], other: object) -> bool:
    """Compare two numbers; raise for other expressions."""

    unable: bool = NotImplemented  # Python then tries the other operand
    if isinstance(other, str):
        return unable
    try:
        right = as_expr(other)
    except PolhodeError:
        return unable
    if left.is_number and right.is_number:
        return compare(left.data, right.data)
    raise NotOfExpressions(
        f"{left} {sign} {right} is decided when numbers are known, not while a model is made.",
        cure="Write ph.where(g, a, b) for a where g > 0, else b; or ph.maximum, ph.minimum, ph.absolute or ph.sign.",
        code="E-EXPR-UNSUPPORTED",
    )


ADD: Final = "add"
SUB: Final = "sub"
MUL: Final = "mul"
DIV: Final = "div"
NEG: Final = "neg"
NUMBER: Final = "number"
SYMBOL: Final = "symbol"
CALL: Final = "call"  # of an opaque function, which is the node's data


class Expr(NumberLike):
    """A node of the graph: an operation and its operands, or a number, or a symbol.

    >>> from polhode.expr import symbol, sin, cos
    >>> q = symbol("q")
    >>> sin(q) ** 2 + cos(q) ** 2
    1
    >>> (q**2).diff(q), (q**2).subs({q: 3}), q.name, q.is_number
    (2*q, 9, 'q', False)
    >>> (q + 1) ** 2 == q**2 + 2 * q + 1
    True
    """

    __slots__ = ("__weakref__", "args", "data", "fp", "op")

    op: str
    args: tuple[Expr, ...]
    data: Any
    fp: int

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
        if isinstance(other, str):
            return NotImplemented
        if type(other) is not Expr:
            try:
                other = as_expr(other)
            except PolhodeError:
                return NotImplemented
        if self.op == NUMBER and other.op == NUMBER:
            return bool(self.data == other.data)
        return self.fp == other.fp

    def __hash__(self) -> int:
        return hash(self.fp)

    def __bool__(self) -> bool:
        """False for the zero function alone."""
        return self.fp != 0

    def __float__(self) -> float:
        if self.op == NUMBER:
            with suppress(OverflowError):
                return float(self.data.numerator / self.data.denominator)
        from .evaluation import real_value

        return real_value(self)

    def __repr__(self) -> str:
        from .text_printer import text

        return text(self)

    def _short(self, longest: int) -> str:
        """Text of at most so many letters, or the number of operations."""
        from .text_printer import counted, text

        line = text(self)
        return line if len(line) <= longest else counted(self)

    def _sympy_(self) -> Any:
        """Lets `sympy.sympify(expr)` work."""
        from .sympy_bridge import to_sympy

        return to_sympy(self)

    def _repr_latex_(self) -> str | None:
        from .latex_display import cell_latex

        return cell_latex(self)

    def __reduce__(self) -> Any:
        from .archive import dump, load

        return load, (dump([self]), 0)

    @property
    def name(self) -> str:
        """A symbol's name; empty for anything else."""
        return str(self.data[1]) if self.op == SYMBOL else ""

    @property
    def is_number(self) -> bool:
        """Whether it is an exact number."""
        return self.op == NUMBER

    def diff(self, *symbols: Expr) -> Expr:
        """The derivative with respect to one of the `symbols` after another."""
        from .differentiation import derivative

        result = self
        for variable in symbols:
            (result,) = derivative([result], variable)
        return result

    def subs(self, replacements: dict[Expr, Any]) -> Expr:
        """The expression with symbols replaced: `replacements` by symbol."""
        from .graph import substitute

        (result,) = substitute([self], replacements)
        return result


class _Ref(weakref.ref[Expr]):
    """A weak reference with its key in the table of nodes."""

    __slots__ = ("first", "key")
    key: Any
    first: Expr | None


_table: dict[tuple[Any, ...], _Ref] = {}  # structure -> node
_leaves: dict[int, _Ref] = {}  # fingerprint -> the first number, symbol or function that has it
_constants: dict[int, Expr] = {}  # fingerprint -> small number or π, alive for ever
_in_roles: set[int] = set()  # fingerprints of symbols that differ in their roles alone


def _forget(ref: _Ref, table: dict[tuple[Any, ...], _Ref] = _table) -> None:  # also while the interpreter ends
    if table.get(ref.key) is ref:
        del table[ref.key]


def _forget_leaf(ref: _Ref, table: dict[int, _Ref] = _leaves) -> None:
    if table.get(ref.key) is ref:
        del table[ref.key]


_set_op, _set_args, _set_data, _set_fp = (vars(Expr)[slot].__set__ for slot in ("op", "args", "data", "fp"))
_new = object.__new__


def intern_node(key: tuple[Any, ...], op: str, args: tuple[Expr, ...], fp: int, data: Any = None) -> Expr:
    """The unique node with this structure, without simplification."""
    ref = _table.get(key)
    if ref is not None:
        existing = ref()
        if existing is not None:
            return existing
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
    """Intern a number, symbol or function: later results that have it among their operands are recognised as it."""
    node = intern_node(key, op, args, fp, data)
    stored = _leaves.get(fp)
    first = stored() if stored is not None else None
    if first is None:
        ref = _Ref(node, _forget_leaf)
        ref.key = fp
        _leaves[fp] = ref
    elif first is not node:  # keeps the first alive, so that a fingerprint is known as long as any leaf has it
        _table[key].first = first
        if op == SYMBOL:
            _in_roles.add(fp)
    return node


#: A number or function is looked for in so many nodes below the operands; it is rarely further than the third.
_NEAR: Final = 256
_ARITHMETIC: Final = frozenset((ADD, SUB, MUL, DIV, NEG))


def _recognised(ref: _Ref, a: Expr, b: Expr) -> Expr | None:
    """The leaf that an operation on a and b equals, if any; `ref` is one with its fingerprint."""
    leaf = ref()
    if leaf is None or (a.op == NUMBER and b.op == NUMBER):  # numbers are folded exactly
        return None
    fp = leaf.fp
    if leaf.op == SYMBOL or fp in _constants:
        return _as_written(leaf, a, b) if fp in _in_roles else leaf
    near = [a, b]
    for node in near:
        if node.fp == fp and node.op not in _ARITHMETIC:
            return node
        if len(near) < _NEAR:
            near += node.args
    return None


def _as_written(leaf: Expr, *operands: Expr) -> Expr:
    """Of symbols that differ in their roles alone, the one that the operands hold."""
    stack, seen = [*operands], set[int]()
    while stack:
        node = stack.pop()
        if node.op == SYMBOL and node.fp == leaf.fp:
            return node
        stack += [arg for arg in node.args if id(arg) not in seen]
        seen.update(map(id, node.args))
    return leaf


def number(value: Fraction | int) -> Expr:
    """The node of an exact rational number."""
    value = Fraction(value)
    key = (NUMBER, value.numerator, value.denominator)
    ref = _table.get(key)
    if ref is not None and (node := ref()) is not None:
        return node
    fp = rational(value) if value.denominator % P else 0
    if fp in _constants:
        raise looks_like(value, _constants[fp])
    return intern_leaf(key, NUMBER, (), fp, value)


def lasting(node: Expr) -> Expr:
    """The constant, never forgotten and recognised wherever it is the result."""
    _constants[node.fp] = node
    return node


_SMALL: Final = {value: lasting(number(value)) for value in range(-8, 9)}
ZERO: Final = _SMALL[0]
ONE: Final = _SMALL[1]


def as_expr(value: object) -> Expr:
    """Any number or expression as a node; a float is the decimal that it prints as, a text the number it spells."""
    if type(value) is Expr:
        return value
    if type(value) is int:
        small = _SMALL.get(value)
        return small if small is not None else number(exact(value))
    return number(exact(value))


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


def add(a: Expr, b: Expr) -> Expr:
    """a + b."""
    if not a.fp:
        return b
    if not b.fp:
        return a
    fp = a.fp + b.fp
    if fp >= P:
        fp -= P
    ref = _leaves.get(fp)
    if ref is not None and (leaf := _recognised(ref, a, b)) is not None:
        return leaf
    if b.op == NEG:
        return neg(add(a.args[0], b.args[0])) if a.op == NEG else sub(a, b.args[0])
    if a.op == NEG:
        return sub(b, a.args[0])
    if a.op == NUMBER and b.op == NUMBER:
        return number(a.data + b.data)
    if a is b:
        return mul(_SMALL[2], a)
    if a.fp > b.fp:
        a, b = b, a
    return intern_node((ADD, id(a), id(b)), ADD, (a, b), fp)


def sub(a: Expr, b: Expr) -> Expr:
    """a - b."""
    if not b.fp:
        return a
    if not a.fp:
        return neg(b)
    fp = a.fp - b.fp
    if fp < 0:
        fp += P
    ref = _leaves.get(fp)
    if ref is not None and (leaf := _recognised(ref, a, b)) is not None:
        return leaf
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
    if a is ONE:
        return b
    if b is ONE:
        return a
    fp = a.fp * b.fp % P
    if not fp:
        return ZERO
    ref = _leaves.get(fp)
    if ref is not None and (leaf := _recognised(ref, a, b)) is not None:
        return leaf
    if b.op == NUMBER:
        a, b = b, a
    if a.op == NUMBER:
        if b.op == NUMBER:
            return number(a.data * b.data)
        if a.data < 0:
            return neg(mul(number(-a.data), b))
        if b.op == NEG:
            return neg(mul(a, b.args[0]))
        return intern_node((MUL, id(a), id(b)), MUL, (a, b), fp)
    if a.op == NEG:
        return mul(a.args[0], b.args[0]) if b.op == NEG else neg(mul(a.args[0], b))
    if b.op == NEG:
        return neg(mul(a, b.args[0]))
    if a.op == "sqrt" and b.op == "sqrt" and a.fp == b.fp:
        return a.args[0]
    if a.fp > b.fp:
        a, b = b, a
    return intern_node((MUL, id(a), id(b)), MUL, (a, b), fp)


def div(a: Expr, b: Expr) -> Expr:
    """a / b; dividing by the zero function is an error."""
    if not b.fp:
        cure = "Check the masses, lengths and axes that make the denominator."
        raise PolhodeError("division by an expression that is identically zero.", cure=cure, code="E-EXPR-ZERO")
    if b.op == NUMBER:
        return mul(number(1 / b.data), a)
    fp = a.fp * inverse(b.fp) % P
    ref = _leaves.get(fp)
    if ref is not None and (leaf := _recognised(ref, a, b)) is not None:
        return leaf
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
    ref = _leaves.get(fp)
    if ref is not None and (leaf := _recognised(ref, a, a)) is not None:
        return leaf
    return intern_node((NEG, id(a)), NEG, (a,), fp)


def live_nodes() -> int:
    """How many nodes are alive; it falls when expressions are dropped."""
    return len(_table)


def symbol(name: str, kind: str = "symbol", role: str = "") -> Expr:
    """The symbol with this name and `kind`; symbols of different kinds never clash, whatever their names.

    A role is no part of what a symbol is, only of how it is written; see `polhode.expr.spelling`.
    """
    wrong = [text for text in (name, kind, role) if not isinstance(text, str)]
    if wrong:
        cure = 'Write for example symbol("m").'
        raise PolhodeError(f"a symbol is named by a text, not by {shown(wrong[0])}.", cure=cure, code="E-EXPR-TYPE")
    data = (kind, name, role) if role else (kind, name)
    return intern_leaf((SYMBOL, *data), SYMBOL, (), hash_to_field("symbol", kind, name), data)


def symbols(names: str | Iterable[str], kind: str = "symbol") -> tuple[Expr, ...]:
    """Several symbols of a `kind` at once, by `names`: `m, g = symbols("m g")`.

    >>> m, g = symbols("m g")
    >>> m * g + g * m
    2*m*g
    """
    parts = names.replace(",", " ").split() if isinstance(names, str) else names
    with understood("a list of names", names, cure='Write for example symbols("m g").'):
        return tuple(symbol(name, kind) for name in parts)


def unit_symbols(names: Iterable[str], kind: str = "symbol") -> tuple[Expr, ...]:
    """Symbols with these `names`, of a `kind`, whose squares sum to one, as the components of a unit quaternion do.

    >>> a, b, c, d = unit_symbols(["a", "b", "c", "d"])
    >>> a**2 + b**2 + c**2 + d**2
    1
    """
    with understood("a list of names", names, cure='Write for example unit_symbols(["a", "b", "c", "d"]).'):
        names = tuple(symbol(name, kind).name for name in names)
        if not names:
            raise ValueError
    point = unit_sphere_point(kind, *names, dimension=len(names))
    return tuple(
        intern_leaf((SYMBOL, kind, name, names), SYMBOL, (), fp, (kind, name, names))
        for name, fp in zip(names, point, strict=True)
    )
