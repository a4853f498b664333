"""Identification: parameters that explain measured efforts, what is uncertain in them, and bodies that could have them.

Least squares on the base parameters, samples of each speed weighted by what its efforts scatter (M. Gautier, 1997):

    min Σ |(Y_B β + known - τ)/σ|²,    cov β = (Σ Y_Bᵀ Y_B/σ²)⁻¹

β may be such that no body has it: a negative mass on a link that the motion hardly shows. The consistent form looks for
standard parameters with positive definite pseudo-inertias and friction that is not negative, K π as near to β as its
covariance says (below); where data say nothing it stays near what the model has.

Measured motions and efforts, as arrays in step with each other.

Where accelerations (or speeds too) were not measured they are differences of what was, after a filter that shifts
nothing in time: a Butterworth filter forward and backward. Efforts and columns then go through the same filter, so that
both sides of τ = Y π lose the same, and are kept at twice its cutoff, where what is left of noise is no longer alike
from one sample to the next (M. Gautier, "Dynamic identification of robots with power model", 1997).

Bodies and friction that could be, nearest to base parameters that were measured.

    min ½ |R (K π - β)|² + γ Σ (tr(J_0⁻¹ J) - log det J),    RᵀR = (cov β)⁻¹

over π, one pseudo-inertia J(π) for each body (`pseudo_inertia`) and one 1×1 matrix for each coefficient of friction and
each moment of a rotor. The second sum, T. Lee, P. M. Wensing and F. C. Park's entropic divergence, "Geometric robot
dynamic identification: a convex programming approach" (2020), keeps every J positive definite and, where data say
nothing, near J_0, which the model has. All of it is convex: Newton's steps, each a least-squares problem in the axes in
which J is the unit matrix, find the one minimum, while γ goes down to a hundredth of a
variance: what data tell is moved by a small part of its uncertainty, and what they do not tell stays where it was.

Inertial parameters that some distribution of mass has: those whose pseudo-inertia is positive definite.

    J = ∫ (r, 1)(r, 1)ᵀ dm = [[Σ, h], [hᵀ, m]],    Σ = ½ tr(I) 1 - I

P. M. Wensing, S. Kim and J.-J. E. Slotine, "Linear matrix inequalities for physically consistent inertial parameter
identification" (2018): J > 0 says at once that the mass is positive, and that the principal moments are and keep the
triangle inequality. J is linear in the ten moments.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from ..compiled.functions import Functions
from ..compiled.values import CallOptions
from ..dynamics.equations import EquationsOfMotion
from ..dynamics.regressor import MOMENTS, StandardParameter, regressor
from ..errors import PolhodeError, check_known, fault_at, listed, understood, unknown, whole_number
from ..expr import Expr, evaluate, free_symbols, same
from ..notebook import Cell, Shown, Table
from .base_parameters import BaseParameters, base_parameters

Floats: TypeAlias = NDArray[np.float64]
_PLACE = "identify"
fault = fault_at(_PLACE)
#: Columns of unit length with a singular value below this part of the largest do not determine the parameters.
_NOTHING = 1e-7
#: Efforts are not known better than this part of their size.
_FINEST = 1e-9
#: Rows of a piece of a tall table.
_PIECE = 64


class FitOptions(TypedDict, total=False):
    """Options of `identify`: filtering of data, and the fit."""

    base: BaseParameters
    consistent: bool
    cutoff: float
    decimate: int
    parameters: Mapping[str, Any]
    snap: float


@dataclass(frozen=True, eq=False, repr=False)
class Fit(Shown):
    """Base parameters from data: `values` with `covariance`; `standard` are those of physical bodies, if requested.

    `noise` is the standard deviation of the efforts that the fit leaves, by speed; `condition` that of the weighted
    columns, each of unit length.

    >>> import polhode as ph
    >>> s = ph.System("pendulum")
    >>> _ = s.joint("q", s.ground, s.body("bob", 2, com=(0, 0, -1), inertia=ph.sphere(2, 0.1)), ph.Revolute("y"))
    >>> e = s.derive()
    >>> run = e.simulate(2, start={"q": 1.0}, tau={"q": ph.sin(3 * s.time)}, samples=50)
    >>> fit = e.identify(run)
    >>> fit.names, fit.values.round(3).tolist(), fit.std.shape, fit.relative_std.shape
    (['mcx_bob', 'mcz_bob', 'Iyy_bob'], [0.0, -2.004, 2.017], (3,), (3,))
    """

    base: BaseParameters
    values: Floats
    covariance: Floats
    noise: Mapping[str, float]
    condition: float
    samples: int
    K: Floats = field(repr=False)
    functions: Functions = field(repr=False)
    parameters: Mapping[str, Any]  # that are not the model's
    standard: Mapping[str, float] | None = None
    misfit: float = 0.0  # how far the consistent form is from `values`, in standard deviations

    @property
    def names(self) -> list[str]:
        """The names of the base parameters."""
        return self.base.names

    @property
    def std(self) -> Floats:
        """The standard deviation of each base parameter."""
        return np.sqrt(np.diag(self.covariance))

    @property
    def relative_std(self) -> Floats:
        """Standard deviation over value; above about 0.3 the value is poorly determined."""
        return self.std / np.maximum(np.abs(self.values), np.finfo(float).tiny)

    @property
    def consistent_values(self) -> Floats:
        """The base parameters of the possible bodies."""
        return np.asarray(self.K @ np.array(list(self._standard().values())))

    def _standard(self) -> Mapping[str, float]:
        if self.standard is None:
            message = "this fit has no possible bodies."
            raise fault(message, "Identify with consistent=True.", "E-IDENTIFICATION-UNSUPPORTED")
        return self.standard

    def body(self, name: str) -> dict[str, Any]:
        """Mass, mass centre and central inertia of the body `name`, as `System.body` takes them, consistent ones."""
        table = self._standard()
        moments = [table.get(f"{kind}_{name}") for kind in MOMENTS]
        if None in moments:
            bodies = sorted(key.removeprefix("m_") for key in table if key.startswith("m_"))
            raise unknown("body", name, bodies, place=_PLACE, code="E-IDENTIFICATION-NAME")
        m, *rest = (float(x) for x in moments if x is not None)
        c, (xx, yy, zz, xy, xz, yz) = np.array(rest[:3]) / m, rest[3:]
        about = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) - m * (c @ c * np.eye(3) - np.outer(c, c))
        return {"mass": m, "com": tuple(c.tolist()), "inertia": about.tolist()}

    def predict(self, q: Any, u: Any, udot: Any, consistent: bool = False, **more: Unpack[CallOptions]) -> Floats:
        """Efforts of a motion (q, u, udot) by the fitted parameters, or the `consistent` ones.

        Options are those of compiled functions: `z`, `t`, `inputs`, `multipliers`, `parameters`.
        """
        Y, rest = self.functions.regressor(q, u, udot, **({"parameters": self.parameters or None} | more))
        efforts = Y[..., list(self.base.columns)] @ (self.consistent_values if consistent else self.values) + rest
        return np.asarray(efforts)

    def __str__(self) -> str:
        width = max(map(len, self.names), default=0)
        rows = zip(self.names, self.values, self.std, self.relative_std, strict=True)
        return "\n".join(f"{name:{width}}  {value:12.5g} ± {std:.2g} ({share:.1%})" for name, value, std, share in rows)

    def __repr__(self) -> str:
        return f"Fit({len(self.names)} base parameters from {self.samples} samples, condition {self.condition:.4g})"

    def _cell(self) -> Cell:
        rows = [
            (name, f"{value:.6g}", f"{std:.2g}", f"{share:.1%}")
            for name, value, std, share in zip(self.names, self.values, self.std, self.relative_std, strict=True)
        ]
        noise = ", ".join(f"{name} {value:.3g}" for name, value in self.noise.items())
        table = Table(["base parameter", "value", "standard deviation", "of the value"], rows, numbers_from=1)
        return Cell(repr(self), [table, f"what the fit leaves of the efforts, by speed: {noise}"])


def identify(
    functions: Functions,
    data: Any,
    *,
    base: BaseParameters | None = None,
    consistent: bool = True,
    cutoff: float | None = None,
    decimate: int | None = None,
    parameters: Mapping[str, Any] | None = None,
    snap: float = 1e-6,
) -> Fit:
    """Fit the base parameters of a mechanism to measured motions and efforts; see `Equations.identify`."""
    equations = functions.equations
    if equations.system.contacts:
        message = f"the forces of {listed([repr(name) for name in equations.system.contacts])} are in no column."
        cure = "Leave them out: system.with_contacts({}). Friction is fitted as a joint_force, such as -c*sign(u)."
        raise fault(message, cure, "E-IDENTIFICATION-UNSUPPORTED")
    motions = measured(equations, data, cutoff, decimate)
    if base is None:
        base = base_parameters(equations, snap)
    columns, left = _stacked(motions, functions, base, parameters)
    _check_count(len(base), left.size)
    values, covariance, noise, condition = _weighted(base, columns, left)
    K = _combinations(motions, base, parameters)
    used = {**motions[0].parameters, **(parameters or {})}
    standard, misfit = None, 0.0
    if consistent:
        result = regressor(equations)
        # What is to be found starts from the model: a run has masses, its data do not.
        met = {str(x.name) for x in free_symbols([*result.Y.entries(), *result.known, *base.K.entries()])}
        met_values = {name: value for name, value in used.items() if name in met or name in (parameters or {})}
        start = [_number(parameter, {**base.defaults, **met_values}) for parameter in result.parameters]
        standard, misfit = consistent_parameters(result.parameters, start, K, values, covariance)
    spread = dict(zip(equations.speeds, noise.tolist(), strict=True))
    return Fit(base, values, covariance, spread, condition, len(left), K, functions, used, standard, misfit)


def _stacked(
    motions: Sequence[Measured], functions: Functions, base: BaseParameters, parameters: Mapping[str, Any] | None
) -> tuple[Floats, Floats]:
    """Columns (T, n, base parameters) and what they should give (T, n), of all motions."""
    columns, left = [], []
    for motion in motions:
        used = {**motion.parameters, **(parameters or {})} or None
        Y, rest = functions.regressor(motion.q, motion.u, motion.udot, parameters=used, **motion.circumstances)
        columns.append(motion.reduced(Y[..., list(base.columns)]))
        left.append(motion.reduced(motion.tau - rest))
    return np.concatenate(columns), np.concatenate(left)


def _combinations(motions: Sequence[Measured], base: BaseParameters, parameters: Mapping[str, Any] | None) -> Floats:
    """K in numbers, which must be the same for all motions: base parameters of other lengths are others."""
    matrices = [base.matrix({**motion.parameters, **(parameters or {})}) for motion in motions]
    for k, K in enumerate(matrices):
        if not np.allclose(K, matrices[0], rtol=1e-12, atol=0.0):
            words = f"motion {k + 1} was run with other lengths than the first, so that its base parameters are others."
            cure = "Identify them one by one, or give parameters=… that hold for all."
            raise fault(words, cure, "E-IDENTIFICATION-UNSUPPORTED")
    return matrices[0]


def _check_count(unknowns: int, equations: int) -> None:
    if equations < unknowns:
        message = f"{unknowns} base parameters need at least as many efforts, not {equations}."
        raise fault(message, "Give more samples.", "E-IDENTIFICATION-SHAPE")


def _weighted(base: BaseParameters, columns: Floats, left: Floats) -> tuple[Floats, Floats, Floats, float]:
    """β, its covariance, the scatter of each speed's efforts, and the condition; weights follow from a first fit."""
    size = float(np.sqrt(np.mean(left**2))) or 1.0
    sigma = np.ones(left.shape[1])
    values = np.zeros(columns.shape[2])
    for _ in range(3):
        W, y = (columns / sigma[:, None]).reshape(-1, columns.shape[2]), (left / sigma).ravel()
        values, _, condition = _solved(base, W, y)
        rest = left - columns @ values
        free = max(1.0, len(left) - len(values) / left.shape[1])
        sigma = np.maximum(np.sqrt((rest**2).sum(axis=0) / free), _FINEST * size)
    W, y = (columns / sigma[:, None]).reshape(-1, columns.shape[2]), (left / sigma).ravel()
    return values, _solved(base, W, y)[1], sigma, condition


def _solved(base: BaseParameters, W: Floats, y: Floats) -> tuple[Floats, Floats, float]:
    """Least squares with columns of unit length; raises if they do not determine the parameters."""
    lengths = np.linalg.norm(W, axis=0)
    if not lengths.all():
        silent = [name for name, length in zip(base.names, lengths, strict=True) if not length]
        raise _unexciting(f"the data say nothing of {', '.join(silent)}.")
    triangle = _triangle(np.column_stack([W / lengths, y]))
    left, sizes, right = np.linalg.svd(triangle[: len(lengths), :-1])
    weak = sizes < _NOTHING * sizes[0]
    if weak.any():
        shares = np.abs(right[weak]).max(axis=0)
        mixed = [name for name, share in zip(base.names, shares, strict=True) if share > 0.1]
        raise _unexciting(f"the data do not separate {', '.join(mixed)}.")
    values = (right.T @ ((left.T @ triangle[: len(lengths), -1]) / sizes)) / lengths
    inverse = (right.T / sizes**2) @ right / np.outer(lengths, lengths)
    return values, inverse, float(sizes[0] / sizes[-1])


def _triangle(table: Floats) -> Floats:
    """R of a tall table, from piece to piece: pieces stay in the cache, and no threads are woken for them."""
    height = max(_PIECE, 2 * table.shape[1])
    result = table[:0]
    for start in range(0, len(table), height):
        result = np.asarray(np.linalg.qr(np.vstack([result, table[start : start + height]]), mode="r"))
    return result


def _unexciting(message: str) -> PolhodeError:
    cure = "Measure a motion that excites them: see exciting_trajectory."
    return fault(message, cure, "E-IDENTIFICATION-FAILED")


def _number(parameter: StandardParameter, values: Mapping[str, Any]) -> float | None:
    """The model's number for a standard parameter; None if it has none."""
    value: Expr = parameter.value
    met = {x: values.get(str(x.name)) for x in free_symbols([value])}
    if any(number is None for number in met.values()):
        return None
    return evaluate([value], {x: float(number) for x, number in met.items() if number is not None})[0]


_KEYS = ("t", "q", "u", "udot", "tau", "inputs", "z")
_ORDER = 4


@dataclass(frozen=True, eq=False)
class Measured:
    """Samples of one motion, complete; `reduced` takes tables in step with them to those that are fitted."""

    t: Floats
    q: Floats
    u: Floats
    udot: Floats
    tau: Floats
    smooth: Callable[[Floats], Floats]
    kept: slice
    inputs: Floats | None = None
    z: Floats | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)  # of the run that the samples are from

    def reduced(self, table: Floats) -> Floats:
        """A table (T, …) in step with the samples, filtered and decimated."""
        return self.smooth(table)[self.kept]

    @property
    def circumstances(self) -> dict[str, Any]:
        """Arguments of functions of the motion besides q, u and u̇."""
        return {"t": self.t, "inputs": self.inputs, "z": self.z}


def measured(
    equations: EquationsOfMotion, data: Any, cutoff: float | None = None, decimate: int | None = None
) -> list[Measured]:
    """Data of one motion, or of several in a list, checked and completed.

    - data: arrays by name (t, q, u, udot, tau, inputs, z; a row for each sample), or a Trajectory,
      of which the parameters that it was run with are taken as well.
    - cutoff: of the filter, in Hz; without it nothing is filtered.
    - decimate: how many samples become one; after a filter as many as its cutoff allows, unless given.
    """
    several = data if isinstance(data, list | tuple) else [data]
    if not several:
        raise fault("there are no data.", "Give arrays by name, or a trajectory.", "E-IDENTIFICATION-MISSING")
    results = [_complete(equations, _arrays(equations, run), cutoff, decimate) for run in several]
    return [replace(result, parameters=_run_with(equations, run)) for result, run in zip(results, several, strict=True)]


def _run_with(equations: EquationsOfMotion, data: Any) -> dict[str, Any]:
    """Parameters of the mechanism with which a run was made; empty if the data are no run."""
    parameters = {} if isinstance(data, Mapping) else getattr(data, "parameters", None) or {}
    return {name: value for name, value in parameters.items() if name in equations.system.parameters}


def _arrays(equations: EquationsOfMotion, data: Any) -> dict[str, Floats]:
    """Measured data as tables, a row for each sample."""
    if not isinstance(data, Mapping):
        data = {key: getattr(data, key) for key in _KEYS if getattr(data, key, None) is not None}
    check_known("kind of data", data, _KEYS, place=_PLACE, code="E-IDENTIFICATION-NAME")
    for key in ("q", "tau"):
        if data.get(key) is None:
            cure = 'Give {"t": …, "q": …, "tau": …}, or a trajectory of a run with efforts.'
            raise fault(f"the data have no {key}.", cure, "E-IDENTIFICATION-MISSING")
    widths = {"q": len(equations.q), **dict.fromkeys(("u", "udot", "tau"), len(equations.u))}
    widths |= {"inputs": len(equations.system.inputs), "z": len(equations.z)}
    arrays: dict[str, Floats] = {}
    for key, value in data.items():
        if value is None:
            continue
        with understood("an array of numbers", value, place=f"{_PLACE} {key}"):
            table = np.asarray(value, dtype=np.float64)
        table = table[:, None] if table.ndim == 1 and key != "t" else table
        shape = () if key == "t" else (widths[key],)
        if table.ndim == 0 or table.shape[1:] != shape:
            expected = "one number" if key == "t" else f"{widths[key]} numbers"
            message = f"{key} is an array {table.shape}, but a sample has {expected}."
            cure = f"Give an array with a row for each sample, in the order of {_names(equations, key)}."
            raise fault(message, cure, "E-IDENTIFICATION-SHAPE")
        if table.size or key not in ("inputs", "z"):
            arrays[key] = table
    _check_lengths(arrays)
    _check_finite(equations, arrays)
    return arrays


def _names(equations: EquationsOfMotion, key: str) -> str:
    if key == "t":
        return "time"
    names = {"q": equations.coordinates, "inputs": list(equations.system.inputs), "z": equations.states}
    return ", ".join(names.get(key, equations.speeds))


def _check_lengths(arrays: Mapping[str, Floats]) -> None:
    lengths = {key: len(table) for key, table in arrays.items()}
    if len(set(lengths.values())) > 1:
        words = ", ".join(f"{key} has {length}" for key, length in lengths.items())
        message = f"the data differ in their number of samples: {words}."
        raise fault(message, "Cut them to one length.", "E-IDENTIFICATION-SHAPE")


def _check_finite(equations: EquationsOfMotion, arrays: Mapping[str, Floats]) -> None:
    for key, table in arrays.items():
        bad = np.argwhere(~np.isfinite(table))
        if len(bad):
            row, *column = (int(k) for k in bad[0])
            of = f" of '{_names(equations, key).split(', ')[column[0]]}'" if column else ""
            cure = "Leave out such samples, or split the data there into a list of two."
            raise fault(f"{key}{of} is {table[tuple(bad[0])]} in sample {row}.", cure, "E-IDENTIFICATION-NUMBER")


def _complete(
    equations: EquationsOfMotion, arrays: dict[str, Floats], cutoff: float | None, decimate: int | None
) -> Measured:
    count = len(arrays["q"])
    lacking = [key for key in ("u", "udot") if key not in arrays]
    t = arrays.get("t")
    if t is None and (lacking or cutoff is not None):
        message = f"without the times t the data lack {' and '.join(lacking) or 'what the filter needs'}."
        raise fault(message, 'Give "t", or measured "u" and "udot".', "E-IDENTIFICATION-MISSING")
    step = _step(t) if t is not None and (lacking or cutoff is not None) else 0.0
    if "u" in lacking and not same(equations.coordinate_rates, equations.u):
        message = "the speeds of this mechanism are not the rates of its coordinates."
        raise fault(message, 'Give "u" as well.', "E-IDENTIFICATION-UNSUPPORTED")
    smooth = _filter(step, cutoff, count)
    result: dict[str, Any] = {key: smooth(arrays[key]) for key in ("q", "u", "udot") if key in arrays}
    if "u" in lacking:
        result["u"] = np.gradient(result["q"], step, axis=0, edge_order=2)
    if "udot" in lacking:
        result["udot"] = np.gradient(result["u"], step, axis=0, edge_order=2)
    skip = 0 if not lacking and cutoff is None else 3 if cutoff is None else int(np.ceil(1 / (cutoff * step)))
    every = decimate if decimate is not None else 1 if cutoff is None else max(1, int(1 / (2 * cutoff * step)))
    every = whole_number(every, "a whole number, 1 or more", least=1, place=f"{_PLACE} decimate")
    kept = slice(skip, count - skip, every)
    if len(range(*kept.indices(count))) < 2:
        raise fault(f"{count} samples are too few.", "Measure longer, or decimate less.", "E-IDENTIFICATION-SHAPE")
    rest: dict[str, Any] = {key: arrays[key] for key in ("tau", "inputs", "z") if key in arrays}
    return Measured(**result, **rest, t=np.zeros(count) if t is None else t, smooth=smooth, kept=kept)


def _step(t: Floats) -> float:
    """The time between samples, which must be the same for all."""
    steps = np.diff(t)
    if len(steps) < 8 or steps.min() <= 0 or steps.max() - steps.min() > 1e-3 * steps.mean():
        words = f"from {steps.min():.4g} s to {steps.max():.4g} s" if len(steps) else "none"
        message = f"accelerations are taken from differences of at least 9 samples at even steps; these are {words}."
        raise fault(message, 'Sample evenly, or give "u" and "udot" and no cutoff.', "E-IDENTIFICATION-SHAPE")
    return float(steps.mean())


def _filter(step: float, cutoff: float | None, count: int) -> Callable[[Floats], Floats]:
    if cutoff is None:
        return lambda table: table
    if not isinstance(cutoff, int | float) or not 0 < cutoff * step < 0.5:
        message = f"a cutoff of {cutoff!r} Hz is not between 0 and half the rate of sampling, {0.5 / step:.4g} Hz."
        raise fault(message, "Give some times the highest frequency of the motion.", "E-IDENTIFICATION-NUMBER")
    from scipy.signal import butter, sosfiltfilt

    sections = butter(_ORDER, 2 * cutoff * step, output="sos")
    pad = min(count - 1, int(3 / (cutoff * step)))
    return lambda table: sosfiltfilt(sections, table, axis=0, padlen=pad)


#: γ, from first to last, in units of squared standard deviations.
_WEIGHTS = (1.0, 1e-1, 1e-2)
_STEPS = 60
#: A body, and a coefficient, of which the model says nothing: one kilogram with a radius of gyration of 0.1 m.
_UNKNOWN_BODY = (1.0, 0.0, 0.0, 0.0, 0.02, 0.02, 0.02, 0.0, 0.0, 0.0)
_UNKNOWN_NUMBER = 0.1
_LEAST = 1e-6


@dataclass(frozen=True)
class _Piece:
    """Standard parameters that make one positive matrix, and their values in the model."""

    columns: slice
    units: Floats  # J of a unit of each
    start: Floats

    def at(self, pi: Floats) -> Floats:
        return np.tensordot(pi[self.columns], self.units, axes=1)


def consistent_parameters(
    parameters: Sequence[StandardParameter],
    start: Sequence[float | None],
    K: Floats,
    values: Floats,
    covariance: Floats,
) -> tuple[Mapping[str, float], float]:
    """Standard parameters by name, and how far they are from the values, in standard deviations."""
    pieces = _pieces(parameters, start)
    R = np.linalg.cholesky(_inverse(covariance)).T
    pi = np.concatenate([piece.start for piece in pieces]) if pieces else np.zeros(0)
    for weight in _WEIGHTS:
        pi = _least(pieces, pi, R @ K, R @ values, weight)
    gap = R @ (K @ pi - values)
    return dict(zip((parameter.name for parameter in parameters), pi.tolist(), strict=True)), float(np.sqrt(gap @ gap))


def _least(pieces: Sequence[_Piece], pi: Floats, A: Floats, b: Floats, weight: float) -> Floats:
    """The minimum for one γ, by damped Newton steps."""
    now = _value(pieces, pi, A, b, weight)
    for _ in range(_STEPS):
        C, w = _divergence(pieces, pi)
        left, right = np.vstack([A, np.sqrt(weight) * C]), np.concatenate([A @ pi - b, np.sqrt(weight) * w])
        scale = np.linalg.norm(left, axis=0)
        step = -np.linalg.lstsq(left / scale, right, rcond=1e-15)[0] / scale
        slope = float((left @ step) @ (left @ step))  # Newton's decrement, squared
        length = 1.0
        while length > 1e-10:
            then = _value(pieces, pi + length * step, A, b, weight)
            if then <= now - 0.1 * length * slope:
                break
            length /= 2
        else:
            return pi
        pi, now = pi + length * step, then
        if slope < 1e-8 * (1 + weight * len(pieces)):
            return pi
    return pi


def _value(pieces: Sequence[_Piece], pi: Floats, A: Floats, b: Floats, weight: float) -> float:
    rest = A @ pi - b
    total = float(rest @ rest) / 2
    for piece in pieces:
        try:
            L = np.linalg.cholesky(piece.at(pi))
        except np.linalg.LinAlgError:
            return np.inf
        inward = np.linalg.solve(np.linalg.cholesky(np.tensordot(piece.start, piece.units, axes=1)), L)
        total += weight * (float((inward**2).sum()) - 2 * float(np.log(np.diag(L)).sum()))
    return total


def _divergence(pieces: Sequence[_Piece], pi: Floats) -> tuple[Floats, Floats]:
    """C and w, CᵀC the curvature and Cᵀw the slope of Σ (tr(J_0⁻¹ J) - log det J): L⁻¹ dJ L⁻ᵀ and Lᵀ J_0⁻¹ L - 1."""
    rows, rest = [], []
    for piece in pieces:
        L = np.linalg.cholesky(piece.at(pi))
        back = np.linalg.inv(L)
        block = np.zeros((L.size, len(pi)))
        block[:, piece.columns] = (back @ piece.units @ back.T).reshape(len(piece.start), -1).T
        rows.append(block)
        first = np.tensordot(piece.start, piece.units, axes=1)
        rest.append((L.T @ np.linalg.solve(first, L) - np.eye(len(L))).ravel())
    return (np.vstack(rows), np.concatenate(rest)) if rows else (np.zeros((0, 0)), np.zeros(0))


def _inverse(covariance: Floats) -> Floats:
    """The inverse of a covariance whose entries have very different sizes."""
    scale = np.sqrt(np.diag(covariance))
    result = np.linalg.inv(covariance / np.outer(scale, scale)) / np.outer(scale, scale)
    return np.asarray((result + result.T) / 2)


def _pieces(parameters: Sequence[StandardParameter], start: Sequence[float | None]) -> list[_Piece]:
    pieces, k = [], 0
    while k < len(parameters):
        if parameters[k].kind == MOMENTS[0]:  # a body's ten stand together
            moments = np.array([np.nan if x is None else x for x in start[k : k + 10]])
            is_known = bool(np.isfinite(moments).all() and moments[0] > 0)
            pieces.append(
                _Piece(slice(k, k + 10), _UNITS, made_consistent(moments if is_known else np.array(_UNKNOWN_BODY)))
            )
            k += 10
        else:
            value = start[k]
            least = np.array([max(_UNKNOWN_NUMBER if value is None else value, _LEAST)])
            pieces.append(_Piece(slice(k, k + 1), np.ones((1, 1, 1)), least))
            k += 1
    return pieces


#: A body without extent is given this one: metres, and as a part of how far its mass centre is.
_EXTENT = 1e-2


def pseudo_inertia(moments: Floats) -> Floats:
    """J of m, m c and the inertia about the origin (xx, yy, zz, xy, xz, yz)."""
    m, x, y, z, xx, yy, zz, xy, xz, yz = moments
    half = (xx + yy + zz) / 2
    return np.array(
        [[half - xx, -xy, -xz, x], [-xy, half - yy, -yz, y], [-xz, -yz, half - zz, z], [x, y, z, m]], dtype=np.float64
    )


_UNITS = np.array([pseudo_inertia(unit) for unit in np.eye(10)])


def moments_of_pseudo(J: Floats) -> Floats:
    """The ten moments of J."""
    xx, yy, zz = J[0, 0], J[1, 1], J[2, 2]
    return np.array(
        [J[3, 3], J[0, 3], J[1, 3], J[2, 3], yy + zz, xx + zz, xx + yy, -J[0, 1], -J[0, 2], -J[1, 2]], dtype=np.float64
    )


def is_consistent(moments: Floats) -> bool:
    """Whether some distribution of mass, with an extent, has these moments."""
    return bool(np.linalg.eigvalsh(pseudo_inertia(moments))[0] > 0)


def made_consistent(moments: Floats) -> Floats:
    """The moments of a body that could be; one without mass or extent, or impossible, is given a little of them."""
    J = pseudo_inertia(moments)
    m = max(float(J[3, 3]), 1e-3)
    c = J[:3, 3] / m
    sizes, axes = np.linalg.eigh(J[:3, :3] - m * np.outer(c, c))
    least = m * (_EXTENT * max(1.0, float(np.abs(c).max()))) ** 2
    if J[3, 3] == m and sizes[0] > 1e-4 * least:
        return moments
    around = (axes * np.maximum(sizes, least)) @ axes.T
    return moments_of_pseudo(np.block([[around + m * np.outer(c, c), m * c[:, None]], [m * c[None], np.array([[m]])]]))
