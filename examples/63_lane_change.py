"""A bicycle changes lane as fast as it can by the torque on its handlebar alone: to go right, it first steers left.

Run: python examples/63_lane_change.py [folder for the pictures]
"""

import sys
from pathlib import Path

import numpy as np

from polhode.model.samples.vehicles import INDEPENDENT, whipple_bicycle

# Describe: the Whipple bicycle of the benchmark of Meijaard, Papadopoulos, Ruina and Schwab (2007); y is to the right.
bicycle = whipple_bicycle()
v, r = 5.0, 0.3

# Derive to first order in lean, steer, heading and place: a fifth of the operations. Nobody asks where it is along x.
e = bicycle.derive(
    constraints="embedded", independent=INDEPENDENT, small=["y", "yaw", "lean", "steer"], omit=["x", "front spin"]
)
print(e.coordinates, e.speeds, e.operations())

# Solve: two metres to the right and straight on again, with little torque and leaning little.
straight = {"yaw": 0, "lean": 0, "steer": 0, "lean rate": 0, "steer'": 0}
limits = {"tau_steer": 1, "lean": 0.2, "steer": 0.2}
problem = e.collocation(
    (0.5, 5), start={"z": -r, "rear spin'": -v / r}, end={"y": 2, **straight}, limits=limits,
    cost={"time": 1, "effort": 0.002}, inputs=["steer"], nodes=40,
)  # fmt: skip
print(problem)
best = problem.solve()
print(best)
steer, lean = (np.degrees(np.abs(best[name]).max()) for name in ("steer", "lean"))
print(f"the wheel is turned by up to {steer:.1f}°, the bicycle leans by up to {lean:.1f}°")
print(f"under this torque alone it is off by {best.deviation.end['y']:.3f} m at the end")

# Simulate: the torque on the whole bicycle, of which these equations are the first order.
whole = bicycle.derive("composite_body", independent=INDEPENDENT)
torque = {"steer": best.control_laws["tau_steer"]}
run = whole.simulate(best.duration, start={"z": -r}, speeds={"rear spin": -v / r}, tau=torque, rate=100)
print(f"the whole bicycle is at y = {run['y'][-1]:.2f} m")

# Look.
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
run.animate(out / "63_lane_change.html", notes="To go right it first steers left.")
best.plot(out / "63_lane_change.png")

begins = best["steer"][best.t < 0.1 * best.duration]
print(f"at first the wheel turns by {np.degrees(begins.min()):.1f}°, and the bicycle goes to {best['y'].min():.3f} m")
assert begins.min() < -0.01 and begins.max() <= 0.0 and best["y"].min() < -0.01, "to go right it first steers left"
