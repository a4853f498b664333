"""Periodic orbits by shooting, with exact sensitivities, and their Floquet multipliers.

    x(T; x₀) - x₀ - c = 0,        f(x*)·(x₀ - x*) = 0

for the start x₀ and, unless the period is known, T: the second row, Poincaré's phase condition, says where on the orbit
it begins, x* being the start of the last step; it is left out where a start value is held, as one must be in a
mechanism that keeps its energy, whose orbits form families. c counts whole turns of angles. ∂x(T)/∂x₀, the monodromy
matrix, comes with the run (variational equations); its eigenvalues are the multipliers, one of which is 1 where the
period is free.
R. Seydel, *Practical Bifurcation and Stability Analysis* (2010), chapter 7.

Periodic orbits over a parameter: shooting, continued by pseudo-arclength.

    F(x₀, T, p) = (x(T; x₀, p) - x₀ - c,  f(x*)·(x₀ - x*))

with ∂F from the run's sensitivities, by the parameter too (`periodic_orbit`, `continuation`). Along the branch

    the parameter turns                      at a fold: two orbits meet
    det (∂x(T)/∂x₀ + 1) changes sign         at a period doubling: a multiplier passes through -1
    Π (1 - μᵢ μⱼ) changes sign               at a torus point, where the pair is complex: it leaves the unit circle
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import PolhodeError, check_known, fault_at, unknown, whole_number
from ..expr import Expr, as_expr, directional, evaluate, free_symbols
from ..expr.spelling import spelled
from ..linear.eigensystem import Spectrum, Stability, spectrum_of
from ..model.unit import Si
from ..notebook import Cell, Shown, Table, Told, complex_text
from ..simulate.methods import RunMethods, SteadyStart
from .continuation import Curve, Point

if TYPE_CHECKING:
    from ..simulate import Trajectory

Floats = NDArray[np.float64]

_PLACE = "periodic_orbit"
fault = fault_at(_PLACE)
_MOST_STEPS = 30
#: A run that comes back to its start with less than this part of it left over is closed.
_CLOSED = 1e-8
#: Singular values below this part of the largest belong to a family, or to what constraints hold.
_NOTHING = 1e-7
#: Runs are as accurate as orbits are to be closed, and more; one that runs away is given up.
_TOLERANCES = {"rtol": 1e-11, "atol": 1e-12, "max_steps": 20_000}
#: What drives a mechanism is the same after a period to this.
_REPEATED = 1e-9


@dataclass(frozen=True, eq=False)
class Flow:
    """A run over a period: where it began and ended, the rates at both ends, ∂x(T)/∂x₀, and ∂x₀/∂x₀ on constraints."""

    begin: Floats
    end: Floats
    rates: tuple[Floats, Floats]
    monodromy: Floats
    allowed: Floats
    by_parameter: Floats | None = None
    error: float = 1e-9  # of ∂x(T)/∂x₀, relative to its size


class Shooting:
    """Runs of one mechanism with one set of options."""

    def __init__(
        self,
        equations: RunMethods,
        start: Any,
        speeds: Any,
        parameters: Mapping[str, Any] | None,
        options: Mapping[str, Any],
        x: Floats | None = None,
    ) -> None:
        self.equations = equations
        self.options: dict[str, Any] = {**_TOLERANCES, **options}
        start_values = start.parameters if isinstance(start, SteadyStart) else {}
        self.parameters = {str(name): Si(value) for name, value in {**start_values, **(parameters or {})}.items()}
        if x is not None:
            self.x = x
            return
        begin = equations.assemble(*self._split(start, speeds), parameters=self.parameters or None)
        self.x = np.concatenate([begin.q, begin.u, begin.z])

    @staticmethod
    def _split(start: Any, speeds: Any) -> tuple[Any, Any]:
        if isinstance(start, SteadyStart):
            return {**start.coordinates, **start.states}, {**start.speeds, **(speeds or {})}
        return start, speeds

    @property
    def names(self) -> list[str]:
        """The names of the state."""
        record = self.equations.record
        return [spelled(x) for x in (*record.q, *record.u, *record.z)]

    def turned(self, turns: Mapping[str, int] | None) -> Floats:
        """Change of the state over a period by whole turns of angles."""
        turned = np.zeros(len(self.x))
        for index, count in zip(self.places(turns or ()), (turns or {}).values(), strict=True):
            turned[index] = 2.0 * np.pi * whole_number(count, place="periodic_orbit turns")
        return turned

    def check_clock(self, period: float, is_known: bool) -> None:
        """Refuse a period that what is driven in time does not have, and a search for it."""
        entries = self._driven()
        time = self.equations.derivation.model.time
        if time not in free_symbols(entries) or not any(directional(entries, {time: as_expr(1)})):
            return
        if not is_known:
            raise fault(
                "the mechanism is driven in time, so that its orbits have the period of what drives it, or a multiple.",
                "Give that period, and is_period_known=True.",
                "E-EQUILIBRIUM-UNSUPPORTED",
            )
        rng = np.random.default_rng(3)
        symbols = [x for x in free_symbols(entries) if x is not time]
        for _ in range(5):
            values = dict(zip(symbols, rng.uniform(0.2, 1.2, len(symbols)).tolist(), strict=True))
            at = float(rng.uniform(0.0, period))
            now, later = (np.array(evaluate(entries, {**values, time: t})) for t in (at, at + period))
            if np.abs(later - now).max(initial=0.0) > _REPEATED * max(1.0, np.abs(now).max(initial=0.0)):
                message = f"what drives the mechanism in time does not repeat after {period:g} s."
                raise fault(message, "Give the period of what drives it, or a multiple.", "E-EQUILIBRIUM-UNSUPPORTED")

    def _driven(self) -> list[Expr]:
        """All in which time itself may be: the equations, and laws of inputs and efforts."""
        record = self.equations.record
        laws = [self.options.get(key) for key in ("inputs", "tau")]
        exprs = [law for table in laws if isinstance(table, Mapping) for law in table.values() if isinstance(law, Expr)]
        rates = (record.mass_matrix.entries(), record.bias, record.coordinate_rates, record.z_rates)
        return [as_expr(entry) for part in (*rates, exprs) for entry in part]

    def places(self, names: Iterable[str]) -> list[int]:
        """Indices of named coordinates, speeds and states in the state."""
        record = self.equations.record
        indices = dict(zip(self.names, range(len(self.x)), strict=True))
        indices |= {u.name: k for k, u in enumerate(record.u, len(record.q)) if u.name not in indices}
        for name in names:
            if name not in indices:
                message = "coordinate or speed"
                raise unknown(message, name, self.names, place="periodic_orbit", code="E-EQUILIBRIUM-NAME")
        return [indices[name] for name in names]

    def _state(self, x: Floats) -> tuple[Floats, ...]:
        record = self.equations.record
        parts = np.split(x, [len(record.q), len(record.q) + len(record.u)])
        return tuple(parts if len(record.z) else parts[:2])

    def run(self, x: Floats, period: float, by: str | None = None) -> Flow:
        """A run with its monodromy matrix, and its derivative by a parameter."""
        size = len(x)
        result = self.equations.sensitivities(
            period, [*self.names, *([] if by is None else [by])], start=self._state(x),
            parameters=self.parameters or None, samples=2, **self.options,
        )  # fmt: skip
        columns = result._state_slopes
        run = result.trajectory
        ends = [np.concatenate([run.q[k], run.u[k], run.z[k]]) for k in (0, -1)]
        return Flow(
            ends[0], ends[1], (self._rates(run, 0), self._rates(run, -1)), columns[-1][:, :size], columns[0][:, :size],
            None if by is None else columns[-1][:, size], 1e3 * float(self.options["rtol"]),
        )  # fmt: skip

    def _rates(self, run: Trajectory, k: int) -> Floats:
        """ẋ at a sample, with the efforts and inputs that acted there."""
        x = np.concatenate([run.q[k], run.u[k], run.z[k]])
        rates: Floats = self.equations._functions.state_rates(
            x,
            None if run.tau is None else run.tau[k],
            t=run.t[k],
            inputs=None if run.inputs is None else run.inputs[k],
            parameters=self.parameters or None,
        )
        return rates

    def around(self, x: Floats, period: float) -> Trajectory:
        """Once around, as any run."""
        allowed = {key: value for key, value in self.options.items() if key != "functions"}
        run: Trajectory = self.equations.simulate(
            period, start=self._state(x), parameters=self.parameters or None, **allowed
        )
        return run


@dataclass(frozen=True, eq=False, repr=False)
class PeriodicOrbit(Shown):
    """An orbit: its period, a state on it, the Floquet multipliers, largest first; `run` is once around.

    `residual` is what is left between both ends. Where the orbit is one of a family, as in a mechanism that keeps its
    energy, more than one multiplier is 1; `notices` say so.
    """

    period: float
    x: Floats
    names: tuple[str, ...]
    spectrum: Spectrum
    residual: float
    is_period_known: bool
    parameters: Mapping[str, float]
    shot: Shooting
    notices: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> float:
        return float(self.x[self.names.index(name)])

    @cached_property
    def run(self) -> Trajectory:
        """Once around."""
        return self.shot.around(self.x, self.period)

    @property
    def multipliers(self) -> NDArray[np.complex128]:
        """The Floquet multipliers, the largest first."""
        return self.spectrum.values

    @property
    def stability(self) -> Stability:
        """Stability of perturbations: "stable" (all but the one along the orbit decay), "unstable", or "neutral"."""
        return self.spectrum.stability(0 if self.is_period_known else 1)

    def __repr__(self) -> str:
        message = ", ".join(f"{abs(m):.6g}" for m in self.multipliers[:4])
        text = f"PeriodicOrbit(period {self.period:.9g} s, {self.stability}; multipliers of size {message})"
        return "\n".join([text, *self.notices])

    def _cell(self) -> Cell:
        start = Table(["state", "on the orbit"], [(n, f"{self[n]:.6g}") for n in self.names], numbers_from=1)
        rows = [(complex_text(m), f"{abs(m):.6g}") for m in self.multipliers.tolist()]
        multipliers = Table(["Floquet multiplier", "size"], rows, numbers_from=0)
        return Cell(f"{self.stability} orbit, period {self.period:.9g} s", [start, multipliers, *self.notices])


def periodic_orbit(
    shot: Shooting, period: float, turns: Mapping[str, int] | None, hold: Sequence[str], is_period_known: bool
) -> PeriodicOrbit:
    """The periodic orbit that Newton's method reaches from a state and a period."""
    shot.check_clock(period, is_period_known)
    turned, held = shot.turned(turns), shot.places(hold)
    flow, begun = shot.run(shot.x, period), period
    for _ in range(_MOST_STEPS):
        left, slopes = shooting(flow, turned, held, is_period_known)
        size = _size(left, flow)
        if size <= 1e-3 * _CLOSED:
            break
        step = np.asarray(np.linalg.lstsq(slopes, -left, rcond=_NOTHING)[0], dtype=np.float64)
        away = 0.0 if is_period_known else float(step[-1])
        result = _shorter(shot, flow, step[: len(shot.x)], period, away, turned)
        if result is None:
            break
        flow, period = result
    size = _size(flow.end - flow.begin - turned, flow)
    if not size <= _CLOSED:
        raise _open(shot.names, flow, turned, size, period)
    still = float(np.abs(flow.rates[0]).max(initial=0.0))
    if not is_period_known and still < 1e-6:
        message = "the search came to rest: this is an equilibrium, no orbit."
        raise fault(message, "Begin nearer to the orbit, or hold a start value: hold=[…].", "E-EQUILIBRIUM-FAILED")
    spectrum = spectrum_of_orbit(flow)
    notices = []
    ones = int((np.abs(spectrum.values - 1.0) < 1e-3).sum())
    if ones > (0 if is_period_known else 1):
        notices.append("This is one of a family of orbits: more multipliers are 1 than a single orbit has.")
    if abs(period - begun) > 0.5 * begun:
        notices.append(f"The period found, {period:.6g} s, is far from that given, {begun:.6g} s.")
    return PeriodicOrbit(
        period, flow.begin, tuple(shot.names), spectrum, size, is_period_known, shot.parameters, shot, tuple(notices)
    )


def _shorter(
    shot: Shooting, flow: Flow, step: Floats, period: float, away: float, turned: Floats
) -> tuple[Flow, float] | None:
    """The longest part of a step that brings both ends nearer to each other, the period by no more than a quarter."""
    length = min(1.0, period / (4.0 * abs(away))) if away else 1.0
    before = float(np.linalg.norm(flow.end - flow.begin - turned))
    while length > 1e-3:
        try:
            trial = shot.run(flow.begin + length * step, period + length * away)
        except PolhodeError:  # it cannot be run from there
            length /= 2.0
            continue
        if np.linalg.norm(trial.end - trial.begin - turned) < before * (1.0 - 1e-4 * length):
            return trial, period + length * away
        length /= 2.0
    return None


def shooting(flow: Flow, turned: Floats, held: Sequence[int], is_period_known: bool) -> tuple[Floats, Floats]:
    """Residual of closure, and its derivatives by the start and, unless it is known, by the period."""
    left, slopes = flow.end - flow.begin - turned, flow.monodromy - flow.allowed
    slopes[:, list(held)] = 0.0
    if is_period_known:
        return left, slopes
    slopes = np.column_stack([slopes, flow.rates[1]])
    if held:
        return left, slopes
    along = flow.rates[0] / max(float(np.linalg.norm(flow.rates[0])), 1e-300)
    return np.append(left, 0.0), np.vstack([slopes, np.append(along, 0.0)])


def spectrum_of_orbit(flow: Flow) -> Spectrum:
    """The eigenvalues of the monodromy matrix on the states that constraints allow, the largest first."""
    left, sizes, _ = np.linalg.svd(flow.allowed)
    basis = left[:, sizes > 1e-9 * sizes.max(initial=1.0)]
    monodromy = basis.T @ flow.monodromy @ basis
    error = flow.error * np.abs(monodromy).max(initial=0.0)
    return spectrum_of(monodromy, np.full(monodromy.shape, error), on_circle=True)


def _size(left: Floats, flow: Flow) -> float:
    return float(np.abs(left[: len(flow.begin)]).max(initial=0.0)) / (1.0 + float(np.abs(flow.begin).max(initial=0.0)))


def _open(names: Sequence[str], flow: Flow, turned: Floats, size: float, period: float) -> PolhodeError:
    left = flow.end - flow.begin - turned
    worst = int(np.argmax(np.abs(left)))
    return fault(
        f"no periodic orbit was found: after {period:.6g} s the nearest run still misses its start, "
        f"'{names[worst]}' by {left[worst]:.3g}.",
        "Begin nearer to the orbit, with a better guess of its period, or count whole turns: turns={'theta': 1}.",
        "E-EQUILIBRIUM-FAILED",
    )


_BRANCH = "orbit_branch"
branch_fault = fault_at(_BRANCH)
#: Runs are not more exact than this.
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class SpecialOrbit(Told):
    """Where a branch of orbits changes: a "fold", a "period doubling" or a "torus point"."""

    kind: str
    value: float  # of the parameter
    period: float

    def __str__(self) -> str:
        return f"{self.kind} at {self.value:.9g}, period {self.period:.9g} s"


@dataclass(frozen=True, eq=False, repr=False)
class OrbitBranch(Shown):
    """Orbits over a parameter: `values` of it, `periods`, `multipliers`; `branch[k]` is an orbit."""

    parameter: str
    values: Floats
    orbits: tuple[PeriodicOrbit, ...]
    special: tuple[SpecialOrbit, ...]
    notices: tuple[str, ...] = ()

    @property
    def periods(self) -> Floats:
        """The periods."""
        return np.array([orbit.period for orbit in self.orbits])

    @property
    def multipliers(self) -> NDArray[np.complex128]:
        """The Floquet multipliers, a row for each orbit."""
        return np.array([orbit.multipliers for orbit in self.orbits])

    def __len__(self) -> int:
        return len(self.orbits)

    def __getitem__(self, k: int) -> PeriodicOrbit:
        return self.orbits[k]

    def __iter__(self) -> Iterator[PeriodicOrbit]:
        return iter(self.orbits)

    def __repr__(self) -> str:
        ends = f"{self.values.min():.6g} to {self.values.max():.6g}"
        text = f"OrbitBranch(over {self.parameter} from {ends}, {len(self)} orbits)"
        return "\n".join([text, *map(str, self.special), *self.notices])

    def _cell(self) -> Cell:
        special = Table(
            ["where it changes", self.parameter, "period in s"],
            [(point.kind, f"{point.value:.9g}", f"{point.period:.9g}") for point in self.special],
            numbers_from=1,
        )
        return Cell(repr(self).splitlines()[0], [special, *self.notices])


def orbit_branch(
    equations: RunMethods,
    orbit: PeriodicOrbit,
    parameter: str,
    between: Any,
    turns: Mapping[str, int] | None,
    step: float,
    most: int,
    options: Mapping[str, Any],
) -> OrbitBranch:
    """The branch of orbits through one, both ways, while the parameter is `between` two values."""
    table = equations.derivation.model.parameters
    check_known("parameter", [parameter], table, place=_BRANCH, code="E-EQUILIBRIUM-NAME")
    value = float(orbit.parameters.get(parameter, table[parameter].value or 0))

    def shot(value: float) -> Shooting:
        return Shooting(equations, None, None, {**orbit.parameters, parameter: value}, options, orbit.x)

    low, high = (float(end) for end in between)
    if not low <= value <= high:
        message = f"the orbit to begin with has {parameter} = {value:g}, outside the range from {low:g} to {high:g}."
        raise branch_fault(message, "Find one inside: periodic_orbit(…, parameters={…}).", "E-EQUILIBRIUM-NUMBER")
    ones = int((np.abs(orbit.multipliers - 1.0) < 1e-3).sum())
    if ones > (0 if orbit.is_period_known else 1) or len(orbit.multipliers) < len(orbit.x):
        text = "orbits of a family, as where energy is kept, and of mechanisms with constraints are not followed here."
        cure = "Find them one by one: periodic_orbit(…, hold=[…], parameters={…})."
        raise branch_fault(text, cure, "E-EQUILIBRIUM-UNSUPPORTED")
    return _Following(shot, orbit, shot(value).turned(turns), parameter, low, high, step, most).whole(value)


class _Following:
    """One branch in scaled variables: the parameter in halves of its range."""

    def __init__(
        self,
        shot: Callable[[float], Shooting],
        orbit: PeriodicOrbit,
        turned: Floats,
        parameter: str,
        low: float,
        high: float,
        step: float,
        most: int,
    ) -> None:
        self.shot, self.orbit, self.turned, self.parameter = shot, orbit, turned, parameter
        self.low, self.high, self.longest, self.most = low, high, 2.0 * step, most
        self.half = 2.0 ** round(np.log2((high - low) / 2.0))
        self.known: dict[bytes, Flow] = {}
        self.reference = orbit.x
        self.special: list[SpecialOrbit] = []
        self.notices: list[str] = []

    def _parts(self, y: Floats) -> tuple[Floats, float, float]:
        size = len(self.orbit.x)
        return y[:size], self.orbit.period if self.orbit.is_period_known else float(y[size]), float(y[-1]) * self.half

    def _flow(self, y: Floats) -> Flow:
        key = y.tobytes()
        if key not in self.known:
            x, period, value = self._parts(y)
            if not period > 0.0:
                raise PolhodeError("the period vanishes.", _BRANCH, "Follow a shorter range.", "E-EQUILIBRIUM-FAILED")
            self.known[key] = self.shot(value).run(x, period, by=self.parameter)
        return self.known[key]

    def function(self, y: Floats) -> tuple[Floats, Floats]:
        """F and its derivatives; none where it cannot be run."""
        size, width = len(self.orbit.x), len(y)
        try:
            flow = self._flow(y)
        except PolhodeError:
            return np.full(width - 1, np.nan), np.full((width - 1, width), np.nan)
        slopes = np.zeros((width - 1, width))
        slopes[:size, :size] = flow.monodromy - flow.allowed
        slopes[:size, -1] = self.half * (np.zeros(size) if flow.by_parameter is None else flow.by_parameter)
        left = flow.end - flow.begin - self.turned
        if self.orbit.is_period_known:
            return left, slopes
        slopes[:size, size], slopes[size, :size] = flow.rates[1], self.along
        return np.append(left, self.along @ (flow.begin - self.reference)), slopes

    def whole(self, value: float) -> OrbitBranch:
        """The branch through the orbit, both ways."""
        orbit = self.orbit
        middle = [] if orbit.is_period_known else [orbit.period]
        first = np.concatenate([orbit.x, middle, [value / self.half]])
        ahead = np.append(np.zeros(len(first) - 1), 1.0)
        ways = [self._along(first, direction) for direction in (-ahead, ahead)]
        points = [*ways[0][::-1], first, *ways[1]]
        return OrbitBranch(
            self.parameter, np.array([y[-1] * self.half for y in points]), tuple(self._orbit(y) for y in points),
            tuple(self.special), tuple(dict.fromkeys(self.notices)),
        )  # fmt: skip

    def _orbit(self, y: Floats) -> PeriodicOrbit:
        x, period, value = self._parts(y)
        flow = self._flow(y)
        residual = float(np.abs(flow.end - flow.begin - self.turned).max())
        shot, is_known = self.shot(value), self.orbit.is_period_known
        return PeriodicOrbit(
            period, x, self.orbit.names, spectrum_of_orbit(flow), residual, is_known, shot.parameters, shot
        )

    def _along(self, first: Floats, like: Floats) -> list[Floats]:
        self._refer(first)
        points: list[Floats] = []
        if not self.low < first[-1] * self.half + 1e-12 * like[-1] < self.high:
            return points
        curve = Curve(self.function, first, like, self.longest, _ROUNDING)
        while len(points) < self.most:
            here = curve.point
            new = curve.advance()
            if new is None:
                value = here.x[-1] * self.half
                self.notices.append(f"The branch could not be followed beyond {self.parameter} = {value:.9g}.")
                return points
            if not self.low <= new.x[-1] * self.half <= self.high:
                last = self._at_end(curve, here, new)
                return points if last is None else [*points, last.x]
            if not self.orbit.is_period_known and self._flow(new.x).rates[0] @ self.along < 0.0:
                value = here.x[-1] * self.half
                self.notices.append(f"Near {self.parameter} = {value:.6g} orbits shrink to an equilibrium.")
                return points
            self._tested(curve, here, new)
            points.append(new.x)
            self._refer(new.x)
        self.notices.append(f"The branch was left after {self.most} orbits.")
        return points

    def _at_end(self, curve: Curve, here: Point, new: Point) -> Point | None:
        """The orbit at the end of the range."""
        end = (self.low if new.x[-1] * self.half < self.low else self.high) / self.half
        return curve.zero(here, new, lambda point: float(point.x[-1] - end))

    def _refer(self, y: Floats) -> None:
        """Measure the phase from an orbit."""
        flow = self._flow(y)
        self.reference = flow.begin
        self.along = flow.rates[0] / max(float(np.linalg.norm(flow.rates[0])), 1e-300)

    def _tested(self, curve: Curve, here: Point, new: Point) -> None:
        """The special points on a step."""
        unit = np.eye(len(self.orbit.x))
        tests: list[tuple[str, Callable[[Point], float]]] = [
            ("fold", lambda point: float(point.tangent[-1])),
            ("period doubling", lambda point: float(np.linalg.det(self._flow(point.x).monodromy + unit))),
            ("torus point", lambda point: _off_circle(self._others(point))),
        ]
        for kind, of in tests:
            if of(here) * of(new) < 0.0:
                result = curve.zero(here, new, of)
                if result is not None and (kind != "torus point" or _has_complex_pair(self._others(result))):
                    _, period, value = self._parts(result.x)
                    self.special.append(SpecialOrbit(kind, value, period))

    def _others(self, point: Point) -> NDArray[np.complex128]:
        """The multipliers without the one along the orbit."""
        values = spectrum_of_orbit(self._flow(point.x)).values
        return values if self.orbit.is_period_known else np.delete(values, int(np.argmin(np.abs(values - 1.0))))


def _off_circle(multipliers: NDArray[np.complex128]) -> float:
    return float(np.prod([1.0 - a * b for a, b in combinations(multipliers, 2)]).real)


def _has_complex_pair(multipliers: NDArray[np.complex128]) -> bool:
    return bool((np.abs(np.abs(multipliers[np.abs(multipliers.imag) > 1e-6]) - 1.0) < 1e-4).any())
