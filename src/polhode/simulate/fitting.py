"""Whether discs fit the curves that they roll on, and wheels stand as they were said to.

Where a curve bends towards a disc more sharply than the disc's rim, κ r > 1, they cross beside the place of contact;
where κ r = 1 that place moves with no bound.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..constraints.tracking import curve_of_disc
from ..dynamics.equations import EquationsOfMotion
from ..expr import Expr, evaluate, substitute
from ..model.constraint import Disc, Wheel

#: How near κ r may come to one.
_TIGHT = 1e-3


def standing(equations: EquationsOfMotion) -> dict[str, Expr]:
    """For each wheel that was said to be upright, the cosine of its lean."""
    wheels = (each for each in equations.system.constraints.values() if isinstance(each, Wheel))
    said = {wheel.name: wheel.upright for wheel in wheels if wheel.upright is not None}
    return dict(zip(said, substitute(said.values(), equations.tree.followed), strict=True))


def unfit(equations: EquationsOfMotion, known: Mapping[Expr, float]) -> str:
    """A sentence about the first disc that does not fit where it is, nothing if all do; `known` has all values."""
    for disc in equations.system.constraints.values():
        if not isinstance(disc, Disc) or disc.parameter not in known:
            continue
        radius, curvature, place = evaluate([disc.radius, curve_of_disc(disc).curvature, disc.parameter], known)
        if radius * curvature > 1.0 - _TIGHT:
            return (
                f"disc '{disc.name}' does not fit its curve: at '{disc.parameter.name}' = {place:.6g} the curve's "
                f"radius is {1.0 / abs(curvature):.6g}, the disc's {abs(radius):.6g}."
            )
    return ""
