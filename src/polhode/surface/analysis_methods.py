"""The methods of Equations that ask for programmes and other forms of the equations; each enters its room."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..analysis import Descriptor, Programme
    from ..analysis.link_inverse import LinkInverse
    from ..analysis.velocity_terms import VelocityTerms
    from ..dynamics.equations import EquationsOfMotion


class AnalysisMethods:
    """The descriptor form, the terms of the bias, the inverse dynamics of elastic joints, programmes."""

    @property
    def record(self) -> EquationsOfMotion:
        """The equations as the formalism gave them: graphs only."""
        raise NotImplementedError

    def descriptor(self) -> Descriptor:
        """E ẋ = f(x) of coordinates, speeds and multipliers; see `polhode.analysis.descriptor`."""
        from ..analysis import descriptor

        return descriptor(self.record)

    @cached_property
    def velocity_terms(self) -> VelocityTerms:
        """Centrifugal and Coriolis matrices, gravity and applied forces; see `polhode.analysis.velocity_terms`."""
        from ..analysis.velocity_terms import velocity_terms

        return velocity_terms(self.record)

    @cached_property
    def link_inverse_dynamics(self) -> LinkInverse:
        """Efforts of motors behind elastic gears from the links' motion; see `polhode.analysis.link_inverse`."""
        from ..analysis.link_inverse import link_inverse

        return link_inverse(self.record)

    def programme_control(self, programme: Sequence[Any], actuators: Sequence[str], pull: Any = 0) -> Programme:
        """The efforts that keep a programme; see `polhode.analysis.programme_control`."""
        from ..analysis import programme_control

        return programme_control(self.record, programme, actuators, pull)
