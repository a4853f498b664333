"""One four-bar, many formulation trees: whichever is chosen, the equations are the same.

Run: python examples/43_formulation_trees.py [folder for the pictures]
"""

import sys
from itertools import combinations
from pathlib import Path

import numpy as np

import polhode as ph
from polhode.papers.tokad import system_graph

# Describe: three bars on pins, and a fourth pin that closes the loop.
linkage = ph.System("four-bar", gravity=(0, 0, "-9.81"))
before, at = "ground", 0.0
for k, length in enumerate((0.2, 0.5, 0.4), start=1):
    bar = linkage.body(f"bar {k}", mass=2 * length, com=(length / 2, 0, 0), inertia=ph.rod(2 * length, length, "x"))
    linkage.joint(f"pin {k}", before, bar, ph.Revolute("-y"), at=(at, 0, 0))
    before, at = bar, length
linkage.close("pin 4", "ground", before, ph.Revolute("-y"), at_a=(0.5, 0, 0), at_b=(0.4, 0, 0))

# Derive: any three edges between bodies that are a tree will do, pins or inertias, in forms (1), (5) and (6).
edges = [f"pin {k}" for k in (1, 2, 3, 4)] + [f"inertia of bar {k}" for k in (1, 2, 3)]
usual, trees = linkage.derive("network"), []
for tree in combinations(edges, 3):
    try:
        trees.append(system_graph(linkage, tree=tree))
    except ph.PolhodeError:  # a circuit: the message says which
        continue
chosen = [trees[0], trees[len(trees) // 2], trees[-1]]
alike = [linkage.derive("network", tree=graph.tree).agrees_with(usual) for graph in chosen]
for graph in chosen:
    print({body: terminal.split(".")[1] for body, terminal in graph.solved_for.items()})
print(f"{len(trees)} of {len(list(combinations(edges, 3)))} choices are formulation trees; equations alike: {alike}")

# Simulate: the motion of the crank is given, and its effort is found with the motion of the other bars.
problem = system_graph(linkage, across=["pin 1"]).mixed_problem()
print("given:", ", ".join(problem.given))
print("unknown:", ", ".join(problem.unknown))
start = usual.assemble({"pin 1": 1.0, "pin 2": -0.9, "pin 3": 1.6}, {"pin 1": 8.0}, hold=["pin 1"])
run = usual.simulate(2, start=start.q, speeds=start.u, rate=100)
print(f"the crank turns {np.ptp(run['pin 1']) / (2 * np.pi):.1f} times")

# Look: the graph with its usual tree, one that hangs on inertias, bodies as boxes, and the loop as a block diagram.
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
for name, picture in {
    "graph": trees[0].svg(),
    "inertias": trees[-1].svg(),
    "schematic": trees[0].schematic(),
    "blocks": trees[0].block_diagram(),
}.items():
    (out / f"43_formulation_trees_{name}.svg").write_text(picture, encoding="utf-8")

run.animate(out / "43_formulation_trees.html", notes="One motion, from whichever tree its equations were derived.")
run.plot(out / "43_formulation_trees.png")

counted = round(np.linalg.det([[3, -1, 0], [-1, 3, -1], [0, -1, 3]]))  # bars by edges, and their neighbours
assert len(trees) == counted and all(alike) and run.energy_drift < 1e-7, "as many as the matrix-tree theorem counts"
