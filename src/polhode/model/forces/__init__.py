"""Force elements: one file each, and one entry of FORCES."""

from .damper import Damper
from .force import Force
from .gravity_field import GravityField
from .joint_force import JointForce
from .joint_spring import JointSpring
from .line_force import LineForce
from .potential import Potential
from .protocol import ForceElement
from .spring import Spring
from .torque import Torque

_LISTED: tuple[type[ForceElement], ...] = (
    Force,
    Torque,
    JointForce,
    JointSpring,
    Spring,
    Damper,
    LineForce,
    GravityField,
    Potential,
)

#: Each by its type in model files.
FORCES: dict[str, type[ForceElement]] = {each.kind: each for each in _LISTED}
