"""The tangent bundle of SO(3) as a group, in its two trivialisations; Mladenova, theorems 1 and 2.

    (c1, ω1)(c2, ω2) = (⟨c1, c2⟩, ω1 + O(c1) ω2),    ω in the fixed frame                               theorem 1
    (c1, ċ1)(c2, ċ2) = (c, ċ),    c = ⟨c1, c2⟩                                                          theorem 2
    ċ = (ċ1 + ċ2 + ċ1 × c2 + c1 × ċ2 + (ċ1·c2 + c1·ċ2) c) / (1 - c1·c2)                          (67) differentiated

The unit is (0, 0), the inverse of (c, ċ) is (-c, -ċ). `ph.MovingRotation` is this group in any form of rotations.
"""

from __future__ import annotations

from typing import Any

from ...errors import PolhodeError
from ...expr import is_zero
from ...geometry.rotations import Rotation
from ...geometry.rotations.scalars import cross, dot, scaled, total
from ...geometry.rotations.values import any_true, batch_of, is_exact, read, written
from ...geometry.rotations.vector_parameter import composed

#: A vector-parameter with the angular velocity, or with its own rate.
Element = tuple[Any, Any]


def product_with_velocities(one: Element, two: Element) -> Element:
    """(c1, ω1)(c2, ω2): both rotations turning, angular velocities in the fixed frame; theorem 1."""
    c1, w1, c2, w2, exact = _read(one, two, "an angular velocity")
    turned = Rotation.from_vector(_written(c1, exact)).apply(_written(w2, exact))
    return _written(composed(c1, c2), exact), _written(w1, exact) + turned


def product_with_rates(one: Element, two: Element) -> Element:
    """(c1, ċ1)(c2, ċ2): both vector-parameters changing; theorem 2, the second trivialisation.

    >>> from polhode.expr import symbols
    >>> a, b, s, t = symbols("a b s t")
    >>> c, rate = product_with_rates(((a, 0, 0), (s, 0, 0)), ((b, 0, 0), (t, 0, 0)))
    >>> c, rate[0] == (s * (1 + b**2) + t * (1 + a**2)) / (1 - a * b) ** 2
    (Vector([(a + b)/(1 - a*b), 0, 0]), True)
    """
    c1, c1d, c2, c2d, exact = _read(one, two, "the rate of a vector-parameter")
    c, slope = composed(c1, c2), dot(c1d, c2) + dot(c1, c2d)
    sums = total(c1d, c2d, cross(c1d, c2), cross(c1, c2d), scaled(slope, c))
    return _written(c, exact), _written(tuple(x / (1 - dot(c1, c2)) for x in sums), exact)


def _read(one: Element, two: Element, what: str) -> tuple[Any, Any, Any, Any, bool]:
    """Components of both elements, and whether they are exact; a product of half a turn is refused."""
    exact = is_exact([*one, *two])
    whats = ("a vector-parameter", what) * 2
    c1, v1, c2, v2 = (read(v, (3,), name, exact) for v, name in zip((*one, *two), whats, strict=True))
    gap = 1 - dot(c1, c2)
    if is_zero(gap) if exact else any_true(gap == 0):
        cure = "Compose ph.MovingRotation, whose quaternions have no such place."
        message = "the product is half a turn, which has no vector-parameter: c1·c2 = 1."
        raise PolhodeError(message, "tangent bundle", cure, "E-ROTATION-SINGULAR")
    return c1, v1, c2, v2, exact


def _written(components: Any, exact: bool) -> Any:
    return written(components, (3,), None if exact else batch_of(components))
