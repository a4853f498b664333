"""Andrews' squeezing mechanism: seven bodies, three loops, and the benchmark of solvers for constrained motion.

Run: python examples/25_squeezer.py [folder for the pictures]
"""

import sys
from pathlib import Path

import numpy as np

from polhode.model.samples import squeezing_mechanism

# Describe: a motor turns crank K1; rod K2 leads a point P; an arm on a spring and two pairs of bars hang on P.
squeezer = squeezing_mechanism()
print("bodies:", ", ".join(squeezer.bodies))
print("loops: ", ", ".join(squeezer.constraints))

# Derive: with multipliers for the six conditions, and for the crank alone.
equations = squeezer.derive()
crank_alone = squeezer.derive(independent=["beta"], near="start")
print("operations, with multipliers:", equations.operations("forward_dynamics"))
print("operations, for the crank alone:", crank_alone.operations("forward_dynamics"))

# Simulate: thirty milliseconds from rest, in which the crank goes round two and a half times.
run = equations.simulate(0.03, start="start", rtol=1e-12, atol=1e-12, samples=601)
print(f"{run.info['steps']} steps, {run.info['evaluations']} evaluations in {run.info['wall_time'] * 1e3:.0f} ms")

# Look.
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
run.animate(out / "25_squeezer.html", notes="Thirty milliseconds from rest; three loops meet in one point.")
run.plot(out / "25_squeezer.png")

# The angles at the end as the Test Set for Initial Value Problem Solvers gives them.
published = {
    "beta": 0.1581077119629904e2, "Theta": -0.1575637105984298e2, "gamma": 0.4082224013073101e-1,
    "Phi": -0.5347301163226948, "delta": 0.5244099658805304, "Omega": 0.5347301163226948,
    "epsilon": 0.1048080741042263e1,
}  # fmt: skip
for name, angle in published.items():
    print(f"{name:8} {run[name][-1]:+.12f}  published {angle:+.12f}")
gap = max(abs(run[name][-1] - angle) for name, angle in published.items())
work = 0.033 * (run["beta"] - run["beta"][0])
gained = run.energy.total - run.energy.total[0]
print(f"within {gap:.1e} rad; energy gained less the motor's work: {np.abs(gained - work).max():.0e} J")
assert gap < 2e-9 and np.abs(gained - work).max() < 1e-11, "ten digits of the published solution"
