"""A link behind an elastic gear: what its motor must do for a motion of the link, and what happens if it does.

Run: python examples/35_elastic_joint.py [folder for the pictures]
"""

import sys
from math import comb
from pathlib import Path

import numpy as np

import polhode as ph

# Describe: a link that turns against gravity, a motor that turns a hundred times as fast, a gear that twists a little.
arm = ph.System("elastic joint", gravity=(0, 0, "-9.81"))
m, l, k = arm.parameter("m", 2, unit="kg"), arm.parameter("l", 0.5, unit="m"), arm.parameter("k", 200, unit="N m/rad")
Im, n = arm.parameter("Im", 1e-4, unit="kg m^2"), arm.parameter("n", 100)
drawn = ph.Shape("cylinder", (0.03, l), (0, 0, -l / 2))
link = arm.body("link", m, com=(0, 0, -l / 2), inertia=ph.rod(m, l), shapes=drawn)
arm.joint("elbow", arm.ground, link, ph.Revolute("y"))
arm.motor("elbow", n, inertia=Im, stiffness=k)

# Derive: the rotor has a coordinate of its own, on which the motor's effort acts.
equations = arm.derive()
for name, row in zip(equations.speeds, equations.inverse_dynamics, strict=True):
    print(f"effort on {name}: {row}")
inverse = equations.link_inverse_dynamics
print(f"from the link's motion alone, up to its derivative number {inverse.order}:")
print("   rotor =", inverse.rotors["elbow rotor"][0])

# A motion of the link from rest to rest, 1.5 rad in a second, smooth to its fourth derivative at both ends.
steps = np.array([(-1) ** j * comb(4, j) / (5 + j) for j in range(5)])
motion = np.polynomial.Polynomial([0] * 5 + list(1.5 * steps / steps.sum()))
times = np.linspace(0, 1, 401)
wanted = np.array([[motion.deriv(order)(times)] for order in range(inverse.order + 1)])
effort = inverse.efforts_at(wanted)["elbow rotor"]
twist = inverse.rotors_at(wanted)["elbow rotor"] / 100 - motion(times)
print(f"the motor gives up to {np.abs(effort).max():.3f} N m, the gear twists by up to {np.abs(twist).max():.4f} rad")

# Simulate: that effort, fed forward in time, moves the link as was asked, although nothing looks at it.
fed = {"elbow rotor": ph.sampled(times, effort, "cubic")}
run = equations.simulate(1, tau=fed, rtol=1e-10, atol=1e-12)
error = np.abs(run["elbow"] - motion(run.t)).max()
print(f"largest error of the link: {error:.1e} rad; a motor that took the gear for rigid would miss by the twist")

# Look.
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
run.animate(out / "35_elastic_joint.html", notes="Lifted by a motor that knows how far its gear will twist.")
run.plot(out / "35_elastic_joint.png")

assert error < 1e-5 < np.abs(twist).max(), "the link's motion gives the motor's effort"
