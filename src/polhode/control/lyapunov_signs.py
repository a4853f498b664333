"""Signs of Lyapunov functions, by number: whether V is least at its goal, and W = -V̇ nowhere negative.

A fingerprint proves the equation V̇ = -W. That V is positive but at the goal and W not negative are inequalities; they
are looked at here for nominal values of the parameters: by the eigenvalues of Hessians at the goal, at random states
near it, and at random states further away. What is found to be negative is no Lyapunov function. What is not found to
be so is not proved for other values of parameters, nor between the states that were looked at.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..dynamics.equations import EquationsOfMotion
from ..errors import listed, unknown
from ..expr import Expr, as_expr, evaluate, free_symbols, gradient, quiet_collector, sqrt, substitute, symbol
from ..expr.evaluation import Evaluator
from ..expr.spelling import is_reference, spelled
from ..laws.law import Law
from ..notebook import Told

Floats = NDArray[np.float64]

#: Values and gradients below this part of the largest are zero; and eigenvalues, of differences of gradients.
_ZERO, _FLAT = 1e-6, 1e-8
#: How far states near the goal are from it, and how many are looked at there and further away.
_NEAR, _FAR, _COUNT = 0.02, 2.0, 40
#: Steps of the search for a goal, and how far it may lead.
_STEPS, _LOST = 200, 1e3


@dataclass(frozen=True, repr=False)
class Signs(Told):
    """What was found of V and W near the goal: None where it is not known.

    `is_definite` says whether V is above its value at the goal at every state near it, `is_far` whether nothing speaks
    against V and W far from it either. `sentences` say it in words.
    """

    is_positive: bool | None
    is_definite: bool
    is_decreasing: bool | None
    is_far: bool
    goal: Mapping[str, float]
    sentences: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.is_positive and self.is_decreasing)

    def __str__(self) -> str:
        return "\n".join(self.sentences)


def signs_of(
    equations: EquationsOfMotion, law: Law, V: Expr, decrease: Expr, goal: Mapping[Any, Any] | None = None
) -> Signs:
    """The signs of V and of what it decreases by, about a goal: values of states by name or symbol.

    Without a goal it is where references are, else home; or, if V is not least there, where it is.

    >>> import polhode as ph
    >>> s = ph.System("slider")
    >>> x = s.joint("x", s.ground, s.body("block", 2), ph.Prismatic("x"), speeds=["v"])
    >>> e, v, law = s.derive().record, x.u[0], Law({x.tau[0]: -6 * x.u[0]})
    >>> bool(signs_of(e, law, v * v, 6 * v * v)), signs_of(e, law, -v * v, 6 * v * v).sentences
    (True, ('V is not positive: near the goal it falls, along v.',))
    """
    with quiet_collector():
        return _Looked(equations, law, as_expr(V), as_expr(decrease), goal).signs()


class _Looked:
    """V and W as functions of the state alone, at nominal values of everything else."""

    def __init__(
        self, equations: EquationsOfMotion, law: Law, V: Expr, decrease: Expr, goal: Mapping[Any, Any] | None
    ) -> None:
        self.equations, self.law = equations, law
        e = equations
        made = e.in_independent_speeds(substitute([V, decrease], {**e.tree.followed, **law.measured}))
        self._given = goal is not None
        self._at = self._home() | self._goal(goal or {})
        self.variables: list[Expr] = []
        turned = self._turned()
        self.V, self.W = substitute([as_expr(each) for each in made], turned)
        met = {*free_symbols([self.V, self.W])}
        own = [*e.q, *e.u, *e.z, *(each.symbol for each in law.states)]
        own = [x for x in own if x not in turned]
        self._is_whole = not self.is_tied and met.issuperset([*own, *self.variables])
        own = [x for x in own if x in met and not (self.is_tied and x in {*e.q})]
        self.variables = [*own, *(x for x in self.variables if x in met)]
        self.parameters = {each.symbol: each.value for each in self._table()}
        self.missing = [x.name for x in met if str(x.data[0]) == "parameter" and self.parameters.get(x) is None]
        self._fixed = {x: float(value) for x, value in self.parameters.items() if value is not None}
        self._fixed |= {x: 1.0 for x in met if x.name in self.missing}
        self._fixed |= {x: value for x, value in self._at.items() if x not in {*self.variables}}
        self._fixed |= {x: 0.0 for x in met if x not in self._fixed and x not in {*self.variables}}
        self.start = np.array([self._at.get(x, 0.0) for x in self.variables])

    def _table(self) -> list[Any]:
        return [*self.equations.system.parameters.values(), *self.law.parameters.values()]

    @property
    def is_tied(self) -> bool:
        """Whether constraints tie the coordinates: then they are held."""
        e = self.equations
        return e.dependent_speeds is not None or bool(e.constraints is not None and e.constraints.rows)

    # ---- where ---------------------------------------------------------------------------------------------------

    def _home(self) -> dict[Expr, float]:
        """References at their defaults, what follows them there, all else at home and at rest."""
        e, law = self.equations, self.law
        found = dict.fromkeys([*e.q, *e.u, *e.z], 0.0) | {e.q[first]: 1.0 for first in e.quaternions}
        found |= {each.symbol: float(each.start) for each in e.system.states.values()}
        found |= {each.symbol: float(each.start) for each in law.states}
        found |= {each.symbol: float(each.value or 0) for each in e.system.inputs.values()}
        wanted = {each.quantity: each for each in law.reference}
        found |= {x: float(wanted[x].default or found[x]) for x in e.q if x in wanted}
        found |= {each.symbols[0]: found[each.quantity] for each in law.reference if each.quantity in found}
        values = {each.symbol: float(1 if each.value is None else each.value) for each in self._table()}
        for each in law.reference:
            if each.symbols[0] not in found and each.quantity is not None:
                (found[each.symbols[0]],) = evaluate([each.quantity], {**values, **found, e.system.time: 0.0})
        return found

    def _goal(self, given: Mapping[Any, Any]) -> dict[Expr, float]:
        e = self.equations
        own = [*e.q, *e.u, *e.z, *(each.symbol for each in self.law.states)]
        own += [x for each in self.law.reference for x in each.symbols]
        known = {spelled(x): x for x in own}
        values = {each.symbol: float(1 if each.value is None else each.value) for each in self._table()}
        found = {}
        for key, value in given.items():
            x = key if isinstance(key, Expr) else known.get(key)
            if x is None:
                raise unknown("state", key, known, place="prove goal", code="E-CONTROL-131")
            (found[x],) = evaluate([as_expr(value)], values)
        return found

    def _turned(self) -> dict[Expr, Expr]:
        """Unit quaternions by three small turns from where they are: q₀ ∘ (√(1 - δ²/4), δ/2)."""
        e, found = self.equations, dict[Expr, Expr]()
        for first in e.quaternions if not self.is_tied else ():
            a, b, c, d = (as_expr(self._at[x]) for x in e.q[first : first + 4])
            turns = [symbol(f"turn {axis} of {e.q[first].name}", "turn") for axis in "xyz"]
            self.variables += turns
            x, y, z = (turn / 2 for turn in turns)
            w = sqrt(1 - x * x - y * y - z * z)
            made = (
                a * w - b * x - c * y - d * z, a * x + b * w + c * z - d * y,
                a * y - b * z + c * w + d * x, a * z + b * y - c * x + d * w,
            )  # fmt: skip
            found |= {q: as_expr(value) for q, value in zip(e.q[first : first + 4], made, strict=True)}
        return found

    # ---- numbers -------------------------------------------------------------------------------------------------

    def _values(self, x: Floats, more: Mapping[Expr, float] | None = None) -> dict[Expr, float]:
        return {**self._fixed, **(more or {}), **dict(zip(self.variables, x.tolist(), strict=True))}

    @cached_property
    def _both(self) -> Evaluator:
        return Evaluator([self.V, self.W])

    @cached_property
    def _slope_of_V(self) -> Evaluator:
        return Evaluator(gradient(self.V, self.variables))

    def slope(self, x: Floats) -> Floats:
        """The gradient of V."""
        return np.array(self._slope_of_V(self._values(x)))

    def bend(self, x: Floats) -> Floats:
        """The Hessian of V: differences of exact gradients."""
        h = 1e-5
        rows = [(self.slope(x + each) - self.slope(x - each)) / (2 * h) for each in h * np.eye(len(x))]
        made = np.array(rows).reshape(len(x), len(x))
        return np.asarray((made + made.T) / 2)

    # ---- V -------------------------------------------------------------------------------------------------------

    def least(self) -> tuple[Floats, Floats] | None:
        """Where V is least, and its Hessian there; None where no such state is found."""
        x = self.start
        H = self.bend(x)
        if self._is_still(x, H) and _lowest(H) >= -_small(H):
            return x, H
        return None if self._given else self._searched(x)

    def _is_still(self, x: Floats, H: Floats) -> bool:
        return float(np.abs(self.slope(x)).max(initial=0.0)) <= _ZERO * max(1.0, float(np.abs(H).max(initial=0.0)))

    def _searched(self, x: Floats) -> tuple[Floats, Floats] | None:
        """Newton's steps downhill, shortened where V does not fall."""
        x = x + 0.01 * np.random.default_rng(1).standard_normal(len(x))
        value = self._both(self._values(x))[0]
        for _ in range(_STEPS):
            H, g = self.bend(x), self.slope(x)
            if not (np.isfinite(H).all() and np.isfinite(g).all()) or np.abs(x).max(initial=0.0) > _LOST:
                return None
            low = _lowest(H)
            if self._is_still(x, H) and low >= -_small(H):
                return x, H
            step = -np.linalg.lstsq(H + max(0.0, 1.1 * -low + _small(H)) * np.eye(len(x)), g, rcond=None)[0]
            length = min(1.0, 1.0 / max(float(np.abs(step).max()), 1e-300))
            while length > 1e-12:
                tried = self._both(self._values(x + length * step))[0]
                if np.isfinite(tried) and tried < value:
                    break
                length /= 2
            else:
                return (x, H) if low >= -_small(H) and self._is_still(x, 1e3 * H) else None
            x, value = x + length * step, tried
        return None

    # ---- both ----------------------------------------------------------------------------------------------------

    def signs(self) -> Signs:
        """V and W about the goal, and far from it."""
        if not self.variables:
            return _told(None, "Whether V is positive is not known: it depends on no state.")
        found = self.least()
        if found is None:
            return self._not_least()
        x, H = found
        goal = self._named(x)
        near, far = (self._around(x, width) for width in (_NEAR, _FAR))
        if not len(near):
            return _told(None, "Whether V is positive is not known: it has no value near the goal.", goal)
        least = self._both(self._values(x))[0]
        if not _is_above(near[:, 0], least):
            return _told(False, "V is not positive: there are states near the goal where it is lower.", goal)
        definite = self._is_whole and _lowest(H) > _small(H)
        if not _is_above(near[:, 1], 0.0):
            return _told(True, "V grows: there are states near the goal where W is negative.", goal, definite)
        is_far = _is_above(far[:, 0], least) and _is_above(far[:, 1], 0.0)
        return Signs(True, definite, True, is_far, goal, tuple(self._sentences(x, definite, is_far)))

    def _not_least(self) -> Signs:
        H = self.bend(self.start)
        if np.isfinite(H).all() and _lowest(H) < -_small(H):
            return _told(False, f"V is not positive: near the goal it falls, along {self._along(H)}.")
        if self._given:
            slope = np.abs(self.slope(self.start))
            name = spelled(self.variables[int(slope.argmax())])
            return _told(False, f"V is not least at the goal: it changes with {name} there.")
        why = "no state was found where it is least. Give goal={…}: values of states by name"
        return _told(None, f"Whether V is positive is not known: {why}.")

    def _around(self, x: Floats, width: float) -> Floats:
        """V and W at random states about a state; further away what is wanted moves too."""
        dice = np.random.default_rng(0)
        wanted = [r for r in self._fixed if is_reference(r) and width > _NEAR]
        wanted = [r for r in wanted if not any(r in each.symbols for each in self.law.reference if each.orientation)]
        rows = []
        for _ in range(_COUNT):
            step = np.array([_step(each, width, dice) for each in self.variables])
            moved = dict(zip(wanted, (dice.standard_normal(len(wanted)) * width).tolist(), strict=True))
            rows.append(self._both(self._values(x + step, moved)))
        made: Floats = np.array(rows).reshape(-1, 2)
        return np.asarray(made[np.isfinite(made).all(axis=1)])

    # ---- words ---------------------------------------------------------------------------------------------------

    def _along(self, H: Floats) -> str:
        """The states along which a Hessian is most negative."""
        direction = np.abs(np.linalg.eigh(H)[1][:, 0])
        return listed(_word(self.variables[k]) for k in np.flatnonzero(direction > 0.3 * direction.max()))

    def _named(self, x: Floats) -> dict[str, float]:
        return {_word(each): float(value) for each, value in zip(self.variables, x, strict=True)}

    def _sentences(self, x: Floats, definite: bool, is_far: bool) -> list[str]:
        told = []
        if np.abs(x - self.start).max() > 0.02:
            moved = [
                f"{_word(each)} = {value:.4g}"
                for each, value, start in zip(self.variables, x.tolist(), self.start.tolist(), strict=True)
                if abs(value - start) > 0.02
            ]
            told.append(f"V is least at {listed(moved)}.")
        above = "V > 0 but at the goal" if definite else "V >= 0"
        near = "" if is_far else " (near the goal alone)"
        told.append(f"{above} and W >= 0{near}: checked by number at nominal parameters, not known for others.")
        if self.missing:
            told.append(f"Taken to be 1, as there is no value: {listed(self.missing)}.")
        if self.is_tied:
            told.append("The coordinates were held, as constraints tie them.")
        return told


def _told(positive: bool | None, why: str, goal: Mapping[str, float] | None = None, definite: bool = False) -> Signs:
    """V is positive or not, or it is not known; where it is, W is negative."""
    return Signs(positive, definite, False if positive else None, False, goal or {}, (why,))


def _step(x: Expr, width: float, dice: np.random.Generator) -> float:
    if str(x.data[0]) == "turn":  # within what three parameters of a turn reach
        return float(dice.uniform(-1, 1)) * min(width, 1.1)
    return float(dice.standard_normal()) * width


def _word(x: Expr) -> str:
    return x.name if str(x.data[0]) == "turn" else spelled(x)


def _is_above(values: Floats, least: float) -> bool:
    above = values - least
    return bool(not len(above) or above.min() >= -_ZERO * max(float(np.abs(above).max()), 1e-9))


def _lowest(H: Floats) -> float:
    return float(np.linalg.eigvalsh(H)[0]) if np.isfinite(H).all() else -np.inf


def _small(H: Floats) -> float:
    return _FLAT * max(float(np.abs(H).max(initial=0.0)), 1e-9)
