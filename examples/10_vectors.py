"""Two satellites on an elastic tether: their swing dies away, their angular momentum about the Earth cannot.

Run: python examples/10_vectors.py [folder for the pictures]
"""

import sys
from pathlib import Path

import numpy as np

import polhode as ph
from polhode.expr import evaluate

# Describe: two masses in a plane, the pull of the Earth by where they are, a tether by its length and its rate.
pair = ph.System("tethered pair", gravity=(0, 0, 0))
mu, k, c, rest = (pair.parameter(name, value) for name, value in (("mu", 1), ("k", 40), ("c", 6), ("l0", 0.3)))
plane = ph.Compound(ph.Prismatic("y"), ph.Prismatic("x"))
N = pair.ground
A = pair.body("A", mass=2, shapes=ph.Shape("sphere", (0.05,)))
B = pair.body("B", mass=1, shapes=ph.Shape("sphere", (0.04,)))
for body in (A, B):
    names = [f"y{body.name}", f"x{body.name}"]
    pair.joint(body.name, N, body, plane, coordinates=names, speeds=[f"v{name}" for name in names])
pair.gravity_field(lambda r: r * (-mu / ph.sqrt(r.dot(r)) ** 3))
pair.line_force(A, B, lambda length, rate: k * (length - rest) + c * rate, name="tether")

# Derive: what we want to watch is written as it is said, with points, arrows and their products.
equations = pair.derive()
satellites = [(body, body.centre.position(), body.centre.velocity()) for body in (A, B)]
momentum = sum(body.mass * (r ^ v) for body, r, v in satellites)
tether = B.centre.position(A.centre)
print("v of B     =", B.centre.velocity())
print("r × m v    =", momentum)
print("partial    =", B.centre.velocity().partial("vxB"), "for the speed vxB")
print("A to B     =", tether)
print("its rate   =", tether.dt())

# Simulate: on a circle for the mass centre, the tether askew and slack.
start = {"xA": 1.0, "xB": 1.2, "yB": 0.2}
speeds = {"vyA": 1.0, "vyB": 0.95, "vxB": -0.1}
run = equations.simulate(40, start=start, speeds=speeds, rtol=1e-11, atol=1e-12, rate=50)

watched = [momentum & N.z, tether.norm(), tether.dt() & tether.normalized()]
symbols = [*equations.q, *equations.u]
rows = [
    evaluate(watched, dict(zip(symbols, [*q, *u], strict=True))) for q, u in zip(run.q[::20], run.u[::20], strict=True)
]
spin, length, stretching = np.array(rows).T

# Look.
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
run.animate(out / "10_vectors.html", notes="The tether's damper takes energy, but no angular momentum.")
run.plot(out / "10_vectors.png")

drift = np.abs(spin - spin[0]).max() / abs(spin[0])
print(f"tether between {length.min():.3f} and {length.max():.3f}; angular momentum {spin[0]:.6f} drifts by {drift:.1e}")
assert drift < 1e-9 and np.abs(stretching).max() > 0.05, "forces along a line and central forces have no moment"
