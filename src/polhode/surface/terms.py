"""Methods of `Equations` that take them apart: the terms of the bias, and what motors must do for the links' motion."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..analysis.link_inverse import LinkInverse
    from ..analysis.velocity_terms import VelocityTerms
    from ..formalisms.derivation import Derivation


class Terms:
    """What is asked of equations by name and made when it is first asked for."""

    derivation: Derivation

    @cached_property
    def velocity_terms(self) -> VelocityTerms:
        """Centrifugal and Coriolis matrices, gravity and applied forces; see `polhode.analysis.velocity_terms`."""
        from ..analysis.velocity_terms import velocity_terms

        return velocity_terms(self.derivation.equations)

    @cached_property
    def link_inverse_dynamics(self) -> LinkInverse:
        """Efforts of motors behind elastic gears from the links' motion; see `polhode.analysis.link_inverse`."""
        from ..analysis.link_inverse import link_inverse

        return link_inverse(self.derivation.equations)
