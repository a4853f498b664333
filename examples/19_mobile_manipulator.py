"""A hand on a rolling platform draws a circle in space while the platform drives about beneath it.

Run: python examples/19_mobile_manipulator.py [folder for the pictures]
"""

import sys
from pathlib import Path

import numpy as np

import polhode as ph

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

# Derive: five speeds are free. What should happen is a programme: the platform's advance and turn, the hand's circle.
free = robot.derive(independent=["v", "w", "waist", "shoulder", "elbow"])
t, speed = robot.time, dict(zip(free.speeds, free.u, strict=True))
circle = ph.Vector([0.8, 0.25 * ph.cos(2 * t), 0.6 + 0.25 * ph.sin(2 * t)])
drive = [speed["v"] - 0.3 * ph.cos(t), speed["w"] - 0.4 * ph.sin(t)]
motors = ["left", "right", "waist", "shoulder", "elbow"]
# Theorem 5: the efforts that keep the programme solve G U + g = 0; k draws to it what is off, as ë = -2k ė - k² e.
k = 3
control = free.programme_control([*drive, *(free.pose("hand").p - circle)], motors, pull=k).control
for motor, effort in control.items():
    robot.joint_force(motor, effort)
equations = robot.derive(independent=free.speeds)
print("constraints:", ", ".join(equations.constraints.names))
print("hand: x =", ph.normal(free.pose("hand").p)[0])
print("operations for the motion under control:", equations.operations())

# Simulate: from rest, with the hand somewhere else and at rest.
run = equations.simulate(7, start={"shoulder": -0.9, "elbow": 1.5}, speeds={"v": 0.3}, rtol=1e-10, atol=1e-11)
place, rotation = run.pose("fore")
wanted = np.column_stack([np.full_like(run.t, 0.8), 0.25 * np.cos(2 * run.t), 0.6 + 0.25 * np.sin(2 * run.t)])
error = place + 0.7 * rotation[:, :, 0] - wanted
print(f"hand off by {np.linalg.norm(error[0]):.3f} m at first, {np.linalg.norm(error[-1]):.1e} m in the end")

# Look.
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
run.animate(out / "19_mobile_manipulator.html", notes="The hand draws a circle; the platform has a way of its own.")
run.plot(out / "19_mobile_manipulator.png")

rate = np.array([0.3, 0, -0.5])  # the error's at the start: the hand moves with the platform, the circle upward
decay = np.exp(-k * run.t)[:, None]
law = (error[0] + (rate + k * error[0]) * run.t[:, None]) * decay
print(f"the error follows its law within {np.abs(error - law).max():.0e} m")
assert np.abs(error - law).max() < 1e-8, "the hand comes to its programme as ë = -2k ė - k² e says"
