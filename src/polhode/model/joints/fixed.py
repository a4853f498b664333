"""The weld."""

from __future__ import annotations

from dataclasses import dataclass

from .protocol import JointType, Stage


@dataclass(frozen=True)
class Fixed(JointType):
    """A weld.

    >>> Fixed().coordinates
    0
    """

    kind = "fixed"

    @property
    def stages(self) -> tuple[Stage, ...]:
        return ()
