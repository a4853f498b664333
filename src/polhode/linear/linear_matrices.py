"""The matrices of small motions as a function of the state that they are about: `LinearMatrices(controls)`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..codegen.ir.program import identifier
from ..compiled.quantities import Outputs, Quantity
from ..compiled.variations import check_names, digest_of

if TYPE_CHECKING:
    from ..dynamics.equations import EquationsOfMotion
    from ..expr import Expr


@dataclass(frozen=True, repr=False)
class LinearMatrices(Quantity):
    """A, B, C, D of small motions by the controls named, of q, u and τ; see `linear.linear_rates`."""

    controls: tuple[str, ...]
    observed: tuple[tuple[str, Expr], ...] = ()  # outputs by name; none for the states

    kind = "linear_matrices"
    arrays = ("q", "u", "tau")

    def __post_init__(self) -> None:
        check_names(self.controls, self.kind)

    def __repr__(self) -> str:
        digest = digest_of([entry for _, entry in self.observed]) if self.observed else ""
        return f"{type(self).__name__}({self.controls!r}, {digest!r})"

    @property
    def label(self) -> str:
        return identifier(self.kind, *self.controls)

    def outputs(self, equations: EquationsOfMotion) -> Outputs:
        from ..expr import as_expr
        from ..laws.controls import controls_of
        from .linear_rates import linear_rates

        controls = controls_of(equations, self.controls, self.kind)
        made = linear_rates(equations, controls, dict(self.observed))
        size, inputs, outputs = len(made.states), len(self.controls), len(made.C)
        shapes = {"A": (size, size), "B": (size, inputs), "C": (outputs, size), "D": (outputs, inputs)}
        return [(name, shape, [as_expr(x) for x in getattr(made, name).entries()]) for name, shape in shapes.items()]
