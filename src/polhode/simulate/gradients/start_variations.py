"""How the first state of a run varies: with the values that a user gave, and with parameters through assembly.

Assembly moves what was not given until the constraints hold. Where that is determined, a change of parameters or of a
given value is answered by the same coordinates and speeds:

    A δ + φ′ = 0,    δ on what may move;      M (u - r)′ + (Aᵀν)′ = 0,   (A u + a)′ = 0   on the speeds not given,

δ being least in assembly's weights, ν the multipliers of the least change of speeds from r. What assembly left open,
more than the constraints ask for, is taken as where it came to rest.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...constraints.factorisation import Factorisation
from ...errors import warn
from ...expr import Expr, Matrix, Vector, as_expr, evaluate, jacobian, symbol
from ..constraints.assembly import weights_of
from ..initial_state import Floats
from .smooth_run import SmoothRun

#: Coordinates that move by less along a free motion of unit length are held by the constraints.
_FREE = 1e-9


def start_variations(run: SmoothRun, by: Sequence[Expr]) -> Floats:
    """∂x/∂s at the start, a column for each symbol: a start value, a parameter, an input or an effort."""
    equations = run.functions.equations
    state = [*equations.q, *equations.u, *equations.z]
    made = np.zeros((len(state), len(by)))
    for column, each in enumerate(by):
        if each in state:
            made[state.index(each), column] = 1.0
    for first, count in run.rates.groups:  # a start quaternion is scaled to unit length
        own = slice(first, first + count)
        made[own] -= np.outer(run.problem.given.q[own], run.problem.given.q[own] @ made[own])
    rotors = run.problem.given.rotors
    if run.problem.manifold is not None:
        made = _Assembled(run, by, made).variations()
        rotors = rotors.beside(run.problem.manifold.matrix(0.0, run.problem.start.q), equations.tree.speeds)
    for part, first in ((rotors.coordinates, 0), (rotors.speeds, len(equations.q))):
        for rotor in part:  # one that starts where its link is, unless its own start is varied
            link = first + rotor.link
            if state[first + rotor.rotor] not in by:
                slopes = evaluate(list(jacobian([rotor.ratio], list(by)).entries()), run.known(0.0, run.x))
                made[first + rotor.rotor] = rotor.number * made[link] + np.array(slopes) * run.x[link]
    return made


class _Assembled:
    """The start of a run with constraints."""

    def __init__(self, run: SmoothRun, by: Sequence[Expr], given: Floats) -> None:
        if run.problem.manifold is None or run.problem.assembly is None:
            raise TypeError("a run without constraints")
        self.run, self.by, self.manifold, self.assembly = run, list(by), run.problem.manifold, run.problem.assembly
        self.equations = run.functions.equations
        self.size = len(self.equations.q)
        self.given = given
        self.known = run.known(0.0, run.x)

    def variations(self) -> Floats:
        q = self._coordinates()
        u = self.given[self.size : self.size + len(self.equations.u)]
        if self.equations.dependent_speeds is None:
            u = self._speeds(q, u)
        return np.vstack([q, u, self.given[self.size + len(self.equations.u) :]])

    def _values(self, entries: Sequence[Expr]) -> Floats:
        return np.array(evaluate([as_expr(entry) for entry in entries], self.known))

    def _along(self, entries: Sequence[Expr], q: Floats) -> Floats:
        """The derivatives of expressions of q and parameters along every column."""
        slopes = self._values(list(jacobian(list(entries), [*self.equations.q, *self.by]).entries()))
        slopes = slopes.reshape(len(entries), self.size + len(self.by))
        own = slopes[:, self.size :].copy()
        own[:, [each in (*self.equations.q, *self.equations.u) for each in self.by]] = (
            0.0  # a start value, not a symbol
        )
        return slopes[:, : self.size] @ q + own

    # ---- coordinates -----------------------------------------------------------------------------------------

    def _coordinates(self) -> Floats:
        constraints, tree = self.manifold.constraints, self.equations.tree
        moved = self.equations.kept(tree.kinematic_matrix())
        gamma = self._values([entry for row in moved for entry in row]).reshape(self.size, len(tree.u))
        own, q = self.equations.auxiliary_coordinates, self.given[: self.size].copy()
        names = self.equations.coordinates[own]
        placed = [own.start + k for k, name in enumerate(names) if name in self.run.problem.given.given]
        wanted = q[placed]
        if constraints.definitions:
            q[own] = gamma[own] @ (self._back() @ q)
            q[own] += self._along(list(constraints.definition_steps), q)
        off = np.zeros((len(constraints.rows), len(self.by)))
        if constraints.positions:
            off[constraints.positions] = self._along(list(constraints.values), q)
        rows = self.manifold.matrix(0.0, self.run.problem.start.q)
        if placed:  # joints are put where given auxiliary coordinates say, and rolled there by nobody
            rows = np.vstack([rows[constraints.positions], gamma[placed]])
            off = np.vstack([off[constraints.positions], q[placed] - wanted])
        weights = weights_of(self.manifold, self.run.problem.given, self.run.problem.hold, self._gave_way())
        free = np.flatnonzero(np.isfinite(weights))
        answer = Factorisation.of(rows[:, free], np.diag(weights[free] ** 2))
        if off.any() and self._was_open(gamma[:, free] @ answer.free):
            warn(
                "assembly could have moved the start onto its constraints in several ways: derivatives are those of a "
                "start that is given as it was assembled."
            )
        for column in range(len(self.by)):
            step = np.zeros(len(tree.u))
            step[free] = answer.least(-off[:, column])
            q[:, column] += gamma @ step
        return q

    def _was_open(self, free: Floats) -> bool:
        """Whether assembly moved coordinates that it might have moved otherwise, along motions that are free."""
        names = np.array(self.equations.coordinates)[np.abs(free).max(axis=1, initial=0.0) > _FREE]
        return any(name in self.assembly.moved for name in names.tolist())

    def _back(self) -> Floats:
        back = [entry for row in self.equations.tree.kinematic_left_inverse() for entry in self.equations.kept(row)]
        return self._values(back).reshape(len(self.equations.tree.u), self.size)

    def _gave_way(self) -> bool:
        """Whether coordinates that the user gave had to move."""
        return any(name in self.run.problem.given.given for name in self.assembly.moved)

    # ---- speeds ----------------------------------------------------------------------------------------------

    def _speeds(self, q: Floats, u: Floats) -> Floats:
        equations, run = self.equations, self.run
        names = equations.speeds
        rows = equations.stabilisation.rows
        kept = [k for k, name in enumerate(names) if name in run.problem.given.given_speeds]
        at, wanted = run.problem.start.u, run.problem.given.u
        if len(kept) == len(names) or not np.allclose(at[kept], wanted[kept], rtol=1e-9, atol=1e-9):
            kept = []
        free = [k for k in range(len(names)) if k not in kept]
        A = self._values(list(rows.A.entries())).reshape(len(rows.rows), len(names))[:, free]
        M = self._values(list(equations.mass_matrix.entries())).reshape(len(names), len(names))
        gap = np.zeros(len(names))
        gap[free] = at[free] - (wanted[free] if not kept else 0.0)
        nu = np.asarray(-np.linalg.lstsq(A.T, (M @ gap)[free], rcond=None)[0], dtype=np.float64)
        forces = self._along(self._forces(equations.mass_matrix, rows.A, gap, nu), q)[free]
        reference = np.zeros_like(u) if kept else u
        right = np.vstack([M[np.ix_(free, free)] @ reference[free] - forces, -self._rates_along(q, u, kept)])
        K = np.block([[M[np.ix_(free, free)], A.T], [A, np.zeros((len(A), len(A)))]])
        found = u.copy()
        found[free] = np.linalg.lstsq(K, right, rcond=None)[0][: len(free)]
        return found

    def _forces(self, M: Matrix, A: Matrix, gap: Floats, nu: Floats) -> list[Expr]:
        """M g + Aᵀ ν at constant g and ν."""
        g = [symbol(f"gap {k}", "variation") for k in range(len(gap))]
        n = [symbol(f"multiplier {k}", "variation") for k in range(len(nu))]
        self.known |= dict(zip((*g, *n), (*gap.tolist(), *nu.tolist()), strict=True))
        return [as_expr(a + b) for a, b in zip(M @ Vector(g), A.T @ Vector(n), strict=True)]

    def _rates_along(self, q: Floats, u: Floats, kept: list[int]) -> Floats:
        """(A u + a)′ with the coordinates, parameters and given speeds moving, the others still."""
        rows = self.equations.stabilisation.rows
        moved = self._along([row.rate for row in rows.rows], q)
        A = self._values(list(rows.A.entries())).reshape(len(rows.rows), len(self.equations.u))
        return moved + A[:, kept] @ u[kept]
