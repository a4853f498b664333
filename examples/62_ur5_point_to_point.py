"""A UR5 carries its hand from one pose to another as fast as its motors allow.

Run: python examples/62_ur5_point_to_point.py [folder for the pictures]
"""

import sys
from math import pi
from pathlib import Path

import numpy as np
from scipy.integrate import simpson

import polhode as ph

# Describe: the Denavit-Hartenberg table of the UR5 with masses, centres of mass and limits as its maker states them.
table = [
    (0, "0.089159", 0, pi / 2), (0, 0, "-0.425", 0), (0, 0, "-0.39225", 0),
    (0, "0.10915", 0, pi / 2), (0, "0.09465", 0, -pi / 2), (0, "0.0823", 0, 0),
]  # fmt: skip
masses = ("3.7", "8.393", "2.33", "1.219", "1.219", "0.1879")
centres = [
    (0, "-0.02561", "0.00193"), ("0.2125", 0, "0.11336"), ("0.15", 0, "0.0265"),
    (0, "-0.0018", "0.01634"), (0, "0.0018", "0.01634"), (0, 0, "-0.001159"),
]  # fmt: skip
inertias = ("0.0084", "0.0078", "0.0016", "0.0016", "0.0016", "0.0001")
rows = [
    (*row, "revolute", mass, centre, (inertia,) * 3)
    for row, mass, centre, inertia in zip(table, masses, centres, inertias, strict=True)
]
arm = ph.from_dh(rows, name="ur5")

# Derive.
e = arm.derive()
rates, efforts = e.speeds, [f"tau_{name}" for name in e.speeds]
print("inverse dynamics:", e.operations(of="inverse_dynamics"))

# Solve: the least time with little effort; no joint turns faster than π rad/s, no motor gives more than it can.
begin, goal = (0.0, -1.2, 1.5, -0.3, 0.4, 0.0), (1.6, -0.6, 0.7, -0.8, -0.4, 1.0)
limits = {**dict.fromkeys(rates, pi), **dict(zip(efforts, (150, 150, 150, 28, 28, 28), strict=True))}
problem = e.collocation(
    (0.2, 3), start=begin, end={**dict(zip(e.coordinates, goal, strict=True)), **dict.fromkeys(rates, 0)},
    cost={"time": 1, "effort": 1e-4}, limits=limits, inputs=e.speeds, nodes=41,
)  # fmt: skip
print(problem)
best = problem.solve()
print(best)
for name, most in limits.items():
    print(f"{name:6} reaches {100 * np.abs(best[name]).max() / most:5.1f} % of its limit")

# Simulate: the arm under these efforts alone.
print(best.verdict)
assert best.deviation.largest < 1e-2, "the mesh is fine enough for the arm to follow"

# Look.
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
best.animate(out / "62_ur5_point_to_point.html", notes="From pose to pose as fast as the motors allow.")
best.plot(out / "62_ur5_point_to_point.png")

work = simpson(sum(best[tau] * best[rate] for tau, rate in zip(efforts, rates, strict=True)), x=best.t)
gained = np.diff(best.trajectory.energy.potential[[0, -1]])[0]
print(f"work of the motors {work:.2f} J, gained height {gained:.2f} J")
assert abs(work - gained) < 0.03 * abs(gained), "what the motors do from rest to rest is the height gained"
