"""The layout of any linear graph: no words meet, and no line crosses them."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from tests.unit.formalisms.network.test_graph import random_graph

from polhode.constraints.random_constraints import random_constrained_system
from polhode.formalisms.network.formulation import formulation
from polhode.formalisms.network.graph import Edge, LinearGraph
from polhode.model.samples.random_system import random_system
from polhode.papers.tokad import graph_svg, schematic_svg, system_graph
from polhode.papers.tokad.chain import driven_chain
from polhode.papers.tokad.layout import Words, groups_of, laid_out

from .svg_reading import collisions


@pytest.mark.parametrize("seed", range(5))
def test_no_words_meet_in_drawings_of_systems(seed: int) -> None:
    for system in (random_system(seed, bodies=(1, 6)), random_constrained_system(seed)):
        graph = system_graph(system)
        for text in (graph.svg(), graph.schematic(), graph.block_diagram(), graph.terminal_graphs_svg()):
            assert collisions(text) == []


@pytest.mark.parametrize("seed", range(30))
def test_no_words_meet_in_drawings_of_any_graph(seed: int) -> None:
    graph = random_graph(seed)
    assert collisions(graph_svg(graph)) == []
    assert collisions(schematic_svg(graph)) == []


def test_words_over_the_tops_are_given_room() -> None:
    ends = [Edge(f"t{k}", f"v{k}", "O", "body", f"b{k}") for k in range(5)]
    long = [
        Edge("a joint of a very long name " + "i" * k, f"v{k % 5}", f"v{(2 * k + 1) % 5}", "joint") for k in range(9)
    ]
    graph = LinearGraph((*ends, *(edge for edge in long if edge.tail != edge.head)))
    assert collisions(graph_svg(graph)) == []
    for a in laid_out(graph, Words()).over:
        for b in laid_out(graph, Words()).over:
            if a.edge is not b.edge and a.level == b.level:
                assert max(a.tail, a.head) <= min(b.tail, b.head) or max(b.tail, b.head) <= min(a.tail, a.head)


def test_a_vertex_stands_on_the_side_to_which_it_leads() -> None:
    groups = groups_of(driven_chain(3))
    assert groups["body 2"] == ["B2", "G2", "A2"]


@pytest.mark.parametrize("bodies", [1, 2, 6])
def test_figures_2d_and_2e_for_any_number_of_bodies(bodies: int) -> None:
    for form in ("G", "b", "a"):
        chain = driven_chain(bodies, form)
        assert collisions(graph_svg(formulation(chain))) == []
        assert collisions(schematic_svg(chain)) == []


def test_a_graph_without_edges_and_an_edge_from_the_ground_can_be_drawn() -> None:
    assert ElementTree.fromstring(graph_svg(LinearGraph(()))).tag.endswith("svg")
    assert ElementTree.fromstring(schematic_svg(LinearGraph(()))).tag.endswith("svg")
    up = LinearGraph(
        (Edge("up", "O", "a", "through"), Edge("down", "a", "O", "across"), Edge("self", "a", "a", "joint"))
    )
    assert "up leads from O to a." in graph_svg(up)
    assert ElementTree.fromstring(schematic_svg(up)).tag.endswith("svg")
