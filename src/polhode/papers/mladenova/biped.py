"""A planar biped, its gait and the inverse kinematics of its legs: trunk, two thighs, two shanks, feet that are points.

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

A step of its gait has two phases, each with its own time from 0, with the foot that bears the walker at x = 0:

    double support   the other foot is still behind, at -L; the hip passes from one foot towards the other
    single support   the other foot swings from -L to L and comes down at rest; the hip passes above the one that bears

In single support the hip moves as an inverted pendulum of rate ω would, x = A sinh ω(t - T/2), so that little is left
for the trunk to balance; in double support along a cubic. Its position, velocity and acceleration have no jumps. A foot
leaves and touches the ground without velocity and acceleration: there is no impact.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields
from typing import Any

from ...calls import public
from ...errors import PolhodeError, number, understood
from ...expr import Expr, Vector, as_expr, constant_sign, free_symbols
from ...expr.exact import acos, atan2, cos, sin, sinh
from ...model.body import Shape
from ...model.joints import Compound, JointType, Prismatic, Revolute
from ...model.system import System
from ...planning.quintic import quintic

#: Name, value and unit: a grown person's, roughly; 2a and 2b are the lengths of thigh and shank.
BODY = {
    "g": ("9.81", "m/s²"), "m_o": (8, "kg"), "M_1": (32, "kg"), "rho": ("0.3", "m"), "I": ("4.2", "kg m²"),
    "m_a": (7, "kg"), "a": ("0.22", "m"), "I_a": ("0.45", "kg m²"),
    "m_b": (4, "kg"), "b": ("0.22", "m"), "I_b": ("0.26", "kg m²"),
}  # fmt: skip

#: The joints that have motors, in the order of the paper's u_i, q_i.
MOTORS = ("knee 1", "knee 2", "hip 1", "hip 2")


@public
def biped(stands: Collection[int] | Mapping[int, Any] = (), turn: JointType | None = None) -> System:
    """The biped in flight, or with the feet that are named (1, 2) on the ground at x = `foothold 1`, `foothold 2`.

    A mapping gives the footholds' values too: {1: 0, 2: -0.4}. `turn` is the joint of trunk, hips and knees: by default
    Revolute("y"), whose coordinates are angles.

    >>> biped().derive().coordinates
    ['x', 'z', 'theta', 'hip 1', 'knee 1', 'hip 2', 'knee 2']
    >>> len(biped(stands=[1]).derive().constraints.generic_rows)
    2
    """
    with understood("the numbers of feet", stands, place="biped stands"):
        footholds = dict(stands) if isinstance(stands, Mapping) else dict.fromkeys(stands, 0)
    unexpected = [foot for foot in footholds if foot not in (1, 2)]
    if unexpected:
        raise PolhodeError(f"there is no foot {unexpected[0]!r}.", "biped stands", "Name 1, 2 or both.", "E-MODEL-NAME")
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


@public
@dataclass(frozen=True)
class Gait:
    """Steps of one length, in metres, each of `double` and then `single` support, in seconds."""

    length: float
    height: float  # of the hip, which stays level
    clearance: float  # of the foot that swings, half way
    single: float
    double: float
    rate: float = 3.0  # ω of the pendulum, in 1/s; √(g/h) of a point mass at height h
    ahead: float = 0.0  # of the feet's middle, the hip's

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            cure = "Lengths are in metres, times in seconds."
            result = (
                number(value, place="gait ahead", cure=cure)
                if field.name == "ahead"
                else number(value, "a positive number", above=0.0, place=f"gait {field.name}", cure=cure)
            )
            object.__setattr__(self, field.name, result)

    @property
    def speed(self) -> float:
        """Walking speed."""
        return self.length / (self.single + self.double)

    @property
    def amplitude(self) -> float:
        """A of the hip's motion, by which both phases together make one step."""
        w, T = self.rate, self.double
        s, c = math.sinh(w * self.single / 2), math.cosh(w * self.single / 2)
        return self.length / (2 * s + w * c * T + w**2 * s * T**2 / 6)

    def hip_in_single_support(self, t: Any) -> Expr:
        """x of the hip."""
        return as_expr(self.ahead + self.amplitude * sinh(self.rate * (t - self.single / 2)))

    def hip_in_double_support(self, t: Any) -> Expr:
        """x of the hip; its acceleration goes evenly from that of one pendulum to that of the next."""
        w, A, half = self.rate, self.amplitude, self.rate * self.single / 2
        x, v, a = A * math.sinh(half) - self.length, A * w * math.cosh(half), A * w**2 * math.sinh(half)
        return as_expr(self.ahead + x + v * t + a * t**2 / 2 - a / self.double * t**3 / 3)

    def swinging_foot(self, t: Any) -> tuple[Expr, Expr]:
        """x and z of the foot that swings."""
        s = t / self.single
        path = quintic(t, (-self.length, 0, 0), (self.length, 0, 0), self.single, hold=False)
        return path, as_expr(self.clearance * (4 * s * (1 - s)) ** 3)


@public
def two_bars(x: Any, z: Any, first: Any, second: Any) -> tuple[Expr, Expr]:
    """Angles about y of two bars from the origin to (x, z), the second relative to the first and positive."""
    x, z, first, second = (as_expr(entry) for entry in (x, z, first, second))
    cosine = as_expr((x**2 + z**2 - first**2 - second**2) / (2 * first * second))
    if not free_symbols([cosine]) and (constant_sign(1 - cosine) < 0 or constant_sign(1 + cosine) < 0):
        message = (
            f"bars of {float(first):.4g} and {float(second):.4g} do not reach ({float(x):.4g}, {float(z):.4g}), at "
            f"{float(x**2 + z**2) ** 0.5:.4g} from where they hang."
        )
        cure = f"Stay between {abs(float(first - second)):.4g} and {float(first + second):.4g}."
        raise PolhodeError(message, place="two_bars", cure=cure, code="E-PLANNING-FAILED")
    knee = acos(cosine)
    hip = atan2(-x, -z) - atan2(second * sin(knee), first + second * cos(knee))
    return as_expr(hip), as_expr(knee)
