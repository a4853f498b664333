"""A pole is balanced on a cart; what energy the mechanism gains is the work of the pushing force.

Run: python examples/05_cart_pendulum.py [folder for the pictures]
"""

import sys
from pathlib import Path

import numpy as np
from scipy.integrate import simpson
from scipy.linalg import solve_continuous_are

import polhode as ph

# Describe: a cart on a rail, a pole standing on it, and an input: the force that pushes the cart.
cart_pole = ph.System("cart and pole")
M, m, l = (cart_pole.parameter(name, value) for name, value in (("M", 1), ("m", 0.2), ("l", 0.6)))
push = cart_pole.input("push", unit="N")

cart = cart_pole.body("cart", mass=M, shapes=ph.Shape("box", (0.3, 0.2, 0.1)))
pole = cart_pole.body("pole", mass=m, com=(0, 0, l / 2), inertia=ph.rod(m, l))
rail = cart_pole.joint("rail", cart_pole.ground, cart, ph.Prismatic("x"), coordinates=["x"], speeds=["v"])
cart_pole.joint("pivot", cart, pole, ph.Revolute("y"), coordinates=["tilt"], speeds=["rate"])
cart_pole.joint_force(rail, push)

# Derive: the input is part of the bias.
equations = cart_pole.derive()
print("M    =", ph.normal(equations.mass_matrix))
print("bias =", ph.normal(equations.bias))

# Linearise about upright with exact derivatives, and make a regulator from the Riccati equation.
functions = equations.compile()
by_q, by_u, by_effort = functions.forward_dynamics_derivatives([0, 0], [0, 0], [0, 0])
A = np.block([[np.zeros((2, 2)), np.eye(2)], [by_q, by_u]])
B = np.vstack([np.zeros((2, 1)), by_effort[:, :1]])  # the push acts as an effort on v
gain = B.T @ solve_continuous_are(A, B, np.diag([5, 20, 1, 1]), np.eye(1))
print("poles, alone:  ", np.round(np.linalg.eigvals(A), 3))
print("poles, guarded:", np.round(np.linalg.eigvals(A - B @ gain), 3))


# Simulate the full equations, from a lean of 0.4 rad.
def regulator(t, q, u):
    return {"push": -gain[0] @ [*q, *u]}


run = equations.simulate(6, start={"tilt": 0.4}, inputs=regulator, rate=500, functions=functions)

# Look.
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
run.animate(out / "05_cart_pendulum.html", notes="A linear regulator brings the pole upright.")
run.plot(out / "05_cart_pendulum.png")
ph.report(out / "05_cart_pendulum_report.html", equations, run, equations.linearize())

work = simpson(run.inputs[:, 0] * run.speed("v"), x=run.t)
gained = run.energy.total[-1] - run.energy.total[0]
print(f"work of the push {work:.9f} J, energy gained {gained:.9f} J, tilt at the end {run['tilt'][-1]:.1e} rad")
assert abs(work - gained) < 1e-8, "the energy gained is the work done"
