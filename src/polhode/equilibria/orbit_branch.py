"""Periodic orbits over a parameter: shooting, continued by pseudo-arclength.

    F(x₀, T, p) = (x(T; x₀, p) - x₀ - c,  f(x*)·(x₀ - x*))

with ∂F from the run's sensitivities, by the parameter too (`periodic_orbit`, `continuation`). Along the branch

    the parameter turns                      at a fold: two orbits meet
    det (∂x(T)/∂x₀ + 1) changes sign         at a period doubling: a multiplier passes through -1
    Π (1 - μᵢ μⱼ) changes sign               at a torus point, where the pair is complex: it leaves the unit circle
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import PolhodeError, fault_at, unknown
from ..notebook import Cell, Shown, Table, Told
from ..simulate.methods import RunMethods
from .continuation import Curve, Point
from .periodic_orbit import Floats, Flow, PeriodicOrbit, Shooting, spectrum_of_orbit

_PLACE = "orbit_branch"
fault = fault_at(_PLACE)
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
        return np.array([each.period for each in self.orbits])

    @property
    def multipliers(self) -> NDArray[np.complex128]:
        """The Floquet multipliers, a row for each orbit."""
        return np.array([each.multipliers for each in self.orbits])

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
            [(each.kind, f"{each.value:.9g}", f"{each.period:.9g}") for each in self.special],
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
    if parameter not in table:
        raise unknown("parameter", parameter, table, place=_PLACE, code="E-EQUILIBRIUM-NAME")
    value = float(orbit.parameters.get(parameter, table[parameter].value or 0))

    def shot(value: float) -> Shooting:
        return Shooting(equations, None, None, {**orbit.parameters, parameter: value}, options, orbit.x)

    low, high = (float(end) for end in between)
    if not low <= value <= high:
        raise fault(
            f"the orbit to begin with has {parameter} = {value:g}, outside the range from {low:g} to {high:g}.",
            "Find one inside: periodic_orbit(…, parameters={…}).",
            "E-EQUILIBRIUM-NUMBER",
        )
    ones = int((np.abs(orbit.multipliers - 1.0) < 1e-3).sum())
    if ones > (0 if orbit.is_period_known else 1) or len(orbit.multipliers) < len(orbit.x):
        raise fault(
            "orbits of a family, as where energy is kept, and of mechanisms with constraints are not followed here.",
            "Find them one by one: periodic_orbit(…, hold=[…], parameters={…}).",
            "E-EQUILIBRIUM-UNSUPPORTED",
        )
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
                raise PolhodeError("the period vanishes.", place=_PLACE, code="E-EQUILIBRIUM-FAILED")
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
        ways = [self._along(first, way) for way in (-ahead, ahead)]
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
        found: list[Floats] = []
        if not self.low < first[-1] * self.half + 1e-12 * like[-1] < self.high:
            return found
        curve = Curve(self.function, first, like, self.longest, _ROUNDING)
        while len(found) < self.most:
            here = curve.point
            new = curve.advance()
            if new is None:
                value = here.x[-1] * self.half
                self.notices.append(f"The branch could not be followed beyond {self.parameter} = {value:.9g}.")
                return found
            if not self.low <= new.x[-1] * self.half <= self.high:
                last = self._at_end(curve, here, new)
                return found if last is None else [*found, last.x]
            if not self.orbit.is_period_known and self._flow(new.x).rates[0] @ self.along < 0.0:
                value = here.x[-1] * self.half
                self.notices.append(f"Near {self.parameter} = {value:.6g} orbits shrink to an equilibrium.")
                return found
            self._tested(curve, here, new)
            found.append(new.x)
            self._refer(new.x)
        self.notices.append(f"The branch was left after {self.most} orbits.")
        return found

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
        tests: list[tuple[str, Callable[[Point], float]]] = [
            ("fold", lambda point: float(point.tangent[-1])),
            ("period doubling", lambda point: float(np.linalg.det(self._monodromy(point) + np.eye(len(self.orbit.x))))),
            ("torus point", lambda point: _off_circle(self._others(point))),
        ]
        for kind, of in tests:
            if of(here) * of(new) < 0.0:
                made = curve.zero(here, new, of)
                if made is not None and (kind != "torus point" or _has_complex_pair(self._others(made))):
                    _, period, value = self._parts(made.x)
                    self.special.append(SpecialOrbit(kind, value, period))

    def _monodromy(self, point: Point) -> Floats:
        return self._flow(point.x).monodromy

    def _others(self, point: Point) -> NDArray[np.complex128]:
        """The multipliers without the one along the orbit."""
        found = spectrum_of_orbit(self._flow(point.x)).values
        return found if self.orbit.is_period_known else np.delete(found, int(np.argmin(np.abs(found - 1.0))))


def _off_circle(multipliers: NDArray[np.complex128]) -> float:
    return float(np.prod([1.0 - a * b for a, b in combinations(multipliers, 2)]).real)


def _has_complex_pair(multipliers: NDArray[np.complex128]) -> bool:
    return bool((np.abs(np.abs(multipliers[np.abs(multipliers.imag) > 1e-6]) - 1.0) < 1e-4).any())
