"""Modes: the motions of linear equations that keep their shape, x = Re(v e^{λt}).

The real motion that starts in a mode: the full equations from x₀ + a Re v, for as long as the mode is worth seeing.

The amplitude is such that what moves farthest moves by a small part of the mechanism's extent: large enough to be seen,
small enough to stay near the mode. How near it stays is measured against a Re(v e^{λt}).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..compiled.functions import Functions
from ..errors import fault_at, understood
from ..expr import Matrix, as_expr, evaluate
from ..formalisms.derivation import Derivation, derivation_of
from ..model.unit import si_values
from ..notebook import Cell, Shown, Table, complex_text
from ..show.scene import Painter, centre_lines
from ..simulate.constraints.assembly import assemble
from ..simulate.run import simulate
from ..simulate.trajectory.trajectory import Trajectory
from .eigensystem import Complexes, EigenSystem, Floats, spectrum_of
from .linear import Linear, numbers_of

#: Displacements below this, relative to the largest entry of an eigenvector, are taken for zero.
_ZERO = 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class Mode(Shown):
    """An eigenvalue, or the upper of a pair, and the eigenvector over the states.

    `vector` has the motion of each of the `states`, the largest displacement real and one; `left` the left eigenvector,
    wᴴ v = 1, which says how a disturbance of each state excites the mode.
    """

    eigenvalue: complex
    vector: Complexes
    left: Complexes
    states: tuple[str, ...]
    is_simple: bool  # whether it has a shape of its own: a multiple eigenvalue has many, this is one of them
    linear: Linear
    parameters: Mapping[str, Any] | None = None

    @property
    def is_oscillating(self) -> bool:
        """Whether it is one of a pair."""
        return self.eigenvalue.imag > 0.0

    @property
    def frequency(self) -> float:
        """Damped frequency in Hz; zero without oscillation."""
        return self.eigenvalue.imag / (2.0 * np.pi)

    @property
    def natural_frequency(self) -> float:
        """|λ| / 2π, in Hz."""
        return abs(self.eigenvalue) / (2.0 * np.pi)

    @property
    def damping_ratio(self) -> float:
        """-Re λ / |λ|: negative where it grows, one where it does not swing; not a number where λ = 0."""
        return 0.0 - self.eigenvalue.real / abs(self.eigenvalue) if self.eigenvalue else float("nan")

    @property
    def time_constant(self) -> float:
        """1 / |Re λ|, the time in which it grows or decays by e, in s; infinite where it does neither."""
        return 1.0 / abs(self.eigenvalue.real) if self.eigenvalue.real else float("inf")

    @property
    def shape(self) -> dict[str, complex]:
        """The motion of each state by its name."""
        return dict(zip(self.states, map(complex, self.vector), strict=True))

    @property
    def participation(self) -> dict[str, float]:
        """Participation factors |wᵢ vᵢ| as fractions of their sum, independent of units, largest first.

        Of a multiple eigenvalue it is not known, and the numbers are not numbers.
        """
        parts = np.abs(self.left.conj() * self.vector)
        parts = parts / parts.sum() if self.is_simple else np.full(len(parts), np.nan)
        order = np.argsort(-parts.round(9), kind="stable")  # rounding must not choose
        return {self.states[k]: float(parts[k]) for k in order}

    @property
    def name(self) -> str:
        """The mode in a few words: frequency and damping ratio, or growth or decay."""
        if not self.eigenvalue:
            return "stays"
        how = "grows" if self.eigenvalue.real > 0 else "decays"
        if self.is_oscillating:
            return f"{self.frequency:.4g} Hz, damping ratio {self.damping_ratio:.3g}"
        return f"{how} by e in {self.time_constant:.4g} s"

    def trajectory(self, amplitude: float | None = None, cycles: float = 3.0) -> Trajectory:
        """The motion of the full equations from the state moved along the mode.

        `amplitude` is what the largest displacement is multiplied by; without it, one that is seen and still small.
        """
        return mode_motion(self, amplitude, cycles)

    def animate(
        self,
        path: str | os.PathLike[str] | None = None,
        amplitude: float | None = None,
        cycles: float = 3.0,
        notes: str = "",
    ) -> Any:
        """Write the motion that starts in the mode as one HTML page, or without a path return what a notebook shows."""
        run = self.trajectory(amplitude, cycles)
        return run.animate(path, notes=notes or f"Mode: {self.name}. {run.info['mode']['message']}")

    def __repr__(self) -> str:
        parts = [f"{name} {part:.0%}" for name, part in self.participation.items() if part >= 0.05]
        return f"Mode({self.name}{': ' if parts else ''}{', '.join(parts)})"

    def _cell(self) -> Cell:
        shape = self.shape
        rows = [
            (name, complex_text(shape[name]), "?" if np.isnan(part) else f"{part:.0%}")
            for name, part in self.participation.items()
        ]
        title = f"mode: {self.name}; eigenvalue {complex_text(complex(self.eigenvalue))}"
        return Cell(title, [Table(["state", "shape", "takes part"], rows, numbers_from=1)])


def modes(linear: Linear, parameters: Mapping[str, Any] | None = None) -> list[Mode]:
    """The modes, slowest first; a pair of complex eigenvalues is one mode."""
    A, _ = linear.state_space(parameters)
    system = EigenSystem.of(A)
    spectrum = spectrum_of(A).of(system.values)
    simple, result = system.are_simple, []
    for k, value in enumerate(system.values):
        if value.imag < 0.0 and not spectrum.is_steady[k]:
            continue
        real = float(value.real) if spectrum.growth[k] else 0.0
        imaginary = 0.0 if spectrum.is_steady[k] else float(value.imag)
        vector = _scaled(system.right[:, k], len(linear.displacements))
        left = system.left[:, k]
        if simple[k]:
            left = left / np.conj(left.conj() @ vector)
        names, value = tuple(linear.states), complex(real, imaginary)
        result.append(Mode(value, vector, left, names, bool(simple[k]), linear, parameters))
    return sorted(result, key=lambda mode: (abs(mode.eigenvalue), mode.eigenvalue.real))


def _scaled(vector: Complexes, displaced: int) -> Complexes:
    """The vector divided by its largest displacement, or by its largest entry if no displacement moves."""
    sizes: Floats = np.abs(vector)
    chosen = sizes[:displaced] if np.any(sizes[:displaced] > _ZERO * sizes.max()) else sizes
    # Of two that are as large, the first: rounding must not choose.
    largest = int(np.argmax(chosen > (1.0 - 1e-9) * chosen.max()))
    return np.asarray(vector / vector[largest])


_PLACE = "mode"
fault = fault_at(_PLACE)
#: How far something moves, relative to the mechanism's extent, or turns, in rad, where no amplitude is given.
_SHIFT, _TURN = 0.1, 0.15
#: Where that is too far for the mode, it is halved, at most so often.
_NEAR, _HALVINGS = 0.2, 3
#: A step that is small enough to be linear.
_STEP = 1e-6
#: How many time constants of a mode that grows or decays are shown at most.
_LONGEST = 4.0
#: Samples of a motion, and at which of them it is compared with the mode.
_SAMPLES, _EVERY = 301, 10
#: Farther from the mode than this, relative to the amplitude, the motion has left it.
_LEFT = 0.5
#: What takes part by less than this in a mode, or moves by less than this part of what moves most, is not looked at.
_PART = 0.05


def _directions(linear: Linear, values: Mapping[Any, float]) -> Floats:
    """D in numbers: how the coordinates move along displacements."""
    tree = linear.equations.tree
    columns = Matrix.columns_of([list(map(as_expr, direction)) for direction in linear.moved.directions], len(tree.q))
    places = [list(tree.q).index(q) for q in linear.equations.q]
    return numbers_of([columns], values)[0].reshape(len(tree.q), -1)[places]


@dataclass(frozen=True, eq=False)
class _About:
    """The state in numbers, and how coordinates move along displacements."""

    linear: Linear
    known: Mapping[Any, float]
    q: Floats
    u: Floats
    z: Floats
    D: Floats

    @classmethod
    def of(cls, linear: Linear, parameters: Mapping[str, Any] | None) -> _About:
        equations, values = linear.equations, linear.point.values
        point = dict(linear._values(parameters))
        names = list(values)
        at = numbers_of([Matrix([[values[x] for x in names]])], point)[0][0]
        point |= dict(zip(names, at.tolist(), strict=True))
        q, u, z = (np.array([point[x] for x in part]) for part in (equations.q, equations.u, equations.z))
        return cls(linear, point, q, u, z, _directions(linear, point))

    def parts(self, x: Floats) -> tuple[Floats, Floats, Floats]:
        """Changes of coordinates, speeds and first-order states, of a change of the linear equations' states."""
        s, u = self.D.shape[1], len(self.u)
        return self.D @ x[:s], x[s : s + u], x[s + u :]

    def along(self, poses: Floats) -> list[Floats]:
        """D at many poses of the run's mechanism: displacements of what turns are about axes that turn with it."""
        if np.abs(poses - self.q).max(initial=0.0) < _STEP:
            return [self.D] * len(poses)
        symbols = list(self.linear.equations.q)
        tables = ({**self.known, **dict(zip(symbols, pose.tolist(), strict=True))} for pose in poses)
        return [_directions(self.linear, values) for values in tables]


def mode_motion(mode: Mode, amplitude: float | None = None, cycles: float = 3.0) -> Trajectory:
    """The motion of the full equations from the state moved along a mode.

    It goes on for `cycles`, or for four time constants where the mode decays or grows faster. A mode that grows starts
    so small that the amplitude is met at the end. `info["mode"]` has the amplitude, and how far the motion leaves the
    mode, relative to it.
    """
    if not mode.eigenvalue:
        cure = "Take another mode; this one is a state that stays where it is put, or drifts."
        raise fault("a mode with the eigenvalue zero does not move by itself.", cure, "E-LINEAR-NUMBER")
    linear, parameters = mode.linear, mode.parameters
    if linear.is_prescribed:
        message = "the accelerations of this state were prescribed, and the mechanism does not have them by itself."
        cure = "Linearize without accelerations, with the efforts that give them."
        raise fault(message, cure, "E-LINEAR-UNSUPPORTED")
    values = {**(linear.given or {}), **si_values(linear.equations.system.parameters, parameters or {})}
    about, derivation = _About.of(linear, values), derivation_of(linear.origin)
    with understood("a number of cycles and an amplitude", (cycles, amplitude), place=_PLACE):
        duration = _LONGEST * mode.time_constant
        duration = min(float(cycles) / mode.frequency, duration) if mode.is_oscillating else duration
        size = _seen(derivation, about, mode, values) if amplitude is None else float(amplitude)
    if not (0.0 < duration < np.inf and np.isfinite(size) and size != 0.0):
        message = f"{cycles!r} cycles with amplitude {amplitude!r} are nothing to see."
        raise fault(message, "Give positive numbers.", "E-LINEAR-NUMBER")
    beside = _run(derivation, about, np.zeros(len(mode.vector)), values, duration)
    for _ in range(_HALVINGS if amplitude is None else 0):
        run = _started(derivation, about, mode, size, values, beside)
        if run.info["mode"]["departure"] < _NEAR:
            return run
        size /= 2.0
    return _started(derivation, about, mode, size, values, beside)


def _seen(derivation: Derivation, about: _About, mode: Mode, parameters: Mapping[str, Any]) -> float:
    """The amplitude at which the body that moves or turns most is seen to move."""
    functions, equations = Functions(derivation), about.linear.equations
    painter = Painter(equations.system, parameters, {})
    bent = list(centre_lines(painter))

    def seen(q: Floats) -> tuple[Floats, Floats]:
        """The points of bodies, and of the centre lines of those that bend, and the rotations of bodies."""
        p, R = functions.poses(q, parameters=parameters)
        values = {**painter.values, **about.known, **dict(zip(equations.q, q.tolist(), strict=True))}
        amplitudes = [np.array(evaluate(list(law.amplitudes), values)) for _, law, _ in bent]
        lines = [p[k] + s @ fields @ R[k].T for s, (k, _, fields) in zip(amplitudes, bent, strict=True)]
        return np.concatenate([p, *lines]), R

    p, R = seen(about.q)
    extent = max(painter.size, float(np.ptp(p, axis=0).max(initial=0.0)))
    farthest = 0.0
    for part in (mode.vector.real, mode.vector.imag):
        moved_p, moved_R = seen(about.q + _STEP * about.parts(part)[0])
        shift, turn = (float(np.abs(change).max(initial=0.0)) / _STEP for change in (moved_p - p, moved_R - R))
        farthest = max(farthest, shift / (_SHIFT * extent), turn / _TURN)
    return 1.0 / farthest if farthest > _STEP else _SHIFT


def _run(
    derivation: Derivation, about: _About, change: Floats, parameters: Mapping[str, Any], duration: float
) -> Trajectory:
    """A run from the state with a change of it, brought to the constraints; efforts and inputs as at the state."""
    linear, equations = about.linear, about.linear.equations
    dq, du, dz = about.parts(change)
    coordinates = derivation.synopsis.coordinates
    start = dict(zip((q.name for q in equations.q), (about.q + dq).tolist(), strict=True))
    start = {name: value for name, value in start.items() if name in coordinates}
    held = [name for name in linear.displacements if name in start]
    pose = assemble(derivation, start, hold=held, parameters=parameters)
    speeds = _speeds(derivation, about, pose.q, about.u + du)
    system = equations.system
    values = about.known
    tau = {name: values[x] for name, x in zip(equations.tree.speeds, equations.tree.tau, strict=True) if values[x]}
    inputs = {name: values[entry.symbol] for name, entry in system.inputs.items()}
    states = dict(zip(equations.states, (about.z + dz).tolist(), strict=True))
    return simulate(
        derivation, duration, start=dict(zip(coordinates, pose.q.tolist(), strict=True)) | states, speeds=speeds,
        parameters=parameters, tau=tau or None, inputs=inputs or None, samples=_SAMPLES,
    )  # fmt: skip


def _speeds(derivation: Derivation, about: _About, q: Floats, u: Floats) -> dict[str, float]:
    """The speeds of a run by name, from the independent ones."""
    equations = about.linear.equations
    by_name = dict(zip(equations.speeds, u.tolist(), strict=True))
    if equations.dependent_speeds is None or all(name in by_name for name in derivation.synopsis.speeds):
        return by_name
    values = {**about.known, **dict(zip(derivation.equations.q, q.tolist(), strict=True))}
    values |= dict(zip(equations.u, u.tolist(), strict=True))
    every = equations.dependent_speeds.in_independent_speeds(list(equations.tree.u))
    return dict(zip(equations.tree.speeds, numbers_of([Matrix([every])], values)[0][0].tolist(), strict=True))


def _started(
    derivation: Derivation, about: _About, mode: Mode, size: float, parameters: Mapping[str, Any], beside: Trajectory
) -> Trajectory:
    """The run that starts in the mode, with its amplitude and how near it stays to the mode in `info`."""
    duration = float(beside.t[-1])
    first = size * np.exp(-max(mode.eigenvalue.real, 0.0) * duration)
    run = _run(derivation, about, first * mode.vector.real, parameters, duration)
    some = slice(None, None, _EVERY)
    times, symbols = run.t[some], list(about.linear.equations.q)
    reference = beside.at(times).q
    wave = first * mode.vector[: about.D.shape[1], None] * np.exp(mode.eigenvalue * times)
    expected = np.array([(D @ x).real for D, x in zip(about.along(reference), wave.T, strict=True)])
    rows = [k for k, q in enumerate(symbols) if q.name in run.coordinates]
    columns = [run.coordinates.index(symbols[k].name) for k in rows]
    expected = expected.reshape(len(times), -1)[:, rows]
    off = np.abs((run.q[some] - reference)[:, columns] - expected).max(axis=0, initial=0.0)
    sizes = np.abs(expected).max(axis=0, initial=0.0)
    # coordinates that take part in the mode; others, as where a bicycle is, only follow it, and drift
    parts, moved = mode.participation, np.abs(about.D) > _STEP
    chosen = [parts[name] > _PART for name in about.linear.displacements]
    taking_part = np.asarray(moved[:, chosen].any(axis=1) if any(chosen) else moved.any(axis=1))
    seen = (sizes > _PART * sizes.max(initial=0.0)) & (taking_part[rows] | (not mode.is_simple))
    departure = float((off[seen] / sizes[seen]).max(initial=0.0))
    when = " at the end" if mode.eigenvalue.real > 0 else ""
    near = f"stays within {max(departure, 1e-3):.1%} of the mode" if departure < _LEFT else "leaves the mode"
    sentence = f"Amplitude {size:.3g}{when}; the motion of the full equations {near}."
    facts = {"amplitude": size, "departure": departure, "message": sentence}
    notices = (*run.info.get("notices", ()), *([sentence] if departure >= _LEFT else []))
    return replace(run, info={**run.info, "mode": facts, "notices": notices})
