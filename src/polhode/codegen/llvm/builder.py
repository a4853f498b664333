"""LLVM IR with loops, for the recurrences of Taylor series: numbers with operators, memory, variables.

In lanes a number (`Function.number`) is a vector with one double for each lane, and a block (`Function.block`) has
WIDTH of these, one after the other. What is written with numbers and blocks alone is the same for one and for several.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from .sincos import splat, suffix, vector_type
from .values import (
    BLOCK,
    DECLARATIONS,
    DOUBLE,
    INTEGER,
    POINTER,
    TRUTH,
    WIDTH,
    Value,
    Variable,
    declared,
    places_of,
    repeated,
)

__all__ = [
    "BLOCK", "DECLARATIONS", "DOUBLE", "INTEGER", "POINTER", "TRUTH", "WIDTH", "Function", "Value",
    "Variable", "declared",
]  # fmt: skip


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
        # callers from outside leave the stack anywhere: vectors that lie across two lines of the cache cost a fifth
        kind, frame = ("internal ", "") if self.internal else ("", " alignstack(64)")
        head = f"define {kind}{self.returns} @{self.name}({arguments}) nounwind{frame} {{"
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
                return self._spread(value, places_of(kind))
            raise TypeError(f"a value of kind {value.kind} where {kind} is wanted")
        if kind == INTEGER:
            return Value(self, kind, str(int(value)))
        if kind == TRUTH:
            return Value(self, kind, "true" if value else "false")
        return Value(self, kind, splat(float(value), places_of(kind)))

    def alike(self, *values: Any) -> list[Value]:
        """Operands of one kind, that of the longest vector among them."""
        given = [value.value if isinstance(value, Variable) else value for value in values]
        kind = max((value.kind for value in given if isinstance(value, Value)), key=places_of)
        return [self.of_kind(kind, value) for value in given]

    def spread(self, value: Any) -> Value:
        """A number in each place of a block."""
        return self.of_kind(self.block, value)

    def _spread(self, value: Value, places: int) -> Value:
        """A vector, or a double, again and again."""
        of, kind = places_of(value.kind), vector_type(places)
        if of == 1:
            value = self.emit(kind, f"insertelement {kind} poison, double {value.name}, i64 0")
            mask = f"<{places} x i32> zeroinitializer"
        else:
            mask = repeated(of, places // of)
        return self.emit(kind, f"shufflevector {value.kind} {value.name}, {value.kind} poison, {mask}")

    def fma(self, a: Any, b: Any, c: Any) -> Value:
        """a b + c, rounded once where the machine can."""
        one, two, three = self.alike(a, b, c)
        if not self.fused:
            return one * two + three
        return self._intrinsic("fma", three.kind, one, two, three)

    def _intrinsic(self, name: str, kind: str, *arguments: Value) -> Value:
        given = ", ".join(f"{kind} {argument.name}" for argument in arguments)
        return self.emit(kind, f"call {kind} @llvm.{name}.{suffix(places_of(kind))}({given})")

    def select(self, condition: Value, one: Any, two: Any) -> Value:
        """One value where the condition holds, else the other."""
        first, second = self.alike(one, two)
        kind, of = first.kind, places_of(condition.kind)
        if 1 < of < places_of(kind):
            wide = vector_type(places_of(kind), TRUTH)
            chosen = (
                f"{condition.kind} {condition.name}, {condition.kind} poison, {repeated(of, places_of(kind) // of)}"
            )
            condition = self.emit(wide, f"shufflevector {chosen}")
        return self.emit(kind, f"select {condition.kind} {condition.name}, {kind} {first.name}, {kind} {second.name}")

    def call(self, name: str, returns: str, *arguments: Value) -> Value:
        """Call a function of this module."""
        return self._called(f"@{name}", returns, arguments)

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
            self.leave_if(~index.value.test("lt", end))
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
