"""Tokad (1992): equations from any formulation tree, forms (1), (5), (6), drivers, and chains as components."""

import random
from collections.abc import Iterable, Sequence
from typing import Any

import pytest
from tests.random_constraints import random_constrained_system
from tests.seeds import seeds

import polhode as ph
from polhode.expr import Matrix, Vector, as_expr, is_zero, same, substitute, symbols
from polhode.formalisms.network.formulation import afar
from polhode.formalisms.network.graph import Edge, Forest
from polhode.kinematics.tree import joints_from_the_ground
from polhode.model.samples.random_system import random_system
from polhode.papers.tokad import system_graph
from polhode.papers.tokad.chain import Chain, RigidBody
from polhode.papers.tokad.wiring import Open, Wiring, wired_system


def arm(bodies: int = 3) -> ph.System:
    """A chain on joints that turn and slide, its bodies nowhere symmetric, with a load at its tip."""
    system, before = ph.System("arm", gravity=(0, "-3.7", "-9.81")), "ground"
    joints = (ph.Revolute("z"), ph.Prismatic("y"), ph.Universal("x", "z"))
    for k in range(1, bodies + 1):
        body = system.body(f"link {k}", mass=k, com=(0.1, 0.2, k / 10), inertia=[3, 4, 5])
        system.joint(f"j{k}", before, body, joints[(k - 1) % 3], at=(0.3, k / 10, 0.5), child_at=(0.2, 0, -0.1))
        before = body
    system.force(before, (1, 2, 3), at=(0.4, 0, 0), frame="ground", name="load")
    return system


def alike(one: ph.Equations, other: ph.Equations) -> bool:
    """The same M, implicit residual and bias, and the same rows and forces of constraints, as functions."""
    pairs: list[tuple[Iterable[Any], Iterable[Any]]] = [
        (one.mass_matrix.entries(), other.mass_matrix.entries()),
        (one.bias, other.bias),
        (one.inverse_dynamics, other.inverse_dynamics),
    ]
    if one.constraints is not None and other.constraints is not None:
        a, b = one.constraints, other.constraints
        pairs += [(a.rates, b.rates), (a.gamma, b.gamma), (a.efforts(a.multipliers), b.efforts(b.multipliers))]
    return all(same(ours, theirs) for ours, theirs in pairs)


FORMS = {
    "(5), all joints": ["j1", "j2", "j3 stage 1", "j3 stage 2"],
    "(1), all inertias": ["inertia of link 1", "inertia of link 2", "inertia of link 3", "j3 stage 2"],
    "(6) hung on the tip": ["inertia of link 3", "j3 stage 2", "j3 stage 1", "j2"],
    "(1), (5) and (6)": ["inertia of link 2", "j2", "j3 stage 1", "j3 stage 2"],
}


@pytest.mark.parametrize("tree", FORMS.values(), ids=FORMS)
def test_every_form_of_the_terminal_equations_gives_the_same_equations_of_motion(tree: list[str]) -> None:
    system = arm()
    assert alike(system.derive("network", tree=tree), system.derive("newton_euler"))


def test_the_tree_says_which_form_each_body_has() -> None:
    forms = {name: system_graph(arm(), tree=tree).solved_for for name, tree in FORMS.items()}
    assert forms["(5), all joints"]["link 2"] == "link 2.j2"
    assert [forms["(1), all inertias"][f"link {k}"] for k in (1, 2, 3)] == ["link 1.G", "link 2.G", "link 3.G"]
    assert forms["(6) hung on the tip"]["link 1"] == "link 1.j2"  # its outer terminal
    assert forms["(1), (5) and (6)"]["link 1"] == "link 1.j2"
    assert forms["(1), (5) and (6)"]["link 2"] == "link 2.G"
    assert forms["(1), (5) and (6)"]["link 3"] == "link 3.j3 stage 2"


def random_tree(system: ph.System, dice: random.Random) -> list[str]:
    """Any branches between bodies: joints, loops and inertias."""
    seen = afar(system_graph(system).formulation.graph)
    forest, names = Forest(), []
    free = seen.with_role("joint", "inertia")
    dice.shuffle(free)
    for edge in [*seen.with_role("across"), *free]:
        if forest.joins(edge):
            forest.add(edge)
            names.append(edge.name)
    return names


@pytest.mark.parametrize("seed", [1, 3, 4, 5])
def test_any_tree_gives_the_same_equations(seed: int) -> None:
    dice = random.Random(seed)
    for system in (random_system(seed, bodies=(2, 4)), random_constrained_system(seed)):
        usual = system.derive("network")
        tree = random_tree(system, dice)
        assert alike(system.derive("network", tree=tree), usual), tree
        named = system_graph(system, tree=tree).tree
        assert system_graph(system, tree=named).tree == named  # all edges named, or those between bodies


def test_a_loop_may_be_opened_elsewhere() -> None:
    system = four_bar()
    usual = system.derive("newton_euler")
    for left_out in ("pin 1", "pin 2", "pin 3"):
        tree = [name for name in ("pin 1", "pin 2", "pin 3", "pin 4") if name != left_out]
        graph = system_graph(system, tree=tree)
        assert left_out in graph.cotree and "pin 4" in graph.tree
        assert system.derive("network", tree=tree).agrees_with(usual)


def four_bar() -> ph.System:
    system, before, at = ph.System("four-bar"), "ground", 0.0
    for k, length in enumerate((1.0, 2.0, 1.2), start=1):
        bar = system.body(f"bar {k}", mass=1, com=(length / 2, 0, 0), inertia=ph.rod(1, length, "x"))
        system.joint(f"pin {k}", before, bar, ph.Revolute("y"), at=(at, 0, 0))
        before, at = bar, length
    system.close("pin 4", system.ground, before, ph.Revolute("y"), at_a=(1.9, 0, 0), at_b=(1.2, 0, 0))
    return system


# ---- drivers -----------------------------------------------------------------------------------------------------


def test_across_drivers_at_all_joints_are_inverse_dynamics_and_none_forward_dynamics() -> None:
    system = arm()
    equations = system.derive("newton_euler")
    every = list(system_graph(system).mechanism.joints)
    assert same(system_graph(system, across=every).mixed_problem().solution, equations.inverse_dynamics)
    assert same(system_graph(system).mixed_problem().solution, equations.forward_dynamics)


def test_case_i_through_drivers_at_all_joints_leave_the_motion_of_the_mass_centres_unknown() -> None:
    system = arm(2)
    graph = system_graph(system, through=["j1", "j2"])
    assert {"inertia of link 1", "inertia of link 2"} <= set(graph.tree) and {"j1", "j2"} <= set(graph.cotree)
    assert graph.tree == system_graph(system, tree=["inertia of link 1", "inertia of link 2"]).tree
    assert set(graph.solved_for.values()) == {"link 1.G", "link 2.G"}
    assert same(graph.mixed_problem().solution, system.derive("newton_euler").forward_dynamics)


@pytest.mark.parametrize("make", [arm, four_bar])
def test_drivers_of_both_kinds_are_hybrid_dynamics(make: Any) -> None:
    system = make()
    across = ["pin 1"] if "pin 1" in system.joints else ["j1", "j3 stage 2"]
    problem = system_graph(system, across=across).mixed_problem()
    given, unknown = problem.symbols
    assert len(problem.residual) == len(unknown) == len(problem.unknown) == len(problem.solution)
    assert len(problem.given) == len(given) == len(system.derive().u)
    gap = substitute(list(problem.residual), dict(zip(unknown, problem.solution, strict=True)))
    assert all(map(is_zero, gap))


# ---- trees that drivers ask for ------------------------------------------------------------------------------------


def cart_and_bob() -> ph.System:
    system = ph.System("cart and bob", gravity=(0, 0, -10))
    cart = system.body("cart", 3)
    system.joint("x", system.ground, cart, ph.Prismatic("x"))
    system.joint("th", cart, system.body("bob", 1, (0, 0, -2)), ph.Revolute("y"))
    return system


def five_bar() -> ph.System:
    """Two cranks on motors, two rods that meet."""
    system = ph.System("five-bar", gravity=(0, 0, "-9.81"))
    for side, x in (("left", 0), ("right", 1)):
        crank, rod = (system.body(f"{side} {what}", 1, (0.5, 0, 0), ph.rod(1, 1, "x")) for what in ("crank", "rod"))
        system.joint(f"{side} motor", system.ground, crank, ph.Revolute("y"), at=(x, 0, 0))
        system.joint(f"{side} elbow", crank, rod, ph.Revolute("y"), at=(1, 0, 0))
    system.close("hand", "left rod", "right rod", ph.Revolute("y"), at_a=(1, 0, 0), at_b=(1, 0, 0))
    return system


DRIVEN: dict[str, tuple[Any, list[str], set[str]]] = {
    "cart and bob": (cart_and_bob, ["x"], {"inertia of cart", "th"}),
    "both joints": (cart_and_bob, ["x", "th"], {"inertia of cart", "inertia of bob"}),
    "one motor": (five_bar, ["left motor"], {"left elbow", "right motor", "right elbow", "hand"}),
    "both motors": (
        five_bar,
        ["left motor", "right motor"],
        {"left elbow", "right elbow", "hand", "inertia of left crank"},
    ),
    "a compound joint": (arm, ["j3"], {"j1", "j2", "j3 stage 1", "inertia of link 3"}),
    "all of an arm": (arm, ["j1", "j2", "j3"], {"j3 stage 1", *(f"inertia of link {k}" for k in (1, 2, 3))}),
}


@pytest.mark.parametrize(("make", "through", "branches"), DRIVEN.values(), ids=DRIVEN)
def test_joints_driven_by_force_leave_their_bodies_to_inertias(
    make: Any, through: list[str], branches: set[str]
) -> None:
    system = make()
    graph = system_graph(system, through=through)
    assert {edge.name for edge in graph.edges if edge.name in graph.tree and edge.role != "body"} == branches
    assert alike(system.derive("network", tree=graph.tree), system.derive("newton_euler"))
    problem = graph.mixed_problem()
    gap = substitute(list(problem.residual), dict(zip(problem.symbols[1], problem.solution, strict=True)))
    assert all(map(is_zero, gap))


@pytest.mark.parametrize("seed", seeds(3, of=6))
def test_any_joints_may_be_driven_by_force_as_long_as_bodies_have_mass(seed: int) -> None:
    dice = random.Random(seed)
    for system in (random_system(seed, bodies=(2, 4)), random_constrained_system(seed)):
        names = [joint for joint in system.joints if joint not in system.prescribed]
        through = [name for name in names if dice.random() < 0.6]
        graph = system_graph(system, through=through)
        assert alike(system.derive("network", tree=graph.tree), system.derive("network")), through


def test_a_compound_joint_is_driven_by_its_name_its_stages_or_its_coordinates() -> None:
    system = arm()
    by_name = system_graph(system, across=["j3"]).mixed_problem()
    assert by_name.given[:2] == ["acceleration of j3_1", "acceleration of j3_2"]
    stages = system_graph(system, across=["j3 stage 1", "j3 stage 2"]).mixed_problem()
    coordinates = system_graph(system, across=["j3_1", "j3_2"]).mixed_problem()
    assert by_name.driven == stages.driven == coordinates.driven
    assert system_graph(system, across=["j3_2"]).mixed_problem().given[0] == "acceleration of j3_2"
    assert system_graph(system, tree=["j1", "j2", "j3"]).tree == system_graph(system).tree
    assert alike(system.derive("network", tree=["inertia of link 3", "j3", "j2"]), system.derive("newton_euler"))
    with pytest.raises(ph.PolhodeError, match="'j3' is named as an across driver and as a through driver"):
        system_graph(system, across=["j3_1"], through=["j3"])
    with pytest.raises(ph.PolhodeError, match=r"cut-set around 'j3 1\|2', where no mass is"):
        system_graph(system, through=["j3 stage 1", "j3 stage 2"])


def test_a_variable_of_several_in_one_edge_and_a_prescribed_motion_are_no_drivers() -> None:
    system = ph.System("bolt")
    nut = system.body("nut", 1, (0, 1, 0))
    system.joint("thread", system.ground, nut, ph.Cylindrical("x"), coordinates=("turn", "slide"))
    system.joint("pan", nut, system.body("arm", 1, (0, 0, 1)), ph.Revolute("z"))
    with pytest.raises(ph.PolhodeError, match="'turn' is one of several variables of the joint 'thread'"):
        system_graph(system, across=["turn"])
    assert system_graph(system, across=["thread"]).mixed_problem().driven == (0, 1)
    system.prescribe("pan", ph.sin(system.time))
    with pytest.raises(ph.PolhodeError, match="'pan' cannot be a through driver: its motion is prescribed"):
        system_graph(system, through=["pan"])


# ---- chains as components ----------------------------------------------------------------------------------------


def vector(name: str) -> Vector:
    return Vector(symbols(" ".join(f"{name}{axis}" for axis in "xyz"), "parameter"))


def a_body(number: int) -> RigidBody:
    (mass,) = symbols(f"m{number}", "parameter")
    a, b, c = vector(f"J{number}")
    inertia = Matrix([[a + b, c, 0], [c, b + c, a], [0, a, a + c]])
    return RigidBody(
        mass, inertia, {"a": vector(f"a{number}"), "b": vector(f"b{number}")}, vector(f"w{number}"), vector("g")
    )


def stacked(parts: Sequence[Iterable[Any]]) -> list[Any]:
    return [as_expr(entry) for part in parts for entry in part]


@pytest.fixture(scope="module")
def whole() -> Chain:
    return Chain((a_body(1), a_body(2), a_body(3)))


def motion(chain: Chain) -> tuple[list[Any], list[Any]]:
    """Joint velocities whose angular parts add up to the bodies' own, and their rates."""
    spins = [Vector([0, 0, 0]), *(body.spin for body in chain.bodies)]
    x = [[*vector(f"v{j}"), *(spins[j + 1] - spins[j])] for j in range(3)]
    return stacked(x), stacked([[*vector(f"vd{j}"), *vector(f"wd{j}")] for j in range(3)])


LOAD = Vector([*vector("f4"), *vector("M4")])


def joints(*ends: tuple[str, str]) -> tuple[tuple[Edge, Open], ...]:
    """Joints that leave everything open, between these terminals."""
    return tuple((Edge(f"j{k}", *pair, "joint"), Open(6 * k, 6 * len(ends))) for k, pair in enumerate(ends))


def wirings(whole: Chain) -> dict[str, Wiring]:
    """The same three bodies as two chains, as a chain with a body on it, and as three bodies in form (5)."""
    head, tail = Chain(whole.bodies[:2]).component("arm"), Chain(whole.bodies[2:]).component("hand")
    inner, outer = Chain(whole.bodies[:1]).component("base"), Chain(whole.bodies[1:]).component("rest")
    bodies = [body.component(name, "b") for name, body in zip("pqr", whole.bodies, strict=True)]

    def load(at: str) -> tuple[tuple[Edge, Vector]]:
        return ((Edge("load", at, "O", "through"), LOAD),)

    arm_joints = ("arm.B1", "O"), ("arm.B2", "arm.A1")
    return {
        "2 + 1": Wiring((head, tail), joints(*arm_joints, ("hand.B1", "arm.A2")), load("hand.A1")),
        "1 + 2": Wiring(
            (outer, inner), joints(("base.B1", "O"), ("rest.B1", "base.A1"), ("rest.B2", "rest.A1")), load("rest.A2")
        ),
        "a body": Wiring((head, bodies[2]), joints(*arm_joints, ("r.b", "arm.A2")), load("r.a")),
        "bodies": Wiring(tuple(bodies), joints(("p.b", "O"), ("q.b", "p.a"), ("r.b", "q.a")), load("r.a")),
    }


@pytest.mark.parametrize("name", ["2 + 1", "1 + 2", "a body", "bodies"])
def test_equation_20_a_chain_of_chains_is_the_whole_chain(whole: Chain, name: str) -> None:
    wiring = wirings(whole)[name]
    x, x_dot = motion(whole)
    assert same(wiring.mass_matrix().entries(), whole.P.map(as_expr).entries())
    assert same(wiring.efforts(x, x_dot), stacked([whole.through(Vector(x), Vector(x_dot), LOAD)]))
    port = {"2 + 1": "hand.2", "1 + 2": "rest.3"}.get(name, "r.a")
    moved, rate = (table[port] for table in wiring.motion(x, x_dot))
    assert same(stacked([moved]), stacked([whole.load_map @ Vector(x)]))
    assert len(rate) == 6


def test_equation_21_mass_centres_are_ports_too(whole: Chain) -> None:
    component = whole.component("arm", centres=True)
    assert component.branches == ("arm.4", "arm.G1", "arm.G2", "arm.G3")
    pushes = {f"arm.G{j}": Vector([*vector(f"p{j}"), *vector(f"t{j}")]) for j in (1, 2, 3)}
    x, x_dot = (
        {f"arm.{j + 1}": Vector(each[6 * j : 6 * j + 6]) for j in range(3)} for each in motion(whole)
    )  # fmt: skip
    made = component.through({**pushes, "arm.4": LOAD}, x, x_dot)
    flat = [Vector(stacked(list(each.values()))) for each in (x, x_dot)]
    right = whole.through(*flat, LOAD, Vector(stacked(list(pushes.values()))))
    assert same(stacked(list(made.values())), stacked([right]))


@pytest.mark.parametrize("seed", [1, 3, 4])
def test_chains_wired_to_bodies_and_loads_give_the_equations_of_the_system(seed: int) -> None:
    system, dice = random_system(seed, bodies=(3, 5)), random.Random(seed)
    carried: dict[str, list[str]] = {}
    for joint in joints_from_the_ground(system):
        carried.setdefault(joint.parent, []).append(joint.child)
    chains: list[list[str]] = []
    for joint in joints_from_the_ground(system):
        if not any(joint.child in chain for chain in chains):
            chains.append([joint.child])
            while chains[-1][-1] in carried and dice.random() < 0.8:
                chains[-1].append(dice.choice(carried[chains[-1][-1]]))
    made, equations = wired_system(system, chains), system.derive("newton_euler")
    assert same(made.mass_matrix().entries(), equations.mass_matrix.entries())
    assert same(made.efforts(equations.udot), equations.inverse_dynamics)
