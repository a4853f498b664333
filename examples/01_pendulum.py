"""A pendulum swings far out: its period is a complete elliptic integral.

Run: python examples/01_pendulum.py [folder for the pictures]
"""

import sys
from pathlib import Path

import numpy as np
from scipy.special import ellipk

import polhode as ph

# Describe: a bob on a light rod, free to turn about y. Parameters stay symbols and have values to run with.
pendulum = ph.System("pendulum")
m = pendulum.parameter("m", 1, unit="kg")
l = pendulum.parameter("l", 0.8, unit="m")
g = pendulum.parameter("g", 9.81, unit="m/s²")
pendulum.gravity = ph.Vector([0, 0, -g])

bob = pendulum.body("bob", mass=m, com=(0, 0, -l))
pendulum.joint("hinge", pendulum.ground, bob, ph.Revolute("y"), coordinates=["theta"], speeds=["omega"])

# Derive: M u̇ + bias = τ.
equations = pendulum.derive()
print("M    =", ph.normal(equations.mass_matrix))
print("bias =", ph.normal(equations.bias))


# Simulate: let it go at 150°, and note when it passes the lowest point on its way down.
def lowest_point(t, q, u):
    return q[0]


lowest_point.direction = -1
release = np.radians(150)
swing = equations.simulate(20, start={"theta": release}, events=[lowest_point], rtol=1e-11, atol=1e-11)
passages = swing.info["events"][0]
period = np.diff(passages).mean()

# Look.
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
swing.animate(out / "01_pendulum.html", notes="Released at rest at 150°.")
swing.plot(out / "01_pendulum.png")

expected = 4 * np.sqrt(0.8 / 9.81) * ellipk(np.sin(release / 2) ** 2)  # 4 K(k) √(l/g), k = sin(θ₀/2)
print(f"period: {period:.10f} s from the run, {expected:.10f} s from the elliptic integral")
assert abs(period - expected) < 1e-8, "the period is 4 K(sin θ₀/2) √(l/g)"
