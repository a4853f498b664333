"""The sparse problem that a mesh and a point make: cost, constraints, and their exact derivatives, in native code.

    variables     y of every point, point after point, then the duration where it is free
    constraints   the defects of every interval, then the rows of every point, then those of the end

A derivative's entries lie in the order in which native code writes them; where an entry stands in the matrix is told
once (`jacobian_places`, `curvature_places`), and entries at one place are summed, as IPOPT does. So nothing is
gathered, sorted or scattered while a problem is solved.

Programs over the intervals and over the ends, which depend on the scheme and on no mechanism:

    defects       of states and rates at the points of an interval
    slopes        the entries of the Jacobian that are rates' derivatives times a factor of the scheme and a step
    multipliers   what the rates of a point are weighed with, by the multipliers of the defects that they enter
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from ..codegen.ir.program import Program
from ..codegen.plan import plan
from ..compiled.catalogue import plan_outputs
from ..compiled.functions import Functions
from ..expr import Expr, as_expr, derivative, gradient, substitute, symbol
from ..native.call_sequence import BoundLoop, sequence_of
from .mesh import Defect, Floats, Mesh, Scheme, Whole
from .point_model import Entries, PointFunction, PointModel, lower_triangle

_SIDES = ("left", "middle", "right")


def _symbols(name: str, count: int) -> list[Expr]:
    return [symbol(f"{name} {k}", "collocation") for k in range(count)]


def defects_program(scheme: Scheme, variables: int, states: int) -> Program:
    """The defects of an interval, group by group, of its points' variables, their rates, and its length."""
    sides = [k for k in range(3) if k != 1 or scheme.has_middle]
    y = {k: _symbols(f"variable at {_SIDES[k]}", variables) for k in sides}
    f = {k: _symbols(f"rate at {_SIDES[k]}", states) for k in sides}
    (h,) = _symbols("step", 1)
    entries = []
    for defect in scheme.defects:
        for i in range(states):
            at_points = sum((as_expr(defect.states[k]) * y[k][i] for k in sides), start=as_expr(0))
            increment = sum((as_expr(defect.rates[k]) * f[k][i] for k in sides), start=as_expr(0))
            entries.append(at_points + h * increment)
    arrays = [(f"y_{_SIDES[k]}", y[k]) for k in sides] + [(f"f_{_SIDES[k]}", f[k]) for k in sides]
    return plan("collocation_defects", [*arrays, ("step", [h])], [("defects", (len(entries),), entries)])


def slopes_program(scheme: Scheme, count: int) -> Program:
    """Each of `count` derivatives of rates as an entry of every defect that it enters, an output for each."""
    sides = [k for k in range(3) if k != 1 or scheme.has_middle]
    slopes = {k: _symbols(f"slope at {_SIDES[k]}", count) for k in sides}
    (h,) = _symbols("step", 1)
    outputs = [
        (f"defect_{g}_{_SIDES[k]}", (count,), [as_expr(defect.rates[k]) * h * slope for slope in slopes[k]])
        for g, k, defect in entered(scheme)
    ]
    return plan("collocation_slopes", [*((_SIDES[k], slopes[k]) for k in sides), ("step", [h])], outputs)


def entered(scheme: Scheme) -> list[tuple[int, int, Defect]]:
    """Triples (defect number, side of the interval, defect) for which the side's rates appear in the defect."""
    return [(g, k, defect) for g, defect in enumerate(scheme.defects) for k in range(3) if defect.rates[k]]


def end_multipliers_program(scheme: Scheme, states: int, chosen: Sequence[int]) -> Program:
    """Weights of the chosen rates at a node between two intervals, from the multipliers of both."""
    groups = len(scheme.defects)
    before, after = (_symbols(f"multiplier {name}", groups * states) for name in ("before", "after"))
    (step_before,), (step_after,) = _symbols("step before", 1), _symbols("step after", 1)
    entries = [
        sum(
            (
                as_expr(defect.rates[2]) * step_before * before[g * states + i]
                + as_expr(defect.rates[0]) * step_after * after[g * states + i]
                for g, defect in enumerate(scheme.defects)
            ),
            start=as_expr(0),
        )
        for i in chosen
    ]
    arrays = [("before", before), ("after", after), ("step_before", [step_before]), ("step_after", [step_after])]
    return plan("collocation_end_multipliers", arrays, [("multipliers", (len(entries),), entries)])


def middle_multipliers_program(scheme: Scheme, states: int, chosen: Sequence[int]) -> Program:
    """Weights of the chosen rates in the middle of an interval."""
    multipliers = _symbols("multiplier", len(scheme.defects) * states)
    (step,) = _symbols("step", 1)
    entries = [
        sum(
            (as_expr(d.rates[1]) * step * multipliers[g * states + i] for g, d in enumerate(scheme.defects)),
            start=as_expr(0),
        )
        for i in chosen
    ]
    arrays = [("multipliers", multipliers), ("step", [step])]
    return plan("collocation_middle_multipliers", arrays, [("multipliers", (len(entries),), entries)])


class Terminal:
    """Terminal cost and rows of a problem in numbers, of the variables of the last point and the duration."""

    def __init__(self, point: PointModel, functions: Functions, parameters: Mapping[str, Any] | None) -> None:
        self.has_cost, self._size, self._is_free = point.terminal is not None, len(point.variables), point.is_free
        expressions = [as_expr(0) if point.terminal is None else point.terminal, *point.ended]
        cost, *rows = substitute(expressions, {point.equations.system.time: point.duration, **point.components})
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
        arrays = {"y": point.variables, "duration": [point.duration], "factor": [factor], "multipliers": multipliers}
        planned = plan_outputs(point.equations, "collocation_end", tuple(arrays), outputs, own_arrays=arrays)
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
        slopes = self._evaluated(y, duration)[1]
        return slopes[: self._size], float(slopes[self._size]) if self._is_free else 0.0

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
    result = Entries([], [], [])
    for column, variable in enumerate(by):
        for row, value in enumerate(derivative(rows, variable)):
            result.add(row, column, value)
    return result


Places = tuple[Whole, Whole]
Run = Callable[[], object]


class Transcription:
    """The functions of the sparse problem; each takes the variables and writes into the array that it is given."""

    def __init__(
        self,
        point: PointModel,
        mesh: Mesh,
        functions: Functions,
        duration: float | None,
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        self.point, self.mesh, self._functions, self._parameters = point, mesh, functions, parameters
        self.width, self.states = len(point.variables), len(point.state)
        self._groups, self._rows = len(mesh.scheme.defects), len(point.rows)
        self.defects = mesh.intervals * self._groups * self.states
        self.size = mesh.points * self.width + int(point.is_free)
        self.at_end = self.defects + mesh.points * self._rows  # where the rows of the end begin
        self.constraints = self.at_end + len(point.ended)
        self._steps = (mesh.steps * (1.0 if duration is None else duration))[:, None].copy()
        self._weight = mesh.quadrature * (1.0 if duration is None else duration)
        self._variables = np.zeros(mesh.points * self.width + 1)  # the duration last, free or not
        self._variables[-1] = 1.0 if duration is None else duration
        self._y = self._variables[:-1].reshape(mesh.points, self.width)
        self._duration = self._variables[-1:]
        self._shares = mesh.shares[:, None].copy()
        self._at = [self._y, self._shares, self._duration]
        has_end = point.terminal is not None or point.ended
        self._terminal = Terminal(point, functions, parameters) if has_end else None

    def __repr__(self) -> str:
        return f"Transcription({self.size} variables, {self.constraints} constraints)"

    def _call(self, part: str, inputs: list[Floats], outputs: list[Floats]) -> BoundLoop:
        requested = PointFunction(self.point, part)
        native = self._functions.native(requested)
        values = self._functions.parameter_values(requested, self._parameters)
        return BoundLoop(native, [*self._at, *inputs], outputs, self.mesh.points, values)

    def _over_intervals(self, program: Program, inputs: list[Floats], outputs: list[Floats]) -> BoundLoop:
        return BoundLoop(self._functions.compiled(program), inputs, outputs, self.mesh.intervals)

    def _sides(self, array: Floats) -> list[Floats]:
        """Rows of points at the left ends, in the middles, and at the right ends of the intervals."""
        ends = len(self.mesh.ends)
        middles = [array[ends:]] if self.mesh.scheme.has_middle else []
        return [array[: ends - 1], *middles, array[1:ends]]

    def _read(self, w: Floats) -> None:
        self._variables[: self.size] = w

    def prepare(self) -> None:
        """Compile everything, so that errors of compilation are raised before a search."""
        _ = self._cost, self._gradient, self._values, self._jacobian, self._curvature

    @cached_property
    def _cost(self) -> tuple[Floats, Run]:
        costs = np.zeros(self.mesh.points)
        return costs, sequence_of([self._call("cost", [], [costs])])

    def cost(self, w: Floats) -> float:
        """∫ L dt by the scheme's quadrature, and the terminal cost."""
        self._read(w)
        costs, run = self._cost
        run()
        terminal = self._terminal
        more = terminal.value(*self._end) if terminal is not None and terminal.has_cost else 0.0
        return float(costs.dot(self._weight)) + more

    @property
    def _end(self) -> tuple[Floats, Floats]:
        """The variables of the last end, and the duration."""
        return self._y[self.mesh.intervals], self._duration

    @cached_property
    def _gradient(self) -> tuple[Floats, Floats, Run]:
        points = self.mesh.points
        slopes, by_duration = np.zeros((points, self.width)), np.zeros((points, int(self.point.is_free)))
        run = sequence_of([self._call("cost_gradient", [self._weight[:, None].copy()], [slopes, by_duration])])
        return slopes.reshape(-1), by_duration, run

    def gradient(self, w: Floats, out: Floats) -> Floats:
        """The derivatives of the cost."""
        self._read(w)
        slopes, by_duration, run = self._gradient
        run()
        out[: len(slopes)] = slopes
        if self.point.is_free:
            out[-1] = by_duration.sum()
        if self._terminal is not None and self._terminal.has_cost:
            at = self.mesh.intervals * self.width
            by_y, by_end = self._terminal.slopes(*self._end)
            out[at : at + self.width] += by_y
            if self.point.is_free:
                out[-1] += by_end
        return out

    @cached_property
    def _values(self) -> tuple[Floats, Run]:
        values = np.zeros(self.at_end)
        rates = np.zeros((self.mesh.points, self.states))
        rows = values[self.defects :].reshape(self.mesh.points, self._rows)
        defects = values[: self.defects].reshape(self.mesh.intervals, -1)
        program = defects_program(self.mesh.scheme, self.width, self.states)
        over = self._over_intervals(program, [*self._sides(self._y), *self._sides(rates), self._steps], [defects])
        return values, sequence_of([self._call("values", [], [rates, rows]), over])

    def values(self, w: Floats, out: Floats) -> Floats:
        """Defects and rows."""
        self._read(w)
        values, run = self._values
        run()
        out[: self.at_end] = values
        if self._terminal is not None and self.point.ended:
            out[self.at_end :] = self._terminal.rows(*self._end)
        return out

    @cached_property
    def _slopes(self) -> tuple[Entries, Entries, Entries, Entries]:
        """Derivatives of rates and of rows: those that are numbers, and the others."""
        return *self.point.rate_slopes.split(), *self.point.row_slopes.split()

    def _column(self, points: Whole, columns: list[int]) -> Whole:
        """Indices of variables of points among all, (points, columns)."""
        local = np.array(columns, dtype=np.int64)
        return np.where(local == self.width, self.size - 1, points[:, None] * self.width + local)

    @cached_property
    def _constant(self) -> tuple[Whole, Whole, Floats]:
        """The entries of the Jacobian that are numbers: places and values."""
        rows: list[Whole] = []
        columns: list[Whole] = []
        values: list[Floats] = []
        mesh, (of_rates, _, of_rows, _) = self.mesh, self._slopes
        interval = np.arange(mesh.intervals)[:, None] * (self._groups * self.states)
        for g, defect in enumerate(mesh.scheme.defects):
            for points, a, b in zip(mesh.sides, defect.states, defect.rates, strict=True):
                first = interval + g * self.states
                if a:
                    local = np.arange(self.states)
                    rows.append(first + local)
                    columns.append(self._column(points, list(local)))
                    values.append(np.full(rows[-1].shape, float(a)))
                if b and of_rates.rows:
                    rows.append(first + np.array(of_rates.rows))
                    columns.append(self._column(points, of_rates.columns))
                    values.append(float(b) * self._steps * _numbers(of_rates.values))
        if of_rows.rows:
            points = np.arange(mesh.points)
            rows.append(self.defects + points[:, None] * self._rows + np.array(of_rows.rows))
            columns.append(self._column(points, of_rows.columns))
            values.append(np.broadcast_to(_numbers(of_rows.values), rows[-1].shape))
        return _flat(rows), _flat(columns), np.concatenate([value.reshape(-1) for value in values])

    @cached_property
    def jacobian_places(self) -> Places:
        """Rows and columns of the Jacobian's entries."""
        mesh, (_, of_rates, _, of_rows) = self.mesh, self._slopes
        interval, points = np.arange(mesh.intervals)[:, None], np.arange(mesh.points)
        rows, columns, _ = self._constant
        all_rows, all_columns = [rows], [columns]
        for g, k, _ in entered(mesh.scheme):
            first = interval * (self._groups * self.states) + g * self.states
            all_rows.append(first + np.array(of_rates.rows, dtype=np.int64))
            all_columns.append(self._column(mesh.sides[k], of_rates.columns))
        all_rows.append(self.defects + points[:, None] * self._rows + np.array(of_rows.rows, dtype=np.int64))
        all_columns.append(self._column(points, of_rows.columns))
        if self._terminal is not None:
            at_end = self._terminal.row_places
            all_rows.append(self.at_end + np.array(at_end.rows, dtype=np.int64))
            all_columns.append(self._column(np.array([mesh.intervals]), at_end.columns))
        return _flat(all_rows), _flat(all_columns)

    @cached_property
    def _jacobian(self) -> tuple[Floats, Run]:
        mesh, (_, of_rates, _, of_rows) = self.mesh, self._slopes
        constant = self._constant[2]
        of_end = 0 if self._terminal is None else len(self._terminal.row_places.rows)
        entries = np.zeros(len(self.jacobian_places[0]) - of_end)
        entries[: len(constant)] = constant
        at, count, outputs = len(constant), len(of_rates.rows), []
        for _ in entered(mesh.scheme):
            outputs.append(entries[at : at + mesh.intervals * count].reshape(mesh.intervals, count))
            at += mesh.intervals * count
        slopes = np.zeros((mesh.points, count))
        rows = entries[at:].reshape(mesh.points, len(of_rows.rows))
        loops = [self._call("slopes", [], [slopes, rows])]
        if count:
            program = slopes_program(mesh.scheme, count)
            loops.append(self._over_intervals(program, [*self._sides(slopes), self._steps], outputs))
        return entries, sequence_of(loops)

    def jacobian(self, w: Floats, out: Floats) -> Floats:
        """The entries of the constraints' Jacobian."""
        self._read(w)
        entries, run = self._jacobian
        run()
        out[: len(entries)] = entries
        if self._terminal is not None and self.point.ended:
            out[len(entries) :] = self._terminal.row_slopes(*self._end)
        return out

    @cached_property
    def curvature_places(self) -> Places:
        """Rows and columns of the second derivatives' entries, row ≥ column."""
        entries, points = self.point.curvature, np.arange(self.mesh.points)
        rows, columns = self._column(points, entries.rows), self._column(points, entries.columns)
        if self._terminal is None:
            return _flat([rows]), _flat([columns])
        end = np.array([self.mesh.intervals])
        more = [self._column(end, indices) for indices in self._terminal.places[:2]]
        return _flat([rows, more[0]]), _flat([columns, more[1]])

    @cached_property
    def _curvature(self) -> tuple[Floats, Floats, Floats, Floats, Run]:
        mesh, point = self.mesh, self.point
        width, chosen = self._groups * self.states, point.curved_rates
        # The multipliers of defects, with a row of zeros before and after, so that every end has two intervals.
        multipliers = np.zeros((mesh.intervals + 2) * width + mesh.points * self._rows)
        defects = multipliers[: (mesh.intervals + 2) * width].reshape(-1, width)
        rows = multipliers[(mesh.intervals + 2) * width :].reshape(mesh.points, self._rows)
        steps = np.zeros((mesh.intervals + 2, 1))
        steps[1:-1] = self._steps
        weighed = np.zeros((mesh.points, len(chosen)))
        factor = np.zeros(1)
        entries = np.zeros((mesh.points, len(point.curvature.rows)))
        loops = []
        ends = len(mesh.ends)
        if chosen:
            program = end_multipliers_program(mesh.scheme, self.states, chosen)
            inputs = [defects[:-1], defects[1:], steps[:-1], steps[1:]]
            loops.append(BoundLoop(self._functions.compiled(program), inputs, [weighed[:ends]], ends))
        if chosen and mesh.scheme.has_middle:
            program = middle_multipliers_program(mesh.scheme, self.states, chosen)
            loops.append(self._over_intervals(program, [defects[1:-1], steps[1:-1]], [weighed[ends:]]))
        inputs = [self._weight[:, None].copy(), factor, weighed, rows]
        loops.append(self._call("curvature", inputs, [entries]))
        of_defects = multipliers[width : width + self.defects]
        return of_defects, rows.reshape(-1), factor, entries.reshape(-1), sequence_of(loops)

    def curvature(self, w: Floats, multipliers: Floats, factor: float, out: Floats) -> Floats:
        """The entries of ∂²(factor·cost + multipliers·constraints)."""
        self._read(w)
        of_defects, of_rows, weighing, entries, run = self._curvature
        if self.point.curved_rates:
            of_defects[:] = multipliers[: self.defects]
        of_rows[:] = multipliers[self.defects : self.at_end]
        weighing[0] = factor
        run()
        out[: len(entries)] = entries
        if self._terminal is not None:
            out[len(entries) :] = self._terminal.curvature(*self._end, factor, multipliers[self.at_end :])
        return out


def _numbers(values: list[Expr]) -> Floats:
    return np.array([float(value.data) for value in values])


def _flat(parts: list[Whole]) -> Whole:
    return np.concatenate([part.reshape(-1) for part in parts]) if parts else np.zeros(0, dtype=np.int64)
