"""The six-degree-of-freedom arm of Kwatny and Blankenship (1995): every formalism gives the same equations.

Run: python examples/06_six_joint_arm.py [folder for the pictures and the C source]
"""

import sys
from pathlib import Path

import polhode as ph

# Describe: a joint is its map H, whose columns are its axes, outermost first; groups of one make it compound.
arm = ph.System("six-joint arm")
m1, m2, m3 = (arm.parameter(name, value, unit="kg") for name, value in (("m1", 1), ("m2", 1), ("m3", 0.5)))
l1, l2, l3 = (arm.parameter(name, value, unit="m") for name, value in (("l1", 3), ("l2", 3), ("l3", 0.7)))
r3 = arm.parameter("r3", 0.35, unit="m")


def limb(length, radius):
    """How a limb is drawn: a bar from one joint to the next."""
    return ph.Shape("capsule", (radius, length), (0, 0, length / 2))


upper = arm.body("upper arm", m1, (0, 0, l1 / 2), ph.rod(m1, l1), limb(l1, 0.13))
forearm = arm.body("forearm", m2, (0, 0, l2 / 2), ph.rod(m2, l2), limb(l2, 0.1))
hand = ph.Shape("cylinder", (r3, l3), (0, 0, l3 / 2))
gripper = arm.body("gripper", m3, (0, 0, l3 / 2), ph.cylinder(m3, r3, l3), hand)

y_z = [[0, 0], [1, 0], [0, 1], [0, 0], [0, 0], [0, 0]]
y_z_x = [[0, 0, 1], [1, 0, 0], [0, 1, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]]
shoulder, wrist = ph.JointMap(y_z, groups=(1, 1)), ph.JointMap(y_z_x, groups=(1, 1, 1))
arm.joint("shoulder", arm.ground, upper, shoulder, coordinates=["s1", "s2"], speeds=["w1", "w2"])
arm.joint("elbow", upper, forearm, ph.Revolute("y"), at=(0, 0, l1), coordinates=["e"], speeds=["u1"])
arm.joint("wrist", forearm, gripper, wrist, at=(0, 0, l2), coordinates=["t1", "t2", "t3"], speeds=["v1", "v2", "v3"])

# Derive: by every formalism; the table counts the operations of each.
comparison = arm.compare(run=False)
print(comparison)
equations = arm.derive()
print("M[v2, v2] =", ph.normal(equations.mass_matrix[4, 4]))
print("M[u1, v1] =", ph.normal(equations.mass_matrix[2, 3]))

# Simulate: let it fall from a bent, outstretched pose.
reach = {"s1": 1.3, "s2": 0.4, "e": 0.5, "t1": 0.6, "t2": -0.4, "t3": 0.3}
fall = equations.simulate(5, start=reach, rtol=1e-11, atol=1e-11)
print(fall)

# Look, and take the accelerations along as C99 without dependencies.
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
fall.animate(out / "06_six_joint_arm.html", notes="Free fall from an outstretched pose, no friction.")
fall.plot(out / "06_six_joint_arm.png")
equations.export("c", out / "06_six_joint_arm_c")

print(f"energy drift {fall.energy_drift:.1e}")
assert comparison.agree and fall.energy_drift < 1e-9, "one mechanism, one set of equations, and energy is conserved"
