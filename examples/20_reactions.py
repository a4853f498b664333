"""An unbalanced rotor on a sprung table: what its bearing carries, what its motor does, and where the power goes.

Run: python examples/20_reactions.py [folder for the pictures]
"""

import sys
from pathlib import Path

import numpy as np

import polhode as ph

# Describe: a table that moves up and down on a spring, and on it a rotor that turns at a given speed.
shop = ph.System("unbalanced rotor", gravity=(0, 0, "-9.81"))
k, c, m, e = (shop.parameter(*given) for given in (("k", 4000), ("c", 60), ("m", 2), ("e", 0.05)))
table = shop.body("table", mass=10)
rotor = shop.body("rotor", mass=m, com=(e, 0, 0), inertia=(0, 0.02, 0.02))
slide = shop.joint("slide", shop.ground, table, ph.Prismatic("z"), coordinates=["z"], speeds=["v"])
shop.joint_spring(slide, k, damping=c, name="foot")
shop.joint("bearing", table, rotor, ph.Revolute("y"), at=(0, 0, 0.3))
shop.prescribe("bearing", 12 * shop.time)

# Derive: reactions and driving forces are expressions like all others.
equations = shop.derive()
alone = {slide.tau[0]: 0}  # nobody pushes the table
upward = equations.reaction("bearing", frame="ground").force[2]
print("force of the bearing on the rotor, upward:", ph.normal(upward.subs(alone)))
print("torque of the motor:", ph.normal(equations.driving_force("bearing").subs(alone)))
print("ports:", ", ".join(equations.power().ports))
assert equations.power().whole.residual == 0, "what flows in is what is stored, exactly"

# Simulate: until it swings evenly, and with the audit that compares powers and energies at every sample.
turn = 2 * np.pi / 12
settle = equations.simulate(20 * turn)
start = {"z": settle["z"][-1]}
run = equations.simulate(4 * turn, start=start, speeds={"v": settle.speed("v")[-1]}, samples=401, audit=True)
time, torque, force = run.reaction("bearing", frame="ground")
audit = run.power_audit()
print(audit)
low, high = force[:, 2].min(), force[:, 2].max()
print(f"the bearing carries {low:.1f} to {high:.1f} N upward, the weight is {2 * 9.81:.1f} N")

# Look.
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
run.animate(out / "20_reactions.html", notes="The spring carries the table; the unbalance shakes it.")
run.plot(out / "20_reactions.png", reactions=["bearing"])

drive, brake = (np.trapezoid(audit.ports[port], time) for port in ("drive bearing", "load foot"))
mean = np.trapezoid(force[:, 2], time) / time[-1]
print(f"in four turns the motor does {drive:.4f} J and the damper takes {-brake:.4f} J; the mean force is {mean:.4f} N")
assert abs(drive + brake) < 1e-4 * drive and abs(mean - 2 * 9.81) < 1e-4, "over whole turns the damper takes it all"
