"""Operations of inverse dynamics, counted in three ways on general arms and on any tree.

    as written    the formalism's own lines run on scalars that only count: every sum and product that the method
                  states, no zero used, nothing shared that the method does not share
    on the graph  the same arm derived as equations and planned: shared, but with no zero to use either
    customised    a real arm, whose zeros and right angles the plan uses

The general arm has dense rotations of independent entries, dense offsets and inertias, and joints that turn about z. As
written, the rotation from link to link is given, or its vector-parameter; on the graph it is made from the joint's
angle. A division counts as a multiplication.

C. Mladenova's Table 3: the operations of inverse dynamics for an arm of n joints, as printed.

For n = 6 the table prints 37823 and 39462 for row A and 3256 for row B, less than its own leading terms come to; those
numbers are left out (see docs/errata.md).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

from ...codegen.ir.count import count
from ...codegen.plan import plan
from ...dynamics.sweeps import accelerate
from ...errors import check_known
from ...expr import Expr, Matrix, Vector, as_expr, free_symbols, pi, quiet_collector, symbol
from ...expr.spelling import OWN, acceleration_of
from ...formalisms import (
    hollerbach_3x3,
    hollerbach_4x4,
    orin,
    silver,
    stepanenko_vukobratovic,
    uicker_kahn,
    vector_newton_euler,
)
from ...formalisms.registry import formalism_of
from ...formalisms.short import newton_euler
from ...formalisms.vector_newton_euler import VectorLink
from ...formats.dh import Row, from_dh
from ...geometry import Inertia, Pose, about
from ...geometry.twist import Twist, Wrench
from ...kinematics.passes import USUAL, apply
from ...kinematics.prescribed import Drive
from ...kinematics.tree import BASE, Link, Tree, build_tree
from ...model.model import Model
from ...model.stage import Stage
from ...model.system import System

_ZERO = Vector([0, 0, 0])
_Z = Vector([0, 0, 1])


@dataclass(frozen=True)
class Count:
    """Multiplications and additions of one evaluation of inverse dynamics."""

    multiplications: int
    additions: int

    def __str__(self) -> str:
        return f"{self.multiplications} / {self.additions}"


@dataclass
class Tally:
    """Counters of the operations on scalars."""

    multiplications: int = 0
    additions: int = 0
    divisions: int = 0
    functions: int = 0

    def scalar(self) -> Scalar:
        return Scalar(self)

    def vector(self, size: int) -> Vector:
        return Vector([Scalar(self) for _ in range(size)])

    def matrix(self, size: int) -> Matrix:
        return Matrix([self.vector(size) for _ in range(size)])


class Scalar:
    """An unknown number whose arithmetic is only counted; products with 0, ±1 and signs cost nothing."""

    __slots__ = ("_tally",)

    def __init__(self, tally: Tally) -> None:
        self._tally = tally

    def __add__(self, other: Any) -> Any:
        if isinstance(other, int) and other == 0:
            return self
        self._tally.additions += 1
        return Scalar(self._tally)

    __radd__ = __sub__ = __rsub__ = __add__

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, int) and other in (0, 1, -1):
            return self if other else 0
        self._tally.multiplications += 1
        return Scalar(self._tally)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Scalar:
        self._tally.divisions += 1
        return Scalar(self._tally)

    __rtruediv__ = __truediv__

    def function(self) -> Scalar:
        """A sine, cosine or tangent of it."""
        self._tally.functions += 1
        return Scalar(self._tally)

    def __neg__(self) -> Scalar:
        return self


def as_written(formalism: str, n: int) -> Count:
    """Operations of a formalism's lines as written, for a general arm of n joints."""
    return as_written_on(formalism, general_tree(n), zeros=False)


def as_written_on(formalism: str, tree: Tree, zeros: bool) -> Count:
    """Operations of a formalism as written, for a tree.

    With `zeros` products with 0, 1 or -1 and sums with 0 cost nothing; without, all numbers count as general.
    """
    tally = Tally()
    _RUN[known(formalism)](tree, _Blanks(tally, zeros))
    return Count(tally.multiplications + tally.divisions, tally.additions)


@dataclass(frozen=True)
class _Blanks:
    """Numbers of which nothing is known, in place of those of a tree."""

    tally: Tally
    zeros: bool

    def number(self, entry: Any) -> Any:
        value = as_expr(entry)
        if self.zeros and value.is_number and value.data in (0, 1, -1):
            return int(value.data)
        return Scalar(self.tally)

    def vector(self, v: Vector) -> Vector:
        return Vector(map(self.number, v))

    def matrix(self, m: Matrix) -> Matrix:
        return m.map(self.number)

    def full(self, value: Matrix | Vector) -> Matrix | Vector:
        return self.matrix(value) if isinstance(value, Matrix) else self.vector(value)

    def derivative(self, value: Matrix | Vector) -> Matrix | Vector:
        """A derivative by a joint's coordinate; one that is zero by the joint's kind stays so."""
        if any(value.entries() if isinstance(value, Matrix) else value):
            return self.full(value)
        return Matrix.zeros(*value.shape) if isinstance(value, Matrix) else _ZERO

    def inertia(self, inertia: Inertia) -> Inertia:
        return Inertia(self.number(inertia.m), self.vector(inertia.h), self.matrix(inertia.J))

    def axis(self, v: Vector) -> Vector:
        """A joint's axis: as it is with the tree's zeros, else the z of a frame that is put there."""
        if not any(v):
            return _ZERO
        return self.vector(v) if self.zeros else _Z

    def rates(self, tree: Tree) -> tuple[Vector, Vector, Vector]:
        """q̇, q̈ and gravity."""
        gravity = self.vector(tree.gravity) if self.zeros else self.tally.vector(3)
        return self.tally.vector(len(tree.u)), self.tally.vector(len(tree.u)), gravity

    def tree(self, tree: Tree) -> Tree:
        """The same tree of such numbers."""
        size = len(tree.u)
        q, u, tau = self.tally.vector(size), self.tally.vector(size), self.tally.vector(size)
        return Tree(tuple(map(self.link, tree.links)), {}, q, u, tau, _ZERO)

    def link(self, link: Link) -> Link:
        """A link whose rotation and offset in the parent are given, the rotation as one matrix."""
        fixed = Pose(Matrix.identity(3), self.vector(link.X.p))
        motion = Pose(self.matrix(link.X.R), _ZERO)
        drive = link.drive and Drive(*(self._along(part) for part in vars(link.drive).values()))
        H = tuple(self._screw(w, v) for w, v in link.H)
        inertia = self.inertia(link.inertia)
        result = replace(link, fixed=fixed, motion=motion, H=H, inertia=inertia, drive=drive)
        if isinstance(result, VectorLink) and any(result.c):
            return replace(result, c=self.vector(result.c))
        return result

    def _screw(self, w: Vector, v: Vector) -> Twist:
        slide = self.axis(v)
        if any(w) and any(v) and not self.zeros:
            slide = Vector([0, 0, self.tally.scalar()])  # a screw: its pitch
        return Twist(self.axis(w), slide)

    def _along(self, part: Vector) -> Vector:
        if not any(part):
            return _ZERO
        return self.vector(part) if self.zeros else Vector([0, 0, self.tally.scalar()])

    def segment(self, segment: Any) -> Any:
        """A segment of a Lagrangian method, part by part."""
        result: dict[str, Any] = {}
        for field in fields(segment):
            value = getattr(segment, field.name)
            if isinstance(value, Inertia):
                result[field.name] = self.inertia(value)
            elif isinstance(value, Matrix | Vector):
                derived = "_D_" in field.name
                result[field.name] = self.derivative(value) if derived else self.full(value)
        return replace(segment, **result)


def _by_segments(method: Callable[..., list[Any]], segments: Callable[..., Any], *given: str) -> Callable[..., object]:
    def run(tree: Tree, blanks: _Blanks) -> object:
        return method(list(map(blanks.segment, segments(tree, *given))), *blanks.rates(tree))

    return run


def _by_mass_centres(method: Callable[..., list[Any]]) -> Callable[[Tree, _Blanks], object]:
    def run(tree: Tree, blanks: _Blanks) -> object:
        u, ud, gravity = blanks.rates(tree)
        bodies = map(silver.central_inertia, tree.links)
        inertias = [
            silver.CentralInertia(blanks.number(body.m), blanks.vector(body.c), blanks.matrix(body.I))
            for body in bodies
        ]
        return method(blanks.tree(tree), inertias, u, ud, _free(tree), gravity)

    return run


def _by_newton_euler(tree: Tree, blanks: _Blanks) -> object:
    u, ud, gravity = blanks.rates(tree)
    result = blanks.tree(tree)
    return newton_euler.efforts_of(result, accelerate(result, u, ud, gravity), _free(tree))


def _free(tree: Tree) -> list[Wrench]:
    return [Wrench.zero()] * len(tree.links)


_RUN: dict[str, Callable[[Tree, _Blanks], object]] = {
    "uicker_kahn": _by_segments(uicker_kahn.inverse_dynamics, uicker_kahn.segments, "ladder"),
    "hollerbach_4x4": _by_segments(hollerbach_4x4.inverse_dynamics, uicker_kahn.segments, "ladder"),
    "hollerbach_3x3": _by_segments(hollerbach_3x3.inverse_dynamics, hollerbach_3x3.segments),
    "stepanenko_vukobratovic": _by_mass_centres(stepanenko_vukobratovic.inverse_dynamics),
    "orin": _by_mass_centres(orin.inverse_dynamics),
    "silver": _by_mass_centres(silver.inverse_dynamics),
    "vector_newton_euler": lambda tree, blanks: _RUN["silver"](vector_newton_euler.in_vector_parameters(tree), blanks),
    "newton_euler": _by_newton_euler,
}


# ---- arms: one in which nothing is zero, and two as they are built --------------------------------------------


def chain(segments: Sequence[tuple[Pose, Pose, Inertia]], q: Vector, u: Vector, gravity: Vector) -> Tree:
    """Links one after the other, each turning about its z: where its joint sits, how it is turned, what it weighs."""
    stage = Stage(Matrix([[0], [0], [1], [0], [0], [0]]))
    axis = (Twist(Vector([0, 0, 1]), Vector([0, 0, 0])),)
    links = tuple(
        Link(f"link {k + 1}", f"joint {k + 1}", k - 1 if k else BASE, stage, fixed, motion, axis, (k,), (k,), inertia)
        for k, (fixed, motion, inertia) in enumerate(segments)
    )
    return Tree(links, {}, q, u, u, gravity)


def general_tree(n: int) -> Tree:
    """A chain of n hinges about z, with a symbol for each entry of each fixed rotation, offset and inertia."""
    q = Vector([symbol(f"q{k}", "coordinate") for k in range(n)])
    u = Vector([symbol(f"u{k}", "speed", OWN) for k in range(n)])
    segments = []
    for k in range(n):
        fixed = Pose(_symbols(f"R{k}", 3), Vector(_symbols(f"p{k}", 3)[0]))
        motion = Pose(about((0, 0, 1), q[k]).map(as_expr), Vector([as_expr(0)] * 3))
        J = _symbols(f"J{k}", 3)
        symmetric = Matrix([[J[min(i, j), max(i, j)] for j in range(3)] for i in range(3)])
        segments.append((fixed, motion, Inertia(symbol(f"m{k}"), Vector(_symbols(f"h{k}", 3)[0]), symmetric)))
    return chain(segments, q, u, Vector(_symbols("g", 3)[0]))


def _symbols(name: str, size: int) -> Matrix:
    return Matrix([[symbol(f"{name}_{i}{j}") for j in range(size)] for i in range(size)])


def hinged_arm(name: str, table: Sequence[tuple[Any, Any, Any]], products_of_inertia: bool) -> System:
    """An arm of revolute joints from modified DH rows (α, a, d); text names a parameter."""
    system = System(name)
    rows = []
    for k, row in enumerate(table, start=1):
        alpha, a, d = (system.parameter(entry) if isinstance(entry, str) else entry for entry in row)
        m, *c = (system.parameter(f"{letter}{k}") for letter in ("m", "cx", "cy", "cz"))
        xx, yy, zz = (system.parameter(f"{letter}{k}") for letter in ("Ixx", "Iyy", "Izz"))
        xy, xz, yz = (
            system.parameter(f"{letter}{k}") if products_of_inertia else 0 for letter in ("Ixy", "Ixz", "Iyz")
        )
        inertia = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
        rows.append(Row(d=d, a=a, alpha=alpha, mass=m, com=c, inertia=inertia))
    return from_dh(rows, "modified", system=system)


def general_arm(n: int = 6) -> System:
    """Hinges in general position: every angle, length and product of inertia there is, the first axis vertical."""
    further = ((f"alpha{k}", f"a{k}", f"d{k}") for k in range(2, n + 1))
    return hinged_arm(f"general {n}R arm", [(0, 0, 0), *further], products_of_inertia=True)


def puma_like_arm() -> System:
    """Right angles, three lengths and a wrist whose axes meet, as in the PUMA 560."""
    rows = [(0, 0, 0), (-pi / 2, 0, 0), (0, "a2", "d3"), (-pi / 2, "a3", "d4"), (pi / 2, 0, 0), (-pi / 2, 0, 0)]
    return hinged_arm("PUMA-like arm", rows, products_of_inertia=False)


# ---- derived on the graph and planned -------------------------------------------------------------------------


def on_the_graph(formalism: str, n: int) -> Count:
    """The run part of the plan for a general arm of n joints, every constant of it a symbol of its own."""
    return _planned(formalism, System("general arm").model(), general_tree(n))


def customised(formalism: str, model: Model) -> Count:
    """The run part of the plan for a mechanism as it is, rewritten first as `derive` would where that is ours to do."""
    tree = build_tree(model)
    return _planned(formalism, model, apply(tree, USUAL) if formalism == "newton_euler" else tree)


def _planned(formalism: str, model: Model, tree: Tree) -> Count:
    with quiet_collector():
        ud = [acceleration_of(u) for u in tree.u]
        tau = [as_expr(entry) for entry in formalism_of(known(formalism)).load(shortened=True)(model, tree).inverse(ud)]
        arrays = [("q", list(tree.q)), ("u", list(tree.u)), ("udot", ud)]
        operations = count(plan("inverse_dynamics", arrays, [("tau", (len(tau),), tau)], _constants(tau, arrays)))
    return Count(operations.multiplications + operations.divisions, operations.additions)


def _constants(tau: Sequence[Expr], arrays: Sequence[tuple[str, list[Expr]]]) -> list[Expr]:
    moving = {entry for _, entries in arrays for entry in entries}
    return [entry for entry in free_symbols(tau) if entry not in moving]


_FRACTIONS = {Fraction(0): "", Fraction(1, 2): "½", Fraction(1, 3): "⅓", Fraction(2, 3): "⅔", Fraction(1, 4): "¼"}
_FRACTIONS |= {Fraction(3, 4): "¾", Fraction(1, 6): "⅙", Fraction(5, 6): "⅚"}
_POWERS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Formula:
    """A count as a polynomial in the number n of joints; not `whole` where only the leading term is known."""

    coefficients: tuple[Fraction, ...]  # highest power first
    whole: bool = True

    @staticmethod
    def of(*coefficients: Any) -> Formula:
        return Formula(tuple(map(Fraction, coefficients)))

    @staticmethod
    def leading_term(leading: Any, degree: int) -> Formula:
        return Formula((Fraction(leading), *[Fraction(0)] * degree), whole=False)

    @property
    def degree(self) -> int:
        return len(self.coefficients) - 1

    @property
    def leading(self) -> Fraction:
        return self.coefficients[0]

    def at(self, n: int) -> int | None:
        """Its value, where all of it is known."""
        total = Fraction(0)
        for coefficient in self.coefficients:
            total = total * n + coefficient
        return int(total) if self.whole else None

    def __str__(self) -> str:
        text = ""
        for power, coefficient in zip(range(self.degree, -1, -1), self.coefficients, strict=True):
            if coefficient:
                sign = " - " if coefficient < 0 else " + "
                text += f"{sign}{_mixed(abs(coefficient))}{_power(power)}"
        return text.removeprefix(" + ") + ("" if self.whole else " + …")


def _mixed(number: Fraction) -> str:
    """A number as tables print it: 32½, 86⅔."""
    units, rest = divmod(number, 1)
    return f"{units or ''}{_FRACTIONS[rest]}" if rest in _FRACTIONS else f"({number})"


def _power(exponent: int) -> str:
    return "" if exponent == 0 else "n" if exponent == 1 else f"n{str(exponent).translate(_POWERS)}"


def fitted(counts: Sequence[int]) -> Formula | None:
    """The polynomial of lowest degree through the last of the counts for n = 1, 2, …, and one more to prove it."""
    differences = list(counts)
    for degree in range(len(counts) - 1):
        if differences[-1] == differences[-2]:
            return _through(range(len(counts) - degree, len(counts) + 1), counts[len(counts) - degree - 1 :])
        differences = [after - before for before, after in pairwise(differences)]
    return None


def _through(nodes: Sequence[int], values: Sequence[int]) -> Formula:
    """Lagrange's polynomial through some points."""
    total = [Fraction(0)] * len(nodes)
    for node, value in zip(nodes, values, strict=True):
        basis = [Fraction(value)]
        for other in nodes:
            if other != node:  # times (n - other)/(node - other)
                shifted = [*basis, Fraction(0)]
                basis = [(x - other * y) / (node - other) for x, y in zip(shifted, [Fraction(0), *basis], strict=True)]
        total = [x + y for x, y in zip(total, basis, strict=True)]
    return Formula(tuple(total))


@dataclass(frozen=True)
class Method:
    """A row of Table 3, and the formalism that computes it, if there is one here."""

    letter: str
    authors: str
    formalism: str | None
    multiplications: Formula | None
    additions: Formula | None


#: Mladenova's Table 3. The multiplications of rows D and E, printed in each other's place, are put right.
TABLE_3 = (
    Method("A", "Uicker, Kahn", "uicker_kahn", Formula.leading_term("65/2", 4), Formula.leading_term(25, 4)),
    Method("B", "Waters", None, Formula.leading_term("213/2", 2), Formula.leading_term(82, 2)),
    Method("C", "Hollerbach, 4×4", "hollerbach_4x4", Formula.of(830, -592), Formula.of(675, -464)),
    Method("C", "Hollerbach, 3×3", "hollerbach_3x3", Formula.of(412, -277), Formula.of(320, -201)),
    Method("D", "Luh, Armstrong; Silver", "silver", Formula.of(150, -48), Formula.of(131, -48)),
    Method("E", "Orin, McGhee, Vukobratović", "orin", Formula.of(137, -22), Formula.of(101, -11)),
    Method("F", "Nakamura", None, Formula.of(133, -17), Formula.of(106, -19)),
    Method("G", "Mladenova", "vector_newton_euler", Formula.of(138, -53), Formula.of(143, -66)),
)

#: What polhode derives with: row D with second moments of mass in place of inertias about mass centres.
OURS = Method("", "Newton-Euler, second moments", "newton_euler", None, None)

#: The methods of the ladder: those of Table 3, what Silver names in 1.3 before row D, and ours.
METHODS = (
    *(method for method in TABLE_3 if method.letter < "D"),
    Method("", "Stepanenko, Vukobratović", "stepanenko_vukobratovic", None, None),
    *(method for method in TABLE_3 if method.letter >= "D"),
    OURS,
)

#: Their formalisms.
FORMALISMS = tuple(method.formalism for method in METHODS if method.formalism is not None)


def known(formalism: str) -> str:
    """The name of a formalism of the ladder, or an error."""
    check_known("formalism", [formalism], FORMALISMS, place="ladder", code="E-PAPER-NAME")
    return formalism
