"""A six-joint arm on elastic gears whose links follow exactly: feedback linearisation to the fourth derivative.

C. Mladenova, "Group Theory in the Problems of Modeling and Control of Multi-Body Systems", (290)-(308).

Run: python examples/54_elastic_joint_tracking.py [folder for the pictures]
"""

import sys
from math import comb
from pathlib import Path

import numpy as np

from polhode.model.samples import elastic_arm

# Describe: six links, each behind a gear that twists; the rotors turn against the ground, the reduced model (278).
arm = elastic_arm(coupling="reduced")
joints = [f"j{i}" for i in range(1, 7)]

# Derive: the conditions for making all 24 states linear, told one by one, and the law.
equations = arm.derive()
print(equations.is_feedback_linearizable())
law = equations.feedback_linearize(poles=-8)  # no output is named: the links' coordinates are found
print("outputs", ", ".join(law.outputs), "of relative degrees", law.degrees)
print("left over:", law.zero_dynamics)
print("singular:", law.singular or "nowhere")

# A motion from rest to rest, smooth to its fourth derivative at both ends.
t = equations.system.time
steps = [(-1) ** j * comb(4, j) / (5 + j) for j in range(5)]
way = sum(a * t ** (5 + j) for j, a in enumerate(steps)) / sum(steps)
start, change = np.array([0, 0.6, 0.9, 0.3, 0.4, 0]), np.array([0.8, -0.5, 0.7, 0.4, -0.6, 1])
reference = {name: a + b * way for name, a, b in zip(joints, start.tolist(), change.tolist(), strict=True)}

# Simulate: it starts at rest, the gears twisted by the weight of the links; the law is part of the native code.
rest = np.array([start, *np.zeros((4, 6))])
rotors = {name: float(value) for name, value in equations.link_inverse_dynamics.rotors_at(rest).items()}
run = equations.simulate(
    1, controller=law, reference=reference, start=dict(zip(joints, start, strict=True)) | rotors, rtol=1e-10, atol=1e-12
)
s = run.t
smooth = sum(a * s ** (5 + j) for j, a in enumerate(steps)) / sum(steps)
error = max(np.abs(run[name] - a - b * smooth).max() for name, a, b in zip(joints, start, change, strict=True))
ratios = [float(arm.parameters[f"n{i}"].value) for i in range(1, 7)]
twist = max(np.abs(run[f"{name} rotor"] / n - run[name]).max() for name, n in zip(joints, ratios, strict=True))
print(f"the gears twist by up to {twist:.4f} rad, and the links miss their reference by {error:.1e} rad")

# Look.
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
run.animate(out / "54_elastic_joint_tracking.html", notes="Links that follow, whatever their gears do.")
run.plot(out / "54_elastic_joint_tracking.png")

assert error < 1e-6 < 1e-3 < twist, "links follow while gears twist"
