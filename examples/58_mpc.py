"""A weak motor balances a pole: predictive control knows the limits, a clipped regulator falls over.

Run: python examples/58_mpc.py [folder for the pictures]
"""

import sys
from pathlib import Path

import numpy as np

from polhode.control import LQR, LinearMPC, RealTimeIteration
from polhode.model.samples.underactuated import cart_pole
from polhode.view.plot import plot_channels, save_plot

# Describe: a pole on a cart, whose motor pushes with at most 3 N.
system = cart_pole()
LIMITS = {"F": 3.0}

# Derive: small motions about upright, and plans over twelve samples with the limits in them.
equations = system.derive()
upright = equations.linearize()
weights = {"Q": {"x": 1, "theta": 1}, "R": 0.1, "sample_time": 0.05}
mpc = LinearMPC(upright, horizon=12, limits=LIMITS, iterations=7, **weights)
print(f"{len(mpc.H)} inputs are planned at each sample; the law has no branches and no memory")

# Simulate: begun 0.23 rad aside. What the plan costs above the least is bounded, sample by sample.
start = {"theta": 0.23}
kept = equations.simulate(8, controller=mpc, start=start)
log = kept.controller
print(f"predictive: F from {log['F'].min():.2f} to {log['F'].max():.2f} N, theta {kept['theta'][-1]:+.1e} at the end")
print(f"its plans were the least there are to {log['optimality gap'].max():.0e}")
clipped = equations.simulate(8, controller=LQR(upright, **weights), start=start, limits=LIMITS)
print(f"a clipped regulator: theta {np.abs(clipped['theta']).max():.0f} rad, it fell and turns over")

# From far below no linear plan helps; one with the nonlinear equations, a Newton step a sample, swings up again.
swing = RealTimeIteration(equations, horizon=12, limits={"F": 8.0}, **weights)
back = equations.simulate(12, controller=swing, start={"theta": 0.9})
print(f"fallen to {np.abs(back['theta']).max():.1f} rad and brought back to {back['theta'][-1]:+.3f}")

# Look: the swing as a page, and the first two seconds of both regulators.
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
back.animate(out / "58_mpc.html")
soon, runs = kept.t <= 2, {"predictive": kept, "clipped regulator": clipped}
panels = [(title, unit, {name: run[what][soon] for name, run in runs.items()})
          for title, unit, what in (("Pole", "rad", "theta"), ("Cart", "m", "x"))]  # fmt: skip
save_plot(plot_channels(kept.t[soon], panels, "A pole and a motor of 3 N"), out / "58_mpc.png")

# Where no limit acts, the first of the planned inputs is the regulator's.
x = np.array([0.01, 0.02, 0.0, -0.03])
assert np.allclose(mpc.solve(x)[0], -LQR(upright, **weights).K @ x), "the horizon ends in the regulator's cost"
stands = abs(kept["theta"][-1]) < 0.01 and np.abs(clipped["theta"]).max() > 3
assert np.abs(log["F"]).max() <= 3.0 and stands, "limits are kept, and the pole stands"
