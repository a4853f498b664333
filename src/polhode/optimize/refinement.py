"""The error of a solution between the nodes of its mesh, and the mesh on which it is less.

From every node the plant is run to the next one under the controls of the solution, all intervals at once. By how much
it misses the solution's state in the middle of the interval and at its end is the error of the interval. That of a
scheme of order p goes with h^p at least: an interval whose error is ρ times what is allowed is cut into (2ρ)^(1/p)
pieces. Where that has not halved the largest error, as when the optimum moves to what is still coarse, every interval
is cut.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..native.call_sequence import BoundLoop, sequence_of
from ..notebook import Cell, Shown, Table
from .mesh import Floats, Mesh
from .point_model import PointFunction

if TYPE_CHECKING:
    from .problem import Collocation

#: Into how many pieces an interval is cut at once, at most.
_PIECES = 4
#: The tolerances of the runs between nodes.
_RUN = 1e-9


class MeshRecord(NamedTuple):
    """A mesh that was solved: its nodes, the cost, the relative error between nodes, iterations and seconds."""

    nodes: int
    cost: float
    error: float
    iterations: int
    seconds: float


@dataclass(frozen=True, eq=False, repr=False)
class MeshError(Shown):
    """The error of each interval (intervals, states); the relative one is by the largest size of a state, or by 1."""

    t: Floats  # ends of the intervals
    difference: Floats
    sizes: Floats
    states: tuple[str, ...]

    @property
    def intervals(self) -> Floats:
        """The largest relative error of each interval."""
        return np.asarray((self.difference / self.sizes).max(axis=1))

    @property
    def largest(self) -> float:
        """The largest relative error of all."""
        return float(self.intervals.max())

    @property
    def worst(self) -> str:
        """The largest error in words: how much, of which state, and when."""
        k, i = np.unravel_index(np.argmax(self.difference / self.sizes), self.difference.shape)
        return (
            f"{self.difference[k, i]:.3g} in '{self.states[i]}' between t = {self.t[k]:.4g} s and {self.t[k + 1]:.4g} s"
        )

    def __repr__(self) -> str:
        return f"MeshError({self.largest:.3g} at most, in {len(self.t) - 1} intervals)"

    def _cell(self) -> Cell:
        rows = [(name, f"{x:.3g}") for name, x in zip(self.states, self.difference.max(axis=0), strict=True)]
        return Cell(repr(self), [Table(["state", "largest error"], rows, numbers_from=1), f"Most: {self.worst}."])


def mesh_error(problem: Collocation, points: Floats, duration: float) -> MeshError:
    """How far runs of the plant from each node to the next miss the states there and in the middle."""
    from scipy.integrate import solve_ivp

    mesh, point, functions = problem.mesh, problem.point, problem.functions
    states, controls, count = len(point.state), len(point.controls), mesh.intervals
    x, c = points[:, :states], points[:, -controls:]
    y, shares, rates = np.zeros((count, len(point.plant.variables))), np.zeros((count, 1)), np.zeros((count, states))
    function = PointFunction(point.plant, "values")
    values = functions.parameter_values(function, problem.parameters or None)
    arrays, outputs = [y, shares, np.array([duration])], [rates, np.zeros((count, len(point.plant.rows)))]
    run = sequence_of([BoundLoop(functions.native(function), arrays, outputs, count, values)])
    lengths = (mesh.steps * duration)[:, None]

    def slopes(s: float, state: Floats) -> Floats:
        shares[:, 0] = mesh.ends[:-1] + s * mesh.steps
        y[:, :states], y[:, -controls:] = state.reshape(count, states), mesh.values_at(c, shares[:, 0])
        run()
        return np.asarray(lengths * rates).reshape(-1)

    left, middle, right = mesh.sides
    sizes = np.maximum(1.0, np.abs(x).max(axis=0))
    with np.errstate(all="ignore"):
        found = solve_ivp(
            slopes, (0.0, 1.0), x[left].reshape(-1), method="LSODA", t_eval=[0.5, 1.0], rtol=_RUN, atol=_RUN,
            lband=states - 1, uband=states - 1,
        )  # fmt: skip
    error = np.full((count, states), np.inf)
    if found.success:
        half, end = found.y.T.reshape(2, count, states)
        error = np.abs(end - x[right])
        error = np.maximum(error, np.abs(half - x[middle])) if mesh.scheme.has_middle else error
    return MeshError(mesh.ends * duration, np.where(np.isnan(error), np.inf, error), sizes, problem.names.state)


def refined_ends(mesh: Mesh, error: MeshError, accuracy: float, *, everywhere: bool, more: int = 0) -> Floats:
    """Ends of the intervals of a mesh whose error ought to be half of the accuracy, with `more` pieces where cut."""
    excess = np.minimum(error.intervals / accuracy, 1e12)
    pieces = np.ceil((2 * excess) ** (1 / mesh.scheme.order))
    pieces = np.where(excess > 1.0, np.clip(pieces, 2, _PIECES) + more, 2 if everywhere else 1).astype(int)
    parts = zip(mesh.ends[:-1], mesh.steps, pieces, strict=True)
    return np.concatenate([*(left + step * np.arange(n) / n for left, step, n in parts), [1.0]])
