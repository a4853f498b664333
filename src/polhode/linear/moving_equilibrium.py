"""How A changes with a parameter where the equilibrium moves with it.

At rest the accelerations, and the rates of states without mass, stay zero along the branch of equilibria,

    ∂(u̇, ż)/∂(s, z) (s′, z′) + ∂(u̇, ż)/∂p = 0,        φ_q q′ + φ_p = 0,    q′ = D s′ + g

with displacements s and, where constraints depend on p, what of the other coordinates follows p at constant s. Then
A′ is the derivative of A(q, z, p) along (q′, z′, 1): a second derivative of the equations, taken on the graph.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from ..errors import fault_at
from ..expr import Expr, Matrix, as_expr, directional, jacobian, quiet_collector
from .eigensystem import Floats
from .linear import Linear, numbers_of
from .linear_rates import linear_rates

_PLACE = "eigenvalue_derivatives"
fault = fault_at(_PLACE)
#: Below this, relative to the largest, a singular value or what is left is none.
_NOTHING = 1e-9


class MovingEquilibrium:
    """The equilibria near one, along parameters."""

    @quiet_collector()
    def __init__(self, linear: Linear, known: Mapping[Expr, float]) -> None:
        self.linear, self.equations = linear, linear.equations
        values = linear.point.values
        numbers = numbers_of([Matrix([[as_expr(value) for value in values.values()]])], known)[0][0]
        self.known = {**known, **dict(zip(values, numbers.tolist(), strict=True))}
        if linear.is_prescribed or not linear.is_equilibrium or any(abs(self.known[u]) > 0 for u in self.equations.u):
            raise fault(
                "the state is no equilibrium at rest, and so none that could be followed.",
                "Leave out follow=True: the state is held then.",
                "E-LIN-036",
            )
        self.matrix = linear_rates(self.equations, {}).A
        self.A = self._numbers(self.matrix)
        self.still = [*map(as_expr, self.equations.forward_dynamics), *map(as_expr, self.equations.z_rates)]

    def _numbers(self, matrix: Matrix) -> Floats:
        return numbers_of([matrix], self.known)[0]

    def slope(self, symbol: Expr) -> Floats:
        """dA/dp along the branch."""
        values = self.linear.point.values
        given = [*self.equations.tree.tau, *(each.symbol for each in self.equations.system.inputs.values())]
        moved = {symbol: 1.0}
        moved |= dict(zip(given, self._rates([values[x] for x in given], moved).tolist(), strict=True))
        with_p = {**moved, **self._following(symbol)}
        step = self._solved(self.J, -self._rates(self.still, with_p), symbol)
        if not self._is_told:
            raise fault(
                "the equilibrium is one of a family with other eigenvalues, and which comes next is not known.",
                "Hold what is free by a constraint or a load, or leave out follow=True.",
                "E-LIN-038",
            )
        return self._bent(step, with_p)

    @cached_property
    def J(self) -> Floats:
        """The rates of speeds and of states without mass, by displacements and by these states."""
        s, u = len(self.linear.displacements), len(self.equations.u)
        return self.A[np.ix_(range(s, len(self.A)), [*range(s), *range(s + u, len(self.A))])]

    @cached_property
    def _is_told(self) -> bool:
        """Whether J tells the next equilibrium, or what it leaves open does not change A: a cart may stand anywhere."""
        _, sizes, across = np.linalg.svd(self.J)
        count = int(np.sum(sizes > _NOTHING * sizes.max(initial=0.0)))
        size = float(np.abs(self.A).max(initial=0.0))
        return all(np.abs(self._bent(step, {})).max() <= _NOTHING * max(size, 1.0) for step in across[count:])

    def _bent(self, step: Floats, others: Mapping[Expr, float]) -> Floats:
        """The derivative of A along displacements and states without mass, and along other symbols."""
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
        """How coordinates follow the parameter at constant displacements, so that constraints hold."""
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
            row[first : first + 4] = [self.known[each] for each in q[first : first + 4]]
        whole = np.vstack([self._numbers(jacobian(rows, q)), held, lengths])
        right = np.concatenate([pulled, np.zeros(len(held) + len(lengths))])
        return dict(zip(q, self._solved(whole, right, symbol).tolist(), strict=True))

    def _solved(self, J: Floats, right: Floats, symbol: Expr) -> Floats:
        """The least x with J x = right; where there is none, a sentence."""
        found = np.linalg.lstsq(J, right, rcond=_NOTHING)[0]
        left = float(np.abs(J @ found - right).max(initial=0.0))
        if left > _NOTHING * max(1.0, float(np.abs(right).max(initial=0.0))) * 1e3:
            raise fault(
                f"the equilibrium does not go on with '{symbol.name}': it ends here, or turns back.",
                "Take a state away from the fold, or leave out follow=True.",
                "E-LIN-037",
            )
        return np.asarray(found)
