"""The rows of every constraint, by differentiating positions, in the prime field.

    φ = 0,    φ̇ = A u + a,    φ̈ = A u̇ + γ        for conditions on the position
              w = A u + a,    ẇ = A u̇ + γ        for velocities that vanish

A is what varies with each speed. Rows are not unique: twice a condition keeps the same. Those here are the ones that
`closures` and `contacts` list, by name, so that each can be compared with its like: φ, A, a and γ, entry by entry, and
not only what they span.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ...expr import Expr
from ...model.constraints import Ball, Closure, DiscOnCurve, KnifeEdge, NoSlip, Wheel
from ...model.constraints.protocol import Constraint, ContactConstraint, CoordinateConstraint, LoopConstraint
from .auxiliary import Auxiliary, Choice, Place, Stages, cut_of, gap, moved
from .closures import asked_of
from .contacts import ContactConditions, held_by_ball, held_by_disc, held_by_slip, held_by_wheel, place_of_disc
from .evaluate import NotCovered, evaluated
from .jet import Jet, Variation
from .positions import Positions
from .stated import held_by_contact, held_by_loop

#: What contacts hold, stated here a second time; any other is taken at its own word.
_CONTACTS: dict[type[Constraint], Callable[[Positions, Any, Mapping[Expr, Jet]], ContactConditions]] = {
    Wheel: held_by_wheel,
    Ball: held_by_ball,
    KnifeEdge: held_by_slip,
    NoSlip: held_by_slip,
}


@dataclass(frozen=True)
class ConstraintRow:
    """One scalar constraint at the state: φ (None on the level of speeds), A u + a, A by speed, and A u̇ + γ."""

    of: str
    part: str
    value: int | None
    rate: int
    A: Variation
    second: int

    @property
    def name(self) -> str:
        """As the equations call it: the constraint, and its part if it has one."""
        return f"{self.of} {self.part}" if self.part else self.of

    @property
    def is_trivial(self) -> bool:
        """Whether nothing that moves can change it."""
        return not (self.rate or self.second or any(self.A.values()))


def _position(of: str, part: str, phi: Jet | int) -> ConstraintRow:
    phi = Jet(phi) if isinstance(phi, int) else phi
    return ConstraintRow(of, part, phi.x, phi.d, phi.vary, phi.dd)


def _velocity(of: str, part: str, w: Jet | int, value: int | None = None) -> ConstraintRow:
    w = Jet(w) if isinstance(w, int) else w
    return ConstraintRow(of, part, value, w.x, w.vary, w.d)


@dataclass(frozen=True, eq=False)
class Conditions:
    """The constraints of a system; `choices` tell by what the equations define a constraint's own coordinates."""

    at: Positions
    choices: Mapping[str, Choice] = field(default_factory=dict)

    @cached_property
    def auxiliary(self) -> dict[str, Auxiliary]:
        """The coordinates that constraints bring with them."""
        made: dict[str, Auxiliary] = {}
        for name in self.choices:
            constraint = self.at.system.constraints[name]
            if isinstance(constraint, DiscOnCurve):
                made[name] = self._disc(constraint)
            elif isinstance(constraint, Closure) and (cut := self._cuts.get(name)) is not None:
                made[name] = self._joint(constraint, cut)
        return made

    def _disc(self, disc: DiscOnCurve) -> Auxiliary:
        chain = Place((disc.parameter,), [[1]])
        return moved(
            chain, lambda own: [place_of_disc(self.at, disc, {**own, **self._time})], len(self.at.speeds), disc.name
        )

    def _joint(self, closure: Closure, cut: int) -> Auxiliary:
        stages, names = self._stages[closure.name], self.choices[closure.name].definitions

        def definitions(own: Mapping[Expr, Jet]) -> list[Jet]:
            asked = gap(self.at, closure, stages, cut, own)
            return [asked[name] for name in names]

        return moved(stages, definitions, len(self.at.speeds), closure.name)

    @cached_property
    def _stages(self) -> dict[str, Stages]:
        closures = ((name, self.at.system.constraints[name]) for name in self.choices)
        return {name: Stages(closure) for name, closure in closures if isinstance(closure, Closure)}

    @cached_property
    def _cuts(self) -> dict[str, int | None]:
        found = {}
        for name, stages in self._stages.items():
            closure = self.at.system.constraints[name]
            if isinstance(closure, Closure):
                found[name] = cut_of(self.at, closure, stages, self.choices[name])
        return found

    @property
    def _time(self) -> dict[Expr, Jet]:
        return {self.at.system.time: Jet(self.at.system.time.fp, 1)}

    @cached_property
    def coordinates(self) -> dict[Expr, Jet]:
        """All coordinates, those of the constraints too."""
        return self.at.coordinates | {q: jet for each in self.auxiliary.values() for q, jet in each.coordinates.items()}

    @cached_property
    def rows(self) -> list[ConstraintRow]:
        """Every row of every constraint that can be told."""
        return [row for rows in self._found[0] for row in rows]

    @property
    def not_covered(self) -> list[str]:
        """The constraints that cannot be evaluated here, with the reason."""
        return [f"constraint '{name}' ({reason})" for name, reason in self.missing.items()]

    @property
    def missing(self) -> dict[str, str]:
        """For each of those, by name, the reason."""
        return self._found[1]

    @cached_property
    def _found(self) -> tuple[list[list[ConstraintRow]], dict[str, str]]:
        rows, missing = [], {}
        for constraint in self.at.system.constraints.values():
            try:
                rows.append(self._rows(constraint))
            except NotCovered as reason:
                missing[constraint.name] = str(reason)
        return rows, missing

    def _rows(self, constraint: Constraint) -> list[ConstraintRow]:
        name, symbols = constraint.name, self.coordinates | self._time
        if isinstance(constraint, Closure):
            return self._closure(constraint)
        if isinstance(constraint, DiscOnCurve):
            if name not in self.auxiliary:
                return []
            values, rates = held_by_disc(self.at, constraint, symbols)
            return [_velocity(name, part, rate, values.get(part)) for part, rate in rates.items()]
        if isinstance(constraint, CoordinateConstraint):
            positions, speeds = self._held_by_condition(constraint)
        elif isinstance(constraint, LoopConstraint):
            positions, speeds = held_by_loop(self.at, constraint, symbols)
        elif isinstance(constraint, ContactConstraint):
            positions, speeds = _CONTACTS.get(type(constraint), held_by_contact)(self.at, constraint, symbols)
        else:
            raise NotCovered("a constraint of no known form")
        made = [_position(name, part, phi) for part, phi in positions.items()]
        return made + [_velocity(name, part, w) for part, w in speeds.items()]

    def _held_by_condition(self, condition: CoordinateConstraint) -> ContactConditions:
        resting = {q: jet.at_rest() for q, jet in self.coordinates.items()} | self._time
        moving = {
            speed: Jet(x, d, 0, {k: 1})
            for k, (speed, x, d) in enumerate(zip(self.at.speeds, self.at.u, self.at.ud, strict=True))
        }
        known = self.coordinates | self._time
        return (
            {part: evaluated(self.at.meant(phi), known, order=2) for part, phi in condition.positions.items()},
            {part: evaluated(self.at.meant(w), resting | moving, order=1) for part, w in condition.speeds.items()},
        )

    def _closure(self, closure: Closure) -> list[ConstraintRow]:
        direct = asked_of(self.at, closure)
        name = closure.name
        if direct is not None:
            return [_position(name, part, phi) for part, phi in direct.items()]
        own, cut = self.auxiliary.get(name), self._cuts.get(name)
        if own is None or cut is None:
            return []
        asked = gap(self.at, closure, self._stages[name], cut, own.coordinates)
        rest = {part: phi for part, phi in asked.items() if part not in self.choices[name].definitions}
        beyond = [own.speeds[k] for k in self._stages[name].beyond]
        made = [_position(name, part, phi) for part, phi in rest.items()]
        return made + [_velocity(name, f"beyond {k}", w) for k, w in enumerate(beyond, start=1)]
