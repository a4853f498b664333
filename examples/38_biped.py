"""A biped walks six steps: hip and feet are planned, the trunk balances, motors and ground give what that takes.

Run: python examples/38_biped.py [folder for the pictures]
"""

import sys
from pathlib import Path

import numpy as np
from scipy.optimize import fsolve

import polhode as ph
from polhode.papers.mladenova.biped import MOTORS, Gait, biped, two_bars
from polhode.planning import quintic
from polhode.simulate import Trajectory
from polhode.simulate.trajectory.reactions import contact_of
from polhode.view.plot import plot_channels, save_plot

# Describe: the biped of Mladenova's section 10, in the air, on foot 1 and on both; its feet are points without motors.
gait = Gait(length=0.4, height=0.82, clearance=0.05, single=0.5, double=0.15, ahead=-0.025)
air, one, both = (biped(stands).derive() for stands in ({}, {1: 0}, {1: 0, 2: -gait.length}))
t, (x, z, theta, *_) = air.system.time, air.q
hip, swing = gait.hip_in_single_support(t), gait.swinging_foot(t)

# Derive, by the semi-inverse method: on one foot, the hip and the foot that swings are given, and the trunk is found.
swinging = [x - hip, z - gait.height, *(one.pose("foot 2").p[k] - swing[k // 2] for k in (0, 2))]
on_one = one.programme_control(swinging, MOTORS, pull=10).control
legs = [two_bars(place - hip, -gait.height, 0.44, 0.44) for place in (0, swing[0])]  # thighs from below, and knees
planned = [hip, 0 * t + gait.height, 0 * t, *legs[0], *legs[1]]
rest, rates = (np.array([float(e.subs({t: 0})) for e in level]) for level in (planned, [e.diff(t) for e in planned]))


def swung(lean):
    """A step on one foot, from a lean of the trunk and its rate; the angles of hips are from the trunk."""
    turned = np.outer(lean, [0, 0, 1, -1, 0, -1, 0])
    return one.simulate(gait.single, start=(rest + turned[0], rates + turned[1]), tau=on_one, samples=201)


def lacks(lean):
    """What the trunk lacks to lean after a step as before it, if it turns evenly while both feet stand."""
    end = swung(lean)
    return end["theta"][-1] + gait.double * lean[1] - lean[0], end.speed("theta")[-1] - lean[1]


step = swung(lean := fsolve(lacks, [0, 0]))
# On both feet, hip and trunk are given: three conditions for four motors, so that their efforts can be the least.
turn = quintic(t, (step["theta"][-1], step.speed("theta")[-1], 0), (*lean, 0), gait.double)
shifting = [x - gait.hip_in_double_support(t), z - gait.height, theta - turn]
on_both = both.programme_control(shifting, MOTORS, pull=10, least="effort").control
print("the whole mass is", ph.normal(air.mass_matrix[0, 0]), "and one foot bears it by", one.constraints.names)

# Simulate: each phase begins as the one before it ended; foot 1 is always the one that came down last, as in the paper.
others, pieces, clock, off = [0, 1, 2, 5, 6, 3, 4], [], 0.0, 0.0
q, u = step.q[-1], step.u[-1]
for k in range(6):
    q, u, forward = q[others] - gait.length * np.eye(7)[0], u[others], k * gait.length * np.eye(7)[0]
    for equations, law, time, feet in ((both, on_both, gait.double, (1, 2)), (one, on_one, gait.single, (1,))):
        run = equations.simulate(time, start=(q, u), tau=law, samples=201)
        if k == 0:  # the same efforts as functions of time alone lead to the same motion
            played = {motor: ph.sampled(run.t, run.effort(motor), "cubic") for motor in MOTORS}
            off = max(off, np.abs(equations.simulate(time, start=(q, u), tau=played, samples=201).q - run.q).max())
        R = [run.reaction(f"foot {i}").force if i in feet else np.zeros((201, 3)) for i in (1, 2)]
        order, R = (others, R[::-1]) if k % 2 else (range(7), R)
        pieces.append((clock + run.t, run.q[:, order] + forward, run.u[:, order], run.tau[:, order], np.stack(R, 1)))
        clock, q, u = clock + time, run.q[-1], run.u[-1]
t, q, u, tau, R = map(np.concatenate, zip(*pieces, strict=True))
made = Trajectory(t, q, u, tuple(air.coordinates), tuple(air.speeds), tau=tau, inputs=R[..., ::2].reshape(-1, 4))

# Look.
out, walk = Path(sys.argv[1] if len(sys.argv) > 1 else "out"), made.of(air)
out.mkdir(parents=True, exist_ok=True)
walk.animate(out / "38_biped.html", notes="Feet touch down at rest; R_1 and R_2 are what the ground gives.")
ground = {f"foot {i + 1}": contact_of(t, R[:, i]) for i in (0, 1)}
panels = [("Trunk", "rad", {"lean": walk["theta"]}), ("Motors", "N·m", {name: walk.effort(name) for name in MOTORS})]
panels += [("Ground", "N", dict(zip(air.system.inputs, walk.inputs.T, strict=True)))]
panels += [("Friction needed", "", {name: each.friction for name, each in ground.items()})]
save_plot(plot_channels(t, panels, title="A biped walks"), out / "38_biped.png")
print(f"trunk within {np.abs(walk['theta']).max():.3f} rad; foot 1 {ground['foot 1']}; played back within {off:.0e}")
assert not any(each.pulls for each in ground.values()) and off < 1e-4, "ground pushes, and efforts make the motion"
