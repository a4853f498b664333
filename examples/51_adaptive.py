"""An arm that does not know two of its masses learns them while it follows a path, as Slotine and Li have it.

Run: python examples/51_adaptive.py [folder for the pictures]
"""

import sys
from pathlib import Path

import matplotlib.figure
import numpy as np

import polhode as ph

# Describe: two links in a vertical plane, and a load in the hand.
arm = ph.System("arm with a load", gravity=(0, "-9.81", 0))
l1, l2 = arm.parameter("l1", 0.8, "m"), arm.parameter("l2", 0.5, "m")
masses = [arm.parameter(name, value, "kg") for name, value in (("m1", 2), ("m2", 1), ("load", 0.5))]
boxes = [ph.Shape("box", (length, 0.05, 0.05), at=(length / 2, 0, 0)) for length in (0.8, 0.5)]
upper = arm.body("upper", masses[0], com=(l1 / 2, 0, 0), inertia=ph.rod(masses[0], l1, "x"), shapes=boxes[0])
fore = arm.body("fore", masses[1], com=(l2 / 2, 0, 0), inertia=ph.rod(masses[1], l2, "x"), shapes=boxes[1])
load = arm.body("load", masses[2], shapes=ph.Shape("sphere", (0.06,)))
arm.joint("q1", arm.ground, upper, ph.Revolute("z"))
arm.joint("q2", upper, fore, ph.Revolute("z"), at=(l1, 0, 0))
arm.joint("grip", fore, load, ph.Fixed(), at=(l2, 0, 0))

# Derive: the law has estimates in place of two masses, 30 % wrong to begin with; V is a proof.
equations = arm.derive()
wrong = {"m1": 1.4, "load": 0.35}
controller = ph.control.Adaptive(equations, kd=20, lambda_=5, gamma=10, estimates=wrong)
print(controller, controller.lyapunov, sep="\n")

# Simulate: a path with two frequencies in each joint tells the masses apart.
path = {"q1": "sin(t) + cos(3*t)/3", "q2": "cos(2*t)/2 + sin(5*t)/5"}
options = {"reference": path, "start": {"q1": 1 / 3, "q2": 0.5}, "speeds": {"q1": 1, "q2": 1}, "rate": 20}
run = equations.simulate(30, controller=controller, **options)
known = ph.control.PassivityBased(equations, kd=20, lambda_=5, parameters=wrong)
stubborn = equations.simulate(30, controller=known, **options)


def off(made):
    return np.hypot(made.tracking_error["q1"], made.tracking_error["q2"])


true = {name: float(equations.system.parameters[name].value) for name in wrong}
for name, value in true.items():
    print(f"{name}: {value} kg, taken for {wrong[name]}, estimated {run[f'estimate_{name}'][-1]:.6f}")

# Look.
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
run.animate(out / "51_adaptive.html", notes="The arm learns the mass of a link and that of its load.")
figure = matplotlib.figure.Figure(figsize=(8, 6), layout="constrained")
errors, estimates = figure.subplots(2, 1, sharex=True)
errors.semilogy(run.t, off(run), label="adaptive")
errors.semilogy(stubborn.t, off(stubborn), label="the same law with masses that stay wrong")
for name, value in true.items():
    (line,) = estimates.plot(run.t, run[f"estimate_{name}"], label=name)
    estimates.axhline(value, color=line.get_color(), linestyle=":")
errors.set(ylabel="tracking error in rad")
estimates.set(xlabel="t in s", ylabel="estimates in kg")
errors.legend()
estimates.legend()
figure.savefig(out / "51_adaptive.png")

learnt = max(abs(run[f"estimate_{name}"][-1] - value) for name, value in true.items())
print(
    f"off by {off(run)[-1]:.1e} rad in the end, masses by {learnt:.1e} kg; not adapting, by {off(stubborn)[-1]:.1e} rad"
)
assert learnt < 1e-4 and off(run)[-1] < 1e-5, "errors vanish, and a rich motion tells the masses"
