"""Charts that change by themselves: coordinates referred to a rotation from which the chart is far from singular.

A rotation is R = R_ref R(x), and R_ref one of the 24 rotations that take a cube to itself. Where x may be taken of R
itself it is; towards the chart's singularity the reference is the one from which its condition is best.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .chart import Chart
from .exact import CUBE
from .quaternion import conjugate, product
from .scalars import Components, joined, split
from .values import silent

if TYPE_CHECKING:
    import numpy as np

    from .rotation import Rotation

#: Up to this condition a chart is taken from the identity.
WORST = 8.0


@dataclass(frozen=True)
class Local:
    """Coordinates in a form, and the rotations that they are referred to.

    >>> from polhode.geometry.rotations import Rotation
    >>> half_turn = Rotation.from_axis_angle("z", 3.141592653589793)
    >>> chart = half_turn.local("vector")
    >>> bool(abs(chart.values).max() < 1e-15), bool(chart.rotation.equals(half_turn))
    (True, True)
    """

    form: str
    values: np.ndarray
    reference: Rotation
    extrinsic: bool = False

    @property
    def rotation(self) -> Rotation:
        """R = R_ref R(x)."""
        return self.reference @ type(self.reference).from_coordinates(
            self.form, self.values, extrinsic=self.extrinsic, exact=False
        )


def reference_for(chart: Chart, q: Components) -> Components:
    """The quaternions of the references from which a chart is taken at unit quaternions q."""
    import numpy as np

    cube = np.array(CUBE, dtype=float)
    cube /= np.sqrt((cube * cube).sum(axis=1, keepdims=True))
    chosen = np.broadcast_to([1.0, 0.0, 0.0, 0.0], (*np.shape(q[0]), 4)).copy()
    near = np.asarray(_condition(chart, q) > WORST)
    there = tuple(np.asarray(e)[near] for e in q)
    conditions = [_condition(chart, product(conjugate(split(reference)), there)) for reference in cube]
    chosen[near] = cube[np.argmin(conditions, axis=0)]
    return split(chosen)


def _condition(chart: Chart, q: Components) -> np.ndarray:
    with silent():
        return joined((chart.condition(q),), q[0].shape)[..., 0]
