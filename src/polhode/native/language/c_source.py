"""Functions of the language as C99, with the names, loops and conditions that they have in Python.

Values stay expressions of C until they get a name. A block is the numbers in it, one after the other: sums are rounded
otherwise than in machine code, and products and sums are not fused.
"""

from __future__ import annotations

import ast
import re
from typing import Any

from ...codegen.llvm.function import DOUBLE, INTEGER, POINTER, TRUTH, WIDTH, Function, TranslationError, Value, Variable
from ..kinds import Array, Integers, Struct, fields, llvm_type
from .operations import Block, Record, row, total
from .translator import Module, Routine, _Frame, _Range

_TYPES: dict[Any, str] = {
    DOUBLE: "double ", INTEGER: "int64_t ", TRUTH: "int ", Array: "double *", Integers: "int64_t *",
    float: "double ", int: "int64_t ", "void": "void ",
}  # fmt: skip
_FUNCTIONS = {"fabs": "fabs", "sqrt": "sqrt", "maxnum": "fmax", "minnum": "fmin"}
_NAME = re.compile(r"\w+|\d+\.\d*(e[+-]?\d+)?")
_OPERAND = re.compile(r"[\w.]+(->\w+|\[[^][]*\]|\([^()]*\))*")


def _operand(value: Value) -> str:
    """An expression where it is a part of another."""
    return value.name if _OPERAND.fullmatch(value.name) else f"({value.name})"


class Expression(Value):
    """A value as an expression of C."""

    __slots__ = ()

    def _of(self, kind: str, text: str, target: Any = None) -> Expression:
        return Expression(self.function, kind, text, target)

    def binary(self, op: str, other: Any, flipped: bool = False) -> Value:
        one, two = self.function.alike(*((other, self) if flipped else (self, other)))
        if (op, two.name) in (("*", "1"), ("+", "0")):
            return one
        return self._of(one.kind, f"{_operand(one)} {op[0]} {_operand(two)}")

    def compare(self, relation: str, other: Any) -> Value:
        one, two = self.function.alike(self, other)
        return self._of(TRUTH, f"{_operand(one)} {relation} {_operand(two)}")

    def negative(self) -> Value:
        return self._of(self.kind, f"-{_operand(self)}")

    __neg__ = negative

    def inverted(self) -> Value:
        return self._of(TRUTH, f"!{_operand(self)}")

    def joined(self, word: str, other: Value) -> Value:
        return self._of(TRUTH, f"{_operand(self)} {'&&' if word == 'and' else '||'} {_operand(other)}")

    def as_double(self) -> Value:
        return self._of(DOUBLE, f"(double){_operand(self)}")

    def at(self, index: Any, kind: str) -> Value:
        offset = self.function.of_kind(INTEGER, index)
        return self._of(POINTER, f"{_operand(self)} + {_operand(offset)}", self.target)

    def load(self, index: Any, kind: str, target: Any = None) -> Value:
        return self._of(kind, f"{_operand(self)}[{self.function.of_kind(INTEGER, index).name}]", target)

    def store(self, index: Any, value: Any, kind: str) -> None:
        self.function.write(f"{self.load(index, kind).name} = {self.function.of_kind(kind, value).name};")


class _Name(Variable):
    """A variable of C."""

    __slots__ = ()

    def read(self) -> Value:
        return Expression(self.function, self.kind, self.address, self.target)

    def write(self, value: Any) -> None:
        self.function.write(f"{self.address} = {self.function.of_kind(self.kind, value).name};")


class _CRecord(Record):
    """The record that a pointer of C points to."""

    __slots__ = ()

    def field(self, name: str) -> tuple[Any, str]:
        function: Any = self.pointer.function
        function.used.setdefault(self.struct, set()).add(name)
        return fields(self.struct)[name], f"{_operand(self.pointer)}->{name}"

    def read(self, name: str) -> Any:
        kind, location = self.field(name)
        return _typed(kind, Expression(self.pointer.function, llvm_type(kind), location, kind))

    def write(self, name: str, value: Any) -> None:
        kind, location = self.field(name)
        self.pointer.function.write(f"{location} = {self.pointer.function.of_kind(llvm_type(kind), value).name};")


def _typed(kind: Any, value: Value) -> Any:
    """A pointer to a record as the record, any other value as it is."""
    return _CRecord(kind, value) if isinstance(kind, type) and issubclass(kind, Struct) else value


class _CFunction(Function):
    """A function of C under construction; `used` are the fields of records that the module uses."""

    def __init__(self, name: str, arguments: dict[str, Any], returns: str, comment: str, used: Any) -> None:
        super().__init__(name, {key: llvm_type(kind) for key, kind in arguments.items()}, returns, fused=False)
        parameters = ", ".join(f"{c_type(kind)}{key}" for key, kind in arguments.items())
        self.head = [f"/* {comment} */", f"static {_TYPES[returns]}{name}({parameters}) {{"]
        self.block, self.depth, self.used, self.taken = DOUBLE, 1, used, {name, *arguments}
        self.changing: set[str] = set()

    def unique(self, stem: str) -> str:
        """An unused C name."""
        stem = stem.strip("_") or "round"
        name, number = stem, 2
        while name in self.taken:
            name, number = f"{stem}{number}", number + 1
        self.taken.add(name)
        return name

    @property
    def text(self) -> str:
        lines, kept = list(self._lines), []
        for declaration in self._entry:
            name = re.split(r"[ *]", declaration)[-1]
            if any(re.search(rf"\b{name}\b", re.sub(rf"^ *{name} = ", "", line)) for line in lines):
                kept.append(f"  {declaration};")
            else:  # it is never read
                lines = [line for line in lines if not line.strip().startswith(f"{name} = ")]
        return "\n".join([*self.head, *kept, *lines, "}"])

    def write(self, line: str) -> None:
        self._lines.append("  " * self.depth + line)

    def variable(self, value: Any, name: str = "sum") -> Variable:
        value = self.of_kind(_kind(value), value)
        name = self.unique(name)
        self.changing.add(name)
        self._entry.append(f"{c_type(value.target or value.kind)}{name}")
        result = _Name(self, value.kind, name, value.target)
        result.write(value)
        return result

    def constant(self, value: Value, name: str) -> Value:
        """A value under a name that keeps it."""
        name, kind = self.unique(name), c_type(value.target or value.kind)
        const = f"{kind}const " if kind.endswith("*") else f"const {kind}"
        self.write(f"{const}{name} = {value.name};")
        return Expression(self, value.kind, name, value.target)

    def ret(self, value: Any = None) -> None:
        self.write("return;" if self.returns == "void" else f"return {self.of_kind(self.returns, value).name};")

    def of_kind(self, kind: str, value: Any) -> Value:
        operand = super().of_kind(kind, value)
        if isinstance(value, Value | Variable):
            return operand
        texts = {DOUBLE: repr(float(value)), TRUTH: str(int(value))}
        return Expression(self, kind, texts.get(kind, operand.name))

    def intrinsic(self, name: str, *operands: Any) -> Value:
        return self.call(f"@{_FUNCTIONS[name]}", DOUBLE, *self.alike(*operands))

    def select(self, condition: Value, one: Any, two: Any) -> Value:
        first, second = self.alike(one if isinstance(two, Value) else self.of_kind(_kind(one), one), two)
        text = f"{_operand(condition)} ? {_operand(first)} : {_operand(second)}"
        return Expression(self, first.kind, text, first.target)

    def call(self, what: str, returns: str, *arguments: Value, target: Any = None) -> Value:
        text = f"{what.removeprefix('@')}({', '.join(argument.name for argument in arguments)})"
        if returns == "void":
            self.write(f"{text};")
        return Expression(self, returns, text, target)


def _kind(value: Any) -> str:
    """The kind of a value, or of a number of Python."""
    if isinstance(value, Value | Variable):
        return value.kind
    return TRUTH if isinstance(value, bool) else INTEGER if isinstance(value, int) else DOUBLE


def c_type(kind: Any) -> str:
    """The type in C of a kind, up to the name."""
    return _TYPES.get(kind) or f"{kind.__name__} *"


class _CFrame(_Frame):
    """One call of a function while it is written in C."""

    f: Any

    def _kept(self, name: str, value: Any) -> Any:
        if isinstance(value, list | tuple):
            return type(value)(self._kept(name, part) for part in value)
        if isinstance(value, Value) or type(value) in (int, float, bool):
            if name in self.routine.variables:
                return self.f.variable(value, name)
            is_given = name in self.routine.signature.parameters
            is_fixed = not isinstance(value, Value) or (
                _NAME.fullmatch(value.name) and value.name not in self.f.changing
            )
            return value if is_given or is_fixed else self.f.constant(value, name)
        return value

    def _assign(self, target: ast.expr, value: Any) -> None:
        if isinstance(target, ast.Tuple):  # all values are from before
            targets = [self.names.get(elt.id) for elt in target.elts if isinstance(elt, ast.Name)]
            changed = [variable.address for variable in targets if isinstance(variable, Variable)]
            value = [
                self.f.constant(part, "before")
                if isinstance(part, Value) and any(re.search(rf"\b{name}\b", part.name) for name in changed) else part
                for part in value
            ]  # fmt: skip
        super()._assign(target, value)

    def _do_Expr(self, node: ast.Expr) -> bool:
        if not isinstance(node.value, ast.Constant):
            value = self._value(node.value)
            if isinstance(value, Value) and value.kind != "void":
                self.f.write(f"(void){value.name};")
        return False

    def _do_If(self, node: ast.If) -> bool:
        test = self._value(node.test)
        if not isinstance(test, Value):
            return self._block(node.body if test else node.orelse)
        self.f.write(f"if ({test.name}) {{")
        ended = [self._inside(node.body)]
        if node.orelse:
            self.f.write("} else {")
            ended.append(self._inside(node.orelse))
        self.f.write("}")
        return all(ended) and len(ended) == 2

    def _inside(self, body: list[ast.stmt]) -> bool:
        self.depth += 1
        self.f.depth += 1
        ended = self._block(body)
        self.f.depth -= 1
        self.depth -= 1
        return ended

    def _do_While(self, node: ast.While) -> bool:
        self.f.write(f"while ({self._value(node.test).name}) {{")
        self._inside(node.body)
        self.f.write("}")
        return False

    def _counted(self, node: ast.For, over: _Range) -> None:
        if not isinstance(node.target, ast.Name):
            raise TranslationError("a loop at run time has one name.")
        name = self.f.unique(node.target.id)
        bounds = [self.f.of_kind(INTEGER, bound) for bound in (over.first, over.end)]
        if over.is_block:
            bounds = [bound.binary("*", WIDTH, flipped=True) for bound in bounds]
        first, end = bounds
        self.f.write(f"for (int64_t {name} = {first.name}, {name}_end = {end.name}; {name} < {name}_end; ++{name}) {{")
        index = Expression(self.f, INTEGER, name)
        self.names[node.target.id] = Block(index) if over.is_block else index
        self._inside(node.body)
        self.f.write("}")

    def _do_Break(self, node: ast.Break) -> bool:
        self.f.write("break;")
        return True

    def _do_Continue(self, node: ast.Continue) -> bool:
        self.f.write("continue;")
        return True

    def _when_needed(self, first: Value, node: ast.expr, is_and: bool) -> Value:
        return first.joined("and" if is_and else "or", self._value(node))

    def _of_Call(self, node: ast.Call) -> Any:
        called: Any = self._value(node.func)
        if called is total:
            return self._value(node.args[0])
        if called is row:
            array, run, number = (self._value(argument) for argument in node.args)
            offset = run.read("blocks").binary("*", WIDTH, flipped=True)
            return array.at(offset.binary("*", number), DOUBLE)
        return super()._of_Call(node)


class CModule(Module):
    """Functions as C, and the records that they use; `used` are the fields of each."""

    def __init__(self) -> None:
        super().__init__(fused=False)
        self.used: dict[Any, set[str]] = {}

    @property
    def text(self) -> str:
        """Types of the records, with the fields that are used, and the functions."""
        types = []
        for struct in sorted(self.used, key=self._depth):
            kinds = {name: kind for name, kind in fields(struct).items() if name in self.used[struct]}
            lines = [f"  {c_type(kind)}{name};" for name, kind in kinds.items()]
            types.append("\n".join(["typedef struct {", *lines, f"}} {struct.__name__};"]))
        return "\n\n".join([*types, *(function.text for function in self._functions)])

    def _depth(self, struct: Any) -> int:
        inner = [fields(struct)[name] for name in self.used[struct]]
        return max((1 + self._depth(field_type) for field_type in inner if field_type in self.used), default=0)

    def _translated(self, routine: Routine, fixed: dict[str, Any], name: str, *, internal: bool = False) -> str:
        kinds = {key: routine.kinds[key] for key in routine.signature.parameters if key not in fixed}
        returns = "void" if routine.kinds["return"] in (None, type(None)) else llvm_type(routine.kinds["return"])
        comment = (routine.__doc__ or "").split("\n")[0]
        function: Any = _CFunction(name, kinds, returns, comment, self.used)
        values = {key: _typed(kind, Expression(function, llvm_type(kind), key, kind)) for key, kind in kinds.items()}
        _CFrame(self, function, routine, {**fixed, **values}).run()
        self._functions.append(function)
        return name

    def name_of(self, routine: Routine) -> str:
        name = f"ph_{routine.__name__.strip('_')}"
        while name in self._names.values():
            name += "_"
        return name
