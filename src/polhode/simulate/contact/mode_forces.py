"""Forces of contacts in given modes, by NumPy, and how they vary.

In rows without motion G λ + b = 0; along a slip the tangent forces are in a given ratio to the normal force, or given
where there is none. Where λ is not unique it is that of the run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...ode.unilateral.record import LAWS
from ...ode.unilateral.transitions import Change
from ...ode.unilateral.twists import combined
from ..initial_state import Floats

if TYPE_CHECKING:
    from ...dynamics.synopsis import Synopsis

#: Element, part, gap rows and tangent rows of each group.
Groups: TypeAlias = Sequence[tuple[str, str, int, int]]

#: Singular values of G below this part of the largest are none.
RANK = 1e-10


def all_rows(found: Mapping[str, Floats], known: Synopsis) -> dict[str, Floats]:
    """What contact motion puts out, state by state, with rows, responses, velocities and drifts of all rows."""
    return combined(found, [(gap, tangents) for _, _, gap, tangents in known.contacts], known.contact_layout)


def rows_of(groups: Groups) -> list[slice]:
    """The rows of each group."""
    ends = np.cumsum([0, *(gap + tangents for _, _, gap, tangents in groups)]).tolist()
    return [slice(*each) for each in pairwise(ends)]


def normal_rows(groups: Groups) -> NDArray[np.int64]:
    """For each row the normal row of its group, -1 where there is none."""
    own = [r.start if gap else -1 for r, (_, _, gap, _) in zip(rows_of(groups), groups, strict=True)]
    return np.repeat(np.array(own, dtype=np.int64), [gap + tangents for _, _, gap, tangents in groups])


def held_rows(groups: Groups, modes: Any) -> list[int]:
    """Rows without motion: all of what sticks, the normal rows of what slips."""
    made: list[int] = []
    for rows, (_, _, gap, tangents), mode in zip(rows_of(groups), groups, modes, strict=True):
        made += range(rows.start, rows.start + (0, gap + tangents, gap)[mode])
    return made


def slip_friction(groups: Groups, change: Change, velocities: Floats, laws: Floats) -> tuple[Floats, Floats, Floats]:
    """Tangent forces of slipping groups for a unit of normal force, or as they are where there is no gap.

    And their derivatives by the velocities of all rows, and by the four laws of each row's group.
    """
    size = len(velocities)
    across, by_velocity, by_laws = np.zeros(size), np.zeros((size, size)), np.zeros((size, LAWS))
    for k, own in enumerate(rows_of(groups)):
        tangents = groups[k][3]
        if change.modes[k] != 2 or not tangents:
            continue
        rows = slice(own.stop - tangents, own.stop)
        kinetic, static, stribeck, _ = laws[k]
        slip = velocities[rows]
        speed = float(np.linalg.norm(slip))
        is_held = bool(change.held[k]) or speed == 0.0
        along = change.directions[k, :tangents] if is_held else slip / speed
        friction, slope, by = kinetic, 0.0, np.array([1.0, 0.0, 0.0, 0.0])
        if stribeck > 0.0:
            part = speed / stribeck
            near = float(np.exp(-(part**2)))
            friction, slope = kinetic + (static - kinetic) * near, -2.0 * part / stribeck * (static - kinetic) * near
            by = np.array([1.0 - near, near, -slope * part, 0.0])
        across[rows] = -friction * along
        by_velocity[rows, rows] = -slope * np.outer(along, slip / speed if speed else along)
        if not is_held:
            by_velocity[rows, rows] -= friction / speed * (np.eye(tangents) - np.outer(along, along))
        by_laws[rows] = -np.outer(along, by)
    return across, by_velocity, by_laws


def forces_in_modes(
    groups: Groups, modes: Any, G: Floats, free: Floats, across: Floats, given: Floats, turning: Floats | None = None
) -> Floats:
    """λ with G λ + free = 0 in rows without motion, and λ_T = across λ_N + given + turning G λ of what slips.

    `free` and `given` are vectors, or a column for each of several.
    """
    active, C = _unknowns(groups, modes, across)
    if turning is not None:
        solved: Floats = np.asarray(
            np.linalg.solve(np.eye(len(G)) - turning @ G, np.hstack([C, given])), dtype=np.float64
        )
        C, given = solved[:, : len(active)], solved[:, len(active) :]
    return np.asarray(given - C @ (_group_inverse(G[active] @ C) @ (free + G @ given)[active]))


def are_decisive(groups: Groups, modes: Any, G: Floats, across: Floats) -> bool:
    """Whether λ is not unique and what slips moves otherwise by another."""
    active, C = _unknowns(groups, modes, across)
    A = G[active] @ C
    left = G @ C @ (np.eye(len(A)) - _group_inverse(A) @ A)
    return bool(np.abs(left).max(initial=0.0) > 1e-9 * np.abs(G).max(initial=0.0))


def _unknowns(groups: Groups, modes: Any, across: Floats) -> tuple[list[int], Floats]:
    """Rows without motion, and the forces in all rows by a unit of force in each."""
    active = held_rows(groups, modes)
    C = np.eye(len(across))[:, active]
    for i, normal in enumerate(normal_rows(groups)):
        if i not in active and normal in active:
            C[i, active.index(normal)] = across[i]
    return active, C


def _group_inverse(A: Floats) -> Floats:
    """A# with A# b in the range of A, to which (A + ε)⁻¹ b of runs tends; of a symmetric A the pseudoinverse.

    With A = P Q of full rank it is P (Q P)⁻² Q.
    """
    u, singular, vt = np.linalg.svd(A)
    rank = int((singular > RANK * singular.max(initial=0.0)).sum())
    P, Q = u[:, :rank] * singular[:rank], vt[:rank]
    return np.asarray(P @ np.linalg.lstsq(Q @ P @ Q @ P, Q, rcond=None)[0])
