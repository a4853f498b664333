"""Random events on random runs, against the sign changes that dense samples show.

    python -m tests.trials.events_attack [--events 10000] [--seed 0] [--methods auto DOP853 …] [--worst 20]

A mechanism is drawn, and forty expressions g of its coordinates, speeds and time whose zeros are events: levels,
polynomials, trigonometric functions, distances; levels just inside and just outside of an extremum (two roots close to
each other, or none); functions with many roots in a step. Each method runs the mechanism with all of them as events.

The judge is g at 200,001 samples: of a run by the same method without events ("own"), and of a run by DOP853 at a
tighter tolerance ("reference"). Where |g| > a at samples, its sign is certain, with a = ten tolerances of the state,
times how strongly g depends on the state; for the reference the error of the run is added. Between samples of certain
and different signs there must be an odd number of events, or one is missed; at an event |g|, by the dense output of the
judge, must not exceed a, or it is spurious; a spurious event of the same function accounts for a missed one: it is
misplaced.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

import polhode as ph
from polhode.expr import Expr
from polhode.model.samples import n_four_bar
from polhode.model.samples.random_system import random_system

from .frozen_cases import linkage

Floats = NDArray[np.float64]
METHODS = ("auto", "taylor", "TP86", "DOP853", "RK45", "Rodas5P", "Radau")
TOLERANCE, TIGHT = 1e-9, 1e-12
SAMPLES, EVENTS = 200_001, 40
KINDS = ("coordinate", "speed", "polynomial", "trigonometric", "distance", "close pair", "near miss", "many")


@dataclass
class Mechanism:
    """A mechanism with the start of a run and its duration."""

    name: str
    equations: ph.Equations
    duration: float
    start: dict[str, Any] = field(default_factory=dict)
    points: Sequence[Expr] = ()  # squares of distances

    def run(self, method: str, tolerance: float, **options: Any) -> Any:
        given = {"method": method, "rtol": tolerance, "atol": tolerance, "progress": False, "watch_energy": False}
        return self.equations.simulate(self.duration, **given, **self.start, **options)


# ---- mechanisms ----------------------------------------------------------------------------------------------------


def _of_system(name: str, system: ph.System, rng: np.random.Generator, duration: float) -> Mechanism:
    equations = system.derive()
    speeds = dict(zip(equations.speeds, rng.uniform(-2, 2, len(equations.u)), strict=True))
    body = list(system.bodies.values())[-1]
    place = body.point(tuple(rng.uniform(-0.3, 0.3, 3).round(3))).position(system.ground)
    axes = (system.ground.x, system.ground.y, system.ground.z)
    squares = [((place & axis) - round(rng.uniform(-1, 1), 3)) ** 2 for axis in axes]
    return Mechanism(name, equations, duration, {"speeds": speeds}, [squares[0] + squares[1] + squares[2]])


def _tree(rng: np.random.Generator) -> Mechanism:
    joints = ("revolute", "prismatic", "universal", "spherical")
    seed = int(rng.integers(1_000_000))
    system = random_system(seed, bodies=(2, 4), joints=joints, max_speeds=6, symbolic=0.0)
    return _of_system(f"tree {seed}", system, rng, 1.0)


def _floating(rng: np.random.Generator) -> Mechanism:
    seed = int(rng.integers(1_000_000))
    joints = ("revolute", "prismatic")
    system = random_system(seed, bodies=(2, 3), joints=joints, max_speeds=9, symbolic=0.0, floating=True)
    return _of_system(f"floating {seed}", system, rng, 1.0)


def _pendulum(rng: np.random.Generator) -> Mechanism:
    s = ph.System("pendulum")
    s.joint("hinge", s.ground, s.body("bob", 1, (0, 0, -1)), ph.Revolute("y"))
    return _of_system("pendulum", s, rng, float(rng.uniform(5, 20)))


def _four_bars(rng: np.random.Generator) -> Mechanism:
    windows, speed = int(rng.integers(1, 3)), round(float(rng.uniform(0.3, 4.0)), 3)
    e = n_four_bar(windows).derive()
    return Mechanism(f"{windows} four-bars at {speed}", e, 1.2, {"speeds": {"crank 0": speed}})


def _linkage(rng: np.random.Generator) -> Mechanism:
    start = {"start": {"crank": float(rng.uniform(0.1, 1.0))}, "speeds": {"crank": float(rng.uniform(-2, 2))}}
    return Mechanism("linkage", linkage(), 1.0, start)


def _stiff(rng: np.random.Generator) -> Mechanism:
    s, carrier = ph.System("stiff"), None
    stiffness, damping = 10 ** rng.uniform(3, 5), 10 ** rng.uniform(1, 3)
    for k in range(3):
        link = s.body(f"link {k}", 1, (0.5, 0, 0), (0.1, 0.1, 0.1))
        joint = s.joint(f"q{k}", carrier or s.ground, link, ph.Revolute("y"), at=(1 if k else 0, 0, 0))
        if k:
            s.joint_spring(joint, stiffness, damping=damping)
        carrier = link
    return _of_system("stiff", s, rng, 0.5)


FAMILIES: tuple[Callable[[np.random.Generator], Mechanism], ...] = (
    _tree, _four_bars, _floating, _pendulum, _linkage, _stiff,
)  # fmt: skip


# ---- events --------------------------------------------------------------------------------------------------------


def _functions(mechanism: Mechanism, rng: np.random.Generator) -> Iterator[tuple[str, Expr]]:
    """Kinds, and functions of the state whose levels become events."""
    e = mechanism.equations
    q, u = list(e.q), list(e.u)

    def any_of(symbols: Sequence[Expr]) -> Expr:
        return symbols[rng.integers(len(symbols))]

    draw: dict[str, Callable[[], Expr]] = {
        "coordinate": lambda: any_of(q),
        "speed": lambda: any_of(u),
        "polynomial": lambda: _polynomial(rng, q + u),
        "trigonometric": lambda: (
            ph.sin(q[rng.integers(len(q))] * round(rng.uniform(1, 9), 2)) * q[rng.integers(len(q))]
        ),
        "distance": lambda: ph.sqrt(mechanism.points[0]) if mechanism.points else _polynomial(rng, q),
    }
    base = tuple(draw)
    for k in range(EVENTS):
        kind = KINDS[k % len(KINDS)]
        yield kind, draw[kind if kind in draw else base[rng.integers(len(base))]]()


def _polynomial(rng: np.random.Generator, symbols: Sequence[Expr]) -> Expr:
    a, b, c = (symbols[k] for k in rng.integers(len(symbols), size=3))
    first, second = (round(x, 2) for x in rng.uniform(-1, 1, 2))
    return a * b + first * c**2 + second * a**3


def _levels(kinds: Sequence[str], values: Floats, functions: Sequence[Expr], rng: np.random.Generator) -> list[Expr]:
    """An event of each function: a level that fits its kind and the values that it has along the run."""
    events = []
    for kind, row, function in zip(kinds, values, functions, strict=True):
        low, high = float(row.min()), float(row.max())
        width = max(high - low, 1e-3)
        if kind == "many":
            events.append(ph.sin(function * (rng.uniform(50, 1000) / width)) - round(rng.uniform(-0.9, 0.9), 3))
        elif kind in ("close pair", "near miss"):
            inner = row[1:-1]
            turns = inner[(inner - row[:-2]) * (inner - row[2:]) > 0]
            peak = float(rng.choice(turns)) if len(turns) else high
            inside = -1 if kind == "close pair" else 1
            is_top = not len(turns) or row[np.argmin(np.abs(row - peak)) - 1] < peak
            events.append(function - (peak + (inside if is_top else -inside) * width * 10 ** rng.uniform(-6, -2)))
        else:
            events.append(function - (low + width * rng.uniform(0.02, 0.98)))
    return events


# ---- the judge -----------------------------------------------------------------------------------------------------


@dataclass
class Verdict:
    """Certain sign changes of one function, and what of the events contradicts them."""

    crossings: int = 0
    missed: list[float] = field(default_factory=list)
    misplaced: list[tuple[float, float]] = field(default_factory=list)  # the event, and where it should be
    spurious: list[float] = field(default_factory=list)


def judge(t: Floats, g: Floats, a: float, events: Sequence[float], at_events: Floats) -> Verdict:
    """Hold events, and their function there, against samples (t, g) of it, whose sign is certain where |g| > a."""
    certain = np.flatnonzero(np.abs(g) > a)
    flips = np.flatnonzero(np.diff(np.sign(g[certain])) != 0)
    before, after = t[certain[flips]], t[certain[flips + 1]]
    times = np.asarray(events, dtype=float)
    within = np.searchsorted(times, after, "right") - np.searchsorted(times, before, "left")
    middle = (before + after) / 2
    verdict = Verdict(len(flips), middle[within % 2 == 0].tolist())
    off = np.abs(at_events) > a
    for event in times[off]:
        around = middle[(before <= event) & (event <= after)].tolist()
        roots = around or verdict.missed
        if not roots:
            verdict.spurious.append(float(event))
            continue
        nearest = min(roots, key=lambda time: abs(time - event))
        verdict.misplaced.append((float(event), float(nearest)))
        if not around:
            verdict.missed.remove(nearest)
    return verdict


def _at_events(run: Any, events: Sequence[Expr], times: Sequence[Sequence[float]]) -> list[Floats]:
    """Each function at its own events, by the dense output of a run."""
    every = np.concatenate([np.asarray(each, dtype=float) for each in times])
    if not every.size:
        return [every for _ in times]
    order = np.unique(every)
    values = run.at(order).values(*events)
    return [values[k, np.searchsorted(order, np.asarray(each, dtype=float))] for k, each in enumerate(times)]


def _per_state(run: Any, events: Sequence[Expr], rng: np.random.Generator) -> Floats:
    """How far each g moves at most, by a unit of tolerance of the state, along a run."""
    rows = np.linspace(0, len(run.t) - 1, 501).astype(int)
    t, x = run.t[rows], run.x[rows]
    size = 1e-7
    shaken = [x + size * (1 + np.abs(x)) * rng.choice([-1.0, 1.0], x.shape) for _ in range(6)]
    values = run.with_states(np.tile(t, 7), np.vstack([x, *shaken])).values(*events).reshape(len(events), 7, -1)
    return np.asarray(np.abs(values[:, 1:] - values[:, :1]).max(axis=(1, 2)) / size)


# ---- the attack ----------------------------------------------------------------------------------------------------


@dataclass
class Score:
    """Counts by (judge, method, kind), and the worst cases as sentences."""

    counts: Counter[tuple[str, str, str, str]] = field(default_factory=Counter)
    cases: list[str] = field(default_factory=list)
    failures: Counter[str] = field(default_factory=Counter)

    def add(self, by: str, method: str, kind: str, verdict: Verdict, where: str) -> None:
        for name in ("crossings", "missed", "misplaced", "spurious"):
            value = getattr(verdict, name)
            self.counts[by, method, kind, name] += value if isinstance(value, int) else len(value)
            if not isinstance(value, int) and value:
                self.cases.append(f"{by}, {method}, {kind}, {where}: {name} {value[:3]}")
        self.counts[by, method, kind, "events"] += 1

    def table(self) -> str:
        """A line for each judge and method, and one for each judge and kind."""
        columns = ("events", "crossings", "missed", "misplaced", "spurious")
        lines = [f"{'judge':10} {'method or kind':16}" + "".join(f"{name:>11}" for name in columns)]
        for by in ("own", "reference"):
            for place in (1, 2):
                for name in dict.fromkeys(key[place] for key in self.counts if key[0] == by):
                    sums = [
                        sum(n for key, n in self.counts.items() if (key[0], key[place], key[3]) == (by, name, column))
                        for column in columns
                    ]
                    lines.append(f"{by:10} {name:16}" + "".join(f"{n:11,}" for n in sums))
        return "\n".join(lines)


def attack_one(mechanism: Mechanism, methods: Sequence[str], rng: np.random.Generator, score: Score) -> int:
    """Run a mechanism with its events by each method; returns how many events were tried."""
    reference = mechanism.run("DOP853", TIGHT, samples=SAMPLES)
    if len(reference.t) != SAMPLES:
        return 0
    kinds, functions = zip(*_functions(mechanism, rng), strict=True)
    coarse = slice(None, None, 100)
    values = reference.with_states(reference.t[coarse], reference.x[coarse]).values(*functions)
    events = _levels(kinds, values, functions, rng)
    true_values = reference.values(*events)
    unit = np.maximum(_per_state(reference, events, rng), 1e-6)
    tried = 0
    for method in methods:
        try:
            dense = mechanism.run(method, TOLERANCE, samples=SAMPLES)
            run = mechanism.run(method, TOLERANCE, samples=201, events=events)
        except ph.PolhodeError as error:
            score.failures[f"{method}: {str(error)[:60]}"] += 1
            continue
        tried += len(events)
        own, own_there, true_there = (
            dense.values(*events), _at_events(dense, events, run.events), _at_events(reference, events, run.events),
        )  # fmt: skip
        error = np.abs(run.x - reference.x[:: (SAMPLES - 1) // 200]) / (1 + np.abs(run.x))
        wide = 10 * float(np.quantile(error.max(axis=1), 0.9))  # more than the error in nine tenths of the run
        for k, kind in enumerate(kinds):
            least = 10 * TOLERANCE * unit[k]
            score.add("own", method, kind, judge(dense.t, own[k], least, run.events[k], own_there[k]), mechanism.name)
            if wide < 1e-3:  # else the motion cannot be predicted
                verdict = judge(reference.t, true_values[k], least + wide * unit[k], run.events[k], true_there[k])
                score.add("reference", method, kind, verdict, mechanism.name)
    return tried


def main(arguments: Sequence[str] | None = None) -> int:
    """Attack until so many events were tried; fails if one is missed, misplaced or spurious."""
    parser = argparse.ArgumentParser(prog="python -m tests.trials.events_attack", description=__doc__)
    parser.add_argument("--events", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--methods", nargs="+", default=list(METHODS))
    parser.add_argument("--worst", type=int, default=20, help="how many wrong cases are named")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    score, tried, begin, number = Score(), 0, time.perf_counter(), 0
    while tried < options.events:
        rng = np.random.default_rng([options.seed, number])
        try:
            tried += attack_one(FAMILIES[number % len(FAMILIES)](rng), options.methods, rng, score)
        except ph.PolhodeError as error:
            score.failures[f"reference: {str(error)[:60]}"] += 1
        number += 1
    print(score.table())
    print("\n".join(score.cases[: options.worst]))
    print(*(f"{count} × {text}" for text, count in score.failures.items()), sep="\n")
    wrong = len(score.cases)
    print(f"{tried:,} events on {number} mechanisms, {wrong} wrong, {time.perf_counter() - begin:.0f} s")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
