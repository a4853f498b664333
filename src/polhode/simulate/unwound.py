"""Rotors behind elastic gears at the start of a run: those that are not named start where their gears are not wound.

A gear twists by q_rotor / ratio - q_link. Who names the link alone means the pose of an arm at rest on its gears, so
that the rotor starts at ratio · q_link, and with ratio · u_link.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import understood

if TYPE_CHECKING:
    from ..expr import Expr
    from ..formalisms.derivation import Derivation
    from ..model import Model

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Follower:
    """An entry of the state that a rotor's is, where the entry of its link is, and the ratio between them."""

    name: str
    rotor: int
    link: int
    ratio: Expr
    number: float


@dataclass(frozen=True)
class Unwound:
    """The rotors that nobody placed, and those whose speed nobody gave."""

    coordinates: tuple[Follower, ...] = ()
    speeds: tuple[Follower, ...] = ()

    def place(self, q: Floats) -> None:
        """Put the rotors where their links are."""
        for each in self.coordinates:
            q[each.rotor] = each.number * q[each.link]

    def turn(self, u: Floats) -> None:
        """Let the rotors turn as their links do."""
        for each in self.speeds:
            u[each.rotor] = each.number * u[each.link]

    def beside(self, A: Floats, speeds: Sequence[str]) -> Unwound:
        """Those that no constraint A u + a = 0 moves, u the speeds of these names."""
        held = {name for name, moves in zip(speeds, (A != 0).any(axis=0).tolist(), strict=True) if moves}
        return Unwound(*(tuple(x for x in part if x.name not in held) for part in (self.coordinates, self.speeds)))


def unwound(
    derivation: Derivation,
    given: Collection[str],
    given_speeds: Collection[str],
    parameters: Mapping[str, Any] | None = None,
) -> Unwound:
    """The rotors that follow at the start, by the coordinates and speeds that were named.

    >>> import polhode as ph
    >>> s = ph.System("arm")
    >>> _ = s.joint("j", s.ground, s.body("link", 1, (1, 0, 0)), ph.Revolute("y"))
    >>> _ = s.motor("j", 50, inertia=1, stiffness=100)
    >>> s.derive().simulate(0, start={"j": 0.1}).q.tolist()
    [[0.1, 5.0]]
    """
    known = derivation.synopsis
    if not known.has_elastic_gears or not (given or given_speeds):
        return Unwound()
    model = derivation.model
    found: tuple[list[Follower], list[Follower]] = ([], [])
    for motor in model.motors.values():
        if not motor.is_elastic:
            continue
        number = _value(model, motor.ratio, parameters)
        link = model.joints[motor.joint]
        for made, names, named, x in (
            (found[0], known.coordinates, given, link.q[0].name),
            (found[1], known.speeds, given_speeds, link.u[0].name),
        ):
            if number is not None and motor.rotor in names and motor.rotor not in named and x in names:
                made.append(Follower(motor.rotor, names.index(motor.rotor), names.index(x), motor.ratio, number))
    return Unwound(tuple(found[0]), tuple(found[1]))


def _value(model: Model, ratio: Expr, given: Mapping[str, Any] | None) -> float | None:
    """The ratio in numbers; where a parameter has no value none is needed, as such a run is refused."""
    from ..expr import evaluate, free_symbols

    values = {x: (given or {}).get(x.name, model.parameters[x.name].value) for x in free_symbols([ratio])}
    if None in values.values():
        return None
    with understood("a number for each parameter of a ratio", list(values.values()), place="parameters"):
        return evaluate([ratio], {x: float(value) for x, value in values.items()})[0]
