"""Drawings of networks: well-formed, complete, inside their frame, and safe with any name."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from xml.etree import ElementTree

import pytest

import polhode as ph
from polhode.constraints.random_constraints import random_constrained_system
from polhode.model.samples.random_system import random_system
from polhode.papers.tokad import system_graph
from polhode.papers.tokad.svg import Lane, levels, shortened, shown, tag

SVG = "{http://www.w3.org/2000/svg}"


def drawings(system: ph.System) -> list[ElementTree.Element]:
    graph = system_graph(system)
    return [ElementTree.fromstring(text) for text in (graph.svg(), graph.block_diagram())]


def words(root: ElementTree.Element) -> str:
    return "\n".join("".join(element.itertext()) for element in root.iter(f"{SVG}text"))


@pytest.mark.parametrize("seed", range(7))
def test_a_drawing_shows_every_body_and_every_joint(seed: int) -> None:
    system = random_system(seed, bodies=(1, 8))
    for root in drawings(system):
        said = words(root)
        for name in [*system.bodies, *system.joints]:
            assert name == "ground" or name in said


@pytest.mark.parametrize("seed", range(7))
def test_every_edge_is_drawn_once_and_in_its_kind(seed: int) -> None:
    system = random_system(seed, bodies=(1, 8))
    graph = system_graph(system)
    root = drawings(system)[0]
    drawn = {
        group[0].text: group[1].get("class", "").split()[0] for group in root.iter(f"{SVG}g") if len(group) >= 2
    }  # the title of each edge, and the kind of its line
    assert drawn == {e.name: "tree" if e.name in graph.tree else "chord" for e in graph.edges}


@pytest.mark.parametrize("seed", range(7))
def test_chords_that_close_loops_are_drawn_with_their_directions(seed: int) -> None:
    system = random_constrained_system(seed)
    graph = system_graph(system)
    root, blocks = drawings(system)
    drawn = {group[0].text: group[1].get("class", "") for group in root.iter(f"{SVG}g") if len(group) >= 2}
    for name, labels in graph.closing.items():
        along = f"= 0 along {', '.join(label or 'its direction' for label in labels)}"
        told = f"{name}: x {along if labels else 'is what its joint allows'}"
        assert drawn[told] == "chord"
        assert name in words(root)
        assert name in words(blocks)


@pytest.mark.parametrize("seed", range(7))
def test_nothing_lies_outside_the_frame(seed: int) -> None:
    for root in [*drawings(random_system(seed, bodies=(1, 8))), *drawings(random_constrained_system(seed))]:
        _, _, width, height = map(float, root.get("viewBox", "").split())
        for path in root.iter(f"{SVG}path"):
            if path.get("class") is None:  # the arrowhead has a frame of its own
                continue
            pairs = re.findall(r"(?<=[MLQ ])(-?[\d.]+) (-?[\d.]+)", path.get("d", ""))
            assert all(-1 <= float(x) <= width + 1 and -1 <= float(y) <= height + 1 for x, y in pairs if "l6" not in x)


def test_names_are_text_and_never_markup() -> None:
    system = ph.System("<script>alert(1)</script>")
    evil = system.body('a"><img onerror="x', mass=1, com=(1, 0, 0))
    system.joint("]]>&amp;<g>\x1b[31m", system.ground, evil, ph.Revolute("x"))
    system.force(evil, (1, 0, 0), name="</svg>")
    for root in drawings(system):
        assert {element.tag for element in root.iter()} <= {
            SVG + name
            for name in (
                "svg",
                "title",
                "desc",
                "style",
                "defs",
                "marker",
                "path",
                "g",
                "text",
                "tspan",
                "rect",
                "circle",
                "line",
            )
        }
    assert "\x1b" not in system_graph(system).svg()
    assert "<script>alert(1)</script>" in words(drawings(system)[0])


def test_drawings_take_the_colour_of_the_page() -> None:
    text = system_graph(random_system(3)).svg()
    assert "currentColor" in text
    assert "#000" not in text and "#fff" not in text


def test_the_same_system_gives_the_same_drawing() -> None:
    one, other = (system_graph(random_system(5)) for _ in range(2))
    assert one.svg() == other.svg()
    assert one.block_diagram() == other.block_diagram()


def test_an_empty_system_can_be_drawn() -> None:
    assert all(root.tag == f"{SVG}svg" for root in drawings(ph.System("nothing")))


def test_lanes_on_one_level_do_not_meet() -> None:
    lanes = [Lane(0, 10), Lane(2, 4), Lane(3, 8), Lane(9, 12), Lane(20, 30)]
    found = levels(lanes)
    for i, a in enumerate(lanes):
        for j, b in enumerate(lanes[:i]):
            assert found[i] != found[j] or a.right <= b.left or b.right <= a.left


def test_text_is_escaped_and_shortened() -> None:
    assert tag("text", shown("a<b"), id='"') == "<text id='\"'>a&lt;b</text>"
    assert shortened("shoulder", 5) == "shou…"
    assert shortened("elbow", 5) == "elbow"


PICTURES = Path(__file__).parents[4] / "docs" / "pictures"
MADE = runpy.run_path(str(PICTURES / "network.py"))["PICTURES"]


@pytest.mark.parametrize("name", MADE)
def test_the_drawings_in_the_documents_are_what_is_drawn(name: str) -> None:
    kept = (PICTURES / f"network-{name}.svg").read_text(encoding="utf-8")
    assert MADE[name]() == kept, "python docs/pictures/network.py writes them anew"
