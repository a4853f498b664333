"""Runs over a period for periodic orbits: arrays in, arrays out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import fault_at, unknown, whole_number
from ..expr import Expr, as_expr, directional, evaluate, free_symbols
from ..expr.spelling import spelled
from ..model.unit import Si
from ..simulate.methods import RunMethods, SteadyStart
from .periodic_orbit import Floats, Flow

if TYPE_CHECKING:
    from ..simulate import Trajectory

fault = fault_at("periodic_orbit")

#: Runs are as accurate as orbits are to be closed, and more; one that runs away is given up.
_TOLERANCES = {"rtol": 1e-11, "atol": 1e-12, "max_steps": 20_000}
#: What drives a mechanism is the same after a period to this.
_CLOSED = 1e-9


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
        given = start.parameters if isinstance(start, SteadyStart) else {}
        self.parameters = {str(name): Si(value) for name, value in {**given, **(parameters or {})}.items()}
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
        """How much farther angles are after a period."""
        found = np.zeros(len(self.x))
        for place, count in zip(self.places(turns or ()), (turns or {}).values(), strict=True):
            found[place] = 2.0 * np.pi * whole_number(count, place="periodic_orbit turns")
        return found

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
                "E-ORBIT-009",
            )
        rng = np.random.default_rng(3)
        symbols = [x for x in free_symbols(entries) if x is not time]
        for _ in range(5):
            known = dict(zip(symbols, rng.uniform(0.2, 1.2, len(symbols)).tolist(), strict=True))
            at = float(rng.uniform(0.0, period))
            now, later = (np.array(evaluate(entries, {**known, time: t})) for t in (at, at + period))
            if np.abs(later - now).max(initial=0.0) > _CLOSED * max(1.0, np.abs(now).max(initial=0.0)):
                raise fault(
                    f"what drives the mechanism in time does not repeat after {period:g} s.",
                    "Give the period of what drives it, or a multiple.",
                    "E-ORBIT-010",
                )

    def _driven(self) -> list[Expr]:
        """All in which time itself may be: the equations, and laws of inputs and efforts."""
        record = self.equations.record
        laws = [self.options.get(key) for key in ("inputs", "tau")]
        given = [law for each in laws if isinstance(each, Mapping) for law in each.values() if isinstance(law, Expr)]
        rates = (record.mass_matrix.entries(), record.bias, record.coordinate_rates, record.z_rates)
        return [as_expr(entry) for part in (*rates, given) for entry in part]

    def places(self, names: Iterable[str]) -> list[int]:
        """Where named coordinates, speeds and states are in the state."""
        record = self.equations.record
        known = dict(zip(self.names, range(len(self.x)), strict=True))
        known |= {u.name: k for k, u in enumerate(record.u, len(record.q)) if u.name not in known}
        for name in names:
            if name not in known:
                raise unknown("coordinate or speed", name, self.names, place="periodic_orbit", code="E-ORBIT-004")
        return [known[name] for name in names]

    def _state(self, x: Floats) -> tuple[Floats, ...]:
        record = self.equations.record
        parts = np.split(x, [len(record.q), len(record.q) + len(record.u)])
        return tuple(parts if len(record.z) else parts[:2])

    def run(self, x: Floats, period: float, by: str | None = None) -> Flow:
        """A run with its monodromy matrix, and its derivative by a parameter."""
        size = len(x)
        made = self.equations.sensitivities(
            period, [*self.names, *([] if by is None else [by])], start=self._state(x),
            parameters=self.parameters or None, samples=2, **self.options,
        )  # fmt: skip
        whole = made._whole
        run = made.trajectory
        ends = [np.concatenate([run.q[k], run.u[k], run.z[k]]) for k in (0, -1)]
        return Flow(
            ends[0], ends[1], (self._rates(run, 0), self._rates(run, -1)), whole[-1][:, :size], whole[0][:, :size],
            None if by is None else whole[-1][:, size], 1e3 * float(self.options["rtol"]),
        )  # fmt: skip

    def _rates(self, run: Trajectory, k: int) -> Floats:
        """ẋ at a sample, with the efforts and inputs that acted there."""
        x = np.concatenate([run.q[k], run.u[k], run.z[k]])
        found: Floats = self.equations._functions.state_rates(
            x,
            None if run.tau is None else run.tau[k],
            t=run.t[k],
            inputs=None if run.inputs is None else run.inputs[k],
            parameters=self.parameters or None,
        )
        return found

    def around(self, x: Floats, period: float) -> Trajectory:
        """Once around, as any run."""
        allowed = {key: value for key, value in self.options.items() if key != "functions"}
        run: Trajectory = self.equations.simulate(
            period, start=self._state(x), parameters=self.parameters or None, **allowed
        )
        return run
