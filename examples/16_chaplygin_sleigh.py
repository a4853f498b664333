"""A sleigh pushed backwards turns round by itself and glides away blade first, losing no energy on the way.

Run: python examples/16_chaplygin_sleigh.py [folder for the pictures]
"""

import sys
from pathlib import Path

import numpy as np

import polhode as ph

# Describe: a plate on ice with a blade that cannot move sideways; the mass centre lies a distance a ahead of the blade.
# No force acts but that of the blade, which does no work.
sleigh = ph.System("Chaplygin's sleigh", gravity=(0, 0, 0))
m, a, I = sleigh.parameter("m", 3, unit="kg"), sleigh.parameter("a", 0.2, unit="m"), sleigh.parameter("I", 0.5)
drawn = [ph.Shape("box", (0.7, 0.3, 0.04), (a, 0, 0.06)), ph.Shape("box", (0.2, 0.02, 0.1), (0, 0, 0.05))]
plate = sleigh.body("plate", m, com=(a, 0, 0), inertia=(I, I, I), shapes=drawn)
sleigh.joint("ice", sleigh.ground, plate, ph.Planar(), coordinates=["angle", "x", "y"], speeds=["w", "v", "side"])
sleigh.knife_edge("blade", plate)

# Derive: two speeds are free, the turn w and the advance v; the textbook's two equations.
equations = sleigh.derive(independent=["w", "v"])
print("M    =", ph.normal(equations.mass_matrix))
print("bias =", ph.normal(equations.bias))

# Simulate: pushed backwards, with the least turn. Theory: v = V tanh(κ (t - t₀)), ω = (V/b) / cosh(κ (t - t₀)).
V, start = 1.5, 2.0
b = np.sqrt((0.5 + 3 * 0.2**2) / 3)
rate = 0.2 * V / b**2
pushed = {"v": -V * np.tanh(rate * start), "w": V / b / np.cosh(rate * start)}
run = equations.simulate(6, speeds=pushed, rtol=1e-11, atol=1e-12)
print(f"ahead {run.speed('v')[0]:.3f} m/s at first, {run.speed('v')[-1]:.3f} m/s in the end")
print(f"energy drift {run.energy_drift:.0e}")

# Look.
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
run.animate(out / "16_chaplygin_sleigh.html", notes="Pushed backwards, it turns round: the mass wants to be ahead.")
run.plot(out / "16_chaplygin_sleigh.png")

turned = run["angle"][-1] - run["angle"][0]
phase = rate * (run.t[[0, -1]] - start)
expected = 2 * b / 0.2 * np.diff(np.arctan(np.exp(phase)))[0]  # the integral of ω
print(f"turned by {turned:.9f} rad; theory: {expected:.9f} rad")
assert abs(turned - expected) < 1e-8, "the turn is Chaplygin's, by his closed form"
