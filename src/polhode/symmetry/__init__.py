"""Symmetries, conserved quantities and reduction by cyclic coordinates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..simulate.methods import RunMethods

if TYPE_CHECKING:
    from .symmetries import Conserved, Reduced, Symmetry


class SymmetryMethods(RunMethods):
    """Symmetries of a mechanism, what they conserve, and the equations without them.

    >>> import polhode as ph
    >>> s = ph.System("pendulum on a cart")
    >>> _ = s.joint("x", s.ground, s.body("cart", 3), ph.Prismatic("x"))
    >>> _ = s.joint("a", "cart", s.body("pole", s.parameter("m", 2), com=(0, 0, -1)), ph.Revolute("y"))
    >>> e = s.derive()
    >>> [each.coordinate for each in e.symmetries()], [each.name for each in e.conserved()], e.reduce("x").speed
    (['x'], ['energy', 'x'], (a'*m*cos(a) + mu)/(3 + m))
    """

    def symmetries(self, parameters: Mapping[str, Any] | None = None) -> list[Symmetry]:
        """Cyclic coordinates and other motions that leave the mechanism the same; see `polhode.symmetry.symmetries`."""
        from .symmetries import symmetries

        return symmetries(self.record, parameters)

    def conserved(self, parameters: Mapping[str, Any] | None = None) -> list[Conserved]:
        """Energy and the momenta of symmetries, where no motion changes them; see `polhode.symmetry.symmetries`."""
        from .symmetries import conserved

        return conserved(self.record, parameters)

    def reduce(self, coordinate: str) -> Reduced:
        """The equations without a cyclic coordinate, its momentum a constant; see `polhode.symmetry.symmetries`."""
        from .symmetries import reduce

        return reduce(self.record, coordinate)
