"""How eigenvalues change with parameters, exactly.

    ∂λ/∂p = wᴴ (∂A/∂p) v / (wᴴ v)

A is not differentiated through the elimination of M: with M X = [-K, -C, -L] it is M X′ = [-K, -C, -L]′ - M′ X, each
matrix differentiated on its graph.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import fault_at, unknown
from ..expr import Expr, Matrix, as_expr, directional, is_zero
from ..model.reading import names_in
from ..notebook import Cell, Shown, Table, complex_text
from .eigensystem import Complexes, EigenSystem, Floats
from .linear import Linear, numbers_of, singular
from .moving_equilibrium import MovingEquilibrium

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
        if name not in self.by:
            raise unknown("derivative by", name, self.by, place=_PLACE, code="E-LIN-022")
        return np.asarray(self.values[:, self.by.index(name)])

    def __repr__(self) -> str:
        told = f"EigenvalueDerivatives({len(self.eigenvalues)} eigenvalues by {', '.join(self.by)})"
        return "\n".join([told, *self.notices])

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
    """The derivatives of all eigenvalues, those that grow fastest first, by parameters; the state is held.

    Where the state is written with parameters it moves with them. Where it was found in numbers for the constraints to
    hold, and would not hold them with other parameters, that is refused. With `follow`, an equilibrium at rest moves as
    the parameters make it; see `linear.moving_equilibrium`.

    >>> import polhode as ph
    >>> s = ph.System("pendulum", gravity=(0, 0, -10))
    >>> l = s.parameter("l", 2.5)
    >>> _ = s.joint("a", s.ground, s.body("bob", 1, com=(0, 0, -l)), ph.Revolute("y"))
    >>> found = eigenvalue_derivatives(s.derive().linearize(), ["l"])
    >>> found.eigenvalues.imag.round(9).tolist(), found["l"].imag.round(9).tolist()  # ω = √(g/l), ω′ = -ω / 2l
    ([2.0, -2.0], [-0.4, 0.4])
    """
    table = linear.equations.system.parameters
    names = names_in([by] if isinstance(by, str) else by, _PLACE)
    for name in names:
        if name not in table:
            raise unknown("parameter", name, table, place=_PLACE, code="E-LIN-021")
    known = linear._values(parameters)
    symbols = [table[name].symbol for name in names]
    missing = [name for name, each in zip(names, symbols, strict=True) if each not in known]
    if missing:
        raise fault(
            f"the parameter '{missing[0]}' has no value.", f"Give parameters={{{missing[0]!r}: …}}.", "E-LIN-023"
        )
    for symbol in () if follow else symbols:
        _check_held(linear, symbol, known)
    A, _ = linear.state_space(parameters)
    system = EigenSystem.of(A)
    moving = MovingEquilibrium(linear, known) if follow else None
    slopes = [_slope(linear, symbol, known) if moving is None else moving.slope(symbol) for symbol in symbols]
    columns = [system.moved_by(slope) for slope in slopes]
    values = np.array(columns, dtype=np.complex128).reshape(len(names), len(A)).T
    notices = [] if follow else _moving(linear, names, symbols, known)
    several = [f"{value:.6g}" for value, simple in zip(system.values, system.are_simple, strict=True) if not simple]
    if several:
        notices.append(f"Multiple eigenvalues have no derivatives of their own: {', '.join(several)}.")
    return EigenvalueDerivatives(
        system.values, tuple(names), values, np.array([known[each] for each in symbols]), tuple(notices)
    )


def _slope(linear: Linear, symbol: Expr, known: Mapping[Expr, float]) -> Floats:
    """∂A/∂p in numbers."""
    form = linear.second_order
    matrices: list[Matrix] = [getattr(form, letter) for letter in ("P", "R", "M", "C", "K", "L", "S", "U", "Z")]
    slopes = [_derivative(matrix, symbol) for matrix in matrices]
    P, R, M, C, K, L, S, U, Z = numbers_of(slopes, known)
    M0, C0, K0, L0 = numbers_of(matrices[2:6], known)
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


def _check_held(linear: Linear, symbol: Expr, known: Mapping[Expr, float]) -> None:
    """Raise where the state would have to move with the parameter for the constraints to hold."""
    kept = [*linear.point.given, *linear.point.off]
    values = [value for _, value in kept]
    for (name, _), slope in zip(kept, directional(values, {symbol: as_expr(1)}), strict=True):
        if not is_zero(slope) and abs(float(numbers_of([Matrix([[slope]])], known)[0][0, 0])) > _NOTHING:
            raise fault(
                f"the state would have to move with '{symbol.name}' for '{name}' to hold, but is known in numbers.",
                "Give follow=True, for an equilibrium at rest; or a state written with the parameters that keeps "
                "the constraints, or that gives the independent speeds of derive(…, independent=[…]).",
                "E-LIN-024",
            )


def _moving(linear: Linear, names: Sequence[str], symbols: Sequence[Expr], known: Mapping[Expr, float]) -> list[str]:
    """That an equilibrium moves with parameters, where it does and the state does not."""
    if not linear.is_equilibrium:
        return []
    still = [as_expr(entry) for entry in (*linear.accelerations, *linear.z_rates)]
    if linear.is_prescribed:
        still = [as_expr(entry) for entry in linear.residual]
    slopes = [directional(still, {each: as_expr(1)}) for each in symbols]
    numbers = [numbers_of([Matrix([column])], known)[0] if column else np.zeros(1) for column in slopes]
    told = [name for name, column in zip(names, numbers, strict=True) if np.abs(column).max(initial=0.0) > _NOTHING]
    words = "The equilibrium moves with {}; these derivatives are at a state that is held (see follow)."
    return [words.format(", ".join(told))] if told else []
