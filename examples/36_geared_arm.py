"""Motors on an arm: what their rotors add, what the usual reduction leaves out, and stiffer and stiffer gears.

Run: python examples/36_geared_arm.py [folder for the pictures]
"""

import sys
from pathlib import Path

import numpy as np

import polhode as ph


# Describe: two links in a plane; the rotor of the second joint rides on the first link.
def arm(coupling: str, stiffness: float | None = None) -> ph.System:
    """The arm on geared motors, or behind gears of a stiffness."""
    made = ph.System("geared arm", gravity=(0, 0, "-9.81"))
    n, Im = made.parameter("n", 80), made.parameter("Im", 2e-4, unit="kg m^2")
    m, l = made.parameter("m", 3, unit="kg"), made.parameter("l", 0.4, unit="m")
    elastic = (
        {} if stiffness is None else {"stiffness": made.parameter("k", stiffness), "damping": made.parameter("d", 5)}
    )
    carrier = made.ground
    for i, at in ((1, 0), (2, l)):
        drawn = ph.Shape("cylinder", (0.03, l), (l / 2, 0, 0), ("y", ph.pi / 2))
        link = made.body(f"link {i}", m, com=(l / 2, 0, 0), inertia=ph.rod(m, l, "x"), shapes=drawn)
        made.joint(f"j{i}", carrier, link, ph.Revolute("y"), at=(at, 0, 0))
        made.motor(f"j{i}", n, inertia=(Im / 2, Im / 2, Im), mass=m / 10, coupling=coupling, **elastic)
        carrier = link
    return made


# Derive: rotors turn n times as fast, so that they count n² times; riding along, they also couple the joints.
full, reduced = (arm(coupling).derive() for coupling in ("full", "reduced"))
change = full.mass_matrix - reduced.mass_matrix
print("what the reduction leaves out of the mass matrix:")
for row in change:
    print("  ", ph.normal(row))
terms = full.velocity_terms
print("centrifugal:", ph.normal(terms.centrifugal), "  Coriolis:", ph.normal(terms.coriolis))

# Simulate: the fall of the arm, rigid and behind stiffer and stiffer gears.
rigid = full.simulate(0.6, rtol=1e-9)
gaps = {}
for stiffness in (1e3, 1e4, 1e5):
    run = arm("full", stiffness).derive().simulate(0.6, rtol=1e-9)
    gaps[stiffness] = max(abs(run[f"j{i}"][-1] - rigid[f"j{i}"][-1]) for i in (1, 2))
    print(f"at {stiffness:8.0f} N m/rad the arm ends {gaps[stiffness]:.1e} rad from the rigid one")
loose = reduced.simulate(0.6, rtol=1e-9)
print(f"the reduction ends {abs(loose['j2'][-1] - rigid['j2'][-1]):.1e} rad from it at joint 2")

# Look.
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
rigid.animate(out / "36_geared_arm.html", notes="Its rotors, geared up eighty times, make it fall slowly.")
rigid.plot(out / "36_geared_arm.png")

assert np.diff(np.log10(list(gaps.values()))).max() < -0.7, "a gear ten times as stiff is about ten times nearer"
