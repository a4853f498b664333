"""Linear graphs: circuits, cut-sets, and formulation trees found whenever there is one."""

import itertools
import random
from collections.abc import Iterable
from dataclasses import replace

import pytest

import polhode as ph
from polhode.expr import rank
from polhode.formalisms.network.formulation import circle, formulation
from polhode.formalisms.network.graph import REFERENCE, Edge, Forest, Formulation, LinearGraph
from polhode.model.samples.random_system import random_system
from polhode.papers.tokad import SystemGraph, system_graph


def four_bar() -> ph.System:
    system = ph.System("four-bar")
    before, at = system.ground, 0
    for k in (1, 2, 3):
        bar = system.body(f"bar {k}", mass=1, com=(0.5, 0, 0))
        system.joint(f"pin {k}", before, bar, ph.Revolute("y"), at=(at, 0, 0))
        before, at = bar, 1
    system.close("pin 4", system.ground, before, ph.Revolute("y"), at_a=(1.5, 0, 0), at_b=(1, 0, 0))
    return system


def sides(graph: LinearGraph, tree: Iterable[str], branch: str) -> set[str]:
    """The vertices on the tail's side when a branch is cut."""
    edge = graph.by_name[branch]
    rest = Forest(graph.by_name[name] for name in tree if name != branch)
    return {edge.tail, *rest.way_from(edge.tail)}


def assert_circuits_and_cutsets(chosen: Formulation) -> None:
    graph = chosen.graph
    A, B = chosen.cutset_matrix(), chosen.circuit_matrix()
    if chosen.cotree:
        assert not any((A @ B.T).entries())
        assert not any((graph.incidence() @ B.T).entries())  # circuits meet every vertex as often in as out
    for branch, chords in chosen.cutsets.items():
        here = sides(graph, chosen.tree, branch)
        crossing = {
            name: 1 if graph.by_name[name].tail in here else -1
            for name in chosen.cotree
            if (graph.by_name[name].tail in here) != (graph.by_name[name].head in here)
        }
        assert chords == crossing


@pytest.mark.parametrize("seed", range(25))
def test_circuits_and_cutsets_are_orthogonal_on_random_trees(seed: int) -> None:
    graph = system_graph(random_system(seed, bodies=(1, 5)))
    assert_circuits_and_cutsets(graph.formulation)


def test_circuits_and_cutsets_are_orthogonal_in_a_loop() -> None:
    graph = system_graph(four_bar())
    assert "pin 4" in graph.cotree
    assert_circuits_and_cutsets(graph.formulation)


@pytest.mark.parametrize("seed", range(25))
def test_every_body_of_a_tree_is_solved_for_its_inner_terminal(seed: int) -> None:
    graph = system_graph(random_system(seed, bodies=(1, 5)))
    assert graph.solved_for == {part.name: part.inner for part in graph.mechanism.components}
    assert set(graph.mechanism.joints) <= set(graph.tree)
    assert rank(graph.formulation.graph.incidence()) == len(graph.tree) if graph.tree else True


def meets_conditions(graph: LinearGraph, names: Iterable[str]) -> bool:
    """Whether a set of edges is a tree that meets both conditions, and no bodies hang on each other in a circle."""
    chosen = set(names)
    forest = Forest()
    for name in chosen:
        if not forest.joins(graph.by_name[name]):
            return False
        forest.add(graph.by_name[name])
    return (
        len(chosen) == len(graph.vertices) - 1
        and all(len([e for e in star if e.name not in chosen]) == 1 for star in graph.stars.values())
        and all(e.name in chosen for e in graph.with_role("across"))
        and all(e.name not in chosen for e in graph.with_role("through"))
        and not circle(Formulation(graph, tuple(chosen)))
    )


def random_graph(seed: int) -> LinearGraph:
    """Two or three bodies with a few terminals, and edges of every role between any of them."""
    dice = random.Random(seed)
    terminals = [(f"b{k}", f"b{k}.{p}") for k in range(dice.choice((2, 3))) for p in range(dice.choice((1, 2, 2)))]
    edges = [Edge(vertex, vertex, REFERENCE, "body", body) for body, vertex in terminals]
    for k in range(dice.choice((2, 3, 4))):
        tail, head = dice.sample([REFERENCE, *(vertex for _, vertex in terminals)], 2)
        edges.append(Edge(f"e{k}", tail, head, dice.choice(("joint", "joint", "inertia", "across", "through"))))
    dice.shuffle(edges)
    return LinearGraph(tuple(edges))


def test_a_tree_is_found_exactly_when_there_is_one_and_driven_joints_are_branches_that_turn_the_tree() -> None:
    found = refused = 0
    for seed in range(400):
        graph = random_graph(seed)
        names = [edge.name for edge in graph.edges]
        possible = any(meets_conditions(graph, some) for some in itertools.combinations(names, len(graph.vertices) - 1))
        if possible:
            chosen = formulation(graph)
            assert meets_conditions(graph, chosen.tree), seed
            assert_circuits_and_cutsets(chosen)
            found += 1
        else:
            with pytest.raises(ph.PolhodeError):
                formulation(graph)
            refused += 1
    assert min(found, refused) > 50  # both kinds were met
    graph = system_graph(four_bar(), through=["pin 2"])
    assert "pin 2" in graph.cotree and "pin 4" in graph.tree
    assert graph.solved_for["bar 2"] == "bar 2.pin 3"  # it now hangs on the other side
    assert_circuits_and_cutsets(graph.formulation)
    graph = system_graph(four_bar(), across=["pin 1", "pin 4"])
    assert {"pin 1", "pin 4"} <= set(graph.tree)
    system = four_bar()
    system.prescribe("pin 1", ph.sin(system.time))
    edge = system_graph(system).formulation.graph.by_name["pin 1"]
    assert edge.role == "across"


def test_too_many_velocities_and_bodies_held_by_forces_are_named() -> None:
    with pytest.raises(ph.PolhodeError, match="'pin 3', 'pin 2', 'pin 1', 'pin 4' form a circuit") as caught:
        system_graph(four_bar(), across=["pin 1", "pin 2", "pin 3", "pin 4"])
    assert caught.value.problems[0].code == "E-PAPER-TREE"
    assert "inertia of bar 2" in system_graph(four_bar(), through=["pin 2", "pin 4"]).tree
    edges = [Edge(f"{p}", f"{p}", REFERENCE, "body", "b") for p in "pq"]
    drivers = [Edge("v1", "p", REFERENCE, "across"), Edge("v2", "q", "p", "across"), Edge("v3", "q", "O", "across")]
    with pytest.raises(ph.PolhodeError, match="'v2' form a circuit") as caught:
        formulation(LinearGraph((*edges, *drivers)))
    assert caught.value.problems[0].code == "E-PAPER-TREE"
    edges = (Edge("p", "p", REFERENCE, "body", "b"), Edge("j", "p", REFERENCE, "joint"))
    with pytest.raises(ph.PolhodeError, match="the through drivers 'f' form a cut-set around 'far'") as caught:
        formulation(LinearGraph((*edges, Edge("f", "far", "p", "through"))))
    assert caught.value.problems[0].code == "E-PAPER-TREE"
    with pytest.raises(ph.PolhodeError, match="nothing joins to the ground 'a', 'b', where no mass is"):
        formulation(LinearGraph((*edges, Edge("k", "a", "b", "joint"))))


def test_edges_of_one_name_and_drivers_that_are_no_joints_are_refused_and_names_that_meet_are_kept_apart() -> None:
    edge = Edge("e", "p", REFERENCE, "body", "b")
    with pytest.raises(ph.PolhodeError, match="two edges"):
        LinearGraph((edge, edge))
    with pytest.raises(ph.PolhodeError, match="no role 'wire'"):
        LinearGraph((replace(edge, role="wire"),))
    with pytest.raises(ph.PolhodeError, match="Did you mean 'pin 1'"):
        system_graph(four_bar(), across=["pin1"])
    graph = system_graph(ph.System("nothing"))
    assert graph.tree == graph.cotree == () and "bodies 0" in graph.report()
    with pytest.raises(ph.PolhodeError, match="no pass can be applied"):
        four_bar().derive("network", passes=["slide"])
    assert four_bar().derive("network").passes == ()
    system = ph.System("names")
    a, b, c = (system.body(name, mass=1, com=(0, 1, 0)) for name in ("a", "a.b", "O"))
    system.joint("b.c", system.ground, a, ph.Revolute("x"))
    system.joint("a.b.c", a, b, ph.Revolute("x"))
    system.joint("c", b, c, ph.Revolute("x"))
    graph = system_graph(system)
    assert len({edge.name for edge in graph.edges}) == len(graph.edges)
    assert system.derive("network").agrees_with(system.derive("newton_euler"))


def test_report_and_json_tell_the_same_and_the_report_names_the_chords_that_close_loops_and_their_directions() -> None:
    graph: SystemGraph = system_graph(four_bar())
    record = graph.as_json()
    assert "x[pin 4] = x[bar 3.pin 4]" in graph.report()
    assert record["circuits"]["pin 4"] == {"bar 3.pin 4": 1} and record["solved_for"]["bar 1"] == "bar 1.pin 1"
    assert len(record["edges"]) == len(record["tree"]) + len(record["cotree"])
    system = four_bar()
    system.knife_edge("skate", "bar 2", "z", on="bar 3")
    system.constrain(system.joints["pin 1"].q[0] - 1, "stop")
    graph = system_graph(system)
    loops = graph.report().split("loops\n")[1].splitlines()
    assert loops == ["  x[pin 4] = 0 along tilt 1, tilt 2, x, y, z", "  x[skate] = 0 along its direction"]
    assert graph.as_json()["closing"] == {"pin 4": ["tilt 1", "tilt 2", "x", "y", "z"], "skate": [""]}
    assert {"pin 4", "skate"} <= set(graph.cotree)
    assert "loops" not in system_graph(random_system(1)).report()


def test_loads_are_through_drivers_and_a_spring_joins_two_terminals() -> None:
    system = four_bar()
    system.force("bar 3", (1, 0, 0), name="pull")
    system.torque("bar 2", (0, 1, 0))
    system.spring("bar 1", "bar 3", stiffness=2, length=1, name="coil")
    system.force("ground", (1, 0, 0))
    graph = system_graph(system)
    assert {"pull", "torque 2", "coil"} == set(graph.mechanism.loads) <= set(graph.cotree)
    assert graph.circuits["coil"] == {"bar 1.coil": 1, "bar 3.coil": -1}


def test_loads_in_joints_are_through_drivers_parallel_to_the_stage_that_they_act_on() -> None:
    system = ph.System("wrist")
    hand = system.body("hand", 1, (0, 0, 1))
    joint = system.joint("wrist", system.ground, hand, ph.Universal("x", "y"))
    finger = system.joint("finger", hand, system.body("tip", 1, (0, 0, 1)), ph.Revolute("x"), at=(0, 0, 1))
    follower = system.joint("thumb", hand, system.body("nail", 1, (0, 0, 1)), ph.Revolute("x"))
    system.couple(follower, finger, 2)
    system.joint_spring("finger", stiffness=2, damping=1, name="coil")
    system.joint_force("wrist", 3, index=1, name="motor")
    system.coordinate_force("wrist", 3, name="push")
    system.potential(joint.q[0] * ph.cos(finger.q[0]), name="well")
    graph = system_graph(system)
    assert graph.mechanism.joint_loads == {
        "coil": "finger", "motor": "wrist stage 2", "push": "wrist stage 1", "well": "wrist stage 1", "well'": "finger",
    }  # fmt: skip
    assert all(graph.circuits[load] == {joint: 1} for load, joint in graph.mechanism.joint_loads.items())
    assert set(graph.cutsets["finger"]) == {"tip.finger", "coil", "well'"}
    assert system.derive("network").agrees_with(system.derive("newton_euler"))
