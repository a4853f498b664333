"""A synopsis of equations of motion: names, start values, and what kinds of things are in them, as plain data.

It is stored with what a model file led to. A run of a mechanism whose functions are stored needs no more than this, and
then neither reads the file nor derives equations. Nothing heavy is imported when this is loaded.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from ..constraints.unilateral import UnilateralRows
    from ..kinematics.tree import Link
    from ..model.forces.protocol import PrimitiveLoad
    from .equations import EquationsOfMotion

#: Operations whose value or derivative jumps.
JUMPING = ("sign", "abs", "min", "max", "floor")
_FLAGS = (
    "is_constrained", "in_pseudo_velocities", "has_charts", "is_smooth", "keeps_energy", "has_elastic_gears",
    "has_limits_of_parameters", "is_scleronomic", "has_parametric_elements",
)  # fmt: skip


class SeenLimit(NamedTuple):
    """A limit of a coordinate or speed that is `factor` x[place] + `offset`, for an entry of the state."""

    kind: str  # "coordinate" or "speed"
    name: str
    side: str  # "lower" or "upper"
    limit: float
    place: int
    factor: float
    offset: float


@dataclass(frozen=True)
class Synopsis:
    """Properties of equations of motion that are stored without the equations."""

    system: str  # its name
    coordinates: tuple[str, ...]
    speeds: tuple[str, ...]
    states: Mapping[str, float]  # without mass, and where they start
    efforts: tuple[str, ...]  # by the speeds of the tree that they act on
    joints: Mapping[str, str]  # those of one speed, with its name: other words for an effort
    inputs: Mapping[str, float]  # with the model's values
    quaternions: tuple[int, ...]  # where each begins among the coordinates
    orientations: tuple[tuple[str, int], ...]  # the same with their joints; those of a constraint are not among them
    limits: tuple[SeenLimit, ...]  # of coordinates and speeds, as far as they are seen in the state
    omitted: tuple[str, ...]  # coordinates of the mechanism that are not among these
    small_angles: tuple[str, ...]  # those to first order in which the equations are
    #: Contacts, stops and dry friction by groups: the element, its part, 1 if it has a gap, and how many tangents.
    contacts: tuple[tuple[str, str, int, int], ...]
    #: Where the rows of each group are among those of contact motion (`constraints.unilateral.Basis`); or nothing.
    contact_layout: tuple[tuple[int, int, int], ...]
    is_constrained: bool
    in_pseudo_velocities: bool  # whether speeds are pseudo-velocities that a user chose
    has_charts: bool  # whether orientations may be stored in a way that ends somewhere
    is_smooth: bool  # whether nothing that acts has a sign, an absolute value, a table or a user's function in it
    keeps_energy: bool  # whether no load, joint or constraint feeds or drains energy
    has_elastic_gears: bool  # whether there are rotors that start where their links are
    has_limits_of_parameters: bool  # whether other parameters may give other limits than these
    is_scleronomic: bool  # whether there are contacts, and they and all else are at rest where the speeds are zero
    has_parametric_elements: bool  # whether loads, constraints or contacts have numbers that parameters decide

    @cached_property
    def quaternion_groups(self) -> list[tuple[int, int]]:
        """(first index, 4) of every unit quaternion among the coordinates."""
        return [(first, 4) for first in self.quaternions]

    @classmethod
    def of(cls, equations: EquationsOfMotion) -> Synopsis:
        """The synopsis of derived equations."""
        from ..constraints import PseudoSpeeds
        from ..constraints.unilateral import unilateral_rows
        from .joint_limits import have_parameters, seen_limits

        system, tree, efforts = equations.system, equations.tree, equations.tree.speeds
        touching = unilateral_rows(system, tree) if system.contacts else None
        orientations = [
            (link.joint, equations.places[link.coordinates[0]])
            for link in tree.links
            if link.stage.storage == "quaternion" and link.coordinates[0] in equations.places
        ]
        return cls(
            system.name,
            tuple(equations.coordinates),
            tuple(equations.speeds),
            {name: float(state.start) for name, state in system.states.items()},
            tuple(efforts),
            joints_of_one_speed(equations),
            {name: 0.0 if entry.value is None else float(entry.value) for name, entry in system.inputs.items()},
            tuple(equations.quaternions),
            tuple(orientations),
            seen_limits(equations, {}),
            tuple(q.name for q in equations.omitted),
            _small_angles(equations),
            *(((), ()) if touching is None else _contacts(touching)),
            bool(system.constraints),
            isinstance(equations.dependent_speeds, PseudoSpeeds),
            any(_may_end(link) for link in tree.links),
            _is_smooth(equations),
            keeps_energy(equations),
            any(motor.is_elastic for motor in system.motors.values()),
            have_parameters(equations),
            touching is not None and _is_scleronomic(equations, touching),
            bool(system.parametric),
        )

    @property
    def data(self) -> dict[str, Any]:
        """It as JSON can hold it."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Synopsis:
        """The synopsis that was put out as data; raises ValueError, TypeError or KeyError where that is none."""
        synopsis = cls(
            str(data["system"]),
            _names(data["coordinates"]),
            _names(data["speeds"]),
            {str(name): float(value) for name, value in data["states"].items()},
            _names(data["efforts"]),
            {str(name): str(speed) for name, speed in data["joints"].items()},
            {str(name): float(value) for name, value in data["inputs"].items()},
            tuple(int(first) for first in data["quaternions"]),
            tuple((str(joint), int(first)) for joint, first in data["orientations"]),
            tuple(SeenLimit(*entry) for entry in data["limits"]),
            _names(data["omitted"]),
            _names(data["small_angles"]),
            tuple((str(name), str(part), int(gap), int(count)) for name, part, gap, count in data["contacts"]),
            tuple((int(first), int(axis), int(arm)) for first, axis, arm in data["contact_layout"]),
            *(data[flag] is True for flag in _FLAGS),
        )
        if any(not 0 <= first <= len(synopsis.coordinates) - 4 for first in synopsis.quaternions):
            raise ValueError("a quaternion lies outside the coordinates")
        for end in synopsis.limits:
            if not isinstance(end.place, int) or not 0 <= end.place < len(synopsis.coordinates) + len(synopsis.speeds):
                raise ValueError("a limit lies outside the coordinates and speeds")
            if not all(isinstance(number, float) for number in (end.limit, end.factor, end.offset)):
                raise ValueError("a limit has no numbers")
        return synopsis


def _contacts(rows: UnilateralRows) -> tuple[tuple[tuple[str, str, int, int], ...], tuple[Any, ...]]:
    """The groups of contacts, and their layout where some of them share a twist."""
    groups = tuple((name, group.part, int(group.gap is not None), group.tangents) for name, group in rows.groups)
    return groups, tuple(rows.basis.layout) if rows.basis.arms else ()


def joints_of_one_speed(equations: EquationsOfMotion) -> dict[str, str]:
    """Joints with one speed that has another name, which an effort acts on: other words for that effort."""
    efforts = equations.tree.speeds
    return {
        name: joint.u[0].name
        for name, joint in equations.system.joints.items()
        if len(joint.u) == 1 and name not in efforts and joint.u[0].name in efforts
    }


def _names(names: Any) -> tuple[str, ...]:
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ValueError("names are missing")
    return tuple(names)


def _may_end(link: Link) -> bool:
    """Whether a link's coordinates are vector-parameters, or three or more without a quaternion among them."""
    storage = link.stage.storage
    return storage == "vector" or (storage != "quaternion" and len(link.coordinates) > 2)


def _is_smooth(equations: EquationsOfMotion) -> bool:
    from ..expr import topological
    from ..expr.node import CALL
    from ..model.expressions import expressions_of

    nodes = topological(expressions_of(equations.system))
    return not any(node.op == CALL or node.op in JUMPING for node in nodes)


def keeps_energy(equations: EquationsOfMotion) -> bool:
    """Whether energy is conserved exactly and known; of truncated equations to their order."""
    if equations.small is not None or equations.omitted or equations.system.contacts:
        return False
    return all(map(_is_potential, equations.system.primitive_loads)) and not _is_rheonomic(equations)


def _is_scleronomic(equations: EquationsOfMotion, rows: UnilateralRows) -> bool:
    from ..expr import substitute

    constraints = equations.constraints
    rates = [*equations.coordinate_rates, *rows.velocities]
    rates += [] if constraints is None else [row.rate for row in constraints.rows]
    return not any(substitute(rates, dict.fromkeys([*equations.tree.u, *equations.u], 0)))


def _small_angles(equations: EquationsOfMotion) -> tuple[str, ...]:
    """Small coordinates that turn something."""
    if equations.small is None:
        return ()
    turning = {
        equations.tree.q[k]
        for link in equations.tree.links
        for k, h in zip(link.coordinates, link.stage.algebra, strict=False)
        if any(h[:3])
    }
    return tuple(q.name for q in equations.small.coordinates if q in turning)


def _is_potential(load: PrimitiveLoad) -> bool:
    """Whether all energy that a load absorbs is potential energy."""
    from ..model.forces.protocol import LineTension, PointForce, PotentialEnergy

    if isinstance(load, PointForce):
        return load.energy is not None
    return isinstance(load, PotentialEnergy) or (isinstance(load, LineTension) and not load.tension)


def _is_rheonomic(equations: EquationsOfMotion) -> bool:
    """Whether a joint, a placement, a constraint or an end of a spring depends on time, and so does work."""
    from ..expr import as_expr, free_symbols
    from ..model.forces.protocol import LineTension, PointForce

    constraints, drives = equations.constraints, [link.drive for link in equations.tree.links]
    moves = constraints is not None and constraints.do_work
    moves = moves or any(any((*drive.w, *drive.v)) for drive in drives if drive is not None)
    loads = [load for load in equations.system.primitive_loads if _is_potential(load)]
    entries = [x for load in loads for x in ((*load.point_a, *load.point_b) if isinstance(load, LineTension) else ())]
    entries += [x for load in loads for x in (load.point if isinstance(load, PointForce) else ())]
    entries += [load.energy for load in loads]  # type: ignore[union-attr]  # potential loads have one
    return moves or equations.system.time in free_symbols([as_expr(entry) for entry in entries])
