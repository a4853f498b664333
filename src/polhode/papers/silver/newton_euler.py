"""The proof and its Newton-Euler side: the same efforts as forces and moments of links, from the tip to the base.

W. M. Silver, A.I. Memo 622 (1981), sections 1.3 and 3.2: (1.3), (3.12) to (3.16), the sums after them, the recursion of
Luh, Walker and Paul that they are, gravity and statics. A joint that follows another adds to the effort on the other;
one that is driven adds to velocities, as a base whose motion is known does.

The Lagrangian side: from the kinetic energy to forces and moments projected on partial velocities.

W. M. Silver, A.I. Memo 622 (1981), sections 2.3, 2.4 and 3.1 and Appendix A: (2.5), (2.8), (3.1) to (3.11), (A.1) to
(A.3). Each function is one equation, its terms as the paper writes them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from inspect import signature
from typing import Any

from ...errors import PolhodeError, check_kind
from ...expr import Vector, quiet_collector, skew, symbol, symbols
from ...formalisms import newton_euler, silver
from ...formalisms.uicker_kahn import only_single_joints
from ...geometry import rotation_rate, rotational_energy, rotational_energy_of_rate, second_moments
from ...geometry.twist import Wrench
from ...kinematics.motion import kinetic_energy
from ...kinematics.tree import Tree, build_tree
from ...model.model import Model
from ...model.system import System
from .motion import Motion, along, angular_velocities_here, balances_here, efforts_here, energy_here, projections_here
from .proof import Case, Proof, Step

_ZERO = Vector([0, 0, 0])

Sides = Iterator[tuple[str, Any, Any]]

#: The steps in their order.
_STEPS: list[Callable[..., Step]] = []


def link_name(motion: Motion, i: int) -> str:
    return f"link '{motion.tree.links[i].name}'"


def links(motion: Motion) -> Iterator[tuple[str, int]]:
    """Every link."""
    return ((link_name(motion, i), i) for i in motion.links)


def joints(motion: Motion) -> Iterator[tuple[str, int]]:
    """Every joint by its speed."""
    return ((f"joint '{u.name}'", j) for j, u in enumerate(motion.tree.u))


def pairs(motion: Motion) -> Iterator[tuple[str, int, int]]:
    """Every joint with every link that it carries."""
    for where, j in joints(motion):
        yield from ((f"{link_name(motion, i)}, {where}", i, j) for i in motion.carried[j])


def total(terms: Iterator[Any]) -> Any:
    """A sum over links."""
    return sum(terms, start=0)


#: What an equation is stated for, by the indices that its function takes: link i, joint j.
_OVER: dict[tuple[str, ...], Callable[[Motion], Iterator[tuple[Any, ...]]]] = {
    ("i",): links, ("j",): joints, ("i", "j"): pairs,
}  # fmt: skip


def equation(
    number: str, statement: str, text: str, formula: str, here: Callable[[Motion], list[str]] | None = None
) -> Callable[[Callable[..., Any]], Callable[..., Step]]:
    """A step of a function of indices, which returns both sides, or of one that yields them with where they stand."""

    def decorated(sides: Callable[..., Any]) -> Callable[..., Step]:
        over = _OVER.get((*signature(sides).parameters,)[1:])

        def step(m: Motion, **options: Any) -> Step:
            both = sides(m, **options) if over is None else ((where, *sides(m, *at)) for where, *at in over(m))
            cases = tuple(Case.of(*side) for side in both)
            return Step(number, statement, text, formula, cases, () if here is None else tuple(here(m)))

        _STEPS.append(step)
        return step

    return decorated


@equation(
    "2.5",
    "the rate of a rotation matrix is the angular velocity times it",
    "Ẇ_i = ω_i × W_i",
    r"\dot W_i = \omega_i \times W_i",
)
def rate_of_W(m: Motion, i: int) -> Any:
    return m.Wd[i], rotation_rate(m.W[i], m.w[i])


@equation(
    "2.8, 2.10",
    "both ways to say how a link turns, each with an inertia of its own, give one energy of turning",
    "½ tr(Ẇ_i J_i Ẇ_iᵀ) = ½ ω_i·I_i·ω_i",
    r"\tfrac12 \operatorname{tr}(\dot W_i J_i \dot W_i^T) = \tfrac12\, \omega_i \cdot I_i \cdot \omega_i",
)
def two_rotational_energies(m: Motion, i: int) -> Any:
    return (
        rotational_energy_of_rate(m.Wd[i], second_moments(m.inertias[i].I)),
        rotational_energy(m.w[i], m.inertia[i]),
    )


@equation(
    "3.1",
    "the kinetic energy is that of the mass centres and that of turning about them",
    "K = Σ_i [½ m_i v_i² + ½ ω_i·I_i·ω_i]",
    r"K = \sum_i \left[ \tfrac12 m_i (v_i)^2 + \tfrac12\, \omega_i \cdot I_i \cdot \omega_i \right]",
    energy_here,
)
def energy(m: Motion) -> Sides:
    yield "all links", kinetic_energy(m.tree), m.K


@equation(
    "3.2",
    "the momentum of a joint, by the chain rule; the inertia does not depend on speeds, and is symmetric",
    "∂K/∂q̇_j = Σ_i [m_i v_i·∂v_i/∂q̇_j + ω_i·I_i·∂ω_i/∂q̇_j]",
    r"\frac{\partial K}{\partial \dot q_j} = \sum_i \left[ m_i v_i \cdot \frac{\partial v_i}{\partial \dot q_j}"
    r" + \omega_i \cdot I_i \cdot \frac{\partial \omega_i}{\partial \dot q_j} \right]",
)
def momentum(m: Motion, j: int) -> Any:
    p = m.partials[j]
    summed = total(
        m.inertias[i].m * m.v[i].dot(p.v_D_qd[i]) + m.w[i].dot(m.inertia[i] @ p.w_D_qd[i]) for i in m.carried[j]
    )
    return m.partials[j].K_D_qd, summed


@equation(
    "3.3",
    "its rate, by the rule for products",
    "d/dt ∂K/∂q̇_j = Σ_i [m_i v̇_i·∂v_i/∂q̇_j + m_i v_i·d/dt ∂v_i/∂q̇_j"
    " + ω̇_i·I_i·∂ω_i/∂q̇_j + ω_i·İ_i·∂ω_i/∂q̇_j + ω_i·I_i·d/dt ∂ω_i/∂q̇_j]",
    r"\frac{d}{dt} \frac{\partial K}{\partial \dot q_j} = \sum_i \left["
    r" m_i \dot v_i \cdot \frac{\partial v_i}{\partial \dot q_j}"
    r" + m_i v_i \cdot \frac{d}{dt} \frac{\partial v_i}{\partial \dot q_j}"
    r" + \dot\omega_i \cdot I_i \cdot \frac{\partial \omega_i}{\partial \dot q_j}"
    r" + \omega_i \cdot \dot I_i \cdot \frac{\partial \omega_i}{\partial \dot q_j}"
    r" + \omega_i \cdot I_i \cdot \frac{d}{dt} \frac{\partial \omega_i}{\partial \dot q_j} \right]",
)
def rate_of_momentum(m: Motion, j: int) -> Any:
    p, rate = m.partials[j], m.partial_rates[j]
    summed = total(
        m.inertias[i].m * (m.vd[i].dot(p.v_D_qd[i]) + m.v[i].dot(rate.v_D_qd[i]))
        + m.wd[i].dot(m.inertia[i] @ p.w_D_qd[i])
        + m.w[i].dot(m.inertia_rate[i] @ p.w_D_qd[i])
        + m.w[i].dot(m.inertia[i] @ rate.w_D_qd[i])
        for i in m.carried[j]
    )
    return m.partial_rates[j].K_D_qd, summed


@equation(
    "A.1",
    "a partial velocity is the derivative of a position",
    "∂v_i/∂q̇_j = ∂r_i/∂q_j",
    r"\frac{\partial v_i}{\partial \dot q_j} = \frac{\partial r_i}{\partial q_j}",
)
def partial_velocity_is_that_of_position(m: Motion, i: int, j: int) -> Any:
    return m.partials[j].v_D_qd[i], m.partials[j].r_D_q[i]


@equation(
    "3.4",
    "a partial velocity changes as the velocity depends on the coordinate",
    "d/dt ∂v_i/∂q̇_j = ∂v_i/∂q_j",
    r"\frac{d}{dt} \frac{\partial v_i}{\partial \dot q_j} = \frac{\partial v_i}{\partial q_j}",
)
def rate_of_partial_velocity(m: Motion, i: int, j: int) -> Any:
    return m.partial_rates[j].v_D_qd[i], m.partials[j].v_D_q[i]


def gyroscopic(m: Motion, i: int) -> Vector:
    """ω_i × (I_i·ω_i)."""
    return m.w[i].cross(m.inertia[i] @ m.w[i])


@equation(
    "A, for 3.5",
    "the rate of an inertia that turns with its link",
    "İ_i = ω_i × I_i - I_i × ω_i",
    r"\dot I_i = \omega_i \times I_i - I_i \times \omega_i",
)
def inertia_turns(m: Motion, i: int) -> Any:
    turning = skew(m.w[i])
    return m.inertia_rate[i], turning @ m.inertia[i] - m.inertia[i] @ turning


@equation(
    "3.5",
    "so the term with the rate of the inertia is a gyroscopic moment, projected",
    "ω_i·İ_i·∂ω_i/∂q̇_j = ω_i × (I_i·ω_i)·∂ω_i/∂q̇_j",
    r"\omega_i \cdot \dot I_i \cdot \frac{\partial \omega_i}{\partial \dot q_j}"
    r" = \omega_i \times (I_i \cdot \omega_i) \cdot \frac{\partial \omega_i}{\partial \dot q_j}",
)
def rate_of_inertia(m: Motion, i: int, j: int) -> Any:
    partial = m.partials[j].w_D_qd[i]
    return m.w[i].dot(m.inertia_rate[i] @ partial), gyroscopic(m, i).dot(partial)


@equation(
    "A.2",
    "a partial angular velocity is an axis, which turns with its link",
    "d/dt ∂ω_i/∂q̇_j = dẑ_j/dt = ω_j × ẑ_j",
    r"\frac{d}{dt} \frac{\partial \omega_i}{\partial \dot q_j} = \frac{d \hat z_j}{dt} = \omega_j \times \hat z_j",
)
def rate_of_axis(m: Motion) -> Sides:
    turning = {j for j, moved in enumerate(m.carried) if any(any(m.turn[k]) for k in moved)}
    for where, i, j in pairs(m):
        if j in turning:
            by_axes = sum((m.w[k].cross(m.turn[k]) for k in m.movers(i, j)), start=_ZERO)
            yield where, m.partial_rates[j].w_D_qd[i], by_axes


@equation(
    "A.3",
    "an axis turns about the axes before it",
    "∂ẑ_k/∂q_j = ẑ_j × ẑ_k",
    r"\frac{\partial \hat z_k}{\partial q_j} = \hat z_j \times \hat z_k",
)
def axis_by_coordinate(m: Motion, i: int, j: int) -> Any:
    about = sum((m.turn[k] for k in m.movers(i, j)), start=_ZERO)
    return m.partials[j].axis_D_q[i], about.cross(m.turn[i] + m.slide[i])


@equation(
    "3.6",
    "a partial angular velocity does so too, and turns besides",
    "d/dt ∂ω_i/∂q̇_j = ∂ω_i/∂q_j + ω_i × ∂ω_i/∂q̇_j",
    r"\frac{d}{dt} \frac{\partial \omega_i}{\partial \dot q_j} = \frac{\partial \omega_i}{\partial q_j}"
    r" + \omega_i \times \frac{\partial \omega_i}{\partial \dot q_j}",
)
def rate_of_partial_angular_velocity(m: Motion, i: int, j: int) -> Any:
    p = m.partials[j]
    return m.partial_rates[j].w_D_qd[i], p.w_D_q[i] + m.w[i].cross(p.w_D_qd[i])


@equation(
    "3.7",
    "a triple product turned round; it cancels what (3.5) brings",
    "ω_i·I_i·(ω_i × ∂ω_i/∂q̇_j) = -ω_i × (I_i·ω_i)·∂ω_i/∂q̇_j",
    r"\omega_i \cdot I_i \cdot \left( \omega_i \times \frac{\partial \omega_i}{\partial \dot q_j} \right)"
    r" = -\omega_i \times (I_i \cdot \omega_i) \cdot \frac{\partial \omega_i}{\partial \dot q_j}",
)
def triple_product(m: Motion, i: int, j: int) -> Any:
    partial = m.partials[j].w_D_qd[i]
    return m.w[i].dot(m.inertia[i] @ m.w[i].cross(partial)), -gyroscopic(m, i).dot(partial)


@equation(
    "3.8",
    "the rate of momentum, (3.4) to (3.7) put in",
    "d/dt ∂K/∂q̇_j = Σ_i [m_i v̇_i·∂v_i/∂q̇_j + m_i v_i·∂v_i/∂q_j + ω̇_i·I_i·∂ω_i/∂q̇_j + ω_i·I_i·∂ω_i/∂q_j]",
    r"\frac{d}{dt} \frac{\partial K}{\partial \dot q_j} = \sum_i \left["
    r" m_i \dot v_i \cdot \frac{\partial v_i}{\partial \dot q_j} + m_i v_i \cdot \frac{\partial v_i}{\partial q_j}"
    r" + \dot\omega_i \cdot I_i \cdot \frac{\partial \omega_i}{\partial \dot q_j}"
    r" + \omega_i \cdot I_i \cdot \frac{\partial \omega_i}{\partial q_j} \right]",
)
def rate_of_momentum_after_cancelling(m: Motion, j: int) -> Any:
    p = m.partials[j]
    summed = total(
        m.inertias[i].m * (m.vd[i].dot(p.v_D_qd[i]) + m.v[i].dot(p.v_D_q[i]))
        + m.wd[i].dot(m.inertia[i] @ p.w_D_qd[i])
        + m.w[i].dot(m.inertia[i] @ p.w_D_q[i])
        for i in m.carried[j]
    )
    return m.partial_rates[j].K_D_qd, summed


@equation(
    "3.9",
    "how the energy depends on a coordinate",
    "∂K/∂q_j = Σ_i [m_i v_i·∂v_i/∂q_j + ω_i·I_i·∂ω_i/∂q_j + ½ ω_i·∂I_i/∂q_j·ω_i]",
    r"\frac{\partial K}{\partial q_j} = \sum_i \left[ m_i v_i \cdot \frac{\partial v_i}{\partial q_j}"
    r" + \omega_i \cdot I_i \cdot \frac{\partial \omega_i}{\partial q_j}"
    r" + \tfrac12\, \omega_i \cdot \frac{\partial I_i}{\partial q_j} \cdot \omega_i \right]",
)
def energy_by_coordinate(m: Motion, j: int) -> Any:
    p = m.partials[j]
    summed = total(
        m.inertias[i].m * m.v[i].dot(p.v_D_q[i])
        + m.w[i].dot(m.inertia[i] @ p.w_D_q[i])
        + m.w[i].dot(p.inertia_D_q[i] @ m.w[i]) / 2
        for i in m.carried[j]
    )
    return m.partials[j].K_D_q, summed


@equation(
    "A, for 3.10",
    "what (A.1) says of positions holds for the inertia too",
    "∂I_i/∂q_j = ∂İ_i/∂q̇_j",
    r"\frac{\partial I_i}{\partial q_j} = \frac{\partial \dot I_i}{\partial \dot q_j}",
)
def inertia_as_position(m: Motion, i: int, j: int) -> Any:
    return m.partials[j].inertia_D_q[i], m.partials[j].inertia_rate_D_qd[i]


@equation(
    "3.10",
    "what the inertia's dependence on a coordinate comes to",
    "½ ω_i·∂I_i/∂q_j·ω_i = -ω_i × (I_i·ω_i)·∂ω_i/∂q̇_j",
    r"\tfrac12\, \omega_i \cdot \frac{\partial I_i}{\partial q_j} \cdot \omega_i"
    r" = -\omega_i \times (I_i \cdot \omega_i) \cdot \frac{\partial \omega_i}{\partial \dot q_j}",
)
def inertia_by_coordinate(m: Motion, i: int, j: int) -> Any:
    p = m.partials[j]
    return m.w[i].dot(p.inertia_D_q[i] @ m.w[i]) / 2, -gyroscopic(m, i).dot(p.w_D_qd[i])


def lagrange(m: Motion, j: int) -> Any:
    """d/dt ∂K/∂q̇_j - ∂K/∂q_j: (1.1) without a potential."""
    return m.partial_rates[j].K_D_qd - m.partials[j].K_D_q


@equation(
    "3.11",
    "Lagrange's equation, (3.8) to (3.10) put in",
    "τ_j = d/dt ∂K/∂q̇_j - ∂K/∂q_j = Σ_i (m_i v̇_i·∂v_i/∂q̇_j + [ω̇_i·I_i + ω_i × (I_i·ω_i)]·∂ω_i/∂q̇_j)",
    r"\tau_j = \frac{d}{dt} \frac{\partial K}{\partial \dot q_j} - \frac{\partial K}{\partial q_j} = \sum_i \left("
    r" m_i \dot v_i \cdot \frac{\partial v_i}{\partial \dot q_j} + \left[ \dot\omega_i \cdot I_i"
    r" + \omega_i \times (I_i \cdot \omega_i) \right] \cdot \frac{\partial \omega_i}{\partial \dot q_j} \right)",
    efforts_here,
)
def put_together(m: Motion, j: int) -> Any:
    p = m.partials[j]
    summed = total(
        m.inertias[i].m * m.vd[i].dot(p.v_D_qd[i]) + (m.inertia[i] @ m.wd[i] + gyroscopic(m, i)).dot(p.w_D_qd[i])
        for i in m.carried[j]
    )
    return lagrange(m, j), summed


#: p_{j,i} begins anywhere along the axis: this far from the joint's origin.
_ANYWHERE = symbol("anywhere along the axis")


@equation(
    "1.3",
    "Euler's equation: the moment on a link is the rate of its angular momentum",
    "N_i = d(I_i·ω_i)/dt = I_i·ω̇_i + ω_i × (I_i·ω_i)",
    r"N_i = \frac{d}{dt}(I_i \cdot \omega_i) = I_i \cdot \dot\omega_i + \omega_i \times (I_i \cdot \omega_i)",
)
def euler(m: Motion, i: int) -> Any:
    return m.momentum_rate[i], moment(m, i)


def force(m: Motion, i: int) -> Vector:
    """F_i = m_i v̇_i."""
    mass = m.inertias[i].m
    return Vector([mass * entry for entry in m.vd[i]])


def moment(m: Motion, i: int) -> Vector:
    """N_i, (1.3)."""
    result: Vector = gyroscopic(m, i) + m.inertia[i] @ m.wd[i]
    return result


@equation(
    "3.12",
    "so Lagrange's equation projects Newton's force and Euler's moment on partial velocities",
    "τ_j = Σ_i (F_i·∂v_i/∂q̇_j + N_i·∂ω_i/∂q̇_j),  F_i = m_i v̇_i",
    r"\tau_j = \sum_i \left( F_i \cdot \frac{\partial v_i}{\partial \dot q_j}"
    r" + N_i \cdot \frac{\partial \omega_i}{\partial \dot q_j} \right), \qquad F_i = m_i \dot v_i",
    projections_here,
)
def projected(m: Motion, j: int) -> Any:
    p = m.partials[j]
    return (
        lagrange(m, j),
        total(force(m, i).dot(p.v_D_qd[i]) + m.momentum_rate[i].dot(p.w_D_qd[i]) for i in m.carried[j]),
    )


@equation(
    "3.12, range",
    "a joint does not move the links before it, or beside it: the sum begins at its own link",
    "∂v_i/∂q̇_j = 0 and ∂ω_i/∂q̇_j = 0 where joint j does not carry link i",
    r"\frac{\partial v_i}{\partial \dot q_j} = \frac{\partial \omega_i}{\partial \dot q_j} = 0"
    r" \quad \text{where joint } j \text{ does not carry link } i",
)
def from_the_joint_on(m: Motion) -> Sides:
    for j, moved in enumerate(m.carried):
        others = [i for i in m.links if i not in moved]
        motions = along([vector for i in others for vector in (m.v[i], m.w[i])], {m.tree.u[j]: 1})
        for i, v, w in zip(others, motions[::2], motions[1::2], strict=True):
            yield f"{link_name(m, i)}, joint '{m.tree.u[j].name}'", Vector([*v, *w]), Vector([*_ZERO, *_ZERO])


def lever(m: Motion, k: int, i: int) -> Vector:
    """p_{k,i}: from anywhere along the axis of joint k to the mass centre of link i."""
    return m.r[i] - (m.poses[k].p + m.turn[k] * _ANYWHERE)


def joint_motion(m: Motion, k: int) -> tuple[Vector, Vector]:
    """q̇_k ẑ_k of a turn and of a slide; as given where the joint is driven."""
    turn, slide = m.tree.links[k].relative_velocity(m.tree.u)
    return m.W[k] @ turn, m.W[k] @ slide


@equation(
    "3.13",
    "velocities add up over the joints, wherever along its axis a joint is taken",
    "v_i = Σ_{j≤i} (q̇_j ẑ_j) × p_{j,i} of joints that turn, + q̇_j ẑ_j of those that slide",
    r"v_i = \sum_{j \le i} \begin{cases} (\dot q_j \hat z_j) \times p_{j,i} & \text{rotational} \\"
    r" \dot q_j \hat z_j & \text{translational} \end{cases}",
)
def velocities_add_up(m: Motion, i: int) -> Any:
    summed = _ZERO
    for k in m.paths[i]:
        turn, slide = joint_motion(m, k)
        summed = summed + turn.cross(lever(m, k, i)) + slide
    return m.v[i], summed


@equation(
    "3.14",
    "angular velocities do so too",
    "ω_i = Σ_{j≤i} q̇_j ẑ_j of joints that turn",
    r"\omega_i = \sum_{j \le i} \begin{cases} \dot q_j \hat z_j & \text{rotational} \\"
    r" 0 & \text{translational} \end{cases}",
    angular_velocities_here,
)
def angular_velocities_add_up(m: Motion, i: int) -> Any:
    return m.w[i], sum((joint_motion(m, k)[0] for k in m.paths[i]), start=_ZERO)


@equation(
    "3.15",
    "so a partial velocity is a lever's",
    "∂v_i/∂q̇_j = ẑ_j × p_{j,i} of a joint that turns, ẑ_j of one that slides",
    r"\frac{\partial v_i}{\partial \dot q_j} = \begin{cases} \hat z_j \times p_{j,i} & \text{rotational} \\"
    r" \hat z_j & \text{translational} \end{cases}",
)
def partial_velocities(m: Motion, i: int, j: int) -> Any:
    by_axes = sum((m.turn[k].cross(lever(m, k, i)) + m.slide[k] for k in m.movers(i, j)), start=_ZERO)
    return m.partials[j].v_D_qd[i], by_axes


@equation(
    "3.16",
    "and a partial angular velocity an axis",
    "∂ω_i/∂q̇_j = ẑ_j of a joint that turns, 0 of one that slides",
    r"\frac{\partial \omega_i}{\partial \dot q_j} = \begin{cases} \hat z_j & \text{rotational} \\"
    r" 0 & \text{translational} \end{cases}",
)
def partial_angular_velocities(m: Motion, i: int, j: int) -> Any:
    return m.partials[j].w_D_qd[i], sum((m.turn[k] for k in m.movers(i, j)), start=_ZERO)


@equation(
    "§3.2, terms",
    "what a link adds to a joint's effort is the same on both sides: Lagrange's projection, and a balance",
    "F_i·∂v_i/∂q̇_j + N_i·∂ω_i/∂q̇_j = ẑ_j·(p_{j,i} × F_i + N_i) of a turn, ẑ_j·F_i of a slide",
    r"F_i \cdot \frac{\partial v_i}{\partial \dot q_j} + N_i \cdot \frac{\partial \omega_i}{\partial \dot q_j}"
    r" = \begin{cases} \hat z_j \cdot (p_{j,i} \times F_i + N_i) & \text{rotational} \\"
    r" \hat z_j \cdot F_i & \text{translational} \end{cases}",
)
def term_by_term(m: Motion, i: int, j: int) -> Any:
    p, F, N = m.partials[j], force(m, i), moment(m, i)
    balance: Any = 0
    for k in m.movers(i, j):
        balance = balance + m.turn[k].dot(lever(m, k, i).cross(F) + N) + m.slide[k].dot(F)
    return F.dot(p.v_D_qd[i]) + m.momentum_rate[i].dot(p.w_D_qd[i]), balance


@equation(
    "§3.2, sums",
    "added up before they are projected, they are the force and the moment that the joint hands on",
    "τ_j = ẑ_j·Σ_{i≥j} (p_{j,i} × F_i + N_i) of a turn, ẑ_j·Σ_{i≥j} F_i of a slide",
    r"\tau_j = \begin{cases} \hat z_j \cdot \sum_{i \ge j} (p_{j,i} \times F_i + N_i) & \text{rotational} \\"
    r" \hat z_j \cdot \sum_{i \ge j} F_i & \text{translational} \end{cases}",
    balances_here,
)
def balances(m: Motion) -> Sides:
    """The joint's force and torque: what all links beyond it take, added up first and then projected."""
    for where, j in joints(m):
        effort: Any = 0
        for k in (k for k in m.links if m.speed(k) == j):
            beyond = [i for i in m.links if k in m.paths[i]]
            F = sum((force(m, i) for i in beyond), start=_ZERO)
            N = sum((lever(m, k, i).cross(force(m, i)) + moment(m, i) for i in beyond), start=_ZERO)
            effort = effort + m.turn[k].dot(N) + m.slide[k].dot(F)
        yield where, lagrange(m, j), effort


@equation(
    "§3.2, Luh",
    "the sums taken from the tip to the base, in link components, are the recursion of Luh, Walker and Paul",
    "τ_j of Lagrange = τ_j of Newton and Euler",
    r"\tau_j^{\text{Lagrange}} = \tau_j^{\text{Newton, Euler}}",
)
def recursion(m: Motion) -> Sides:
    free = [Wrench.zero()] * len(m.links)
    by_silver = silver.inverse_dynamics(m.tree, m.inertias, m.tree.u, m.ud, free, _ZERO)
    by_luh = newton_euler.inverse_dynamics(m.tree, m.tree.u, m.ud, free, _ZERO)
    for where, j in joints(m):
        yield where, lagrange(m, j), by_silver[j]
        yield f"{where}, by second moments", lagrange(m, j), by_luh[j]


@equation(
    "§3.2, gravity",
    "a potential energy in Lagrange's equation is a base accelerated by -g in the recursion",
    "d/dt ∂K/∂q̇_j - ∂K/∂q_j + ∂P/∂q_j = τ_j with v̇_0 = -g,  P = -Σ_i m_i g·r_i",
    r"\frac{d}{dt} \frac{\partial K}{\partial \dot q_j} - \frac{\partial K}{\partial q_j}"
    r" + \frac{\partial P}{\partial q_j} = \tau_j \big|_{\dot v_0 = -g}, \qquad P = -\sum_i m_i\, g \cdot r_i",
)
def weight(m: Motion, base: Vector | None = None) -> Sides:
    """Gravity as potential energy, and as an acceleration of the base, -g if none is given.

    The paper prints an acceleration "equal to that due to gravity": with `base=m.tree.gravity` the step fails.
    """
    gravity, free = Vector(m.tree.gravity), [Wrench.zero()] * len(m.links)
    lifted = silver.inverse_dynamics(m.tree, m.inertias, m.tree.u, m.ud, free, gravity if base is None else -base)
    for where, j in joints(m):
        slope = -total(m.inertias[i].m * gravity.dot(m.partials[j].r_D_q[i]) for i in m.carried[j])
        yield where, lagrange(m, j) + slope, lifted[j]


@equation(
    "§3.2, statics",
    "a force and a moment that act on the last links from outside, by their power and in the recursion",
    "τ_j of Lagrange - (f·∂v_n/∂q̇_j + n·∂ω_n/∂q̇_j) = τ_j of the recursion with f and n on link n",
    r"\tau_j - \left( f \cdot \frac{\partial v_n}{\partial \dot q_j}"
    r" + n \cdot \frac{\partial \omega_n}{\partial \dot q_j} \right) = \tau_j \big|_{f,\, n \text{ on link } n}",
)
def statics(m: Motion) -> Sides:
    """An external force and moment on every last link: work on the one side, handed from link to link on the other."""
    tips = [i for i in m.links if not m.tree.children[i]]
    forces = {i: tuple(Vector(symbols(" ".join(f"{letter}{i}{k}" for k in "xyz"))) for letter in "fn") for i in tips}
    wrenches = [Wrench.zero()] * len(m.links)
    for i, (f, n) in forces.items():
        wrenches[i] = Wrench(n, f).about(m.r[i] - m.poses[i].p).turned(m.W[i].T)
    held = silver.inverse_dynamics(m.tree, m.inertias, m.tree.u, m.ud, wrenches, _ZERO)
    for where, j in joints(m):
        p, tips_moved = m.partials[j], [i for i in tips if i in m.carried[j]]
        yield (
            where,
            lagrange(m, j) - total(forces[i][0].dot(p.v_D_qd[i]) + forces[i][1].dot(p.w_D_qd[i]) for i in tips_moved),
            held[j],
        )


# ---- the proof ------------------------------------------------------------------------------------------------


def equivalence(system: System | Model) -> Proof:
    """That Lagrange's equations and those of Newton and Euler are one computation on a `system`, step by step.

    Silver's equations (3.1) to (3.16), each with its terms as the paper writes them, and his Appendix A. Any tree of
    joints with one degree of freedom each, branched or not, compounds of them, joints that follow others and driven
    ones; every mass, length and gravity may be a symbol.

    >>> import polhode as ph
    >>> s = ph.System("pendulum")
    >>> m, l = s.parameter("m"), s.parameter("l")
    >>> _ = s.joint("theta", s.ground, s.body("bob", m, (0, 0, -l)), ph.Revolute("y"))
    >>> proof = equivalence(s)
    >>> proof.holds, len(proof.steps)
    (True, 30)
    >>> print(proof["3.1"].here[0])
    K = \\frac{1}{2} m l^{2} \\dot{\\theta}^{2}
    """
    check_kind(System | Model, "a system", system, "equivalence", "Give a System, or its model().")
    model = system.model() if isinstance(system, System) else system
    with quiet_collector():
        tree = _open_tree(model)
        return prove(model.name, Motion(tree, model.time), _notes(model))


def prove(name: str, motion: Motion, notes: tuple[str, ...] = ()) -> Proof:
    """All steps on a motion."""
    tree, steps = motion.tree, tuple(step(motion) for step in _STEPS)
    return Proof(name, tuple(link.name for link in tree.links), tuple(tree.speeds), steps, notes)


def _open_tree(model: Model) -> Tree:
    """The tree, if it is one that Silver's argument is for."""
    if model.constraints:
        message = "Silver's proof is for open chains and trees, and this mechanism has constraints."
        cure = "Leave them out, or see `compare`, which judges constrained mechanisms too."
        raise PolhodeError(message, f"constraint '{next(iter(model.constraints))}'", cure, "E-PAPER-UNSUPPORTED")
    tree = build_tree(model)
    only_single_joints(tree, "Silver's proof")
    if not tree.u:
        message = "no joint is free to move, so there is nothing to prove."
        cure = "Add a joint, or leave one free that is driven."
        raise PolhodeError(message, f"system '{model.name}'", cure, "E-PAPER-MISSING")
    return tree


def _notes(model: Model) -> tuple[str, ...]:
    """Sentences on what the proof leaves out."""
    if not model.loads:
        return ()
    return ("Loads other than gravity are added to both sides alike, and are left out.",)
