"""A mechanism that stands still: to look at a pose before anything moves."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..compiled.functions import Functions
from ..simulate.constraints.assembly import assemble
from ..simulate.trajectory.trajectory import Trajectory
from ..view.page import write_page
from .animation import warn_of_meshes
from .mesh_assets import mesh_assets_of
from .scene import drawn_motion


def still(functions: Functions, pose: Any = None, parameters: Mapping[str, Any] | None = None) -> Trajectory:
    """A single sample: a pose, home by default, brought to where its constraints are kept, at rest.

    >>> import polhode as ph
    >>> s = ph.System("slider")
    >>> _ = s.joint("slide", s.ground, s.body("block", 1), "prismatic")
    >>> still(s.derive().compile(), {"slide": 0.5})["slide"].tolist()
    [0.5]
    """
    derivation = functions.derivation
    assembly = assemble(derivation, pose, parameters=dict(parameters or {}))
    synopsis = derivation.synopsis
    return Trajectory(
        np.zeros(1),
        assembly.q[None],
        np.zeros((1, len(synopsis.speeds))),
        tuple(synopsis.coordinates),
        tuple(synopsis.speeds),
        info={"notices": assembly.notices},
        functions=functions,
        parameters=dict(parameters or {}),
        z=assembly.z[None],
        states=tuple(synopsis.states),
    )


def write_still(shown: Trajectory, path: str | os.PathLike[str], notes: str = "") -> Path:
    """Write a page of the first pose alone; it has nothing to play."""
    assets = mesh_assets_of(shown.mechanism.equations.system)
    scene, motion = drawn_motion(shown, assets)
    warn_of_meshes(assets)
    return write_page(path, scene, motion, notes=" ".join([notes, *assets.notices]).strip())
