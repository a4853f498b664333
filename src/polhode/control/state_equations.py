"""A mechanism as ẋ = f(x, c, t), and from sample to sample as x⁺ = g(x, c, t) by one step, with exact derivatives.

    Euler          x⁺ = x + h f(x)
    Runge-Kutta    x⁺ = x + h (k₁ + 2 k₂ + 2 k₃ + k₄)/6          (W. Kutta, 1901)

x are coordinates, speeds and first-order states. Small changes of x are written on displacements
(`linear.displacements`): where an orientation is stored these are three turns, the step is
brought back to unit quaternions, and so are sums x ⊞ δ.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from ..dynamics.equations import EquationsOfMotion
from ..errors import PolhodeError, check_known
from ..expr import Expr, Matrix, Vector, as_expr, jacobian, sqrt, substitute, topological
from ..expr.spelling import spelled
from ..laws.named_symbols import controls_of
from ..linear.displacements import Displacements, displacements

#: Laws with more nodes than this are refused: they would take minutes to compile.
LARGEST = 120_000
STEPS = ("euler", "rk4")


@dataclass(frozen=True, eq=False)
class StateEquations:
    """ẋ = f(x, c, t): `x` in symbols, the `rates` f, controls c by name; all other inputs are held."""

    equations: EquationsOfMotion
    inputs: Mapping[str, Expr]
    x: tuple[Expr, ...]
    rates: tuple[Expr, ...]

    @cached_property
    def moved(self) -> Displacements:
        """The directions in which coordinates change, a ball joint's in three."""
        return displacements(self.equations)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The entries of a small change of x: displacements, speeds, first-order states."""
        return (*self.moved.names, *map(spelled, self.equations.u), *self.equations.states)

    @cached_property
    def spellings(self) -> tuple[str, ...]:
        """The entries of x, as they are written."""
        return tuple(map(spelled, self.x))

    @cached_property
    def _columns(self) -> Matrix:
        """D: x changes by D δ."""
        return Matrix.columns_of(self._with_identity(self.moved.directions), len(self.x)).map(as_expr)

    def _with_identity(self, rows: Iterable[Iterable[Any]]) -> list[list[Any]]:
        """Rows on the coordinates, and an identity on the other states."""
        size, first = len(self.x), len(self.equations.q)
        identity = [[int(i == k) for i in range(size)] for k in range(first, size)]
        return [[*row, *[0] * (size - first)] for row in rows] + identity

    def plus(self, change: Sequence[Any]) -> list[Expr]:
        """x ⊞ δ, with unit quaternions."""
        return self._unit([as_expr(a + b) for a, b in zip(self.x, self._columns @ Vector(change), strict=True)])

    def _unit(self, x: list[Expr]) -> list[Expr]:
        for first in self.equations.quaternions:
            parts = x[first : first + 4]
            length = sqrt(sum((x * x for x in parts[1:]), start=parts[0] * parts[0]))
            x[first : first + 4] = [as_expr(x / length) for x in parts]
        return x

    def differentials(self, values: Sequence[Expr]) -> Matrix:
        """∂/∂δ of functions of x."""
        return (jacobian(values, list(self.x)) @ self._columns).map(as_expr)

    def step(self, h: float, method: str) -> list[Expr]:
        """x⁺ after h seconds with inputs that are held."""
        exact, time = as_expr(Fraction(h)), self.equations.system.time

        def at(slope: Sequence[Expr] | None, part: Fraction) -> list[Expr]:
            if slope is None:
                return list(self.rates)
            moved = {x: as_expr(x + part * exact * k) for x, k in zip(self.x, slope, strict=True)}
            return substitute(self.rates, {**moved, time: as_expr(time + part * exact)})

        k1 = at(None, Fraction(0))
        if method == "euler":
            slopes = k1
        else:
            k2 = at(k1, Fraction(1, 2))
            k3 = at(k2, Fraction(1, 2))
            k4 = at(k3, Fraction(1))
            slopes = [as_expr((a + 2 * (b + c) + d) / 6) for a, b, c, d in zip(k1, k2, k3, k4, strict=True)]
        return self._unit([as_expr(x + exact * k) for x, k in zip(self.x, slopes, strict=True)])

    def transition(self, h: float, method: str) -> tuple[list[Expr], Matrix, Matrix]:
        """x⁺, and how its small changes follow from those of x and of the inputs: δ⁺ = F δ + G δc."""
        after = self.step(h, method)
        back = Matrix(self._with_identity(self.moved.back)).map(as_expr)  # D⁻: δ of a change of x
        flat, width = substitute(list(back.entries()), dict(zip(self.x, after, strict=True))), len(self.x)
        back = Matrix([flat[i * width : (i + 1) * width] for i in range(len(back))])
        F = back @ self.differentials(after)
        G = back @ jacobian(after, [*self.inputs.values()])
        return after, F.map(as_expr), G.map(as_expr)


def state_equations(equations: EquationsOfMotion, inputs: Sequence[str] | None, place: str) -> StateEquations:
    """The mechanism with these controls (those of `controls_of`); other inputs are held at the model's values."""
    held = equations.constraints
    if held is not None and held.rows:
        message = f"'{equations.system.name}' has constraints, and its coordinates cannot change freely."
        cure = "Linearise about a state and use linear tools: KalmanFilter, LQR, LinearMPC."
        raise PolhodeError(message, place, cure, "E-OBSERVER-UNSUPPORTED")
    controls = controls_of(equations, inputs, place)
    home = dict.fromkeys(equations.tau, as_expr(0))
    home |= {entry.symbol: as_expr(entry.value or 0) for entry in equations.system.inputs.values()}
    other = {x: value for x, value in home.items() if x not in {*controls.values()}}
    rates = substitute([as_expr(rate) for rate in equations.state_rates], other)
    return StateEquations(equations, controls, (*equations.q, *equations.u, *equations.z), tuple(rates))


def step_of(step: Any, place: str) -> str:
    """The name of an integration step, checked."""
    check_known("step", [step], STEPS, place=f"{place} step", code="E-OBSERVER-NAME")
    return str(step)


def check_size(roots: Sequence[Expr], place: str, cure: str) -> None:
    """Refuse a law that is too large to be compiled in a sensible time."""
    check_count(len(topological(roots)), place, cure)


def check_count(count: int, place: str, cure: str) -> None:
    """Refuse so many nodes."""
    if count > LARGEST:
        raise PolhodeError(f"the law has {count:,} nodes, more than {LARGEST:,}.", place, cure, "E-EXPR-SIZE")


def check_no_quaternions(equations: EquationsOfMotion, place: str) -> None:
    """Refuse equations with orientations stored as quaternions, whose four components are not independent."""
    if equations.quaternions:
        message = "orientations that are stored as quaternions are not supported."
        raise PolhodeError(message, place, "Give the joint angles as coordinates.", "E-CONTROL-UNSUPPORTED")
