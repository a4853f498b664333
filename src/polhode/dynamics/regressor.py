"""The regressor: efforts as a linear function of the standard parameters of bodies and of friction.

    τ = Y(q, u, u̇) π + known(q, u, t, inputs)

C. G. Atkeson, C. H. An and J. M. Hollerbach, "Estimation of inertial parameters of manipulator loads and links" (1986).
Of a body, with the acceleration a of its origin (against gravity) and W = α̂ + ω̂ ω̂, all in its own components, the force
m a + W h and the torque I α + ω × I ω + h × a about the origin are linear in m, h = m c and the inertia I about the
origin; each column of Y is the efforts of one of them. Rotors are bodies like others; of one that
turns decoupled, the moment about its axis alone is a parameter. Friction -b u - c sign(u) on a joint gives the columns
u and sign(u). `known` has all other loads.

Friction in the loads of a model is the part of a force on a speed that is linear in that speed, or in its sign,

    value = -b u - c sign(u) - d tanh(u/v) + what is left

where b, c and d do not depend on the motion; what does is no friction of this kind and stays with the other loads.

A formalism has no part in this: columns come from the tree, and that Y π + known is what the formalism found is a fact
that fingerprints decide.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import PolhodeError, listed
from ..expr import (
    Expr,
    Matrix,
    Vector,
    as_expr,
    free_symbols,
    gradient,
    is_zero,
    quiet_collector,
    rebuild,
    same,
    substitute,
    symbol,
    topological,
)
from ..expr.typeset import Typeset
from ..geometry import Inertia
from ..geometry.inertia import acceleration_matrix
from ..geometry.twist import Twist, Wrench
from ..kinematics.motion import link_jacobian
from ..kinematics.tree import BASE, Tree
from ..model.forces.protocol import SpeedForce
from ..model.model import Model
from .equations import EquationsOfMotion
from .loads import loads_of
from .whole import check_rigid, check_whole

#: The parameters of a body in their order.
MOMENTS = ("m", "mcx", "mcy", "mcz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
_PLACES = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))


@dataclass(frozen=True)
class StandardParameter:
    """One of π: a moment of a body (m, mcx, …, Iyz about its origin), or a coefficient of friction of a joint."""

    kind: str
    owner: str  # the body, or the joint (where it has several speeds, the speed)
    value: Expr  # as the model has it

    @property
    def name(self) -> str:
        return f"{self.kind}_{self.owner}"


@dataclass(frozen=True, eq=False, repr=False)
class Regressor(Typeset):
    """τ = Y π + known; unpacked, it is Y and the names of π."""

    Y: Matrix
    parameters: tuple[StandardParameter, ...]
    known: Vector

    @property
    def names(self) -> list[str]:
        """The names of π, such as m_upper, mcx_upper, Ixx_upper, viscous_elbow."""
        return [parameter.name for parameter in self.parameters]

    @property
    def values(self) -> Vector:
        """π as the model has it."""
        return Vector([parameter.value for parameter in self.parameters])

    def __repr__(self) -> str:
        return f"Regressor({len(self.Y)} efforts by {len(self.parameters)} parameters: {listed(self.names)})"

    def _formulas(self) -> list[tuple[str, Any]]:
        return [("Y", self.Y)]

    def _sentences(self) -> list[str]:
        return [f"Columns are those of {listed(self.names, most=40)}."]

    def __iter__(self) -> Iterator[Any]:
        return iter((self.Y, self.names))


def regressor(equations: EquationsOfMotion, tree: Tree | None = None) -> Regressor:
    """Y, π and the known part, in the speeds of the equations; `tree` may be another of the same shape."""
    check_whole(equations, "the regressor")
    check_rigid(equations.system, "the regressor", "Identify the rigid bodies with the flexible ones held straight.")
    tree = equations.tree if tree is None else tree
    dependent = equations.dependent_speeds
    ud = list(equations.udot if dependent is None else dependent.E @ equations.udot + dependent.gamma)
    with quiet_collector():
        loads = loads_of(equations.system, tree)
        parameters, columns = _bodies(equations, tree, ud)
        remainder = [-entry for entry in loads.generalized_forces()]
        rubbing = friction_terms(equations.system, tree)
        for term in rubbing:
            column = [as_expr(0)] * len(tree.u)
            for leader, ratio in loads.leading_speed(term.speed):
                column[tree.speeds.index(leader)] = as_expr(ratio * term.shape)
            parameters.append(StandardParameter(term.kind, term.owner, term.coefficient))
            columns.append(column)
            remainder = [entry - share * term.coefficient for entry, share in zip(remainder, column, strict=True)]
        flat = equations.in_independent_speeds([entry for column in [*columns, remainder] for entry in column])
        size = len(tree.u)
        parts = [Vector(flat[i : i + size]) for i in range(0, len(flat), size)]
        if dependent is not None:
            parts = [dependent.E.T @ column for column in parts]
        *unknowns, last = parts
        Y = Matrix.columns_of(unknowns, len(equations.u)).map(as_expr)
        idle = free_symbols([term.coefficient for term in rubbing])
        return Regressor(Y, tuple(parameters), Vector(_without_idle(list(map(as_expr, last)), idle)))


def _without_idle(entries: list[Expr], symbols: Sequence[Expr]) -> list[Expr]:
    """Expressions without symbols that have no effect: coefficients of friction that was taken out."""
    for x in symbols:
        if same(substitute(entries, {x: symbol(f"another {x.name}", x.data[0])}), entries):
            try:
                at_zero = substitute(entries, {x: 0})
            except (PolhodeError, ZeroDivisionError):  # it stands below a fraction line, and stays
                continue
            entries = at_zero if same(at_zero, entries) else entries
    return entries


def _bodies(
    equations: EquationsOfMotion, tree: Tree, ud: Sequence[Any]
) -> tuple[list[StandardParameter], list[list[Any]]]:
    """The parameters of bodies that have mass and move, from the ground outward, and their columns."""
    system = equations.system
    alone = {motor.rotor for motor in system.motors.values() if motor.is_placeless}
    moving = _motions(tree, ud)
    parameters: list[StandardParameter] = []
    columns: list[list[Any]] = []
    for name, (i, X) in tree.bodies.items():
        body = system.bodies.get(name)
        if body is None or i == BASE or body.is_massless:
            continue
        w, alpha, a = moving[i]
        a = a + acceleration_matrix(w, alpha) @ X.p
        w, alpha, a = (X.R.T @ vector for vector in (w, alpha, a))
        spins = [(speed, X.R.T @ hw, X.R.T @ (hv + hw.cross(X.p))) for speed, hw, hv in link_jacobian(tree, i)]
        kinds = ("Izz",) if name in alone else MOMENTS
        wrenches = dict(zip(MOMENTS, _unit_wrenches(w, alpha, a), strict=True))
        values = dict(zip(MOMENTS, moments_of(Inertia.of_body(body.mass, body.com, body.inertia)), strict=True))
        for kind in kinds:
            column: list[Any] = [as_expr(0)] * len(tree.u)
            for speed, hw, hv in spins:
                column[speed] = wrenches[kind].power(Twist(hw, hv), column[speed])
            parameters.append(StandardParameter(kind, name, values[kind]))
            columns.append(column)
    return parameters, columns


def moments_of(inertia: Inertia) -> list[Expr]:
    """m, m c and the inertia about the origin, in the order of `MOMENTS`."""
    I = inertia.I
    return [as_expr(entry) for entry in (inertia.m, *inertia.h, *(I[k] for k in _PLACES))]


def _motions(tree: Tree, ud: Sequence[Any]) -> list[tuple[Vector, Vector, Vector]]:
    """ω, its rate and the acceleration of the origin against gravity, of every link in its own components."""
    motions: list[tuple[Vector, Vector, Vector]] = []
    for link in tree.links:
        w_rel, v_rel = link.relative_velocity(tree.u)
        alpha_rel, a_rel = link.relative_acceleration(tree.u, ud)
        if link.parent == BASE:
            carried, turning, a = Vector([0, 0, 0]), Vector([0, 0, 0]), link.outward(-tree.gravity)
        else:
            w, alpha, a = motions[link.parent]
            carried, turning = link.outward(w), link.outward(alpha)
            a = link.outward(a + acceleration_matrix(w, alpha) @ link.X.p)
        motions.append(
            (
                carried + w_rel,
                turning + alpha_rel + carried.cross(w_rel),
                a + a_rel + (carried * 2 + w_rel).cross(v_rel),
            )
        )
    return motions


def _unit_wrenches(w: Vector, alpha: Vector, a: Vector) -> list[Wrench]:
    """Torque about the origin and force for a unit of each moment: I α + ω × I ω + h × a and m a + W h."""
    zero, W = Vector([0, 0, 0]), acceleration_matrix(w, alpha)
    wrenches = [Wrench(zero, a)]
    for i, unit in enumerate(Matrix.identity(3)):
        wrenches.append(Wrench(unit.cross(a), Vector([row[i] for row in W])))
    for i, j in _PLACES:
        of_alpha, of_w = ([0, 0, 0], [0, 0, 0])
        of_alpha[i], of_w[i] = alpha[j], w[j]
        of_alpha[j], of_w[j] = alpha[i], w[i]
        wrenches.append(Wrench(Vector(of_alpha) + w.cross(Vector(of_w)), zero))
    return wrenches


#: The functions of a speed that dry friction is written with.
_DRY = ("sign", "tanh")


@dataclass(frozen=True)
class FrictionTerm:
    """A coefficient ≥ 0 and the function of a joint's speed that it multiplies."""

    kind: str  # viscous or coulomb
    owner: str
    speed: Expr
    shape: Expr
    coefficient: Expr


def friction_terms(model: Model, tree: Tree) -> list[FrictionTerm]:
    """The terms of all joints; terms of one joint with one shape are added."""
    terms: dict[tuple[Expr, Expr], FrictionTerm] = {}
    for load in model.primitive_loads:
        if isinstance(load, SpeedForce):
            joint = model.joints[load.joint]
            speed = joint.u[load.index]
            owner = joint.name if len(joint.u) == 1 else str(speed.name)
            for kind, shape, coefficient in _split(load.value, speed):
                (followed,) = substitute([shape], tree.followed)
                before = terms.get((speed, shape))
                total = coefficient if before is None else before.coefficient + coefficient
                terms[speed, shape] = FrictionTerm(kind, owner, speed, followed, total)
    return list(terms.values())


def _split(value: Expr, speed: Expr) -> Iterator[tuple[str, Expr, Expr]]:
    """Kind, shape and coefficient of each part that is friction."""
    if speed not in free_symbols([value]):
        return
    stands: dict[Expr, Expr] = {speed: speed}
    table: dict[int, Expr] = {}
    for node in topological([value]):
        if node.op in _DRY and speed in free_symbols([node]) and not _moves([node], speed):
            stands[symbol(f"{len(stands)}", "friction")] = node
            table[id(node)] = next(reversed(stands))
        else:
            args = [table[id(arg)] for arg in node.args]
            unchanged = all(a is b for a, b in zip(args, node.args, strict=True))
            table[id(node)] = node if unchanged else rebuild(node, args)
    at_rest = dict.fromkeys(stands, as_expr(0))
    try:
        slopes = substitute(gradient(table[id(value)], list(stands)), at_rest)
    except (PolhodeError, ZeroDivisionError):
        return
    for (atom, shape), slope in zip(stands.items(), slopes, strict=True):
        if not is_zero(slope) and not _moves([slope], speed):
            yield ("viscous" if atom is speed else "coulomb"), shape, as_expr(-slope)


def _moves(entries: list[Expr], speed: Expr) -> bool:
    """Whether more than parameters and this speed enter."""
    return any(x is not speed and x.data[0] != "parameter" for x in free_symbols(entries))
