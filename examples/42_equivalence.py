"""Two arms on a rocking carriage: a proof, to be watched, that Lagrange and Newton-Euler are one computation (Silver).

Run: python examples/42_equivalence.py [folder for the pictures]
"""

import sys
from pathlib import Path

import numpy as np

import polhode as ph
from polhode.papers.silver import differences, ladder_of

# Describe: a carriage that is rocked as told, on it an arm that turns, bends and reaches out, and a pendulum beside it.
s = ph.System("rocked arms", gravity=(0, 0, "-9.81"))
m, l, a = s.parameter("m", 2, unit="kg"), s.parameter("l", 0.6, unit="m"), s.parameter("a", 0.1, unit="m")
carriage = s.body("carriage", 10, inertia=ph.box(10, 1, 1, 0.3))
arm = s.body("arm", m, com=(l / 2, 0, 0), inertia=ph.rod(m, l, "x"))
forearm = s.body("forearm", m, com=(l / 2, 0, 0), inertia=ph.rod(m, l, "x"))
hand = s.body("hand", 1, com=(0, 0, -0.1), inertia=ph.box(1, 0.1, 0.1, 0.2))
bob = s.body("bob", 1, com=(0, 0, -l))
s.joint("rock", s.ground, carriage, ph.Prismatic("x"))
s.joint("turn", carriage, arm, ph.Revolute("z"), at=(0, 0, 0.2))
s.joint("bend", arm, forearm, ph.Revolute("y"), at=(l, 0, 0))
s.joint("reach", forearm, hand, ph.Prismatic("x"), at=(l, 0, 0))
s.joint("swing", carriage, bob, ph.Revolute("y"), at=(-0.4, 0, 0))
s.joint_spring("reach", 300, damping=5)
s.prescribe("rock", a * ph.sin(3 * s.time))

# Derive: from the kinetic energy to the recursion, each equation of the paper on this mechanism, with its fingerprints.
proof = ph.equivalence(s)
for number in ("3.1", "3.6", "3.10", "3.12", "§3.2, sums", "§3.2, Luh"):
    step = proof[number]
    print(f"({number}) {step.statement}\n    {step.text}\n    {step.verdict}")
print(proof["§3.2, sums"].here[0])
print(proof.verdict)

# What the representation costs: the same efforts by Ẇ, in 4×4 and 3×3 matrices, and by ω.
print(ladder_of(s))
for line in differences():
    print(f"{line.count!s:10} {line.what}")

# Simulate.
equations = s.derive()
run = equations.simulate(6, start={"turn": 0.8, "reach": 0.05, "swing": 0.5}, rtol=1e-10, atol=1e-10)

# Look: the motion, and the proof as a document.
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
run.animate(out / "42_equivalence.html", notes="The carriage is rocked; arm and pendulum answer.")
run.plot(out / "42_equivalence.png")
proof.save(out / "42_proof.tex")

# Along the run, where no effort acts: Lagrange's side, by traces of matrices, and Newton's and Euler's, by forces.
accelerations = equations.compile().forward_dynamics(run.q, run.u, t=run.t)
sides = [s.derive(each).compile().inverse_dynamics for each in ("hollerbach_3x3", "silver")]
worst = max(np.abs(side(run.q, run.u, accelerations, t=run.t)).max() for side in sides)
print(f"along the run both sides ask for no effort, to {worst:.0e} N m")
assert proof.holds and worst < 1e-9, "Lagrange, Newton and Euler ask for one and the same effort"
