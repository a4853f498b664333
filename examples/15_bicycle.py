"""A bicycle without a rider's help balances itself, but only between the weave and the capsize speed.

Run: python examples/15_bicycle.py [folder for the pictures]
"""

import sys
from pathlib import Path

import matplotlib.figure
import numpy as np
from scipy.optimize import brentq

import polhode as ph
from polhode.model.samples.vehicles import INDEPENDENT, upright, whipple_bicycle

# Describe: rear frame with a rigid rider, front frame, two wheels that roll on the ground; the benchmark of Meijaard,
# Papadopoulos, Ruina and Schwab (2007). The sample's source shows how it is written.
bicycle = whipple_bicycle()
print(f"{len(bicycle.bodies) - 1} bodies, constraints: {', '.join(bicycle.constraints)}")

# Derive: of nine speeds lean, steer and the rear wheel's spin are free. Then small motions about riding straight at
# speed v, as exact functions of all 26 parameters.
equations = bicycle.derive("composite_body", independent=INDEPENDENT)
small = equations.linearize(upright(bicycle))
lean = small.speeds.index("lean rate")
print(f"{len(equations.coordinates)} coordinates; free speeds: {', '.join(equations.speeds)}")
print(f"M[lean, lean] = {ph.normal(small.second_order.M)[lean, lean]}")
print(f"M =\n{small.second_order.numbers('M')}")


def modes(speed):
    """The four eigenvalues of lean and steer; the others belong to place, heading and the speed itself."""
    found = small.eigenvalues({"v": speed})
    return found[np.argsort(abs(found))[-4:]]


def oscillating(speed):
    return max((value.real for value in modes(speed) if abs(value.imag) > 1e-6), default=np.nan)


speeds = np.linspace(0, 10, 401)
values = np.array([modes(speed) for speed in speeds])
weave = brentq(oscillating, 4, 5, xtol=1e-13)
capsize = brentq(lambda speed: np.prod(modes(speed)).real, 5.5, 6.5, xtol=1e-13)

# Simulate the full equations at 4.6 m/s, knocked sideways: it steers into the fall, rises and rides on.
v, r = 4.6, 0.3
knocked = {"rear spin": -v / r, "lean rate": 0.5}
run = equations.simulate(5, start={"z": -r}, speeds=knocked, parameters={"v": v}, rtol=1e-8, atol=1e-8)
print(f"lean: at most {np.degrees(abs(run['lean']).max()):.1f}°, at the end {np.degrees(run['lean'][-1]):.2f}°")

# Look: the picture of the paper, eigenvalues over speed.
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
run.animate(out / "15_bicycle.html", notes="Knocked at 4.6 m/s, nobody steers: it balances itself.")
figure = matplotlib.figure.Figure(figsize=(8, 5), layout="constrained")
axes = figure.subplots()
axes.axvspan(weave, capsize, color="#dff0e4", label="stable")
axes.plot(speeds, values.real, ".", color="#1f5fa8", markersize=3, label=["real part", *[None] * 3])
axes.plot(speeds, np.where(values.imag > 1e-6, values.imag, np.nan), ".", color="#c8551b", markersize=1)
axes.plot([], [], color="#c8551b", label="imaginary part")
axes.axhline(0, color="#14181d", linewidth=0.8)
axes.set(xlim=(0, 10), ylim=(-10, 10), xlabel="forward speed, m/s", ylabel="eigenvalues, 1/s", title="Whipple bicycle")
axes.legend(loc="upper left", frameon=False)
figure.savefig(out / "15_bicycle.png", dpi=150)

print(f"stable from {weave:.12f} to {capsize:.12f} m/s; published: 4.292382536341 and 6.024262015388")
assert abs(weave - 4.292382536341) < 1e-9 and abs(capsize - 6.024262015388) < 1e-9, "the published stable speeds"
