"""A satellite turns itself by waving an arm: no torque from outside, no angular momentum, and yet another attitude.

Run: python examples/08_satellite_with_arm.py [folder for the pictures]
"""

import sys
from pathlib import Path

import numpy as np

import polhode as ph

# Describe: a free-flying box with an arm of two links in its plane.
craft = ph.System("satellite with arm", gravity=(0, 0, 0))
hull = [ph.Shape("box", (1, 1, 0.8)), ph.Shape("box", (0.4, 3.6, 0.03))]
satellite = craft.body("satellite", mass=120, inertia=ph.box(120, 1, 1, 0.8), shapes=hull)
tube = ph.Shape("cylinder", (0.05, 1.4), (0.7, 0, 0), rotation=("y", ph.pi / 2))
boom = craft.body("boom", 15, (0.7, 0, 0), ph.cylinder(15, 0.05, 1.4, axis="x"), tube)
hand = craft.body("hand", 20, (0.9, 0, 0), ph.cylinder(20, 0.05, 1.4, axis="x"), tube)

craft.joint("flight", craft.ground, satellite, ph.Free())
craft.joint("shoulder", satellite, boom, ph.Revolute("z"), at=(0.5, 0, 0))
craft.joint("elbow", boom, hand, ph.Revolute("z"), at=(1.4, 0, 0))

# Derive: about z, what turns with the satellite and what turns with the shoulder alone.
equations = craft.derive()
M = ph.normal(equations.mass_matrix)
print("M[satellite, satellite] =", M[2, 2])
print("M[satellite, shoulder]  =", M[2, 6])


# Simulate: motors lead the joints once around a closed path and stop where they began.
def path(t):
    phase = 2 * np.pi * min(t / 10, 1)
    return np.array([0.8 * np.sin(phase), 1.2 - 1.2 * np.cos(phase)])


def motors(t, q, u):
    torque = 4000 * (path(t) - q[-2:]) - 900 * u[-2:]
    return {"shoulder": torque[0], "elbow": torque[1]}


run = equations.simulate(13, tau=motors)
_, rotation = run.pose("satellite")
attitude = np.degrees(np.unwrap(np.arctan2(rotation[:, 1, 0], rotation[:, 0, 0])))
print(f"joints at the end: {run['shoulder'][-1]:.4f} and {run['elbow'][-1]:.4f} rad, as at the start")
print(f"attitude: turned by {attitude[-1]:.2f}°")

# Look.
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
run.animate(out / "08_satellite_with_arm.html", notes="The arm goes once around; the satellite keeps what it gained.")
run.plot(out / "08_satellite_with_arm.png")

spin, _ = run.momentum
carried = run.functions.mass_matrix(run.q)[:, 2, 6:] * run.u[:, 6:]  # by the arm, in the satellite's frame
share = np.abs(spin).max() / np.abs(carried.sum(axis=1)).max()
print(f"angular momentum stays within {share:.0e} of what the arm carries")
assert share < 1e-8 and abs(attitude[-1]) > 5, "no angular momentum, and yet it has turned"
