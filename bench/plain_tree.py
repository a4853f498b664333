"""A System as plain numbers, so that other engines get the very same mechanism.

Links are those of our own tree: welded bodies are one link, and every quantity is in the frame of the joint that
carries it, whose pose in the parent at home is the joint's placement.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polhode import System
from polhode.errors import PolhodeError
from polhode.expr import Expr
from polhode.kinematics.tree import Link, Tree, build_tree

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class PlainLink:
    """One link: the joint's kind, axis and placement, and mass, mass centre and inertia about it."""

    parent: int
    kind: str
    axis: Floats
    R: Floats
    p: Floats
    mass: float
    com: Floats
    inertia: Floats


@dataclass(frozen=True)
class PlainTree:
    """All links, parents first, and which of our coordinates and speeds theirs are, in their order."""

    gravity: Floats
    links: tuple[PlainLink, ...]
    q_order: tuple[int, ...]
    u_order: tuple[int, ...]

    @property
    def is_fixed_base(self) -> bool:
        return all(link.kind != "free" for link in self.links)


def plain_tree(system: System) -> PlainTree:
    """The numbers of a system whose joints are revolute, prismatic or free; parameters take their default values."""
    symbolic = build_tree(system)
    tree = symbolic.at(_home(system, symbolic))
    q_order: list[int] = []
    u_order: list[int] = []
    for link in tree.links:
        # Others put position before orientation and linear velocity before angular.
        free = len(link.speeds) == 6
        q_order += [link.coordinates[k] for k in ((4, 5, 6, 1, 2, 3, 0) if free else (0,))]
        u_order += [link.speeds[k] for k in ((3, 4, 5, 0, 1, 2) if free else (0,))]
    return PlainTree(_array(tree.gravity), tuple(map(_plain_link, tree.links)), tuple(q_order), tuple(u_order))


def _home(system: System, tree: Tree) -> dict[Expr, float]:
    """Every symbol's value in the home position, at rest."""
    home: dict[Expr, float] = dict.fromkeys((*tree.q, *tree.u, *tree.tau), 0.0)
    home |= {tree.q[first]: 1.0 for first in unit_quaternions(tree)}
    home |= {parameter.symbol: float(parameter.value or 0) for parameter in system.parameters.values()}
    return home


def unit_quaternions(tree: Tree) -> list[int]:
    """Where a unit quaternion begins among the coordinates."""
    return [link.coordinates[0] for link in tree.links if _stores_quaternion(link)]


def _stores_quaternion(link: Link) -> bool:
    return link.stage is not None and link.stage.storage == "quaternion"


def _plain_link(link: Link) -> PlainLink:
    kind, axis = _kind(link)
    mass = float(link.inertia.m)
    com = _array(link.inertia.h) / mass if mass else np.zeros(3)
    about_origin = np.array([_array(row) for row in link.inertia.I])
    return PlainLink(
        link.parent,
        kind,
        axis,
        np.array([_array(row) for row in link.X.R]),
        _array(link.X.p),
        mass,
        com,
        about_origin - mass * (com @ com * np.eye(3) - np.outer(com, com)),
    )


def _kind(link: Link) -> tuple[str, Floats]:
    """RX for a turn about the x axis, R for one about another axis, PX and P for slides, free for all six."""
    if _stores_quaternion(link) and len(link.speeds) == 6:
        return "free", np.zeros(3)
    if len(link.H) == 1:
        turn, slide = (_array(part) for part in link.H[0])
        letter, axis = ("R", turn) if turn.any() else ("P", slide)
        if not (turn.any() and slide.any()) and np.isclose(axis @ axis, 1):
            aligned = [name for name, unit in zip("XYZ", np.eye(3), strict=True) if np.array_equal(axis, unit)]
            return letter + "".join(aligned), axis
    raise PolhodeError(f"joint '{link.joint}' is neither revolute, prismatic nor free.", code="E-BENCH-004")


def _array(entries: Sequence[Any]) -> Floats:
    return np.array([float(entry) for entry in entries])


def as_lines(tree: PlainTree) -> str:
    """The tree as `pinocchio_loop` reads it."""
    lines = [_numbers(tree.gravity)]
    for link in tree.links:
        parts = (link.axis, link.R, link.p, [link.mass], link.com, link.inertia)
        lines.append(f"{link.parent + 1} {link.kind} {' '.join(_numbers(part) for part in parts)}")
    return "\n".join(lines) + "\n"


def as_mjcf(tree: PlainTree, integrator: str = "Euler", timestep: float = 0.001) -> str:
    """The tree as a MuJoCo model with contacts and constraints off."""
    children: dict[int, list[int]] = {}
    for place, link in enumerate(tree.links):
        children.setdefault(link.parent, []).append(place)

    def body(place: int) -> str:
        link = tree.links[place]
        I = link.inertia
        full = (I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2])
        return (
            f'<body pos="{_numbers(link.p)}" xyaxes="{_numbers(link.R[:, 0])} {_numbers(link.R[:, 1])}">'
            f'<inertial pos="{_numbers(link.com)}" mass="{link.mass!r}" fullinertia="{_numbers(full)}"/>'
            f"{_mjcf_joint(link)}"
            f"{''.join(map(body, children.get(place, [])))}</body>"
        )

    return (
        '<mujoco><compiler angle="radian" inertiafromgeom="false"/>'
        f'<option gravity="{_numbers(tree.gravity)}" integrator="{integrator}" timestep="{timestep!r}">'
        '<flag constraint="disable" contact="disable"/></option>'
        f"<worldbody>{''.join(map(body, children.get(-1, [])))}</worldbody></mujoco>"
    )


def _mjcf_joint(link: PlainLink) -> str:
    if link.kind == "free":
        return "<freejoint/>"
    return f'<joint type="{"hinge" if link.kind.startswith("R") else "slide"}" axis="{_numbers(link.axis)}"/>'


def _numbers(values: Any) -> str:
    return " ".join(repr(float(value)) for value in np.ravel(values))
