"""Coordinates that a constraint brings with it: those of a joint that closes a loop, the place where a disc touches.

They move so that what defines them stays: with ν their speeds, ψ̇ = 0 is solved for ν and ψ̈ = 0 for its rate, by
elimination in the field.

Conditions of a joint that closes a loop on the pose X = (R, p) of frame b in frame a:

    nothing may turn            (R - Rᵀ)/2 = 0            "turn x", "turn y", "turn z"
    turns about a               e·(R a) = 0, e ⊥ a        "tilt 1", "tilt 2"
    nothing may slide           p = 0                     "x", "y", "z"
    slides along d              e·p = 0, e ⊥ d            "off 1", "off 2"
    slides in a plane           (d₁ × d₂)·p = 0           "height"
    two axes at right angles    a₁·(R a₂) = 0             "square"
    a screw                     a·p = pitch · angle       "advance"

The directions across a are c × a and a × (c × a), with c the first axis that is not along a. Other joints
need coordinates of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from ...errors import PolhodeError
from ...expr import Expr, Vector, as_expr, is_zero, rank
from ...expr.field import P, hash_to_field, inverse
from ...model.constraints import Closure
from ...model.constraints.protocol import LoopConstraint
from ...model.reading import coordinate_symbols
from ...model.stage import Stage
from .positions import Moving, Placed, Positions
from .prime_field import IDENTITY, ZERO, Jet, Rows, added, jet_product, product, scaled, solved, summed, undone

Arrow = list[Any]  # three components: jets, or numbers that do not move


def pose_of(body: Moving) -> Rows:
    """X with its rates and variations."""
    return _matrix(body, body.X, body.Xd, body.Xdd)


def resting_pose_of(body: Moving) -> Rows:
    """X with its rates, without variations: for what is linear in velocities."""
    return [
        [Jet(*entries) for entries in zip(*rows, strict=True)] for rows in zip(body.X, body.Xd, body.Xdd, strict=True)
    ]


def rate_of(body: Moving) -> Rows:
    """Ẋ with its rate and its partial derivatives by the speeds, which are the variations of X."""
    return _matrix(body, body.Xd, body.Xdd, None)


def _matrix(body: Moving, x: Rows, d: Rows, dd: Rows | None) -> Rows:
    moved: dict[int, Rows] = {}
    for column in body.columns:
        if column.speed is not None:
            twist = scaled(product(column.S, body.X), column.factor)
            moved[column.speed] = added(moved[column.speed], twist) if column.speed in moved else twist
    result: Rows = []
    for i in range(4):
        row = []
        for j in range(4):
            vary = {speed: entry for speed, twist in moved.items() if (entry := twist[i][j])}
            row.append(Jet(x[i][j], d[i][j], 0 if dd is None else dd[i][j], vary))
        result.append(row)
    return result


def at(X: Rows, point: Sequence[Any]) -> Arrow:
    """R r + p."""
    return [summed([*(x * r for x, r in zip(row, point, strict=False)), row[3]]) for row in X[:3]]


def along(X: Rows, vector: Sequence[Any]) -> Arrow:
    """R v."""
    return [summed([x * v for x, v in zip(row, vector, strict=False)]) for row in X[:3]]


def material_velocity(body: Moving, place: Sequence[Any]) -> Arrow:
    """The velocity of the body's point that is at a place of the ground: Ẋ X⁻¹ P, whatever the place itself does."""
    return at(rate_of(body), at(undone(resting_pose_of(body)), place))


def spin(body: Moving) -> Arrow:
    """The angular velocity, out of Ṙ Rᵀ."""
    turned = undone(resting_pose_of(body))
    W = jet_product([row[:3] for row in rate_of(body)[:3]], [row[:3] for row in turned[:3]])
    return [W[2][1], W[0][2], W[1][0]]


def dot(a: Sequence[Any], b: Sequence[Any]) -> Any:
    return summed([x * y for x, y in zip(a, b, strict=True)])


def minus(a: Sequence[Any], b: Sequence[Any]) -> Arrow:
    return [x - y for x, y in zip(a, b, strict=True)]


def times(a: Sequence[Any], factor: Any) -> Arrow:
    return [x * factor for x in a]


def cross(a: Sequence[Any], b: Sequence[Any]) -> Arrow:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def angle_of(y: Jet, x: Jet) -> Jet:
    """atan2(y, x), with the rates (x ẏ - y ẋ)/(x² + y²)."""
    part = inverse((x.x * x.x + y.x * y.x) % P)
    turning = x.x * y.d - y.x * x.d
    spread = 2 * (x.x * x.d + y.x * y.d)
    dd = (x.x * y.dd - y.x * x.dd) * part - turning * spread * part * part
    keys = {*x.vary, *y.vary}
    vary = {i: (x.x * y.vary.get(i, 0) - y.x * x.vary.get(i, 0)) * part % P for i in keys}
    return Jet(hash_to_field("atan2", y.x, x.x), turning * part % P, dd % P, vary)


_HALF = inverse(2)
_UNITS = [Vector([as_expr(int(i == j)) for j in range(3)]) for i in range(3)]

#: Conditions on the position by name.
ClosureConditions = dict[str, Jet]


def pose_between(at: Positions, loop: LoopConstraint) -> Rows:
    """X of frame b in frame a."""
    a = jet_product(pose_of(at.bodies[loop.a]), at.matrix(loop.pose_a))
    b = jet_product(pose_of(at.bodies[loop.b]), at.matrix(loop.pose_b))
    return jet_product(undone(a), b)


def conditions_of(at: Positions, closure: Closure) -> ClosureConditions | None:
    """The conditions of a closing joint; None where they need coordinates of its own."""
    stages = [closure.joint.stages[k] for k in closure.joint.from_parent]
    X = pose_between(at, closure)
    if not stages:
        return nothing_free(X)
    if len(stages) == 1:
        return _of_stage(at, X, stages[0])
    if len(stages) == 2 and all(len(s.H.columns) == 1 and not any(s.H.columns[0][3:]) for s in stages):
        first, second = (Vector(s.H.columns[0][:3]) for s in stages)
        if is_zero(first.dot(second)):
            return _no_slide(at, X, []) | {"square": dot(at.numbers(first), along(X, at.numbers(second)))}
    return None


def nothing_free(X: Rows) -> ClosureConditions:
    """R = 1 and p = 0."""
    skew = {f"turn {letter}": (X[i][j] - X[j][i]) * _HALF for letter, i, j in (("x", 2, 1), ("y", 0, 2), ("z", 1, 0))}
    return skew | {letter: X[k][3] for k, letter in enumerate("xyz")}


def _of_stage(at: Positions, X: Rows, stage: Stage) -> ClosureConditions | None:
    columns = [(Vector(h[:3]), Vector(h[3:])) for h in stage.H.columns]
    turns = [w for w, _ in columns if any(w)]
    slides = [v for w, v in columns if not any(w)]
    screws = [(w, v) for w, v in columns if any(w) and any(v)]
    if screws:
        parallel = all(is_zero(entry) for entry in screws[0][0].cross(screws[0][1]))
        return _of_screw(at, X, *screws[0]) if len(columns) == 1 and parallel else None
    ways = rank([list(w) for w in turns]) if turns else 0
    if ways == 2 or ways != len(turns) or not stage.is_holonomic:
        return None
    if ways == 0:
        skew = {name: value for name, value in nothing_free(X).items() if name.startswith("turn")}
        return skew | _no_slide(at, X, slides)
    tilt = _one_axis(at, X, turns[0]) if ways == 1 else {}
    return tilt | _no_slide(at, X, slides)


def _one_axis(at: Positions, X: Rows, a: Vector) -> ClosureConditions:
    turned = along(X, at.numbers(a))
    return {f"tilt {k}": dot(at.numbers(e), turned) for k, e in enumerate(_across(a), start=1)}


def _no_slide(at: Positions, X: Rows, free: Sequence[Vector]) -> ClosureConditions:
    p: list[Any] = [row[3] for row in X[:3]]
    if len(free) == 0:
        return dict(zip("xyz", p, strict=True))
    if len(free) == 1:
        return {f"off {k}": dot(at.numbers(e), p) for k, e in enumerate(_across(free[0]), start=1)}
    return {"height": dot(at.numbers(free[0].cross(free[1])), p)} if len(free) == 2 else {}


def _of_screw(at: Positions, X: Rows, a: Vector, v: Vector) -> ClosureConditions:
    """a·p less v·a/a² times the angle by which e1 has turned towards e2."""
    e1, e2 = _across(a)
    turned = along(X, at.numbers(e1))
    angle = angle_of(dot(at.numbers(e2), turned), dot(at.numbers(e1), turned))
    pitch = at.number(v.dot(a)) * inverse(at.number(a.dot(a)))
    p = [row[3] for row in X[:3]]
    advance = dot(at.numbers(a), p) - angle * pitch
    return _one_axis(at, X, a) | _no_slide(at, X, [a]) | {"advance": advance}


def _across(a: Vector) -> tuple[Vector, Vector]:
    spare = next(unit for unit in _UNITS if any(not is_zero(entry) for entry in unit.cross(a)))
    first = spare.cross(a)
    return first, a.cross(first)


@dataclass(frozen=True)
class Choice:
    """Conditions that define the coordinates of a constraint, by name, and their values."""

    definitions: Mapping[str, int]
    conditions: Mapping[str, int]


class Chain(Protocol):
    """Coordinates with speeds of their own: a place, or the stages of a joint."""

    @property
    def symbols(self) -> tuple[Expr, ...]: ...
    @property
    def ways(self) -> Rows:
        """Rates of the coordinates for a unit of each speed."""

    def second_rates(self, speeds: Sequence[int], rates: Sequence[int]) -> list[int]:
        """The second rates of the coordinates, from the speeds and their rates."""


@dataclass(frozen=True, eq=False)
class OneCoordinate:
    """One coordinate whose speed is its rate."""

    symbols: tuple[Expr, ...]
    ways: Rows

    def second_rates(self, speeds: Sequence[int], rates: Sequence[int]) -> list[int]:
        return list(rates)


class Stages:
    """The coordinates of a closing joint, stage by stage from frame a to frame b."""

    def __init__(self, closure: Closure) -> None:
        kind = closure.joint
        self.symbols = coordinate_symbols(kind, [f"{closure.name} {label or 1}" for label in kind.coordinate_labels()])
        firsts = [sum(stage.coordinates for stage in kind.stages[:k]) for k in range(len(kind.stages))]
        self.spans = [range(firsts[k], firsts[k] + kind.stages[k].coordinates) for k in kind.from_parent]
        self.stages = []
        for k, span in zip(kind.from_parent, self.spans, strict=True):
            q = tuple(self.symbols[at] for at in span)
            self.stages.append(Placed(closure.name, kind.stages[k], q, tuple(s.fp for s in q)))
        self.sizes = [len(placed.twists) for placed in self.stages]
        self.ways: Rows = [[0] * sum(self.sizes) for _ in self.symbols]
        for placed, span, columns in zip(self.stages, self.spans, self.columns, strict=True):
            for row, at in zip(placed.rates, span, strict=True):
                self.ways[at][columns.start : columns.stop] = row

    @property
    def columns(self) -> list[range]:
        """For each stage the indices of its speeds."""
        return [range(sum(self.sizes[:k]), sum(self.sizes[: k + 1])) for k in range(len(self.sizes))]

    @property
    def beyond(self) -> list[int]:
        """The speeds of the generated algebras that the joint does not have."""
        pairs = zip(self.stages, self.columns, strict=True)
        return [k for placed, columns in pairs for k in columns[placed.stage.speeds :]]

    def second_rates(self, speeds: Sequence[int], rates: Sequence[int]) -> list[int]:
        result = [0] * len(self.symbols)
        for placed, span, columns in zip(self.stages, self.spans, self.columns, strict=True):
            xi, xi_dot = ZERO, ZERO
            for turn, k in zip(placed.twists, columns, strict=True):
                xi, xi_dot = added(xi, scaled(turn, speeds[k])), added(xi_dot, scaled(turn, rates[k]))
            first = [sum(g * speeds[k] for g, k in zip(row, columns, strict=True)) % P for row in placed.rates]
            for at, entry in zip(span, placed.second_rates(xi, xi_dot, first), strict=True):
                result[at] = entry
        return result

    def poses(self, symbols: Mapping[Expr, Jet]) -> list[Rows]:
        """The pose of each stage over jets."""
        return [placed.position([symbols[q] for q in placed.q]) for placed in self.stages]


@dataclass(frozen=True)
class Auxiliary:
    """The coordinates of one constraint on the move, and their speeds."""

    coordinates: dict[Expr, Jet]
    speeds: list[Jet]


def moved(chain: Chain, definitions: Callable[[Mapping[Expr, Jet]], Sequence[Jet]], speeds: int, of: str) -> Auxiliary:
    """Coordinates that keep their definitions where they are, while the mechanism moves and varies."""
    G, values = chain.ways, [s.fp for s in chain.symbols]
    count = len(G[0])
    # With the coordinates standing still, varying by their own speeds: indices below zero.
    still = {
        s: Jet(x, 0, 0, {-1 - k: g for k, g in enumerate(row) if g})
        for s, x, row in zip(chain.symbols, values, G, strict=True)
    }
    requested = definitions(still)
    D = [[psi.vary.get(-1 - k, 0) for k in range(count)] for psi in requested]
    solution = _solved(D, [[-psi.d, *(-psi.vary.get(i, 0) for i in range(speeds))] for psi in requested], of)
    nu = [row[0] for row in solution]
    first = [sum(g * n for g, n in zip(row, nu, strict=True)) % P for row in G]

    def jets(nu_dot: Sequence[int], vary: bool) -> dict[Expr, Jet]:
        second = chain.second_rates(nu, nu_dot)
        result = {}
        for s, x, d, dd, row in zip(chain.symbols, values, first, second, G, strict=True):
            slopes = (
                {i: sum(g * n[1 + i] for g, n in zip(row, solution, strict=True)) % P for i in range(speeds)}
                if vary
                else {}
            )
            result[s] = Jet(x, d, dd, {i: v for i, v in slopes.items() if v})
        return result

    steady = definitions(jets([0] * count, False))
    nu_dot = [row[0] for row in _solved(D, [[-psi.dd] for psi in steady], of)]
    own_speeds = [Jet(row[0], dot, 0, dict(enumerate(row[1:]))) for row, dot in zip(solution, nu_dot, strict=True)]
    return Auxiliary(jets(nu_dot, True), own_speeds)


def _solved(left: Rows, right: Rows, of: str) -> Rows:
    solution = solved(left, right)
    if solution is None:
        message = "its own coordinates do not follow from what defines them."
        raise PolhodeError(message, f"constraint '{of}'", code="E-REFERENCE-SINGULAR")
    return solution


def gap(at: Positions, closure: Closure, stages: Stages, cut: int, symbols: Mapping[Expr, Jet]) -> ClosureConditions:
    """The six conditions at a cut of the chain: E = X_inner⁻¹ X_ab X_outer⁻¹ is one."""
    inner: Rows = IDENTITY
    outer: Rows = IDENTITY
    poses = stages.poses(symbols)
    for X in poses[:cut]:
        inner = jet_product(inner, X)
    for X in poses[cut:]:
        outer = jet_product(outer, X)
    return nothing_free(jet_product(jet_product(undone(inner), pose_between(at, closure)), undone(outer)))


def cut_of(at: Positions, closure: Closure, stages: Stages, choice: Choice) -> int | None:
    """The stage at which the chain was cut, by the values of its conditions; None if there is none."""
    still = {s: Jet(s.fp) for s in stages.symbols}
    wanted = {**choice.definitions, **choice.conditions}
    for cut in range(len(stages.stages) + 1):
        requested = gap(at, closure, stages, cut, still)
        if all(name in requested and requested[name].x == value for name, value in wanted.items()):
            return cut
    return None
