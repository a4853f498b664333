"""How far an arm reaches within its limits, and where it is singular, in vector-parameters.

Run: python examples/34_workspace.py [folder for the pictures]
"""

import sys
from pathlib import Path

import numpy as np

import polhode as ph

# Describe: a shoulder and an elbow that turn in one plane, stored as tan(θ/2), each as far as its limits.
arm = ph.System("arm", gravity=(0, "-9.81", 0))
l1, l2 = arm.parameter("l1", 0.4), arm.parameter("l2", 0.3)
upper = arm.body("upper", 2, (l1 / 2, 0, 0), ph.rod(2, l1, "x"))
fore = arm.body("fore", 1, (l2 / 2, 0, 0), ph.rod(1, l2, "x"))
shoulder, elbow = np.tan(np.radians(100) / 2), np.tan(np.radians(150) / 2)
arm.joint("c1", arm.ground, upper, ph.Revolute("z", storage="vector"), limits=(-shoulder, shoulder))
arm.joint("c2", upper, fore, ph.Revolute("z", storage="vector"), at=(l1, 0, 0), limits=(0, elbow))
arm.frame("tip", fore, (l2, 0, 0))

# Derive: by Lagrange's equations in vector-parameters, the same functions as by Newton and Euler.
equations = arm.derive("vector_parameter")
print("agrees with newton_euler:", equations.agrees_with(arm.derive("newton_euler")))
print("ċ =", equations.coordinate_rates)
singular = equations.singular_configurations("tip", of="position")
print("singular where", " · ".join(map(str, singular.factors)), "= 0")
met = singular.along([{"c1": 0.2, "c2": 0.8}, {"c1": 0.4, "c2": -0.8}])
print("on the way from elbow down to elbow up:", [each.q.round(6).tolist() for each in met])

# Simulate: let go from a raised arm; it falls beyond what its shoulder was made for, and the run says so.
run = equations.simulate(0.6, start={"c1": 0.3, "c2": 0.5})
for passed in run.passed_limits:
    print(passed)

# Look: all that the tip can reach, and the boundary of it.
reach = equations.workspace("tip")
print(f"the tip comes within x, y = {reach.extent[0, :2].round(3)} … {reach.extent[1, :2].round(3)} m")
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
reach.plot(out / "34_workspace.png")
run.animate(out / "34_workspace.html", notes="Falling past its limits.")

farthest = np.linalg.norm(reach.boundary, axis=1).max()
print(f"the tip reaches {farthest:.6f} m, and l1 + l2 = 0.7 m, where the arm is straight")
assert abs(farthest - 0.7) < 1e-6 and len(met) == 1 and abs(met[0].q[1]) < 1e-9, "reach ends where the arm is straight"
