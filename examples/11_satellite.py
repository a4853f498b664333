"""The satellite of Sayers' paper: Kane's method with the paper's tables, and a boom that flexes in free flight.

Run: python examples/11_satellite.py [folder for the pictures]
"""

import sys
from pathlib import Path

import numpy as np

import polhode as ph

# Describe: a bus that flies free, a camera on a turning clock, a boom on springs (M. W. Sayers, 1991, Figs. 1 and 2).
craft = ph.load(Path(__file__).parents[1] / "models" / "satellite.yaml")
print("degrees of freedom:", sum(len(joint.u) for joint in craft.joints.values()))

# Derive: the paper sorts bodies by how they move, lumps what can be lumped, and chooses its speeds.
equations = craft.derive("kane", tables=True)
tables = equations.sayers_tables
for row in ("Translation category", "Rotation category", "Composite body mass", "Mass center of composite body"):
    print(f"{row}:", "; ".join(tables.cell_text(tables.table_2.cell(row, body)) for body in tables.table_2.bodies))
for constant, meaning in tables.constants.items():
    print(constant, "=", meaning)
print("velocity of the camera:", tables.cell_text(tables.table_8.cell("ω^B", "D")))
for way, operations in tables.costs.items():
    print(f"{way:18}", operations)

# Simulate: the boom is let go bent, the clock turns the camera.
run = equations.simulate(30, start="flexing", rtol=1e-10, atol=1e-10)
_, rotation = run.pose("Bus")
tilt = np.degrees(np.arccos(np.clip(rotation[:, 2, 2], -1, 1)))
print(f"the boom swings by {np.degrees(np.ptp(run['q9'])):.1f}° and {np.degrees(np.ptp(run['q10'])):.1f}°")
print(f"the bus tilts between {tilt.min():.1f}° and {tilt.max():.1f}°")

# Look.
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
run.animate(out / "11_satellite.html", notes="Nothing pushes from outside: boom, camera and bus pass momentum around.")
run.plot(out / "11_satellite.png")

total = run.energy.kinetic + run.energy.potential
spin, _ = run.momentum
drift = np.abs(spin - spin[0]).max() / np.abs(spin[0]).max()
print(f"energy stays within {np.ptp(total) / total[0]:.0e}, angular momentum within {drift:.0e}")
assert np.ptp(total) < 1e-7 * total[0] and drift < 1e-7, "energy and angular momentum are conserved"
