"""Drawings of networks: well-formed, complete, inside their frame, and safe with any name."""

import re
import runpy
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.random_constraints import random_constrained_system
from tests.seeds import seeds
from tests.unit.formalisms.network.test_graph import random_graph

import polhode as ph
from polhode.formalisms.network.formulation import formulation
from polhode.formalisms.network.graph import Edge, LinearGraph
from polhode.model.samples.random_system import random_system
from polhode.papers.tokad import graph_svg, schematic_svg, system_graph
from polhode.papers.tokad.block_diagram import Lane, levels, shortened, shown, tag
from polhode.papers.tokad.chain import Chain, RigidBody, driven_chain
from polhode.papers.tokad.drawing import Words, groups_of, laid_out

from .svg_reading import SVG, collisions, written


def drawings(system: ph.System) -> list[ElementTree.Element]:
    graph = system_graph(system)
    return [ElementTree.fromstring(text) for text in (graph.svg(), graph.block_diagram())]


def words(root: ElementTree.Element) -> str:
    return "\n".join("".join(element.itertext()) for element in root.iter(f"{SVG}text"))


@pytest.mark.parametrize("seed", seeds(4, of=7))
def test_a_drawing_shows_every_body_and_every_joint_and_every_edge_is_drawn_once_and_in_its_kind(seed: int) -> None:
    system = random_system(seed, bodies=(1, 8))
    for root in drawings(system):
        said = words(root)
        for name in [*system.bodies, *system.joints]:
            assert name == "ground" or name in said
    system = random_system(seed, bodies=(1, 8))
    graph = system_graph(system)
    root = drawings(system)[0]
    drawn = {
        group[0].text: group[1].get("class", "").split()[0] for group in root.iter(f"{SVG}g") if len(group) >= 2
    }  # the title of each edge, and the kind of its line
    assert drawn == {e.name: "tree" if e.name in graph.tree else "chord" for e in graph.edges}


@pytest.mark.parametrize("seed", seeds(4, of=7))
def test_chords_that_close_loops_are_drawn_with_their_directions_and_nothing_lies_outside_the_frame(seed: int) -> None:
    system = random_constrained_system(seed)
    graph = system_graph(system)
    root, blocks = drawings(system)
    drawn = {group[0].text: group[1].get("class", "") for group in root.iter(f"{SVG}g") if len(group) >= 2}
    for name, labels in graph.closing.items():
        along = f"= 0 along {', '.join(label or 'its direction' for label in labels)}"
        told = f"{name}: x {along if labels else 'is what its joint allows'}"
        assert drawn[told] == "chord"
        assert name in words(root) and name in words(blocks)
    for root in [*drawings(random_system(seed, bodies=(1, 8))), *drawings(random_constrained_system(seed))]:
        _, _, width, height = map(float, root.get("viewBox", "").split())
        for path in root.iter(f"{SVG}path"):
            if path.get("class") is None:  # the arrowhead has a frame of its own
                continue
            pairs = re.findall(r"(?<=[MLQ ])(-?[\d.]+) (-?[\d.]+)", path.get("d", ""))
            assert all(-1 <= float(x) <= width + 1 and -1 <= float(y) <= height + 1 for x, y in pairs if "l6" not in x)


def test_names_are_text_and_never_markup_and_drawings_are_repeatable_take_colours_and_may_be_empty() -> None:
    system = ph.System("<script>alert(1)</script>")
    evil = system.body('a"><img onerror="x', mass=1, com=(1, 0, 0))
    system.joint("]]>&amp;<g>\x1b[31m", system.ground, evil, ph.Revolute("x"))
    system.force(evil, (1, 0, 0), name="</svg>")
    for root in drawings(system):
        assert {element.tag for element in root.iter()} <= {
            SVG + name
            for name in (
                "svg", "title", "desc", "style", "defs", "marker", "path", "g", "text", "tspan", "rect", "circle",
                "line",
            )
        }  # fmt: skip
    assert "\x1b" not in system_graph(system).svg() and "<script>alert(1)</script>" in words(drawings(system)[0])
    text = system_graph(random_system(3)).svg()
    assert "currentColor" in text and "#000" not in text and "#fff" not in text
    one, other = (system_graph(random_system(5)) for _ in range(2))
    assert one.svg() == other.svg() and one.block_diagram() == other.block_diagram()
    assert all(root.tag == f"{SVG}svg" for root in drawings(ph.System("nothing")))


def test_lanes_do_not_meet_and_text_is_escaped() -> None:
    lanes = [Lane(0, 10), Lane(2, 4), Lane(3, 8), Lane(9, 12), Lane(20, 30)]
    found = levels(lanes)
    for i, a in enumerate(lanes):
        for j, b in enumerate(lanes[:i]):
            assert found[i] != found[j] or a.right <= b.left or b.right <= a.left
    assert tag("text", shown("a<b"), id='"') == "<text id='\"'>a&lt;b</text>"
    assert shortened("shoulder", 5) == "shou…" and shortened("elbow", 5) == "elbow"


PICTURES = Path(__file__).parents[4] / "docs" / "pictures"
MADE = runpy.run_path(str(PICTURES / "network.py"))["PICTURES"]


@pytest.mark.parametrize("name", MADE)
def test_the_drawings_in_the_documents_are_what_is_drawn(name: str) -> None:
    kept = (PICTURES / f"network-{name}.svg").read_text(encoding="utf-8")
    assert MADE[name]() == kept, "python docs/pictures/network.py writes them anew"


@pytest.mark.parametrize("seed", range(5))
def test_no_words_meet_in_drawings_of_systems(seed: int) -> None:
    for system in (random_system(seed, bodies=(1, 6)), random_constrained_system(seed)):
        graph = system_graph(system)
        for text in (graph.svg(), graph.schematic(), graph.block_diagram(), graph.terminal_graphs_svg()):
            assert collisions(text) == []


@pytest.mark.parametrize("seed", range(30))
def test_no_words_meet_in_drawings_of_any_graph(seed: int) -> None:
    graph = random_graph(seed)
    assert collisions(graph_svg(graph)) == [] and collisions(schematic_svg(graph)) == []


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
        assert collisions(graph_svg(formulation(chain))) == [] and collisions(schematic_svg(chain)) == []


def test_a_graph_without_edges_and_an_edge_from_the_ground_can_be_drawn() -> None:
    assert ElementTree.fromstring(graph_svg(LinearGraph(()))).tag.endswith("svg")
    assert ElementTree.fromstring(schematic_svg(LinearGraph(()))).tag.endswith("svg")
    up = LinearGraph(
        (Edge("up", "O", "a", "through"), Edge("down", "a", "O", "across"), Edge("self", "a", "a", "joint"))
    )
    assert "up leads from O to a." in graph_svg(up) and ElementTree.fromstring(schematic_svg(up)).tag.endswith("svg")


ENDS = {"a": ph.Vector([1, 0, 0]), "b": ph.Vector([-1, 0, 0])}
BODY = RigidBody(1, ph.Matrix.identity(3), ENDS, ph.Vector([0, 0, 0]), ph.Vector([0, 0, 0]))
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


def words_of(figure: str) -> list[str]:
    return [text for text, _ in written(ElementTree.fromstring(FIGURES[figure]))]


@pytest.mark.parametrize("figure", FIGURES)
def test_every_figure_is_legible_and_told_in_words_of(figure: str) -> None:
    root = ElementTree.fromstring(FIGURES[figure])
    assert collisions(FIGURES[figure]) == []
    assert root.get("role") == "img" and root[0].tag == f"{SVG}title" and root[1].tag == f"{SVG}desc" and root[1].text


def test_figures_1_and_5_have_their_edges_and_figure_2b_is_in_pieces_and_2c_has_the_mass_centres() -> None:
    assert sorted(words_of("1c")) == ["A", "B", "G", "G", "O", "a", "b"]
    for figure, at in (("1d", "G"), ("1e", "B"), ("1f", "A")):
        assert f"W_{at}, u_{at}" in words_of(figure) and "R₀" in words_of(figure)
    for figure in ("5b", "5c"):
        assert {"1", "2", "3", "4", "manipulator"} <= set(words_of(figure))
    graph = LinearGraph((*CHAIN.component("arm").ports, *BODY.component("hand", "b").ports))
    assert collisions(graph_svg(graph)) == [] and collisions(schematic_svg(graph)) == []
    graph = CHAIN.terminal_graph()
    assert [(edge.name, edge.tail, edge.head) for edge in graph.edges] == [
        ("1", "B1", "O"), ("2", "B2", "A1"), ("3", "B3", "A2"), ("4", "A3", "O"),
    ]  # fmt: skip
    assert {"G1", "G2", "G3"} <= set(words_of("2c")) - set(words_of("2b"))


def test_figure_2d_has_a_driver_of_its_kind_at_every_port() -> None:
    root = ElementTree.fromstring(FIGURES["2d"])
    kinds = {
        group[0].text: (group[1].get("class") or "").split()[-1]
        for group in root.iter(f"{SVG}g")
        if (group[0].text or "").strip("'").endswith("*")
    }
    chain = driven_chain(3)
    assert kinds == {edge.name: edge.role for edge in chain.edges if edge.role != "body"}
    assert [text for text in words_of("2d") if text.startswith("body")] == ["body 1", "body 2", "body 3"]


def test_every_load_is_drawn_on_bodies_between_them_and_in_joints() -> None:
    system = ph.System("arm")
    upper, lower = (system.body(name, 1, (0.5, 0, 0)) for name in ("upper", "lower"))
    system.joint("shoulder", system.ground, upper, ph.Universal("x", "y"))
    system.joint("elbow", upper, lower, ph.Revolute("y"), at=(1, 0, 0))
    system.force(lower, (1, 0, 0), name="push")
    system.spring(upper, lower, stiffness=1, length=1, name="band")
    system.joint_spring("elbow", stiffness=3, name="coil")
    system.joint_force("elbow", 2, name="motor")
    system.joint_force("shoulder", 2, name="pan motor")
    graph = system_graph(system)
    for text in (graph.svg(), graph.schematic(), graph.block_diagram()):
        said = words(ElementTree.fromstring(text))
        assert all(name in said for name in ("push", "band", "coil", "motor", "pan motor"))
        assert collisions(text) == []
