"""A geared motor lifts a pendulum: its current is a first-order state, which a voltage drives and a load resists.

Run: python examples/28_motor_with_current.py [folder for the pictures]
"""

import sys
from pathlib import Path

import numpy as np

import polhode as ph

# Describe: a rod on a direct-current motor with a gear. The current lags behind the voltage by its inductance, and the
# turning motor works against it: L i' = V - R i - K n ω. The motor's torque is K n i, and bearings take a little.
motor = ph.System("motor and pendulum", gravity=(0, 0, "-9.81"))
K, n = motor.parameter("K", 0.05, unit="N m/A"), motor.parameter("n", 60)
R, L = motor.parameter("R", 2, unit="ohm"), motor.parameter("L", 0.01, unit="H")
m, l, c = motor.parameter("m", 1, unit="kg"), motor.parameter("l", 1, unit="m"), motor.parameter("c", 0.05)
voltage = motor.input("voltage", unit="V")
drawn = ph.Shape("cylinder", (0.03, l), (0, 0, -l / 2))
rod = motor.body("rod", m, com=(0, 0, -l / 2), inertia=ph.rod(m, l), shapes=drawn)
hinge = motor.joint("hinge", motor.ground, rod, ph.Revolute("y"))
current = motor.state("current", rate=lambda i: (voltage - R * i - K * n * hinge.u[0]) / L, unit="A")
motor.joint_force(hinge, K * n * current, name="motor")
motor.joint_force(hinge, -c * hinge.u[0], name="bearings")

# What a motor draws from its supply, and what its coil turns into heat, are integrals: states as well.
motor.state("drawn", rate=voltage * current, unit="J")
motor.state("heat", rate=R * current**2, unit="J")
motor.state("friction", rate=c * hinge.u[0] ** 2, unit="J")

# Derive: the current is a symbol in the equations of motion, and its rate one of the state's.
equations = motor.derive()
print("M =", equations.mass_matrix[0, 0], "   f =", equations.forcing[0])
for name, rate in zip(equations.states, equations.z_rates, strict=True):
    print(f"{name}' = {rate}")
rest = np.arcsin(0.05 * 60 * 1.2 / (9.81 / 2))  # where the weight balances the stalled motor, whose current is V/R
linear = equations.linearize({"hinge": rest, "current": 1.2}, inputs={"voltage": 2.4})
print(
    "eigenvalues of the current and the rod:", [round(float(value.real), 3) for value in linear.eigenvalues() if value]
)

# Simulate: a voltage that is switched on at once.
run = equations.simulate(10, inputs={"voltage": 2.4}, rtol=1e-11, atol=1e-11)
print(f"after 20 ms {run.at(0.02)['current'][0]:.3f} A flow, in the end {run['current'][-1]:.3f} A: V/R is 1.2 A")
print(f"the rod comes to {run['hinge'][-1]:.4f} rad, where theory has {rest:.4f} rad")

# Look.
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
run.animate(out / "28_motor_with_current.html", notes="The motor stalls where its torque balances the weight.")
run.plot(out / "28_motor_with_current.png")

magnetic = 0.01 / 2 * run["current"] ** 2
stored = run.energy.total - run.energy.total[0] + magnetic
gap = np.abs(run["drawn"] - run["heat"] - run["friction"] - stored).max()
print(f"drawn {run['drawn'][-1]:.6f} J, heat {run['heat'][-1]:.6f} J; what is missing: {gap:.0e} J")
assert gap < 1e-8, "what is drawn is stored in coil and rod, or turned into heat"
