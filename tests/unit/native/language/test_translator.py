"""Native code does what the same functions do in plain Python, and what is not of the language is refused."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from polhode.native.engine import Library, object_code
from polhode.native.language import (
    INFINITY,
    NAN,
    Array,
    Code,
    Integers,
    Module,
    Pointers,
    Struct,
    TranslationError,
    absolute,
    at,
    blocks,
    call,
    cos,
    counted,
    entry,
    exp,
    fma,
    greatest,
    inline,
    is_nan,
    largest,
    local,
    log,
    native,
    power,
    record_at,
    row,
    sin,
    smallest,
    sqrt,
    take_next,
    total,
    vector,
)  # fmt: skip


class Work(Struct):
    """A record with every kind of field."""

    t: float
    n: int
    blocks: int
    x: Array
    k: Array
    numbers: Integers
    table: Pointers
    function: Code
    other: Other
    memory: Array  # another record


class Other(Struct):
    """A record that another points to."""

    value: float


@native
def branches(x: float, n: int) -> float:
    if x > 1.0 and n > 2:
        return x
    elif x < -1.0 or not n > 0:  # noqa: RET505
        return -x
    else:
        made = 0.5
    return made + x


@native
def while_loop(x: float, n: int) -> float:
    made, left = 0.0, n
    while True:
        left -= 1
        if left < 0:
            break
        if left % 2 == 0:
            continue
        made += x * float(left)
    while made > 10.0:
        made = made / 2.0
    return made


@native
def nested_loops(x: float, n: int) -> float:
    made = x
    for i in range(n):
        for j in range(i, n):
            if j == 3:
                continue
            if i + j > 7:
                break
            made += float(i * 10 + j)
    for k in counted(3):
        made = made * 0.5 + float(k)
    return made


WEIGHTS = ((1.0, 2), (0.25, 3), (0.0, 4))


@native
def unrolled(x: float, n: int) -> float:
    made = 0.0
    for number, (weight, times) in enumerate(WEIGHTS):
        if weight != 0.0:
            made += weight * float(n + times + number)
    values = [weight * x for weight, _ in WEIGHTS if weight > 0.0]
    first, second = values
    return made + sum_of((*values, first - second))


@inline
def sum_of(values):  # type: ignore[no-untyped-def]
    made = values[0]
    for each in values[1:]:
        made = made + each
    return made


@inline
def sign_of(x):  # type: ignore[no-untyped-def]
    if x > 0.0:
        return 1.0
    if x < 0.0:
        return -1.0
    return 0.0


@inline
def both(x, y):  # type: ignore[no-untyped-def]
    return x + y, x - y


@native
def doubled(x: float) -> float:
    return 2.0 * x


@native
def calls(x: float, n: int) -> float:
    more, less = both(x, float(n))
    return doubled(more) + sign_of(less) * doubled(less)


@native
def whole_numbers(x: float, n: int) -> float:
    a = n // 3 + n % 3 - n * 2
    return float(a) + float(int(x * 7.0)) + float(int(x > 0.5))


@native
def conditions(x: float, n: int) -> float:
    made = 1.0 if (x > 0.0) & (n > 1) else 2.0
    made += 4.0 if (x > 5.0) | (n == 2) else 8.0
    flag = x == x
    if not flag:
        made += 16.0
    if x != x:
        made += 32.0
    if not x < 3.0 and not x >= 3.0:
        made += 64.0
    if -1.0 < x <= 2.0:
        made += 128.0
    return made


@native
def operations(x: float, n: int) -> float:
    y = absolute(x) + 0.5
    made = sqrt(y) + power(y, 1.5) + exp(-y) + log(y) + sin(x) + cos(x) - x / y
    made += largest(x, 0.25) * smallest(x, 0.25) + largest(NAN, x) + smallest(x, INFINITY)
    return made + (1.0 if is_nan(x - x) else 0.0)


STATEMENTS = [branches, while_loop, nested_loops, unrolled, calls, whole_numbers, conditions, operations]


@pytest.fixture(scope="module")
def library() -> Library:
    module = Module(fused=False)
    for routine in STATEMENTS:
        module.add(routine, name=routine.__name__)
    module.add(records, name="records")
    module.add(on_blocks, name="on_blocks")
    return Library(object_code(module.text))


@pytest.mark.parametrize("routine", STATEMENTS, ids=lambda each: each.__name__)
def test_native_code_equals_plain_python(routine: Callable[..., float], library: Library) -> None:
    compiled = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double, ctypes.c_int64)(library.address(routine.__name__))
    for x in (-3.5, -0.75, 0.0, 0.3, 1.7, 6.0, NAN):
        for n in (0, 1, 2, 5, 9):
            if np.isnan(x) and routine is whole_numbers:
                continue
            with np.errstate(all="ignore"):
                expected = float(routine(x, n))
            # the C library's functions may differ in the last bit
            assert compiled(x, n) == pytest.approx(
                expected, rel=4e-15 if routine is operations else 0, abs=0, nan_ok=True
            )


@native
def records(work: Work) -> int:
    work.t = work.other.value + work.t
    work.n += 1
    work.x[1] = work.x[0] * 2.0
    work.numbers[0] = work.numbers[1] + work.n
    later = at(work.x, 2)
    later[0] = 7.5
    second = entry(work.table, 1, Array)
    second[0] = work.x[1]
    call(work.function, second)
    kept = local(3)
    for i in range(3):
        kept[i] = work.x[i]
    record_at(Other, work.memory).value = kept[0] + kept[1] + kept[2]
    return take_next(work.numbers)


@native
def on_blocks(work: Work) -> float:
    square, most = vector(0.0), vector(0.0)
    for block in blocks(work):
        work.x[block] = fma(work.t, row(work.k, work, 1)[block], row(work.k, work, 0)[block])
        square = fma(work.x[block], work.x[block], square)
        most = largest(most, absolute(work.x[block]))
    return total(square) + greatest(most)


def test_records_and_arrays(library: Library) -> None:
    def change(array: Any) -> None:
        array[1] = 10.0 * array[0]

    def arrays() -> tuple[np.ndarray, np.ndarray, list[np.ndarray]]:
        return np.arange(1.0, 5.0), np.array([3, 5], dtype=np.int64), [np.zeros(2), np.zeros(2)]

    x, numbers, table = arrays()
    plain = Work(t=1.5, n=4, x=x, numbers=numbers, table=table, function=change, other=Other(value=0.25))
    plain.memory = plain.other
    expected = records(plain)
    x_native, numbers_native, table_native = arrays()
    pointer = ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_double))
    other = Other.structure()(value=0.25)
    pointers = (ctypes.c_void_p * 2)(*(each.ctypes.data for each in table_native))
    function = pointer(change)
    made = Work.structure()(
        t=1.5, n=4, x=x_native.ctypes.data, numbers=numbers_native.ctypes.data, table=ctypes.addressof(pointers),
        function=ctypes.cast(function, ctypes.c_void_p).value, other=ctypes.addressof(other),
        memory=ctypes.addressof(other),
    )  # fmt: skip
    returned = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)(library.address("records"))(ctypes.addressof(made))
    assert returned == expected
    assert (made.t, made.n, other.value) == (plain.t, plain.n, plain.other.value)
    for one, two in ((x, x_native), (numbers, numbers_native), *zip(table, table_native, strict=True)):
        np.testing.assert_array_equal(one, two)


def test_loops_over_blocks(library: Library) -> None:
    k, x = np.random.default_rng(3).normal(size=16), np.zeros(8)
    plain = Work(t=0.75, blocks=2, x=x, k=k)
    for block in (slice(0, 4), slice(4, 8)):
        x[block] = 0.75 * k[8:][block] + k[:8][block]
    squares = x[:4] ** 2 + 0.0
    squares = x[4:] * x[4:] + squares
    expected = (squares[0] + squares[1]) + (squares[2] + squares[3]) + np.abs(x).max()
    made_x = np.zeros(8)
    made = Work.structure()(t=0.75, blocks=2, x=made_x.ctypes.data, k=k.ctypes.data)
    found = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_void_p)(library.address("on_blocks"))(ctypes.addressof(made))
    assert found == expected, "sums of a block are (0 + 1) + (2 + 3)"
    np.testing.assert_array_equal(made_x, x)
    plain.x[:] = 0.0
    on_blocks(plain)
    np.testing.assert_allclose(plain.x, made_x, rtol=1e-15)


def refused(routine: Any) -> str:
    with pytest.raises(TranslationError) as caught:
        Module().add(routine, name="refused")
    return str(caught.value)


@native
def float_to_integer(x: float) -> int:
    n = 1
    n = x
    return n  # noqa: RET504


@native
def no_statement(x: float) -> float:
    try:
        return x
    finally:
        pass


@native
def no_name(x: float) -> float:
    return x + nowhere  # type: ignore[name-defined]  # noqa: F821


@native
def changes_what_is_known(x: float) -> float:
    chosen = (1.0, 2.0)
    if x > 0.0:
        chosen = (3.0, 4.0)
    return chosen[0]


@native
def array_as_number(x: Array) -> float:
    return x + 1.0  # type: ignore[operator, no-any-return]


def in_python(value: Any) -> float:
    return 1.0 if value else 2.0


def equal_in_python(value: Any) -> float:
    return 1.0 if value == 0.0 else 2.0


@native
def truth_in_python(x: float) -> float:
    return in_python(x)


@native
def equality_in_python(x: float) -> float:
    return equal_in_python(x)


@pytest.mark.parametrize(("routine", "words", "line"), [
    (float_to_integer, "where i64 is needed", 2), (no_statement, "Try is not of the language", 1),
    (no_name, "'nowhere' has no value here", 1),
    (changes_what_is_known, "known at translation and changes under a condition", 3),
    (array_as_number, "is not defined for values of kind ptr|where ptr is needed|a pointer is needed", 1),
], ids=lambda each: getattr(each, "__name__", ""))  # fmt: skip
def test_errors_name_the_file_and_the_line(routine: Any, words: str, line: int) -> None:
    message = refused(routine)
    first = routine.plain.__code__.co_firstlineno + 1
    assert message.startswith(f"{__file__}:{first + line}: ") and any(word in message for word in words.split("|"))


@pytest.mark.parametrize("routine", [truth_in_python, equality_in_python], ids=lambda each: each.__name__)
def test_a_value_has_no_truth_in_python(routine: Any) -> None:
    """A plain function would take one branch for all runs, silently."""
    assert "of Python" in refused(routine)


def test_a_result_needs_an_annotation() -> None:
    @native
    def no_kind(x: float):  # type: ignore[no-untyped-def]
        return x

    assert "the result of no_kind has no annotation" in refused(no_kind)
