"""The methods of Equations that ask for programmes and other forms of the equations; each enters the room that knows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..analysis import Descriptor, Programme
    from ..dynamics.equations import EquationsOfMotion


class AnalysisMethods:
    """The descriptor form, programmes."""

    @property
    def record(self) -> EquationsOfMotion:
        """The equations as the formalism gave them: graphs only."""
        raise NotImplementedError

    def descriptor(self) -> Descriptor:
        """E ẋ = f(x) of coordinates, speeds and multipliers; see `polhode.analysis.descriptor`."""
        from ..analysis import descriptor

        return descriptor(self.record)

    def programme_control(
        self,
        programme: Sequence[Any],
        actuators: Sequence[str],
        pull: Any = 0,
        *,
        least: str | None = None,
        weights: Any = None,
    ) -> Programme:
        """The efforts that keep a programme, with least="effort" the least; see `analysis.programme_control`."""
        from ..analysis import programme_control

        return programme_control(self.record, programme, actuators, pull, least=least, weights=weights)
