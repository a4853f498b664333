"""A System as plain numbers, so that other engines have the same mechanism.

Links are those of our own tree: welded bodies are one link, and every quantity is in the frame of the joint that
carries it, whose pose in the parent at zero configuration is the joint's placement.
"""

from typing import Any, NamedTuple

import numpy as np

from polhode import System
from polhode.errors import PolhodeError
from polhode.kinematics.tree import Link, Tree, build_tree

from .motions import Floats


class PlainLink(NamedTuple):
    """One link: the joint's kind, axis and placement, and mass, mass centre and inertia about it."""

    parent: int
    kind: str
    axis: Floats
    R: Floats
    p: Floats
    mass: float
    com: Floats
    inertia: Floats


class PlainTree(NamedTuple):
    """All links, parents first, and which of our coordinates and speeds theirs are, in their order."""

    gravity: Floats
    links: tuple[PlainLink, ...]
    q_order: list[int]
    u_order: list[int]

    @property
    def is_fixed_base(self) -> bool:
        return all(link.kind != "free" for link in self.links)


def plain_tree(system: System) -> PlainTree:
    """The numbers of a system whose joints are revolute, prismatic or free; parameters have their default values."""
    symbolic = build_tree(system)
    home: dict[Any, float] = dict.fromkeys((*symbolic.q, *symbolic.u, *symbolic.tau), 0.0)
    home |= {symbolic.q[first]: 1.0 for first in unit_quaternions(symbolic)}
    home |= {parameter.symbol: float(parameter.value or 0) for parameter in system.parameters.values()}
    tree = symbolic.at(home)
    # Others put position before orientation and linear velocity before angular.
    orders = {6: ((4, 5, 6, 1, 2, 3, 0), (3, 4, 5, 0, 1, 2)), 1: ((0,), (0,))}
    q_order = [link.coordinates[k] for link in tree.links for k in orders[len(link.speeds)][0]]
    u_order = [link.speeds[k] for link in tree.links for k in orders[len(link.speeds)][1]]
    return PlainTree(_array(tree.gravity), tuple(map(_plain_link, tree.links)), q_order, u_order)


def unit_quaternions(tree: Tree) -> list[int]:
    """Where a unit quaternion begins among the coordinates."""
    return [link.coordinates[0] for link in tree.links if link.stage and link.stage.storage == "quaternion"]


def _plain_link(link: Link) -> PlainLink:
    mass = float(link.inertia.m)
    com = _array(link.inertia.h) / mass if mass else np.zeros(3)
    about_com = _array(link.inertia.I) - mass * (com @ com * np.eye(3) - np.outer(com, com))
    return PlainLink(link.parent, *_kind(link), _array(link.X.R), _array(link.X.p), mass, com, about_com)


def _kind(link: Link) -> tuple[str, Floats]:
    """RX for a turn about the x axis, R for one about another axis, PX and P for slides, free for all six."""
    if link.stage and link.stage.storage == "quaternion" and len(link.speeds) == 6:
        return "free", np.zeros(3)
    if len(link.H) == 1:
        turn, slide = (_array(part) for part in link.H[0])
        letter, axis = ("R", turn) if turn.any() else ("P", slide)
        if not (turn.any() and slide.any()) and np.isclose(axis @ axis, 1):
            aligned = [name for name, unit in zip("XYZ", np.eye(3), strict=True) if np.array_equal(axis, unit)]
            return letter + "".join(aligned), axis
    raise PolhodeError(f"joint '{link.joint}' is neither revolute, prismatic nor free.", code="E-BENCH-004")


def _array(entries: Any) -> Floats:
    return np.array([_array(each) if hasattr(each, "__iter__") else float(each) for each in entries])


def numbers(values: Any) -> str:
    """Numbers as text that gives the same bits again."""
    return " ".join(repr(float(value)) for value in np.ravel(values))
