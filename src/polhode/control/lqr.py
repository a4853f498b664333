"""The linear-quadratic regulator: the linear law that takes the least ∫ (xᵀQ x + cᵀR c) dt about an operating point.

R. E. Kalman, *Contributions to the theory of optimal control* (1960). For the error that is integrated as well:
E. J. Davison and H. W. Smith, *Pole assignment in linear time-invariant multivariable systems with constant
disturbances* (1971).

    c = c₀ - K δx - K_I ξ,      ξ̇ = δy

    the papers   here
    x            δx, deviations from the references: coordinates, small turns, speeds, states without mass
    u            c, inputs and efforts; c₀ holds the operating point
    P            P of `riccati`

From sample to sample the mechanism is taken with inputs that are held (C. F. Van Loan, 1978), and the sum is least.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import PolhodeError, understood
from ..expr import Expr, as_expr, symbol
from ..laws.controller import Controller
from ..laws.law import ControllerState, Law, integral_name, sample_time_of
from ..linear.linear import Linear
from ..model.records import Parameter
from ..notebook import complex_text
from .deviations import Deviations, deviations
from .riccati import Riccati, solve_riccati, unreached
from .weights import Floats, weights


class LQR(Controller):
    """A linear-quadratic regulator about the operating point of linear equations.

    `Q` weighs states and `R` inputs: one number, numbers by name (states that are not named have none) or in order, or
    a matrix. `integral` weighs integrals of the deviations of states, by name, which take out what a constant
    disturbance leaves. `states` are those to regulate, if not all. With `sample_time` the law is that of a sampled
    mechanism. Every state has a reference, at the operating point where none is given.

    >>> import polhode as ph
    >>> from polhode.model.samples.underactuated import cart_pole
    >>> regulator = ph.control.LQR(cart_pole().derive().linearize(), Q={"x": 1, "theta": 1}, R=1)
    >>> regulator.K.round(3).tolist()
    [[-1.0, -30.78, -1.969, -6.487]]
    >>> bool(regulator.poles.real.max() < 0), regulator.inputs, regulator.P.shape, regulator.is_sampled
    (True, ['F'], (4, 4), False)
    >>> regulator.notices
    ()
    """

    def __init__(
        self,
        linear: Linear,
        Q: Any = 1,
        R: Any = 1,
        inputs: Sequence[str] | None = None,
        integral: Mapping[str, float] | None = None,
        *,
        states: Sequence[str] | None = None,
        sample_time: float | None = None,
    ) -> None:
        self.deviations = deviations(linear, inputs, states, self.name)
        super().__init__(linear.equations, parameters=linear.given)
        self.sample_time = None if sample_time is None else sample_time_of(sample_time, self.name)
        made, self._integrated = self.deviations, _integrated(integral, self.deviations, self.name)
        self.Q = weights("Q", Q, made.names, self.name)
        self.R = weights("R", R, [*made.inputs], self.name, positive=True)
        A, B = made.A, made.B
        if self.sample_time is not None:
            A, B = held(A, B, self.sample_time)
        self.A, self.B, self.states = self._with_integrals(A, B)
        whole = np.zeros_like(self.A)
        whole[: len(self.Q), : len(self.Q)] = self.Q
        whole[len(self.Q) :, len(self.Q) :] = np.diag([*self._integrated.values()])
        self._whole = whole
        self.solution: Riccati = solve_riccati(self.A, self.B, whole, self.R, self.states, self.name, self.is_sampled)

    @property
    def is_sampled(self) -> bool:
        """Whether the law was made for a sample time."""
        return self.sample_time is not None

    @property
    def K(self) -> Floats:
        """The gain: a row for each input, a column for each of `states`, integrals last."""
        return self.solution.K

    @property
    def P(self) -> Floats:
        """xᵀP x is the least cost from x on."""
        return self.solution.P

    @property
    def poles(self) -> NDArray[np.complex128]:
        """The eigenvalues of the closed loop, slowest first; with a sample time those from sample to sample."""
        return self.solution.poles

    @property
    def inputs(self) -> list[str]:
        """Names of the inputs, the rows of K."""
        return [*self.deviations.inputs]

    @property
    def notices(self) -> tuple[str, ...]:
        """What is worth knowing: modes that grow by themselves and that the cost does not see."""
        unseen = unreached(self.A.T, self._whole, self.is_sampled)
        return tuple(
            f"The cost does not see the mode with the {mode.told(self.states, self.is_sampled)}; it is brought to "
            "decay as fast as it grew, at the least effort."
            for mode in unseen
        )

    def _sentences(self) -> list[str]:
        poles = f"Poles of the loop: {', '.join(map(complex_text, self.poles.tolist()))}."
        return [poles, *super()._sentences(), *self.notices]

    def _with_integrals(self, A: Floats, B: Floats) -> tuple[Floats, Floats, tuple[str, ...]]:
        """The mechanism with integrals of deviations among its states."""
        names, size, count = self.deviations.names, len(A), len(self._integrated)
        rows = np.zeros((count, size + count))
        rows[range(count), [names.index(name) for name in self._integrated]] = self.sample_time or 1.0
        if self.is_sampled:
            rows[:, size:] = np.eye(count)
        made = np.vstack([np.hstack([A, np.zeros((size, count))]), rows])
        own = tuple(integral_name(name) for name in self._integrated)
        return made, np.vstack([B, np.zeros((count, B.shape[1]))]), (*names, *own)

    def design(self) -> Law:
        """c = c₀ - K δx - K_I ξ."""
        made = self.deviations
        by_name = dict(zip(made.names, made.values, strict=True))
        integrals = [symbol(integral_name(name), "state") for name in self._integrated]
        states = []
        for own, name in zip(integrals, self._integrated, strict=True):
            change = by_name[name]
            if self.sample_time is None:
                states.append(ControllerState(own, rate=change))
            else:
                states.append(ControllerState(own, update=own + as_expr(self.sample_time) * change))
        controls, parameters = feedback(self.K, [*made.values, *integrals], self.states, made)
        return Law(
            controls,
            tuple(states),
            made.reference,
            parameters=parameters,
            sample_time=self.sample_time,
            conditions=("the state is far from the operating point of the linear equations",),
        )


def feedback(
    K: Floats, values: Sequence[Any], names: Sequence[str], made: Deviations, word: str = "K"
) -> tuple[dict[Expr, Expr], dict[str, Parameter]]:
    """c = c₀ - K v, with the entries of K as parameters of the law."""
    controls: dict[Expr, Expr] = {}
    parameters: dict[str, Parameter] = {}
    for (name, control), steady, row in zip(made.inputs.items(), made.steady, K.tolist(), strict=True):
        total = steady
        for state, value, entry in zip(names, values, row, strict=True):
            gain = symbol(f"{word}_{name}_{state}", "parameter")
            parameters[gain.name] = Parameter(gain, Fraction(entry))
            total = total - gain * value
        controls[control] = as_expr(total)
    return controls, parameters


def held(A: Floats, B: Floats, sample_time: float) -> tuple[Floats, Floats]:
    """The mechanism from sample to sample, with inputs that are held between them.

    >>> A, B = held(np.array([[0.0, 1.0], [0.0, 0.0]]), np.array([[0.0], [1.0]]), 0.5)
    >>> A.tolist(), B.tolist()
    ([[1.0, 0.5], [0.0, 1.0]], [[0.125], [0.5]])
    """
    from scipy.linalg import expm

    size, count = B.shape
    made = expm(np.block([[A, B], [np.zeros((count, size + count))]]) * sample_time)
    return made[:size, :size], made[:size, size:]


def _integrated(given: Any, made: Deviations, place: str) -> dict[str, float]:
    """Weights of integrals by the names of states."""
    if given is None:
        return {}
    cure = "Give weights by the names of states, for example integral={'x': 1}."
    with understood("weights by name", given, place=f"{place} integral", cure=cure):
        found = {str(name): float(value) for name, value in dict(given).items()}
    made.places([*found], f"{place} integral")
    wrong = [name for name, value in found.items() if not (np.isfinite(value) and value > 0)]
    if wrong:
        raise PolhodeError(
            f"the weight {found[wrong[0]]:g} of the integral of '{wrong[0]}' is not positive.",
            place=f"{place} integral",
            cure=cure,
            code="E-REGULATOR-031",
        )
    return found
