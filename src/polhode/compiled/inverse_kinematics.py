"""What inverse kinematics asks of compiled code: a damped step towards a pose, and all branches of a closed form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .quantities import Outputs, Quantity

if TYPE_CHECKING:
    from ..dynamics.equations import EquationsOfMotion
    from ..expr import Expr


@dataclass(frozen=True)
class PoseStepOf(Quantity):
    """A damped step of a body or frame towards a pose; see `polhode.analysis.pose_step`."""

    name: str
    of: str = "pose"

    kind = "pose_step"
    arrays = ("q", "target", "damping", "free", "wish")

    def own_arrays(self, equations: EquationsOfMotion) -> dict[str, list[Expr]]:
        from ..analysis.pose_step import step_symbols

        return step_symbols(equations.tree)

    def outputs(self, equations: EquationsOfMotion) -> Outputs:
        from ..analysis.pose_step import pose_step

        made = pose_step(equations, self.name, self.of)
        return [
            ("square", (), [made.square]),
            ("change", (len(made.change),), list(made.change)),
            ("slope", (len(made.slope),), list(made.slope)),
        ]
