"""Outputs that make the whole state linear, looked for among the coordinates and states themselves."""

from __future__ import annotations

from ...analysis.control_geometry.affine import Plant
from ...analysis.control_geometry.linearizability import Linearizability
from ...analysis.control_geometry.relative_degree import degrees_of
from ...errors import PolhodeError
from ...expr import Expr, rank
from ...expr.spelling import spelled

_PLACE = "feedback_linearize"


def linearizing_outputs(plant: Plant, conditions: Linearizability) -> dict[str, Expr]:
    """As many coordinates, states or speeds as inputs whose relative degrees sum up to the dimension of the state."""
    if not conditions.is_linearizable:
        raise PolhodeError(
            f"the state cannot be made linear by static feedback: {conditions.sentences[-1].rstrip('.')}.",
            place=_PLACE,
            cure="Give outputs=[…] for a law that makes some of it linear, or extend=True with flat outputs.",
            code="E-FEEDBACK-010",
        )
    equations = plant.equations
    symbols = [*equations.q, *equations.z, *equations.u]
    found = degrees_of(plant, {spelled(x): x for x in symbols}, None)
    order = sorted(range(len(symbols)), key=lambda k: -(found.degrees[k] or 0))
    chosen: list[int] = []
    for k in order:
        if found.degrees[k] and rank([found.driven[i] for i in (*chosen, k)]) == len(chosen) + 1:
            chosen.append(k)
    total = sum(found.degrees[k] or 0 for k in chosen)
    if len(chosen) < len(plant.inputs) or total < plant.size:
        degrees = ", ".join(map(str, conditions.indices))
        raise PolhodeError(
            f"outputs of relative degrees {{{degrees}}} exist, but they are no coordinates: these reach {total} of "
            f"{plant.size}.",
            place=_PLACE,
            cure="Give outputs=[…] as expressions of the state.",
            code="E-FEEDBACK-011",
        )
    return {spelled(symbols[k]): symbols[k] for k in sorted(chosen)}
