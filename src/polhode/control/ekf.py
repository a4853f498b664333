"""The extended Kalman filter: estimates of all states of a nonlinear mechanism from samples of some outputs.

S. F. Schmidt, *Application of state-space methods to navigation problems* (1966); A. H. Jazwinski, *Stochastic
processes and filtering theory* (1970), chapter 8. The covariance is updated in P. D. Joseph's form (1964), which keeps
it positive.

    measured    S = H P Hᵀ + V,   K = P Hᵀ S⁻¹,   x ← x ⊞ K (y - h(x)),   P ← (1 - K H) P (1 - K H)ᵀ + K V Kᵀ
    until the next sample    x ← g(x, c),   P ← F P Fᵀ + W T

g is one step of the nonlinear equations (`state_equations`), F its exact derivative, H that of the outputs. P is on
small changes of the state: of a stored orientation on three turns, so that it is never singular (E. J. Lefferts,
F. L. Markley and M. D. Shuster, *Kalman filtering for spacecraft attitude estimation*, 1982).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..control_geometry.at_state import Asked
from ..control_geometry.observability import observability
from ..dynamics.equations import EquationsOfMotion
from ..errors import PolhodeError
from ..expr import Expr, Matrix, Vector, as_expr, free_symbols, quiet_collector, substitute, symbol
from ..geometry.elimination import factor_symmetric
from ..laws.law import ControllerState, sample_time_of
from ..laws.observer import Estimator, Observer, check_measurable, estimate_symbol, measured_symbols, starts_of
from ..linear.displacements import output_rates, read_outputs
from .filtering import Estimates, filtered
from .state_equations import check_size, state_equations, step_of
from .weights import weights

if TYPE_CHECKING:
    from ..formalisms.derivation import Derived


class EKF(Observer):
    """An extended Kalman filter of a mechanism.

    `outputs` are names of coordinates, speeds and states, or expressions by name. `process_noise` W is the covariance
    that a second of noise adds to the states, `measurement_noise` V that of a sample of the outputs: one number,
    numbers by name or in order, or a matrix. Estimates begin at `start`, by name, with `covariance`. `inputs` are known
    to the filter; others are held at the model's values. `step` is "rk4" or "euler".

    >>> import polhode as ph
    >>> from polhode.model.samples.underactuated import cart_pole
    >>> e = cart_pole().derive()
    >>> EKF(e, ["x"], process_noise=1e-4, measurement_noise=1e-4, sample_time=0.01)
    EKF(of 'cart-pole' by y_x)
    >>> ekf = EKF(e, ["x", "theta"], process_noise=1e-4, measurement_noise=1e-4, sample_time=0.01, step="euler")
    >>> ekf.states, len(ekf.covariance_symbols), [*ekf.graphs]
    (('x', 'theta', "x'", "theta'"), 10, ['x', 'P', 'surprise', 'S', 'next x', 'next P'])
    >>> made = ekf.filter([0, 0.01], [[0, 0.1], [0, 0.1]])
    >>> made.deviation("theta").round(4).tolist(), made.normalised_innovations.shape
    ([0.01, 0.0082], (2,))
    """

    def __init__(
        self,
        equations: Derived | EquationsOfMotion,
        outputs: Any,
        *,
        process_noise: Any,
        measurement_noise: Any,
        sample_time: float | None = None,
        inputs: Sequence[str] | None = None,
        start: Mapping[str, float] | None = None,
        covariance: Any = 1,
        step: str = "rk4",
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(equations, parameters=parameters)
        self.sample_time = sample_time_of(sample_time, self.name)
        self.step = step_of(step, self.name)
        self.plant = state_equations(self.equations, inputs, self.name)
        self.outputs = read_outputs(self.equations, self.plant.moved, outputs, self.name)
        check_measurable(self.outputs, self.name)
        if not self.outputs:
            raise PolhodeError("nothing is measured.", place=self.name, cure="Name outputs.", code="E-OBSERVER-021")
        names = self.plant.names
        self.process_noise = weights("process_noise", process_noise, names, self.name)
        self.measurement_noise = weights(
            "measurement_noise", measurement_noise, [*self.outputs], self.name, positive=True
        )
        self.covariance = weights("covariance", covariance, names, self.name)
        self.start = starts_of(self.equations, start, self.name)
        time = self.equations.system.time
        if time not in free_symbols([*self.plant.rates, *self.outputs.values()]):
            check_observable(self.equations, [*self.plant.inputs], self.outputs, self.name)

    @property
    def states(self) -> tuple[str, ...]:
        """Names of the rows of the covariance: displacements, speeds, states without mass."""
        return self.plant.names

    # ---- the graphs, in the mechanism's own symbols ---------------------------------------------------------------

    @cached_property
    def covariance_symbols(self) -> dict[tuple[int, int], Expr]:
        """The symbols of P on and above the diagonal."""
        names = self.plant.names
        return {
            (i, j): symbol(f"covariance of {names[i]} and {names[j]}", "state")
            for i in range(len(names))
            for j in range(i, len(names))
        }

    @cached_property
    def _measured(self) -> tuple[list[Expr], list[list[Expr]], list[Expr], Matrix]:
        """The state and P after a sample is measured, what was not expected of it, and S."""
        plant, size = self.plant, len(self.plant.names)
        own = self.covariance_symbols
        P = Matrix([[own[min(i, j), max(i, j)] for j in range(size)] for i in range(size)])
        known = [*plant.x, self.equations.system.time]
        C, _ = output_rates(self.equations, plant.moved, self.outputs, [], known, self.name)
        V = Matrix(self.measurement_noise.tolist()).map(as_expr)
        y = measured_symbols(self.outputs)
        expected = substitute([*self.outputs.values()], self.equations.tree.followed)
        surprise = [as_expr(a - b) for a, b in zip(y, expected, strict=True)]
        PH = (P @ C.T).map(as_expr)
        S = (C @ PH + V).map(as_expr)
        factors = factor_symmetric([[S[max(i, j)][min(i, j)] for j in range(len(y))] for i in range(len(y))])
        K = Matrix([[as_expr(entry) for entry in factors.solve(row)] for row in PH])
        left = (Matrix.identity(size) - K @ C).map(as_expr)
        after = _symmetric((left @ P, left), (K @ V, K))
        return plant.plus(K @ Vector(surprise)), after, surprise, S

    @cached_property
    def _predicted(self) -> tuple[list[Expr], list[list[Expr]]]:
        """The state and P at the next sample, from those after this one; P by its symbols."""
        plant, size = self.plant, len(self.plant.names)
        own = self.covariance_symbols
        P = Matrix([[own[min(i, j), max(i, j)] for j in range(size)] for i in range(size)])
        after, F, _ = plant.transition(self.sample_time, self.step)
        W = (self.process_noise * self.sample_time).tolist()
        noise = [[as_expr(entry) for entry in row] for row in W]
        moved = _symmetric((F @ P, F))
        return after, [[as_expr(moved[i][j] + noise[i][j]) for j in range(size)] for i in range(size)]

    @cached_property
    def graphs(self) -> Mapping[str, list[Expr]]:
        """What a sample makes of x, P, y and c: `x` and `P` after it, `surprise` and `S`, `next x` and `next P`."""
        with quiet_collector():
            x, P, surprise, S = self._measured
            own = self.covariance_symbols
            values = dict(zip(self.plant.x, x, strict=True)) | {key: P[i][j] for (i, j), key in own.items()}
            ahead, spread = self._predicted
            size = len(ahead)
            moved = substitute([*ahead, *(spread[i][j] for i, j in own)], values)
            made = {
                "x": x,
                "P": [P[i][j] for i, j in own],
                "surprise": surprise,
                "S": [as_expr(entry) for entry in S.entries()],
                "next x": moved[:size],
                "next P": moved[size:],
            }
            check_size([each for part in made.values() for each in part], self.name, 'Take step="euler".')
            return made

    def design(self) -> Estimator:
        """The filter from sample to sample; its states are the estimates and P before a sample is measured."""
        graphs, own = self.graphs, self.covariance_symbols
        seen = {x: estimate_symbol(name) for x, name in zip(self.plant.x, self.plant.spellings, strict=True)}
        flat = iter(substitute([*graphs["x"], *graphs["next x"], *graphs["next P"]], seen))
        estimates = {x: next(flat) for x in self.plant.x}
        states = [ControllerState(seen[x], self.start[x], update=next(flat)) for x in self.plant.x]
        states += [
            ControllerState(key, Fraction(float(self.covariance[i, j])), update=next(flat))
            for (i, j), key in own.items()
        ]
        measured = dict(zip(measured_symbols(self.outputs), self.outputs.values(), strict=True))
        return Estimator(
            estimates, tuple(states), measured, tuple(self.plant.inputs.values()), sample_time=self.sample_time
        )

    # ---- offline ---------------------------------------------------------------------------------------------------

    def filter(self, times: Any, measurements: Any = None, controls: Any = None) -> Estimates:
        """The estimates along samples: `times` (N,), `measurements` (N, outputs) and `controls` (N, inputs), in order.

        Measurements and controls may also be columns by name. In place of times a run may be given: what is not said
        is then taken from it.
        """
        return filtered(self, times, measurements, controls)


def _symmetric(*products: tuple[Matrix, Matrix]) -> list[list[Expr]]:
    """Σ A Bᵀ, where that is symmetric: each entry on one side of the diagonal."""
    size = len(products[0][0])
    found: list[list[Expr]] = [[as_expr(0)] * size for _ in range(size)]
    for i in range(size):
        for j in range(i, size):
            found[i][j] = found[j][i] = as_expr(sum((A[i].dot(B[j]) for A, B in products), start=as_expr(0)))
    return found


def check_observable(
    equations: EquationsOfMotion, inputs: Sequence[str], outputs: Mapping[str, Expr], place: str
) -> None:
    """Refuse outputs that do not tell all states, and say why."""
    told = observability(Asked(equations, inputs), dict(outputs))
    if not told.is_observable and told.is_complete:
        raise PolhodeError(
            f"the outputs {', '.join(outputs)} do not tell the state: {told}",
            place=place,
            cure="Measure more, or leave out of the model what is not wanted.",
            code="E-OBSERVER-022",
        )
