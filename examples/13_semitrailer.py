"""A lorry of forty tonnes enters a bend, and then brakes its driven wheels on ice: it jackknifes.

Run: python examples/13_semitrailer.py [folder for the pictures]
"""

import sys
from pathlib import Path

import numpy as np

import polhode as ph
from polhode.model.samples import cruising, semitrailer, steady_turn
from polhode.view.plot import plot_channels, save_plot

# Describe: tractor and trailer on five rigid axles, ten wheels; the front wheels are turned by one degree.
V, angle = 20.0, np.radians(1)
lorry = semitrailer(lambda t: ph.pi / 180 * (1 + ph.tanh(5 * (t - 1))) / 2, speed=V)
system = lorry.system
tractor, trailer, road = system.bodies["tractor"], system.bodies["trailer"], system.ground

# Derive: twenty-eight degrees of freedom.
equations = system.derive("kane")
print(len(equations.u), "degrees of freedom")
for formalism in ("kane", "newton_euler", "articulated_body"):
    made = system.derive(formalism)
    print(f"{formalism:17}", made.operations(), "agrees:", made.agrees_with(equations))

# Simulate a dry bend; then ice, where after three seconds the brakes take hold of the driven axle alone.
start = cruising(lorry, V)
equations = system.derive("articulated_body")
bend = equations.simulate(9, speeds=start, method="rk4", step=2e-3, rate=50)
print(bend.summary())


def brakes(t, q, u):
    v_x = u[equations.speeds.index("vx")]
    return {"V": V} if t < 3 else {"V": v_x, "brake": 12000}


def folded(t, q, u):
    return abs(q[equations.coordinates.index("articulation")]) - 1.4


folded.terminal = True
ice = equations.simulate(9, speeds=start, inputs=brakes, parameters={"mu": 0.25}, events=[folded], rtol=1e-6, atol=1e-6)
print(f"on ice the trailer has pushed the tractor round {ice.t[-1] - 3:.1f} s after the brakes took hold")

# Look.
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
ice.animate(out / "13_semitrailer.html", notes="The driven axle locks on ice: it cannot hold the tractor straight.")
both = {"tractor": tractor, "trailer": trailer}
steer = system.prescribed["steer left steer"].motion
yaw = [unit.angular_velocity() & road.z for unit in both.values()]
across = [unit.centre.acceleration() & (road.z ^ unit.x) for unit in both.values()]
loads = {name: patch.load for name, patch in lorry.patches.items() if name.split()[0] in ("steer", "drive", "third")}
steer, *watched = bend.values(steer, *yaw, *across, *loads.values())
yaw, across, carried = np.degrees(watched[:2]), watched[2:4], np.array(watched[4:]) / 1000
fold = np.interp(bend.t, ice.t, np.degrees(ice["articulation"]), right=np.nan)
ends = {name: bend.values(*(P.position() & axis for axis in (road.x, road.y))) for name, P in
        (("tractor", tractor.centre), ("trailer", trailer.point((-12, 0, 0))))}  # fmt: skip
ends["on ice"] = ice["x"], ice["y"]
panels = [
    ("Steer angle", "°", {"front wheels": np.degrees(steer)}),
    ("Yaw rate", "°/s", dict(zip(both, yaw, strict=True))),
    ("Lateral acceleration", "m/s²", dict(zip(both, across, strict=True))),
    ("Articulation", "°", {"bend": np.degrees(bend["articulation"])}),
    ("Roll angle", "°", {"tractor": np.degrees(bend["roll"])}),
    ("Wheel loads", "kN", dict(zip(loads, carried, strict=True))),
    ("Articulation on ice, brakes at 3 s", "°", {"jackknife": fold}),
]
save_plot(plot_channels(bend.t, panels, "Semitrailer at 72 km/h", columns=2, paths=ends), out / "13_semitrailer.png")

_, rate, articulation = steady_turn(lorry, V, angle)
found = bend.speed("wz")[-1], bend["articulation"][-1]
print("yaw rate {:.5f} rad/s, articulation {:.5f} rad".format(*found))
print(f"         {rate:.5f}                    {articulation:.5f}      by the linear model")
close = np.allclose(found, [rate, articulation], rtol=0.02)
assert close and ice.status == "event", "the trailer follows as the linear model says, and on ice the lorry folds"
