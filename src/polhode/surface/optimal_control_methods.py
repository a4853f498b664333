"""The methods of Equations that ask for motions of least cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from .derived import Derived

if TYPE_CHECKING:
    from ..optimize.problem import Collocation
    from ..optimize.settings import CollocationOptions


class OptimalControlMethods(Derived):
    """Optimal control."""

    def collocation(self, duration: Any, **options: Unpack[CollocationOptions]) -> Collocation:
        """The problem of moving from one state to another at least cost; see `polhode.optimize.problem`.

        >>> import polhode as ph
        >>> s = ph.System("slider")
        >>> _ = s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"))
        >>> fastest = s.derive().collocation(
        ...     (0.1, 10), start={"x": 0}, end={"x": 1, "x'": 0}, cost="time", limits={"tau_x": 1}, inputs=["tau_x"]
        ... )
        >>> round(fastest.solve().duration, 3)  # half of it forward, half back
        2.0
        """
        from ..optimize.problem import collocation

        options.setdefault("functions", self._functions)
        return collocation(self.derivation, duration, **options)
