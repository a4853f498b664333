"""A heavy top precesses steadily, at the rate that theory gives.

Run: python examples/04_heavy_top.py [folder for the pictures]
"""

import sys
from pathlib import Path

import numpy as np

import polhode as ph

# Describe: a disc on a light axle that stands on a fixed point. Speeds are body components of the angular velocity.
top = ph.System("heavy top")
m, h, r = top.parameter("m", 0.5, unit="kg"), top.parameter("h", 0.08, unit="m"), top.parameter("r", 0.05, unit="m")
g = top.parameter("g", 9.81, unit="m/s²")
top.gravity = ph.Vector([0, 0, -g])

drawn = [ph.Shape("cylinder", (r, 0.01), (0, 0, h)), ph.Shape("cylinder", (0.004, 1.4 * h), (0, 0, 0.7 * h))]
disc = top.body("disc", mass=m, com=(0, 0, h), inertia=ph.disc(m, r), shapes=drawn)
names = {"coordinates": ["e0", "e1", "e2", "e3"], "speeds": ["wx", "wy", "wz"]}
top.joint("tip", top.ground, disc, ph.Spherical(), **names)

# Derive: Euler's equations with the moment of the weight, free of any singular angle.
equations = top.derive()
print("M    =", ph.normal(equations.mass_matrix))
print("bias =", ph.normal(equations.bias))

# Steady precession Ω at a lean θ with spin n:  A cos θ Ω² - C n Ω + m g h = 0,  A and C the moments at the tip.
functions = equations.compile()
M = functions.mass_matrix([1, 0, 0, 0])
A, C = M[0, 0], M[2, 2]
lean, spin, weight = 0.5, 150.0, 0.5 * 9.81 * 0.08
slow = (C * spin - np.sqrt((C * spin) ** 2 - 4 * A * np.cos(lean) * weight)) / (2 * A * np.cos(lean))

# Simulate from exactly that state: the lean is a turn about x, and Ω about the vertical adds to the spin.
start = {"e0": np.cos(lean / 2), "e1": np.sin(lean / 2)}
turning = {"wy": slow * np.sin(lean), "wz": spin}
run = equations.simulate(4, start=start, speeds=turning, rtol=1e-11, atol=1e-11, functions=functions)
_, rotation = run.pose("disc")
axle = rotation[:, :, 2]
azimuth = np.unwrap(np.arctan2(axle[:, 1], axle[:, 0]))
measured = (azimuth[-1] - azimuth[0]) / run.t[-1]
print(f"lean stays within {np.ptp(np.arccos(axle[:, 2])):.1e} rad")

# Look.
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
run.animate(out / "04_heavy_top.html", notes="Steady precession: the axle goes round without nodding.")
run.plot(out / "04_heavy_top.png")

print(f"precession: {measured:.9f} rad/s from the run, {slow:.9f} rad/s from the formula")
assert abs(measured / slow - 1) < 1e-8, "steady precession has the rate of the closed form"
