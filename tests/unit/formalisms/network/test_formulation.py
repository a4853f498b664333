"""Formulation trees that a user names: a sentence for each that is none, with the reason."""

import pickle

import pytest
from tests.refusals import refused

import polhode as ph
from polhode.formalisms.network.formulation import circle, formulation, given_formulation
from polhode.formalisms.network.graph import Edge, LinearGraph
from polhode.papers.tokad import system_graph


def arm() -> ph.System:
    system = ph.System("arm")
    upper, lower = (system.body(name, mass=1, com=(0.5, 0, 0)) for name in ("upper", "lower"))
    system.joint("shoulder", system.ground, upper, ph.Revolute("z"))
    system.joint("elbow", upper, lower, ph.Revolute("z"), at=(1, 0, 0))
    system.force(lower, (1, 0, 0), name="pull")
    return system


def ring() -> LinearGraph:
    """Two bodies that are joined to each other twice, and one of them to the ground."""
    terminals = [("a", "a.0"), ("a", "a.1"), ("a", "a.2"), ("b", "b.1"), ("b", "b.2")]
    stars = [Edge(name, name, "O", "body", body) for body, name in terminals]
    return LinearGraph((
        *stars,
        Edge("pin", "a.0", "O", "joint"),
        Edge("left", "b.1", "a.1", "joint"),
        Edge("right", "b.2", "a.2", "joint"),
    ))  # fmt: skip


WRONG = {
    "unknown": (["shoulder", "ellbow"], "no edge 'ellbow'.*Did you mean 'elbow'", "E-MODEL-NAME"),
    "twice": (["shoulder", "elbow", "elbow"], "'elbow' is named twice", "E-PAPER-TWICE"),
    "through driver": (["shoulder", "pull"], "through driver 'pull' cannot be in the tree", "E-PAPER-TREE"),
    "circuit": (
        ["shoulder", "elbow", "inertia of upper"],
        "'shoulder', 'inertia of upper' form a circuit",
        "E-PAPER-TREE",
    ),
    "not spanning": (["shoulder"], "cut-set 'elbow'.*are chords, and nothing reaches 'lower'", "E-PAPER-TREE"),
    "nothing": ([], "not spanning", "E-PAPER-TREE"),
    "circuit of terminals": (
        ["shoulder", "upper.shoulder", "upper.elbow", "upper.G", "elbow", "lower.G", "lower.pull"],
        "'shoulder', 'upper.shoulder' form a circuit",
        "E-PAPER-TREE",
    ),
    "no chord": (
        ["upper.shoulder", "upper.elbow", "upper.G", "lower.G", "lower.pull", "elbow"],
        "body 'upper' has no chord",
        "E-PAPER-TREE",
    ),
    "two chords": (
        ["shoulder", "elbow", "upper.G", "lower.G", "lower.pull"],
        "body 'upper' has the chords",
        "E-PAPER-TREE",
    ),
}


@pytest.mark.parametrize(("tree", "message", "code"), WRONG.values(), ids=WRONG)
def test_a_tree_that_is_none_is_refused_with_the_reason(tree: list[str], message: str, code: str) -> None:
    for ask in (lambda: system_graph(arm(), tree=tree), lambda: arm().derive("network", tree=tree)):
        with pytest.raises(ph.PolhodeError, match=f"(?s){message}") as caught:
            ask()
        assert caught.value.problems[0].code == code


def test_drivers_cut_sets_and_circles_are_named_and_a_circle_is_avoided_where_the_tree_is_found() -> None:
    tree = ["shoulder", "inertia of lower"]
    assert system_graph(arm(), tree=tree)
    refused("across driver 'elbow' must be in the tree", lambda: system_graph(arm(), tree=tree, across=["elbow"]))
    far = LinearGraph((*ring().edges, Edge("rope", "far", "a.0", "joint")))
    named = ["a.1", "a.2", "b.2", "pin", "left"]
    assert given_formulation(ring(), named)
    refused("the cut-set 'rope' are chords, and nothing reaches 'far'", lambda: given_formulation(far, named))
    named = ["a.0", "a.2", "b.1", "left", "right"]  # a tree that meets Tokad's two conditions
    refused("bodies 'a', 'b' hang on each other in a circle", lambda: given_formulation(ring(), named))
    assert circle(formulation(ring())) == []
    system = ph.System("pair")
    a, b = (system.body(name, mass=1, com=(1, 0, 0)) for name in "ab")
    system.joint("pin", system.ground, a, ph.Revolute("z"))
    system.joint("left", a, b, ph.Revolute("z"))
    system.close("right", a, b, ph.Revolute("z"), at_a=(2, 0, 0), at_b=(2, 0, 0))
    for drivers in ({"through": ["left"]}, {"across": ["right"]}, {"across": ["left"]}, {"through": ["pin"]}):
        graph = system_graph(system, **drivers)
        assert circle(graph.formulation) == []


def test_trees_belong_to_the_network_and_have_keys_of_their_own() -> None:
    for formalism in ("auto", "kane", "newton_euler"):
        with pytest.raises(ph.PolhodeError, match="has no formulation tree") as caught:
            arm().derive(formalism, tree=["shoulder", "elbow"])
        assert caught.value.problems[0].code == "E-PAPER-UNSUPPORTED"
    refused("a list of edges", lambda: arm().derive("network", tree="shoulder"))
    usual, chosen = arm().derive("network"), arm().derive("network", tree=["shoulder", "inertia of lower"])
    assert usual.derivation.key != chosen.derivation.key
    assert pickle.loads(pickle.dumps(chosen)).derivation.tree == ("shoulder", "inertia of lower")
    assert chosen.agrees_with(usual)
