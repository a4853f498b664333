"""A five-bar robot draws a circle: two motors on the ground move one point through four bars.

Run: python examples/23_five_bar.py [folder for the pictures]
"""

import sys
from pathlib import Path

import numpy as np

import polhode as ph

# Describe: two shoulders at a distance d, upper arms of length a, forearms of length b that meet in a pin.
robot = ph.System("five-bar robot", gravity=(0, 0, "-9.81"))
a, b, d = (robot.parameter(name, length, "m") for name, length in (("a", 0.3), ("b", 0.4), ("d", 0.25)))
m, turn = robot.parameter("m", 0.5, "kg"), ph.Revolute("-y")
for side, at in (("left", -d / 2), ("right", d / 2)):
    upper = robot.body(f"{side} arm", m, (a / 2, 0, 0), ph.rod(m, a, "x"))
    lower = robot.body(f"{side} forearm", m, (b / 2, 0, 0), ph.rod(m, b, "x"))
    robot.joint(f"{side} shoulder", robot.ground, upper, turn, at=(at, 0, 0))
    robot.joint(f"{side} elbow", upper, lower, turn, at=(a, 0, 0))
robot.frame("pen", "right forearm", at=(b, 0, 0))
robot.close("pin", "left forearm", "pen", turn, at_a=(b, 0, 0))


def arms(x, z):
    """The angles with which the pen is at (x, z), elbows outward."""
    found = {}
    for side, sign in (("left", 1), ("right", -1)):
        u, v = x + sign * 0.125, z
        reach = np.hypot(u, v)
        shoulder = np.arctan2(v, u) + sign * np.arccos((reach**2 + 0.3**2 - 0.4**2) / (2 * 0.3 * reach))
        found[f"{side} shoulder"] = shoulder
        found[f"{side} elbow"] = np.arctan2(v - 0.3 * np.sin(shoulder), u - 0.3 * np.cos(shoulder)) - shoulder
    return found


# Derive: in terms of the motors' speeds; the inverse dynamics are the torques that a motion takes.
motors = ["left shoulder", "right shoulder"]
start = arms(0.1, 0.45)
equations = robot.derive(independent=motors, near=start)
print("operations of the inverse dynamics:", equations.operations("inverse_dynamics"))
functions = equations.compile()


# Simulate: once round in two seconds, from rest to rest; computed torques with a little feedback.
def wanted(t):
    turned = 2 * np.pi * (t / 2 - np.sin(np.pi * t) / (2 * np.pi))
    return np.array([arms(0.1 * np.cos(turned), 0.45 + 0.1 * np.sin(turned))[motor] for motor in motors])


def controller(t, q, u, h=1e-3):
    before, now, after = wanted(t - h), wanted(t), wanted(t + h)
    off, slip = now - q[places], (after - before) / (2 * h) - u
    asked = (after - 2 * now + before) / h**2 + 400 * off + 40 * slip
    return dict(zip(motors, functions.inverse_dynamics(q, u, asked), strict=True))


places = [equations.coordinates.index(motor) for motor in motors]
run = equations.simulate(2, start=start, tau=controller, functions=functions, rtol=1e-8, atol=1e-8)

# Look.
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
run.animate(out / "23_five_bar.html", notes="Two motors, four bars, one pen.")
run.plot(out / "23_five_bar.png")

p, R = run.pose("right forearm")
pen = p + R @ [0.4, 0, 0]
radius = np.hypot(pen[:, 0], pen[:, 2] - 0.45)
print(f"the pen keeps to its circle within {np.abs(radius - 0.1).max():.0e} m")
assert np.abs(radius - 0.1).max() < 1e-6 and run.is_whole, "the pen draws a circle"
