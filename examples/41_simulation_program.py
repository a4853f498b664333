"""A program to give away: a tumbling wing nut as C that needs nothing but a compiler, its values in a text file.

Run: python examples/41_simulation_program.py [folder for the pictures]
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import polhode as ph
from polhode.simulate import Trajectory

# Describe: a free body with three different moments of inertia, that spins about the middle one.
s = ph.System("wing_nut", gravity=(0, 0, 0))
A, B, C = (s.parameter(name, value, "kg m²") for name, value in (("A", 3e-6), ("B", 2e-6), ("C", 1e-6)))
nut = s.body("nut", s.parameter("m", 0.005, "kg"), inertia=(A, B, C))
s.joint("flight", s.ground, nut, ph.Free())

# Derive: Euler's equations, as functions and a main program in C.
equations = s.derive()
print("τ =", equations.inverse_dynamics[:3])
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
folder, speeds = out / "41_simulation_program", {"flight_wx": 1.0, "flight_wy": 10.0}
written = equations.export("c", folder, program=True, speeds=speeds)
names = json.loads(written[-1].read_text(encoding="utf-8"))
print(*(path.name for path in written))
print(names["command"])

# Simulate: compiled by that one command, the program reads its text file and writes a table.
run = equations.simulate(10, speeds=speeds, method="rk4")
command = names["command"].split()
if shutil.which(command[0]):
    subprocess.run(command, cwd=folder, check=True)
    program = f"./{names['program']}"
    subprocess.run([program, f"{names['program']}.txt", "table.csv"], cwd=folder, check=True)
    table = Trajectory.from_csv(folder / "table.csv", equations)
    off = np.maximum(np.abs(table.q - run.q).max(axis=1), np.abs(table.u - run.u).max(axis=1))
    print(f"the program and simulate differ by {off[:201].max():.1e} in two seconds, {off.max():.1e} in ten")
    assert off[:201].max() < 1e-12, "rounding alone, which each turn of the nut magnifies"

    # A wrong value is a sentence with file and line.
    text = folder / f"{names['program']}.txt"
    (folder / "wrong.txt").write_text(text.read_text().replace("A = 3e-06", "A = 3e-6kg"))
    wrong = subprocess.run([program, "wrong.txt"], cwd=folder, capture_output=True, text=True, check=False)
    print(wrong.stderr.strip())
    assert wrong.returncode == 1
else:
    print("there is no C compiler here: the run of simulate is shown instead.")
    table = run

# Look: the nut turns over, again and again.
for name in ("flight_wx", "flight_wy", "flight_wz"):
    plt.plot(table.t, table.u[:, equations.speeds.index(name)], label=name)
plt.xlabel("time [s]")
plt.ylabel("angular velocity in the nut [rad/s]")
plt.legend()
plt.savefig(out / "41_simulation_program.png", dpi=120)
run.animate(out / "41_simulation_program.html", notes="A spin about the middle axis does not last.")

spin = table.u[:, equations.speeds.index("flight_wy")]
assert spin.min() < -9.9 and spin.max() > 9.9, "about its middle axis it turns over"
momentum = table.u[:, :3] * [3e-6, 2e-6, 1e-6]
assert np.ptp(np.linalg.norm(momentum, axis=1)) < 1e-12, "and keeps its angular momentum"
