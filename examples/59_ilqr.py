"""A motion of least effort swings a pole up; the law about it brings disturbed runs to the same end.

Run: python examples/59_ilqr.py [folder for the pictures]
"""

import sys
from pathlib import Path

import numpy as np

import polhode as ph
from polhode.control import iLQR
from polhode.model.samples.underactuated import cart_pole
from polhode.view.plot import plot_channels, save_plot

# Describe: a pole that hangs from its cart, and what is least: effort on the way, distance from upright at the end.
equations = cart_pole().derive()
(x, theta), (v, w) = equations.q, equations.u
force = equations.system.inputs["F"].symbol
effort = force**2 / 100
end = 100 * theta**2 + 10 * w**2 + 20 * x**2 + 10 * v**2
print(f"least: ∫ {effort} dt + {end}")

# Derive: steps and costs with exact derivatives, compiled; forty samples, from a rough guess.
hanging = {"theta": float(np.pi)}
rough = 3 * np.sin(np.arange(40) * 0.15)
free = iLQR(equations, effort, end, duration=1.6, sample_time=0.04, start=hanging, guess=rough, tolerance=1e-5)
print(f"{len(free.costs)} iterations: {free.costs[0]:.0f} to {free.cost:.3f}, at most {np.abs(free.c).max():.1f} N")
weak = iLQR(
    equations, effort, end, duration=2.4, sample_time=0.04, start=hanging, limits={"F": 9},
    guess=np.resize(rough, 60), tolerance=1e-4,
)  # fmt: skip
print(f"within 9 N in 2.4 s: theta {weak.x[-1, 1]:+.3f} at the end, at most {np.abs(weak.c).max():.2f} N")

# Simulate: begun somewhat aside, with the law and with the planned inputs alone.
aside = {"theta": float(np.pi) - 0.05}
led = equations.simulate(1.6, controller=free, start=aside)
alone = equations.simulate(1.6, start=aside, inputs={"F": ph.sampled(free.t[:-1], free.c[:, 0], kind="held")})
print(f"begun 0.05 rad aside: theta {led['theta'][-1]:+.3f} with the law, {alone['theta'][-1]:+.3f} without")

# Look: the swing as a page, and what the law is worth.
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
led.animate(out / "59_ilqr.html")
short = {"with the law": led, "planned inputs alone": alone}
panels = [(title, unit, {name: run.at(free.t)[what] - free.x[:, k] for name, run in short.items()})
          for k, (title, unit, what) in enumerate((("Cart", "m", "x"), ("Pole", "rad", "theta")))]  # fmt: skip
save_plot(plot_channels(free.t, panels, "Away from the plan, begun 0.05 rad aside"), out / "59_ilqr.png")

# The motion is one of the mechanism: what the motor put in is what the pole and the cart have.
run = equations.simulate(1.6, controller=free, start=hanging)
places = run.at(np.append(run.controller.times, 1.6))["x"]
put_in = run.controller["F"] @ np.diff(places)  # forces that are held
gained = run.energy.total[-1] - run.energy.total[0]
print(f"{put_in:.3f} J put in, {gained:.3f} J gained; 1.962 J is what upright has more than hanging")
assert abs(put_in / gained - 1) < 1e-6 and abs(run["theta"][-1]) < 0.1, "swung up, by work and nothing else"
