"""A hammer, held at its grip and thrown: in Sayers' speeds turning and flying come apart by themselves.

Run: python examples/39_sayers_speeds.py [folder for the pictures]
"""

import sys
from pathlib import Path

import numpy as np

import polhode as ph

# Describe: a handle along x, a head at its end; the frame, whose place the coordinates tell, is at the grip.
hammer = ph.System("hammer")
m, c = hammer.parameter("m", 0.85, unit="kg"), hammer.parameter("c", 0.25, unit="m")
inertia = [hammer.parameter(name, value, unit="kg m2") for name, value in (("I1", 8e-4), ("I2", 6e-3), ("I3", 5.6e-3))]
handle = ph.Shape("cylinder", (0.012, 0.3), at=(0.15, 0, 0), rotation=("y", ph.pi / 2))
head = ph.Shape("cylinder", (0.024, 0.1), at=(0.3, 0, 0))
body = hammer.body("hammer", m, com=(c, 0, 0), inertia=inertia, shapes=[handle, head])
hammer.joint("flight", hammer.ground, body, ph.Free())
hammer.pose("thrown", {"flight_z": 1.5}, {"flight_vx": 2, "flight_vz": 4, "flight_wx": 1, "flight_wy": 9})

# Derive: Kane's method in the velocities of the grip, and in the paper's, of the mass centre along the hammer's axes.
own = hammer.derive("kane")
his = hammer.derive("kane", speeds="sayers", tables=True)
print("speeds:", ", ".join(his.speeds))
for made, whose in ((own, "the grip's"), (his, "the paper's")):
    empty = sum(entry == 0 for entry in made.mass_matrix.entries())
    print(f"M in {whose} speeds has {empty} zeros of 36")
tables = his.sayers_tables
print("M, on its diagonal:", ", ".join(str(tables.mass_matrix[k, k]) for k in range(6)))
for k, entry in enumerate(tables.forcing, start=1):
    print(f"f{k} =", entry)
print("operations         M    f   q'  all")
functions = ("mass_matrix", "bias", "coordinate_rates", "state_rates")
for way in tables.costs:
    print(f"{way:16}", " ".join(f"{tables.costs_of(name)[way].total:4}" for name in functions))

# Simulate: thrown by the grip's velocities, from which the paper's follow.
run = his.simulate(0.9, start="thrown", rtol=1e-11, atol=1e-11)
other = own.simulate(0.9, start="thrown", rtol=1e-11, atol=1e-11)
apart = np.abs(run.q[-1] - other.q[-1]).max()
_, push = run.momentum
velocity = push / 0.85  # of the mass centre

# Look.
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
run.animate(out / "39_sayers_speeds.html", notes="The grip swings about the mass centre, which falls as a stone does.")
run.plot(out / "39_sayers_speeds.png")

fall = np.abs(velocity - velocity[0] - np.outer(run.t, (0, 0, -9.81))).max()
print(f"both ways end within {apart:.0e}; the mass centre falls freely within {fall:.0e} m/s")
assert fall < 1e-8 and apart < 1e-8, "the mass centre of a thrown hammer falls as a stone does"
