"""MuJoCo: its models of our trees, contacts, limits and damping off, and its rollout of fixed steps."""

from math import hypot, log, pi, sqrt
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from ..motions import Floats, Motion
from ..scenes import Scene
from ..tree import PlainLink, PlainTree, numbers, plain_tree


def as_mjcf(tree: PlainTree, integrator: str = "Euler", timestep: float = 0.001) -> str:
    """The tree as a MuJoCo model with contacts and constraints off."""
    children: dict[int, list[int]] = {}
    for index, link in enumerate(tree.links):
        children.setdefault(link.parent, []).append(index)

    def body(index: int) -> str:
        link = tree.links[index]
        I = link.inertia
        full = (I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2])
        return (
            f'<body pos="{numbers(link.p)}" xyaxes="{numbers(link.R[:, 0])} {numbers(link.R[:, 1])}">'
            f'<inertial pos="{numbers(link.com)}" mass="{link.mass!r}" fullinertia="{numbers(full)}"/>'
            f"{_joint(link)}{''.join(map(body, children.get(index, [])))}</body>"
        )

    return (
        '<mujoco><compiler angle="radian" inertiafromgeom="false"/>'
        f'<option gravity="{numbers(tree.gravity)}" integrator="{integrator}" timestep="{timestep!r}">'
        '<flag constraint="disable" contact="disable"/></option>'
        f"<worldbody>{''.join(map(body, children.get(-1, [])))}</worldbody></mujoco>"
    )


def _joint(link: PlainLink) -> str:
    if link.kind == "free":
        return "<freejoint/>"
    return f'<joint type="{"hinge" if link.kind.startswith("R") else "slide"}" axis="{numbers(link.axis)}"/>'


class Rollout:
    """Runs by MuJoCo in steps of one length, in this thread, with the states of ours."""

    def __init__(self, motion: Motion, integrator: str, step: float) -> None:
        from mujoco import MjData, MjModel, rollout

        self.tree, self.steps = plain_tree(motion.equations.system), round(motion.duration / step)
        self.u_order = [len(self.tree.q_order) + index for index in self.tree.u_order]
        self.model = MjModel.from_xml_string(as_mjcf(self.tree, integrator, motion.duration / self.steps))
        self.data, self.rollout = MjData(self.model), rollout.Rollout(nthread=0)
        self.start, self.memory = motion.start, np.zeros((1, self.steps, 1 + len(motion.start)))

    def states(self, starts: Floats, steps: int, into: Any = None) -> Floats:
        """MuJoCo's states after each step, from starts as MuJoCo has them, a row each."""
        first = np.hstack([np.zeros((len(starts), 1)), starts])
        states, _ = self.rollout.rollout(self.model, [self.data], first, nstep=steps, state=into)
        return np.asarray(states)[:, :, 1:]

    def __call__(self) -> Floats:
        """The last state of the motion; MuJoCo has the scalar first, and linear velocity in the world's axes."""
        q, u = self.start[self.tree.q_order], self.start[self.u_order]
        if not self.tree.is_fixed_base:  # a free joint is the first
            q[3:7] = np.roll(q[3:7], 1)
            u[:3] = _rotation(q) @ u[:3]
        last = self.states(np.concatenate([q, u])[None], self.steps, self.memory)[0, -1]
        q, u = np.split(last.copy(), [len(q)])
        if not self.tree.is_fixed_base:
            u[:3] = u[:3] @ _rotation(q)
            q[3:7] = np.roll(q[3:7], -1)
        x = np.zeros(len(last))
        x[self.tree.q_order], x[self.u_order] = q, u
        return x


def _rotation(q: Floats) -> Floats:
    w, *xyz = q[3:7]
    return np.asarray(Rotation.from_quat([*xyz, w]).as_matrix())


class Touching:
    """A scene of contact in steps of one length, with options of the model as its file has them."""

    def __init__(self, scene: Scene, step: float, options: str = "") -> None:
        import mujoco

        self.steps, self.mujoco = round(scene.duration / step), mujoco
        self.model = mujoco.MjModel.from_xml_string(scene_as_mjcf(scene, options, scene.duration / self.steps))
        self.data = mujoco.MjData(self.model)
        self.speeds = scene.velocity if scene.body == "point" else (*scene.velocity, *scene.spin)

    def __call__(self) -> Floats:
        """The last position of the body's centre."""
        self.mujoco.mj_resetData(self.model, self.data)
        self.data.qvel[:] = self.speeds
        self.mujoco.mj_step(self.model, self.data, self.steps)
        return np.array(self.data.body("body").xpos)


def scene_as_mjcf(scene: Scene, options: str, step: float) -> str:
    """A scene as a model; restitution is by the damping of a spring that acts for some six steps."""
    rigid = ""
    if scene.restitution:
        decay, stiffness = -log(scene.restitution), (0.5 / step) ** 2
        damping = 2 * sqrt(stiffness) * decay / hypot(pi, decay)
        rigid = f'solref="{-stiffness!r} {-damping!r}" solimp="0.9999 0.9999 0.001"'
    laws = f'friction="{scene.friction!r} 0 0" condim="{3 if scene.friction else 1}" {rigid}'
    spheres = "".join(f'<geom type="sphere" size="{scene.radius}" pos="{numbers(p)}" {laws}/>' for p in scene.feet)
    slides = "".join(f'<joint type="slide" axis="{axis}"/>' for axis in ("1 0 0", "0 1 0", "0 0 1"))
    return (
        f'<mujoco model="scene"><option gravity="{numbers(scene.gravity)}" timestep="{step!r}" {options}/>'
        f'<worldbody><geom type="plane" size="9 9 1" {laws}/><body name="body" pos="0 0 {scene.start!r}">'
        f"{slides if scene.body == 'point' else '<freejoint/>'}"
        f'<inertial pos="0 0 0" mass="1" diaginertia="{numbers(scene.inertia)}"/>{spheres}</body></worldbody></mujoco>'
    )
