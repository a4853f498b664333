"""Singular configurations of an open mechanism: where its tip loses a way to move, rank J(q) < rank J.

C. Mladenova, section 1, (4), and section 3, (112). The generic rank r is decided by fingerprint. Where it drops, all
minors of r rows and r columns vanish: at the zeros of a factor that they share, or where all that is left of them
vanishes together. The factors do not depend on axes and reference point of the velocity: those of a link half way along
the arm are taken, in which the minors are short. Along a path, the configurations are found by number, where the r-th
singular value of the Jacobian has a zero.

How well a frame can move at given coordinates: T. Yoshikawa, Manipulability of robotic mechanisms (1985).

    J = U Σ Vᵀ,    measure = σ₁ σ₂ ⋯ σ_r = √det(J Jᵀ),    condition = σ₁ / σ_r

r is the generic rank of J, decided by fingerprint: where the measure vanishes the frame has lost a way to move that it
has elsewhere. Speeds of length one move the frame within an ellipsoid whose half axes are σᵢ along the columns of U.
With dependent speeds J is that of the independent ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..compiled.functions import Functions
from ..dynamics.equations import EquationsOfMotion
from ..dynamics.whole import check_all_coordinates, check_not_of_time
from ..errors import PolhodeError, ShapeError, check_known, understood, unknown
from ..expr import Expr, Matrix, Vector, as_expr, rank
from ..expr.factors import Factors, factors
from ..expr.graph import topological
from ..expr.ranges import cannot_vanish
from ..expr.typeset import Typeset
from ..geometry import Pose
from ..kinematics.tree import Tree
from ..kinematics.tree_paths import links_inward
from ..notebook import Cell, Shown, Table
from .pose_step import TARGETS, check_target

Floats = NDArray[np.float64]

_PLACE = "singular_configurations"
#: More minors than this are not written down.
_MOST_MINORS = 40
#: Factors with more characters than this are not reported.
_LONGEST = 2000
#: A singular value that is smaller than this part of the largest is none.
_NOTHING = 1e-7
#: On each line of a path so many places are looked at and more where it is long: one for each such part of all
#: that its coordinates turn by; no more than so many in all.
_STEPS, _PART, _MOST_PLACES = 16, np.pi / 16, 500_000
#: Each zero is narrowed so often.
_ROUNDS = 60
_GOLDEN = (5**0.5 - 1) / 2


@dataclass(frozen=True)
class Singular:
    """A singular configuration on a path: the place on it, counted in its points, the coordinates, the rank left."""

    at: float
    q: Floats
    rank: int


@dataclass(frozen=True, eq=False, repr=False)
class SingularConfigurations(Typeset):
    """Where the `of` (pose, position or orientation) of a frame loses a way to move.

    `rank` is the generic rank. A configuration is singular where one of the `factors` vanishes, or all of `together`;
    `determinant` is that of the Jacobian by the speeds, in factors, where it is square once rows and columns of zeros
    are left out; elsewhere there is none. None of these are there if the minors are too many or too long to be written
    down: then `along` finds what a path meets.
    """

    functions: Functions = field(repr=False)
    frame: str
    of: str
    rank: int
    coordinates: tuple[str, ...]
    factors: tuple[Expr, ...] | None
    together: tuple[Expr, ...] = ()
    determinant: Expr | None = None

    def __repr__(self) -> str:
        return f"SingularConfigurations('{self.frame}', {self.of}: rank {self.rank})"

    def _formulas(self) -> list[tuple[str, Expr]]:
        formulas = [] if self.determinant is None else [(r"\det J", self.determinant)]
        return [*formulas, *(("0", factor) for factor in (*(self.factors or ()), *self.together))]

    def _sentences(self) -> list[str]:
        if self.factors is None:
            return ["The minors are too many or too long to be written; along(path) finds what a path meets."]
        alone = "Singular where one of the factors vanishes" if self.factors else "Singular nowhere by one factor alone"
        rest = f", or the last {len(self.together)} all do" if self.together else ""
        return [f"{alone}{rest}; the rank is {self.rank} elsewhere."]

    def along(
        self, path: ArrayLike | Sequence[Mapping[str, float]], parameters: Mapping[str, Any] | None = None
    ) -> list[Singular]:
        """Singular configurations on lines between coordinates (k, n) or named poses; ranges by their start."""
        points = self._points(path)

        def values(places: Floats) -> Floats:
            k = np.minimum(places.astype(int), len(points) - 2)
            part = (places - k)[:, None]
            q = points[k] * (1.0 - part) + points[k + 1] * part
            J = self.functions.jacobian(self.frame, q, parameters=parameters)[:, list(TARGETS[self.of])]
            return np.asarray(np.linalg.svd(np.broadcast_to(J, (len(q), *J.shape[1:])), compute_uv=False))

        def least(place: float) -> float:
            singular = values(np.array([place]))[0]
            return float(singular[self.rank - 1] / singular[0])

        places = _places(points)
        every = values(places)
        scaled = every[:, self.rank - 1] / every[:, 0]
        met: list[Singular] = []
        for k in range(len(places)):
            before, after = max(k - 1, 0), min(k + 1, len(places) - 1)
            if scaled[k] > scaled[before] or scaled[k] > scaled[after]:
                continue
            at = _lowest(least, places[before], places[after])
            left = values(np.array([at]))[0]
            again = met and (at - met[-1].at < 1e-6 or scaled[before] < _NOTHING)
            if left[self.rank - 1] < _NOTHING * left[0] and not again:
                low = min(int(at), len(points) - 2)
                q = points[low] + (at - low) * (points[low + 1] - points[low])
                met.append(Singular(float(at), q, int((left > _NOTHING * left[0]).sum())))
        return met

    def _points(self, path: ArrayLike | Sequence[Mapping[str, float]]) -> Floats:
        cure = f"Give two or more rows of {len(self.coordinates)} coordinates, or mappings from their names to numbers."
        with understood("a path", path, place="along", cure=cure):
            rows: list[Any] = list(path)  # type: ignore[arg-type] # what is no list is refused
            for row in rows:
                unexpected = [name for name in row if name not in self.coordinates] if isinstance(row, Mapping) else []
                if unexpected:
                    raise unknown("coordinate", unexpected[0], self.coordinates, place="along", code="E-POSE-NAME")
            named = [
                [row.get(name, 0.0) for name in self.coordinates] if isinstance(row, Mapping) else row for row in rows
            ]
            points = np.asarray(named, dtype=np.float64)
            if points.ndim != 2 or len(points) < 2 or points.shape[1] != len(self.coordinates):
                raise TypeError
            if not np.isfinite(points).all():
                raise ValueError
        return points


def _places(points: Floats) -> Floats:
    """Arguments at which a path is sampled, counted in its points: denser where coordinates change more."""
    turned = np.abs(np.diff(points, axis=0)).sum(axis=1)
    if turned.sum() / _PART > _MOST_PLACES:
        message = f"the coordinates change by {turned.sum():.3g} on this path, too much to look for each zero on it."
        raise PolhodeError(message, "along", "Give a shorter path: angles repeat after a turn.", "E-POSE-FAILED")
    steps = np.maximum(_STEPS, np.ceil(turned / _PART)).astype(int)
    lines = [np.linspace(k, k + 1.0, count, endpoint=False) for k, count in enumerate(steps)]
    return np.append(np.concatenate(lines), float(len(points) - 1))


def _lowest(function: Callable[[float], float], low: float, high: float) -> float:
    """Argument of the minimum of a unimodal function, by golden sections."""
    a, b = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    f_a, f_b = function(a), function(b)
    ends = {low: function(low), high: function(high)}
    for _ in range(_ROUNDS):
        if f_a <= f_b:
            high, b, f_b = b, a, f_a
            a = high - _GOLDEN * (high - low)
            f_a = function(a)
        else:
            low, a, f_a = a, b, f_b
            b = low + _GOLDEN * (high - low)
            f_b = function(b)
    return min([*ends.items(), (a, f_a), (b, f_b)], key=lambda pair: pair[1])[0]


def singular_configurations(functions: Functions, name: str, of: str = "pose") -> SingularConfigurations:
    """Where a body or frame loses a way to move: its pose, or its position or orientation alone."""
    check_known("kind of motion", [of], TARGETS, place=_PLACE, code="E-POSE-NAME")
    equations = functions.equations
    if equations.constraints is not None and equations.constraints.rows:
        message = "singular configurations of a mechanism with constraints are not supported."
        cure = "See what a pose leaves free with system.diagnose(pose)."
        raise PolhodeError(message, f"system '{equations.system.name}'", cure, "E-POSE-UNSUPPORTED")
    check_all_coordinates(equations, "a singular configuration")
    full = equations.jacobian(name)
    generic = rank([full[i] for i in TARGETS[of]])
    words = _factors_of_minors(_Minors(_short_jacobian(equations, name, of), generic)) if generic else ((), (), [])
    common, rest, short = (None, (), []) if words is None else words
    minors = _Minors(Matrix([full[i] for i in TARGETS[of]]), generic)
    determinant = _factored_determinant(minors, short) if short else None
    names = tuple(equations.coordinates)
    return SingularConfigurations(functions, name, of, generic, names, common, rest, determinant)


def _short_jacobian(equations: EquationsOfMotion, name: str, of: str) -> Matrix:
    """The rows that count, in the axes of a link half way along the arm and, for a pose, about its origin."""
    tree = equations.tree
    body, within = equations.located(name)
    link, in_link = tree.bodies[body]
    path = links_inward(tree, link)[::-1]
    middle = len(path) // 2
    poses = _seen_from(tree, path, middle)
    tip = poses[-1].point(in_link.point(within.p)) if of == "position" else Vector([0, 0, 0])
    columns: list[list[Any]] = [[as_expr(0)] * 6 for _ in tree.u]
    for i, X in zip(path, poses, strict=True):
        for speed, (hw, hv) in zip(tree.links[i].speeds, tree.links[i].H, strict=True):
            w = X.R @ hw
            twist = [*w, *(X.R @ hv + w.cross(tip - X.p))]
            columns[speed] = [a + b for a, b in zip(columns[speed], twist, strict=True)]
    return Matrix([[as_expr(column[i]) for column in columns] for i in TARGETS[of]])


def _seen_from(tree: Tree, path: Sequence[int], middle: int) -> list[Pose]:
    """The poses of the links on a path in one of them, by the joints between."""
    poses = {middle: Pose.identity()}
    for k in range(middle + 1, len(path)):
        poses[k] = poses[k - 1] @ tree.links[path[k]].X
    for k in range(middle - 1, -1, -1):
        poses[k] = poses[k + 1] @ tree.links[path[k + 1]].X.inverse()
    return [poses[k] for k in range(len(path))]


@dataclass(frozen=True, eq=False)
class _Minors:
    """The minors of one size of a matrix, rows and columns of zeros left out."""

    J: Matrix
    size: int

    @cached_property
    def rows(self) -> list[int]:
        return [i for i, row in enumerate(self.J) if any(row)]

    @cached_property
    def columns(self) -> list[int]:
        return [k for k in range(self.J.shape[1]) if any(self.J[i, k] for i in self.rows)]

    def __len__(self) -> int:
        return comb(len(self.rows), self.size) * comb(len(self.columns), self.size)

    def __iter__(self) -> Iterator[Expr]:
        @cache
        def minor(chosen: tuple[int, ...], along: tuple[int, ...]) -> Expr:
            """The minor, expanded by its first row."""
            if not chosen:
                return as_expr(1)
            total = as_expr(0)
            for position, k in enumerate(along):
                if self.J[chosen[0], k]:
                    part = self.J[chosen[0], k] * minor(chosen[1:], (*along[:position], *along[position + 1 :]))
                    total = total - part if position % 2 else total + part
            return total

        for one in combinations(self.rows, self.size):
            for two in combinations(self.columns, self.size):
                yield minor(one, two)


def _factored_determinant(full: _Minors, short: Sequence[Factors]) -> Expr | None:
    """The only minor of the Jacobian itself, written as that in a link's axes is, which may count them otherwise."""
    if len(full) != 1:
        return None
    (result,) = full
    products = [sign * factored.product for factored in short for sign in (1, -1)]
    return next((product for product in products if product == result), None) or factors(result).product


def _factors_of_minors(minors: _Minors) -> tuple[tuple[Expr, ...], tuple[Expr, ...], list[Factors]] | None:
    """Factors common to all minors, those left of each, and the minors; None if they are too many or too long."""
    if len(minors) > _MOST_MINORS:
        return None
    every = [*minors]
    read: dict[Expr, Factors] = {}
    for det in sorted(filter(None, every), key=lambda det: -len(topological([det]))):
        read[det] = factors(det)
        if not _is_readable(read[det], alone=len(every) == 1):  # the longest is tried first, and one is enough
            return None
    factored = [read[minor] for minor in every if minor]
    shared = [base for base, _ in factored[0].powers if all(base in dict(f.powers) for f in factored)]
    rest = tuple(_without(minor, shared) for minor in factored)
    lone = len({*rest}) == 1 or any(rest_minor.is_number for rest_minor in rest)
    # what stands below the line in all minors, as 1 + c² does, never vanishes
    below = {base for base in shared if all(dict(minor.powers)[base] < 0 for minor in factored)}
    kept = tuple(base for base in shared if base not in below and not cannot_vanish(base))
    return kept, () if lone else tuple(dict.fromkeys(rest)), factored


def _is_readable(factored: Factors, alone: bool) -> bool:
    """Whether factors are short enough to be read; of a minor alone it is enough that it has several."""
    texts = [str(base) for base, _ in factored.powers]  # which is cut short, with …, where it is very long
    return (alone and len(texts) > 1) or not any("…" in text or len(text) > _LONGEST for text in texts)


def _without(factored: Factors, shared: Sequence[Expr]) -> Expr:
    """A minor without common factors and denominators."""
    result = as_expr(1)
    for base, exponent in factored.powers:
        if base not in shared and exponent > 0:
            result = result * base**exponent
    return result


@dataclass(frozen=True, eq=False, repr=False)
class Manipulability(Shown):
    """`measure` (…), `singular_values` (…, r), `condition` (…) and `axes` (…, rows, r) of a frame's Jacobian.

    Axes are those of the ellipsoid, angular velocity over velocity in ground components.
    """

    measure: Floats
    singular_values: Floats
    condition: Floats
    axes: Floats

    def __repr__(self) -> str:
        if np.ndim(self.measure):
            least, most = np.min(self.measure), np.max(self.measure)
            return f"Manipulability({np.size(self.measure)} poses, measure from {least:.4g} to {most:.4g})"
        return f"Manipulability(measure {float(self.measure):.4g}, condition {float(self.condition):.4g})"

    def _cell(self) -> Cell:
        values = np.asarray(self.singular_values).reshape(-1, np.shape(self.singular_values)[-1])
        rows = [
            (f"{m:.6g}", f"{c:.6g}", ", ".join(f"{value:.4g}" for value in row))
            for m, c, row in zip(np.ravel(self.measure), np.ravel(self.condition), values.tolist(), strict=True)
        ]
        return Cell("manipulability", [Table(["measure", "condition", "singular values"], rows)])


def manipulability(
    functions: Functions, name: str, q: Any, of: str = "pose", parameters: Mapping[str, Any] | None = None
) -> Manipulability:
    """How well a body or frame can move; see `Equations.manipulability`."""
    check_target(of, "manipulability")
    equations = functions.equations
    if equations.constraints is not None and equations.constraints.rows and equations.dependent_speeds is None:
        message = "with multipliers the Jacobian has columns for speeds that constraints forbid."
        cure = 'Derive with dependent speeds: system.derive(constraints="embedded").'
        raise PolhodeError(message, "manipulability", cure, "E-POSE-UNSUPPORTED")
    count = len(equations.coordinates)
    with understood("coordinates", q, place="manipulability", cure=f"Give {count} numbers, or an array (…, {count})."):
        at = np.asarray(q, dtype=np.float64)
    if at.shape[-1:] != (count,):
        message = f"coordinates of shape {at.shape} are not {count} numbers."
        raise ShapeError(message, "manipulability", "See equations.coordinates for their order.", "E-POSE-SHAPE")
    rows = list(TARGETS[of])
    symbolic = [equations.jacobian(name)[k] for k in rows]
    check_not_of_time(equations, name, "Jacobian", (entry for row in symbolic for entry in row))
    generic = rank(symbolic)
    J = np.asarray(functions.jacobian(name, at.reshape(-1, count), parameters=parameters))[:, rows]
    J = np.broadcast_to(J, (int(np.prod(at.shape[:-1])), *J.shape[1:])).reshape(*at.shape[:-1], *J.shape[1:])
    U, sizes, _ = np.linalg.svd(J, full_matrices=False)
    sizes = sizes[..., :generic]
    with np.errstate(divide="ignore", invalid="ignore"):
        condition = sizes[..., 0] / sizes[..., -1] if generic else np.full(at.shape[:-1], np.nan)
    measure = np.prod(sizes, axis=-1) if generic else np.zeros(at.shape[:-1])  # what cannot move has no volume to reach
    return Manipulability(measure, sizes, np.asarray(condition), U[..., :generic])
