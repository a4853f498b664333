"""Tokad (1992): terminal equations, topological conditions and the open chain, (1) to (41)."""

from collections.abc import Sequence
from typing import Any

import pytest

import polhode as ph
from polhode.errors import PolhodeError
from polhode.expr import Matrix, Vector, as_expr, directional, rank, same, skew, symbols
from polhode.formalisms.network.formulation import formulation
from polhode.formalisms.network.graph import Edge, LinearGraph
from polhode.kinematics.motion import body_pose
from polhode.model.samples.linkages import bricard_mechanism
from polhode.papers.tokad.chain import (
    Chain,
    RigidBody,
    SerialChain,
    assembled,
    block,
    driven_chain,
    serial_chain,
    shift,
)

ONE, NOTHING = Matrix.identity(3), Matrix.zeros(3, 3)


def vector(name: str) -> Vector:
    return Vector(symbols(" ".join(f"{name}{axis}" for axis in "xyz"), "parameter"))


def six(name: str) -> Vector:
    return Vector([*vector(f"{name}_l"), *vector(f"{name}_r")])


def pair(x: Vector) -> tuple[Vector, Vector]:
    return Vector(x[:3]), Vector(x[3:])


def symmetric(name: str) -> Matrix:
    xx, yy, zz, xy, xz, yz = symbols(
        " ".join(f"{name}{at}" for at in ("xx", "yy", "zz", "xy", "xz", "yz")), "parameter"
    )
    return Matrix([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def a_body(number: int = 1) -> RigidBody:
    """A body whose every number is a symbol."""
    (mass,) = symbols(f"m{number}", "parameter")
    arms = {"a": vector(f"a{number}"), "b": vector(f"b{number}")}
    return RigidBody(mass, symmetric(f"J{number}"), arms, vector(f"w{number}"), vector("g"))


def equal(one: Any, other: Any) -> bool:
    flat = [list(x.entries()) if isinstance(x, Matrix) else list(x) for x in (one, other)]
    return len(flat[0]) == len(flat[1]) and same([as_expr(x) for x in flat[0]], [as_expr(x) for x in flat[1]])


# ---- terminal equations ----------------------------------------------------------------------------------------


def test_equation_1_says_newton_and_euler_at_the_mass_centre() -> None:
    body = a_body()
    v_dot, alpha = vector("acc"), vector("alpha")
    y = {"a": six("ya"), "b": six("yb")}
    x, x_dot = Vector([*vector("v"), *body.spin]), Vector([*v_dot, *alpha])
    (f_a, M_a), (f_b, M_b) = pair(y["a"]), pair(y["b"])
    made = body.solved_for("G").through(y, x, x_dot)
    force = v_dot * body.mass - body.gravity * body.mass - f_a - f_b
    J = body.inertia
    moment = J @ alpha + body.spin.cross(J @ body.spin) - M_a - body.arms["a"].cross(f_a)
    moment = moment - M_b - body.arms["b"].cross(f_b)
    assert equal(made, [*force, *moment])


def test_equation_1_moves_terminals_as_points_of_the_body() -> None:
    body = a_body()
    v = vector("v")
    for port, r in body.arms.items():
        x = body.solved_for("G").across(Vector([*v, *body.spin]))[port]
        assert equal(x, [*(v + body.spin.cross(r)), *body.spin])


def test_equation_3_an_ideal_body_takes_no_power() -> None:
    for port in ("G", "a", "b"):
        matrix = a_body().solved_for(port).ideal_matrix()
        assert matrix.shape == (18, 18)
        assert equal(matrix, -matrix.T)


def test_equations_5_and_6_are_equation_1_solved_for_another_terminal() -> None:
    body = a_body()
    at_centre = body.solved_for("G")
    y = {"a": six("ya"), "b": six("yb")}
    v, spin, v_dot, alpha = vector("v"), body.spin, vector("acc"), vector("alpha")
    y["G"] = at_centre.through(y, Vector([*v, *spin]), Vector([*v_dot, *alpha]))
    for port, other in (("b", "a"), ("a", "b")):
        r = body.arms[port]
        x = Vector([*(v + spin.cross(r)), *spin])
        x_dot = Vector([*(v_dot + alpha.cross(r) + spin.cross(spin.cross(r))), *alpha])
        form = body.solved_for(port)
        given = {name: y[name] for name in (other, "G")}
        assert equal(form.through(given, x, x_dot), y[port])
        assert equal(form.across(x)["G"], [*v, *spin])


def test_a_body_may_have_any_number_of_ports() -> None:
    body = a_body()
    body = RigidBody(body.mass, body.inertia, {f"p{k}": vector(f"r{k}") for k in range(5)}, body.spin, body.gravity)
    v = vector("v")
    y = {port: six(f"y{port}") for port in body.arms}
    x, x_dot = Vector([*v, *body.spin]), six("xd")
    y["G"] = body.solved_for("G").through(y, x, x_dot)
    for port in body.arms:
        form = body.solved_for(port)
        moved = body.solved_for("G").across(x)[port]
        r, spin = body.arms[port], body.spin
        a, alpha = pair(x_dot)
        rate = Vector([*(a + alpha.cross(r) + spin.cross(spin.cross(r))), *alpha])
        assert len(form.maps) == 5
        assert equal(form.through({p: y[p] for p in form.maps}, moved, rate), y[port])


def test_equation_6_prints_the_sign_of_the_mass_centre_wrongly() -> None:
    body = a_body()
    K_a = body.K("a")
    maps = body.solved_for("a").maps
    assert equal(maps["G"], shift(-body.arms["a"]))  # y_a = … - K_a⁻¹ y_G; printed with +
    assert equal(maps["G"] @ K_a, Matrix.identity(6))
    assert equal(maps["b"], shift(-body.arms["a"]) @ body.K("b"))  # - K_A⁻¹ y_b, as printed


def test_equation_7_the_arm_between_the_ports() -> None:
    body = a_body()
    K_A = body.solved_for("b").maps["a"]
    assert equal(K_A, shift(-body.arms["b"]) @ body.K("a"))
    assert equal(K_A, block({(0, 0): ONE, (1, 0): skew(body.arms["a"] - body.arms["b"]), (1, 1): ONE}))


@pytest.mark.parametrize("port", ["b", "a"])
def test_equations_49_and_50(port: str) -> None:
    body = a_body()
    m, R = body.mass, skew(body.arms[port])
    J = body.inertia + R @ R.T * m
    form = body.solved_for(port)
    assert equal(form.P, block({(0, 0): ONE * m, (0, 1): R * m, (1, 0): R.T * m, (1, 1): J}))
    assert equal(form.u, -Vector([*(body.gravity * m), *(R.T @ body.gravity * m)]))
    Omega = skew(body.spin)
    Q = block({(0, 1): Omega @ R * m, (1, 1): Omega @ J})
    x = Vector([*vector("v"), *body.spin])
    assert equal(form.Q @ x, Q @ x)  # the paper leaves out R Ω, which vanishes on ω
    assert not equal(form.Q, Q)


# ---- the graph -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bodies", [1, 2, 5])
@pytest.mark.parametrize("form", ["G", "b", "a"])
def test_topological_conditions_leave_each_body_the_chord_of_its_form(bodies: int, form: str) -> None:
    chosen = formulation(driven_chain(bodies, form))
    for body, star in chosen.graph.stars.items():
        chords = [edge.name for edge in star if edge.name in chosen.cotree]
        assert chords == [f"{form}{body.split()[1]}"]
    assert {edge.name for edge in chosen.graph.with_role("across")} <= set(chosen.tree)
    assert {edge.name for edge in chosen.graph.with_role("through")} <= set(chosen.cotree)
    assert rank(chosen.graph.incidence()) == len(chosen.tree)


def test_case_i_prints_the_load_port_among_the_across_drivers_which_no_tree_allows() -> None:
    right = driven_chain(3, "G")
    assert right.by_name["4*"].role == "through"
    edges = [Edge(e.name, e.tail, e.head, "across" if e.name == "4*" else e.role, e.element) for e in right.edges]
    with pytest.raises(PolhodeError, match="no formulation tree exists"):
        formulation(LinearGraph(tuple(edges)))


def test_equations_8_fundamental_circuits() -> None:
    circuits = formulation(driven_chain(3, "G")).circuits
    assert circuits["1*"] == {"b1": 1}
    assert circuits["2*"] == {"b2": 1, "a1": -1}
    assert circuits["3*"] == {"b3": 1, "a2": -1}
    assert all(circuits[f"G{j}"] == {f"{j}*'": 1} for j in (1, 2, 3))
    assert circuits["4*"] == {"a3": 1}


def test_equations_9_fundamental_cutsets() -> None:
    cutsets = formulation(driven_chain(3, "G")).cutsets
    assert all(cutsets[f"b{j}"] == {f"{j}*": 1} for j in (1, 2, 3))  # y_b + y_j* = 0
    assert cutsets["a1"] == {"2*": -1}  # y_a1 = y_2*; printed with a stray b in the index
    assert cutsets["a2"] == {"3*": -1}
    assert cutsets["a3"] == {"4*": 1}
    assert all(cutsets[f"{j}*'"] == {f"G{j}": 1} for j in (1, 2, 3))


# ---- the chain in closed form ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def chain() -> Chain:
    return Chain((a_body(1), a_body(2), a_body(3)))


def diagonal(blocks: Sequence[Matrix]) -> Matrix:
    return assembled([[b if i == j else Matrix.zeros(6, 6) for j in range(len(blocks))] for i, b in enumerate(blocks)])


def test_equations_11_to_13_joint_velocities_are_differences_of_terminal_velocities(chain: Chain) -> None:
    x_G = [six(f"x{j}") for j in range(3)]
    terminals = [b.solved_for("G").across(x) for b, x in zip(chain.bodies, x_G, strict=True)]
    joints = [terminals[0]["b"], *(terminals[j]["b"] - terminals[j - 1]["a"] for j in (1, 2))]  # (8)
    stacked = Vector([entry for x in x_G for entry in x])
    assert equal(chain.K @ stacked, [entry for x in joints for entry in x])
    assert equal(chain.K_load @ stacked, terminals[2]["a"])


def test_equation_19_is_the_inverse_of_K_with_the_diagonal_corrected(chain: Chain) -> None:
    assert equal(chain.S @ chain.K, Matrix.identity(18))
    assert equal(chain.S_block(1, 1) @ chain.bodies[1].K("b").T, Matrix.identity(6))
    assert not equal(chain.S_block(1, 1), Matrix.identity(6))  # as printed
    assert not any(chain.S_block(0, 2).entries())


def S_dot(chain: Chain) -> Matrix:
    """dS/dt, every arm turning with its body."""
    table = {
        entry: rate
        for body in chain.bodies
        for r in body.arms.values()
        for entry, rate in zip(r, body.spin.cross(r), strict=True)
    }
    flat = directional([as_expr(entry) for entry in chain.S.entries()], table)
    return Matrix([flat[k : k + 18] for k in range(0, len(flat), 18)])


def test_equations_22_to_26_P_and_Q(chain: Chain) -> None:
    P_G, Q_G = (diagonal([getattr(body, name) for body in chain.bodies]) for name in "PQ")
    assert equal(chain.P, chain.S.T @ P_G @ chain.S)
    assert equal(chain.P, chain.P.T)
    assert equal(chain.Q, chain.S.T @ (Q_G @ chain.S + P_G @ S_dot(chain)))


def test_equation_28_prints_a_transpose_that_spoils_the_sum(chain: Chain) -> None:
    p, q = 0, 1
    right = printed = Matrix.zeros(6, 6)
    for j in (1, 2):
        m, J, R_Gb = chain.bodies[j].mass, chain.bodies[j].inertia, skew(chain.bodies[j].arms["b"])
        sums = {}
        for start in (p, q):
            sums[start] = NOTHING
            for k in range(start, j):
                sums[start] = sums[start] + skew(chain.reach[k])
        upper = sums[q].T + R_Gb
        left = sums[p] + R_Gb.T  # as the sentence after (28) has it
        right = right + block({(0, 0): ONE * m, (0, 1): upper * m, (1, 0): left * m, (1, 1): J + left @ upper * m})
        left = (sums[p] + R_Gb).T  # as (28) has it
        lower = J + left @ (sums[q] + R_Gb) * m
        printed = printed + block({(0, 0): ONE * m, (0, 1): upper * m, (1, 0): left * m, (1, 1): lower})
    assert equal(chain.P_block(p, q), right)
    assert not equal(chain.P_block(p, q), printed)


def test_equation_33_gravity(chain: Chain) -> None:
    u_G = Vector([entry for body in chain.bodies for entry in body.u])
    assert equal(chain.u, chain.S.T @ u_G)


def test_equation_36_the_load_port(chain: Chain) -> None:
    assert equal(chain.load_map, chain.K_load @ chain.S)


def motion(chain: Chain) -> tuple[list[Vector], list[Vector]]:
    """Joint velocities whose angular parts add up to the bodies' own, and their rates."""
    spins = [body.spin for body in chain.bodies]
    relative = [spins[0], *(spins[j] - spins[j - 1] for j in (1, 2))]
    return [Vector([*vector(f"v{j}"), *relative[j]]) for j in range(3)], [six(f"xd{j}") for j in range(3)]


def test_equations_40_and_41_recursion_gives_the_closed_form(chain: Chain) -> None:
    x, x_dot = motion(chain)
    load = six("load")
    flat = [Vector([entry for part in parts for entry in part]) for parts in (x, x_dot)]
    found, rates = chain.outward([pair(part) for part in x], [pair(part) for part in x_dot])
    assert equal([entry for v, w in found for entry in (*v, *w)], chain.S @ flat[0])
    y = chain.inward(found, rates, pair(load))
    assert equal([entry for f, M in y for entry in (*f, *M)], chain.through(*flat, load))  # (20)


def test_equation_40_as_printed_is_another_motion(chain: Chain) -> None:
    x, _ = motion(chain)
    x_G = [shift(-chain.bodies[0].arms["b"]).T @ x[0]]
    for j in (1, 2):
        before, body = chain.bodies[j - 1], chain.bodies[j]
        x_G.append(shift(-body.arms["b"]).T @ before.K("a").T @ x_G[-1] + body.K("b").T @ x[j])  # printed K_bᵀ x_j
    found, _ = chain.outward([pair(part) for part in x], [pair(part) for part in x])
    assert equal([*found[0][0], *found[0][1]], x_G[0])
    assert not equal([*found[1][0], *found[1][1]], x_G[1])
    last = Vector([*found[2][0], *found[2][1]])
    flat = Vector([entry for part in x for entry in part])
    assert equal(chain.load_map @ flat, chain.bodies[2].K("a").T @ last)
    assert not equal(chain.load_map @ flat, chain.bodies[2].K("a") @ last)  # printed without the transpose


def test_equation_21_takes_what_acts_at_the_mass_centres(chain: Chain) -> None:
    x, x_dot = (Vector([entry for part in parts for entry in part]) for parts in motion(chain))
    load, centres = six("load"), Vector([entry for j in range(3) for entry in six(f"c{j}")])
    y = chain.through(x, x_dot, load, centres)
    for j, body in enumerate(chain.bodies):  # a force at G is a force more in (14)
        own = Vector(centres[6 * j : 6 * j + 6])
        assert equal(body.solved_for("b").maps["G"] @ own, shift(-body.arms["b"]) @ own)
    assert equal(y, chain.through(x, x_dot, load) - chain.S.T @ centres)
    W_x = diagonal([body.P for body in chain.bodies]) @ (chain.S @ x_dot + S_dot(chain) @ x)
    W_x = W_x + diagonal([body.Q for body in chain.bodies]) @ (chain.S @ x)
    u_G = Vector([entry for body in chain.bodies for entry in body.u])
    assert equal(W_x, chain.K.T @ y + chain.K_load.T @ load + centres - u_G)  # (14) to (18)
    assert not equal(W_x, chain.K.T @ y + centres - u_G)  # (15) as printed, its last column empty


def test_equation_24_forward_dynamics_undoes_inverse_dynamics(chain: Chain) -> None:
    x, x_dot = (Vector([entry for part in parts for entry in part]) for parts in motion(chain))
    load = six("load")
    P, right = chain.accelerations(x, chain.through(x, x_dot, load), load)
    assert equal(P @ x_dot, right)


# ---- joints ----------------------------------------------------------------------------------------------------


def arm_of(*joints: Any) -> ph.System:
    """A chain of bodies that are nowhere symmetric, on the given joints."""
    arm = ph.System("chain", gravity=(0, "-3.7", "-9.81"))
    before = arm.ground
    for k, joint in enumerate(joints, start=1):
        body = arm.body(f"body {k}", mass=k, com=(0.1, 0.2, k / 10), inertia=[3, 4, 5])
        arm.joint(
            f"joint {k}", before, body, joint, at=(0.3, k / 10, 0.5), child_at=(0.2, 0, -0.1),
            rotation=[("x", 0.3), ("z", k)], child_rotation=[("y", 0.7)],
        )  # fmt: skip
        before = body
    return arm


TIP = (0.4, 0.1, 0.7)
CHAINS = {
    "spherical": (ph.Spherical(), ph.Spherical("angles")),
    "revolute": (ph.Revolute("z"), ph.Revolute("y"), ph.Revolute("x")),
    "prismatic": (ph.Prismatic("z"), ph.Prismatic("y"), ph.Prismatic("x")),
    "mixed": (ph.Revolute("z"), ph.Prismatic("y"), ph.Spherical(), ph.Prismatic("x"), ph.Cylindrical("z")),
    "universal": (ph.Universal("x", "y"), ph.Fixed(), ph.Universal("z", "x")),
    "planar": (ph.Planar("z"), ph.Revolute("y"), ph.Screw("z", 0.3)),
    "free": (ph.Free(), ph.Compound(ph.Prismatic("x"), ph.Revolute("y"), ph.Prismatic("z"))),
}
every_chain = pytest.mark.parametrize("joints", CHAINS.values(), ids=CHAINS)


def made(joints: Sequence[Any]) -> tuple[ph.System, SerialChain]:
    system = arm_of(*joints)
    return system, serial_chain(system, f"body {len(joints)}", TIP)


@every_chain
def test_closed_form_gives_the_equations_of_every_joint(joints: Sequence[Any]) -> None:
    system, chain = made(joints)
    equations = system.derive("newton_euler")
    assert equal(chain.mass_matrix(), equations.mass_matrix)
    assert equal(chain.bias(), equations.bias)


@every_chain
def test_equations_36_to_39_the_jacobian_of_the_load_port(joints: Sequence[Any]) -> None:
    system, chain = made(joints)
    system.frame("tip", f"body {len(joints)}", at=TIP)
    J = system.derive().jacobian("tip")
    assert equal(chain.jacobian(), Matrix([*J[3:], *J[:3]]))


@every_chain
def test_equation_29_the_slides_belong_to_the_way_from_joint_to_mass_centre(joints: Sequence[Any]) -> None:
    system, chain = made(joints)
    last = len(joints) - 1
    com = body_pose(chain.tree, f"body {last + 1}").point(system.bodies[f"body {last + 1}"].com)
    inner = body_pose(chain.tree, "body 1").point(system.joints["joint 1"].in_child.p)
    assert equal(chain.chain.arm(0, last), com - inner)


def test_a_prescribed_joint_is_an_across_driver_of_the_chain() -> None:
    system = arm_of(ph.Revolute("z"), ph.Prismatic("y"), ph.Universal("x", "y"))
    system.prescribe("joint 2", ph.sin(system.time))
    chain, equations = serial_chain(system, "body 3", TIP), system.derive("newton_euler")
    assert equal(chain.mass_matrix(), equations.mass_matrix)
    assert equal(chain.bias(), equations.bias)


def test_spherical_joints_do_not_slide_and_prismatic_ones_do_not_turn() -> None:
    _, turning = made(CHAINS["spherical"])
    assert all(not any(turning.D[6 * j + i]) for j in range(2) for i in range(3))
    _, sliding = made(CHAINS["prismatic"])
    assert all(not any(sliding.D[6 * j + 3 + i]) for j in range(3) for i in range(3))


def test_what_is_not_a_chain_is_refused() -> None:
    system = arm_of(ph.Revolute("z"), ph.Revolute("z"))
    with pytest.raises(PolhodeError, match="last body"):
        serial_chain(system, "body 1")
    system.joint("branch", "body 1", system.body("twig", mass=1), ph.Revolute("x"))
    with pytest.raises(PolhodeError, match="not a chain"):
        serial_chain(system, "twig")


def test_a_terminal_that_is_none_is_refused() -> None:
    with pytest.raises(PolhodeError, match="no terminal 'c'"):
        a_body().solved_for("c")
    with pytest.raises(PolhodeError, match="no terminal 'c'"):
        driven_chain(2, "c")


def test_a_loop_is_no_chain() -> None:
    with pytest.raises(PolhodeError, match="it has loops or rolling"):
        serial_chain(bricard_mechanism(), "rod 5")
