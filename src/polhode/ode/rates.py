"""The right-hand side as every method calls it, and operations on arrays of the state's length.

Quaternions are used at unit length, and their rates multiplied by the lengths that they have.
"""

from __future__ import annotations

from ..native.language import (
    Array,
    absolute,
    blocks,
    call,
    fma,
    greatest,
    inline,
    largest,
    native,
    sqrt,
    total,
    vector,
)
from .record import Reason, Run


@inline
def call_python_or_native(run, function, arguments, is_python):
    """Call a function, unless one has failed: run.failed stays set until Python has raised what went wrong."""
    if run.failed == 0:
        run.failed = is_python
        call(function, arguments)


@native
def rates_as_given(run: Run, t: float, x: Array, out: Array) -> int:
    """out = ẋ(t, x) of a right-hand side that is called with quaternions of any length."""
    run.clock = t
    run.evaluations += 1
    arguments = run.arguments
    arguments[run.x_index] = x
    arguments[run.out_index] = out
    call_python_or_native(run, run.at, arguments, run.calls_python)
    return Reason.FAILED if run.failed > 0 else 0


@native
def plain_rates(run: Run, t: float, x: Array, out: Array) -> int:
    """out = ẋ(t, x); a reason where there is none, else 0."""
    run.clock = t
    run.evaluations += 1
    arguments = run.arguments
    arguments[run.x_index] = x
    if run.group_count > 0:
        copy(run, x, run.unit)
        scale_to_unit(run, run.unit)
        if run.has_partners > 0:
            scale_momenta(run, run.unit, False)
        arguments[run.x_index] = run.unit
    arguments[run.out_index] = out
    call_python_or_native(run, run.at, arguments, run.calls_python)
    if run.failed > 0:
        return Reason.FAILED
    stretch(run, out)
    if run.has_partners > 0:
        scale_momenta(run, out, True)
    return 0


@inline
def scale_to_unit(run, x):
    """Scale quaternions to unit length; run.lengths become the lengths that they had."""
    for number in range(run.group_count):
        first, count = run.groups[number * 2], run.groups[number * 2 + 1]
        square = 0.0
        for i in range(first, first + count):
            square = fma(x[i], x[i], square)
        length = sqrt(square)
        run.lengths[number] = length
        for i in range(first, first + count):
            x[i] = x[i] / length


@inline
def stretch(run, out):
    """Multiply the rates of quaternions, which were used at unit length, by the lengths that they have."""
    for number in range(run.group_count):
        length = run.lengths[number]
        first, count = run.groups[number * 2], run.groups[number * 2 + 1]
        for i in range(first, first + count):
            out[i] = out[i] * length


@inline
def scale_momenta(run, x, is_rate):
    """Multiply the momentum P of each quaternion e by |e|, or its rate by 1/|e|: those of H(e/|e|, |e| P)."""
    for number in range(run.group_count):
        first, length = run.partners[number], run.lengths[number]
        factor = 1.0 / length if is_rate else length
        if first >= 0:
            for i in range(first, first + run.groups[number * 2 + 1]):
                x[i] = x[i] * factor


@inline
def copy(run, source, target):
    """Copy an array of the state's length."""
    for block in blocks(run):
        target[block] = source[block]


@inline
def are_finite(run, array):
    """True if all entries are finite."""
    zero = vector(0.0)
    for block in blocks(run):
        zero = fma(0.0, array[block], zero)
    return total(zero) == 0.0


@inline
def largest_of(run, array):
    """The largest size of an entry."""
    found = vector(0.0)
    for block in blocks(run):
        found = largest(found, absolute(array[block]))
    return greatest(found)


@inline
def largest_entry(array, first, end):
    """The largest size of some entries; 1e300 where one is nan."""
    found = 0.0
    for i in range(first, end):
        size = absolute(array[i])
        found = found if size <= found else (size if size == size else 1e300)
    return found


@inline
def norm(run, array, new=None):
    """Root of the mean square of the entries over atol + rtol |x|, or the larger of |x| and |new|."""
    square, x, rtol, atol = vector(0.0), run.x, run.rtol, run.atol
    for block in blocks(run):
        size = absolute(x[block])
        if new is not None:
            size = largest(size, absolute(new[block]))
        part = array[block] / fma(rtol, size, atol)
        square = fma(part, part, square)
    return sqrt(total(square) / float(run.size))
