"""Gaussian elimination with partial pivoting, as native code: P A = L U, for real matrices and for complex ones.

    ph_factor_real(n, blocks, factors)       0, or 1 where A is singular; complex alike
    ph_solve_real(n, blocks, factors, b)     b becomes A⁻¹ b

A matrix is n rows of whole blocks; a row of a complex one is its real parts and then its imaginary parts, as is b. The
multipliers of L are kept apart from U, a column of L in a row of its own, and the pivots apart from both: what is left
has zeros up to its diagonal, so that all work on rows is on whole blocks. Multipliers that vanish, as most of those of
q̇ = Γ u do, cost nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..codegen.llvm.builder import BLOCK, DOUBLE, INTEGER, POINTER, WIDTH, Function, Layout, Record, Value, Variable

#: A factored matrix: U (before: A), the columns of L, reciprocals of the pivots, and the rows that were exchanged.
FACTORS = Layout(upper=POINTER, lower=POINTER, reciprocals=POINTER, exchanged=POINTER)

Number = tuple[Value, ...]  # a real number, or a complex one by its two parts


@dataclass(frozen=True)
class Field:
    """The numbers that a matrix is of: of one part or two."""

    name: str
    parts: int

    def times(self, f: Function, a: Number, b: Number) -> Number:
        """a b."""
        if self.parts == 1:
            return (a[0] * b[0],)
        return f.fma(-a[1], b[1], a[0] * b[0]), f.fma(a[0], b[1], a[1] * b[0])

    def plus_product(self, f: Function, a: Number, b: Number, c: Number) -> Number:
        """a b + c."""
        if self.parts == 1:
            return (f.fma(a[0], b[0], c[0]),)
        return f.fma(-a[1], b[1], f.fma(a[0], b[0], c[0])), f.fma(a[0], b[1], f.fma(a[1], b[0], c[1]))

    def reciprocal(self, f: Function, a: Number) -> Number:
        """1 / a."""
        if self.parts == 1:
            return (1.0 / a[0],)
        square = f.fma(a[0], a[0], a[1] * a[1])
        return a[0] / square, -a[1] / square

    def size(self, f: Function, a: Number) -> Value:
        """How large a number is, as a pivot."""
        first = f.absolute(a[0])
        return first if self.parts == 1 else first + f.absolute(a[1])

    def negative(self, a: Number) -> Number:
        """-a."""
        return tuple(-part for part in a)

    def load(self, row: Value, index: Value, blocks: Value, kind: str = DOUBLE) -> Number:
        """An entry of a row, or a block of it."""
        width = blocks if kind == BLOCK else blocks * WIDTH
        return tuple(row.load(index + width * part, kind) for part in range(self.parts))

    def store(self, row: Value, index: Value, blocks: Value, number: Number, kind: str = DOUBLE) -> None:
        """Write an entry of a row, or a block of it."""
        width = blocks if kind == BLOCK else blocks * WIDTH
        for part, value in enumerate(number):
            row.store(index + width * part, value, kind)

    def row(self, matrix: Value, number: Value, blocks: Value) -> Value:
        """A row of a matrix."""
        return matrix.at(number * (blocks * self.parts), BLOCK)


REAL, COMPLEX = Field("real", 1), Field("complex", 2)
FIELDS = {each.name: each for each in (REAL, COMPLEX)}


def factor_function(field: Field, fused: bool) -> Function:
    """ph_factor_…(n, blocks, factors): U over A, L, the pivots and the exchanges."""
    f = Function(
        f"ph_factor_{field.name}", returns=INTEGER, fused=fused, internal=True,
        n=INTEGER, blocks=INTEGER, factors=POINTER,
    )  # fmt: skip
    n, blocks = f.arguments["n"], f.arguments["blocks"]
    factors = Record(FACTORS, f.arguments["factors"])
    upper, lower, reciprocals, exchanged = factors.upper, factors.lower, factors.reciprocals, factors.exchanged
    zero = tuple(f.of_kind(DOUBLE, 0.0) for _ in range(field.parts))
    with f.loop(n) as k:
        found, largest = f.variable(k), f.variable(-1.0)
        with f.loop(n, k) as i:
            size = field.size(f, field.load(field.row(upper, i, blocks), k, blocks))
            with f.when(size > largest.value):
                found.value, largest.value = i, size
        with f.when(~((largest.value > 0.0) & (largest.value < 1e300))):
            f.give(1)
        exchanged.store(k, found.value, INTEGER)
        pivot_row, first = field.row(upper, k, blocks), k / WIDTH
        with f.when(found.value > k):
            other = field.row(upper, found.value, blocks)
            with f.loop(blocks, first) as block:
                one, two = (field.load(row, block, blocks, BLOCK) for row in (pivot_row, other))
                field.store(pivot_row, block, blocks, two, BLOCK)
                field.store(other, block, blocks, one, BLOCK)
        reciprocal = field.reciprocal(f, field.load(pivot_row, k, blocks))
        field.store(reciprocals, k, blocks, reciprocal)
        field.store(pivot_row, k, blocks, zero)
        column = field.row(lower, k, blocks)
        with f.loop(n, k + 1) as i:
            row = field.row(upper, i, blocks)
            multiplier = field.times(f, field.load(row, k, blocks), reciprocal)
            field.store(column, i, blocks, multiplier)
            field.store(row, k, blocks, zero)
            with f.when(field.size(f, multiplier) > 0.0):
                less = tuple(f.spread(part) for part in field.negative(multiplier))
                with f.loop(blocks, first) as block:
                    above = field.load(pivot_row, block, blocks, BLOCK)
                    new = field.plus_product(f, less, above, field.load(row, block, blocks, BLOCK))
                    field.store(row, block, blocks, new, BLOCK)
    f.give(0)
    return f


def solve_function(field: Field, fused: bool) -> Function:
    """ph_solve_…(n, blocks, factors, b): b becomes A⁻¹ b."""
    f = Function(
        f"ph_solve_{field.name}", fused=fused, internal=True, n=INTEGER, blocks=INTEGER, factors=POINTER, b=POINTER
    )
    n, blocks, b = f.arguments["n"], f.arguments["blocks"], f.arguments["b"]
    factors = Record(FACTORS, f.arguments["factors"])
    upper, lower, reciprocals, exchanged = factors.upper, factors.lower, factors.reciprocals, factors.exchanged
    with f.loop(n) as k:
        other = exchanged.load(k, INTEGER)
        one, two = field.load(b, k, blocks), field.load(b, other, blocks)
        field.store(b, other, blocks, one)
        field.store(b, k, blocks, two)
        with f.when(field.size(f, two) > 0.0):
            less, column = tuple(f.spread(part) for part in field.negative(two)), field.row(lower, k, blocks)
            with f.loop(blocks, k / WIDTH) as block:
                below = field.load(column, block, blocks, BLOCK)
                new = field.plus_product(f, less, below, field.load(b, block, blocks, BLOCK))
                field.store(b, block, blocks, new, BLOCK)
    with f.loop(n) as back:
        k = n - 1 - back
        row = field.row(upper, k, blocks)
        sums: list[Variable] = [f.variable(0.0, BLOCK) for _ in range(field.parts)]
        with f.loop(blocks, k / WIDTH) as block:
            known = tuple(total.value for total in sums)
            factor = field.load(row, block, blocks, BLOCK)
            new = field.plus_product(f, factor, field.load(b, block, blocks, BLOCK), known)
            for total, value in zip(sums, new, strict=True):
                total.value = value
        rest = tuple(value - total.value.sum() for value, total in zip(field.load(b, k, blocks), sums, strict=True))
        field.store(b, k, blocks, field.times(f, rest, field.load(reciprocals, k, blocks)))
    return f


def factor(f: Function, field: Field, run: Record, factors: Value) -> Value:
    """Factor a matrix of the state's size; whether it is singular."""
    return f.call(f"ph_factor_{field.name}", INTEGER, run.size, run.blocks, factors) > 0


def solve(f: Function, field: Field, run: Record, factors: Value, b: Value) -> None:
    """b becomes A⁻¹ b."""
    f.call(f"ph_solve_{field.name}", "void", run.size, run.blocks, factors, b)
