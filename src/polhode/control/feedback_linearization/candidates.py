"""Outputs that make the whole state linear, looked for among the coordinates and states themselves."""

from __future__ import annotations

from dataclasses import replace

from ...control_geometry.affine import Plant
from ...control_geometry.linearizability import Linearizability
from ...control_geometry.relative_degree import RelativeDegree, degrees_of
from ...errors import fault_at
from ...expr import Matrix, Vector, rank
from ...expr.spelling import spelled

_PLACE = "feedback_linearize"
fault = fault_at(_PLACE)


def linearizing_outputs(plant: Plant, conditions: Linearizability) -> RelativeDegree:
    """The degrees of as many coordinates and states as inputs, which sum up to the dimension of the state."""
    if not conditions.is_linearizable:
        raise fault(
            f"the state cannot be made linear by static feedback: {conditions.sentences[-1].rstrip('.')}.",
            "Give outputs=[…] for a law that makes some of it linear, or flat ones and extend=True.",
            "E-FEEDBACK-010",
        )
    symbols = [*plant.equations.q, *plant.equations.z]
    found = degrees_of(plant, {spelled(x): x for x in symbols}, None)
    order = sorted(range(len(symbols)), key=lambda k: -(found.degrees[k] or 0))
    chosen: list[int] = []
    for k in order:
        if found.degrees[k] and rank([found.driven[i] for i in (*chosen, k)]) == len(chosen) + 1:
            chosen.append(k)
    total = sum(found.degrees[k] or 0 for k in chosen)
    if len(chosen) < len(plant.inputs) or total < plant.size:
        degrees = ", ".join(map(str, conditions.indices))
        raise fault(
            f"outputs of relative degrees {{{degrees}}} exist, but coordinates are none: theirs sum up to {total} of "
            f"{plant.size}.",
            "Give outputs=[…] as expressions of the state.",
            "E-FEEDBACK-011",
        )
    chosen.sort()
    return replace(
        found,
        outputs={spelled(symbols[k]): symbols[k] for k in chosen},
        degrees=tuple(found.degrees[k] for k in chosen),
        chain=tuple(found.chain[k] for k in chosen),
        rank=len(chosen),
        driven_drift=Vector([found.driven_drift[k] for k in chosen]),
        driven=Matrix([found.driven[k] for k in chosen]),
    )
