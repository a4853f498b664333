"""The high-gain observer: speeds from measured coordinates, as fast as one likes.

H. K. Khalil, *High-gain observers in nonlinear feedback control* (2008); F. Esfandiari and H. K. Khalil, *Output
feedback stabilization of fully linearizable systems* (1992).

    q̂̇ = Γ(q̂) û + (α₁/ε) (y - q̂),     û̇ = f(q̂, û, c) + (α₂/ε²) Γ⁻(q̂) (y - q̂),     y = q

The error decays as the roots of s² + α₁ s + α₂, ε times faster; noise is amplified by 1/ε. States without mass are
copied, ẑ̇ = their rates, with no correction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ..dynamics.equations import EquationsOfMotion
from ..errors import PolhodeError, listed, number, understood
from ..expr import Expr, Vector, as_expr, substitute, symbol
from ..laws.law import ControllerState
from ..laws.observer import Estimator, Observer, estimate_symbol, measured_symbols, starts_of
from ..model.reading import list_of
from ..model.records import Parameter
from .state_equations import state_equations

if TYPE_CHECKING:
    from ..formalisms.derivation import Derived


class HighGain(Observer):
    """A high-gain observer of a mechanism whose coordinates are all measured.

    `epsilon` is the time in seconds in which the error decays, `gains` are α₁ and α₂.

    >>> from polhode.model.samples.underactuated import cart_pole
    >>> HighGain(cart_pole().derive(), ["x", "theta"], epsilon=0.01)
    HighGain(of 'cart-pole' by y_x and y_theta)
    """

    def __init__(
        self,
        equations: Derived | EquationsOfMotion,
        outputs: Sequence[str] | None = None,
        epsilon: float = 0.01,
        *,
        gains: Sequence[float] = (2.0, 1.0),
        inputs: Sequence[str] | None = None,
        start: Mapping[str, float] | None = None,
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(equations, parameters=parameters)
        own = self.equations
        named = (
            own.coordinates if outputs is None else list_of(outputs, "a list of coordinates", f"{self.name} outputs")
        )
        if own.quaternions or {*map(str, named)} != {*own.coordinates} or len(named) != len(own.coordinates):
            raise PolhodeError(
                f"a high-gain observer measures every coordinate ({listed(own.coordinates)}), none of them a "
                "quaternion's, and nothing else.",
                place=self.name,
                cure="Name all coordinates, or take an EKF.",
                code="E-OBSERVER-050",
            )
        self.epsilon, *self.gains = _positive([epsilon, *list_of(gains, "two gains", f"{self.name} gains")], self.name)
        self.plant = state_equations(own, inputs, self.name)
        self.start = starts_of(own, start, self.name)

    def design(self) -> Estimator:
        """The copy of the mechanism with its corrections."""
        own, plant = self.equations, self.plant
        seen = {x: estimate_symbol(name) for x, name in zip(plant.x, plant.spellings, strict=True)}
        y = measured_symbols(own.coordinates)
        names = ("high gain epsilon", "high gain 1", "high gain 2")
        epsilon, a1, a2 = (symbol(name, "parameter") for name in names)
        off = Vector([as_expr(a - b) for a, b in zip(y, own.q, strict=True)])
        turned = own.tree.kinematic_left_inverse() @ off
        corrections = [*off * (a1 / epsilon), *turned * (a2 / (epsilon * epsilon)), *[as_expr(0)] * len(own.z)]
        rates = substitute([as_expr(f + c) for f, c in zip(plant.rates, corrections, strict=True)], seen)
        states = tuple(
            ControllerState(seen[x], self.start[x], rate=rate) for x, rate in zip(plant.x, rates, strict=True)
        )
        values = (self.epsilon, *self.gains)
        parameters = {
            each.name: Parameter(each, Fraction(value)) for each, value in zip((epsilon, a1, a2), values, strict=True)
        }
        estimates: dict[Expr, Expr] = dict(seen)
        return Estimator(estimates, states, dict(zip(y, own.q, strict=True)), tuple(plant.inputs.values()), parameters)


def _positive(given: Sequence[Any], place: str) -> list[float]:
    """ε, α₁ and α₂, all positive."""
    with understood("positive numbers", given, place=place, cure="Give epsilon in seconds and gains=(2, 1)."):
        epsilon, a1, a2 = (number(each, "a number > 0", above=0.0, place=place) for each in given)
    return [epsilon, a1, a2]
