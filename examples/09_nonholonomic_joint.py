"""A joint that lets a pendulum swing but not spin: after each round it has turned by the solid angle of its cone.

Run: python examples/09_nonholonomic_joint.py [folder for the pictures]
"""

import sys
from pathlib import Path

import numpy as np

import polhode as ph

# Describe: one simple joint with two axes, the "simple universal" joint of Kwatny and Blankenship (1995). Unlike two
# hinges in succession, its axes turn with the body; they do not close under the bracket, so the joint is nonholonomic.
pendulum = ph.System("pendulum that does not spin")
m, l, a = pendulum.parameter("m", 2), pendulum.parameter("l", 1), pendulum.parameter("a", 0.4)
g = pendulum.parameter("g", 9.81)
pendulum.gravity = ph.Vector([0, 0, -g])

rod = ph.Shape("cylinder", (0.02, l), (0, 0, -l / 2))
block = ph.Shape("box", (a, a, 0.1), (0, 0, -l))
bob = pendulum.body("bob", m, (0, 0, -l), ph.box(m, a, a, 0.1), [rod, block])
two_axes = ph.JointMap([[1, 0], [0, 1], [0, 0], [0, 0], [0, 0], [0, 0]])
hook = pendulum.joint("hook", pendulum.ground, bob, two_axes, speeds=["wx", "wy"])
print(f"holonomic: {two_axes.is_holonomic}; {len(hook.q)} coordinates, {len(hook.u)} speeds")

# Derive: two equations of motion; three coordinates follow from q̇ = Γ u.
equations = pendulum.derive()
print("M =", ph.normal(equations.mass_matrix))
print("Γ =", ph.normal(equations.kinematic_matrix))

# Simulate a conical swing: at a half-angle α it goes round with Ω² = m g l / (A cos α).
A = equations.compile().mass_matrix([0, 0, 0])[0, 0]
alpha = 0.6
rate = np.sqrt(2 * 9.81 * 1 / (A * np.cos(alpha)))
leaning = {hook.q[0].name: alpha}
run = equations.simulate(2 * np.pi / rate, start=leaning, speeds={"wy": rate * np.sin(alpha)}, rtol=1e-12, atol=1e-12)

# Look.
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
run.animate(out / "09_nonholonomic_joint.html", notes="One round of a conical swing; the block comes back turned.")
run.plot(out / "09_nonholonomic_joint.png")

_, rotation = run.pose("bob")
turn = rotation[0].T @ rotation[-1]  # from the first attitude to the last: about the rod
angle = np.arctan2(turn[1, 0], turn[0, 0]) % (2 * np.pi)
solid_angle = 2 * np.pi * (1 - np.cos(alpha))
print(f"energy drift {run.energy_drift:.1e}")
print(f"turned by {min(angle, 2 * np.pi - angle):.9f} rad; solid angle of the cone {solid_angle:.9f}")
assert abs(min(angle, 2 * np.pi - angle) - solid_angle) < 1e-7, "what does not spin turns by the solid angle it sweeps"
