"""A pole that hangs from a cart is swung up with the least effort, and kept on its way against a disturbance.

Run: python examples/60_cart_pole_swing_up.py [folder for the pictures]
"""

import sys
from math import pi
from pathlib import Path

import numpy as np
from scipy.integrate import simpson

import polhode as ph

# Describe: a cart on a rail of four metres, a pole on it, and an input: the force that pushes the cart.
s = ph.System("cart and pole", gravity=(0, 0, "-9.81"))
M, m, l = s.parameter("M", 1, "kg"), s.parameter("m", "0.2", "kg"), s.parameter("l", "0.5", "m")
cart = s.body("cart", M, shapes=ph.Shape("box", (0.3, 0.2, 0.1)))
rail = s.joint("x", s.ground, cart, ph.Prismatic("x"), limits=(-2, 2), speeds=["v"])
s.joint("theta", cart, s.body("pole", m, com=(0, 0, l)), ph.Revolute("y"), speeds=["w"])
push = s.input("push", 0, "N")
s.joint_force(rail, push)

# Derive: the problem has accelerations as variables, and the equations of motion as constraints.
e = s.derive()
print("M    =", ph.normal(e.mass_matrix))
print("bias =", ph.normal(e.bias))
problem = e.collocation(
    2, start={"theta": pi}, end={"x": 1, "theta": 0, "v": 0, "w": 0}, cost=push**2, limits={"push": 20}, nodes=60
)
print(problem)

# Solve: in parabolas between nodes, and on a mesh twice as fine from there.
best = problem.solve()
finer = problem.with_nodes(119).solve(guess=best)
print(best)
print(finer)
off = [each.deviation.largest for each in (best, finer)]
print(f"under these pushes alone the plant is off by {off[0]:.1e} with 60 nodes, by {off[1]:.1e} with 119")

# Simulate with a cart that is heavier, following the reference: a linear regulator about the motion.
small = e.linearize_along(finer.trajectory, inputs=["push"])
A, B = small.A, small.B
P = np.diag([100.0, 100.0, 10.0, 10.0])
gains = np.zeros((len(small.A), 4))
for k in range(len(gains) - 1, 0, -1):  # Riccati's equation backwards, in steps short against the motion
    h = (finer.t[k] - finer.t[k - 1]) / 10
    for _ in range(10):
        K = B[k].T @ P
        P = P + h * (A[k].T @ P + P @ A[k] - K.T @ K + np.diag([10, 10, 1, 1]))
    gains[k - 1] = (B[k - 1].T @ P)[0]


def tracking(t, q, u):
    k = min(np.searchsorted(finer.t, t), len(gains) - 1)
    push, *wanted = (finer.reference[name](t) for name in ("push", "x", "theta", "v", "w"))
    return {"push": push + gains[k] @ (np.array(wanted) - [*q, *u])}


run = e.simulate(2, start={"theta": pi}, inputs=tracking, parameters={"M": 1.05}, samples=100, rtol=1e-6, atol=1e-6)
print(f"with a cart that is 5 % heavier the pole ends {abs(run['theta'][-1]):.3f} rad from standing")

# Look.
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
best.animate(out / "60_cart_pole_swing_up.html", notes="The least effort that brings the pole up in two seconds.")
best.plot(out / "60_cart_pole_swing_up.png")

work = simpson(finer["push"] * finer["v"], x=finer.t)
print(f"work of the push {work:.5f} J, raised the pole by {0.2 * 9.81 * 1.0:.5f} J")
assert abs(work - 0.2 * 9.81 * 1.0) < 1e-4 and abs(run["theta"][-1]) < 0.1, "the work done is the height gained"
