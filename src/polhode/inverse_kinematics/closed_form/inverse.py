"""All branches of the inverse kinematics of an arm, as expressions of the pose of its frame, and their proof.

Each root in a closed form has two signs; a branch is a choice of them. The proof is substitution: the same lines that
write a branch as expressions run over the prime field of fingerprints, at a random pose at which its roots exist, and
the pose at the turns that they give must be that pose, exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...dynamics.equations import EquationsOfMotion
from ...expr import Expr, Matrix, Vector, as_expr, quiet_collector, symbol
from ...expr.field import P
from ...expr.spelling import latex_name
from ...expr.typeset import Typeset
from ...geometry.rotations.quaternion import from_lift
from ..pose_step import check_target, read_target
from . import arms

if TYPE_CHECKING:
    from ...compiled.functions import Functions

Floats = NDArray[np.float64]

#: Random poses that are tried for one at which the roots of a branch exist: every eighth has three of them.
_DRAWS = 400
#: How far the pose at a real solution may be from the target, by rounding, and beyond which there is no solution.
_FITS = 1e-8


@dataclass(frozen=True, eq=False, repr=False)
class ClosedForm(Typeset):
    """The inverse kinematics of a frame: `branches`, each with an expression for every one of `coordinates`.

    The expressions are of the symbols `position` (3) and `rotation` (3×3). `signs` are those of the roots of each
    branch, `reason` says which axes allow the form. What is not proved by substitution is not given.
    """

    frame: str
    of: str
    coordinates: tuple[str, ...]
    branches: tuple[tuple[Expr, ...], ...]
    signs: tuple[tuple[int, ...], ...]
    position: Vector
    rotation: Matrix
    reason: str
    functions: Functions | None = field(default=None, repr=False)
    parameters: Mapping[str, Any] | None = None

    def at(self, pose: Any) -> Floats:
        """All real solutions for one pose, (k, n), angles from -π to π; none where the pose is out of reach."""
        solutions = self.all_at(pose)
        return solutions[np.isfinite(solutions).all(axis=-1)]

    def all_at(self, poses: Any) -> Floats:
        """The solutions of every branch for poses (…), (…, branches, n), nan where a branch has none that is real."""
        from ..quantities import ClosedFormOf

        target = read_target(poses, self.of)
        flat = target.reshape(-1, 12)
        functions = self.functions
        if functions is None:
            raise TypeError("this form was written to be compiled, and has no functions")
        branches: Floats = functions.evaluate(ClosedFormOf(self.frame, self.of), flat, parameters=self.parameters)
        q = branches.reshape(len(flat), len(self.branches), len(self.coordinates))
        q = np.arctan2(np.sin(q), np.cos(q))
        names = functions.derivation.synopsis.coordinates
        pose_coordinates = np.zeros((q.shape[0] * q.shape[1], len(names)))
        pose_coordinates[:, [names.index(name) for name in self.coordinates]] = q.reshape(-1, len(self.coordinates))
        p, R = functions.pose(self.frame, pose_coordinates, parameters=self.parameters)
        result = np.concatenate([p, R.reshape(-1, 9)], axis=1).reshape(*q.shape[:2], 12)
        rows = slice(None) if self.of == "pose" else slice(3)
        gap = np.abs(result - flat[:, None])[..., rows].max(axis=-1)
        size = 1.0 + np.abs(flat[:, :3]).max(axis=1, initial=0.0)
        q[~(gap <= _FITS * size[:, None])] = np.nan
        return q.reshape(*target.shape[:-1], *q.shape[1:])

    def __repr__(self) -> str:
        return f"ClosedForm('{self.frame}', {len(self.branches)} branches: {self.reason})"

    def _formulas(self) -> list[tuple[str, Expr]]:
        return [(latex_name(name), angle) for name, angle in zip(self.coordinates, self.branches[0], strict=True)]

    def _names(self) -> dict[Expr, str]:
        names = {x: f"p_{{{x.name[1:]}}}" for x in self.position}
        return names | {x: f"R_{{{x.name[1:]}}}" for row in self.rotation for x in row}

    def _sentences(self) -> list[str]:
        message = f"The first of {len(self.branches)} branches" if len(self.branches) > 1 else "The only branch"
        return [f"{message}, of the position p and the rotation R of '{self.frame}': {self.reason}."]


def target_symbols() -> list[Expr]:
    """The symbols that a closed form is written in: p, then the rows of R."""
    return [symbol(f"p{k}", "variation") for k in "xyz"] + [
        symbol(f"R{i}{j}", "variation") for i in (1, 2, 3) for j in (1, 2, 3)
    ]


def closed_form(equations: EquationsOfMotion, name: str, of: str = "pose", prove: bool = True) -> ClosedForm:
    """All branches of the inverse kinematics of a body or frame; see `Equations.closed_form_inverse_kinematics`."""
    check_target(of, "closed_form_inverse_kinematics")
    with quiet_collector():
        chain = arms.chain_of(equations, name)
        arm = _arm(chain, of, equations.system.name)
        result = target_symbols()
        p, R = Vector(result[:3]), Matrix([result[3:6], result[6:9], result[9:12]])
        signs = tuple(product((1, -1), repeat=arm.roots))
        branches = []
        for sign in signs:
            scalars = arms.OnGraph(sign)
            turns = arm.solve(scalars, _target(scalars, chain, p, list(R.T) if of == "pose" else []))
            branches.append(tuple(as_expr(turn.angle) for turn in turns))
        if prove and not all(_is_proved(chain, arm, sign, of) for sign in signs):
            raise arms.no_closed_form("the form of its axes does not lead back to the pose", equations.system.name)
    names = tuple(q.name for q in chain.coordinates)
    return ClosedForm(name, of, names, tuple(branches), signs, p, R, arm.reason)


def _arm(chain: arms.Chain, of: str, system: str) -> arms.Arm:
    """The closed form of a chain, or why there is none."""
    fail: Callable[[str], Exception] = partial(arms.no_closed_form, system=system)
    axes, count = chain.axes, len(chain.axes)
    needed = {"pose": 6, "position": 3}
    if of not in needed:
        raise fail("the orientation alone is not solved in closed form")
    if count != needed[of]:
        more = "of infinitely many solutions none is chosen" if count > needed[of] else "most poses cannot be reached"
        raise fail(f"a {of} takes {needed[of]} revolute joints and the frame has {count}, so that {more}")
    if of == "position":
        wrist = arms.place_of(axes)
        if wrist is None:
            raise fail("of its axes neither 1 and 2 meet, nor 2 and 3, nor are 2 and 3 parallel")
        reason, point = wrist
        return arms.Arm(reason, 2, lambda s, T: point(s, s.vector(chain.home.p), T.p))
    upright, reversed_ = arms.arm_of(axes), arms.arm_of(axes[::-1])
    if upright is not None:
        return upright
    if reversed_ is not None:
        solve = reversed_.solve
        return arms.Arm(
            f"counted from the tip, {reversed_.reason}",
            reversed_.roots,
            lambda s, T: [turn.back for turn in reversed(solve(s, T.back))],
        )
    raise fail(
        "neither do three axes at an end meet, two of the others being parallel or meeting too, nor are three in a row "
        "parallel with two that meet at the end"
    )


def _target(scalars: arms.Scalars, chain: arms.Chain, p: Vector, columns: list[Vector]) -> arms.Motion:
    """T = X M⁻¹ for a pose X of the frame; for a position alone, where the frame's origin is to go."""
    if not columns:
        zero = Vector([scalars.number(0)] * 3)
        return arms.Motion((zero, zero, zero), p)
    home = [scalars.vector(column) for column in chain.home.R.T]
    # R_T = R R_Mᵀ: its columns are the columns of R times the entries of each row of R_M
    rows = list(zip(*home, strict=True))
    result = [columns[0] * row[0] + columns[1] * row[1] + columns[2] * row[2] for row in rows]
    T = arms.Motion((result[0], result[1], result[2]), Vector([scalars.number(0)] * 3))
    return arms.Motion(T.columns, p - T.turn(scalars.vector(chain.home.p)))


def _is_proved(chain: arms.Chain, arm: arms.Arm, signs: tuple[int, ...], of: str) -> bool:
    """Whether the pose at a branch is the target, at a random point of the field."""
    rng = Random(repr(signs))
    for _ in range(_DRAWS):
        scalars = arms.InField(signs)
        p = Vector([arms.Residue(rng.randrange(P)) for _ in range(3)])
        columns = _random_rotation(rng)
        try:
            turns: list[arms.Turn] = arm.solve(scalars, _target(scalars, chain, p, columns if of == "pose" else []))
        except arms.NotHere:
            continue
        except arms.NotATurn:
            return False
        located = chain.located([(turn.c, turn.s) for turn in turns], arms.residue)
        wanted = [p, *columns] if of == "pose" else [p]
        return all(a == b for one, other in zip(located, wanted, strict=False) for a, b in zip(one, other, strict=True))
    return False


def _random_rotation(rng: Random) -> list[Vector]:
    """The columns of a rotation over the field, by a quaternion of any length."""
    return from_lift([arms.Residue(rng.randrange(P)) for _ in range(4)]).columns
