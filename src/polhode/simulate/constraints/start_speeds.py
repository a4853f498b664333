"""The start of a run in pseudo-velocities from a named pose, which has the speeds of the joints: π̇ = P u + p."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...errors import understood

if TYPE_CHECKING:
    from ...formalisms.derivation import Derivation

Floats = NDArray[np.float64]


def speeds_at_pose(
    derivation: Derivation, q: Floats, speeds: Mapping[str, float], parameters: Mapping[str, Any] | None = None
) -> Floats | None:
    """Pseudo-velocities of a tree at q, where its joints have these speeds and otherwise none.

    None where speeds are those of joints, or follow from constraints, or a parameter has no value.

    >>> import polhode as ph
    >>> s = ph.System("bar")
    >>> bar = s.body("bar", 1, (2, 0, 0), (1, 1, 1))
    >>> _ = s.joint("fly", s.ground, bar, ph.Free())
    >>> made = s.derive("kane", speeds="sayers")
    >>> speeds_at_pose(made.derivation, [1, 0, 0, 0, 0, 0, 0], {"fly_wz": 3}).tolist()
    [0.0, 0.0, 3.0, 0.0, 6.0, 0.0]
    """
    if not derivation.synopsis.in_pseudo_velocities or derivation.model.constraints:
        return None
    from ...constraints import PseudoSpeeds
    from ...expr import evaluate, free_symbols

    chosen, model, tree = derivation.equations.dependent_speeds, derivation.model, derivation.equations.tree
    if not isinstance(chosen, PseudoSpeeds):
        return None
    known = dict(zip(tree.q, map(float, q), strict=True)) | {u: float(speeds.get(u.name, 0)) for u in tree.u}
    values: dict[Any, Any] = {model.time: 0.0}
    for x in free_symbols(list(chosen.values)):
        if x in known:
            values[x] = known[x]
        elif x.name in model.parameters:
            values[x] = (parameters or {}).get(x.name, model.parameters[x.name].value)
    if None in values.values():
        return None
    with understood("a number for each parameter", list(values.values()), place="parameters"):
        return np.array(evaluate(list(chosen.values), {x: float(value) for x, value in values.items()}))
