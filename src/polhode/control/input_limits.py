"""Limits of the inputs of a predictive controller: numbers by name, or those that the joints of the model have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..dynamics.equations import EquationsOfMotion
from ..dynamics.joint_limits import joint_limits
from ..errors import PolhodeError, check_kind, listed, understood, unknown, warn
from ..expr import Expr
from .named_symbols import is_model
from .weights import Floats


def input_limits(
    given: Any,
    inputs: Mapping[str, Expr],
    equations: EquationsOfMotion,
    parameters: Mapping[str, Any],
    place: str,
    steady: Sequence[float] | None = None,
) -> tuple[Floats, Floats]:
    """Lower and upper limits of inputs, as deviations from what they are at the operating point, where there is one.

    >>> import polhode as ph
    >>> s = ph.System("arm")
    >>> elbow = s.joint("elbow", s.ground, s.body("arm", 1), ph.Revolute("y"), effort_limits=87)
    >>> input_limits("model", {"tau_elbow": elbow.tau[0]}, s.derive().record, {}, "here")
    (array([-87.]), array([87.]))
    """
    table: Any = _from_model(inputs, equations, parameters, place) if is_model(given) else given
    check_kind(Mapping, "limits by the names of inputs", {} if table is None else table, f"{place} limits")
    names = [*inputs]
    lower, upper = np.full(len(names), -np.inf), np.full(len(names), np.inf)
    for name, value in (table or {}).items():
        if name not in names:
            raise unknown("input", name, names, place=f"{place} limits", code="E-REGULATOR-042")
        if is_model(value):
            value = _from_model({name: inputs[name]}, equations, parameters, place)[name]
        cure = f"Give {{{name!r}: (-1, 1)}}."
        with understood("a limit or a pair of them", value, place=f"{place} limits", cure=cure):
            ends = (-float(value), float(value)) if np.ndim(value) == 0 else tuple(map(float, value))
            if len(ends) != 2:
                raise ValueError
        k = names.index(name)
        if not ends[0] < ends[1]:
            raise PolhodeError(
                f"the limits {ends[0]:g} and {ends[1]:g} of {name} leave nothing between them.",
                place=f"{place} limits",
                cure="Give the lower one first.",
                code="E-REGULATOR-044",
            )
        if steady is None:
            lower[k], upper[k] = ends
            continue
        if not ends[0] <= steady[k] <= ends[1]:
            raise PolhodeError(
                f"{name} is {steady[k]:g} at the operating point, which is not between {ends[0]:g} and {ends[1]:g}.",
                place=f"{place} limits",
                cure="Give limits between which the operating point is.",
                code="E-REGULATOR-043",
            )
        lower[k], upper[k] = ends[0] - steady[k], ends[1] - steady[k]
    return lower, upper


def _from_model(
    inputs: Mapping[str, Expr], equations: EquationsOfMotion, parameters: Mapping[str, Any], place: str
) -> dict[str, tuple[float, float]]:
    """The limits of those inputs that are efforts with limits in the model; of the others it is told."""
    rated = {ends.quantity: ends for ends in joint_limits(equations, parameters, "effort")}
    lacking = [name for name, each in inputs.items() if each not in rated]
    if len(lacking) == len(inputs):
        raise PolhodeError(
            "no input is an effort that has limits in the model.",
            place=f"{place} limits",
            cure='Give the joints effort_limits=…, or numbers here: limits={"tau_elbow": 5}.',
            code="E-REGULATOR-045",
        )
    if lacking:
        was = "it is" if len(lacking) == 1 else "they are"
        warn(f"{place}: the model has no limits of {listed(lacking)}: {was} not limited.", code="W-REGULATOR-047")
    found = {name: rated[each] for name, each in inputs.items() if each in rated}
    for name, ends in found.items():
        for end in ends.unknown.values():
            raise PolhodeError(
                f"the limit {end} of {name} has no value.",
                place=f"{place} limits",
                cure="Give its parameters values: parameters={…}.",
                code="E-REGULATOR-046",
            )
    return {name: (e.known.get("lower", -np.inf), e.known.get("upper", np.inf)) for name, e in found.items()}
