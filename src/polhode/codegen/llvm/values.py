"""Values of functions under construction (`builder`): numbers with operators, memory, variables, records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .sincos import suffix, vector_type

if TYPE_CHECKING:
    from .builder import Function

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

_FLOAT_OPS = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}
_INTEGER_OPS = {"add": "add", "sub": "sub", "mul": "mul", "div": "sdiv"}
_FLOAT_TESTS = {"lt": "olt", "le": "ole", "gt": "ogt", "ge": "oge", "eq": "oeq", "ne": "une"}
_INTEGER_TESTS = {"lt": "slt", "le": "sle", "gt": "sgt", "ge": "sge", "eq": "eq", "ne": "ne"}


def places_of(kind: str) -> int:
    """How many doubles, or truths, a value of this kind has."""
    return int(kind[1:].split(" ", 1)[0]) if kind.startswith("<") else 1


def repeated(places: int, times: int) -> str:
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

    def test(self, relation: str, other: Any) -> Value:
        """The condition of a comparison."""
        one, two = self.function.alike(self, other)
        if one.kind == INTEGER:
            return self.function.emit(TRUTH, f"icmp {_INTEGER_TESTS[relation]} i64 {one.name}, {two.name}")
        kind = vector_type(places_of(one.kind), TRUTH)
        return self.function.emit(kind, f"fcmp {_FLOAT_TESTS[relation]} {one.kind} {one.name}, {two.name}")

    def equals(self, other: Any) -> Value:
        """Whether two numbers are equal."""
        return self.test("eq", other)

    def __invert__(self) -> Value:
        places = places_of(self.kind)
        all_true = "true" if places == 1 else f"<{', '.join(['i1 true'] * places)}>"
        return self.function.emit(self.kind, f"xor {self.kind} {self.name}, {all_true}")

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

    def lane(self, place: int) -> Value:
        """One number of a block."""
        number, lanes = self.function.number, self.function.lanes
        if lanes == 1:
            return self.function.emit(DOUBLE, f"extractelement {self.kind} {self.name}, i64 {place}")
        mask = ", ".join(f"i32 {lanes * place + k}" for k in range(lanes))
        chosen = f"{self.kind} {self.name}, {self.kind} poison, <{lanes} x i32> <{mask}>"
        return self.function.emit(number, f"shufflevector {chosen}")

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
