"""Identification: parameters that explain measured efforts, what is uncertain in them, and bodies that could have them.

Least squares on the base parameters, samples of each speed weighted by what its efforts scatter (M. Gautier, 1997):

    min Σ |(Y_B β + known - τ)/σ|²,    cov β = (Σ Y_Bᵀ Y_B/σ²)⁻¹

β may be such that no body has it: a negative mass on a link that the motion hardly shows. The consistent form looks for
standard parameters with positive definite pseudo-inertias and friction that is not negative, K π as near to β as its
covariance says (`consistent_bodies`); where data say nothing it stays near what the model has.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict

import numpy as np
from numpy.typing import NDArray

from ..dynamics.equations import EquationsOfMotion
from ..dynamics.regressor import MOMENTS, StandardParameter, regressor
from ..errors import PolhodeError, fault_at, unknown
from ..expr import Expr, evaluate, free_symbols
from ..notebook import Cell, Shown, Table
from .base_parameters import BaseParameters, base_parameters
from .consistent_bodies import consistent_parameters
from .measured_data import Measured, measured

if TYPE_CHECKING:
    from typing import Unpack

    from ..compiled.call_options import CallOptions

Floats: TypeAlias = NDArray[np.float64]
Regress: TypeAlias = Callable[..., tuple[Floats, Floats]]
_PLACE = "identify"
fault = fault_at(_PLACE)
#: A singular value of the columns, each of unit length, below this beside the largest: data that do not tell.
_NOTHING = 1e-7
#: Efforts are not known better than this part of their size.
_FINEST = 1e-9
#: Rows of a piece of a tall table.
_PIECE = 64


class FitOptions(TypedDict, total=False):
    """How data are taken, and what is made of them; see `identify`."""

    base: BaseParameters
    consistent: bool
    cutoff: float
    decimate: int
    parameters: Mapping[str, Any]
    snap: float


@dataclass(frozen=True, eq=False, repr=False)
class Fit(Shown):
    """Base parameters from data: `values` with `covariance`; `standard` are those of possible bodies, if asked for.

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
    >>> fit.predict([0.5], [0.0], [0.0]).round(3).tolist()
    [9.421]
    >>> fit.consistent_values.round(3).tolist(), sorted(fit.body("bob"))[:2]
    ([0.0, -2.004, 2.017], ['com', 'inertia'])
    """

    base: BaseParameters
    values: Floats
    covariance: Floats
    noise: Mapping[str, float]
    condition: float
    samples: int
    K: Floats = field(repr=False)
    regress: Regress = field(repr=False)
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
        """The same beside the value; above about 0.3 the value says little."""
        return self.std / np.maximum(np.abs(self.values), np.finfo(float).tiny)

    @property
    def consistent_values(self) -> Floats:
        """The base parameters of the possible bodies."""
        return np.asarray(self.K @ np.array(list(self._standard().values())))

    def _standard(self) -> Mapping[str, float]:
        if self.standard is None:
            raise fault("this fit has no possible bodies.", "Identify with consistent=True.", "E-IDENT-030")
        return self.standard

    def body(self, name: str) -> dict[str, Any]:
        """Mass, mass centre and inertia about it, as `System.body` takes them, of the body of a `name`, in the
        consistent form.
        """
        table = self._standard()
        moments = [table.get(f"{kind}_{name}") for kind in MOMENTS]
        if None in moments:
            known = sorted(key.removeprefix("m_") for key in table if key.startswith("m_"))
            raise unknown("body", name, known, place=_PLACE, code="E-IDENT-031")
        m, *rest = (float(x) for x in moments if x is not None)
        c, (xx, yy, zz, xy, xz, yz) = np.array(rest[:3]) / m, rest[3:]
        about = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) - m * (c @ c * np.eye(3) - np.outer(c, c))
        return {"mass": m, "com": tuple(c.tolist()), "inertia": about.tolist()}

    def predict(self, q: Any, u: Any, udot: Any, consistent: bool = False, **more: Unpack[CallOptions]) -> Floats:
        """Efforts of a motion (q, u, udot) by the fitted parameters, or the `consistent` ones.

        Options are those of compiled functions: `z`, `t`, `inputs`, `multipliers`, `parameters`.
        """
        Y, known = self.regress(q, u, udot, **more)
        found = Y[..., list(self.base.columns)] @ (self.consistent_values if consistent else self.values) + known
        return np.asarray(found)

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
    equations: EquationsOfMotion,
    regress: Regress,
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
    taken = measured(equations, data, cutoff, decimate)
    if base is None:
        base = base_parameters(equations, snap)
    columns, left = _stacked(taken, regress, base, parameters)
    _check_count(len(base), left.size)
    values, covariance, noise, condition = _weighted(base, columns, left)
    K = _combinations(taken, base, parameters)
    used = {**taken[0].parameters, **(parameters or {})}
    standard, misfit = None, 0.0
    if consistent:
        made = regressor(equations)
        # What is to be found starts from the model: a run knows its own masses, its data do not.
        met = {str(x.name) for x in free_symbols([*made.Y.entries(), *made.known, *base.K.entries()])}
        own = {name: value for name, value in used.items() if name in met or name in (parameters or {})}
        start = [_number(each, {**base.defaults, **own}) for each in made.parameters]
        standard, misfit = consistent_parameters(made.parameters, start, K, values, covariance)
    spread = dict(zip(equations.speeds, noise.tolist(), strict=True))

    def again(*motion: Any, **more: Any) -> tuple[Floats, Floats]:
        return regress(*motion, **({"parameters": used or None} | more))

    return Fit(base, values, covariance, spread, condition, len(left), K, again, standard, misfit)


def _stacked(
    taken: Sequence[Measured], regress: Regress, base: BaseParameters, parameters: Mapping[str, Any] | None
) -> tuple[Floats, Floats]:
    """Columns (T, n, base parameters) and what they should give (T, n), of all motions."""
    columns, left = [], []
    for each in taken:
        used = {**each.parameters, **(parameters or {})} or None
        Y, known = regress(each.q, each.u, each.udot, parameters=used, **each.circumstances)
        columns.append(each.reduced(Y[..., list(base.columns)]))
        left.append(each.reduced(each.tau - known))
    return np.concatenate(columns), np.concatenate(left)


def _combinations(taken: Sequence[Measured], base: BaseParameters, parameters: Mapping[str, Any] | None) -> Floats:
    """K in numbers, which must be the same for all motions: base parameters of other lengths are others."""
    found = [base.matrix({**each.parameters, **(parameters or {})}) for each in taken]
    for k, K in enumerate(found):
        if not np.allclose(K, found[0], rtol=1e-12, atol=0.0):
            raise fault(
                f"motion {k + 1} was run with other lengths than the first, so that its base parameters are others.",
                "Identify them one by one, or give parameters=… that hold for all.",
                "E-IDENT-034",
            )
    return found[0]


def _check_count(unknowns: int, equations: int) -> None:
    if equations < unknowns:
        raise fault(
            f"{unknowns} base parameters need at least as many efforts, not {equations}.",
            "Give more samples.",
            "E-IDENT-032",
        )


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
    """Least squares with columns of unit length; refused where they do not tell parameters apart."""
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
        raise _unexciting(f"the data do not tell apart {', '.join(mixed)}.")
    values = (right.T @ ((left.T @ triangle[: len(lengths), -1]) / sizes)) / lengths
    inverse = (right.T / sizes**2) @ right / np.outer(lengths, lengths)
    return values, inverse, float(sizes[0] / sizes[-1])


def _triangle(table: Floats) -> Floats:
    """R of a tall table, from piece to piece: pieces stay in the cache, and no threads are woken for them."""
    height = max(_PIECE, 2 * table.shape[1])
    made = table[:0]
    for start in range(0, len(table), height):
        made = np.asarray(np.linalg.qr(np.vstack([made, table[start : start + height]]), mode="r"))
    return made


def _unexciting(message: str) -> PolhodeError:
    return PolhodeError(
        message, place=_PLACE, cure="Measure a motion that excites them: see exciting_trajectory.", code="E-IDENT-033"
    )


def _number(parameter: StandardParameter, given: Mapping[str, Any]) -> float | None:
    """What the model has for a standard parameter, if it is a number there."""
    value: Expr = parameter.value
    met = {x: given.get(str(x.name)) for x in free_symbols([value])}
    if any(number is None for number in met.values()):
        return None
    return evaluate([value], {x: float(number) for x, number in met.items() if number is not None})[0]
