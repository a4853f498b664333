"""MuJoCo's states in our words: its home position and its keyframes, as named poses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...model import Joint, System


def named_state(model: Any, joints: Sequence[Joint], qpos: Any, qvel: Any) -> tuple[dict[str, float], dict[str, float]]:
    """Coordinates and speeds by name.

    A free joint's position comes after its quaternion here, and its velocity has components in the body's axes.
    """
    coordinates: dict[str, float] = {}
    speeds: dict[str, float] = {}
    for j, joint in enumerate(joints):
        a, d = model.jnt_qposadr[j], model.jnt_dofadr[j]
        q, u = list(qpos[a : a + len(joint.q)]), list(qvel[d : d + len(joint.u)])
        if joint.type.name == "free":
            q = [*q[3:], *q[:3]]
            u = [*u[3:], *_in_body_axes(q[:4], u[:3])]
        coordinates |= {symbol.name: float(value) for symbol, value in zip(joint.q, q, strict=True)}
        speeds |= {symbol.name: float(value) for symbol, value in zip(joint.u, u, strict=True)}
    return coordinates, speeds


def _in_body_axes(quaternion: Sequence[float], vector: Sequence[float]) -> Any:
    """Rᵀ v, as v - 2w (x × v) + 2 x × (x × v)."""
    e = np.asarray(quaternion) / np.linalg.norm(quaternion)
    once = np.cross(e[1:], vector)
    return np.asarray(vector) - 2 * e[0] * once + 2 * np.cross(e[1:], once)


def add_poses(system: System, model: Any, joints: Sequence[Joint]) -> None:
    """The pose "qpos0", in which the file describes the model, and one for each keyframe.

    A joint that follows another has no state of its own.
    """
    if not joints:
        return

    def state(qpos: Any, qvel: Any) -> tuple[dict[str, float], dict[str, float]]:
        coordinates, speeds = named_state(model, joints, qpos, qvel)
        for follower in map(system.joints.__getitem__, system.couplings):
            del coordinates[follower.q[0].name], speeds[follower.u[0].name]
        return coordinates, speeds

    system.pose("qpos0", *state(model.qpos0, np.zeros(model.nv)))
    for k in range(model.nkey):
        name = model.key(k).name or f"key {k}"
        while name in system.poses:
            name += "_"
        system.pose(name, *state(model.key_qpos[k], model.key_qvel[k]))
