"""A law that is sampled: at t = 0, T, 2T, … it is given what is measured, and what it gives is held.

    c_k = κ(y(t_k), r(t_k), ξ_k, t_k)    acts from t_k + delay until t_{k+1} + delay
    ξ_{k+1} = ψ(y(t_k), r(t_k), ξ_k, t_k)

A state with a rate φ is stepped by Euler's rule, ξ_{k+1} = ξ_k + T φ, or by Runge's four
stages, in which the measurement is held.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import PolhodeError, shown
from ..expr import Expr
from .named_symbols import Named, numbers_of

if TYPE_CHECKING:
    from ..control.law import Law
    from ..dynamics.synopsis import Synopsis

#: How states with a rate go from sample to sample.
DISCRETISATIONS = ("euler", "rk4")


@dataclass(frozen=True, eq=False)
class Sampling:
    """When a law is asked and when it acts, in seconds, and what stands between it and the mechanism."""

    sample_time: float
    delay: float = 0.0
    quantisation: Mapping[Expr, float] = field(default_factory=dict)
    noise: Mapping[Expr, float] = field(default_factory=dict)
    seed: int | None = None
    discretisation: str = "euler"


def sampling_of(law: Law, options: Mapping[str, Any], known: Synopsis) -> Sampling:
    """How a law is sampled, as the options of a run say."""
    sample_time = _seconds(options.get("sample_time"), "sample_time", law.sample_time)
    if sample_time == 0.0:
        raise _no_time(0.0, "sample_time")
    if law.sample_time is not None and abs(sample_time - law.sample_time) > 1e-9 * law.sample_time:
        raise PolhodeError(
            f"the law was made for samples every {law.sample_time:g} s, not {sample_time:g} s.",
            place="sample_time",
            cure="Leave it out, or design the controller for the other.",
            code="E-LOOP-030",
        )
    measured = Named.measurements(law)
    seed = options.get("seed")
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0):
        raise PolhodeError(f"{shown(seed)} is no seed.", place="seed", cure="Give a number ≥ 0.", code="E-LOOP-031")
    discretisation = options.get("discretisation") or DISCRETISATIONS[0]
    if discretisation not in DISCRETISATIONS:
        raise PolhodeError(
            f"there is no discretisation {shown(discretisation)}.",
            place="discretisation",
            cure=f"Choose one of {', '.join(DISCRETISATIONS)}.",
            code="E-LOOP-032",
        )
    both = measured | Named.controls(law, known)
    return Sampling(
        sample_time,
        _seconds(options.get("delay"), "delay", 0.0),
        numbers_of(options.get("quantisation"), both, "quantisation", "a step > 0", least=np.finfo(float).tiny),
        numbers_of(options.get("noise"), measured, "noise", "a standard deviation ≥ 0"),
        None if seed is None else int(seed),
        discretisation,
    )


def _seconds(given: Any, place: str, default: float | None) -> float:
    given = default if given is None else given
    try:
        seconds = np.nan if isinstance(given, bool) else float(given)
    except (TypeError, ValueError):
        seconds = np.nan
    if not 0.0 <= seconds < np.inf:
        raise _no_time(given, place)
    return seconds


def _no_time(given: Any, place: str) -> PolhodeError:
    return PolhodeError(f"{shown(given)} is no time.", place=place, cure="Give seconds > 0.", code="E-LOOP-033")
