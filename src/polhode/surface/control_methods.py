"""The methods of Equations that design controllers and motions of least cost; each enters its room."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack, cast

from ..simulate.methods import RunMethods

if TYPE_CHECKING:
    from ..control.feedback_linearization.linearization import FeedbackLinearization
    from ..linear.operating_point import Values
    from ..optimize.problem import Collocation, CollocationOptions
    from .equations import Equations


class ControlMethods(RunMethods):
    """Laws under which a mechanism does what is wanted, each a `polhode.control.Controller`, and the best motions."""

    def feedback_linearize(
        self,
        outputs: Any = None,
        inputs: Sequence[str] | None = None,
        at: Values = None,
        *,
        extend: bool = False,
        poles: Any = None,
        gains: Any = None,
        parameters: Mapping[str, Any] | None = None,
    ) -> FeedbackLinearization:
        """A law that makes outputs, or the whole state, linear; see `control.feedback_linearization.linearization`.

        With `extend`, integrators before inputs; the errors have `poles`, or `gains`; `at` is a state in the domain.

        >>> from polhode.model.samples.underactuated import cart_pole
        >>> law = cart_pole().derive().feedback_linearize(["theta"], poles=-4)
        >>> law.degrees, law.conditions
        ((2,), ('The law does not hold where cos(theta) = 0, as the decoupling matrix is singular there.',))
        """
        from ..control.feedback_linearization.linearization import FeedbackLinearization

        own = cast("Equations", self)
        return FeedbackLinearization(
            own, outputs, inputs, at, extend=extend, poles=poles, gains=gains, parameters=parameters
        )

    def collocation(self, duration: Any, **options: Unpack[CollocationOptions]) -> Collocation:
        """The problem of moving from one state to another at least cost; see `polhode.optimize.problem`.

        duration        in seconds, or (shortest, longest) where it is to be found
        start           as in `simulate`: a pose's name, arrays, or by name a value; also (lower, upper) or None for a
                        free one; the rest is at home and at rest
        end             by name, or for an expression of the state, a value, (lower, upper) or None; the rest is free
        cost            the integrand: "effort" for Σ c² of the controls c, "time", an expression, or several with
                        weights
        terminal_cost   an expression of the last state and of time, which then is the duration
        limits          by name, or for an expression: (lower, upper), or b for ±b, or None; coordinates, speeds and
                        efforts of joints that are not named have those of the model; without names, for all controls
        inputs          the controls, by name; else the declared inputs, the efforts of motors, or all efforts
        nodes           how many, or where: shares of the duration from 0 to 1
        scheme          "hermite_simpson", of order 4, or "trapezoidal", of order 2
        dynamics        "implicit": accelerations are variables, and no M⁻¹ is differentiated; "explicit": they are not;
                        or "auto": explicit for up to four speeds without constraints
        parameters      values by name that are not the model's; `functions` that were compiled before, to use again

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
