"""What a mechanism is to follow: as many errors as it has speeds, and how they change.

    e(q, r),    ė = E(q, r) u + e_t(q, r, ṙ),    ë = E u̇ + drift(q, u, r, ṙ, r̈)

The error of a coordinate is e = r - q. That of an orientation, stored as a unit quaternion q, is the rotation that is
lacking, e = 2 vec(q* ∘ r), in the body's own components: twice the sine of half its angle along its axis. So one law
serves joints of every kind: whatever is wanted of the errors is solved for speeds and accelerations through E.
B. Wie and P. M. Barba, "Quaternion feedback for spacecraft large angle maneuvers" (1985), for the error.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..control_geometry.determinant import determinant
from ..dynamics.equations import EquationsOfMotion
from ..errors import PolhodeError, listed
from ..expr import Expr, Matrix, Vector, as_expr, directional, jacobian, rank, same
from ..expr.decide import independent_columns
from ..expr.ranges import cannot_vanish
from ..expr.spelling import reference_symbol, spelled
from ..geometry.elimination import solve_columns
from ..laws.law import Reference
from .model_based import Gains, ModelBased, Written, step

if TYPE_CHECKING:
    from ..formalisms.derivation import Derived


@dataclass(frozen=True, eq=False)
class Tracking:
    """Errors of a mechanism against a reference, by name, one for each speed."""

    equations: EquationsOfMotion
    reference: tuple[Reference, ...]
    errors: Mapping[str, Expr]
    conditions: tuple[str, ...] = ()
    singular: tuple[tuple[str, Expr], ...] = ()  # these conditions, and what vanishes there

    @property
    def names(self) -> list[str]:
        return list(self.errors)

    @cached_property
    def flow(self) -> dict[Expr, Any]:
        """How coordinates, time and the reference change; speeds are held."""
        e = self.equations
        moving = {**dict(zip(e.q, e.coordinate_rates, strict=True)), e.system.time: as_expr(1)}
        return moving | reference_flow(self.reference)

    @cached_property
    def rates(self) -> list[Expr]:
        """ė."""
        return directional(self.errors.values(), self.flow)

    @cached_property
    def by_speeds(self) -> Matrix:
        """E = ∂ė/∂u."""
        return jacobian(self.rates, list(self.equations.u))

    def speeds_for(self, rates: Sequence[Any]) -> list[Expr]:
        """The speeds with which errors change at these rates: E u + e_t = rates."""
        own = self.by_speeds @ Vector(self.equations.u)
        return self._solved([r - (rate - part) for r, rate, part in zip(rates, self.rates, own, strict=True)])

    def accelerations_for(self, second_rates: Sequence[Any]) -> list[Expr]:
        """The accelerations with which errors have these second rates: E u̇ + drift = second rates."""
        drift = directional(self.rates, self.flow)
        return self._solved([r - each for r, each in zip(second_rates, drift, strict=True)])

    def _solved(self, right: Sequence[Any]) -> list[Expr]:
        """x with E x = right; joints by themselves are solved by themselves."""
        E, x = self.by_speeds, [as_expr(0)] * len(right)
        for rows, columns in _blocks(E):
            found = solve_block(Matrix([[E[r][c] for c in columns] for r in rows]), [right[r] for r in rows])
            for c, value in zip(columns, found, strict=True):
                x[c] = as_expr(value)
        return x


def is_orthogonal(E: Matrix) -> bool:
    """Whether a matrix is a rotation, or a mirrored one, wherever the mechanism is."""
    return same((E @ E.T).entries(), Matrix.identity(len(E)).entries())


def solve_block(E: Matrix, right: Sequence[Any]) -> list[Expr]:
    """x with E x = right, dividing by nothing that vanishes where E is regular, up to three rows."""
    if is_orthogonal(E):
        return [as_expr(each) for each in E.T @ Vector(right)]
    if len(E) != 3:
        return [as_expr(row[0]) for row in solve_columns(E, [[each] for each in right])]
    a, b, c = E  # Cramer's rule: rows of the inverse's transpose are b × c, c × a, a × b over the determinant
    crossed = [b.cross(c), c.cross(a), a.cross(b)]
    det = a.dot(crossed[0])
    return [as_expr(sum(part[k] * each for part, each in zip(crossed, right, strict=True)) / det) for k in range(3)]


def reference_flow(reference: Sequence[Reference]) -> dict[Expr, Expr]:
    """How references change: each derivative at the rate of the next."""
    return {
        each: reference_symbol(wanted.name, order + 1)
        for wanted in reference
        for order, each in enumerate(wanted.symbols)
    }


def tracking(equations: EquationsOfMotion, order: int, place: str) -> Tracking:
    """Coordinates that follow references of the same names, with `order` derivatives."""
    rows = () if equations.constraints is None else equations.constraints.rows
    rolling = [row.name for row in rows if row.value is None]
    left = len(equations.q) - len(equations.quaternions) - len(equations.u)
    if rolling or (equations.dependent_speeds is None and left > 0):
        why = f"by '{rolling[0]}'" if rolling else "by its joints"
        message = f"'{equations.system.name}' is nonholonomic, {why}: its coordinates cannot all follow references."
        cure = "Choose outputs, as many as there are controls, for FeedbackLinearization."
        raise PolhodeError(message, place, cure, "E-CONTROL-UNSUPPORTED")
    rates, q = equations.coordinate_rates, list(equations.q)
    errors: dict[str, Expr] = {}
    wanted: list[Reference] = []
    singular: list[tuple[str, Expr]] = []
    turned = {first + k for first in equations.quaternions for k in range(4)}
    placed: dict[int, tuple[str, int]] = {}  # coordinates of free joints, by joint and axis
    for first in equations.quaternions:
        joint = next(name for name, each in equations.system.joints.items() if q[first] in each.q)
        if equations.system.joints[joint].type.kind == "free":
            placed |= {first + 4 + k: (joint, k) for k in range(3)}
        own = [Reference(x.name, order, quantity=x, orientation=joint) for x in q[first : first + 4]]
        wanted += own
        error = _lacking(q[first : first + 4], [each.symbols[0] for each in own])
        errors |= {f"{joint} {axis}": part for axis, part in zip("xyz", error, strict=True)}
        alike = as_expr(sum(x * each.symbols[0] for x, each in zip(q[first : first + 4], own, strict=True)))
        singular.append((f"the orientation of '{joint}' is half a turn away from its reference", alike))
    speeds = {*equations.u}
    plain = [k for k in range(len(q)) if k not in turned and rates[k] in speeds]
    others = [k for k in range(len(q)) if k not in turned and k not in plain]
    gamma = [list(row) for row in equations.kinematic_matrix]
    plain_names = {q[k].name for k in (*plain, *others)}
    for k in _independent(gamma, sorted(turned), [*plain, *others]):
        wanted.append(Reference(q[k].name, order, quantity=q[k], position=placed.get(k)))
        errors[q[k].name] = as_expr(wanted[-1].symbols[0] - q[k])
    made = Tracking(equations, tuple(wanted), errors)
    if len(errors) != len(equations.u) or rank(made.by_speeds) < len(equations.u):
        whose = f"the {len(equations.u)} speeds {listed(map(spelled, equations.u))} of '{equations.system.name}'"
        cure = "Give joints whose coordinates can follow any motion; nonholonomic ones cannot."
        message = f"{whose} are not the rates of as many coordinates or orientations."
        raise PolhodeError(message, place, cure, "E-CONTROL-SHAPE")
    E, names = made.by_speeds, [*errors]
    for block_rows, columns in _blocks(E):
        errors_of = [names[r] for r in block_rows]
        block = Matrix([[E[r][c] for c in columns] for r in block_rows])
        if errors_of[0] in plain_names and not is_orthogonal(block) and not cannot_vanish(determinant(block)):
            singular.append((f"the rates of {listed(errors_of)} do not determine the speeds", determinant(block)))
    return replace(made, conditions=tuple(words for words, _ in singular), singular=tuple(singular))


def _independent(gamma: Sequence[Sequence[Any]], held: Sequence[int], order: Sequence[int]) -> list[int]:
    """Of coordinates in an order of preference, those whose rates are independent of others and of those held."""
    rows = [gamma[k] for k in (*held, *order)]
    if not rows:
        return []
    found = independent_columns(list(zip(*rows, strict=True)))
    return sorted(order[k - len(held)] for k in found if k >= len(held))


def _lacking(q: Sequence[Expr], r: Sequence[Expr]) -> list[Expr]:
    """2 vec(q* ∘ r)."""
    v, w = Vector(q[1:]), Vector(r[1:])
    return [as_expr(2 * part) for part in w * q[0] - v * r[0] - v.cross(w)]


def _blocks(E: Matrix) -> list[tuple[list[int], list[int]]]:
    """Rows and columns that belong together: no other row has an entry in these columns."""
    left = list(range(len(E)))
    found: list[tuple[list[int], list[int]]] = []
    while left:
        rows, columns = [left[0]], {c for c, entry in enumerate(E[left[0]]) if entry}
        grown = True
        while grown:
            more = [r for r in left if r not in rows and any(E[r][c] for c in columns)]
            rows += more
            columns |= {c for r in more for c, entry in enumerate(E[r]) if entry}
            grown = bool(more)
        found.append((sorted(rows), sorted(columns)))
        left = [r for r in left if r not in rows]
    return found


class TrackingController(ModelBased):
    """A controller of a fully actuated mechanism; `tracking` has its errors and how they change."""

    def __init__(self, equations: Derived | EquationsOfMotion, **options: Any) -> None:
        super().__init__(equations, **options)
        self.actuation.check_full()
        self.tracking = tracking(self.equations, 2, self.name)

    def _law_of_forces(
        self, forces: Sequence[Any], steps: Mapping[Expr, Expr], states: Sequence[Any], *gains: Gains | None
    ) -> Written:
        """The law that exerts these forces, with the references and the singular poses of the tracking."""
        parameters = {name: each for own in gains if own for name, each in own.parameters.items()}
        controls, followed = self.actuation.solved(forces), self.tracking
        return Written(
            controls, steps, tuple(states), followed.reference, parameters, followed.conditions, followed.singular
        )

    def _sliding_steps(self) -> list[Expr]:
        """s of all speeds, as expressions of the state and the reference."""
        return self.written.put_into([step("s", u.name) for u in self.equations.u])
