"""A hanging chain swings in Bernoulli's modes; damping, feedback and a large swing change them.

Run: python examples/46_modes.py [folder for the pictures]
"""

import sys
from pathlib import Path

import numpy as np
from numpy.polynomial.laguerre import lagroots

import polhode as ph

# Describe: four equal bobs on four equal threads, damped in their joints; a motor turns the first thread.
N, G = 4, 9.81
chain = ph.System("hanging chain", gravity=(0, 0, "-9.81"))
l, c = chain.parameter("l", 0.4, "m"), chain.parameter("c", 0, "N m s")
before, at = chain.ground, (0, 0, 0)
for k in range(1, N + 1):
    bob = chain.body(f"bob {k}", 0.5, com=(0, 0, -l))
    hinge = chain.joint(f"a{k}", before, bob, ph.Revolute("y"), at=at)
    chain.joint_force(hinge, -c * hinge.u[0])
    before, at = bob, (0, 0, -l)
drive = chain.input("drive", unit="N m")
chain.joint_force("a1", drive)

# Derive: small motions about hanging still, as graphs of l and c.
equations = chain.derive()
small = equations.linearize()
modes = small.modes()
for mode in modes:
    shape = ", ".join(f"{mode.shape[f'a{k}'].real:+.2f}" for k in range(1, N + 1))
    print(f"{mode.frequency:.4f} Hz  ({shape})")

# Exact derivatives: a longer chain swings slower, ∂ω/∂l = -ω / 2l in every mode.
by_length = small.eigenvalue_derivatives(["l", "c"])
swings = by_length.eigenvalues.imag > 0
ratio = (by_length["l"] / by_length.eigenvalues).real[swings]
print(f"∂ω/∂l = ω · {ratio.round(12)}; ∂λ/∂c = {by_length['c'].real[swings].round(3)}")

# What the motor does to the lowest bob, as polynomials in s whose coefficients are graphs of l and c.
tip = small.with_ports(outputs={"tip": equations.pose(f"bob {N}").p[0] - l * ph.sin(sum(equations.q))})
response = tip.transfer_function("drive", "tip")
print(f"{response}: relative degree {response.relative_degree}, {response(0).real:.5f} m for each N m that holds")

# Simulate: the fastest mode by the full equations, then a large swing and the linear equations along it.
print(modes[3].trajectory().info["mode"]["message"])
large = equations.simulate(4, start={"a1": 1.2})
along = equations.linearize_along(large)
print(f"along the large swing: A is {along.A.shape}; K of the first joint from {along.A[:, N, 0].min():.1f} "
      f"to {along.A[:, N, 0].max():.1f} 1/s²")  # fmt: skip

# Look: modes as pages, eigenvalues over damping, poles with the motor fed back by the first joint's speed.
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
modes[0].animate(out / "46_modes.html")
modes[2].animate(out / "46_third_mode.html")
small.eigenvalues_along("c", np.linspace(0, 0.3, 61)).plot(out / "46_modes.png")
small.root_locus("drive", "a1'", np.linspace(0, 5, 101)).plot(out / "46_root_locus.png")

# Daniel Bernoulli (1732): ω² l / g are the zeros of the Laguerre polynomial of degree N.
expected = np.sqrt(lagroots([0] * N + [1]) * G / 0.4) / (2 * np.pi)
found = np.array([mode.frequency for mode in modes])
print(f"Bernoulli's frequencies to {np.abs(found / expected - 1).max():.0e}")
assert np.allclose(found, expected, rtol=1e-12) and np.allclose(ratio, -1 / (2 * 0.4)), "L_N(ω² l / g) = 0"
