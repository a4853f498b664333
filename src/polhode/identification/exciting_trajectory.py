"""Exciting trajectories: periodic motions that show the base parameters of a mechanism well, within limits.

J. Swevers, C. Ganseman, D. B. Tükel, J. De Schutter and H. Van Brussel, "Optimal robot excitation and identification"
(1997): each coordinate is a Fourier series

    q = c + Σ_k a_k sin(kωt) + b_k cos(kωt),    ω = 2π/period

and the coefficients make the condition of the columns Y_B over the motion small; by a smooth bound of it,
κ² ≤ tr(G) tr(G⁻¹) with G = Σ Y_Bᵀ Y_B. Here every set of numbers is a motion that keeps the limits: a series is brought
to rest at t = 0 and scaled to fit; what is optimised is its shape, how much of the room it uses, and where it lies.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, TypedDict

import numpy as np
from numpy.typing import NDArray

from ..compiled.functions import Functions
from ..dynamics.equations import EquationsOfMotion
from ..dynamics.joint_limits import joint_limits
from ..errors import PolhodeError, check_known, fault_at, number, understood, whole_number
from ..expr import Expr, Vector, as_expr, cos, pi, same, sin
from ..notebook import Cell, Shown, Table
from .base_parameters import BaseParameters, base_parameters

Floats: TypeAlias = NDArray[np.float64]
_PLACE = "exciting_trajectory"
fault = fault_at(_PLACE)
#: Points in a period, for each harmonic, at which limits are looked at, and the part of them that is used.
_DENSE, _ROOM = 48, 0.995
_STARTS, _IMPROVED, _FIRST, _ITERATIONS = 32, 3, 8, 60
_SMALL = 1e-6


class ExcitationOptions(TypedDict, total=False):
    """Limits and effort; see `exciting_trajectory`."""

    harmonics: int
    samples: int
    limits: Mapping[str, Any]
    speeds: Any
    accelerations: Any
    seed: int
    base: BaseParameters
    parameters: Mapping[str, Any]


@dataclass(frozen=True, eq=False, repr=False)
class ExcitingTrajectory(Shown):
    """A periodic motion that begins at rest: called with times it gives q, u and u̇.

    `condition` is that of the columns of the base parameters over the motion.
    """

    coordinates: tuple[str, ...]
    period: float
    centre: Floats  # (n,)
    sines: Floats  # (n, harmonics)
    cosines: Floats
    condition: float
    samples: int

    def __repr__(self) -> str:
        message = f"{self.period:g} s, {self.sines.shape[1]} harmonics, condition {self.condition:.4g}"
        return f"ExcitingTrajectory({', '.join(self.coordinates)}; {message})"

    def _cell(self) -> Cell:
        reach = np.abs(self(self.t)[0] - self.centre).max(axis=0)
        rows = [
            (name, f"{centre:.6g}", f"{width:.6g}")
            for name, centre, width in zip(self.coordinates, self.centre, reach, strict=True)
        ]
        return Cell(repr(self), [Table(["coordinate", "centre", "reach"], rows, numbers_from=1)])

    def __call__(self, t: Any) -> tuple[Floats, Floats, Floats]:
        """q, u and u̇ at times (T,), each (T, n)."""
        q, u, udot = _series(self.sines, self.cosines, self.period, np.atleast_1d(np.asarray(t, dtype=np.float64)))
        return np.moveaxis(q, -1, -2) + self.centre, np.moveaxis(u, -1, -2), np.moveaxis(udot, -1, -2)

    @property
    def t(self) -> Floats:
        """The times at which the condition was taken."""
        return np.linspace(0.0, self.period, self.samples, endpoint=False)

    def expressions(self, time: Expr) -> Vector:
        """q as expressions of time, to prescribe or to follow."""
        result = []
        for c, a, b in zip(self.centre, self.sines, self.cosines, strict=True):
            total = as_expr(float(c))
            for k, (s, r) in enumerate(zip(a.tolist(), b.tolist(), strict=True), start=1):
                angle = 2 * pi * k * time / as_expr(self.period)
                total = total + as_expr(s) * sin(angle) + as_expr(r) * cos(angle)
            result.append(total)
        return Vector(result)


def exciting_trajectory(
    functions: Functions,
    period: float,
    *,
    harmonics: int = 5,
    samples: int | None = None,
    limits: Mapping[str, Any] | None = None,
    speeds: Any = None,
    accelerations: Any = None,
    seed: int = 0,
    base: BaseParameters | None = None,
    parameters: Mapping[str, Any] | None = None,
) -> ExcitingTrajectory:
    """A motion of a duration that excites all base parameters; see `Equations.exciting_trajectory`."""
    equations = functions.equations
    _check(equations, period, harmonics)
    base = base_parameters(equations) if base is None else base
    count = samples if samples is not None else max(8 * harmonics, 3 * len(base) // max(1, len(equations.u)))
    lower, upper = _position_limits(equations, limits or {}, parameters or {})
    shape = _Shape(
        period, harmonics, count, lower, upper,
        _largest(equations, speeds, "speeds", _rated_speeds(equations, parameters or {})),
        _largest(equations, accelerations, "accelerations", {}),
    )  # fmt: skip
    columns = list(base.columns)

    def cost(numbers: Floats) -> Floats:
        """log₁₀ of the bound of many motions at once, (B, variables) to (B,)."""
        q, u, udot = shape.motions(numbers)
        flat = (table.reshape(-1, table.shape[-1]) for table in (q, u, udot))
        Y = functions.regressor(*flat, parameters=parameters)[0][..., columns]
        W = Y.reshape(len(numbers), -1, len(columns))
        sizes = np.linalg.eigvalsh(np.swapaxes(W, 1, 2) @ W)
        sizes = np.maximum(sizes, 1e-16 * sizes[:, -1:])
        return np.asarray(np.log10(sizes.sum(axis=1) * (1 / sizes).sum(axis=1)) / 2)

    best = _least(cost, shape.variables, seed)
    centre, a, b = (table[0] for table in shape.coefficients(best[None]))
    q, u, udot = (table[0] for table in shape.motions(best[None]))
    W = functions.regressor(q, u, udot, parameters=parameters)[0][..., columns].reshape(-1, len(columns))
    condition = float(np.linalg.cond(W))
    if not condition < 1e9:
        message = f"no motion within these limits shows all {len(columns)} base parameters (condition {condition:.1g})."
        raise fault(message, "Allow more room or speed, or more harmonics.", "E-IDENTIFICATION-FAILED")
    return ExcitingTrajectory(tuple(equations.coordinates), period, centre, a, b, condition, count)


def _check(equations: EquationsOfMotion, period: float, harmonics: int) -> None:
    if not same(equations.coordinate_rates, equations.u):
        raise fault(
            "the speeds of this mechanism are not the rates of its coordinates, so that no series in them is a motion.",
            "Use joints with one coordinate each, such as revolute and prismatic ones.",
            "E-IDENTIFICATION-UNSUPPORTED",
        )
    number(period, "a time > 0", above=0.0, place=f"{_PLACE} period")
    whole_number(harmonics, "two harmonics or more, as a motion that begins at rest has", least=2, place=_PLACE)


def _position_limits(
    equations: EquationsOfMotion, ranges: Mapping[str, Any], parameters: Mapping[str, Any]
) -> tuple[Floats, Floats]:
    names = equations.coordinates
    check_known("coordinate", ranges, names, place=_PLACE, code="E-IDENTIFICATION-NAME")
    limits: dict[str, tuple[float, float]] = {}
    for joint in equations.system.joints.values():
        turns = any(any(column[:3]) for stage in joint.type.stages for column in stage.H.columns)
        widest = np.pi if turns else 1.0
        limits |= {str(q.name): (-widest, widest) for q in joint.q}
    for ends in joint_limits(equations, parameters):
        low, high = limits[ends.quantity.name]
        limits[ends.quantity.name] = ends.known.get("lower", low), ends.known.get("upper", high)
    for name, pair in ranges.items():
        with understood("a pair (lower, upper)", pair, place=f"{_PLACE} limits of {name}", cure="Give (-1, 1)."):
            lower, upper = (float(end) for end in pair)
            limits[name] = (lower, upper)
    for name in names:
        lower, upper = limits[name]
        if not lower < upper:
            message = f"the limits {lower:g} and {upper:g} of '{name}' leave no room."
            raise fault(message, "Give (lower, upper), the lower one first.", "E-IDENTIFICATION-NUMBER")
    return np.array([limits[name][0] for name in names]), np.array([limits[name][1] for name in names])


def _rated_speeds(equations: EquationsOfMotion, parameters: Mapping[str, Any]) -> dict[str, float]:
    """The largest speeds that the model has limits for, by coordinate."""
    names = dict(zip(equations.u, equations.coordinates, strict=True))
    return {
        names[ends.quantity]: min(-ends.known.get("lower", -np.inf), ends.known.get("upper", np.inf))
        for ends in joint_limits(equations, parameters, "speed")
        if ends.quantity in names
    }


def _largest(equations: EquationsOfMotion, largest: Any, what: str, rated: Mapping[str, float]) -> Floats:
    """Largest speed or acceleration of each coordinate: as given, else as rated, else infinite."""
    names = equations.coordinates
    if largest is None or isinstance(largest, Mapping):
        table = {**rated, **(largest or {})}
    else:
        table = dict.fromkeys(names, largest)
    check_known("coordinate", table, names, place=_PLACE, code="E-IDENTIFICATION-NAME")
    with understood("a number, or numbers by coordinate", largest, place=f"{_PLACE} {what}", cure="Give 2.0."):
        limits = np.array([float(table.get(name, np.inf)) for name in names])
    if not (limits > 0).all():
        cure = "Give numbers > 0."
        raise PolhodeError(f"the largest {what} are not positive.", _PLACE, cure, "E-IDENTIFICATION-NUMBER")
    return limits


def _series(a: Floats, b: Floats, period: float, t: Floats) -> tuple[Floats, Floats, Floats]:
    """Σ a sin + b cos and its first two rates: (…, n, harmonics) and (T,) to (…, n, T)."""
    rate = 2 * np.pi / period * np.arange(1, a.shape[-1] + 1)[:, None]
    s, c = np.sin(rate * t), np.cos(rate * t)
    return a @ s + b @ c, a @ (rate * c) - b @ (rate * s), -a @ (rate**2 * s) - b @ (rate**2 * c)


@dataclass(frozen=True, eq=False)
class _Shape:
    """Map from unconstrained numbers to motions within their limits."""

    period: float
    harmonics: int
    samples: int
    lower: Floats
    upper: Floats
    speed: Floats
    acceleration: Floats

    @property
    def variables(self) -> int:
        return len(self.lower) * (2 * self.harmonics + 2)

    def coefficients(self, numbers: Floats) -> tuple[Floats, Floats, Floats]:
        """Centre, sines and cosines of (B, variables)."""
        table = numbers.reshape(len(numbers), len(self.lower), -1)
        a, b = table[..., : self.harmonics], table[..., self.harmonics : 2 * self.harmonics]
        k = np.arange(1, self.harmonics + 1)
        a = a / k - k * ((a @ np.ones(self.harmonics)) / (k @ k))[..., None]  # u(0) = 0
        b = b / k - k**2 * ((b @ k) / (k**2 @ k**2))[..., None]  # u̇(0) = 0
        dense = np.linspace(0.0, self.period, _DENSE * self.harmonics, endpoint=False)
        q, u, udot = _series(a, b, self.period, dense)
        low, high = q.min(axis=-1), q.max(axis=-1)
        width = _ROOM * (self.upper - self.lower)
        room = width / (high - low)
        fits = np.minimum(room, self.speed / np.abs(u).max(axis=-1))
        fits = _ROOM * np.minimum(fits, self.acceleration / np.abs(udot).max(axis=-1))
        used, shift = (np.tanh(table[..., -2:]) / 2 + 0.5).transpose(2, 0, 1)
        fits = fits * (0.3 + 0.7 * used)
        slack = width - fits * (high - low)
        centre = (self.lower + self.upper - width) / 2 - fits * low + slack * shift
        return centre, a * fits[..., None], b * fits[..., None]

    def motions(self, numbers: Floats) -> tuple[Floats, Floats, Floats]:
        """q, u and u̇ of (B, variables), each (B, samples, n)."""
        centre, a, b = self.coefficients(numbers)
        t = np.linspace(0.0, self.period, self.samples, endpoint=False)
        q, u, udot = (np.swapaxes(table, 1, 2) for table in _series(a, b, self.period, t))
        return q + centre[:, None], u, udot


def _least(cost: Callable[[Floats], Floats], variables: int, seed: int) -> Floats:
    """The best of some random starts, a few of them improved by a quasi-Newton method with differences in one batch."""
    from scipy.optimize import minimize

    starts = np.random.default_rng(seed).normal(size=(_STARTS, variables))
    order = np.argsort(cost(starts))

    def with_slope(x: Floats) -> tuple[float, Floats]:
        costs = cost(np.vstack([x, x + _SMALL * np.eye(variables)]))
        return float(costs[0]), (costs[1:] - costs[0]) / _SMALL

    def improved(x: Floats, iterations: int) -> Floats:
        result = minimize(with_slope, x, jac=True, method="L-BFGS-B", options={"maxiter": iterations})
        return np.asarray(result.x)

    tried = np.array([starts[order[0]], *(improved(starts[k], _FIRST) for k in order[:_IMPROVED])])
    best = tried[int(np.argmin(cost(tried)))]
    last = np.array([best, improved(best, _ITERATIONS)])
    return np.asarray(last[int(np.argmin(cost(last)))])
