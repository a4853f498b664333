"""An arm on a crank and a thread: at every moment each body turns about a line and slides along it, its screw axis.

Run: python examples/33_screws.py [folder for the pictures]
"""

import sys
from pathlib import Path

import numpy as np

import polhode as ph
from polhode.geometry.dual import dual_part, real_part

# Describe: a crank, a coupler on a thread, and a wrist.
s = ph.System("arm on a thread", gravity=(0, 0, "-9.81"))
l, pitch = s.parameter("l", 0.5, unit="m"), s.parameter("pitch", 0.05, unit="m/rad")
crank = s.body("crank", 2, com=(l / 2, 0, 0), inertia=ph.rod(2, l, "x"))
coupler = s.body("coupler", 1, com=(l / 2, 0, 0), inertia=ph.rod(1, l, "x"))
hand = s.body("hand", 1, com=(l / 4, 0, 0.1), inertia=ph.box(1, 0.1, 0.1, 0.2))
s.joint("q1", s.ground, crank, ph.Revolute("z"), at=(0, 0, 1))
s.joint("q2", crank, coupler, ph.Screw("y", pitch), at=(l, 0, 0))
s.joint("q3", coupler, hand, ph.Revolute("x"), at=(l, 0, 0))

# Derive: Newton's and Euler's equations in dual vectors; F̂' + V̂ × F̂ = f̂ for every body.
equations = s.derive("screw")
K = equations.dual_jacobian("hand")
for name, line in zip(equations.speeds, K.columns, strict=True):
    print(f"{name}: direction {real_part(line)}, moment {dual_part(line)}")
print("the pitch of the second joint:", ph.screw_of(K.columns[1]).pitch)
assert equations.agrees_with(s.derive("poincare"))

# The same numbers hold motions: ĉ = k̂ tan(ϑ̂/2), and one after another by Mladenova's (67).
theta, d = ph.symbols("theta d")
print("sin(theta + μ d) =", ph.sin(ph.dual(theta, d)))

# Simulate.
run = equations.simulate(4, start={"q1": 0.2, "q2": -0.4, "q3": 1.0}, speeds={"q1": 2.0}, rtol=1e-11, atol=1e-11)
screw = equations.velocity_screw("coupler")
twists = run.values(*map(ph.expr.as_expr, (*real_part(screw), *dual_part(screw)))).T
found = ph.screw_of(twists)
print(f"the coupler's pitch goes from {found.pitch.min():.3f} to {found.pitch.max():.3f} m/rad")

# Look: the axes of two bodies, beside them.
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
run.animate(out / "33_screws.html", notes="Coupler and hand turn about their lines.", screw_axes=["coupler", "hand"])
run.plot(out / "33_screws.png")

# A point of the axis moves along it alone: v + ω × r = pitch ω.
along = twists[:, 3:] + np.cross(twists[:, :3], found.point)
gap = np.abs(along - found.pitch[:, None] * twists[:, :3]).max()
print(f"points of the axis leave it at {gap:.0e} m/s; energy drifts by {run.energy_drift:.0e}")
assert gap < 1e-9 and run.energy_drift < 1e-8, "a rigid body moves along its instantaneous screw"
