"""A joint is its map: X, Γ and H of a shoulder, and a controller whose proof needs the right Coriolis matrix.

Run: python examples/44_joint_functions.py [folder for the pictures]
"""

import sys
from pathlib import Path

import numpy as np
from scipy.integrate import simpson

import polhode as ph

# Describe: the shoulder and elbow of Kwatny and Blankenship's arm, columns from the child to the parent.
s = ph.System("arm", gravity=(0, 0, "-9.81"))
l, m = s.parameter("l", 0.6, unit="m"), s.parameter("m", 2, unit="kg")
axes = ph.JointMap([[0, 0], [1, 0], [0, 1], [0, 0], [0, 0], [0, 0]], groups=(1, 1))
bar = ph.Shape("cylinder", (0.04, 0.6), (0, 0, 0.3))
upper, lower = (
    s.body(name, m, com=(0, 0, l / 2), inertia=ph.cylinder(m, "0.05", l), shapes=bar) for name in ("upper", "lower")
)
shoulder = s.joint("shoulder", s.ground, upper, axes, coordinates=["s1", "s2"], speeds=["w1", "w2"])
s.joint("e", upper, lower, ph.Revolute("y"), at=(0, 0, l), speeds=["w3"])

joint = ph.joint_kinematics(shoulder)
print("the shoulder: X =", joint.X.R, "\n  H =", joint.H, "\n  q' =", joint.coordinate_rates)
long = ph.joint_kinematics((0, 0, l, 0, 1, 0), coordinates=["q"])
print("a turn about an axis of length l, sliding sideways:", long.X.p)

# Derive: M' - 2C is skew for one C, not for every matrix with the same C u.
e = s.derive()
M, t = e.mass_matrix, s.time
matrices = {"C": e.coriolis_matrix, "(53b)": e.poincare_form.C}
print("C =", ph.normal(matrices["C"]))
assert matrices["C"] @ e.u == matrices["(53b)"] @ e.u

# Simulate: Slotine's and Li's law τ = M a + C v + gravity - K σ with σ = u - v; d/dt ½ σ·M σ = -σ·K σ.
programme = ph.Vector([1 + ph.sin(t) / 3, 2 * ph.cos(t / 2), 1 + ph.sin(2 * t) / 2])
rates = ph.Vector([ph.cos(t) / 3, -ph.sin(t / 2), ph.cos(2 * t)])
second = ph.Vector([-ph.sin(t) / 3, -ph.cos(t / 2) / 2, -2 * ph.sin(2 * t)])
v, a = rates - (e.q - programme) * 3, second - (e.u - rates) * 3
sigma = e.u - v
runs, gaps = {}, {}
for name, C in matrices.items():
    law = M @ a + C @ v + e.velocity_terms.gravity - sigma * 2
    run = e.simulate(
        4,
        start={"s1": 0.5, "s2": 1.5, "e": 0.5},
        tau=dict(zip(e.speeds, law, strict=True)),
        samples=801,
        rtol=1e-10,
        atol=1e-12,
    )
    store, loss = run.values(sigma.dot(M @ sigma) / 2, 2 * sigma.dot(sigma))
    gaps[name] = abs(store[-1] - store[0] + simpson(loss, x=run.t)) / store[0]
    runs[name] = run
    print(
        f"with {name}: ½ σ·Mσ falls from {store[0]:.3f} to {store[-1]:.1e}; what K took is missed by {gaps[name]:.0e}"
    )

# Look.
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
runs["C"].animate(out / "44_joint_functions.html", notes="The arm comes to its programme, and stays on it.")
runs["C"].plot(out / "44_joint_functions.png")

gap = np.abs(runs["C"].q[-1] - [1 + np.sin(4) / 3, 2 * np.cos(2), 1 + np.sin(8) / 2]).max()
print(f"the arm ends {gap:.0e} rad from its programme")
assert gaps["C"] < 1e-5 < 1e-2 < gaps["(53b)"], "the proof of the controller holds where M' - 2C is skew"
