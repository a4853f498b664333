"""A tracked vehicle on ten road wheels drives over an obstacle; its hull bends, or is rigid.

Run: python examples/64_tracked_vehicle.py [folder for the pictures]
"""

import sys
from pathlib import Path

import numpy as np

from polhode.model.samples import tracked_vehicle
from polhode.view.plot import plot_channels, save_plot

# Describe: heave, pitch, roll, ten trailing arms and two bending modes of the hull; the forward speed V is prescribed.
vehicles = {"flexible": tracked_vehicle(), "rigid": tracked_vehicle(flexible=False)}

# Derive: fifteen degrees of freedom with the hull's modes, thirteen without; another formalism agrees exactly.
equations = {name: vehicle.system.derive("composite_body") for name, vehicle in vehicles.items()}
for name, each in equations.items():
    print(f"{name}: {len(each.u)} degrees of freedom; {each.operations()}")
print("kane agrees:", equations["flexible"].agrees_with(vehicles["flexible"].system.derive("kane")))

# At rest the hull sags under its weight between the wheels; small motions about that say how it rides.
rest = equations["flexible"].equilibrium()
level = {"V": 0, "h_left": 0, "h_right": 0}
for mode in equations["flexible"].linearize(rest, parameters=level).modes(level)[:3]:
    moves = max(("heave", "pitch", "roll"), key=lambda name: abs(mode.participation[name]))
    print(f"{moves}: {mode.frequency:.2f} Hz, damping ratio {mode.damping_ratio:.2f}")

# Simulate: ten seconds at 8 m/s, over an obstacle 0.25 m high and 2 m long, under the left track alone at 0.15 m.
runs = {name: each.simulate(10, start=rest if name == "flexible" else None) for name, each in equations.items()}
run, vehicle = runs["flexible"], vehicles["flexible"]
print(run.summary())
skew = equations["flexible"].simulate(4, start=rest, parameters={"h_left": 0.15, "h_right": 0})
print(f"with one track over it the hull rolls by {np.degrees(abs(skew['roll']).max()):.1f}°")
loads = dict(zip(vehicle.loads, run.values(*vehicle.loads.values()), strict=True))
tensions = dict(zip(vehicle.tensions, run.values(*vehicle.tensions.values()), strict=True))

# Look.
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
skew.animate(out / "64_tracked_vehicle.html", notes="The left track climbs over an obstacle of 0.15 m at 8 m/s.")
early = run.t < 4
panels = [
    ("Heave", "m", {name: each["heave"][early] for name, each in runs.items()}),
    ("Pitch", "°", {name: np.degrees(each["pitch"][early]) for name, each in runs.items()}),
    ("Bending of the hull at its ends", "mm", {name: 1000 * run[name][early] for name in ("hull_1", "hull_2")}),
    ("Left arms", "rad", {f"{k}": run[f"left {k}"][early] for k in range(1, 6)}),
    ("Loads of the left wheels", "kN", {f"{k}": loads[f"left {k}"][early] / 1000 for k in range(1, 6)}),
    ("Tension of the left track", "kN", {f"{k}": tensions[f"left {k}"][early] / 1000 for k in range(6)}),
]
save_plot(plot_channels(run.t[early], panels, "Over an obstacle at 8 m/s", columns=2), out / "64_tracked_vehicle.png")

total, weight = sum(load[-1] for load in loads.values()), (9000 + 10 * 110) * 9.81
print(f"the ground carries {total / weight:.8f} of the weight in the end; roll {abs(run['roll']).max():.1e} rad")
assert abs(total / weight - 1) < 1e-5 and abs(run["roll"]).max() < 1e-6, "the wheels carry the weight, and no roll"
