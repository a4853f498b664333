"""Models of Exudyn's examples, written for polhode: each has something that a run can lose.

cam              a follower on a cam of two circles: a stroke of 10 mm every quarter second, lost by too long a step
pushed_follower  the same as one force of time and state
cradle           Newton's cradle, impacts by events: where one is missed, balls pass through each other
tippe_top        two spheres on a penalty ground: with `jumps` the normal force has a sign function, else a minimum
short_push       a push of 5 ms after a second of rest
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

import polhode as ph
from polhode.simulate import crossing


def cam() -> ph.System:
    """Run 2 s from {"x": 0.1}."""
    s = ph.System("cam", gravity=(0, "-9.81", 0))
    stiffness, damping, home = 2e6, 1e4, 0.1
    wheel = s.joint("cam", s.ground, s.body("cam", 1, inertia=(1, 1, 1)), ph.Revolute("z"))
    s.prescribe(wheel, 8 * ph.pi * s.time)
    block = s.body("follower", 1000 * 0.08 * 0.06 * 0.06)
    follower = s.joint("x", s.ground, block, ph.Prismatic("x"), speeds=["v"])
    s.joint_spring(follower, 1000, rest=home - 0.02, damping=20)
    x, v = follower.q[0], follower.u[0]
    for at, radius in ((0, 0.05), (0.025, 0.035)):
        centre = s.bodies["cam"].point((at, 0, 0))
        depth = (centre.position(s.ground) & s.ground.x) + radius - (x - 0.04)
        rate = (centre.velocity() & s.ground.x) - v
        push = ph.maximum(stiffness * depth + damping * rate, 0)
        s.joint_force(follower, ph.minimum(push, 1e12 * ph.maximum(depth, 0)), name=f"contact {at}")
    return s


def pushed_follower() -> ph.System:
    """Run 2 s; it is pushed four times a second."""
    s = ph.System("follower", gravity=(0, 0, 0))
    slide = s.joint("x", s.ground, s.body("m", 1), ph.Prismatic("x"), speeds=["v"])
    x, v = slide.q[0], slide.u[0]
    s.joint_force(slide, 1e6 * ph.maximum(ph.cos(8 * ph.pi * s.time) - 0.6, 0) - 1e6 * x - 1e4 * v)
    return s


def short_push() -> ph.System:
    """Run 2 s from rest: the push gives the speed 0.5 √π."""
    s = ph.System("short push", gravity=(0, 0, 0))
    slide = s.joint("x", s.ground, s.body("m", 1), ph.Prismatic("x"), speeds=["v"])
    s.joint_force(slide, 100 * ph.exp(-(((s.time - 1) / 0.005) ** 2)))
    return s


def cradle(restitution: Any = 1, balls: int = 5) -> tuple[ph.System, dict[Any, Any], list[ph.Expr]]:
    """A system, what `on=` takes, and the gaps between neighbours; run 2.5 s from {"a4": pi/2}."""
    s = ph.System("cradle", gravity=(0, "-9.81", 0))
    r, length = Fraction("0.02"), Fraction("0.25")
    distance = 2 * r * Fraction("1.02")
    m = s.parameter("m", 7800 * 4 / 3 * np.pi * 0.02**3)
    joints = [
        s.joint(
            f"a{i}", s.ground, s.body(f"ball{i}", m, (0, -length, 0), ph.sphere(m, r)), ph.Revolute("z"),
            at=(i * distance, 0, 0),
        )
        for i in range(balls)
    ]  # fmt: skip
    inverse = 1 / (m * length**2 + m * r**2 * 2 / 5)
    centres = [(i * distance + length * ph.sin(j.q[0]), -length * ph.cos(j.q[0])) for i, j in enumerate(joints)]
    on: dict[Any, Any] = {}
    gaps: list[ph.Expr] = []
    for i, (a, b) in enumerate(pairwise(joints)):
        (xa, ya), (xb, yb) = centres[i], centres[i + 1]
        gap = ph.sqrt((xb - xa) ** 2 + (yb - ya) ** 2) - 2 * r
        by_a, by_b = gap.diff(a.q[0]), gap.diff(b.q[0])
        impulse = -(1 + restitution) * (by_a * a.u[0] + by_b * b.u[0]) / ((by_a**2 + by_b**2) * inverse)
        after = {j.u[0]: j.u[0] + inverse * slope * impulse for j, slope in ((a, by_a), (b, by_b))}
        on[crossing(gap, direction=-1)] = after
        gaps.append(gap)
    return s, on, gaps


def tippe_top(jumps: bool = True) -> ph.System:
    """Run 10 s from {"fly_z": 0.16} with the speeds {"fly_wy": 0.4, "fly_wz": 200}."""
    s = ph.System("tippe top")
    top = s.body("top", 0.01, inertia=(3.25333333333e-4, 3.25333333333e-4, 2.66666666667e-4))
    s.joint("fly", s.ground, top, ph.Free())
    given = {"k": 500, "d": 0.5, "mu": 0.4, "eps": 1e-5}
    k, d, mu, eps = (s.parameter(name, value) for name, value in given.items())
    up = s.ground.z
    for z, r in ((0.04, 0.2), (0.28, 0.04)):
        centre = top.point((0, 0, z))
        depth, rate = r - (centre.position(s.ground) & up), -(centre.velocity() & up)
        push = ph.maximum(k * depth + d * rate, 0)
        normal = push * (1 + ph.sign(depth)) / 2 if jumps else ph.minimum(push, 1e6 * ph.maximum(depth, 0))
        slip = centre.velocity() + (top.angular_velocity() ^ (-r * up))
        slip = slip - (slip & up) * up
        force = normal * up - mu * normal / ph.maximum(slip.norm(), eps) * slip
        s.force(top, force, at=centre)
        s.torque(top, (-r * up) ^ force)
    return s
