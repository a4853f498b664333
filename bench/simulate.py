"""How fast a motion is computed: work and precision beside other engines, and the ratios that were asked for."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from . import fixed_steps, many_runs, run_ratios
from .motions import ANYMAL_FLIGHT, PANDA_FALL, UR5_FALL, Motion
from .table import Curve, Row, Timing
from .work_precision import OURS, SECTION, all_motions, compared, curves

#: Of robots a quarter of heyoka's time was asked for.
_ROBOTS = (UR5_FALL, PANDA_FALL, ANYMAL_FLIGHT)
_ROBOT_RATIO = 4.0


def rows(quick: bool, say: Callable[[str], None]) -> list[Row]:
    """The section's tables."""
    motions = all_motions(quick)
    drawn = curves(motions, quick, say)
    return [
        *fixed_steps.rows(quick, say),
        *drawn,
        *(row for motion in motions for row in beside_all(motion, drawn)),
        *run_ratios.rows(quick, say),
        *many_runs.rows(quick, say),
    ]


def beside_all(motion: Motion, drawn: Sequence[Curve]) -> list[Timing]:
    """Ours beside heyoka and beside each other engine, at the error of theirs where ours gains least."""
    made = []
    for peer in (curve.engine for curve in drawn if curve.case == motion.name):
        found = None if peer.startswith(OURS) else compared(drawn, motion.name, peer)
        if found is None:
            continue
        error, own, theirs = found
        goal = _ROBOT_RATIO if peer == "heyoka" and motion in _ROBOTS else 1.0
        note = f"at its error {error:.0e}"
        if math.isinf(own):
            made.append(
                Timing(
                    SECTION,
                    motion.name,
                    "at equal error",
                    None,
                    peer,
                    theirs,
                    goal,
                    note=f"ours does not reach {error:.0e}",
                )
            )
        else:
            made.append(Timing(SECTION, motion.name, "at equal error", own, peer, theirs, goal, note=note))
    return made
