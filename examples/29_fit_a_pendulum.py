"""How long is this pendulum, and how damped? A noisy film of its swing tells, with the derivatives of the run itself.

Run: python examples/29_fit_a_pendulum.py [folder for the pictures]
"""

import sys
from pathlib import Path

import matplotlib.figure
import numpy as np
from scipy.optimize import least_squares

import polhode as ph

# Describe: a bob on a rod; length, damping and the angle at the start are to be found.
swing = ph.System("pendulum")
l, c = swing.parameter("l", 1, unit="m"), swing.parameter("c", 0, unit="N*m*s")
rod = ph.Shape("cylinder", (0.01, l), (0, 0, -l / 2))
bob = swing.body("bob", mass=1, com=(0, 0, -l), shapes=[rod, ph.Shape("sphere", (0.06,), (0, 0, -l))])
hinge = swing.joint("hinge", swing.ground, bob, ph.Revolute("y"), coordinates=["theta"], speeds=["omega"])
swing.joint_force(hinge, -c * hinge.u[0])

# Derive: the equation, and what is filmed: how far the bob is to the side.
equations = swing.derive()
print("omega' =", ph.normal(equations.forward_dynamics)[0])
side = bob.centre.position() & swing.ground.x
print("filmed:", ph.normal(side))

# The film: 25 frames a second for six seconds, each off by some five millimetres.
truth = {"l": 0.83, "c": 0.12, "theta": 0.9}
times = np.linspace(0, 6, 151)
real = equations.simulate(6, start={"theta": truth["theta"]}, parameters={"l": 0.83, "c": 0.12}, samples=times)
noise = 0.005
film = real.values(side)[0] + noise * np.random.default_rng(7).standard_normal(len(times))


# Simulate: each guess is run once, with its derivatives by all three.
def run_of(guess):
    given = {"parameters": {"l": guess[0], "c": guess[1]}, "start": {"theta": guess[2]}}
    return equations.sensitivities(6, by=["l", "c", "theta"], samples=times, **given)


def misfit(guess):
    return (run_of(guess).trajectory.values(side)[0] - film) / noise


def slopes(guess):
    return run_of(guess).values(side) / noise


fit = least_squares(misfit, [1.0, 0.0, 0.5], jac=slopes)
spread = np.sqrt(np.diag(np.linalg.inv(fit.jac.T @ fit.jac)))
for name, found, wide in zip(truth, fit.x, spread, strict=True):
    print(f"{name} = {found:.4f} ± {wide:.4f}, in truth {truth[name]}")
print(f"{fit.nfev} guesses, misfit {np.sqrt(np.mean(fit.fun**2)):.3f} of the noise")

# Look.
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
best = run_of(fit.x)
best.trajectory.animate(out / "29_fit_a_pendulum.html", notes="The pendulum that fits the film best.")
figure = matplotlib.figure.Figure(figsize=(8, 4), layout="constrained")
axes = figure.subplots()
axes.plot(times, film, ".", color="#c8551b", label="film")
axes.plot(best.t, best.trajectory.values(side)[0], color="#1f5fa8", label="fit")
axes.set(xlabel="time, s", ylabel="bob to the side, m", title="A pendulum fitted to a film of it")
axes.legend(frameon=False)
figure.savefig(out / "29_fit_a_pendulum.png", dpi=150)

assert (abs(fit.x - list(truth.values())) < 3 * spread).all(), "the truth lies within three standard deviations"
