"""Kapitza's pendulum: shaken fast enough, it stands on its head. A sweep finds where, and a batch shows how.

Run: python examples/30_sweep.py [folder for the pictures]
"""

import sys
from pathlib import Path

import numpy as np

import polhode as ph

# Describe: a bob above its pivot, which is shaken up and down as a cos ωt. Upright is θ = 0.
shaker = ph.System("shaken pendulum", gravity=(0, 0, "-9.81"))
a, w, l = (shaker.parameter(*given) for given in (("a", 0.01), ("w", 300), ("l", 0.2)))
pivot, bob = shaker.body("pivot", mass=1), shaker.body("bob", mass=0.1, com=(0, 0, l))
shaker.joint("shake", shaker.ground, pivot, ph.Prismatic("z"))
shaker.joint("hinge", pivot, bob, ph.Revolute("y"), coordinates=["theta"], speeds=["omega"])
shaker.prescribe("shake", a * ph.cos(w * shaker.time))

# Derive: gravity, and the acceleration of the pivot beside it.
equations = shaker.derive()
theta = equations.q[0]
print("M    =", ph.normal(equations.mass_matrix))
print("bias =", ph.normal(equations.bias))

# Simulate: every amplitude with every frequency, on all cores; how far each leans at most is all that is kept.
amplitudes, frequencies = np.linspace(0.004, 0.02, 5), np.linspace(60, 320, 5)
sweep = equations.sweep(
    {"a": amplitudes, "w": frequencies}, 1.5, start={"theta": 0.05}, rtol=1e-6, atol=1e-6, samples=301,
    measure={"lean": ("max", ph.absolute(theta))}, until=ph.absolute(theta) - 1.5,
)  # fmt: skip
stands = sweep["lean"] < 1
print(sweep)
for row, amplitude in zip(stands, amplitudes, strict=True):
    print(f"{1000 * amplitude:5.1f} mm  " + "".join("stands  " if one else "falls   " for one in row))

# Look: how far all of them lean, one run, and the same pendulum shaken at five frequencies in one batch.
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
sweep.plot(out / "30_sweep_map.svg")
batch = equations.simulate(1, parameters={"w": frequencies, "a": 0.012}, start={"theta": 0.05}, rtol=1e-6, atol=1e-6)
batch.plot(out / "30_sweep.png")
batch[-1].animate(out / "30_sweep.html", notes="Shaken at 320 rad/s by 12 mm: it does not fall.")

shaken = np.outer(amplitudes, frequencies) / np.sqrt(2 * 9.81 * 0.2)  # a ω against √(2 g l), Kapitza 1951
clear = abs(shaken - 1) > 0.15  # at the border itself it takes long to decide
print(f"aω > √(2gl) decides {clear.sum()} of {clear.size} runs")
assert (stands == (shaken > 1))[clear].all() and not sweep.failures, "upright is stable where aω > √(2gl)"
