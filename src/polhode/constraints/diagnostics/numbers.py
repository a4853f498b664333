"""Constraints in numbers at a pose, and poses that keep them.

    φ(q) = 0 and ψ(q) = 0,    δφ = (∂φ/∂q) Γ s,    q ← q + Γ s

A step s has an entry for each speed of each joint's envelope, so that a nonholonomic joint can be assembled too, and
for each freedom of auxiliary coordinates, which their definitions ψ hold in place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...expr import Expr, Matrix, as_expr, jacobian
from ...expr.evaluation import Evaluator
from .. import Constraints
from ..factorisation import Factorisation
from ..newton import Floats, largest, solve

#: A constraint is kept where it is off by no more than this; singular poses are found no more exactly.
KEPT = 1e-11
#: A direction is lost where it has less than this share of the others.
LOST = 1e-6
_MOST_STEPS = 120
_TRIALS = 12


@dataclass(frozen=True, eq=False)
class Numbers:
    """The rows of a tree as functions of its coordinates, all other symbols being at the reference."""

    constraints: Constraints
    branches: Mapping[str, Expr]  # what is zero where a loop closes on the branch that is meant

    @property
    def home(self) -> Floats:
        """The coordinates of the reference."""
        return np.array([self.constraints.reference[q] for q in self.constraints.tree.q], dtype=np.float64)

    @cached_property
    def _evaluators(self) -> dict[str, Evaluator]:
        return {}

    def _at(self, q: Floats, name: str, entries: Callable[[], Iterable[Any]], *shape: int) -> Floats:
        """Values of expressions, not finite where undefined; their evaluator is kept by name."""
        if name not in self._evaluators:
            self._evaluators[name] = Evaluator(map(as_expr, entries()))
        values = dict(self.constraints.reference) | dict(zip(self.constraints.tree.q, q.tolist(), strict=True))
        return np.array(self._evaluators[name](values), dtype=np.float64).reshape(shape)

    @cached_property
    def _kept(self) -> list[Expr]:
        return [*self.constraints.values, *self.constraints.definition_values]

    def residuals(self, q: Floats) -> Floats:
        """φ(q), for the rows that are conditions on the position, and ψ(q)."""
        return self._at(q, "kept", lambda: self._kept, -1)

    def matrix(self, q: Floats) -> Floats:
        """A(q)."""
        return self._at(q, "A", self.constraints.A.entries, len(self.constraints.rows), len(self.constraints.tree.u))

    def drift(self, q: Floats) -> Floats:
        """a(q), the part of the rates that time alone gives."""
        return self._at(q, "a", lambda: self.constraints.a, -1)

    def reversed(self, q: Floats) -> dict[str, float]:
        """Loops on another assembly branch, and their errors."""
        values = self._at(q, "branches", self.branches.values, -1).tolist()
        return {name: value for name, value in zip(self.branches, values, strict=True) if value < -0.5}

    @cached_property
    def _blocks(self) -> list[tuple[tuple[int, ...], Matrix]]:
        """Coordinates and Γ of each joint's envelope, and of auxiliary coordinates."""
        tree = self.constraints.tree
        joints = [
            (link.coordinates, gamma)
            for link, (gamma, _) in zip(tree.links, tree.stage_kinematics, strict=True)
            if link.coordinates
        ]
        return joints + [(indices, auxiliary.ways) for indices, auxiliary in tree.auxiliary_indices]

    def envelope(self, q: Floats) -> Floats:
        """Γ of all joints' envelopes: how coordinates move when a step is taken."""
        flat = self._at(q, "envelopes", lambda: (entry for _, gamma in self._blocks for entry in gamma.entries()), -1)
        gamma_all = np.zeros((len(self.constraints.tree.q), sum(gamma.shape[1] for _, gamma in self._blocks)))
        read = column = 0
        for coordinates, gamma in self._blocks:
            rows, columns = gamma.shape
            block = flat[read : read + rows * columns].reshape(rows, columns)
            gamma_all[list(coordinates), column : column + columns] = block
            read, column = read + rows * columns, column + columns
        return gamma_all

    def position_matrix(self, q: Floats) -> Floats:
        """(∂φ/∂q) Γ."""
        symbols = list(self.constraints.tree.q)
        slopes = self._at(q, "slopes", lambda: jacobian(self._kept, symbols).entries(), -1, len(symbols))
        with np.errstate(invalid="ignore"):
            return np.asarray(slopes @ self.envelope(q))

    def along(self, q: Floats, u: Floats, step: float) -> Floats:
        """The pose after a step along the speeds u, without constraints."""
        tree = self.constraints.tree
        rates = self._at(q, "gamma", lambda: tree.kinematic_matrix().entries(), len(tree.q), len(tree.u))
        with np.errstate(invalid="ignore"):
            return self._unit(q + step * (rates @ u))

    def _unit(self, q: Floats) -> Floats:
        """Normalise the quaternions."""
        unit = q.copy()
        for start in self.constraints.tree.quaternions:
            unit[start : start + 4] /= np.linalg.norm(unit[start : start + 4]) or 1.0
        return unit

    def assembled(self, start: Floats) -> tuple[Floats, Floats]:
        """The pose nearest to a start with φ = 0, or least φ, and the residual φ there."""
        rng = np.random.default_rng(7)
        best, left = self.descended(start)
        merit = self._merit(best, left)
        for trial in range(1, _TRIALS):
            if merit <= KEPT:
                break
            moved = self._perturbed(start, 0.25 * trial, rng)
            if np.isfinite(moved).all():
                pose, rest = self.descended(moved)
                if self._merit(pose, rest) < 0.5 * merit:
                    best, left, merit = pose, rest, self._merit(pose, rest)
        return best, left

    def _merit(self, q: Floats, left: Floats) -> float:
        """Distance of a pose from closing every loop on its intended branch."""
        return max([largest(left), *(-off for off in self.reversed(q).values())])

    def regular_near(self, q: Floats) -> Floats:
        """An assembled pose near one where the rows are not defined; that one, if there is none."""
        rng = np.random.default_rng(3)
        for size in (1e-3, 1e-2, 1e-1):
            end, left = self.descended(self._perturbed(q, size, rng))
            if largest(left) <= KEPT and np.isfinite(self.matrix(end)).all():
                return end
        return q

    def _perturbed(self, q: Floats, size: float, rng: np.random.Generator) -> Floats:
        """A randomly perturbed pose; along the coordinates where the kinematic matrix is not defined."""
        columns = self.envelope(q)
        columns = columns if np.isfinite(columns).all() else np.eye(*columns.shape)
        return self._unit(q + size * (columns @ rng.standard_normal(columns.shape[1])))

    def descended(self, q: Floats) -> tuple[Floats, Floats]:
        """The pose by damped Newton steps, at least a minimum of φ, and the residual φ there."""

        def step(q: Floats, left: Floats) -> Floats | None:
            J = self.position_matrix(q)
            if not np.isfinite(left).all() or not np.isfinite(J).all():
                return None
            return Factorisation.of(J).damped(-left)

        solution = solve(
            self.residuals, step, lambda q, step: self._unit(q + self.envelope(q) @ step), q,
            tolerance=1e-3 * KEPT, most_steps=_MOST_STEPS, shortest=1e-6, longest=1.0,
        )  # fmt: skip
        return solution.q, solution.residual


def scaled(A: Floats) -> Floats:
    """Rows of unit length, except those of nearly zero length."""
    lengths = np.linalg.norm(A, axis=1)
    largest = lengths.max(initial=0.0)
    return np.asarray(A / np.where(lengths > LOST * largest, lengths, largest or 1.0)[:, None])


def numeric_rank(A: Floats) -> int:
    """How many rows are independent, in numbers."""
    return int((np.linalg.svd(scaled(A), compute_uv=False) > LOST).sum()) if A.size else 0


def null_space(A: Floats) -> Floats:
    """A basis of the null space of the rows, in columns."""
    if not A.size:
        return np.eye(A.shape[1])
    _, sizes, V = np.linalg.svd(scaled(A))
    return np.asarray(V[int((sizes > LOST).sum()) :].T)


def numeric_combinations(A: Floats) -> dict[int, list[int]]:
    """For each row that is a combination of earlier ones: of which; the counterpart of `expr.decide.combinations`."""
    rows = scaled(A)
    kept: list[int] = []
    combinations: dict[int, list[int]] = {}
    for k in range(len(rows)):
        if numeric_rank(rows[[*kept, k]]) > len(kept):
            kept.append(k)
            continue
        shares = np.linalg.lstsq(rows[kept].T, rows[k], rcond=None)[0] if kept else np.zeros(0)
        combinations[k] = [kept[j] for j in range(len(kept)) if abs(shares[j]) > 1e3 * LOST]
    return combinations


def dependent_speeds(A: Floats) -> list[int]:
    """Well-conditioned pivot columns by QR; of columns with a third of the largest norm the outermost is taken."""
    rest = scaled(A)
    chosen: list[int] = []
    for _ in range(numeric_rank(A)):
        lengths = np.linalg.norm(rest, axis=0)
        column = int(np.flatnonzero(lengths >= lengths.max() / 3)[-1])
        direction = rest[:, column] / lengths[column]
        rest = rest - np.outer(direction, direction @ rest)
        rest[:, column] = 0.0
        chosen.append(column)
    return sorted(chosen)
