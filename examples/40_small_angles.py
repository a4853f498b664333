"""A bicycle whose lean and steer are small: a fifth of the operations, and an error that goes with their square.

Run: python examples/40_small_angles.py [folder for the pictures]
"""

import sys
from pathlib import Path

import numpy as np

from polhode.model.samples.vehicles import INDEPENDENT, whipple_bicycle

# Describe: the Whipple bicycle of the benchmark. It rolls along x, so that y and yaw stay small with lean and steer.
bicycle = whipple_bicycle()
SMALL = ["y", "yaw", "lean", "steer"]

# Derive the whole equations, and those to first order in what is small. Nobody asks where the bicycle is along x.
whole = bicycle.derive(constraints="embedded", independent=INDEPENDENT)
few = bicycle.derive(constraints="embedded", independent=INDEPENDENT, small=SMALL, omit=["x"])
print("whole:", whole.operations())
print("small:", few.operations())
print("small too are the speeds", ", ".join(u.name for u in few.record.small.speeds))
print(few.dropped)


def ride(equations, push):
    """Two seconds at 5 m/s after a push from the side, which gives the lean a rate."""
    speeds = {"rear spin": -5 / 0.3, "lean rate": push}
    return equations.simulate(2, start={"z": -0.3}, speeds=speeds, method="rk4", step=0.01)


# Simulate: the push, and half of it.
pushed = [(ride(whole, push), ride(few, push)) for push in (0.4, 0.2)]
off = {
    name: [np.abs(one[name] - other[name]).max() for one, other in pushed] for name in ("lean", "steer", "rear spin")
}

# Look.
for name, (larger, smaller) in off.items():
    print(f"{name} differs by {larger:.1e} rad after the push, by {smaller:.1e} rad after half of it")
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
one, other = pushed[0]
one.plot(out / "40_small_angles.png", beside=[other])
one.animate(out / "40_small_angles.html", notes="By the whole equations: without x there is no place to draw at.")
assert all(larger > 3.9 * smaller for larger, smaller in off.values()), "half the motion, a quarter of the error"
