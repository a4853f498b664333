"""A figure is thrown: however its limbs fling about, the mass centre flies along a parabola.

Run: python examples/07_branched_tree.py [folder for the pictures]
"""

import sys
from pathlib import Path

import numpy as np

import polhode as ph

# Describe: a torso that may move freely; on it a head and two arms, each arm of two parts.
figure = ph.System("thrown figure")

trunk = ph.Shape("ellipsoid", (0.13, 0.2, 0.32))
torso = figure.body("torso", 30, inertia=ph.box(30, 0.3, 0.4, 0.6), shapes=trunk)
figure.joint("flight", figure.ground, torso, ph.Free())

skull = ph.Shape("sphere", (0.12,), (0, 0, 0.15))
head = figure.body("head", 5, (0, 0, 0.15), ph.sphere(5, 0.12), skull)
neck = figure.joint("neck", torso, head, ph.Universal("x", "y"), at=(0, 0, 0.32))
joints = [(neck, 0), (neck, 1)]

for side, y in (("left", 0.26), ("right", -0.26)):
    bar = ph.Shape("capsule", (0.045, 0.3), (0, 0, -0.15))
    upper = figure.body(f"{side} upper arm", 2.2, (0, 0, -0.15), ph.cylinder(2.2, 0.045, 0.3), bar)
    lower = figure.body(f"{side} forearm", 1.6, (0, 0, -0.15), ph.cylinder(1.6, 0.04, 0.3), bar)
    shoulder = figure.joint(f"{side} shoulder", torso, upper, ph.Universal("x", "y"), at=(0, y, 0.24))
    elbow = figure.joint(f"{side} elbow", upper, lower, ph.Revolute("y"), at=(0, 0, -0.3))
    joints += [(shoulder, 0), (shoulder, 1), (elbow, 0)]

for joint, index in joints:  # muscles, as springs and dampers: forces between the parts, none from outside
    figure.joint_spring(joint, stiffness=12, damping=0.4, index=index)

# Derive: symbols for positions and speeds only; the equations are long, so look at their size.
equations = figure.derive()
print(f"{len(equations.q)} coordinates, {len(equations.u)} speeds")
print("accelerations:", equations.operations())

# Simulate: thrown up and forward, turning over, limbs flung out.
start = {"flight_z": 1.2, "left shoulder_1": 1.2, "right shoulder_1": -0.4, "left elbow": -1.0, "neck_2": 0.3}
thrown = {"flight_vx": 2.5, "flight_vz": 6.0, "flight_wx": 1.0, "flight_wy": 5.0, "right shoulder_2": -8.0}
flight = equations.simulate(1.4, start=start, speeds=thrown)

# Look.
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
flight.animate(out / "07_branched_tree.html", notes="Springs and dampers in the joints; gravity alone from outside.")
flight.plot(out / "07_branched_tree.png")

mass = float(equations.mass_moment[0])
_, momentum = flight.momentum
expected = momentum[0] + mass * np.array([0, 0, -9.81]) * flight.t[:, None]
error = np.abs(momentum - expected).max() / np.abs(momentum).max()
print(f"momentum is p₀ + m g t within {error:.1e}; the mass centre flies along a parabola")
assert error < 1e-8, "forces within do not change the momentum"
