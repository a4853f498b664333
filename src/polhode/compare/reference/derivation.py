"""The reference derivation: all that equations of motion can be compared with, from the model alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from ...expr import Expr
from ...expr.field import P
from ...model.model import Model
from .auxiliary import Choice
from .conditions import Conditions, ConstraintRow
from .positions import Positions
from .power import Power


@dataclass(frozen=True, eq=False)
class ReferenceDerivation:
    """A mechanism at the pseudo-random point at which its expressions have their fingerprints.

    `choices` tell by which conditions equations define the coordinates that constraints bring with them; `given` has
    the values of speeds and accelerations that are not free.

    >>> import polhode as ph
    >>> s = ph.System("pendulum")
    >>> _ = s.joint("hinge", s.ground, s.body("bob", 2, (0, 0, -3)), ph.Revolute("y"))
    >>> ReferenceDerivation(s.model()).mass_matrix
    [[18]]
    """

    system: Model
    choices: Mapping[str, Choice] = field(default_factory=dict)
    given: Mapping[Expr, int] = field(default_factory=dict)

    @cached_property
    def positions(self) -> Positions:
        return Positions(self.system, self.given)

    @cached_property
    def conditions(self) -> Conditions:
        return Conditions(self.positions, self.choices)

    @cached_property
    def power(self) -> Power:
        return Power(self.positions, self.conditions.coordinates)

    @property
    def speeds(self) -> list[Expr]:
        """The speeds, in the order of all that follows."""
        return self.positions.speeds

    @property
    def mass_matrix(self) -> list[list[int]]:
        """M."""
        return self.power.mass_matrix

    @property
    def efforts(self) -> list[int]:
        """M u̇ + bias, with symbols for u̇."""
        return self.power.efforts

    @cached_property
    def bias(self) -> list[int]:
        """What the efforts are without accelerations."""
        ud = self.positions.ud
        pairs = zip(self.efforts, self.mass_matrix, strict=True)
        return [(effort - sum(m * a for m, a in zip(row, ud, strict=True))) % P for effort, row in pairs]

    @cached_property
    def coordinate_rates(self) -> dict[Expr, int]:
        """q̇, of all coordinates."""
        return {q: jet.d for q, jet in self.conditions.coordinates.items()}

    @property
    def rows(self) -> list[ConstraintRow]:
        """The rows of the constraints."""
        return self.conditions.rows

    def drift(self, row: ConstraintRow) -> int:
        """a of a row."""
        return (row.rate - sum(row.A.get(i, 0) * u for i, u in enumerate(self.positions.u))) % P

    def without_accelerations(self, row: ConstraintRow) -> int:
        """γ of a row."""
        return (row.second - sum(row.A.get(i, 0) * a for i, a in enumerate(self.positions.ud))) % P

    @property
    def not_covered(self) -> list[str]:
        """Loads and constraints that cannot be evaluated here, with the reason."""
        return [*self.power.not_covered, *self.conditions.not_covered]
