"""A satellite that sees two stars estimates how it is turned and how it spins, and points itself by that.

Run: python examples/57_ekf.py [folder for the pictures]
"""

import sys
from pathlib import Path

import numpy as np

import polhode as ph
from polhode.control import EKF, LQR, Observed
from polhode.view.plot import plot_channels, save_plot

# Describe: a rigid body in space with a wheel about each axis; it measures the directions of two stars.
s = ph.System("satellite", gravity=(0, 0, 0))
look = [ph.Shape("box", (0.4, 0.5, 0.6)), ph.Shape("box", (1.8, 0.3, 0.02), color="#0077bb")]
hull = s.body("hull", 20, inertia=(3, 2, 1), shapes=look)
s.joint("hull", s.ground, hull, ph.Spherical())

# Derive: the directions in the body's components are rows of the rotation matrix.
equations = s.derive()
R = equations.pose("hull").R
stars = {f"{name}{k}": R[row][i] for name, row in (("a", 0), ("b", 2)) for i, k in enumerate("xyz")}
filter = EKF(equations, stars, sample_time=0.1, process_noise=1e-7, measurement_noise=1e-4, covariance=0.1)
print(filter)
print("covariance of", ", ".join(filter.states))

# Simulate: tumbling freely, with noise on every direction, and the filter along the record.
half = 0.3
start = {"hull_e0": float(np.cos(half)), "hull_e1": float(np.sin(half))}
tumble = equations.simulate(30, start=start, speeds={"hull_wx": 0.1, "hull_wy": 0.3, "hull_wz": 0.1}, samples=301)
rng = np.random.default_rng(4)
seen = tumble.values(*stars.values()).T + rng.normal(0, 0.01, (301, 6))
found = filter.filter(tumble, seen)
turned = 2 * np.arccos(np.minimum(1, np.abs((found.x[:, :4] * tumble.q).sum(axis=1))))
print(f"off by {np.degrees(turned[0]):.1f}° at first, {np.degrees(turned[-100:]).max():.2f}° later")
print(f"spin to {np.abs(found.x[-100:, 4:] - tumble.u[-100:]).max():.1e} rad/s")

# Then in a loop: a regulator that knows nothing but what the filter estimates brings it home.
pointing = Observed(LQR(equations.linearize(), Q=1, R=4, sample_time=0.1), filter)
noise = {f"y_{name}": 0.01 for name in stars}
home = equations.simulate(40, controller=pointing, start=start, speeds={"hull_wy": 0.1}, noise=noise, seed=2)
print(f"pointed: {np.degrees(2 * np.arccos(min(1, abs(home.q[-1, 0])))):.2f}° off at the end")

# Look: the motion as a page, and the whole controller, filter and regulator, as one C function.
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
home.animate(out / "57_ekf.html")
spins = {
    f"{name}, {kind}": x[:, k]
    for kind, x in (("true", tumble.u), ("estimated", found.x[:, 4:]))
    for k, name in enumerate("xyz")
}
panels = [("Attitude error", "°", {"estimated": np.degrees(turned)}), ("Spin", "rad/s", spins)]
save_plot(plot_channels(tumble.t, panels, "What the filter makes of two noisy stars"), out / "57_ekf.png")
pointing.export("c", out / "57_ekf")

# Noise was as it was said to be: νᵀS⁻¹ν is as large on average as there are directions.
share = found.normalised_innovations[50:].mean() / len(stars)
print(f"innovations as expected to {abs(share - 1):.0%}")
assert abs(share - 1) < 0.15 and np.degrees(turned[-100:]).max() < 1.0, "the filter is consistent, and right"
