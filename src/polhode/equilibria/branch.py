"""Branches of steady states over a parameter: folds, branch points and Hopf points found, and branches followed.

The curve is followed by pseudo-arclength (`continuation`), with exact derivatives. A Hopf point, where a pair of
complex eigenvalues of small motions crosses the imaginary axis, is a root of their real part along the curve.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import PolhodeError, fault_at, unknown, whole_number
from ..expr.spelling import spelled
from ..linear.eigensystem import CHANGES, Spectrum, Stability
from ..notebook import Told
from ..view.plot import INK, frame, nothing_to_plot, one_line, picture, saved
from ..view.scene import PALETTE
from .continuation import Curve, Floats, Point, branch_point, other_direction
from .equilibrium import Equilibrium, SteadyState, equilibria

if TYPE_CHECKING:
    from matplotlib.figure import Figure


_PLACE = "branch"
fault = fault_at(_PLACE)
#: States nearer to each other than this, parameters in halves of the range, are the same.
_SAME = 1e-6
#: A variable beyond this has left.
_FAR = 1e3


@dataclass(frozen=True, eq=False, repr=False)
class Special(Told):
    """A point where a branch changes: a "fold", a "branch point" or a "Hopf point" with its angular frequency."""

    kind: str
    value: float  # of the parameter
    at: Equilibrium
    frequency: float | None = None

    def __str__(self) -> str:
        message = "" if self.frequency is None else f", with {self.frequency:.6g} rad/s"
        return f"{self.kind} at {self.value:.12g}{message}"


@dataclass(frozen=True, eq=False, repr=False)
class Branch(Told):
    """Steady states over a parameter, in the order in which they were followed.

    `values` has the parameter, `special` the folds, branch points and Hopf points, `others` the branches that were
    followed from branch points. `branch[k]` is a state, an `Equilibrium`; `branch["theta"]` the values of an unknown.
    """

    parameter: str
    steady: SteadyState
    x: Floats  # a row for each point: the unknowns, then the parameter
    eigenvalues: NDArray[np.complex128]
    stability: tuple[Stability, ...]
    special: tuple[Special, ...]
    others: tuple[Branch, ...] = ()
    notices: tuple[str, ...] = ()

    @property
    def values(self) -> Floats:
        """The values of the parameter."""
        return self.x[:, -1]

    @property
    def unknowns(self) -> list[str]:
        """Names of the unknowns."""
        return [spelled(x) for x in self.steady.unknowns]

    def __len__(self) -> int:
        return len(self.x)

    def __getitem__(self, which: int | str) -> Any:
        if isinstance(which, str):
            names = [*self.unknowns, self.parameter]
            if which in names:
                return self.x[:, names.index(which)]
            return np.array([point[which] for point in self])
        return state_at(self.steady, self.x[which])

    def __iter__(self) -> Iterator[Equilibrium]:
        return (state_at(self.steady, x) for x in self.x)

    @cached_property
    def marked(self) -> set[int]:
        """Indices of special points."""
        return {k for k in range(len(self)) if any(np.array_equal(self.x[k], special.at.x) for special in self.special)}

    @cached_property
    def pieces(self) -> list[tuple[str, float, float]]:
        """Stability over ranges of the parameter, in order."""
        ranges = []
        for message, group in groupby(range(len(self)), key=lambda k: "" if k in self.marked else self.stability[k]):
            indices = [*group]
            if message:
                first = indices[0] - 1 if indices[0] - 1 in self.marked else indices[0]
                last = indices[-1] + 1 if indices[-1] + 1 in self.marked else indices[-1]
                ranges.append((message, float(self.values[first]), float(self.values[last])))
        return ranges

    def table(self) -> str:
        """Ranges of stability, special points and other branches, a line each."""
        lines = [f"{self.parameter} from {a:.9g} to {b:.9g}: {message}" for message, a, b in self.pieces]
        lines += [str(special) for special in self.special]
        for k, other in enumerate(self.others):
            lines += [f"branch {k + 1}:", *("  " + line for line in other.table().splitlines())]
        return "\n".join([*lines, *self.notices])

    def plot(self, names: Sequence[str] | str | None = None, path: str | os.PathLike[str] | None = None) -> Any:
        """A figure of unknowns (up to four) over the parameter: solid stable, dotted unstable, dashed neutral."""
        chosen = [names] if isinstance(names, str) else list(names or self.unknowns[:4])
        offered = [*self.unknowns, *self.steady.own.coordinates]
        for name in chosen:
            if name not in offered and name not in self[0]:
                raise unknown("unknown", name, offered, place="plot", code="E-EQUILIBRIUM-NAME")
        every = [*self._all()]
        lines = [(curve.values, curve._words(), {name: curve[name] for name in chosen}) for curve in every]
        marks = [(p.kind, p.value, {name: p.at[name] for name in chosen}) for curve in every for p in curve.special]
        return saved(plot_branches(self.parameter, lines, marks, title=self.steady.own.system.name), path)

    def _all(self) -> Iterator[Branch]:
        waiting: list[Branch] = [self]
        while waiting:
            curve = waiting.pop(0)
            yield curve
            waiting += curve.others

    def _words(self) -> list[str]:
        """The stability of each point; of a special one, that of the next."""
        words: list[str] = list(self.stability)
        for k in sorted(self.marked, reverse=True):
            words[k] = words[k + 1] if k + 1 < len(words) else words[k - 1]
        return words

    def __repr__(self) -> str:
        return f"Branch('{self.steady.own.system.name}' over {self.parameter}, {len(self)} points)\n{self.table()}"


def state_at(steady: SteadyState, x: Floats) -> Equilibrium:
    """A point of a branch as a state."""
    residual = float(np.abs(steady.conditions(x)[0]).max(initial=0.0))
    return Equilibrium(steady, np.array(x), residual)


def branch(
    steady: SteadyState, parameter: str, between: Any, step: float, most: int, follow: int, starts: int
) -> Branch:
    """The branch of steady states over a parameter `between` two values, from a state at one of its ends."""
    low, high = (float(end) for end in between)
    if not (np.isfinite([low, high]).all() and low < high):
        message = f"the range from {low:g} to {high:g} is no range."
        raise fault(message, "Give between=(lower, upper).", "E-EQUILIBRIUM-NUMBER")
    follow = whole_number(follow, place=f"{_PLACE} follow")
    errors: list[PolhodeError] = []
    for value in (low, high, (low + high) / 2):
        try:
            at = equilibria(steady.held(value), starts, 0, most=1)[0]
        except PolhodeError as error:
            errors.append(error)
        else:
            first = np.append(at.x, value)
            return _Following(steady, parameter, low, high, step, most, first).whole(first, follow)
    why = errors[0].problems[0]
    message = f"there is nothing to follow: at {parameter} = {low:g}, {high:g} and between them, {why.message}"
    raise fault(message, why.cure, "E-EQUILIBRIUM-FAILED")


@dataclass(eq=False)
class _Trace:
    """Points, spectra and special points collected along a curve."""

    points: list[Floats] = field(default_factory=list)
    spectra: list[Spectrum] = field(default_factory=list)
    special: list[Special] = field(default_factory=list)
    ways: list[tuple[Floats, Floats]] = field(default_factory=list)  # branch points and directions to leave them by
    notices: list[str] = field(default_factory=list)


class _Following:
    """One problem in scaled variables: the parameter in halves of its range."""

    def __init__(
        self, steady: SteadyState, parameter: str, low: float, high: float, step: float, most: int, first: Floats
    ) -> None:
        self.steady, self.parameter, self.longest, self.most = steady, parameter, 2.0 * step, most
        self.half = 2.0 ** round(np.log2((high - low) / 2.0))  # a power of two, so that nothing is rounded
        self.low, self.high = low / self.half, high / self.half
        self.seen: list[Floats] = []
        rows, slopes = self._scaled(self._in(first))
        count = len(first) - 1
        if len(rows) < count:
            raise self._loose()
        left, sizes, _ = np.linalg.svd(slopes)
        if count and not sizes[count - 1] > 1e-9 * max(1.0, sizes[0]):
            raise self._loose()
        self.mix = None if len(rows) == count else left[:, :count].T
        at = state_at(steady, first)
        self.running = sum(abs(at._values[u]) > _SAME for u in steady.equations.u)

    def _loose(self) -> PolhodeError:
        names = ", ".join(spelled(x) for x in self.steady.unknowns)
        message = f"the conditions do not determine {names} where the branch begins: there is a family of states."
        cure = "Give one of them a value (given), or begin at another value of the parameter."
        return fault(message, cure, "E-EQUILIBRIUM-FAILED")

    def _in(self, x: Floats) -> Floats:
        return np.append(x[:-1], x[-1] / self.half)

    def _out(self, x: Floats) -> Floats:
        return np.append(x[:-1], x[-1] * self.half)

    def _scaled(self, x: Floats) -> tuple[Floats, Floats]:
        rows, slopes = self.steady.conditions(self._out(x))
        slopes[:, -1] *= self.half
        return rows, slopes

    def function(self, x: Floats) -> tuple[Floats, Floats]:
        """The conditions and their slopes, combined to as many rows as unknowns if there are more."""
        rows, slopes = self._scaled(x)
        return (rows, slopes) if self.mix is None else (self.mix @ rows, self.mix @ slopes)

    # ---- a whole branch ------------------------------------------------------------------------------------------

    def whole(self, first: Floats, follow: int) -> Branch:
        """The branch through a state, both ways where it lies inside the range, and those that leave it."""
        x = self._in(first)
        ahead = np.append(np.zeros(len(x) - 1), 1.0)
        result = _Trace([x], [self._spectrum(x)])
        if x[-1] < self.high - _SAME:
            self._along(result, x, ahead)
        if x[-1] > self.low + _SAME:
            back = _Trace([x], [result.spectra[0]])
            self._along(back, x, -ahead)
            result = _joined(back, result)
        return self._branch_of(result, follow)

    def _branch_of(self, trace: _Trace, follow: int) -> Branch:
        others = []
        if follow > 0:
            for x, tangent in trace.ways:
                both = []
                for direction in (-tangent, tangent):
                    half = _Trace([x], [self._spectrum(x)])
                    self._along(half, x, direction, leaving=True)
                    both.append(half)
                joined = _joined(*both)
                index = len(both[0].special)
                joined.special.insert(index, self._special("branch point", x))
                if len(joined.points) > 1:
                    others.append(self._branch_of(joined, follow - 1))
                else:
                    trace.notices += joined.notices
        eigenvalues = np.array([spectrum.values for spectrum in trace.spectra])
        return Branch(
            self.parameter, self.steady, np.array([self._out(x) for x in trace.points]), eigenvalues,
            tuple(map(self._stability, trace.spectra)), tuple(trace.special), tuple(others),
            tuple(dict.fromkeys(trace.notices)),
        )  # fmt: skip

    def _stability(self, spectrum: Spectrum) -> Stability:
        changes = self.steady.changes_in_time or (self.running and self.steady.changes_along)
        return CHANGES if changes else spectrum.stability(self.running)

    def _spectrum(self, x: Floats) -> Spectrum:
        return self.steady.spectrum(self._out(x))

    def _along(self, met: _Trace, x: Floats, like: Floats, leaving: bool = False) -> None:
        """Follow the curve one way, until it leaves the range, closes or ends."""
        curve = Curve(self.function, x, like, self.longest)
        if leaving:
            curve.point = Point(x, like, 0.0)
        begin = curve.point
        while len(met.points) < self.most:
            here = curve.point
            new = curve.advance()
            if new is None:
                met.notices.append(
                    f"The branch could not be followed beyond {self.parameter} = {here.x[-1] * self.half:.9g}: "
                    "no step leads on, as where the equations are singular."
                )
                return
            broken = self._broken(new.x)
            if broken:
                met.notices.append(
                    f"A branch was left at {self.parameter} = {here.x[-1] * self.half:.9g}: with what is given, "
                    f"{broken} beyond it."
                )
                return
            beyond = self._beyond(curve, here, new)
            new = new if beyond is None else beyond
            spectrum = self._spectrum(new.x)
            self._tested(met, curve, here, new, spectrum)
            met.points.append(new.x)
            met.spectra.append(spectrum)
            if beyond is not None:
                return
            if float(np.abs(new.x).max()) > _FAR:
                met.notices.append(f"The branch was left where a variable exceeds {_FAR:g}.")
                return
            if len(met.points) > 5 and _comes_back(begin, new, curve.step):
                met.points.append(begin.x)
                met.spectra.append(met.spectra[0])
                met.notices.append("The branch is closed: it came back to where it began.")
                return
        met.notices.append(f"The branch was left after {self.most} points.")

    def _broken(self, x: Floats) -> str:
        """A row that the combinations of rows leave aside, and that does not vanish."""
        if self.mix is None:
            return ""
        rows, slopes = self._scaled(x)
        left = np.abs(rows) / (1.0 + np.abs(slopes).max(axis=1))
        worst = int(np.argmax(left))
        if left[worst] <= 1e-9:
            return ""
        names = self.steady.names
        return f"the {names[worst] if worst < len(names) else 'length of a quaternion'} is not kept"

    def _beyond(self, curve: Curve, here: Point, new: Point) -> Point | None:
        """The point at the end of the range, if a step exceeds it."""
        p = new.x[-1]
        if self.low <= p <= self.high:
            return None
        end = self.low if p < self.low else self.high
        result = self._root(curve, here, new, lambda point: float(point.x[-1] - end))
        if result is None:
            return None
        return replace(result, x=np.append(result.x[:-1], end)) if abs(result.x[-1] - end) < 1e-9 else result

    def _root(self, curve: Curve, here: Point, new: Point, of: Callable[[Point], float]) -> Point | None:
        """The point of a step where a function of points is zero; None if it does not change its sign."""
        ends = of(here), of(new)
        if not ends[0] * ends[1] < 0.0:
            return new if ends[1] == 0.0 else None
        return curve.zero(here, new, of)

    # ---- what is met on a step -----------------------------------------------------------------------------------

    def _tested(self, met: _Trace, curve: Curve, here: Point, new: Point, spectrum: Spectrum) -> None:
        points: list[tuple[float, Special]] = []
        branched = here.sign * new.sign < 0.0 and self._branch_point(met, curve, here, new, points)
        if not branched and here.sign and here.tangent[-1] * new.tangent[-1] < 0.0:
            result = self._root(curve, here, new, lambda point: float(point.tangent[-1]))
            if result is not None:
                points.append((self._arclength(here, result.x), self._special("fold", result.x)))
        before = met.spectra[-1]
        if np.isfinite(spectrum.values).all() and np.isfinite(before.values).all():
            for pair in _crossing(before, spectrum):
                self._hopf(curve, here, new, pair, points)
        for _, special in sorted(points, key=lambda item: item[0]):
            met.special.append(special)
            met.points.append(self._in(special.at.x))
            met.spectra.append(special.at.spectrum)

    @staticmethod
    def _arclength(here: Point, x: Floats) -> float:
        return float(here.tangent @ (x - here.x))

    def _special(self, kind: str, x: Floats, frequency: float | None = None) -> Special:
        out = self._out(x)
        return Special(kind, float(out[-1]), state_at(self.steady, out), frequency)

    def _branch_point(
        self, met: _Trace, curve: Curve, here: Point, new: Point, points: list[tuple[float, Special]]
    ) -> bool:
        low, high = 0.0, self._arclength(here, new.x)
        length = high
        for _ in range(12):
            middle = curve.at(here, (low + high) / 2.0)
            if middle is None:
                break
            low, high = ((low + high) / 2.0, high) if middle.sign == here.sign else (low, (low + high) / 2.0)
        near = here.x + (low + high) / 2.0 * here.tangent
        result = branch_point(self.function, near)
        if result is None or not -0.1 * length <= self._arclength(here, result[0]) <= 1.1 * length:
            return False
        x, w = result
        points.append((self._arclength(here, x), self._special("branch point", x)))
        if any(np.abs(x - other).max() < _SAME for other in self.seen):
            return True
        self.seen.append(x)
        tangent = other_direction(self.function, x, w, here.tangent)
        if tangent is None:
            met.notices.append(
                f"The branches through {self.parameter} = {x[-1] * self.half:.9g} have no directions of their own "
                "there, and were not followed."
            )
        else:
            met.ways.append((x, tangent))
        return True

    def _hopf(
        self, curve: Curve, here: Point, new: Point, pair: tuple[complex, complex], points: list[tuple[float, Special]]
    ) -> None:
        length = self._arclength(here, new.x)
        seen: dict[str, complex] = {}

        def real_part(point: Point) -> float:
            part = self._arclength(here, point.x) / length
            expected = (1.0 - part) * pair[0] + part * pair[1]
            values = self._spectrum(point.x).values
            seen["value"] = complex(values[np.argmin(np.abs(values - expected))])
            return seen["value"].real

        result = self._root(curve, here, new, real_part)
        if result is None:
            return
        real_part(result)
        if seen["value"].imag > 1e-6 * max(1.0, abs(pair[0])):
            points.append((self._arclength(here, result.x), self._special("Hopf point", result.x, seen["value"].imag)))


def _comes_back(begin: Point, new: Point, step: float) -> bool:
    """True if a step from a point reaches the beginning of the curve."""
    gap = begin.x - new.x
    ahead = float(gap @ new.tangent)
    return bool(0.0 < ahead < step and np.linalg.norm(gap) < 1.2 * ahead and begin.tangent @ new.tangent > 0.9)


def _joined(back: _Trace, ahead: _Trace) -> _Trace:
    """Two halves from one point, as one."""
    return _Trace(
        back.points[:0:-1] + ahead.points, back.spectra[:0:-1] + ahead.spectra,
        back.special[::-1] + ahead.special, back.ways + ahead.ways, back.notices + ahead.notices,
    )  # fmt: skip


def _crossing(before: Spectrum, after: Spectrum) -> list[tuple[complex, complex]]:
    """Complex eigenvalues that cross the imaginary axis, one of each pair, each with what it became."""
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(np.abs(before.values[:, None] - after.values[None, :]))
    pairs = [(complex(before.values[i]), complex(after.values[k]), i, k) for i, k in zip(rows, columns, strict=True)]
    return [
        (old, new)
        for old, new, i, k in pairs
        if min(old.imag, new.imag) > 0.0 and before.growth[i] * after.growth[k] < 0
    ]


_PANEL = 2.4  # inches
_LINES = {"stable": "-", "unstable": ":", "neutral": "--"}
_MARKS = {"fold": "v", "branch point": "D", "Hopf point": "o"}

#: The parameter, what is stable (a word for each point), quantities by name.
Line: TypeAlias = tuple[ArrayLike, Sequence[str], Mapping[str, ArrayLike]]
#: What a point is, the parameter there, quantities by name.
Mark: TypeAlias = tuple[str, float, Mapping[str, float]]


def plot_branches(parameter: str, lines: Sequence[Line], marks: Sequence[Mark] = (), title: str = "") -> Figure:
    """Draw quantities over a parameter: full lines where states are stable, dotted where they are not, else broken."""
    names = [*dict.fromkeys(name for _, _, quantities in lines for name in quantities)]
    if not names:
        raise nothing_to_plot("Name at least one unknown.")
    with picture(8.0, _PANEL * len(names) + (0.9 if title else 0.5), title) as figure:
        for index, name in enumerate(names, start=1):
            panel = figure.add_subplot(len(names), 1, index)
            frame(panel)
            for number, (values, stability, quantities) in enumerate(lines):
                _drawn(panel, np.asarray(values, dtype=float), stability, quantities[name], number)
            for kind, value, quantities in marks:
                panel.plot(value, quantities[name], _MARKS.get(kind, "s"), color=INK, markersize=5, zorder=5)
            panel.set_ylabel(one_line(name, 40), fontsize=9, loc="top", parse_math=False)
            if index == len(names):
                panel.set_xlabel(one_line(parameter, 40), fontsize=9, loc="right", parse_math=False)
                _explained(panel, {word for _, words, _ in lines for word in words}, {kind for kind, _, _ in marks})
    return figure


def _drawn(panel: Any, values: ArrayLike, stability: Sequence[str], quantity: ArrayLike, number: int) -> None:
    x, y = np.asarray(values, dtype=float), np.asarray(quantity, dtype=float)
    color = PALETTE[number % len(PALETTE)]
    for word, group in groupby(range(len(x)), key=stability.__getitem__):
        indices = [*group]
        ends = slice(indices[0], min(indices[-1] + 2, len(x)))  # as far as where the next begins
        panel.plot(x[ends], y[ends], _LINES.get(word, "-."), color=color, linewidth=1.6)


def _explained(panel: Any, words: set[str], kinds: set[str]) -> None:
    for word in sorted(words):
        panel.plot([], [], _LINES.get(word, "-."), color=INK, label=word)
    for kind in sorted(kinds):
        panel.plot([], [], _MARKS.get(kind, "s"), color=INK, label=kind)
    panel.legend(fontsize=8, frameon=False, loc="best")
