"""Equilibria and steady motions: found by Newton's method from several starts, with exact derivatives.

What is free is unknown, what is given stays, the rest is at home and at rest (`steady_state`). Where there are more
conditions than unknowns, as in mechanisms with redundant loops, all must hold; where there are fewer, there is a
family, and the member nearest to the start is taken and said to be one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..constraints.newton import largest, solve
from ..errors import PolhodeError, fault_at, listed, whole_number
from ..expr import Expr, evaluate, free_symbols
from ..expr.spelling import spelled
from ..linear.operating_point import bends_at, state_names
from ..linear.stability import CHANGES, Spectrum, Stability
from ..notebook import Cell, Shown, Table, complex_text
from ..simulate.methods import SteadyStart
from .steady_state import Floats, SteadyState

_PLACE = "equilibrium"
fault = fault_at(_PLACE)
#: A state is steady where no row exceeds this part of the size that rows have.
_TOLERANCE = 1e-10
_MOST_STEPS = 60
#: Singular values below this part of the largest are rounding.
_NOTHING = 1e-9
#: States nearer to each other than this are the same.
_SAME = 1e-6
#: The longest step along a family of steady states.
_LONGEST = 0.5


@dataclass(frozen=True, eq=False, repr=False)
class Equilibrium(Shown, SteadyStart):
    """A steady state: values by name, as `linearize(at)` and `simulate(start=at)` take them.

    `residual` is the largest row that is left, `moving` are coordinates that run on in a steady motion.

    >>> import polhode as ph
    >>> s = ph.System("pendulum", gravity=(0, 0, -10))
    >>> hinge = s.joint("a", s.ground, s.body("bob", 2, com=(0, 0, -1)), ph.Revolute("y"))
    >>> s.joint_force(hinge, s.input("push") - hinge.u[0])
    >>> at = s.derive().equilibrium(free=["push"], given={"a": ph.pi / 6})
    >>> round(at["push"], 9), at.stability
    (10.0, 'stable')
    """

    steady: SteadyState
    x: Floats
    residual: float
    notices: tuple[str, ...] = ()

    @cached_property
    def _values(self) -> dict[Expr, float]:
        return self.steady.values(self.x)

    @cached_property
    def _table(self) -> dict[str, Expr]:
        return state_names(self.steady.own)

    def _part(self, symbols: Sequence[Expr]) -> dict[str, float]:
        return {x.name: self._values[x] for x in symbols}

    @property
    def coordinates(self) -> dict[str, float]:
        """The coordinates by name."""
        return self._part(self.steady.own.q)

    @property
    def speeds(self) -> dict[str, float]:
        """The speeds by name."""
        return self._part(self.steady.own.u)

    @property
    def states(self) -> dict[str, float]:
        """The states without mass by name."""
        return self._part(self.steady.own.z)

    @property
    def efforts(self) -> dict[str, float]:
        """The efforts by the name of their speed."""
        tree = self.steady.own.tree
        return {name: self._values[tau] for name, tau in zip(tree.speeds, tree.tau, strict=True)}

    @property
    def inputs(self) -> dict[str, float]:
        """The inputs by name."""
        return {name: self._values[entry.symbol] for name, entry in self.steady.own.system.inputs.items()}

    @property
    def parameters(self) -> dict[str, float]:
        """The parameters that it was found with, where they are not the model's."""
        return self.steady.parameters(self.x)

    @property
    def moving(self) -> tuple[str, ...]:
        """Coordinates that nothing depends on, and that run on where this is a steady motion."""
        return self.steady.moving

    @cached_property
    def eigenvalues(self) -> NDArray[np.complex128]:
        """The eigenvalues of small motions about it, fastest growing first; without coordinates nothing depends on."""
        return self.spectrum.values

    @cached_property
    def spectrum(self) -> Spectrum:
        """The eigenvalues with the sign of their growth, and how each sign was decided."""
        return self.steady.spectrum(self.x)

    @property
    def stability(self) -> Stability:
        """What small motions do: "stable" (all decay), "unstable" (one grows), "neutral" (some do neither).

        `stability.reason` says how that was decided: by structure, or within which error bound of the matrix.

        It is "unknown" where they depend on time, or on a coordinate that runs on: eigenvalues are then those of an
        instant, and the multipliers of `periodic_orbit` decide. It is so where a law bends or jumps at this very state,
        as dry friction does at rest.
        Nonlinear terms decide what is neutral. In a steady motion as many eigenvalues zero as there are speeds that run
        on belong to the family of such motions, and are not counted.
        """
        running = sum(abs(self._values[u]) > _SAME for u in self.steady.equations.u)
        if self.steady.changes_in_time or (running and self.steady.changes_along):
            return CHANGES
        if bends_at(self.steady.bending, self._values):
            return Stability("unknown", "a law bends or jumps at this state.")
        return self.spectrum.stability(running)

    @property
    def is_stable(self) -> bool | None:
        """Whether small motions decay; None where linear terms do not decide it."""
        return {"stable": True, "unstable": False}.get(self.stability)

    def __getitem__(self, name: str) -> float:
        return self._values[self._table[name]]

    def __iter__(self) -> Iterator[str]:
        own = self.steady.own
        yield from map(spelled, (*own.q, *own.u, *own.z, *own.tree.tau))
        yield from own.system.inputs

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        told = [f"{name} = {self[name]:.6g}" for name in self if abs(self[name]) > 1e-12]
        text = f"Equilibrium('{self.steady.own.system.name}': {', '.join(told) or 'all values zero'})"
        return "\n".join([text, *self.notices])

    def _cell(self) -> Cell:
        values = Table(["", "value"], [(name, f"{self[name]:.6g}") for name in self], numbers_from=1)
        found = ", ".join(map(complex_text, self.eigenvalues.tolist()))
        verdict = self.stability
        told = [f"{verdict}; eigenvalues: {found}" if found else str(verdict), verdict.reason]
        if self.parameters:
            told.append("with " + ", ".join(f"{name} = {value:.6g}" for name, value in self.parameters.items()))
        return Cell(f"steady state of {self.steady.own.system.name}", [values, *told, *self.notices])


# ---- the search ------------------------------------------------------------------------------------------------


def equilibria(steady: SteadyState, starts: int, seed: int, most: int | None = None) -> list[Equilibrium]:
    """The steady states that Newton's method leads to from the start and from others, nearest to it first."""
    whole_number(starts, "a whole number from 1 to 1,000,000", least=1, most=1_000_000, place="equilibrium starts")
    search = _Search(steady)
    found: list[Equilibrium] = []
    members: list[Floats] = []
    beyond: list[str] = []
    for begin in search.begins(starts, seed):
        made = search.solved(begin)
        if made is None or any(search.are_same(made, x) or search.are_of_one_family(made, x) for x in members):
            continue
        outside = search.outside(made)
        if outside:
            beyond.append(outside)
            continue
        members.append(made)
        found.append(search.told(made))
        if most is not None and len(found) >= most:
            break
    if not found:
        raise search.reason(beyond, starts)
    return sorted(found, key=lambda each: float(np.abs(each.x - steady.begin).max(initial=0.0)))


class _Search:
    """Newton's method on the rows of one problem."""

    def __init__(self, steady: SteadyState) -> None:
        self.steady = steady
        self.nearest, self.left = steady.begin, np.full(len(steady.rows), np.inf)
        slopes = steady.conditions(steady.begin)[1] if steady.rows else np.zeros((0, len(steady.begin)))
        sizes = np.nan_to_num(np.abs(slopes)).max(axis=1, initial=0.0)
        self.scale = np.clip(sizes, 1.0, 1e4)  # what each row is like
        self.turns = np.array([x in _turns(steady) for x in steady.unknowns], dtype=bool)

    def solved(self, begin: Floats) -> Floats | None:
        """The state that a start leads to; None where it leads to none."""
        if not self.steady.rows:
            return begin

        def step(x: Floats, left: Floats) -> Floats | None:
            slopes = self.steady.conditions(x)[1]
            if not np.isfinite(slopes).all() or not len(x):
                return None
            scaled = slopes / self.scale[:, None]
            return np.asarray(np.linalg.lstsq(scaled, -left, rcond=_NOTHING)[0], dtype=np.float64)

        with np.errstate(all="ignore"):
            found = solve(
                self._rows, step, np.add, begin, tolerance=1e-14, most_steps=_MOST_STEPS, shortest=1e-5, longest=1.0
            )
        if found.size < largest(self.left):
            self.nearest, self.left = found.q, found.residual
        return self._wrapped(found.q) if found.size <= _TOLERANCE else None

    def _rows(self, x: Floats) -> Floats:
        return np.asarray(self.steady.conditions(x)[0] / self.scale)

    def _wrapped(self, x: Floats) -> Floats:
        """The same with angles within half a turn of the start, where that is the same state."""
        away = x - self.steady.begin
        trial = np.where(self.turns, self.steady.begin + (away + np.pi) % (2 * np.pi) - np.pi, x)
        near = np.abs(away) <= np.pi + 1e-9
        trial = np.where(near, x, trial)
        return trial if largest(self._rows(trial)) <= _TOLERANCE else x

    def begins(self, starts: int, seed: int) -> Iterator[Floats]:
        """The start, and others: angles all around, other values beside their own, within limits."""
        steady, rng = self.steady, np.random.default_rng(seed)
        yield steady.begin
        reach = np.where(self.turns, np.pi, np.maximum(1.0, np.abs(steady.begin)))
        low, high = steady.begin - reach, steady.begin + reach
        ends = _limits(steady)
        for k, x in enumerate(steady.unknowns):
            lower, upper = ends.get(x, (-np.inf, np.inf))
            low[k], high[k] = max(low[k], lower), min(high[k], upper)
        high = np.maximum(high, low)
        for _ in range(starts - 1 if len(steady.unknowns) else 0):
            yield rng.uniform(low, high)

    def are_same(self, x: Floats, y: Floats) -> bool:
        away = x - y
        away = np.where(self.turns, (away + np.pi) % (2 * np.pi) - np.pi, away)
        return bool(np.abs(away).max(initial=0.0) < _SAME)

    def are_of_one_family(self, x: Floats, y: Floats) -> bool:
        """Whether steady states lead from one to the other: steps towards y along what the conditions leave free."""
        distance = np.inf
        for _ in range(_MOST_STEPS):
            free = self._free(x)
            away = y - x
            away = np.where(self.turns, (away + np.pi) % (2 * np.pi) - np.pi, away)
            size = float(np.linalg.norm(away))
            if size < _SAME:
                return True
            step = free @ (free.T @ away)
            if not free.size or size > 0.99 * distance or np.linalg.norm(step) < _SAME * size:
                return False
            made = self.solved(x + step * min(1.0, _LONGEST / float(np.linalg.norm(step))))
            if made is None:
                return False
            x, distance = made, size
        return False

    def _free(self, x: Floats) -> Floats:
        """The directions that the conditions leave free at a steady state, as orthonormal columns."""
        if not self.steady.rows or not len(x):
            return np.eye(len(x))
        _, sizes, rows = np.linalg.svd(self.steady.conditions(x)[1])
        count = int((sizes > max(_NOTHING, 1e-13 * sizes.max(initial=0.0))).sum())  # rounding is by the largest
        return np.asarray(rows[count:].T)

    def outside(self, x: Floats) -> str:
        """A sentence where a coordinate is beyond its limits."""
        values = self.steady.values(x)
        for q, (lower, upper) in _limits(self.steady).items():
            if not lower - _SAME <= values[q] <= upper + _SAME:
                side, end = ("below", lower) if values[q] < lower else ("above", upper)
                return f"'{q.name}' = {values[q]:.6g} lies {side} its limit {end:.6g}"
        return ""

    def told(self, x: Floats) -> Equilibrium:
        steady, notices = self.steady, list(self.steady.notices)
        rows = steady.conditions(x)[0] if steady.rows else np.zeros(0)
        loose = self._free(x).shape[1]
        if loose:
            notices.append(
                f"This is one of a family of steady states: the conditions leave {loose} of "
                f"{listed([spelled(v) for v in steady.unknowns], most=8)} free, and the nearest was taken."
            )
        return Equilibrium(steady, x, largest(rows), tuple(notices))

    def reason(self, beyond: Sequence[str], starts: int) -> PolhodeError:
        """Why there is none."""
        steady = self.steady
        if beyond:
            return fault(
                f"no steady state lies within the limits: {beyond[0]}.",
                "Widen the limits, free another effort or input, or begin elsewhere (start).",
                "E-EQUILIBRIUM-FAILED",
            )
        unknowns = {*steady.unknowns}
        for name, row, size in zip(steady.names, steady.rows, self._rows(steady.begin) * self.scale, strict=False):
            if unknowns.isdisjoint(free_symbols([row])) and not abs(size) <= _TOLERANCE:
                told = listed([f"'{spelled(x)}'" for x in steady.unknowns])
                verb = "does" if len(unknowns) == 1 else "do"
                has = f"{told} {verb} not act on" if unknowns else "nothing that is free acts on"
                return fault(
                    f"there is no steady state: {has} the {name}, which is off by {size:.3g}.",
                    "Free an effort, an input or a coordinate that acts on it: free=[…].",
                    "E-EQUILIBRIUM-FAILED",
                )
        if not np.isfinite(self.left).all():
            why = "the conditions have no value at the starts"
        else:
            worst = int(np.argmax(np.abs(self.left[: len(steady.names)])))
            size = float(self.left[worst] * self.scale[worst])
            state = listed(
                [f"{spelled(x)} = {v:.4g}" for x, v in zip(steady.unknowns, self.nearest, strict=True)], most=8
            )
            why = f"at the nearest state, {state}, the {steady.names[worst]} is still off by {size:.3g}"
        return fault(
            f"no steady state was found from {starts} starts: {why}.",
            "Free another effort or input, give other values, or begin nearer to one (start, starts).",
            "E-EQUILIBRIUM-FAILED",
        )


def _turns(steady: SteadyState) -> set[Expr]:
    """The coordinates that come round again."""
    tree = steady.equations.tree
    found: set[Expr] = set()
    for link in tree.links:
        if link.coordinates and link.stage.speeds_are_rates:
            for k, (hw, hv) in zip(link.coordinates, link.H, strict=True):
                if any(hw) and not any(hv):
                    found.add(tree.q[k])
    return found


def _limits(steady: SteadyState) -> dict[Expr, tuple[float, float]]:
    """The limits of coordinates, in numbers."""
    found = {}
    known = dict(steady.known)
    for joint in steady.own.system.joints.values():
        for q, ends in zip(joint.q, joint.limits, strict=False):
            given = [end for end in (ends.lower, ends.upper) if end is not None]
            if q in {*steady.own.q} and {*free_symbols(given)} <= known.keys() and given:
                low = -np.inf if ends.lower is None else evaluate([ends.lower], known)[0]
                high = np.inf if ends.upper is None else evaluate([ends.upper], known)[0]
                found[q] = (low, high)
    return found
