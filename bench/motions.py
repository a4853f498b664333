"""The motions that simulations are judged by, and our runs of them with the time of their native steps."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

import polhode as ph
from polhode.errors import PolhodeError
from polhode.model.samples import n_four_bar
from polhode.ode.native_run import NativeRun

from .mechanisms import ANYMAL, PANDA, UR5, double_pendulum, equivalent_pendulum, stiff_chain, t_handle

Floats = NDArray[np.float64]
#: SciPy's own stepping of our compiled rates, by `simulate`.
BASE = "scipy.DOP853"
#: No relative tolerance below this is accepted; the absolute one goes on.
_LEAST_RTOL = 1e-13


@dataclass(frozen=True)
class Motion:
    """A mechanism that nothing drives, from a given start for some seconds.

    `coordinates` and `speeds` are what differs from zero configuration and rest. `pendulum` is the pendulum that moves
    as a mechanism with loops does, whose angle is that of every crank.
    """

    name: str
    make: Callable[[], ph.System]
    duration: float
    coordinates: Mapping[str, float] = field(default_factory=dict)
    speeds: Mapping[str, float] = field(default_factory=dict)
    is_stiff: bool = False
    pendulum: Callable[[], ph.System] | None = None

    @cached_property
    def equations(self) -> ph.Equations:
        return self.make().derive()

    @cached_property
    def start(self) -> Floats:
        """The state at the start, (q, u)."""
        return last_row(self.equations.simulate(0, **self.given, progress=False))

    @property
    def given(self) -> dict[str, Any]:
        """The start as `simulate` takes it."""
        return {"start": dict(self.coordinates) or None, "speeds": dict(self.speeds) or None}

    @property
    def pendulum_start(self) -> Floats:
        """Angle and rate of crank 0."""
        return self.start[[0, len(self.equations.q)]]


def last_row(run: Any) -> Floats:
    return np.concatenate([run.q[-1], run.u[-1]])


_LEGS = [f"{leg}_{part}" for leg in ("LF", "RF", "LH", "RH") for part in ("HAA", "HFE", "KFE")]
_SINES = {name: float(np.sin(2.0 + 3.0 * index)) for index, name in enumerate(_LEGS)}
_BENT, _SWUNG = ({name: round(size * sine, 3) for name, sine in _SINES.items()} for size in (0.8, 2.0))
_TUMBLE = {"root_joint_wx": 0.5, "root_joint_wy": -0.8, "root_joint_wz": 1.1}
DOUBLE_PENDULUM = Motion("double pendulum", double_pendulum, 10.0, {"q1": 2.0, "q2": 0.5})
UR5_FALL = Motion("UR5", UR5.system, 5.0)
PANDA_FALL = Motion("Panda", PANDA.system, 1.0, {"panda_joint2": 0.5, "panda_joint4": -1.0, "panda_joint6": 1.0})
T_HANDLE = Motion("T-handle", t_handle, 12.0, {}, {"flight_wx": 10.0, "flight_wy": 0.1, "flight_wz": 0.1})
ANYMAL_FLIGHT = Motion("ANYmal", ANYMAL.system, 3.0, _BENT, _TUMBLE | _SWUNG)
STIFF_CHAIN = Motion("stiff chain", stiff_chain, 5.0, {"q1": 1.0}, is_stiff=True)
FOUR_BARS = tuple(
    Motion(f"{windows} four-bar{'s' if windows > 1 else ''}", partial(n_four_bar, windows), 10.0, {}, {"crank 0": 1.0},
           pendulum=partial(equivalent_pendulum, windows))
    for windows in (1, 10, 40)
)  # fmt: skip
TREES = (DOUBLE_PENDULUM, UR5_FALL, PANDA_FALL, T_HANDLE, ANYMAL_FLIGHT, STIFF_CHAIN)


def distance(state: Any, truth: Any) -> float:
    """The largest difference of two states, each entry by one and its size: |x - y| / (1 + |y|).

    >>> distance(np.array([1.0, 99.0]), np.array([1.5, 100.0]))
    0.2
    """
    return float(np.max(np.abs(state - truth) / (1 + np.abs(truth))))


class OurRun:
    """A motion by `simulate` with one method and tolerance, with all of its functions compiled before."""

    def __init__(self, motion: Motion, method: str, tolerance: float, samples: int = 2) -> None:
        options = motion.given | {"method": method, "rtol": max(tolerance, _LEAST_RTOL), "atol": tolerance}
        options |= {"samples": samples, "watch_energy": samples > 2}  # else a drift of energy is what the errors show
        options |= {"progress": False, "functions": motion.equations.compile(), "max_steps": 10**8}
        self.trajectory = partial(motion.equations.simulate, motion.duration, **options)

    def __call__(self) -> Floats:
        """The last state."""
        return last_row(self.trajectory())

    def seconds_in_the_run(self) -> float:
        """Processor seconds that one run spends in native steps."""
        with native_seconds(time.process_time) as spent:
            self.trajectory()
        if not spent:
            raise PolhodeError(
                "no step of it was native.", place=str(self.trajectory.keywords["method"]), code="E-BENCH-012"
            )
        return sum(spent)


@contextmanager
def native_seconds(clock: Callable[[], float]) -> Iterator[list[float]]:
    """Seconds of each entry into native steps by a clock, while this lasts."""
    spent: list[float] = []

    def timed(entry: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any) -> Any:
            start = clock()
            result = entry(*given)
            spent.append(clock() - start)
            return result

        return call

    with patch.multiple(NativeRun, begin=timed(NativeRun.begin), advance=timed(NativeRun.advance)):
        yield spent
