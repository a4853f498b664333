"""Translation of plain Python functions to native code, from their syntax tree.

    @native
    def count_down(run: Run, n: int) -> int:
        while n > 0: …

`@native` functions become functions of a module; `@inline` ones are expanded where they are called, with arguments of
any kind. A statement is executed here as Python would, except that a value which exists only when native code runs is a
`Value`: operators on it write instructions, a condition on it becomes a branch, a loop over `range` or `blocks` of it a
loop. Conditions and sequences that are known now are decided and unrolled now. A name that is assigned more than once
is a variable. The same functions run in plain Python as they stand.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import operator
import re
import textwrap
from collections import ChainMap
from collections.abc import Callable, Iterable
from functools import cached_property, partial
from typing import Any, TypeVar

from ...codegen.llvm.function import INTEGER, SCOPES, Function, TranslationError, Value, Variable, declared
from ..kinds import is_runtime, llvm_type
from .operations import Block, Blocks, Counted, Operation, Record, as_record, load_entry, store_entry, to_float, to_int

F = TypeVar("F", bound=Callable[..., Any])
_DECLARED = re.compile(r"^declare .*?@([\w.]+)\(", re.MULTILINE)
_BINARY: dict[type, tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Add: ("+", operator.add), ast.Sub: ("-", operator.sub), ast.Mult: ("*", operator.mul),
    ast.Div: ("/", operator.truediv), ast.FloorDiv: ("//", operator.floordiv), ast.Mod: ("%", operator.mod),
    ast.Pow: ("**", operator.pow), ast.BitAnd: ("&", operator.and_), ast.BitOr: ("|", operator.or_),
}  # fmt: skip
_RELATIONS: dict[type, tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Lt: ("<", operator.lt), ast.LtE: ("<=", operator.le), ast.Gt: (">", operator.gt), ast.GtE: (">=", operator.ge),
    ast.Eq: ("==", operator.eq), ast.NotEq: ("!=", operator.ne),
}  # fmt: skip


class Routine:
    """A function of native code; calling it runs it in plain Python."""

    def __init__(self, plain: Callable[..., Any], *, is_inline: bool, in_lanes: bool = False) -> None:
        self.plain, self.is_inline, self.in_lanes = plain, is_inline, in_lanes
        self.__doc__, self.__name__, self.__module__ = plain.__doc__, plain.__name__, plain.__module__
        self.__wrapped__ = plain

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return self.plain(*arguments, **options)

    @cached_property
    def tree(self) -> ast.FunctionDef:
        """Its syntax tree."""
        text = textwrap.dedent(inspect.getsource(self.plain))
        (tree,) = ast.parse(text).body
        if not isinstance(tree, ast.FunctionDef):
            raise TranslationError(f"{self.plain.__name__} is no function.")
        return tree

    @cached_property
    def kinds(self) -> dict[str, Any]:
        """The annotations of its arguments and result."""
        return inspect.get_annotations(self.plain, eval_str=True)

    @cached_property
    def signature(self) -> inspect.Signature:
        return inspect.signature(self.plain)

    @cached_property
    def variables(self) -> frozenset[str]:
        """Names that are assigned more than once."""
        counts: dict[str, int] = dict.fromkeys(self.signature.parameters, 1)
        for node in ast.walk(self.tree):
            if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
                counts[node.target.id] = 2
            elif isinstance(node, ast.Assign | ast.AnnAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                for name in (part for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)):
                    if isinstance(name.ctx, ast.Store):
                        counts[name.id] = counts.get(name.id, 0) + 1
        return frozenset(name for name, count in counts.items() if count > 1)


def native(function: F) -> F:
    """A function of a module: every argument that exists at run time and the result have annotations."""
    return Routine(function, is_inline=False)  # type: ignore[return-value]  # called as the function is


def in_lanes(function: F) -> F:
    """The same for one that works on all lanes at once: its numbers are vectors."""
    return Routine(function, is_inline=False, in_lanes=True)  # type: ignore[return-value]  # as above


def inline(function: F) -> F:
    """A function that is expanded where it is called."""
    return Routine(function, is_inline=True)  # type: ignore[return-value]  # as above


class Module:
    """A module of native code under construction: functions, and all that they call."""

    def __init__(self, *, fused: bool = True, lanes: int = 1, beside: Iterable[str] = ()) -> None:
        self.fused, self.lanes, self.beside = fused, lanes, "\n".join(beside)
        self._functions: list[Function] = []
        self._names: dict[Any, str] = {}
        self._kept: list[Any] = []  # so that keys by identity stay unique

    def add(self, routine: Any, *fixed: Any, name: str) -> str:
        """Export a function under a name; `fixed` are its arguments that are known now, in order."""
        statics = [key for key in routine.signature.parameters if not is_runtime(routine.kinds.get(key))]
        if len(statics) != len(fixed):
            raise TranslationError(f"{routine.__name__} has {len(statics)} arguments that are known at translation.")
        return self._translated(routine, dict(zip(statics, fixed, strict=True)), name)

    @property
    def text(self) -> str:
        """The module as IR."""
        beside = set(_DECLARED.findall(self.beside))
        missing = [line for line in declared(self.lanes) if not beside & set(_DECLARED.findall(line))]
        return "\n".join([*missing, SCOPES, self.beside, *(function.text for function in self._functions)])

    def called(self, routine: Routine, fixed: dict[str, Any]) -> str:
        """The name of a function that another calls."""
        key = (routine, *((name, _identity(value)) for name, value in fixed.items()))
        if key not in self._names:
            self._kept.append(fixed)
            self._names[key] = name = self.name_of(routine)
            self._translated(routine, fixed, name, internal=True)
        return self._names[key]

    def name_of(self, routine: Routine) -> str:
        """A name for a function that another calls."""
        return f"ph_{routine.__name__}_{len(self._names)}"

    def _translated(self, routine: Routine, fixed: dict[str, Any], name: str, *, internal: bool = False) -> str:
        kinds = {key: routine.kinds[key] for key in routine.signature.parameters if key not in fixed}
        if "return" not in routine.kinds:
            raise TranslationError(f"the result of {routine.__name__} has no annotation.")
        returned = routine.kinds["return"]
        lanes = self.lanes if routine.in_lanes else 1
        returns = "void" if returned in (None, type(None)) else llvm_type(returned)
        types = {key: llvm_type(kind) for key, kind in kinds.items()}
        function = Function(name, types, returns, fused=self.fused, internal=internal, lanes=lanes)
        values = {key: as_record(kind, Value(function, types[key], f"%{key}", kind)) for key, kind in kinds.items()}
        _Frame(self, function, routine, {**fixed, **values}).run()
        self._functions.append(function)
        return name


def _identity(value: Any) -> Any:
    try:
        hash(value)
    except TypeError:
        return id(value)
    return value


class _Frame:
    """One call of a function while it is translated."""

    def __init__(
        self, module: Module, function: Function, routine: Routine, names: dict[str, Any], *, is_inlined: bool = False
    ) -> None:
        self.module, self.f, self.routine, self.is_inlined = module, function, routine, is_inlined
        self.names: dict[str, Any] = {}
        for name, value in names.items():
            self.names[name] = self._kept(name, value)
        cells = zip(routine.plain.__code__.co_freevars, routine.plain.__closure__ or (), strict=True)
        inner = {name: cell.cell_contents for name, cell in cells}
        self.outer = ChainMap(inner, routine.plain.__globals__, vars(builtins))
        body = routine.tree.body
        returns = [node for statement in body for node in ast.walk(statement) if isinstance(node, ast.Return)]
        self.is_direct = is_inlined and (not returns or (len(returns) == 1 and returns[0] is body[-1]))
        self.result: Any = None
        self.exit = function.fresh("exit") if is_inlined and not self.is_direct else ""
        self.loops: list[tuple[str, str]] = []  # labels to continue at, and to break to
        self.depth = 0  # of conditions and loops at run time
        self.depths: dict[str, int] = {}

    def run(self) -> Any:
        """Translate the body; the result of an expanded function."""
        ended = self._block(self.routine.tree.body)
        if self.exit:
            if not ended:
                self.f.jump(self.exit)
            self.f.label(self.exit)
            return self.result.read() if isinstance(self.result, Variable) else self.result
        return self.result

    # ---- statements --------------------------------------------------------------------------------------------

    def _block(self, statements: Iterable[ast.stmt]) -> bool:
        """Translate statements; True if the last one never continues with the next."""
        for statement in statements:
            try:
                ended = getattr(self, f"_do_{type(statement).__name__}", self._unknown)(statement)
            except TranslationError as problem:
                if getattr(problem, "place", None) is None:
                    where = f"{self.routine.plain.__code__.co_filename}:{self._line(statement)}"
                    error = TranslationError(f"{where}: {problem}")
                    error.place = where  # type: ignore[attr-defined]  # so that callers add no second place
                    raise error from problem
                raise
            if ended:
                return True
        return False

    def _line(self, node: ast.stmt) -> int:
        return self.routine.plain.__code__.co_firstlineno + node.lineno - 1

    def _unknown(self, node: ast.AST) -> Any:
        raise TranslationError(f"{type(node).__name__} is not of the language.")

    def _do_Pass(self, node: ast.Pass) -> bool:
        return False

    def _do_Expr(self, node: ast.Expr) -> bool:
        if not isinstance(node.value, ast.Constant):
            self._value(node.value)
        return False

    def _do_Assign(self, node: ast.Assign) -> bool:
        value = self._value(node.value)
        for target in node.targets:
            self._assign(target, value)
        return False

    def _do_AnnAssign(self, node: ast.AnnAssign) -> bool:
        if node.value is not None:
            self._assign(node.target, self._value(node.value))
        return False

    def _do_AugAssign(self, node: ast.AugAssign) -> bool:
        symbol, plain = _BINARY[type(node.op)]
        target = node.target
        load: Any = ast.copy_location(
            ast.Name(target.id, ast.Load()) if isinstance(target, ast.Name)
            else ast.Attribute(target.value, target.attr, ast.Load()) if isinstance(target, ast.Attribute)
            else ast.Subscript(target.value, target.slice, ast.Load()), target,
        )  # fmt: skip
        self._assign(target, self._operated(symbol, plain, self._value(load), self._value(node.value)))
        return False

    def _assign(self, target: ast.expr, value: Any) -> None:
        if isinstance(target, ast.Tuple | ast.List):
            values = list(value)
            if len(values) != len(target.elts):
                raise TranslationError(f"{len(values)} values for {len(target.elts)} names.")
            for elt, part in zip(target.elts, values, strict=True):
                self._assign(elt, part)
        elif isinstance(target, ast.Name):
            self._bind(target.id, value)
        elif isinstance(target, ast.Attribute):
            base = self._value(target.value)
            base.write(target.attr, value) if isinstance(base, Record) else setattr(base, target.attr, value)
        elif isinstance(target, ast.Subscript):
            base, index = self._value(target.value), self._value(target.slice)
            if not isinstance(base, Value):
                raise TranslationError("only entries of arrays can be assigned.")
            store_entry(base, index, value)
        else:
            self._unknown(target)

    def _bind(self, name: str, value: Any) -> None:
        variable = self.names.get(name)
        if isinstance(variable, Variable):
            variable.write(value)
            return
        if variable is not None and self.depth > self.depths.get(name, 0):
            raise TranslationError(f"{name!r} is known at translation and changes under a condition at run time.")
        self.names[name] = self._kept(name, value)
        self.depths[name] = self.depth

    def _kept(self, name: str, value: Any) -> Any:
        """The value bound to a name: a variable, where it is assigned again."""
        is_number = isinstance(value, Value) or type(value) in (int, float, bool)
        return self.f.variable(value) if is_number and name in self.routine.variables else value

    def _do_Return(self, node: ast.Return) -> bool:
        value = None if node.value is None else self._value(node.value)
        if not self.is_inlined:
            self.f.ret(value)
        elif self.is_direct:
            self.result = value
            return True
        else:
            if value is not None:
                if self.result is None:
                    self.result = self.f.variable(value)
                else:
                    self.result.write(value)
            self.f.jump(self.exit)
        return True

    def _do_If(self, node: ast.If) -> bool:
        test = self._value(node.test)
        if not isinstance(test, Value):
            return self._block(node.body if test else node.orelse)
        then, otherwise, done = (self.f.fresh(stem) for stem in ("then", "else", "done"))
        self.f.branch(test, then, otherwise if node.orelse else done)
        self.depth += 1
        ended = []
        for label, body in ((then, node.body), (otherwise, node.orelse)):
            if body:
                self.f.label(label)
                ended.append(self._block(body))
                if not ended[-1]:
                    self.f.jump(done)
        self.depth -= 1
        if all(ended) and len(ended) == 2:
            return True
        self.f.label(done)
        return False

    def _do_While(self, node: ast.While) -> bool:
        head, inside, done = (self.f.fresh(stem) for stem in ("loop", "body", "done"))
        self.f.jump(head)
        self.f.label(head)
        self.depth += 1
        test = self._value(node.test)
        if isinstance(test, Value):
            self.f.branch(test, inside, done)
            self.f.label(inside)
        elif not test:
            raise TranslationError("a loop whose condition never holds.")
        self._looped(node.body, head, done)
        self.depth -= 1
        breaks = any(isinstance(child, ast.Break) for part in node.body for child in ast.walk(part))
        if not isinstance(test, Value) and not breaks:
            return True
        self.f.label(done)
        return False

    def _looped(self, body: list[ast.stmt], again: str, done: str) -> None:
        self.loops.append((again, done))
        if not self._block(body):
            self.f.jump(again)
        self.loops.pop()

    def _do_For(self, node: ast.For) -> bool:
        over = self._over(node.iter)
        if isinstance(over, _Range):
            self._counted(node, over)
            return False
        for item in over:
            self._bind_fixed(node.target, item)
            if self._block(node.body):
                raise TranslationError("an unrolled loop is left in its middle.")
        return False

    def _over(self, node: ast.expr) -> Any:
        """The range of a loop: a range at run time, or a sequence known at compile time."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range":
            bounds = [self._value(argument) for argument in node.args]
            if any(isinstance(bound, Value) for bound in bounds):
                if len(bounds) > 2:
                    raise TranslationError("a range at run time goes up by one.")
                return _Range(*((0, bounds[0]) if len(bounds) == 1 else bounds), is_block=False)
            return range(*bounds)
        over = self._value(node)
        is_loop = isinstance(over, Blocks | Counted)
        return _Range(over.first, over.count, is_block=isinstance(over, Blocks)) if is_loop else over

    def _counted(self, node: ast.For, over: _Range) -> None:
        f = self.f
        index, end = f.variable(f.of_kind(INTEGER, over.first)), f.of_kind(INTEGER, over.end)
        head, inside, again, done = (f.fresh(stem) for stem in ("loop", "body", "next", "done"))
        f.jump(head)
        f.label(head)
        now = index.read()
        f.branch(now.compare("<", end), inside, done)
        f.label(inside)
        if not isinstance(node.target, ast.Name):
            raise TranslationError("a loop at run time has one name.")
        self.names[node.target.id] = Block(now) if over.is_block else now
        self.depth += 1
        self._looped(node.body, again, done)
        self.depth -= 1
        f.label(again)
        index.write(now.binary("+", 1))
        f.jump(head)
        f.label(done)

    def _bind_fixed(self, target: ast.expr, value: Any) -> None:
        if isinstance(target, ast.Name):
            self.names[target.id] = value
        else:
            for elt, part in zip(target.elts, value, strict=True):  # type: ignore[attr-defined]  # a tuple of names
                self._bind_fixed(elt, part)

    def _do_Break(self, node: ast.Break) -> bool:
        self.f.jump(self.loops[-1][1])
        return True

    def _do_Continue(self, node: ast.Continue) -> bool:
        self.f.jump(self.loops[-1][0])
        return True

    # ---- expressions -------------------------------------------------------------------------------------------

    def _value(self, node: ast.expr) -> Any:
        return getattr(self, f"_of_{type(node).__name__}", self._unknown)(node)

    def _of_Constant(self, node: ast.Constant) -> Any:
        return node.value

    def _of_Name(self, node: ast.Name) -> Any:
        if node.id in self.names:
            value = self.names[node.id]
            return value.read() if isinstance(value, Variable) else value
        if node.id not in self.outer:
            raise TranslationError(f"{node.id!r} has no value here.")
        return self.outer[node.id]

    def _of_Attribute(self, node: ast.Attribute) -> Any:
        base = self._value(node.value)
        return base.read(node.attr) if isinstance(base, Record) else getattr(base, node.attr)

    def _of_Subscript(self, node: ast.Subscript) -> Any:
        base, index = self._value(node.value), self._value(node.slice)
        return load_entry(base, index) if isinstance(base, Value) else base[index]

    def _of_Slice(self, node: ast.Slice) -> slice:
        return slice(*(None if part is None else self._value(part) for part in (node.lower, node.upper, node.step)))

    def _of_Tuple(self, node: ast.Tuple) -> tuple[Any, ...]:
        return tuple(self._elements(node.elts))

    def _of_List(self, node: ast.List) -> list[Any]:
        return self._elements(node.elts)

    def _elements(self, nodes: list[ast.expr]) -> list[Any]:
        elements: list[Any] = []
        for node in nodes:
            if isinstance(node, ast.Starred):
                elements += self._value(node.value)
            else:
                elements.append(self._value(node))
        return elements

    def _of_ListComp(self, node: ast.ListComp | ast.GeneratorExp) -> list[Any]:
        return self._comprehended(node.generators, node.elt)

    _of_GeneratorExp = _of_ListComp

    def _comprehended(self, generators: list[ast.comprehension], element: ast.expr) -> list[Any]:
        first, rest = generators[0], generators[1:]
        before, values = dict(self.names), []
        for item in self._over(first.iter):
            self._bind_fixed(first.target, item)
            tests = [self._value(test) for test in first.ifs]
            if any(isinstance(test, Value) for test in tests):
                raise TranslationError("a comprehension has conditions that are known at translation.")
            if all(tests):
                values += self._comprehended(rest, element) if rest else [self._value(element)]
        self.names = before
        return values

    def _of_BinOp(self, node: ast.BinOp) -> Any:
        symbol, plain = _BINARY[type(node.op)]
        return self._operated(symbol, plain, self._value(node.left), self._value(node.right))

    def _operated(self, symbol: str, plain: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
        if not isinstance(left, Value) and not isinstance(right, Value):
            return plain(left, right)
        if symbol in "&|":
            word = "and" if symbol == "&" else "or"
            one, two = self.f.alike(left, right)
            return one.joined(word, two)
        if isinstance(left, Value):
            return left.binary(symbol, right)
        return right.binary(symbol, left, flipped=True)

    def _of_UnaryOp(self, node: ast.UnaryOp) -> Any:
        value = self._value(node.operand)
        if isinstance(node.op, ast.Not):
            return value.inverted() if isinstance(value, Value) else not value
        if isinstance(node.op, ast.USub):
            return value.negative() if isinstance(value, Value) else -value
        return self._unknown(node)

    def _of_BoolOp(self, node: ast.BoolOp) -> Any:
        """`and` and `or`: known operands are decided now; operands with loads or calls are evaluated when needed."""
        is_and = isinstance(node.op, ast.And)
        result = self._value(node.values[0])
        for value in node.values[1:]:
            if not isinstance(result, Value):
                if bool(result) is not is_and:
                    return result
                result = self._value(value)
            elif any(isinstance(part, ast.Call | ast.Subscript) for part in ast.walk(value)):
                result = self._when_needed(result, value, is_and)
            else:
                other = self._value(value)
                result = result.joined("and" if is_and else "or", self.f.of_kind(result.kind, other))
        return result

    def _when_needed(self, first: Value, node: ast.expr, is_and: bool) -> Value:
        result, more, done = self.f.variable(first), self.f.fresh("more"), self.f.fresh("done")
        self.f.branch(first, *((more, done) if is_and else (done, more)))
        self.f.label(more)
        self.depth += 1
        result.write(self._value(node))
        self.depth -= 1
        self.f.jump(done)
        self.f.label(done)
        return result.read()

    def _of_Compare(self, node: ast.Compare) -> Any:
        left, result = self._value(node.left), None
        for op, right_node in zip(node.ops, node.comparators, strict=True):
            right = self._value(right_node)
            if isinstance(op, ast.Is | ast.IsNot):
                now: Any = (left is right) is isinstance(op, ast.Is)
            elif isinstance(op, ast.In | ast.NotIn):
                now = (left in right) is isinstance(op, ast.In)
            else:
                symbol, plain = _RELATIONS[type(op)]
                now = self._compared(symbol, plain, left, right)
            result = now if result is None else self._both(result, now)
            left = right
        return result

    def _compared(self, symbol: str, plain: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
        if isinstance(left, Value):
            return left.compare(symbol, right)
        if isinstance(right, Value):
            flipped = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}.get(symbol, symbol)
            return right.compare(flipped, left)
        return plain(left, right)

    def _both(self, one: Any, two: Any) -> Any:
        if isinstance(one, Value) and isinstance(two, Value):
            return one.joined("and", two)
        fixed, other = (two, one) if isinstance(one, Value) else (one, two)
        return other if fixed else False

    def _of_IfExp(self, node: ast.IfExp) -> Any:
        test = self._value(node.test)
        if not isinstance(test, Value):
            return self._value(node.body if test else node.orelse)
        return self.f.select(test, self._value(node.body), self._value(node.orelse))

    def _of_Call(self, node: ast.Call) -> Any:
        called: Any = self._value(node.func)
        arguments = self._elements(node.args)
        options = {keyword.arg: self._value(keyword.value) for keyword in node.keywords if keyword.arg}
        if isinstance(called, partial):
            called, arguments, options = called.func, [*called.args, *arguments], {**called.keywords, **options}
        if isinstance(called, Routine):
            return self._routine(called, arguments, options)
        if isinstance(called, Operation):
            return called.native(self.f, *arguments, **options)
        if called is float:
            return to_float(self.f, arguments[0])
        if called is int:
            return to_int(self.f, arguments[0])
        if called in (abs, min, max, sum, bool, round) and any(isinstance(argument, Value) for argument in arguments):
            raise TranslationError(f"{called.__name__} has no form in native code.")
        return called(*arguments, **options)

    def _routine(self, called: Routine, arguments: list[Any], options: dict[str, Any]) -> Any:
        bound = called.signature.bind(*arguments, **options)
        bound.apply_defaults()
        if called.is_inline:
            names = dict(bound.arguments)
            return type(self)(self.module, self.f, called, names, is_inlined=True).run()
        fixed = {key: value for key, value in bound.arguments.items() if not is_runtime(called.kinds.get(key))}
        name = self.module.called(called, fixed)
        operands = [
            self.f.of_kind(llvm_type(called.kinds[key]), value.pointer if isinstance(value, Record) else value)
            for key, value in bound.arguments.items()
            if key not in fixed
        ]
        returned = called.kinds["return"]
        returns = "void" if returned in (None, type(None)) else llvm_type(returned)
        return self.f.call(f"@{name}", returns, *operands, target=returned)


class _Range:
    """The integers, or blocks, from one number to another, at run time."""

    def __init__(self, first: Any, end: Any, *, is_block: bool) -> None:
        self.first, self.end, self.is_block = first, end, is_block
