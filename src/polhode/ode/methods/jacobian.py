"""The memory of implicit methods, and the derivatives of the rates that they need: ∂ẋ/∂x and ∂ẋ/∂t.

These are a compiled function, behind a pointer as the right-hand side is, or differences of the rates. Rates are those
of quaternions at unit length, multiplied by the lengths ℓ that they have; for these f̃(x) = ℓ f(x / ℓ),

    ∂f̃_i/∂x_j = ℓ_i ∂f_i/∂x_j / ℓ_j,        ℓ = 1 for all that is no component of a quaternion,

where the derivatives of f are those of the quaternion's direction (`dynamics.variations`).
"""

from __future__ import annotations

from typing import Any

from ...native.language import (
    WIDTH,
    Array,
    Code,
    Pointers,
    Struct,
    absolute,
    blocks,
    call,
    fma,
    inline,
    largest,
    native,
    record_at,
    row,
    smallest,
    sqrt,
    total,
    vector,
)
from ..linear import COMPLEX, REAL, Factors, solve
from ..loop import DEFECT
from ..record import EDGES, Run
from ..right_side import copy, norm, rates, scale_to_unit

#: Differences are over this part of a coordinate or of what it changes in a step; or over atol, within bounds.
_PART = 2.0**-26
_LEAST, _MOST = 1e-20, 1e-10
#: Differences in time are over this part of a step.
_PART_OF_STEP = 1e-6
#: An implicit step is worth so many explicit ones: below this, h ρ(J) needs no implicit method.
_WORTH = 3.0
_CALM = _WORTH * EDGES[8]
#: The filtered defect may be so many tolerances. It is 4 to 10 times the largest error of the dense output, where a
#: problem is stiff and where it is not, and at most 43 tolerances where nothing was missed.
_MOST_DEFECT = 100.0


class Implicit(Struct):
    """What implicit methods have beside the record of a run."""

    # compiled derivatives, n by n and n numbers; x_index = -1 where there are none
    at: Code
    arguments: Pointers
    x_index: int
    by_state: Array
    by_time: Array
    # derivatives of the rates as they are stepped; whether they can be used, and are those of the state as it is now
    jacobian: Array
    in_time: Array
    stretch: Array
    is_usable: int
    is_current: int
    # factors of the matrices of a step, and for which step they are
    real: Factors
    complex: Factors
    h_factored: float
    # Newton's iteration: steps, and the ratio of the last two corrections
    iterations: int
    contraction: float
    # the step before: its length and error, and whether its polynomial is known
    h_before: float
    error_before: float
    has_polynomial: int
    # a direction along which J stretches most, its image, and by how much
    direction: Array
    image: Array
    spectral_radius: float
    # counts
    jacobians: int
    factorisations: int


@inline
def memory_of(run):
    """The memory of the method of a run."""
    return record_at(Implicit, run.memory)


@inline
def forget(implicit):
    """Reset what is known of earlier steps."""
    implicit.is_usable = 0
    implicit.is_current = 0
    implicit.h_factored = 0.0
    implicit.h_before = 0.0
    implicit.error_before = 0.0
    implicit.has_polynomial = 0


@inline
def refresh(with_time, run, implicit, h):
    """Make derivatives where those at hand cannot be used; a reason where there are none, else 0."""
    reason = 0
    if implicit.is_usable == 0:
        reason = differentiate(with_time, run, run.t, run.x, h)
        if reason > 0:
            implicit.is_usable = 0
    return reason


@native
def differentiate(with_time: Any, run: Run, t: float, x: Array, h: float) -> int:
    """Derivatives at a state whose rates are run.f; a reason where there are none, else 0."""
    implicit = memory_of(run)
    implicit.jacobians += 1
    implicit.is_usable = 1
    implicit.is_current = 1
    implicit.h_factored = 0.0
    if implicit.x_index >= 0:
        _compiled(run, implicit, t, x)
        return 0
    reason = _by_differences(run, implicit, t, x, h)
    if with_time and reason == 0:
        return _by_difference_in_time(run, implicit, t, x, h)
    return reason


@inline
def _compiled(run, implicit, t, x):
    n, stride = run.size, run.blocks * WIDTH
    stretch, jacobian, in_time = implicit.stretch, implicit.jacobian, implicit.in_time
    run.clock = t
    implicit.arguments[implicit.x_index] = x
    if run.group_count > 0:
        copy(run, x, run.unit)
        scale_to_unit(run, run.unit)
        implicit.arguments[implicit.x_index] = run.unit
    call(implicit.at, implicit.arguments)
    for number in range(run.group_count):
        first, count = run.groups[number * 2], run.groups[number * 2 + 1]
        for i in range(first, first + count):
            stretch[i] = run.lengths[number]
    for i in range(n):
        length = stretch[i]
        in_time[i] = implicit.by_time[i] * length
        for j in range(n):
            jacobian[i * stride + j] = implicit.by_state[i * n + j] * length / stretch[j]


@inline
def _by_differences(run, implicit, t, x, h):
    n, stride, jacobian, y, rate, moved = run.size, run.blocks * WIDTH, implicit.jacobian, run.y, run.f, run.k
    least = largest(smallest(run.atol, _MOST), _LEAST)
    copy(run, x, y)
    for j in range(n):
        size = largest(_PART * largest(absolute(x[j]), absolute(h * rate[j])), least)
        y[j] = x[j] + (-size if rate[j] < 0.0 else size)
        difference = y[j] - x[j]  # as it is rounded
        reason = rates(run, t, y, moved)
        if reason > 0:
            return reason
        y[j] = x[j]
        for i in range(n):
            jacobian[i * stride + j] = (moved[i] - rate[i]) / difference
    return 0


@inline
def _by_difference_in_time(run, implicit, t, x, h):
    rate, moved, in_time = run.f, run.k, implicit.in_time
    later = t + _PART_OF_STEP * h
    difference = later - t
    for i in range(run.size):
        in_time[i] = 0.0
    if difference > 0.0:
        reason = rates(run, later, x, moved)
        if reason > 0:
            return reason
        for i in range(run.size):
            in_time[i] = (moved[i] - rate[i]) / difference
    return 0


@inline
def shift(run, implicit, matrix, shifts):
    """A matrix becomes shift - J; of a complex one, the second half of each row has imaginary parts."""
    parts = len(shifts)
    for i in range(run.size):
        target, source = row(matrix, run, i * parts), row(implicit.jacobian, run, i)
        for block in blocks(run):
            target[block] = -source[block]
        target[i] = target[i] + shifts[0]
        if parts == COMPLEX:
            imaginary = row(matrix, run, i * parts + 1)
            for block in blocks(run):
                imaginary[block] = 0.0
            imaginary[i] = shifts[1]


@inline
def filtered_norm(run, implicit, defect, gamma):
    """The norm of h (1 - h γ J)⁻¹ d over the tolerance, for a defect d of the rates; the factors are of 1/(h γ) - J.

    What is stiff relaxes to where its rates vanish, and h d alone would be its error times h |λ|. The limit of the loop
    is at `_MOST_DEFECT` tolerances.
    """
    solve(REAL, implicit.real, defect)
    return DEFECT / (_MOST_DEFECT * gamma) * run.error_scale * norm(run, defect, run.x_old)


# ---- the spectral radius ---------------------------------------------------------------------------------------------


@inline
def note_if_calm(run, implicit, step):
    """Count a step of an implicit method that an explicit one could have taken in a few."""
    if run.stiffness_limit > 0:
        radius = _spectral_radius(run, implicit)
        implicit.spectral_radius = radius
        run.noted_steps = run.noted_steps + 1 if step * radius < _CALM else 0


@inline
def _spectral_radius(run, implicit):
    """(|J² v| / |v|)^½, and v = J² v / |J² v|."""
    direction, image = implicit.direction, implicit.image
    before = _image(run, implicit.jacobian, direction, image)
    after = _image(run, implicit.jacobian, image, direction)
    is_usable = (after > 1e-200) & (after < 1e200) & (before < 1e200)
    scale = 1.0 / (after if is_usable else 1.0)
    for i in range(run.size):
        direction[i] = direction[i] * scale if is_usable else 1.0
    return sqrt(after) if is_usable else 0.0


@inline
def _image(run, jacobian, source, target):
    """target = J source, and its length."""
    square = 0.0
    for i in range(run.size):
        line, product = row(jacobian, run, i), vector(0.0)
        for block in blocks(run):
            product = fma(line[block], source[block], product)
        entry = total(product)
        target[i] = entry
        square = fma(entry, entry, square)
    return sqrt(square)
