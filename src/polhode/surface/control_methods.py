"""The methods of Equations that design controllers; each enters its room."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from .derived import Derived

if TYPE_CHECKING:
    from ..analysis import Values
    from ..control.feedback_linearization.linearization import FeedbackLinearization
    from .equations import Equations


class ControlMethods(Derived):
    """Laws under which a mechanism does what is wanted: what they return is a `polhode.control.Controller`."""

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
