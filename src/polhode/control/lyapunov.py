"""Lyapunov functions along closed loops, and proofs of how they decrease.

    V̇ = ∂V/∂x · ẋ,    ẋ the mechanism with the law in place of its controls

V̇ is a graph, made by forward accumulation through the closed loop's own equations, with masses, lengths and gains as
symbols; that V̇ + W vanishes, W a sum of squares with positive gains, is a matter of its fingerprint. A wrong sign, or a
term that was forgotten, leaves something over. Whether V is positive and W not negative is looked at by number
(`lyapunov_signs`). A. M. Lyapunov, *The general problem of the stability of motion* (1892);
J. P. LaSalle, "Some extensions of Liapunov's second method" (1960), where W vanishes on more than a point.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ..dynamics.equations import EquationsOfMotion
from ..errors import PolhodeError
from ..expr import Expr, Matrix, Vector, as_expr, directional, free_symbols, is_zero, quiet_collector, substitute
from ..expr.spelling import is_reference
from ..expr.typeset import Typeset
from ..formalisms.derivation import record_of
from ..laws.controller import Controller
from ..laws.law import Law
from .lyapunov_signs import Signs, signs_of
from .tracking import reference_flow


def closed_loop_flow(equations: EquationsOfMotion, law: Law, is_constant: bool = False) -> dict[Expr, Expr]:
    """How everything in a closed loop changes: q, u, z, t, the controller's states, and the reference.

    Efforts and inputs without a law are zero. A reference's derivative changes at the rate of the next one; where it
    `is_constant`, it does not change.
    """
    if law.is_sampled:
        raise PolhodeError(
            "a law that goes from sample to sample has no rates along the closed loop.",
            place="lyapunov",
            cure="Take the law in continuous time.",
            code="E-CONTROL-130",
        )
    e = equations
    acting = [*e.tau, *(each.symbol for each in e.system.inputs.values())]
    with quiet_collector():
        measured = dict(law.measured)
        controls = substitute(list(law.controls.values()), measured) if measured else list(law.controls.values())
        controls = list(e.in_independent_speeds(substitute(controls, e.tree.followed)))
        values = {each: as_expr(0) for each in acting} | dict(zip(law.controls, controls, strict=True))
        rates = [as_expr(each.rate) for each in law.states]
        rates = substitute(rates, measured) if measured else rates
        moved = substitute([*e.coordinate_rates, *e.forward_dynamics, *e.z_rates], values)
        found = dict(zip([*e.q, *e.u, *e.z], moved, strict=True))
        found |= {each.symbol: rate for each, rate in zip(law.states, rates, strict=True)}
        found[e.system.time] = as_expr(1)
        return found if is_constant else found | reference_flow(law.reference)


def rate_along(
    equations: Any, law: Law | Controller, value: Any, *, times: int = 1, is_constant: bool = False
) -> list[Expr]:
    """The derivatives in time of expressions along the closed loop, `times` times; references are free functions.

    >>> import polhode as ph
    >>> s = ph.System("slider")
    >>> x = s.joint("x", s.ground, s.body("block", 2), ph.Prismatic("x"), speeds=["v"])
    >>> e = s.derive()
    >>> rate_along(e, Law({e.tau[0]: -6 * x.u[0]}), [x.u[0]])
    [-3*v]
    """
    record = record_of(equations, "rate_along")
    law = law.law if isinstance(law, Controller) else law
    values = [as_expr(each) for each in (value if isinstance(value, Sequence) else [value])]
    flow = closed_loop_flow(record, law, is_constant)
    with quiet_collector():
        for _ in range(times):
            values = directional(values, _extended(flow, values, is_constant))
    return values


def _extended(flow: Mapping[Expr, Expr], values: Sequence[Expr], is_constant: bool) -> dict[Expr, Expr]:
    """The flow with the next derivatives of references that the law itself does not know."""
    from ..expr.spelling import next_rate_of_reference

    strange = [x for x in free_symbols(values) if is_reference(x) and x not in flow and not is_constant]
    return {**flow, **{x: next_rate_of_reference(x) for x in strange}}


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
    >>> made.signs.is_definite, made.signs.is_far
    (True, True)
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
        """Whether V is positive and W not negative, by number; see `lyapunov_signs`."""
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
        told = "proved" if self.proved else "no Lyapunov function" if self.holds else "not so"
        return f"LyapunovFunction(V = {self.formula[0]}, V' = {self.rate_formula[0]}: {told})"

    def __str__(self) -> str:
        mark = ": " if self.holds else " "
        return "\n".join([f"V = {self.formula[0]}", f"V' = {self.rate_formula[0]}{mark}{self._verdict}", *self._told()])

    def _told(self) -> list[str]:
        follows = [*self.signs.sentences, *([self.conclusion] if self.conclusion and self.proved else [])]
        return [*(follows if self.holds else []), *(f"not where {each}" for each in self.conditions)]

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
        return [verdict, *(f"{each[0].upper()}{each[1:].rstrip('.')}." for each in self._told())]

    def _text(self) -> str:
        return str(self)

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

    >>> import polhode as ph
    >>> s = ph.System("slider")
    >>> x = s.joint("x", s.ground, s.body("block", s.parameter("m", 2)), ph.Prismatic("x"), speeds=["v"])
    >>> e, v = s.derive(), x.u[0]
    >>> law = Law({e.tau[0]: -6 * v})
    >>> prove(e, law, e.kinetic_energy, 6 * v**2).proved, prove(e, law, e.kinetic_energy, -6 * v**2).proved
    (True, False)
    >>> print(prove(e, law, -e.kinetic_energy, -6 * v**2))
    V = V
    V' = -W: so, for all values of parameters and states
    V is not positive: near the goal it falls, along v.
    """
    found = law.law if isinstance(law, Controller) else law
    record = record_of(equations, "prove")
    (rate,) = rate_along(record, found, [as_expr(V)], is_constant=is_constant)

    def look(V: Expr, decrease: Expr) -> Signs:
        return signs_of(record, found, V, decrease, goal)

    told = (formula, rate_formula, conclusion, found.conditions)
    return LyapunovFunction(as_expr(V), rate, as_expr(decrease), *told, look)


def quadratic(form: Matrix, vector: Sequence[Any]) -> Expr:
    """xᵀ A x."""
    x = Vector(vector)
    return as_expr(x.dot(form @ x))
