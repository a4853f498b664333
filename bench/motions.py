"""The motions that simulations are judged by: each a mechanism, where it starts, and for how long it moves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, partial
from typing import Any

import numpy as np

import polhode as ph
from polhode.model.samples import n_four_bar

from .plain_tree import Floats
from .robots import ARMS, UR5, WALKERS


@dataclass(frozen=True)
class Motion:
    """A mechanism that nothing drives, from a given start for some seconds.

    `coordinates` and `speeds` are what differs from home and rest. `pendulum` is the pendulum that moves as a mechanism
    with loops does, whose angle is that of every crank: it has the motion in closed form.
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
        """The equations, derived once."""
        return self.make().derive()

    @cached_property
    def start(self) -> Floats:
        """The state at the start, (q, u)."""
        run = self.equations.simulate(0, start=self.coordinates or None, speeds=self.speeds or None, progress=False)
        return np.concatenate([np.asarray(run.q)[0], np.asarray(run.u)[0]])

    @property
    def pendulum_start(self) -> Floats:
        """Angle and rate of crank 0."""
        return self.start[[0, len(self.equations.q)]]


def t_handle() -> ph.System:
    """A bar across and a stem, floating; moments of inertia as those of the gallery's, spun about the middle one."""
    system = ph.System("T-handle", gravity=(0, 0, 0))
    handle = system.body("handle", "0.17", (0, 0, 0), ("1.2e-4", "4.2e-5", "1.5e-4"))
    system.joint("flight", system.ground, handle, ph.Free())
    return system


def stiff_chain(count: int = 6) -> ph.System:
    """Bars hung end to end; all joints but the first are stiff and damped, so that rates reach from 1/s to 1e6/s."""
    system = ph.System("stiff chain")
    carrier: Any = system.ground
    for place in range(count):
        at = (0, 0, Fraction(-1, 2)) if place else (0, 0, 0)
        inertia = (Fraction(1, 96), Fraction(1, 96), Fraction(1, 4800))
        body = system.body(f"bar {place + 1}", Fraction(1, 2), (0, 0, Fraction(-1, 4)), inertia)
        system.joint(f"q{place + 1}", carrier, body, ph.Revolute("y"), at=at)
        if place:
            system.joint_spring(f"q{place + 1}", stiffness=20_000, damping=200)
        carrier = body
    return system


def equivalent_pendulum(windows: int) -> ph.System:
    """The pendulum that N four-bars are: N + 1 cranks turn by one angle, and N couplers move as their ends do.

    Its moment of inertia is (N + 1)/3 + N and the moment of its mass (N + 1)/2 + N, here with the mass at half a metre.
    """
    system = ph.System(f"pendulum of {windows} four-bars", gravity=(0, 0, "-9.81"))
    about_centre = Fraction(7 * windows + 1, 12)
    crank = system.body("crank", 3 * windows + 1, (0, 0, Fraction(1, 2)), (about_centre, about_centre, about_centre))
    system.joint("crank", system.ground, crank, ph.Revolute("y"))
    return system


def double_pendulum() -> ph.System:
    """Two equal bars of a metre and a kilogram in a vertical plane."""
    system = ph.System("double pendulum")
    carrier: Any = system.ground
    for place, name in enumerate(("upper", "lower")):
        across = Fraction(1, 12)
        body = system.body(name, 1, (0, 0, Fraction(-1, 2)), (across, across, across / 50))
        system.joint(f"q{place + 1}", carrier, body, ph.Revolute("y"), at=(0, 0, -place))
        carrier = body
    return system


def _waving(names: Sequence[str], size: float) -> dict[str, float]:
    """Numbers that differ from joint to joint."""
    return {name: round(size * float(np.sin(2.0 + 3.0 * place)), 3) for place, name in enumerate(names)}


_LEGS = [f"{leg}_{part}" for leg in ("LF", "RF", "LH", "RH") for part in ("HAA", "HFE", "KFE")]
_TUMBLE = {"root_joint_wx": 0.5, "root_joint_wy": -0.8, "root_joint_wz": 1.1}
PANDA, ANYMAL = ARMS[1], WALKERS[1]

DOUBLE_PENDULUM = Motion("double pendulum", double_pendulum, 10.0, {"q1": 2.0, "q2": 0.5})
UR5_FALL = Motion("UR5", UR5.system, 5.0)
PANDA_FALL = Motion("Panda", PANDA.system, 1.0, {"panda_joint2": 0.5, "panda_joint4": -1.0, "panda_joint6": 1.0})
T_HANDLE = Motion("T-handle", t_handle, 12.0, {}, {"flight_wx": 10.0, "flight_wy": 0.1, "flight_wz": 0.1})
ANYMAL_FLIGHT = Motion("ANYmal", ANYMAL.system, 3.0, _waving(_LEGS, 0.8), _TUMBLE | _waving(_LEGS, 2.0))
STIFF_CHAIN = Motion("stiff chain", stiff_chain, 5.0, {"q1": 1.0}, is_stiff=True)
FOUR_BARS = tuple(
    Motion(
        f"{windows} four-bar{'s' if windows > 1 else ''}", partial(n_four_bar, windows), 10.0, {}, {"crank 0": 1.0},
        pendulum=partial(equivalent_pendulum, windows),
    )
    for windows in (1, 10, 40)
)  # fmt: skip
TREES = (DOUBLE_PENDULUM, UR5_FALL, PANDA_FALL, T_HANDLE, ANYMAL_FLIGHT, STIFF_CHAIN)
