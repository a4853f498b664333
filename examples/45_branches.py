"""Where a mechanism stays as it is, and how that changes: a governor that opens, a bicycle that weaves and capsizes.

Run: python examples/45_branches.py [folder for the pictures]
"""

import sys
from pathlib import Path

import numpy as np

import polhode as ph
from polhode.model.samples.vehicles import INDEPENDENT, upright, whipple_bicycle

# Describe: a ball on a rod that swings in a frame, which turns about the vertical at a rate w: half of Watt's governor.
s = ph.System("governor", gravity=(0, 0, "-9.81"))
w, l = s.parameter("w", 3, unit="rad/s"), s.parameter("l", 0.5, unit="m")
ring = ph.Shape("cylinder", (0.03, 0.3), (0, 0, 0.15))
frame = s.joint("frame", s.ground, s.body("frame", inertia=(1, 1, 1), shapes=ring), ph.Revolute("z"))
s.prescribe(frame, w * s.time)
ball = ph.Shape("sphere", (0.08,), (0, 0, -0.5))
arm = s.joint("arm", "frame", s.body("ball", 1, com=(0, 0, -l), shapes=ball), ph.Revolute("y"))
push = s.input("push")
s.joint_force(arm, push - arm.u[0] / 10)

# Derive: the equations, the effort that holds the ball aside at rest, and all states where it stays by itself.
e = s.derive()
held = e.equilibrium(free=["push"], given={"arm": np.pi / 6}, parameters={"w": 0})
print(f"to hold the ball at 30°: {held['push']:.6f} N m, {held.stability}; m g l sin 30° = {9.81 * 0.25:.6f}")
for at in e.equilibria(parameters={"w": 6}):
    print(f"at 6 rad/s it may stay at {np.degrees(at['arm']):7.2f}°: {at.stability}")

# Over the rate: it leaves the bottom at √(g/l), and two branches that open are stable then.
branch = e.branch("w", (1, 12))
print(branch.table())

# The same for a bicycle that rides straight: a Hopf point and a branch point bound the speeds at which it is stable.
bicycle = whipple_bicycle()
ride = bicycle.derive("composite_body", independent=INDEPENDENT)
straight = upright(bicycle)
height = straight.pop("z")  # where to begin; in a turn the hub comes down
speeds = ride.branch("v", (3, 7), given=straight, start={"z": height})
weave, capsize = speeds.special
print(f"bicycle: {weave}; {capsize}")
turn = max(speeds.others[0], key=lambda each: each["lean"])
print(f"a steady turn at {turn.parameters['v']:.3f} m/s: lean {np.degrees(turn['lean']):.1f}°, {turn.stability}")

# An orbit: with a push that makes up for the drag, the ball swings to and fro about where it is open.
swing = {"start": {"arm": 1.3}, "hold": ["arm", "arm'"], "parameters": {"w": 6}, "inputs": {"push": arm.u[0] / 10}}
orbit = e.periodic_orbit(1.2, **swing)
print(orbit)

# Simulate: from the open state, pushed a little.
open_ = branch.others[0][len(branch.others[0]) - 1]
run = e.simulate(40, start=open_, speeds={"arm": 1.0})
print(f"pushed off {np.degrees(open_['arm']):.2f}° it comes back to {np.degrees(run['arm'][-1]):.2f}°")

# Look.
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
branch.plot("arm", out / "45_branches.png")
speeds.plot(["lean", "steer"], out / "45_branches_bicycle.png")
run.animate(out / "45_branches.html", notes="Pushed, the ball comes back to where it stays.")

print(f"weave {weave.value:.14f}, capsize {capsize.value:.14f} m/s; published 4.29238253634111 and 6.02426201538837")
assert abs(weave.value - 4.29238253634111) < 1e-9 and abs(capsize.value - 6.02426201538837) < 1e-9, "the benchmark"
