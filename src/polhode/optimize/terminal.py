"""The cost of the end: a function of the last point and of the duration, and its derivatives."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from ..compiled.functions import Functions
from ..compiled.planning import plan_outputs
from ..expr import as_expr, gradient, substitute
from .mesh import Floats
from .point_model import Entries, PointModel, lower_triangle


class Terminal:
    """The terminal cost of a problem in numbers."""

    def __init__(self, point: PointModel, functions: Functions, parameters: Mapping[str, Any] | None) -> None:
        self.point = point
        known = {point.equations.system.time: point.duration, **{k: as_expr(v) for k, v in point.held.items()}}
        (self._cost,) = substitute([as_expr(point.terminal)], known)
        size = len(point.variables)
        slopes = gradient(self._cost, point.by)
        outputs = [
            ("cost", (), [self._cost]), ("slopes", (len(slopes),), slopes),
            ("curvature", (len(self._entries.values),), list(self._entries.values)),
        ]  # fmt: skip
        own = {"y": point.variables, "duration": [point.duration]}
        planned = plan_outputs(point.equations, "collocation_terminal", ("y", "duration"), outputs, own_arrays=own)
        values = functions.values_of(planned.parameters, parameters)
        self._native = functions.compiled(planned.program).with_parameters(values)
        self._size = size

    @cached_property
    def _entries(self) -> Entries:
        return lower_triangle(self._cost, self.point.by)

    @property
    def places(self) -> tuple[list[int], list[int]]:
        """Rows and columns of the second derivatives, by the variables of a point and the duration."""
        return self._entries.rows, self._entries.columns

    def value(self, y: Floats, duration: Floats) -> float:
        """The cost."""
        return float(self._native(y, duration)[0])

    def slopes(self, y: Floats, duration: Floats) -> tuple[Floats, float]:
        """Its derivatives by the variables, and by the duration where that is free."""
        found = np.asarray(self._native(y, duration)[1])
        return found[: self._size], float(found[self._size]) if self.point.is_free else 0.0

    def curvature(self, y: Floats, duration: Floats) -> Floats:
        """Its second derivatives."""
        return np.asarray(self._native(y, duration)[2])
