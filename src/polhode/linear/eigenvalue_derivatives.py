"""How eigenvalues change with parameters, exactly.

    ∂λ/∂p = wᴴ (∂A/∂p) v / (wᴴ v)

A is not differentiated through the elimination of M: with M X = [-K, -C, -L] it is M X′ = [-K, -C, -L]′ - M′ X, each
matrix differentiated on its graph.

How A changes with a parameter where the equilibrium moves with it.

At rest the accelerations, and the rates of first-order states, stay zero along the branch of equilibria,

    ∂(u̇, ż)/∂(s, z) (s′, z′) + ∂(u̇, ż)/∂p = 0,        φ_q q′ + φ_p = 0,    q′ = D s′ + g

with displacements s and, where constraints depend on p, what of the other coordinates follows p at constant s. Then
A′ is the derivative of A(q, z, p) along (q′, z′, 1): a second derivative of the equations, taken on the graph.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..errors import check_known, fault_at
from ..expr import Expr, Matrix, as_expr, directional, directionals, is_zero, jacobian, quiet_collector
from ..model.reading import names_in
from ..notebook import Cell, Shown, Table, complex_text
from .eigensystem import Complexes, EigenSystem, Floats
from .linear import Linear, numbers_of, singular
from .linear_rates import linear_rates

_PLACE = "eigenvalue_derivatives"
fault = fault_at(_PLACE)
#: Below this a number is rounding.
_NOTHING = 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class EigenvalueDerivatives(Shown):
    """∂λ/∂p (n, p) of all eigenvalues by the parameters `by`; not a number where an eigenvalue is a multiple one.

    `relative` are p ∂λ/∂p: what a change of a parameter by one in a hundred does, a hundred times.
    """

    eigenvalues: Complexes
    by: tuple[str, ...]
    values: Complexes
    parameters: Floats
    notices: tuple[str, ...] = ()

    @property
    def relative(self) -> Complexes:
        return np.asarray(self.values * self.parameters)

    def __getitem__(self, name: str) -> Complexes:
        """∂λ/∂p by one of the parameters."""
        check_known("derivative by", [name], self.by, place=_PLACE, code="E-LINEAR-NAME")
        return np.asarray(self.values[:, self.by.index(name)])

    def __repr__(self) -> str:
        head = f"EigenvalueDerivatives({len(self.eigenvalues)} eigenvalues by {', '.join(self.by)})"
        return "\n".join([head, *self.notices])

    def _cell(self) -> Cell:
        rows = [
            (complex_text(value), *map(complex_text, row))
            for value, row in zip(self.eigenvalues.tolist(), self.values.tolist(), strict=True)
        ]
        table = Table(["eigenvalue", *(f"by {name}" for name in self.by)], rows, numbers_from=0)
        return Cell("derivatives of eigenvalues", [table, *self.notices])


def eigenvalue_derivatives(
    linear: Linear, by: Sequence[str], parameters: Mapping[str, Any] | None = None, follow: bool = False
) -> EigenvalueDerivatives:
    """The derivatives of all eigenvalues, those that grow fastest first, by parameters; the state is held."""
    table = linear.equations.system.parameters
    names = names_in([by] if isinstance(by, str) else by, _PLACE)
    check_known("parameter", names, table, place=_PLACE, code="E-LINEAR-NAME")
    numbers = linear._values(parameters)
    symbols = [table[name].symbol for name in names]
    missing = [name for name, symbol in zip(names, symbols, strict=True) if symbol not in numbers]
    if missing:
        raise fault(
            f"the parameter '{missing[0]}' has no value.", f"Give parameters={{{missing[0]!r}: …}}.", "E-LINEAR-MISSING"
        )
    kept = [*linear.point.given, *linear.point.off]  # vanish where the constraints hold
    for symbol in () if follow else symbols:
        slopes_of = directional([value for _, value in kept], {symbol: as_expr(1)})
        for (name, _), slope in zip(kept, slopes_of, strict=True):
            if not is_zero(slope) and abs(float(numbers_of([Matrix([[slope]])], numbers)[0][0, 0])) > _NOTHING:
                moves = f"the state would have to move with '{symbol.name}' for '{name}' to hold"
                rest = "Give follow=True, for an equilibrium at rest; or a state written with the parameters that keeps"
                cure = f"{rest} the constraints, or that gives the independent speeds of derive(…, independent=[…])."
                raise fault(f"{moves}, but is known in numbers.", cure, "E-LINEAR-UNSUPPORTED")
    A, _ = linear.state_space(parameters)
    system = EigenSystem.of(A)
    moving = MovingEquilibrium(linear, numbers) if follow else None
    slopes = [_slope(linear, symbol, numbers) if moving is None else moving.slope(symbol) for symbol in symbols]
    columns = [system.moved_by(slope) for slope in slopes]
    values = np.array(columns, dtype=np.complex128).reshape(len(names), len(A)).T
    notices = [] if follow else _moving(linear, names, symbols, numbers)
    several = [f"{value:.6g}" for value, simple in zip(system.values, system.are_simple, strict=True) if not simple]
    if several:
        notices.append(f"Multiple eigenvalues have no derivatives of their own: {', '.join(several)}.")
    return EigenvalueDerivatives(
        system.values, tuple(names), values, np.array([numbers[symbol] for symbol in symbols]), tuple(notices)
    )


def _slope(linear: Linear, symbol: Expr, values: Mapping[Expr, float]) -> Floats:
    """∂A/∂p in numbers."""
    form = linear.second_order
    matrices: list[Matrix] = [getattr(form, letter) for letter in ("P", "R", "M", "C", "K", "L", "S", "U", "Z")]
    slopes = [_derivative(matrix, symbol) for matrix in matrices]
    P, R, M, C, K, L, S, U, Z = numbers_of(slopes, values)
    M0, C0, K0, L0 = numbers_of(matrices[2:6], values)
    moved, size = len(P), len(M)
    try:
        forced = np.linalg.solve(M0, np.hstack([-K0, -C0, -L0]))
        bent = np.linalg.solve(M0, -np.hstack([K, C, L]) - M @ forced)
    except np.linalg.LinAlgError:
        raise singular(linear.equations) from None
    rows = np.zeros((moved + size + len(Z),) * 2)
    rows[:moved, : moved + size] = np.hstack([P, R])
    rows[moved : moved + size] = bent
    if len(Z):
        rows[moved + size :] = np.hstack([S, U, Z])
    return rows


def _derivative(matrix: Matrix, symbol: Expr) -> Matrix:
    width = len(matrix[0]) if len(matrix) else 0
    flat = directional([as_expr(entry) for entry in matrix.entries()], {symbol: as_expr(1)})
    return Matrix([flat[i * width : (i + 1) * width] for i in range(len(matrix))])


def _moving(linear: Linear, names: Sequence[str], symbols: Sequence[Expr], values: Mapping[Expr, float]) -> list[str]:
    """Notice that an equilibrium moves with parameters, if it does and the state is held."""
    if not linear.is_equilibrium:
        return []
    still = [as_expr(entry) for entry in (*linear.accelerations, *linear.z_rates)]
    if linear.is_prescribed:
        still = [as_expr(entry) for entry in linear.residual]
    slopes = directionals(still, [{symbol: as_expr(1)} for symbol in symbols])
    numbers = [numbers_of([Matrix([column])], values)[0] if column else np.zeros(1) for column in slopes]
    moving = [name for name, column in zip(names, numbers, strict=True) if np.abs(column).max(initial=0.0) > _NOTHING]
    words = "The equilibrium moves with {}; these derivatives are at a state that is held (see follow)."
    return [words.format(", ".join(moving))] if moving else []


class MovingEquilibrium:
    """The equilibria near one, along parameters."""

    @quiet_collector()
    def __init__(self, linear: Linear, known: Mapping[Expr, float]) -> None:
        self.linear, self.equations = linear, linear.equations
        values = linear.point.values
        numbers = numbers_of([Matrix([[as_expr(value) for value in values.values()]])], known)[0][0]
        self.known = {**known, **dict(zip(values, numbers.tolist(), strict=True))}
        if linear.is_prescribed or not linear.is_equilibrium or any(abs(self.known[u]) > 0 for u in self.equations.u):
            message = "the state is no equilibrium at rest, and so none that could be followed."
            raise fault(message, "Leave out follow=True: the state is held then.", "E-LINEAR-UNSUPPORTED")
        self.matrix = linear_rates(self.equations, {}).A
        self.A = self._numbers(self.matrix)
        self.still = [*map(as_expr, self.equations.forward_dynamics), *map(as_expr, self.equations.z_rates)]

    def _numbers(self, matrix: Matrix) -> Floats:
        return numbers_of([matrix], self.known)[0]

    def slope(self, symbol: Expr) -> Floats:
        """dA/dp along the branch."""
        values = self.linear.point.values
        acting = [*self.equations.tree.tau, *(entry.symbol for entry in self.equations.system.inputs.values())]
        moved = {symbol: 1.0}
        moved |= dict(zip(acting, self._rates([values[x] for x in acting], moved).tolist(), strict=True))
        with_p = {**moved, **self._following(symbol)}
        step = self._solved(self.J, -self._rates(self.still, with_p), symbol)
        if not self._is_determined:
            message = "the equilibrium is one of a family with other eigenvalues, and the next one is not determined."
            cure = "Hold what is free by a constraint or a load, or leave out follow=True."
            raise fault(message, cure, "E-LINEAR-FAILED")
        return self._bent(step, with_p)

    @cached_property
    def J(self) -> Floats:
        """The rates of speeds and of first-order states, by displacements and by these states."""
        s, u = len(self.linear.displacements), len(self.equations.u)
        return self.A[np.ix_(range(s, len(self.A)), [*range(s), *range(s + u, len(self.A))])]

    @cached_property
    def _is_determined(self) -> bool:
        """True if J determines the next equilibrium, or if A does not depend on what J leaves free."""
        _, sizes, across = np.linalg.svd(self.J)
        count = int(np.sum(sizes > _NOTHING * sizes.max(initial=0.0)))
        size = float(np.abs(self.A).max(initial=0.0))
        return all(np.abs(self._bent(step, {})).max() <= _NOTHING * max(size, 1.0) for step in across[count:])

    def _bent(self, step: Floats, others: Mapping[Expr, float]) -> Floats:
        """The derivative of A along displacements and first-order states, and along other symbols."""
        s = len(self.linear.displacements)
        along = dict(others)
        for rate, direction in zip(step[:s], self.linear.moved.directions, strict=True):
            entries = self._numbers(Matrix([[as_expr(entry) for entry in direction]]))[0]
            for q, entry in zip(self.equations.tree.q, entries.tolist(), strict=True):
                along[q] = along.get(q, 0.0) + float(rate) * entry
        along |= dict(zip(self.equations.z, step[s:].tolist(), strict=True))
        flat = self._rates([as_expr(entry) for entry in self.matrix.entries()], along)
        return flat.reshape(self.A.shape)

    def _rates(self, entries: Sequence[Any], along: Mapping[Expr, float]) -> Floats:
        """Derivatives of expressions along a direction in numbers."""
        moving = {x: as_expr(rate) for x, rate in along.items() if rate}
        flat = directional([as_expr(entry) for entry in entries], moving)
        return self._numbers(Matrix([flat]))[0] if flat else np.zeros(0)

    def _following(self, symbol: Expr) -> dict[Expr, float]:
        """Derivatives of coordinates by a parameter at constant displacements, so that constraints hold."""
        constraints, q = self.equations.constraints, list(self.equations.tree.q)
        if constraints is None:
            return {}
        rows = [row.value for row in constraints.rows if row.value is not None] + [*constraints.definitions.values()]
        pulled = -self._rates(rows, {symbol: 1.0})
        if not np.abs(pulled).max(initial=0.0) > 0.0:
            return {}
        held = self._numbers(self.linear.moved.back)
        lengths = np.zeros((len(self.equations.tree.quaternions), len(q)))
        for row, first in zip(lengths, self.equations.tree.quaternions, strict=True):
            row[first : first + 4] = [self.known[x] for x in q[first : first + 4]]
        matrix = np.vstack([self._numbers(jacobian(rows, q)), held, lengths])
        right = np.concatenate([pulled, np.zeros(len(held) + len(lengths))])
        return dict(zip(q, self._solved(matrix, right, symbol).tolist(), strict=True))

    def _solved(self, J: Floats, right: Floats, symbol: Expr) -> Floats:
        """The least x with J x = right; where there is none, a sentence."""
        solution = np.linalg.lstsq(J, right, rcond=_NOTHING)[0]
        left = float(np.abs(J @ solution - right).max(initial=0.0))
        if left > _NOTHING * max(1.0, float(np.abs(right).max(initial=0.0))) * 1e3:
            message = f"the equilibrium does not go on with '{symbol.name}': it ends here, or turns back."
            raise fault(message, "Take a state away from the fold, or leave out follow=True.", "E-LINEAR-FAILED")
        return np.asarray(solution)
