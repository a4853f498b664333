"""One contact problem by several formalisms: accelerations at states where things touch, in numbers.

At random states some gaps are closed, u̇ = M⁻¹ (τ - b + Aᵀ λ), of which M and b are those of each formalism. Closed
groups stick, A u̇ + γ = 0, or slip, with λ_T = -μ λ_N v/|v|. Forces are not compared: they may not be unique.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..compiled.functions import Functions
from ..errors import listed
from ..native.arrays import scale_quaternions
from ..ode.unilateral.record import LAWS
from ..simulate.contact.mode_forces import forces_in_modes, rows_of

Floats = NDArray[np.float64]
#: States at which groups are closed, attempts to find them, and Newton's steps of each.
_STATES, _ATTEMPTS, _STEPS = 6, 40, 30
#: Gaps that are closed, and the part of the largest acceleration by which formalisms may differ.
_CLOSED, _TOLERANCE = 1e-12, 1e-6


@dataclass(frozen=True)
class ContactAgreement:
    """The largest relative difference of accelerations with contact forces, at how many states, and by whom."""

    states: int
    formalisms: tuple[str, ...]
    largest: float

    def __bool__(self) -> bool:
        return self.largest <= _TOLERANCE

    def __str__(self) -> str:
        if not self.states:
            why = "no state was found at which something touches"
            if len(self.formalisms) < 2:
                why = "it takes two derivations without constraints in the same speeds"
            return f"accelerations with contact forces are not compared: {why}"
        at = f"at {self.states} states at which something touches or sticks"
        if not self:
            return f"accelerations with contact forces DIFFER by {self.largest:.1e} ({listed(self.formalisms)}) {at}"
        by = f"{len(self.formalisms)} formalisms"
        return f"accelerations with contact forces by {by} agree to {max(self.largest, 1e-16):.0e} {at}"


def contact_agreement(derived: Mapping[str, Functions]) -> ContactAgreement:
    """Compare the accelerations of formalisms in the same speeds at states where something touches."""
    if len(derived) < 2:
        return ContactAgreement(0, tuple(derived), 0.0)
    first, *others = derived.values()
    states = _closed_states(_Rows(first))
    reached = [(x, modes, _Rows(first).accelerations(x, modes)) for x, modes in states]
    differences = [0.0]
    for functions in others:
        rows = _Rows(functions)
        for x, modes, expected in reached:
            scale = max(1e-9, float(np.abs(expected).max(initial=0.0)))
            difference = np.abs(rows.accelerations(x, modes) - expected).max(initial=0.0) / scale
            differences.append(float(difference) if np.isfinite(difference) else np.inf)
    return ContactAgreement(len(reached), tuple(derived), max(differences))


class _Rows:
    """The contact problem of one formalism at a state."""

    def __init__(self, functions: Functions) -> None:
        known = functions.derivation.synopsis
        self.functions, self.groups, self.quaternions = functions, known.contacts, known.quaternion_groups
        self.q, self.u, self.z = len(known.coordinates), len(known.speeds), len(known.states)
        self.slices = rows_of(self.groups)
        self.native = functions.native("contact_rates")

    def at(self, x: Floats) -> dict[str, Floats]:
        """What the problem is made of, at x = (q, u, z)."""
        given = {"x": x, "tau": np.zeros(self.u), "inputs": self.functions.input_values(), "t": np.zeros(1)}
        arrays = [np.atleast_2d(given[name]) for name in self.native.arrays]
        made = dict(zip(self.native.outputs, self.native(*arrays), strict=True))
        found = {name: np.asarray(value[0]) for name, value in made.items()}
        for name in ("rows", "responses"):
            found[name] = found[name].reshape(self.slices[-1].stop, self.u)
        found["laws"] = found["laws"].reshape(len(self.groups), LAWS)
        return found

    def accelerations(self, x: Floats, modes: Any) -> Floats:
        """u̇ with the forces of groups that stick or slip."""
        found = self.at(x)
        rates = found["xdot"][self.q : self.q + self.u]
        A, across, given = found["rows"], np.zeros(self.slices[-1].stop), np.zeros(self.slices[-1].stop)
        for rows, (_, _, gap, tangents), mode, laws in zip(self.slices, self.groups, modes, found["laws"], strict=True):
            own = slice(rows.stop - tangents, rows.stop)
            speed = float(np.linalg.norm(found["velocities"][own]))
            if mode == 2 and speed > 0.0:
                (across if gap else given)[own] = -laws[0] * found["velocities"][own] / speed
        G, free = A @ found["responses"].T, A @ rates + found["drift"]
        force = forces_in_modes(self.groups, modes, G, free, across, given)
        return np.asarray(rates + force @ found["responses"])


def _closed_states(rows: _Rows) -> list[tuple[Floats, NDArray[np.int64]]]:
    """Random states with some groups closed, and their modes: q by Newton's method, u without normal velocities."""
    rng, made = np.random.default_rng(5), list[tuple[Floats, NDArray[np.int64]]]()
    has_gap = np.array([bool(gap) for _, _, gap, _ in rows.groups])
    for _ in range(_ATTEMPTS):
        x = rng.uniform(-1.0, 1.0, rows.q + rows.u + rows.z)
        chosen = rng.permutation(len(rows.groups))[: rng.integers(1, 4)]
        q, u = slice(rows.q), slice(rows.q, rows.q + rows.u)
        normals = [rows.slices[k].start for k in chosen if has_gap[k]]
        gaps = [k for k in chosen if has_gap[k]]
        for _ in range(_STEPS):
            scale_quaternions(x, rows.quaternions)
            found = rows.at(x)
            step = -np.linalg.pinv(found["rows"][normals]) @ found["gaps"][gaps]
            if not np.isfinite(step).all() or np.abs(found["gaps"][gaps]).max(initial=0.0) < _CLOSED:
                break
            moved = np.concatenate([x[q], step, x[u.stop :]])
            x[q] += rows.at(moved)["xdot"][q]
        found = rows.at(x)
        modes = np.zeros(len(rows.groups), dtype=np.int64)
        modes[chosen] = rng.integers(1, 3, len(chosen))
        still = [i for k in chosen for i in range(rows.slices[k].start, rows.slices[k].stop)
                 if modes[k] == 1 or i in normals]  # fmt: skip
        x[u] -= np.linalg.pinv(found["rows"][still]) @ found["velocities"][still]
        is_closed = np.isfinite(x).all() and np.abs(found["gaps"][gaps]).max(initial=0.0) < _CLOSED
        if is_closed and np.isfinite(rows.accelerations(x, modes)).all():
            made.append((x, modes))
        if len(made) == _STATES:
            break
    return made
