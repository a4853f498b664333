"""MuJoCo as judge of the MJCF reader: the accelerations of `mj_forward` on the very file that was read."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polhode.expr import evaluate
from polhode.formats.mjcf import load_mjcf
from polhode.model import System

mujoco = pytest.importorskip("mujoco")

HEAD = '<compiler angle="radian"/><option gravity="0.3 -0.2 -9.81"/>'
BALL = '<geom type="sphere" size="0.1" mass="1.5" pos="0.1 0.2 0.3"/>'
FULL = '<inertial mass="2" pos="0.1 0 -0.5" fullinertia="0.4 0.5 0.2 0.01 -0.02 0.03"/>'
TURNED = '<inertial mass="1.2" pos="0.1 0.2 0.3" quat="1 2 3 4" diaginertia="0.2 0.3 0.4"/>'
DIAGONAL = '<inertial mass="0.7" pos="0 0.1 0.2" diaginertia="0.02 0.03 0.04"/>'

ARM = f"""
<body name="base" pos="0 0 0.3" euler="0 0 0.3"><joint name="a" axis="0 0 1"/>{FULL}
  <body name="upper" pos="0 0.1 0.4" euler="1.5707963267948966 0.4 0"><joint name="b" axis="0 1 0"/>{TURNED}
    <body name="fore" pos="0.5 0 0" xyaxes="1 1 0 -1 1 0"><joint name="c" axis="1 1 0.5"/>{DIAGONAL}</body>
    <body name="tool" pos="0.2 0.3 0" axisangle="1 2 3 0.7">{DIAGONAL}
      <body name="finger" quat="0 0 1 1"><joint name="d" type="slide" axis="3 0 4"/>{BALL}</body>
    </body>
  </body>
</body>"""

MODELS = {
    "double pendulum": f"""<body><joint axis="0 1 0"/>{FULL}
      <body pos="0 0 -1"><joint axis="0 1 0" damping="0.3"/>{DIAGONAL}</body></body>""",
    "arm with rotated inertias": ARM,
    "floating body with two arms": f"""<body name="hull" pos="1 2 3" quat="1 1 0 0"><freejoint name="fly"/>{TURNED}
      <body name="left" pos="0.3 0 0" euler="0.2 0 0"><joint name="l" axis="0 1 0"/>{FULL}</body>
      <body name="right" pos="-0.3 0 0"><joint name="r" axis="1 0 1" pos="0 0.1 0.2"/>{DIAGONAL}</body></body>""",
    "ball joint": f"""<body pos="0 0 1" euler="0.5 0 0">{FULL}
      <joint name="b" type="ball" pos="0.1 0.2 0.3" damping="0.7"/>
      <body pos="0 0.5 0"><joint name="h" axis="1 0 0"/>{DIAGONAL}</body></body>""",
    "slide and hinges on one body": f"""<body pos="0.1 0 0" euler="0 0.3 0">
      <joint name="s" type="slide" axis="1 0 0" ref="0.2" stiffness="20" springref="0.5"/>
      <joint name="h" axis="0 1 0" pos="0.2 0.1 -0.3" ref="0.7" stiffness="3" springref="-0.4" damping="0.5"/>
      <joint name="k" axis="0 0.6 0.8" pos="0 0.4 0"/>{FULL}</body>""",
    "gravity compensation": f"""<body gravcomp="0.6"><joint axis="0 1 0"/>{FULL}
      <body pos="0 0 -1" gravcomp="1"><joint axis="1 0 0"/>{DIAGONAL}</body></body>""",
    "masses from geoms": """<body><joint axis="0 1 0"/><geom type="capsule" size="0.1" fromto="0 0 0 0.3 0.2 -1"/>
      <geom type="box" size="0.1 0.2 0.3" pos="0 0 -0.4" euler="0.3 0.2 0.1"/>
      <body pos="0.3 0.2 -1"><joint axis="1 0 0"/>
        <geom type="ellipsoid" size="0.1 0.2 0.3" pos="0.1 0 0"/></body></body>""",
    "floating body with damping": f"""<body><joint name="fly" type="free" damping="0.4"/>{TURNED}
      <body pos="0.3 0 0"><joint name="l" axis="0 1 0"/>{FULL}</body></body>""",
}


def accelerations(system: System, model: Any, state: tuple[Any, Any, Any], formalism: str = "auto") -> list[float]:
    """Ours, in the order and the axes of MuJoCo: d(R v)/dt = R (v̇ + ω × v) for a free joint."""
    qpos, qvel, force = state
    made = system.derive(formalism)
    moving = [joint for joint in system.joints.values() if joint.q]
    values: dict[Any, float] = {}
    R_of = {}
    for j, joint in enumerate(moving):
        a, d = model.jnt_qposadr[j], model.jnt_dofadr[j]
        q, u, tau = (
            x[k : k + n] for x, k, n in ((qpos, a, len(joint.q)), (qvel, d, len(joint.u)), (force, d, len(joint.u)))
        )
        if joint.type.kind == "free":
            flat = np.empty(9)
            mujoco.mju_quat2Mat(flat, np.array(q[3:]))
            R = R_of[joint.name] = flat.reshape(3, 3)
            q, u, tau = [*q[3:], *q[:3]], [*u[3:], *(R.T @ u[:3])], [*tau[3:], *(R.T @ tau[:3])]
        values |= dict(zip([*joint.q, *joint.u, *joint.tau], [*q, *u, *tau], strict=True))
    found = dict(zip(made.u, evaluate(made.forward_dynamics, values), strict=True))
    result: list[float] = []
    for joint in moving:
        rates = [found[u] for u in joint.u]
        if joint.name in R_of:
            w, v = ([values[u] for u in joint.u[k : k + 3]] for k in (0, 3))
            rates = [*(R_of[joint.name] @ (np.array(rates[3:]) + np.cross(w, v))), *rates[:3]]
        result += rates
    return result


def random_state(model: Any, seed: int) -> tuple[Any, Any, Any]:
    """Positions near the reference with unit quaternions, velocities, applied generalized forces."""
    dice = np.random.default_rng(seed)
    qpos = np.array(model.qpos0)
    mujoco.mj_integratePos(model, qpos, dice.uniform(-1.5, 1.5, model.nv), 1.0)
    mujoco.mj_normalizeQuat(model, qpos)
    return qpos, dice.uniform(-1, 1, model.nv), dice.uniform(-2, 2, model.nv)


def theirs(model: Any, state: tuple[Any, Any, Any]) -> Any:
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:], data.qfrc_applied[:] = state
    mujoco.mj_forward(model, data)
    return np.array(data.qacc)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", MODELS)
def test_mujoco_accelerates_the_model_that_was_read_alike(name: str, seed: int, tmp_path: Path, agree: Any) -> None:
    text = f"<mujoco>{HEAD}<worldbody>{MODELS[name]}</worldbody></mujoco>"
    path = tmp_path / "model.xml"
    path.write_text(text)
    model = mujoco.MjModel.from_xml_string(text)
    state = random_state(model, seed)
    agree("accelerations", accelerations(load_mjcf(path), model, state), theirs(model, state))


@pytest.mark.parametrize("formalism", ["newton_euler", "articulated_body", "poincare"])
def test_every_formalism_takes_several_joints_on_a_body(formalism: str, tmp_path: Path, agree: Any) -> None:
    text = f"<mujoco>{HEAD}<worldbody>{MODELS['slide and hinges on one body']}</worldbody></mujoco>"
    path = tmp_path / "model.xml"
    path.write_text(text)
    model = mujoco.MjModel.from_xml_string(text)
    state = random_state(model, 5)
    agree("accelerations", accelerations(load_mjcf(path), model, state, formalism), theirs(model, state))


def test_the_model_in_mujocos_own_wheel_accelerates_alike(tmp_path: Path, agree: Any) -> None:
    """Free bodies, ball joints, pairs of hinges, a mesh, gravity compensation, springs and dampers at once."""
    shipped = Path(mujoco.__file__).parent / "testdata" / "model.xml"
    if not shipped.is_file():
        pytest.skip("this wheel ships no model")
    path = tmp_path / "model.xml"
    path.write_bytes(shipped.read_bytes())
    system = load_mjcf(path, ignore=["armature", "equality", "fluid"])
    model = mujoco.MjModel.from_xml_path(str(shipped))
    model.dof_armature[:] = 0
    mujoco.mj_setConst(model, mujoco.MjData(model))
    model.opt.density = model.opt.viscosity = 0
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_ACTUATION)
    qpos, qvel, _ = random_state(model, 1)
    # No applied forces: one body weighs 0.2 g, and what moves it would drown the others.
    state = qpos, qvel, np.zeros(model.nv)
    agree("accelerations", accelerations(system, model, state, "articulated_body"), theirs(model, state))


TENDONS = """<tendon>
  <fixed name="t" stiffness="30" damping="2" springlength="0.1 0.4"><joint joint="a" coef="0.5"/>
    <joint joint="d" coef="-1.5"/></fixed>
  <fixed name="r" stiffness="7"><joint joint="b" coef="2"/></fixed>
</tendon>"""


@pytest.mark.parametrize("seed", range(6))
def test_fixed_tendons_pull_as_mujocos_do(seed: int, tmp_path: Path, agree: Any) -> None:
    """One is slack between two lengths; some of the states are there."""
    text = f"<mujoco>{HEAD}<worldbody>{ARM}</worldbody>{TENDONS}</mujoco>"
    path = tmp_path / "model.xml"
    path.write_text(text)
    model = mujoco.MjModel.from_xml_string(text)
    state = random_state(model, seed)
    agree("accelerations", accelerations(load_mjcf(path), model, state), theirs(model, state))


ACTUATED = """
<actuator>
  <motor joint="a" gear="-20" ctrlrange="-1 2"/>
  <position joint="b" kp="30" forcerange="-4 6" gear="3"/>
  <general joint="b" gainprm="2" ctrlrange="0 1"/>
  <velocity joint="c" kv="5"/>
  <motor joint="d" gear="2" ctrlrange="-50 70"/>
  <motor joint="d" ctrlrange="-1 1"/>
</actuator>"""


def test_effort_limits_are_the_largest_forces_that_mujoco_exerts(tmp_path: Path) -> None:
    """Controls far beyond their ranges, both ways, at several states: `c` has no limits."""
    body = ARM.replace('name="d"', 'name="d" actuatorfrcrange="-60 90"')
    text = f"<mujoco>{HEAD}<worldbody>{body}</worldbody>{ACTUATED}</mujoco>"
    path = tmp_path / "model.xml"
    path.write_text(text)
    model = mujoco.MjModel.from_xml_string(text)
    data, forces = mujoco.MjData(model), []
    for seed in range(4):
        for signs in np.ndindex(*[2] * model.nu):
            data.qpos[:], data.qvel[:], _ = random_state(model, seed)
            data.ctrl[:] = 1e9 * (2 * np.array(signs) - 1)
            mujoco.mj_forward(model, data)
            forces.append(np.array(data.qfrc_actuator))
    system = load_mjcf(path)
    for joint, low, high in zip("abcd", np.min(forces, axis=0), np.max(forces, axis=0), strict=True):
        limits = system.joints[joint].effort_limits
        if joint == "c":
            assert not limits and high > 1e8
        else:
            assert [float(limits[0].lower), float(limits[0].upper)] == pytest.approx([low, high], rel=1e-12)


DRIVEN = """
<tendon><fixed name="t"><joint joint="a" coef="0.5"/><joint joint="d" coef="-2"/></fixed></tendon>
<actuator>
  <motor joint="a" gear="-20"/>
  <position joint="b" kp="30" kv="4" gear="3"/>
  <velocity joint="c" kv="5" ctrlrange="-0.5 0.5"/>
  <general joint="d" gaintype="affine" gainprm="2 0.3 -0.4" biastype="affine" biasprm="0.1 0.2 0.3" forcerange="-1 1"/>
  <motor tendon="t" gear="7"/>
</actuator>"""


@pytest.mark.parametrize("seed", range(3))
def test_actuators_are_recorded_with_the_force_that_mujoco_exerts(seed: int, tmp_path: Path) -> None:
    """f = (g0 + g1 l + g2 l̇) w + b0 + b1 l + b2 l̇ within its limits, on gear times coordinate or tendon length."""
    text = f"<mujoco>{HEAD}<worldbody>{ARM}</worldbody>{DRIVEN}</mujoco>"
    path = tmp_path / "model.xml"
    path.write_text(text)
    model = mujoco.MjModel.from_xml_string(text)
    data, rng = mujoco.MjData(model), np.random.default_rng(seed)
    data.qpos[:], data.qvel[:], _ = random_state(model, seed)
    data.ctrl[:] = rng.uniform(-3, 3, model.nu)
    mujoco.mj_forward(model, data)
    system = load_mjcf(path)
    place = {joint.name: k for k, joint in enumerate(joint for joint in system.joints.values() if joint.q)}
    efforts = np.zeros(model.nv)
    for control, each in zip(data.ctrl, system.equipment["actuators"].values(), strict=True):
        row = np.zeros(model.nv)
        if each.joint:
            row[place[each.joint]] = 1
        else:
            tendon = system.equipment["tendons"][each.tendon]
            row[[place[name] for name in tendon.joints]] = [float(c) for c in tendon.coefficients]
        row *= float(each.gear[0])
        state = np.array([1, row @ data.qpos, row @ data.qvel])
        low, high = (
            (float(x) if x is not None else s * np.inf) for x, s in ((each.control_lower, -1), (each.control_upper, 1))
        )
        force = (
            np.array(each.gain, dtype=float) @ state * np.clip(control, low, high)
            + np.array(each.bias, dtype=float) @ state
        )
        low, high = (
            (float(x) if x is not None else s * np.inf) for x, s in ((each.force_lower, -1), (each.force_upper, 1))
        )
        efforts += row * np.clip(force, low, high)
    assert efforts == pytest.approx(data.qfrc_actuator, rel=1e-12)
