"""Modes: the motions of linear equations that keep their shape, x = Re(v e^{λt})."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..notebook import Cell, Shown, Table, complex_text
from .eigensystem import Complexes, EigenSystem, Floats
from .linear import Linear
from .stability import Spectrum, spectrum_of

if TYPE_CHECKING:
    from ..simulate import Trajectory

#: Displacements below this, relative to the largest entry of an eigenvector, are taken for zero.
_ZERO = 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class Mode(Shown):
    """An eigenvalue, or the upper of a pair, and how the states take part in it.

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
        """How often it swings in a second, in Hz; zero where it does not swing."""
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
        """How much each state takes part, |wᵢ vᵢ| as parts of one: it does not depend on units. Largest first.

        Of a multiple eigenvalue it is not known, and the numbers are not numbers.
        """
        parts = np.abs(self.left.conj() * self.vector)
        parts = parts / parts.sum() if self.is_simple else np.full(len(parts), np.nan)
        order = np.argsort(-parts.round(9), kind="stable")  # rounding must not choose
        return {self.states[k]: float(parts[k]) for k in order}

    @property
    def name(self) -> str:
        """In a few words: how it moves in time."""
        if not self.eigenvalue:
            return "stays"
        how = "grows" if self.eigenvalue.real > 0 else "decays"
        if self.is_oscillating:
            return f"{self.frequency:.4g} Hz, damping ratio {self.damping_ratio:.3g}"
        return f"{how} by e in {self.time_constant:.4g} s"

    def trajectory(self, amplitude: float | None = None, cycles: float = 3.0) -> Trajectory:
        """The motion of the full equations from the state moved along the mode; see `linear.mode_motion`.

        `amplitude` is what the largest displacement is multiplied by; without it, one that is seen and still small.
        """
        from .mode_motion import mode_motion

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
        return run.animate(path, notes=notes or f"Mode: {self.name}. {run.info['mode']['told']}")

    def __repr__(self) -> str:
        told = [f"{name} {part:.0%}" for name, part in self.participation.items() if part >= 0.05]
        return f"Mode({self.name}{': ' if told else ''}{', '.join(told)})"

    def _cell(self) -> Cell:
        shape = self.shape
        rows = [
            (name, complex_text(shape[name]), "?" if np.isnan(part) else f"{part:.0%}")
            for name, part in self.participation.items()
        ]
        title = f"mode: {self.name}; eigenvalue {complex_text(complex(self.eigenvalue))}"
        return Cell(title, [Table(["state", "shape", "takes part"], rows, numbers_from=1)])


def modes(linear: Linear, parameters: Mapping[str, Any] | None = None) -> list[Mode]:
    """The modes, slowest first; a pair of complex eigenvalues is one mode.

    >>> import polhode as ph
    >>> s = ph.System("two pendulums and a spring", gravity=(0, 0, -10))
    >>> a, b = (s.joint(name, s.ground, s.body(f"bob {name}", 1, (0, 0, -1)), ph.Revolute("y")) for name in "ab")
    >>> s.joint_force(a, 2 * (b.q[0] - a.q[0]) - a.u[0] / 10)
    >>> s.joint_force(b, 2 * (a.q[0] - b.q[0]) - b.u[0] / 10)
    >>> for mode in modes(s.derive().linearize()):
    ...     print(mode, [round(mode.shape[name].real, 3) for name in "ab"])
    Mode(0.5032 Hz, damping ratio 0.0158: a 25%, b 25%, a' 25%, b' 25%) [1.0, 1.0]
    Mode(0.5955 Hz, damping ratio 0.0134: a 25%, b 25%, a' 25%, b' 25%) [1.0, -1.0]
    """
    A, _ = linear.state_space(parameters)
    system = EigenSystem.of(A)
    spectrum = spectrum_of(A).of(system.values)
    found = list(_read(system, spectrum, linear, parameters))
    return sorted(found, key=lambda mode: (abs(mode.eigenvalue), mode.eigenvalue.real))


def _read(
    system: EigenSystem, spectrum: Spectrum, linear: Linear, parameters: Mapping[str, Any] | None
) -> Iterator[Mode]:
    simple = system.are_simple
    for k, value in enumerate(system.values):
        if value.imag < 0.0 and not spectrum.is_steady[k]:
            continue
        real = float(value.real) if spectrum.growth[k] else 0.0
        imaginary = 0.0 if spectrum.is_steady[k] else float(value.imag)
        vector = _scaled(system.right[:, k], len(linear.displacements))
        left = system.left[:, k]
        if simple[k]:
            left = left / np.conj(left.conj() @ vector)
        yield Mode(complex(real, imaginary), vector, left, tuple(linear.states), bool(simple[k]), linear, parameters)


def _scaled(vector: Complexes, displaced: int) -> Complexes:
    """The vector with its largest displacement, or state where nothing is displaced, made one."""
    sizes: Floats = np.abs(vector)
    chosen = sizes[:displaced] if np.any(sizes[:displaced] > _ZERO * sizes.max()) else sizes
    # Of two that are as large, the first: rounding must not choose.
    largest = int(np.argmax(chosen > (1.0 - 1e-9) * chosen.max()))
    return np.asarray(vector / vector[largest])
