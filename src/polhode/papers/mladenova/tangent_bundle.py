"""The tangent bundle of SO(3) as a group in its second trivialisation; Mladenova, theorem 2.

    (c1, ċ1)(c2, ċ2) = (c, ċ),    c = ⟨c1, c2⟩
    ċ = (ċ1 + ċ2 + ċ1 × c2 + c1 × ċ2 + (ċ1·c2 + c1·ċ2) c) / (1 - c1·c2)                          (67) differentiated

The unit is (0, 0), the inverse of (c, ċ) is (-c, -ċ). Theorem 1, with angular velocities, is `ph.MovingRotation`.
"""

from __future__ import annotations

from typing import Any

from ...errors import PolhodeError
from ...expr import is_zero
from ...geometry.rotations.scalars import cross, dot, scaled, total
from ...geometry.rotations.values import any_true, batch_of, is_exact, read, written
from ...geometry.rotations.vector_parameter import composed


def product_with_rates(one: tuple[Any, Any], two: tuple[Any, Any]) -> tuple[Any, Any]:
    """(c1, ċ1)(c2, ċ2): the composite of two vector-parameters that change, and its rate."""
    exact = is_exact([*one, *two])
    c1, c1d, c2, c2d = (read(v, (3,), "a vector-parameter or its rate", exact) for v in (*one, *two))
    gap = 1 - dot(c1, c2)
    if is_zero(gap) if exact else any_true(gap == 0):
        message = "the product is half a turn, which has no vector-parameter: c1·c2 = 1."
        raise PolhodeError(message, "product_with_rates", "Compose ph.MovingRotation.", "E-ROTATION-SINGULAR")
    c, slope = composed(c1, c2), dot(c1d, c2) + dot(c1, c2d)
    sums = total(c1d, c2d, cross(c1d, c2), cross(c1, c2d), scaled(slope, c))
    pair = (c, tuple(x / gap for x in sums))
    first, second = (written(parts, (3,), None if exact else batch_of(parts)) for parts in pair)
    return first, second
