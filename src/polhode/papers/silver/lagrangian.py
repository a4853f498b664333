"""The Lagrangian side: from the kinetic energy to forces and moments projected on partial velocities.

W. M. Silver, A.I. Memo 622 (1981), sections 2.3, 2.4 and 3.1 and Appendix A: (2.5), (2.8), (3.1) to (3.11), (A.1) to
(A.3). Each function is one equation, its terms as the paper writes them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ...expr import Vector, skew
from ...geometry import rotation_rate, rotational_energy, rotational_energy_of_rate, second_moments
from ...kinematics.motion import kinetic_energy
from .motion import Motion, efforts_here, energy_here
from .proof import Case, Step

Sides = Iterator[tuple[str, Any, Any]]
_ZERO = Vector([0, 0, 0])


def lagrangian_steps(motion: Motion) -> list[Step]:
    """From (2.5) to (3.11)."""
    return [each(motion) for each in _EQUATIONS]


def link_name(motion: Motion, i: int) -> str:
    return f"link '{motion.tree.links[i].name}'"


def speed_name(motion: Motion, j: int) -> str:
    return f"'{motion.tree.u[j].name}'"


def pairs(motion: Motion) -> Iterator[tuple[str, int, int]]:
    """Every joint with every link that it carries."""
    for j, moved in enumerate(motion.carried):
        for i in moved:
            yield f"{link_name(motion, i)}, joint {speed_name(motion, j)}", i, j


def total(terms: Iterator[Any]) -> Any:
    """A sum over links."""
    return sum(terms, start=0)


def joints(motion: Motion) -> Iterator[tuple[str, int]]:
    """Every joint by its speed."""
    for j in range(len(motion.tree.u)):
        yield f"joint {speed_name(motion, j)}", j


def equation(
    number: str, statement: str, text: str, formula: str, here: Callable[[Motion], list[str]] | None = None
) -> Callable[[Callable[..., Sides]], Callable[..., Step]]:
    """A step of what a function yields of a motion: where, the left side and the right side of an equation."""

    def decorated(sides: Callable[..., Sides]) -> Callable[..., Step]:
        return lambda m, *given, **options: Step(
            number, statement, text, formula, tuple(Case.of(*side) for side in sides(m, *given, **options)),
            () if here is None else tuple(here(m)),
        )  # fmt: skip

    return decorated


@equation(
    "2.5",
    "the rate of a rotation matrix is the angular velocity times it",
    "Ẇ_i = ω_i × W_i",
    r"\dot W_i = \omega_i \times W_i",
)
def rate_of_W(m: Motion) -> Sides:
    for i in m.links:
        yield link_name(m, i), m.Wd[i], rotation_rate(m.W[i], m.w[i])


@equation(
    "2.8, 2.10",
    "both ways to say how a link turns, each with an inertia of its own, give one energy of turning",
    "½ tr(Ẇ_i J_i Ẇ_iᵀ) = ½ ω_i·I_i·ω_i",
    r"\tfrac12 \operatorname{tr}(\dot W_i J_i \dot W_i^T) = \tfrac12\, \omega_i \cdot I_i \cdot \omega_i",
)
def two_rotational_energies(m: Motion) -> Sides:
    for i in m.links:
        yield (
            link_name(m, i),
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
def momentum(m: Motion) -> Sides:
    for where, j in joints(m):
        p = m.partials[j]
        summed = total(
            m.inertias[i].m * m.v[i].dot(p.v_D_qd[i]) + m.w[i].dot(m.inertia[i] @ p.w_D_qd[i]) for i in m.carried[j]
        )
        yield where, m.partials[j].K_D_qd, summed


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
def rate_of_momentum(m: Motion) -> Sides:
    for where, j in joints(m):
        p, rate = m.partials[j], m.partial_rates[j]
        summed = total(
            m.inertias[i].m * (m.vd[i].dot(p.v_D_qd[i]) + m.v[i].dot(rate.v_D_qd[i]))
            + m.wd[i].dot(m.inertia[i] @ p.w_D_qd[i])
            + m.w[i].dot(m.inertia_rate[i] @ p.w_D_qd[i])
            + m.w[i].dot(m.inertia[i] @ rate.w_D_qd[i])
            for i in m.carried[j]
        )
        yield where, m.partial_rates[j].K_D_qd, summed


@equation(
    "A.1",
    "a partial velocity is the derivative of a position",
    "∂v_i/∂q̇_j = ∂r_i/∂q_j",
    r"\frac{\partial v_i}{\partial \dot q_j} = \frac{\partial r_i}{\partial q_j}",
)
def partial_velocity_is_that_of_position(m: Motion) -> Sides:
    for where, i, j in pairs(m):
        yield where, m.partials[j].v_D_qd[i], m.partials[j].r_D_q[i]


@equation(
    "3.4",
    "a partial velocity changes as the velocity depends on the coordinate",
    "d/dt ∂v_i/∂q̇_j = ∂v_i/∂q_j",
    r"\frac{d}{dt} \frac{\partial v_i}{\partial \dot q_j} = \frac{\partial v_i}{\partial q_j}",
)
def rate_of_partial_velocity(m: Motion) -> Sides:
    for where, i, j in pairs(m):
        yield where, m.partial_rates[j].v_D_qd[i], m.partials[j].v_D_q[i]


@equation(
    "3.5",
    "so the term with the rate of the inertia is a gyroscopic moment, projected",
    "ω_i·İ_i·∂ω_i/∂q̇_j = ω_i × (I_i·ω_i)·∂ω_i/∂q̇_j",
    r"\omega_i \cdot \dot I_i \cdot \frac{\partial \omega_i}{\partial \dot q_j}"
    r" = \omega_i \times (I_i \cdot \omega_i) \cdot \frac{\partial \omega_i}{\partial \dot q_j}",
)
def rate_of_inertia(m: Motion) -> Sides:
    for where, i, j in pairs(m):
        partial = m.partials[j].w_D_qd[i]
        yield where, m.w[i].dot(m.inertia_rate[i] @ partial), gyroscopic(m, i).dot(partial)


@equation(
    "A, for 3.5",
    "the rate of an inertia that turns with its link",
    "İ_i = ω_i × I_i - I_i × ω_i",
    r"\dot I_i = \omega_i \times I_i - I_i \times \omega_i",
)
def inertia_turns(m: Motion) -> Sides:
    for i in m.links:
        turning = skew(m.w[i])
        yield link_name(m, i), m.inertia_rate[i], turning @ m.inertia[i] - m.inertia[i] @ turning


def gyroscopic(m: Motion, i: int) -> Vector:
    """ω_i × (I_i·ω_i)."""
    return m.w[i].cross(m.inertia[i] @ m.w[i])


@equation(
    "A.2",
    "a partial angular velocity is an axis, which turns with its link",
    "d/dt ∂ω_i/∂q̇_j = dẑ_j/dt = ω_j × ẑ_j",
    r"\frac{d}{dt} \frac{\partial \omega_i}{\partial \dot q_j} = \frac{d \hat z_j}{dt} = \omega_j \times \hat z_j",
)
def rate_of_axis(m: Motion) -> Sides:
    turning = [j for j in range(len(m.tree.u)) if any(any(m.turn[k]) for k in m.carried[j])]
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
def axis_by_coordinate(m: Motion) -> Sides:
    for where, k, j in pairs(m):
        axis = m.turn[k] + m.slide[k]
        about = sum((m.turn[l] for l in m.movers(k, j)), start=_ZERO)
        yield where, m.partials[j].axis_D_q[k], about.cross(axis)


@equation(
    "3.6",
    "a partial angular velocity does so too, and turns besides",
    "d/dt ∂ω_i/∂q̇_j = ∂ω_i/∂q_j + ω_i × ∂ω_i/∂q̇_j",
    r"\frac{d}{dt} \frac{\partial \omega_i}{\partial \dot q_j} = \frac{\partial \omega_i}{\partial q_j}"
    r" + \omega_i \times \frac{\partial \omega_i}{\partial \dot q_j}",
)
def rate_of_partial_angular_velocity(m: Motion) -> Sides:
    for where, i, j in pairs(m):
        p = m.partials[j]
        yield where, m.partial_rates[j].w_D_qd[i], p.w_D_q[i] + m.w[i].cross(p.w_D_qd[i])


@equation(
    "3.7",
    "a triple product turned round; it cancels what (3.5) brings",
    "ω_i·I_i·(ω_i × ∂ω_i/∂q̇_j) = -ω_i × (I_i·ω_i)·∂ω_i/∂q̇_j",
    r"\omega_i \cdot I_i \cdot \left( \omega_i \times \frac{\partial \omega_i}{\partial \dot q_j} \right)"
    r" = -\omega_i \times (I_i \cdot \omega_i) \cdot \frac{\partial \omega_i}{\partial \dot q_j}",
)
def triple_product(m: Motion) -> Sides:
    for where, i, j in pairs(m):
        partial = m.partials[j].w_D_qd[i]
        yield where, m.w[i].dot(m.inertia[i] @ m.w[i].cross(partial)), -gyroscopic(m, i).dot(partial)


@equation(
    "3.8",
    "the rate of momentum, (3.4) to (3.7) put in",
    "d/dt ∂K/∂q̇_j = Σ_i [m_i v̇_i·∂v_i/∂q̇_j + m_i v_i·∂v_i/∂q_j + ω̇_i·I_i·∂ω_i/∂q̇_j + ω_i·I_i·∂ω_i/∂q_j]",
    r"\frac{d}{dt} \frac{\partial K}{\partial \dot q_j} = \sum_i \left["
    r" m_i \dot v_i \cdot \frac{\partial v_i}{\partial \dot q_j} + m_i v_i \cdot \frac{\partial v_i}{\partial q_j}"
    r" + \dot\omega_i \cdot I_i \cdot \frac{\partial \omega_i}{\partial \dot q_j}"
    r" + \omega_i \cdot I_i \cdot \frac{\partial \omega_i}{\partial q_j} \right]",
)
def rate_of_momentum_after_cancelling(m: Motion) -> Sides:
    for where, j in joints(m):
        p = m.partials[j]
        summed = total(
            m.inertias[i].m * (m.vd[i].dot(p.v_D_qd[i]) + m.v[i].dot(p.v_D_q[i]))
            + m.wd[i].dot(m.inertia[i] @ p.w_D_qd[i])
            + m.w[i].dot(m.inertia[i] @ p.w_D_q[i])
            for i in m.carried[j]
        )
        yield where, m.partial_rates[j].K_D_qd, summed


@equation(
    "3.9",
    "how the energy depends on a coordinate",
    "∂K/∂q_j = Σ_i [m_i v_i·∂v_i/∂q_j + ω_i·I_i·∂ω_i/∂q_j + ½ ω_i·∂I_i/∂q_j·ω_i]",
    r"\frac{\partial K}{\partial q_j} = \sum_i \left[ m_i v_i \cdot \frac{\partial v_i}{\partial q_j}"
    r" + \omega_i \cdot I_i \cdot \frac{\partial \omega_i}{\partial q_j}"
    r" + \tfrac12\, \omega_i \cdot \frac{\partial I_i}{\partial q_j} \cdot \omega_i \right]",
)
def energy_by_coordinate(m: Motion) -> Sides:
    for where, j in joints(m):
        p = m.partials[j]
        summed = total(
            m.inertias[i].m * m.v[i].dot(p.v_D_q[i])
            + m.w[i].dot(m.inertia[i] @ p.w_D_q[i])
            + m.w[i].dot(p.inertia_D_q[i] @ m.w[i]) / 2
            for i in m.carried[j]
        )
        yield where, m.partials[j].K_D_q, summed


@equation(
    "A, for 3.10",
    "what (A.1) says of positions holds for the inertia too",
    "∂I_i/∂q_j = ∂İ_i/∂q̇_j",
    r"\frac{\partial I_i}{\partial q_j} = \frac{\partial \dot I_i}{\partial \dot q_j}",
)
def inertia_as_position(m: Motion) -> Sides:
    for where, i, j in pairs(m):
        yield where, m.partials[j].inertia_D_q[i], m.partials[j].inertia_rate_D_qd[i]


@equation(
    "3.10",
    "what the inertia's dependence on a coordinate comes to",
    "½ ω_i·∂I_i/∂q_j·ω_i = -ω_i × (I_i·ω_i)·∂ω_i/∂q̇_j",
    r"\tfrac12\, \omega_i \cdot \frac{\partial I_i}{\partial q_j} \cdot \omega_i"
    r" = -\omega_i \times (I_i \cdot \omega_i) \cdot \frac{\partial \omega_i}{\partial \dot q_j}",
)
def inertia_by_coordinate(m: Motion) -> Sides:
    for where, i, j in pairs(m):
        p = m.partials[j]
        yield where, m.w[i].dot(p.inertia_D_q[i] @ m.w[i]) / 2, -gyroscopic(m, i).dot(p.w_D_qd[i])


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
def put_together(m: Motion) -> Sides:
    for where, j in joints(m):
        p = m.partials[j]
        summed = total(
            m.inertias[i].m * m.vd[i].dot(p.v_D_qd[i]) + (m.inertia[i] @ m.wd[i] + gyroscopic(m, i)).dot(p.w_D_qd[i])
            for i in m.carried[j]
        )
        yield where, lagrange(m, j), summed


_EQUATIONS = (
    rate_of_W, two_rotational_energies, energy, momentum, rate_of_momentum, partial_velocity_is_that_of_position,
    rate_of_partial_velocity, inertia_turns, rate_of_inertia, rate_of_axis, axis_by_coordinate,
    rate_of_partial_angular_velocity, triple_product, rate_of_momentum_after_cancelling, energy_by_coordinate,
    inertia_as_position, inertia_by_coordinate, put_together,
)  # fmt: skip
