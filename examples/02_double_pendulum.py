"""A double pendulum: two starts a hair's breadth apart part company, and both keep their energy.

Run: python examples/02_double_pendulum.py [folder for the pictures]
"""

import sys
from pathlib import Path

import numpy as np

import polhode as ph

# Describe: two uniform bars, hinged end to end.
double = ph.System("double pendulum")
m1, m2 = double.parameter("m1", 1, unit="kg"), double.parameter("m2", 1, unit="kg")
l1, l2 = double.parameter("l1", 1, unit="m"), double.parameter("l2", 1, unit="m")
g = double.parameter("g", 9.81, unit="m/s²")
double.gravity = ph.Vector([0, 0, -g])

upper = double.body("upper", mass=m1, com=(0, 0, -l1 / 2), inertia=ph.rod(m1, l1))
lower = double.body("lower", mass=m2, com=(0, 0, -l2 / 2), inertia=ph.rod(m2, l2))
double.joint("shoulder", double.ground, upper, ph.Revolute("y"), coordinates=["q1"], speeds=["u1"])
double.joint("elbow", upper, lower, ph.Revolute("y"), at=(0, 0, -l1), coordinates=["q2"], speeds=["u2"])

# Derive, by every formalism; they must be the same functions exactly.
equations = double.derive()
for name in ("mass_matrix", "bias"):
    print(f"{name}:")
    for entry in ph.normal(getattr(equations, name)):
        print("   ", entry)
print(double.compare(run=False).verdict)

# Simulate: the same mechanism twice, released a nanoradian apart.
tight = {"rtol": 1e-12, "atol": 1e-12}
first = equations.simulate(30, start={"q1": 3, "q2": 1}, **tight)
second = equations.simulate(30, start={"q1": 3 + 1e-9, "q2": 1}, **tight)
apart = np.abs(first["q2"] - second["q2"])
print(f"1 nrad apart at the start, {apart[-1]:.2g} rad after {first.t[-1]:g} s")

# Look.
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
first.animate(out / "02_double_pendulum.html", notes="Two uniform bars of 1 m and 1 kg; click a bar to trace its tip.")
first.plot(out / "02_double_pendulum.png")

drift = max(first.energy_drift, second.energy_drift)
print(f"energy drift {drift:.1e}")
assert drift < 1e-9, "energy is conserved"
