"""Components wired to each other: a network whose parts may be bodies, chains, or anything of the same form.

The ports of a component whose through variables it gives are chords, and its others branches, of a formulation tree;
joints are branches with x = D u, loads are chords. A chain has a terminal graph in several pieces, one for each joint
and one for the load, and so the tree may be a forest. Y. Tokad (1992), sections 1 and 2: (8), (9) and what each
component is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

from ...errors import PolhodeError
from ...expr import Matrix, Vector, as_expr
from ...formalisms.network.formulation import listed
from ...formalisms.network.given_tree import check_circuits
from ...formalisms.network.graph import Edge, Forest, Formulation, LinearGraph
from .ports import Multiport


class Moving(Protocol):
    """What gives the across variables of a joint: x = D u + x_0 and its rate."""

    @property
    def D(self) -> Matrix:
        """Six rows, a column for each speed."""

    def across(self, u: Sequence[Any]) -> Vector:
        """x."""

    def across_rate(self, u: Sequence[Any], ud: Sequence[Any]) -> Vector:
        """dx/dt."""


@dataclass(frozen=True)
class Open:
    """A joint that leaves all six velocities open: u has them from `first` on."""

    first: int
    speeds: int

    @property
    def D(self) -> Matrix:
        """Six columns of the unit matrix."""
        return Matrix([[int(k == self.first + i) for k in range(self.speeds)] for i in range(6)])

    def across(self, u: Sequence[Any]) -> Vector:
        """Its own six."""
        return Vector(u[self.first : self.first + 6])

    def across_rate(self, u: Sequence[Any], ud: Sequence[Any]) -> Vector:
        """Those of the rates."""
        return self.across(ud)


@dataclass(frozen=True)
class Wiring:
    """Components, joints between their terminals and what they do, and loads.

    >>> from polhode.expr import Matrix, Vector, symbols
    >>> from polhode.papers.tokad.component import RigidBody
    >>> m, J, l, w = symbols("m J l w", "parameter")
    >>> rod = RigidBody(m, Matrix.diagonal([J] * 3), {"b": Vector([-l, 0, 0])}, Vector([0, 0, w]), Vector([0, 0, 0]))
    >>> pin = Edge("pin", "rod.b", "O", "joint")
    >>> Wiring((rod.component("rod", "b"),), ((pin, Open(0, 6)),)).mass_matrix()[5]
    Vector([0, l*m, 0, 0, 0, J + l**2*m])
    """

    components: tuple[Multiport, ...]
    joints: tuple[tuple[Edge, Moving], ...]
    loads: tuple[tuple[Edge, Vector], ...] = ()  # what acts on the terminal at the tail

    def __post_init__(self) -> None:
        _ = self.order  # so that what is wrong is said at once

    @cached_property
    def graph(self) -> Formulation:
        """The ports, joints and loads as a graph, with its tree or forest."""
        ports = [port for component in self.components for port in component.ports]
        joints = [edge for edge, _ in self.joints]
        edges = LinearGraph((*ports, *joints, *(edge for edge, _ in self.loads)))
        taken = {name for component in self.components for name in component.branches} | {e.name for e in joints}
        branches = [edge for edge in edges.edges if edge.name in taken]
        check_circuits(branches)
        forest = Forest(branches)
        apart = [edge.name for edge in edges.edges if forest.joins(edge)]
        if apart:
            raise PolhodeError(
                f"nothing gives the velocities at {listed(apart)}.",
                place="wiring",
                cure="Join its terminals to others, or to the ground O.",
                code="E-NET-026",
            )
        return Formulation(edges, tuple(edge.name for edge in branches))

    @cached_property
    def order(self) -> tuple[Multiport, ...]:
        """The components, each after those from which its velocities follow."""
        owner = {name: component for component in self.components for name in component.branches}
        needs = {
            component.name: {owner[b].name for c in component.chords for b in self.graph.circuits[c] if b in owner}
            for component in self.components
        }
        made: dict[str, Multiport] = {}
        waiting = list(self.components)
        while waiting:
            ready = [component for component in waiting if needs[component.name] <= made.keys()]
            if not ready:
                raise PolhodeError(
                    f"the components {listed(c.name for c in waiting)} are wired in a circle: the velocities of each "
                    "follow from those of the other.",
                    place="wiring",
                    cure="Solve one of them for another of its terminals.",
                    code="E-NET-027",
                )
            made |= {component.name: component for component in ready}
            waiting = [component for component in waiting if component.name not in made]
        return tuple(made.values())

    def motion(self, u: Sequence[Any], ud: Sequence[Any]) -> tuple[dict[str, Vector], dict[str, Vector]]:
        """x and ẋ of every port and joint, by the circuits (8)."""
        x = {edge.name: moving.across(u) for edge, moving in self.joints}
        rate = {edge.name: moving.across_rate(u, ud) for edge, moving in self.joints}
        for component in self.order:
            for table in (x, rate):
                table |= {chord: self._summed(self.graph.circuits[chord], table, 1) for chord in component.chords}
            rate |= component.across_rate(x, rate)
            x |= component.across(x)
        return x, rate

    def efforts(self, u: Sequence[Any], ud: Sequence[Any]) -> Vector:
        """τ of every speed, by the cut-sets (9)."""
        x, rate = self.motion(u, ud)
        y = {edge.name: -acting for edge, acting in self.loads}
        for component in reversed(self.order):
            given = {b: self._summed(self.graph.cutsets[b], y, -1) for b in component.branches}
            y |= component.through(given, x, rate)
        total = Vector([as_expr(0)] * len(u))
        for edge, moving in self.joints:
            total = total - moving.D.T @ self._summed(self.graph.cutsets[edge.name], y, -1)
        return Vector([as_expr(entry) for entry in total])

    @staticmethod
    def _summed(signs: Mapping[str, int], table: Mapping[str, Vector], factor: int) -> Vector:
        total = Vector([0] * 6)
        for name, sign in signs.items():
            if name in table:
                total = total + table[name] * (factor * sign)
        return total

    def mass_matrix(self) -> Matrix:
        """Σ Eᵀ P E over the components, x_c = E u."""
        maps = {edge.name: moving.D for edge, moving in self.joints}
        size = len(next(iter(maps.values()))[0]) if maps else 0
        M = Matrix.zeros(size, size)
        for component in self.order:
            for chord in component.chords:
                own = Matrix.zeros(6, size)
                for name, sign in self.graph.circuits[chord].items():
                    own = own + maps[name] * sign
                maps[chord] = own
            E = Matrix([row for chord in component.chords for row in maps[chord]])
            M = M + E.T @ component.P @ E
            beyond = component.N @ E if component.branches else E
            maps |= {b: Matrix(list(beyond)[6 * k : 6 * k + 6]) for k, b in enumerate(component.branches)}
        return M.map(as_expr)
