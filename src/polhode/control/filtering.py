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

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from ..compiled.functions import native_function
from ..control_geometry.accessibility import observability
from ..control_geometry.at_state import Query
from ..dynamics.equations import EquationsOfMotion
from ..errors import PolhodeError, ShapeError, ValueMissing, check_known, numbers
from ..expr import Expr, Matrix, Vector, as_expr, free_symbols, quiet_collector, substitute, symbol
from ..expr.spelling import described
from ..formalisms.derivation import Derived
from ..geometry.elimination import factor_symmetric
from ..laws.controller import Estimator, Observer, check_measurable, estimate_symbol, measured_symbols, starts_of
from ..laws.law import ControllerState, sample_time_of
from ..linear.displacements import output_rates, read_outputs
from ..linear.operating_point import parameter_values
from ..notebook import Cell, Shown, Table
from .state_equations import check_size, state_equations, step_of
from .weights import Floats, weights


class EKF(Observer):
    """An extended Kalman filter of a mechanism.

    `outputs` are names of coordinates, speeds and states, or expressions by name. `process_noise` W is the covariance
    that a second of noise adds to the states, `measurement_noise` V that of a sample of the outputs: one number,
    numbers by name or in order, or a matrix. Estimates begin at `start`, by name, with `covariance`. `inputs` are known
    to the filter; others are held at the model's values. `step` is "rk4" or "euler".

    >>> from polhode.model.samples.underactuated import cart_pole
    >>> e = cart_pole().derive()
    >>> EKF(e, ["x"], process_noise=1e-4, measurement_noise=1e-4, sample_time=0.01)
    EKF(of 'cart-pole' by y_x)
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
            raise PolhodeError("nothing is measured.", place=self.name, cure="Name outputs.", code="E-OBSERVER-MISSING")
        names = self.plant.names
        self.process_noise = weights("process_noise", process_noise, names, self.name)
        self.measurement_noise = weights(
            "measurement_noise", measurement_noise, [*self.outputs], self.name, positive=True
        )
        self.covariance = weights("covariance", covariance, names, self.name)
        self.start = starts_of(self.equations, start, self.name)
        time = self.equations.system.time
        if time not in free_symbols([*self.plant.rates, *self.outputs.values()]):
            report = observability(Query(self.equations, [*self.plant.inputs]), dict(self.outputs))
            if not report.is_observable and report.is_complete:
                message = f"the outputs {', '.join(self.outputs)} do not determine the state: {report}"
                cure = "Measure more, or leave the unobservable states out of the model."
                raise PolhodeError(message, self.name, cure, "E-OBSERVER-SINGULAR")

    @property
    def states(self) -> tuple[str, ...]:
        """Names of the rows of the covariance: displacements, speeds, first-order states."""
        return self.plant.names

    @cached_property
    def covariance_symbols(self) -> dict[tuple[int, int], Expr]:
        """The symbols of P on and above the diagonal."""
        names = self.plant.names
        return {
            (i, j): symbol(f"covariance of {names[i]} and {names[j]}", "state")
            for i in range(len(names))
            for j in range(i, len(names))
        }

    @property
    def _P(self) -> Matrix:
        size, entries = len(self.plant.names), self.covariance_symbols
        return Matrix([[entries[min(i, j), max(i, j)] for j in range(size)] for i in range(size)])

    @cached_property
    def _measured(self) -> tuple[list[Expr], list[list[Expr]], list[Expr], Matrix]:
        """The state and P after a sample is measured, what was not expected of it, and S."""
        plant, P, size = self.plant, self._P, len(self.plant.names)
        arguments = [*plant.x, self.equations.system.time]
        C, _ = output_rates(self.equations, plant.moved, self.outputs, [], arguments, self.name)
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
        plant, P, size = self.plant, self._P, len(self.plant.names)
        after, F, _ = plant.transition(self.sample_time, self.step)
        W = (self.process_noise * self.sample_time).tolist()
        noise = [[as_expr(entry) for entry in row] for row in W]
        moved = _symmetric((F @ P, F))
        return after, [[as_expr(moved[i][j] + noise[i][j]) for j in range(size)] for i in range(size)]

    @cached_property
    def graphs(self) -> Mapping[str, list[Expr]]:
        """Expressions of one sample from x, P, y and c: `x`, `P` after it, `surprise`, `S`, `next x` and `next P`."""
        with quiet_collector():
            x, P, surprise, S = self._measured
            entries = self.covariance_symbols
            values = dict(zip(self.plant.x, x, strict=True)) | {key: P[i][j] for (i, j), key in entries.items()}
            ahead, spread = self._predicted
            size = len(ahead)
            moved = substitute([*ahead, *(spread[i][j] for i, j in entries)], values)
            graphs = {
                "x": x,
                "P": [P[i][j] for i, j in entries],
                "surprise": surprise,
                "S": [as_expr(entry) for entry in S.entries()],
                "next x": moved[:size],
                "next P": moved[size:],
            }
            check_size([x for part in graphs.values() for x in part], self.name, 'Take step="euler".')
            return graphs

    def design(self) -> Estimator:
        """The filter from sample to sample; its states are the estimates and P before a sample is measured."""
        graphs, entries = self.graphs, self.covariance_symbols
        seen = {x: estimate_symbol(name) for x, name in zip(self.plant.x, self.plant.spellings, strict=True)}
        flat = iter(substitute([*graphs["x"], *graphs["next x"], *graphs["next P"]], seen))
        estimates = {x: next(flat) for x in self.plant.x}
        states = [ControllerState(seen[x], self.start[x], update=next(flat)) for x in self.plant.x]
        states += [
            ControllerState(key, Fraction(float(self.covariance[i, j])), update=next(flat))
            for (i, j), key in entries.items()
        ]
        measured = dict(zip(measured_symbols(self.outputs), self.outputs.values(), strict=True))
        return Estimator(
            estimates, tuple(states), measured, tuple(self.plant.inputs.values()), sample_time=self.sample_time
        )

    def filter(self, times: Any, measurements: Any = None, controls: Any = None) -> Estimates:
        """The estimates along samples: `times` (N,), `measurements` (N, outputs) and `controls` (N, inputs), in order.

        Measurements and controls may also be columns by name. In place of times a run may be given: what is not said
        is then taken from it.
        """
        return filtered(self, times, measurements, controls)


def _symmetric(*products: tuple[Matrix, Matrix]) -> list[list[Expr]]:
    """Σ A Bᵀ, where that is symmetric: each entry on one side of the diagonal."""
    size = len(products[0][0])
    product: list[list[Expr]] = [[as_expr(0)] * size for _ in range(size)]
    for i in range(size):
        for j in range(i, size):
            product[i][j] = product[j][i] = as_expr(sum((A[i].dot(B[j]) for A, B in products), start=as_expr(0)))
    return product


#: How far samples may be from equally spaced, as a part of the sample time.
_UNEVEN = 1e-6

_CURE = "Give arrays of numbers, without samples that lack."


@dataclass(frozen=True, eq=False, repr=False)
class Estimates(Shown):
    """Estimates of a filter from samples: at each time `t` the state `x` (N, n) and `covariances` (N, m, m).

    `innovations` (N, k) are what samples had that was not expected, with `innovation_covariances` (N, k, k).

    >>> import polhode as ph
    >>> s = ph.System("slider", gravity=(0, 0, 0))
    >>> _ = s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"), speeds=["v"])
    >>> ekf = ph.control.EKF(s.derive(), ["x"], process_noise=0, measurement_noise=1, sample_time=1)
    >>> made = ekf.filter([0, 1, 2], [[0], [1], [2]])
    >>> made["v"].round(2).tolist(), made.deviation("v").round(2).tolist()
    ([0.0, 0.4, 0.73], [1.0, 0.77, 0.52])
    """

    t: Floats
    x: Floats
    covariances: Floats
    innovations: Floats
    innovation_covariances: Floats
    names: tuple[str, ...]
    states: tuple[str, ...]

    def __getitem__(self, name: str) -> Floats:
        """An estimate over time, by name."""
        check_known("estimate", [name], self.names, place="estimates", code="E-OBSERVER-NAME")
        return self.x[:, self.names.index(name)]

    def deviation(self, name: str) -> Floats:
        """The standard deviation of an estimate over time, by the name of a state."""
        check_known("state", [name], self.states, place="estimates", code="E-OBSERVER-NAME")
        k = self.states.index(name)
        return np.sqrt(self.covariances[:, k, k])

    @property
    def normalised_innovations(self) -> Floats:
        """νᵀS⁻¹ν at each sample; with the assumed noise its mean is the number of outputs."""
        solved = np.linalg.solve(self.innovation_covariances, self.innovations[:, :, None])[:, :, 0]
        return np.asarray((solved * self.innovations).sum(axis=1))

    def __repr__(self) -> str:
        return f"Estimates({len(self.t)} samples of {', '.join(self.names)})"

    def _cell(self) -> Cell:
        spread = dict(zip(self.states, np.sqrt(np.diagonal(self.covariances[-1])), strict=True))
        rows = [
            (name, f"{value:.6g}", f"{spread[name]:.2g}" if name in spread else "")
            for name, value in zip(self.names, self.x[-1].tolist(), strict=True)
        ]
        table = Table(["state", f"estimate at {self.t[-1]:g} s", "standard deviation"], rows, numbers_from=1)
        mean = float(self.normalised_innovations.mean())
        innovations = f"normalised innovations: {mean:.3g} on average, of {self.innovations.shape[1]}"
        return Cell(repr(self), [table, innovations])


def filtered(ekf: EKF, times: Any, measurements: Any, controls: Any) -> Estimates:
    """The estimates of an extended Kalman filter along samples."""
    t, y, c = _samples(ekf, times, measurements, controls)
    plant, entries = ekf.plant, ekf.covariance_symbols
    parts = ["x", "P", "surprise", "S", "next x", "next P"]
    roots = [root for part in parts for root in ekf.graphs[part]]
    ends = np.cumsum([len(ekf.graphs[part]) for part in parts])[:-1]
    variables = [*plant.x, *entries.values(), *measured_symbols(ekf.outputs), *plant.inputs.values()]
    nominal = {name: float(value) for name, value in ekf.nominal.items()}
    values = parameter_values(ekf.equations, nominal)
    step = function_of([*variables, ekf.equations.system.time], roots, values)
    size, count = len(plant.names), len(ekf.outputs)
    upper = tuple(np.array([*entries]).T)
    state = np.array([float(ekf.start[x]) for x in plant.x])
    spread = ekf.covariance[upper]
    steps: list[list[Floats]] = []
    for k in range(len(t)):
        results = np.split(step(np.concatenate([state, spread, y[k], c[k], t[k : k + 1]])), ends)
        if not all(np.isfinite(part).all() for part in results[:4]):
            message = f"the filter diverged at t = {t[k]:g} s: its estimate is no longer a number."
            cure = "Begin nearer to the truth, or give more process noise or a shorter sample time."
            raise PolhodeError(message, ekf.name, cure, "E-OBSERVER-FAILED")
        steps.append(results[:4])
        state, spread = results[4], results[5]
    x, P, nu, S = (np.array([row[i] for row in steps]) for i in range(4))
    covariance = np.zeros((len(t), size, size))
    covariance[:, upper[0], upper[1]] = covariance[:, upper[1], upper[0]] = P
    return Estimates(t, x, covariance, nu, S.reshape(-1, count, count), plant.spellings, plant.names)


def function_of(
    variables: Sequence[Expr], roots: Sequence[Expr], values: Mapping[Expr, float]
) -> Callable[[Floats], Floats]:
    """Roots as a native function of an array of variables."""
    lacking = [x for x in free_symbols(roots) if x not in values and x not in {*variables}]
    if lacking:
        cure = f"Give parameters={{{lacking[0].name!r}: …}}, or a value in the model."
        raise ValueMissing(f"the {described(lacking[0])} has no value.", cure=cure, code="E-OBSERVER-MISSING")
    return native_function(variables, roots, values)


def _samples(ekf: EKF, times: Any, measurements: Any, controls: Any) -> tuple[Floats, Floats, Floats]:
    """Times, measurements and controls as arrays."""
    run = times if hasattr(times, "values") and hasattr(times, "t") else None
    if run is not None:
        times = run.t
        measurements = run.values(*ekf.outputs.values()).T if measurements is None else measurements
        controls = _of_run(run, ekf.plant.inputs) if controls is None else controls
    t = numbers(times, "finite numbers", cure=_CURE, place=f"{ekf.name} times")
    if t.ndim != 1 or not len(t):
        raise ShapeError("times are no row of numbers.", ekf.name, "Give times (N,).", "E-OBSERVER-SHAPE")
    gaps = np.diff(t)
    if np.abs(gaps - ekf.sample_time).max(initial=0.0) > _UNEVEN * ekf.sample_time * max(1.0, len(t) ** 0.5):
        apart = f"samples are {gaps.min():g} s to {gaps.max():g} s apart"
        message = f"{apart}, and the filter is one for {ekf.sample_time:g} s."
        cure = "Sample evenly, for example run.at(times), or give another sample_time."
        raise PolhodeError(message, ekf.name, cure, "E-OBSERVER-NUMBER")
    y = _columns(measurements, [*ekf.outputs], len(t), "measurements", ekf.name)
    c = _columns({} if controls is None else controls, [*ekf.plant.inputs], len(t), "controls", ekf.name)
    return t, y, c


def _of_run(run: Any, inputs: Mapping[str, Expr]) -> dict[str, Any]:
    """The inputs that acted in a run, by name."""
    efforts = {} if run.tau is None else {name: run.effort(name) for name in run.efforts}
    declared = {} if run.inputs is None else dict(zip(run.input_names, run.inputs.T, strict=True))
    columns = {name: (declared if str(x.data[0]) == "input" else efforts).get(x.name) for name, x in inputs.items()}
    return {name: value for name, value in columns.items() if value is not None}


def _columns(values: Any, names: Sequence[str], count: int, what: str, place: str) -> Floats:
    """An array (N, names); columns that are not named are nil in controls, and missing in measurements."""
    if values is None:
        raise PolhodeError(f"there are no {what}.", place=place, cure=f"Give {what}.", code="E-OBSERVER-MISSING")
    if isinstance(values, Mapping):
        check_known(what.rstrip("s"), values, names, place=place, code="E-OBSERVER-NAME")
        lacking = [name for name in names if name not in values]
        if lacking and what == "measurements":
            raise PolhodeError(f"there is no measurement of '{lacking[0]}'.", place, "Give one.", "E-OBSERVER-MISSING")
        columns = (
            numbers(values.get(name, 0.0), "finite numbers", cure=_CURE, place=f"{place} {what}") for name in names
        )
        return np.array([np.broadcast_to(column, (count,)) for column in columns]).reshape(len(names), count).T
    array = numbers(values, "finite numbers", cure=_CURE, place=f"{place} {what}")
    if array.shape == (count,) and len(names) == 1:
        array = array[:, None]
    if array.shape != (count, len(names)):
        samples = f"there are {count} samples of {', '.join(names) or 'nothing'}"
        cure = f"Give an array ({count}, {len(names)}), or columns by name."
        raise ShapeError(f"{what} have the shape {array.shape}, and {samples}.", place, cure, "E-OBSERVER-SHAPE")
    return array
