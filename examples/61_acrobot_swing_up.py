"""An acrobot, two links with a motor at the elbow alone, swings itself up: at least effort, then as fast as it can.

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
limits = {"tau_elbow": 10, "elbow": pi}
problem = e.collocation(4, start={}, end=standing, limits=limits, inputs=["elbow"], nodes=60)
print(problem)

# Solve: least effort in four seconds, then the least time, beginning with the motion that was found.
gentle = problem.solve()
print(gentle)
fastest = e.collocation((1, 6), start={}, end=standing, cost={"time": 1, "effort": 0.001}, limits=limits,
                        inputs=["elbow"], nodes=60).solve(guess=gentle.trajectory)  # fmt: skip
print(fastest)
print(f"most effort {np.abs(gentle['tau_elbow']).max():.2f} and {np.abs(fastest['tau_elbow']).max():.2f} N m")

# Simulate: the plant under the efforts alone. It is unstable, so that the error of the mesh grows along the motion.
off = np.abs(gentle.deviation.difference).max(axis=1)
print(
    f"the plant is off by {off[len(off) // 4]:.1e} after a quarter, {off[len(off) // 2]:.1e} after half of the motion"
)

# Look.
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
gentle.animate(out / "61_acrobot_swing_up.html", notes="Swung up by the elbow alone.")
gentle.plot(out / "61_acrobot_swing_up.png")

raised = 2 * 9.81 * (0.5 + 1.5)  # both links turn over, one about the pivot, one about its end
for best in (gentle, fastest):
    work = simpson(best["tau_elbow"] * best["elbow'"], x=best.t)
    print(f"work of the elbow {work:.4f} J in {best.duration:.3f} s; the links are raised by {raised:.4f} J")
    assert abs(work - raised) < 0.01 * raised, "the work done is the height gained"
assert fastest.duration < 4, "who may use more effort is faster"
