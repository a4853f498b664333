"""A and B of small motions as a function of the state that they are about: `LinearMatrices(controls)`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..codegen.ir.program import identifier
from .quantities import Outputs, Quantity
from .variations import check_names

if TYPE_CHECKING:
    from ..dynamics.equations import EquationsOfMotion


@dataclass(frozen=True)
class LinearMatrices(Quantity):
    """A (n, n) and B (n, m) of small motions by the controls named, of q, u and τ; see `analysis.linear_rates`."""

    controls: tuple[str, ...]

    kind = "linear_matrices"
    arrays = ("q", "u", "tau")

    def __post_init__(self) -> None:
        check_names(self.controls, self.kind)

    @property
    def label(self) -> str:
        return identifier(self.kind, *self.controls)

    def outputs(self, equations: EquationsOfMotion) -> Outputs:
        from ..analysis.controls import controls_of
        from ..analysis.linear_rates import linear_rates

        made = linear_rates(equations, controls_of(equations, self.controls, self.kind))
        size = len(made.states)
        return [
            ("A", (size, size), list(made.A.entries())),
            ("B", (size, len(self.controls)), list(made.B.entries())),
        ]
