"""kwatny."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...dynamics.equations import EquationsOfMotion
    from .poincare_form import PoincareForm


class KwatnyMethods:
    """Poincaré's form of the equations."""

    if TYPE_CHECKING:

        @property
        def record(self) -> EquationsOfMotion: ...

    @cached_property
    def poincare_form(self) -> PoincareForm:
        """V, X, H, M, C, F and Q as Kwatny and Blankenship have them; see `polhode.papers.kwatny.poincare_form`.

        >>> import polhode as ph
        >>> s = ph.System("pendulum")
        >>> _ = s.joint("q", s.ground, s.body("bob", 2, com=(0, 0, -1)), ph.Revolute("y"))
        >>> form = s.derive().poincare_form
        >>> form.M, form.F
        (Matrix([[2]]), Vector([981*sin(q)/50]))
        """
        from .poincare_form import poincare_form

        return poincare_form(self.record)
