"""How well a frame can move at given coordinates: T. Yoshikawa, Manipulability of robotic mechanisms (1985).

    J = U Σ Vᵀ,    measure = σ₁ σ₂ ⋯ σ_r = √det(J Jᵀ),    condition = σ₁ / σ_r

r is the generic rank of J, decided by fingerprint: where the measure vanishes the frame has lost a way to move that it
has elsewhere. Speeds of length one move the frame within an ellipsoid whose half axes are σᵢ along the columns of U.
With dependent speeds J is that of the independent ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..dynamics.equations import EquationsOfMotion
from ..dynamics.whole import check_not_of_time
from ..errors import PolhodeError, ShapeError, understood
from ..expr import rank
from ..notebook import Cell, Shown, Table
from .pose_step import ASKED, check_asked

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Manipulability(Shown):
    """What a frame can do: `measure` (…), `singular_values` (…, r), `condition` (…) and `axes` (…, rows, r).

    The axes are those of the ellipsoid, rows angular velocity over velocity in ground components, as far as asked for.
    """

    measure: Floats
    singular_values: Floats
    condition: Floats
    axes: Floats

    def __repr__(self) -> str:
        if np.ndim(self.measure):
            least, most = np.min(self.measure), np.max(self.measure)
            return f"Manipulability({np.size(self.measure)} poses, measure from {least:.4g} to {most:.4g})"
        return f"Manipulability(measure {float(self.measure):.4g}, condition {float(self.condition):.4g})"

    def _cell(self) -> Cell:
        values = np.asarray(self.singular_values).reshape(-1, np.shape(self.singular_values)[-1])
        rows = [
            (f"{m:.6g}", f"{c:.6g}", ", ".join(f"{value:.4g}" for value in row))
            for m, c, row in zip(np.ravel(self.measure), np.ravel(self.condition), values.tolist(), strict=True)
        ]
        return Cell("manipulability", [Table(["measure", "condition", "singular values"], rows)])


def manipulability(
    equations: EquationsOfMotion, jacobian: Callable[[Any], Floats], name: str, q: Any, of: str = "pose"
) -> Manipulability:
    """How well a body or frame can move; see `Equations.manipulability`."""
    check_asked(of, "manipulability")
    if equations.constraints is not None and equations.constraints.rows and equations.dependent_speeds is None:
        raise PolhodeError(
            "with multipliers the Jacobian has columns for speeds that constraints forbid.",
            place="manipulability",
            cure='Derive with dependent speeds: system.derive(constraints="embedded").',
            code="E-IK-010",
        )
    count = len(equations.coordinates)
    with understood("coordinates", q, place="manipulability", cure=f"Give {count} numbers, or an array (…, {count})."):
        at = np.asarray(q, dtype=np.float64)
    if at.shape[-1:] != (count,):
        raise ShapeError(
            f"coordinates of shape {at.shape} are not {count} numbers.",
            place="manipulability",
            cure="See equations.coordinates for their order.",
            code="E-IK-011",
        )
    rows = list(ASKED[of])
    symbolic = [equations.jacobian(name)[k] for k in rows]
    check_not_of_time(equations, name, "Jacobian", (entry for row in symbolic for entry in row))
    generic = rank(symbolic)
    J = np.asarray(jacobian(at.reshape(-1, count)))[:, rows]
    J = np.broadcast_to(J, (int(np.prod(at.shape[:-1])), *J.shape[1:])).reshape(*at.shape[:-1], *J.shape[1:])
    U, sizes, _ = np.linalg.svd(J, full_matrices=False)
    sizes = sizes[..., :generic]
    with np.errstate(divide="ignore", invalid="ignore"):
        condition = sizes[..., 0] / sizes[..., -1] if generic else np.full(at.shape[:-1], np.nan)
    measure = np.prod(sizes, axis=-1) if generic else np.zeros(at.shape[:-1])  # what cannot move has no volume to reach
    return Manipulability(measure, sizes, np.asarray(condition), U[..., :generic])
