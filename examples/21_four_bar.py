"""A four-bar linkage turns over: crank and rocker obey Freudenstein's equation.

Run: python examples/21_four_bar.py [folder for the pictures]
"""

import sys
from pathlib import Path

import numpy as np

import polhode as ph

# Describe: crank and coupler are a chain, the rocker stands beside it, and a pin closes the loop.
linkage = ph.System("four-bar linkage", gravity=(0, 0, "-9.81"))
a, b, c, d = (linkage.parameter(*each, "m") for each in (("a", 0.2), ("b", 0.5), ("c", 0.4), ("d", 0.5)))
rho = linkage.parameter("rho", 2, "kg/m")
bars = {
    name: linkage.body(name, rho * length, (length / 2, 0, 0), ph.rod(rho * length, length, "x"))
    for name, length in (("crank", a), ("coupler", b), ("rocker", c))
}
turn = ph.Revolute("-y")  # angles from x to z
linkage.joint("theta2", linkage.ground, bars["crank"], turn)
linkage.joint("theta3", bars["crank"], bars["coupler"], turn, at=(a, 0, 0))
linkage.joint("theta4", linkage.ground, bars["rocker"], turn, at=(d, 0, 0))
linkage.close("pin", bars["coupler"], bars["rocker"], turn, at_a=(b, 0, 0), at_b=(c, 0, 0))

# Derive: two conditions on three angles; what the plane keeps by itself is not asked for.
equations = linkage.derive()
constraints = equations.constraints
for row in constraints.rows:
    print(f"{row.name}: {ph.normal(row.value)} = 0")
print("kept by the plane itself:", ", ".join(constraints.trivial))
crank_alone = linkage.derive(independent=["theta2"], near={"theta2": 1, "theta3": -0.2, "theta4": 1.7})
print("operations, with multipliers:", equations.operations("forward_dynamics"))
print("operations, for the crank alone:", crank_alone.operations("forward_dynamics"))

# Simulate: assembled near a sketch with the crank held upright, and set turning.
sketch = {"theta2": np.pi / 2, "theta3": -1.0, "theta4": 2.0}
made = equations.assemble(sketch, {"theta2": 8.0}, hold=["theta2"])
print(made)
run = equations.simulate(4, start=made.q, speeds=made.u, rate=200)
two, four = run["theta2"], run["theta4"]
print(f"the crank turns {np.ptp(two) / (2 * np.pi):.1f} times, the rocker swings by {np.degrees(np.ptp(four)):.1f}°")

# Look.
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
run.animate(out / "21_four_bar.html", notes="A crank and a rocker: the shortest bar can go round.")
run.plot(out / "21_four_bar.png")

A, B, C, D = 0.2, 0.5, 0.4, 0.5
gap = D / A * np.cos(four) - D / C * np.cos(two) + (A * A - B * B + C * C + D * D) / (2 * A * C) - np.cos(two - four)
print(f"Freudenstein's equation holds within {np.abs(gap).max():.0e}, energy within {run.energy_drift:.0e}")
assert np.abs(gap).max() < 1e-8 and run.energy_drift < 1e-7, "d/a cos θ4 - d/c cos θ2 + k = cos(θ2 - θ4)"
