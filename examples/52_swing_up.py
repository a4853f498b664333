"""A pole on a cart and Furuta's pendulum are swung up by their energy, and caught by a linear regulator.

Run: python examples/52_swing_up.py [folder for the pictures]
"""

import sys
from pathlib import Path

import matplotlib.figure
import numpy as np
from scipy.linalg import solve_continuous_are

import polhode as ph
from polhode.model.samples.underactuated import cart_pole, furuta_pendulum


class Balance(ph.control.Controller):
    """A regulator about upright: a controller of one's own is a class with one method."""

    def design(self):
        state, (push,) = (*self.equations.q, *self.equations.u), self.equations.system.inputs.values()
        return ph.control.Law({push.symbol: -sum(k * x for k, x in zip(self.gains, state, strict=True))})


# Describe: two mechanisms of the textbooks, with one input each and upright at zero.
cases = {"cart": (cart_pole(), "theta", {"ke": 80, "kp": 1, "kv": 1, "limit": 8}),
         "Furuta": (furuta_pendulum(), "pendulum", {"ke": 1000, "kp": 10, "kv": 1, "limit": 60})}  # fmt: skip

# Derive: laws that pump energy, and one that keeps a pole upright; near upright the second takes over.
laws = {}
for name, (system, angle, gains) in cases.items():
    equations = system.derive()
    swing = ph.control.EnergyControl(equations, {angle: 0}, **gains)
    A, B = map(equations.linearize().numbers, "AB")
    balance = Balance(equations)
    balance.gains = (B.T @ solve_continuous_are(A, B, np.eye(4), 10 * np.eye(1)) / 10)[0].tolist()
    laws[name] = ph.control.Switched(swing, balance, within={angle: 0.3, f"{angle}'": 2}, turning=[angle])
    print(f"{name}:", swing, sep="\n")
    print(ph.control.EnergyShaping(equations, {angle: 0}, ke=1, kd=1, kp=1, kv=1).lyapunov)

# Simulate: from a little beside hanging, as mechanism and controller together, and sampled every 2 ms.
runs = {}
for name, (system, angle, _) in cases.items():
    for sample_time in (None, 0.002):
        runs[name, sample_time] = system.derive().simulate(
            10, controller=laws[name], start={angle: 3.0}, rate=100, sample_time=sample_time
        )

# Look.
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
runs["Furuta", None].animate(out / "52_swing_up.html", notes="Energy swings the pendulum up, a regulator catches it.")
figure = matplotlib.figure.Figure(figsize=(8, 6), layout="constrained")
for axes, (name, (_, angle, _)) in zip(figure.subplots(2, 1), cases.items(), strict=True):
    for (whose, sample_time), run in runs.items():
        if whose == name:
            axes.plot(run.t, np.cos(run[angle]), label="continuous" if sample_time is None else "every 2 ms")
    axes.set(title=name, xlabel="t in s", ylabel=f"cos({angle})")
    axes.legend()
figure.savefig(out / "52_swing_up.png")

low = max(1 - np.cos(run[cases[name][1]][-1]) for (name, _), run in runs.items())
print(f"1 - cos of the angles at the end: {low:.1e} at most")
assert low < 1e-5, "both pendulums stand"
