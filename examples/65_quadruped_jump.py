"""A quadruped jumps and turns in the air: a floating base with a quaternion, and the forces of the ground as controls.

Run: python examples/65_quadruped_jump.py [folder for the pictures]
"""

import sys
from pathlib import Path

import numpy as np
from scipy.integrate import simpson

import polhode as ph

# Describe: a trunk of 4 kg on four legs with a hip and a knee; the ground pushes each foot for the first 0.25 s.
s = ph.System("quadruped", gravity=(0, 0, "-9.81"))
trunk = s.body("trunk", 4, inertia=("0.02", "0.06", "0.07"))
s.joint("base", s.ground, trunk, ph.Free())
stance = (1 - ph.tanh(60 * (s.time - 0.25))) / 2
pose, pushes = {}, []
for name, x, y in (("FL", 0.2, 0.1), ("FR", 0.2, -0.1), ("HL", -0.2, 0.1), ("HR", -0.2, -0.1)):
    upper = s.body(f"{name} upper", 0.3, (0, 0, -0.08), (0.001, 0.001, 0.0002))
    lower = s.body(f"{name} lower", 0.1, (0, 0, -0.08), (0.0004, 0.0004, 0.0001))
    s.joint(f"{name}_hip", trunk, upper, ph.Revolute("y"), at=(x, y, 0))
    s.joint(f"{name}_knee", upper, lower, ph.Revolute("y"), at=(0, 0, -0.16))
    forces = [s.input(f"{name}_f{axis}", 0) for axis in "xyz"]
    s.force(lower, [stance * force for force in forces], at=(0, 0, -0.16))
    pose |= {f"{name}_hip": 0.7, f"{name}_knee": -1.4}
    pushes.append(f"{name}_f")

# Derive.
e = s.derive()
legs = list(pose)
print("inverse dynamics:", e.operations(of="inverse_dynamics"))

# Solve: from rest to rest 0.2 m higher, turned by 60° about the vertical, with little effort and calm legs.
half = np.radians(30)
turned = {"base_e0": np.cos(half), "base_e1": 0, "base_e2": 0, "base_e3": np.sin(half)}
rest = {name if name.startswith("base") else f"{name}'": 0 for name in e.speeds}
problem = e.collocation(
    0.4, start=pose, end={**turned, "base_x": 0, "base_y": 0, "base_z": 0.2, **pose, **rest},
    cost={"effort": 1, sum(v * v for v in e.u[6:]): 1, sum(a * a for a in e.udot[6:]): 1e-3},
    limits={
        **{f"{foot}z": (0, 40) for foot in pushes}, **{f"{foot}{axis}": 15 for foot in pushes for axis in "xy"},
        **{f"tau_{joint}": 8 for joint in legs}, **{joint: (pose[joint] - 1, pose[joint] + 1) for joint in legs},
    },
    inputs=[*s.inputs, *legs], nodes=21,
)  # fmt: skip
print(problem)
best = problem.solve(guess={f"{foot}z": 13 for foot in pushes})
print(best)
print(best.verdict)

# Simulate: the robot under these forces and torques alone.
print(f"in a run the trunk rises by {best.replay['base_z'].max():.3f} m")

# Look.
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
best.animate(out / "65_quadruped_jump.html", notes="Up by 0.2 m, and round by 60°.")
shown = ["base_z", *(f"{foot}z" for foot in pushes), *(f"tau_{joint}" for joint in legs)]
best.trajectory.plot(out / "65_quadruped_jump.png", channels=shown)

in_contact = (1 - np.tanh(60 * (best.t - 0.25))) / 2
impulse = simpson(in_contact * sum(best[f"{foot}z"] for foot in pushes), x=best.t)
weight = (4 + 4 * 0.4) * 9.81 * best.duration
print(f"impulse of the ground {impulse:.2f} N·s, of the weight {weight:.2f} N·s")
assert abs(impulse / weight - 1) < 0.02, "from rest to rest the ground pushes as much as the weight"
