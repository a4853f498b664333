"""How a spherical or free joint can store its orientation: a unit quaternion, a vector-parameter, or three angles."""

from __future__ import annotations

from .chart import Chart
from .euler import SEQUENCES, sequence_chart
from .quaternion import QUATERNION
from .vector_parameter import VECTOR_PARAMETER

ORIENTATIONS: dict[str, Chart] = {
    "quaternion": QUATERNION,
    "vector": VECTOR_PARAMETER,
    **{word: sequence_chart(word, False) for word in SEQUENCES},
}
