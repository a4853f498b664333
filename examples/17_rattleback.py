"""A rattleback, spun the wrong way, rattles, stops and turns back; no law of conservation is broken.

Run: python examples/17_rattleback.py [folder for the pictures]
"""

import sys
from pathlib import Path

import numpy as np

import polhode as ph

# Describe: the lower part of an ellipsoid with half-axes a, b, c. Its axes of inertia are askew by the product D. The
# numbers are those of Kane and Levinson (1982).
toy = ph.System("rattleback")
toy.gravity = ph.Vector([0, 0, -toy.parameter("g", 9.81)])
a, b, c, h = (toy.parameter(name, value) for name, value in (("a", 0.2), ("b", 0.03), ("c", 0.02), ("h", 0.01)))
D = toy.parameter("D", -0.00002)
drawn = [ph.Shape("ellipsoid", (a, b, c)), ph.Shape("sphere", (0.006,), (0.13, 0.01, 0.012))]
stone = toy.body("stone", 1, (0, 0, -h), (0.0002, 0.0016, 0.0017, D, 0, 0), drawn)
names = ["x", "y", "z", "yaw", "roll", "pitch"]
anywhere = ph.Compound(*(ph.Prismatic(axis) for axis in "xyz"), *(ph.Revolute(axis) for axis in "zxy"))
x, y, z, yaw, roll, pitch = toy.joint(
    "flight", toy.ground, stone, anywhere, coordinates=names, speeds=[f"d {name}" for name in names]
).q

# It touches where the ellipsoid's normal points down, and does not slip there: written with the rotation matrix R.
R = ph.rotation(("z", yaw), ("x", roll), ("y", pitch))
up = R[2]
reach = ph.sqrt((a * up[0]) ** 2 + (b * up[1]) ** 2 + (c * up[2]) ** 2)
lowest = R @ ph.Vector([-(a**2) * up[0] / reach, -(b**2) * up[1] / reach, -(c**2) * up[2] / reach])
toy.constrain("touch", z - reach)
toy.no_slip("grip", stone, at=ph.Vector([x, y, z]) + lowest, directions=["x", "y"])

# Derive: three free speeds, and small rocking about a spin, either way round.
equations = toy.derive(independent=["d yaw", "d roll", "d pitch"])
print("touch: 0 =", ph.normal(equations.constraints.values)[0])
print(f"M at rest =\n{equations.linearize({'z': c}).second_order.numbers('M')}")
for spin in (5, -5):
    rocking = [value for value in equations.linearize({"z": c}, speeds={"d yaw": spin}).eigenvalues() if value.imag > 1]
    print(f"spin {spin:+d} rad/s: rocking {', '.join(f'{value:.3f}' for value in rocking)}")

# Simulate: tilted by half a degree both ways, spun the wrong way.
tilt = np.radians(0.5)
normal = np.array([-np.sin(tilt) * np.cos(tilt), np.sin(tilt), np.cos(tilt) ** 2])
start = {"z": float(np.linalg.norm(normal * [0.2, 0.03, 0.02])), "roll": tilt, "pitch": tilt}
run = equations.simulate(8, start=start, speeds={"d yaw": -5}, rtol=1e-10, atol=1e-11)
spin = run.speed("d yaw")
print(f"spin {spin[0]:.2f} rad/s at first, {spin.max():.2f} rad/s later; energy drift {run.energy_drift:.0e}")

# Look.
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
run.animate(out / "17_rattleback.html", notes="Spun clockwise, it rattles, stops, and turns back.")
run.plot(out / "17_rattleback.png")

assert spin[0] < -4.9 and spin.max() > 4.9 and run.energy_drift < 1e-6, "its spin turns back, its energy stays"
