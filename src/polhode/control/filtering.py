"""A filter along recorded samples: estimates, covariances and innovations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..compiled.native_function import native_function
from ..errors import PolhodeError, ShapeError, ValueMissing, numbers, unknown
from ..expr import Expr, free_symbols
from ..expr.spelling import described
from ..laws.observer import measured_symbols
from ..linear.operating_point import parameter_values
from ..notebook import Cell, Shown, Table
from .weights import Floats

if TYPE_CHECKING:
    from .ekf import EKF

#: How far samples may be from equally spaced, as a part of the sample time.
_UNEVEN = 1e-6

_CURE = "Give arrays of numbers, without samples that lack."


@dataclass(frozen=True, eq=False, repr=False)
class Estimates(Shown):
    """What a filter made of samples: at each time `t` the state `x` (N, n) and its `covariances` (N, m, m).

    `innovations` (N, k) are what samples had that was not expected, with `innovation_covariances` (N, k, k).

    >>> import polhode as ph
    >>> s = ph.System("slider", gravity=(0, 0, 0))
    >>> _ = s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"), speeds=["v"])
    >>> ekf = ph.control.EKF(s.derive(), ["x"], process_noise=0, measurement_noise=1, sample_time=1)
    >>> made = ekf.filter([0, 1, 2], [[0], [1], [2]])
    >>> made["v"].round(2).tolist(), made.deviation("v").round(2).tolist()
    ([0.0, 0.4, 0.73], [1.0, 0.77, 0.52])
    >>> made.normalised_innovations.round(2).tolist()
    [0.0, 0.4, 0.33]
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
        if name not in self.names:
            raise unknown("estimate", name, self.names, place="estimates", code="E-OBSERVER-030")
        return self.x[:, self.names.index(name)]

    def deviation(self, name: str) -> Floats:
        """The standard deviation of an estimate over time, by the name of a state."""
        if name not in self.states:
            raise unknown("state", name, self.states, place="estimates", code="E-OBSERVER-031")
        k = self.states.index(name)
        return np.sqrt(self.covariances[:, k, k])

    @property
    def normalised_innovations(self) -> Floats:
        """νᵀS⁻¹ν at each sample: if the noise is as said, as many on average as there are outputs."""
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
        told = f"normalised innovations: {mean:.3g} on average, of {self.innovations.shape[1]}"
        return Cell(repr(self), [table, told])


def filtered(ekf: EKF, times: Any, measurements: Any, controls: Any) -> Estimates:
    """The estimates of an extended Kalman filter along samples."""
    t, y, c = _samples(ekf, times, measurements, controls)
    plant, own = ekf.plant, ekf.covariance_symbols
    parts = ["x", "P", "surprise", "S", "next x", "next P"]
    roots = [root for part in parts for root in ekf.graphs[part]]
    ends = np.cumsum([len(ekf.graphs[part]) for part in parts])[:-1]
    variables = [*plant.x, *own.values(), *measured_symbols(ekf.outputs), *plant.inputs.values()]
    given = {name: float(value) for name, value in ekf.nominal.items()}
    known = parameter_values(ekf.equations, given)
    step = function_of([*variables, ekf.equations.system.time], roots, known)
    size, count = len(plant.names), len(ekf.outputs)
    upper = tuple(np.array([*own]).T)
    state = np.array([float(ekf.start[x]) for x in plant.x])
    spread = ekf.covariance[upper]
    found: list[list[Floats]] = []
    for k in range(len(t)):
        made = np.split(step(np.concatenate([state, spread, y[k], c[k], t[k : k + 1]])), ends)
        if not all(np.isfinite(part).all() for part in made[:4]):
            raise PolhodeError(
                f"the filter diverged at t = {t[k]:g} s: its estimate is no longer a number.",
                place=ekf.name,
                cure="Begin nearer to the truth, or give more process noise or a shorter sample time.",
                code="E-OBSERVER-032",
            )
        found.append(made[:4])
        state, spread = made[4], made[5]
    x, P, nu, S = (np.array([each[i] for each in found]) for i in range(4))
    whole = np.zeros((len(t), size, size))
    whole[:, upper[0], upper[1]] = whole[:, upper[1], upper[0]] = P
    return Estimates(t, x, whole, nu, S.reshape(-1, count, count), plant.spellings, plant.names)


def function_of(
    variables: Sequence[Expr], roots: Sequence[Expr], known: Mapping[Expr, float]
) -> Callable[[Floats], Floats]:
    """Roots as a native function of an array of variables."""
    lacking = [x for x in free_symbols(roots) if x not in known and x not in {*variables}]
    if lacking:
        raise ValueMissing(
            f"the {described(lacking[0])} has no value.",
            cure=f"Give parameters={{{lacking[0].name!r}: …}}, or a value in the model.",
            code="E-OBSERVER-029",
        )
    return native_function(variables, roots, known)


def _samples(ekf: EKF, times: Any, measurements: Any, controls: Any) -> tuple[Floats, Floats, Floats]:
    """Times, measurements and controls as arrays."""
    run = times if hasattr(times, "values") and hasattr(times, "t") else None
    if run is not None:
        times = run.t
        measurements = run.values(*ekf.outputs.values()).T if measurements is None else measurements
        controls = _of_run(run, ekf.plant.inputs) if controls is None else controls
    t = numbers(times, "finite numbers", cure=_CURE, place=f"{ekf.name} times")
    if t.ndim != 1 or not len(t):
        raise ShapeError("times are no row of numbers.", place=ekf.name, cure="Give times (N,).", code="E-OBSERVER-033")
    gaps = np.diff(t)
    if np.abs(gaps - ekf.sample_time).max(initial=0.0) > _UNEVEN * ekf.sample_time * max(1.0, len(t) ** 0.5):
        raise PolhodeError(
            f"samples are {gaps.min():g} s to {gaps.max():g} s apart, and the filter is one for {ekf.sample_time:g} s.",
            place=ekf.name,
            cure="Sample evenly, for example run.at(times), or give another sample_time.",
            code="E-OBSERVER-034",
        )
    y = _columns(measurements, [*ekf.outputs], len(t), "measurements", ekf.name)
    c = _columns({} if controls is None else controls, [*ekf.plant.inputs], len(t), "controls", ekf.name)
    return t, y, c


def _of_run(run: Any, inputs: Mapping[str, Expr]) -> dict[str, Any]:
    """The inputs that acted in a run, by name."""
    efforts = {} if run.tau is None else {name: run.effort(name) for name in run.efforts}
    declared = {} if run.inputs is None else dict(zip(run.input_names, run.inputs.T, strict=True))
    known = {name: (declared if str(x.data[0]) == "input" else efforts).get(x.name) for name, x in inputs.items()}
    return {name: value for name, value in known.items() if value is not None}


def _columns(given: Any, names: Sequence[str], count: int, what: str, place: str) -> Floats:
    """An array (N, names); columns that are not named are nil in controls, and missing in measurements."""
    if given is None:
        raise PolhodeError(f"there are no {what}.", place=place, cure=f"Give {what}.", code="E-OBSERVER-036")
    if isinstance(given, Mapping):
        for name in given:
            if name not in names:
                raise unknown(what.rstrip("s"), name, names, place=place, code="E-OBSERVER-037")
        lacking = [name for name in names if name not in given]
        if lacking and what == "measurements":
            raise PolhodeError(
                f"there is no measurement of '{lacking[0]}'.", place=place, cure="Give one.", code="E-OBSERVER-038"
            )
        given = [
            np.broadcast_to(
                numbers(given.get(name, 0.0), "finite numbers", cure=_CURE, place=f"{place} {what}"), (count,)
            )
            for name in names
        ]
        return np.array(given).reshape(len(names), count).T
    made = numbers(given, "finite numbers", cure=_CURE, place=f"{place} {what}")
    if made.shape == (count,) and len(names) == 1:
        made = made[:, None]
    if made.shape != (count, len(names)):
        raise ShapeError(
            f"{what} have the shape {made.shape}, and there are {count} samples of {', '.join(names) or 'nothing'}.",
            place=place,
            cure=f"Give an array ({count}, {len(names)}), or columns by name.",
            code="E-OBSERVER-039",
        )
    return made
