"""Dyadics: sums of coefficients times pairs of unit vectors, such as a body's inertia or a basis; Sayers (6) to (8)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ...errors import check_kind
from ...expr import Expr, Matrix, as_expr
from ...model.body import Body
from ...model.builder import Builder
from .arrow import Arrow
from .combination import Combination, same_system
from .scene import Anchor, Axis, Key, Scene, gathered, home_of, key_of, scene_of

Pair = tuple[Axis, Axis]


@dataclass(frozen=True, eq=False, repr=False)
class Dyadic(Combination):
    """A linear map of vectors to vectors, written with unit vectors of any frames.

    >>> import polhode as ph
    >>> s = ph.System()
    >>> A = s.body("A", inertia=(1, 2, 3))
    >>> _ = s.joint("q", s.ground, A, ph.Revolute("x"))
    >>> A.inertia_dyadic
    a_x|a_x + 2*a_y|a_y + 3*a_z|a_z
    >>> A.inertia_dyadic & A.y
    2*a_y
    >>> (A.x | A.y).dt(), A.inertia_dyadic.dt(A)
    (q'*a_x|a_z, 0)
    """

    terms: Mapping[Pair, Expr]

    kind = ("a dyadic", "dyadic")
    cure = "Make a dyadic of two arrows: A.x | A.x."

    def __bool__(self) -> bool:
        """False for the zero dyadic alone, however it is written."""
        return any(self.components(next(iter(self.terms))[0][0]).entries()) if self.terms else False

    @property
    def T(self) -> Dyadic:
        """The transpose."""
        return Dyadic(self.system, {(two, one): entry for (one, two), entry in self.terms.items()})

    @property
    def trace(self) -> Expr:
        """Σ c e₁ · e₂, the same in every basis."""
        return as_expr(sum((c * self._unit(one).dot(self._unit(two)) for (one, two), c in self.terms.items()), start=0))

    def _unit(self, axis: Axis) -> Arrow:
        return Arrow(self.system, {axis: as_expr(1)})

    def dot(self, other: Any) -> Any:
        """D · a with the `other`, an arrow; D · E, a dyadic."""
        if isinstance(other, Dyadic):
            same_system(self.system, other.system)
            products = (self._unit(one).outer(other.T.dot(self._unit(two)) * c) for (one, two), c in self.terms.items())
            return sum(products, start=Dyadic(self.system, {}))
        check_kind(Arrow, "an arrow or a dyadic", other, "product with a dyadic", "Numbers multiply with *.")
        same_system(self.system, other.system)
        return Arrow(
            self.system, gathered((one, c * self._unit(two).dot(other)) for (one, two), c in self.terms.items())
        )

    __and__ = dot

    def cross(self, other: Any) -> Dyadic:
        """D × a with the `other`, a dyadic: (D × a) · b = D · (a × b)."""
        check_kind(Arrow, "an arrow", other, "cross product of a dyadic")
        products = (self._unit(one).outer(self._unit(two).cross(other) * c) for (one, two), c in self.terms.items())
        return sum(products, start=Dyadic(self.system, {}))

    __xor__ = cross

    def components(self, frame: Anchor | Key) -> Matrix:
        """The matrix of components along the axes of a body or frame: R D Rᵀ, over all that it is written in."""
        key = key_of(self.system, frame, "components")
        blocks: dict[tuple[Key, Key], list[list[Any]]] = {}
        for ((left, i), (right, j)), coefficient in self.terms.items():
            blocks.setdefault((left, right), [[0] * 3 for _ in range(3)])[i][j] = coefficient
        total = Matrix.zeros(3, 3)
        for (left, right), block in blocks.items():
            turned = Matrix(block)
            if left != key:
                turned = self._scene.rotation(key, left) @ turned
            if right != key:
                turned = turned @ self._scene.rotation(right, key)
            total = total + turned
        return total.map(as_expr)

    def express(self, frame: Anchor | Key) -> Dyadic:
        """The same dyadic in the basis of a body or frame: A · D · A (19)."""
        key = key_of(self.system, frame, "basis")
        return _from_matrix(self.system, key, self.components(key))

    def _changed(self, coefficients: Iterable[Expr], turn: Callable[[Key], dict[Axis, Expr]]) -> Dyadic:
        """ω × D for the frames on the left, and -D × ω for those on the right."""
        total = Dyadic(self.system, gathered(zip(self.terms, coefficients, strict=True)))
        for side in (0, 1):
            parts: dict[Key, dict[Pair, Expr]] = {}
            for pair, coefficient in self.terms.items():
                parts.setdefault(pair[side][0], {})[pair] = coefficient
            for anchor, terms in parts.items():
                turning, part = Arrow(self.system, turn(anchor)), Dyadic(self.system, terms)
                total = total - part.cross(turning) if side else total + turning.cross(part)
        return total


def _from_matrix(system: Builder, key: Key, matrix: Matrix) -> Dyadic:
    return Dyadic(system, gathered((((key, i), (key, j)), matrix[i, j]) for i in range(3) for j in range(3)))


def inertia_dyadic(body: Body) -> Dyadic:
    """The inertia of a body about its mass centre, Σ I_ij b_i b_j (18)."""
    return _from_matrix(home_of(body), body.name, body.inertia)


def basis(frame: Body | Any, shared: bool = False) -> Dyadic:
    """The basis dyadic xx + yy + zz of a body or frame (6): dotting with it projects a vector into that basis.

    With `shared`, an axis that is also an axis of the body that carries it is written as that one's, as in the paper.
    """
    system = home_of(frame)
    key = key_of(system, frame, "basis")
    scene = scene_of(system)
    axes = [_innermost(scene, (key, index)) if shared else (key, index) for index in range(3)]
    return Dyadic(system, {(axis, axis): as_expr(1) for axis in axes})


def _innermost(scene: Scene, axis: Axis) -> Axis:
    """The innermost body that has a unit vector as one of its axes, and which."""
    key, index = axis
    for body in scene.path(scene.body_of(key)):
        column = scene.rotation(body, key)[:, index]
        if 1 in column:
            return body, column.index(1)
    return axis
