"""A Stewart platform bounces on six springy legs: they are as long as the plate's pose says.

Run: python examples/24_stewart.py [folder for the pictures]
"""

import sys
from pathlib import Path

import numpy as np

from polhode.expr import evaluate
from polhode.model.samples.linkages import LEGS, base_joint, plate_joint, stewart_platform

# Describe: a plate that could fly, six legs of two halves, six ball joints that close the loops; a spring in each leg.
platform = stewart_platform()
k = platform.parameter("k", 2000, "N/m")
for leg in LEGS:
    platform.joint_spring(f"leg {leg}", k, rest=0.42)

# Derive: 24 speeds, 18 conditions; with the plate's six speeds alone all else is put in its terms, symbolically.
equations = platform.derive()
plate = [speed for speed in equations.speeds if speed.startswith("plate")]
plate_alone = platform.derive(independent=plate, near="work")
print(len(equations.u), "speeds,", len(equations.constraints.rows), "conditions")
print("operations, with multipliers:", equations.operations("forward_dynamics"))
print("operations, for the plate alone:", plate_alone.operations("forward_dynamics"))

# Simulate: the level plate is let go with a push and a turn; the legs' speeds follow.
run = plate_alone.simulate(4, start="work", speeds={"plate_vx": 0.4, "plate_wy": -0.8, "plate_wz": 1.0}, rate=100)
height = run["plate_z"]
print(f"the plate moves between heights of {height.min():.3f} and {height.max():.3f} m")

# Look.
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
run.animate(out / "24_stewart.html", notes="Six springs hold a plate; every leg turns and slides as the plate asks.")
legs = [f"leg {leg}" for leg in LEGS]
run.plot(out / "24_stewart.png", channels=["plate_x", "plate_y", "plate_z", "plate_vx", "plate_vy", "plate_vz", *legs])

values = {p.symbol: float(p.value) for p in platform.parameters.values()}
p, R = run.pose("plate")
gaps = []
for leg in LEGS:
    below, above = (evaluate(list(place(platform, leg)), values) for place in (base_joint, plate_joint))
    length = np.linalg.norm(p + R @ above - below, axis=1)
    gaps.append(np.abs(length - 0.5 - run[f"leg {leg}"]).max())
print(f"legs are as long as the plate asks within {max(gaps):.0e} m, energy within {run.energy_drift:.0e}")
assert max(gaps) < 1e-9 and run.energy_drift < 1e-7, "a leg's length is the distance of its joints"
