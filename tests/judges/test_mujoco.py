"""MuJoCo as judge: the accelerations of `mj_forward` on models that both engines are given in their own words.

Both number joints depth first. MuJoCo's hinges and slides have our speeds; a free joint's velocity is (velocity in
world axes, angular velocity in body axes), so its acceleration is turned before it is compared:
d(R v)/dt = R (v̇ + ω × v).
"""

from typing import Any

import numpy as np
import pytest
from tests.seeds import seeds

import polhode as ph
from polhode.expr import evaluate

mujoco = pytest.importorskip("mujoco")

OPTION = '<option gravity="0 0 -9.81"><flag contact="disable"/></option><compiler angle="radian"/>'


def inertial(mass: float, com: tuple[float, ...], moments: tuple[float, ...]) -> str:
    xx, yy, zz, xy, xz, yz = moments
    place = " ".join(map(str, com))
    return f'<inertial mass="{mass}" pos="{place}" fullinertia="{xx} {yy} {zz} {xy} {xz} {yz}"/>'


def accelerations(model: Any, q: Any, v: Any, tau: Any) -> np.ndarray:
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:], data.qfrc_applied[:] = q, v, tau
    mujoco.mj_forward(model, data)
    return np.array(data.qacc)


def ours(system: ph.System, q: Any, u: Any, tau: Any, formalism: str) -> np.ndarray:
    made = system.derive(formalism)
    values = dict(zip([*made.q, *made.u, *made.tau], [*q, *u, *tau], strict=True))
    return np.array(evaluate(made.forward_dynamics, values))


UPPER, LOWER = (0.4, 0.5, 0.2, 0.01, -0.02, 0.03), (0.2, 0.3, 0.15, 0.0, 0.01, -0.02)


def double_pendulum() -> tuple[ph.System, str]:
    system = ph.System("double pendulum")
    upper = system.body("upper", mass=2, com=(0.1, 0, -0.5), inertia=UPPER)
    lower = system.body("lower", mass=1.5, com=(0, 0.2, -0.4), inertia=LOWER)
    system.joint("shoulder", system.ground, upper, ph.Revolute("y"))
    system.joint("elbow", upper, lower, ph.Revolute("y"), at=(0, 0, -1))
    return (
        system,
        f"""<mujoco>{OPTION}<worldbody>
      <body><joint type="hinge" axis="0 1 0"/>{inertial(2, (0.1, 0, -0.5), UPPER)}
        <body pos="0 0 -1"><joint type="hinge" axis="0 1 0"/>{inertial(1.5, (0, 0.2, -0.4), LOWER)}</body>
      </body></worldbody></mujoco>""",
    )


#: parent, joint, axis, place, turn about z, mass, com
ARM: list[tuple[int, str, tuple[int, ...], tuple[float, ...], float, float, tuple[float, ...]]] = [
    (-1, "hinge", (0, 0, 1), (0, 0, 0.3), 0.3, 4, (0.0, 0.1, 0.2)),
    (0, "hinge", (0, 1, 0), (0, 0.1, 0.4), -0.7, 3, (0.2, 0.0, 0.1)),
    (1, "slide", (3, 0, 4), (0.5, 0, 0), 0.0, 2, (0.1, -0.1, 0.0)),
    (2, "hinge", (1, 1, 0), (0, 0, 0.3), 1.1, 1, (0.0, 0.0, 0.2)),
    (1, "hinge", (1, 0, 0), (0.2, 0.3, 0), 0.4, 1.2, (0.1, 0.2, 0.3)),
]


def arm(free: bool) -> tuple[ph.System, str]:
    """A branched arm with skew axes and a slide, on the ground or on a floating body."""
    system = ph.System("arm")
    on: list[Any] = [system.ground]
    if free:
        on[0] = system.body("hull", mass=6, com=(0.1, 0.2, 0.3), inertia=(1, 1.2, 1.4, 0.1, 0.05, -0.1))
        system.joint("fly", system.ground, on[0], ph.Free())
    for k, (parent, kind, axis, at, turn, mass, com) in enumerate(ARM):
        link = system.body(f"link {k}", mass=mass, com=com, inertia=UPPER)
        made = ph.Revolute(axis) if kind == "hinge" else ph.Prismatic(axis)
        system.joint(f"joint {k}", on[parent + 1], link, made, at=at, rotation=[("z", turn)])
        on.append(link)
    inner = "".join(element(k) for k, row in enumerate(ARM) if row[0] == -1)
    if free:
        hull = inertial(6, (0.1, 0.2, 0.3), (1, 1.2, 1.4, 0.1, 0.05, -0.1))
        inner = f"<body><freejoint/>{hull}{inner}</body>"
    return system, f"<mujoco>{OPTION}<worldbody>{inner}</worldbody></mujoco>"


def element(k: int) -> str:
    _, kind, axis, at, turn, mass, com = ARM[k]
    beyond = "".join(element(child) for child, row in enumerate(ARM) if row[0] == k)
    pos, direction = " ".join(map(str, at)), " ".join(map(str, axis))
    joint = f'<joint type="{kind}" axis="{direction}"/>'
    return f'<body pos="{pos}" euler="0 0 {turn}">{joint}{inertial(mass, com, UPPER)}{beyond}</body>'


@pytest.mark.parametrize("formalism", ["poincare", "composite_body", "articulated_body"])
@pytest.mark.parametrize("make", [double_pendulum, lambda: arm(free=False)], ids=["double pendulum", "arm"])
@pytest.mark.parametrize("seed", seeds(2, of=3))
def test_mujoco_accelerates_a_fixed_mechanism_alike(seed: int, make: Any, formalism: str, agree: Any) -> None:
    system, text = make()
    model = mujoco.MjModel.from_xml_string(text)
    q, u, tau = np.random.default_rng(seed).uniform(-2, 2, (3, model.nv))
    agree("accelerations", ours(system, q, u, tau, formalism), accelerations(model, q, u, tau))


@pytest.mark.parametrize("formalism", ["poincare", "composite_body", "articulated_body"])
@pytest.mark.parametrize("seed", seeds(2, of=3))
def test_mujoco_accelerates_a_floating_arm_alike(seed: int, formalism: str, agree: Any) -> None:
    system, text = arm(free=True)
    model = mujoco.MjModel.from_xml_string(text)
    dice = np.random.default_rng(seed)
    e, p, angles = dice.normal(size=4), dice.uniform(-1, 1, 3), dice.uniform(-2, 2, 5)
    e /= np.linalg.norm(e)
    u, tau = dice.uniform(-1, 1, (2, 11))
    rotation = np.empty(9)
    mujoco.mju_quat2Mat(rotation, e)
    R, w, v = rotation.reshape(3, 3), u[:3], u[3:6]
    theirs = accelerations(model, [*p, *e, *angles], [*(R @ v), *w, *u[6:]], [*(R @ tau[3:6]), *tau[:3], *tau[6:]])
    rates = ours(system, [*e, *p, *angles], u, tau, formalism)
    in_their_words = [*(R @ (rates[3:6] + np.cross(w, v))), *rates[:3], *rates[6:]]
    agree("accelerations", in_their_words, theirs)


@pytest.mark.parametrize("make", [double_pendulum, lambda: arm(free=False)], ids=["double pendulum", "arm"])
@pytest.mark.parametrize("seed", seeds(2, of=3))
def test_mujoco_finds_the_same_wrench_in_every_joint(seed: int, make: Any, agree: Any) -> None:
    system, text = make()
    model = mujoco.MjModel.from_xml_string(text)
    q, u, tau = np.random.default_rng(seed).uniform(-2, 2, (3, model.nv))
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:], data.qfrc_applied[:] = q, u, tau
    mujoco.mj_forward(model, data)
    mujoco.mj_rnePostConstraint(model, data)
    functions = system.derive().compile(cache=False)
    for body, name in enumerate(functions.equations.speeds, start=1):
        torque, force = functions.reaction(name, q, u, tau, at="ground", frame="ground")
        theirs = data.cfrc_int[body]  # about the mass centre of all, in world axes
        agree(f"force in {name}", force, theirs[3:])
        agree(f"torque in {name}", torque, theirs[:3] + np.cross(data.subtree_com[model.body_rootid[body]], theirs[3:]))
