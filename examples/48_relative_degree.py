"""An aircraft that is held exactly in place tumbles: relative degrees, zero dynamics, and an output without them.

J. Hauser, S. Sastry and G. Meyer (1992): wing-tip jets that roll a jump jet push it sideways too, by a small ε.

Run: python examples/48_relative_degree.py [folder for the pictures]
"""

import sys
from pathlib import Path

import numpy as np

import polhode as ph


# Describe: a body in a vertical plane, with a thrust along its own y and a roll that pushes it sideways.
def aircraft(thrust=None, roll=None):
    s = ph.System("planar VTOL", gravity=(0, "-9.81", 0))
    epsilon = s.parameter("epsilon", 0.5)
    T, R = (s.input(name, value) for name, value in (("thrust", 9.81), ("roll", 0)))
    T, R = (T if thrust is None else thrust), (R if roll is None else roll)
    craft = s.body("craft", 1, inertia=(1, 1, 1), shapes=ph.Shape("box", (1.2, 0.1, 0.3)))
    s.joint("pose", s.ground, craft, ph.Planar(), coordinates=["theta", "x", "y"], speeds=["omega", "vx", "vy"])
    s.force(craft, (epsilon * R, T, 0), frame=craft)
    s.torque(craft, (0, 0, R))
    return s


# Derive: how often x and y must be differentiated until the inputs appear, and what moves while both are held.
system = aircraft()
equations = system.derive()
theta, x, y = equations.q
place = equations.relative_degree([x, y])
held = equations.zero_dynamics([x, y])
print(equations.controllability())
print("x and y:", place)
print("while they are held:", held, sep="\n")

# Another output has nothing left: the centre of oscillation, as Huygens' pendulum has one.
epsilon = system.parameters["epsilon"].symbol
print("x - eps sin(theta), y + eps cos(theta):", end=" ")
print(equations.is_flat_output([x - epsilon * ph.sin(theta), y + epsilon * ph.cos(theta)]))

# Control: y^(2) = b + A c is made -2 k y' - k^2 y, which brings x and y to rest at zero.
k = 3
(a, b), (c, d) = place.decoupling
wanted = [-2 * k * rate - k * k * value - drift for (value, rate), drift in zip(place.chain, place.drift, strict=True)]
det = a * d - b * c
thrust, roll = (d * wanted[0] - b * wanted[1]) / det, (a * wanted[1] - c * wanted[0]) / det

# Simulate: it starts in place, but a hundredth of a radian off level.
run = aircraft(thrust, roll).derive().simulate(2, start={"theta": 0.01}, rtol=1e-10, atol=1e-12)

# Look.
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
run.animate(out / "48_relative_degree.html", notes="Held exactly in place, and tumbling.")
run.plot(out / "48_relative_degree.png")

off = max(np.abs(run["x"]).max(), np.abs(run["y"]).max())
energy = 0.5 * run.speed("omega") ** 2 / 2 + 9.81 * np.cos(run["theta"])  # of eps theta'' = g sin(theta)
print(f"off its place by {off:.1e} m at most, turned by {run['theta'][-1]:.2f} rad")
assert off < 1e-6 and np.ptp(energy) < 1e-6 and run["theta"][-1] > 1, "held in place, it is an inverted pendulum"
