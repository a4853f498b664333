"""A car is steered to the left at 90 km/h: step steer, as every chassis engineer has driven it.

Run: python examples/12_car.py [folder for the pictures]
"""

import sys
from pathlib import Path

import numpy as np

import polhode as ph
from polhode.model.samples import car, cruising
from polhode.view.plot import plot_channels, save_plot

# Describe: a body on four suspensions, four tyres whose curve was measured on a test bench; 1.5° of steer within 0.2 s.
V, angle = 25.0, 1.5
slip = [0, 0.25, 0.5, 1, 1.5, 2, 3, 4, 6, 10]
grip = [0, 0.247, 0.475, 0.78, 0.92, 0.975, 1, 0.99, 0.96, 0.93]
tyre = ph.table(slip, grip, name="tyre", kind="cubic", outside="hold")
vehicle = car(lambda t: angle * ph.pi / 180 * (1 + ph.tanh(20 * (t - 0.6))) / 2, curve=tyre, speed=V)
system, body = vehicle.system, vehicle.system.bodies["body"]

# Derive: Kane's method is what vehicle dynamics has grown up with; the others agree, exactly.
equations = system.derive("kane")
print(len(equations.u), "degrees of freedom; accelerations:", equations.operations())
print("v of the body's mass centre =", body.centre.velocity())
for formalism in ("poincare", "newton_euler", "articulated_body"):
    print(formalism, "agrees:", equations.agrees_with(system.derive(formalism)))

# Simulate, and watch what an engineer would: any expression of the motion.
run = equations.simulate(4, speeds=cruising(vehicle, V), rtol=1e-8, atol=1e-8)
print(run.summary())
steer = system.prescribed["front left steer"].motion
a_y = body.centre.acceleration() & (system.ground.z ^ body.x)
patches = vehicle.patches.values()
steer, a_y, *rest = run.values(steer, a_y, *(p.load for p in patches), *(p.slip_angle for p in patches))
loads, slips = (dict(zip(vehicle.patches, np.array(part), strict=True)) for part in (rest[:4], rest[4:]))

# The linear bicycle model knows two masses, two stiffnesses and the wheelbase: yaw rate = V δ / (L + K V²).
p = {name: vehicle.value(name) for name in system.parameters}
L = p["a"] + p["b"]
front, rear = (p["m_s"] * arm / L + 2 * (p["m_u"] + p["m_w"]) for arm in (p["b"], p["a"]))
K = front / (2 * p["C_f"]) - rear / (2 * p["C_r"])
expected = V * np.radians(angle) / (L + K * V**2)

# Look.
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
run.animate(out / "12_car.html", notes="1.5° of steer at 90 km/h: the body leans outward, the outer wheels carry it.")
degrees = {"car": np.degrees(run.speed("wz")), "linear model": np.full(len(run), np.degrees(expected))}
panels = [
    ("Steer angle", "°", {"front wheels": np.degrees(steer)}),
    ("Yaw rate", "°/s", degrees),
    ("Lateral acceleration", "m/s²", {"mass centre": a_y}),
    ("Roll angle", "°", {"body": np.degrees(run["roll"])}),
    ("Slip angles", "°", {name: np.degrees(slip) for name, slip in slips.items()}),
    ("Wheel loads", "kN", {name: load / 1000 for name, load in loads.items()}),
    ("Speed", "km/h", {"forward": 3.6 * run.speed("vx")}),
]
figure = plot_channels(run.t, panels, "Step steer at 90 km/h", columns=2, paths={"car": (run["x"], run["y"])})
save_plot(figure, out / "12_car.png")

weight = sum(load[0] for load in loads.values()) / (9.81 * (front + rear))
print(f"at rest the tyres carry {weight:.6f} of the weight; understeer gradient {np.degrees(K) * 9.81:.2f} °/g")
print(f"yaw rate {run.speed('wz')[-1]:.4f} rad/s, by the linear model {expected:.4f}; {a_y[-1] / 9.81:.2f} g")
assert abs(run.speed("wz")[-1] / expected - 1) < 0.03, "the car turns as the bicycle model says: V δ / (L + K V²)"
