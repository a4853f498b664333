"""Equations of bodies and of the joints that carry them, as MathML for a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..view.scene import Scene, Sheet

if TYPE_CHECKING:
    from .trajectory import Trajectory


def sheets_of(run: Trajectory, scene: Scene, wanted: bool = True) -> list[Sheet]:
    return []
