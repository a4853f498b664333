"""A platform drives along lines and an arc to its place; its hand keeps to a programme of its own on the way and there.

Run: python examples/19_mobile_manipulator.py [folder for the pictures]
"""

import sys
from pathlib import Path

import numpy as np

import polhode as ph
from polhode.papers.mladenova.way import Arc, Line, Way

# Describe: a platform with two driven wheels that roll without slipping (it is nonholonomic), and an arm of three
# joints on it (which is not): the system of Mladenova's section 9.
robot = ph.System("mobile platform with arm")
r, d, l = robot.parameter("r", 0.15), robot.parameter("d", 0.3), robot.parameter("l", 0.7)
hull = ph.Shape("box", (0.7, 0.5, 0.15), (0, 0, 0.22))
platform = robot.body("platform", 40, (0, 0, 0.2), ph.box(40, 0.7, 0.5, 0.2), hull)
column = robot.body("column", 6, (0, 0, 0.1), ph.cylinder(6, 0.08, 0.2), ph.Shape("cylinder", (0.08, 0.2), (0, 0, 0.1)))
bar = ph.Shape("cylinder", (0.04, l), (l / 2, 0, 0), ("y", ph.pi / 2))
upper, fore = (robot.body(name, 4, (l / 2, 0, 0), ph.rod(4, l, "x"), bar) for name in ("upper", "fore"))
robot.joint("floor", robot.ground, platform, ph.Planar(), coordinates=["heading", "x", "y"], speeds=["w", "v", "side"])
for name, side in (("left", d), ("right", -d)):
    tyre = ph.Shape("cylinder", (r, 0.05), rotation=("x", ph.pi / 2))
    wheel = robot.body(name, 2, inertia=ph.disc(2, r, "y"), shapes=tyre)
    robot.joint(name, platform, wheel, ph.Revolute("y"), at=(0, side, r))
    robot.roll_wheel(f"{name} tyre", wheel, r, "y")
robot.joint("waist", platform, column, ph.Revolute("z"), at=(0, 0, 0.3))
robot.joint("shoulder", column, upper, ph.Revolute("y"), at=(0, 0, 0.2))
robot.joint("elbow", upper, fore, ph.Revolute("y"), at=(l, 0, 0))
robot.frame("hand", fore, at=(l, 0, 0))

# Derive: five speeds are free. What should happen is a programme: the platform's way, and the hand's circle above it.
free = robot.derive(independent=["v", "w", "waist", "shoulder", "elbow"])
t, speed = robot.time, dict(zip(free.speeds, free.u, strict=True))
way = Way([Line(1.2), Arc(0.6, np.pi / 2), Line(0.8)], speed=0.6)  # each from rest to rest: curvatures may jump there
drive = [speed["v"] - way.velocity(t), speed["w"] - way.turning(t)]
circle = ph.Vector([0.8, 0.25 * ph.cos(2 * t), 0.6 + 0.25 * ph.sin(2 * t)])  # as the platform sees it
seat = free.pose("platform")
motors = ["left", "right", "waist", "shoulder", "elbow"]
# Theorem 5: the efforts that keep the programme solve G U + g = 0; k draws to it what is off, as ë = -2k ė - k² e.
k = 3
control = free.programme_control(
    [*drive, *(seat.R.T @ (free.pose("hand").p - seat.p) - circle)], motors, pull=k
).control
for motor, effort in control.items():
    robot.joint_force(motor, effort)
equations = robot.derive(independent=free.speeds)
print("constraints:", ", ".join(equations.constraints.names))
print("hand: x =", ph.normal(free.pose("hand").p)[0])
print("operations for the motion under control:", equations.operations())

# Simulate: from rest, with the hand somewhere else and at rest.
run = equations.simulate(7, start={"shoulder": -0.9, "elbow": 1.5}, rtol=1e-10, atol=1e-11)
(place, rotation), (base, turned) = run.pose("fore"), run.pose("platform")
wanted = np.column_stack([np.full_like(run.t, 0.8), 0.25 * np.cos(2 * run.t), 0.6 + 0.25 * np.sin(2 * run.t)])
error = np.einsum("tji,tj->ti", turned, place + 0.7 * rotation[:, :, 0] - base) - wanted
astray = np.abs(np.column_stack([run["x"], run["y"], run["heading"]]) - way.at(run.t)).max()
print(f"platform at x = {run['x'][-1]:.3f}, y = {run['y'][-1]:.3f} m after {way.duration:.2f} s, off by {astray:.0e}")
print(f"hand off by {np.linalg.norm(error[0]):.3f} m at first, {np.linalg.norm(error[-1]):.1e} m in the end")

# Look.
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
run.animate(out / "19_mobile_manipulator.html", notes="The platform drives to its place; the hand draws a circle.")
run.plot(out / "19_mobile_manipulator.png")

rate = np.array([0, 0, -0.5])  # the error's at the start: the hand rests, the circle goes upward
decay = np.exp(-k * run.t)[:, None]
law = (error[0] + (rate + k * error[0]) * run.t[:, None]) * decay
print(f"the error follows its law within {np.abs(error - law).max():.0e} m")
assert max(np.abs(error - law).max(), astray) < 1e-8, "both keep to their programmes; what is off comes back by its law"
