"""A cart balances its pole by linear-quadratic regulation, against a load that it does not know of.

Run: python examples/56_lqr_cart_pole.py [folder for the pictures]
"""

import sys
from pathlib import Path

import numpy as np

import polhode as ph
from polhode.control import LQR
from polhode.view.plot import plot_channels, save_plot

# Describe: a cart, a pole on it, a motor that pushes the cart, and a load that pushes it back.
s = ph.System("cart and pole", gravity=(0, 0, "-9.81"))
M, m, l = s.parameter("M", 1, "kg"), s.parameter("m", "0.2", "kg"), s.parameter("l", "0.5", "m")
load = s.parameter("load", 0, "N")
cart = s.joint("x", s.ground, s.body("cart", M), ph.Prismatic("x"))
s.joint("theta", "cart", s.body("pole", m, com=(0, 0, l)), ph.Revolute("y"))
s.joint_force(cart, s.input("F", 0, "N") - load)

# Derive: small motions about standing upright, exactly, and the gains for them.
equations = s.derive()
upright = equations.linearize()
weights = {"x": 1, "theta": 1}
plain = LQR(upright, Q=weights, R=0.1)
patient = LQR(upright, Q=weights, R=0.1, integral={"x": 1})
print(f"falls with {upright.eigenvalues()[0].real:.2f} 1/s; K = {plain.K.round(2).tolist()}")
print(f"poles of the loop: {plain.poles.round(2).tolist()}")

# Simulate: pushed by a constant load; the controllers know of none. Then sampled, as on a processor.
options = {"start": {"theta": 0.3}, "parameters": {"load": 1.0}}
off = equations.simulate(20, controller=plain, **options)
home = equations.simulate(20, controller=patient, **options)
print(f"load of 1 N: {off['x'][-1]:+.3f} m away without, {home['x'][-1]:+.4f} m with the integral")
sampled = LQR(upright, Q=weights, R=0.1, sample_time=0.05)
slow = equations.simulate(10, controller=sampled, start={"theta": 0.3})
print(f"sampled every 50 ms: {len(slow.controller.times)} calls, theta {slow['theta'][-1]:+.1e} at the end")

# Look: the motion as a page, what the integral is worth, and the law as C.
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
home.animate(out / "56_lqr_cart_pole.html")
panels = [
    ("Cart", "m", {"without": off["x"], "with the integral": home["x"]}),
    ("Pole", "rad", {"without": off["theta"], "with the integral": home["theta"]}),
]
save_plot(
    plot_channels(home.t, panels, "Pushed by 1 N that the regulator does not know of"), out / "56_lqr_cart_pole.png"
)
patient.export("c", out / "56_lqr_cart_pole")

# The least cost from a state is xᵀP x: that of a small motion of the full equations, integrated.
small = equations.simulate(20, controller=plain, start={"theta": 1e-3}, samples=8001)
c = -small.x @ plain.K[0]
spent = np.trapezoid(small["x"] ** 2 + small["theta"] ** 2 + 0.1 * c**2, small.t)
assert abs(spent / (1e-6 * plain.P[1, 1]) - 1) < 1e-4, "∫ (xᵀQ x + cᵀR c) dt = xᵀP x"
