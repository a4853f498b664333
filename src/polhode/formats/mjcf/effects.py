"""What acts in a MuJoCo model: effects that no System has yet, refused or left out on request, and ranges of efforts.

An actuator exerts gear · force on its joint. Its force keeps within `forcerange`; that of a plain motor, gain · control
or a filter of it, also follows from `ctrlrange`. The efforts of a joint's actuators add up, and their sum is kept
within the joint's `actuatorfrcrange`. Actuators on tendons, sites and bodies are not among them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from ...errors import PolhodeError, shown, understood
from ..findings import Findings
from .exact import decimal

#: What may be left out on request, and what it is.
IGNORABLE = {
    "armature": "motor inertia that is not on a hinge or slide (armature, on the diagonal of the mass matrix)",
    "friction": "dry friction",
    "equality": "an equality constraint of tendons or flexible bodies",
    "tendon": "a tendon that pulls by itself",
    "fluid": "the drag of a medium",
    "spring": "a spring that is not linear in one coordinate",
    "damping": "a damper that is not linear",
}

_Found = tuple[str, str, str]


def check_ignored(ignore: Collection[str]) -> None:
    """Every name in `ignore` is one of an effect."""
    with understood("a list of effects", ignore, place="ignore", cure='Write ignore=["armature"].'):
        names = [ignore] if isinstance(ignore, str) else list(ignore)
    for name in names:
        if not isinstance(name, str) or name not in IGNORABLE or isinstance(ignore, str):
            cure = f'Write ignore=["armature"]; effects are {", ".join(IGNORABLE)}.'
            raise PolhodeError(f"ignore={shown(ignore)} does not list effects.", cure=cure, code="E-ROBOT-NAME")


def disabled(mujoco: Any, model: Any, *names: str) -> bool:
    """Whether one of these flags of MuJoCo is off; versions differ in the flags they have."""
    bits = [getattr(mujoco.mjtDisableBit, f"mjDSBL_{name}", None) for name in names]
    return any(bit is not None and int(model.opt.disableflags) & int(bit) for bit in bits)


def is_active(mujoco: Any, model: Any, k: int) -> bool:
    """Whether an equality constraint is kept from the start."""
    return bool(model.eq_active0[k]) and not disabled(mujoco, model, "CONSTRAINT", "EQUALITY")


#: The kinds of equality constraints that are modelled, by the names of MuJoCo's enumeration.
_EQUALITIES = ("CONNECT", "WELD", "JOINT")


def kind_of(mujoco: Any, model: Any, k: int) -> str:
    """Which kind of those that are modelled an equality constraint is; none, if it is another."""
    types = {int(getattr(mujoco.mjtEq, f"mjEQ_{kind}")): kind for kind in _EQUALITIES}
    return types.get(int(model.eq_type[k]), "")


def check_effects(mujoco: Any, model: Any, ignore: Collection[str], findings: Findings) -> None:
    """Refuse what changes the motion and is not modelled; warn of what acts only when reached or commanded."""
    grouped: dict[tuple[str, str], list[str]] = {}
    for kind, tag, name in _unmodelled(mujoco, model):
        grouped.setdefault((kind, tag), []).append(name)
    for (kind, tag), names in grouped.items():
        place = findings.place_of(tag, names[0])
        what = f"{IGNORABLE[kind]} is not modelled{_others(names)}"
        if kind in ignore:
            findings.warn(place, f"{what}; it is left out.", "", "W-ROBOT-UNSUPPORTED")
        else:
            cure = f"Remove it from the model, or leave it out with ignore=[{kind!r}]."
            findings.problem(place, f"{what}.", cure, "E-ROBOT-UNSUPPORTED")
    for place, message, cure in _dormant(mujoco, model, findings):
        findings.warn(place, message, cure, "W-ROBOT-UNSUPPORTED")


def _others(names: list[str]) -> str:
    if len(names) == 1:
        return ""
    named = [name for name in names[1:] if name]
    listed = f": {', '.join(named[:8])}{' …' if len(named) > 8 else ''}" if named else ""
    return f" (here and {len(names) - 1} more{listed})"


def _unmodelled(mujoco: Any, model: Any) -> Iterator[_Found]:
    """(effect, tag, name) of all that acts at all times."""
    off = partial(disabled, mujoco, model)
    turning = (int(mujoco.mjtJoint.mjJNT_BALL), int(mujoco.mjtJoint.mjJNT_FREE))
    for k in range(model.njnt):
        name, dof = model.joint(k).name, model.jnt_dofadr[k]
        if model.dof_armature[dof] and model.jnt_type[k] in turning:
            yield "armature", "joint", name
        if model.dof_frictionloss[dof] and not off("CONSTRAINT", "FRICTIONLOSS"):
            yield "friction", "joint", name
        if _any(model, "dof_dampingpoly", dof) and not off("DAMPER", "PASSIVE"):
            yield "damping", "joint", name
        bent = _any(model, "jnt_stiffnesspoly", k) or _any(model, "jnt_springyield", k)
        if (bent or (model.jnt_stiffness[k] and model.jnt_type[k] in turning)) and not off("SPRING", "PASSIVE"):
            yield "spring", "joint", name
    for k in range(model.nu):
        for effect in ("armature", "damping"):
            kept = effect == "armature" and turned_by(mujoco, model, k) is not None
            if (not kept and _any(model, f"actuator_{effect}", k)) or _any(model, f"actuator_{effect}poly", k):
                yield effect, "actuator", model.actuator(k).name
    for k in range(model.neq):
        if is_active(mujoco, model, k) and not kind_of(mujoco, model, k):
            yield "equality", "equality", model.equality(k).name
    own = ("stiffness", "stiffnesspoly", "damping", "dampingpoly", "armature", "frictionloss")
    for k in range(model.ntendon):
        if any(_any(model, f"tendon_{name}", k) for name in own):
            yield "tendon", "tendon", model.tendon(k).name
    if model.opt.density or model.opt.viscosity:
        yield "fluid", "option", ""


def turned_by(mujoco: Any, model: Any, k: int) -> int | None:
    """The hinge or slide that an actuator acts on, if it does act on one."""
    acting = (int(mujoco.mjtTrn.mjTRN_JOINT), int(mujoco.mjtTrn.mjTRN_JOINTINPARENT))
    of_one_axis = (int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE))
    j = int(model.actuator_trnid[k][0])
    return j if model.actuator_trntype[k] in acting and model.jnt_type[j] in of_one_axis else None


def actuators_of(mujoco: Any, model: Any, j: int) -> list[tuple[float, float]]:
    """Gear and armature of each actuator on a hinge or slide; only some versions of MuJoCo know the latter."""
    armature = getattr(model, "actuator_armature", None)
    own = (k for k in range(model.nu) if turned_by(mujoco, model, k) == j)
    return [(float(model.actuator_gear[k][0]), 0.0 if armature is None else float(armature[k])) for k in own]


def _any(model: Any, array: str, index: int) -> bool:
    """Whether a row of an array that only some versions of MuJoCo have is not zero."""
    values = getattr(model, array, None)
    return values is not None and bool(np.any(values[index]))


def _dormant(mujoco: Any, model: Any, findings: Findings) -> Iterator[tuple[str, str, str]]:
    """(place, message, cure) of what acts only at times."""
    file = findings.file
    if model.nu:
        yield (
            findings.place_of("actuator", ""),
            f"{model.nu} {'actuator exerts' if model.nu == 1 else 'actuators exert'} no force here.",
            "Drive the joints by their efforts.",
        )
    if model.ntendon:
        yield file, f"the limits of {model.ntendon} tendons are not enforced.", ""
    colliding = int(np.count_nonzero(model.geom_contype | model.geom_conaffinity))
    if (colliding > 1 or model.npair) and not disabled(mujoco, model, "CONSTRAINT", "CONTACT"):
        yield file, f"contacts are not modelled ({colliding} geoms could touch).", ""
    limited = int(np.count_nonzero(model.jnt_limited))
    if limited and not disabled(mujoco, model, "CONSTRAINT", "LIMIT"):
        yield file, f"the limits of {limited} joints are reported, not enforced.", ""
    for k in range(1, model.nbody):
        if model.body_mocapid[k] >= 0:
            name = model.body(k).name
            yield findings.place_of("body", name), "a motion-capture body rests where the file puts it.", ""
    inactive = sum(1 for active in model.eq_active0 if not active)
    if inactive:
        yield file, f"{inactive} inactive equality constraints are left out.", ""


# ---- the efforts that actuators can exert on a joint ------------------------------------------------------------

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
