"""mladenova."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ...dynamics.equations import EquationsOfMotion
    from .descriptor import Descriptor
    from .programme import Programme
    from .structure_coefficients import StructureCoefficients


class MladenovaMethods:
    """Programmes, the descriptor form and the structure coefficients of pseudo-velocities.

    >>> import polhode as ph
    >>> s = ph.System("slider")
    >>> x = s.joint("x", s.ground, s.body("slide"), ph.Prismatic("x"))
    >>> y = s.joint("y", "slide", s.body("bead", 1), ph.Prismatic("y"))
    >>> e = s.derive("hamel", pseudo={"v": x.u[0], "w": y.u[0] - x.q[0] * x.u[0] - y.q[0] * x.u[0]})
    >>> e.structure_coefficients.nonzero
    {('v', 'w', 'w'): -1, ('w', 'w', 'v'): 1}
    >>> e = s.derive()
    >>> len(e.descriptor().states), list(e.programme_control([x.q[0] - ph.sin(s.time)], ["x"]).control)
    (4, ['x'])
    """

    if TYPE_CHECKING:

        @property
        def record(self) -> EquationsOfMotion: ...

    def descriptor(self) -> Descriptor:
        """E ẋ = f(x) of coordinates, speeds and multipliers; see `polhode.papers.mladenova.descriptor`."""
        from .descriptor import descriptor

        return descriptor(self.record)

    @property
    def structure_coefficients(self) -> StructureCoefficients:
        """γ_kij of the speeds or pseudo-velocities, [Π_k, Π_j] = Σ γ_kij Π_i, (231) of Mladenova."""
        from .structure_coefficients import structure_coefficients

        return structure_coefficients(self.record)

    def programme_control(
        self,
        programme: Sequence[Any],
        actuators: Sequence[str],
        pull: Any = 0,
        *,
        least: str | None = None,
        weights: Any = None,
    ) -> Programme:
        """The efforts of `actuators` that keep a programme, with least="effort" the least, by `weights`; deviations are
        pulled back at the rate `pull`. See `polhode.papers.mladenova.programme`.
        """
        from .programme import programme_control

        return programme_control(self.record, programme, actuators, pull, least=least, weights=weights)
