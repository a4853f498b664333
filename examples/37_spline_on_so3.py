"""A camera head on a ball joint looks at five targets, turning smoothly from one to the next.

Run: python examples/37_spline_on_so3.py [folder for the pictures]
"""

import sys
from pathlib import Path

import numpy as np

import polhode as ph

# Describe: a balanced head on a spherical joint, whose three moments are the motors'.
s = ph.System("camera head")
tube = ph.Shape("cylinder", (0.06, 0.3), (0.1, 0, 0), ("y", ph.pi / 2))
head = s.body("head", 1.5, (0, 0, 0), ph.cylinder(1.5, 0.08, 0.3, "x"), [ph.Shape("sphere", (0.1,)), tube])
s.joint("ball", s.ground, head, ph.Spherical())

# Derive: its equations, and the curve it shall follow.
equations = s.derive()
print("q̇ =", equations.coordinate_rates)


# The camera's x axis points at each target, its y axis stays level; it rests at both ends.
def towards(target: tuple[float, float, float]) -> np.ndarray:
    x = np.array(target) / np.linalg.norm(target)
    y = np.cross((0, 0, 1), x)
    y /= np.linalg.norm(y)
    return np.column_stack([x, y, np.cross(x, y)])


targets = [(3, 0, 0), (1, 2, 1), (-1, 2, -0.5), (-2, -1, 1), (2, -1, 0.5)]
times = np.array([0.0, 1.0, 1.8, 3.0, 5.0])
curve = ph.RotationSpline(times, [towards(each) for each in targets], start=(0, 0, 0), end=(0, 0, 0))
best = ph.RotationSpline(times, curve(times).R, start=(0, 0, 0), end=(0, 0, 0), least="acceleration")
print(f"∫ |ω̇|² dt: {curve.effort():.3f}, at least {best.effort():.3f}")

# Simulate: inverse dynamics gives the moments at each time; they act on the head in the run, as samples in time.
t = np.linspace(0, 5, 2001)
plan = curve(t)
moments = equations.compile().inverse_dynamics(plan.quaternion, plan.w, plan.wdot)
efforts = {name: ph.sampled(t, moments[:, k], "cubic") for k, name in enumerate(equations.speeds)}
start = dict(zip(equations.coordinates, plan.quaternion[0], strict=True))
run = equations.simulate(5, start=start, tau=efforts, rtol=1e-10, atol=1e-12)
off = np.linalg.norm(run.pose("head")[1] - curve(run.t).R, axis=(1, 2))
print(f"the head is where it was planned within {off.max():.1e}")

# Look.
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
run.animate(out / "37_spline_on_so3.html", notes="A camera turns from target to target; moments by inverse dynamics.")
run.plot(out / "37_spline_on_so3.png")

assert off.max() < 1e-3, "moments from inverse dynamics take the head along the planned curve"
