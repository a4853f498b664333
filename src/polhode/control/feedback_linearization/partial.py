"""Partial feedback linearisation of underactuated mechanisms: the coordinates that inputs drive, or the others.

M. W. Spong, *Partial feedback linearization of underactuated mechanical systems* (1994). Collocated: the driven
coordinates follow, q̈_a = v, everywhere. Non-collocated: the others do, q̈_p = v, where M_pa is regular (strong inertial
coupling). What is left are zero dynamics, whose stability is looked at when the law is made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...control_geometry.affine import Plant
from ...control_geometry.zero_dynamics import degrees_of
from ...errors import fault_at, listed, shown
from ...expr import Expr, rank
from ...expr.spelling import spelled
from .linearization import FeedbackLinearization

if TYPE_CHECKING:
    from ...dynamics.equations import EquationsOfMotion
    from ...formalisms.derivation import Derived
    from ...linear.operating_point import Values

_PLACE = "PartialLinearization"
fault = fault_at(_PLACE)
_KINDS = ("collocated", "non-collocated")


class PartialLinearization(FeedbackLinearization):
    """A law under which as many coordinates as inputs follow linear equations.

    `outputs` are "collocated", the driven coordinates, "non-collocated", the others, or a list.

    >>> import warnings
    >>> from polhode.model.samples.underactuated import cart_pole
    >>> e = cart_pole().derive()
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     law = PartialLinearization(e)
    >>> [*law.outputs], str(caught[0].message)[22:55]
    (['x'], 'the zero dynamics are unstable: w')
    >>> [*PartialLinearization(e, "non-collocated").outputs]
    ['theta']
    """

    def __init__(
        self,
        equations: Derived | EquationsOfMotion,
        outputs: Any = "collocated",
        inputs: Sequence[str] | None = None,
        at: Values = None,
        *,
        poles: Any = None,
        gains: Any = None,
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(equations, outputs, inputs, at, poles=poles, gains=gains, parameters=parameters)

    def _named(self, outputs: Any) -> dict[str, Expr]:
        if not isinstance(outputs, str) or outputs in map(spelled, self._plant.variables):
            return super()._named(outputs)
        if outputs not in _KINDS:
            message = f"{shown(outputs)} is neither {' nor '.join(_KINDS)}, nor the name of a state."
            raise fault(message, 'Write "collocated" or "non-collocated", or give a list of outputs.', "E-CONTROL-NAME")
        return _coordinates(self._plant, outputs == "collocated")


def _coordinates(plant: Plant, collocated: bool) -> dict[str, Expr]:
    """The coordinates of the speeds that inputs drive; or of the others, and driven ones as far as inputs are left."""
    driven = [k for k in plant.regular.driven if k >= 0]
    if len(driven) < len(plant.inputs):
        message = "the inputs do not drive as many speeds as they are: which coordinates they drive is not known."
        raise fault(message, "Give a list of outputs.", "E-CONTROL-SHAPE")
    of_speed = {rate: q for q, rate in zip(plant.equations.q, plant.coordinate_rates, strict=True)}
    speeds = list(plant.equations.u)
    others = [u for u in speeds if u not in of_speed]
    if others:
        message = f"the speed {spelled(others[0])} is not the rate of a coordinate."
        raise fault(message, "Give a list of outputs.", "E-CONTROL-UNSUPPORTED")
    active = [of_speed[speeds[k]] for k in driven]
    if collocated:
        return {spelled(q): q for q in active}
    passive = [of_speed[u] for k, u in enumerate(speeds) if k not in driven]
    if len(passive) > len(active):
        raise fault(
            f"{len(active)} inputs cannot make {len(passive)} coordinates linear, {listed(map(spelled, passive))}.",
            f"Give a list of {len(active)} of them.",
            "E-CONTROL-SHAPE",
        )
    found = degrees_of(plant, {spelled(q): q for q in (*passive, *active)}, None)
    chosen = list(range(len(passive)))
    for k in range(len(passive), len(found.outputs)):
        if len(chosen) < len(active) and rank([found.driven[i] for i in (*chosen, k)]) == len(chosen) + 1:
            chosen.append(k)
    every = [*passive, *active]
    return {spelled(every[k]): every[k] for k in chosen}
