"""The charts by their names."""

from __future__ import annotations

from ...errors import PolhodeError, shown
from .axial_vector import AXIAL_VECTOR
from .chart import Chart
from .euler import digits_of, sequence_chart
from .exponential import EXPONENTIAL
from .matrix import MATRIX
from .quaternion import QUATERNION
from .sine_vector import SINE_VECTOR
from .vector_parameter import VECTOR_PARAMETER

#: Charts that are no sequence of angles.
CHARTS: dict[str, Chart] = {
    "matrix": MATRIX,
    "quaternion": QUATERNION,
    "vector": VECTOR_PARAMETER,
    "sine": SINE_VECTOR,
    "axial": AXIAL_VECTOR,
    "exponential": EXPONENTIAL,
}


def chart_named(form: str, extrinsic: bool = False) -> Chart:
    """The chart of a name: one of `CHARTS`, or a sequence of three axes."""
    if form in CHARTS:
        return CHARTS[form]
    try:
        return sequence_chart(digits_of(form), extrinsic)
    except PolhodeError:
        cure = f'Give one of {", ".join(CHARTS)}, spinor, or a sequence of three axes such as "zxz".'
        raise PolhodeError(f"{shown(form)} is no form of a rotation.", cure=cure, code="E-ROTATION-NAME") from None
