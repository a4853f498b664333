"""A tumbling satellite is turned to a given attitude by three thrusters, fed back from its vector-parameter.

Run: python examples/32_rotations.py [folder for the pictures]
"""

import sys
from pathlib import Path

import numpy as np

import polhode as ph

# Describe: the attitude of a rigid body, as symbols; the same body as a mechanism, its thrusters three efforts.
J, c, w = (2, 3, 4), ph.symbols("c1 c2 c3"), ph.symbols("w1 w2 w3")
stiffness, damping = 1, 2
attitude = ph.Attitude(J, thrusters=np.eye(3))
u = [-stiffness * ci - damping * wi for ci, wi in zip(c, w, strict=True)]

craft = ph.System("satellite", gravity=(0, 0, 0))
hull = craft.body("hull", mass=10, inertia=J, shapes=ph.Shape("box", (0.9, 0.6, 0.4)))
craft.joint("ball", craft.ground, hull, ph.Spherical("quaternion"))

# Derive: state form, and V = ½ ω·Jω + k ln(1 + c²), which the thrusters let fall by d ω² whatever J is.
r = ph.Rotation.from_vector(c)
momentum_rate, c_rate = attitude.rates(r, attitude.momentum(w), u)
print("x1' =", momentum_rate[0])
print("c1' =", c_rate[0])
C, W = ph.Vector(c), ph.Vector(w)
V_rate = W.dot(momentum_rate) + stiffness * 2 * C.dot(c_rate) / (1 + C.dot(C))
assert V_rate == -damping * W.dot(W), "by fingerprint: an identity of the symbols"

# Simulate: from two radians off and tumbling; stored as a quaternion, of which c is the vector over the scalar.
equations = craft.derive()
e0, *e = equations.q
efforts = {
    str(speed): -stiffness * ei / e0 - damping * wi for speed, ei, wi in zip(equations.u, e, equations.u, strict=True)
}
start = ph.Rotation.from_axis_angle([1, 2, -1], 2.0)
begin = {name: float(value) for name, value in zip(map(str, equations.q), start.quaternion, strict=True)}
run = equations.simulate(40, start=begin, speeds={"ball_wx": 1.0, "ball_wz": -0.8}, tau=efforts, rtol=1e-10)

# Look: the whole run as one batch of rotations, in every form.
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
run.animate(out / "32_rotations.html", notes="Thrusters turn the hull to the axes of the page.")
run.plot(out / "32_rotations.png")

turned = ph.Rotation.from_matrix(run.pose("hull")[1])
print(f"{turned}: from {np.degrees(turned.angle[0]):.1f}° to {np.degrees(turned.angle[-1]):.1e}°")
for form in ("vector", "sine", "exponential", "zxz", "xyz"):
    condition, back = turned.condition(form).max(), turned.local(form).rotation
    print(f"{form:12} condition up to {condition:8.1e}, given back to {np.abs(back.matrix - turned.matrix).max():.0e}")
V = (run.u**2 @ J) / 2 + stiffness * np.log1p((turned.vector**2).sum(axis=1))
assert turned.angle[-1] < 1e-3 and (np.diff(V) < 1e-12).all(), "it comes to rest as asked, V falling all the way"
