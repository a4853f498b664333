"""The functions of one joint, simple or compound: configuration X, kinematic matrix Γ and joint map H, in symbols.

H. G. Kwatny and G. L. Blankenship, "Symbolic Construction of Models for Multibody Dynamics", IEEE Trans. Robotics and
Automation 11 (1995), sections II.C and II.E:

    paper                              here
    XXeuc[H, y], XXCompnd[r, H, t]     `JointKinematics.X`
    GammaKin[H, y], GamCompnd[r, H, t] `JointKinematics.gamma`
    HCompnd[r, H, t]                   `JointKinematics.H`
    {r, H}                             `joint_kinematics(H, groups=r)`, or a list of the simple joints' maps
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any

from ..errors import ModelError, understood
from ..expr import Expr, Matrix, Vector, as_expr, symbol, unit_symbols
from ..expr.spelling import OWN, spelled
from ..expr.typeset import Typeset
from ..geometry import Pose
from ..model.joints import JointType
from ..model.joints.basic import simple_joints
from ..model.records import Joint
from ..model.stage import Stage
from .joint import compound_configuration, compound_kinematic_matrix, compound_map

_CURE = "Give a joint, a 6×r matrix, or a list of such matrices, outermost first."


@dataclass(frozen=True, eq=False, repr=False)
class JointKinematics(Typeset):
    """How a joint moves: Ẋ = X p̂ with p = H u, and q̇ = Γ u.

    `stages` are its simple joints, listed as their coordinates `q` and speeds `u` are; `outermost_first` says whether
    that is from the child to the parent, as in the paper, or from the parent to the child.

    >>> hinge = joint_kinematics([[0], [0], [1], [0], [0], [0]], coordinates=["q"], speeds=["u"])
    >>> hinge.H, hinge.gamma, hinge.X.R[0]
    (Matrix([[0], [0], [1], [0], [0], [0]]), Matrix([[1]]), Vector([cos(q), -sin(q), 0]))
    >>> hinge.is_holonomic, hinge.coordinate_rates, hinge.velocity
    (True, Vector([u]), Vector([0, 0, u, 0, 0, 0]))
    """

    stages: tuple[Stage, ...]
    q: Vector
    u: Vector
    outermost_first: bool = True

    def __repr__(self) -> str:
        q, u = (", ".join(map(spelled, symbols)) for symbols in (self.q, self.u))
        return f"JointKinematics(q: {q or 'none'}; u: {u or 'none'})"

    def _formulas(self) -> list[tuple[str, Any]]:
        return [("R", self.X.R), ("p", self.X.p), ("H", self.H), (r"\Gamma", self.gamma)]

    @cached_property
    def X(self) -> Pose:
        """The pose of the outer frame in the inner one: Corollary 1, (15), and (26)."""
        return compound_configuration(self._outward(self.stages), self._outward(self._parts))

    @cached_property
    def gamma(self) -> Matrix:
        """Γ(q): q̇ = Γ u, Proposition 2 and (25); a nonholonomic joint has more rows than columns."""
        return compound_kinematic_matrix(self.stages, self._parts) if self.stages else Matrix([])

    @cached_property
    def H(self) -> Matrix:
        """H(q): velocity of the outer frame relative to the inner one, ω over v, in outer components; (28), (34)."""
        H = compound_map(self._outward(self.stages), self._outward(self._parts))
        columns = _split(list(H.columns), [stage.speeds for stage in self._outward(self.stages)])
        return Matrix.columns_of([column for stage_columns in self._outward(columns) for column in stage_columns], 6)

    @property
    def is_holonomic(self) -> bool:
        """Whether each simple joint's columns close under the bracket, so that it has as many coordinates as speeds."""
        return all(stage.is_holonomic for stage in self.stages)

    @property
    def coordinate_rates(self) -> Vector:
        """q̇ = Γ u."""
        return self.gamma @ self.u if self.stages else Vector([])

    @property
    def velocity(self) -> Vector:
        """p = H u: angular velocity over velocity across the joint, in the outer frame's components; (9), (34)."""
        return self.H @ self.u

    @property
    def _parts(self) -> list[list[Any]]:
        return _split(self.q, [stage.coordinates for stage in self.stages])

    def _outward(self, parts: Sequence[Any]) -> list[Any]:
        """From the listed order to outermost first, or back."""
        return list(parts) if self.outermost_first else list(parts)[::-1]


def joint_kinematics(
    joint: Any,
    groups: Sequence[int] | None = None,
    coordinates: Sequence[Any] | None = None,
    speeds: Sequence[Any] | None = None,
) -> JointKinematics:
    """X, Γ and H of a joint: of a joint type, of a joint of a system, or of a joint map as the paper has it.

    A map is a 6×r matrix, its columns outermost first, one simple joint unless `groups` splits it; or a list of the
    maps of simple joints; or the six entries of one column. Names or expressions may be given for q and u.

    >>> made = joint_kinematics([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0], [0, 0, 0], [0, 0, 0]])  # a ball joint
    >>> made.gamma[0]
    Vector([1, sin(q1)*sin(q2)/cos(q2), cos(q1)*sin(q2)/cos(q2)])
    >>> from polhode.model import Universal
    >>> joint_kinematics(Universal("z", "y"), coordinates=["a", "b"], speeds=["r", "s"]).velocity[:3]
    Vector([-r*sin(b), s, r*cos(b)])
    """
    if isinstance(joint, Joint):
        symbols = (joint.q if coordinates is None else coordinates, joint.u if speeds is None else speeds)
        return joint_kinematics(joint.type, groups, *symbols)
    if isinstance(joint, JointType):
        if groups is not None:
            raise _grouped(f"a {joint.kind} joint")
        stages, outermost_first = joint.stages, joint.outermost_first
    else:
        stages, outermost_first = _stages(joint, groups), True
    q = _symbols("q", "coordinate", [stage.coordinates for stage in stages], coordinates, stages)
    u = _symbols("u", "speed", [stage.speeds for stage in stages], speeds, ())
    return JointKinematics(stages, q, u, outermost_first)


def _stages(maps: Any, groups: Sequence[int] | None) -> tuple[Stage, ...]:
    """The simple joints of a map, of a list of maps, or of a column."""
    with understood("a joint or a joint map", maps, place="joint", cure=_CURE):
        if isinstance(maps, str | bytes):
            raise TypeError
        rows = list(maps)
    depth = _depth(rows)
    if depth != 3:
        return simple_joints([[entry] for entry in rows] if depth == 1 else rows, groups)
    if groups is not None:
        raise _grouped("a list of maps")
    return tuple(stage for row in rows for stage in simple_joints(row))


def _grouped(what: str) -> ModelError:
    return ModelError(f"{what} has its groups already.", place="groups", cure="Leave them out.", code="E-JOINT-TWICE")


def _depth(value: Any) -> int:
    """How deep lists are nested; a matrix is two deep."""
    depth = 0
    while not isinstance(value, str | Expr) and hasattr(value, "__iter__"):
        value, depth = next(iter(value), None), depth + 1
    return depth


def _symbols(
    letter: str, kind: str, counts: Sequence[int], stated: Sequence[Any] | None, stages: Sequence[Stage]
) -> Vector:
    """Expressions as they are given, or symbols by their names; the components of a quaternion have unit length."""
    size, role = sum(counts), OWN if kind == "speed" else ""
    with understood(f"a list of {kind}s", stated, place=f"{kind}s", cure="Give names or expressions."):
        if isinstance(stated, str | bytes):
            raise TypeError
        entries = [f"{letter}{k}" for k in range(1, size + 1)] if stated is None else list(stated)
        symbols = [symbol(entry, kind, role) if isinstance(entry, str) else as_expr(entry) for entry in entries]
    if len(symbols) != size:
        cure = "Give one for each; a nonholonomic joint has more coordinates than speeds."
        raise ModelError(f"the joint has {size} {kind}s, not {len(symbols)}.", f"{kind}s", cure, "E-JOINT-SHAPE")
    named = [entry for entry in entries if isinstance(entry, str)]
    odd = [name for name in named if not name.strip() or named.count(name) > 1]
    if odd:
        message = f"the name '{odd[0]}' stands for several {kind}s." if odd[0].strip() else f"a {kind} has no name."
        raise ModelError(message, f"{kind}s", "Give each a name of its own.", "E-JOINT-NAME")
    start = 0
    for stage in stages:
        if stage.storage == "quaternion" and all(isinstance(entry, str) for entry in entries[start : start + 4]):
            symbols[start : start + 4] = unit_symbols(entries[start : start + 4], kind)
        start += stage.coordinates
    return Vector(symbols)


def _split(entries: Sequence[Any], counts: Sequence[int]) -> list[list[Any]]:
    """The entries in runs of these lengths."""
    ends = list(accumulate(counts, initial=0))
    return [list(entries[start:end]) for start, end in pairwise(ends)]
