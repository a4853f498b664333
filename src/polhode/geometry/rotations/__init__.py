"""The home of rotations: the class `Rotation`, a file for each chart, and exact rotations of what users give.

`Rotation` is loaded when it is used: a model needs a few of the charts only, and no arrays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .chart import Chart
from .euler import SEQUENCES, sequence_chart
from .quaternion import QUATERNION
from .turns import about, rotation, unit_axis
from .vector_parameter import VECTOR_PARAMETER

if TYPE_CHECKING:
    from .rotation import Rotation

__all__ = ["ORIENTATIONS", "SEQUENCES", "Rotation", "about", "rotation", "unit_axis"]
__dir__ = __all__.copy

#: How a spherical or free joint can store its orientation.
ORIENTATIONS: dict[str, Chart] = {
    "quaternion": QUATERNION,
    "vector": VECTOR_PARAMETER,
    **{word: sequence_chart(word, False) for word in SEQUENCES},
}


def __getattr__(name: str) -> Any:
    if name == "Rotation":
        from .rotation import Rotation

        return Rotation
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
