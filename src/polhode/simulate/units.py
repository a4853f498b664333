"""What each coordinate and speed is measured in."""

from __future__ import annotations

from collections.abc import Sequence

from ..constraints import PseudoSpeeds
from ..dynamics.equations import EquationsOfMotion
from ..expr import Expr, Vector
from ..model.constraints.protocol import LoopConstraint
from ..model.stage import Stage

ANGLE, LENGTH, QUATERNION, VECTOR, PARAMETER = "rad", "m", "quaternion", "tan θ/2", "of a curve"
#: Titles for the groups, in the order in which they are shown.
COORDINATE_GROUPS = {
    ANGLE: "Angles",
    LENGTH: "Positions",
    QUATERNION: "Orientations, as quaternions",
    VECTOR: "Orientations, as vector-parameters",
    PARAMETER: "Parameters of curves",
}
PSEUDO = "of a choice"
SPEED_GROUPS = {"rad/s": "Angular speeds", "m/s": "Speeds", PSEUDO: "Pseudo-velocities"}


def coordinate_units(equations: EquationsOfMotion) -> list[str]:
    """One of rad, m, quaternion, tan θ/2 and a curve's parameter for each coordinate."""
    units = [ANGLE] * len(equations.tree.q)
    for link in equations.tree.links:
        if not link.coordinates:  # it follows another joint, or its motion is prescribed
            continue
        for k, unit in zip(link.coordinates, _stage_units(link.stage), strict=True):
            units[k] = unit
    for indices, auxiliary in equations.tree.auxiliary_indices:
        constraint = equations.system.constraints[auxiliary.of]
        own = list(constraint.coordinates.values())
        if isinstance(constraint, LoopConstraint) and constraint.closing_joint is not None:
            own = [unit for stage in constraint.closing_joint.stages for unit in _stage_units(stage)]
        units[indices[0] : indices[-1] + 1] = own
    return equations.kept(units)


def _stage_units(stage: Stage) -> list[str]:
    if stage.is_vector_turn:
        return [VECTOR]
    stored = {"quaternion": [QUATERNION] * 4, "vector": [VECTOR] * 3}.get(stage.storage, [])
    return [*stored, *(_unit(h) for h in stage.algebra[3 if stored else 0 :])]


def speed_units(equations: EquationsOfMotion) -> list[str]:
    """rad/s or m/s for each speed; a screw's is that of its angle. Of pseudo-velocities of a user it is not known."""
    units, chosen = _tree_units(equations), equations.dependent_speeds
    if isinstance(chosen, PseudoSpeeds) and chosen.keeps_units:
        return [f"{unit}/s" for unit in units.values()]
    return [f"{units[u]}/s" if u in units else PSEUDO for u in equations.u]


def effort_units(equations: EquationsOfMotion) -> list[str]:
    """N m or N for each effort, on all speeds of the tree."""
    return ["N m" if unit == ANGLE else "N" for unit in _tree_units(equations).values()]


def _tree_units(equations: EquationsOfMotion) -> dict[Expr, str]:
    """rad or m for each speed of the tree, in their order."""
    units = dict.fromkeys(equations.tree.u, ANGLE)
    for link in equations.tree.links:
        if link.coordinates:
            for k, h in zip(link.speeds, link.stage.H.columns, strict=True):
                units[equations.tree.u[k]] = _unit(h)
    return units


def _unit(h: Vector | Sequence[object]) -> str:
    return ANGLE if any(h[:3]) else LENGTH


def units_of(equations: EquationsOfMotion) -> dict[Expr, str]:
    """Units by symbol, as far as they are known: of coordinates, speeds, efforts, states, inputs and parameters.

    >>> import polhode as ph
    >>> s = ph.System("slider")
    >>> _ = s.joint("x", s.ground, s.body("block", 1), "prismatic")
    >>> [(str(symbol), unit) for symbol, unit in units_of(s.derive().record).items()]
    [('x', 'm'), ("x'", 'm/s'), ('tau_x', 'N')]
    """
    system = equations.system
    made: dict[Expr, str] = {}
    for joint in system.joints.values():
        coordinates = [unit for stage in joint.type.stages for unit in _stage_units(stage)]
        speeds = [_unit(h) for stage in joint.type.stages for h in stage.H.columns]
        made |= dict(zip(joint.q, coordinates, strict=False)) | {
            u: f"{unit}/s" for u, unit in zip(joint.u, speeds, strict=False)
        }
        made |= {tau: "N·m" if unit == ANGLE else "N" for tau, unit in zip(joint.tau, speeds, strict=False)}
    made |= dict(zip(equations.q, coordinate_units(equations), strict=True))
    made |= dict(zip(equations.u, speed_units(equations), strict=True))
    for table in (system.states, system.inputs, system.parameters):
        made |= {each.symbol: each.unit for each in table.values()}
    plain = (QUATERNION, VECTOR, PARAMETER, PSEUDO)
    return {symbol: "" if unit in plain else unit for symbol, unit in made.items()}
