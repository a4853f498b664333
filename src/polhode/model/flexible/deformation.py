"""What any flexible body comes to, from which the records of the model are written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Protocol

from ...errors import ModelError, shown
from ...expr import Expr, Matrix, Vector, as_expr, constant_value, free_symbols, sqrt, substitute
from ...geometry import Pose
from ...geometry.rotations import Rotation
from ..reading import list_of, number_of
from .record import Flexibility, Segment


@dataclass(frozen=True)
class Section:
    """A section or node: fields B_a (m) of each amplitude, rotation vectors ψ_i, and its undeformed orientation."""

    position: tuple[Vector, ...]
    turns: tuple[Vector, ...]
    rotation: Matrix = field(default_factory=lambda: Matrix.identity(3))

    def pose(self, amplitudes: Sequence[Expr], q: Sequence[Expr]) -> Pose:
        """X(η): p = Σ s_a B_a, and the rotation whose vector-parameter is ½ Σ ψ_i η_i."""
        p, c = zero(), zero()
        for amplitude, at in zip(amplitudes, self.position, strict=True):
            p = p + at * amplitude
        for coordinate, turn in zip(q, self.turns, strict=True):
            c = c + turn * (coordinate / 2)
        R = Rotation.from_vector(c, exact=True).matrix if any(c) else Matrix.identity(3)
        return Pose((R @ self.rotation).map(as_expr), p)


@dataclass(frozen=True)
class Deformation:
    """Coordinates by label, rigid data, moments, stiffness and damping; `pairs` are the quadratic amplitudes."""

    labels: tuple[str, ...]
    mass: Expr
    com: Vector
    inertia: Matrix
    first: tuple[Vector, ...]
    second: tuple[tuple[Matrix, ...], ...]
    stiffness: Matrix
    damping: Matrix
    inboard: Section
    stations: Mapping[str, Section]
    segments: tuple[Segment, ...] = ()
    pairs: tuple[tuple[int, int], ...] = ()
    units: tuple[str, ...] = ()  # of the coordinates, m or rad; m where none are given

    def amplitudes(self, q: Sequence[Expr]) -> tuple[Expr, ...]:
        """s_a(η)."""
        return (as_expr(1), *q, *(q[i] * q[j] for i, j in self.pairs))

    def flexibility(self, joint: str, q: Sequence[Expr]) -> Flexibility:
        """The record for the formalisms."""
        return Flexibility(joint, self.amplitudes(q), self.first, self.second, self.segments)


class Flexible(Protocol):
    """A flexible body as given, from which its records in the model are computed."""

    @property
    def name(self) -> str: ...

    @property
    def stations(self) -> tuple[tuple[Any, ...], ...]:
        """The stations, the name of each first."""
        ...

    def deformation(self) -> Deformation:
        """The deformation of the body."""
        ...

    def with_station(self, at: Any, static: bool) -> tuple[Flexible, str]:
        """The body with a station, and the name of the station; the empty name stands for the inboard section."""
        ...


def refused(message: str, place: str, cure: str, code: str) -> ModelError:
    """The error of an impossible flexible body."""
    return ModelError(message, place=place, cure=cure, code=code)


def zero() -> Vector:
    """The zero vector of expressions."""
    return Vector([as_expr(0)] * 3)


def no_moments(size: int) -> list[list[Matrix]]:
    """G_ab of so many amplitudes, all zero."""
    return [[Matrix.zeros(3, 3).map(as_expr) for _ in range(size)] for _ in range(size)]


def is_list(value: Any) -> bool:
    """Whether a value is a list, and no text."""
    return hasattr(value, "__iter__") and not isinstance(value, str)


def trace(matrix: Matrix) -> Expr:
    """The sum of the diagonal of a 3×3 matrix."""
    total: Expr = matrix[0, 0] + matrix[1, 1] + matrix[2, 2]
    return total


def outer(a: Sequence[Any], b: Sequence[Any]) -> Matrix:
    """a bᵀ."""
    return Matrix([[x * y for y in b] for x in a]).map(as_expr)


def modal_mass(second: Sequence[Sequence[Matrix]], count: int) -> Matrix:
    """M_ij = tr G_ij of the coordinates, while the body is not bent."""
    members = range(1, count + 1)
    return Matrix([[trace(second[i][j]) for j in members] for i in members])


def inertia_of_moments(second: Matrix, mass: Expr, com: Vector) -> Matrix:
    """The inertia about the mass centre from G_00 = ∫ r rᵀ dm."""
    central: Matrix = second - outer(com, com) * mass
    result: Matrix = Matrix.identity(3) * trace(central) - central
    return result.map(as_expr)


def nominal(value: Expr, values: Mapping[str, Any]) -> float | None:
    """The value at the default values of parameters; None where one has none."""
    at = {x: as_expr(values[x.name]) for x in free_symbols([value]) if values.get(x.name) is not None}
    (at_values,) = substitute([value], at)
    return None if free_symbols([at_values]) else float(constant_value(at_values))


def check_positive(what: str, value: Expr, values: Mapping[str, Any], place: str) -> None:
    """Raise if a known number is not positive."""
    number = nominal(value, values)
    if number is not None and not number > 0:
        raise refused(f"the {what} {shown(value)} is not positive.", place, f"Give a {what} > 0.", "E-FLEX-NUMBER")


def damping_matrix(
    stiffness: Matrix,
    mass: Matrix,
    ratios: Sequence[Expr],
    rayleigh: Sequence[Expr] | None,
    values: Mapping[str, Any],
    place: str,
) -> Matrix:
    """D of a ratio ζ of all modes, 2 ζ M √(M⁻¹ K); of one for each coordinate, 2 ζ_i √(k_i m_i) on the diagonal; or of
    Rayleigh's α M + β K."""
    n = stiffness.shape[0]
    for value in (*ratios, *(rayleigh or ())):
        number = nominal(value, values)
        if number is not None and number < 0:
            raise refused(f"the damping {shown(value)} is negative.", place, "Give a damping ≥ 0.", "E-FLEX-NUMBER")
    if rayleigh is not None:
        if any(ratios):
            message = "damping is given by ratios and by Rayleigh's coefficients."
            raise refused(message, place, "Give one of them.", "E-FLEX-TWICE")
        result: Matrix = mass * rayleigh[0] + stiffness * rayleigh[1]
        return result.map(as_expr)
    damping = numbers(list(ratios) * (n if len(ratios) == 1 else 1), n, "ratios of damping", place)
    roots = [sqrt(stiffness[i, i] * mass[i, i]) for i in range(n)]
    if len(ratios) > 1 or not any(ratios):
        return Matrix.diagonal([2 * zeta * root for zeta, root in zip(damping, roots, strict=True)]).map(as_expr)
    shares = _shares(stiffness, mass, values)
    rows = [[2 * ratios[0] * shares[i][j] * (a if i == j else sqrt(a * b)) for j, b in enumerate(roots)]
            for i, a in enumerate(roots)]  # fmt: skip
    return Matrix(rows).map(as_expr)


def _shares(stiffness: Matrix, mass: Matrix, values: Mapping[str, Any]) -> list[list[Fraction]]:
    """M √(M⁻¹ K) over (k_i m_i k_j m_j)^¼, rounded, at the default values of parameters (1 without one)."""
    import numpy as np

    n = mass.shape[0]
    at = {str(x.name): 1 for x in free_symbols([*mass.entries(), *stiffness.entries()])}
    at |= {name: value for name, value in values.items() if value is not None}
    M, K = (np.array([nominal(x, at) for x in matrix.entries()], float).reshape(n, n) for matrix in (mass, stiffness))
    factor = np.linalg.cholesky(M)
    halved = np.linalg.solve(factor, np.linalg.solve(factor, K).T)
    squares, V = np.linalg.eigh((halved + halved.T) / 2)
    D = factor @ (V * np.sqrt(np.clip(squares, 0, None))) @ V.T @ factor.T
    scale = np.sqrt(np.sqrt(np.diag(K) * np.diag(M)))
    scale[scale == 0] = 1.0
    return [[Fraction(round(float(x) * 2**32), 2**32) for x in row] for row in D / np.outer(scale, scale)]


def numbers(value: Any, count: int, what: str, place: str) -> list[Expr]:
    """A list of so many numbers or expressions."""
    entries = [number_of(entry, place) for entry in list_of(value, what, place)]
    if len(entries) != count:
        message = f"{len(entries)} {what} are given, not {count}."
        raise refused(message, place, "Give one for each coordinate, as `.q` lists them.", "E-FLEX-SHAPE")
    return entries


def check_matrix(matrix: Matrix, what: str, values: Mapping[str, Any], place: str, *, definite: bool) -> None:
    """Raise if a matrix is not symmetric, or, as far as it is known, not positive (semi)definite."""
    import numpy as np

    n = matrix.shape[0]
    for i in range(n):
        for j in range(i):
            if matrix[i, j] != matrix[j, i]:
                message = f"the {what} is not symmetric: {shown(matrix[i, j])} faces {shown(matrix[j, i])}."
                raise refused(message, place, f"Give a symmetric {what}.", "E-FLEX-NUMBER")
    entries = [nominal(entry, values) for entry in matrix.entries()]
    if n and None not in entries:
        scaled = np.array(entries, dtype=float).reshape(n, n)
        if not np.abs(scaled).max() < 1e150:
            message = f"an entry {np.abs(scaled).max():.3g} of the {what} is not one of a mechanism."
            raise refused(message, place, "Check the units.", "E-FLEX-NUMBER")
        scale = np.sqrt(np.abs(np.diag(scaled)))
        scale[scale == 0] = 1.0
        least = float(np.linalg.eigvalsh(scaled / np.outer(scale, scale))[0])
        if least < (1e-12 if definite else -1e-9):
            message = f"the {what} is not positive{'' if definite else ' semidefinite'}."
            cure = "Check shapes that depend on each other, masses and signs." if definite else "Check its entries."
            raise refused(message, place, cure, "E-FLEX-NUMBER")
