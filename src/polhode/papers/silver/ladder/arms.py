"""The arms that are counted: one in which nothing is zero, and two as they are built."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....expr import Matrix, Vector, as_expr, pi, symbol
from ....expr.spelling import OWN
from ....formats.dh import Row, from_dh
from ....geometry import Inertia, Pose, about
from ....kinematics.tree import BASE, Link, Tree
from ....model.stage import Stage
from ....model.system import System


def chain(segments: Sequence[tuple[Pose, Pose, Inertia]], q: Vector, u: Vector, gravity: Vector) -> Tree:
    """Links one after the other, each turning about its z: where its joint sits, how it is turned, what it weighs."""
    stage = Stage(Matrix([[0], [0], [1], [0], [0], [0]]))
    axis = ((Vector([0, 0, 1]), Vector([0, 0, 0])),)
    links = tuple(
        Link(f"link {k + 1}", f"joint {k + 1}", k - 1 if k else BASE, stage, fixed, motion, axis, (k,), (k,), inertia)
        for k, (fixed, motion, inertia) in enumerate(segments)
    )
    return Tree(links, {}, q, u, u, gravity)


def general_tree(n: int) -> Tree:
    """A chain of n hinges about z, with a symbol for each entry of each fixed rotation, offset and inertia."""
    q = Vector([symbol(f"q{k}", "coordinate") for k in range(n)])
    u = Vector([symbol(f"u{k}", "speed", OWN) for k in range(n)])
    segments = []
    for k in range(n):
        fixed = Pose(_symbols(f"R{k}", 3), Vector(_symbols(f"p{k}", 3)[0]))
        motion = Pose(about((0, 0, 1), q[k]).map(as_expr), Vector([as_expr(0)] * 3))
        J = _symbols(f"J{k}", 3)
        symmetric = Matrix([[J[min(i, j), max(i, j)] for j in range(3)] for i in range(3)])
        segments.append((fixed, motion, Inertia(symbol(f"m{k}"), Vector(_symbols(f"h{k}", 3)[0]), symmetric)))
    return chain(segments, q, u, Vector(_symbols("g", 3)[0]))


def _symbols(name: str, size: int) -> Matrix:
    return Matrix([[symbol(f"{name}_{i}{j}") for j in range(size)] for i in range(size)])


def hinged_arm(name: str, table: Sequence[tuple[Any, Any, Any]], products_of_inertia: bool) -> System:
    """An arm of hinges from α, a and d of each, in the modified convention; text in the table names a parameter.

    Every link has a mass, a mass centre anywhere, and an inertia with or without products.
    """
    system = System(name)
    rows = []
    for k, row in enumerate(table, start=1):
        alpha, a, d = (system.parameter(entry) if isinstance(entry, str) else entry for entry in row)
        m, *c = (system.parameter(f"{letter}{k}") for letter in ("m", "cx", "cy", "cz"))
        xx, yy, zz = (system.parameter(f"{letter}{k}") for letter in ("Ixx", "Iyy", "Izz"))
        xy, xz, yz = (
            system.parameter(f"{letter}{k}") if products_of_inertia else 0 for letter in ("Ixy", "Ixz", "Iyz")
        )
        inertia = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
        rows.append(Row(d=d, a=a, alpha=alpha, mass=m, com=c, inertia=inertia))
    return from_dh(rows, "modified", system=system)


def general_arm(n: int = 6) -> System:
    """Hinges in general position: every angle, length and product of inertia there is, the first axis vertical."""
    further = ((f"alpha{k}", f"a{k}", f"d{k}") for k in range(2, n + 1))
    return hinged_arm(f"general {n}R arm", [(0, 0, 0), *further], products_of_inertia=True)


def puma_like_arm() -> System:
    """Right angles, three lengths and a wrist whose axes meet, as in the PUMA 560."""
    rows = [(0, 0, 0), (-pi / 2, 0, 0), (0, "a2", "d3"), (-pi / 2, "a3", "d4"), (pi / 2, 0, 0), (-pi / 2, 0, 0)]
    return hinged_arm("PUMA-like arm", rows, products_of_inertia=False)
