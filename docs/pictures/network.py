"""Draw the pictures of docs/network.md. Run: python docs/pictures/network.py"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polhode as ph
from polhode.expr import Matrix, Vector
from polhode.papers.tokad import graph_svg, schematic_svg, system_graph
from polhode.papers.tokad.chain import Chain, RigidBody, driven_chain

HERE = Path(__file__).parent
NOWHERE = Vector([0, 0, 0])
BODY = RigidBody(1, Matrix.identity(3), {"a": NOWHERE, "b": NOWHERE}, NOWHERE, NOWHERE)


def four_bar() -> ph.System:
    """The linkage of docs/network.md."""
    bars = ph.System("four-bar")
    before, at = bars.ground, 0
    for k in (1, 2, 3):
        bar = bars.body(f"bar {k}", mass=1, com=(0.5, 0, 0))
        bars.joint(f"pin {k}", before, bar, ph.Revolute("y"), at=(at, 0, 0))
        before, at = bar, 1
    bars.close("pin 4", bars.ground, before, ph.Revolute("y"), at_a=(1.5, 0, 0), at_b=(1, 0, 0))
    return bars


def gripper() -> ph.System:
    """models/gripper.yaml."""
    return ph.load(HERE.parents[1] / "models" / "gripper.yaml")


PICTURES: dict[str, Callable[[], str]] = {
    "graph": lambda: system_graph(gripper()).svg(),
    "blocks": lambda: system_graph(gripper()).block_diagram(),
    "loop-graph": lambda: system_graph(four_bar(), through=["pin 2"]).svg(),
    "loop-blocks": lambda: system_graph(four_bar()).block_diagram(),
    "body": lambda: graph_svg(BODY.terminal_graph(), "Terminal graph of a body with three ports"),
    "one-port": lambda: schematic_svg(BODY.split_graph("b"), "An ideal body with its inertia at terminal B"),
    "drivers": lambda: schematic_svg(driven_chain(3), "A chain of three bodies with a driver at every port"),
    "manipulator": lambda: schematic_svg(Chain((BODY,) * 3).component("manipulator").terminal_graph(), "A four-port"),
    "ports": lambda: graph_svg(
        Chain((BODY,) * 3).component("manipulator").terminal_graph(), "Terminal graph of a four-port"
    ),
}

if __name__ == "__main__":
    for name, draw in PICTURES.items():
        (HERE / f"network-{name}.svg").write_text(draw(), encoding="utf-8")
