"""A structured writer of LLVM IR: numbers with operators, loops and branches as `with` blocks, records by field.

What surrounds the equations (steps, error norms, Newton iterations) has loops and decisions, unlike the straight-line
programs of `block`. It is written with these few things, so that it reads as in a book:

    i64, double     numbers with + - * / and comparisons; `fma` is fused where the machine can
    vectors         `width` doubles, of the same operators; a double beside a vector is spread over it
    memory          `pointer[i]` and `pointer[i] = value` for doubles; `vector(pointer, i)` for a block of them
    Variable        a number that changes; LLVM keeps it in a register
    Record          fields of 8 bytes at a pointer, of which ctypes has the same layout (`Layout.structure`)
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from .sincos import double, splat

DOUBLE, INTEGER, POINTER, TRUTH = "double", "i64", "ptr", "i1"
#: Doubles in a block of the state: the same on every machine, so that sums are rounded alike.
WIDTH = 4
BLOCK = f"<{WIDTH} x double>"
#: What may be called besides functions of the module itself.
DECLARATIONS = tuple(
    [f"declare {kind} @llvm.{name}.{suffix}({', '.join([kind] * arity)})"
     for kind, suffix in ((DOUBLE, "f64"), (BLOCK, f"v{WIDTH}f64"))
     for name, arity in (("fma", 3), ("fabs", 1), ("sqrt", 1), ("maxnum", 2), ("minnum", 2))]
    + ["declare double @pow(double, double)"]
)  # fmt: skip

_CTYPES: Mapping[str, Any] = {DOUBLE: ctypes.c_double, INTEGER: ctypes.c_int64, POINTER: ctypes.c_void_p}
_FLOAT_OPS = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}
_INTEGER_OPS = {"add": "add", "sub": "sub", "mul": "mul", "div": "sdiv"}
_FLOAT_TESTS = {"lt": "olt", "le": "ole", "gt": "ogt", "ge": "oge", "eq": "oeq", "ne": "une"}
_INTEGER_TESTS = {"lt": "slt", "le": "sle", "gt": "sgt", "ge": "sge", "eq": "eq", "ne": "ne"}


class Layout:
    """The fields of a record, in order: names and kinds."""

    def __init__(self, **kinds: str) -> None:
        self.kinds = dict(kinds)
        self.offsets = {name: place for place, name in enumerate(kinds)}

    def structure(self) -> type[ctypes.Structure]:
        """The same record for Python."""
        fields = [(name, _CTYPES[kind]) for name, kind in self.kinds.items()]
        return type("Record", (ctypes.Structure,), {"_fields_": fields})


class Value:
    """A number, vector, truth value or pointer in a function under construction."""

    def __init__(self, function: Function, kind: str, name: str) -> None:
        self.function, self.kind, self.name = function, kind, name

    def _binary(self, op: str, other: Any, flipped: bool = False) -> Value:
        one, two = self.function.alike(self, other)
        if flipped:
            one, two = two, one
        ops = _INTEGER_OPS if one.kind == INTEGER else _FLOAT_OPS
        return self.function.emit(one.kind, f"{ops[op]} {one.kind} {one.name}, {two.name}")

    def __add__(self, other: Any) -> Value:
        return self._binary("add", other)

    def __radd__(self, other: Any) -> Value:
        return self._binary("add", other, True)

    def __sub__(self, other: Any) -> Value:
        return self._binary("sub", other)

    def __rsub__(self, other: Any) -> Value:
        return self._binary("sub", other, True)

    def __mul__(self, other: Any) -> Value:
        return self._binary("mul", other)

    def __rmul__(self, other: Any) -> Value:
        return self._binary("mul", other, True)

    def __truediv__(self, other: Any) -> Value:
        return self._binary("div", other)

    def __rtruediv__(self, other: Any) -> Value:
        return self._binary("div", other, True)

    def __neg__(self) -> Value:
        return self._binary("sub", 0, True) if self.kind == INTEGER else self._fneg()

    def _fneg(self) -> Value:
        return self.function.emit(self.kind, f"fneg {self.kind} {self.name}")

    def _test(self, relation: str, other: Any) -> Value:
        one, two = self.function.alike(self, other)
        if one.kind == INTEGER:
            return self.function.emit(TRUTH, f"icmp {_INTEGER_TESTS[relation]} i64 {one.name}, {two.name}")
        kind = TRUTH if one.kind == DOUBLE else f"<{WIDTH} x i1>"
        return self.function.emit(kind, f"fcmp {_FLOAT_TESTS[relation]} {one.kind} {one.name}, {two.name}")

    def __lt__(self, other: Any) -> Value:
        return self._test("lt", other)

    def __le__(self, other: Any) -> Value:
        return self._test("le", other)

    def __gt__(self, other: Any) -> Value:
        return self._test("gt", other)

    def __ge__(self, other: Any) -> Value:
        return self._test("ge", other)

    def equals(self, other: Any) -> Value:
        """Whether two numbers are equal."""
        return self._test("eq", other)

    def __and__(self, other: Value) -> Value:
        return self.function.emit(TRUTH, f"and i1 {self.name}, {other.name}")

    def __or__(self, other: Value) -> Value:
        return self.function.emit(TRUTH, f"or i1 {self.name}, {other.name}")

    def __invert__(self) -> Value:
        return self.function.emit(TRUTH, f"xor i1 {self.name}, true")

    # ---- memory: doubles behind a pointer ----------------------------------------------------------------------

    def at(self, index: Any, kind: str = DOUBLE) -> Value:
        """The address of an entry of an array of doubles, integers or pointers."""
        place = self.function.integer(index)
        return self.function.emit(POINTER, f"getelementptr {kind}, ptr {self.name}, i64 {place.name}")

    def load(self, index: Any = 0, kind: str = DOUBLE) -> Value:
        """An entry of an array."""
        return self.function.emit(kind, f"load {kind}, ptr {self.at(index, kind).name}, align 8")

    def store(self, index: Any, value: Any, kind: str = DOUBLE) -> None:
        """Write an entry of an array."""
        made = self.function.of_kind(kind, value)
        self.function.write(f"store {kind} {made.name}, ptr {self.at(index, kind).name}, align 8")

    def __getitem__(self, index: Any) -> Value:
        return self.load(index)

    def __setitem__(self, index: Any, value: Any) -> None:
        self.store(index, value)

    def block(self, number: Any) -> Value:
        """A block of WIDTH doubles of an array."""
        return self.load(number, BLOCK)

    def store_block(self, number: Any, value: Any) -> None:
        """Write a block of WIDTH doubles."""
        self.store(number, value, BLOCK)

    def lane(self, place: int) -> Value:
        """One number of a block."""
        return self.function.emit(DOUBLE, f"extractelement {self.kind} {self.name}, i64 {place}")

    def sum(self) -> Value:
        """The numbers of a block together, in pairs: (0 + 1) + (2 + 3)."""
        return (self.lane(0) + self.lane(1)) + (self.lane(2) + self.lane(3))

    def largest(self) -> Value:
        """The largest number of a block; one that is nan is left out."""
        largest = self.function.largest
        return largest(largest(self.lane(0), self.lane(1)), largest(self.lane(2), self.lane(3)))

    def as_double(self) -> Value:
        """A whole number as a double."""
        return self.function.emit(DOUBLE, f"sitofp i64 {self.name} to double")


class Variable:
    """A number that changes."""

    def __init__(self, function: Function, kind: str, address: str) -> None:
        self.function, self.kind, self.address = function, kind, address

    @property
    def value(self) -> Value:
        return self.function.emit(self.kind, f"load {self.kind}, ptr {self.address}, align 8")

    @value.setter
    def value(self, value: Any) -> None:
        made = self.function.of_kind(self.kind, value)
        self.function.write(f"store {self.kind} {made.name}, ptr {self.address}, align 8")


class Record:
    """The fields at a pointer: `record.t` reads, `record.t = …` writes."""

    def __init__(self, layout: Layout, pointer: Value) -> None:
        object.__setattr__(self, "layout", layout)
        object.__setattr__(self, "pointer", pointer)

    def __getattr__(self, name: str) -> Value:
        layout: Layout = self._of("layout")
        pointer: Value = self._of("pointer")
        return pointer.load(layout.offsets[name], layout.kinds[name])

    def __setattr__(self, name: str, value: Any) -> None:
        layout = self._of("layout")
        self._of("pointer").store(layout.offsets[name], value, layout.kinds[name])

    def address(self, name: str) -> Value:
        """Where a field lies."""
        made: Value = self._of("pointer").at(self._of("layout").offsets[name])
        return made

    def _of(self, name: str) -> Any:
        return object.__getattribute__(self, name)


class Function:
    """A function under construction; `text` is its IR once it is finished."""

    def __init__(
        self, name: str, *, returns: str = "void", fused: bool = True, internal: bool = False, **arguments: str
    ) -> None:
        self.name, self.returns, self.fused, self.internal = name, returns, fused, internal
        self.kinds = arguments
        self.arguments = {key: Value(self, kind, f"%{key}") for key, kind in arguments.items()}
        self._entry: list[str] = []
        self._lines: list[str] = []
        self._count = 0
        self._exits: list[str] = []

    # ---- writing -----------------------------------------------------------------------------------------------

    def fresh(self, stem: str = "v") -> str:
        self._count += 1
        return f"{stem}{self._count}"

    def write(self, line: str) -> None:
        self._lines.append(f"  {line}")

    def emit(self, kind: str, expression: str) -> Value:
        name = f"%{self.fresh()}"
        self.write(f"{name} = {expression}")
        return Value(self, kind, name)

    def _label(self, name: str) -> None:
        self._lines.append(f"{name}:")

    @property
    def text(self) -> str:
        """The function as IR."""
        arguments = ", ".join(f"{kind} %{key}" for key, kind in self.kinds.items())
        head = f"define {'internal ' if self.internal else ''}{self.returns} @{self.name}({arguments}) nounwind {{"
        end = ["  ret void"] if self.returns == "void" else ["  unreachable"]
        return "\n".join([head, "entry:", *self._entry, *self._lines, *end, "}"])

    # ---- values ------------------------------------------------------------------------------------------------

    def integer(self, value: Any) -> Value:
        return self.of_kind(INTEGER, value)

    def of_kind(self, kind: str, value: Any) -> Value:
        """A value of this kind: itself, a Python number, or a double spread over a block."""
        if isinstance(value, Variable):
            value = value.value
        if isinstance(value, Value):
            if value.kind == kind:
                return value
            if kind == BLOCK and value.kind == DOUBLE:
                return self.spread(value)
            raise TypeError(f"a value of kind {value.kind} where {kind} is wanted")
        if kind == INTEGER:
            return Value(self, kind, str(int(value)))
        if kind == TRUTH:
            return Value(self, kind, "true" if value else "false")
        return Value(self, kind, double(float(value)) if kind == DOUBLE else splat(float(value), WIDTH))

    def alike(self, one: Value, other: Any) -> tuple[Value, Value]:
        """Two operands of one kind."""
        if isinstance(other, Variable):
            other = other.value
        if isinstance(other, Value) and other.kind == BLOCK:
            return self.of_kind(BLOCK, one), other
        return one, self.of_kind(one.kind, other)

    def spread(self, value: Any) -> Value:
        """A double in each place of a block."""
        made = self.of_kind(DOUBLE, value)
        first = self.emit(BLOCK, f"insertelement {BLOCK} poison, double {made.name}, i64 0")
        return self.emit(BLOCK, f"shufflevector {BLOCK} {first.name}, {BLOCK} poison, <{WIDTH} x i32> zeroinitializer")

    def fma(self, a: Any, b: Any, c: Value) -> Value:
        """a b + c, rounded once where the machine can."""
        one, three = self.alike(c, a)[::-1] if isinstance(a, Value | Variable) else (self.of_kind(c.kind, a), c)
        two, three = self.alike(three, b)[::-1]
        one = self.of_kind(three.kind, one)
        if not self.fused:
            return one * two + three
        kind = three.kind
        return self._intrinsic("fma", kind, one, two, three)

    def _intrinsic(self, name: str, kind: str, *arguments: Value) -> Value:
        suffix = "f64" if kind == DOUBLE else f"v{WIDTH}f64"
        given = ", ".join(f"{kind} {argument.name}" for argument in arguments)
        return self.emit(kind, f"call {kind} @llvm.{name}.{suffix}({given})")

    def absolute(self, value: Value) -> Value:
        return self._intrinsic("fabs", value.kind, value)

    def sqrt(self, value: Value) -> Value:
        return self._intrinsic("sqrt", value.kind, value)

    def largest(self, one: Value, two: Any) -> Value:
        """The larger; where one is nan, the other."""
        first, second = self.alike(one, two)
        return self._intrinsic("maxnum", first.kind, first, second)

    def smallest(self, one: Value, two: Any) -> Value:
        """The smaller; where one is nan, the other."""
        first, second = self.alike(one, two)
        return self._intrinsic("minnum", first.kind, first, second)

    def power(self, base: Value, exponent: Any) -> Value:
        return self.call("pow", DOUBLE, base, self.of_kind(DOUBLE, exponent))

    def select(self, condition: Value, one: Any, two: Any) -> Value:
        """One value where the condition holds, else the other."""
        kind = next(value.kind for value in (one, two) if isinstance(value, Value))
        first, second = self.of_kind(kind, one), self.of_kind(kind, two)
        return self.emit(kind, f"select {condition.kind} {condition.name}, {kind} {first.name}, {kind} {second.name}")

    def call(self, name: str, returns: str, *arguments: Value) -> Value:
        """Call a function of this module."""
        return self._called(f"@{name}", returns, arguments)

    def call_at(self, address: Value, returns: str, *arguments: Value) -> Value:
        """Call the function at an address."""
        return self._called(address.name, returns, arguments)

    def _called(self, what: str, returns: str, arguments: Sequence[Value]) -> Value:
        given = ", ".join(f"{argument.kind} {argument.name}" for argument in arguments)
        if returns == "void":
            self.write(f"call void {what}({given})")
            return Value(self, "void", "")
        return self.emit(returns, f"call {returns} {what}({given})")

    # ---- memory ------------------------------------------------------------------------------------------------

    def variable(self, value: Any, kind: str | None = None) -> Variable:
        """A number that changes, with its first value."""
        if kind is None:
            kind = value.kind if isinstance(value, Value) else INTEGER if isinstance(value, int) else DOUBLE
        name = f"%{self.fresh('var')}"
        self._entry.append(f"  {name} = alloca {kind}, align 32")
        made = Variable(self, kind, name)
        made.value = value
        return made

    # ---- flow --------------------------------------------------------------------------------------------------

    @contextmanager
    def loop(self, count: Any, start: Any = 0) -> Iterator[Value]:
        """For i = start, …, count - 1."""
        index = self.variable(self.integer(start))
        end = self.integer(count)
        with self.repeat():
            self.leave_if(~(index.value < end))
            yield index.value
            index.value = index.value + 1

    @contextmanager
    def repeat(self) -> Iterator[None]:
        """Again and again, until `leave` or `leave_if`."""
        head, done = self.fresh("loop"), self.fresh("done")
        self.write(f"br label %{head}")
        self._label(head)
        self._exits.append(done)
        yield
        self._exits.pop()
        self.write(f"br label %{head}")
        self._label(done)

    def leave_if(self, condition: Value) -> None:
        """Leave the innermost loop where a condition holds."""
        on = self.fresh("on")
        self.write(f"br i1 {condition.name}, label %{self._exits[-1]}, label %{on}")
        self._label(on)

    def leave(self) -> None:
        """Leave the innermost loop."""
        self.write(f"br label %{self._exits[-1]}")
        self._label(self.fresh("never"))

    @contextmanager
    def when(self, condition: Value) -> Iterator[None]:
        """Where a condition holds."""
        then, done = self.fresh("then"), self.fresh("done")
        self.write(f"br i1 {condition.name}, label %{then}, label %{done}")
        self._label(then)
        yield
        self.write(f"br label %{done}")
        self._label(done)

    def give(self, value: Any = None) -> None:
        """Return."""
        if self.returns == "void":
            self.write("ret void")
        else:
            made = self.of_kind(self.returns, value)
            self.write(f"ret {self.returns} {made.name}")
        self._label(self.fresh("never"))
