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
masses = (1, 17.4, 4.8, 0.82, 0.34, 0.09)
rows = [(*row, "revolute", mass, (0, 0, 0), ("0.2",) * 3) for row, mass in zip(table, masses, strict=True)]
arm = ph.from_dh(rows, name="puma560")

# Derive: all eight branches as expressions of the pose, each proved by substitution.
e = arm.derive()
form = e.closed_form_inverse_kinematics("link6")
print(form)
print("q1 =", form.branches[0][0])
print("singular where", " · ".join(map(str, e.singular_configurations("link6").factors)), "= 0")

# The hand is wanted along a straight line: by number, two hundred poses at once, all of them from where it is.
f = e.compile()
ready = np.array([0.3, -0.8, 1.2, 0.4, 0.7, -0.5])
p, R = f.pose("link6", ready)
line = p + np.linspace(0, 1, 200)[:, None] * np.array([-0.1, -0.2, -0.1])
found = e.inverse_kinematics("link6", (line, np.broadcast_to(R, (200, 3, 3))), near=ready)
print(found)
print(f"the hand keeps its line within {np.abs(f.pose('link6', found.q)[0] - line).max():.1e} m")
measure = e.manipulability("link6", found.q).measure
print(f"manipulability from {measure[0]:.4f} to {measure[-1]:.4f}")

# Simulate: efforts that make every joint come to the last of these poses as a damped spring would.
goal = [round(float(angle), 9) for angle in found.q[-1]]
law = e.mass_matrix @ ((ph.Vector(goal) - e.q) * 25 - e.u * 10) + e.bias
run = e.simulate(5, start=ready, tau=dict(zip(e.speeds, law, strict=True)))
hand = f.pose("link6", run.q[-1])[0]
print(f"after 5 s the hand is {np.linalg.norm(hand - line[-1]):.0e} m from the end of the line")

# Look: the run, and all ways in which the arm can hold its hand there.
solutions = form.at((line[-1], R))
for q in solutions:
    print(" ".join(f"{angle:7.3f}" for angle in q))
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
run.animate(out / "47_inverse_kinematics.html", notes="To the end of the line.")
run.plot(out / "47_inverse_kinematics.png")

away = np.abs(f.pose("link6", solutions)[0] - line[-1]).max()
assert len(solutions) == 8 and away < 1e-10 and np.linalg.norm(hand - line[-1]) < 1e-7, "eight ways to one pose"
