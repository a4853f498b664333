"""A controller's law that keeps its controls within limits itself: what is compiled and written as source."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..dynamics.synopsis import joints_of_one_speed
from ..errors import warn
from ..expr import Expr
from .law import Law
from .named_symbols import Named, limits_of, rated_efforts, told_unlimited
from .saturation import Range, saturated

if TYPE_CHECKING:
    from .controller import Controller


def limited_law(controller: Controller, given: Any) -> tuple[Law, dict[Expr, Range]]:
    """The nominal law with its controls within limits, given as in `simulate`, and what these are.

    Parameters of the mechanism in limits of the model are nominal ones too.
    """
    equations, law = controller.equations, controller.nominal_law
    if given is None:
        return law, {}
    named = Named.controls(law, joints_of_one_speed(equations))
    limits = limits_of(given, named, rated_efforts(equations.system))
    told = told_unlimited(given, named, limits)
    if told:
        warn(f"{controller.name}: {told}", code="W-LOOP-001")
    law = controller.law_within(limits)
    kept = replace(law, controls={x: saturated(value, limits.get(x)) for x, value in law.controls.items()})
    return kept.with_nominal(equations.system.parameters, controller.nominal), limits
