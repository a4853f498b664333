"""What a joint takes that is given by the name of its type: the fields of the types listed in JOINTS."""

from __future__ import annotations

from typing import Any, TypedDict


class JointOptions(TypedDict, total=False):
    """`axis="y"` of `joint(..., "revolute", axis="y")`; a type of one's own is given made, as `RadialArm(lead=0.1)`."""

    axis: Any
    pitch: Any
    first: Any
    second: Any
    normal: Any
    storage: Any
    translations: Any
    rotations: Any
    reference: Any
