"""To SymPy and back, exactly and without text.

A symbol becomes ``sympy.Symbol(identifier)``, without assumptions, as `polhode.expr.spelling` spells it: x, x_dot,
tau_x, x_ddot, m. So SymPy finds it by its name, ``subs({"m": 2})``; the way back needs the
meanings of the names: ``from_sympy(there, equations.symbols)``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any
from weakref import WeakValueDictionary

from ..errors import LimitError, PolhodeError, by_name, fault_at, understood
from . import functions
from .calls import call
from .graph import free_symbols, topological
from .matrix import Matrix, Vector
from .node import CALL, NUMBER, ONE, SYMBOL, ZERO, Expr, add, as_expr, div, mul, number, sub, symbol
from .opaque.function import Opaque
from .spelling import described, identifier

fault = fault_at("from_sympy")

#: The SymPy functions that stand for opaque ones, by digest.
_OPAQUE: WeakValueDictionary[str, Any] = WeakValueDictionary()


def to_sympy(value: Any) -> Any:
    """A `value`, an expression or number, a vector (as a column) or a matrix, as SymPy.

    >>> from polhode.expr import symbols, sin
    >>> a, q = symbols("a q")
    >>> to_sympy(a * sin(2 * q) / 3)
    a*sin(2*q)/3
    """
    import sympy

    if isinstance(value, Matrix):
        rows, columns = value.shape
        return sympy.Matrix(rows, columns, _converted([as_expr(entry) for entry in value.entries()]))
    if isinstance(value, Vector):
        return sympy.Matrix(len(value), 1, _converted([as_expr(entry) for entry in value]))
    return _converted([as_expr(value)])[0]


def _converted(roots: Sequence[Expr]) -> list[Any]:
    import sympy

    table = _to_sympy_table(sympy)
    names = _identifiers(roots)
    converted: dict[int, Any] = {}
    try:
        for node in topological(roots):
            if node.op == NUMBER:
                converted[id(node)] = sympy.Rational(node.data.numerator, node.data.denominator)
            elif node.op == SYMBOL:
                converted[id(node)] = sympy.Symbol(names[id(node)])
            elif node.op == CALL:
                converted[id(node)] = opaque_class(node.data)(*(converted[id(arg)] for arg in node.args))
            else:
                converted[id(node)] = table[node.op](*(converted[id(arg)] for arg in node.args))
    except (ValueError, TypeError) as error:  # such as the larger of two numbers one of which is not real
        cure = "Export a part of it."
        raise PolhodeError(f"SymPy cannot hold the expression: {error}", cure=cure, code="E-EXPR-UNSUPPORTED") from None
    except RecursionError:
        cure = "Export a smaller part of it."
        raise LimitError("the expression is nested too deeply for SymPy.", cure=cure, code="E-EXPR-SIZE") from None
    return [converted[id(root)] for root in roots]


def _identifiers(roots: Sequence[Expr]) -> dict[int, str]:
    """The names of all symbols below the roots; two symbols of one name would become one."""
    symbols: dict[str, Expr] = {}
    for node in free_symbols(roots):
        other = symbols.setdefault(identifier(node), node)
        if other is not node:
            message = f"the {described(other)} and the {described(node)} would both be {identifier(node)} in SymPy."
            raise PolhodeError(message, "to_sympy", "Give one of them another name.", "E-EXPR-TWICE")
    return {id(node): name for name, node in symbols.items()}


#: A number to a larger power than this would fill the memory: SymPy writes it out.
_LARGEST_POWER = 10_000


def _to_sympy_table(sympy: Any) -> dict[str, Callable[..., Any]]:
    def power(a: Any, b: Any) -> Any:
        if a.is_Rational and b.is_Rational and a not in (-1, 0, 1) and abs(b) > _LARGEST_POWER:
            raise ValueError(f"it would write out {a} to the power of {float(b):g}.")
        return sympy.Pow(a, b)

    def piecewise(side: Any, a: Any, b: Any) -> Any:
        return sympy.Piecewise((a, (side.args[0] if isinstance(side, sympy.sign) else side) > 0), (b, True))

    return {
        "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "neg": lambda a: -a,
        "div": lambda a, b: a / b, "pow": power, "pi": lambda: sympy.pi, "sqrt": sympy.sqrt,
        "sin": sympy.sin, "cos": sympy.cos, "exp": sympy.exp, "log": sympy.log, "asin": sympy.asin,
        "acos": sympy.acos, "atan": sympy.atan, "atan2": sympy.atan2, "sinh": sympy.sinh, "cosh": sympy.cosh,
        "tanh": sympy.tanh, "abs": sympy.Abs, "sign": sympy.sign, "min": sympy.Min, "max": sympy.Max,
        "floor": sympy.floor, "where": piecewise,
    }  # fmt: skip


def from_sympy(value: Any, symbols: Mapping[str, Expr] | None = None) -> Any:
    """A `value` of SymPy, an expression or matrix, as ours; text is refused.

    `symbols` maps names to our symbols, as `equations.symbols` does; a SymPy symbol that is not in it becomes the
    symbol of its name. A function of time q(t) is looked up as ``q(t)`` or ``q``, its derivatives as ``q'``, ``q''``,
    …, and must be there. A float is the decimal that it prints as.
    """
    import sympy

    if isinstance(value, Expr):
        return value
    if isinstance(value, sympy.MatrixBase):
        rows, columns = value.shape
        return Matrix([[from_sympy(value[i, j], symbols) for j in range(columns)] for i in range(rows)])
    if not isinstance(value, sympy.Basic):
        return as_expr(value)
    if isinstance(value, sympy.Rel | sympy.logic.boolalg.BooleanAtom):  # a condition outside of a Piecewise
        raise _unknown(value)
    cure = "Give for example equations.symbols, or {'m': m}."
    by_spelling = by_name(symbols, "from_sympy symbols", "a mapping from names to symbols", cure)
    table = _from_sympy_table(sympy)
    converted: dict[int, Expr] = {}
    stack = [value]
    while stack:
        node = stack[-1]
        if id(node) in converted:
            stack.pop()
            continue
        leaf = _leaf(node, by_spelling)
        if leaf is None:
            waiting = [arg for arg in node.args if id(arg) not in converted]
            if waiting:
                stack.extend(reversed(waiting))
                continue
            build = table.get(node.func) or _opaque(node.func)
            if build is None:
                raise _unknown(node)
            leaf = build(*(converted[id(arg)] for arg in node.args))
        stack.pop()
        converted[id(node)] = leaf
    return converted[id(value)]


def _opaque(kind: Any) -> Callable[..., Expr] | None:
    """The constructor for the opaque function of a SymPy class; None for other classes."""
    function = getattr(kind, "polhode_function", None)
    return None if function is None else lambda *args: call(function, args)


def _leaf(node: Any, symbols: Mapping[str, Expr]) -> Expr | None:
    """The expression of a SymPy leaf: a number, a symbol or a function of time; None for an operation."""
    import sympy
    from sympy.core.function import AppliedUndef

    if isinstance(node, sympy.Symbol):
        return _meant(node.name, symbols) if node.name in symbols else symbol(node.name)
    if isinstance(node, sympy.Rational):
        return number(Fraction(int(node.p), int(node.q)))
    if isinstance(node, sympy.Float):
        return as_expr(Decimal(str(node))) if node.is_finite else _refuse(node)
    if node is sympy.pi:
        return functions.pi
    if node is sympy.E:
        return _exp(ONE)
    if isinstance(node, AppliedUndef | sympy.Derivative):
        return _of_time(node, symbols)
    if node is sympy.true:
        return ONE
    if not node.args:
        return _refuse(node)
    return None


def _meant(name: str, symbols: Mapping[str, Expr]) -> Expr:
    with understood("a symbol", symbols[name], place=f"from_sympy symbols '{name}'"):
        return as_expr(symbols[name])


def _of_time(node: Any, symbols: Mapping[str, Expr]) -> Expr:
    import sympy

    inner, order = node, 0
    if isinstance(node, sympy.Derivative):
        inner = node.expr
        order = sum(int(count) for _, count in node.variable_count)
    short = f"{inner.func.__name__}{chr(39) * order}"
    for name in (str(node), short):
        if name in symbols:
            return _meant(name, symbols)
    cure = f"Give its counterpart: from_sympy(…, symbols={{{short!r}: …}})."
    raise fault(f"the function of time {node} has no counterpart here.", cure, "E-EXPR-UNSUPPORTED")


def _unknown(node: Any) -> PolhodeError:
    message = f"SymPy's {type(node).__name__} in {str(node)[:80]} has no counterpart in polhode."
    return fault(message, "Rewrite it with +, *, /, powers and the functions of polhode.expr.", "E-EXPR-UNSUPPORTED")


def _refuse(node: Any) -> Expr:
    raise _unknown(node)


def _sum(*terms: Expr) -> Expr:
    total = ZERO
    for term in terms:
        total = add(total, term)
    return total


def _product(*factors: Expr) -> Expr:
    """The product, with the factors 1/d gathered into one quotient."""
    top, bottom = ONE, ONE
    for factor in factors:
        if factor.op == "div" and factor.args[0] is ONE:
            bottom = mul(bottom, factor.args[1])
        else:
            top = mul(top, factor)
    return top if bottom is ONE else div(top, bottom)


def _fold(function: Callable[[Any, Any], Any]) -> Callable[..., Expr]:
    def folded(first: Expr, *rest: Expr) -> Expr:
        for other in rest:
            first = function(first, other)
        return first

    return folded


def _exp(x: Expr) -> Expr:
    result: Expr = functions.exp(x)
    return result


def _branch(value: Expr, condition: Expr) -> Any:
    return value, condition


def _piecewise(*branches: Any) -> Expr:
    result, last = branches[-1]
    if last is not ONE:
        cure = "Give its last branch the condition True."
        raise fault("a Piecewise has no value where none of its conditions holds.", cure, "E-EXPR-UNSUPPORTED")
    for value, condition in reversed(branches[:-1]):
        result = functions.where(condition, value, result)
    piecewise: Expr = result
    return piecewise


def _from_sympy_table(sympy: Any) -> dict[Any, Callable[..., Expr]]:
    f = functions
    return {
        sympy.Add: _sum, sympy.Mul: _product, sympy.Pow: f.power, sympy.exp: f.exp, sympy.log: f.log,
        sympy.sin: f.sin, sympy.cos: f.cos, sympy.tan: f.tan, sympy.sec: lambda x: ONE / f.cos(x),
        sympy.csc: lambda x: ONE / f.sin(x), sympy.cot: lambda x: f.cos(x) / f.sin(x), sympy.asin: f.asin,
        sympy.acos: f.acos, sympy.atan: f.atan, sympy.atan2: f.atan2, sympy.sinh: f.sinh, sympy.cosh: f.cosh,
        sympy.tanh: f.tanh, sympy.Abs: f.absolute, sympy.sign: f.sign, sympy.floor: f.floor,
        sympy.Min: _fold(f.minimum), sympy.Max: _fold(f.maximum), sympy.Piecewise: _piecewise,
        # a condition is what is positive where it holds, a branch its value with its condition
        sympy.Gt: sub, sympy.Lt: lambda x, y: sub(y, x), sympy.functions.elementary.piecewise.ExprCondPair: _branch,
        sympy.Ge: lambda x, y: f.where(sub(y, x), -1, ONE), sympy.Le: lambda x, y: f.where(sub(x, y), -1, ONE),
    }  # fmt: skip


__all__ = ["from_sympy", "to_sympy"]


def opaque_class(function: Opaque) -> Any:
    """The SymPy class of an opaque function; the same class for the same function."""
    cls = _OPAQUE.get(function.digest)
    if cls is None:
        cls = _OPAQUE[function.digest] = _opaque_class(function)
    return cls


def _opaque_class(function: Opaque) -> Any:
    import sympy

    def fdiff(self: Any, argindex: int = 1) -> Any:
        partial = function.partial(argindex - 1)
        return sympy.Integer(0) if partial is None else opaque_class(partial)(*self.args)

    members = {"polhode_function": function, "nargs": function.arity, "fdiff": fdiff, "is_real": True}
    return type(function.label, (sympy.Function,), members)
