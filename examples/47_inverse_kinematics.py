"""From where the hand shall be to the joints of a PUMA 560: in closed form, by number, and how well it moves there.

Run: python examples/47_inverse_kinematics.py [folder for the pictures]
"""

import sys
from math import pi
from pathlib import Path

import numpy as np

import polhode as ph

# Describe: the table of P. Corke and B. Armstrong-Hélouvry (1994): a shoulder, an elbow, three axes that meet.
table = [
    (0, 0, 0, pi / 2), (0, 0, "0.4318", 0), (0, "0.15005", "0.0203", -pi / 2),
    (0, "0.4318", 0, pi / 2), (0, 0, 0, -pi / 2), (0, 0, 0, 0),
]  # fmt: skip
arm = ph.from_dh(table, name="puma560")

# Derive: all eight branches as expressions of the pose, each proved by substitution.
equations = arm.derive()
form = equations.closed_form_inverse_kinematics("link6")
print(form)
print(f"q1 = {form.branches[0][0]}"[:100], "…")
singular = equations.singular_configurations("link6")
print("singular where", " · ".join(map(str, singular.factors)), "= 0")

# Simulate: the hand goes along a straight line; the joints by number, the whole path at once, from one start.
f = equations.compile()
ready = np.array([0.3, -0.8, 1.2, 0.4, 0.7, -0.5])
p, R = f.pose("link6", ready)
path = p + np.linspace(0, 1, 200)[:, None] * np.array([-0.1, -0.2, -0.1])
found = equations.inverse_kinematics("link6", (path, np.broadcast_to(R, (200, 3, 3))), near=ready)
print(found)
reached, _ = f.pose("link6", found.q)
print(f"the hand keeps its line within {np.abs(reached - path).max():.1e} m")

# Look: how well the hand moves along the way, and in how many ways the arm can hold it at the end.
measure = equations.manipulability("link6", found.q).measure
print(f"manipulability from {measure[0]:.4f} to {measure[-1]:.4f}")
solutions = form.at((path[-1], R))
for q in solutions:
    print(" ".join(f"{angle:7.3f}" for angle in q))
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
np.savetxt(out / "47_inverse_kinematics.csv", found.q, delimiter=",", header=",".join(found.names), comments="")

nearest = np.abs(solutions - found.q[-1]).max(axis=1).min()
there, turned = f.pose("link6", solutions)
assert len(solutions) == 8 and np.abs(there - path[-1]).max() < 1e-10 and nearest < 1e-6, "eight ways to one pose"
