"""Equations of motion to first order in small variables, around those of any formalism.

M. W. Sayers, "Symbolic vector/dyadic multibody formalism for tree-topology systems" (abstract): a dynamicist who knows
that an angle stays small drops products of small quantities while deriving. Here small coordinates q_s have small
speeds u_s and accelerations u̇_s, and what is kept of the residual of each equation is its Taylor polynomial,

    T [M(q) u̇ + bias(q, u, z, t, inputs) - τ] = 0,    q̇ = T [Γ(q) u],    ż = T [rate]

with T f = f(0) + Σ ∂f/∂s(0) s over all small s (`expr.taylor`, one pass over whatever graph a formalism has made). As
q_s u̇_s is of second order, M keeps first-order terms in the columns of other accelerations alone:

    M' = M(0) in the columns of u̇_s,    M(0) + Σ ∂M/∂q_s(0) q_s in the others

and is symmetric no more, unless all or none are small. Accelerations solve M' u̇ = T(τ - bias) exactly, by LU.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

from ..errors import PolhodeError, fault_at, listed, unknown
from ..expr import Expr, Matrix, Vector, as_expr, jacobian, normal, operation_counts, quiet_collector, substitute
from ..expr.spelling import acceleration_of, spelled
from ..expr.taylor import first_order, products_of, second_order
from ..model.expressions import acting_parts, expressions_in
from ..notebook import Told
from .equations import EquationsOfMotion, Recipe, mass_factors
from .whole import check_untruncated


@dataclass(frozen=True, eq=False)
class SmallVariables:
    """The small symbols: coordinates, the speeds with which they move, and other named ones."""

    coordinates: tuple[Expr, ...]
    speeds: tuple[Expr, ...]
    others: tuple[Expr, ...] = ()  # parameters, inputs, states

    @cached_property
    def symbols(self) -> tuple[Expr, ...]:
        """All of them, with the accelerations."""
        return (*self.coordinates, *self.speeds, *map(acceleration_of, self.speeds), *self.others)

    def truncated(self, entries: Iterable[Any]) -> Vector:
        """Expressions to first order."""
        return Vector(first_order([as_expr(entry) for entry in entries], self.symbols).sums)

    def truncated_matrix(self, matrix: Matrix, rates: Sequence[Expr]) -> Matrix:
        """A matrix that multiplies rates, a column each: those of small rates at zero, the others to first order."""
        expansion = first_order([as_expr(entry) for entry in matrix.entries()], self.symbols)
        width, sums = len(rates), expansion.sums
        flat = [
            expansion.values[k] if rates[k % width] in self.speeds else sums[k] for k in range(len(sums))
        ]  # fmt: skip
        return Matrix([flat[i * width : (i + 1) * width] for i in range(len(matrix))])


_PLACE = "derive small"
fault = fault_at(_PLACE)


def with_small(full: EquationsOfMotion, names: Sequence[str]) -> EquationsOfMotion:
    """Equations to first order in coordinates, whole joints, parameters, inputs and states, by name."""
    if full.constraints is not None and full.constraints.rows and full.dependent_speeds is None:
        message = (
            "constraints that are kept by multipliers are not truncated: their forces are not small, and what is kept "
            "of them in the forces and in the motion is not the same."
        )
        raise fault(message, 'Derive with constraints="embedded".', "E-DERIVE-UNSUPPORTED")
    with quiet_collector():
        small = small_variables(full, names)
        return replace(full, make_recipe=lambda: truncated(full, small), small=small, whole=full, narrowed=None)


def truncated(full: EquationsOfMotion, small: SmallVariables) -> Recipe:
    """The recipe of the truncated equations."""

    def shortest(ud: Sequence[Any]) -> Vector:
        candidates = [_first_order(full, small, [*f(ud)]) for f in (full.recipe.inverse, *full.recipe.inverses)]
        return min(candidates, key=lambda efforts: sum(operation_counts(efforts).values()))

    required = cache(lambda: shortest(full.udot))

    def inverse(ud: Sequence[Any]) -> Vector:
        return Vector(substitute(required(), dict(zip(full.udot, map(as_expr, ud), strict=True))))

    @cache
    def bias() -> Vector:
        full_bias = full.recipe.bias
        return shortest([as_expr(0)] * len(full.u)) if full_bias is None else _first_order(full, small, [*full_bias()])

    @cache
    def mass_matrix() -> Matrix:
        return small.truncated_matrix(full.mass_matrix, list(full.u))

    def forward() -> Vector:
        factors = mass_factors(full, mass_matrix(), is_truncated=True)
        return Vector(factors.solve([*(small.truncated(full.efforts) - bias())]))

    def multipliers() -> Vector:
        check_untruncated(replace(full, small=small), "the force of a constraint")
        return Vector([])

    kept = full.recipe.multipliers and multipliers
    return Recipe(inverse=inverse, mass_matrix=mass_matrix, bias=bias, forward=forward, multipliers=kept)


def _first_order(equations: EquationsOfMotion, small: SmallVariables, entries: Sequence[Any]) -> Vector:
    """Entries to first order; raise, naming the part of the model, if there is no such expansion."""
    try:
        return small.truncated(entries)
    except PolhodeError as error:
        for label, part in acting_parts(equations.system):
            _tried(equations, small, list(expressions_in(part)), label.removeprefix("the "))
        for u, entry in zip(equations.u, entries, strict=False):
            _tried(equations, small, [as_expr(entry)], f"equation of '{u.name}'")
        raise error from None


def _tried(equations: EquationsOfMotion, small: SmallVariables, entries: Sequence[Expr], place: str) -> None:
    try:
        first_order(substitute(entries, equations.tree.followed), small.symbols)
    except PolhodeError as error:
        problem = error.problems[0]
        raise PolhodeError(problem.message, place=place, cure=problem.cure, code=problem.code) from None


# ---- which are small -------------------------------------------------------------------------------------------


def small_variables(equations: EquationsOfMotion, names: Sequence[str]) -> SmallVariables:
    """The small symbols behind names; the speeds of small coordinates are those that their rates begin with."""
    coordinates: dict[str, Expr] = {}
    others: dict[str, Expr] = {}
    for name in names:
        variables, other = _named(equations, name)
        coordinates |= {q.name: q for q in variables}
        others |= {} if other is None else {name: other}
    placed = {q: k for k, q in enumerate(equations.tree.q)}
    indices = [placed[q] for q in coordinates.values()]
    small = SmallVariables(tuple(coordinates.values()), (), tuple(others.values()))
    rates = equations.in_independent_speeds(equations.tree.coordinate_rates())
    first = first_order([rates[k] for k in indices], small.symbols).values
    _check_still(equations, indices, first)
    slopes = jacobian(first, list(equations.u))
    speeds = tuple(u for k, u in enumerate(equations.u) if any(row[k] for row in slopes))
    _check_shared(equations, {*indices}, small, speeds)
    return replace(small, speeds=speeds)


def _named(equations: EquationsOfMotion, name: str) -> tuple[list[Expr], Expr | None]:
    """The coordinates of a name, or the other symbol of that name."""
    system = equations.system
    by_name = {q.name: [q] for joint in system.joints.values() for q in joint.q}
    by_name = {name: list(joint.q) for name, joint in system.joints.items()} | by_name
    if name in by_name:
        for q in by_name[name]:
            _check_free(equations, q)
        if not by_name[name]:
            cure = "Leave it out."
            raise fault(f"joint '{name}' does not move, so that nothing of it is small.", cure, "E-DERIVE-UNSUPPORTED")
        return by_name[name], None
    tables = (system.parameters, system.inputs, system.states)
    others = {key: record.symbol for table in tables for key, record in table.items()}
    if name not in others:
        raise unknown("coordinate, joint, parameter, input or state", name, [*by_name, *others], place=_PLACE,
                      code="E-DERIVE-NAME")  # fmt: skip
    return [], others[name]


def _check_free(equations: EquationsOfMotion, q: Expr) -> None:
    tree = equations.tree
    if q not in tree.q:
        message = f"the coordinate '{q.name}' is no unknown: it follows another, or its motion is given."
        raise fault(message, "Name what it follows, or a parameter of its motion.", "E-DERIVE-UNSUPPORTED")
    index = list(tree.q).index(q)
    if any(first <= index < first + 4 for first in tree.quaternions):
        message = f"'{q.name}' is of a quaternion, which is (1, 0, 0, 0) and not small where nothing has turned."
        cure = 'Store the orientation as angles or as a vector-parameter: storage="angles".'
        raise fault(message, cure, "E-DERIVE-UNSUPPORTED")


def _check_still(equations: EquationsOfMotion, indices: Sequence[int], rates: Sequence[Expr]) -> None:
    """Refuse a small coordinate that moves where all speeds vanish."""
    drifts = substitute(rates, dict.fromkeys(equations.u, as_expr(0)))
    for k, drift in zip(indices, drifts, strict=True):
        if drift:
            message = (
                f"the coordinate '{equations.tree.q[k].name}' moves with time whatever the speeds are, and does not "
                "stay small."
            )
            raise fault(message, "Leave it out of the small variables.", "E-DERIVE-DEPENDENCE")


def _check_shared(
    equations: EquationsOfMotion, small: set[int], variables: SmallVariables, speeds: Sequence[Expr]
) -> None:
    """Refuse speeds that move small and other coordinates of one joint."""
    tree = equations.tree
    for link in tree.links:
        rest = [k for k in link.coordinates if k not in small]
        if not rest or len(rest) == len(link.coordinates):
            continue
        rates = equations.in_independent_speeds(tree.coordinate_rates())
        slow = first_order([rates[k] for k in rest], variables.symbols).values
        for k, row in zip(rest, jacobian(slow, list(speeds)), strict=True):
            if any(row):
                few = listed([f"'{tree.q[i].name}'" for i in link.coordinates if i in small])
                message = f"the speeds of {few} move '{tree.q[k].name}' as well, and are small for both or for none."
                cure = "Name the whole joint, or write it as a Compound of simple ones."
                raise PolhodeError(message, f"{_PLACE}, joint '{link.joint}'", cure, "E-DERIVE-DEPENDENCE")


#: Terms with more operations than this are described by the products of small variables in them.
_SHORT = 40


@dataclass(frozen=True, repr=False)
class DroppedFrom(Told):
    """The terms dropped from one equation."""

    equation: str  # in words, such as "equation of 'roll'"
    name: str  # of the speed, coordinate or state that it is of
    second: Expr  # the terms of second order
    products: tuple[tuple[Expr, Expr], ...]  # of which small variables
    has_more: bool  # whether anything else is dropped, of higher order or bent where it vanishes

    def __str__(self) -> str:
        text = ""
        if self.products:
            is_short = sum(operation_counts([self.second]).values()) <= _SHORT
            pairs = (f"{spelled(a)}*{spelled(b)}" if a is not b else f"{spelled(a)}**2" for a, b in self.products)
            text = str(normal(self.second)) if is_short else f"products with {listed(pairs, most=12)}"
        more = "higher orders" if self.has_more else ""
        return f"{self.equation}: {' and '.join(filter(None, (text, more)))}"


@dataclass(frozen=True, repr=False)
class Dropped(Told):
    """The dropped terms of the equations that lost some; `print` it."""

    parts: tuple[DroppedFrom, ...]

    def __iter__(self) -> Iterator[DroppedFrom]:
        return iter(self.parts)

    def __len__(self) -> int:
        return len(self.parts)

    def __getitem__(self, name: str) -> DroppedFrom:
        """The terms dropped from the equation of a speed, or of the rate of a coordinate or state."""
        for part in self.parts:
            if part.name == name:
                return part
        raise unknown("equation that lost anything", name, [part.name for part in self.parts], code="E-DERIVE-NAME")

    def __str__(self) -> str:
        return "\n".join(map(str, self.parts)) or "nothing was dropped."


@quiet_collector()
def dropped(equations: EquationsOfMotion) -> Dropped:
    """The terms that truncation in small variables dropped."""
    small, full = equations.small, equations.whole
    if small is None or full is None:
        return Dropped(())
    labels = [("equation of", u.name) for u in equations.u]
    labels += [("rate of", name) for name in (*equations.coordinates, *equations.states)]
    before, after = _residuals(full, equations), _residuals(equations, equations)
    lost = [as_expr(a - b) for a, b in zip(before, after, strict=True)]
    kept = [k for k, gone in enumerate(lost) if gone]
    second = _second([before[k] for k in kept], equations)
    pairs = products_of(second, small.symbols)
    return Dropped(
        tuple(
            DroppedFrom(f"{labels[k][0]} '{labels[k][1]}'", labels[k][1], form, tuple(pair), lost[k] != form)
            for k, form, pair in zip(kept, second, pairs, strict=True)
        )
    )


def _residuals(equations: EquationsOfMotion, kept: EquationsOfMotion) -> list[Expr]:
    """Left-hand sides that vanish along a motion, each without its own rate."""
    needed = [a - b for a, b in zip(equations.inverse_dynamics, equations.efforts, strict=True)]
    rates = kept.kept(equations.all_coordinate_rates)
    return [as_expr(entry) for entry in (*needed, *rates, *equations.z_rates)]


def _second(entries: list[Expr], equations: EquationsOfMotion) -> list[Expr]:
    small = () if equations.small is None else equations.small.symbols
    try:
        return second_order(entries, small)
    except PolhodeError:  # something has a slope where it vanishes, and no curvature
        return [as_expr(0)] * len(entries)
