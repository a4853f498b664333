"""A two-link arm follows a path by computed torque; with masses that are wrong, a sliding mode does better.

Run: python examples/50_computed_torque.py [folder for the pictures]
"""

import sys
from pathlib import Path

import matplotlib.figure
import numpy as np

import polhode as ph

# Describe: two links in a vertical plane, with their masses at the tips.
arm = ph.System("two-link arm", gravity=(0, "-9.81", 0))
m1, m2 = arm.parameter("m1", 2, "kg"), arm.parameter("m2", 1, "kg")
l1, l2 = arm.parameter("l1", 0.8, "m"), arm.parameter("l2", 0.5, "m")
upper = arm.body("upper", m1, com=(l1, 0, 0), shapes=ph.Shape("box", (0.8, 0.06, 0.06), at=(0.4, 0, 0)))
fore = arm.body("fore", m2, com=(l2, 0, 0), shapes=ph.Shape("box", (0.5, 0.04, 0.04), at=(0.25, 0, 0)))
arm.joint("q1", arm.ground, upper, ph.Revolute("z"))
arm.joint("q2", upper, fore, ph.Revolute("z"), at=(l1, 0, 0))

# Derive: the equations, the law, and what is proved of it for all masses and lengths.
equations = arm.derive()
torque = ph.control.ComputedTorque(equations, kp=100, kd=20)
print(torque, torque.error_dynamics, sep="\n")
sliding = ph.control.SlidingMode(equations, lambda_=10, gain=30, boundary=0.1)
print(sliding.lyapunov)

# Simulate: along a path, from a start beside it, then on it, sampled, and with masses that are 30 % more.
path = {"q1": "sin(t)", "q2": "cos(2*t)/2"}
on_path = {"start": {"q1": 0, "q2": 0.5}, "speeds": {"q1": 1}}


def run(controller, duration=4, **options):
    return equations.simulate(duration, controller=controller, reference=path, rate=100, **options)


def off(made):
    return np.hypot(made.tracking_error["q1"], made.tracking_error["q2"])


runs = {
    "computed torque, from beside the path": run(torque, start={"q1": 0.5, "q2": 0}),
    "on the path": run(torque, rtol=1e-10, atol=1e-12, **on_path),
    "every 10 ms": run(torque, sample_time=0.01, **on_path),
    "masses 30 % more": run(torque, parameters={"m1": 2.6, "m2": 1.3}, **on_path),
    "sliding mode, masses 30 % more": run(sliding, parameters={"m1": 2.6, "m2": 1.3}, **on_path),
}
for name, made in runs.items():
    print(f"{name}: off by {off(made).max():.1e} rad at most, {off(made)[-1]:.1e} at the end")

# Look.
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
runs["on the path"].animate(out / "50_computed_torque.html", notes="Both joints follow their references.")
figure = matplotlib.figure.Figure(figsize=(8, 4), layout="constrained")
axes = figure.subplots()
for name, made in runs.items():
    axes.semilogy(made.t, np.maximum(off(made), 1e-14), label=name)
axes.set(xlabel="t in s", ylabel="tracking error in rad")
axes.legend()
figure.savefig(out / "50_computed_torque.png")

assert off(runs["on the path"]).max() < 1e-8, "with exact parameters, what begins on the path stays on it"
