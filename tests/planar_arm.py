"""A two-link arm in a vertical plane, all of it in symbols, and runs along a reference that start on it."""

from typing import Any

import numpy as np

import polhode as ph

#: A path, and where it begins.
PATH = {"q1": "sin(t)", "q2": "cos(2*t)/2"}
ON_PATH: dict[str, Any] = {"start": {"q1": 0, "q2": 0.5}, "speeds": {"q1": 1}}


def planar_arm(links: int = 2, inputs: bool = False) -> ph.System:
    """Links of masses m and lengths l, their mass at the tip, and a frame `hand` there; with inputs T behind gears."""
    s = ph.System("arm", gravity=(0, "-9.81", 0))
    carrier: Any = s.ground
    at: Any = 0
    for k, (mass, length) in enumerate(zip(("2", "1", "0.5"), ("0.8", "0.5", "0.3"), strict=True), start=1):
        if k > links:
            break
        m, l = s.parameter(f"m{k}", mass), s.parameter(f"l{k}", length)
        body = s.body(f"link {k}", m, com=(l, 0, 0))
        joint = s.joint(f"q{k}", carrier, body, ph.Revolute("z"), at=(at, 0, 0))
        if inputs:
            s.joint_force(joint, (k + 1) * s.input(f"T{k}"))
        carrier, at = body, l
    s.frame("hand", carrier, at=(at, 0, 0))
    return s


def off_path(run: Any) -> float:
    """How far a run is from the path at most."""
    return float(max(np.abs(run["q1"] - np.sin(run.t)).max(), np.abs(run["q2"] - np.cos(2 * run.t) / 2).max()))
