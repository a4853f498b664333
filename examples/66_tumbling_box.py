"""A box is thrown onto a floor, tumbles over its edges and comes to rest; then it stays exactly where it is.

Run: python examples/66_tumbling_box.py [folder for the pictures]
"""

import sys
from pathlib import Path

import numpy as np

import polhode as ph
from polhode.view.plot import plot_channels, save_plot

# Describe: the surface of the box is what is drawn, and touches the floor by its eight vertices.
s = ph.System("tumbling box")
size = (0.4, 0.3, 0.2)
box = s.body("box", 2, inertia=ph.box(2, *size))
s.joint("f", s.ground, box, ph.Free())
floor = s.surface("floor", s.ground, ph.Shape.plane())
s.contact("hull", s.surface("hull", box, ph.Shape.box(*size)), floor, friction=0.4, restitution=0.5)

# Derive: the equations of a free body; contact adds rows to them, one gap and two tangents a vertex.
equations = s.derive()
print("speeds:", ", ".join(map(str, equations.u)), "with bias", ph.normal(equations.bias))

# Simulate: from a tilted start, spinning and flying sideways. Speeds are components in the frame of the box.
start = {"f_e0": np.cos(0.3), "f_e1": 0.6 * np.sin(0.3), "f_e2": 0.8 * np.sin(0.3), "f_z": 0.8}
speeds = {"f_wx": 2, "f_wy": 6, "f_wz": 1, "f_vx": 1.2}
run = equations.simulate(2.5, start=start, speeds=speeds, rtol=1e-10, atol=1e-12)
hull = run.contact("hull")
happened = [event.what for event in run.contact_events]
print(f"{happened.count('impact')} impulses on vertices, in {len({each.t for each in hull.impulses})} impacts")
rest = max(event.t for event in run.contact_events)
print(f"it stands on {(hull.mode[-1] == 'stick').sum()} vertices from t = {rest:.6f} s on")
print(run.power_audit())
later = equations.simulate(1000, start=dict(zip(equations.coordinates, run.q[-1], strict=True)), samples=11)

# Look.
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
run.animate(out / "66_tumbling_box.html", notes="A box tumbles over its edges, slides, and stands still.")
energy = run.energy
panels = [
    ("Height of the centre", "m", {"z": run["f_z"]}),
    ("Gaps of the vertices", "m", {part: hull.gap[:, k] for k, part in enumerate(hull.parts)}),
    ("Energy", "J", {"kinetic": energy.kinetic, "potential": energy.potential, "total": energy.total}),
    ("Vertices that touch", "", {mode: (hull.mode == mode).sum(axis=1) for mode in ("stick", "slip")}),
]
save_plot(plot_channels(run.t, panels, "A box thrown onto a floor", columns=2), out / "66_tumbling_box.png")

carried, moved = hull.normal[-1].sum() / (2 * 9.81), np.abs(later.x - later.x[0]).max()
print(f"the floor carries {carried:.12f} of the weight; in 1000 s more it moves by {moved:g}")
assert not run.u[-1].any() and moved == 0 and abs(carried - 1) < 1e-9, "what stands still does not creep"
