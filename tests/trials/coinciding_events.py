"""Events, changes of the state and forces that jump, many of them at one time, against pieces of parabolas.

Two bodies slide under forces that are constant between jumps: signs of positions, speeds and time, and tables. So their
motion between two instants is a parabola, and all that happens at an instant follows from the rules of
docs/simulation.md. Numbers are multiples of 1/4, so that several functions often vanish at once. Runs by every method
must have the same events, states and samples. (CVODE's errors part events that coincide in other methods.)

    python -m tests.trials.coinciding_events --cases 3000 --seed 7
"""

from __future__ import annotations

import argparse
import itertools
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

import polhode as ph
from polhode.simulate import crossing

Floats = NDArray[np.float64]
METHODS = (
    "auto", "TP86", "DOP853", "RK45", "Radau", "Rodas5P", "rk4", "gauss4", "scipy.RK45", "scipy.DOP853", "scipy.Radau",
    *(("ida",) if find_spec("sksundae") else ()),
)  # fmt: skip
DURATION = 2.0
SAMPLES = np.linspace(0.0, DURATION, 17)
#: Times and values closer than the first are equal; what is farther apart, and nearer than the second, is not judged.
EQUAL, CLEAR = 1e-10, 1e-5


class NotJudged(Exception):
    """A motion that sticks, touches a zero, comes to rest on it, or has instants that nearly coincide."""


@dataclass(frozen=True)
class Line:
    """g = a x + b, of the state x = (x1, x2, v1, v2) and time t as its last entry."""

    a: tuple[float, ...]
    b: float

    def __call__(self, t: float, x: Floats) -> float:
        return float(np.dot(self.a, [*x, t])) + self.b

    def expression(self, symbols: Sequence[Any]) -> Any:
        return sum(c * s for c, s in zip(self.a, symbols, strict=True) if c) + self.b


@dataclass(frozen=True)
class Event:
    """What is located, and what happens there: "log", "end", or new values x = C x + c."""

    line: Line
    direction: int
    effect: str
    matrix: Floats
    shift: Floats
    is_python: bool


@dataclass
class Case:
    """Two sliding bodies: forces F + Σ K sign(g), events and a start."""

    start: Floats
    constant: Floats
    jumps: list[tuple[Line, Floats]]
    is_table: bool
    events: list[Event]

    # ---- the reference -----------------------------------------------------------------------------------------

    def motion(self) -> tuple[list[list[float]], list[tuple[float, Floats, Floats]], float]:
        """Times of each event, the state after each instant with the accelerations that follow, and the end."""
        t, x = 0.0, self.start.copy()
        times: list[list[float]] = [[] for _ in self.events]
        signs = self._signs(t, x, self._accelerations(np.array([np.sign(g(t, x)) for g, _ in self.jumps])))
        sides = self._sides(t, x, self._accelerations(signs), [])
        pieces = [(t, x, self._accelerations(signs))]
        while True:
            acceleration = self._accelerations(signs)
            found = [self._next_zero(g, t, x, acceleration) for g in self._lines]
            t_next = min(found)
            if t_next > DURATION - CLEAR:
                if t_next < DURATION + CLEAR:
                    raise NotJudged
                return times, pieces, DURATION
            if t_next < t + CLEAR or len(pieces) > 40:
                raise NotJudged
            if any(EQUAL < each - t_next < CLEAR for each in found):
                raise NotJudged
            before = _after(x, acceleration, t_next - t)
            due = [k for k, each in enumerate(found[: len(self.events)]) if each - t_next <= EQUAL]
            slopes = [_slope(self.events[k].line, before, acceleration) for k in due]
            t, x = t_next, before
            due = [k for k, s in zip(due, slopes, strict=True) if self.events[k].direction * s >= 0.0 and sides[k]]
            for k in due:
                if self.events[k].effect == "log":
                    times[k].append(t)
            ends = [k for k in due if self.events[k].effect == "end"]
            for k in ends:
                times[k].append(t)
            if ends:
                pieces.append((t, x, acceleration))
                return times, pieces, t
            changed = []
            for k in due:
                event = self.events[k]
                if event.effect != "change":
                    continue
                value = abs(event.line(t, x))
                if EQUAL < value < CLEAR:
                    raise NotJudged
                if value <= EQUAL:
                    x = event.matrix @ x + event.shift
                    times[k].append(t)
                    changed.append(k)
            signs = self._signs(t, x, acceleration)
            sides = self._sides(t, x, self._accelerations(signs), changed)
            pieces.append((t, x, self._accelerations(signs)))

    @property
    def _lines(self) -> list[Line]:
        return [*(event.line for event in self.events), *(g for g, _ in self.jumps)]

    def _accelerations(self, signs: Floats) -> Floats:
        return np.asarray(self.constant + sum(s * k for s, (_, k) in zip(signs, self.jumps, strict=True)))

    def _signs(self, t: float, x: Floats, acceleration: Floats) -> Floats:
        """Signs with which each function that is zero moves to its own side."""
        values = np.array([g(t, x) for g, _ in self.jumps])
        if ((np.abs(values) > EQUAL) & (np.abs(values) < CLEAR)).any():
            raise NotJudged
        zero = np.flatnonzero(np.abs(values) <= EQUAL)
        right = []
        for tried in itertools.product((1.0, -1.0), repeat=len(zero)):
            signs = np.sign(values)
            signs[zero] = tried
            slopes = [_slope(self.jumps[k][0], x, self._accelerations(signs)) for k in zero]
            if all(s * slope > CLEAR for s, slope in zip(tried, slopes, strict=True)):
                right.append(signs)
        if len(right) != 1:
            raise NotJudged
        return right[0]

    def _sides(self, t: float, x: Floats, acceleration: Floats, changed: Sequence[int]) -> list[float]:
        """Signs of events behind an instant."""
        sides = []
        for event in self.events:
            value, slope = event.line(t, x), _slope(event.line, x, acceleration)
            if abs(value) > EQUAL:
                if abs(value) < CLEAR:
                    raise NotJudged
                sides.append(np.sign(value))
            elif abs(slope) < CLEAR:
                raise NotJudged
            else:
                sides.append(np.sign(slope))
        return sides

    def _next_zero(self, line: Line, t: float, x: Floats, acceleration: Floats) -> float:
        """The first zero of c + b s + a s² after a time; tangents are not judged."""
        c, b = line(t, x), _slope(line, x, acceleration)
        a = 0.5 * float(np.dot(line.a[:2], acceleration))
        c = 0.0 if abs(c) <= EQUAL else c
        roots = [] if b == 0.0 else [-c / b]
        if a:
            inside = b * b - 4 * a * c
            if abs(inside) < CLEAR:
                near = t - b / (2 * a)
                if t < near < DURATION + CLEAR:
                    raise NotJudged
            big = -0.5 * (b + np.copysign(np.sqrt(max(inside, 0.0)), b))
            roots = [] if inside < 0.0 else [big / a, *([c / big] if big else [])]
        return min((t + s for s in roots if s > EQUAL), default=np.inf)

    # ---- polhode -----------------------------------------------------------------------------------------------

    def equations(self) -> ph.Equations:
        s = ph.System("sliders", gravity=(0, 0, 0))
        joints = [
            s.joint(f"x{k}", s.ground, s.body(f"body {k}", 1), ph.Prismatic("x"), speeds=[f"v{k}"]) for k in range(2)
        ]
        symbols = [*(j.q[0] for j in joints), *(j.u[0] for j in joints), s.time]
        for k, joint in enumerate(joints):
            force: Any = float(self.constant[k])
            for number, (g, jump) in enumerate(self.jumps):
                if self.is_table and number == 0:
                    low, high = -1e3, 1e3
                    read = ph.table([low, 0.0, high], [-jump[k], jump[k], jump[k]], kind="held")
                    force = force + read(g.expression(symbols))
                else:
                    force = force + float(jump[k]) * ph.sign(g.expression(symbols))
            s.joint_force(joint, force)
        return s.derive()

    def options(self, e: ph.Equations) -> dict[str, Any]:
        names, symbols = ["x0", "x1", "v0", "v1"], [*e.q, *e.u]
        listed, on, until = [], {}, None
        for event in self.events:
            if event.is_python:
                key: Any = _function(event.line, event.direction)
            else:
                key = crossing(event.line.expression([*symbols, e.system.time]), event.direction)
            if event.effect == "log":
                listed.append(key)
            elif event.effect == "end":
                until = key
            else:
                rows = [i for i in range(4) if event.shift[i] or (event.matrix[i] != np.eye(4)[i]).any()]
                if event.is_python:
                    on[key] = _change(event, rows, names)
                else:
                    on[key] = {
                        names[i]: sum(float(c) * s for c, s in zip(event.matrix[i], symbols, strict=True) if c)
                        + float(event.shift[i])
                        for i in rows
                    }
        given = {"start": dict(zip(names[:2], self.start[:2], strict=True))}
        return {
            **given, "speeds": dict(zip(names[2:], self.start[2:], strict=True)), "events": listed, "on": on,
            "until": until, "samples": SAMPLES, "progress": False, "watch_energy": False,
        }  # fmt: skip


def _after(x: Floats, acceleration: Floats, s: float) -> Floats:
    return np.concatenate([x[:2] + s * x[2:] + 0.5 * s * s * acceleration, x[2:] + s * acceleration])


def _slope(line: Line, x: Floats, acceleration: Floats) -> float:
    return float(np.dot(line.a, [*x[2:], *acceleration, 1.0]))


def _function(line: Line, direction: int) -> Callable[..., float]:
    def g(t: float, q: Floats, u: Floats) -> float:
        return line(t, np.concatenate([q, u]))

    g.direction = direction  # type: ignore[attr-defined]  # as users mark functions, whose type has no such field
    return g


def _change(event: Event, rows: Sequence[int], names: Sequence[str]) -> Callable[..., dict[str, float]]:
    def change(t: float, q: Floats, u: Floats) -> dict[str, float]:
        new = event.matrix @ np.concatenate([q, u]) + event.shift
        return {names[i]: float(new[i]) for i in rows}

    return change


# ---- random cases --------------------------------------------------------------------------------------------------


def random_case(rng: np.random.Generator) -> Case:
    """A case in which several functions share zeros."""

    def quarter(low: float, high: float) -> float:
        return float(rng.integers(int(4 * low), int(4 * high) + 1)) / 4

    def line(kinds: str) -> Line:
        kind = rng.choice(list(kinds))
        a = np.zeros(5)
        if kind == "d":
            a[0], a[1] = 1.0, -1.0
        else:
            a[{"x": int(rng.integers(2)), "v": 2 + int(rng.integers(2)), "t": 4}[kind]] = 1.0
        return Line(tuple(a), -(quarter(0.25, 1.75) if kind == "t" else quarter(-1, 1)))

    jumps = [(line("xxtvd"), np.array([quarter(-4, 4), quarter(-4, 4)])) for _ in range(rng.integers(0, 4))]
    known = [g for g, _ in jumps]
    events: list[Event] = []
    for _ in range(rng.integers(1, 7)):
        if known and rng.random() < 0.6:  # the zero of another function, or of a multiple
            factor = float(rng.choice([1.0, 2.0, -1.0, 0.5]))
            like = known[rng.integers(len(known))]
            g = Line(tuple(factor * np.array(like.a)), factor * like.b)
        else:
            g = line("xxxtvd")
        if any(each.line == g for each in events):
            continue
        known.append(g)
        effect = str(rng.choice(["log", "log", "change", "change", "change", "end"]))
        if effect == "end" and any(each.effect == "end" for each in events):
            effect = "log"
        matrix, shift = np.eye(4), np.zeros(4)
        for row in range(4):
            if rng.random() < 0.4:
                matrix[row, row] = rng.choice([1.0, -1.0, 0.5, 2.0, -0.5])
                shift[row] = rng.choice([0.0, 0.0, 0.25, -0.5]) if row > 1 or rng.random() < 0.3 else 0.0
                if row < 2:
                    matrix[row, row] = 1.0
        direction = int(rng.choice([0, 0, 1, -1]))
        events.append(Event(g, direction, effect, matrix, shift, bool(rng.random() < 0.3)))
    events.sort(key=lambda each: ("log", "change", "end").index(each.effect))
    start = np.array([quarter(-2, 2) for _ in range(4)])
    is_table = bool(jumps) and rng.random() < 0.25 and not jumps[0][0].a[4]
    return Case(start, np.array([quarter(-2, 2), quarter(-2, 2)]), jumps, is_table, events)


@dataclass
class Score:
    """How many cases were judged, and which were wrong."""

    cases: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    slow: list[str] = field(default_factory=list)


def judge(case: Case, e: ph.Equations, method: str) -> str:
    """What is wrong with a run; empty if nothing is."""
    times, pieces, end = case.motion()
    options = case.options(e) | {"rk4": {"step": 0.05}, "gauss4": {"step": 0.0625}}.get(method, {})
    try:
        run = e.simulate(DURATION, method=method, **options)
    except ph.PolhodeError as error:
        return str(error).splitlines()[0][:100]
    near = 1e-6
    if [len(each) for each in run.events] != [len(each) for each in times]:
        return f"{[len(each) for each in run.events]} events, not {[len(each) for each in times]}"
    off = np.abs(np.subtract(*([t for found in each for t in found] for each in (run.events, times)))).max(initial=0.0)
    if off > near:
        return f"events are off by {off:.1e} s"
    if not (np.diff(run.t) > 0).all():
        return "times do not increase"
    if abs(run.t[-1] - end) > near:
        return f"the run ends at {run.t[-1]:.6g} s"
    for t in SAMPLES[(end if end == DURATION else end - near) >= SAMPLES]:
        if method == "ida" and any(abs(t - each[0]) < 1e-6 for each in pieces[1:]):
            continue
        began, x, acceleration = [piece for piece in pieces if piece[0] <= t + EQUAL][-1]
        rows = np.flatnonzero(run.t == t)
        if not len(rows):
            return f"there is no row at {t:g} s"
        error = np.abs(run.x[rows[0]] - _after(x, acceleration, t - began)).max()
        if error > 10 * near:
            return f"the sample at {t:g} s is off by {error:.1e}"
    for t, x, _ in pieces[1:]:
        at = [
            each for event, found in zip(case.events, run.events, strict=True) for each in found
            if event.effect == "change" and abs(each - t) < near
        ]  # fmt: skip
        if at and t < end - near and np.abs(run.at(max(at)).x[0] - x).max() > 10 * near:
            return f"run.at is off at {t:g} s"
    return ""


def main(arguments: Sequence[str] | None = None) -> int:
    """Judge so many runs; fails if one is wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.trials.coinciding_events", description=__doc__)
    parser.add_argument("--cases", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int, help="the number of one case")
    parser.add_argument("--methods", nargs="+", default=list(METHODS))
    parser.add_argument("--worst", type=int, default=30, help="how many wrong cases are named")
    given = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    score, begin = Score(), time.perf_counter()
    for number in itertools.count() if given.only is None else [given.only]:
        if sum(score.cases.values()) >= given.cases:
            break
        case = random_case(np.random.default_rng([given.seed, number]))
        try:
            _, pieces, _ = case.motion()
        except NotJudged:
            continue
        if len(pieces) < 2:
            continue
        e = case.equations()
        for method in given.methods:
            if case.is_table and method in ("rk4", "gauss4"):
                continue  # fixed steps do not end where tables jump
            began = time.perf_counter()
            found = judge(case, e, method)
            score.cases[method] += 1
            took = time.perf_counter() - began
            if took > 3.0:
                score.slow.append(f"{number}, {method}: {took:.1f} s")
            if found:
                score.wrong.append(f"{number}, {method}: {found}")
                if len(score.wrong) <= given.worst:
                    print(score.wrong[-1], flush=True)
    print(*score.slow, sep="\n")
    print(*(f"{method}: {count}" for method, count in score.cases.items()), sep=", ")
    total = sum(score.cases.values())
    print(f"{total:,} runs, {len(score.wrong)} wrong, {time.perf_counter() - begin:.0f} s")
    return int(bool(score.wrong))


if __name__ == "__main__":
    sys.exit(main())
