"""What controllers of mechanisms with fewer controls than speeds share: driven speeds, and the energy of a target.

Controls act on some speeds, the driven ones, as many as there are controls; the target is a pose at which the mechanism
would rest, or fall, and E_r its energy there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..errors import PolhodeError, listed
from ..expr import Expr, Matrix, as_expr, is_zero, substitute
from ..expr.spelling import spelled
from ..geometry.elimination import solve_columns
from ..laws.controller import named_numbers
from ..laws.law import Reference
from .model_based import ModelBased

if TYPE_CHECKING:
    from ..dynamics.equations import EquationsOfMotion
    from ..formalisms.derivation import Derived


class Underactuated(ModelBased):
    """A controller with a target pose, and one gain of each kind."""

    def __init__(
        self,
        equations: Derived | EquationsOfMotion,
        target: Mapping[str, Any] | None,
        words: Mapping[str, Any],
        *,
        inputs: Sequence[str] | None = None,
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(equations, inputs=inputs, parameters=parameters)
        self.target = named_numbers(target, "coordinate", self.equations.coordinates, f"{self.name} target")
        self.driven = self._driven()
        found = {word: self.gains(word, given, ["all"]) for word, given in words.items()}
        self._gain = {word: as_expr(each.matrix[0][0]) for word, each in found.items()}
        self._parameters = {name: one for each in found.values() for name, one in each.parameters.items()}

    def _driven(self) -> list[int]:
        """The speeds that controls act on: as many as there are controls, each the rate of a coordinate."""
        e, B = self.equations, self.actuation.matrix
        rows = [k for k, row in enumerate(B) if not all(is_zero(entry) for entry in row)]
        if len(rows) != len(self.actuation.controls):
            names = listed([f"'{e.u[k].name}'" for k in rows])
            raise PolhodeError(
                f"{listed(map(spelled, self.actuation.controls))} act on {names}: not on as many speeds as they are.",
                place=self.name,
                cure="Name one input for each speed that is driven.",
                code="E-CONTROL-200",
            )
        rates = {*e.coordinate_rates}
        strange = [e.u[k].name for k in rows if e.u[k] not in rates]
        if strange:
            raise PolhodeError(
                f"the driven speed '{strange[0]}' is not the rate of a coordinate.",
                place=self.name,
                cure="Give the joint speeds that are the rates of its coordinates.",
                code="E-CONTROL-201",
            )
        return rows

    @cached_property
    def _coordinates(self) -> list[Expr]:
        by_rate = {rate: q for q, rate in zip(self.equations.q, self.equations.coordinate_rates, strict=True)}
        return [by_rate[self.equations.u[k]] for k in self.driven]

    @property
    def _speeds(self) -> list[Expr]:
        return [self.equations.u[k] for k in self.driven]

    @cached_property
    def wanted_energy(self) -> Expr:
        """E_r: the potential energy at the target, in the model's parameters."""
        e = self.equations
        at = {q: as_expr(self.target.get(q.name, Fraction(0))) for q in e.q}
        return as_expr(substitute([e.potential_energy], at)[0])

    def _reference(self) -> tuple[Reference, ...]:
        return tuple(Reference(q.name, 0, self.target.get(q.name, Fraction(0)), q) for q in self._coordinates)

    def _lacking(self) -> list[Expr]:
        pairs = zip(self._coordinates, self._reference(), strict=True)
        return [as_expr(q - wanted.symbols[0]) for q, wanted in pairs]

    def _controls(self, forces: Sequence[Any]) -> dict[Expr, Expr]:
        """The controls that put these forces on the driven speeds."""
        acting = Matrix([self.actuation.matrix[row] for row in self.driven])
        found = solve_columns(acting, [[as_expr(each)] for each in forces])
        return dict(zip(self.actuation.controls, (as_expr(row[0]) for row in found), strict=True))
