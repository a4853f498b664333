"""One contact problem by several formalisms: accelerations at states where things touch, in numbers.

At random states some gaps are closed, and u̇ = M⁻¹ (τ - b + Aᵀ λ), with M and b those of each formalism, keeps
A u̇ + γ = 0 in normal rows alone or in all rows of these. Forces are not compared: they may not be unique.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..compiled.functions import Functions
from ..errors import listed
from ..native.arrays import scale_quaternions
from ..simulate.contact.mode_forces import RANK, rows_of

Floats = NDArray[np.float64]
#: States at which groups are closed, attempts to find them, and Newton's steps of each.
_STATES, _ATTEMPTS, _STEPS = 6, 40, 30
#: Gaps that are closed, and the part of the largest acceleration by which formalisms may differ.
_CLOSED, _TOLERANCE = 1e-12, 1e-6


@dataclass(frozen=True)
class ContactAgreement:
    """At how many states accelerations with contact forces were compared, by whom, and their largest difference."""

    states: int
    formalisms: tuple[str, ...]
    largest: float  # relative to the accelerations

    def __bool__(self) -> bool:
        return self.largest <= _TOLERANCE

    def __str__(self) -> str:
        what = "accelerations with contact forces"
        if not self.states:
            return f"{what} are not compared: a parameter has no value, there are constraints, or nothing touches"
        at = f"at {self.states} states at which something touches or sticks"
        if not self:
            return f"{what} DIFFER by {self.largest:.1e} ({listed(self.formalisms)}) {at}"
        return f"{what} by {len(self.formalisms)} formalisms agree to {max(self.largest, 1e-16):.0e} {at}"


def contact_agreement(derived: Mapping[str, Functions]) -> ContactAgreement:
    """Compare the accelerations of formalisms without constraints in the same speeds."""
    rows = [_Rows(functions) for functions in derived.values()]
    states = rows[0].closed_states() if len(rows) > 1 else []
    differences = [0.0]
    for x, held in states:
        expected, *others = (row.accelerations(x, held) for row in rows)
        differences.append(float(np.abs(np.array(others) - expected).max() / max(1e-9, np.abs(expected).max())))
    return ContactAgreement(len(states), tuple(derived), float(np.max(np.nan_to_num(differences, nan=1e9))))


class _Rows:
    """The contact problem of one formalism at x = (q, u, z)."""

    def __init__(self, functions: Functions) -> None:
        self.known = synopsis = functions.derivation.synopsis
        self.q, self.u = len(synopsis.coordinates), len(synopsis.speeds)
        values, self.slices = functions.parameter_values("contact_rates"), rows_of(synopsis.contacts)
        self.native = functions.native("contact_rates").with_parameters(values)
        self.inputs = functions.input_values()

    def at(self, x: Floats) -> dict[str, Floats]:
        """The rates of the state, and rows, responses, velocities, drift and gaps."""
        arguments = {"x": x, "tau": np.zeros(self.u), "inputs": self.inputs, "t": np.zeros(1)}
        results = self.native(*(np.atleast_2d(arguments[name]) for name in self.native.arrays))
        values = {name: np.asarray(value[0]) for name, value in zip(self.native.outputs, results, strict=True)}
        return values | {name: values[name].reshape(-1, self.u) for name in ("rows", "responses")}

    def accelerations(self, x: Floats, held: list[int]) -> Floats:
        """u̇ with the forces that keep rows without acceleration."""
        values = self.at(x)
        rates, A, response = values["xdot"][self.q : self.q + self.u], values["rows"][held], values["responses"][held]
        force = -np.linalg.pinv(A @ response.T, rcond=RANK) @ (A @ rates + values["drift"][held])
        return np.asarray(rates + force @ response)

    def closed_states(self) -> list[tuple[Floats, list[int]]]:
        """Random states at which some gaps are closed, by Newton's method, and rows of these and others to hold."""
        rng, states = np.random.default_rng(5), list[tuple[Floats, list[int]]]()
        for _ in range(_ATTEMPTS):
            x, residual = rng.uniform(-1.0, 1.0, self.q + self.u + len(self.known.states)), np.inf
            chosen = rng.permutation(len(self.slices))[: rng.integers(1, 4)].tolist()
            gaps = [k for k in chosen if self.known.contacts[k][2]]
            normals = [self.slices[k].start for k in gaps]
            for _ in range(_STEPS):
                scale_quaternions(x, self.known.quaternion_groups)
                values = self.at(x)
                residual = float(np.abs(values["gaps"][gaps]).max(initial=0.0))
                if residual < _CLOSED or not all(np.isfinite(value).all() for value in values.values()):
                    break
                step = -np.linalg.pinv(values["rows"][normals]) @ values["gaps"][gaps]
                moved = np.concatenate([x[: self.q], step, x[self.q + self.u :]])
                x[: self.q] += self.at(moved)["xdot"][: self.q]
            if residual < _CLOSED and len(states) < _STATES:
                rows = [i for k in chosen for i in range(self.slices[k].start, self.slices[k].stop)]
                held = normals if normals and rng.random() < 0.5 else rows
                x[self.q : self.q + self.u] -= np.linalg.pinv(values["rows"][held]) @ values["velocities"][held]
                states.append((x, held))
        return states
