"""Symmetries, conserved quantities, and reduction by symmetries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..simulate.methods import RunMethods

if TYPE_CHECKING:
    from .reduction import Reduced
    from .symmetries import Conserved, Symmetry


class SymmetryMethods(RunMethods):
    """Symmetries of a mechanism, what they conserve, and the equations without them.

    >>> import polhode as ph
    >>> s = ph.System("pendulum on a cart")
    >>> _ = s.joint("x", s.ground, s.body("cart", 3), ph.Prismatic("x"))
    >>> _ = s.joint("a", "cart", s.body("pole", s.parameter("m", 2), com=(0, 0, -1)), ph.Revolute("y"))
    >>> e = s.derive()
    >>> [each.coordinate for each in e.symmetries()], [each.name for each in e.conserved()], e.reduce("x").speed
    (['x'], ['energy', 'x'], m*a'*cos(a)/(m + 3) + mu/(m + 3))
    """

    def symmetries(self, parameters: Mapping[str, Any] | None = None) -> list[Symmetry]:
        """Cyclic coordinates and other motions that leave the mechanism the same; see `polhode.symmetry.symmetries`."""
        from .symmetries import symmetries

        return symmetries(self.record, parameters)

    def conserved(self, parameters: Mapping[str, Any] | None = None) -> list[Conserved]:
        """Energy and the momenta of symmetries, where no motion changes them; see `polhode.symmetry.symmetries`."""
        from .symmetries import conserved

        return conserved(self.record, parameters)

    def reduce(self, *names: str, reconstruct: bool = False) -> Reduced:
        """The equations without cyclic coordinates or other symmetries, by name; see `polhode.symmetry.reduction`.

        Their momenta are constants, parameters of `Reduced.equations`, which run and compile as others do. With
        `reconstruct`, cyclic coordinates stay among the coordinates.
        """
        from .reduction import reduce

        return reduce(self.record, names, reconstruct)
