"""Mladenova, section 7: elastic joint manipulators, (256) to (289) and (305) to (307).

The recursions are written here with NumPy as the paper has them, corrected where docs/errata.md says so, on an arm of
three skew axes whose rotors ride on the links, out of balance, about axes of their own. What polhode derives from
`s.motor` must give the same numbers; what is printed, where it is wrong, must not.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest
import sympy
from numpy.testing import assert_allclose

import polhode as ph
from polhode.expr import Matrix, Vector, as_expr, derivative, directional, evaluate, gradient, is_zero, same, substitute

N = 3
GRAVITY = np.array([0.3, -0.2, -9.81])
GEAR = (50.0, -40.0, 30.0)
STIFFNESS = (900.0, 700.0, 500.0)
DAMPING = (2.0, 0.0, 3.0)
E = np.array([0, 0, 1.0, 0, 0, 0])
Numbers = np.ndarray[Any, Any]


def cross(a: Numbers) -> Numbers:
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def turn(angle: float) -> Numbers:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])


@dataclass(frozen=True)
class Part:
    """A link or a rotor: where its frame sits at angle zero in the link before, and its mass."""

    R: Numbers
    s: Numbers
    m: float
    g: Numbers
    central: Numbers  # inertia about the mass centre

    @property
    def M(self) -> Numbers:
        """The 6×6 mass matrix about the frame's origin."""
        gx = cross(self.g)
        I = self.central - self.m * gx @ gx
        return np.block([[I, self.m * gx], [-self.m * gx, self.m * np.eye(3)]])


def tens(values: Numbers) -> list[str]:
    """Numbers with two digits, exactly."""
    return [f"{value:.2f}" for value in values]


@cache
def described(geared: bool = False) -> ph.System:
    """The arm as a user of polhode writes it."""
    chance = np.random.default_rng(7)
    s = ph.System("arm", gravity=tens(GRAVITY))
    link: Any = s.ground
    for i in range(N):
        body = s.body(f"b{i}", tens(chance.uniform(1, 3, 1))[0], tens(chance.uniform(-0.2, 0.3, 3)), tens(
            np.array([0.31, 0.27, 0.22]) + chance.uniform(0, 0.1, 3)))  # fmt: skip
        turns = list(zip("zx", tens(chance.uniform(-1.5, 1.5, 2)), strict=True))
        s.joint(f"j{i}", link, body, ph.Revolute("z"), at=tens(chance.uniform(-0.3, 0.6, 3)), rotation=turns)
        elastic = {} if geared else {"stiffness": STIFFNESS[i], "damping": DAMPING[i]}
        s.motor(
            f"j{i}", GEAR[i], inertia=("0.02", "0.03", "0.01"), mass=tens(chance.uniform(0.3, 0.9, 1))[0],
            at=tens(chance.uniform(-0.2, 0.2, 3)), axis=[(1, 2, 2), (2, -1, 2), (0, 3, 4)][i],
            com=("0.01", "0.02", "0.03"), **elastic,
        )  # fmt: skip
        link = body
    return s


def parts() -> tuple[list[Part], list[Part]]:
    """The numbers of its links and rotors."""
    s = described()

    def number(entries: Any) -> Numbers:
        return np.array(evaluate([as_expr(x) for x in entries], {}))

    def made(name: str, body: str) -> Part:
        joint, own = s.model().joints[name], s.bodies[body]
        pose = joint.in_parent
        R, inertia = (number(M.entries()).reshape(3, 3) for M in (pose.R, own.inertia))
        return Part(R, number(pose.p), float(own.mass), number(own.com), inertia)

    return [made(f"j{i}", f"b{i}") for i in range(N)], [made(f"j{i} rotor", f"j{i} rotor") for i in range(N)]


@dataclass(frozen=True)
class Motion:
    q: Numbers
    qd: Numbers
    qdd: Numbers
    qm: Numbers
    qmd: Numbers
    qmdd: Numbers


@cache
def motion(geared: bool = False) -> Motion:
    q, qd, qdd, qm, qmd, qmdd = np.random.default_rng(3).uniform(-1, 1, (6, N))
    if geared:
        qm, qmd, qmdd = (np.array(GEAR) * x for x in (q, qd, qdd))  # (262), last line
    return Motion(q, qd, qdd, qm, qmd, qmdd)


@dataclass(frozen=True)
class Recursion:
    V: list[Numbers]
    W: list[Numbers]
    t: list[Numbers]
    tm: list[Numbers]
    Phi: list[Numbers]


def recursion(x: Motion, as_printed: bool = False) -> Recursion:
    """(261) to (265), a rotor's velocity from the link that carries it; as printed, from the rotor before, with q̇."""
    links, rotors = parts()
    V, W = [np.zeros(6)], [np.concatenate([np.zeros(3), -GRAVITY])]  # (261)
    Vm, Wm = V[:], W[:]
    Phi, Phim, bm = [], [], []
    for i, (b, r) in enumerate(zip(links, rotors, strict=True)):
        for own, R, rate, rate_rate, chain, (from_V, from_W, to_V, to_W) in (
            (b, b.R @ turn(x.q[i]), x.qd[i], x.qdd[i], Phi, (V[i], W[i], V, W)),
            (r, r.R @ turn(x.qm[i]), x.qd[i] if as_printed else x.qmd[i], x.qmdd[i], Phim,
             (Vm[i], Wm[i], Vm, Wm) if as_printed else (V[i], W[i], Vm, Wm)),
        ):  # fmt: skip
            O, w = R.T, from_V[:3]
            chain.append(np.block([[O, np.zeros((3, 3))], [-O @ cross(own.s), O]]))
            to_V.append(chain[-1] @ from_V + E * rate)  # (262)
            bias = np.concatenate([np.cross(O @ w, to_V[-1][:3]), O @ np.cross(w, np.cross(w, own.s))])
            to_W.append(chain[-1] @ from_W + E * rate_rate + bias)  # (262)
        bm.append(_b(r, Vm[-1]))
    t, tm = [np.zeros(6)] * (N + 1), [np.zeros(6)] * (N + 1)  # (263), (264)
    for i in reversed(range(N)):
        tm[i] = rotors[i].M @ Wm[i + 1] + bm[i]  # (265)
        t[i] = links[i].M @ W[i + 1] + _b(links[i], V[i + 1])
        if i + 1 < N:
            t[i] = t[i] + Phi[i + 1].T @ t[i + 1] + Phim[i + 1].T @ tm[i + 1]  # (265)
    return Recursion(V, W, t, tm, Phi)


def _b(part: Part, V: Numbers) -> Numbers:
    w, I = V[:3], part.M[:3, :3]
    return np.concatenate([np.cross(w, I @ w), part.m * np.cross(w, np.cross(w, part.g))])


def efforts(geared: bool = False) -> dict[str, float]:
    """What polhode's inverse dynamics gives for the same motion."""
    e, x = described(geared).derive(), motion(geared)
    values: dict[Any, float] = {}
    for k, name in enumerate(e.speeds):
        i, rotor = int(name[1]), name.endswith("rotor")
        own = (x.qm, x.qmd, x.qmdd) if rotor else (x.q, x.qd, x.qdd)
        values |= dict(zip((e.q[k], e.u[k], e.udot[k]), (float(part[i]) for part in own), strict=True))
    return dict(zip(e.speeds, evaluate(e.inverse_dynamics, values), strict=True))


def spring_torque(x: Motion, i: int) -> float:
    """(267), (268) with the rotor's angle on the joint's side of the gear."""
    twist, rate = x.qm[i] / GEAR[i] - x.q[i], x.qmd[i] / GEAR[i] - x.qd[i]
    return float(STIFFNESS[i] * twist + DAMPING[i] * rate)


def test_equations_261_to_270_give_the_inverse_dynamics_of_elastic_joints() -> None:
    """P = Eᵀt is what the link takes, of which the spring gives (268); the motor gives Eᵀt_m and the rest, (270)."""
    x, ours = motion(), efforts()
    made = recursion(x)
    for i in range(N):
        P = E @ made.t[i]  # (266)
        assert ours[f"j{i}"] == pytest.approx(P - spring_torque(x, i), rel=1e-12)
        assert ours[f"j{i} rotor"] == pytest.approx(E @ made.tm[i] + spring_torque(x, i) / GEAR[i], rel=1e-12)  # (270)


def test_section_7_2_takes_components_outward_so_that_the_last_turn_comes_first() -> None:
    """O(i, i+1) of Φ goes from frame i to frame i+1: O(0, k) = O(c_k) … O(c_1), and cc(k) = ⟨c_k, …, c_1⟩."""
    c = np.random.default_rng(2).uniform(-1, 1, (4, 3))
    outward = [ph.Rotation.from_vector(each) for each in c]
    last_first, printed = outward[0], outward[0]
    for each in outward[1:]:
        last_first, printed = each @ last_first, printed @ each
    through = (outward[3] @ outward[2]).matrix  # O(2, 4)
    assert_allclose((last_first @ (outward[1] @ outward[0]).inverse()).matrix, through, atol=1e-14)
    assert np.abs((printed @ (outward[0] @ outward[1]).inverse()).matrix - through).max() > 0.1
    O, s = outward[0].matrix, np.array([0.3, -0.2, 0.5])
    Phi = np.block([[O, np.zeros((3, 3))], [-O @ cross(s), O]])
    assert_allclose(Phi.T, np.block([[O.T, cross(s) @ O.T], [np.zeros((3, 3)), O.T]]))  # printed: s O(i+1, 1)


def test_equation_262_prints_a_rotor_on_the_rotor_before_with_the_speed_of_the_link() -> None:
    x, ours = motion(), efforts()
    printed = recursion(x, as_printed=True)
    assert abs(E @ printed.tm[2] + spring_torque(x, 2) / GEAR[2] - ours["j2 rotor"]) > 1e-3


def test_equation_271_gives_the_motor_torque_of_geared_joints() -> None:
    made, ours = recursion(motion(geared=True)), efforts(geared=True)
    for i in range(N):
        Tm = E @ made.t[i] / GEAR[i] + E @ made.tm[i]  # (271)
        assert ours[f"j{i}"] == pytest.approx(GEAR[i] * Tm, rel=1e-12)


def test_equation_272_force_is_linear_in_the_acceleration_by_the_articulated_inertia() -> None:
    """t = Ĥ W + ĥ on each link, while all beyond it, rotors and links, moves freely under its efforts and springs."""
    e, x = described().derive(), motion()
    values: dict[Any, float] = {}
    for k, name in enumerate(e.speeds):
        i, rotor = int(name[1]), name.endswith("rotor")
        values |= {e.q[k]: (x.qm if rotor else x.q)[i], e.u[k]: (x.qmd if rotor else x.qd)[i], e.tau[k]: 0.3 * k}
    ud = dict(zip(e.speeds, evaluate(e.forward_dynamics, values), strict=True))
    qdd, qmdd = (np.array([ud[f"j{i}{end}"] for i in range(N)]) for end in ("", " rotor"))
    made = recursion(Motion(x.q, x.qd, qdd, x.qm, x.qmd, qmdd))
    for i in range(N):
        body = e.articulated_body(f"b{i}")
        H = np.array(evaluate([as_expr(entry) for entry in body.I.entries()], values)).reshape(6, 6)
        h = np.array(evaluate([as_expr(entry) for entry in body.bias], values))
        assert made.t[i] == pytest.approx(H @ made.W[i + 1] + h, rel=1e-9)  # (272)
        assert_allclose(H, H.T, rtol=1e-12, atol=1e-12)
        assert np.linalg.eigvalsh(H).min() > 0


# ---- the reduced model -------------------------------------------------------------------------------------------


@cache
def reduced(motors: bool = True) -> ph.System:
    """Two links in symbols; their rotors' masses ride on what carries them, whether there are motors or not."""
    s = ph.System("reduced", gravity=(0, 0, "-9.81"))
    link: Any = s.ground
    for i, axis in enumerate("zy", start=1):
        m, l, Ir, mr = (s.parameter(f"{name}{i}") for name in ("m", "l", "Ir", "mr"))
        mr = mr if i > 1 else as_expr(0)  # the first rides on the ground
        body = s.body(f"b{i}", m, (l, 0, 0), [s.parameter(f"I{x}{i}") for x in "xyz"])
        s.joint(f"j{i}", link, body, ph.Revolute(axis), at=(2 * l, 0, l))
        if motors:
            names = [s.parameter(f"{name}{i}") for name in ("G", "K", "Im")]
            s.motor(f"j{i}", -names[0], stiffness=names[1], inertia=(Ir, Ir, names[2]), mass=mr, coupling="reduced")
        elif i > 1:
            across = s.body(f"w{i}", mr, inertia=(Ir, 0, Ir), check=False)
            s.joint(f"weld{i}", link, across, at=(2 * l, 0, l))
        link = body
    return s


def of_motor(name: str, i: int) -> ph.Expr:
    return reduced().parameters[f"{name}{i}"].symbol


def test_equations_273_and_274_split_the_bias() -> None:
    """h_1 = Ḣq̇ - ∂T/∂q (the paper prints ∂T/∂q̇), split into squares and products; h_2 = ∂U/∂q."""
    e = reduced(motors=False).derive()
    terms = e.velocity_terms
    H, qd = e.mass_matrix, e.u
    T = qd.dot(H @ qd) / 2
    flow = dict(zip(e.q, qd, strict=True))
    H_rate = Matrix([directional(row, flow) for row in H])
    h1 = H_rate @ qd - Vector(gradient(T, list(e.q)))  # (274), corrected
    h2 = Vector(gradient(e.potential_energy, list(e.q)))  # (274)
    split = terms.centrifugal @ Vector([x * x for x in qd]) + terms.coriolis @ Vector([qd[0] * qd[1]])
    assert same(h1, split) and same(h2, terms.gravity) and same(e.bias, h1 + h2)  # (273)
    assert not any(terms.applied) and not any(terms.driven)
    assert not same(H_rate @ qd - Vector(gradient(T, list(qd))), split)  # as printed


def test_christoffel_symbols_are_slopes_of_the_mass_matrix() -> None:
    e = reduced(motors=False).derive()
    D = [[derivative([H], q) for q in e.q] for row in e.mass_matrix for H in row]
    n = range(2)
    for i in n:
        for j in n:
            for k in n:
                c = (D[2 * i + j][k][0] + D[2 * i + k][j][0] - D[2 * j + k][i][0]) / 2
                assert is_zero(c - e.velocity_terms.christoffel(i, j, k))
    C, flow = e.velocity_terms.matrix, dict(zip(e.q, e.u, strict=True))
    S = Matrix([directional(row, flow) for row in e.mass_matrix]) - C - C
    assert all(is_zero(S[i, j] + S[j, i]) for i in n for j in n)


def gear_side(entries: Any) -> list[ph.Expr]:
    """Expressions of the rotors in q_2i = -q_m/Γ (276), here q_m = -Γ q̄_2, by the symbols of the links renamed."""
    e = reduced().derive()
    table: dict[ph.Expr, Any] = {}
    for q, u, ud in zip(e.q, e.u, e.udot, strict=True):
        if q.name.endswith("rotor"):
            i = int(q.name[1])
            table |= {x: -of_motor("G", i) * ph.symbol(f"{name}{i}") for x, name in ((q, "p"), (u, "v"), (ud, "a"))}
    return substitute([as_expr(entry) for entry in entries], table)


def test_equations_275_to_280_energies_of_the_reduced_model() -> None:
    e, rigid = reduced().derive(), reduced(motors=False).derive()
    assert e.coordinates == ["j1", "j2", "j1 rotor", "j2 rotor"]  # (275), links and rotors apart (277)
    v, p = ([ph.symbol(f"{name}{i}") for i in (1, 2)] for name in ("v", "p"))
    q1 = e.q[:2]
    Jm = [of_motor("G", i) ** 2 * of_motor("Im", i) for i in (1, 2)]  # (279), corrected
    T = rigid.u.dot(rigid.mass_matrix @ rigid.u) / 2 + sum(
        (J * x**2 / 2 for J, x in zip(Jm, v, strict=True)), as_expr(0)
    )
    U2 = [of_motor("K", i) * (q1[i - 1] - p[i - 1]) ** 2 / 2 for i in (1, 2)]  # (280)
    assert same(gear_side([e.kinetic_energy]), [T])  # (278)
    assert same(gear_side([e.potential_energy]), [rigid.potential_energy + U2[0] + U2[1]])  # (278)


def test_equation_279_prints_the_inertia_divided_by_the_square_of_the_ratio() -> None:
    e = reduced().derive()
    (T,) = gear_side([e.kinetic_energy])
    (J,) = derivative(derivative([T], ph.symbol("v1")), ph.symbol("v1"))
    assert is_zero(J - of_motor("G", 1) ** 2 * of_motor("Im", 1))
    assert not is_zero(J - of_motor("Im", 1) / of_motor("G", 1) ** 2)


def test_equations_281_to_283_links_and_rotors_touch_by_springs_alone() -> None:
    e, rigid = reduced().derive(), reduced(motors=False).derive()
    made = gear_side(e.inverse_dynamics)
    H_part = rigid.inverse_dynamics
    for i in (1, 2):
        K, G, Im = (of_motor(name, i) for name in ("K", "G", "Im"))
        twist = K * (e.q[i - 1] - ph.symbol(f"p{i}"))
        assert same([made[i - 1]], [H_part[i - 1] + twist])  # (281)
        u = -G * made[i + 1]  # the effort on q̄_2 = -q_m/Γ
        assert same([u], [G**2 * Im * ph.symbol(f"a{i}") - twist])  # (282)
    M = e.mass_matrix
    assert all(is_zero(M[i, j]) for i in (0, 1) for j in (2, 3)) and is_zero(M[2, 3])  # (283)
    assert same([M[i, j] for i in (0, 1) for j in (0, 1)], rigid.mass_matrix.entries())


# ---- vector-parameters -------------------------------------------------------------------------------------------


def test_equations_256_to_260_the_same_dynamics_on_vector_parameters() -> None:
    """c = tan(q/2): ẋ = J_V ċ (259), and H_V c̈ + h_V = P_V (260) has H_V = Γᵀ H Γ, Γ = diag 2/(1 + c²), P_V = ΓᵀP."""
    e = reduced(motors=False).derive()
    chance = np.random.default_rng(5)
    c, cd, cdd = chance.uniform(-1, 1, (3, 2))
    gamma = 2 / (1 + c**2)
    q, qd = 2 * np.arctan(c), gamma * cd
    qdd = gamma * (cdd - 2 * c * cd**2 / (1 + c**2))
    values: dict[Any, float] = {each.symbol: 1.0 + 0.1 * k for k, each in enumerate(e.system.parameters.values())}

    def at(entries: Any, acceleration: Numbers) -> Numbers:
        motion = zip([*e.q, *e.u, *e.udot], [*q, *qd, *acceleration], strict=True)
        return np.array(evaluate([as_expr(x) for x in entries], values | dict(motion)))

    H = at(e.mass_matrix.entries(), qdd).reshape(2, 2)
    H_V = gamma[:, None] * H * gamma
    h_V = gamma * (at(e.bias, qdd) - H @ (gamma * 2 * c * cd**2 / (1 + c**2)))
    assert gamma * at(e.inverse_dynamics, qdd) == pytest.approx(H_V @ cdd + h_V, rel=1e-12)  # (260)
    J = at(e.jacobian("b2").entries(), qdd).reshape(6, 2)
    step = 1e-6
    x = [np.array(evaluate(e.pose("b2").p, values | dict(zip(e.q, 2 * np.arctan(c + d * cd), strict=True))))
         for d in (-step, step)]  # fmt: skip
    assert (x[1] - x[0]) / (2 * step) == pytest.approx((J * gamma @ cd)[3:], abs=1e-8)  # (259)


@cache
def figure_5() -> ph.Equations:
    """A link on an elastic joint, its inertia I(l) being about the axis."""
    s = ph.System("single link", gravity=(0, -ph.symbol("g", "parameter"), 0))
    M, L, Il, Im, K, _ = (s.parameter(name) for name in ("M", "L", "Il", "Im", "K", "g"))
    s.joint("l", s.ground, s.body("link", M, (0, -L, 0), (0, 0, Il - M * L**2), check=False), ph.Revolute("z"))
    s.motor("l", inertia=Im, stiffness=K)
    return s.derive()


def single_link() -> tuple[dict[str, sympy.Expr], list[sympy.Expr]]:
    """The arm of Fig. 5 from polhode, its angles written as 2 arctan c, the efforts being those that a motion takes."""
    e = figure_5()
    t = sympy.Symbol("t")
    c = {name: sympy.Function(name)(t) for name in ("cl", "cm")}
    names = {str(x): x for x in sympy.symbols("M L Il Im K g", positive=True)}
    angles = [2 * sympy.atan(c["cl"]), 2 * sympy.atan(c["cm"])]
    rows = []
    for row in e.inverse_dynamics:
        made = ph.to_sympy(row)
        put = {}
        for symbol in made.free_symbols:
            word = str(symbol)
            order = 2 if word.endswith("_ddot") else 1 if word.endswith("_dot") else 0
            angle = angles["rotor" in word]
            put[symbol] = names[word] if word in names else sympy.diff(angle, t, order)
        rows.append(made.subs(put))
    return {**names, **c, "t": t}, rows


def test_equations_305_single_link_with_the_bracket_and_the_length_put_right() -> None:
    x, (link, rotor) = single_link()
    t, K = x["t"], x["K"]

    def inertial(I: sympy.Expr, c: sympy.Expr) -> sympy.Expr:
        return 2 * I / (1 + c**2) * (sympy.diff(c, t, 2) - 2 * c * sympy.diff(c, t) ** 2 / (1 + c**2))

    def printed(I: sympy.Expr, c: sympy.Expr) -> sympy.Expr:
        return 2 * I / (1 + c**2) * sympy.diff(c, t, 2) + 2 * c * sympy.diff(c, t) ** 2 / (1 + c**2)

    spring = 2 * K * (sympy.atan(x["cl"]) - sympy.atan(x["cm"]))
    weight = 2 * x["M"] * x["g"] * x["cl"] / (1 + x["cl"] ** 2)
    assert sympy.simplify(link - inertial(x["Il"], x["cl"]) - weight * x["L"] - spring) == 0
    assert sympy.simplify(rotor - inertial(x["Im"], x["cm"]) + spring) == 0
    assert sympy.simplify(link - printed(x["Il"], x["cl"]) - weight - spring) != 0
    assert sympy.simplify(rotor - printed(x["Im"], x["cm"]) + spring) != 0


def test_equations_284_to_289_are_not_those_of_305() -> None:
    """Printed linear in c: K (c_1 - c_2) is no torque of a spring, and an inertia without 2/(1 + c²) no inertia."""
    x, (_, rotor) = single_link()
    t, cm, cl, K, Im = (x[name] for name in ("t", "cm", "cl", "K", "Im"))
    assert sympy.simplify(rotor - (Im * sympy.diff(cm, t, 2) - K * (cl - cm))) != 0  # (288) with Γ = 1
    near = {cm: 0, cl: 0, sympy.diff(cm, t): 0, sympy.diff(cl, t): 0}
    assert sympy.simplify(rotor.subs(sympy.diff(cm, t, 2), 1).subs(near) - 2 * Im) == 0  # and not even near zero


def test_equations_284_to_289_by_a_call_are_305() -> None:
    """With 2/(1 + c²) on forces and inertias, a rotor on the joint's side of its gear, and 2 arctan c for an angle."""
    s = ph.System("single link", gravity=(0, -ph.symbol("g", "parameter"), 0))
    M, L, Il, Im, K, G, g = (s.parameter(name) for name in ("M", "L", "Il", "Im", "K", "G", "g"))
    s.joint("l", s.ground, s.body("link", M, (0, -L, 0), (0, 0, Il - M * L**2), check=False), ph.Revolute("z"))
    s.motor("l", G, inertia=Im, stiffness=K)
    for formalism in ("vector_parameter", "newton_euler"):
        form = s.derive(formalism).vector_parameter_form()
        (cl, cm), (dl, dm), (al, am) = form.c, form.rates, form.accelerations
        nl, nm = 2 / (1 + cl**2), 2 / (1 + cm**2)
        spring = 2 * K * (ph.atan(cl) - ph.atan(cm))
        assert same(form.mass_matrix.entries(), [Il * nl**2, 0, 0, G**2 * Im * nm**2])  # (289)
        link = Il * nl * (al - 2 * cl * dl**2 / (1 + cl**2)) + M * g * L * cl * nl + spring
        rotor = G**2 * Im * nm * (am - 2 * cm * dm**2 / (1 + cm**2)) - spring
        assert same(form.inverse_dynamics, [nl * link, nm * rotor])  # (287), (288) as (305) has them
        assert same(form.gravity_terms, [nl * M * g * L * cl * nl, 0])
        assert same(form.applied, [nl * spring, -nm * spring])
        assert same(form.efforts, [nl * form.equations.tau[0], nm * G * form.equations.tau[1]])


@pytest.mark.parametrize("coupling", ["full", "reduced"])
def test_equations_284_to_289_of_two_joints_have_the_accelerations_of_the_angles(coupling: str) -> None:
    """Solved for c̈ in numbers, and taken to the angles q = 2 arctan c and q_m = 2 Γ arctan c."""
    s = ph.System("arm")
    for i, (parent, axis) in enumerate((("ground", "z"), ("b0", "x"))):
        body = s.body(f"b{i}", 2, ("0.3", "0.1", "0.2"), (1, 2, "1.5"))
        s.joint(f"j{i}", parent, body, ph.Revolute(axis), at=("0.5", 0, i), rotation=("y", "0.3"))
        s.motor(f"j{i}", (30, -20)[i], inertia=(1, 1, "0.5"), mass=1, stiffness=400, damping=3, coupling=coupling)
    e = s.derive()
    form = e.vector_parameter_form()
    c, rates, tau = np.random.default_rng(4).uniform(-1, 1, (3, 4))
    ratio = np.array([1, 1, 30, -20])
    n = 2 / (1 + c**2)
    values: dict[Any, float] = dict(zip((*form.c, *form.rates, *e.tau), (*c, *rates, *tau), strict=True))
    H = np.array(evaluate(list(map(as_expr, form.mass_matrix.entries())), values)).reshape(4, 4)
    P, h = (np.array(evaluate(list(map(as_expr, each)), values)) for each in (form.efforts, form.bias))
    second = np.linalg.solve(H, P - h)
    u, ud = ratio * n * rates, ratio * n * (second - n * c * rates**2)
    state = dict(zip((*e.q, *e.u, *e.tau), (*(ratio * 2 * np.arctan(c)), *u, *tau), strict=True))
    assert_allclose(evaluate(e.forward_dynamics, state), ud, rtol=1e-9)


def test_equations_306_and_307_state_form_of_the_single_link() -> None:
    e = figure_5()
    M, L, Il, Im, K, g = (each.symbol for each in e.system.parameters.values())
    (x1, x3), (x2, x4), u = e.q, e.u, e.tau[1]
    rates = substitute(e.state_rates, {e.tau[0]: as_expr(0)})
    f = [x2, -M * g * L / Il * ph.sin(x1) - K / Il * (x1 - x3), x4, K / Im * (x1 - x3)]
    assert same([rates[k] for k in (0, 2, 1, 3)], [f[0], f[1], f[2], f[3] + u / Im])  # (306), (307)
