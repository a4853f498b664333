"""Orientations that are wanted: unit quaternions, given as four references."""

from __future__ import annotations

from ..errors import PolhodeError

#: By how much the length of a quaternion may differ from one, its components being rounded.
ROUNDED = 1e-3


def check_unit_length(length: float, orientation: str) -> None:
    """Refuse numbers for an orientation that are no unit quaternion, not even a rounded one.

    >>> check_unit_length(1.0001, "hand")
    >>> check_unit_length(2.0, "hand")
    Traceback (most recent call last):
    polhode.errors.PolhodeError: reference of the orientation of 'hand': its quaternion has length 2, not 1.
      Divide its four components by their length; (1, 0, 0, 0) is not turned.  [E-LOOP-008]
    """
    if not abs(length - 1.0) <= ROUNDED:
        raise PolhodeError(
            f"its quaternion has length {length:.6g}, not 1.",
            place=f"reference of the orientation of '{orientation}'",
            cure="Divide its four components by their length; (1, 0, 0, 0) is not turned.",
            code="E-LOOP-008",
        )
