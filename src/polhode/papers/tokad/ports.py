"""Components as their ports see them.

Y. Tokad (1992) writes every component in one form. With c the ports whose through variables its equations give, and b
the others, whose across variables they give,

    y_c = P ẋ_c + Q x_c - Nᵀ y_b + u,    x_b = N x_c

Of a rigid body c is any one terminal: (1), (5), (6). Of a chain c are its joints and b is the load, N = K'S: (20); or
also the mass centres: (21). `wiring` joins such components to a network.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from ...expr import Matrix, Vector
from ...formalisms.network.graph import Edge, LinearGraph


@dataclass(frozen=True)
class Multiport:
    """A component: its ports as edges, those it gives y of (`chords`), and its equations, six rows for each port."""

    name: str
    ports: tuple[Edge, ...]
    chords: tuple[str, ...]
    P: Matrix
    Q: Matrix
    N: Matrix
    N_dot: Matrix
    u: Vector

    @cached_property
    def branches(self) -> tuple[str, ...]:
        """The ports whose across variables the equations give."""
        return tuple(port.name for port in self.ports if port.name not in self.chords)

    def terminal_graph(self) -> LinearGraph:
        """The terminal graph: an edge for each port."""
        return LinearGraph(self.ports)

    def across(self, x: Mapping[str, Vector]) -> dict[str, Vector]:
        """x_b = N x_c."""
        return self._by_branch(self.N @ self._stacked(x))

    def across_rate(self, x: Mapping[str, Vector], x_dot: Mapping[str, Vector]) -> dict[str, Vector]:
        """ẋ_b = N ẋ_c + Ṅ x_c."""
        return self._by_branch(self.N @ self._stacked(x_dot) + self.N_dot @ self._stacked(x))

    def through(
        self, y: Mapping[str, Vector], x: Mapping[str, Vector], x_dot: Mapping[str, Vector]
    ) -> dict[str, Vector]:
        """y_c = P ẋ_c + Q x_c - Nᵀ y_b + u; ports b that are not named are free."""
        given = Vector([entry for port in self.branches for entry in y.get(port, [0] * 6)])
        made = self.P @ self._stacked(x_dot) + self.Q @ self._stacked(x) + self.u
        made = made - self.N.T @ given if self.branches else made
        return {port: Vector(made[6 * k : 6 * k + 6]) for k, port in enumerate(self.chords)}

    def _stacked(self, x: Mapping[str, Vector]) -> Vector:
        return Vector([entry for port in self.chords for entry in x[port]])

    def _by_branch(self, x: Vector) -> dict[str, Vector]:
        return {port: Vector(x[6 * k : 6 * k + 6]) for k, port in enumerate(self.branches)}
