"""The Taylor coefficients of a motion as native code.

    ph_jet(arguments, jet, scratch, order)

`arguments` is the table of pointers that the program's `ph_at` takes: its input arrays, among them the state x and, if
there is one, the time t, then the work array. Row k of `jet` becomes x⁽ᵏ⁾/k!, padded with zeros to whole blocks, for
all k up to the order; `scratch` has room for `JetLayout.scratch_size` doubles.

Order zero is the program itself, a kernel like any other. Then one loop runs over the orders. All sums ⟨a, b⟩_k of an
order read lower orders alone, so that they are computed before everything else, four different sums in the lanes of a
block: no sum runs across lanes. Their factors are stored for that, row by row, as blocks, in the order of the program.
Where several motions go side by side, a number fills a vector by itself, and a block is one factor. What is left of an
order is straight-line code, about as long as the program. The products with the newest order come last in each sum: the
others do not wait for it.

Code with all orders unrolled is a fifth faster for a double pendulum, slower for larger systems, and takes twenty
times as long to compile; so there is none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, partial
from types import MappingProxyType

from ..ir.program import Output
from ..llvm.block import declarations
from ..llvm.calls import functions_ir
from ..llvm.function import INTEGER, POINTER, WIDTH, Function, Value, Variable, declared
from ..llvm.kernels import Kernel, kernel_ir
from .recurrences import STEADY, SeriesProgram


@dataclass(frozen=True, slots=True, order=True)
class Factor:
    """The orders a_j of a slot, or those of its derivative, j a_j."""

    slot: int
    derived: bool = False


@dataclass(frozen=True, slots=True)
class SumPack:
    """Up to four sums: the slots whose rules they belong to, and the numbers of the blocks of their factors."""

    slots: tuple[int, ...]
    one: int
    other: int


@dataclass(frozen=True)
class SumPacks:
    """All sums of a program, and the blocks of factors that they read."""

    packs: tuple[SumPack, ...]
    blocks: tuple[tuple[Factor, ...], ...]


def sum_packs(series: SeriesProgram, width: int = WIDTH) -> SumPacks:
    """The sums in the order of the program, in groups of four, or of `width`."""
    sums = _sums(series)
    packs, blocks = [], dict[tuple[Factor, ...], int]()
    for start in range(0, len(sums), width):
        together = sums[start : start + width]
        slots, ones, others = zip(*together, strict=True)
        one, other = (blocks.setdefault(side, len(blocks)) for side in (ones, others))
        packs.append(SumPack(slots, one, other))
    return SumPacks(tuple(packs), tuple(blocks))


def _sums(series: SeriesProgram) -> list[tuple[int, Factor, Factor]]:
    """The slot and the two factors of each sum."""
    sums: list[tuple[int, Factor, Factor]] = []
    for slot, rule in enumerate(series.rules, series.program.first_run):
        match rule.name, rule.args:
            case "product", (a, b):
                sums.append((slot, Factor(a), Factor(b)))
            case "square", (a,):
                sums.append((slot, Factor(a), Factor(a)))
            case ("quotient", (_, b)) | ("inverse", (b,)):
                sums.append((slot, Factor(b), Factor(slot)))
            case "root", _:
                sums.append((slot, Factor(slot), Factor(slot)))
            case "integral", (a, w):
                sums.append((slot, Factor(a, derived=True), Factor(w)))
    return sums


#: So many sums are added up in one loop: their blocks stay in registers.
_TOGETHER = 5


@dataclass(frozen=True)
class JetLayout:
    """The layout of `ph_jet`'s scratch: order zero of the slots in recurrences, then rows of blocks of factors."""

    first: Mapping[int, int]
    packs: SumPacks
    width: int = WIDTH  # numbers in a block of factors

    @property
    def rows_at(self) -> int:
        """The offset of the rows, in doubles."""
        return -(-len(self.first) // WIDTH) * WIDTH

    @property
    def row(self) -> int:
        """Doubles in a row."""
        return self.width * len(self.packs.blocks)

    def scratch_size(self, order: int) -> int:
        """Size of the scratch array in doubles."""
        return self.rows_at + self.row * (order + 1)


def jet_layout(series: SeriesProgram, width: int = WIDTH) -> JetLayout:
    """The layout for a program."""
    # slots of the work array that nothing reads any more are read, so that the others keep their places in it
    unused = set(series.work) - set(series.program.saved)
    read = sorted({*_read_at_zero(series), *series.rates, *series.states, *unused})
    return JetLayout({slot: k for k, slot in enumerate(read)}, sum_packs(series, width), width)


def jet_ir(series: SeriesProgram, *, fused: bool = True, lanes: int = 1) -> list[str]:
    """The functions: order zero, and `ph_jet`; of one motion, or of several in lanes."""
    layout = jet_layout(series, WIDTH if lanes == 1 else 1)
    program = replace(series.program, outputs=(Output("first", (len(layout.first),), tuple(layout.first)),))
    kernel = Kernel(program, "ph_first", lanes=lanes, fused=fused, attributes="internal")
    return [*kernel_ir(kernel, alike=True), _JetWriter(series, layout, fused, lanes).function().text]


def jet_module(series: SeriesProgram, *, fused: bool = True, lanes: int = 1) -> str:
    """The module with `ph_jet`."""
    text = [*declarations(lanes, fused), *declared(lanes), *functions_ir(series.program, lanes)]
    text += jet_ir(series, fused=fused, lanes=lanes)
    kept, seen = [], set[str]()
    for line in "\n".join(text).split("\n"):
        name = line.partition("@")[2].partition("(")[0] if line.startswith("declare ") else ""
        if not name or name not in seen:
            kept.append(line)
            seen.add(name)
    return "\n".join(kept)


def _read_at_zero(series: SeriesProgram) -> set[int]:
    slots: set[int] = set()
    for slot, rule in enumerate(series.rules, series.program.first_run):
        match rule.name, rule.args:
            case "scaled", (steady, _):
                slots.add(steady)
            case "product", (a, b):
                slots |= {a, b}
            case "square", (a,):
                slots.add(a)
            case ("quotient", (_, b)) | ("inverse", (b,)):
                slots |= {b, slot}
            case "root", _:
                slots.add(slot)
            case "integral", (_, w):
                slots.add(w)
    return slots


class _JetWriter:
    """The writer of `ph_jet`: the value of each slot at the current order."""

    def __init__(self, series: SeriesProgram, layout: JetLayout, fused: bool, lanes: int) -> None:
        self.series, self.layout = series, layout
        kinds = {"arguments": POINTER, "jet": POINTER, "scratch": POINTER, "order": INTEGER}
        self.f = Function("ph_jet", kinds, fused=fused, lanes=lanes, is_scoped=False)
        self.arguments, self.jet, self.scratch, self.order = (
            Value(self.f, kind, f"%{name}") for name, kind in kinds.items()
        )
        self.piece = self.f.block if lanes == 1 else self.f.number
        self.rows = self.scratch.at(layout.rows_at, self.f.number)
        self.inverses: dict[int, Value] = {}
        self.now: dict[int, Value] = {}
        self.sums: dict[int, Value] = {}

    def function(self) -> Function:
        f, series = self.f, self.series
        self._order_zero()
        rates = [f.variable(self.first(slot)) for slot in series.rates]
        width = len(self.layout.packs.blocks)
        with self._loop(1, self.order) as k:
            self._next_state(k, rates)
            self._add_up(k)
            for slot in series.time:
                self.now[slot] = f.select(k.compare("==", 1), f.of_kind(f.number, 1.0), 0.0)
            for slot, rule in enumerate(series.rules, series.program.first_run):
                if rule != STEADY:
                    value = RULES[rule.name](self, slot, *rule.args)
                    self.now[slot] = value if rule.sign > 0 else -value
            self._write_factors(self.rows.at(k * width, self.piece), rates)
            for rate, slot in zip(rates, series.rates, strict=True):
                rate.write(self.now.get(slot, 0.0))
        self._next_state(self.order, rates)
        return f

    @contextmanager
    def _loop(self, start: int, count: Value) -> Iterator[Value]:
        """For i = start, …, count - 1."""
        f = self.f
        index, head, done = f.variable(start), f.fresh("loop"), f.fresh("done")
        f.jump(head)
        f.label(head)
        goes_on, inside = index.read().compare("<", count), f.fresh("on")
        f.branch(goes_on, inside, done)
        f.label(inside)
        yield index.read()
        index.write(index.read() + 1)
        f.jump(head)
        f.label(done)

    def _next_state(self, k: Value, rates: list[Variable]) -> None:
        """Order k of the state is its rate's order k − 1, over k."""
        self.k, self.over_k = k.as_double(), 1.0 / k.as_double()
        self.now = {slot: rate.read() * self.over_k for slot, rate in zip(self.series.states, rates, strict=True)}
        self._write_state(k)

    def first(self, slot: int) -> Value:
        """Order zero."""
        return self.scratch.load(self.layout.first[slot], self.f.number)

    def _order_zero(self) -> None:
        f, program = self.f, self.series.program
        pointers = [self.arguments.load(k, POINTER) for k in range(len(program.arrays) + 1)]
        f.call("@ph_first", "void", *pointers, self.scratch)
        for slot, rule in enumerate(self.series.rules, program.first_run):
            if rule.name in ("quotient", "inverse"):
                self.inverses[slot] = 1.0 / self.first(rule.args[-1])
            elif rule.name == "root":
                self.inverses[slot] = 0.5 / self.first(slot)
        for number in range(len(self.layout.packs.blocks)):
            self.rows.store(number, 0.0, self.piece)
        self.now = {slot: self.first(slot) for slot in self.series.states}
        self._write_state(f.of_kind(INTEGER, 0))

    def _write_state(self, k: Value) -> None:
        states = self.series.states
        row = self.jet.at(k * (-(-len(states) // WIDTH)), self.f.block)
        if self.f.lanes > 1:
            for row_index, slot in enumerate(states):
                row.store(row_index, self.now[slot], self.f.number)
            return
        for number, start in enumerate(range(0, len(states), WIDTH)):
            self._write_block(row, number, [self.now[slot] for slot in states[start : start + WIDTH]])

    def _write_block(self, row: Value, number: int, values: list[Value], kind: str = "store") -> None:
        """A block of values, filled up with zeros."""
        f = self.f
        if len(values) == WIDTH and all(value is values[0] for value in values):
            block = f.of_kind(f.block, values[0])
        else:
            block = f.of_kind(f.block, 0.0)
            for lane, value in enumerate(values):
                block = f.emit(f.block, f"insertelement {f.block} {block.name}, double {value.name}, i64 {lane}")
        f.write(f"{kind} {f.block} {block.name}, ptr {row.at(number, f.block).name}, align 8")

    def _add_up(self, k: Value) -> None:
        """All sums ⟨a, b⟩_k: a_j b_{k-j} and a_{k-j} b_j together, from the middle to the newest order."""
        f, packs = self.f, self.layout.packs.packs
        half = (k - 1) // 2
        # an odd order has no middle: row zero is zero
        middle = f.select((half * 2 + 1).compare("==", k), 0, half + 1)
        for start in range(0, len(packs), _TOGETHER):
            together = packs[start : start + _TOGETHER]
            row = self._row(middle)
            totals = [f.variable(row(pack.one) * row(pack.other)) for pack in together]
            mirrored = [f.variable(f.of_kind(self.piece, 0.0)) for _ in together]
            with self._loop(0, half) as i:
                j = half - i
                low, high = self._row(j), self._row(k - j)
                for total, other, pack in zip(totals, mirrored, together, strict=True):
                    total.write(f.fma(low(pack.one), high(pack.other), total.read()))
                    other.write(f.fma(high(pack.one), low(pack.other), other.read()))
            for total, other, pack in zip(totals, mirrored, together, strict=True):
                value = total.read() + other.read()
                for lane, slot in enumerate(pack.slots):
                    self.sums[slot] = f.lane(value, lane) if f.lanes == 1 else value

    def _row(self, k: Value) -> Callable[[int], Value]:
        """The blocks of factors of order k, each loaded once."""
        return cache(partial(self.rows.at(k * len(self.layout.packs.blocks), self.piece).load, kind=self.piece))

    def _write_factors(self, row: Value, rates: list[Variable]) -> None:
        """Order k of the factors that sums will read."""
        of_state = {slot: rate.read() for slot, rate in zip(self.series.states, rates, strict=True)}
        result: dict[Factor, Value] = {}

        def value(factor: Factor) -> Value:
            if factor not in result:
                plain = self.now[factor.slot]
                if factor.derived:
                    plain = of_state[factor.slot] if factor.slot in of_state else plain * self.k
                result[factor] = plain
            return result[factor]

        for number, factors in enumerate(self.layout.packs.blocks):
            if self.f.lanes > 1:
                row.store(number, value(factors[0]), self.f.number)
                continue
            # volatile: LLVM would store halves, which no load of the whole can be served from before they are in memory
            self._write_block(row, number, [value(factor) for factor in factors], "store volatile")


def _root(w: _JetWriter, slot: int, a: int) -> Value:
    return (w.now[a] - w.sums[slot]) * w.inverses[slot]


#: How order k of a value in a slot is written, by the name of its rule, of the slots that this reads.
RULES: Mapping[str, Callable[..., Value]] = MappingProxyType({
    "same": lambda w, slot, a: w.now[a],
    "negation": lambda w, slot, a: -w.now[a],
    "sum": lambda w, slot, a, b: w.now[a] + w.now[b],
    "difference": lambda w, slot, a, b: w.now[a] - w.now[b],
    "scaled": lambda w, slot, c, a: w.first(c) * w.now[a],
    "product": lambda w, slot, a, b: w.f.fma(w.first(b), w.now[a], w.f.fma(w.first(a), w.now[b], w.sums[slot])),
    "square": lambda w, slot, a: w.f.fma(w.first(a), w.now[a], w.f.fma(w.first(a), w.now[a], w.sums[slot])),
    "quotient": lambda w, slot, a, b: (w.now[a] - w.f.fma(w.first(slot), w.now[b], w.sums[slot])) * w.inverses[slot],
    "inverse": lambda w, slot, b: -w.f.fma(w.first(slot), w.now[b], w.sums[slot]) * w.inverses[slot],
    "root": _root,
    "integral": lambda w, slot, a, b: w.f.fma(w.first(b), w.now[a], w.sums[slot] * w.over_k),
})  # fmt: skip
