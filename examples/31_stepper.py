"""A loop of one's own: 2,000 cart-pendulums at once, each balanced by the same digital controller.

Run: python examples/31_stepper.py [folder for the pictures]
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from scipy.linalg import solve_continuous_are

import polhode as ph

# Describe: a cart on a rail with a motor, and a rod that stands up on it.
cart = ph.System("cart and rod")
rail = cart.joint("x", cart.ground, cart.body("cart", 1.0), ph.Prismatic("x"), speeds=["v"])
rod = cart.body("rod", 0.2, (0, 0, 0.5), (0.02, 0.02, 0.001))
cart.joint("tilt", "cart", rod, ph.Revolute("y"), speeds=["rate"])

# Derive, and design the linear quadratic regulator about the upright pose.
equations = cart.derive()
f = equations.compile()
by_q, by_u, by_tau = f.forward_dynamics_derivatives([0, 0], [0, 0])
A = np.block([[np.zeros((2, 2)), np.eye(2)], [by_q, by_u]])
B = np.vstack([np.zeros((2, 1)), by_tau[:, :1]])
K = (B.T @ solve_continuous_are(A, B, np.diag([1, 10, 1, 1]), np.eye(1)))[0]
print("force on the cart = -K (x, tilt, v, rate), K =", np.round(K, 2))


def force(q, u):
    """The controller, of one state or many; the motor gives up to 20 N."""
    return np.clip(-(K[0] * q[..., 0] + K[1] * q[..., 1] + K[2] * u[..., 0] + K[3] * u[..., 1]), -20, 20)


# Simulate: every member begins with another tilt and rate; the force is held for 10 ms.
N, dt = 2000, 0.01
rng = np.random.default_rng(0)
start = np.column_stack([np.zeros(N), rng.uniform(-1.5, 1.5, N)])
speeds = np.column_stack([np.zeros(N), rng.uniform(-6, 6, N)])
st = equations.stepper(batch=N, start=start, speeds=speeds, dt=dt, method="rk4", substeps=2)
tau = np.zeros((N, 2))
for _ in range(800):
    tau[:, 0] = force(*st.state)
    st.step(tau=tau)
caught = (np.abs(st.q[:, 1]) < 0.05) & (np.abs(st.u[:, 1]) < 0.05)
print(f"{caught.sum()} of {N} rods stand after {st.t[0]:g} s; {st.failed.sum()} runs failed")

# One member alone goes the same way, bit for bit.
one = equations.stepper(start=start[7], speeds=speeds[7], dt=dt, method="rk4", substeps=2)
for _ in range(800):
    one.step(tau=np.array([force(*one.state), 0]))

# Look.
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
plt.scatter(start[:, 1], speeds[:, 1], c=np.where(caught, "tab:green", "tab:red"), s=4)
plt.xlabel("tilt at the start [rad]")
plt.ylabel("rate at the start [rad/s]")
plt.title("green: caught by the controller")
plt.savefig(out / "31_stepper.png", dpi=120)
held = ph.held(lambda t, q, u: [force(q, u), 0], every=dt)
run = equations.simulate(5, start=(start[caught][0], speeds[caught][0]), tau=held)
run.animate(out / "31_stepper.html", notes="A rod that the controller catches.")

gentle = (np.abs(start[:, 1]) < 0.3) & (np.abs(speeds[:, 1]) < 0.5)
assert caught[gentle].all() and not caught.all(), "it catches small disturbances, and not all"
assert np.array_equal(one.q, st.q[7]), "a member moves as it does alone"
