"""Bricard's mechanism moves though its constraints are as many as its coordinates: one of them says what others say.

Run: python examples/26_bricard.py [folder for the pictures]
"""

import sys
from pathlib import Path

import numpy as np

from polhode.model.samples.linkages import bricard_mechanism

# Describe: five rods and the ground make a ring of six hinges, each at right angles to the next.
bricard = bricard_mechanism()
print("joints:", ", ".join(bricard.joints), "and, closing the ring,", *bricard.constraints)

# Derive: five conditions, independent for almost all angles, but not where all of them are kept.
equations = bricard.derive()
print(len(equations.u), "speeds and", len(equations.constraints.generic_rows), "generic conditions, yet")
made = equations.assemble()
print(made.freedom.degrees, "degree of freedom:", made)

# Simulate: falling from rest, for the ten seconds of the benchmark.
run = equations.simulate(10)
print(f"{run.info['steps']} steps, energy within {run.energy_drift:.0e}")

# Look.
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
run.animate(out / "26_bricard.html", notes="Six hinges in a ring; every other one turns alike.")
run.plot(out / "26_bricard.png")

one, two = np.cos(np.pi / 2 + run["hinge 1"]), np.cos(np.pi / 2 + run["hinge 2"])
gap = np.abs(one + two + one * two).max()
print(f"hinges 1 and 2 agree within {gap:.0e}")
assert gap < 1e-9 and run.energy_drift < 1e-7, "cos θ + cos φ + cos θ cos φ = 0, and energy is kept"
