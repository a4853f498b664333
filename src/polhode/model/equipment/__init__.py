"""What robot files state beside mechanics: records that model files and digests keep, and equations do not depend on.

A new kind is one file with a frozen dataclass that extends `Equipment`, and one entry here.
"""

from __future__ import annotations

from .actuator import Actuator
from .geom import ContactExclusion, ContactPair, Geom
from .protocol import Equipment
from .sensor import Sensor
from .tendon import Tendon

#: The kinds of equipment by the section of a model file that has them; a kind may name those before it.
EQUIPMENT: dict[str, type[Equipment]] = {
    kind.table: kind for kind in (Tendon, Actuator, Sensor, Geom, ContactPair, ContactExclusion)
}

__all__ = [
    "EQUIPMENT", "Actuator", "ContactExclusion", "ContactPair", "Equipment", "Geom", "Sensor", "Tendon",
]  # fmt: skip
