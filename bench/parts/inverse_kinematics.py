"""Random reachable poses of three arms from random starts, to 1e-10 m and rad, within limits, beside a damped Newton
method around Pinocchio in Python, the loop of Pinocchio's own example with whole steps, which begins again after 40
steps; it is timed on a hundred of the poses and scaled.
"""

from collections.abc import Iterator
from functools import partial
from math import pi
from typing import Any

import numpy as np

from polhode import System, from_dh
from polhode.inverse_kinematics.numerical import coordinates_of

from ..harness import Row, Say, least_times, measure, timing
from ..mechanisms import PANDA, UR5
from ..peers.pinocchio import inverse_kinematics

PEERS = ("pin",)
_LEAST_SHARE = 0.999


def puma_560() -> System:
    """The arm of P. Corke and B. Armstrong-Hélouvry, ICRA 1994, with joints that turn freely."""
    rows = [
        (0, 0, 0, pi / 2), (0, 0, "0.4318", 0), (0, "0.15005", "0.0203", -pi / 2),
        (0, "0.4318", 0, pi / 2), (0, 0, 0, -pi / 2), (0, 0, 0, 0),
    ]  # fmt: skip
    return from_dh(rows, name="puma560")


def rows(quick: bool, say: Say) -> Iterator[Row]:
    """Three arms."""
    count, few, passes = (1000, 10, 1) if quick else (10_000, 100, 5)
    arms = ("ur5", UR5.system, "tool0"), ("panda", PANDA.system, "panda_hand_tcp"), ("puma560", puma_560, "link6")
    for name, make, tip in arms:
        say(name)
        equations = make().derive()
        known, rng = coordinates_of(equations.record, True, {}), np.random.default_rng(7)
        zero = np.zeros((count, len(equations.coordinates)))
        poses, starts = equations.compile().pose(tip, known.random(zero, rng)), known.random(zero, rng)
        solve = inverse_kinematics(equations, tip, known.lower, known.upper)

        def theirs(solve: Any = solve, given: Any = (*poses, starts)) -> float:
            return float(np.mean([solve(*each) for each in zip(*(array[:few] for array in given), strict=True)]))

        ours = partial(equations.inverse_kinematics, tip, poses, near=starts)
        share, their_share = float(ours().solved.mean()), theirs()
        least = least_times({"ours": measure(ours), "theirs": measure(theirs)}, passes)
        enough = share >= _LEAST_SHARE
        note = f"{100 * share:.2f} % solved, theirs {100 * their_share:.0f} % of {few}{'' if enough else ': too few'}"
        seconds = least["ours"] if enough else None
        yield timing(name, f"{count:,} poses", seconds, "Pinocchio", least["theirs"] * count / few, 10.0, note=note)
