"""A T-handle, spun about its middle axis in free fall, turns over and over (Dzhanibekov's observation).

Run: python examples/03_t_handle.py [folder for the pictures]
"""

import sys
from pathlib import Path

import numpy as np

import polhode as ph

# Describe: a bar across (along y) and a stem (along x), welded to a frame at their common mass centre.
handle = ph.System("T-handle", gravity=(0, 0, 0))
m_bar, m_stem = handle.parameter("m_bar", 0.12, unit="kg"), handle.parameter("m_stem", 0.05, unit="kg")
a, b, r = handle.parameter("a", 0.16), handle.parameter("b", 0.08), handle.parameter("r", 0.012)
between, total = b / 2, m_bar + m_stem  # of the two centres; of the masses


def solid(length, axis):
    """How a part is drawn: a cylinder along an axis."""
    turn = {"x": ("y", ph.pi / 2), "y": ("x", ph.pi / 2)}[axis]
    return ph.Shape("cylinder", (r, length), rotation=turn)


grip = handle.body("grip")
bar = handle.body("bar", m_bar, inertia=ph.cylinder(m_bar, r, a, axis="y"), shapes=solid(a, "y"))
stem = handle.body("stem", m_stem, inertia=ph.cylinder(m_stem, r, b, axis="x"), shapes=solid(b, "x"))
handle.joint("flight", handle.ground, grip, ph.Free())
handle.joint("weld 1", grip, bar, ph.Fixed(), at=(-between * m_stem / total, 0, 0))
handle.joint("weld 2", grip, stem, ph.Fixed(), at=(between * m_bar / total, 0, 0))

# Derive: Euler's equations; in the mass centre, rotation and translation do not mix.
equations = handle.derive()
M = ph.normal(equations.mass_matrix)
for place, axis in enumerate("xyz"):
    print(f"moment of inertia about {axis}:", M[place, place])
moments = np.diag(equations.compile().mass_matrix([1, 0, 0, 0, 0, 0, 0]))[:3]
print("in kg m²:", moments, " the stem's is the one in the middle")

# Simulate: ten radians a second about the stem, and a touch of something else.
speeds = {"flight_wx": 10, "flight_wy": 0.01, "flight_wz": 0.01}
tumble = equations.simulate(12, speeds=speeds, rtol=1e-11, atol=1e-11)
_, rotation = tumble.pose("stem")
stem_along_x = rotation[:, 0, 0]  # cosine of the angle between the stem and where it pointed
flips = np.count_nonzero(np.diff(np.sign(stem_along_x)))

# Look.
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
tumble.animate(out / "03_t_handle.html", notes="No force acts; the spin about the stem is not stable.")
tumble.plot(out / "03_t_handle.png")

spin, _ = tumble.momentum
drift = np.abs(spin - spin[0]).max() / np.linalg.norm(spin[0])
print(f"{flips} flips in {tumble.t[-1]:g} s; angular momentum drifts by {drift:.1e}")
assert flips > 1 and drift < 1e-9, "it turns over, and its angular momentum stays in size and direction"
