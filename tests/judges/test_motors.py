"""Pinocchio and MuJoCo as judges of motors: reflected inertia as armature, rotors as bodies of their own."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.expr import as_expr, evaluate
from polhode.formats import load_mjcf
from polhode.model.samples import elastic_arm

pin = pytest.importorskip("pinocchio")

Array = np.ndarray


def numbers(system: ph.System, entries: Any) -> Array:
    values = {p.symbol: float(p.value or 0) for p in system.parameters.values()}
    return np.array(evaluate([as_expr(x) for x in entries], values))


def pinocchio_twin(system: ph.System, leave_out: set[str]) -> Any:
    """The bodies and revolute joints of a system, some bodies left out, as Pinocchio's joints in the tree's order."""
    model = pin.Model()
    model.gravity.linear = numbers(system, system.gravity)
    ids: dict[str, tuple[int, Any]] = {"ground": (0, pin.SE3.Identity())}
    for joint in system.model().joints.values():
        if joint.child in leave_out:
            continue
        above, placed = ids[joint.parent]
        R = numbers(system, joint.in_parent.R.entries()).reshape(3, 3)
        seat = placed * pin.SE3(R, numbers(system, joint.in_parent.p))
        if joint.type.kind == "revolute":
            axis = numbers(system, joint.type.axis)
            above, seat = (
                model.addJoint(above, pin.JointModelRevoluteUnaligned(axis), seat, joint.name),
                pin.SE3.Identity(),
            )
        body = system.bodies[joint.child]
        inertia = numbers(system, body.inertia.entries()).reshape(3, 3)
        own = pin.Inertia(float(numbers(system, [body.mass])[0]), numbers(system, body.com), inertia)
        model.appendBodyToJoint(above, own, seat)
        ids[joint.child] = above, seat
    return model


def state(e: ph.Equations, seed: int) -> dict[str, Array]:
    q, u, ud = np.random.default_rng(seed).uniform(-1, 1, (3, len(e.u)))
    return {"q": q, "u": u, "ud": ud}


def at(e: ph.Equations, entries: Any, x: dict[str, Array]) -> Array:
    """Graphs at a state; accelerations serve as efforts too."""
    values = {p.symbol: float(p.value or 0) for p in e.system.parameters.values()}
    given = [*zip(e.q, x["q"], strict=True), *zip(e.u, x["u"], strict=True), *zip(e.udot, x["ud"], strict=True)]
    values |= {key: float(value) for key, value in [*given, *zip(e.tau, x["ud"], strict=True)]}
    return np.array(evaluate(list(entries), values))


@pytest.mark.parametrize("formalism", ["auto", "articulated_body", "poincare"])
def test_a_decoupled_geared_rotor_is_pinocchios_armature(formalism: str, agree: Any) -> None:
    s = elastic_arm("stiff", "reduced")
    e = s.derive(formalism)
    model = pinocchio_twin(s, {motor.rotor for motor in s.motors.values()})
    order = [e.speeds.index(name) for name in model.names[1:]]
    armature = [numbers(s, [m.ratio**2 * m.inertia[2]])[0] for m in s.motors.values()]
    model.armature = np.array(armature)
    data = model.createData()
    x = state(e, 1)
    agree(
        "torques",
        at(e, e.inverse_dynamics, x)[order],
        pin.rnea(model, data, *(x[key][order] for key in ("q", "u", "ud"))),
    )
    M = pin.crba(model, data, x["q"][order])
    ours = at(e, e.mass_matrix.entries(), x).reshape(M.shape)
    agree("mass matrix", ours[np.ix_(order, order)], np.triu(M) + np.triu(M, 1).T)
    theirs = pin.aba(model, data, x["q"][order], x["u"][order], x["ud"][order])
    agree("accelerations", at(e, e.forward_dynamics, x)[order], theirs)


def test_an_elastic_arm_is_pinocchios_tree_of_links_and_rotors_with_springs(agree: Any) -> None:
    s = elastic_arm("elastic", "full", damping=7)
    e = s.derive()
    model = pinocchio_twin(s, set())
    data, x = model.createData(), state(e, 2)
    order = [e.speeds.index(name) for name in model.names[1:]]
    spring = np.zeros(len(order))
    for motor in s.motors.values():
        link, rotor = e.speeds.index(motor.joint), e.speeds.index(motor.rotor)
        n, k, d = numbers(s, [motor.ratio, motor.stiffness, motor.damping])
        torque = k * (x["q"][rotor] / n - x["q"][link]) + d * (x["u"][rotor] / n - x["u"][link])
        spring[link], spring[rotor] = torque, -torque / n
    theirs = pin.aba(model, data, x["q"][order], x["u"][order], (x["ud"] + spring)[order])
    agree("accelerations", at(e, e.forward_dynamics, x)[order], theirs)


def test_a_geared_arm_is_pinocchios_tree_projected_on_the_gears(agree: Any) -> None:
    """M = Eᵀ M_all E and τ = Eᵀ τ_all with u_all = E u, rotors riding on the links."""
    s = elastic_arm("stiff", "full")
    e = s.derive()
    model = pinocchio_twin(s, set())
    data, x = model.createData(), state(e, 3)
    E = np.zeros((model.nv, len(e.u)))
    for row, name in enumerate(model.names[1:]):
        motor = s.motors[name.removesuffix(" rotor")]
        E[row, e.speeds.index(motor.joint)] = numbers(s, [motor.ratio])[0] if name == motor.rotor else 1
    agree(
        "torques", at(e, e.inverse_dynamics, x), E.T @ pin.rnea(model, data, *(E @ x[key] for key in ("q", "u", "ud")))
    )


MJCF = """
<mujoco><option gravity="0 0 -9.81"/><worldbody>
  <body><joint name="a" axis="0 0 1" armature="0.3" damping="0.1"/>
    <inertial pos="0.1 0 0.2" mass="2" diaginertia="0.1 0.2 0.3"/>
    <body pos="0.3 0 0.1"><joint name="b" axis="0 1 0" armature="0.5"/>
      <inertial pos="0 0.1 0.2" mass="1" diaginertia="0.2 0.2 0.3"/>
      <body pos="0.1 0.2 0"><joint name="c" type="slide" axis="1 0 0" armature="0.7"/><geom size="0.1" mass="0.5"/>
      </body></body></body></worldbody>
  <actuator><motor joint="a" gear="50"/><motor joint="b" gear="-20"/><motor joint="b" gear="10"/></actuator>
</mujoco>
"""


def test_an_actuators_own_armature_counts_by_the_square_of_its_gear(tmp_path: Path, agree: Any) -> None:
    mujoco = pytest.importorskip("mujoco")
    path = tmp_path / "arm.xml"
    path.write_text(MJCF.replace('gear="50"', 'gear="50" armature="0.002"'))
    try:
        model = mujoco.MjModel.from_xml_path(str(path))
    except ValueError:
        pytest.skip("this MuJoCo knows no armature of actuators")
    s = load_mjcf(path)
    assert s.motors["a"].inertia[2] == as_expr("0.3") / 2500 + as_expr("0.002")
    agree_with_mujoco(mujoco, model, s, agree)


def test_mujocos_armature_is_a_decoupled_rotor_behind_its_gear(tmp_path: Path, agree: Any) -> None:
    mujoco = pytest.importorskip("mujoco")
    path = tmp_path / "arm.xml"
    path.write_text(MJCF)
    s = load_mjcf(path)
    assert {name: (motor.ratio, motor.inertia[2]) for name, motor in s.motors.items()} == {
        "a": (50, as_expr("0.3") / 2500), "b": (1, as_expr("0.5")), "c": (1, as_expr("0.7")),
    }  # fmt: skip
    model = mujoco.MjModel.from_xml_path(str(path))
    agree_with_mujoco(mujoco, model, s, agree)


def agree_with_mujoco(mujoco: Any, model: Any, s: ph.System, agree: Any) -> None:
    data, rng = mujoco.MjData(model), np.random.default_rng(4)
    data.qpos[:], data.qvel[:], data.qfrc_applied[:] = rng.uniform(-1, 1, (3, 3))
    mujoco.mj_forward(model, data)
    e = s.derive()
    ours = at(e, e.forward_dynamics, {"q": data.qpos, "u": data.qvel, "ud": data.qfrc_applied})
    agree("accelerations", ours, data.qacc)
