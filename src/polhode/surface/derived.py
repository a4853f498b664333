"""What all parts of Equations stand on: the derivation, its record, and the functions that runs share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..formalisms.derivation import Derivation

if TYPE_CHECKING:
    from ..compiled.functions import Functions
    from ..dynamics.equations import EquationsOfMotion
    from ..expr import Expr


@dataclass(frozen=True, repr=False)
class Derived:
    """A derivation and what follows from it alone."""

    derivation: Derivation

    @property
    def record(self) -> EquationsOfMotion:
        """The equations as the formalism gave them: graphs only."""
        return self.derivation.equations

    @cached_property
    def _functions(self) -> Functions:
        """The functions that runs share, compiled or loaded once."""
        from ..compiled.functions import Functions

        return Functions(self.derivation)

    def native_function(
        self, variables: Sequence[Expr], roots: Sequence[Expr], known: Mapping[Expr, float]
    ) -> Callable[..., Any]:
        """Expressions as one native function of an array (…, variables), with the values of all other symbols.

        >>> import polhode as ph
        >>> s = ph.System("slider")
        >>> x = s.joint("x", s.ground, s.body("block", s.parameter("m", 2)), ph.Prismatic("x"), speeds=["v"])
        >>> e, v = s.derive(), x.u[0]
        >>> energy = e.native_function([v], [e.kinetic_energy, v], {e.system.parameters["m"].symbol: 2.0})
        >>> energy([[1.0], [3.0]]).tolist()
        [[1.0, 1.0], [9.0, 3.0]]
        """
        import numpy as np

        from ..codegen.plan import plan
        from ..compiled.native import compile_program

        made = list(roots)
        program = plan("values", [("x", list(variables))], [("y", (len(made),), made)], list(known))
        return compile_program(program, parameters=np.array([*known.values()], dtype=np.float64))

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """What a notebook shows."""
        from .notebook_equations import bundle_of

        return bundle_of(self)  # type: ignore[arg-type] # nobody holds a Derived but as Equations
