"""A trajectory: the states of a run at its samples, and what follows from them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ...compiled.functions import Functions
from ...compiled.quantities import DrivingForceOf, ReactionOf, TouchingDrivingForceOf, TouchingReactionOf
from ...errors import PolhodeError, check_kind, path_of, understood, unknown
from ...files.writing import replace_file
from ...notebook import Cell, Shown, Table
from ...registry import registered
from ..control.under_control import ClosedLoopResults
from ..initial_state import Floats
from .column_names import KINDS, NAMES, check_unambiguous, named_value
from .energy import Energy

if TYPE_CHECKING:
    from ...expr import Expr
    from ...show.scene import Traces
    from ...surface.equations import Equations
    from ..contact.results import ContactResult, Forces, Occurrence
    from ..control.actuation import Acted
    from ..limits import PassedLimit
    from .channels import Channels
    from .power_audit import PowerAudit
    from .reactions import Drift, ReactionHistory


@dataclass(frozen=True)
class Difference:
    """The largest difference of one quantity, and when it was."""

    largest: float
    time: float


@dataclass(frozen=True)
class Comparison(Shown):
    """The largest differences of two runs by name, the largest of all first, in the units of each."""

    differences: Mapping[str, Difference]

    @property
    def largest(self) -> float:
        """The largest of all."""
        return max((difference.largest for difference in self.differences.values()), default=0.0)

    def __getitem__(self, name: str) -> Difference:
        """The difference of a coordinate or state by its name, of others as `u(name)`, `tau(name)`, `input(name)`."""
        return self.differences[name]

    def __str__(self) -> str:
        lines = [f"  {gap.largest:8.1e}  {name} at t = {gap.time:.6g} s" for name, gap in self.differences.items()]
        return "\n".join(["largest differences:", *lines])

    __repr__ = __str__

    def _cell(self) -> Cell:
        rows = [(name, f"{gap.largest:.3e}", f"{gap.time:.6g}") for name, gap in self.differences.items()]
        return Cell("largest differences", [Table(["quantity", "difference", "at t, s"], rows, numbers_from=1)])


def _columns_by_name(run: Trajectory) -> dict[str, Floats]:
    """Coordinates and states by name, others as `u(name)`, `tau(name)`, `input(name)`."""
    columns: dict[str, Floats] = {}
    for spelling, names, values in (
        ("{}", run.coordinates, run.q), ("u({})", run.speeds, run.u), ("{}", run.states, run.z),
        ("tau({})", run.efforts, run.tau), ("input({})", run.input_names, run.inputs),
    ):  # fmt: skip
        if values is not None:
            columns |= {spelling.format(name): column for name, column in zip(names, values.T, strict=True)}
    return columns


_NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, eq=False)
class Trajectory(ClosedLoopResults, Shown):
    """States of a mechanism over time: `t` (T,), `q` (T, coordinates), `u` (T, speeds), `z` (T, first-order states).

    `status` is "done", "event", or the reason why the run ended early, told in `message`; `info` says by which method
    and with how many steps and evaluations. Coordinates and states are got by name: `trajectory["elbow"]`. Files have a
    `path`; `other` and `beside` are runs, `expressions` and `reactions` are drawn or written as well, with `notes`;
    `tau`, `inputs` and `parameters` are as of `simulate`; a run of a file has the `equations` that it is given.

    >>> import polhode as ph
    >>> s = ph.System("ball")
    >>> _ = s.joint("z", s.ground, s.body("ball", 1), ph.Prismatic("z"), speeds=["v"])
    >>> fall = s.derive().simulate(1, samples=3)
    >>> fall["z"].round(3).tolist(), fall.speed("v").round(3).tolist()
    ([0.0, -1.226, -4.905], [0.0, -4.905, -9.81])
    >>> fall.at(0.5).x.round(3).tolist(), fall.energy_drift < 1e-9, fall.reaction("z").force.shape
    ([[-1.226, -4.905]], True, (3, 3))
    """

    t: Floats
    q: Floats
    u: Floats
    coordinates: tuple[str, ...]
    speeds: tuple[str, ...]
    status: str = "done"
    message: str = ""
    info: Mapping[str, Any] = field(default_factory=dict)
    inputs: Floats | None = None
    tau: Floats | None = None
    functions: Functions | None = field(default=None, repr=False)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    z: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    states: tuple[str, ...] = ()
    acted: Acted | None = field(default=None, repr=False)
    interpolant: Callable[[Floats], Floats] | None = field(default=None, repr=False)  # times (T,) to states (T, n)
    efforts: tuple[str, ...] = ()
    input_names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.z.size:
            object.__setattr__(self, "z", np.zeros((len(self.t), len(self.states))))
        for name in ("t", "q", "u", "z", "inputs", "tau"):
            value = getattr(self, name)
            if value is not None:
                array = np.ascontiguousarray(value, dtype=np.float64)
                array = array.copy() if array is value else array
                array.setflags(write=False)
                object.__setattr__(self, name, array)

    @property
    def x(self) -> Floats:
        """The states (q, u, z) of all samples."""
        return np.hstack([self.q, self.u, self.z])

    def with_states(self, t: Floats, x: Floats, tau: Floats | None = None, inputs: Floats | None = None) -> Trajectory:
        """The same run at other times and states, and what acts there."""
        with understood("times (T,) and states (T, n)", x, place="with_states"):
            times, states = (np.atleast_1d(np.asarray(array, dtype=np.float64)) for array in (t, x))
            rows = states.reshape(len(times), self.q.shape[1] + self.u.shape[1] + self.z.shape[1])
            q, u, z = np.split(rows, np.cumsum([self.q.shape[1], self.u.shape[1]]), axis=1)
            return replace(self, t=times, q=q, u=u, z=z, tau=tau, inputs=inputs)

    # ---- by name ---------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.t)

    def __getitem__(self, name: str | Expr) -> Floats:
        """A coordinate or state over time, also a prescribed or coupled one; else the speed or input of that name.

        A speed that has the name of a coordinate is written "theta'"; what means two things is refused, see `column`.

        An expression of these, of time, efforts and parameters has its values too; see `values`.
        """
        if not isinstance(name, str):
            from ...expr import Expr

            if isinstance(name, Expr):
                return np.asarray(self.values(name)[0])
        inputs = () if self.inputs is None else self.input_names
        check_unambiguous(name, (*self.coordinates, *self.states, *inputs), self.speeds)
        for kind, names in (("coordinate", self.coordinates), ("state", self.states), ("input", inputs)):
            if name in names:
                return self.column(kind, name)
        coordinates, speeds = self.dependent
        columns = {**dict(zip(self.speeds, self.u.T, strict=True)), **speeds}
        columns = {**columns, **{f"{u}'": columns[u] for u in columns if u in self.coordinates}, **coordinates}
        names = (*self.coordinates, *coordinates, *self.states, *self.speeds, *speeds, *inputs)
        omitted = () if self.functions is None else self.functions.derivation.synopsis.omitted
        return named_value(name, columns, names, "value", omitted)

    def column(self, kind: str, name: str) -> Floats:
        """A "coordinate", "speed", "state", "input" or "effort" over time, by its kind and name; never ambiguous."""
        columns = {kind: (field, getattr(self, NAMES[field])) for field, (kind, _) in KINDS.items()}
        if kind not in columns:
            raise unknown("kind of column", kind, columns, code="E-TRAJECTORY-NAME")
        field, names = columns[kind]
        values = getattr(self, field)
        if values is not None and name in names:
            return np.asarray(values[:, names.index(name)])
        more = self.dependent[0] if kind == "coordinate" else self.dependent[1] if kind == "speed" else {}
        return named_value(name, more, (*(() if values is None else names), *more), kind)

    def speed(self, name: str) -> Floats:
        """A speed over time, also one that is prescribed, coupled or dependent."""
        return self.column("speed", name)

    def effort(self, name: str) -> Floats:
        """The effort on a speed over time, as it acted."""
        return self.column("effort", name)

    @cached_property
    def contact_events(self) -> tuple[Occurrence, ...]:
        """What happened to contacts, in its order: impacts, and where each closes, opens, sticks and slips."""
        from ..contact.results import occurrences

        return occurrences(self)

    @cached_property
    def _contact_forces(self) -> Forces:
        """The forces of all contacts, stops and dry friction at the samples, row by row."""
        from ..contact.results import Forces

        return Forces(self, self.info["contacts"])

    @property
    def contact_names(self) -> tuple[str, ...]:
        """Names of contacts, stops and dry friction with a stored history."""
        history = self.info.get("contacts")
        return () if history is None else tuple(dict.fromkeys(name for name, *_ in history.groups))

    def contact(self, name: str) -> ContactResult:
        """Forces, slip, modes and impulses of a contact, a stop or dry friction, by its name."""
        from ..contact.results import contact_along

        return contact_along(self, name)

    @cached_property
    def dependent(self) -> tuple[Mapping[str, Floats], Mapping[str, Floats]]:
        """Coordinates, and speeds, over time that are prescribed, coupled or dependent, if the mechanism is known."""
        from .values import dependent_of, is_known

        if self.functions is None:
            return {}, {}
        equations = self.functions.equations
        coordinates, speeds = dependent_of(equations)
        speeds = {name: u for name, u in speeds.items() if is_known(equations, u)} if equations.omitted else speeds
        if not coordinates and not speeds:
            return {}, {}
        values = self.values(*coordinates.values(), *speeds.values())
        values.setflags(write=False)
        split = len(coordinates)
        return dict(zip(coordinates, values[:split], strict=True)), dict(zip(speeds, values[split:], strict=True))

    @property
    def is_whole(self) -> bool:
        """Whether the run ended at its end time or at an event that ends it."""
        return self.status in ("done", "event")

    # ---- mechanics -------------------------------------------------------------------------------------------

    @property
    def energy(self) -> Energy:
        """Kinetic and potential energy at every sample."""
        energies, shape = self.mechanism.energy(self.q, self.u, **self.given), self.t.shape
        return Energy(*(energy if energy.shape == shape else np.broadcast_to(energy, shape) for energy in energies))

    @property
    def has_energy(self) -> bool:
        """Whether the energy is known: not without a mechanism, nor where it depends on an omitted coordinate."""
        from ...dynamics.omission import depends_on

        if self.functions is None or not self.functions.derivation.synopsis.omitted:
            return self.functions is not None
        equations = self.functions.equations
        return depends_on(equations, [equations.kinetic_energy, equations.potential_energy]) is None

    @property
    def energy_drift(self) -> float:
        """The largest |E - E0| relative to the energy scale: largest kinetic energy plus range of the potential.

        It measures the integration only where nothing feeds or drains energy: no efforts, dampers or forces in time.
        """
        return self.energy.drift

    @property
    def has_constraints(self) -> bool:
        """Whether the mechanism, as far as it is known, has constraints that a run must keep."""
        if self.functions is None or not self.functions.derivation.synopsis.is_constrained:
            return False
        constraints = self.functions.equations.constraints
        return constraints is not None and bool(constraints.rows)

    @cached_property
    def drift(self) -> Drift:
        """The largest residuals of the constraints at the samples, in position and in velocity."""
        from .reactions import Drift

        functions, constraints, arguments = self.mechanism, self.mechanism.equations.constraints, self.given
        if constraints is None or not constraints.rows or not len(self.t):
            return Drift()
        names = ["constraint_values"] * bool(constraints.positions)
        names += ["definition_values"] * bool(constraints.definitions)
        values = [float(np.abs(functions.evaluate(name, self.q, **arguments)).max()) for name in names]
        rates = functions.constraint_rates(self.q, self.u, **arguments)
        return Drift(max(values, default=0.0), float(np.abs(rates).max()))

    @cached_property
    def multipliers(self) -> dict[str, Floats]:
        """λ of each constraint over time, of least size where constraints are redundant: their forces are Aᵀλ."""
        from ..constraints.manifold import Manifold

        functions, constraints = self.mechanism, self.mechanism.equations.constraints
        if constraints is None or not constraints.rows:
            return {}
        if functions.equations.dependent_speeds is not None:
            cure = 'Derive with constraints="multipliers".'
            raise PolhodeError("only runs with multipliers have them.", cure=cure, code="E-TRAJECTORY-MISSING")
        manifold = Manifold(functions, constraints, self.parameters)
        tau = np.zeros((len(self.t), len(functions.equations.tau))) if self.tau is None else self.tau
        inputs = np.zeros((len(self.t), 0)) if self.inputs is None else self.inputs
        manifold.set_scale(float(self.t[0]), self.q[0], self.u[0])
        rows = zip(self.t.tolist(), self.x, tau, inputs, strict=True)
        return dict(zip(constraints.names, np.transpose([manifold.multipliers(*row) for row in rows]), strict=True))

    @property
    def events(self) -> list[list[float]]:
        """For each event the times at which it happened."""
        return list(self.info.get("events", []))

    @property
    def notices(self) -> tuple[str, ...]:
        """What a reader of the run should know: what was changed to start, forces that jumped, limits passed, …"""
        return (
            *self.info.get("notices", ()),
            *self._of_loop,
            *self._unwatched_limits,
            *map(str, self.passed_limits),
        )

    @cached_property
    def _unwatched_limits(self) -> tuple[str, ...]:
        from ..limits import unwatched_limits

        return unwatched_limits(self)

    @cached_property
    def passed_limits(self) -> tuple[PassedLimit, ...]:
        """Limits of joints that the run exceeds, and when; see `simulate.limits`."""
        from ..limits import passed_limits

        return passed_limits(self)

    @property
    def momentum(self) -> tuple[Floats, Floats]:
        """Angular momentum about the ground's origin and linear momentum, (T, 3) each, in ground components."""
        return self.mechanism.momentum(self.q, self.u, **self.given)

    def pose(self, name: str) -> tuple[Floats, Floats]:
        """Positions (T, 3) and rotation matrices (T, 3, 3) of a body or frame in the ground."""
        origin, rotation = self.mechanism.pose(name, self.q, **self.given)
        times = len(self.t)
        return np.broadcast_to(origin, (times, 3)), np.broadcast_to(rotation, (times, 3, 3))

    def poses(self) -> tuple[Floats, Floats]:
        """Positions (T, bodies, 3) and rotation matrices (T, bodies, 3, 3) of all bodies, in the model's order."""
        return self.mechanism.poses(self.q, **self.given)

    def values(self, *expressions: Any) -> Floats:
        """Expressions of the state at every sample, a row each, with accelerations, time and parameters."""
        from .values import compiled_values

        return compiled_values(self.mechanism, expressions, self.tau is not None)(self)

    def reaction(
        self,
        name: str,
        at: str | None = None,
        frame: str | None = None,
        on: str | None = None,
        tau: ArrayLike | None = None,
    ) -> ReactionHistory:
        """Time, torques (T, 3) and forces (T, 3) that a joint or constraint carried; see `Equations.reaction`."""
        from .reactions import ReactionHistory, evaluated_along

        kind = TouchingReactionOf if self.mechanism.derivation.synopsis.contacts else ReactionOf
        torque, force = evaluated_along(self, kind(name, at, frame, on), tau)
        shape = (len(self.t), 3)
        return ReactionHistory(self.t, np.broadcast_to(torque, shape), np.broadcast_to(force, shape))

    def driving_force(self, coordinate: str, tau: ArrayLike | None = None) -> Floats:
        """The effort that moved a prescribed coordinate."""
        from .reactions import evaluated_along

        kind = TouchingDrivingForceOf if self.mechanism.derivation.synopsis.contacts else DrivingForceOf
        return np.broadcast_to(evaluated_along(self, kind(coordinate), tau), self.t.shape)

    def power_audit(self, tau: ArrayLike | None = None) -> PowerAudit:
        """Whether, at every sample, what flowed into each part is what it stored; see `power_audit`."""
        from .power_audit import audited

        return audited(self, tau)

    @property
    def mechanism(self) -> Functions:
        """The compiled functions of the mechanism."""
        if self.functions is None:
            message = "this trajectory came from a file and has no mechanism."
            raise PolhodeError(message, cure="Say which: trajectory.of(equations).", code="E-TRAJECTORY-MISSING")
        return self.functions

    @property
    def given(self) -> dict[str, Any]:
        """States z, time, parameters and inputs as keywords of the mechanism's functions."""
        inputs = {} if self.inputs is None else {"inputs": self.inputs}
        return {"z": self.z, "t": self.t, "parameters": self.parameters, **inputs}

    @property
    def equations(self) -> Equations:
        """The equations that were run."""
        equations: Equations = registered("Trajectory.equations")(self.mechanism.derivation)
        return equations

    def of(self, equations: Equations, parameters: Mapping[str, Any] = _NOTHING) -> Trajectory:
        """The same trajectory with a mechanism and its parameters, its columns ordered as there."""
        from ...model.unit import si_values
        from .values import acting_columns, columns_of

        check_kind(Mapping, "a mapping", parameters, "of")
        q, u, z = columns_of(self, equations.record)
        efforts, inputs = tuple(equations.tree.speeds), tuple(equations.system.inputs)
        return replace(
            self, q=q, u=u, z=z, coordinates=tuple(equations.coordinates), speeds=tuple(equations.speeds),
            tau=acting_columns(self.tau, self.efforts, efforts, "efforts"), efforts=efforts,
            inputs=acting_columns(self.inputs, self.input_names, inputs, "inputs"), input_names=inputs,
            states=tuple(equations.states), functions=equations.compile(),
            parameters=dict(si_values(equations.system.parameters, parameters)) or self.parameters,
        )  # fmt: skip

    # ---- between samples -------------------------------------------------------------------------------------

    def at(self, t: ArrayLike) -> Trajectory:
        """The trajectory at other times, with the efforts and inputs that acted then.

        By the integrator's own interpolant, if the run has kept it; else by cubics through the samples, whose slopes
        are the rates that the equations of motion give; `info["between_samples"]` says which. At the time of an event
        that changes the state it is the state after all changes.
        """
        from .between_samples import between, read_times

        times = read_times(t)
        x, how = between(self, times)
        tau, inputs = (None, None) if self.acted is None else self.acted.along(times, x)
        return replace(self.with_states(times, x, tau, inputs), info={**self.info, "between_samples": how})

    def compare(self, other: Trajectory) -> Comparison:
        """Largest differences to another run at the samples of this one, by name with their times, while both last.

        A quaternion and its opposite are equal.
        """
        start, end = max(self.t[0], other.t[0]), min(self.t[-1], other.t[-1])
        inside = (self.t >= start) & (self.t <= end)
        if not inside.any():
            spans = [f"from {run.t[0]:g} to {run.t[-1]:g} s" for run in (self, other)]
            message = f"one run goes {spans[0]}, the other {spans[1]}."
            cure = "Compare runs that have a time in common."
            raise PolhodeError(message, "compare", cure, "E-TRAJECTORY-UNSUPPORTED")
        t = self.t[inside]
        mine = {name: column[inside] for name, column in _columns_by_name(self).items()}
        theirs = _columns_by_name(other if np.array_equal(self.t, other.t) else other.at(t))
        for first, count in self.functions.derivation.synopsis.quaternion_groups if self.functions else ():
            names = self.coordinates[first : first + count]
            if all(name in theirs for name in names):
                dot = np.asarray(sum(mine[name] * theirs[name] for name in names))
                theirs |= {name: np.where(dot < 0.0, -1.0, 1.0) * theirs[name] for name in names}
        differences = {}
        for name in mine.keys() & theirs.keys():
            gap = np.abs(mine[name] - theirs[name])
            k = int(np.argmax(np.where(np.isfinite(gap), gap, np.inf)))
            differences[name] = Difference(float(gap[k]), float(t[k]))
        if not differences:
            message = "the runs have no coordinate, speed, effort or input of the same name."
            cure = "Compare runs of one mechanism, or of mechanisms with common names."
            raise PolhodeError(message, "compare", cure, "E-TRAJECTORY-UNSUPPORTED")
        return Comparison(dict(sorted(differences.items(), key=lambda item: (-item[1].largest, item[0]))))

    # ---- files -----------------------------------------------------------------------------------------------

    def to_csv(
        self,
        path: str | os.PathLike[str],
        reactions: str | Sequence[str] = (),
        contacts: str | Sequence[str] = (),
    ) -> Path:
        """Write time, coordinates (`q.…`), speeds (`u.…`) and states (`z.…`) as comma-separated text, whole or not.

        Efforts (`tau.…`) are there where any acted, inputs (`input.…`) where there are any. Reactions named
        are added: `torque.…` and `force.…`, each in x, y and z; of contacts named, stops and dry friction, of each part
        `gap.…`, `normal.…`, `tangential_1.…`, `slip_1.…`, …, and `mode.…`, which is 0 open, 1 stick, 2 slip.
        """
        from .files import as_csv

        return replace_file(path, as_csv(self, reactions, contacts))

    @staticmethod
    def from_csv(path: str | os.PathLike[str], equations: Equations | None = None) -> Trajectory:
        """Read what `to_csv` wrote."""
        from .files import read_csv

        trajectory = Trajectory(**read_csv(path_of(path)))
        return trajectory if equations is None else trajectory.of(equations)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write everything but the mechanism as a NumPy archive (.npz), whole or not at all."""
        from .files import archive_path, as_archive

        return replace_file(archive_path(path), as_archive(self))

    @staticmethod
    def load(path: str | os.PathLike[str], equations: Equations | None = None) -> Trajectory:
        """Read what `save` wrote; nothing in the file is ever run."""
        from .files import read_archive

        trajectory = Trajectory(**read_archive(path_of(path)))
        return trajectory if equations is None else trajectory.of(equations, trajectory.parameters)

    def to_xarray(self, reactions: str | Sequence[str] = (), contacts: str | Sequence[str] = ()) -> Any:
        """An xarray.Dataset over `time`: coordinates and states by name, speeds `d(name)`, `tau(name)`, `input(name)`.

        Reactions named are added: `torque(name)` and `force(name)`, each over `time` and `axis`; of contacts the
        quantities of `to_csv`, such as `normal(name)`.
        """
        from .files import to_xarray

        return to_xarray(self, reactions, contacts)

    # ---- pictures --------------------------------------------------------------------------------------------

    @property
    def title(self) -> str:
        """The system's name, and what became of the run if it is not whole."""
        name = self.functions.derivation.synopsis.system if self.functions else "trajectory"
        return name if self.is_whole else f"{name} (partial: {self.status.replace('_', ' ')})"

    def plot(
        self,
        path: str | os.PathLike[str] | None = None,
        reactions: str | Sequence[str] = (),
        beside: Sequence[Trajectory] = (),
        channels: Channels | None = None,
    ) -> Any:
        """A matplotlib figure: coordinates, speeds, states, what acted, energy, or `channels` as in `animate`."""
        return registered("Trajectory.plot")(self, path, reactions, beside, channels)

    def animate(
        self,
        path: str | os.PathLike[str] | None = None,
        notes: str = "",
        screw_axes: bool | Sequence[str] = False,
        channels: Channels | None = None,
        arrows: str | Sequence[str] | None = None,
        traces: Traces = (),
        frames: bool | Sequence[str] = False,
        ghosts: Sequence[Trajectory] | Mapping[str, Trajectory] = (),
        equations: bool = True,
    ) -> Any:
        """Write the motion as one HTML page, or without a path return what a notebook shows; see docs/page.md.

        `channels` are drawn over time: names, kinds ("speeds"), expressions; {"slip [°]": …} names them. `arrows` show
        "forces", "reactions", …, "contacts" by default; `traces` paths; `frames` and `screw_axes` axes of bodies;
        `ghosts` other runs.
        """
        return registered("Trajectory.animate")(
            self, path, notes, screw_axes=screw_axes, channels=channels, arrows=arrows, traces=traces, frames=frames,
            ghosts=ghosts, equations=equations,
        )  # fmt: skip

    # ---- in words --------------------------------------------------------------------------------------------

    def summary(self) -> str:
        """One line: duration, method, steps, drift of the constraints and status."""
        end, info = f"{self.t[-1]:g} s" if len(self.t) else "no time", self.info
        words = f"{end} by {info['method']}" if "method" in info else end
        if "steps" in info:
            words += f", {info['steps']:,} steps and {info['evaluations']:,} evaluations in {info['wall_time']:.3g} s"
        if self.has_constraints:
            words += f", constraints kept to {max(self.drift.position, self.drift.velocity):.1e}"
        return f"{words}, {self.status.replace('_', ' ')}"

    def __str__(self) -> str:
        head = f"Trajectory({self.summary()}; {len(self)} samples of {', '.join((*self.coordinates, *self.states))})"
        return "\n  ".join(filter(None, [head, self.message, *self.notices]))

    __repr__ = __str__

    def _cell(self) -> Cell:
        cell: Cell = registered("Trajectory.cell")(self)
        return cell
