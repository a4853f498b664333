"""SymPy's KanesMethod as judge of ours: numbers of M and f, with speeds that are not rates of coordinates."""

from typing import Any

import pytest
import sympy as sp
from bench.mechanisms import chain
from bench.mechanisms import satellite as our_satellite
from sympy.physics.mechanics import KanesMethod, Point, ReferenceFrame, RigidBody, dynamicsymbols, inertia
from tests.judges import sympy_models

import polhode as ph
from polhode.expr import evaluate
from polhode.model.samples.random_system import random_state

G = sp.Rational(981, 100)


def method(ground: Any, q: Any, u: Any, kinematic: Any, bodies: Any, loads: Any) -> tuple[Any, Any]:
    made = KanesMethod(ground, q_ind=list(q), u_ind=list(u), kd_eqs=list(kinematic))
    made.kanes_equations(bodies, loads)
    return made.mass_matrix, made.forcing


def assert_same_numbers(system: ph.System, M: Any, f: Any, q: Any, u: Any) -> None:
    """M and f at random states, without efforts on the speeds."""
    made = system.derive("kane")
    for seed in range(3):
        values = random_state(system, seed)
        ours_M = evaluate(made.mass_matrix.entries(), values)
        ours_f = [-entry for entry in evaluate(made.bias, values)]
        point = {a: values[b] for a, b in zip([*q, *u], [*made.q, *made.u], strict=True)}
        point |= {sp.Symbol(name): float(p.value or 0) for name, p in system.parameters.items()}
        theirs_M, theirs_f = (entry.xreplace(point).evalf(17) for entry in (M, f))
        assert ours_M == pytest.approx([float(entry) for entry in theirs_M], rel=1e-9, abs=1e-9)
        assert ours_f == pytest.approx([float(entry) for entry in theirs_f], rel=1e-9, abs=1e-9)


def flying(q: Any, u: Any, sequence: str) -> tuple[Any, Any, Any, list[Any]]:
    """Ground, a frame and a point that fly free: u are body components of v, then of ω."""
    N, B, O = ReferenceFrame("N"), ReferenceFrame("B"), Point("O")
    O.set_vel(N, 0)
    B.orient_body_fixed(N, q[3:6], sequence)
    rates = B.ang_vel_in(N).to_matrix(B)
    B.set_ang_vel(N, u[3] * B.x + u[4] * B.y + u[5] * B.z)
    v = u[0] * B.x + u[1] * B.y + u[2] * B.z
    P = O.locatenew("P", q[0] * N.x + q[1] * N.y + q[2] * N.z)
    P.set_vel(N, v)
    kinematic = [*(rates - sp.Matrix(u[3:6])), *(v.dot(n) - q[k].diff() for k, n in enumerate((N.x, N.y, N.z)))]
    return N, B, P, kinematic


@pytest.mark.parametrize("sequence", [(1, 2, 3), (3, 1, 3)])
def test_a_free_block_whose_mass_centre_is_off_its_origin(sequence: tuple[int, int, int]) -> None:
    system = ph.System("free block")
    a, m = system.parameter("a", 0.4), system.parameter("m", 2)
    body = system.body("B", m, (a, 0, -2 * a), [[3, 0.2, 0], [0.2, 4, -0.1], [0, -0.1, 5]])
    system.joint("flight", system.ground, body, ph.BuildingBlock("xyz", sequence))
    q, u = dynamicsymbols("q1:7"), dynamicsymbols("u1:7")
    N, B, P, kinematic = flying(q, u, "".join(map(str, sequence)))
    sa, sm = sp.symbols("a m")
    C = P.locatenew("C", sa * B.x - 2 * sa * B.z)
    C.v2pt_theory(P, N, B)
    dyadic = inertia(B, 3, 4, 5, sp.Rational(1, 5), -sp.Rational(1, 10), 0)
    bodies = [RigidBody("B", C, B, sm, (dyadic, C))]
    assert_same_numbers(system, *method(N, q, u, kinematic, bodies, [(C, -sm * G * N.z)]), q, u)


def test_a_flying_base_with_a_rotor_and_a_boom_on_a_spring() -> None:
    system = ph.System("flyer", gravity=(0, 0, 0))
    l, k = system.parameter("l", 0.7), system.parameter("k", 3)
    base = system.body("base", 5, (0, 0, 0), (2, 3, 4))
    rotor = system.body("rotor", 1, (0, 0, l), (0.3, 0.3, 0.5))
    boom = system.body("boom", 0.5, (0, l, 0), (0.2, 0.01, 0.2))
    system.joint("flight", system.ground, base, ph.BuildingBlock("xyz", (1, 2, 3)))
    system.joint("spin", base, rotor, ph.BuildingBlock(rotations=(3,)), at=(0, 0, l))
    nod = system.joint("nod", base, boom, ph.BuildingBlock(rotations=(1,)), at=(0, l, 0))
    system.joint_spring(nod, k, damping=0.1)
    q, u = dynamicsymbols("q1:9"), dynamicsymbols("u1:9")
    N, B, P, kinematic = flying(q, u, "123")
    sl, sk = sp.symbols("l k")
    C, F = B.orientnew("C", "Axis", [q[6], B.z]), B.orientnew("F", "Axis", [q[7], B.x])
    C.set_ang_vel(B, u[6] * B.z)
    F.set_ang_vel(B, u[7] * B.x)
    kinematic += [u[j] - q[j].diff() for j in (6, 7)]
    rotor_centre = P.locatenew("C*", 2 * sl * B.z)
    root = P.locatenew("F0", sl * B.y)
    rotor_centre.v2pt_theory(P, N, B)
    root.v2pt_theory(P, N, B)
    tip = root.locatenew("F*", sl * F.y)
    tip.v2pt_theory(root, N, F)
    tenth = sp.Rational(1, 10)
    bodies = [
        RigidBody("B", P, B, 5, (inertia(B, 2, 3, 4), P)),
        RigidBody("C", rotor_centre, C, 1, (inertia(C, 3 * tenth, 3 * tenth, 5 * tenth), rotor_centre)),
        RigidBody("F", tip, F, 5 * tenth, (inertia(F, 2 * tenth, tenth / 10, 2 * tenth), tip)),
    ]
    pull = (-sk * q[7] - tenth * u[7]) * B.x
    assert_same_numbers(system, *method(N, q, u, kinematic, bodies, [(F, pull), (B, -pull)]), q, u)


def test_a_top_on_a_sliding_block() -> None:
    system = ph.System("top")
    m, h = system.parameter("m", 0.3), system.parameter("h", 0.2)
    block = system.body("block", 1, (0, 0, 0), (1, 1, 1))
    top = system.body("top", m, (0, 0, h), (0.02, 0.02, 0.01))
    system.joint("slide", system.ground, block, ph.BuildingBlock([(0.6, 0.8, 0)]))
    system.joint("tip", block, top, ph.BuildingBlock(rotations=(3, 1, 3)))
    q, u = dynamicsymbols("q1:5"), dynamicsymbols("u1:5")
    N, T, O = ReferenceFrame("N"), ReferenceFrame("T"), Point("O")
    O.set_vel(N, 0)
    along = (3 * N.x + 4 * N.y) / 5
    S = O.locatenew("S", q[0] * along)
    S.set_vel(N, u[0] * along)
    T.orient_body_fixed(N, q[1:], "313")
    kinematic = [u[0] - q[0].diff(), *(T.ang_vel_in(N).to_matrix(T) - sp.Matrix(u[1:]))]
    T.set_ang_vel(N, u[1] * T.x + u[2] * T.y + u[3] * T.z)
    sm, sh = sp.symbols("m h")
    C = S.locatenew("C", sh * T.z)
    C.v2pt_theory(S, N, T)
    A = N.orientnew("A", "Axis", [0, N.z])
    round_one = inertia(T, sp.Rational(2, 100), sp.Rational(2, 100), sp.Rational(1, 100))
    bodies = [RigidBody("S", S, A, 1, (inertia(A, 1, 1, 1), S)), RigidBody("T", C, T, sm, (round_one, C))]
    weights = [(S, -G * N.z), (C, -sm * G * N.z)]
    assert_same_numbers(system, *method(N, q, u, kinematic, bodies, weights), q, u)


def test_models_that_the_bench_times_have_the_same_numbers() -> None:
    sympy_models.chain(3).check(chain(3).derive("poincare"))
    sympy_models.satellite().check(our_satellite().derive("kane"))
    with pytest.raises(ValueError, match="differ"):
        sympy_models.chain(3).check(chain(3, axes="zyx").derive("poincare"))
