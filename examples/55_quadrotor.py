"""A quadrotor that flies along a helix: its thrust acts too early, so two integrators are put before it.

V. Mistler, A. Benallegue and N. K. M'Sirdi, *Exact linearization and noninteracting control of a 4 rotors helicopter
via dynamic feedback* (2001).

Run: python examples/55_quadrotor.py [folder for the pictures]
"""

import sys
from pathlib import Path

import numpy as np

import polhode as ph

# Describe: a body that inputs turn about its axes, and that is pushed along its own z.
s = ph.System("quadrotor", gravity=(0, 0, "-9.81"))
m = s.parameter("m", 1, "kg")
I = [s.parameter(f"I{x}", value, "kg m^2") for x, value in zip("xyz", ("0.01", "0.011", "0.02"), strict=True)]
arms = [ph.Shape("box", size) for size in ((0.5, 0.04, 0.03), (0.04, 0.5, 0.03))]
frame = s.body("frame", m, inertia=I, shapes=arms)
s.joint("pose", s.ground, frame, ph.Free("321"))
s.force(frame, (0, 0, s.input("thrust", "9.81", "N")), frame=frame)
s.torque(frame, [s.input(f"T{x}", 0, "N m") for x in "xyz"], frame=frame)

# Derive: place and heading. Thrust alone reaches the accelerations: the law does not exist without integrators.
equations = s.derive()
outputs = ["pose_x", "pose_y", "pose_z", "pose_a1"]
try:
    equations.feedback_linearize(outputs)
except ph.PolhodeError as error:
    print(error)
law = equations.feedback_linearize(outputs, extend=True, poles=-4)
print("degrees", law.degrees, "with", [each.symbol.name for each in law.law.states])
print(*law.conditions, sep="\n")

# Simulate: from rest beside the path, the heading turning as it goes.
helix = {"pose_x": "cos(t)", "pose_y": "sin(t)", "pose_z": "t/4", "pose_a1": "t/3"}
run = equations.simulate(8, controller=law, reference=helix, start={"pose_x": 0.6}, rtol=1e-9)
wanted = {"pose_x": np.cos(run.t), "pose_y": np.sin(run.t), "pose_z": run.t / 4, "pose_a1": run.t / 3}
error = np.max([np.abs(run[name] - curve) for name, curve in wanted.items()], axis=0)
thrust = run["thrust integrator 1"]
print(f"thrust from {thrust.min():.2f} to {thrust.max():.2f} N; the error falls from {error[0]:.2f} to {error[-1]:.1e}")

# Look.
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
run.animate(out / "55_quadrotor.html", notes="Along a helix, its nose turning.")
run.plot(out / "55_quadrotor.png")

# On a circle of one metre at one radian a second it must lean inwards: thrust is m sqrt(g² + 1).
late = run.t > 6
assert error[-1] < 1e-6 and np.allclose(thrust[late], np.hypot(9.81, 1), atol=1e-3), "it leans as a circle asks"
