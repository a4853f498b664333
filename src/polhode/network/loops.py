"""What a joint that closes a loop forbids: directions of its across variable that vanish.

The chord of such a joint has the circuit x_c = x_b - x_a, over terminals of the two bodies that it joins. Along the
motions that it allows, x_c = H u, it takes no force; along every other direction d the circuit equation d·x_c = 0 is a
constraint, and the through variable of the chord along it a multiplier: y_c = -Σ λ d.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..errors import ModelError
from ..expr import Matrix, Vector, as_expr
from ..expr.decide import independent_columns
from ..geometry.lie import left_inverse
from ..model.stage import Stage
from .component import ZERO, Pair
from .mechanism import ClosureEdge

_LABELS = ("turn x", "turn y", "turn z", "x", "y", "z")


@dataclass(frozen=True)
class Direction:
    """A direction (v, ω) in ground components: fixed in body b, or the normal of two axes, one in each body."""

    label: str
    pair: Pair
    axes: tuple[Vector, Vector] | None = None

    def rate(self, w_a: Vector, w_b: Vector) -> Pair:
        """Its derivative when the bodies turn with these angular velocities."""
        if self.axes is None:
            return w_b.cross(self.pair[0]), w_b.cross(self.pair[1])
        a, b = self.axes
        return ZERO, w_a.cross(a).cross(b) + a.cross(w_b.cross(b))

    def along(self, x: Pair) -> Any:
        """d · x."""
        return self.pair[0].dot(x[0]) + self.pair[1].dot(x[1])


def forbidden(edge: ClosureEdge) -> list[Direction]:
    """The directions that a loop-closing joint keeps at zero: those across the columns of its map."""
    kind = edge.closure.type
    stages = [kind.stages[place] for place in kind.from_parent]
    if not stages:
        return _fixed_in_b(edge.R_b, Matrix.identity(6))
    if len(stages) == 1:
        return _fixed_in_b(edge.R_b, _across(stages[0]))
    if len(stages) == 2 and all(_is_hinge(stage) for stage in stages):
        a, b = (Vector(stage.H.columns[0][:3]) for stage in stages)
        crossed = edge.R_a @ a, edge.R_b @ b
        point = _fixed_in_b(edge.R_b, Matrix.identity(6)[3:])
        return [*point, Direction("square", (ZERO, crossed[0].cross(crossed[1])), crossed)]
    raise ModelError(
        f"a {kind.name} joint of this kind cannot close a loop.",
        place=f"closure '{edge.name}'",
        cure="Put this joint into the tree, and close the loop at another one or with 'fixed'.",
        code="E-NET-011",
    )


def _is_hinge(stage: Stage) -> bool:
    return stage.speeds == 1 and not any(stage.H.columns[0][3:])


def _across(stage: Stage) -> Matrix:
    """Independent rows of 1 - H H⁺, which vanish on the columns of H alone."""
    rows = (Matrix.identity(6) - stage.H @ left_inverse(stage.H)).map(as_expr)
    return Matrix([rows[k] for k in independent_columns(rows.T)])


def _fixed_in_b(R: Matrix, rows: Matrix) -> list[Direction]:
    made = []
    for number, row in enumerate(rows, start=1):
        unit = [label for label, entry in zip(_LABELS, row, strict=True) if entry]
        label = unit[0] if len(unit) == 1 else str(number)
        made.append(Direction(label, (R @ Vector(row[3:]), R @ Vector(row[:3]))))
    return made
