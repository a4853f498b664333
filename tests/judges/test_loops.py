"""Pinocchio and MuJoCo as judges of loops: accelerations, the forces that close them, and a motion."""

from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.model.samples import four_bar

Floats = Any
#: Two arms of three hinges each, whose tips are held together: parent, axis, place, mass, mass centre.
ARMS: list[tuple[int, str, tuple[float, float, float], float, tuple[float, float, float]]] = [
    (-1, "z", (0.0, 0.0, 0.0), 2.0, (0.1, 0.0, 0.2)),
    (0, "y", (0.0, 0.0, 0.5), 1.5, (0.2, 0.1, 0.3)),
    (1, "x", (0.3, 0.0, 0.6), 1.0, (0.0, 0.2, 0.3)),
    (-1, "z", (1.0, 0.2, 0.0), 2.5, (0.0, 0.1, 0.2)),
    (3, "y", (0.0, 0.1, 0.4), 1.2, (0.1, 0.0, 0.4)),
    (4, "y", (0.0, 0.0, 0.7), 0.8, (0.0, 0.1, 0.2)),
]
MOMENTS = (0.3, 0.4, 0.5)
TIPS = ((0.1, 0.0, 0.5), (0.0, 0.1, 0.6))


def two_arms() -> ph.System:
    system = ph.System("two arms", gravity=(0, 0, -9.81))
    bodies: list[Any] = []
    for k, (parent, axis, at, mass, com) in enumerate(ARMS):
        bodies.append(system.body(f"link {k}", mass, com, MOMENTS))
        system.joint(f"j{k}", bodies[parent] if parent >= 0 else system.ground, bodies[k], ph.Revolute(axis), at=at)
    system.close("grip", bodies[2], bodies[5], "spherical", at_a=TIPS[0], at_b=TIPS[1])
    return system


def test_pinocchio_accelerates_a_loop_alike_and_finds_the_force_that_closes_it(agree: Any) -> None:
    pin = pytest.importorskip("pinocchio")
    model = pin.Model()
    model.gravity.linear = np.array([0.0, 0.0, -9.81])
    kinds = {"x": pin.JointModelRX, "y": pin.JointModelRY, "z": pin.JointModelRZ}
    joints: list[int] = []
    for k, (parent, axis, at, mass, com) in enumerate(ARMS):
        place = pin.SE3(np.eye(3), np.array(at))
        joint = model.addJoint(joints[parent] if parent >= 0 else 0, kinds[axis](), place, f"j{k}")
        model.appendBodyToJoint(joint, pin.Inertia(mass, np.array(com), np.diag(MOMENTS)), pin.SE3.Identity())
        joints.append(joint)
    tips = [pin.SE3(np.eye(3), np.array(tip)) for tip in TIPS]
    grip = pin.RigidConstraintModel(
        pin.ContactType.CONTACT_3D, model, joints[2], tips[0], joints[5], tips[1], pin.ReferenceFrame.LOCAL
    )
    data = model.createData()
    grips, held = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    grips.append(grip)
    held.append(grip.createData())
    newer = int(pin.__version__.split(".")[0]) >= 4
    pin.initConstraintDynamics(model, data, grips, *([held] if newer else []))
    equations = two_arms().derive()
    functions = equations.compile()
    made = equations.assemble({"j1": 0.4, "j2": 0.2, "j4": -0.6})
    rng = np.random.default_rng(3)
    for _ in range(5):
        state = equations.assemble(made.q + 0.1 * rng.standard_normal(6), rng.standard_normal(6))
        tau = rng.standard_normal(6)
        settings = pin.ProximalSettings(1e-14, 0.0, 1)
        theirs = pin.constraintDynamics(model, data, state.q, state.u, tau, grips, held, settings)
        agree("accelerations", functions.forward_dynamics(state.q, state.u, tau), theirs, 1e-8)
        force = held[0].contact_force.linear
        ours = functions.multipliers(state.q, state.u, tau)
        agree("size of the closing force", [np.linalg.norm(ours)], [np.linalg.norm(force)], 1e-8)
        A = functions.constraint_matrix(state.q)
        needed = functions.mass_matrix(state.q) @ theirs + functions.bias(state.q, state.u) - tau
        agree("closing force on the joints", A.T @ ours, needed, 1e-8)
        agree("efforts", functions.inverse_dynamics(state.q, state.u, theirs, multipliers=ours), tau, 1e-8)


def test_mujoco_moves_a_four_bar_alike() -> None:
    mujoco = pytest.importorskip("mujoco")
    rod = '<inertial mass="1" pos="0 0 {h}" diaginertia="{i} {i} 1e-9"/><joint type="hinge" axis="0 1 0"/>'
    short, long = rod.format(h=0.5, i=1 / 12), rod.format(h=1.0, i=4 / 12)
    model = mujoco.MjModel.from_xml_string(f"""<mujoco><option gravity="0 0 -9.81" timestep="0.0001" integrator="RK4"/>
      <worldbody><body>{short}<body name="coupler" pos="0 0 1">{long}</body></body>
      <body name="rocker" pos="2 0 0">{long}</body></worldbody>
      <equality><connect body1="coupler" body2="rocker" anchor="0 0 2" solref="-1e7 -4e3" solimp="0.9999 0.9999 1e-6"/>
      </equality></mujoco>""")
    run = four_bar().derive().simulate(0.5, start={"crank": 0.3}, speeds={"crank": 1.0}, samples=3)
    data = mujoco.MjData(model)
    model.eq_data[0][3:6] = [0, 0, 2]
    data.qpos[:], data.qvel[:] = run.q[0], run.u[0]
    for _ in range(5000):
        mujoco.mj_step(model, data)
    assert np.abs(data.qpos - run.q[-1]).max() < 2e-3, "MuJoCo's loop is stiff, not rigid"
