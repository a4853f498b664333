"""What does this arm weigh? Its parameters from a motion made to show them, with noise on what is measured.

Run: python examples/49_identification.py [folder for the pictures]
"""

import sys
from pathlib import Path

import numpy as np

import polhode as ph


# Describe: an arm as its drawings have it, and as it was built: heavier links, a tool off centre, friction.
def arm(name: str, masses: tuple[str, ...], off: str, friction: tuple[str, ...]) -> ph.System:
    s = ph.System(name, gravity=(0, 0, "-9.81"))
    parent: ph.Body = s.ground
    sizes = (("turret", "z", "0", "0.1"), ("upper", "y", "0.3", "0.5"), ("fore", "y", "0.5", "0.4"))
    for (part, axis, start, length), m, b in zip(sizes, masses, friction, strict=True):
        bar = ph.Shape("box", (length, "0.08", "0.08"), (float(length) / 2, 0, 0))
        inertia = ph.box(m, length, "0.08", "0.08")
        body = s.body(part, m, com=(float(length) / 2, off, 0), inertia=inertia, shapes=bar)
        at = (0, 0, start) if part == "upper" else (start, 0, 0)
        joint = s.joint(f"{part} joint", parent, body, ph.Revolute(axis), at=at, limits=(-2, 2))
        s.joint_force(joint, -float(b) * joint.u[0] - float(b) / 2 * ph.tanh(50 * joint.u[0]), name=f"{part} friction")
        parent = body
    return s


drawn = arm("arm, as drawn", ("4", "3", "2"), "0", ("0.1", "0.1", "0.1"))
built = arm("arm, as built", ("5", "3.3", "2.6"), "0.02", ("0.8", "0.5", "0.3"))

# Derive: what of 36 parameters can be told at all, exactly; and a motion that shows it.
e = drawn.derive()
base = e.base_parameters()
print(f"{len(base)} of {len(base.standard)} parameters can be told:\n{base}")
motion = e.exciting_trajectory(6.0, base=base, speeds=2.5, accelerations=12.0, harmonics=3)
print(f"a motion of 6 s with a condition number of {motion.condition:.0f}")

# Simulate: the real arm follows it under a plain controller; encoders and motor currents are read with noise.
real, t = built.derive(), built.time
target = list(motion.expressions(t))
law = {name: 150 * (goal - q) - 15 * u for name, goal, q, u in zip(real.speeds, target, real.q, real.u, strict=True)}
start = dict(zip(real.coordinates, motion(0.0)[0][0], strict=True))
run = real.simulate(6, start=start, tau=law, samples=3001)
rng = np.random.default_rng(1)
read = {"t": run.t, "q": run.q + rng.normal(size=run.q.shape) * 2e-5, "tau": run.tau + rng.normal(size=run.u.shape) / 5}
fit = e.identify(read, base=base, cutoff=8.0)
print(f"from {fit.samples} samples:\n{fit}\na forearm that could be: {fit.body('fore')}")

# Look: efforts of another motion, as they are, as drawings have them, and as fitted.
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
q, u, udot = rng.uniform(-1.5, 1.5, size=(3, 400, 3))
true, by_drawing = (each.compile().inverse_dynamics(q, u, udot) for each in (real, e))
errors = {"as drawn": by_drawing - true, "fitted": fit.predict(q, u, udot, consistent=True) - true}
share = {name: float(np.sqrt(np.mean(gap**2) / np.mean(true**2))) for name, gap in errors.items()}
print(", ".join(f"{name}: efforts wrong by {part:.1%}" for name, part in share.items()))
run.animate(out / "49_identification.html", notes="An exciting motion, followed by the arm as it was built.")
run.plot(out / "49_identification.png")

assert share["fitted"] < 0.01 < 0.15 < share["as drawn"], "a motion made for it tells what the arm weighs"
