"""What arrows and dyadics have in common: sums of coefficients times things of a basis, added and multiplied alike."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from ...errors import PolhodeError
from ...expr import Expr, as_expr
from ...model.builder import Builder
from .differentiation import axis_of, partials, rates, variable_of
from .owner import Anchor, key_of
from .scene import Axis, Key, Scene, scene_of
from .walk import gathered, spin_between


@dataclass(frozen=True, eq=False, repr=False)
class Combination(ABC):
    """A linear combination of unit vectors, or of pairs of them, of one system; kept as it was written."""

    system: Builder
    terms: Mapping[Any, Expr]

    __array_ufunc__ = None
    kind: ClassVar[tuple[str, str]]  # with its article, and without
    cure: ClassVar[str]  # how to make one of what is none

    def _like(self, terms: Iterable[tuple[Any, Expr]]) -> Self:
        return type(self)(self.system, gathered(terms))

    def __add__(self, other: Any) -> Self:
        if is_nothing(other):
            return self
        return self._like([*self.terms.items(), *self._fellow(other, "add").terms.items()])

    __radd__ = __add__

    def __neg__(self) -> Self:
        return self * -1

    def __sub__(self, other: Any) -> Self:
        return self if is_nothing(other) else self + -self._fellow(other, "subtract")

    def __rsub__(self, other: Any) -> Self:
        return (-self).__add__(other)

    def __mul__(self, scalar: Any) -> Self:
        factor = _scalar(scalar)
        return self._like((basis, entry * factor) for basis, entry in self.terms.items())

    __rmul__ = __mul__

    def __truediv__(self, scalar: Any) -> Self:
        divisor = _scalar(scalar)
        return self._like((basis, entry / divisor) for basis, entry in self.terms.items())

    def __eq__(self, other: object) -> bool:
        """Whether two are the same: equal components, in one basis, as functions."""
        if is_nothing(other):
            return not self
        if not isinstance(other, type(self)):
            return NotImplemented
        return self.system is other.system and not self - other

    # ---- derivatives -----------------------------------------------------------------------------------------

    def dt(self, frame: Anchor | Key | None = None) -> Self:
        """The time derivative seen from a frame (the ground): ċ e + c ω × e, with q̇ = Γ u and ṫ = 1."""
        scene, key = self._scene, key_of(self.system, frame, "differentiation")
        return self._changed(rates(self.terms.values(), scene), lambda own: spin_between(scene, key, own))

    def partial(self, by: Any, frame: Anchor | Key | None = None) -> Self:
        """The partial derivative by a speed or coordinate, seen from a frame (the ground), all others being held.

        By a speed it is what multiplies the speed, a partial velocity (10), (11), and the same in every frame. Where a
        coordinate and a speed have one name, the name means the speed: give the coordinate's symbol.

        >>> import polhode as ph
        >>> s = ph.System("arm")
        >>> A = s.body("A")
        >>> _ = s.joint("q", s.ground, A, ph.Revolute("z"), speeds=["u"])
        >>> A.angular_velocity().partial("u"), (A.x | A.x).partial("u")
        (ground_z, 0)
        """
        scene, key = self._scene, key_of(self.system, frame, "partial derivative")
        variable = variable_of(scene, by)
        changes = partials(self.terms.values(), variable, scene)
        return self._changed(changes, lambda own: axis_of(scene, key, own, variable))

    @abstractmethod
    def _changed(self, coefficients: Iterable[Expr], turn: Callable[[Key], dict[Axis, Expr]]) -> Self:
        """The sum of what changes of coefficients and of unit vectors make, those of a frame by a turn."""

    __hash__ = None  # type: ignore[assignment]  # what is equal may be written in many ways

    def _fellow(self, other: Any, verb: str) -> Self:
        """The other operand, if it is of this kind and of the same system."""
        if not isinstance(other, type(self)):
            a_kind, kind = self.kind
            raise PolhodeError(
                f"cannot {verb} {a_kind} and {other!r}, which is no {kind}.", cure=self.cure, code="E-VECTOR-001"
            )
        same_system(self.system, other.system)
        return other

    @property
    def _scene(self) -> Scene:
        return scene_of(self.system)


def same_system(one: Builder, other: Builder) -> None:
    """Refuse to mix arrows, points or bodies of two systems."""
    if one is not other:
        raise PolhodeError(
            f"arrows of different systems, '{one.name}' and '{other.name}', cannot be combined.",
            cure="Write both with the bodies of one system.",
            code="E-VECTOR-002",
        )


def is_nothing(other: object) -> bool:
    """Zero is every zero vector; `sum` begins with it."""
    return isinstance(other, int) and not other


def _scalar(value: Any) -> Expr:
    if isinstance(value, Combination):
        raise PolhodeError(
            "two arrows cannot be multiplied with * or /.",
            cure="Write a & b for the dot product, a ^ b for the cross product, a | b for a dyadic.",
            code="E-VECTOR-004",
        )
    return as_expr(value)
