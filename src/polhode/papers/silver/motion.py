"""Silver's letters on a mechanism: positions of mass centres, their rates, angular velocities and inertias.

Everything here comes from where the links are, by differentiation, and is in ground components; no recursion of a
formalism is used. So it is the Lagrangian side of his comparison, computed as he writes it.

    paper         here
    W_i, r_i      rotation of a link, and place of its mass centre
    v_i, ω_i      dr_i/dt; the vector of Ẇ_i W_iᵀ, (2.6)
    I_i           inertia about the mass centre: W_i I'_i W_iᵀ, with I'_i constant in the link
    ẑ_k           the axis of link k's joint, `turn` where it turns, `slide` where it slides; a screw has both
    q̇_k           its rate: a speed, a multiple of one where the joint follows another, or given where it is driven
    d/dt          along q̇ = u, u̇ = q̈, and time
    ∂/∂q_j        along the coordinate that has the j-th speed for its rate

`energy_here` and its like give LaTeX of what a step says of the mechanism, where that is short enough to be read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ...expr import Expr, Matrix, Vector, as_expr, directional, latex, normal, topological
from ...expr.spelling import acceleration_of, latex_name, spelled_latex
from ...formalisms.silver import CentralInertia, central_inertia, inverse_dynamics
from ...geometry import angular_velocity, rotational_energy
from ...geometry.twist import Wrench
from ...kinematics.motion import flow, kinetic_energy, world_poses
from ...kinematics.tree import BASE, Tree
from .proof import entries_of

_ZERO = Vector([0, 0, 0])


def along(values: Sequence[Any], direction: Mapping[Expr, Any]) -> list[Any]:
    """The derivatives of scalars, vectors and matrices along a direction, in one sweep over their graph."""
    flat = [as_expr(entry) for value in values for entry in entries_of(value)]
    slopes = iter(directional(flat, direction))
    return [_filled(value, slopes) for value in values]


def _filled(value: Any, entries: Any) -> Any:
    if isinstance(value, Matrix):
        return Matrix([[next(entries) for _ in row] for row in value])
    return Vector([next(entries) for _ in value]) if isinstance(value, Vector) else next(entries)


@dataclass(frozen=True)
class Partial:
    """Derivatives by a speed q̇_j and by its coordinate q_j: for each link that the joint carries, and of the energy."""

    v_D_qd: Mapping[int, Vector]
    w_D_qd: Mapping[int, Vector]
    inertia_rate_D_qd: Mapping[int, Matrix]
    K_D_qd: Any
    r_D_q: Mapping[int, Vector]
    v_D_q: Mapping[int, Vector]
    w_D_q: Mapping[int, Vector]
    inertia_D_q: Mapping[int, Matrix]
    axis_D_q: Mapping[int, Vector]
    K_D_q: Any


@dataclass(frozen=True)
class Rates:
    """Rates of the derivatives by q̇_j."""

    v_D_qd: Mapping[int, Vector]
    w_D_qd: Mapping[int, Vector]
    K_D_qd: Any


class Motion:
    """The motion of a tree of joints with one degree of freedom each, in ground components, a list entry a link."""

    def __init__(self, tree: Tree, time: Expr, inertias: Sequence[CentralInertia] | None = None) -> None:
        self.tree, self.time = tree, time
        self.inertias = list(map(central_inertia, tree.links)) if inertias is None else list(inertias)
        self.links = range(len(tree.links))
        self.ud = [acceleration_of(u) for u in tree.u]  # q̈
        self.poses = world_poses(tree)
        self.paths: list[list[int]] = []  # the links from the base to each, with it
        for i, link in enumerate(tree.links):
            self.paths.append([i] if link.parent == BASE else [*self.paths[link.parent], i])
        self.carried = [[i for i in self.links if self.movers(i, j)] for j in range(len(tree.u))]  # by each speed
        self.W = [pose.R for pose in self.poses]
        self.r = [pose.point(body.c) for pose, body in zip(self.poses, self.inertias, strict=True)]
        #: ẑ_k where joint k turns or slides, zero where it does not or is driven
        self.turn, self.slide = (
            [W @ (link.H[0][part] if link.H else _ZERO) for W, link in zip(self.W, tree.links, strict=True)]
            for part in (0, 1)
        )
        self.inertia = [W @ body.I @ W.T for W, body in zip(self.W, self.inertias, strict=True)]
        self.v, self.Wd = self._rates_of(self.r, self.W)
        self.w = [angular_velocity(W, Wd) for W, Wd in zip(self.W, self.Wd, strict=True)]
        momenta = [I @ w for I, w in zip(self.inertia, self.w, strict=True)]
        self.vd, self.wd, self.inertia_rate, self.momentum_rate = self._rates_of(self.v, self.w, self.inertia, momenta)

    def speed(self, k: int) -> int | None:
        """The speed of link k's joint; none where it is driven."""
        return self.tree.links[k].speeds[0] if self.tree.links[k].speeds else None

    def movers(self, i: int, j: int) -> list[int]:
        """The joints before link i that move by the j-th speed, by their links: one, or more where joints follow."""
        return [k for k in self.paths[i] if self.speed(k) == j]

    def _rates_of(self, *tables: Sequence[Any]) -> list[list[Any]]:
        rates = iter(self.rates([value for table in tables for value in table]))
        return [[next(rates) for _ in table] for table in tables]

    @cached_property
    def K(self) -> Any:
        """(3.1)."""
        total: Any = as_expr(0)
        for body, v, w, I in zip(self.inertias, self.v, self.w, self.inertia, strict=True):
            total = total + body.m * v.dot(v) / 2 + rotational_energy(w, I)
        return total

    def rates(self, values: Sequence[Any]) -> list[Any]:
        """d/dt."""
        moving = {**flow(self.tree, self.time), **dict(zip(self.tree.u, self.ud, strict=True))}
        return along(values, moving)

    @cached_property
    def partials(self) -> list[Partial]:
        """The derivatives by each speed and by its coordinate."""
        columns = self.tree.kinematic_matrix().columns
        return [self._partial(j, dict(zip(self.tree.q, columns[j], strict=True))) for j in range(len(self.tree.u))]

    def _partial(self, j: int, coordinate: Mapping[Expr, Any]) -> Partial:
        moved = self.carried[j]

        def of(table: Sequence[Any]) -> list[Any]:
            return [table[i] for i in moved]

        def tables(rates: Iterator[Any], count: int) -> list[dict[int, Any]]:
            return [{i: next(rates) for i in moved} for _ in range(count)]

        v, w, Id = of(self.v), of(self.w), of(self.inertia_rate)
        by_speed = iter(along([*v, *w, *Id, self.K], {self.tree.u[j]: as_expr(1)}))
        axes = [turn + slide for turn, slide in zip(of(self.turn), of(self.slide), strict=True)]
        by_q = iter(along([*of(self.r), *v, *w, *of(self.inertia), *axes, self.K], coordinate))
        return Partial(*[*tables(by_speed, 3), next(by_speed), *tables(by_q, 5), next(by_q)])

    @cached_property
    def partial_rates(self) -> list[Rates]:
        """Their rates in time, for all speeds at once."""
        wanted: list[Any] = []
        for partial in self.partials:
            wanted += [*partial.v_D_qd.values(), *partial.w_D_qd.values(), partial.K_D_qd]
        rates = iter(self.rates(wanted))
        return [
            Rates({i: next(rates) for i in moved}, {i: next(rates) for i in moved}, next(rates))
            for moved in self.carried
        ]


# ---- steps in the names of the mechanism ----------------------------------------------------------------------

#: Expressions of more nodes are not brought to a readable form, and text that is longer is not shown.
_NODES, _LETTERS = 60, 450
#: Sums over more links than this are not written out.
_TERMS = 8


def energy_here(m: Motion) -> list[str]:
    """K in coordinates and speeds, by the shorter of the equal forms of (3.1)."""
    shown = _readable(kinetic_energy(m.tree))
    return [f"K = {shown}"] if shown else []


def efforts_here(m: Motion) -> list[str]:
    """The efforts without gravity, each as a function, by the recursion, which is shorter to write."""
    tau = inverse_dynamics(m.tree, m.inertias, m.tree.u, m.ud, [Wrench.zero()] * len(m.links), _ZERO)
    shown = [(_effort(m, j), _readable(entry)) for j, entry in enumerate(tau)]
    return [f"{name} = {text}" for name, text in shown if text]


def projections_here(m: Motion) -> list[str]:
    """(3.12), each term by the name of its link."""
    result = []
    for j, moved in enumerate(m.carried):
        if len(moved) <= _TERMS:
            rate = _rate(m, j)
            terms = [
                rf"F_{{{_link(m, i)}}} \cdot \frac{{\partial v_{{{_link(m, i)}}}}}{{\partial {rate}}}"
                rf" + N_{{{_link(m, i)}}} \cdot \frac{{\partial \omega_{{{_link(m, i)}}}}}{{\partial {rate}}}"
                for i in moved
            ]
            result.append(f"{_effort(m, j)} = {' + '.join(terms)}")
    return result


def angular_velocities_here(m: Motion) -> list[str]:
    """(3.14), each link's by the names of the joints before it."""
    result = []
    for i in m.links:
        terms = [
            rf"{_rate(m, j)}\, \hat z_{{{_link(m, k)}}}"
            for k in m.paths[i]
            if (j := m.speed(k)) is not None and any(m.turn[k])
        ]
        driven = [rf"\omega^{{\text{{driven}}}}_{{{_link(m, k)}}}" for k in m.paths[i] if m.tree.links[k].drive]
        if len(terms) <= _TERMS:
            result.append(rf"\omega_{{{_link(m, i)}}} = {' + '.join([*driven, *terms]) or '0'}")
    return result


def balances_here(m: Motion) -> list[str]:
    """The force or moment of each joint, by the names of the links that it carries."""
    result = []
    for k in m.links:
        j = m.speed(k)
        beyond = [i for i in m.links if k in m.paths[i]]
        if j is None or m.tree.is_coupled or len(beyond) > _TERMS or (any(m.turn[k]) and any(m.slide[k])):
            continue
        link = _link(m, k)
        if any(m.turn[k]):
            terms = [rf"p_{{{link},{_link(m, i)}}} \times F_{{{_link(m, i)}}} + N_{{{_link(m, i)}}}" for i in beyond]
        else:
            terms = [rf"F_{{{_link(m, i)}}}" for i in beyond]
        result.append(rf"{_effort(m, j)} = \hat z_{{{link}}} \cdot \left( {' + '.join(terms)} \right)")
    return result


def _readable(value: Any) -> str:
    """An expression in normal form, or nothing where it is long."""
    result = as_expr(value)
    if len(topological([result])) > _NODES:
        return ""
    text = latex(normal(result))
    return text if len(text) <= _LETTERS else ""


def _link(m: Motion, i: int) -> str:
    return latex_name(m.tree.links[i].name)


def _rate(m: Motion, j: int) -> str:
    return spelled_latex(m.tree.u[j])


def _effort(m: Motion, j: int) -> str:
    return spelled_latex(m.tree.tau[j])
