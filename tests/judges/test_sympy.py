"""SymPy's Kane as judge: mass matrix and forcing of textbook mechanisms, as formulas."""

from typing import Any

import pytest
import sympy as sp
from sympy.physics.mechanics import KanesMethod, Point, ReferenceFrame, RigidBody, dynamicsymbols, inertia

import polhode as ph

G = sp.Rational(981, 100)


def kane(ground: Any, q: Any, u: Any, bodies: Any, forces: Any) -> tuple[Any, Any]:
    """Mass matrix and forcing vector, coordinate rates being speeds."""
    kinematic = [speed - coordinate.diff() for coordinate, speed in zip(q, u, strict=True)]
    method = KanesMethod(ground, q_ind=list(q), u_ind=list(u), kd_eqs=kinematic)
    method.kanes_equations(bodies, forces)
    return method.mass_matrix, method.forcing


def assert_same_formulas(made: ph.Equations, M: Any, f: Any, q: Any, u: Any) -> None:
    """Our formulas in SymPy, with its names for coordinates and speeds, are the same."""
    ours_M = sp.Matrix([[entry._sympy_() for entry in row] for row in made.mass_matrix])
    ours_f = sp.Matrix([entry._sympy_() for entry in made.forcing])
    names = dict(zip([c._sympy_() for c in made.q] + [s._sympy_() for s in made.u], [*q, *u], strict=True))
    no_effort = {effort._sympy_(): 0 for effort in made.tau}
    for ours, theirs in ((ours_M, M), (ours_f, f)):
        gap = (ours.subs(no_effort).subs(names) - theirs).applyfunc(reduced)
        assert gap.is_zero_matrix, gap


def reduced(formula: Any) -> Any:
    """A polynomial of sines and cosines, no sine squared: zero if and only if the formula vanishes."""
    formula = sp.expand(sp.expand_trig(formula))
    for sine in sorted(formula.atoms(sp.sin), key=str):
        formula = sp.rem(formula, sine**2 + sp.cos(sine.args[0]) ** 2 - 1, sine)
    return sp.expand(formula)


def parameters(system: ph.System, names: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Parameters of ours and SymPy's symbols for them."""
    ours = {name: system.parameter(name) for name in names.split()}
    return ours, {name: symbol._sympy_() for name, symbol in ours.items()}


@pytest.mark.parametrize("formalism", ["poincare", "newton_euler", "composite_body"])
def test_kane_agrees_on_a_double_pendulum(formalism: str) -> None:
    system = ph.System("double pendulum")
    ours, p = parameters(system, "m1 m2 l1 l2")
    upper = system.body("upper", mass=ours["m1"], com=(0, 0, -ours["l1"]))
    lower = system.body("lower", mass=ours["m2"], com=(0, 0, -ours["l2"]))
    system.joint("a", system.ground, upper, ph.Revolute("y"))
    system.joint("b", upper, lower, ph.Revolute("y"), at=(0, 0, -ours["l1"]))

    q, u = dynamicsymbols("q1 q2"), dynamicsymbols("u1 u2")
    N, O = ReferenceFrame("N"), Point("O")
    O.set_vel(N, 0)
    A = N.orientnew("A", "Axis", [q[0], N.y])
    B = A.orientnew("B", "Axis", [q[1], A.y])
    A.set_ang_vel(N, u[0] * N.y)
    B.set_ang_vel(A, u[1] * A.y)
    P = O.locatenew("P", -p["l1"] * A.z)
    Q = P.locatenew("Q", -p["l2"] * B.z)
    P.v2pt_theory(O, N, A)
    Q.v2pt_theory(P, N, B)
    none = inertia(N, 0, 0, 0)
    bodies = [RigidBody("A", P, A, p["m1"], (none, P)), RigidBody("B", Q, B, p["m2"], (none, Q))]
    weights = [(P, -p["m1"] * G * N.z), (Q, -p["m2"] * G * N.z)]
    assert_same_formulas(system.derive(formalism), *kane(N, q, u, bodies, weights), q, u)


@pytest.mark.parametrize("formalism", ["poincare", "newton_euler", "composite_body"])
def test_kane_agrees_on_a_cart_with_a_pendulum(formalism: str) -> None:
    system = ph.System("cart")
    ours, p = parameters(system, "M m l J k c")
    cart = system.body("cart", mass=ours["M"])
    bob = system.body("bob", mass=ours["m"], com=(0, 0, ours["l"]), inertia=[0, ours["J"], 0])
    rail = system.joint("rail", system.ground, cart, ph.Prismatic("x"))
    system.joint("pivot", cart, bob, ph.Revolute("y"))
    system.joint_spring(rail, ours["k"], damping=ours["c"])

    q, u = dynamicsymbols("x a"), dynamicsymbols("v w")
    N, O = ReferenceFrame("N"), Point("O")
    O.set_vel(N, 0)
    A = N.orientnew("A", "Axis", [q[1], N.y])
    A.set_ang_vel(N, u[1] * N.y)
    C = O.locatenew("C", q[0] * N.x)
    C.set_vel(N, u[0] * N.x)
    P = C.locatenew("P", p["l"] * A.z)
    P.v2pt_theory(C, N, A)
    bodies = [
        RigidBody("cart", C, N, p["M"], (inertia(N, 0, 0, 0), C)),
        RigidBody("bob", P, A, p["m"], (inertia(A, 0, p["J"], 0), P)),
    ]
    forces = [(C, -(p["k"] * q[0] + p["c"] * u[0]) * N.x), (P, -p["m"] * G * N.z)]
    assert_same_formulas(system.derive(formalism), *kane(N, q, u, bodies, forces), q, u)


def three_link_arm() -> tuple[ph.System, Any, Any, Any, Any]:
    """Yaw, pitch, pitch, with rods of full inertia: in our words and in SymPy's."""
    system = ph.System("arm")
    ours, p = parameters(system, "m1 m2 m3 d2 d3 l2 Ix Iy Iz")
    moments = [ours["Ix"], ours["Iy"], ours["Iz"]]
    base = system.body("base", mass=ours["m1"], com=(0, 0, 0), inertia=moments)
    upper = system.body("upper", mass=ours["m2"], com=(ours["d2"], 0, 0), inertia=moments)
    fore = system.body("fore", mass=ours["m3"], com=(ours["d3"], 0, 0), inertia=moments)
    system.joint("yaw", system.ground, base, ph.Revolute("z"))
    system.joint("pitch", base, upper, ph.Revolute("y"))
    system.joint("elbow", upper, fore, ph.Revolute("y"), at=(ours["l2"], 0, 0))

    q, u = dynamicsymbols("q1:4"), dynamicsymbols("u1:4")
    N, O = ReferenceFrame("N"), Point("O")
    O.set_vel(N, 0)
    A = N.orientnew("A", "Axis", [q[0], N.z])
    B = A.orientnew("B", "Axis", [q[1], A.y])
    C = B.orientnew("C", "Axis", [q[2], B.y])
    A.set_ang_vel(N, u[0] * N.z)
    B.set_ang_vel(A, u[1] * A.y)
    C.set_ang_vel(B, u[2] * B.y)
    P, E = O.locatenew("P", p["d2"] * B.x), O.locatenew("E", p["l2"] * B.x)
    Q = E.locatenew("Q", p["d3"] * C.x)
    P.v2pt_theory(O, N, B)
    E.v2pt_theory(O, N, B)
    Q.v2pt_theory(E, N, C)
    bodies = [
        RigidBody(str(mass), point, frame, mass, (inertia(frame, p["Ix"], p["Iy"], p["Iz"]), point))
        for mass, point, frame in ((p["m1"], O, A), (p["m2"], P, B), (p["m3"], Q, C))
    ]
    weights = [(body.masscenter, -body.mass * G * N.z) for body in bodies]
    return system, *kane(N, q, u, bodies, weights), q, u


def test_kane_agrees_on_a_three_link_arm() -> None:
    system, M, f, q, u = three_link_arm()
    assert_same_formulas(system.derive("newton_euler"), M, f, q, u)
