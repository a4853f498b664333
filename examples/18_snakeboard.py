"""A snakeboard drives itself ahead by twisting: each stroke gains 2π J B ω J₁(A)/(m l), a Bessel function.

Run: python examples/18_snakeboard.py [folder for the pictures]
"""

import sys
from pathlib import Path

import numpy as np
from scipy.special import j1

import polhode as ph

# Describe: a board on two trucks that steer against each other, and a rotor, the rider's twisting body. Wheels do not
# slip sideways. Truck and rotor angles are given in time, in step: A sin ωt and B sin ωt.
board = ph.System("snakeboard", gravity=(0, 0, 0))
m, l, J, J_w = (board.parameter(name, value) for name, value in (("m", 6), ("l", 0.2), ("J", 0.05), ("J_w", 0.01)))
A, B, pace = (board.parameter(name, value) for name, value in (("A", 0.7), ("B", 1.2), ("pace", 6)))
deck = ph.Shape("box", (2 * l, 0.08, 0.02), (0, 0, 0.09))
wheels = [ph.Shape("cylinder", (0.03, 0.02), (0, side, 0.03), ("x", ph.pi / 2)) for side in (0.08, -0.08)]
axle = ph.Shape("cylinder", (0.008, 0.16), (0, 0, 0.03), ("x", ph.pi / 2))
plank = board.body("board", m, inertia=(0, 0, m * l**2 - J - 2 * J_w), shapes=deck)
rider = board.body("rider", 0, inertia=(0, 0, J), shapes=ph.Shape("box", (0.06, 0.36, 0.05), (0, 0, 0.16)))
front, back = (board.body(name, 0, inertia=(0, 0, J_w), shapes=[*wheels, axle]) for name in ("front", "back"))
board.joint("plane", board.ground, plank, ph.Planar(), coordinates=["heading", "x", "y"], speeds=["w", "v", "side"])
board.joint("twist", plank, rider, ph.Revolute("z"))
board.joint("steer", plank, front, ph.Revolute("z"), at=(l, 0, 0))
board.joint("steer back", plank, back, ph.Revolute("z"), at=(-l, 0, 0))
board.couple("steer back", "steer", -1)
board.prescribe("steer", A * ph.sin(pace * board.time))
board.prescribe("twist", B * ph.sin(pace * board.time))
board.knife_edge("front wheels", front)
board.knife_edge("back wheels", back)

# Derive: three speeds, two of them bound by the wheels; only the advance v is left.
equations = board.derive(independent=["v"])
print("sideways, front:", "0 =", ph.normal(equations.constraints.rates)[0])
print("M =", ph.normal(equations.mass_matrix))

# Simulate four strokes from rest, and look how fast it is after each.
strokes = 4
period = 2 * np.pi / 6
run = equations.simulate(strokes * period, samples=strokes * 200 + 1, rtol=1e-11, atol=1e-12)
after = run.speed("v")[::200]
print("speed after each stroke:", np.round(after, 6), "m/s; it has gone", round(float(run["x"][-1]), 3), "m")

# Look.
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
run.animate(out / "18_snakeboard.html", notes="Nobody pushes: steering and twisting in step drive it ahead.")
run.plot(out / "18_snakeboard.png")

gain = 2 * np.pi * 0.05 * 1.2 * 6 * j1(0.7) / (6 * 0.2)
print(f"gain of a stroke: {after[1]:.9f} m/s; 2π J B ω J₁(A)/(m l) = {gain:.9f} m/s")
assert np.allclose(np.diff(after), gain, rtol=1e-7), "each stroke gains what the momentum equation says"
