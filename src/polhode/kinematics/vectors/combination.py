"""What arrows and dyadics have in common: sums of coefficients times things of a basis, added and multiplied alike.

They change with time, and with one coordinate or speed alone, as a frame sees it: a unit vector e of a frame changes by
a turn. In time, ė = ω × e; with a coordinate, ∂e/∂q = ω_q × e, where ω_q is the axis about which q turns the frame of e
in the frame that looks; with a speed not at all. T. R. Kane and D. A. Levinson, Dynamics: Theory and Applications
(1985), sections 1.7 and 2.1, where partial derivatives are taken in a reference frame.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, Self

from ...errors import PolhodeError, fault_at, shown
from ...expr import Expr, Matrix, Vector, as_expr, derivative, directional, free_symbols, normal, substitute
from ...expr.latex_printer import latex_as_built
from ...expr.node import ADD, NEG, SUB, SYMBOL
from ...expr.spelling import acceleration_of, further_rate, latex_escape
from ...expr.text_printer import text
from ...model.builder import Builder
from .scene import CONSTANT, Anchor, Axis, Key, Scene, along, gathered, key_of, scene_of, spin_between

Term = tuple[tuple[Axis, ...], Expr]


def text_sum(system: Builder, terms: Sequence[Term]) -> str:
    """u1*n_x + u2*a_y."""
    letters = _letters(system)
    pairs = [
        ("|".join(f"{_letter(letters, key)}_{'xyz'[index]}" for key, index in axes), coefficient)
        for axes, coefficient in _gathered(system, terms)
    ]
    return _sum(pairs, text, "*", "({})")


def latex_sum(system: Builder, terms: Sequence[Term], hats: bool) -> str:
    r"""u_{1} \mathbf{n}_{x} + u_{2} \mathbf{a}_{y}."""
    letters = _letters(system)
    pairs = [
        (r" \,".join(_bold(_letter(letters, key), index, hats) for key, index in axes), normal(coefficient))
        for axes, coefficient in _gathered(system, terms)
    ]
    return _sum(pairs, latex_as_built, " ", r"\left({}\right)")


def _gathered(system: Builder, terms: Sequence[Term]) -> list[Term]:
    """Terms in as few bases as they need: unit vectors of parallel bases are those of the basis that is met first."""
    scene, basis, coefficients = scene_of(system), dict[Key, Key](), dict[tuple[Axis, ...], Expr]()
    for axes, coefficient in terms:
        for key, _ in axes:
            if key not in basis:
                others = [other for other in basis.values() if {other, key} <= scene.link_poses.keys()]
                basis[key] = next((other for other in others if scene.rotation(other, key) == Matrix.identity(3)), key)
        units = tuple((basis[key], index) for key, index in axes)
        coefficients[units] = coefficients[units] + coefficient if units in coefficients else coefficient
    return [(axes, coefficient) for axes, coefficient in coefficients.items() if coefficient]


def _sum(pairs: Sequence[tuple[str, Expr]], write: Callable[[Expr], str], times: str, brackets: str) -> str:
    line = ""
    for unit, coefficient in pairs:
        minus = coefficient.op == NEG
        size = coefficient.args[0] if minus else coefficient
        body = write(size)
        if body.startswith("-"):  # also of a sum: then all of its terms are negative
            minus, body = not minus, write(-size)
        body = brackets.format(body) if size.op in (ADD, SUB) else body
        body = unit if body == "1" else f"{body}{times}{unit}"
        line += (" - " if minus else " + ") + body if line else f"-{body}" if minus else body
    return line or "0"


def _letters(system: Builder) -> dict[str, str]:
    """The letters of unit vectors: n of the ground, else the initial of a body or frame, its name if that is taken."""
    names = [name for name in (*system.bodies, *system.frames) if name != "ground"]
    initials = Counter(["n", *(name[:1].lower() for name in names)])
    small = {name: name[:1].lower() for name in names}
    return {"ground": "n"} | {n: small[n] if initials[small[n]] == 1 and small[n].isalpha() else n for n in names}


def _letter(letters: Mapping[str, str], key: Key) -> str:
    """The letter in front of an axis."""
    return f"{key[0]}.{key[1]}" if isinstance(key, tuple) else letters.get(key, key)


def _bold(letter: str, index: int, hats: bool) -> str:
    name = letter if len(letter) == 1 and letter.isalnum() else rf"\text{{{latex_escape(letter)}}}"
    bold = rf"\mathbf{{{name}}}"
    return rf"\hat{{{bold}}}_{{{'xyz'[index]}}}" if hats else f"{bold}_{{{'xyz'[index]}}}"


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
        return self._changed(rates(self.terms.values(), scene), lambda anchor: spin_between(scene, key, anchor))

    def partial(self, by: Any, frame: Anchor | Key | None = None) -> Self:
        """The partial derivative by a speed or coordinate, seen from a frame (the ground), all others being held.

        By a speed it is what multiplies the speed, a partial velocity (10), (11), and the same in every frame. Where a
        coordinate and a speed have one name, the name means the speed: give the coordinate's symbol.
        """
        scene, key = self._scene, key_of(self.system, frame, "partial derivative")
        variable = variable_of(scene, by)
        changes = partials(self.terms.values(), variable, scene)
        return self._changed(changes, lambda anchor: axis_of(scene, key, anchor, variable))

    @abstractmethod
    def _changed(self, coefficients: Iterable[Expr], turn: Callable[[Key], dict[Axis, Expr]]) -> Self:
        """The sum of the changes of coefficients and of unit vectors, those of a frame by a turn."""

    __hash__ = None  # type: ignore[assignment]  # what is equal may be written in many ways

    def _fellow(self, other: Any, verb: str) -> Self:
        """The other operand, if it is of this kind and of the same system."""
        if not isinstance(other, type(self)):
            a_kind, kind = self.kind
            raise PolhodeError(
                f"cannot {verb} {a_kind} and {other!r}, which is no {kind}.", cure=self.cure, code="E-VECTOR-TYPE"
            )
        same_system(self.system, other.system)
        return other

    @property
    def _scene(self) -> Scene:
        return scene_of(self.system)

    def _units(self) -> list[Term]:
        """Terms by the unit vectors in them: one of an arrow, two of a dyadic."""
        return [((unit,) if isinstance(unit[1], int) else unit, entry) for unit, entry in self.terms.items()]

    def __repr__(self) -> str:
        return text_sum(self.system, self._units())

    def latex(self, hats: bool = False) -> str:
        """LaTeX for math mode; unit vectors are bold letters, with `hats` if wished."""
        return latex_sum(self.system, self._units(), hats)

    def _repr_latex_(self) -> str:
        return f"${self.latex()}$"


def same_system(one: Builder, other: Builder) -> None:
    """Refuse to mix arrows, points or bodies of two systems."""
    if one is not other:
        message = f"arrows of different systems, '{one.name}' and '{other.name}', cannot be combined."
        raise PolhodeError(message, cure="Write both with the bodies of one system.", code="E-VECTOR-TREE")


def is_nothing(other: object) -> bool:
    """Zero is every zero vector; `sum` begins with it."""
    return isinstance(other, int) and not other


def _scalar(value: Any) -> Expr:
    if isinstance(value, Combination):
        cure = "Write a & b for the dot product, a ^ b for the cross product, a | b for a dyadic."
        raise PolhodeError("two arrows cannot be multiplied with * or /.", cure=cure, code="E-VECTOR-TYPE")
    return as_expr(value)


fault = fault_at("partial derivative")


def rates(entries: Iterable[Expr], scene: Scene, others: Mapping[Expr, Any] = MappingProxyType({})) -> list[Expr]:
    """Rates of coefficients: q̇ = Γ u, u̇ the acceleration symbols, ṫ = 1, and `others` by symbol."""
    followed = substitute(entries, scene.tree.followed)
    known_rates = {**scene.rates, **others}
    for x in free_symbols(followed):
        if x not in known_rates and x.data[0] not in CONSTANT:
            message = f"how the {x.data[0]} '{x.name}' changes in time is not known."
            cure = "Differentiate what depends on coordinates, speeds, parameters and time."
            raise PolhodeError(message, "differentiation", cure, "E-VECTOR-DEPENDENCE")
    return directional(followed, known_rates)


def rate_of(system: Builder, value: Any) -> Any:
    """The time derivative of an expression, or of each entry of a vector, matrix or equation, along any motion."""
    scene, model = scene_of(system), system.model()
    others = {state.symbol: state.rate for state in model.states.values() if state.rate is not None}
    others |= {acceleration_of(u): further_rate(acceleration_of(u), 1) for u in scene.tree.u}

    def one(entry: Any) -> Expr:
        return rates([as_expr(entry)], scene, others)[0]

    return value.map(one) if hasattr(value, "map") else one(value)


def partials(entries: Iterable[Expr], by: Expr, scene: Scene) -> list[Expr]:
    """Partial derivatives of coefficients by a coordinate or speed."""
    followed = substitute(entries, scene.tree.followed)
    for x in free_symbols(followed):
        if x.data[0] == "intermediate":
            message = f"how '{x.name}', a name for another expression, changes is not known."
            raise fault(message, "Differentiate what it stands for: named(…).unnamed().", "E-VECTOR-DEPENDENCE")
    return derivative(followed, by)


def variable_of(scene: Scene, by: Any) -> Expr:
    """A speed or coordinate by its symbol or name; where both have a name it is the speed."""
    tree = scene.tree
    variables: list[Expr] = [*tree.u, *tree.q]
    x = next((x for x in variables if by is x or (isinstance(by, str) and by == x.name)), None)
    if x is None:
        cure = f"Give one of {', '.join(dict.fromkeys([*tree.speeds, *tree.coordinates]))}."
        raise fault(f"{shown(by)} is neither a speed nor a coordinate of the system.", cure, "E-VECTOR-TYPE")
    if any(x in tree.q[first : first + 4] for first in tree.quaternions):
        message = f"'{x.name}' does not change alone: it is a component of a unit quaternion."
        cure = "Differentiate by the speeds, or store the orientation as angles or as a vector-parameter."
        raise fault(message, cure, "E-VECTOR-DEPENDENCE")
    return x


def axis_of(scene: Scene, frame: Key, outer: Key, by: Expr) -> dict[Axis, Expr]:
    """ω_q of frame `outer` in `frame`: the column of the coordinate's speed, else Rᵀ ∂R/∂q; none for a speed."""
    if by not in scene.tree.q:
        return {}
    speed = scene.rates[by]
    if speed.op == SYMBOL and not any(speed in free_symbols([rate]) for q, rate in scene.rates.items() if q is not by):
        spin = spin_between(scene, frame, outer)
        return gathered(zip(spin, derivative(spin.values(), speed), strict=True))
    R = scene.rotation(frame, outer)
    entries = substitute([as_expr(entry) for entry in R.entries()], scene.tree.followed)
    slopes = derivative(entries, by)
    columns = [Vector(slopes[k::3]) for k in range(3)]
    W = [[as_expr(R[:, i].dot(column)) for column in columns] for i in range(3)]  # Rᵀ ∂R/∂q, in components of `outer`
    return dict(along(outer, Vector([W[2][1], W[0][2], W[1][0]])))
