"""A rolling coin stays up if it is faster than √(g r/3), and falls if it is slower.

Run: python examples/14_rolling_disc.py [folder for the pictures]
"""

import sys
from pathlib import Path

import numpy as np
from scipy.optimize import brentq

import polhode as ph

# Describe: a thin disc that may move in any way, and a contact that lets it roll without slipping. Its axle is y.
coin = ph.System("rolling coin")
m, r, v = coin.parameter("m", 0.01), coin.parameter("r", 0.012), coin.parameter("v", 0.3)
g = coin.parameter("g", 9.81)
coin.gravity = ph.Vector([0, 0, -g])

face = ph.Shape("cylinder", (r, 0.002), rotation=("x", ph.pi / 2))
mark = ph.Shape("box", (0.004, 0.003, 0.004), (0, 0, 0.7 * r))
disc = coin.body("disc", m, inertia=ph.disc(m, r, "y"), shapes=[face, mark])
names = ["x", "y", "z", "yaw", "lean", "spin"]
anywhere = ph.Compound(*(ph.Prismatic(axis) for axis in "xyz"), *(ph.Revolute(axis) for axis in "zxy"))
coin.joint("flight", coin.ground, disc, anywhere, coordinates=names, speeds=[f"d {name}" for name in names])
coin.roll_wheel("contact", disc, r, "y")

# Derive: three speeds are left; the other three follow from rolling.
equations = coin.derive(independent=["d yaw", "d lean", "d spin"])
for name, rate in zip(equations.constraints.names, ph.normal(equations.constraints.rates), strict=True):
    print(f"{name}: 0 = {rate}")

# Small motions about rolling straight ahead with speed v, exactly: does the lean grow?
small = equations.linearize({"z": r}, speeds={"d spin": v / r})
lean = small.speeds.index("d lean")
print("M[lean, lean] =", ph.normal(small.second_order.M)[lean, lean])
print("K[lean, lean] =", ph.normal(small.second_order.K)[lean, small.displacements.index("lean")])


def stiffness(speed):
    """Of the lean, when yaw is what it makes of it: the product of the eigenvalues that are not zero."""
    values = small.eigenvalues({"v": speed})
    return np.prod(values[np.argsort(abs(values))[-2:]]).real


critical = brentq(stiffness, 0.1, 0.6, xtol=1e-13)

# Simulate: half as fast again, pushed a little to one side; it wobbles, and goes on.
speeds = {"d spin": 1.5 * critical / 0.012, "d lean": 2.0}
run = equations.simulate(3, start={"z": 0.012}, speeds=speeds)
print(f"lean stays below {np.degrees(np.abs(run['lean']).max()):.1f}°, energy drifts by {run.energy_drift:.0e}")

# Look.
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
run.animate(out / "14_rolling_disc.html", notes="Faster than √(g r/3): pushed, it wobbles and rolls on.")
run.plot(out / "14_rolling_disc.png")

print(f"stays up above {critical:.9f} m/s; √(g r/3) = {np.sqrt(9.81 * 0.012 / 3):.9f} m/s")
assert abs(critical / np.sqrt(9.81 * 0.012 / 3) - 1) < 1e-9, "a coin stays up above √(g r/3)"
