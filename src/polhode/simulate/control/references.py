"""What is wanted, as a user gives it: numbers, expressions of time, samples, another run; by the names of references.

A law knows a reference with its derivatives in time. They are exact: those of the expression.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import PolhodeError, shown, understood, unknown
from ...expr import Expr, Function, as_expr, evaluate, free_symbols, is_zero, substitute
from ...expr.calls import sampled, samples_of
from ...expr.exact import sqrt
from ...expr.opaque.table import Table
from ...laws.law import check_unit_length
from ..breaks import tables_of_time
from ..trajectory.trajectory import Trajectory

if TYPE_CHECKING:
    from ...laws.law import Law, Reference
    from ...model.model import Model

#: The highest derivative of a table that has no impulses, by how its points are joined.
_SMOOTH = {"held": 0, "linear": 1, "pchip": 2, "cubic": 3}

_CURVE = 'Give a number, an expression of time (also as text), or sampled(times, values, "cubic").'


@dataclass(frozen=True, eq=False)
class Curves:
    """The references of a law and their derivatives, by their symbols, as expressions of time.

    `lengths` are those of quaternions that were not of unit length as they were given, by the name of the orientation:
    they were divided by them.
    """

    by_symbol: Mapping[Expr, Expr]
    lengths: Mapping[str, Expr]


def curves_of(law: Law, given: Any, system: Model) -> Curves:
    """What is wanted, as it is given by name.

    >>> import polhode as ph
    >>> wanted = ph.control.Reference("x", 2)
    >>> law = ph.control.Law({ph.symbol("v", "effort"): sum(wanted.symbols)}, reference=(wanted,))
    >>> curves_of(law, {"x": "sin(2*t)"}, ph.System("slider").model()).by_symbol
    {ref_x: sin(2*t), ref_x': 2*cos(2*t), ref_x'': -4*sin(2*t)}
    """
    by_name = _by_name(law, given)
    curves = {wanted.name: _curve(wanted, by_name, system) for wanted in law.reference}
    lengths: dict[str, Expr] = {}
    for name, four in law.orientations.items():
        length = _length(name, [curves[each.name] for each in four])
        if length is not None:
            lengths[name] = length
            curves |= {each.name: as_expr(curves[each.name] / length) for each in four}
    return Curves(dict(_derivatives(law, curves, system)), lengths)


def _length(orientation: str, four: Sequence[Expr]) -> Expr | None:
    """The length of a quaternion that is wanted; None where it is one for all times and parameters."""
    square = as_expr(sum(each * each for each in four))
    if is_zero(square - 1):
        return None
    if not free_symbols(four):
        check_unit_length(evaluate([square], {})[0] ** 0.5, orientation)
    return as_expr(sqrt(square))


def _by_name(law: Law, given: Any) -> dict[str, Any]:
    """What is given for each reference, as far as it is."""
    names = [each.name for each in law.reference]
    if given is None:
        return {}
    if isinstance(given, Trajectory):
        return {name: _of_run(given, name) for name in names}
    planned = None if isinstance(given, Mapping | Function) else getattr(given, "reference", None)
    planned = planned() if callable(planned) else planned
    if isinstance(planned, Mapping):  # of a motion that was planned: it may be of more than is asked for
        return {name: planned[name] for name in names if name in planned}
    if isinstance(given, Mapping):
        by_name = {key.name if isinstance(key, Expr) else key: value for key, value in given.items()}
        for name in by_name:
            if name not in names:
                raise unknown("reference", name, names, place="reference", code="E-LOOP-001")
        return by_name
    if len(names) == 1:
        return {names[0]: given}
    if isinstance(given, list | tuple | np.ndarray) and len(given) == len(names):
        return dict(zip(names, given, strict=True))
    raise PolhodeError(
        f"{shown(given)} is one curve, and there are {len(names)} references."
        if names
        else "the controller follows no reference.",
        place="reference",
        cure=f"Give them by name: {', '.join(names)}." if names else "Leave the reference out.",
        code="E-LOOP-002",
    )


def _of_run(run: Trajectory, name: str) -> Function:
    """What a run has of this name, as a curve; a cubic through its samples."""
    values = run[name]
    if len(values) < 4:
        raise PolhodeError(
            f"the run has {len(values)} samples, too few for a curve.",
            place=f"reference '{name}'",
            cure="Give a run with more samples.",
            code="E-LOOP-003",
        )
    return sampled(run.t, values, "cubic", name=name)


def _derivatives(law: Law, curves: Mapping[str, Expr], system: Model) -> Iterator[tuple[Expr, Expr]]:
    for wanted in law.reference:
        curve = curves[wanted.name]
        for symbol in wanted.symbols:
            yield symbol, curve
            curve = curve.diff(system.time)


def _curve(wanted: Reference, given: Mapping[str, Any], system: Model) -> Expr:
    """One reference as an expression of time and of parameters of the mechanism."""
    place = f"reference '{wanted.name}'"
    if wanted.name not in given:
        if wanted.default is not None:
            return as_expr(wanted.default)
        raise PolhodeError(
            "there is no curve for it.",
            place=place,
            cure=f"Give reference={{{wanted.name!r}: …}}. {_CURVE}",
            code="E-LOOP-004",
        )
    made = _expression(given[wanted.name], wanted, system, place)
    known = {system.time, *(each.symbol for each in system.parameters.values())}
    strange = [each for each in free_symbols([made]) if each not in known]
    if [each.data[0] for each in strange] == ["symbol"] and strange[0].name == system.time.name:
        (made,), strange = substitute([made], {strange[0]: system.time}), []  # somebody's own symbol for the time
    if strange:
        raise PolhodeError(
            f"it depends on the {strange[0].data[0]} '{strange[0].name}'.",
            place=place,
            cure="A reference is a function of time, system.time, and of parameters of the mechanism.",
            code="E-LOOP-005",
        )
    for table in tables_of_time([made], system.time):
        _check_smooth(table, wanted.order, place)
    return made


def _expression(value: Any, wanted: Reference, system: Model, place: str) -> Expr:
    with understood("a curve in time", value, place=place, cure=_CURVE):
        if isinstance(value, Trajectory):
            value = _of_run(value, wanted.name)
        if isinstance(value, str):
            from ...formats.texts import expression_of

            return expression_of(value, system, "parameter")
        if isinstance(value, tuple | list) and len(value) == 2 and all(np.ndim(part) == 1 for part in value):
            times, values = value
            value = samples_of(times, values, "cubic" if wanted.order else "linear", wanted.name, place)
        if isinstance(value, Function):
            return as_expr(value(system.time))
        if isinstance(value, bool):
            raise TypeError
        if callable(value) and not isinstance(value, Expr):
            raise PolhodeError(
                "a Python function has no derivatives here, and would be asked at every step.",
                place=place,
                cure=_CURVE,
                code="E-LOOP-006",
            )
        return as_expr(value)


def _check_smooth(table: Table, order: int, place: str) -> None:
    """Refuse samples whose derivatives, as many as a law wants, have impulses that no table shows."""
    most = _SMOOTH[table.points.kind]
    if order > most:
        better = [kind for kind, enough in _SMOOTH.items() if enough >= order and kind != "pchip"]
        raise PolhodeError(
            f"the law wants derivative {order} of it, and samples that are joined {table.points.kind} have "
            f"{most or 'none'}.",
            place=place,
            cure=f'Join them smoothly: sampled(times, values, "{better[0]}").'
            if better
            else "Give an expression of time, as polhode.planning.quintic makes.",
            code="E-LOOP-007",
        )
