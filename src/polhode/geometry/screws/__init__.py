"""Screws: the axis, the angle and the pitch of a rigid motion, and of the velocity of a body.

C. Mladenova, "Group Theory in the Problems of Modeling and Control of Multi-Body Systems", section 4.1, with the
corrections listed in docs/errata.md:

    L = 2c,  L' = p - c × p - ν c,  ν = c·p/c²      Plücker vectors of the axis of a motion O(c), p    (141, corrected)
    L = ω,   L' = v - σ ω,          σ = ω·v/ω²      those of a velocity, v = ṗ - ω × p being the origin's         (142)
"""

from .motion import ScrewMotion
from .reading import screw_of

__all__ = ["ScrewMotion", "screw_of"]
__dir__ = __all__.copy
