"""The end: its cost and the rows that are kept there, functions of the last state and of the duration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..compiled.functions import Functions
from ..compiled.planning import plan_outputs
from ..expr import Expr, as_expr, derivative, gradient, substitute, symbol
from .mesh import Floats
from .point_model import Entries, PointModel, lower_triangle


class Terminal:
    """Terminal cost and rows of a problem in numbers, of the variables of the last point and the duration."""

    def __init__(self, point: PointModel, functions: Functions, parameters: Mapping[str, Any] | None) -> None:
        self.has_cost, self._size, self._is_free = point.terminal is not None, len(point.variables), point.is_free
        given = [as_expr(0) if point.terminal is None else point.terminal, *point.ended]
        cost, *rows = substitute(given, {point.equations.system.time: point.duration})
        factor = symbol("factor", "collocation")
        multipliers = [symbol(f"multiplier {k}", "collocation") for k in range(len(rows))]
        self.row_places, self.places = (
            _jacobian(rows, point.by),
            self._curvature(cost, rows, factor, multipliers, point),
        )
        slopes = gradient(cost, point.by)
        outputs = [
            ("cost", (), [cost]), ("slopes", (len(slopes),), slopes), ("rows", (len(rows),), list(rows)),
            ("row_slopes", (len(self.row_places.values),), list(self.row_places.values)),
            ("curvature", (len(self.places.values),), list(self.places.values)),
        ]  # fmt: skip
        own = {"y": point.variables, "duration": [point.duration], "factor": [factor], "multipliers": multipliers}
        planned = plan_outputs(point.equations, "collocation_end", tuple(own), outputs, own_arrays=own)
        values = functions.values_of(planned.parameters, parameters)
        self._native = functions.compiled(planned.program).with_parameters(values)
        self._factor, self._multipliers = np.ones(1), np.zeros(len(rows))

    @staticmethod
    def _curvature(cost: Expr, rows: list[Expr], factor: Expr, multipliers: list[Expr], point: PointModel) -> Entries:
        weighed = sum((weight * row for weight, row in zip(multipliers, rows, strict=True)), start=factor * cost)
        return lower_triangle(weighed, point.by)

    def _evaluated(self, y: Floats, duration: Floats) -> Any:
        return self._native(y, duration, self._factor, self._multipliers)

    def value(self, y: Floats, duration: Floats) -> float:
        """The cost."""
        return float(self._evaluated(y, duration)[0])

    def slopes(self, y: Floats, duration: Floats) -> tuple[Floats, float]:
        """The derivatives of the cost by the variables, and by the duration where that is free."""
        found = self._evaluated(y, duration)[1]
        return found[: self._size], float(found[self._size]) if self._is_free else 0.0

    def rows(self, y: Floats, duration: Floats) -> Floats:
        """The rows that are kept."""
        return np.asarray(self._evaluated(y, duration)[2])

    def row_slopes(self, y: Floats, duration: Floats) -> Floats:
        """Their derivatives, at `row_places`."""
        return np.asarray(self._evaluated(y, duration)[3])

    def curvature(self, y: Floats, duration: Floats, factor: float, multipliers: Floats) -> Floats:
        """The second derivatives of factor·cost + multipliers·rows, at `places`."""
        return np.asarray(self._native(y, duration, np.array([factor]), np.array(multipliers))[4])


def _jacobian(rows: list[Expr], by: list[Expr]) -> Entries:
    made = Entries([], [], [])
    for column, variable in enumerate(by):
        for row, value in enumerate(derivative(rows, variable)):
            made.add(row, column, value)
    return made
