"""A three-link arm draws a circle while its free motion goes to a posture: operational space control.

Run: python examples/53_operational_space.py [folder for the pictures]
"""

import sys
from pathlib import Path

import matplotlib.figure
import numpy as np

import polhode as ph

# Describe: three links in a vertical plane, one more than a point in the plane needs.
arm = ph.System("three-link arm", gravity=(0, "-9.81", 0))
carrier, at = arm.ground, 0
for k, (mass, length) in enumerate(((3, 0.6), (2, 0.5), (1, 0.3)), start=1):
    m, l = arm.parameter(f"m{k}", mass, "kg"), arm.parameter(f"l{k}", length, "m")
    shape = ph.Shape("box", (length, 0.06 - 0.01 * k, 0.06 - 0.01 * k), at=(length / 2, 0, 0))
    body = arm.body(f"link {k}", m, com=(l / 2, 0, 0), inertia=ph.rod(m, l, "x"), shapes=shape)
    arm.joint(f"q{k}", carrier, body, ph.Revolute("z"), at=(at, 0, 0))
    carrier, at = body, l
arm.frame("hand", carrier, at=(at, 0, 0))

# Derive: the hand behaves as a point with errors of its own choice, whatever the posture does.
equations = arm.derive()
options = {"kp": 100, "kd": 20, "axes": "xy", "posture_kd": 3}
home = {"q1": -0.5, "q2": 1.5, "q3": -1.0}
held = ph.control.OperationalSpace(equations, "hand", **options, posture_kp=10, posture=home)
loose = ph.control.OperationalSpace(equations, "hand", **options)
for name in ("x", "y"):
    print(next(line for line in str(held).splitlines() if line.startswith(f"e_{name}")))
print(held.error_dynamics, held.lyapunov, sep="\n")

# Simulate: twice around a circle, with and without a posture.
circle = {"x": "0.7 + 0.25*cos(2*t)", "y": "0.25*sin(2*t)"}
start = {"q1": -0.5, "q2": 1.2, "q3": 0.4}
runs = {
    name: equations.simulate(6.4, controller=law, reference=circle, start=start, rate=100)
    for name, law in (("posture", held), ("damping alone", loose))
}


def hand(run):
    angles, lengths = np.cumsum(run.q, axis=1), (0.6, 0.5, 0.3)
    return sum(l * np.array([np.cos(a), np.sin(a)]) for l, a in zip(lengths, angles.T, strict=True))


def off(run):
    return np.hypot(run.tracking_error["x"], run.tracking_error["y"])


# Look.
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
runs["posture"].animate(out / "53_operational_space.html", notes="The hand draws a circle.")
figure = matplotlib.figure.Figure(figsize=(9, 4), layout="constrained")
plane, time = figure.subplots(1, 2)
for name, run in runs.items():
    plane.plot(*hand(run), label=name)
    time.semilogy(run.t, np.maximum(off(run), 1e-14), label=name)
plane.set(xlabel="x in m", ylabel="y in m", aspect="equal")
time.set(xlabel="t in s", ylabel="error of the hand in m")
time.legend()
figure.savefig(out / "53_operational_space.png")

apart = np.abs(runs["posture"].q[-1] - runs["damping alone"].q[-1]).max()
same = np.abs(off(runs["posture"]) - off(runs["damping alone"])).max()
print(f"off by {max(off(run)[-1] for run in runs.values()):.1e} m at the end; postures differ by {apart:.2f} rad")
assert same < 1e-6 and apart > 0.1, "what the posture does is not felt at the hand"
