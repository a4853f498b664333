"""Riccati equations, in numbers, and why they may have no solution.

    continuous    AᵀP + P A - P B R⁻¹ Bᵀ P + Q = 0,              K = R⁻¹ Bᵀ P
    from sample to sample    P = AᵀP A - AᵀP B (R + BᵀP B)⁻¹ BᵀP A + Q,    K = (R + BᵀP B)⁻¹ BᵀP A

A stabilising solution exists where every mode that does not decay is reached by an input, and none that keeps its size
is unseen by the cost (V. Kučera, *A contribution to matrix quadratic equations*, 1972). Modes are tested one by one by
the rank of [A - λ, B] (V. M. Popov, V. Belevitch, M. L. J. Hautus).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import PolhodeError, listed
from .weights import Floats

#: Singular values below this part of the matrices' size are rounding; and so near is a mode to one that keeps its size.
_NOTHING, _EDGE = 1e-9, 1e-7
#: States with less than this part of a mode are not named in sentences about it.
_PART = 0.05


@dataclass(frozen=True, eq=False)
class Riccati:
    """The solution P of a Riccati equation, the gain K, and the poles of A - B K."""

    P: Floats
    K: Floats
    poles: np.ndarray[tuple[int, ...], np.dtype[np.complex128]]


def solve_riccati(
    A: Floats, B: Floats, Q: Floats, R: Floats, names: Sequence[str], place: str, sampled: bool = False
) -> Riccati:
    """The stabilising solution; where there is none, a sentence that names the mode."""
    from scipy.linalg import solve_continuous_are, solve_discrete_are

    for mode in unreached(A, B, sampled):
        raise PolhodeError(
            f"no input reaches the mode with the {mode.told(names, sampled)}, which does not decay.",
            place=place,
            cure="Add an input, or leave these states out: states=[…].",
            code="E-REGULATOR-010",
        )
    for mode in unreached(A.T, Q, sampled):
        if mode.is_at_edge(sampled):
            raise PolhodeError(
                f"the cost does not see the mode with the {mode.told(names, sampled)}, which keeps its size.",
                place=place,
                cure="Give one of these states a weight.",
                code="E-REGULATOR-011",
            )
    try:
        P = (solve_discrete_are if sampled else solve_continuous_are)(A, B, Q, R)
    except (np.linalg.LinAlgError, ValueError) as error:
        raise _unsolved(place) from error
    P = (P + P.T) / 2
    K = np.linalg.solve(R + B.T @ P @ B, B.T @ P @ A) if sampled else np.linalg.solve(R, B.T @ P)
    poles = np.linalg.eigvals(A - B @ K).astype(np.complex128)
    size = np.abs(poles) - 1 if sampled else poles.real
    if not (np.isfinite(K).all() and size.max(initial=-1.0) < 0):
        raise _unsolved(place)
    return Riccati(P, K, poles[np.argsort(-size, kind="stable")])


def _unsolved(place: str) -> PolhodeError:
    return PolhodeError(
        "no stabilising solution of the Riccati equation was found.",
        place=place,
        cure="Scale the weights: those of states and inputs should be of like size.",
        code="E-REGULATOR-012",
    )


@dataclass(frozen=True)
class Mode:
    """An eigenvalue, and how much of each state is in its left eigenvector."""

    eigenvalue: complex
    parts: tuple[float, ...]

    def told(self, names: Sequence[str], sampled: bool) -> str:
        """The mode in words."""
        if abs(self.eigenvalue.imag) > _EDGE * (1 + abs(self.eigenvalue)):
            number = f"{self.eigenvalue.real:.4g} ± {abs(self.eigenvalue.imag):.4g}i"
        else:
            number = f"{self.eigenvalue.real if abs(self.eigenvalue.real) > _EDGE else 0.0:.4g}"
        unit = "" if sampled else " 1/s"
        met = [name for name, part in zip(names, self.parts, strict=True) if part > _PART * max(self.parts)]
        return f"eigenvalue {number}{unit} (in {listed(met)})"

    def is_at_edge(self, sampled: bool) -> bool:
        """Whether the mode neither grows nor decays."""
        size = abs(self.eigenvalue) - 1 if sampled else self.eigenvalue.real
        return abs(size) <= _EDGE * (1 + abs(self.eigenvalue))


def unreached(A: Floats, B: Floats, sampled: bool) -> Iterator[Mode]:
    """The modes that do not decay and that no column of B reaches."""
    scale = max(float(np.abs(A).max(initial=0.0)), float(np.abs(B).max(initial=0.0)), 1e-300)
    for value in np.linalg.eigvals(A).tolist():
        size = abs(value) - 1 if sampled else value.real
        if size < -_EDGE * (1 + abs(value)) or value.imag < 0:
            continue
        pencil = np.hstack([A - value * np.eye(len(A)), B])
        left, sizes, _ = np.linalg.svd(pencil)
        if sizes[-1] <= _NOTHING * scale:
            yield Mode(complex(value), tuple(np.abs(left[:, -1]).tolist()))
