"""Components with ports: a rigid body with any number of terminals, and the form that all components have.

Y. Tokad, "Network Model Approach to the Analysis of Multirigid-Body Systems", Dynamics and Control 2 (1992), equations
(1) to (7), (49), (50), with the corrections listed in docs/errata.md. Vectors are in ground components.

    paper           here
    x_p = (v, ω)    the across variables of terminal p against the ground: linear over angular velocity
    y_p = (f, M)    its through variables: the force and moment that act on the body there
    r_Gp, R_Gp      `arms[p]`, the vector from the mass centre G to terminal p, and its skew matrix
    K_p             `K(p)`, [[1, 0], [R_Gp, 1]]
    W = P d/dt + Q  the inertia of the body, acting on the motion of one of its terminals
    u               the through driver of gravity

The equations can be solved for the through variables of any one terminal c; (1), (5) and (6) are the choices G, b, a:

    x_p = K_pcᵀ x_c   for every other terminal p,    K_pc = K_c⁻¹ K_p
    y_c = -Σ K_pc y_p + W_c x_c + u_c,               W_c = K_c⁻¹ W_G K_c⁻ᵀ,   u_c = K_c⁻¹ u_G

The paper writes every component in this form. With c the ports whose through variables its equations give, and b the
others, whose across variables they give,

    y_c = P ẋ_c + Q x_c - Nᵀ y_b + u,    x_b = N x_c

Of a chain c are its joints and b is the load, N = K'S: (20); or also the mass centres: (21). `wiring` joins such
components to a network.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from ...errors import PolhodeError
from ...expr import Matrix, Vector, skew
from ...formalisms.network.graph import REFERENCE, Edge, LinearGraph
from ...formalisms.network.mechanism import CENTRE, ZERO


def block(corners: Mapping[tuple[int, int], Matrix]) -> Matrix:
    """A 6×6 matrix from those of its four 3×3 corners that do not vanish."""
    zero = Matrix.zeros(3, 3)
    return Matrix([
        [*corners.get((i // 3, 0), zero)[i % 3], *corners.get((i // 3, 1), zero)[i % 3]] for i in range(6)
    ])  # fmt: skip


def shift(r: Vector) -> Matrix:
    """K of an arm, [[1, 0], [R, 1]] (2); its inverse is the K of the opposite arm."""
    one = Matrix.identity(3)
    return block({(0, 0): one, (1, 0): skew(r), (1, 1): one})


@dataclass(frozen=True)
class TerminalEquations:
    """The equations of a body, solved for the through variables of the terminal `at`."""

    at: str
    maps: Mapping[str, Matrix]  # K_pc for every other terminal
    P: Matrix
    Q: Matrix
    u: Vector

    def across(self, x: Vector) -> dict[str, Vector]:
        """The motion of the other terminals, K_pcᵀ x."""
        return {port: K.T @ x for port, K in self.maps.items()}

    def through(self, y: Mapping[str, Vector], x: Vector, x_dot: Vector) -> Vector:
        """y_c = -Σ K_pc y_p + P ẋ + Q x + u."""
        total = self.P @ x_dot + self.Q @ x + self.u
        for port, K in self.maps.items():
            if port in y:
                total = total - K @ y[port]
        return total

    def ideal_matrix(self) -> Matrix:
        """The coefficient matrix [[0, Kᵀ], [-K, 0]] of the ideal body (3): that of a transformer, skew-symmetric."""
        size = 6 * len(self.maps)
        right = [row for K in self.maps.values() for row in K.T]
        bottom = [[-entry for K in self.maps.values() for entry in K[i]] + [0] * 6 for i in range(6)]
        return Matrix([[*([0] * size), *row] for row in right] + bottom)


@dataclass(frozen=True)
class RigidBody:
    """Mass, inertia J_G, the arms of its terminals, its angular velocity and gravity, all in ground components.

    `drifts` are the velocities, relative to the body, of those terminals that move on it.

    >>> from polhode.expr import symbols
    >>> m, J, l, w, g = symbols("m J l w g", "parameter")
    >>> rod = RigidBody(m, Matrix.diagonal([0, J, J]), {"a": Vector([l, 0, 0])}, Vector([0, 0, w]), Vector([0, -g, 0]))
    >>> rod.solved_for("a").P[5]
    Vector([0, -l*m, 0, 0, 0, J + l**2*m])
    """

    mass: Any
    inertia: Matrix
    arms: Mapping[str, Vector]
    spin: Vector
    gravity: Vector
    drifts: Mapping[str, Vector] = field(default_factory=dict)

    def arm(self, port: str) -> Vector:
        """From the mass centre to a terminal."""
        if port == CENTRE:
            return ZERO
        if port not in self.arms:
            cure = f"Choose {', '.join([CENTRE, *self.arms])}."
            raise PolhodeError(f"the body has no terminal '{port}'.", cure=cure, code="E-PAPER-NAME")
        return self.arms[port]

    def arm_rate(self, port: str) -> Vector:
        """d/dt of `arm`: ω × r, and how the terminal moves on the body."""
        return self.spin.cross(self.arm(port)) + self.drifts.get(port, ZERO)

    def K(self, port: str) -> Matrix:
        """K_p, (2)."""
        return shift(self.arm(port))

    @property
    def P(self) -> Matrix:
        """P_G = diag(m 1, J_G), (2)."""
        return block({(0, 0): Matrix.identity(3) * self.mass, (1, 1): self.inertia})

    @property
    def Q(self) -> Matrix:
        """Q_G = diag(0, Ω J_G), (2)."""
        return block({(1, 1): skew(self.spin) @ self.inertia})

    @property
    def u(self) -> Vector:
        """u_G = (-m g, 0), (2): gravity as a through driver."""
        return Vector([*(self.gravity * -self.mass), 0, 0, 0])

    def terminal_graph(self, name: str = "") -> LinearGraph:
        """An edge from each terminal to the ground O, (Figure 1c); the terminals of a named body have its name."""
        return LinearGraph(self._ports(name))

    def split_graph(self, port: str = CENTRE, name: str = "R") -> LinearGraph:
        """The ideal body and the active one-port (W, u) at one of its terminals: Figure 1d (G), 1e (b), 1f (a)."""
        _ = self.arm(port)
        edges = self.terminal_graph().edges
        tail = next(edge.tail for edge in edges if edge.name == port)
        star = tuple(replace(edge, element=f"{name}₀") for edge in edges)
        return LinearGraph((*star, Edge(f"W_{tail}, u_{tail}", tail, REFERENCE, "inertia", name)))

    def _ports(self, name: str) -> tuple[Edge, ...]:
        owned = {port: f"{name}.{port}" if name else port for port in (*self.arms, CENTRE)}
        return tuple(Edge(port, port if name else port.upper(), REFERENCE, "body", name) for port in owned.values())

    def component(self, name: str, port: str = CENTRE) -> Multiport:
        """The body as a component of a larger network, solved for y of `port`; its terminals are "name.port"."""
        form, rate = self.solved_for(port), self.arm_rate(port)
        turning = {p: block({(0, 1): skew(self.arm_rate(p) - rate).T}) for p in form.maps}
        edges = self._ports(name)
        rows = [row for K in form.maps.values() for row in K.T]
        rates = [row for rate in turning.values() for row in rate]
        return Multiport(name, edges, (f"{name}.{port}",), form.P, form.Q, Matrix(rows), Matrix(rates), form.u)

    def solved_for(self, port: str = CENTRE) -> TerminalEquations:
        """The terminal equations with `port` in the cotree: (1) for G, (5) for b, (6) for a."""
        r = self.arm(port)
        back = shift(-r)  # K_c⁻¹
        turning = block({(0, 1): skew(self.arm_rate(port))})  # d/dt K_c⁻ᵀ
        maps = {p: shift(self.arm(p) - r) for p in (*self.arms, CENTRE) if p != port}  # K_c⁻¹ K_p (7)
        return TerminalEquations(
            port,
            maps,
            P=back @ self.P @ back.T,  # (49), (50)
            Q=back @ (self.Q @ back.T + self.P @ turning),
            u=back @ self.u,
        )


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
