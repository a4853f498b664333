"""Schematic diagrams and terminal graphs: Tokad's Figures 1c to 1f, 2b to 2e, 5b and 5c."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from polhode.expr import Matrix, Vector
from polhode.formalisms.network.formulation import formulation
from polhode.formalisms.network.graph import LinearGraph
from polhode.papers.tokad import graph_svg, schematic_svg
from polhode.papers.tokad.chain import Chain, driven_chain
from polhode.papers.tokad.component import RigidBody

from .svg_reading import SVG, collisions, written

ENDS = {"a": Vector([1, 0, 0]), "b": Vector([-1, 0, 0])}
BODY = RigidBody(1, Matrix.identity(3), ENDS, Vector([0, 0, 0]), Vector([0, 0, 0]))
CHAIN = Chain((BODY, BODY, BODY))

FIGURES = {
    "1c": graph_svg(BODY.terminal_graph()),
    "1d": schematic_svg(BODY.split_graph("G")),
    "1e": schematic_svg(BODY.split_graph("b")),
    "1f": schematic_svg(BODY.split_graph("a")),
    "2b": graph_svg(CHAIN.terminal_graph()),
    "2c": graph_svg(CHAIN.terminal_graph(centres=True)),
    "2d": schematic_svg(driven_chain(3)),
    "2e": graph_svg(formulation(driven_chain(3))),
    "5b": schematic_svg(CHAIN.component("manipulator").terminal_graph()),
    "5c": graph_svg(CHAIN.component("manipulator").terminal_graph()),
}


def words(figure: str) -> list[str]:
    return [text for text, _ in written(ElementTree.fromstring(FIGURES[figure]))]


@pytest.mark.parametrize("figure", FIGURES)
def test_every_figure_is_legible_and_told_in_words(figure: str) -> None:
    root = ElementTree.fromstring(FIGURES[figure])
    assert collisions(FIGURES[figure]) == []
    assert root.get("role") == "img"
    assert root[0].tag == f"{SVG}title" and root[1].tag == f"{SVG}desc" and root[1].text


def test_figure_1c_is_a_star() -> None:
    assert sorted(words("1c")) == ["A", "B", "G", "G", "O", "a", "b"]


def test_figures_1d_to_1f_move_the_active_one_port() -> None:
    for figure, at in (("1d", "G"), ("1e", "B"), ("1f", "A")):
        assert f"W_{at}, u_{at}" in words(figure)
        assert "R₀" in words(figure)


def test_figure_2b_is_in_pieces_and_2c_has_the_mass_centres() -> None:
    graph = CHAIN.terminal_graph()
    assert [(edge.name, edge.tail, edge.head) for edge in graph.edges] == [
        ("1", "B1", "O"), ("2", "B2", "A1"), ("3", "B3", "A2"), ("4", "A3", "O"),
    ]  # fmt: skip
    assert {"G1", "G2", "G3"} <= set(words("2c")) - set(words("2b"))


def test_figure_2d_has_a_driver_of_its_kind_at_every_port() -> None:
    root = ElementTree.fromstring(FIGURES["2d"])
    kinds = {
        group[0].text: (group[1].get("class") or "").split()[-1]
        for group in root.iter(f"{SVG}g")
        if (group[0].text or "").strip("'").endswith("*")
    }
    chain = driven_chain(3)
    assert kinds == {edge.name: edge.role for edge in chain.edges if edge.role != "body"}
    assert [text for text in words("2d") if text.startswith("body")] == ["body 1", "body 2", "body 3"]


def test_figure_5b_has_four_ports_and_5c_their_edges() -> None:
    for figure in ("5b", "5c"):
        assert {"1", "2", "3", "4", "manipulator"} <= set(words(figure))


def test_components_that_are_wired_are_drawn_as_one_graph() -> None:
    graph = LinearGraph((*CHAIN.component("arm").ports, *BODY.component("hand", "b").ports))
    assert collisions(graph_svg(graph)) == []
    assert collisions(schematic_svg(graph)) == []
