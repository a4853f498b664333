"""The weld."""

from __future__ import annotations

from dataclasses import dataclass

from .protocol import JointType, Stage


@dataclass(frozen=True)
class Fixed(JointType):
    """A weld."""

    kind = "fixed"

    @property
    def stages(self) -> tuple[Stage, ...]:
        return ()
