"""MuJoCo's rollout of fixed steps, on the very tree of ours; contacts, limits and damping are off."""

from __future__ import annotations

import mujoco
import numpy as np
from mujoco import rollout

from polhode import System

from .plain_tree import Floats, PlainTree, as_mjcf, plain_tree


class MuJoCo:
    """A motion by MuJoCo in steps of one length; the last state is given back as ours."""

    def __init__(self, system: System, start: Floats, duration: float, integrator: str, step: float) -> None:
        self.tree = plain_tree(system)
        self.steps = round(duration / step)
        text = as_mjcf(self.tree, integrator, duration / self.steps)
        self.model = mujoco.MjModel.from_xml_string(text)
        self.data = mujoco.MjData(self.model)
        self.first = np.concatenate([[0.0], _theirs(self.tree, start)])[None]
        self.rollout = rollout.Rollout(nthread=0)
        # A state for every step is what rollout gives; the memory for it is made once.
        self.states = np.zeros((1, self.steps, self.first.shape[1]))

    def __call__(self) -> Floats:
        """The last state."""
        self.rollout.rollout(
            self.model, [self.data], self.first, nstep=self.steps, state=self.states, skip_checks=False
        )
        return _ours(self.tree, self.states[0, -1, 1:])


def _theirs(tree: PlainTree, x: Floats) -> Floats:
    """Our state as MuJoCo has it: position before quaternion (w first), linear velocity in the world's axes."""
    q, u = x[: len(tree.q_order)][list(tree.q_order)], x[len(tree.q_order) :][list(tree.u_order)]
    for place in _free(tree):
        q[place : place + 7] = q[[place, place + 1, place + 2, place + 6, place + 3, place + 4, place + 5]]
        u[place : place + 3] = _rotation(q[place + 3 : place + 7]) @ u[place : place + 3]
    return np.concatenate([q, u])


def _ours(tree: PlainTree, state: Floats) -> Floats:
    size = len(tree.q_order)
    q, u = np.array(state[:size]), np.array(state[size:])
    for place in _free(tree):
        u[place : place + 3] = _rotation(q[place + 3 : place + 7]).T @ u[place : place + 3]
        q[place : place + 7] = q[[place, place + 1, place + 2, place + 4, place + 5, place + 6, place + 3]]
    x = np.zeros(len(state))
    x[list(tree.q_order)] = q
    x[[size + place for place in tree.u_order]] = u
    return x


def _free(tree: PlainTree) -> list[int]:
    """Where a free joint begins; it is first, if there is one."""
    if any(link.kind == "free" for link in tree.links[1:]):
        raise ValueError("a free joint that is not the first.")
    return [0] if tree.links[0].kind == "free" else []


def _rotation(quaternion: Floats) -> Floats:
    matrix = np.zeros(9)
    mujoco.mju_quat2Mat(matrix, quaternion)
    return matrix.reshape(3, 3)
