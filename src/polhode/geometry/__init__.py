"""Vectors, rotations, rigid motions, screws and inertia; nothing here knows a body."""

from .dual import Dual, dual, dual_part, real_part
from .dual_motion import angle_between, composed, dual_orthogonal, line_through, pose_of, vector_parameter_of
from .inertia import Inertia
from .lie import bracket, generated_subalgebra
from .pose import Pose
from .principal_axes import PrincipalAxes, principal_axes
from .rotation import about, rotation, unit_axis
from .screws import ScrewMotion, screw_of

__all__ = [
    "Dual", "Inertia", "Pose", "PrincipalAxes", "ScrewMotion", "about", "angle_between", "bracket", "composed", "dual",
    "dual_orthogonal", "dual_part", "generated_subalgebra", "line_through", "pose_of", "principal_axes", "real_part",
    "rotation", "screw_of", "unit_axis", "vector_parameter_of",
]  # fmt: skip
