"""How a run kept its constraints, and with what forces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..errors import PolhodeError
from .state import Floats

if TYPE_CHECKING:
    from .trajectory import Trajectory


@dataclass(frozen=True)
class Drift:
    """The largest that is left of the constraints at the samples: in position, |φ| and |ψ|, in velocity, |A u + a|."""

    position: float = 0.0
    velocity: float = 0.0


def drift_along(trajectory: Trajectory) -> Drift:
    """How far a run strays from its constraints."""
    functions = trajectory.mechanism
    ties = functions.equations.constraints
    if ties is None or not ties.rows or not len(trajectory.t):
        return Drift()
    positions = ["constraint_values"] * bool(ties.positions) + ["definition_values"] * bool(ties.definitions)
    values = [functions.evaluate(name, trajectory.q, **trajectory._given(name)) for name in positions]
    rates = functions.constraint_rates(trajectory.q, trajectory.u, **trajectory._given("constraint_rates"))
    return Drift(max((float(np.abs(each).max()) for each in values), default=0.0), float(np.abs(rates).max()))


def multipliers_along(trajectory: Trajectory) -> dict[str, Floats]:
    """λ of each constraint over time, of least size where constraints are redundant."""
    from .manifold import Manifold

    functions = trajectory.mechanism
    ties = functions.equations.constraints
    if ties is None or not ties.rows:
        return {}
    if functions.equations.dependent_speeds is not None:
        raise PolhodeError(
            "only runs with multipliers have them.",
            cure='Derive with constraints="multipliers".',
            code="E-TRAJ-007",
        )
    manifold = Manifold(functions, ties, trajectory.parameters)
    tau = np.zeros((len(trajectory.t), len(functions.equations.tau))) if trajectory.tau is None else trajectory.tau
    inputs = np.zeros((len(trajectory.t), 0)) if trajectory.inputs is None else trajectory.inputs
    manifold.measure(float(trajectory.t[0]), trajectory.q[0])
    found = [
        manifold.multipliers(t, x, *given)
        for t, x, *given in zip(
            trajectory.t.tolist(), np.hstack([trajectory.q, trajectory.u]), tau, inputs, strict=True
        )
    ]
    return dict(zip(ties.names, np.transpose(found), strict=True))
