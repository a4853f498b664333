"""Arrows: vectors without a basis until components are computed.

M. W. Sayers, "Symbolic Vector/Dyadic Multibody Formalism for Tree-Topology Systems", J. Guidance, Control, and Dynamics
14 (1991), notation and (3) to (11). An arrow is a sum of coefficients times unit vectors of any frames, kept as it was
written (native form); products of unit vectors of different frames come from the joints between them.

    paper        here
    b_1          B.x
    a · b        a & b, a.dot(b)
    a × b        a ^ b, a.cross(b)
    a b          a | b, a.outer(b), a dyadic
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from operator import index as whole
from typing import TYPE_CHECKING, Any

from ...errors import PolhodeError, understood
from ...expr import Expr, Vector, as_expr, free_symbols, is_zero, sqrt
from ...geometry.twist import ZERO
from ...model.directions import Directions
from ...model.reading import vector_of
from ..tree_paths import path_between
from .combination import Combination
from .scene import CONSTANT, Anchor, Axis, Key, Scene, along, gathered, home_of, key_of

if TYPE_CHECKING:
    from .dyadic import Dyadic


@dataclass(frozen=True, eq=False, repr=False)
class Arrow(Combination):
    """A vector: coefficients of unit vectors, which may belong to different frames.

    >>> import polhode as ph
    >>> s = ph.System()
    >>> A, B = s.body("A"), s.body("B")
    >>> one = s.joint("q1", s.ground, A, ph.Revolute("x"), speeds=["u1"])
    >>> two = s.joint("q2", A, B, ph.Revolute("y"), speeds=["u2"])
    >>> w = one.u[0] * s.ground.x + two.u[0] * A.y
    >>> w
    u1*n_x + u2*a_y
    >>> w == B.angular_velocity(), w & B.x, w ^ A.x
    (True, u1*cos(q2), -u2*a_z)
    """

    terms: Mapping[Axis, Expr]

    kind = ("an arrow", "arrow")
    cure = "Give a number a direction first: 3 * B.x."

    def __bool__(self) -> bool:
        """False for the zero vector alone, however it is written."""
        return any(self.components(next(iter(self.terms))[0])) if self.terms else False

    # ---- products --------------------------------------------------------------------------------------------

    @cached_property
    def by_frame(self) -> dict[Key, Vector]:
        """The components in each frame that the arrow is written in."""
        parts: dict[Key, list[Any]] = {}
        for (key, index), coefficient in self.terms.items():
            parts.setdefault(key, [0, 0, 0])[index] = coefficient
        return {key: Vector(entries) for key, entries in parts.items()}

    def dot(self, other: Any) -> Any:
        """a · b with the `other`: a scalar; with a dyadic, an arrow."""
        from .dyadic import Dyadic

        if isinstance(other, Dyadic):
            return other.T.dot(self)
        scene, total = self._scene, as_expr(0)
        for key_a, a in self.by_frame.items():
            for key_b, b in self._fellow(other, "multiply").by_frame.items():
                total = total + (a.dot(b) if key_a == key_b else a.dot(scene.rotation(key_a, key_b) @ b))
        return total

    def cross(self, other: Any) -> Any:
        """a × b with the `other`, each pair of unit vectors in a frame in which both are fixed, where there is one; a ×
        D, a dyadic.
        """
        from .dyadic import Dyadic

        if isinstance(other, Dyadic):
            return -other.T.cross(self).T
        terms: list[tuple[Axis, Expr]] = []
        for key_a, a in self.by_frame.items():
            for key_b, b in self._fellow(other, "multiply").by_frame.items():
                terms += _crossed(self._scene, key_a, a, key_b, b)
        return Arrow(self.system, gathered(terms))

    def outer(self, other: Any) -> Dyadic:
        """The dyadic a b with the `other`."""
        from .dyadic import Dyadic

        pairs = self._fellow(other, "multiply").terms.items()
        return Dyadic(self.system, gathered(((one, two), a * b) for one, a in self.terms.items() for two, b in pairs))

    __and__ = dot
    __xor__ = cross
    __or__ = outer

    def norm(self) -> Expr:
        """|a| = √(a · a)."""
        length: Expr = sqrt(as_expr(self.dot(self)))
        return length

    def normalized(self) -> Arrow:
        """a / |a|."""
        return self / self.norm()

    # ---- bases -----------------------------------------------------------------------------------------------

    def components(self, frame: Anchor | Key) -> Vector:
        """The components along the axes of a body or frame."""
        key = key_of(self.system, frame, "components")
        total = ZERO
        for anchor, vector in self.by_frame.items():
            total = total + (vector if anchor == key else self._scene.rotation(key, anchor) @ vector)
        return Vector([as_expr(entry) for entry in total])

    def express(self, frame: Anchor | Key) -> Arrow:
        """The same vector in the basis of a body or frame: its dot product with the basis dyadic (7)."""
        key = key_of(self.system, frame, "basis")
        return Arrow(self.system, dict(along(key, self.components(key))))

    # ---- derivatives -----------------------------------------------------------------------------------------

    def _changed(self, coefficients: Iterable[Expr], turn: Callable[[Key], dict[Axis, Expr]]) -> Arrow:
        total = Arrow(self.system, gathered(zip(self.terms, coefficients, strict=True)))
        for anchor, vector in self.by_frame.items():
            total = total + Arrow(self.system, turn(anchor)).cross(Arrow(self.system, dict(along(anchor, vector))))
        return total

    # ---- writing ---------------------------------------------------------------------------------------------


def unit(owner: Directions, index: int) -> Arrow:
    """The unit vector along an axis of a body or frame."""
    with understood("the number of an axis", index, place="axis", cure="Give 0, 1 or 2."):
        axis = range(-3, 3).index(whole(index)) % 3
    return arrow_of(owner, [int(axis == k) for k in range(3)])


def arrow_of(owner: Directions, components: Iterable[Any]) -> Arrow:
    """The vector with these components along the axes of a body or frame."""
    system = home_of(owner)
    return Arrow(system, dict(along(key_of(system, owner, "arrow"), vector_of(components, f"arrow in '{owner.name}'"))))


def _crossed(scene: Scene, key_a: Key, a: Vector, key_b: Key, b: Vector) -> list[tuple[Axis, Expr]]:
    """a × b for vectors of two frames: axes that are fixed in one frame there, so that these bring in no angle."""
    if key_a == key_b:
        return list(along(key_a, a.cross(b)))
    terms: list[tuple[Axis, Expr]] = []
    alone: dict[tuple[int, ...], list[int]] = {}  # axes of b, and the axes of a that share no frame with these
    for i in (i for i in range(3) if a[i]):
        others = []
        for j in (j for j in range(3) if b[j]):
            key = common_frame(scene, (key_a, i), (key_b, j))
            if key is None:
                others.append(j)
            else:
                one, two = scene.rotation(key, key_a)[:, i], scene.rotation(key, key_b)[:, j]
                terms += along(key, one.cross(two), a[i] * b[j])
        alone.setdefault(tuple(others), []).append(i)
    R, b_is_outer = scene.rotation(key_a, key_b), scene.link_and_pose(key_b)[0] >= scene.link_and_pose(key_a)[0]
    for others_of_b, in_b in alone.items():
        part_a, part_b = _only(a, in_b), _only(b, others_of_b)
        if b_is_outer:  # in the outer frame: what comes after is mostly written there
            terms += along(key_b, (R.T @ part_a).cross(part_b))
        else:
            terms += along(key_a, part_a.cross(R @ part_b))
    return terms


def _only(vector: Vector, axes: Collection[int]) -> Vector:
    return Vector([entry if k in axes else 0 for k, entry in enumerate(vector)])


def common_frame(scene: Scene, a: Axis, b: Axis) -> Key | None:
    """A frame between those of two unit vectors in which both are fixed, as near to the second as there is."""
    (i_a, _), (i_b, _) = scene.link_and_pose(a[0]), scene.link_and_pose(b[0])
    path = path_between(scene.tree, i_a, i_b)
    from_a = _fixed_along(scene, a, path)
    from_b = len(path) - _fixed_along(scene, b, path[::-1])
    if from_a <= from_b:
        return None
    i = path[from_a - 1]
    frames = {i_b: b[0], i_a: a[0]} if i_a != i_b else {i_b: b[0]}
    return frames.get(i, scene.link_keys[i])


def _fixed_along(scene: Scene, axis: Axis, path: list[int]) -> int:
    """Number of links on a path, from the vector's own, in which it is fixed."""
    key, index = axis
    direction = Vector(scene.link_and_pose(key)[1].R[:, index])
    count = 1
    for here, there in pairwise(path):
        inward = here > there
        turn = scene.tree.links[here if inward else there].turn
        direction = turn.inward(direction) if inward else turn.outward(direction)
        if any(x.data[0] not in CONSTANT for x in free_symbols([as_expr(entry) for entry in direction])):
            break
        count += 1
    return count


def unit_direction(value: Arrow | Iterable[Any], place: str) -> Any:
    """A direction of exactly unit length as given: an arrow, or three components; raise otherwise."""
    direction = value if isinstance(value, Arrow) else vector_of(value, place)
    if not is_zero(direction.dot(direction) - 1):
        cure = "Divide a direction of known length by it (arrow.normalized()); turn a frame where it is symbolic."
        raise PolhodeError(f"the direction {direction!r} is not a unit vector.", place, cure, "E-VECTOR-NUMBER")
    return direction


def reference_direction(axis: Any, reference: Arrow | Iterable[Any], place: str) -> Any:
    """The unit vector across an axis on the side of a reference: (r - a (a·r))/|…|, for a unit axis a."""
    a = unit_direction(axis, place)
    r = reference if isinstance(reference, Arrow) else vector_of(reference, place)
    across = r - a * a.dot(r)
    square = as_expr(across.dot(across))
    if is_zero(square):
        cure = "Give a reference direction that leaves the axis."
        raise PolhodeError(f"the reference {r!r} is parallel to the axis {a!r}.", place, cure, "E-VECTOR-NUMBER")
    direction = across / sqrt(square)
    return direction if isinstance(direction, Arrow) else Vector([as_expr(entry) for entry in direction])
