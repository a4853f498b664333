"""The methods of Equations for equilibria, steady motions, branches of them and periodic orbits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import number
from ..linear import LinearMethods

if TYPE_CHECKING:
    from typing import Unpack

    from ..simulate.settings import OrbitOptions
    from .branch import Branch
    from .equilibrium import Equilibrium, SteadyState
    from .periodic_orbit import OrbitBranch, PeriodicOrbit


class EquilibriumMethods(LinearMethods):
    """Equilibria, steady motions and periodic orbits, and their branches along a parameter.

    `free` names unknowns and `given` values that stay; a branch goes `between` two values of its parameter, in at
    `most` so many steps, from what `starts` lead to.
    """

    def equilibrium(
        self,
        free: Sequence[str] | str | None = None,
        *,
        given: Mapping[str, Any] | None = None,
        start: Mapping[str, Any] | None = None,
        parameters: Mapping[str, Any] | None = None,
        starts: int = 24,
        seed: int = 0,
    ) -> Equilibrium:
        """An equilibrium or steady motion: solves for what is `free`, holds what is `given`; others are at zero.

        Coordinates, speeds, efforts and inputs are named as they are written (x, x', tau_x); without `free`, all
        coordinates that are not given are unknown. Newton's method begins at `start`, and then all around, until one
        of `starts` leads somewhere; see `polhode.equilibria.equilibrium`.

        >>> import polhode as ph
        >>> s = ph.System("pendulum")
        >>> _ = s.joint("q", s.ground, s.body("bob", 1, com=(0, 0, -1)), ph.Revolute("y"))
        >>> s.derive().equilibrium(start={"q": 0.3})
        Equilibrium('pendulum': all values zero)
        """
        from .equilibrium import equilibria

        return equilibria(self._steady(free, given, start, parameters), starts, seed, most=1)[0]

    def equilibria(
        self,
        free: Sequence[str] | str | None = None,
        *,
        given: Mapping[str, Any] | None = None,
        start: Mapping[str, Any] | None = None,
        parameters: Mapping[str, Any] | None = None,
        starts: int = 24,
        seed: int = 0,
    ) -> list[Equilibrium]:
        """All equilibria that `starts` starts lead to, the nearest to the first of them first; others may exist."""
        from .equilibrium import equilibria

        return equilibria(self._steady(free, given, start, parameters), starts, seed)

    def branch(
        self,
        parameter: str,
        between: tuple[float, float],
        *,
        free: Sequence[str] | str | None = None,
        given: Mapping[str, Any] | None = None,
        start: Mapping[str, Any] | None = None,
        parameters: Mapping[str, Any] | None = None,
        step: float = 0.02,
        most: int = 400,
        follow: int = 1,
        starts: int = 24,
    ) -> Branch:
        """Steady states over a parameter, with folds, branch points and Hopf points, by pseudo-arclength.

        The parameter may also be an input, an effort, or a coordinate or speed that is held. It begins at the lower
        end, where there is a state, else at the upper one or in the middle. `step` is the longest, a part of the range;
        a branch has at most so many points (`most`); from branch points others are followed, `follow` generations on.
        See `polhode.equilibria.branch`.
        """
        from .branch import branch

        steady = self._steady(free, given, start, parameters, parameter)
        return branch(steady, parameter, between, step, most, follow, starts)

    def periodic_orbit(
        self,
        period: float,
        *,
        start: Any = None,
        speeds: Any = None,
        hold: Sequence[str] = (),
        turns: Mapping[str, int] | None = None,
        is_period_known: bool = False,
        parameters: Mapping[str, Any] | None = None,
        **options: Unpack[OrbitOptions],
    ) -> PeriodicOrbit:
        """A periodic orbit near a state, by shooting with exact sensitivities; its period and Floquet multipliers.

        The period is a guess, unless `is_period_known`, as where inputs of time drive the mechanism. Start values to
        `hold` stay, as one must where the mechanism keeps its energy, and orbits form families. `turns` counts the
        whole turns that angles make in a period. Other options are those of `simulate`; see
        `polhode.equilibria.periodic_orbit`.

        >>> import polhode as ph
        >>> s = ph.System("spring", gravity=(0, 0, 0))
        >>> x = s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"))
        >>> s.joint_spring(x, 4)
        >>> orbit = s.derive().periodic_orbit(3.0, start={"x": 1.0}, hold=["x"])
        >>> round(orbit.period, 6)
        3.141593
        """
        from .periodic_orbit import Shooting, periodic_orbit

        span = number(period, "a time > 0", above=0.0, place="periodic_orbit period")
        return periodic_orbit(Shooting(self, start, speeds, parameters, options), span, turns, hold, is_period_known)

    def orbit_branch(
        self,
        parameter: str,
        between: tuple[float, float],
        orbit: PeriodicOrbit,
        *,
        turns: Mapping[str, int] | None = None,
        step: float = 0.05,
        most: int = 100,
        **options: Unpack[OrbitOptions],
    ) -> OrbitBranch:
        """Periodic orbits over a parameter, from one of them both ways, with folds, period doublings and torus points.

        `turns` and options of `simulate` are those that the orbit was found with; see `equilibria.periodic_orbit`.
        """
        from .periodic_orbit import orbit_branch

        return orbit_branch(self, orbit, parameter, between, turns, step, most, options)

    def _steady(self, free: Any, given: Any, start: Any, parameters: Any, along: str | None = None) -> SteadyState:
        from .equilibrium import steady_state

        return steady_state(self.record, free, given, start, parameters, along)
