"""Lyapunov functions along closed loops, and proofs of how they decrease.

    V̇ = ∂V/∂x · ẋ,    ẋ the mechanism with the law in place of its controls

V̇ is a graph, made by forward accumulation through the closed loop's own equations, with masses, lengths and gains as
symbols; that V̇ + W vanishes, W a sum of squares with positive gains, is a matter of its fingerprint. A wrong sign, or a
term that was forgotten, leaves something over. A. M. Lyapunov, *The general problem of the stability of motion* (1892);
J. P. LaSalle, "Some extensions of Liapunov's second method" (1960), where W vanishes on more than a point.

That V > 0 except at the goal and W ≥ 0 are inequalities. They are checked at nominal parameters only: eigenvalues of
the Hessian at the goal, and values at random states near it and far from it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..dynamics.equations import EquationsOfMotion
from ..errors import PolhodeError, listed, unknown
from ..expr import (
    Expr,
    Matrix,
    Vector,
    as_expr,
    directional,
    evaluate,
    free_symbols,
    gradient,
    is_zero,
    latex,
    quiet_collector,
    sqrt,
    substitute,
    symbol,
    topological,
)
from ..expr.evaluation import Evaluator
from ..expr.spelling import is_reference, latex_name, next_rate_of_reference, spelled
from ..expr.typeset import Typeset
from ..formalisms.derivation import record_of
from ..laws.controller import Controller
from ..laws.law import Law
from ..notebook import Told
from .model_based import reference_flow

#: Errors with more nodes than these together are not written.
_SHORT = 200


@dataclass(frozen=True, eq=False, repr=False)
class ErrorDynamics(Typeset):
    r"""Linear equations that errors obey along the closed loop: `residuals` vanish where it is so.

    `formula` says the equation in text and in LaTeX; `conditions` say where the law does not hold.

    >>> import polhode as ph
    >>> s = ph.System("slider")
    >>> _ = s.joint("x", s.ground, s.body("block", s.parameter("m", 2)), ph.Prismatic("x"))
    >>> made = ph.control.ComputedTorque(s.derive(), kp=9, kd=6).error_dynamics
    >>> made
    ErrorDynamics(e'' + Kd e' + Kp e = 0: proved, for all values of parameters and states)
    """

    errors: Mapping[str, Expr]
    residuals: tuple[Expr, ...]
    formula: tuple[str, str]
    conditions: tuple[str, ...] = ()

    @property
    def proved(self) -> bool:
        """Whether the errors obey the equation identically, by fingerprint."""
        return all(is_zero(residual) for residual in self.residuals)

    @property
    def _verdict(self) -> str:
        return "proved, for all values of parameters and states" if self.proved else "not so: something is left over"

    def __str__(self) -> str:
        return "\n".join([f"{self.formula[0]}: {self._verdict}", *(f"not where {x}" for x in self.conditions)])

    def __repr__(self) -> str:
        return f"ErrorDynamics({self.formula[0]}: {self._verdict})"

    def latex(self) -> str:
        """The equation in LaTeX."""
        return self.formula[1]

    def _formulas(self) -> list[tuple[str, Expr]]:
        return [(f"e_{{{latex_name(name)}}}", error) for name, error in self.errors.items()]

    def _sentences(self) -> list[str]:
        return [f"{self._verdict[0].upper()}{self._verdict[1:]}.", *(f"Not where {x}." for x in self.conditions)]

    def _repr_latex_(self) -> str:
        from ..expr.latex_display import typeset

        is_short = len(topological([*self.errors.values()])) <= _SHORT
        errors = [(head, latex(error)) for head, error in self._formulas()] if is_short else []
        return typeset([*errors, ("", self.formula[1])], self._sentences())


Floats = NDArray[np.float64]

#: Values and gradients below this part of the largest are zero; and eigenvalues, of differences of gradients.
_ZERO, _FLAT = 1e-6, 1e-8
#: How far states near the goal are from it, and how many are looked at there and further away.
_NEAR, _FAR, _COUNT = 0.02, 2.0, 40
#: Steps of the search for a goal, and how far it may lead.
_STEPS, _LOST = 200, 1e3


@dataclass(frozen=True, repr=False)
class Signs(Told):
    """Definiteness of V and W near the goal; None where it is undecided.

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

    Without a goal it is where references are, else the zero configuration; or, if V is not least there, where it is.
    """
    with quiet_collector():
        return _DefinitenessCheck(equations, law, as_expr(V), as_expr(decrease), goal).signs()


class _DefinitenessCheck:
    """V and W as functions of the state alone, at nominal values of everything else."""

    def __init__(
        self, equations: EquationsOfMotion, law: Law, V: Expr, decrease: Expr, goal: Mapping[Any, Any] | None
    ) -> None:
        self.equations, self.law = equations, law
        e = equations
        entries = e.in_independent_speeds(substitute([V, decrease], {**e.tree.followed, **law.measured}))
        self._given = goal is not None
        self._at = self._home() | self._goal(goal or {})
        self.variables: list[Expr] = []
        turned = self._turned()
        self.V, self.W = substitute([as_expr(entry) for entry in entries], turned)
        met = {*free_symbols([self.V, self.W])}
        states = [*e.q, *e.u, *e.z, *(state.symbol for state in law.states)]
        states = [x for x in states if x not in turned]
        self._is_whole = not self.is_tied and met.issuperset([*states, *self.variables])
        states = [x for x in states if x in met and not (self.is_tied and x in {*e.q})]
        self.variables = [*states, *(x for x in self.variables if x in met)]
        self.parameters = {parameter.symbol: parameter.value for parameter in self._table()}
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

    def _home(self) -> dict[Expr, float]:
        """References at their defaults, what follows them there, all else zero and at rest."""
        e, law = self.equations, self.law
        home = dict.fromkeys([*e.q, *e.u, *e.z], 0.0) | {e.q[first]: 1.0 for first in e.quaternions}
        home |= {state.symbol: float(state.start) for state in e.system.states.values()}
        home |= {state.symbol: float(state.start) for state in law.states}
        home |= {signal.symbol: float(signal.value or 0) for signal in e.system.inputs.values()}
        wanted = {wanted.quantity: wanted for wanted in law.reference}
        home |= {x: float(wanted[x].default or home[x]) for x in e.q if x in wanted}
        home |= {r.symbols[0]: home[r.quantity] for r in law.reference if r.quantity in home}
        values = {p.symbol: float(1 if p.value is None else p.value) for p in self._table()}
        for reference in law.reference:
            if reference.symbols[0] not in home and reference.quantity is not None:
                (home[reference.symbols[0]],) = evaluate([reference.quantity], {**values, **home, e.system.time: 0.0})
        return home

    def _goal(self, pairs: Mapping[Any, Any]) -> dict[Expr, float]:
        e = self.equations
        states = [*e.q, *e.u, *e.z, *(state.symbol for state in self.law.states)]
        states += [x for wanted in self.law.reference for x in wanted.symbols]
        names = {spelled(x): x for x in states}
        values = {p.symbol: float(1 if p.value is None else p.value) for p in self._table()}
        goal = {}
        for key, value in pairs.items():
            x = key if isinstance(key, Expr) else names.get(key)
            if x is None:
                raise unknown("state", key, names, place="prove goal", code="E-CONTROL-NAME")
            (goal[x],) = evaluate([as_expr(value)], values)
        return goal

    def _turned(self) -> dict[Expr, Expr]:
        """Unit quaternions by three small turns from where they are: q₀ ∘ (√(1 - δ²/4), δ/2)."""
        e, turned = self.equations, dict[Expr, Expr]()
        for first in e.quaternions if not self.is_tied else ():
            a, b, c, d = (as_expr(self._at[x]) for x in e.q[first : first + 4])
            turns = [symbol(f"turn {axis} of {e.q[first].name}", "turn") for axis in "xyz"]
            self.variables += turns
            x, y, z = (turn / 2 for turn in turns)
            w = sqrt(1 - x * x - y * y - z * z)
            quaternion = (
                a * w - b * x - c * y - d * z, a * x + b * w + c * z - d * y,
                a * y - b * z + c * w + d * x, a * z + b * y - c * x + d * w,
            )  # fmt: skip
            turned |= {q: as_expr(value) for q, value in zip(e.q[first : first + 4], quaternion, strict=True)}
        return turned

    def _values(self, x: Floats, more: Mapping[Expr, float] | None = None) -> dict[Expr, float]:
        return {**self._fixed, **(more or {}), **dict(zip(self.variables, x.tolist(), strict=True))}

    @cached_property
    def _both(self) -> Evaluator:
        return Evaluator([self.V, self.W])

    @cached_property
    def _gradient(self) -> Evaluator:
        return Evaluator(gradient(self.V, self.variables))

    def slope(self, x: Floats) -> Floats:
        """The gradient of V."""
        return np.array(self._gradient(self._values(x)))

    def bend(self, x: Floats) -> Floats:
        """The Hessian of V: differences of exact gradients."""
        h = 1e-5
        rows = [(self.slope(x + step) - self.slope(x - step)) / (2 * h) for step in h * np.eye(len(x))]
        matrix = np.array(rows).reshape(len(x), len(x))
        return np.asarray((matrix + matrix.T) / 2)

    def least(self) -> tuple[Floats, Floats] | None:
        """The minimiser of V and its Hessian there; None if none is reached."""
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

    def signs(self) -> Signs:
        """V and W about the goal, and far from it."""
        if not self.variables:
            return _signs(None, "Whether V is positive is not known: it depends on no state.")
        nearest = self.least()
        if nearest is None:
            H = self.bend(self.start)
            if np.isfinite(H).all() and _lowest(H) < -_small(H):
                return _signs(False, f"V is not positive: near the goal it falls, along {self._along(H)}.")
            if self._given:
                name = spelled(self.variables[int(np.abs(self.slope(self.start)).argmax())])
                return _signs(False, f"V is not least at the goal: it changes with {name} there.")
            why = "no state was found where it is least. Give goal={…}: values of states by name"
            return _signs(None, f"Whether V is positive is not known: {why}.")
        x, H = nearest
        goal = {_word(variable): float(value) for variable, value in zip(self.variables, x, strict=True)}
        near, far = (self._around(x, width) for width in (_NEAR, _FAR))
        if not len(near):
            return _signs(None, "Whether V is positive is not known: it has no value near the goal.", goal)
        least = self._both(self._values(x))[0]
        if not _is_above(near[:, 0], least):
            return _signs(False, "V is not positive: there are states near the goal where it is lower.", goal)
        definite = self._is_whole and _lowest(H) > _small(H)
        if not _is_above(near[:, 1], 0.0):
            return _signs(True, "V grows: there are states near the goal where W is negative.", goal, definite)
        is_far = _is_above(far[:, 0], least) and _is_above(far[:, 1], 0.0)
        return Signs(True, definite, True, is_far, goal, tuple(self._sentences(x, definite, is_far)))

    def _around(self, x: Floats, width: float) -> Floats:
        """V and W at random states about a state; further away what is wanted moves too."""
        rng = np.random.default_rng(0)
        wanted = [r for r in self._fixed if is_reference(r) and width > _NEAR]
        wanted = [r for r in wanted if not any(r in w.symbols for w in self.law.reference if w.orientation)]
        rows = []
        for _ in range(_COUNT):
            step = np.array([_step(x, width, rng) for x in self.variables])
            moved = dict(zip(wanted, (rng.standard_normal(len(wanted)) * width).tolist(), strict=True))
            rows.append(self._both(self._values(x + step, moved)))
        samples: Floats = np.array(rows).reshape(-1, 2)
        return np.asarray(samples[np.isfinite(samples).all(axis=1)])

    def _along(self, H: Floats) -> str:
        """The states along which a Hessian is most negative."""
        direction = np.abs(np.linalg.eigh(H)[1][:, 0])
        return listed(_word(self.variables[k]) for k in np.flatnonzero(direction > 0.3 * direction.max()))

    def _sentences(self, x: Floats, definite: bool, is_far: bool) -> list[str]:
        rows = zip(self.variables, x.tolist(), self.start.tolist(), strict=True)
        moved = [f"{_word(x)} = {value:.4g}" for x, value, start in rows if abs(value - start) > 0.02]
        sentences = [f"V is least at {listed(moved)}."] if moved else []
        above = "V > 0 but at the goal" if definite else "V >= 0"
        near = "" if is_far else " (near the goal alone)"
        sentences.append(f"{above} and W >= 0{near}: checked by number at nominal parameters, not known for others.")
        if self.missing:
            sentences.append(f"Taken to be 1, as there is no value: {listed(self.missing)}.")
        if self.is_tied:
            sentences.append("The coordinates were held, as constraints tie them.")
        return sentences


def _signs(positive: bool | None, why: str, goal: Mapping[str, float] | None = None, definite: bool = False) -> Signs:
    """V is positive or not, or it is not known; where it is, W is negative."""
    return Signs(positive, definite, False if positive else None, False, goal or {}, (why,))


def _step(x: Expr, width: float, rng: np.random.Generator) -> float:
    if str(x.data[0]) == "turn":  # within what three parameters of a turn reach
        return float(rng.uniform(-1, 1)) * min(width, 1.1)
    return float(rng.standard_normal()) * width


def _word(x: Expr) -> str:
    return x.name if str(x.data[0]) == "turn" else spelled(x)


def _is_above(values: Floats, least: float) -> bool:
    above = values - least
    return bool(not len(above) or above.min() >= -_ZERO * max(float(np.abs(above).max()), 1e-9))


def _lowest(H: Floats) -> float:
    return float(np.linalg.eigvalsh(H)[0]) if np.isfinite(H).all() else -np.inf


def _small(H: Floats) -> float:
    return _FLAT * max(float(np.abs(H).max(initial=0.0)), 1e-9)


def closed_loop_flow(equations: EquationsOfMotion, law: Law, is_constant: bool = False) -> dict[Expr, Expr]:
    """Rates of everything in a closed loop: q, u, z, t, the controller's states, and the reference.

    Efforts and inputs without a law are zero. A reference's derivative changes at the rate of the next one; where it
    `is_constant`, it does not change.
    """
    if law.is_sampled:
        message = "a law that goes from sample to sample has no rates along the closed loop."
        raise PolhodeError(message, "lyapunov", "Take the law in continuous time.", "E-CONTROL-UNSUPPORTED")
    e = equations
    acting = [*e.tau, *(signal.symbol for signal in e.system.inputs.values())]
    with quiet_collector():
        measured = dict(law.measured)
        controls = substitute(list(law.controls.values()), measured) if measured else list(law.controls.values())
        controls = list(e.in_independent_speeds(substitute(controls, e.tree.followed)))
        values = {x: as_expr(0) for x in acting} | dict(zip(law.controls, controls, strict=True))
        rates = [as_expr(state.rate) for state in law.states]
        rates = substitute(rates, measured) if measured else rates
        moved = substitute([*e.coordinate_rates, *e.forward_dynamics, *e.z_rates], values)
        flow = dict(zip([*e.q, *e.u, *e.z], moved, strict=True))
        flow |= {state.symbol: rate for state, rate in zip(law.states, rates, strict=True)}
        flow[e.system.time] = as_expr(1)
        return flow if is_constant else flow | reference_flow(law.reference)


def rate_along(
    equations: Any, law: Law | Controller, value: Any, *, times: int = 1, is_constant: bool = False
) -> list[Expr]:
    """The derivatives in time of expressions along the closed loop, `times` times; references are free functions."""
    record = record_of(equations, "rate_along")
    law = law.law if isinstance(law, Controller) else law
    values = [as_expr(entry) for entry in (value if isinstance(value, Sequence) else [value])]
    flow = closed_loop_flow(record, law, is_constant)
    with quiet_collector():
        for _ in range(times):
            others = (x for x in free_symbols(values) if is_reference(x) and x not in flow and not is_constant)
            values = directional(values, {**flow, **{x: next_rate_of_reference(x) for x in others}})
    return values


@dataclass(frozen=True, eq=False, repr=False)
class LyapunovFunction(Typeset):
    """V, its `rate` along the closed loop, and W = `decrease`.

    `holds` says whether V̇ = -W at all states and for all values of parameters, by fingerprint. `signs` say whether V is
    positive and W not negative: by number, near the goal, at nominal values of parameters. `proved` says whether all of
    that is so. `formula` and `rate_formula` say V and V̇ in the letters of the law, as (text, LaTeX); `conclusion` what
    follows.

    >>> import polhode as ph
    >>> s = ph.System("slider")
    >>> _ = s.joint("x", s.ground, s.body("block", 2), ph.Prismatic("x"))
    >>> made = ph.control.PDGravity(s.derive(), kp=3, kd=1).lyapunov
    >>> made.proved, made.holds, made.residual, r"\\dot{V}" in made.latex()
    (True, True, 0, True)
    """

    V: Expr
    rate: Expr
    decrease: Expr
    formula: tuple[str, str] = ("V", "V")
    rate_formula: tuple[str, str] = ("-W", "-W")
    conclusion: str = ""
    conditions: tuple[str, ...] = field(default=())
    look: Callable[[Expr, Expr], Signs] | None = None

    @cached_property
    def residual(self) -> Expr:
        """V̇ + W: zero, where the equation holds."""
        return as_expr(self.rate + self.decrease)

    @cached_property
    def holds(self) -> bool:
        """Whether V̇ + W vanishes identically, by fingerprint."""
        return is_zero(self.residual)

    @cached_property
    def signs(self) -> Signs:
        """Whether V is positive and W not negative, by number."""
        if self.look is None:
            return Signs(None, False, None, False, {}, ("Whether V is positive and W not negative was not looked at.",))
        return self.look(self.V, self.decrease)

    @property
    def proved(self) -> bool:
        """Whether V̇ = -W holds identically, and nothing speaks against V being positive and W not negative."""
        return self.holds and bool(self.signs)

    @property
    def _verdict(self) -> str:
        if not self.holds:
            return "is not so: something is left over"
        word = "proved" if self.signs else "so"
        return f"{word}, for all values of parameters and states"

    def __repr__(self) -> str:
        verdict = "proved" if self.proved else "no Lyapunov function" if self.holds else "not so"
        return f"LyapunovFunction(V = {self.formula[0]}, V' = {self.rate_formula[0]}: {verdict})"

    def __str__(self) -> str:
        mark = ": " if self.holds else " "
        return "\n".join(
            [f"V = {self.formula[0]}", f"V' = {self.rate_formula[0]}{mark}{self._verdict}", *self._conclusions()]
        )

    def _conclusions(self) -> list[str]:
        follows = [*self.signs.sentences, *([self.conclusion] if self.conclusion and self.proved else [])]
        return [*(follows if self.holds else []), *(f"not where {condition}" for condition in self.conditions)]

    def latex(self) -> str:
        """V and its rate in LaTeX."""
        mark = "" if self.proved else r" \quad\text{(not proved)}"
        return (
            f"\\begin{{aligned}}\nV &= {self.formula[1]} \\\\\n"
            f"\\dot{{V}} &= {self.rate_formula[1]}{mark}\n\\end{{aligned}}"
        )

    def _formulas(self) -> list[tuple[str, Expr]]:
        return [("V", self.V)]

    def _sentences(self) -> list[str]:
        verdict = f"The equation {self._verdict}." if not self.holds else f"{self._verdict.capitalize()}."
        return [verdict, *(f"{x[0].upper()}{x[1:].rstrip('.')}." for x in self._conclusions())]

    def _repr_latex_(self) -> str:
        from ..expr.latex_display import typeset

        return typeset([("V", self.formula[1]), (r"\dot{V}", self.rate_formula[1])], self._sentences())


def prove(
    equations: Any,
    law: Law | Controller,
    V: Any,
    decrease: Any,
    *,
    is_constant: bool = False,
    goal: Mapping[Any, Any] | None = None,
    formula: tuple[str, str] = ("V", "V"),
    rate_formula: tuple[str, str] = ("-W", "-W"),
    conclusion: str = "",
) -> LyapunovFunction:
    """Whether V̇ = -decrease along the closed loop, V is positive and the decrease is not negative, as a record.

    The equation is proved by fingerprint, with masses, lengths and gains as symbols. The signs are looked at by number,
    about the `goal`: values of states by name. Without one it is where references are, or where V is found to be least.
    """
    written = law.law if isinstance(law, Controller) else law
    record = record_of(equations, "prove")
    (rate,) = rate_along(record, written, [as_expr(V)], is_constant=is_constant)
    words = (formula, rate_formula, conclusion, written.conditions)
    return LyapunovFunction(as_expr(V), rate, as_expr(decrease), *words, partial(signs_of, record, written, goal=goal))


def quadratic(form: Matrix, vector: Sequence[Any]) -> Expr:
    """xᵀ A x."""
    x = Vector(vector)
    return as_expr(x.dot(form @ x))
