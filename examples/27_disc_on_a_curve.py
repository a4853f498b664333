"""Huygens' clock with rolling discs: on a rail beside a cycloid they keep one time, however far they swing.

Run: python examples/27_disc_on_a_curve.py [folder for the pictures]
"""

import sys
from pathlib import Path

import numpy as np

import polhode as ph

# Describe: three discs, and a rail that is everywhere a radius below a cycloid, so that their centres move on that.
clock = ph.System("rolling clock", gravity=(0, 0, "-9.81"))
m, r, a = clock.parameter("m", 0.5, "kg"), clock.parameter("r", 0.1, "m"), clock.parameter("a", 0.4, "m")


def rail(s):
    """The cycloid less r times its normal, which leans by half the parameter."""
    return a * (s + ph.sin(s)) + r * ph.sin(s / 2), a * (1 - ph.cos(s)) - r * ph.cos(s / 2)


names = ["narrow", "middle", "wide"]
for k, name in enumerate(names):
    face = ph.Shape("cylinder", (r, 0.04), (0, 0, 0), ("x", ph.pi / 2))
    mark = ph.Shape("box", (0.03, 0.05, 0.03), (0, 0, 0.7 * r))
    disc = clock.body(name, m, inertia=ph.disc(m, r, "y"), shapes=[face, mark])
    way = ph.Compound(ph.Prismatic("x"), ph.Prismatic("z"), ph.Revolute("y"))
    own = [f"{name} {what}" for what in ("x", "z", "turn")]
    clock.joint(name, clock.ground, disc, way, at=(0, 0.06 * k, 0), coordinates=own)
    clock.roll_disc(f"{name} disc", disc, r, rail, at=(0, 0.06 * k, 0))

# Derive: each disc touches and does not slip; where it touches is a coordinate that no mass hangs on.
equations = clock.derive()
print("conditions:", ", ".join(equations.constraints.names))
print("coordinates:", ", ".join(equations.coordinates))

# Simulate: from three heights, at rest. A quarter of the period later all are at the bottom.
period = 4 * np.pi * np.sqrt(1.5 * 0.4 / 9.81)
start = {f"{name} disc place": angle for name, angle in zip(names, (0.5, 1.2, 2.2), strict=True)}
run = equations.simulate(period, start=start, rtol=1e-10, atol=1e-12)
_, _, force = run.reaction("wide disc")
print(f"the rail pushes the wide one with {force[:, 2].min():.2f} to {force[:, 2].max():.2f} N upward")

# Look.
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
run.animate(out / "27_disc_on_a_curve.html", notes="Three discs on a rail beside a cycloid meet at the bottom.")
run.plot(out / "27_disc_on_a_curve.png")

places = np.array([run[f"{name} disc place"] for name in names])
late = np.abs(places[:, -1] - places[:, 0]).max()
print(f"after 4π √(3a/2g) = {period:.4f} s all are back within {late:.0e} rad; energy drifts by {run.energy_drift:.0e}")
assert late < 1e-7 and run.energy_drift < 1e-8, "the period is 4π √(3a/2g) for every width"
