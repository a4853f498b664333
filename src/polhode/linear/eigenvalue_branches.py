"""Eigenvalues along a parameter: a branch for each, and where one of them crosses into growth."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..errors import PolhodeError, check_known
from ..notebook import Cell, Shown, Table, complex_text
from ..view.plot import INK, QUIET, frame, nothing_to_plot, one_line, picture, saved
from ..view.scene import PALETTE
from .eigensystem import Complexes, Floats, followed, numbers_along, spectrum_of
from .linear import Linear

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_PLACE = "eigenvalues_along"
_NO_EIGENVALUE = "Give at least one eigenvalue."
#: How closely a crossing is found, relative to the parameter.
_FOUND = 1e-13
#: Entries of A below this, relative to the largest, are rounding.
_NOTHING = 1e-15


class Crossing(NamedTuple):
    """Crossing of the imaginary axis along a parameter: its value, and the eigenvalue there (upper of a pair).

    `grows` says whether it grows beyond. A pair that crosses with a frequency begins to oscillate (Hopf).
    """

    value: float
    eigenvalue: complex
    grows: bool


@dataclass(frozen=True, eq=False, repr=False)
class EigenvalueBranches(Shown):
    """Eigenvalues (N, n) at N values of a parameter; each column follows one of them."""

    parameter: str
    values: Floats
    eigenvalues: Complexes
    notices: tuple[str, ...] = ()
    unit: str = ""
    matrix: Callable[[float], Floats] = field(repr=False, default=lambda _: np.zeros((0, 0)))

    @property
    def crossings(self) -> list[Crossing]:
        """Where eigenvalues cross the imaginary axis, in order of the parameter."""
        from scipy.optimize import brentq

        points = zip(self.values, self.eigenvalues, strict=True)
        growth = np.array([spectrum_of(self.matrix(float(p))).of(values).growth for p, values in points])
        crossings = []
        for branch, signs in zip(self.eigenvalues.T, growth.T, strict=True):
            for i, k in pairwise(np.flatnonzero(signs).tolist()):
                start, end = float(self.values[i]), float(self.values[k])
                if signs[i] == signs[k] or max(branch[i].imag, branch[k].imag) < 0.0:
                    continue
                along = partial(self._along, start, complex(branch[i]))
                width = _FOUND * max(abs(start), abs(end))
                at = float(brentq(lambda value, along=along: along(value).real, start, end, xtol=width, rtol=_FOUND))
                crossings.append(Crossing(at, along(at), bool(branch[k].real > 0)))
        return sorted(crossings, key=lambda crossing: crossing.value)

    def _along(self, start: float, eigenvalue: complex, value: float) -> complex:
        """An eigenvalue followed from one value of the parameter to another; rows that are always zero are left out."""

        def moving(value: float) -> Floats:
            A = self.matrix(value)
            return A[np.ix_(self._moving, self._moving)]

        values = followed(moving, np.array([start, value]))
        return complex(values[1, np.argmin(np.abs(values[0] - eigenvalue))])

    @cached_property
    def _moving(self) -> list[int]:
        """The states without those that are sure to have the eigenvalue zero: that move nothing, or never change."""
        present = sum(np.abs(self.matrix(float(value))) for value in self.values[[0, len(self.values) // 2, -1]])
        is_there = np.asarray(present > _NOTHING * np.max(present, initial=0.0))
        kept = list(range(len(is_there)))
        while True:
            coupled = is_there[np.ix_(kept, kept)]
            left = [k for k, column, row in zip(kept, coupled.T, coupled, strict=True) if column.any() and row.any()]
            if len(left) == len(kept):
                return kept
            kept = left

    def plot(self, path: str | os.PathLike[str] | None = None) -> Any:
        """Real and imaginary parts over the parameter as a matplotlib figure, saved to `path` if given."""
        marks = [crossing.value for crossing in self.crossings]
        return saved(plot_branches(self.values, self.eigenvalues, self.parameter, self.unit, marks), path)

    def __repr__(self) -> str:
        head = f"EigenvalueBranches({self.eigenvalues.shape[1]} along {self.parameter}, {len(self.values)} values)"
        return "\n".join([head, *self.notices])

    def _cell(self) -> Cell:
        rows = [
            (f"{crossing.value:.9g}", complex_text(crossing.eigenvalue), "grows" if crossing.grows else "decays")
            for crossing in self.crossings
        ]
        crossings = Table([self.parameter, "eigenvalue that crosses", "beyond"], rows, numbers_from=0)
        ends = f"{self.values.min():.6g} to {self.values.max():.6g}"
        title = f"{self.eigenvalues.shape[1]} eigenvalues along {self.parameter} from {ends}"
        return Cell(title, [crossings if rows else "None crosses the imaginary axis.", *self.notices])


def eigenvalues_along(
    linear: Linear, parameter: str, values: Any, parameters: Mapping[str, Any] | None = None
) -> EigenvalueBranches:
    """The eigenvalues of small motions along a parameter, at the state that they are about; followed as branches."""
    table = linear.equations.system.parameters
    check_known("parameter", [parameter], table, place=_PLACE, code="E-LINEAR-NAME")
    if parameters and parameter in parameters:
        message = f"the parameter '{parameter}' is given a value, and is what goes along."
        raise PolhodeError(message, _PLACE, "Give the values alone.", "E-LINEAR-TWICE")
    along = numbers_along(values, f"values of '{parameter}'", _PLACE)

    def with_value(value: float) -> dict[str, Any]:
        return {**(parameters or {}), parameter: value}

    def matrix(value: float) -> Floats:
        return linear.state_space(with_value(value))[0]

    branches = followed(matrix, along)
    notices = []
    if linear.is_equilibrium:
        moving = [value for value in along if not linear.is_equilibrium_with(with_value(value))]
        if moving:
            more = f" and {len(moving) - 1} more" if len(moving) > 1 else ""
            notices.append(f"The state is held, and is no equilibrium at {parameter} = {moving[0]:.6g}{more}.")
    return EigenvalueBranches(parameter, along, branches, tuple(notices), table[parameter].si_unit, matrix)


def plot_branches(
    values: ArrayLike, eigenvalues: ArrayLike, name: str, unit: str = "", marks: Sequence[float] = ()
) -> Figure:
    """Draw real and imaginary parts of eigenvalues (N, n) over N values; `marks` are where one crosses into growth."""
    along, branches = np.asarray(values, dtype=float), np.asarray(eigenvalues, dtype=complex)
    if not branches.size:
        raise nothing_to_plot(_NO_EIGENVALUE)
    with picture(8.0, 5.6, "Eigenvalues") as figure:
        first: Any = None
        parts = ((branches.real, "Real parts"), (branches.imag, "Imaginary parts"))
        for row, (part, words) in enumerate(parts, start=1):
            panel = figure.add_subplot(2, 1, row, sharex=first)
            first = first or panel
            frame(panel)
            panel.axhline(0.0, color=QUIET, linewidth=0.8)
            for k, branch in enumerate(part.T):
                panel.plot(along, branch, color=PALETTE[k % len(PALETTE)], linewidth=1.5)
            for mark in marks:
                panel.axvline(mark, color=INK, linewidth=0.8, linestyle=":")
            panel.set_title(f"{words}  (1/s)", loc="left", fontsize=9.5, color=INK, pad=6)
        label = ", ".join(filter(None, [one_line(name), one_line(unit)]))
        figure.axes[-1].set_xlabel(label, color=QUIET, fontsize=9, loc="right", parse_math=False)
    return figure


def plot_locus(
    gains: ArrayLike, poles: ArrayLike, zeros: ArrayLike, title: str = "", heading: str | None = None
) -> Figure:
    """Draw poles (N, n) along N gains in the complex plane, × where the first gain has them, ○ for the zeros."""
    k, branches, nulls = np.asarray(gains, float), np.asarray(poles, complex), np.asarray(zeros, complex)
    if not branches.size:
        raise nothing_to_plot(_NO_EIGENVALUE)
    with picture(6.4, 5.6, title) as figure:
        panel = figure.add_subplot()
        frame(panel)
        panel.axhline(0.0, color=QUIET, linewidth=0.8)
        panel.axvline(0.0, color=QUIET, linewidth=0.8)
        for index, branch in enumerate(branches.T):
            color = PALETTE[index % len(PALETTE)]
            panel.plot(branch.real, branch.imag, color=color, linewidth=1.5)
            panel.plot(branch.real[:1], branch.imag[:1], "x", color=color, markersize=7)
        panel.plot(nulls.real, nulls.imag, "o", color=INK, markersize=7, fillstyle="none")
        panel.set_xlabel("real part, 1/s", color=QUIET, fontsize=9, loc="right")
        panel.set_ylabel("imaginary part, 1/s", color=QUIET, fontsize=9, loc="top")
        words = f"gain from {k[0]:g} (×) to {k[-1]:g}; zeros ○" if heading is None else heading
        panel.set_title(words, loc="left", fontsize=9.5, color=INK, pad=6)
    return figure
