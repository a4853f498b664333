"""Mladenova, section 10: the planar biped, its seven equations (398), (399), and its three phases.

The printed equations are written here in the paper's own coordinates x, z, θ, α_i, β_i and compared with what is
derived for a mechanism whose joints turn one body in another, by fingerprint.
"""

from collections.abc import Iterable
from functools import cache
from typing import Any

import numpy as np

import polhode as ph
from polhode import Equations, Expr, Vector
from polhode.expr import (
    as_expr,
    cos,
    directional,
    evaluate,
    jacobian,
    rank,
    same,
    sin,
    substitute,
    symbol,
    symbols,
    topological,
)
from polhode.papers.mladenova.biped import MOTORS, biped
from polhode.papers.mladenova.descriptor import Programme

LEGS = (1, 2)
x, z, theta = symbols("x z theta")
alpha, beta = ({k: symbol(f"{name} {k}") for k in LEGS} for name in ("alpha", "beta"))
ANGLES = [theta, alpha[1], beta[1], alpha[2], beta[2]]
COORDINATES = [x, z, *ANGLES]
d = {q: symbol(f"d {q.name}") for q in COORDINATES}
dd = {q: symbol(f"dd {q.name}") for q in COORDINATES}
u, q_moment = ({k: symbol(f"{name} {k}") for k in LEGS} for name in ("u", "q"))
R_x, R_z = ({k: symbol(f"R_{k}{axis}", "input") for k in LEGS} for axis in "xz")
Turns = dict[Expr, tuple[Expr, Expr]]


@cache
def free() -> Equations:
    return biped().derive("newton_euler")


def parameters(equations: Equations) -> dict[str, Expr]:
    return {name: entry.symbol for name, entry in equations.system.parameters.items()}


def constants() -> dict[str, Expr]:
    """The paper's abbreviations before (398)."""
    made = parameters(free())
    a, b, m_a, m_b = (made[name] for name in ("a", "b", "m_a", "m_b"))
    made["M"] = made["m_o"] + 2 * m_a + 2 * m_b + made["M_1"]
    made["I_a"] = made["I_a"] + 4 * m_b * a**2
    made |= {"k_a": a * (m_a + 2 * m_b), "k_b": b * m_b, "I_ab": 2 * m_b * a * b, "k_rho": made["M_1"] * made["rho"]}
    return made


def trigonometric() -> Turns:
    """Sine and cosine of each angle."""
    return {q: (as_expr(sin(q)), as_expr(cos(q))) for q in ANGLES}


def algebraic() -> Turns:
    """Sine and cosine in vector-parameters c = tan(θ/2) (398)."""
    c = vector_parameters()
    return {q: (as_expr(2 * e / (1 + e**2)), as_expr((1 - e**2) / (1 + e**2))) for q, e in c.items()}


def vector_parameters() -> dict[Expr, Expr]:
    return {q: symbol(f"c {q.name}") for q in ANGLES}


def printed(trunk_in_z: int = -1, turns: Turns | None = None) -> list[Expr]:
    """Left sides, less the weight on the right, of the seven equations; with +1 the second is as printed."""
    c, sc = constants(), turns or trigonometric()
    g, k_a, k_b, k_rho, I_ab = (c[name] for name in ("g", "k_a", "k_b", "k_rho", "I_ab"))

    def along(q: Expr) -> Expr:
        return as_expr(dd[q] * sc[q][1] - d[q] ** 2 * sc[q][0])

    def across(q: Expr) -> Expr:
        return as_expr(dd[q] * sc[q][0] + d[q] ** 2 * sc[q][1])

    def held(q: Expr) -> Expr:
        return as_expr(dd[x] * sc[q][1] - dd[z] * sc[q][0])

    made: list[Any] = [
        c["M"] * dd[x] + k_rho * along(theta) - sum(k_a * along(alpha[i]) + k_b * along(beta[i]) for i in LEGS),
        c["M"] * dd[z]
        + trunk_in_z * k_rho * across(theta)
        + sum(k_a * across(alpha[i]) + k_b * across(beta[i]) for i in LEGS)
        + c["M"] * g,
        c["I"] * dd[theta] + k_rho * held(theta) - g * k_rho * sc[theta][0],
    ]
    for i in LEGS:
        A, B = alpha[i], beta[i]
        (s_A, c_A), (s_B, c_B) = sc[A], sc[B]
        cosine, sine = c_A * c_B + s_A * s_B, s_A * c_B - c_A * s_B  # after (399)
        made += [
            c["I_a"] * dd[A] + I_ab * dd[B] * cosine - k_a * held(A) + I_ab * d[B] ** 2 * sine + g * k_a * s_A,
            c["I_b"] * dd[B] + I_ab * dd[A] * cosine - k_b * held(B) - I_ab * d[A] ** 2 * sine + g * k_b * s_B,
        ]
    return [as_expr(entry) for entry in made]


def printed_forces(turns: Turns | None = None) -> list[Expr]:
    """Q_x, Q_z, Q_θ, Q_αi, Q_βi of (399), without ankle moments."""
    c, sc = constants(), turns or trigonometric()

    def arm(i: int, q: Expr) -> Expr:
        return as_expr(R_x[i] * sc[q][1] - R_z[i] * sc[q][0])

    made: list[Any] = [sum(R_x.values()), sum(R_z.values()), -sum(q_moment.values())]
    for i in LEGS:
        made += [-u[i] + q_moment[i] - 2 * c["a"] * arm(i, alpha[i]), u[i] - 2 * c["b"] * arm(i, beta[i])]
    return [as_expr(entry) for entry in made]


def in_flight() -> dict[Expr, Expr]:
    """No reactions."""
    return dict.fromkeys([*R_x.values(), *R_z.values()], as_expr(0))


def in_the_papers_coordinates() -> dict[Expr, Expr]:
    """The mechanism's coordinates, speeds and accelerations, which are of one body in another, in the paper's."""
    made: dict[Expr, Expr] = {}
    equations = free()
    for kinds, given in ((equations.q, {q: q for q in COORDINATES}), (equations.u, d), (equations.udot, dd)):
        values = [given[x], given[z], given[theta]]
        for i in LEGS:
            values += [given[alpha[i]] - given[theta], given[beta[i]] - given[alpha[i]]]
        made |= dict(zip(kinds, values, strict=True))
    return made


def on_the_papers_coordinates(efforts: Any) -> list[Expr]:
    """What acts on x, z, θ, α_i, β_i when these efforts act on the joints."""
    on_x, on_z, on_theta, hip_1, knee_1, hip_2, knee_2 = efforts
    made = [on_x, on_z, on_theta - hip_1 - hip_2, hip_1 - knee_1, knee_1, hip_2 - knee_2, knee_2]
    return substitute([as_expr(entry) for entry in made], in_the_papers_coordinates())


# ---- (398), (399) ----------------------------------------------------------------------------------------------


def test_the_seven_equations_come_out_with_the_trunks_sign_in_the_second_corrected() -> None:
    derived = on_the_papers_coordinates(substitute(free().inverse_dynamics, in_flight()))
    assert same(derived, printed())
    as_printed = printed(trunk_in_z=+1)
    assert [left == right for left, right in zip(derived, as_printed, strict=True)] == [True, False, *[True] * 5]


def test_in_the_rates_of_the_papers_angles_the_seven_equations_are_hamels() -> None:
    """Pseudo-velocities ẋ, ż, θ̇, α̇_i, β̇_i, which are rates of coordinates: all structure coefficients vanish."""
    s = biped()
    rate = dict(zip(free().speeds, free().u, strict=True))
    pseudo = {name: rate[name] for name in ("x", "z", "theta")}
    for i in LEGS:
        pseudo[f"alpha_{i}"] = as_expr(rate["theta"] + rate[f"hip {i}"])
        pseudo[f"beta_{i}"] = as_expr(pseudo[f"alpha_{i}"] + rate[f"knee {i}"])
    equations = s.derive("hamel", pseudo=pseudo)
    assert not equations.structure_coefficients.nonzero
    ours = dict(zip([*equations.u, *equations.udot], [*d.values(), *dd.values()], strict=True))
    put = in_the_papers_coordinates() | ours | in_flight()
    assert same(substitute(equations.inverse_dynamics, put), printed())
    motors = {f"{joint} {i}": moment[i] for joint, moment in (("knee", u), ("hip", q_moment)) for i in LEGS}
    acting = {tau: motors.get(name, as_expr(0)) for name, tau in zip(free().speeds, equations.tau, strict=True)}
    assert same(substitute(equations.efforts, acting), substitute(printed_forces(), in_flight()))


def test_equation_399_has_the_forces_of_motors_and_of_the_ground() -> None:
    equations = free()
    motors = {f"{joint} {i}": moment[i] for joint, moment in (("knee", u), ("hip", q_moment)) for i in LEGS}
    efforts = Vector([motors.get(name, as_expr(0)) for name in equations.speeds])
    ground = equations.bias - Vector(substitute(equations.bias, in_flight()))
    assert same(on_the_papers_coordinates(efforts - ground), printed_forces())


def test_the_axis_of_all_turns_is_y_not_z() -> None:
    made = free()
    for name in ("trunk", "thigh 1", "shank 2"):
        R = made.pose(name).R
        assert same(R @ Vector([0, 1, 0]), [0, 1, 0])
        assert not same(R @ Vector([0, 0, 1]), [0, 0, 1])


# ---- vector-parameters -----------------------------------------------------------------------------------------


def test_equation_398_makes_the_equations_algebraic() -> None:
    """With c = tan(θ/2) for each angle, sines and cosines are fractions of polynomials."""
    halves = {entry: as_expr(ph.tan(q / 2)) for q, entry in vector_parameters().items()}
    for made, angles in ((printed(turns=algebraic()), printed()), (printed_forces(algebraic()), printed_forces())):
        assert not any(node.op in ("sin", "cos", "tan") for node in topological(made))
        assert same(substitute(made, halves), angles)


@cache
def algebraic_biped() -> Equations:
    """The biped whose joints store c = tan(q/2)."""
    return biped(turn=ph.Revolute("y", storage="vector")).derive("newton_euler")


def test_joints_that_store_vector_parameters_give_the_seven_equations_without_a_sine() -> None:
    """The joints' vector-parameters are those of turns of one body in another: <c, -c'> of the paper's (65)."""
    equations, c = algebraic_biped(), vector_parameters()
    made = [*equations.inverse_dynamics, *map(as_expr, equations.mass_matrix.entries())]
    assert not any(node.op in ("sin", "cos", "tan") for node in topological(made))

    def between(inner: Expr, outer: Expr) -> Expr:
        return as_expr((c[outer] - c[inner]) / (1 + c[outer] * c[inner]))

    turns = [x, z, c[theta]]
    for i in LEGS:
        turns += [between(theta, alpha[i]), between(alpha[i], beta[i])]
    plain = in_the_papers_coordinates()
    rates = [plain[w] for kinds in (free().u, free().udot) for w in kinds]
    put = dict(zip([*equations.q, *equations.u, *equations.udot], [*turns, *rates], strict=True)) | in_flight()
    on_x, on_z, on_theta, hip_1, knee_1, hip_2, knee_2 = equations.inverse_dynamics
    rows = [on_x, on_z, on_theta - hip_1 - hip_2, hip_1 - knee_1, knee_1, hip_2 - knee_2, knee_2]
    assert same(substitute([as_expr(row) for row in rows], put), printed(turns=algebraic()))


def test_a_flight_in_vector_parameters_is_that_in_angles() -> None:
    start, speeds = {"z": 1.0, "hip 1": 0.4, "knee 1": 0.6}, {"z": 2.0, "hip 2": 1.5}
    halves = {name: value if name == "z" else np.tan(value / 2) for name, value in start.items()}
    angles = free().simulate(0.4, start=start, speeds=speeds)
    turned = algebraic_biped().simulate(0.4, start=halves, speeds=speeds)
    assert np.abs(2 * np.arctan(turned.q[:, 2:]) - angles.q[:, 2:]).max() < 1e-8
    assert np.abs(turned.u - angles.u).max() < 1e-7


# ---- the semi-inverse method -----------------------------------------------------------------------------------


def freedom(unknowns: list[Expr]) -> int:
    """How many of these unknowns the seven equations leave open."""
    balance = [left - right for left, right in zip(printed(), printed_forces(), strict=True)]
    return len(unknowns) - rank(jacobian(balance, unknowns))


MOMENTS = [*u.values(), *q_moment.values()]
REACTIONS = [*R_x.values(), *R_z.values()]


def test_flight_is_determined_when_the_legs_motion_is_given() -> None:
    assert freedom([dd[x], dd[z], dd[theta], *MOMENTS]) == 0


def test_single_support_is_determined_with_the_reaction_of_the_foot_that_stands() -> None:
    assert freedom([dd[theta], *MOMENTS, R_x[1], R_z[1]]) == 0  # printed R_2z, which is nil by definition


def test_double_support_has_eleven_unknowns_and_nine_only_where_the_hip_is_given_too() -> None:
    assert len([dd[x], dd[z], dd[theta], *MOMENTS, *REACTIONS]) == 11
    assert freedom([dd[x], dd[z], dd[theta], *MOMENTS, *REACTIONS]) == 4
    assert freedom([dd[theta], *MOMENTS, *REACTIONS]) == 2  # the paper's nine
    assert freedom([*MOMENTS, *REACTIONS]) == 1  # with the trunk's motion given, what `least` is to choose


def under(equations: Equations, found: Programme, entries: Iterable[Expr]) -> list[Expr]:
    """Entries with the control's efforts put in, where nothing else acts."""
    efforts = {
        tau: found.control.get(name, as_expr(0)) for name, tau in zip(equations.speeds, equations.tau, strict=True)
    }
    return substitute(substitute(entries, efforts), in_flight())


def driven(equations: Equations, found: Programme) -> dict[Expr, Any]:
    """The motion under control: rates of coordinates, speeds and time."""
    udot = under(equations, found, equations.forward_dynamics)
    rates = dict(zip(equations.q, equations.coordinate_rates, strict=True))
    return rates | dict(zip(equations.u, udot, strict=True)) | {equations.system.time: as_expr(1)}


def second_rates(equations: Equations, found: Programme, conditions: list[Expr]) -> list[Expr]:
    motion = driven(equations, found)
    return directional(directional(conditions, motion), motion)


def test_in_flight_given_legs_move_the_trunk_and_nothing_turns_the_whole() -> None:
    equations = free()
    time = equations.system.time
    _, _, lean, hip_1, knee_1, hip_2, knee_2 = equations.q
    thighs = [lean + hip_1, lean + hip_2]
    legs = [thighs[0] - sin(time), thighs[0] + knee_1 - 1, thighs[1] - cos(time), thighs[1] + knee_2 - time**2]
    found = equations.programme_control(legs, MOTORS)
    assert not any(second_rates(equations, found, legs))
    mass, moment = equations.mass_moment
    spin, linear = equations.momentum
    own = spin - (moment / mass).cross(linear)  # about the mass centre
    fall = directional([own[1], linear[0], linear[2]], driven(equations, found))
    assert same(fall, [0, 0, -mass * equations.system.parameters["g"].symbol])


def test_on_one_foot_hip_and_other_leg_are_given_and_the_ground_gives_the_rest() -> None:
    equations = biped([1]).derive("newton_euler")
    time = equations.system.time
    q = dict(zip(equations.coordinates, equations.q, strict=True))
    foot = equations.pose("foot 2").p
    steps = [q["x"] - time / 2, q["z"] - 1, foot[0] - time**3, foot[2] - sin(time)]
    found = equations.programme_control(steps, MOTORS)
    rates = second_rates(equations, found, steps)
    here = state(equations, seed=1)
    assert max(map(abs, evaluate(rates, here))) < 1e-9
    # What the mass centre asks for is what the foot gives: R = M r̈ - M g.
    _, linear = equations.momentum
    change = directional([linear[0], linear[2]], driven(equations, found))
    mass, _ = equations.mass_moment
    weight = mass * equations.system.parameters["g"].symbol
    given = under(equations, found, equations.reaction("foot 1", frame="ground").force[::2])
    lack = [change[0] - given[0], change[1] + weight - given[1]]
    assert max(map(abs, evaluate([as_expr(entry) for entry in lack], here))) < 1e-8


def test_on_both_feet_four_motors_keep_three_conditions_with_the_least_effort() -> None:
    equations = biped({1: 0, 2: -0.4}).derive("newton_euler")
    time = equations.system.time
    q = dict(zip(equations.coordinates, equations.q, strict=True))
    poses = [q["x"] - time / 3, q["z"] - 1, q["theta"] - time**2]
    found = equations.programme_control(poses, MOTORS, least="effort")
    here = state(equations, seed=2)
    G = np.array(evaluate([as_expr(entry) for entry in found.G.entries()], here)).reshape(3, 4)
    g, U = (np.array(evaluate(list(each), here)) for each in (found.g, found.control.values()))
    assert np.abs(G @ U + g).max() < 1e-9 * np.abs(g).max()
    assert np.allclose(U, -np.linalg.pinv(G) @ g, rtol=1e-8)  # of all that keep them, the shortest


def state(equations: Equations, seed: int) -> dict[Expr, float]:
    """A crouching pose with small speeds, and the parameters' values."""
    generator = np.random.default_rng(seed)
    pose = np.array([0.0, 0.8, 0.1, -0.5, 0.9, -0.3, 0.7]) + 0.1 * generator.standard_normal(7)
    values = [*pose.tolist(), *generator.standard_normal(7).tolist()]
    table = {p.symbol: float(p.value) for p in equations.system.parameters.values() if p.value is not None}
    nil = {entry.symbol: 0.0 for entry in equations.system.inputs.values()}
    return table | nil | dict(zip([*equations.q, *equations.u], values, strict=True)) | {equations.system.time: 0.3}
