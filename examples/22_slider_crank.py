"""An engine runs on: its piston moves as r cos θ + √(l² - r² sin² θ), and leans on the cylinder's wall.

Run: python examples/22_slider_crank.py [folder for the pictures]
"""

import sys
from pathlib import Path

import numpy as np

import polhode as ph

# Describe: crank with flywheel, connecting rod, piston in its cylinder; the enclosed gas is a spring that stiffens.
engine = ph.System("slider-crank", gravity=(0, 0, 0))
r, l = engine.parameter("r", 0.05, "m"), engine.parameter("l", 0.16, "m")
m, J = engine.parameter("m", 0.6, "kg"), engine.parameter("J", 0.01, "kg m²")
across = [("x", ph.pi / 2)]
disc = ph.Shape("cylinder", (0.07, 0.02), (0, 0.03, 0), across)
journal = ph.Shape("cylinder", (0.012, 0.06), (r, 0, 0), across)
crank = engine.body("crank", 2, inertia=(J / 2, J, J / 2), shapes=[disc, journal])
rod = engine.body("rod", m, (l / 3, 0, 0), ph.rod(m, l, "x"))
piston = engine.body("piston", m, shapes=ph.Shape("cylinder", (0.04, 0.05), (0.01, 0, 0), [("y", ph.pi / 2)]))
engine.joint("theta", engine.ground, crank, ph.Revolute("-y"))
engine.joint("phi", crank, rod, ph.Revolute("-y"), at=(r, 0, 0))
slide = engine.joint("x", engine.ground, piston, ph.Prismatic("x"), at=(r + l, 0, 0))
engine.close("pin", rod, piston, ph.Revolute("-y"), at_a=(l, 0, 0))
engine.potential(1 / (r / 5 - slide.q[0]), "gas")

# Derive: the conditions of the pin; what the plane keeps by itself is not asked for.
equations = engine.derive()
for row in equations.constraints.rows:
    print(f"{row.name}: {ph.normal(row.value)} = 0")

# Simulate: from the dead centre, where all is straight; the rod's speed follows from the crank's.
run = equations.simulate(0.5, speeds={"theta": 60.0}, rate=2000)
theta, x = run["theta"], run["x"]
_, _, force = run.reaction("x")
speed = run.speed("theta") * 30 / np.pi
print(f"between {speed.min():.0f} and {speed.max():.0f} turns a minute, side thrust up to {force[:, 2].max():.0f} N")

# Look.
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
run.animate(out / "22_slider_crank.html", notes="The flywheel carries the piston over its dead centres.")
run.plot(out / "22_slider_crank.png")

expected = 0.05 * np.cos(theta) + np.sqrt(0.16**2 - (0.05 * np.sin(theta)) ** 2) - 0.21
print(f"the piston is within {np.abs(x - expected).max():.0e} m of where its crank puts it")
assert np.abs(x - expected).max() < 1e-11 and run.energy_drift < 1e-7, "x = r cos θ + √(l² - r² sin² θ) - (r + l)"
