"""Scenes of contact whose end is known in closed form: a body on a floor, with gravity along any direction."""

from dataclasses import dataclass
from functools import cached_property
from math import atan, cos, sin, tan
from typing import Any

import numpy as np
from numpy.typing import NDArray

import polhode as ph

Floats = NDArray[np.float64]
_G = 9.81
#: Half the edges of the box between its feet, and the radius of feet, of points and of balls.
HALF, FOOT, BALL = (0.2, 0.15, 0.1), 0.01, 0.1


@dataclass(frozen=True)
class Scene:
    """A body of 1 kg on the floor z = 0: a "box" on four round feet, a "ball", or a "point" that does not turn.

    It starts a height above the floor with a velocity and a spin; `end` are the coordinates of its centre at the end,
    with nan for those that are not compared.
    """

    name: str
    body: str
    duration: float
    end: tuple[float, float, float]
    gravity: tuple[float, float, float] = (0.0, 0.0, -_G)
    friction: float = 0.0
    restitution: float = 0.0
    height: float = 0.0
    velocity: tuple[float, float, float] = (0.0, 0.0, 0.0)
    spin: tuple[float, float, float] = (0.0, 0.0, 0.0)

    @property
    def feet(self) -> list[tuple[float, float, float]]:
        """The centres of the spheres by which it touches the floor."""
        x, y, z = HALF
        return [(i * x, j * y, -z) for i in (-1, 1) for j in (-1, 1)] if self.body == "box" else [(0.0, 0.0, 0.0)]

    @property
    def radius(self) -> float:
        return BALL if self.body == "ball" else FOOT

    @property
    def start(self) -> float:
        """The height of its centre at the start."""
        return self.height + self.radius - self.feet[0][2]

    @property
    def inertia(self) -> tuple[float, float, float]:
        x, y, z = ((2 * each) ** 2 / 12 for each in HALF)
        return (y + z, x + z, x + y) if self.body == "box" else 3 * (0.4 * BALL**2,)

    def error(self, position: Any) -> float:
        """How far a last position of the centre is off, in m."""
        gap = np.asarray(position, dtype=float) - (0.0, 0.0, self.start - self.height) - self.end
        return float(np.sqrt(np.nansum(gap**2)))

    @cached_property
    def equations(self) -> ph.Equations:
        """Ours."""
        s = ph.System(self.name, gravity=self.gravity)
        floor = s.surface("floor", s.ground, ph.Shape.plane())
        body = s.body("body", 1, inertia=self.inertia)
        if self.body == "point":
            names = {"coordinates": ["f_x", "f_y", "f_z"], "speeds": ["f_vx", "f_vy", "f_vz"]}
            s.joint("f", s.ground, body, ph.Compound(*map(ph.Prismatic, "xyz")), **names)
        else:
            s.joint("f", s.ground, body, ph.Free())
        for k, foot in enumerate(self.feet):
            sphere = s.surface(f"foot {k}", body, ph.Shape.sphere(self.radius), at=foot)
            s.contact(f"contact {k}", sphere, floor, friction=self.friction, restitution=self.restitution)
        return s.derive()

    def ours(self, rtol: float) -> Floats:
        """Our last position of the centre, at a tolerance."""
        names = ("f_vx", "f_vy", "f_vz", "f_wx", "f_wy", "f_wz")[: 3 if self.body == "point" else 6]
        speeds = dict(zip(names, (*self.velocity, *self.spin), strict=False))
        given = {"start": {"f_z": self.start}, "speeds": speeds, "rtol": rtol, "atol": rtol}
        run = self.equations.simulate(self.duration, samples=2, progress=False, **given)
        return np.array([run[name][-1] for name in ("f_x", "f_y", "f_z")])


def standing() -> Scene:
    """A box that stands on a slope of 1 : 5."""
    down, into = _G * sin(atan(0.2)), _G * cos(atan(0.2))
    return Scene("box stands on a slope", "box", 10.0, (0.0, 0.0, np.nan), (down, 0.0, -into), 0.5)


def backspin() -> Scene:
    """A ball with backspin: it slips until (2/7) (v + r ω)/(μ g), and rolls from there on."""
    mu, v, spin, duration = 0.2, 2.0, 30.0, 1.5
    t = 2 / 7 * (v + BALL * spin) / (mu * _G)
    x = v * t - mu * _G * t**2 / 2 + (v - mu * _G * t) * (duration - t)
    return Scene("ball with backspin", "ball", duration, (x, 0.0, np.nan), friction=mu, velocity=(v, 0.0, 0.0),
                 spin=(0.0, -spin, 0.0))  # fmt: skip


def across() -> Scene:
    """A block thrown across a slope: with k = μ/tan α and w = tan(φ/2) of its angle to downhill its path is known.

    Its speed is ½ v w^(k-1) (1 + w²), and dt = v/(g sin α) dw/w.
    """
    angle, mu, v = 0.3, 0.4, 2.0
    gravity = _G * sin(angle), 0.0, -_G * cos(angle)
    k, scale = mu / tan(angle), v**2 / (4 * _G * sin(angle))
    end = scale * (1 / (2 * k - 2) - 1 / (2 * k + 2)), 2 * scale * (1 / (2 * k - 1) + 1 / (2 * k + 1)), np.nan
    return Scene("block across a slope", "point", 2.0, end, gravity, mu, velocity=(0.0, v, 0.0))


def bounce() -> Scene:
    """A ball dropped from 1 m, at the top of its flight after the fifth impact."""
    e = 0.8
    duration = (2 / _G) ** 0.5 * (1 + 2 * sum(e**k for k in range(1, 5)) + e**5)
    return Scene("bounce, after five impacts", "point", duration, (np.nan, np.nan, e**10), restitution=e, height=1.0)


SCENES = standing, backspin, across, bounce
