"""Gains scheduled along a family of equilibria: a linear regulator at each, and tables between them.

W. J. Rugh and J. S. Shamma, *Research on gain scheduling* (2000).

    c = c₀(r) - K(σ) (x - x₀(r))

σ is the scheduling variable. A coordinate or a speed is held at each value in turn, with the inputs that this takes;
the law is then led to the equilibrium at which it is as wanted, r = ref_σ, with gains for where it is (or, scheduled by
its reference, for where it is wanted). A parameter takes each value, and the law knows it: r = σ.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from ..equilibria import EquilibriumMethods
from ..errors import PolhodeError, check_kind, numbers, shown, unknown
from ..expr import Expr, as_expr, directional, table
from ..expr.opaque.table import KINDS
from ..expr.spelling import spelled
from ..laws.controller import Controller
from ..laws.law import Law, Reference
from ..laws.named_symbols import controls_of
from ..linear.linear import Linear
from ..linear.operating_point import state_names
from .lqr import LQR
from .state_equations import check_no_quaternions
from .weights import Floats


class GainSchedule(Controller):
    """Linear-quadratic regulators at several equilibria, and tables of their gains between these.

    `over` names one parameter, coordinate or speed and ascending values of it. `design` is a function from linear
    equations to an `LQR`, else `Q`, `R` and `inputs` are those of `LQR`. Equilibria are found with `free` unknown: by
    default the inputs where a coordinate or speed is held, and the coordinates where a parameter changes. With
    `by_reference` gains are those for what is wanted, not for what is measured. `kind` is how tables are read.

    >>> import polhode as ph
    >>> s = ph.System("pendulum", gravity=(0, 0, -10))
    >>> _ = s.joint("a", s.ground, s.body("bob", 2, com=(0, 0, -1)), ph.Revolute("y"))
    >>> made = GainSchedule(s.derive(), over={"a": [0, 0.5, 1.0, 1.5]}, inputs=["tau_a"])
    >>> made.K[:, 0, 0].round(2).tolist(), made.law
    ([0.02, 0.03, 0.05, 0.32], Law(tau_a; of a, a', ref_a and ref_a'))
    """

    def __init__(
        self,
        equations: EquilibriumMethods,
        over: Mapping[str, Any],
        design: Callable[[Linear], LQR] | None = None,
        Q: Any = 1,
        R: Any = 1,
        inputs: Sequence[str] | None = None,
        *,
        free: Sequence[str] | None = None,
        start: Mapping[str, float] | None = None,
        sample_time: float | None = None,
        by_reference: bool = False,
        kind: str = "pchip",
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(equations, parameters=parameters)
        if not isinstance(equations, EquilibriumMethods):
            raise PolhodeError(
                "a schedule needs equations that find their equilibria.",
                place=self.name,
                cure="Give what system.derive() returns.",
                code="E-REGULATOR-070",
            )
        if kind not in KINDS or kind == "held":
            raise unknown(
                "kind of table",
                kind,
                [each for each in KINDS if each != "held"],
                place=self.name,
                code="E-REGULATOR-071",
            )
        self.kind, self.by_reference = kind, by_reference
        self.variable, self.values = _over(over, self.name)
        self._find()
        self._given: dict[str, Any] = {"free": free, "start": start, "parameters": parameters}

        def regulator(linear: Linear) -> LQR:
            if design is None:
                return LQR(linear, Q, R, inputs, sample_time=sample_time)
            made = design(linear)
            check_kind(LQR, "an LQR", made, f"{self.name} design")
            return made

        found = self._steady(equations, self.values, inputs)
        self.equilibria = found
        self.regulators = [regulator(equations.linearize(at)) for at in found]
        self._check_alike()
        self.K: Floats = np.array([each.K for each in self.regulators])
        self._check_between(equations, regulator, inputs)

    def _find(self) -> None:
        """The symbol of the scheduling variable, and whether it is a parameter."""
        own = self.equations
        table = own.system.parameters
        known = {spelled(x): x for x in (*own.q, *own.u)}
        self.is_parameter = self.variable in table
        if not self.is_parameter and self.variable not in known:
            raise unknown(
                "parameter, coordinate or speed",
                self.variable,
                [*known, *table],
                place=f"{self.name} over",
                code="E-REGULATOR-072",
            )
        check_no_quaternions(own, self.name)
        self.symbol: Expr = table[self.variable].symbol if self.is_parameter else known[self.variable]

    def _steady(self, equations: EquilibriumMethods, values: Floats, inputs: Sequence[str] | None) -> list[Any]:
        """The equilibria at values, each sought from the one before."""
        free, start = self._given["free"], self._given["start"]
        if free is None and not self.is_parameter:
            free = [*controls_of(self.equations, inputs, self.name)]
        found: list[Any] = []
        sought = self.equations.coordinates if free is None else free
        for value in values.tolist():
            own = {**(self._given["parameters"] or {})}
            given = {} if self.is_parameter else {self.variable: value}
            if self.is_parameter:
                own[self.variable] = value
            if found:
                start = {name: found[-1][name] for name in sought if name not in given}
            found.append(equations.equilibrium(free, given=given or None, start=start, parameters=own or None))
        return found

    def _check_alike(self) -> None:
        first = self.regulators[0]
        if any(each.states != first.states or each.inputs != first.inputs for each in self.regulators):
            raise PolhodeError(
                "the regulators at the equilibria have not the same states and inputs.",
                place=self.name,
                cure="Design them alike.",
                code="E-REGULATOR-074",
            )
        if len(first.states) != len(first.deviations.names):
            raise PolhodeError(
                "integrals are not scheduled.",
                place=self.name,
                cure="Leave out integral=….",
                code="E-REGULATOR-075",
            )

    def _check_between(self, equations: EquilibriumMethods, regulator: Callable[[Linear], LQR], inputs: Any) -> None:
        """Refuse gains that do not hold the equilibria halfway between those that they were made for."""
        middle = np.array([(a + b) / 2 for a, b in pairwise(self.values.tolist())])
        read = _tables(self.values, self.K.reshape(len(self.K), -1), self.kind)
        for value, at in zip(middle.tolist(), self._steady(equations, middle, inputs), strict=True):
            made = regulator(equations.linearize(at))
            K = np.array([each(value) for each in read]).reshape(self.K.shape[1:])
            poles = np.linalg.eigvals(made.A - made.B @ K)
            size = np.abs(poles).max() - 1 if made.is_sampled else poles.real.max()
            if size >= 0:
                raise PolhodeError(
                    f"at {self.variable} = {value:.4g}, between two values, gains that are read from the tables do not "
                    "hold the equilibrium.",
                    place=f"{self.name} over",
                    cure="Give more values.",
                    code="E-REGULATOR-076",
                )

    def _sentences(self) -> list[str]:
        ends = f"from {self.values[0]:g} to {self.values[-1]:g}"
        told = f"Gains are tables over {self.variable} {ends}, made at {len(self.values)} equilibria."
        return [told, *super()._sentences()]

    def design(self) -> Law:
        """c = c₀(r) - K(σ) (x - x₀(r)), all of tables."""
        first = self.regulators[0]
        names = first.deviations.names
        references: tuple[Reference, ...] = () if self.is_parameter else (self._reference(),)
        wanted = self.symbol if self.is_parameter else references[0].symbols[0]
        rate = references[0].symbols[1] if references and references[0].order else as_expr(0)
        measured = wanted if self.by_reference else self.symbol
        own = state_names(self.equations)
        symbols = [own[name] for name in names]
        steady = np.array([[at[name] for name in (*names, *first.inputs)] for at in self.equilibria])
        at = [self._along(k, name, steady, wanted) for k, name in enumerate((*names, *first.inputs))]
        rates = dict(zip(self.equations.q, self.equations.coordinate_rates, strict=True))
        for x, value in zip(symbols, at, strict=False):
            moving = rates.get(x)
            if moving in symbols and references:  # the equilibrium moves as its reference does
                (slope,) = directional([value], {wanted: rate})
                k = symbols.index(moving)
                at[k] = as_expr(at[k] + slope)
        gains = [each(measured) for each in _tables(self.values, self.K.reshape(len(self.K), -1), self.kind)]
        controls: dict[Expr, Expr] = {}
        for j, control in enumerate(first.deviations.inputs.values()):
            total = at[len(names) + j]
            for i, x in enumerate(symbols):
                total = total - gains[j * len(names) + i] * (x - at[i])
            controls[control] = as_expr(total)
        low, high = float(self.values[0]), float(self.values[-1])
        return Law(
            controls,
            reference=references,
            sample_time=first.sample_time,
            conditions=(f"{self.variable} is not between {low:g} and {high:g}, as gains are held there",),
        )

    def _along(self, k: int, name: str, steady: Floats, wanted: Expr) -> Expr:
        """An equilibrium's entry along the family; the scheduling variable itself is as wanted."""
        if name == self.variable:
            return wanted
        return as_expr(_tables(self.values, steady[:, k : k + 1], self.kind)[0](wanted))

    def _reference(self) -> Reference:
        rates = dict(zip(self.equations.q, self.equations.coordinate_rates, strict=True))
        order = int(rates.get(self.symbol) in {*self.equations.u})
        return Reference(self.variable, order, Fraction(float(self.values[0])), self.symbol)


def _tables(x: Floats, columns: Floats, kind: str) -> list[Callable[[Any], Any]]:
    """A function for each column of values; one that does not change is a number."""
    return [_constant(float(y[0])) if not np.ptp(y) else table(x, y, kind=kind) for y in columns.T]


def _constant(value: float) -> Callable[[Any], Any]:
    return lambda x: as_expr(value) if isinstance(x, Expr) else value


def _over(given: Any, place: str) -> tuple[str, Floats]:
    """The scheduling variable and its values."""
    check_kind(Mapping, "values by the name of one variable", given, f"{place} over")
    if len(given) != 1:
        raise PolhodeError(
            f"gains are scheduled over one variable, not {len(given)}.",
            place=f"{place} over",
            cure="Give over={name: values}.",
            code="E-REGULATOR-077",
        )
    ((name, values),) = given.items()
    made = numbers(values, "a list of numbers", dims=[1], place=f"{place} over", cure="Give ascending values.")
    if len(made) < 2 or np.diff(made).min() <= 0:
        raise PolhodeError(
            f"{shown(values)} are not two or more ascending values.",
            place=f"{place} over",
            cure="Give ascending values.",
            code="E-REGULATOR-078",
        )
    return str(name), made
