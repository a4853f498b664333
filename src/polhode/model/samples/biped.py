"""A planar biped: trunk, two thighs, two shanks, and feet that are points.

C. Mladenova, "Group Theory in the Problems of Modeling and Control of Multi-Body Systems", section 10.2: seven
coordinates, the place x, z of the hip, the lean θ of the trunk, and α_i, β_i of thighs and shanks, all angles from the
vertical and clockwise, which is about y (the paper writes Z). Joints here turn one body in another, so that their
efforts are the paper's moments:

    paper            here
    θ                theta
    α_i - θ, q_i     hip i, and the effort on it
    β_i - α_i, u_i   knee i, and the effort on it
    R_ix, R_iz       the reaction of `foot i` where that stands, else the inputs `R_ix`, `R_iz`, which are nil
    I, I_a^o, I_b    I, I_a, I_b: about O, about O, and about the knee

There are no ankle moments, p_i = 0, as the paper has it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from ...errors import PolhodeError
from ...expr import Vector, as_expr
from ..body import Shape
from ..joints import Compound, JointType, Prismatic, Revolute
from ..system import System

#: Name, value and unit: a grown person's, roughly; 2a and 2b are the lengths of thigh and shank.
BODY = {
    "g": ("9.81", "m/s²"), "m_o": (8, "kg"), "M_1": (32, "kg"), "rho": ("0.3", "m"), "I": ("4.2", "kg m²"),
    "m_a": (7, "kg"), "a": ("0.22", "m"), "I_a": ("0.45", "kg m²"),
    "m_b": (4, "kg"), "b": ("0.22", "m"), "I_b": ("0.26", "kg m²"),
}  # fmt: skip

#: The joints that have motors, in the order of the paper's u_i, q_i.
MOTORS = ("knee 1", "knee 2", "hip 1", "hip 2")


def biped(stands: Collection[int] | Mapping[int, Any] = (), turn: JointType | None = None) -> System:
    """The biped in flight, or with the feet that are named (1, 2) on the ground at x = `foothold 1`, `foothold 2`.

    A mapping gives the footholds' values too: {1: 0, 2: -0.4}. `turn` is the joint of trunk, hips and knees: by default
    Revolute("y"), whose coordinates are angles.

    >>> biped().derive().coordinates
    ['x', 'z', 'theta', 'hip 1', 'knee 1', 'hip 2', 'knee 2']
    >>> len(biped(stands=[1]).derive().constraints.generic_rows)
    2
    """
    footholds = dict(stands) if isinstance(stands, Mapping) else dict.fromkeys(stands, 0)
    strange = [foot for foot in footholds if foot not in (1, 2)]
    if strange:
        raise PolhodeError(
            f"there is no foot {strange[0]!r}.", place="biped stands", cure="Name 1, 2 or both.", code="E-SAMPLE-002"
        )
    s, hinge = System("biped"), turn or Revolute("y")
    p = {name: s.parameter(name, value, unit) for name, (value, unit) in BODY.items()}
    a, b = p["a"], p["b"]
    s.gravity = Vector([as_expr(0), as_expr(0), -p["g"]])
    pelvis = s.body("pelvis", p["m_o"], shapes=Shape("sphere", (0.09,)))
    slides, named = Compound(Prismatic("x"), Prismatic("z")), ["x", "z"]
    s.joint("pelvis", s.ground, pelvis, slides, coordinates=named, speeds=named)
    back = Shape("capsule", (0.1, 1.6 * p["rho"]), (0, 0, p["rho"]))
    trunk = s.body("trunk", p["M_1"], (0, 0, p["rho"]), (p["I"], p["I"], 0), back, about=(0, 0, 0))
    s.joint("trunk", pelvis, trunk, hinge, coordinates=["theta"], speeds=["theta"])
    for k in (1, 2):
        at = (0, 0, -2 * a)
        bones = [Shape("capsule", (width, 2 * half), (0, 0, -half)) for width, half in ((0.06, a), (0.045, b))]
        thigh = s.body(f"thigh {k}", p["m_a"], (0, 0, -a), (p["I_a"], p["I_a"], 0), bones[0], about=(0, 0, 0))
        shank = s.body(f"shank {k}", p["m_b"], (0, 0, -b), (p["I_b"], p["I_b"], 0), bones[1], about=(0, 0, 0))
        s.joint(f"hip {k}", trunk, thigh, hinge)
        s.joint(f"knee {k}", thigh, shank, hinge, at=at)
        s.frame(f"foot {k}", shank, at=(0, 0, -2 * b))
        if k in footholds:
            hold = s.parameter(f"foothold {k}", footholds[k], "m")
            s.close(f"foot {k}", s.ground, shank, Revolute("y"), at_a=(hold, 0, 0), at_b=(0, 0, -2 * b))
        else:
            push = s.input(f"R_{k}x", 0, "N"), as_expr(0), s.input(f"R_{k}z", 0, "N")
            s.force(f"foot {k}", push, name=f"R_{k}")
    return s
