"""Arrows on a page: the forces that act, what joints and constraints carry, angular velocities, momentum.

    "forces"              every force element at the point where it acts
    "reactions"           the force of every joint and constraint, on the body that it carries
    "angular velocity"    of every body, at its mass centre; bodies that turn alike share one
    "momentum"            of the whole, linear and angular, at its mass centre
    a name                of a joint, a constraint, a force element or a body: its reaction, force or angular velocity

Arrows of one kind share a scale, which the page tells.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..dynamics.loads import loads_of
from ..errors import PolhodeError, name_list, unknown
from ..expr import Expr, Vector, as_expr
from ..model.forces.protocol import LineTension, PointForce
from ..model.records import GROUND
from ..simulate.initial_state import Floats
from ..simulate.trajectory.reactions import reaction_along
from ..view.scene import PALETTE, MovingLine
from .scene import size_of
from .screw_axes import velocities_along

if TYPE_CHECKING:
    from ..simulate.trajectory.trajectory import Trajectory

KINDS = ("forces", "reactions", "angular velocity", "momentum")
#: How long the longest arrow of a kind is, and how thin arrows are, in the mechanism's size.
_LONGEST, _THIN = 0.8, 0.011
#: What is smaller than this part of the longest of its kind is rounding.
_ROUNDING = 1e-9
_COLORS = {
    "force": PALETTE[1], "reaction": PALETTE[3], "angular velocity": PALETTE[5], "momentum": PALETTE[0],
    "angular momentum": PALETTE[2],
}  # fmt: skip
_UNITS = {
    "force": "N", "reaction": "N", "angular velocity": "rad/s", "momentum": "kg·m/s", "angular momentum": "kg·m²/s",
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class _Vector:
    """A vector over time: what it is, of what, from where (T, 3) and how large (T, 3), in ground components."""

    kind: str
    name: str
    place: Floats
    value: Floats


def moving_arrows(run: Trajectory, wanted: str | Sequence[str]) -> list[MovingLine]:
    """The arrows that were asked for; those of one kind share a scale."""
    found = list(_Vectors(run).chosen(_names(wanted)))
    size = size_of(run.mechanism.equations, run.parameters)
    made = []
    for kind in dict.fromkeys(each.kind for each in found):
        own = [each for each in found if each.kind == kind]
        largest = max(float(np.nanmax(np.linalg.norm(each.value, axis=1), initial=0.0)) for each in own)
        if not largest > 0.0:
            continue
        for each in own:
            length = np.linalg.norm(each.value, axis=1)
            reach = _LONGEST * size / largest * each.value
            ends = np.stack([each.place, each.place + reach], axis=1)
            ends = np.where((length > _ROUNDING * largest)[:, None, None], ends, np.nan)
            told = f"at most {length.max():.3g} {_UNITS[kind]}"
            made.append(MovingLine(each.name, ends, _THIN * size, _COLORS[kind], arrow=True, told=told))
    return made


def _names(wanted: str | Sequence[str]) -> list[str]:
    return name_list(wanted, "a list of arrows", place="arrows", cure='Give ["reactions"] or names, ["hinge"].')


class _Vectors:
    def __init__(self, run: Trajectory) -> None:
        self.run, self.equations = run, run.mechanism.equations
        self.system = self.equations.system
        self.bodies = [name for name in self.system.bodies if name != GROUND]

    def chosen(self, names: Iterable[str]) -> Iterator[_Vector]:
        loads = {each.name for each in self.system.acting if each.name}
        makers: dict[str, Callable[[], Iterator[_Vector]]] = {
            "forces": self._forces,
            "reactions": self._reactions,
            "angular velocity": self._turning,
            "momentum": self._momentum,
        }
        for name in names:
            if name in makers:
                yield from makers[name]()
            elif name in self.system.joints or name in self.system.constraints:
                yield self._reaction(name)
            elif name in loads:
                yield from self._forces(name)
            elif name in self.bodies:
                yield _Vector("angular velocity", f"angular velocity of {name}", self._centre(name), self._spin(name))
            else:
                known = [*makers, *self.system.joints, *self.system.constraints, *sorted(loads), *self.bodies]
                raise unknown("arrow", name, known, place="arrows", code="E-PAGE-001")

    # ---- forces ------------------------------------------------------------------------------------------------

    def _forces(self, only: str = "") -> Iterator[_Vector]:
        loads = loads_of(self.system, self.equations.tree)
        for each in self.system.acting:
            if only and each.name != only:
                continue
            for load in each.loads:
                if isinstance(load, PointForce):
                    ends = [(load.body, load.point, 1.0)]
                elif isinstance(load, LineTension):
                    ends = [(load.body_a, load.point_a, 1.0), (load.body_b, load.point_b, -1.0)]
                else:
                    continue
                force = self._values(loads.in_ground(load)[0])
                for body, point, sign in ends:
                    name = f"{each.name or each.element.title()} on {body}"
                    yield _Vector("force", name, self._point(body, self._values(point)), sign * force)

    def _reactions(self) -> Iterator[_Vector]:
        for name in (*self.system.joints, *self.system.constraints):
            try:
                yield self._reaction(name)
            except PolhodeError:  # a condition on coordinates acts on no body
                continue

    def _reaction(self, name: str) -> _Vector:
        joint = self.system.joints.get(name)
        if joint is None:
            place = self._contact(name)
        else:
            place = self._point(joint.child, self._values(joint.in_child.p))
        force = reaction_along(self.run, name, frame=GROUND).force
        return _Vector("reaction", f"reaction of {name}", place, force)

    def _contact(self, name: str) -> Floats:
        """Where a constraint acts: there its torque, that of a force through this point, is least changed."""
        from ..dynamics.reactions import Reactions

        push = Reactions(self.equations, solved=False).pushes.get(name)
        return self._values(push.place) if push is not None else np.zeros((len(self.run.t), 3))

    # ---- motion ------------------------------------------------------------------------------------------------

    def _turning(self) -> Iterator[_Vector]:
        seen: list[Floats] = []
        for name in self.bodies:
            spin = self._spin(name)
            if any(np.allclose(spin, other, rtol=1e-9, atol=1e-12) for other in seen):
                continue
            seen.append(spin)
            yield _Vector("angular velocity", f"angular velocity of {name}", self._centre(name), spin)

    def _momentum(self) -> Iterator[_Vector]:
        about_origin, linear = self.run.momentum
        masses = {name: self._values([self.system.bodies[name].mass])[:, :1] for name in self.bodies}
        total = sum(masses.values())
        centre = sum(masses[name] * self._centre(name) for name in self.bodies) / np.where(total > 0, total, 1.0)
        yield _Vector("momentum", "momentum", centre, linear)
        about_centre = about_origin - np.cross(centre, linear)
        yield _Vector("angular momentum", "angular momentum about the mass centre", centre, about_centre)

    def _spin(self, body: str) -> Floats:
        return velocities_along(self.run, body)[0]

    # ---- places ------------------------------------------------------------------------------------------------

    @cached_property
    def _poses(self) -> tuple[Floats, Floats]:
        return self.run.poses()

    def _point(self, body: str, local: Floats) -> Floats:
        """A point of a body, in the ground."""
        if body == GROUND:
            return local
        k = self.bodies.index(body)
        positions, rotations = self._poses
        return np.asarray(positions[:, k] + np.einsum("tij,tj->ti", rotations[:, k], local))

    def _centre(self, body: str) -> Floats:
        return self._point(body, self._values(self.system.bodies[body].com))

    def _values(self, entries: Vector | Sequence[Any]) -> Floats:
        expressions: list[Expr] = [as_expr(entry) for entry in entries]
        return np.asarray(self.run.values(*expressions).T)
