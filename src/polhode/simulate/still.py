"""A mechanism that stands still, as a trajectory: to look at a pose before anything moves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..compiled.functions import Functions
from .assembly import assemble
from .trajectory import Trajectory

#: How long it stands, in seconds: a page shows a span of time.
_SPAN = 1.0


def still(functions: Functions, pose: Any = None, parameters: Mapping[str, Any] | None = None) -> Trajectory:
    """Two samples of one pose, home by default, brought to where its constraints are kept; at rest.

    >>> import polhode as ph
    >>> s = ph.System("slider")
    >>> _ = s.joint("slide", s.ground, s.body("block", 1), "prismatic")
    >>> still(s.derive().compile(), {"slide": 0.5})["slide"].tolist()
    [0.5, 0.5]
    """
    derivation = functions.derivation
    found = assemble(derivation, pose, parameters=dict(parameters or {}))
    known = derivation.synopsis
    return Trajectory(
        np.array([0.0, _SPAN]),
        np.tile(found.q, (2, 1)),
        np.zeros((2, len(known.speeds))),
        tuple(known.coordinates),
        tuple(known.speeds),
        info={"notices": found.notices},
        functions=functions,
        parameters=dict(parameters or {}),
        z=np.tile(found.z, (2, 1)),
        states=tuple(known.states),
    )
