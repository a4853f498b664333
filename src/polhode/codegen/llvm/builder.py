"""A structured writer of LLVM IR: numbers with operators, loops and branches as `with` blocks, records by field.

What surrounds the equations (steps, error norms, Newton iterations) has loops and decisions, unlike the straight-line
programs of `block`. It is written with these few things, so that it reads as in a book:

    i64, double     numbers with + - * / and comparisons; `fma` is fused where the machine can
    vectors         `width` doubles, of the same operators; a double beside a vector is spread over it
    memory          `pointer[i]` and `pointer[i] = value` for doubles; `pointer.block(i)` for a block of them
    Variable        a number that changes; LLVM keeps it in a register
    Record          fields of 8 bytes at a pointer, of which ctypes has the same layout (`Layout.structure`)

A function may be in lanes, so that several runs go through it side by side. Then a number (`Function.number`) is a
vector with one double for each lane, a block (`Function.block`) has WIDTH of these, one after the other, and so have
arrays. What is written with numbers and blocks alone is the same function for one run and for lanes of them, and rounds
alike in each. Plain doubles are the same for all lanes.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from .sincos import splat, suffix, vector_type

DOUBLE, INTEGER, POINTER, TRUTH = "double", "i64", "ptr", "i1"
#: Doubles in a block of the state: the same on every machine, so that sums are rounded alike.
WIDTH = 4
BLOCK = f"<{WIDTH} x double>"


def declared(lanes: int = 1) -> list[str]:
    """What may be called besides functions of the module itself, in functions of one lane and of so many."""
    found = [
        f"declare {kind} @llvm.{name}.{suffix(places)}({', '.join([kind] * arity)})"
        for places in sorted({1, WIDTH, lanes, WIDTH * lanes})
        for kind in [vector_type(places)]
        for name, arity in (("fma", 3), ("fabs", 1), ("sqrt", 1), ("maxnum", 2), ("minnum", 2))
    ]
    return [*found, "declare double @pow(double, double)"]


DECLARATIONS = tuple(declared())

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


def _places(kind: str) -> int:
    """How many doubles, or truths, a value of this kind has."""
    return int(kind[1:].split(" ", 1)[0]) if kind.startswith("<") else 1


def _repeated(places: int, times: int) -> str:
    """The mask of a shuffle that repeats a vector."""
    return f"<{places * times} x i32> <{', '.join(f'i32 {k % places}' for k in range(places * times))}>"


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
        kind = vector_type(_places(one.kind), TRUTH)
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
        return self.function.emit(self.kind, f"and {self.kind} {self.name}, {other.name}")

    def __or__(self, other: Value) -> Value:
        return self.function.emit(self.kind, f"or {self.kind} {self.name}, {other.name}")

    def __invert__(self) -> Value:
        places = _places(self.kind)
        all_true = "true" if places == 1 else f"<{', '.join(['i1 true'] * places)}>"
        return self.function.emit(self.kind, f"xor {self.kind} {self.name}, {all_true}")

    def any(self) -> Value:
        """Whether a condition holds in some lane."""
        places = _places(self.kind)
        if places == 1:
            return self
        bits = self.function.emit(f"i{places}", f"bitcast {self.kind} {self.name} to i{places}")
        return self.function.emit(TRUTH, f"icmp ne i{places} {bits.name}, 0")

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
        return self.load(index, self.function.number)

    def __setitem__(self, index: Any, value: Any) -> None:
        self.store(index, value, self.function.number)

    def block(self, number: Any) -> Value:
        """A block of WIDTH numbers of an array."""
        return self.load(number, self.function.block)

    def store_block(self, number: Any, value: Any) -> None:
        """Write a block of WIDTH numbers."""
        self.store(number, value, self.function.block)

    def are_set(self) -> Value:
        """In which lanes the whole number at a pointer, one for each lane, is not zero."""
        kind = vector_type(self.function.lanes, INTEGER)
        zero = "0" if self.function.lanes == 1 else "zeroinitializer"
        found = self.load(0, kind)
        return self.function.emit(vector_type(self.function.lanes, TRUTH), f"icmp ne {kind} {found.name}, {zero}")

    def store_marks(self, truths: Value) -> None:
        """Write one whole number for each lane, 1 where a condition holds and 0 elsewhere."""
        kind = vector_type(self.function.lanes, INTEGER)
        made = self.function.emit(kind, f"zext {truths.kind} {truths.name} to {kind}")
        self.store(0, made, kind)

    def take_next(self) -> Value:
        """The whole number at a pointer, which is one more for whoever takes the next, in whatever thread."""
        return self.function.emit(INTEGER, f"atomicrmw add ptr {self.name}, i64 1 monotonic, align 8")

    def lane(self, place: int) -> Value:
        """One number of a block."""
        number, lanes = self.function.number, self.function.lanes
        if lanes == 1:
            return self.function.emit(DOUBLE, f"extractelement {self.kind} {self.name}, i64 {place}")
        mask = ", ".join(f"i32 {lanes * place + k}" for k in range(lanes))
        chosen = f"{self.kind} {self.name}, {self.kind} poison, <{lanes} x i32> <{mask}>"
        return self.function.emit(number, f"shufflevector {chosen}")

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

    def where(self) -> Value:
        """Where the record lies."""
        pointer: Value = self._of("pointer")
        return pointer

    def field(self, name: str) -> Variable:
        """A field as a variable."""
        return Variable(self.where().function, self._of("layout").kinds[name], self.address(name).name)

    def address(self, name: str) -> Value:
        """Where a field lies."""
        made: Value = self._of("pointer").at(self._of("layout").offsets[name])
        return made

    def _of(self, name: str) -> Any:
        return object.__getattribute__(self, name)


class Function:
    """A function under construction; `text` is its IR once it is finished."""

    def __init__(
        self,
        name: str,
        *,
        returns: str = "void",
        fused: bool = True,
        internal: bool = False,
        lanes: int = 1,
        **arguments: str,
    ) -> None:
        self.name, self.returns, self.fused, self.internal, self.lanes = name, returns, fused, internal, lanes
        self.number, self.block = vector_type(lanes), vector_type(WIDTH * lanes)
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
        """A value of this kind: itself, a Python number, or a double or number spread over a vector."""
        if isinstance(value, Variable):
            value = value.value
        if isinstance(value, Value):
            if value.kind == kind:
                return value
            if kind in (self.number, self.block) and value.kind in (DOUBLE, self.number):
                return self._spread(value, _places(kind))
            raise TypeError(f"a value of kind {value.kind} where {kind} is wanted")
        if kind == INTEGER:
            return Value(self, kind, str(int(value)))
        if kind == TRUTH:
            return Value(self, kind, "true" if value else "false")
        return Value(self, kind, splat(float(value), _places(kind)))

    def alike(self, *values: Any) -> list[Value]:
        """Operands of one kind, that of the longest vector among them."""
        given = [value.value if isinstance(value, Variable) else value for value in values]
        kind = max((value.kind for value in given if isinstance(value, Value)), key=_places)
        return [self.of_kind(kind, value) for value in given]

    def spread(self, value: Any) -> Value:
        """A number in each place of a block."""
        return self.of_kind(self.block, value)

    def _spread(self, value: Value, places: int) -> Value:
        """A vector, or a double, again and again."""
        of, kind = _places(value.kind), vector_type(places)
        if of == 1:
            value = self.emit(kind, f"insertelement {kind} poison, double {value.name}, i64 0")
            mask = f"<{places} x i32> zeroinitializer"
        else:
            mask = _repeated(of, places // of)
        return self.emit(kind, f"shufflevector {value.kind} {value.name}, {value.kind} poison, {mask}")

    def fma(self, a: Any, b: Any, c: Any) -> Value:
        """a b + c, rounded once where the machine can."""
        one, two, three = self.alike(a, b, c)
        if not self.fused:
            return one * two + three
        return self._intrinsic("fma", three.kind, one, two, three)

    def _intrinsic(self, name: str, kind: str, *arguments: Value) -> Value:
        given = ", ".join(f"{kind} {argument.name}" for argument in arguments)
        return self.emit(kind, f"call {kind} @llvm.{name}.{suffix(_places(kind))}({given})")

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

    def power(self, base: Value, exponent: float) -> Value:
        return self.library("pow", base, exponent)

    def library(self, name: str, value: Value, *more: float) -> Value:
        """A function of the C library, in each lane."""
        others = [self.of_kind(DOUBLE, other) for other in more]
        if value.kind == DOUBLE:
            return self.call(name, DOUBLE, value, *others)
        lanes = range(_places(value.kind))
        parts = (self.emit(DOUBLE, f"extractelement {value.kind} {value.name}, i64 {lane}") for lane in lanes)
        return self.joined([self.call(name, DOUBLE, part, *others) for part in parts])

    def joined(self, values: Sequence[Value]) -> Value:
        """Doubles beside each other: a number of so many lanes, or a block of one."""
        if len(values) == 1:
            return values[0]
        kind = vector_type(len(values))
        made = Value(self, kind, "poison")
        for place, value in enumerate(values):
            made = self.emit(kind, f"insertelement {kind} {made.name}, double {value.name}, i64 {place}")
        return made

    def select(self, condition: Value, one: Any, two: Any) -> Value:
        """One value where the condition holds, else the other."""
        first, second = self.alike(one, two)
        kind, of = first.kind, _places(condition.kind)
        if 1 < of < _places(kind):
            wide = vector_type(_places(kind), TRUTH)
            chosen = f"{condition.kind} {condition.name}, {condition.kind} poison, {_repeated(of, _places(kind) // of)}"
            condition = self.emit(wide, f"shufflevector {chosen}")
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
            kind = value.kind if isinstance(value, Value) else INTEGER if isinstance(value, int) else self.number
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
