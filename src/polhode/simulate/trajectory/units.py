"""What each coordinate and speed is measured in."""

from __future__ import annotations

from ...constraints import PseudoSpeeds
from ...dynamics.equations import EquationsOfMotion
from ...expr import Expr
from ...model.constraints.protocol import LoopConstraint
from ...model.lookup import symbol_units
from ...model.stage import ANGLE, LENGTH, QUATERNION, VECTOR

PARAMETER = "of a curve"
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
        for k, unit in zip(link.coordinates, link.stage.coordinate_units, strict=True):
            units[k] = unit
    for indices, auxiliary in equations.tree.auxiliary_indices:
        constraint = equations.system.constraints[auxiliary.of]
        joint_units = list(constraint.coordinates.values())
        if isinstance(constraint, LoopConstraint) and constraint.closing_joint is not None:
            joint_units = [unit for stage in constraint.closing_joint.stages for unit in stage.coordinate_units]
        units[indices[0] : indices[-1] + 1] = joint_units
    return equations.kept(units)


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
            for k, unit in zip(link.speeds, link.stage.speed_units, strict=True):
                units[equations.tree.u[k]] = unit
    return units


def units_of(equations: EquationsOfMotion) -> dict[Expr, str]:
    """Units by symbol, as far as they are known: of coordinates, speeds, efforts, states, inputs and parameters."""
    units = symbol_units(equations.system)
    units |= dict(zip(equations.q, coordinate_units(equations), strict=True))
    units |= dict(zip(equations.u, speed_units(equations), strict=True))
    plain = (QUATERNION, VECTOR, PARAMETER, PSEUDO, "1")
    return {symbol: "" if unit in plain else unit for symbol, unit in units.items()}


def units_by_kind(equations: EquationsOfMotion) -> dict[tuple[str, str], str]:
    """The same by kind, such as "coordinate", and name."""
    return {(symbol.data[0], symbol.name): unit for symbol, unit in units_of(equations).items()}
