"""Open chains in closed form.

Y. Tokad (1992), section 2, equations (8) to (41), with the corrections listed in docs/errata.md. A chain of m bodies is
one component with m + 1 ports: a port for each joint, between terminal B_j of body j and A_(j-1) of the body before it,
and one for the load at A_m.

    y = P ẋ + Q x - (K'S)ᵀ y_(m+1) + Sᵀ u_G,    x_(m+1) = K'S x                            (20), (22)

    paper           here
    x_j, y_j        across joint j: velocity of body j against body j-1; what acts on body j there
    R_j             skew matrix of the vector from B_j to A_j, `reach[j]`
    S = K⁻¹         from the joints' velocities to those of the mass centres, x_G = S x       (18)
    P, Q            inertia of the whole chain, as seen at its joints                         (23)

Bodies are counted from 0 here. What kind of joints there are is left open; `joints.py` closes it. y_j acts on body j at
B_j and on the body before it at A_(j-1), so both must be one point: where a joint slides, A_(j-1) is the point of body
j-1 at which B_j is, and moves on it (`RigidBody.drifts`). Then R_k has the slide ξ_(k+1) in it, and (28), (31), (33)
and (36) have it as (29) does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ...errors import PolhodeError
from ...expr import Matrix, Vector, skew
from ...formalisms.network.graph import REFERENCE, Edge, LinearGraph
from ...formalisms.network.mechanism import CENTRE, ZERO, Pair, across_at, added, through_at
from .component import RigidBody, block, shift
from .ports import Multiport

#: The ports of each body: towards the ground and away from it.
INNER, OUTER = "b", "a"

#: Roles of the drivers at the joints, at the load port and at the mass centres, by the form of the terminal equations.
_DRIVERS = {
    CENTRE: ("through", "through", "across"),  # (1): case (i), the load port corrected
    INNER: ("across", "through", "through"),  # (5): case (ii)
    OUTER: ("across", "across", "through"),  # (6): case (iii); the first joint is then driven by force
}


def driven_chain(bodies: int, form: str = CENTRE) -> LinearGraph:
    """The system graph of a chain with a driver at every port, Figure 2e; `form` is the terminal left to the cotree.

    >>> from polhode.formalisms.network.formulation import formulation
    >>> formulation(driven_chain(1)).tree
    ('b1', 'a1', "1*'")
    """
    if form not in _DRIVERS:
        raise PolhodeError(f"there is no terminal {form!r}.", cure="Choose G, b or a.", code="E-NET-008")
    joint, load, centre = _DRIVERS[form]
    edges = []
    for j in range(1, bodies + 1):
        edges += [Edge(f"{p}{j}", f"{p.upper()}{j}", REFERENCE, "body", f"body {j}") for p in (INNER, OUTER)]
        edges.append(Edge(f"G{j}", f"G{j}", REFERENCE, "body", f"body {j}"))
        inner = REFERENCE if j == 1 else f"A{j - 1}"
        edges.append(Edge(f"{j}*", f"B{j}", inner, "through" if form == OUTER and j == 1 else joint))
        edges.append(Edge(f"{j}*'", f"G{j}", REFERENCE, centre))
    edges.append(Edge(f"{bodies + 1}*", f"A{bodies}", REFERENCE, load))
    return LinearGraph(tuple(edges))


def assembled(blocks: Sequence[Sequence[Matrix]]) -> Matrix:
    """One matrix from blocks."""
    return Matrix([[x for part in row for x in part[i]] for row in blocks for i in range(len(row[0]))])


_NOTHING = Matrix.zeros(6, 6)


@dataclass(frozen=True)
class Chain:
    """Bodies with the terminals `b` and `a`, from the ground outward, each moving with its own angular velocity."""

    bodies: tuple[RigidBody, ...]

    @cached_property
    def reach(self) -> list[Vector]:
        """r_j, from B_j to A_j, (7), which is at B_(j+1)."""
        return [body.arm(OUTER) - body.arm(INNER) for body in self.bodies]

    def arm(self, p: int, j: int) -> Vector:
        """From B_p to G_j, (29): over the bodies between, and over the slides ξ_k of the joints between."""
        total = -self.bodies[j].arm(INNER)
        for k in range(p, j):
            total = total + self.reach[k]
        return total

    def arm_rate(self, p: int, j: int) -> Vector:
        """d/dt of `arm`: each vector turns with its body, and A_k moves on its body with the slide."""
        total = -self.bodies[j].arm_rate(INNER)
        for body in self.bodies[p:j]:
            total = total + body.arm_rate(OUTER) - body.arm_rate(INNER)
        return total

    @cached_property
    def K(self) -> Matrix:
        """K = K_1 K_d, (11) to (13): joint velocities from those of the mass centres."""
        m = range(len(self.bodies))
        K_A = [shift(r) for r in self.reach]  # (7)
        K_1 = [[Matrix.identity(6) if p == q else -K_A[q].T if p == q + 1 else _NOTHING for q in m] for p in m]
        K_d = [[self.bodies[p].K(INNER).T if p == q else _NOTHING for q in m] for p in m]  # (12)
        return assembled(K_1) @ assembled(K_d)

    @cached_property
    def K_load(self) -> Matrix:
        """K' = K_2 K_d, (13): the load port from the last mass centre, K_aᵀ."""
        last = len(self.bodies) - 1
        return assembled([[self.bodies[j].K(OUTER).T if j == last else _NOTHING for j in range(last + 1)]])

    def S_block(self, j: int, q: int) -> Matrix:
        """S_jq = [[1, Σ R_kᵀ + R_Gb], [0, 1]] for q ≤ j, (27); (19) with S_jj corrected."""
        return shift(self.arm(q, j)).T if q <= j else _NOTHING

    @cached_property
    def S(self) -> Matrix:
        """S = K⁻¹, (19), (27)."""
        m = range(len(self.bodies))
        return assembled([[self.S_block(j, q) for q in m] for j in m])

    def P_block(self, p: int, q: int) -> Matrix:
        """P_pq, (28) corrected, or (30): Σ over the bodies beyond both joints."""
        total = _NOTHING
        for j in range(max(p, q), len(self.bodies)):
            m, J = self.bodies[j].mass, self.bodies[j].inertia
            R_p, R_q = skew(self.arm(p, j)), skew(self.arm(q, j))
            corners = {(0, 0): Matrix.identity(3), (0, 1): R_q.T, (1, 0): R_p, (1, 1): R_p @ R_q.T}
            total = total + block({at: part * m for at, part in corners.items()}) + block({(1, 1): J})
        return total

    def Q_block(self, p: int, q: int) -> Matrix:
        """Q_pq, (31), (32)."""
        total = _NOTHING
        for j in range(max(p, q), len(self.bodies)):
            body = self.bodies[j]
            rate = skew(self.arm_rate(q, j)).T * body.mass
            gyro = skew(body.spin) @ body.inertia
            total = total + block({(0, 1): rate, (1, 1): gyro + skew(self.arm(p, j)) @ rate})
        return total

    @cached_property
    def P(self) -> Matrix:
        """P = Sᵀ P_G S, (23), block by block."""
        m = range(len(self.bodies))
        return assembled([[self.P_block(p, q) for q in m] for p in m])

    @cached_property
    def Q(self) -> Matrix:
        """Q = Sᵀ (Q_G S + P_G dS/dt), (23), block by block."""
        m = range(len(self.bodies))
        return assembled([[self.Q_block(p, q) for q in m] for p in m])

    @cached_property
    def u(self) -> Vector:
        """Sᵀ u_G, (33), (34): gravity, as the joints feel it."""
        entries: list[Any] = []
        for p in range(len(self.bodies)):
            f, moment = Vector([0, 0, 0]), Vector([0, 0, 0])
            for j in range(p, len(self.bodies)):
                weight = self.bodies[j].gravity * self.bodies[j].mass
                f, moment = f - weight, moment - self.arm(p, j).cross(weight)
            entries += [*f, *moment]
        return Vector(entries)

    @cached_property
    def load_map(self) -> Matrix:
        """K'S, (36): the motion of the load port from those of the joints, [[1, Σ R_kᵀ], [0, 1]]."""
        m = len(self.bodies)
        parts = []
        for j in range(m):
            r = self.reach[j]
            for k in range(j + 1, m):
                r = r + self.reach[k]
            parts.append(shift(r).T)
        return assembled([parts])

    def terminal_map(self, body: int, arm: Vector, drift: Vector = ZERO) -> tuple[Matrix, Matrix]:
        """N of x_p = N x and its rate, for the terminal at `arm` from the mass centre of a body, on which it drifts.

        K'S of (36) for the load, S of (21) for the mass centres.
        """
        turning = self.bodies[body].spin.cross(arm) + drift
        parts, rates = [_NOTHING] * len(self.bodies), [_NOTHING] * len(self.bodies)
        for q in range(body + 1):
            parts[q] = shift(self.arm(q, body) + arm).T
            rates[q] = block({(0, 1): skew(self.arm_rate(q, body) + turning).T})
        return assembled([parts]), assembled([rates])

    def terminal_graph(self, name: str = "", centres: bool = False) -> LinearGraph:
        """An edge for each joint and one for the load (Figure 2b), with those of the mass centres on request (2c)."""
        return LinearGraph(self._ports(name, self._terminals(centres)))

    def _terminals(self, centres: bool) -> dict[str, tuple[int, Vector, Vector]]:
        last = len(self.bodies) - 1
        table = {OUTER: (last, self.bodies[last].arm(OUTER), ZERO)}
        return table | {f"{CENTRE}{j + 1}": (j, ZERO, ZERO) for j in range(last + 1) if centres}

    def _ports(self, name: str, terminals: Iterable[str]) -> tuple[Edge, ...]:
        start = f"{name}." if name else ""
        joints = [
            Edge(
                f"{start}{j}",
                f"{start}B{j}",
                REFERENCE if j == 1 else f"{start}A{j - 1}",
                "body",
                name,
            )
            for j in range(1, len(self.bodies) + 1)
        ]
        m = len(self.bodies)
        others = []
        for label in terminals:
            is_load = label == OUTER
            edge = str(m + 1) if is_load else label
            others.append(Edge(start + edge, f"{start}A{m}" if is_load else start + label, REFERENCE, "body", name))
        return (*joints, *others)

    def component(
        self, name: str, centres: bool = False, terminals: Mapping[str, tuple[int, Vector, Vector]] | None = None
    ) -> Multiport:
        """The chain as a component of a larger network, (20), with its mass centres (21), or with any terminals.

        Its ports are "name.1" to "name.m" for the joints, from terminal "name.Bj" to "name.A(j-1)", and "name.(m+1)" at
        "name.Am" for the load. Other terminals are given as (body, arm from its mass centre, drift), by labels.
        """
        chosen = self._terminals(centres) if terminals is None else terminals
        maps = [self.terminal_map(*terminal) for terminal in chosen.values()]
        N, N_dot = ([row for pair in maps for row in pair[k]] for k in (0, 1))
        ports = self._ports(name, chosen)
        chords = tuple(port.name for port in ports[: len(self.bodies)])
        return Multiport(name, ports, chords, self.P, self.Q, Matrix(N), Matrix(N_dot), self.u)

    def through(self, x: Vector, x_dot: Vector, load: Vector, centres: Vector | None = None) -> Vector:
        """y of the joints, (20); with what acts at the mass centres, (21)."""
        y = self.P @ x_dot + self.Q @ x - self.load_map.T @ load + self.u
        return y if centres is None else y - self.S.T @ centres

    def accelerations(self, x: Vector, y: Vector, load: Vector) -> tuple[Matrix, Vector]:
        """P and what it must equal times ẋ, (24): forward dynamics when all through variables are given."""
        return self.P, y - self.Q @ x + self.load_map.T @ load - self.u

    # ---- recursion -------------------------------------------------------------------------------------------

    def outward(self, x: Sequence[Pair], x_dot: Sequence[Pair]) -> tuple[list[Pair], list[Pair]]:
        """The motion of the mass centres and its rate, (40) corrected and its derivative, from joint to joint."""
        found: list[Pair] = []
        rates: list[Pair] = []
        for j, body in enumerate(self.bodies):
            inner, inner_rate = x[j], x_dot[j]
            if j:
                before = self.bodies[j - 1]
                inner = added(across_at(before.arm(OUTER), found[-1]), inner)
                inner_rate = added(
                    _across_rate_at(before.arm(OUTER), before.arm_rate(OUTER), found[-1], rates[-1]), inner_rate
                )
            found.append(across_at(-body.arm(INNER), inner))
            rates.append(_across_rate_at(-body.arm(INNER), -body.arm_rate(INNER), inner, inner_rate))
        return found, rates

    def inward(self, found: Sequence[Pair], rates: Sequence[Pair], load: Pair) -> list[Pair]:
        """y of the joints, (41), from the load to the ground."""
        result: list[Pair] = []
        beyond = (-load[0], -load[1])  # y_(m+1) acts on the last body, y_(j+1) on the next one
        for body, (_, w), (a, alpha) in reversed(list(zip(self.bodies, found, rates, strict=True))):
            f = (a - body.gravity) * body.mass
            moment = body.inertia @ alpha + w.cross(body.inertia @ w)
            at_centre = added((f, moment), through_at(body.arm(OUTER), beyond))
            beyond = through_at(-body.arm(INNER), at_centre)
            result.append(beyond)
        return result[::-1]


def _across_rate_at(r: Vector, r_dot: Vector, x: Pair, x_dot: Pair) -> Pair:
    """d/dt (Kᵀ x); where r only turns, dR/dt = Ω R - R Ω, and the second term vanishes on ω."""
    (_, w), (a, alpha) = x, x_dot
    return a + alpha.cross(r) + w.cross(r_dot), alpha
