"""Angular velocity and acceleration of moving coordinates, and back; Mladenova (13)-(20), (61)-(63), (76)-(81).

Given and answered in the turned frame ("body", ω̂ = Rᵀ Ṙ) or in the one that stays ("space", ω̂ = Ṙ Rᵀ). An angular
acceleration is the rate of the velocity in either frame: R ω̇ is the rate of R ω, as ω × ω = 0.
"""

from __future__ import annotations

from typing import Any

from ...errors import PolhodeError, shown
from ...expr import as_expr
from .chart import Chart
from .charts import CHARTS, chart_named
from .quaternion import unit
from .scalars import Components, applied, joined
from .stored import Stored, coordinates_in, exactly, regular, shape_of
from .values import batch_of, broadcast, is_exact, read, read_spinor, written, written_spinor


def velocity(r: Stored, form: str, extrinsic: bool, frame: str, rate: Any) -> Any:
    """ω = E(x) ẋ."""
    r, chart, (xd,) = _read_rates(r, form, extrinsic, rate)
    with regular(chart, form):
        w = applied(chart.velocity(coordinates_in(r, chart, form)), xd)
    return _written_velocity(r, w, frame, chart, form)


def acceleration(r: Stored, form: str, extrinsic: bool, frame: str, rate: Any, second: Any) -> Any:
    """ω̇ = E ẍ + Ė ẋ."""
    r, chart, (xd, xdd) = _read_rates(r, form, extrinsic, rate, second)
    with regular(chart, form):
        wd = chart.acceleration(coordinates_in(r, chart, form), xd, xdd)
    return _written_velocity(r, wd, frame, chart, form)


def rate(r: Stored, form: str, extrinsic: bool, frame: str, w: Any) -> Any:
    """ẋ = Γ(x) ω."""
    r, chart, (w,) = _read_velocities(r, form, extrinsic, frame, w)
    with regular(chart, form):
        xd = applied(chart.rate(coordinates_in(r, chart, form)), w)
    return _written_rate(r, xd, chart, form)


def second_rate(r: Stored, form: str, extrinsic: bool, frame: str, w: Any, wd: Any) -> Any:
    """ẍ = Γ (ω̇ - Ė ẋ); of a chart with more than three coordinates its own formula."""
    r, chart, (w, wd) = _read_velocities(r, form, extrinsic, frame, w, wd)
    x = coordinates_in(r, chart, form)
    with regular(chart, form):
        if chart.second_rate is not None:
            xdd = chart.second_rate(x, w, wd)
        else:
            gamma = chart.rate(x)
            carried = chart.acceleration(x, applied(gamma, w), (0, 0, 0))
            xdd = applied(gamma, tuple(a - b for a, b in zip(wd, carried, strict=True)))
    return _written_rate(r, xdd, chart, form)


def condition(r: Stored, form: str, extrinsic: bool) -> Any:
    """The condition number of Γ."""
    chart = chart_of(form, extrinsic)
    with regular(chart, form):
        if r.batch is None:
            return as_expr(chart.condition(unit(r.lift)))
        return joined((chart.condition(r.lift),), r.batch)[..., 0]


def chart_of(form: str, extrinsic: bool) -> Chart:
    """The chart of a form; a spinor is a quaternion, written in two complex numbers."""
    return CHARTS["quaternion"] if form == "spinor" else chart_named(form, extrinsic)


def _read_rates(r: Stored, form: str, extrinsic: bool, *rates: Any) -> tuple[Stored, Chart, list[Components]]:
    """The chart of a form and rates of its coordinates, all exact or all numbers."""
    r = exactly(r) if any(map(is_exact, rates)) else r
    chart = chart_of(form, extrinsic)
    if form == "spinor":
        xds = [read_spinor(x, "the rate of a spinor", r.is_exact) for x in rates]
    else:
        xds = [read(x, chart.shape, f"the rate of a form {shown(form)}", r.is_exact) for x in rates]
    _check_batches(r, xds)
    return r, chart, xds


def _read_velocities(
    r: Stored, form: str, extrinsic: bool, frame: str, *velocities: Any
) -> tuple[Stored, Chart, list[Components]]:
    """The chart of a form and velocities in body components, all exact or all numbers."""
    r = exactly(r) if any(map(is_exact, velocities)) else r
    ws = [read(w, (3,), "an angular velocity", r.is_exact) for w in velocities]
    _check_batches(r, ws)
    return r, chart_of(form, extrinsic), ws if is_body(frame) else [applied(r.rows.T, w) for w in ws]


def _check_batches(r: Stored, rates: list[Components]) -> None:
    """Refuse rates of more or fewer than the rotations are."""
    if r.batch is not None:
        broadcast(r.batch, *map(batch_of, rates))


def _written_rate(r: Stored, xd: Components, chart: Chart, form: str) -> Any:
    batch = shape_of(r, xd, chart, form)
    return written_spinor(xd, batch) if form == "spinor" else written(xd, chart.shape, batch)


def _written_velocity(r: Stored, w: Components, frame: str, chart: Chart, form: str) -> Any:
    batch = shape_of(r, w, chart, form)
    return written(w if is_body(frame) else applied(r.rows, w), (3,), batch)


def is_body(frame: str) -> bool:
    """Whether a frame is the turned one, or the one that stays; refused if it is neither."""
    if frame not in ("body", "space"):
        cure = 'Give "body", the turned one, or "space", the one that stays.'
        raise PolhodeError(f"{shown(frame)} is no frame of a rotation.", cure=cure, code="E-ROTATION-NAME")
    return frame == "body"
