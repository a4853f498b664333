"""The historical ladder of inverse dynamics: what each method costs, as printed, as written and as we write it.

C. Mladenova's Table 3 compares the operations that an arm of n joints takes, from Uicker and Kahn's n⁴ to recursions that
grow with n. Here every method of it that polhode has is counted three times:

    as written   the formalism's own lines run on scalars that only count: every sum and product that the method
                 states, no zero used, nothing shared that the method does not share
    on the graph the same arm derived as equations and planned: shared, but with no zero to use either
    customised   a real arm, whose zeros and right angles the plan uses

The arm is general: dense rotations of independent entries, dense offsets and inertias, joints that turn about z.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

from .codegen.count import count
from .codegen.plan import plan
from .errors import PolhodeError
from .expr import Matrix, Vector, as_expr, free_symbols, pi, quiet_collector, symbol
from .formalisms import hollerbach_3x3, hollerbach_4x4, newton_euler, silver, uicker_kahn
from .geometry import Inertia, Pose, about, rotation
from .kinematics.passes import PASSES, apply
from .kinematics.tree import BASE, Link, Tree, build_tree
from .model.joint_type import Revolute
from .model.stage import Stage
from .model.system import System

# ---- what was printed ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Formula:
    """A count as a polynomial in the number n of joints; not `whole` where only the leading term is known.

    >>> print(Formula.of(830, -592), "=", Formula.of(830, -592).at(6))
    830n - 592 = 4388
    >>> print(Formula.leading_term("65/2", 4))
    32½n⁴ + …
    """

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
                text += f"{sign}{_mixed(abs(coefficient))}{('', 'n', 'n²', 'n³', 'n⁴')[power]}"
        return text.removeprefix(" + ") + ("" if self.whole else " + …")


def _mixed(number: Fraction) -> str:
    """A number as tables print it: 32½, 86⅔."""
    whole, rest = divmod(number, 1)
    sign = {Fraction(0): "", Fraction(1, 2): "½", Fraction(1, 3): "⅓", Fraction(2, 3): "⅔", Fraction(1, 6): "⅙"}
    sign |= {Fraction(5, 6): "⅚", Fraction(1, 4): "¼", Fraction(3, 4): "¾"}
    return f"{whole or ''}{sign[rest]}" if rest in sign else f"({number})"


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
    Method("E", "Orin, McGhee, Vukobratović", None, Formula.of(137, -22), Formula.of(101, -11)),
    Method("F", "Nakamura", None, Formula.of(133, -17), Formula.of(106, -19)),
    Method("G", "Mladenova", None, Formula.of(138, -53), Formula.of(143, -66)),
)

#: What polhode derives with: row D with second moments of mass in place of inertias about mass centres.
OURS = Method("", "Newton-Euler, second moments", "newton_euler", None, None)


@dataclass(frozen=True)
class Count:
    """Multiplications and additions of one evaluation of inverse dynamics."""

    multiplications: int
    additions: int

    def __str__(self) -> str:
        return f"{self.multiplications} / {self.additions}"


# ---- as written ----------------------------------------------------------------------------------------------------


@dataclass
class Tally:
    """How often scalars made by it were multiplied and added."""

    multiplications: int = 0
    additions: int = 0

    def scalar(self) -> Scalar:
        return Scalar(self)

    def vector(self, size: int) -> Vector:
        return Vector([Scalar(self) for _ in range(size)])

    def matrix(self, size: int) -> Matrix:
        return Matrix([self.vector(size) for _ in range(size)])


class Scalar:
    """A number of which nothing is known: arithmetic with it only counts.

    The whole numbers 0 and 1 in a method's own text (a base at rest, an axis z) cost nothing; signs cost nothing.

    >>> tally = Tally()
    >>> _ = tally.matrix(4) @ tally.matrix(4)
    >>> tally.multiplications, tally.additions
    (64, 48)
    """

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
        if isinstance(other, int) and other in (0, 1):
            return self if other else 0
        self._tally.multiplications += 1
        return Scalar(self._tally)

    __rmul__ = __mul__

    def __neg__(self) -> Scalar:
        return self


def as_written(formalism: str, n: int) -> Count:
    """What a formalism's lines say for a general arm of n joints, each operation counted.

    >>> as_written("uicker_kahn", 6)
    Count(multiplications=80348, additions=61669)
    """
    tally = Tally()
    _known(formalism, _WRITTEN)(n, tally)
    return Count(tally.multiplications, tally.additions)


def _known(formalism: str, table: Mapping[str, Any]) -> Any:
    if formalism not in table:
        raise PolhodeError(
            f"the ladder has no formalism {formalism!r}.", cure=f"Choose {', '.join(table)}.", code="E-LADDER-001"
        )
    return table[formalism]


def _rates(n: int, tally: Tally) -> tuple[Vector, Vector, Vector]:
    """q̇, q̈ and gravity."""
    return tally.vector(n), tally.vector(n), tally.vector(3)


def _by_4x4(inverse_dynamics: Callable[..., list[Any]]) -> Callable[[int, Tally], None]:
    def run(n: int, tally: Tally) -> None:
        made = [uicker_kahn.Segment(k - 1, k, *(tally.matrix(4) for _ in range(4))) for k in range(n)]
        inverse_dynamics(made, *_rates(n, tally))

    return run


def _by_3x3(n: int, tally: Tally) -> None:
    still = Vector([0, 0, 0])  # a joint that turns does not move its origin
    made = [
        hollerbach_3x3.Segment(
            k - 1, k, *(tally.matrix(3) for _ in range(3)), tally.vector(3), still, still, _dense_inertia(tally)
        )
        for k in range(n)
    ]
    hollerbach_3x3.inverse_dynamics(made, *_rates(n, tally))


def _by_newton_euler(n: int, tally: Tally) -> None:
    u, ud, gravity = _rates(n, tally)
    newton_euler.inverse_dynamics(_dense_tree(n, tally), u, ud, _no_wrenches(n), gravity)


def _by_silver(n: int, tally: Tally) -> None:
    u, ud, gravity = _rates(n, tally)
    inertias = [silver.CentralInertia(tally.scalar(), tally.vector(3), tally.matrix(3)) for _ in range(n)]
    silver.inverse_dynamics(_dense_tree(n, tally), inertias, u, ud, _no_wrenches(n), gravity)


_WRITTEN: dict[str, Callable[[int, Tally], None]] = {
    "uicker_kahn": _by_4x4(uicker_kahn.inverse_dynamics),
    "hollerbach_4x4": _by_4x4(hollerbach_4x4.inverse_dynamics),
    "hollerbach_3x3": _by_3x3,
    "silver": _by_silver,
    "newton_euler": _by_newton_euler,
}


def _no_wrenches(n: int) -> list[tuple[Vector, Vector]]:
    return [(Vector([0, 0, 0]), Vector([0, 0, 0]))] * n


def _dense_inertia(tally: Tally) -> Inertia:
    return Inertia(tally.scalar(), tally.vector(3), tally.matrix(3))


def _dense_tree(n: int, tally: Tally) -> Tree:
    still = Vector([0, 0, 0])
    places = [
        (Pose(Matrix.identity(3), tally.vector(3)), Pose(tally.matrix(3), still), _dense_inertia(tally))
        for _ in range(n)
    ]
    return _chain(places, tally.vector(n), tally.vector(n), tally.vector(3))


def _chain(places: Sequence[tuple[Pose, Pose, Inertia]], q: Vector, u: Vector, gravity: Vector) -> Tree:
    """Links one after the other, each turning about its z: where its joint sits, how it is turned, what it weighs."""
    stage = Stage(Matrix([[0], [0], [1], [0], [0], [0]]))
    axis = ((Vector([0, 0, 1]), Vector([0, 0, 0])),)
    links = tuple(
        Link(f"link {k + 1}", f"joint {k + 1}", k - 1 if k else BASE, stage, fixed, motion, axis, (k,), (k,), inertia)
        for k, (fixed, motion, inertia) in enumerate(places)
    )
    return Tree(links, {}, q, u, u, gravity)


# ---- on the graph --------------------------------------------------------------------------------------------------

_RECIPES = {
    "uicker_kahn": uicker_kahn.recipe,
    "hollerbach_4x4": hollerbach_4x4.recipe,
    "hollerbach_3x3": hollerbach_3x3.recipe,
    "silver": silver.recipe,
    "newton_euler": newton_euler.recipe,
}


def on_the_graph(formalism: str, n: int) -> Count:
    """The run part of the plan for a general arm of n joints, every constant of it a symbol of its own."""
    return _planned(formalism, System("general arm"), general_tree(n))


def customised(formalism: str, system: System) -> Count:
    """The run part of the plan for a mechanism as it is, rewritten first as `derive` would where that is ours to do."""
    tree = build_tree(system)
    return _planned(formalism, system, apply(tree, PASSES) if formalism == "newton_euler" else tree)


def _planned(formalism: str, system: System, tree: Tree) -> Count:
    with quiet_collector():
        ud = [symbol(u.name, "acceleration") for u in tree.u]
        tau = [as_expr(entry) for entry in _known(formalism, _RECIPES)(system, tree).inverse(ud)]
        arrays = [("q", list(tree.q)), ("u", list(tree.u)), ("udot", ud)]
        operations = count(plan("inverse_dynamics", arrays, [("tau", (len(tau),), tau)], _constants(tau, arrays)))
    return Count(operations.multiplications, operations.additions)


def _constants(tau: Sequence[Any], arrays: Sequence[tuple[str, list[Any]]]) -> list[Any]:
    moving = {entry for _, entries in arrays for entry in entries}
    return [entry for entry in free_symbols(tau) if entry not in moving]


def general_tree(n: int) -> Tree:
    """A chain of n hinges about z, with a symbol for each entry of each fixed rotation, offset and inertia."""
    q = Vector([symbol(f"q{k}", "coordinate") for k in range(n)])
    u = Vector([symbol(f"u{k}", "speed") for k in range(n)])
    places = []
    for k in range(n):
        fixed = Pose(_symbols(f"R{k}", 3), Vector(_symbols(f"p{k}", 3)[0]))
        motion = Pose(about((0, 0, 1), q[k]).map(as_expr), Vector([as_expr(0)] * 3))
        J = _symbols(f"J{k}", 3)
        symmetric = Matrix([[J[min(i, j), max(i, j)] for j in range(3)] for i in range(3)])
        places.append((fixed, motion, Inertia(symbol(f"m{k}"), Vector(_symbols(f"h{k}", 3)[0]), symmetric)))
    return _chain(places, q, u, Vector(_symbols("g", 3)[0]))


def _symbols(name: str, size: int) -> Matrix:
    return Matrix([[symbol(f"{name}_{i}{j}") for j in range(size)] for i in range(size)])


# ---- arms as they are built ----------------------------------------------------------------------------------------


def hinged_arm(name: str, rows: Sequence[tuple[Any, Any, Any]], products_of_inertia: bool) -> System:
    """An arm of hinges from Denavit and Hartenberg's α, a, d of each: a turn about x, a shift along x, one along z.

    Text in a row names a parameter. Every link has a mass, a mass centre anywhere, and an inertia about its own axes
    with or without products of inertia.
    """
    system = System(name)
    carrier = system.ground
    for k, row in enumerate(rows, start=1):
        alpha, a, d = (system.parameter(entry) if isinstance(entry, str) else entry for entry in row)
        m, *c = (system.parameter(f"{letter}{k}") for letter in ("m", "cx", "cy", "cz"))
        xx, yy, zz = (system.parameter(f"{letter}{k}") for letter in ("Ixx", "Iyy", "Izz"))
        xy, xz, yz = (
            system.parameter(f"{letter}{k}") if products_of_inertia else 0 for letter in ("Ixy", "Ixz", "Iyz")
        )
        link = system.body(f"link {k}", m, c, [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        shift = rotation(("x", alpha)) @ Vector([0, 0, d]) + Vector([a, 0, 0])
        system.joint(f"joint {k}", carrier, link, Revolute("z"), at=shift, rotation=("x", alpha))
        carrier = link
    return system


def general_arm(n: int = 6) -> System:
    """Hinges in general position: every angle, length and product of inertia there is, the first axis vertical."""
    further = ((f"alpha{k}", f"a{k}", f"d{k}") for k in range(2, n + 1))
    return hinged_arm(f"general {n}R arm", [(0, 0, 0), *further], products_of_inertia=True)


def puma_like_arm() -> System:
    """Right angles, three lengths and a wrist whose axes meet, as in the PUMA 560."""
    rows = [(0, 0, 0), (-pi / 2, 0, 0), (0, "a2", "d3"), (-pi / 2, "a3", "d4"), (pi / 2, 0, 0), (-pi / 2, 0, 0)]
    return hinged_arm("PUMA-like arm", rows, products_of_inertia=False)


# ---- the report ----------------------------------------------------------------------------------------------------


def fitted(counts: Sequence[int]) -> Formula | None:
    """The polynomial of lowest degree through the last of the counts for n = 1, 2, …, with two more to prove it.

    The first arms may lie off it: a base at rest saves them more.

    >>> print(fitted([7, 52, 97, 142]))
    45n - 38
    """
    differences = list(counts)
    for degree in range(len(counts) - 1):
        if len(differences) > 1 and differences[-1] == differences[-2]:
            return _through(range(len(counts) - degree, len(counts) + 1), counts[len(counts) - degree - 1 :])
        differences = [after - before for before, after in zip(differences, differences[1:], strict=False)]
    return None


def _through(places: Sequence[int], values: Sequence[int]) -> Formula:
    """Lagrange's polynomial through some points."""
    total = [Fraction(0)] * len(places)
    for place, value in zip(places, values, strict=True):
        basis = [Fraction(value)]
        for other in places:
            if other != place:  # times (n - other)/(place - other)
                shifted = [*basis, Fraction(0)]
                basis = [(x - other * y) / (place - other) for x, y in zip(shifted, [Fraction(0), *basis], strict=True)]
        total = [x + y for x, y in zip(total, basis, strict=True)]
    return Formula(tuple(total))


@dataclass(frozen=True)
class Rung:
    """One method: its counts for n = 1, 2, … joints, and for arms as they are built."""

    method: Method
    written: tuple[Count, ...] = ()
    graph: tuple[Count, ...] = ()
    built: tuple[tuple[str, Count], ...] = ()

    @property
    def growth(self) -> tuple[Formula | None, Formula | None]:
        """Multiplications and additions as written, as polynomials in n."""
        return (
            fitted([entry.multiplications for entry in self.written]),
            fitted([entry.additions for entry in self.written]),
        )

    def printed(self, n: int) -> Count | None:
        """Table 3 for n joints, where it prints the whole formula."""
        formulas = self.method.multiplications, self.method.additions
        values = [None if formula is None else formula.at(n) for formula in formulas]
        return None if values[0] is None or values[1] is None else Count(values[0], values[1])


@dataclass(frozen=True)
class Ladder:
    """All methods of Table 3, and ours."""

    rungs: tuple[Rung, ...]
    joints: int

    def table(self) -> list[tuple[str, ...]]:
        """Header and rows as text, every count as multiplications / additions."""
        names = next((tuple(name for name, _ in rung.built) for rung in self.rungs if rung.built), ())
        last = f"n = {self.joints}"
        head = ("", "method", "printed", "as written", f"{last}: printed", "as written", "on the graph", *names)
        rows = [head]
        for rung in self.rungs:
            method = rung.method
            formulas = (method.multiplications, method.additions)
            cells = (
                rung.printed(self.joints),
                *(counts[-1] if counts else None for counts in (rung.written, rung.graph)),
            )
            built = dict(rung.built)
            rows.append((
                method.letter,
                method.authors,
                _pair(formulas),
                _pair(rung.growth),
                *(_cell(entry) for entry in (*cells, *(built.get(name) for name in names))),
            ))  # fmt: skip
        return rows

    def by_joints(self) -> list[tuple[str, ...]]:
        """Header and rows as text: each formalism for n = 1, 2, … joints."""
        rows: list[tuple[str, ...]] = [("method", "n", "printed", "as written", "on the graph")]
        for rung in self.rungs:
            for n, (written, graph) in enumerate(zip(rung.written, rung.graph, strict=True), start=1):
                rows.append((rung.method.authors, str(n), _cell(rung.printed(n)), _cell(written), _cell(graph)))
        return rows

    def as_json(self) -> list[dict[str, Any]]:
        """Plain data, for `--json`."""
        return [
            {
                "row": rung.method.letter,
                "method": rung.method.authors,
                "formalism": rung.method.formalism,
                "printed": _pair((rung.method.multiplications, rung.method.additions)),
                "growth": _pair(rung.growth),
                "as written": [asdict(entry) for entry in rung.written],
                "on the graph": [asdict(entry) for entry in rung.graph],
                "customised": {name: asdict(entry) for name, entry in rung.built},
            }
            for rung in self.rungs
        ]

    def __str__(self) -> str:
        table = self.table()
        widths = [max(len(row[k]) for row in table) for k in range(len(table[0]))]
        return "\n".join(
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in table
        )


def _pair(formulas: tuple[Formula | None, Formula | None]) -> str:
    return "–" if None in formulas else f"{formulas[0]} / {formulas[1]}"


def _cell(entry: Count | None) -> str:
    return "–" if entry is None else str(entry)


def ladder(n_max: int = 6, *, customise: bool = True) -> Ladder:
    """Count every method of Table 3 for 1 to n_max joints; with `customise`, for two six-joint arms as built too.

    >>> [str(formula) for formula in ladder(4, customise=False).rungs[2].growth]
    ['805n - 608', '642n - 512']
    """
    if n_max < 1:
        raise PolhodeError(f"an arm has one joint or more, not {n_max}.", cure="Give n_max ≥ 1.", code="E-LADDER-002")
    arms = (general_arm(), puma_like_arm()) if customise else ()
    return Ladder(tuple(_rung(method, n_max, arms) for method in (*TABLE_3, OURS)), n_max)


def _rung(method: Method, n_max: int, arms: Sequence[System]) -> Rung:
    formalism = method.formalism
    if formalism is None:
        return Rung(method)
    return Rung(
        method,
        tuple(as_written(formalism, n) for n in range(1, n_max + 1)),
        tuple(on_the_graph(formalism, n) for n in range(1, n_max + 1)),
        tuple((system.name, customised(formalism, system)) for system in arms),
    )
