"""LLVM IR of a function under construction, line by line: values with operators, variables, memory, calls.

A value has no truth and no equality in Python: a condition on it becomes a branch of the native function. `bool(value)`
and `value == other` therefore raise.
"""

from __future__ import annotations

from typing import Any, NoReturn

from .sincos import splat, suffix, vector_type

DOUBLE, INTEGER, POINTER, TRUTH = "double", "i64", "ptr", "i1"
#: Doubles in a block of the state: the same on every machine, so that sums are rounded alike.
WIDTH = 4

#: Loads and stores of records and variables never touch the arrays that they point to, nor the other way round.
SCOPES = """!9000 = distinct !{!9000}
!9001 = distinct !{!9001, !9000}
!9002 = distinct !{!9002, !9000}
!9003 = !{!9001}
!9004 = !{!9002}"""
_RECORD, _ARRAY = ", !alias.scope !9003, !noalias !9004", ", !alias.scope !9004, !noalias !9003"


_FLOAT_OPS = {"+": "fadd", "-": "fsub", "*": "fmul", "/": "fdiv"}
_INTEGER_OPS = {"+": "add", "-": "sub", "*": "mul", "//": "sdiv", "%": "srem"}
_FLOAT_TESTS = {"<": "olt", "<=": "ole", ">": "ogt", ">=": "oge", "==": "oeq", "!=": "une"}
_INTEGER_TESTS = {"<": "slt", "<=": "sle", ">": "sgt", ">=": "sge", "==": "eq", "!=": "ne"}


class TranslationError(TypeError):
    """A function of native code has something in it that is not of the language."""


def places_of(kind: str) -> int:
    """The number of entries of a value of this kind."""
    return int(kind[1:].split(" ", 1)[0]) if kind.startswith("<") else 1


def is_condition(kind: str) -> bool:
    """True for a truth value, or one for each lane."""
    return kind.endswith(("i1", "i1>"))


class Value:
    """A number, vector, condition or pointer; `target` is the kind that a pointer points to."""

    __slots__ = ("function", "kind", "name", "target")

    def __init__(self, function: Function, kind: str, name: str, target: Any = None) -> None:
        self.function, self.kind, self.name, self.target = function, kind, name, target

    def __bool__(self) -> bool:
        _refuse("if, while, and, or, not of Python")

    def __eq__(self, other: object) -> bool:
        _refuse("== of Python")

    def __ne__(self, other: object) -> bool:
        _refuse("!= of Python")

    __hash__ = None  # type: ignore[assignment]  # as Python's own types without equality

    def binary(self, op: str, other: Any, flipped: bool = False) -> Value:
        """The result of an operator."""
        one, two = self.function.alike(self, other)
        if flipped:
            one, two = two, one
        ops = _INTEGER_OPS if one.kind == INTEGER else _FLOAT_OPS
        if op not in ops or one.kind == POINTER or is_condition(one.kind):
            raise TranslationError(f"{op} is not defined for values of kind {one.kind}.")
        return self.function.emit(one.kind, f"{ops[op]} {one.kind} {one.name}, {two.name}")

    def compare(self, relation: str, other: Any) -> Value:
        """The condition of a comparison; with nan it is false, but for !=."""
        one, two = self.function.alike(self, other)
        if is_condition(one.kind) and relation in ("==", "!="):
            differ = self.function.emit(one.kind, f"xor {one.kind} {one.name}, {two.name}")
            return differ.inverted() if relation == "==" else differ
        if one.kind == INTEGER:
            return self.function.emit(TRUTH, f"icmp {_INTEGER_TESTS[relation]} i64 {one.name}, {two.name}")
        kind = vector_type(places_of(one.kind), TRUTH)
        return self.function.emit(kind, f"fcmp {_FLOAT_TESTS[relation]} {one.kind} {one.name}, {two.name}")

    def negative(self) -> Value:
        """-value."""
        if self.kind == INTEGER:
            return self.binary("-", 0, flipped=True)
        return self.function.emit(self.kind, f"fneg {self.kind} {self.name}")

    def inverted(self) -> Value:
        """The opposite of a condition."""
        places = places_of(self.kind)
        all_true = "true" if places == 1 else f"<{', '.join(['i1 true'] * places)}>"
        return self.function.emit(self.kind, f"xor {self.kind} {self.name}, {all_true}")

    def joined(self, word: str, other: Value) -> Value:
        """Both conditions ("and"), or one of them ("or")."""
        return self.function.emit(self.kind, f"{word} {self.kind} {self.name}, {other.name}")

    def __add__(self, other: Any) -> Value:
        return self.binary("+", other)

    def __sub__(self, other: Any) -> Value:
        return self.binary("-", other)

    def __mul__(self, other: Any) -> Value:
        return self.binary("*", other)

    def __floordiv__(self, other: Any) -> Value:
        return self.binary("//", other)

    def __rtruediv__(self, other: Any) -> Value:
        return self.binary("/", other, flipped=True)

    __neg__ = negative

    def as_double(self) -> Value:
        """An integer as a double."""
        return self.function.emit(DOUBLE, f"sitofp i64 {self.name} to double")

    # ---- memory ------------------------------------------------------------------------------------------------

    def at(self, index: Any, kind: str) -> Value:
        """The address of an entry of an array."""
        offset = self.function.of_kind(INTEGER, index)
        return self.function.emit(POINTER, f"getelementptr {kind}, ptr {self.name}, i64 {offset.name}", self.target)

    def load(self, index: Any, kind: str, target: Any = None) -> Value:
        """An entry of an array."""
        return self.function.load(kind, self.at(index, kind).name, target)

    def store(self, index: Any, value: Any, kind: str) -> None:
        """Write an entry of an array."""
        self.function.store(kind, value, self.at(index, kind).name)


class Variable:
    """A name that changes: memory on the stack, which LLVM turns into a register."""

    __slots__ = ("address", "function", "kind", "target")

    def __init__(self, function: Function, kind: str, address: str, target: Any = None) -> None:
        self.function, self.kind, self.address, self.target = function, kind, address, target

    def read(self) -> Value:
        """Its value now."""
        return self.function.load(self.kind, self.address, self.target, is_record=True)

    def write(self, value: Any) -> None:
        """Give it another value, of the same kind."""
        self.function.store(self.kind, value, self.address, is_record=True)


class Function:
    """A function under construction; `text` is its IR once it is finished."""

    def __init__(
        self,
        name: str,
        arguments: dict[str, str],
        returns: str = "void",
        *,
        fused: bool,
        internal: bool = False,
        lanes: int = 1,
        is_scoped: bool = True,
    ) -> None:
        self.name, self.kinds, self.returns = name, arguments, returns
        self.fused, self.internal, self.lanes = fused, internal, lanes
        self.number, self.block = vector_type(lanes), vector_type(WIDTH * lanes)
        self._scopes = (_ARRAY, _RECORD) if is_scoped else ("", "")
        self._entry: list[str] = []
        self._lines: list[str] = []
        self._count = 0

    @property
    def text(self) -> str:
        """The function as IR."""
        arguments = ", ".join(f"{kind} %{key}" for key, kind in self.kinds.items())
        # callers from outside leave the stack anywhere: vectors across two lines of the cache cost a fifth
        linkage, frame = ("internal ", "") if self.internal else ("", " alignstack(64)")
        head = f"define {linkage}{self.returns} @{self.name}({arguments}) nounwind{frame} {{"
        end = ["  ret void"] if self.returns == "void" else ["  unreachable"]
        return "\n".join([head, "entry:", *self._entry, *self._lines, *end, "}"])

    # ---- lines -------------------------------------------------------------------------------------------------

    def fresh(self, stem: str = "v") -> str:
        """An unused name."""
        self._count += 1
        return f"{stem}{self._count}"

    def write(self, line: str) -> None:
        """One more line."""
        self._lines.append(f"  {line}")

    def emit(self, kind: str, expression: str, target: Any = None) -> Value:
        """The result of an instruction."""
        name = f"%{self.fresh()}"
        self.write(f"{name} = {expression}")
        return Value(self, kind, name, target)

    def label(self, name: str) -> None:
        """A place to jump to."""
        self._lines.append(f"{name}:")

    def jump(self, label: str) -> None:
        """Jump to a label; the code after this has a label of its own."""
        self.write(f"br label %{label}")

    def branch(self, condition: Value, then: str, otherwise: str) -> None:
        """Go on at one of two labels."""
        if condition.kind != TRUTH:
            raise TranslationError("a branch needs one condition; in lanes, use a value that depends on it.")
        self.write(f"br i1 {condition.name}, label %{then}, label %{otherwise}")

    def ret(self, value: Any = None) -> None:
        """Return."""
        if self.returns == "void":
            self.write("ret void")
        else:
            self.write(f"ret {self.returns} {self.of_kind(self.returns, value).name}")

    # ---- memory ------------------------------------------------------------------------------------------------

    def load(self, kind: str, address: str, target: Any = None, *, is_record: bool = False) -> Value:
        """The value at an address."""
        return self.emit(kind, f"load {kind}, ptr {address}, align 8{self._scopes[is_record]}", target)

    def store(self, kind: str, value: Any, address: str, *, is_record: bool = False) -> None:
        """Write a value to an address."""
        result = self.of_kind(kind, value)
        self.write(f"store {kind} {result.name}, ptr {address}, align 8{self._scopes[is_record]}")

    def variable(self, value: Any) -> Variable:
        """A name that changes, with its first value."""
        value = value.read() if isinstance(value, Variable) else value
        if isinstance(value, Value):
            kind, target = value.kind, value.target
        else:
            kind, target = (
                TRUTH if isinstance(value, bool) else INTEGER if isinstance(value, int) else self.number,
                None,
            )
        name = f"%{self.fresh('var')}"
        self._entry.append(f"  {name} = alloca {kind}, align 32")
        result = Variable(self, kind, name, target)
        result.write(value)
        return result

    # ---- values ------------------------------------------------------------------------------------------------

    def of_kind(self, kind: str, value: Any) -> Value:
        """A value of this kind: itself, a Python number, or a double or number spread over a vector."""
        if isinstance(value, Variable):
            value = value.read()
        if isinstance(value, Value):
            if value.kind == kind:
                return value
            if kind in (self.number, self.block) and value.kind in (DOUBLE, self.number):
                return self._spread(value, places_of(kind))
            raise TranslationError(f"a value of kind {value.kind} where {kind} is needed.")
        if isinstance(value, bool) != (kind == TRUTH) or not isinstance(value, int | float):
            raise TranslationError(f"{value!r} where a value of kind {kind} is needed.")
        if kind == INTEGER:
            if int(value) != value:
                raise TranslationError(f"{value!r} where an integer is needed.")
            return Value(self, kind, str(int(value)))
        if kind == TRUTH:
            return Value(self, kind, "true" if value else "false")
        if kind == POINTER:
            raise TranslationError(f"{value!r} where a pointer is needed.")
        return Value(self, kind, splat(float(value), places_of(kind)))

    def alike(self, *values: Any) -> list[Value]:
        """Operands of one kind, that of the longest vector among them."""
        operands = [value.read() if isinstance(value, Variable) else value for value in values]
        kinds = [value.kind for value in operands if isinstance(value, Value)]
        if not kinds:
            raise TranslationError("no operand has a kind.")
        kind = max(kinds, key=places_of)
        return [self.of_kind(kind, value) for value in operands]

    def _spread(self, value: Value, places: int) -> Value:
        """A vector, or a double, again and again."""
        of, kind = places_of(value.kind), vector_type(places)
        if of == 1:
            value = self.emit(kind, f"insertelement {kind} poison, double {value.name}, i64 0")
            mask = f"<{places} x i32> zeroinitializer"
        else:
            mask = repeated(of, places // of)
        return self.emit(kind, f"shufflevector {value.kind} {value.name}, {value.kind} poison, {mask}")

    def intrinsic(self, name: str, *operands: Any) -> Value:
        """An intrinsic of LLVM on operands of one kind."""
        result = self.alike(*operands)
        kind = result[0].kind
        arguments = ", ".join(f"{kind} {operand.name}" for operand in result)
        return self.emit(kind, f"call {kind} @llvm.{name}.{suffix(places_of(kind))}({arguments})")

    def fma(self, a: Any, b: Any, c: Any) -> Value:
        """a b + c, rounded once where the machine can."""
        one, two, three = self.alike(a, b, c)
        return self.intrinsic("fma", one, two, three) if self.fused else one * two + three

    def library(self, name: str, value: Any, *more: Any) -> Value:
        """A function of the C library, in each lane."""
        value = value.read() if isinstance(value, Variable) else value
        if not isinstance(value, Value):
            value = self.of_kind(DOUBLE, value)
        others = [self.of_kind(DOUBLE, other) for other in more]
        if value.kind == DOUBLE:
            return self.call(f"@{name}", DOUBLE, value, *others)
        parts = (self.lane(value, lane) for lane in range(places_of(value.kind)))
        return self.beside([self.call(f"@{name}", DOUBLE, part, *others) for part in parts])

    def lane(self, value: Value, place: int) -> Value:
        """One double of a vector."""
        return self.emit(DOUBLE, f"extractelement {value.kind} {value.name}, i64 {place}")

    def number_of(self, block: Value, place: int) -> Value:
        """One number of a block."""
        if self.lanes == 1:
            return self.lane(block, place)
        mask = ", ".join(f"i32 {self.lanes * place + k}" for k in range(self.lanes))
        chosen = f"{block.kind} {block.name}, {block.kind} poison, <{self.lanes} x i32> <{mask}>"
        return self.emit(self.number, f"shufflevector {chosen}")

    def beside(self, values: list[Value]) -> Value:
        """Doubles beside each other: a number of so many lanes."""
        if len(values) == 1:
            return values[0]
        kind = vector_type(len(values))
        result = Value(self, kind, "poison")
        for lane, value in enumerate(values):
            result = self.emit(kind, f"insertelement {kind} {result.name}, double {value.name}, i64 {lane}")
        return result

    def select(self, condition: Value, one: Any, two: Any) -> Value:
        """One value where the condition holds, else the other."""
        if not isinstance(one, Value | Variable) and not isinstance(two, Value | Variable):
            like = TRUTH if isinstance(one, bool) else INTEGER if isinstance(one, int) else self.number
            one = self.of_kind(like, one)
        first, second = self.alike(one, two)
        kind, of = first.kind, places_of(condition.kind)
        if 1 < of < places_of(kind):
            wide = vector_type(places_of(kind), TRUTH)
            mask = repeated(of, places_of(kind) // of)
            condition = self.emit(
                wide, f"shufflevector {condition.kind} {condition.name}, {condition.kind} poison, {mask}"
            )
        text = f"select {condition.kind} {condition.name}, {kind} {first.name}, {kind} {second.name}"
        return self.emit(kind, text, first.target)

    def call(self, what: str, returns: str, *arguments: Value, target: Any = None) -> Value:
        """Call a function by its name or address."""
        operands = ", ".join(f"{argument.kind} {argument.name}" for argument in arguments)
        if returns == "void":
            self.write(f"call void {what}({operands})")
            return Value(self, "void", "")
        return self.emit(returns, f"call {returns} {what}({operands})", target)


def repeated(places: int, times: int) -> str:
    """The mask of a shuffle that repeats a vector."""
    return f"<{places * times} x i32> <{', '.join(f'i32 {k % places}' for k in range(places * times))}>"


def _refuse(what: str) -> NoReturn:
    raise TranslationError(f"a value of native code was used with {what} while the function is translated.")


def declared(lanes: int = 1) -> list[str]:
    """What may be called besides functions of the module itself, in functions of one lane and of so many."""
    intrinsics = [
        f"declare {kind} @llvm.{name}.{suffix(places)}({', '.join([kind] * arity)})"
        for places in sorted({1, WIDTH, lanes, WIDTH * lanes})
        for kind in [vector_type(places)]
        for name, arity in (("fma", 3), ("fabs", 1), ("sqrt", 1), ("maxnum", 2), ("minnum", 2))
    ]
    library = [f"declare double @{name}(double)" for name in ("exp", "log", "sin", "cos")]
    return [*intrinsics, *library, "declare double @pow(double, double)"]
