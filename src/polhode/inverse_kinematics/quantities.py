"""Compiled quantities of inverse kinematics: a damped step towards a pose, and all branches of a closed form."""

from __future__ import annotations

from dataclasses import dataclass

from ..compiled.quantities import Outputs, Quantity
from ..dynamics.equations import EquationsOfMotion
from ..expr import Expr


@dataclass(frozen=True)
class PoseStepOf(Quantity):
    """A damped step of a body or frame towards a pose; see `polhode.inverse_kinematics.pose_step`."""

    name: str
    of: str = "pose"

    kind = "pose_step"
    arrays = ("q", "target", "damping", "free", "wish")

    def own_arrays(self, equations: EquationsOfMotion) -> dict[str, list[Expr]]:
        from .pose_step import step_symbols

        return step_symbols(equations.tree)

    def outputs(self, equations: EquationsOfMotion) -> Outputs:
        from .pose_step import pose_step

        result = pose_step(equations, self.name, self.of)
        return [
            ("square", (), [result.square]),
            ("change", (len(result.change),), list(result.change)),
            ("slope", (len(result.slope),), list(result.slope)),
        ]


@dataclass(frozen=True)
class ClosedFormOf(Quantity):
    """All branches of the inverse kinematics of a body or frame; see `polhode.inverse_kinematics.closed_form`."""

    name: str
    of: str = "pose"

    kind = "closed_form"
    arrays = ("target",)

    def own_arrays(self, equations: EquationsOfMotion) -> dict[str, list[Expr]]:
        from .closed_form.inverse import target_symbols

        return {"target": target_symbols()}

    def outputs(self, equations: EquationsOfMotion) -> Outputs:
        from .closed_form import closed_form

        result = closed_form(equations, self.name, self.of, prove=False)
        entries = [angle for branch in result.branches for angle in branch]
        return [("branches", (len(result.branches), len(result.coordinates)), entries)]
