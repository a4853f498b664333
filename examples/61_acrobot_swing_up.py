"""An acrobot, two links with a motor at the elbow alone, swings itself up with the least effort.

Run: python examples/61_acrobot_swing_up.py [folder for the pictures]
"""

import sys
from math import pi
from pathlib import Path

import numpy as np
from scipy.integrate import simpson

import polhode as ph
from polhode.model.samples.underactuated import two_link_pendulum

# Describe: two links of a metre that hang at home; the sample's source shows how it is written.
acrobot = two_link_pendulum()

# Derive. Of the two efforts the elbow's is a control, the shoulder turns freely.
e = acrobot.derive()
print("M =", ph.normal(e.mass_matrix))
standing = {"shoulder": pi, "elbow": 0, "shoulder'": 0, "elbow'": 0}
limits = {"tau_elbow": 15, "elbow": pi}
problem = e.collocation(3, start={}, end=standing, limits=limits, inputs=["elbow"], nodes=100)
print(problem)

# Solve, beginning with an elbow that swings to and fro; then on a finer mesh, from there.
first = problem.solve(guess={"elbow": [0, 1, -1, 1, 0]})
best = problem.with_nodes(200).solve(guess=first)
print(first)
print(best)

# Simulate: the plant under the efforts alone. It is unstable, so that the error of the mesh grows along the motion.
for each in (first, best):
    off = np.abs(each.deviation.difference).max(axis=1)
    quarter, half = off[len(off) // 4], off[len(off) // 2]
    print(f"the plant is off by {quarter:.1e} after a quarter of the motion, by {half:.1e} after half of it")

# Look.
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
best.animate(out / "61_acrobot_swing_up.html", notes="Swung up by the elbow alone.")
best.plot(out / "61_acrobot_swing_up.png")

raised = 2 * 9.81 * (0.5 + 1.5)  # both links turn over, one about the pivot, one about its end
work = simpson(best["tau_elbow"] * best["elbow'"], x=best.t)
print(f"work of the elbow {work:.5f} J; the links are raised by {raised:.5f} J")
assert abs(work - raised) < 1e-4 * raised, "the work done is the height gained"
