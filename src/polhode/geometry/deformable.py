"""The mass of a body that deforms: points at r = Σ_a s_a(η) B_a in the body's frame.

With the moments b_a = ∫ B_a dm and G_ab = ∫ B_a B_bᵀ dm, and E_a = ∫ B_a rᵀ dm = Σ_b s_b G_ab, a body whose frame has
the angular velocity ω, the acceleration field a + W r (W = α̂ + ω̂ ω̂), and whose points move in it with ṙ and r̈, takes

    force               m a + W h + 2 ω × ḣ + ḧ                             h = Σ s_a b_a
    torque              h × a + vee(W J) + 2 (tr(K) ω - K ω) + Σ s̈_a vee(E_a)     J = Σ s_a E_a,  K = Σ ṡ_a E_a
    effort on η_i       Σ_a ∂s_a/∂η_i (b_a · a + W : E_a + 2 ω · vee(Σ_b ṡ_b G_ab) + Σ_b s̈_b tr G_ab)

about the origin of the frame, in its components; the last is ∫ ∂r/∂η_i · (a + W r + 2 ω × ṙ + r̈) dm. What stands
before 2 ω in force and torque is that of a rigid body with the moments m, h, J. (Compare A. A. Shabana, *Dynamics of
Multibody Systems*, chapter 5; there the integrals of shape functions are S̄ and S̄_kl.)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from ..expr import Matrix, Vector
from .inertia import Inertia

#: The entries (i, j, value) of a 3×3 matrix that do not vanish.
Entries = tuple[tuple[int, int, Any], ...]


@dataclass(frozen=True)
class Deformable:
    """Moments b_a, G_ab and amplitudes s_a with `slopes[i][a]` = ∂s_a/∂η_i, `curvatures[i, j][a]` = ∂²s_a/∂η_i∂η_j."""

    speeds: tuple[int, ...]
    m: Any
    first: tuple[Vector, ...]
    second: Mapping[tuple[int, int], Entries]
    amplitudes: tuple[Any, ...]
    slopes: tuple[Mapping[int, Any], ...]
    curvatures: Mapping[tuple[int, int], Mapping[int, Any]]

    def mapped(self, number: Callable[[Any], Any]) -> Deformable:
        """The same with a function applied to every entry."""
        return replace(
            self,
            m=number(self.m),
            first=tuple(Vector(map(number, b)) for b in self.first),
            second={key: tuple((i, j, number(g)) for i, j, g in entries) for key, entries in self.second.items()},
            amplitudes=tuple(map(number, self.amplitudes)),
            slopes=tuple({a: number(x) for a, x in slope.items()} for slope in self.slopes),
            curvatures={key: {a: number(x) for a, x in bend.items()} for key, bend in self.curvatures.items()},
        )

    def _weighted(self, weights: Mapping[int, Any]) -> dict[int, Matrix]:
        """For each a: Σ_b weight_b G_ab."""
        table: dict[int, list[list[Any]]] = {}
        for (a, b), entries in self.second.items():
            if b in weights:
                rows = table.setdefault(a, [[0] * 3 for _ in range(3)])
                for i, j, g in entries:
                    rows[i][j] = rows[i][j] + weights[b] * g
        return {a: Matrix(rows) for a, rows in table.items()}

    @cached_property
    def _E(self) -> dict[int, Matrix]:
        return self._weighted(dict(enumerate(self.amplitudes)))

    @cached_property
    def inertia(self) -> Inertia:
        """Mass, first and second moment at these amplitudes, as of a rigid body."""
        h, J = Vector([0, 0, 0]), [[0] * 3 for _ in range(3)]
        for a, s in enumerate(self.amplitudes):
            h = h + self.first[a] * s
            for i in range(3):
                for j in range(i, 3):
                    if a in self._E:
                        J[i][j] = J[i][j] + s * self._E[a][i, j]
        return Inertia(self.m, h, Matrix([[J[min(i, j)][max(i, j)] for j in range(3)] for i in range(3)]))

    def _summed(self, weights: Mapping[int, Any], vectors: Callable[[int], Vector]) -> Vector:
        total = Vector([0, 0, 0])
        for a, weight in weights.items():
            total = total + vectors(a) * weight
        return total

    def _moment(self, a: int) -> Vector:
        """∫ r × B_a dm = vee(E_a)."""
        return _vee(self._E[a]) if a in self._E else Vector([0, 0, 0])

    @cached_property
    def columns(self) -> list[tuple[Vector, Vector]]:
        """Angular momentum about the origin and linear momentum for a unit of each elastic speed."""
        return [
            (self._summed(slope, self._moment), self._summed(slope, lambda a: self.first[a])) for slope in self.slopes
        ]

    @cached_property
    def _traces(self) -> dict[tuple[int, int], Any]:
        """tr G_ab."""
        sums = {key: sum((g for i, j, g in entries if i == j), start=0) for key, entries in self.second.items()}
        return {key: value for key, value in sums.items() if value != 0}

    @cached_property
    def masses(self) -> Matrix:
        """∫ ∂r/∂η_i · ∂r/∂η_j dm."""
        size = len(self.speeds)
        M: list[list[Any]] = [[0] * size for _ in range(size)]
        for (a, b), trace in self._traces.items():
            for i in range(size):
                for j in range(i, size):
                    if a in self.slopes[i] and b in self.slopes[j]:
                        M[i][j] = M[i][j] + self.slopes[i][a] * self.slopes[j][b] * trace
        return Matrix([[M[min(i, j)][max(i, j)] for j in range(size)] for i in range(size)])

    def _rates(self, u: Sequence[Any]) -> dict[int, Any]:
        """ṡ_a, or at accelerations the part of s̈_a that they give."""
        table: dict[int, Any] = {}
        for speed, slope in zip(self.speeds, self.slopes, strict=True):
            for a, x in slope.items():
                if u[speed] != 0:
                    table[a] = table.get(a, 0) + x * u[speed]
        return table

    def _second_rates(self, u: Sequence[Any], ud: Sequence[Any]) -> dict[int, Any]:
        """s̈_a."""
        table = self._rates(ud)
        for (i, j), bend in self.curvatures.items():
            pair = u[self.speeds[i]] * u[self.speeds[j]] * (1 if i == j else 2)
            for a, x in bend.items():
                table[a] = table.get(a, 0) + x * pair
        return table

    def wrench(self, w: Vector, u: Sequence[Any], ud: Sequence[Any]) -> tuple[Vector, Vector]:
        """Torque and force on the deformation, beyond those of a rigid body with `inertia`."""
        rate, second = self._rates(u), self._second_rates(u, ud)
        f = w.cross(self._summed(rate, lambda a: self.first[a])) * 2 + self._summed(second, lambda a: self.first[a])
        n = self._summed(second, self._moment)
        K = Matrix.zeros(3, 3)
        for a, x in rate.items():
            if a in self._E:
                K = K + self._E[a] * x
        trace = K[0, 0] + K[1, 1] + K[2, 2]
        return n + (w * trace - K @ w) * 2, f

    def efforts(self, w: Vector, W: Matrix, a_0: Vector, u: Sequence[Any], ud: Sequence[Any]) -> list[Any]:
        """The effort on each elastic speed, where the frame has the angular velocity w and the field a_0 + W r."""
        rate, second = self._rates(u), self._second_rates(u, ud)
        turning = self._weighted(rate)
        along: dict[int, Any] = {}
        for a in {a for slope in self.slopes for a in slope}:
            total = self.first[a].dot(a_0)
            if a in self._E:
                total = total + sum((W[i, j] * self._E[a][i, j] for i in range(3) for j in range(3)), start=0)
            if a in turning:
                total = total + w.dot(_vee(turning[a])) * 2
            along[a] = total
        for (a, b), trace in self._traces.items():
            if a in along and b in second:
                along[a] = along[a] + second[b] * trace
        return [sum((x * along[a] for a, x in slope.items()), start=0) for slope in self.slopes]

    def momentum(self, u: Sequence[Any]) -> tuple[Vector, Vector]:
        """Angular and linear momentum of bending alone."""
        n, f = Vector([0, 0, 0]), Vector([0, 0, 0])
        for speed, (own_n, own_f) in zip(self.speeds, self.columns, strict=True):
            n, f = n + own_n * u[speed], f + own_f * u[speed]
        return n, f

    def energy(self, w: Vector, v: Vector, u: Sequence[Any]) -> Any:
        """Twice the kinetic energy beyond that of a rigid body with `inertia`, the frame moving with w and v."""
        n, f = self.momentum(u)
        rates = Vector([u[speed] for speed in self.speeds])
        return (w.dot(n) + v.dot(f)) * 2 + rates.dot(self.masses @ rates)


def _vee(Y: Matrix) -> Vector:
    """∫ r × y dm of Y = ∫ y rᵀ dm."""
    return Vector([Y[2, 1] - Y[1, 2], Y[0, 2] - Y[2, 0], Y[1, 0] - Y[0, 1]])
