"""What all parts of Equations stand on: the derivation, its record, and the functions that runs share."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from ..formalisms.derivation import Derivation

if TYPE_CHECKING:
    from ..compiled.functions import Functions
    from ..dynamics.equations import EquationsOfMotion


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

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """What a notebook shows."""
        from .notebook_equations import bundle_of

        return bundle_of(self)  # type: ignore[arg-type] # nobody holds a Derived but as Equations
