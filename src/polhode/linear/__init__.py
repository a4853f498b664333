"""The methods of Equations that ask for small motions, about a state and along a motion."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Unpack

from ..simulate.methods import RunMethods, SteadyStart

if TYPE_CHECKING:
    from ..simulate import Trajectory
    from .linear import Linear
    from .linear_along import LinearAlong
    from .operating_point import StateOptions, Values


class LinearMethods(RunMethods):
    """Small motions."""

    def linearize(self, at: Values = None, accelerations: Values = None, **options: Unpack[StateOptions]) -> Linear:
        """Small motions about a state, exactly; see `polhode.linear.linearize` and `linear.linear.Linear`.

        The state is given by names: coordinates in `at`, `speeds`, efforts `tau`, `inputs`; `accelerations` that are
        given are prescribed, those not named as zero.
        """
        from .linearize import linearize

        if isinstance(at, SteadyStart) and options.get("parameters") is None:
            options["parameters"] = at.parameters or None
        return linearize(self.record, at, accelerations, **options)

    def linearize_along(
        self, trajectory: Trajectory, inputs: Sequence[str] | None = None, outputs: Any = None
    ) -> LinearAlong:
        """Small motions about a motion: A, B, C, D along a trajectory of this mechanism, by one native call.

        Inputs and outputs are named as in `Linear.with_ports`; without outputs, every state is one. Efforts and inputs
        are as they acted. With constraints the states are those of independent speeds: those that the equations were
        derived with, else some that serve at the first sample.

        >>> import polhode as ph
        >>> s = ph.System("pendulum", gravity=(0, 0, -10))
        >>> _ = s.joint("a", s.ground, s.body("bob", 2, com=(0, 0, -1)), ph.Revolute("y"))
        >>> e = s.derive()
        >>> along = e.linearize_along(e.simulate(1, start={"a": 1.2}, samples=50))
        >>> along.A.shape, along.states, along.inputs
        ((50, 2, 2), ('a', "a'"), ('tau_a',))
        >>> along.at(0.0).A.round(6).tolist()  # -g cos a
        [[0.0, 1.0], [-3.623578, 0.0]]
        """
        from .linear_along import linear_along

        return linear_along(self._functions, trajectory, inputs, outputs)
