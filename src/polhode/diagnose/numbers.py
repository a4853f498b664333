"""Constraints in numbers at a pose, and poses that keep them.

    φ(q) = 0,    δφ = (∂φ/∂q) Γ s,    q ← q + Γ s

A step s has an entry for each speed of each joint's envelope, so that a nonholonomic joint can be assembled too.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..constraints import Constraints
from ..expr import as_expr, evaluate, jacobian

Floats = NDArray[np.float64]

#: A constraint is kept where it is off by no more than this; singular poses are found no more exactly.
KEPT = 1e-11
#: A direction is lost where it has less than this share of the others.
LOST = 1e-6
_MOST_STEPS = 120
_TRIALS = 8


@dataclass(frozen=True, eq=False)
class Numbers:
    """The rows of a tree as functions of its coordinates, all other symbols being at the reference."""

    ties: Constraints

    @property
    def home(self) -> Floats:
        """The coordinates of the reference."""
        return np.array([self.ties.reference[q] for q in self.ties.tree.q], dtype=np.float64)

    def _at(self, q: Floats, entries: Iterable[Any], shape: tuple[int, ...]) -> Floats:
        """Expressions in numbers; where one is not defined all are nan."""
        values = dict(self.ties.reference) | dict(zip(self.ties.tree.q, q.tolist(), strict=True))
        made = np.array(evaluate([as_expr(entry) for entry in entries], values), dtype=np.float64)
        return made.reshape(shape)

    def residuals(self, q: Floats) -> Floats:
        """φ(q), for the rows that are conditions on the position."""
        return self._at(q, list(self.ties.values), (-1,))

    def matrix(self, q: Floats) -> Floats:
        """A(q)."""
        return self._at(q, self.ties.A.entries(), (len(self.ties.rows), len(self.ties.tree.u)))

    def drift(self, q: Floats) -> Floats:
        """a(q), the part of the rates that time alone gives."""
        return self._at(q, list(self.ties.a), (-1,))

    @cached_property
    def _gradient(self) -> list[Any]:
        return list(jacobian(list(self.ties.values), list(self.ties.tree.q)).entries())

    def envelope(self, q: Floats) -> Floats:
        """Γ of all joints' envelopes: how coordinates move when a step is taken."""
        tree = self.ties.tree
        blocks = [
            (link.coordinates, gamma)
            for link, (gamma, _) in zip(tree.links, tree.stage_kinematics, strict=True)
            if link.coordinates
        ]
        flat = self._at(q, [entry for _, gamma in blocks for entry in gamma.entries()], (-1,))
        made = np.zeros((len(tree.q), sum(gamma.shape[1] for _, gamma in blocks)))
        read = column = 0
        for coordinates, gamma in blocks:
            rows, columns = gamma.shape
            made[list(coordinates), column : column + columns] = flat[read : read + rows * columns].reshape(
                rows, columns
            )
            read, column = read + rows * columns, column + columns
        return made

    def position_matrix(self, q: Floats) -> Floats:
        """(∂φ/∂q) Γ."""
        slopes = self._at(q, self._gradient, (-1, len(self.ties.tree.q)))
        return np.asarray(slopes @ self.envelope(q))

    def along(self, q: Floats, u: Floats, step: float) -> Floats:
        """Where the speeds u lead in a step, constraints aside."""
        tree = self.ties.tree
        rates = self._at(q, tree.kinematic_matrix().entries(), (len(tree.q), len(tree.u)))
        return self._unit(q + step * (rates @ u))

    def _unit(self, q: Floats) -> Floats:
        """Quaternions brought back to length one."""
        made = q.copy()
        for link in self.ties.tree.links:
            if link.stage.storage == "quaternion" and link.coordinates:
                own = list(link.coordinates[:4])
                made[own] /= np.linalg.norm(made[own]) or 1.0
        return made

    def assembled(self, start: Floats) -> tuple[Floats, Floats]:
        """The pose nearest to a start that keeps φ = 0, or does so best, and what is left of φ there."""
        rng = np.random.default_rng(7)
        best, left = self.descended(start)
        for trial in range(1, _TRIALS):
            if _size(left) <= KEPT:
                break
            shake = 0.15 * trial * rng.standard_normal(self.envelope(best).shape[1])
            with np.errstate(all="ignore"):
                moved = self._unit(start + self.envelope(start) @ shake)
            if np.isfinite(moved).all():
                found, rest = self.descended(moved)
                if _size(rest) < 0.5 * _size(left):
                    best, left = found, rest
        return best, left

    def descended(self, q: Floats) -> tuple[Floats, Floats]:
        """Levenberg's and Marquardt's steps, damped by what is left, which singular poses ask for."""
        left = self.residuals(q)
        damping = 1e-3
        for _ in range(_MOST_STEPS):
            if _size(left) <= 1e-3 * KEPT or not np.isfinite(left).all():
                break
            J = self.position_matrix(q)
            if not np.isfinite(J).all():
                break
            size = float(left @ left)
            U, sizes, V = np.linalg.svd(J, full_matrices=False)
            good = sizes > 1e-9 * sizes.max(initial=0.0)
            weight = damping * min(1.0, size) * float(sizes.max(initial=0.0)) ** 2
            share = np.divide(sizes, sizes**2 + weight, out=np.zeros_like(sizes), where=good)
            step = -V.T @ (share * (U.T @ left))
            step *= min(1.0, 1.0 / max(float(np.abs(step).max(initial=0.0)), 1e-300))
            trial = self._unit(q + self.envelope(q) @ step)
            found = self.residuals(trial)
            if np.isfinite(found).all() and float(found @ found) < size:
                q, left, damping = trial, found, max(damping * 0.2, 1e-9)
            elif damping > 1e9:
                break
            else:
                damping *= 10.0
        return q, left


def _size(left: Floats) -> float:
    """The largest residual; infinite where one is not defined."""
    return float(np.abs(left).max(initial=0.0)) if np.isfinite(left).all() else np.inf


def scaled(A: Floats) -> Floats:
    """Rows of unit length, but for those that have next to none."""
    lengths = np.linalg.norm(A, axis=1)
    largest = lengths.max(initial=0.0)
    return np.asarray(A / np.where(lengths > LOST * largest, lengths, largest or 1.0)[:, None])


def numeric_rank(A: Floats) -> int:
    """How many rows are independent, in numbers."""
    return int((np.linalg.svd(scaled(A), compute_uv=False) > LOST).sum()) if A.size else 0


def null_space(A: Floats) -> Floats:
    """Columns that span what the rows leave free."""
    if not A.size:
        return np.eye(A.shape[1])
    _, sizes, V = np.linalg.svd(scaled(A))
    return np.asarray(V[int((sizes > LOST).sum()) :].T)


def numeric_combinations(A: Floats) -> dict[int, list[int]]:
    """For each row that is a combination of earlier ones: of which; the counterpart of `expr.decide.combinations`."""
    rows = scaled(A)
    kept: list[int] = []
    found: dict[int, list[int]] = {}
    for k in range(len(rows)):
        if numeric_rank(rows[[*kept, k]]) > len(kept):
            kept.append(k)
            continue
        shares = np.linalg.lstsq(rows[kept].T, rows[k], rcond=None)[0] if kept else np.zeros(0)
        found[k] = [kept[j] for j in range(len(kept)) if abs(shares[j]) > 1e3 * LOST]
    return found


def dependent_speeds(A: Floats) -> list[int]:
    """Columns that the rows can be solved for, well conditioned, the ones far from the ground first.

    QR with column pivoting, but among the columns that have at least a third of the largest the last is taken.
    """
    rest = scaled(A)
    chosen: list[int] = []
    for _ in range(numeric_rank(A)):
        lengths = np.linalg.norm(rest, axis=0)
        place = int(np.flatnonzero(lengths >= lengths.max() / 3)[-1])
        direction = rest[:, place] / lengths[place]
        rest = rest - np.outer(direction, direction @ rest)
        rest[:, place] = 0.0
        chosen.append(place)
    return sorted(chosen)
