"""The efforts that the actuators of a compiled model can exert on a joint.

An actuator exerts gear · force on its joint. Its force keeps within `forcerange`; that of a plain motor, gain · control
or a filter of it, also follows from `ctrlrange`. The efforts of a joint's actuators add up, and their sum is kept
within the joint's `actuatorfrcrange`. Actuators on tendons, sites and bodies are not among them.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from .effects import disabled, turned_by
from .exact import decimal

#: A lower and an upper end; None where there is none.
Ends = tuple[Fraction | None, Fraction | None]
_OPEN: Ends = (None, None)


def effort_ranges(mujoco: Any, model: Any) -> list[Ends]:
    """The range of the effort that actuators exert on each joint."""
    own: dict[int, list[Ends]] = {}
    for k in range(getattr(model, "nactuator", model.nu)):
        j = turned_by(mujoco, model, k)
        if j is not None:
            own.setdefault(j, []).append(_range_of(mujoco, model, k))
    return [_within(_sum(own.get(j, [_OPEN])), _total(model, j)) for j in range(model.njnt)]


def _range_of(mujoco: Any, model: Any, k: int) -> Ends:
    """What one actuator exerts on its joint."""
    force = _ends(model.actuator_forcerange[k]) if model.actuator_forcelimited[k] else _OPEN
    return _times(_within(_commanded(mujoco, model, k), force), decimal(model.actuator_gear[k][0]))


def _commanded(mujoco: Any, model: Any, k: int) -> Ends:
    """The range of gain · control, where that is all the force there is."""
    filters = (mujoco.mjtDyn.mjDYN_NONE, mujoco.mjtDyn.mjDYN_FILTER, mujoco.mjtDyn.mjDYN_FILTEREXACT)
    is_plain = (
        model.actuator_gaintype[k] == int(mujoco.mjtGain.mjGAIN_FIXED)
        and model.actuator_biastype[k] == int(mujoco.mjtBias.mjBIAS_NONE)
        and model.actuator_dyntype[k] in map(int, filters)
    )
    if not is_plain or not model.actuator_ctrllimited[k] or disabled(mujoco, model, "CLAMPCTRL"):
        return _OPEN
    # some versions of MuJoCo have actuators with several controls: a plain motor has one
    place = int(getattr(model, "actuator_ctrladr", range(model.nu))[k])
    return _times(_ends(model.actuator_ctrlrange[place]), decimal(model.actuator_gainprm[k][0]))


def _total(model: Any, j: int) -> Ends:
    """What the file allows all actuators of a joint together; only some versions of MuJoCo know this."""
    limited = getattr(model, "jnt_actfrclimited", None)
    return _ends(model.jnt_actfrcrange[j]) if limited is not None and limited[j] else _OPEN


def _ends(given: Any) -> Ends:
    return decimal(given[0]), decimal(given[1])


def _times(ends: Ends, factor: Fraction) -> Ends:
    if not factor:
        return factor, factor
    lower, upper = (None if end is None else factor * end for end in ends)
    return (lower, upper) if factor > 0 else (upper, lower)


def _sum(ranges: list[Ends]) -> Ends:
    lower, upper = zip(*ranges, strict=True)
    return _added(lower), _added(upper)


def _added(ends: tuple[Fraction | None, ...]) -> Fraction | None:
    known = [end for end in ends if end is not None]
    return sum(known, Fraction(0)) if len(known) == len(ends) else None


def _within(ends: Ends, bounds: Ends) -> Ends:
    """The range of what lies between these ends and is then clamped to bounds."""
    low, high = bounds

    def clamped(end: Fraction) -> Fraction:
        end = end if low is None else max(low, end)
        return end if high is None else min(high, end)

    lower, upper = ends
    return low if lower is None else clamped(lower), high if upper is None else clamped(upper)
