"""The equations of motion in "pure" vector-parameters: H_V(c) c̈ + h_V(c, ċ) = P_V.

C. Mladenova, "Group Theory in the Problems of Modeling and Control of Multi-Body Systems", (126) to (140) and (260),
for elastic joints (284) to (289), with the corrections listed in docs/errata.md. The unknowns are the components of
vector-parameters, tan(θ/2) for a hinge, and the lengths of slides:

    u = N(c) ċ,    H_V = Nᵀ M N,    h_V = Nᵀ (bias + M Ṅ ċ),    P_V = Nᵀ τ,    N = 2/(1 + c²) for a hinge

    paper                here
    c̄_1, c̄_2  (286)      `c`: joints of links, then rotors of elastic gears; a rotor is counted on the joint's side of
                         its gear, c = tan(q_m/(2Γ)), and not c_m/Γ as in (285), which no gear keeps
    h_V1, h_V2  (287)    `velocity_terms`, `gravity_terms`
    K (c̄_1 - c̄_2)        part of `applied`: 2 K (arctan c_1 - arctan c_2), as (305) has it, times 2/(1 + c²)

M and bias are those of the equations, by "vector_parameter" Lagrange's from (131) and (134), with sin θ = 2c/(1 + c²)
and cos θ = (1 - c²)/(1 + c²) put in; other angles are 2 arctan c.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ...dynamics.equations import EquationsOfMotion
from ...dynamics.whole import check_rigid, check_whole
from ...errors import PolhodeError
from ...expr import Expr, Matrix, Vector, as_expr, atan, cos, directional, is_zero, jacobian, sin, symbol
from ...expr.angle import Angle
from ...expr.graph import quiet_collector, rebuild, substitute, topological
from ...expr.spelling import acceleration_of, spelled
from ...expr.typeset import Typeset
from ...formalisms.uicker_kahn import given_forces
from ...kinematics.tree import Link

_PLACE = "the form in vector-parameters"


@dataclass(frozen=True, eq=False, repr=False)
class VectorParameterForm(Typeset):
    """H_V(c) c̈ + h_V(c, ċ) = P_V (+ Aᵀ λ, with constraints), one row for each speed of the equations."""

    equations: EquationsOfMotion
    c: Vector  # components of vector-parameters, lengths of slides
    rates: Vector  # ċ
    accelerations: Vector  # c̈
    N: Matrix  # u = N ċ
    tangents: Mapping[Expr, Expr]  # angles among the coordinates, and the c = tan(θ/2) of each
    coordinates: Mapping[Expr, Expr]  # coordinates that are not among c, as functions of c

    def __repr__(self) -> str:
        return f"VectorParameterForm(H c'' + h = P, c = {', '.join(map(spelled, self.c))})"

    def _formulas(self) -> list[tuple[str, Any]]:
        return [("c", self.c), ("H_V", self.mass_matrix), ("h_V", self.bias), ("P_V", self.efforts)]

    @cached_property
    def mass_matrix(self) -> Matrix:
        """H_V(c) = Nᵀ M N, (132)."""
        return (self.N.T @ self._M @ self.N).map(as_expr)

    def jacobian(self, name: str) -> Matrix:
        """J_V(c) of the origin of a body or frame: [ω; v] = J_V ċ, in ground components, (112)-(121), (126)."""
        return (_put_in(self.equations.jacobian(name), self.tangents, self.coordinates) @ self.N).map(as_expr)

    @cached_property
    def bias(self) -> Vector:
        """h_V(c, ċ) = Nᵀ (bias + M Ṅ ċ), (260); (139) has it with the opposite sign."""
        with quiet_collector():
            speeds = [as_expr(u) for u in self.N @ self.rates]
            turning = directional(speeds, dict(zip(self.c, self.rates, strict=True)))
            return self._on_c(self.equations.bias) + self.N.T @ (self._M @ Vector(turning))

    @cached_property
    def gravity_terms(self) -> Vector:
        """h_V2(c) = -Y_V, (138) corrected: what the weight takes."""
        return self._on_c(self.equations.gravity_terms)

    @cached_property
    def applied(self) -> Vector:
        """Efforts of springs, dampers, gears and other loads."""
        return -self._on_c(given_forces(self.equations.system, self.equations.tree))

    @property
    def velocity_terms(self) -> Vector:
        """h_V1(c, ċ), centrifugal and Coriolis terms, and those of prescribed motions: Ḣ_V ċ - ∂T/∂c, (134)."""
        return self.bias - self.gravity_terms - self.applied

    @property
    def efforts(self) -> Vector:
        """P_V = Nᵀ τ, (137)."""
        return self.N.T @ self.equations.tau

    @property
    def inverse_dynamics(self) -> Vector:
        """P_V(c, ċ, c̈) = H_V c̈ + h_V."""
        return self.mass_matrix @ self.accelerations + self.bias

    @property
    def A(self) -> Matrix:
        """A_V(c), a row for each constraint: A_V ċ + a = 0, and the constraint forces are A_Vᵀ λ.

        Of a condition that is not linear in the rates it depends on them too.
        """
        rows = self.equations.constraints
        return Matrix([]) if rows is None else _put_in(rows.A, self.tangents, self._values) @ self.N

    @cached_property
    def _M(self) -> Matrix:
        return _put_in(self.equations.mass_matrix, self.tangents, self.coordinates)

    def _on_c(self, forces: Sequence[Any]) -> Vector:
        """Forces along the speeds as forces along c."""
        return self.N.T @ Vector(_in_half_tangents([as_expr(f) for f in forces], self.tangents, self._values))

    @cached_property
    def _values(self) -> dict[Expr, Expr]:
        """Coordinates and speeds of the equations by c and ċ."""
        return {**self.coordinates, **dict(zip(self.equations.u, map(as_expr, self.N @ self.rates), strict=True))}


def _in_half_tangents(roots: list[Expr], tangents: Mapping[Expr, Expr], values: Mapping[Expr, Expr]) -> list[Expr]:
    """Replace symbols by `values`; sines and cosines of whole multiples of angles by rational functions of tangents."""
    table: dict[int, Expr] = {id(old): new for old, new in values.items()}
    for node in topological(roots):
        if id(node) in table:
            continue
        terms = Angle.of(node.args[0]).terms if node.op in ("sin", "cos") else ()
        multiples = [(angle, int(n)) for angle, n in terms if angle in tangents and n.denominator == 1]
        if multiples:
            rest = node.args[0] - sum((n * angle for angle, n in multiples), as_expr(0))
            (rest,) = substitute([as_expr(rest)], values)
            turn = cos(rest), sin(rest)
            for angle, n in multiples:
                c = tangents[angle] * (1 if n > 0 else -1)
                x, y = (1 - c * c) / (1 + c * c), 2 * c / (1 + c * c)
                for _ in range(abs(n)):
                    turn = turn[0] * x - turn[1] * y, turn[1] * x + turn[0] * y
            table[id(node)] = turn[node.op == "sin"]
        else:
            table[id(node)] = rebuild(node, [table[id(arg)] for arg in node.args]) if node.args else node
    return [table[id(root)] for root in roots]


def _put_in(matrix: Matrix, tangents: Mapping[Expr, Expr], values: Mapping[Expr, Expr]) -> Matrix:
    entries = iter(_in_half_tangents([as_expr(entry) for entry in matrix.entries()], tangents, values))
    return matrix.map(lambda _: next(entries))


def vector_parameter_form(equations: EquationsOfMotion) -> VectorParameterForm:
    """The equations of a tree in vector-parameters, their rates and second rates."""
    check_whole(equations, _PLACE)
    check_rigid(equations.system, _PLACE, "Leave flexible bodies out.")
    if equations.dependent_speeds is not None:
        message = f"the equations of '{equations.system.name}' are not in the speeds of its joints."
        cure = "Derive without embedded constraints and other speeds (`pseudo`, `speeds`)."
        raise PolhodeError(message, _PLACE, cure, "E-PAPER-UNSUPPORTED")
    tree = equations.tree
    slides = {link.joint for link in tree.links if not _turning(link)}
    ratios = {motor.rotor: (motor.ratio, motor.joint in slides) for motor in equations.system.motors.values()}
    c: list[Expr] = list(tree.u)
    tangents: dict[Expr, Expr] = {}
    values: dict[Expr, Expr] = {}
    for link in (link for link in tree.links if link.coordinates):
        turning = [] if link.stage.storage == "vector" else _turning(link)
        x = [tree.q[i] for i in link.coordinates]
        if len(x) != len(link.H) or len(turning) > 1 or any(not is_zero(w.dot(w) - 1) for _, w in turning):
            message = "neither one angle nor a vector-parameter says how far the joint has turned."
            cure = 'Store a spherical or free joint with storage="vector"; write others as compounds of single joints.'
            raise PolhodeError(message, f"joint '{link.joint}'", cure, "E-PAPER-UNSUPPORTED")
        for k, _ in turning:
            name = f"c_{x[k].name}"
            while name in tree.coordinates:
                name = f"{name}_"
            angle, x[k] = x[k], symbol(name, "coordinate")
            ratio, is_length = ratios.get(link.joint, (as_expr(1), False))
            values[angle] = ratio * (x[k] if is_length else 2 * atan(x[k]))
            if ratio == 1 and not is_length:
                tangents[angle] = x[k]
        for speed, component in zip(link.speeds, x, strict=True):
            c[speed] = component
    rates = Vector([symbol(x.name, "speed") for x in c])
    by_rates = _put_in(tree.kinematic_left_inverse(), tangents, values)  # u by the rates of coordinates
    N = by_rates @ jacobian([values.get(q, q) for q in tree.q], c) if c else by_rates
    return VectorParameterForm(
        equations, Vector(c), rates, Vector(map(acceleration_of, rates)), N.map(as_expr), tangents, values
    )


def _turning(link: Link) -> list[tuple[int, Vector]]:
    """The columns of a joint's map that turn, each with its axis."""
    return [(k, w) for k, (w, _) in enumerate(link.H) if any(w)]
