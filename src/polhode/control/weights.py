"""Weights of costs and covariances of noise, as a user gives them: symmetric matrices by names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import PolhodeError, numbers, unknown

Floats = NDArray[np.float64]

#: What is smaller than this part of a matrix is rounding.
_ROUNDING = 1e-10


def weights(word: str, given: Any, names: Sequence[str], place: str, *, positive: bool = False) -> Floats:
    """W of a number for all `names`, of one for each in order or by name (others nil), or of a symmetric matrix.

    W is positive semidefinite, or with `positive` positive definite.
    """
    where, size = f"{place} {word}", len(names)
    if isinstance(given, Mapping):
        strange = [name for name in given if name not in names]
        if strange:
            raise unknown("weight", strange[0], names, place=where, code="E-REGULATOR-001")
        given = [given.get(name, 0.0) for name in names]
    cure = f"Give a number, {size} of them, values by name, or {size} rows of {size}."
    made = numbers(given, "a finite number, a list of them, or a matrix", place=where, cure=cure)
    if made.ndim == 0:
        made = float(made) * np.eye(size)
    elif made.shape == (size,):
        made = np.diag(made)
    elif made.shape != (size, size):
        raise PolhodeError(
            f"it has the shape {'×'.join(map(str, made.shape))}, and there are {size} of {', '.join(names)}.",
            place=where,
            cure=cure,
            code="E-REGULATOR-003",
        )
    _check(made, where, positive)
    return (made + made.T) / 2


def _check(made: Floats, where: str, positive: bool) -> None:
    scale = float(np.abs(made).max(initial=0.0))
    if np.abs(made - made.T).max(initial=0.0) > _ROUNDING * scale:
        raise PolhodeError(
            "the matrix is not symmetric.", place=where, cure="Give a symmetric one.", code="E-REGULATOR-004"
        )
    least = float(np.linalg.eigvalsh((made + made.T) / 2).min(initial=np.inf)) if made.size else np.inf
    if least < -_ROUNDING * scale or (positive and least <= _ROUNDING * scale):
        what = "positive definite" if positive else "positive semidefinite"
        raise PolhodeError(
            f"the matrix is not {what}: its least eigenvalue is {least:.3g}.",
            place=where,
            cure=f"Give a {what} one, or {'positive numbers' if positive else 'numbers that are not negative'}.",
            code="E-REGULATOR-005",
        )
